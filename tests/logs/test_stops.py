"""What the lines around a debugger's stop prove, and what they do not."""

import re
import time
from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.agents import experts
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Stack
from workbench.model.hypothesis import Status

WAITS = "0x7f2c6c0d3c37 in poll () from /lib64/libc.so.6"
SEGV = "Program received signal SIGSEGV, Segmentation fault.\n"
LOST = "".join(f"#{n}  0x42424242 in ?? ()\n" for n in range(2, 10))


@pytest.mark.parametrize(
    ("source", "category"),
    [
        ("110     return m_coins ;", C.NULL_POINTER_DEREFERENCE),
        ("110\treturn this->coins;", C.NULL_POINTER_DEREFERENCE),
        ("110     return other->m_coins ;", None),
        ("110     return count() ;", None),
        ("111     return m_coins ;", None),
    ],
)
def test_a_member_of_no_object(tmp_path: Path, source: str, category: C | None) -> None:
    frame = "0x00007ffff7b0b68e in Drawer::count (this=0x0) at /src/drawer.cc:110"
    read = read_text(tmp_path, f"{SEGV}{frame}\n{source}\n(gdb) bt\n#0  {frame}\n")
    assert read.category is category


@pytest.mark.parametrize(
    ("value", "category"),
    [
        ("0xbebebebebebebebe", C.UNINITIALIZED_POINTER),
        ("0x0", C.NULL_POINTER_DEREFERENCE),
        ("0x55d0c0de1230", None),
    ],
)
def test_a_pointer_that_somebody_printed(tmp_path: Path, value: str, category: C | None) -> None:
    text = f"""\
{SEGV}0x000000000040122a in shut (box=0x606000000208) at drawer.c:18
18          lid->close(box);
(gdb) print lid
$1 = (struct lid *) {value}
"""
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(
    "before",
    [
        "/src/hash.c:14:21: runtime error: signed integer overflow: 2147483647 + 1 cannot be "
        "represented in type 'int'\nloaded 300 rows\n",
        "terminate called after throwing an instance of 'std::bad_alloc'\nrestarting worker\n",
        "Assertion failed: (ptr != NULL), function load, file conf.c, line 12.\nretried, passed.\n",
        "$ ./old\ndouble free or corruption (fasttop)\nAborted (core dumped)\n$ gdb ./shut core\n",
    ],
)
def test_a_core_that_a_debugger_opened_is_of_no_report_above(tmp_path: Path, before: str) -> None:
    """The first went on, the others ended by abort(3), which no SIGSEGV is."""
    text = f"{before}Program terminated with signal SIGSEGV, Segmentation fault.\n"
    text += "#0  0x000055555555515 in shut (box=0x0) at drawer.c:18\n18\t  return box->lid;\n"
    text += "(gdb) bt\n#0  0x000055555555515 in shut (box=0x0) at drawer.c:18\n"
    read = read_text(tmp_path, text + "(gdb) p box\n$1 = (struct box *) 0x0\n")
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "shut")


def test_an_abort_is_not_explained_by_another_processes_fault(tmp_path: Path) -> None:
    text = "till[100]: free(): double free detected in tcache 2\n[ 9.1] till[140]: segfault at 0 "
    text += "ip 000055d4a3c1f1aa sp 00007ffc1f2ad390 error 4 in till[55d4a3c1f000+1000]\n"
    assert read_text(tmp_path, text).category is C.NULL_POINTER_DEREFERENCE


@pytest.mark.parametrize(
    ("frames", "category"),
    [
        (
            ("raise", "abort", "__libc_message", "malloc_printerr", "_int_free", "shut"),
            C.DOUBLE_FREE,
        ),
        (("raise", "abort", "shut"), C.EXPLICIT_ABORT),
    ],
)
def test_whose_abort_a_debugger_shows(tmp_path: Path, frames: tuple[str, ...], category: C) -> None:
    text = "double free or corruption (fasttop)\nProgram received signal SIGABRT, Aborted.\n"
    stack = "".join(
        f"#{n}  0x40{n}000 in {name} () at {name}.c:4\n" for n, name in enumerate(frames)
    )
    read = read_text(tmp_path, f"{text}{stack.splitlines()[0]}\n(gdb) bt\n{stack}")
    assert read.category is category


def test_the_frame_of_a_stop_without_a_backtrace(tmp_path: Path) -> None:
    text = f"{SEGV}[Switching to Thread 0xafe89b40 (LWP 7)]\nshut (box=0x8) at drawer.c:18\n"
    text += "(gdb) x/i $rip\n=> 0x40122a <shut+4>:\tmov    0x8(%rax),%eax\n"
    text += "(gdb) p/x $rax\n$1 = 0x10\n(gdb) info registers rax\nrax            0x10    16\n"
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "shut")


def test_the_frame_of_the_last_of_several_stops(tmp_path: Path) -> None:
    stops = [("SIG35, Real-time event 35", "0x40122a in shut ()"), ("SIGTERM, Terminated", WAITS)]
    text = "Continuing.\n".join(
        f'\nThread {n} "till" received signal {said}.\n[Switching to LWP {n}]\n{frame}\n'
        for n, (said, frame) in enumerate(stops, 1)
    )
    [stack] = read_text(tmp_path, text).facts.all(Stack)
    assert stack.frames[0].function == "poll"


