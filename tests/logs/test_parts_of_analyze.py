"""The parts of ``!analyze -v`` and of SOS that people paste, without what stood above them."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

KERNEL = """\
FAULTING_IP:
tilldrv+a63
88c93a63 80384b          cmp     byte ptr [eax],4Bh

DEFAULT_BUCKET_ID:  VISTA_DRIVER_FAULT

BUGCHECK_STR:  {code}

TRAP_FRAME:  9a15ba14 -- (.trap 0xffffffff9a15ba14)
ErrCode = 00000000
eax={value} ebx=001ffea0 ecx=00000000 edx=001ffe90 esi=9a15bac0 edi=00000010
eip=88c93a63 esp=9a15ba88 ebp=9a15badc iopl=0         nv up ei ng nz na pe nc
cs=0008  ss=0010  ds=0023  es=0023  fs=0030  gs=0000             efl=00010386
tilldrv+0xa63:
88c93a63 80384b          cmp     byte ptr [eax],4Bh         ds:0023:{value}=??
Resetting default scope

STACK_TEXT:
9a15b9fc 88c93a63 00000000 f8f8f8f8 00000000 nt!KiTrap0E+0xdc
WARNING: Stack unwind information not available. Following frames may be wrong.
9a15badc 82a43129 84a6c1f8 84d9fc30 84d9fc30 tilldrv+0xa63
9a15baf4 82c3b7af 00000000 84d9fc30 84d9fca0 nt!IofCallDriver+0x63
"""
PAST = """\
{name} ({code})
N bytes of memory was allocated and more than N bytes are being referenced.
Arguments:
Arg1: fb6f5000, memory referenced
Arg2: {way}, value 0 = read operation, 1 = write operation
Arg3: 99053e40, if non-zero, the address which referenced memory.
Arg4: 00000000, (reserved)

STACK_TEXT:
b603ecb0 99054677 fb472880 fb6f438c 00000f5c tilldrv+0x33e40
b603ece4 99054776 fb6f4380 00000003 fb6f438c tilldrv+0x34677
"""
HEAP = """\
0:010> kb4
 # ChildEBP RetAddr  Args to Child
00 06bbf4d4 77ebc1f5 77df50e4 8ae27015 01471640 ntdll!RtlFreeHeap+0x64
01 06bbf550 76640be7 773fcf44 06bc0048 00000008 msvcrt!free+0xcd
02 06bbf5c4 766408cd 76cd0008 0907a724 01471254 till!close_drawer+0x3d9
0:010> !analyze -v
STACK_TEXT:
00000000 00000000 heap_corruption!till.exe+0x0
FAILURE_BUCKET_ID:  {bucket}
"""
POOL = """\
0:000> !threadpool
CPU utilization {cpu}%
Worker Thread: Total: 17 Running: 17 Idle: {idle} MaxLimit: 2000 MinLimit: 8
Work Request in Queue: 24
"""
THROWN = """\
0:000> !pe
Exception object: 02af41a4
Exception type:   System.Exception
Message:          no drawer
InnerException:   <none>
StackTrace (generated):
    SP       IP       Function
    00AFF1F4 0113089A Till!Till.Program.Main(System.String[])+0x52

StackTraceString: <none>
HResult: 80131500
"""
HUNG = """\
0:000> !analyze -v -hang
EXCEPTION_RECORD:  ffffffffffffffff -- (.exr 0xffffffffffffffff)
ExceptionAddress: 0000000000000000
   ExceptionCode: 80000003 (Break instruction exception)
  ExceptionFlags: 00000000
NumberParameters: 0

