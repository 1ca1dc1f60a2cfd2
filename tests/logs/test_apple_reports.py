"""Apple's crash reports in every form: .crash, .ips before and since iOS 15, other reporters'."""

import json
from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

HEAD = """\
Incident Identifier: 30E65F26-518C-4112-B000-B45201A4AFCD
Process:             till [3769]
Code Type:           ARM-64 (Native)
OS Version:          iPhone OS 14.1 (18A8395)

Exception Type:  {kind}
Exception Codes: {codes}
{more}
Thread 0 name:  Dispatch queue: com.apple.main-thread
Thread 0 Crashed:
{frames}
"""
COUNT = "0   till                    0x0000000100125780 -[Drawer count] (Drawer.m:51)"
ABORT = "0   libsystem_kernel.dylib  0x3618da1c 0x3617c000 + 72220 (__pthread_kill + 8)"
IN_IMAGE = f"{ABORT}\n1   till                    0x0005f898 0x5f000 + 30888 (-[Drawer shut] + 8)"
BOTCH = "1   libsystem_c.dylib       0x36270920 0x36231000 + 260384 (free_list_checksum_botch + 16)"


def report(
    kind: str = "EXC_BAD_ACCESS (SIGSEGV)",
    codes: str = "KERN_INVALID_ADDRESS at 0x0000000000000010",
    frames: str = COUNT,
    more: str = "",
) -> str:
    return HEAD.format(kind=kind, codes=codes, frames=frames, more=more)


DEEP = "\n".join(
    f"{n:<3} till                    0x00061898 0x5a000 + 30872 (-[Drawer open] + 36)"
    for n in range(40)
)
BEGUN = "40  till                    0x00061500 0x5a000 + 29952 (main + 36)"
WILD = "KERN_INVALID_ADDRESS at 0x2fd59ff8"
ABORTED = {"kind": "EXC_CRASH (SIGABRT)", "codes": "0x00000000 at 0x3618da1c"}
GUARD = (
    "--->  STACK GUARD   16be00000-16f604000 [ 56.0M] ---/rwx SM=NUL  stack guard for thread 0\n"
)
ZOMBIE = (
    "Application Specific Information:\n*** Terminating app due to uncaught exception 'Till'\n"
    "NOTE: This exception has been deallocated!\n\n"
)

MONO = """\
0   libsystem_c.dylib              0x3609b11a abort + 72
1   till                           0x0005f8a8 xamarin_printf + 2216 (runtime.m:2335)
2   till                           0x0005f8a0 mono_invoke_unhandled_exception_hook + 1
3   till                           0x0005f890 Till_Drawer_Count + 168"""
CLIENT = "Application Specific Information:\nBUG IN CLIENT OF LIBDISPATCH: In use\n\n"


HANDLER = """\
0   libsystem_kernel.dylib         0x00007fff87942292 __kill + 10
1   till                           0x000000010805c84a on_signal + 42
2   libsystem_platform.dylib       0x00007fff93d6b5aa _sigtramp + 26
3   {top} + 8
4   till                           0x0000000108048f20 -[Drawer count] + 8"""
NOWHERE = {"codes": "KERN_INVALID_ADDRESS at 0x0000000000000000"}