BROKE = """\
(gdb) run
Starting program: /till

Breakpoint 1, load (k=0x0) at till.c:9
9         if (!k) return 0;
(gdb) bt
#0  load (k=0x0) at till.c:9
#1  0x0000555555555190 in main () at till.c:30
(gdb) info registers rip rax
rip            0x555555555139      0x555555555139 <load+4>
(gdb) c
Continuing.

Program received signal SIGSEGV, Segmentation fault.
0x0000555555555161 in store (slot=0x0, v=7) at till.c:16
16        slot->value = v;
(gdb) bt
#0  0x0000555555555161 in store (slot=0x0, v=7) at till.c:16
"""
STEPPED = """\
(lldb) run
Process 5 stopped
* thread #1, name = 'till', stop reason = breakpoint 1.1
    frame #0: 0x0000555555555171 till`load(n=0) at till.c:9:12
(lldb) c
Process 5 resuming
Process 5 stopped
* thread #1, name = 'till', stop reason = signal SIGSEGV: invalid address (fault address: 0x0)
    frame #0: 0x0000555555555191 till`store(slot=0x0000000000000000) at till.c:15:18
(lldb) bt
* thread #1, name = 'till', stop reason = signal SIGSEGV: invalid address (fault address: 0x0)
  * frame #0: 0x0000555555555191 till`store(slot=0x0000000000000000) at till.c:15:18
"""


@pytest.mark.parametrize("text", [BROKE, STEPPED])
def test_nothing_of_a_breakpoint_is_told_of_the_crash_behind_it(tmp_path: Path, text: str) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.NULL_POINTER_DEREFERENCE, "store")


def test_a_trap_that_the_program_sent_itself_is_no_instruction(tmp_path: Path) -> None:
    text = "Program terminated with signal SIGTRAP, Trace/breakpoint trap.\n#0  0x0000803a in "
    assert read_text(tmp_path, text + ".raise () from /lib/libc.so.6\n").category is (
        C.EXPLICIT_ABORT
    )
    assert read_text(tmp_path, text + "shut (box=0x8) at drawer.c:18\n").category is C.TRAP


def test_return_addresses_that_are_a_text(tmp_path: Path) -> None:
    text = f"{SEGV}0xb7e854b6 in strlen () from /lib/libc.so.6\n(gdb) bt\n"
    text += "#0  0xb7e854b6 in strlen () from /lib/libc.so.6\n"
    text += "#1  0x08048f8f in keep_score (seconds=7) at score.c:183\n"
    read = read_text(tmp_path, text + LOST)
    assert (read.category, read.function) == (C.STACK_BUFFER_OVERFLOW, "keep_score")
    assert read.verdict is not None
    assert "0x42424242" in read.verdict.claims[2].text


@pytest.mark.parametrize(
    ("where", "category"),
    [
        ("0x42424242 in ?? ()", C.CORRUPTED_POINTER),
        ("0x4847464544434241 in ?? ()", C.CORRUPTED_POINTER),
        ("0x0000555555555158 in count ()", None),
        ("0x08045678 in count ()", None),
    ],
)
def test_control_that_went_where_a_text_said(
    tmp_path: Path, where: str, category: C | None
) -> None:
    assert read_text(tmp_path, f"{SEGV}{where}\n").category is category


def test_the_page_above_all_stacks_is_no_stack(tmp_path: Path) -> None:
    text = f"{SEGV}0x000000000045deaa in count () \n"
    text += "(gdb) x/i $rip\n=> 0x45deaa <count+8>:\tmov    %ecx,0x18(%rax)\n"
    text += "(gdb) i r rax\nrax            {0}   1\n"
    assert read_text(tmp_path, text.format("0x7ffffffff488")).category is C.WILD_POINTER
    assert read_text(tmp_path, text.format("0x7fffffffe488")).category is None


def test_a_function_that_crashes_on_purpose_is_a_failed_check(tmp_path: Path) -> None:
    text = """\
* thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0xbbadbeef)
  * frame #0: 0x0000000101a88b20 TillCore`::WTFCrash() at Assertions.cpp:255
    frame #1: 0x000000010000bdbb till`Till::Box::open(this=0x00007ffeefbfcf78) const at Box.h:521
"""  # noqa: E501
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (C.ASSERTION_FAILURE, "Till::Box::open")
    (stop,) = read.facts.all(Finding)
    assert stop.message == "stop reason = EXC_BAD_ACCESS (code=1, address=0xbbadbeef)"