FAULTING_IP:
+0
00000000`00000000 ??              ???
"""
CHECKED = """\
VERIFIER STOP 0000000E: pid 0x1710: corrupted infix pattern for freed block

    07751000 : Heap handle
    0920A830 : Heap block
    00000018 : Block size
    0920A844 : corruption address

0:000> kb
ChildEBP RetAddr  Args to Child
0012f6d0 76faebae 000000d0 00000000 00000000 vrfcore!VerifierStopMessageEx+0x4d1
0012f734 76faea92 00000000 00000000 00000000 verifier!AVrfpDphTrimDelayedFreeQueue+0x100
0012f768 0f712d83 00000004 feb606c9 00609dc0 ntdll!RtlFreeHeap+0x15
0012f79c 0f712efd 00fcf7b0 00fcf7d4 00fcf7b4 till!close_drawer+0x16
"""
NAMED = """\
APPLICATION_VERIFIER_HEAPS_{name} ({stop})
First chance access violation for current stack trace.
Arguments:
Arg1: 0000027a0b0f9fe8, Invalid address causing the exception
Arg2: 00007ff6cabb1c31, Code address executing the invalid access
Arg3: 000000c1b2efe8a0, Exception record
Arg4: 000000c1b2efe3b0, Context record

STACK_TEXT:
000000c1`b2efe8a0 00007ffa`1060dc2e : 00000000`00000000 : vrfcore!VerifierStopMessageEx+0x6f1
000000c1`b2efe910 00007ffa`1060dc2e : 00000000`00000000 : ntdll!RtlFreeHeap+0x5a
000000c1`b2efe930 00007ffa`1060dc2e : 00000000`00000000 : till!close_drawer+0x2a
"""
FOUND = """\
0:000> k
 # Child-SP          RetAddr               Call Site
00 00000083`dbcfd4b8 00007ff9`5c0f7e38     ntdll!NtWaitForMultipleObjects+0x14
01 00000083`dbcfeda0 00007ff9`5c1251ca     ntdll!RtlReportCriticalFailure+0x97
02 00000083`dbcfee90 00007ff9`5c1254aa     ntdll!{name}+0x12
03 00000083`dbcfef20 00007ff9`5a2b1c4b     ntdll!RtlFreeHeap+0xa3
04 00000083`dbcfef90 00007ff7`11c01b00     till!close_drawer+0x2f
"""
STOOD = """\
{said}
till!close_drawer+0xb2:
00007ffa`1060ead2 488b4210        mov     rax,qword ptr {there}=????????????????
0:029> k
 # Child-SP          RetAddr               Call Site
00 000000d6`ebbff9d0 00007ffa`1060dc2e     till!close_drawer+0xb2 [D:\\src\\till.cpp @ 31]
01 000000d6`ebbffa40 00007ffa`104ed30a     till!main+0x1a [D:\\src\\till.cpp @ 83]
"""
_STORED = "(1a2c.3f40): {} - code {} (first/second chance not available)"
_AT_TEN = "[rdx+10h] ds:00000000`00000010"


@pytest.mark.parametrize(
    ("text", "category", "words"),
    [
        # what a debugger shows of a dump that holds no exception
        (HUNG, None, ""),
        (CHECKED, C.USE_AFTER_FREE, "was found written to in a call from `close_drawer`"),
        (NAMED.format(name="DOUBLE_FREE", stop="7"), C.DOUBLE_FREE, "`close_drawer` frees"),
        (NAMED.format(name="FIRST_CHANCE_ACCESS_VIOLATION", stop="13"), None, ""),
        (FOUND.format(name="RtlpHeapHandleError"), C.HEAP_CORRUPTION, "call from `close_drawer`"),
        (FOUND.format(name="RtlpWaitOnCriticalSection"), None, ""),
        *((STOOD.format(said=said, there=there), category, "`close_drawer` at `till.cpp:31`")
          for said, there, category in (
              ("", _AT_TEN, C.NULL_POINTER_DEREFERENCE),
              (_STORED.format("Access violation", "c0000005"), _AT_TEN, C.NULL_POINTER_DEREFERENCE),
              (_STORED.format("Unknown exception", "e0000001"), _AT_TEN, None),
              ("Breakpoint 0 hit", _AT_TEN, None),
              ("", "gs:[30h] gs:00000000`00000030", None),
              ("", "[rdx+10h] ds:00000212`00000010", None))),
        ("DRIVER_OVERRAN_STACK_BUFFER (f7)\nA driver has overrun a stack.\nArguments:\n"
         "Arg1: 00007508adca8132, Actual security check cookie from the stack\n"
         "Arg2: 00007508adca81f1, Expected security check cookie\n"
         "Arg3: ffff8af752357e0e, Complement\nArg4: 0000000000000000, zero\n\nSTACK_TEXT:\n"
         "ffffbc81`3f9d6d28 fffff806`6a8e1b01 : 00000000`000000f7 : nt!KeBugCheckEx\n"
         "ffffbc81`3f9d6d30 fffff806`6a8b2f44 : 00000000 : tilldrv!_report_gsfailure+0x25\n"
         "ffffbc81`3f9d6d70 fffff806`6a8b1aa9 : ffffd00a`1f6b6000 : tilldrv!close_drawer+0x5d4\n",
         C.STACK_BUFFER_OVERFLOW, "`close_drawer` on the stack"),
    ],
)  # fmt: skip
def test_what_a_debugger_shows_of_a_failure(
    tmp_path: Path, text: str, category: C | None, words: str
) -> None:
    read = read_text(tmp_path, text)
    assert read.category is category
    if category is not None:
        assert words in read.cause