@pytest.mark.parametrize(
    ("text", "category", "function"),
    [
        (report(frames=HANDLER.format(top="???   000000000000000000 0"), **NOWHERE),
         C.NULL_FUNCTION_POINTER_CALL, "-[Drawer count]"),
        (report(frames=HANDLER.format(top="till  0x00000001080480f0 peek"), **NOWHERE),
         C.NULL_POINTER_DEREFERENCE, "peek"),
        (report("EXC_BAD_INSTRUCTION (SIGILL)", "0x1, 0x0", more=CLIENT), C.ASSERTION_FAILURE,
         "-[Drawer count]"),
        (report("EXC_BAD_INSTRUCTION (SIGILL)", "0x1, 0x0", more=CLIENT.replace(
            "BUG IN CLIENT OF LIBDISPATCH: In use", "Fatal error: the index is corrupted")),
         C.PANIC, "-[Drawer count]"),
        (report(), C.NULL_POINTER_DEREFERENCE, "-[Drawer count]"),
        ('{"app_name":"till","bug_type":"109"}\n' + report(), C.NULL_POINTER_DEREFERENCE,
         "-[Drawer count]"),
        (report(frames=IN_IMAGE, **ABORTED), C.EXPLICIT_ABORT, "-[Drawer shut]"),
        (report(frames=f"{ABORT}\n{BOTCH}", **ABORTED), C.HEAP_CORRUPTION, None),
        (report(codes=WILD, frames=DEEP), C.STACK_OVERFLOW, "-[Drawer open]"),
        (report(codes=WILD, more=GUARD), C.STACK_OVERFLOW, "-[Drawer count]"),
        (report(codes=WILD), C.WILD_POINTER, "-[Drawer count]"),
        # 40 calls of a walk, listed down to where it begins; no user 16384 sent what Mach raised.
        (report(codes="KERN_INVALID_ADDRESS at 0x0000400000000010", frames=f"{DEEP}\n{BEGUN}"),
         C.WILD_POINTER, "-[Drawer open]"),
        (report(codes=WILD, frames=f"{DEEP}\n{BEGUN.replace('40', '47440')}"), C.STACK_OVERFLOW,
         "-[Drawer open]"),
        (report(codes="0x2, 0x16ac0bff0", more="Exception Message: Thread stack size exceeded due "
                "to excessive recursion\n"), C.STACK_OVERFLOW, "-[Drawer count]"),
        # What the program says is corrupted need not be a heap.
        (report(frames=IN_IMAGE, more="Application Specific Information:\nindex till.idx is "
                "corrupted\nabort() called\n\n", **ABORTED), C.EXPLICIT_ABORT, "-[Drawer shut]"),
        (report(frames=IN_IMAGE, more="Application Specific Information:\ntill(7) malloc: *** "
                "error for object 0x7f8: double free\n\n", **ABORTED),
         C.DOUBLE_FREE, "-[Drawer shut]"),
        (report("EXC_BAD_ACCESS (SIGKILL (Code Signature Invalid))", WILD), None, None),
        (report(codes=WILD, more=ZOMBIE), C.USE_AFTER_FREE, "-[Drawer count]"),
        (report("0 (0)", "0x00000000 at 0x00000000", more="Application main thread deadlocked\n"),
         C.DEADLOCK, "-[Drawer count]"),
        (report(more="\nLast Exception Backtrace:\n0   till  0x1000 -[Drawer shut] + 4\n\n",
                frames=IN_IMAGE, **ABORTED), C.UNCAUGHT_EXCEPTION, "-[Drawer shut]"),
    ],
)  # fmt: skip
def test_the_text_form(tmp_path: Path, text: str, category: C | None, function: str | None) -> None:
    read = read_text(tmp_path, text)
    assert read.hosts == ["apple"]
    assert read.category is category
    if function is not None:
        assert read.function == function


def ips(**fields: object) -> str:
    """A report as .ips since iOS 15: the threads on one line, whatever its length."""
    report = {
        "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV",
                      "subtype": "KERN_INVALID_ADDRESS at 0x0000000000000000"},
        "faultingThread": 0,
        "threads": [{"triggered": True, "threadState": {"rip": {"value": 4294971392}},
                     "frames": [{"imageOffset": 40, "symbol": "Drawer::count()", "imageIndex": 0}]},
                    *({"id": n, "frames": []} for n in range(2000))],
        "usedImages": [{"name": "till"}],
    } | fields  # fmt: skip
    lines = ",\n".join(f'  "{key}" : {json.dumps(value)}' for key, value in report.items())
    return f'{{"app_name":"till","bug_type":"309"}}\n{{\n{lines}\n}}\n'


def test_the_json_form_with_a_line_of_any_length(tmp_path: Path) -> None:
    text = ips()
    assert max(map(len, text.split("\n"))) > 32768
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "Drawer::count()")
    assert "KERN_INVALID_ADDRESS at 0x0000000000000000" in read.cause