@pytest.mark.parametrize(
    ("said", "inner", "category"),
    [
        ("terminated with signal SIGKILL, Killed.", "poll", C.EXTERNAL_SIGNAL),
        ("terminated with signal SIGTERM, Terminated.", "poll", C.EXTERNAL_SIGNAL),
        ("terminated with signal SIGTERM, Terminated.", "Job::kill", C.EXTERNAL_SIGNAL),
        ("terminated with signal SIGTERM, Terminated.", "__GI_raise", C.EXPLICIT_ABORT),
        ("received signal SIGINT, Interrupt.", "poll", None),
    ],
)
def test_signals_that_somebody_sent(
    tmp_path: Path, said: str, inner: str, category: C | None
) -> None:
    text = f"Program {said}\n#0  0x00007f2c6c0d3c37 in {inner} () from /lib64/libc.so.6\n"
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(
    ("address", "access", "sent"),
    [
        ("0x3e800001fb9", "UNKNOWN", True),  # user 1000, process 8121
        ("0x3e800001fb9", "READ", False),  # or where V8 has its heap
        ("0x7f3a00001234", "UNKNOWN", False),  # where mmap(2) gives out memory
        ("0x5581000a1238", "UNKNOWN", False),  # where programs lie
        ("0xa00000403", "UNKNOWN", False),  # user 10 is no person
    ],
)
def test_an_address_that_is_a_sender_or_a_place(
    tmp_path: Path, address: str, access: str, sent: bool
) -> None:
    text = f"""\
==812==ERROR: AddressSanitizer: SEGV on unknown address {address} (pc 0x55d0a1b2c3d4 bp 0x7ffc1 sp 0x7ffc0 T0)
==812==The signal is caused by a {access} memory access.
    #0 0x55d0a1b2c3d4 in lookup /src/app/lookup.c:42:13
"""  # noqa: E501
    assert (read_text(tmp_path, text).category is C.EXTERNAL_SIGNAL) is sent


@pytest.mark.parametrize(
    ("words", "category"),
    [
        ("double free or corruption (fasttop)", C.DOUBLE_FREE),
        ("free(): invalid pointer", C.INVALID_FREE),
        ("double free or corruption (!prev)", C.HEAP_CORRUPTION),
    ],
)
def test_what_malloc_said_stands_in_its_arguments(tmp_path: Path, words: str, category: C) -> None:
    text = f"""\
Program received signal SIGABRT, Aborted.
#0  __GI_raise (sig=sig@entry=6) at ../sysdeps/unix/sysv/linux/raise.c:51
#1  0x00007ffff65a83fa in __GI_abort () at abort.c:89
#2  0x00007ffff65e4bd0 in __libc_message (do_abort=2, fmt=0x7ffff66d9d58 "*** %s ***") at libc_fatal.c:175
#3  0x00007ffff65eaf96 in malloc_printerr (action=3, str=0x7ffff66d9dd0 "{words}", ptr=0x1) at malloc.c:5046
#4  0x00007ffff7aa14e4 in shut (it=0x7fffffffcf70) at drawer.c:47
#5  0x00005555555605ff in main (argc=4, argv=0x7fffffffd5e8) at till.c:126
"""  # noqa: E501
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, "shut")


def test_glibc_shows_its_sources_without_a_folder(tmp_path: Path) -> None:
    text = """\
terminate called after throwing an instance of 'std::logic_error'
  what():  no drawer

Program received signal SIGABRT, Aborted.
(gdb) bt
#0  __GI_raise (sig=sig@entry=6) at ../sysdeps/unix/sysv/linux/raise.c:54
#1  0x00007ffff663d02a in __GI_abort () at abort.c:89
#2  0x00007ffff6c7584d in __gnu_cxx::__verbose_terminate_handler() () from /usr/lib/libstdc++.so.6
#3  0x00007ffff6c73701 in std::terminate() () from /usr/lib/libstdc++.so.6
#4  0x00007ffff6c73919 in __cxa_throw () from /usr/lib/libstdc++.so.6
#5  0x00007ffff75ae5ce in Drawer::open (this=0x7fffffffd710) at /src/drawer.cc:61
"""
    assert read_text(tmp_path, text).function == "Drawer::open"


MAPPED = """\
Program received signal SIGSEGV, Segmentation fault.
0x0000555555555134 in descend (n=24959) at down.c:3
(gdb) x/i $pc
=> 0x555555555134 <descend+12>:\tmov    %edi,-0x134(%rbp)
(gdb) info registers rbp rsp
rbp            0x7fffff7ff010      0x7fffff7ff010
rsp            {pointer}      {pointer}
(gdb) info proc mappings
process 7114
Mapped address spaces:

          Start Addr           End Addr       Size     Offset  Perms  objfile
      0x555555554000     0x555555555000     0x1000        0x0  r--p   /home/ann/till
      0x555555555000     0x555555556000     0x1000     0x1000  r-xp   /home/ann/till
      0x7fffff7ff000     0x7ffffffff000   0x800000        0x0  rw-p   [stack]
"""


@pytest.mark.parametrize(
    ("pointer", "category"),
    [("0x7fffff7feed0", C.STACK_OVERFLOW), ("0x7fffffffe2d0", None)],
)
def test_an_access_below_the_stacks_mapping(
    tmp_path: Path, pointer: str, category: C | None
) -> None:
    assert read_text(tmp_path, MAPPED.format(pointer=pointer)).category is category