def test_a_heaps_table_with_its_thousands_set_apart(tmp_path: Path) -> None:
    rows = "01cfcf4cf4c0    91   316,064 Free\n7ffa4094dd88 4,175 9,301,276 System.String\n"
    read = read_text(tmp_path, f"Statistics:\n          MT Count TotalSize Class Name\n{rows}")
    assert (read.hosts, read.category) == (["dotnet-dump"], C.MEMORY_LEAK)


@pytest.mark.parametrize(
    ("code", "value", "category"),
    [
        ("0x50", "f8f8f8f8", C.WILD_POINTER),
        ("0x8E", "00000008", C.NULL_POINTER_DEREFERENCE),
        ("0x8E", "f8f8f8f8", C.WILD_POINTER),
        ("0xD1", "00000008", C.NULL_POINTER_DEREFERENCE),
        ("AV", "f8f8f8f8", None),
    ],
)
def test_the_stop_code_by_which_the_debugger_sorts(
    tmp_path: Path, code: str, value: str, category: C | None
) -> None:
    read = read_text(tmp_path, KERNEL.format(code=code, value=value))
    assert read.category is category
    if category is not None:
        assert read.verdict is not None
        assert read.verdict.frame is not None
        assert read.verdict.frame.module == "tilldrv"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("DRIVER_PAGE_FAULT_BEYOND_END_OF_ALLOCATION", "d6"),
        ("PAGE_FAULT_BEYOND_END_OF_ALLOCATION", "cd"),
    ],
)
@pytest.mark.parametrize(
    ("way", "category"),
    [("00000000", C.OUT_OF_BOUNDS_READ), ("00000001", C.OUT_OF_BOUNDS_WRITE)],
)
def test_past_the_end_of_an_allocation(
    tmp_path: Path, name: str, code: str, way: str, category: C
) -> None:
    read = read_text(tmp_path, PAST.format(name=name, code=code, way=way))
    assert read.category is category
    assert read.verdict is not None
    assert read.verdict.frame is not None
    assert read.verdict.frame.module == "tilldrv"


@pytest.mark.parametrize(
    ("bucket", "category"),
    [
        ("ACTIONABLE_HEAP_CORRUPTION_heap_failure_block_not_busy_c0000005_till.exe", C.DOUBLE_FREE),
        (
            "HEAP_CORRUPTION_ACTIONABLE_BlockNotBusy_DOUBLE_FREE_c0000374_till.exe!Unknown",
            C.DOUBLE_FREE,
        ),
        ("HEAP_CORRUPTION_80000003_heap_corruption!till.exe", C.HEAP_CORRUPTION),
        ("INVALID_POINTER_READ_c0000005_till.exe!close_drawer", None),
    ],
)
def test_the_heaps_failure_by_which_the_debugger_sorts(
    tmp_path: Path, bucket: str, category: C | None
) -> None:
    read = read_text(tmp_path, HEAP.format(bucket=bucket))
    assert read.category is category
    if category is not None:
        assert read.function == "close_drawer"


@pytest.mark.parametrize(
    ("cpu", "idle", "category"),
    [(0, 0, C.THREAD_STARVATION), (97, 0, None), (0, 3, None)],
)
def test_a_pools_numbers_alone(tmp_path: Path, cpu: int, idle: int, category: C | None) -> None:
    assert read_text(tmp_path, POOL.format(cpu=cpu, idle=idle)).category is category


def test_an_exception_that_may_have_been_caught_is_not_said_to_be_uncaught(tmp_path: Path) -> None:
    from workbench.agents import experts

    read = read_text(tmp_path, THROWN)
    assert read.category is None
    verdict = experts.verdict(C.UNCAUGHT_EXCEPTION, read.facts)
    said = [claim.text for claim in verdict.claims]
    assert any('"no drawer"' in text for text in said)
    assert not any("nobody caught" in text for text in said)