@pytest.mark.parametrize(
    ("fields", "category"),
    [
        ({"threads": [{"triggered": True, "threadState": {"rip": {"value": 0}},
                       "frames": [{"imageIndex": 0}]}]}, C.NULL_FUNCTION_POINTER_CALL),
        ({"exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "message": "Thread stack "
                        "size exceeded due to excessive recursion", "subtype":
                        "KERN_PROTECTION_FAILURE at 0x000000016ebe7e70"}}, C.STACK_OVERFLOW),
        ({"vmRegionInfo": "0x16f is in x\n--->  STACK GUARD  1-2"}, C.STACK_OVERFLOW),
        ({"exception": {"type": "EXC_CRASH", "signal": "SIGABRT"}, "asi": {"libc.dylib": [
            "stack buffer overflow"]}}, C.STACK_BUFFER_OVERFLOW),
        ({"usedImages": [{"name": "till", "path": "/usr/lib/swift/till"}], "exception": {
            "type": "EXC_BREAKPOINT", "signal": "SIGTRAP"}, "asi": {"libdispatch.dylib": [
            "BUG IN CLIENT OF LIBDISPATCH: In use"]}}, C.ASSERTION_FAILURE),
        ({"string": "panic(cpu 1 caller 0xff): till\nmore", "threads": 0}, C.PANIC),
    ],
)  # fmt: skip
def test_what_the_json_form_says(tmp_path: Path, fields: dict[str, object], category: C) -> None:
    assert read_text(tmp_path, ips(**fields)).category is category


@pytest.mark.parametrize(
    ("limit", "thread", "category", "function"),
    [("CPU", 2, C.HIGH_CPU, "count"), ("MEMORY", 0, C.OUT_OF_MEMORY, "wait"),
     ("CPU", 9, C.HIGH_CPU, None), ("WAKEUPS", 2, None, None)],
)  # fmt: skip
def test_a_limit_of_the_system_and_the_thread_that_met_it(
    tmp_path: Path, limit: str, thread: int, category: C | None, function: str | None
) -> None:
    text = "Exception Type:  EXC_RESOURCE\n" + (
        f"Exception Subtype: {limit}\nTriggered by Thread:  {thread}\n\n"
        "Thread 0:\n0   till            0x0005f8a8 wait + 16\n\n"
        "Thread 2:\n0   till            0x0005f8b8 count + 16\n\n"
    )
    read = read_text(tmp_path, text)
    assert read.category is category
    if category is not None:
        assert read.function == function


IMAGES = """\
Binary Images:
0x5a000 - 0x60fff {path}
0x1a5000 - 0x1b5fff Boards arm64  <1f2e> {folder}/System/Library/PrivateFrameworks/Boards
"""
BELOW = """\
0   libsystem_kernel.dylib         0x36129350 __pthread_kill + 8
1   libsystem_c.dylib              0x3609b11a abort + 72
2   {first}                         0x0005f8a8 0x5f000 + 2216
3   Boards                         0x001a6000 -[Board create] + 16"""


@pytest.mark.parametrize("folder", ["", "/Users/ann/iOS.simruntime/Contents/RuntimeRoot"])
@pytest.mark.parametrize(
    ("first", "path", "module"),
    [
        ("till", "till armv7  <0a1b> /var/containers/Bundle/Application/4F/till.app/till", "till"),
        ("Lid", "+Lid (1.0 - 1) <0a1b> /Applications/Till.app/Contents/Frameworks/Lid", "Lid"),
        ("till", "till (106) <0a1b> /System/Library/PrivateFrameworks/A.framework/till", "till"),
        ("Lid", "Lid armv7  <0a1b> /System/Library/Frameworks/Lid.framework/Lid", None),
    ],
)
def test_what_the_system_brought_along_is_told_by_the_images(
    tmp_path: Path, folder: str, first: str, path: str, module: str | None
) -> None:
    images = IMAGES.format(path=path, folder=folder)
    read = read_text(tmp_path, report(frames=BELOW.format(first=first), **ABORTED) + images)
    assert read.verdict is not None
    assert (read.verdict.frame.module if read.verdict.frame else None) == module


def test_another_reporter_s_stack(tmp_path: Path) -> None:
    text = (
        "Application received signal SIGSEGV\n(null)\n((\n"
        "  0  till   0x00000001823b0f60 <redacted> + 148\n"
        "  1  till   0x100b32844        count (in till) + 128\n"
    )
    read = read_text(tmp_path, text)
    assert (read.hosts, read.category) == (["apple"], None)
    assert read.findings[0].stacks[0].frames[1].function == "count"


def test_a_tombstone_that_ran_at_nothing(tmp_path: Path) -> None:
    text = (
        "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\n"
        "pid: 2201, tid: 2219, name: RenderThread  >>> org.shop.till <<<\n"
        "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n"
        "Cause: null pointer dereference\n"
        "    sp  000000743b0068e0  lr  0000007452e9f9dc  pc  {pc}\n"
        "backtrace:\n  #00 pc 0000000000023d00  /data/app/till/lib/libtill.so (till_count+16)\n"
    )
    nowhere = read_text(tmp_path, text.format(pc="0000000000000000"))
    assert nowhere.category is C.NULL_FUNCTION_POINTER_CALL
    somewhere = read_text(tmp_path, text.format(pc="0000007452e9f9dc"))
    assert somewhere.category is C.NULL_POINTER_DEREFERENCE
    written = read_text(
        tmp_path,
        text.replace("Cause: null pointer dereference\n", "")
        .replace("fault addr 0x0", "fault addr 0x636972545b6b6f")
        .format(pc="0000007452e9f9dc"),
    )
    assert written.category is C.WILD_POINTER