@pytest.mark.parametrize(
    ("pointer", "category"),
    [("0x391577", C.NULL_POINTER_DEREFERENCE), ("0x391579", None), ("0x391560", None)],
)
def test_instructions_without_an_arrow(tmp_path: Path, pointer: str, category: C | None) -> None:
    text = f"""\
{SEGV}{pointer.replace("0x", "0x00")} in shut () from ./libtill.so
(gdb) i r
eax            0x0      0
ecx            0x203fffef       541065199
esp            0xbfcfd088       0xbfcfd088
edi            0x0      0
eip            {pointer} {pointer}
(gdb) x/10i $eip
0x391577 <shut+55>:   rep stos %eax,%es:(%edi)
0x391579 <shut+57>:   mov    %edx,%ecx
"""
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(("reason", "rejected"), [("code=EXC_I386_GPFLT", True), ("code=1", False)])
def test_an_address_that_the_processor_refused(tmp_path: Path, reason: str, rejected: bool) -> None:
    text = f"""\
* thread #7, stop reason = EXC_BAD_ACCESS ({reason})
  * frame #0: 0x00007fff508fc8ca till`shut_drawer + 12
    frame #1: 0x00007fff508fc9ca till`main + 2
"""
    read = read_text(tmp_path, text)
    assert read.category is None
    verdict = experts.verdict(C.NULL_POINTER_DEREFERENCE, read.facts)
    assert (verdict.status is Status.REJECTED) is rejected


@pytest.mark.parametrize(
    ("instruction", "registers", "category"),
    [
        # An operand that lies where its instruction may not have it.
        ("vmovaps %ymm1,0x48(%rsp)", "rsp 0x7fffffffe2d0", C.MISALIGNED_ACCESS),
        ("movdqa -0x14(%rbp),%xmm0", "rbp 0x7fffffffe2d0", C.MISALIGNED_ACCESS),
        ("movntps %xmm2,(%rdi)", "rdi 0x602018", C.MISALIGNED_ACCESS),
        ("vmovdqu %ymm1,0x48(%rbp)", "rbp 0x7fffffffe2d0", None),
        # What is pushed, and a field's distance above; what an index chose may lie anywhere.
        ("call 0x401136 <walk>", "rsp 0x7fffff7ff000", C.STACK_OVERFLOW),
        ("mov %rdi,0x18(%rsp)", "rsp 0x7fffff7feff0", C.STACK_OVERFLOW),
        ("movb $0x41,0x10(%rsp,%rax,1)", "rsp 0x7fffff000000\nrax 0x8f000", None),
        ("movaps %xmm0,0x20(%rsp)", "rsp 0x7fffff7fe000", C.STACK_OVERFLOW),
    ],
)
def test_accesses_through_the_stack_pointer(
    tmp_path: Path, instruction: str, registers: str, category: C | None
) -> None:
    shown = "\n".join(line.replace(" ", "            ") for line in registers.split("\n"))
    frame = "0x0000000000401140 in walk (n=9) at /src/walk.c:7\n"
    text = f"{SEGV}{frame}(gdb) x/i $pc\n=> 0x401140 <walk+4>:\t{instruction}\n"
    assert read_text(tmp_path, f"{text}(gdb) info registers\n{shown}\n").category is category


def stopped(signal: str, words: str, function: str, instruction: str, value: str) -> str:
    pc = f"0x4011{len(function)}0"
    return (
        f"Program received signal {signal}, {words}.\n{pc} in {function} ()\n"
        f"(gdb) bt\n#0  {pc} in {function} ()\n#1  0x401ff0 in main ()\n"
        f"(gdb) x/i $pc\n=> {pc} <{function}+4>:\t{instruction}\n"
        f"(gdb) info registers\nrax            {value}\nrip            {pc}\n"
    )


HUNG = stopped("SIGINT", "Interrupt", "waits", "mov %ecx,(%rax)", "0x0")
LOOKED = stopped("SIGTRAP", "Trace/breakpoint trap", "started", "mov %ecx,(%rax)", "0x0")
FAILED = stopped("SIGSEGV", "Segmentation fault", "insert", "mov %ecx,(%rax)", "0x7f0012340018")
NULL = stopped("SIGSEGV", "Segmentation fault", "shut", "mov %ecx,(%rax)", "0x8")
ABORTED = stopped("SIGABRT", "Aborted", "probing", "mov %ecx,(%rax)", "0x0")
GOES_ON = "(gdb) continue\nContinuing.\n\n"


@pytest.mark.parametrize(
    ("text", "category", "address"),
    [
        (HUNG + GOES_ON + FAILED, C.WILD_POINTER, 0x7F0012340018),
        (ABORTED + GOES_ON + HUNG + GOES_ON + FAILED, C.WILD_POINTER, 0x7F0012340018),
        (FAILED + HUNG, C.WILD_POINTER, 0x7F0012340018),
        (LOOKED + GOES_ON + NULL, C.NULL_POINTER_DEREFERENCE, 8),
        (FAILED + GOES_ON + NULL, C.NULL_POINTER_DEREFERENCE, 8),
        (NULL + GOES_ON + "Program terminated with signal SIGSEGV, Segmentation fault.\n"
         "The program no longer exists.\n", C.NULL_POINTER_DEREFERENCE, 8),
    ],
)  # fmt: skip
def test_nothing_of_one_stop_is_told_of_another(
    tmp_path: Path, text: str, category: C, address: int
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.findings[-1].address) == (category, address)
    assert read.function == ("shut" if category is C.NULL_POINTER_DEREFERENCE else "insert")


@pytest.mark.parametrize(
    ("after", "ended"),
    [
        (GOES_ON + HUNG, False),
        (GOES_ON + "[Inferior 1 (process 32) exited normally]\n", False),
        (GOES_ON + "Breakpoint 1, main () at till.c:12\n", False),
        (GOES_ON + "[Inferior 1 (process 32) exited with code 01]\n", True),
        ("(gdb) run\nStarting program: /till\n\n" + HUNG, True),
    ],
)
def test_a_signal_that_the_process_outlived_is_open(
    tmp_path: Path, after: str, ended: bool
) -> None:
    read = read_text(tmp_path, NULL + after)
    assert read.category is (C.NULL_POINTER_DEREFERENCE if ended else None)
    assert [finding.ends for finding in read.findings] == [ended]


def test_a_stop_that_nobody_crashed_in_names_no_cause(tmp_path: Path) -> None:
    assert read_text(tmp_path, HUNG).category is None


def calls(*names: str, first: int, last: int) -> str:
    """Frames that gdb lists, the functions by turns."""
    return "".join(
        f"#{n}  0x0000555555555{320 + n % 3:x} in {names[n % len(names)]} (n={n}) at tree.c:14\n"
        for n in range(first, last)
    )


BEGIN = SEGV + "0x0000555555555160 in walk (n=1) at tree.c:12\n(gdb) bt\n"
MAIN = "#{}  0x00005555555551f0 in main () at tree.c:40\n"


@pytest.mark.parametrize(
    ("text", "category", "likely"),
    [
        (
            BEGIN
            + calls("walk", first=0, last=6)
            + "(gdb) bt -3\n"
            + calls("walk", first=34940, last=34942)
            + MAIN.format(34942),
            C.STACK_OVERFLOW,
            True,
        ),
        (
            BEGIN + calls("walk", "visit", first=9000, last=9004) + MAIN.format(9004),
            C.STACK_OVERFLOW,
            True,
        ),
        (BEGIN + calls("walk", first=0, last=200) + "(More stack frames follow...)\n", None, True),
        (calls("walk", "visit", first=0, last=150), None, False),
        (BEGIN + calls("walk", first=0, last=6) + MAIN.format(6), None, False),
        (calls("a", "b", "c", "d", "e", "f", first=0, last=150), None, False),
    ],
)
def test_a_stack_of_the_same_few_functions(
    tmp_path: Path, text: str, category: C | None, likely: bool
) -> None:
    read = read_text(tmp_path, text)
    assert read.category is category
    found, _ = experts.proposals(read.facts, set())
    proposed = {proposal.category: proposal.confidence for proposal in found}
    assert (proposed.get(C.STACK_OVERFLOW, 0) >= 0.45) is likely


@pytest.mark.parametrize(
    ("argument", "source", "asked", "category"),
    [
        ("it=it@entry=0x0", "return it->coins;", "", C.NULL_POINTER_DEREFERENCE),
        ("it@entry=0x0", "return it->coins;", "", None),  # what it was, not what it is
        ("it=0x5581a0", "return it->lid->coins;", "it->lid", C.NULL_POINTER_DEREFERENCE),
        ("it=0x5581a0", "*it->box.lid = 4;", "it->box.lid", C.NULL_POINTER_DEREFERENCE),
        ("it=0x5581a0", "return it->lid ? it->lid->coins : 0;", "it->lid", None),
        ("it=0x5581a0", "return it->coins;", "it->lid", None),
    ],
)
def test_what_the_line_of_the_stop_goes_through(
    tmp_path: Path, argument: str, source: str, asked: str, category: C | None
) -> None:
    text = f"{SEGV}0x0000555555555141 in count ({argument}) at till.c:5\n5\t    {source}\n"
    text += f"(gdb) print {asked}\n$1 = (struct lid *) 0x0\n" if asked else ""
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(
    ("arguments", "source", "category"),
    [
        ("sum=7, by=0", "return sum / by;", C.DIVIDE_BY_ZERO),
        ("sum=7, by=by@entry=0", "sum %= by;", C.DIVIDE_BY_ZERO),
        ("sum=-2147483648, by=-1", "return sum / by;", C.INTEGER_OVERFLOW),
        ("sum=7, by=0", "return sum / by->count;", None),
        ("sum=7, by=0", "return sum / by / 3;", None),
        ("sum=7, by=0", "return sum; // by / by", None),
    ],
)
def test_what_a_line_divides_by(
    tmp_path: Path, arguments: str, source: str, category: C | None
) -> None:
    told = "Program terminated with signal SIGFPE, Arithmetic exception.\n"
    frame = f"0x0000562613b3a147 in share ({arguments}) at /src/share.c:6"
    read = read_text(tmp_path, f"{told}#0  {frame}\n6\t    {source}\n(gdb) bt\n#0  {frame}\n")
    assert read.category is category


def test_what_munmap_chunk_refuses_is_open(tmp_path: Path) -> None:
    text = "munmap_chunk(): invalid pointer\nAborted (core dumped)\n"
    assert read_text(tmp_path, text).category not in (C.INVALID_FREE, C.HEAP_CORRUPTION)