SIGNALLED = "EXC_CRASH ({0})"


@pytest.mark.parametrize("signal", ["SIGILL", "SIGSEGV", "SIGTRAP"])
def test_a_signal_without_an_exception_ran_into_nothing(tmp_path: Path, signal: str) -> None:
    text = report(SIGNALLED.format(signal), "0x0000000000000000, 0x0000000000000000", ABORT)
    assert read_text(tmp_path, text).category is None


PART = """\
Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
0   libsystem_kernel.dylib          0x00007fff8e628286 __pthread_kill +
10
1   libsystem_c.dylib               0x00007fff90619b53 abort + 129
2   libsystem_c.dylib               0x00007fff905e1c39 __assert_rtn + 321
3   com.acme.till                   0x0000000100716e4e count_coins + 242
"""
RAISED = """\
Application Specific Information:
*** Terminating app due to uncaught exception NSRangeException , reason: no drawer 7

Thread 0 Crashed:
0   CoreFoundation                  0x2b41a49f __exceptionPreprocess + 127
1   libobjc.A.dylib                 0x38c31c8b objc_exception_throw + 39
2   CoreFoundation                  0x2b41d7d7 ___forwarding___ + 715
3   Till                            0x003403f1 0xdd000 + 2503665 (-[Drawer count] + 233)
"""
SWIFT = """\
0   libswiftCore.dylib 0x00000001918d8880 closure #1 in _assertionFailure(_:_:file:line:flags:) + 228
1   libswiftCore.dylib 0x00000001918b7bb0 Array._checkSubscript(_:wasNativeTypeChecked:) + 156
2   UIKitCore          0x00000001a18b7bb0 -[UIControl sendAction:to:forEvent:] + 112
3   till               0x0000000102f8cc10 Drawer.count.getter + 88 (Drawer.swift:31)
"""  # noqa: E501


@pytest.mark.parametrize(
    ("text", "category", "function"),
    [
        (PART, C.ASSERTION_FAILURE, "count_coins"),
        (report(frames=MONO, **ABORTED), C.UNCAUGHT_EXCEPTION, "Till_Drawer_Count"),
        (RAISED, C.UNCAUGHT_EXCEPTION, "-[Drawer count]"),
        (report("EXC_BREAKPOINT (SIGTRAP)", "0x1, 0x2", SWIFT), C.TRAP, "Drawer.count.getter"),
    ],
)
def test_a_part_of_a_report_and_who_raised(
    tmp_path: Path, text: str, category: C, function: str
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)


def test_nothing_but_the_systems_frames_is_nobodys(tmp_path: Path) -> None:
    text = RAISED.rsplit("\n", 2)[0] + "\n"
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.UNCAUGHT_EXCEPTION, None)


def test_a_library_that_is_missing_is_named(tmp_path: Path) -> None:
    text = """\
Process:               till [812]
Crashed Thread:        0

Exception Type:        EXC_CRASH (SIGABRT)

Termination Reason:    DYLD, [0x1] Library missing

Dyld Error Message:
  Library not loaded: /opt/till/lib/libdrawer.0.dylib
  Referenced from: /opt/till/bin/till
  Reason: image not found
"""
    read = read_text(tmp_path, text)
    assert read.category is C.LIBRARY_LOAD_FAILURE
    assert "/opt/till/lib/libdrawer.0.dylib" in read.cause


def test_what_ends_itself_made_no_access(tmp_path: Path) -> None:
    text = """\
Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
0   libsystem_kernel.dylib        0x00007fff8cc60866 __pthread_kill + 10
1   libsystem_c.dylib             0x00007fff8b04db1a abort + 125
2   libsystem_c.dylib             0x00007fff8b0179bf __assert_rtn + 321
3   till                          0x00000001016da158 shut_drawer + 808
"""
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.ASSERTION_FAILURE, "shut_drawer")
    assert read.verdict is not None
    assert not any("access" in claim.text for claim in read.verdict.claims)