@pytest.mark.parametrize(
    ("base", "category"),
    [
        ("0xffffffffffffffff", C.WILD_POINTER),
        ("0xfffffffffffffff0", C.WILD_POINTER),
        ("0x0", C.NULL_POINTER_DEREFERENCE),
    ],
)
def test_a_small_address_that_a_negative_pointer_wrapped_to(
    tmp_path: Path, base: str, category: C
) -> None:
    text = f"""\
Program received signal SIGSEGV, Segmentation fault.
0x0000555555555a21 in total (of={base}) at till.c:40
(gdb) x/i $pc
=> 0x555555555a21 <total+17>:\tmov    0x18(%rax),%rdx
(gdb) info registers rax rip
rax            {base}  1
rip            0x555555555a21      0x555555555a21 <total+17>
"""
    assert read_text(tmp_path, text).category is category


_ABORTED = """\
#0  __pthread_kill_implementation (no_tid=0, signo=6) at ./nptl/pthread_kill.c:44
#1  0x00007ffff7ddf476 in __GI_raise (sig=sig@entry=6) at ../sysdeps/posix/raise.c:26
#2  0x00007ffff7dc57f3 in __GI_abort () at ./stdlib/abort.c:79
{frame}
#5  0x0000555555555199 in settle (of=0x5555555592b0) at till.c:20
#6  0x00005555555551c2 in main () at till.c:31
"""


@pytest.mark.parametrize(
    ("frame", "category"),
    [
        ('#3  0x00007ffff7e3dcfc in malloc_printerr (str=str@entry=0x7ffff7f7b760 "free(): double '
         'free detected in tcache 2") at ./malloc/malloc.c:5664', C.DOUBLE_FREE),
        ('#3  0x0000555555555100 in till_assert_failed (text=0x555555556010 "n >= 0") at base.c:9',
         C.ASSERTION_FAILURE),
        ("#3  0x0000555555555100 in till::onAssertFail (line=40) at base.cc:9",
         C.ASSERTION_FAILURE),
    ],
)  # fmt: skip
def test_a_stack_that_ends_in_abort_tells_its_signal(
    tmp_path: Path, frame: str, category: C
) -> None:
    read = read_text(tmp_path, _ABORTED.format(frame=frame))
    assert (read.category, read.function) == (category, "settle")


@pytest.mark.parametrize("words", ["munmap_chunk(): invalid pointer", "free(): invalid size"])
def test_words_of_the_allocator_that_leave_the_cause_open_are_no_wish_to_end(
    tmp_path: Path, words: str
) -> None:
    frame = (f'#3  0x00007ffff7e3dcfc in malloc_printerr (str=str@entry=0x7ffff7f7b760 "{words}") '
             "at ./malloc/malloc.c:5664\n#4  0x00007ffff7e3fd7c in __GI___libc_free (mem=<optimized"
             " out>) at ./malloc/malloc.c:3375")  # fmt: skip
    assert read_text(tmp_path, _ABORTED.format(frame=frame)).category is None


def test_a_thread_that_waits_tells_no_signal(tmp_path: Path) -> None:
    frame = "#3  0x0000555555555100 in poll_coins () at till.c:9"
    text = _ABORTED.replace("__GI_abort", "do_abort_later").format(frame=frame)
    assert read_text(tmp_path, text).category is None


_TOMBSTONE = """\
*** *** *** *** *** *** *** *** *** *** ***
pid: 9, tid: 9, name: till  >>> org.till <<<
signal 11 (SIGSEGV), code {code}, fault addr 0x0
backtrace:
    #00 pc 001976ab  /data/libtill.so (count+18)
"""
_OPEN_MPI = """\
[node:9] *** Process received signal ***
[node:9] Signal: Segmentation fault (11)
[node:9] Signal code: {code}
[node:9] Failing at address: (nil)
[node:9] [ 0] ./till(count+0x1d)[0x4012d4]
"""
_HOTSPOT = """\
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007fc1a2ddc7b3, pid=9, tid=9
# C  [libtill.so+0x2b7b3]  count+0x73
siginfo: si_signo: 11 (SIGSEGV), si_code: {code}, si_addr: 0x0000000000000000
"""
_STRACE = """\
--- SIGSEGV {{si_signo=SIGSEGV, si_code={code}, si_addr=NULL}} ---
+++ killed by SIGSEGV +++
"""
_BREAKPAD = """\
Operating system: Linux
CPU: amd64
Crash reason:  SIGSEGV / {code}
Crash address: 0x0
Thread 0 (crashed)
 0  till!count [till.cc : 33 + 0x4]
"""
_FAILED_FAST = """\
Operating system: Windows NT
CPU: amd64
Crash reason:  {reason}
Crash address: 0x7ffb8a3c286e
Thread 0 (crashed)
 0  ucrtbase.dll + 0x7286e
 1  till.exe!count [till.cc : 33 + 0x4]
"""
_CLICKHOUSE = """\
(version 24.3.1.1, build id: AB) (from thread 90) (no query) Received signal Segmentation fault (11)
Address: NULL pointer. Access: read. {code}.
Stack trace: 0x000000000c8d0b2a 0x000000000c8d1234
2. DB::Rows::sum() @ 0x000000000c8d0b2a
"""


@pytest.mark.parametrize(
    ("report", "mapped", "refused"),
    [
        (_CLICKHOUSE, "Address not mapped to object", "Unknown si_code"),
        (_TOMBSTONE, "1 (SEGV_MAPERR)", "128 (SI_KERNEL)"),
        (_OPEN_MPI, "Address not mapped (1)", " (128)"),
        (_HOTSPOT, "1 (SEGV_MAPERR)", "128 (SI_KERNEL)"),
        (_STRACE, "SEGV_MAPERR", "SI_KERNEL"),
        (_BREAKPAD, "SEGV_MAPERR", "SI_KERNEL"),
    ],
)
def test_a_signal_that_came_without_an_address(
    tmp_path: Path, report: str, mapped: str, refused: str
) -> None:
    null = read_text(tmp_path, report.format(code=mapped))
    assert (null.category, null.findings[0].address) == (C.NULL_POINTER_DEREFERENCE, 0)
    none = read_text(tmp_path, report.format(code=refused))
    assert (none.category, none.findings[0].address) == (None, None)


@pytest.mark.parametrize(
    ("report", "raised"),
    [
        (_TOMBSTONE, "1 (SEGV_MAPERR)"), (_OPEN_MPI, "Address not mapped (1)"),
        (_HOTSPOT, "1 (SEGV_MAPERR)"), (_STRACE, "SEGV_MAPERR"), (_BREAKPAD, "SEGV_MAPERR"),
        ("SIGSEGV: segmentation violation\nPC=0x4a1234 m=0 sigcode={code} addr=0x0\n\n"
         "goroutine 1 [syscall]:\nmain.main()\n\t/src/main.go:9 +0x1d\n", "1"),
    ],
)  # fmt: skip
def test_what_the_kernel_raised_nobody_sent(tmp_path: Path, report: str, raised: str) -> None:
    there = "0x3e800001fb9"  # what user 1000 and process 8121 would leave
    text = re.sub(r"\b0x0+(?=\s)|\bNULL\b|\(nil\)", there, report.format(code=raised))
    read = read_text(tmp_path, text)
    assert read.findings[0].address == int(there, 16)
    assert read.category is C.WILD_POINTER


def test_a_server_that_caught_its_own_signal(tmp_path: Path) -> None:
    text = "*** Caught signal (Segmentation fault) **\n in thread 7f1e4c954700 thread_name:rows\n"
    read = read_text(tmp_path, text + " 1: (Rows::put(int)+0x44) [0x55a0b31e1d10]\n")
    (finding,) = read.findings
    assert (read.category, finding.signal) == (None, "SIGSEGV")
    assert finding.stacks[0].frames[0].function == "Rows::put(int)"


def test_another_code_takes_no_address_away(tmp_path: Path) -> None:
    text = _TOMBSTONE.format(code="1 (SEGV_MAPERR)") + "exit code=0, status code=-1\n"
    assert read_text(tmp_path, text).findings[0].address == 0


def test_a_long_name_is_read_in_time(tmp_path: Path) -> None:
    """Each ``_`` of it may end a prefix."""
    began = time.process_time()
    for name in ("a_" * 400 + "x", "a::" * 300 + "x", "a_" * 400 + "assert_failx"):
        read_text(tmp_path, _ABORTED.format(frame=f"#2  0x0000555555555100 in {name} () at m.c:9"))
    assert time.process_time() - began < 4


@pytest.mark.parametrize(
    ("between", "category"),
    [
        ("(gdb) run < b.txt\nStarting program: /src/till < b.txt\n\n", C.NULL_POINTER_DEREFERENCE),
        ("(gdb) continue\nContinuing.\n\n", None),  # of one run: which one was it?
    ],
)
def test_what_another_run_came_to_is_another_failure(
    tmp_path: Path, between: str, category: C | None
) -> None:
    text = (
        "(gdb) run\nStarting program: /src/till\n\nProgram received signal SIGABRT, Aborted.\n"
        "0x00007ffff7c89676 in raise () from /lib/libc.so.6\n"
        f"{between}{SEGV}0x0000555555555231 in pop (till=0x0) at till.c:31\n"
        "31\t    till->coins--;\n"
    )
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(
    ("reason", "category"),
    [
        ("FAST_FAIL_STACK_COOKIE_CHECK_FAILURE", C.STACK_BUFFER_OVERFLOW),
        ("FAST_FAIL_FATAL_APP_EXIT", C.EXPLICIT_ABORT),  # abort()
        ("EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_FATAL_APP_EXIT", C.EXPLICIT_ABORT),
        ("FAST_FAIL_CORRUPT_LIST_ENTRY", C.CORRUPTED_POINTER),
        ("FAST_FAIL_DLOAD_PROTECTION_FAILURE", None),
        ("STATUS_STACK_BUFFER_OVERRUN", None),  # whatever __fastfail was called for
    ],
)
def test_why_a_process_failed_fast(tmp_path: Path, reason: str, category: C | None) -> None:
    assert read_text(tmp_path, _FAILED_FAST.format(reason=reason)).category is category


def _listed(signal: str, code: str, instruction: str, **registers: int) -> str:
    shown = "".join(f"{name:<15}{value:#x}  {value}\n" for name, value in registers.items())
    return (
        f"Program terminated with signal {signal}.\n"
        "#0  0x000000000040122a in work (a=3) at w.c:18\n"
        f"(gdb) info registers\n{shown}(gdb) x/i $pc\n=> 0x40122a <work+10>:\t{instruction}\n"
        f"(gdb) p $_siginfo\n$1 = {{{code}}}\n"
    )


SEGFAULT, BUS = "SIGSEGV, Segmentation fault", "SIGBUS, Bus error"
FAULT = "si_signo = 11, si_errno = 0, si_code = 2, _sifields = {{_sigfault = {{si_addr = {:#x}}}}}"
_BUS = "si_signo = 7, si_errno = 0, si_code = {}, _sifields = {{_sigfault = {{si_addr = 0x0}}}}"
SP, FRAME = 0x7FD1E1A0BEC0, 0x7FD1E1A4BED0


@pytest.mark.parametrize(
    ("text", "category", "confidence"),
    [
        # A process sent it: nothing failed. An alignment check tells no address.
        (_listed(BUS, _BUS.format(-5), "mov (%rax),%eax", rax=0x55DC20), None, 0),
        (_listed(BUS, _BUS.format(1), "mov (%rax),%eax", rax=0x55DC21), C.MISALIGNED_ACCESS, 0.8),
        (_listed(BUS, "", "mov (%rax),%eax", rax=0x55DC20), C.BUS_ERROR, 0.6),
        # What is there and may not be accessed so.
        (_listed(SEGFAULT, FAULT.format(0x7FD1E1A0), "mov %eax,(%rax)", rax=0x7FD1E1A0), None, 0),
        # What a call pushes, and a function's own variable, in no memory: no stack is left.
        (_listed(SEGFAULT, FAULT.format(SP - 8), "call 0x401050 <memset@plt>", rsp=SP),
         C.STACK_OVERFLOW, 0.8),
        (_listed(SEGFAULT, FAULT.format(SP + 8), "mov %rdi,-0x40008(%rbp)", rsp=SP, rbp=FRAME),
         C.STACK_OVERFLOW, 0.8),
        (_listed(SEGFAULT, FAULT.format(0x41414141FFF8).replace("code = 2", "code = 1"),
                 "mov %rdi,-0x8(%rbp)", rsp=SP, rbp=0x414141420000), C.WILD_POINTER, 0.6),
        # A small number in the register may be no null with a member's distance.
        (_listed(SEGFAULT, FAULT.format(0x2A), "mov %edx,(%rax)", rax=0x2A),
         C.NULL_POINTER_DEREFERENCE, 0.65),
        (_listed(SEGFAULT, FAULT.format(0x2A), "mov %edx,0x2a(%rax)", rax=0),
         C.NULL_POINTER_DEREFERENCE, 0.8),
        # Every stack of Rust begins in what catches panics.
        ("Program terminated with signal SIGABRT, Aborted.\n(gdb) bt\n"
         "#0  0x00007f1440fa3472 in raise () from /lib/libc.so.6\n"
         "#1  0x00007f1440fa3473 in abort () from /lib/libc.so.6\n"
         "#2  0x0000562a99c17319 in std::process::abort () at library/std/src/process.rs:2533\n"
         "#3  0x0000562a99bf06d2 in job::main () at src/main.rs:4\n"
         "#4  0x0000562a99bf06d3 in std::panicking::try<i32, fn()> () at panicking.rs:589\n"
         "#5  0x0000562a99bf06d4 in std::panicking::catch_unwind::do_call<i32> () at p.rs:544\n",
         C.EXPLICIT_ABORT, 0.6),
    ],
)  # fmt: skip
def test_what_code_and_operand_prove(
    tmp_path: Path, text: str, category: C | None, confidence: float
) -> None:
    read = read_text(tmp_path, text)
    assert read.category is category
    told = read.verdict if category is not None else None
    assert (told.confidence if told is not None else 0) == confidence


_OUTER_NAMES = """\
Program received signal SIGABRT, Aborted.
(gdb) bt
#0  __GI_raise (sig=sig@entry=6) at ../sysdeps/posix/raise.c:26
#1  0x00007ffff78287f3 in __GI_abort () at ./stdlib/abort.c:79
#2  0x0000555555555e70 in {inner} () at {inner}.cpp:80
#3  0x0000555555556a31 in Config::validate (this=0x7fffffffe0a0) at config.cpp:118
#4  0x0000555555558033 in {outer} at monitor.cpp:40
#5  0x0000555555558511 in main () at main.cpp:22
"""


@pytest.mark.parametrize(
    ("inner", "outer", "category"),
    [
        ("check", "OutOfMemoryMonitor::tick (this=0x55)", C.EXPLICIT_ABORT),
        ("check", "CheckErrorCounters ()", C.EXPLICIT_ABORT),
        ("check", "net::LogMessage::dispatch (this=0x55)", C.EXPLICIT_ABORT),
        ("check", "run_panic_abort_tests ()", C.EXPLICIT_ABORT),
        ("check", "on_oom_handler_registered ()", C.EXPLICIT_ABORT),
        ("handle_alloc_error", "OutOfMemoryMonitor::tick (this=0x55)", C.OUT_OF_MEMORY),
    ],
)
def test_a_name_outside_of_who_gave_up_is_no_reason(
    tmp_path: Path, inner: str, outer: str, category: C
) -> None:
    text = _OUTER_NAMES.format(inner=inner, outer=outer)
    assert read_text(tmp_path, text).category is category
