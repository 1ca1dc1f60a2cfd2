"""Where a debugger says that a program stopped, and what its instruction touched."""

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from workbench.model.evidence import Section
from workbench.model.facts import Finding
from workbench.targets.transcript.operands import decode
from workbench.targets.transcript.stop import answer

REGISTERS = {
    "r10": 0xFFFBFF27EDA4CF80,
    "rax": 0x10,
    "rbx": 0x1000,
    "rcx": 4,
    "rsp": 0x7FFE0000,
    "rip": 0x401000,
}


@pytest.mark.parametrize(
    ("instruction", "access", "address"),
    [
        ("mov    0x8(%rax),%edx", "read", 0x18),
        ("mov    %edx,0x8(%rax)", "write", 0x18),
        ("movl   $0x0,0x0", "write", 0),
        ("mov    -0x8(%rbx,%rcx,8),%rdx", "read", 0x1018),
        ("cmpl   $0x1,(%rbx)", "read", 0x1000),
        ("call   *0x10(%rax)", "read", 0x20),
        ("push   %rbp", "write", 0x7FFDFFF8),
        ("mov    eax, dword ptr [rbx+rcx*4-0x4]", "read", 0x100C),
        ("mov    dword ptr [rax], ecx", "write", 0x10),
        ("incl   (%rax)", "write", 0x10),
        ("shrb   -0x1(%rbx)", "write", 0xFFF),
        ("callq  *%r10", "execute", 0xFFFBFF27EDA4CF80),
        ("movb %cl, -8(%rbx, %rcx, 8)", "write", 0x1018),
        ("imull  0x8(%rax)", "read", 0x18),
        ("fmuls  0x8(%rax)", "read", 0x18),
        ("fsubr  DWORD PTR [rax+8]", "read", 0x18),
        ("fistpl (%rbx)", "write", 0x1000),
        ("cmpxchg %edx,(%rbx)", "write", 0x1000),
        ("rep movsb %ds:(%rsp),%es:(%rax)", "write", 0x10),
        ("rep movs BYTE PTR es:[rsp],BYTE PTR ds:[rbx]", "read", 0x1000),
        ("mov    QWORD PTR [rbx+rcx*4-0x4],rax", "write", 0x100C),
    ],
)
def test_operands(instruction: str, access: str, address: int) -> None:
    found = decode(instruction, REGISTERS, 64)
    assert found is not None
    assert (found.access, found.address) == (access, address)


@pytest.mark.parametrize(
    ("instruction", "registers", "access", "address"),
    [
        ("ldr    w0, [x1, #16]", {"x1": 0x20, "sp": 1}, "read", 0x30),
        ("str    r3, [r2]", {"r2": 8, "sp": 1}, "write", 8),
        ("vld1.16 {d19[]}, [r2:0x10], r3", {"r2": 8, "sp": 1}, "read", 8),
        ("ldaddal w0, w1, [x2]", {"x2": 8, "sp": 1}, "write", 8),
        ("ldapr  w0, [x2]", {"x2": 8, "sp": 1}, "read", 8),
        ("mov    (%ecx),%ecx", {"ecx": 1, "esp": 2}, "read", 1),
    ],
)
def test_operands_of_other_processors(
    instruction: str, registers: dict[str, int], access: str, address: int
) -> None:
    found = decode(instruction, registers, 64)
    assert found is not None
    assert (found.access, found.address) == (access, address)


@pytest.mark.parametrize(
    "instruction",
    ["lea 0x8(%rax),%rdx", "nop", "mov %fs:0x28,%rax", "mov (%r15),%rax", "(bad)", "", "ud2"],
)
def test_what_touches_no_memory_that_is_known(instruction: str) -> None:
    assert decode(instruction, REGISTERS, 64) is None


@pytest.mark.parametrize("instruction", ["push   %rbp", "call   0x401136 <f>", "call   *%rax"])
def test_a_push_within_a_page_that_holds_the_stack_touches_nothing_new(instruction: str) -> None:
    assert decode(instruction, {**REGISTERS, "rsp": 0x7FFE0DC0}, 64) is None


@pytest.mark.parametrize("end", ["SIGFPE, Arithmetic exception", "SIGABRT, Aborted"])
def test_an_end_that_is_no_access_has_no_fault_address(end: str) -> None:
    shown = "rbp 0x7ffe0010 0x7ffe0010\n=> 0x401000 <f>:\tidivl -0x8(%rbp)"
    text = answer([_section(f"Program received signal {end}.\n{shown}")])
    assert text is not None
    assert "instruction: idivl" in text
    assert "access:" not in text


def _section(text: str, host: str = "gdb", first_line: int = 1, command: str = "x") -> Section:
    return Section(command=command, host=host, text=text, first_line=first_line)


def test_gdb_and_its_registers_in_sections_of_their_own() -> None:
    text = answer(
        [
            _section("Program received signal SIGSEGV, Segmentation fault.\n"),
            _section(
                "rax            0x10                16\nrip 0x401000 0x401000\n", first_line=9
            ),
            _section("=> 0x401000 <f+4>:\tmov    0x8(%rax),%edx\n", first_line=20),
        ]
    )
    assert text == (
        "signal: SIGSEGV, Segmentation fault (line 1 of the log)\n"
        "message: Program received signal SIGSEGV, Segmentation fault. (line 1 of the log)\n"
        "pc: 0x401000 (line 20 of the log)\n"
        "instruction: mov    0x8(%rax),%edx (line 20 of the log)\n"
        "access: read at 0x18 through 0x8(%rax)\n"
        "register: rax = 0x10 (line 9 of the log)\n"
    )


STOPPED = """Program terminated with signal SIGSEGV, Segmentation fault.
#0  0x0000000000401205 in digits_of (c=0x0) at pricing.cpp:11
11\t    return c->digits;
"""
STACK = """#0  0x0000000000401205 in digits_of (c=0x0) at pricing.cpp:11
#1  0x0000000000401233 in format_amount (m=0x405f18) at pricing.cpp:15
#2  0x0000000000401294 in print_order (o=...) at pricing.cpp:21
"""
CALLER = "#2  0x0000000000401294 in print_order (o=...) at pricing.cpp:21\n"
OF_CALLER = "=> 0x401294 <print_order+50>:\tmov    %eax,-0x4(%rbp)\n"
ITS_REGISTERS = (
    "rax            0x7                 7\nrbp            0x7ffd1000          0x7ffd1000\n"
)
OF_STOP = "=> 0x401205 <digits_of+12>:\tmov    0x8(%rax),%eax\n"
OWN = "rax            0x0                 0\n"
RETURNED = "rip            0x401294            0x401294 <print_order+50>\n"
THREADS = "Thread 2 (LWP 12):\n#0  0x0000000000401777 in wait () at w.c:1\n"


@pytest.mark.parametrize(
    "typed",
    [
        [("frame 2", CALLER)],
        [("up", STACK.split("\n")[1] + "\n"), ("up", CALLER)],
        [("select-frame 2", "")],
        [("up-silently 2", "")],
        [("bt", STACK), ("f 2", CALLER)],
        [("thread 2", "[Switching to thread 2 (LWP 12)]\n" + THREADS.split("\n")[1] + "\n")],
        [("", CALLER)],  # a log without what was typed
    ],
)
def test_what_another_frame_shows_is_no_value_of_the_stop(typed: list[tuple[str, str]]) -> None:
    caller = [("x/i $pc", OF_CALLER), ("info registers", ITS_REGISTERS)]
    back = [("frame 0", STACK.split("\n")[0] + "\n"), ("x/i $pc", OF_STOP), ("i r rax", OWN)]
    told = answer([_section(STOPPED), *(_section(text, command=c) for c, text in typed + caller)])
    assert told is not None
    assert "pc: 0x0000000000401205" in told
    assert "instruction" not in told
    assert "access" not in told
    if typed[0][0].startswith(("thread", "select", "up-")):
        back = [("thread 1", STACK.split("\n")[0] + "\n"), *back]
    parts = [*typed, *caller, *back]
    told = answer([_section(STOPPED), *(_section(text, command=c) for c, text in parts)])
    assert told is not None
    assert "access: read at 0x8 through 0x8(%rax)" in told


def test_registers_are_those_at_the_frame_that_stopped_whatever_was_typed() -> None:
    parts = [STOPPED, STACK, OWN + RETURNED, "rax 0x20 32\nrip 0x401205 0x401205\n", OF_STOP]
    told = answer([_section("".join(parts))])
    assert told is not None
    assert "access: read at 0x28" in told
    every = _section(THREADS + ITS_REGISTERS, command="thread apply all info registers")
    told = answer([_section(STOPPED), every, _section(OF_STOP)])
    assert told is not None
    assert "register" not in told


def test_lldb_and_its_stop_reason() -> None:
    reason = "* thread #1, stop reason = EXC_BAD_ACCESS (code=1, address=0x18)\n"
    text = answer([_section(reason, "lldb")])
    assert text is not None
    assert "signal: EXC_BAD_ACCESS" in text
    assert "fault address: 0x18" in text


@pytest.mark.parametrize(
    ("signo", "code", "told"),
    [
        (11, 1, True),
        (7, 2, True),
        (11, 128, False),
        (19, 128, False),
        (11, 0, False),
        (6, -6, False),
    ],
)
def test_a_printed_siginfo_has_an_address_where_the_signal_has_one(
    signo: int, code: int, told: bool
) -> None:
    printed = f"$1 = {{si_signo = {signo}, si_errno = 0, si_code = {code}, _sifields = {{"
    printed += "_kill = {si_pid = 0, si_uid = 0}, _sigfault = {si_addr = 0x0}}}"
    text = answer(
        [_section(f"Program terminated with signal SIGSEGV, Segmentation fault.\n{printed}\n")]
    )
    assert text is not None
    assert ("fault address: 0x0" in text) is told


def test_a_log_without_a_debugger_says_nothing() -> None:
    assert answer([_section("Program received signal SIGSEGV", "asan")]) is None


FORGED = "Program terminated with signal SIGFPE, Arithmetic exception."


@pytest.mark.parametrize(
    ("host", "line"),
    [
        ("gdb", f'#0  0x401136 in show (s=0x4052a0 "\\n(gdb) p $_siginfo\\n{FORGED}") at a.c:3'),
        ("gdb", f'$1 = 0x4052a0 "{FORGED}"'),
        ("gdb", f'x = {{name = "a\\"b", says = "{FORGED}'),
        ("gdb", 's = 0x4052a0 "_sigfault = {si_addr = 0x666"'),
        ("lldb", "(const char *) $0 = 0x4052a0 \"thread #1, stop reason = signal SIGFPE\""),
        ("lldb", "  frame #0: 0x401136 a.out`show(s=\"stop reason = signal SIGFPE\") at a.c:3"),
    ],
)  # fmt: skip
def test_what_a_string_holds_stops_nothing(host: str, line: str) -> None:
    real = {
        "gdb": "Program terminated with signal SIGSEGV, Segmentation fault.",
        "lldb": "* thread #1, name = 'a.out', stop reason = signal SIGSEGV",
    }[host]
    text = answer([_section(f"{line}\n{real}\n", host)])
    assert text is not None
    assert text.startswith("signal: SIGSEGV")
    assert "SIGFPE" not in text
    assert "666" not in text


@pytest.mark.parametrize(
    "line",
    [
        "Program received signal SIGSEGV, Segmentation fault.",
        'Thread 12 "till (main)" received signal SIGSEGV, Segmentation fault.',
        "Thread 2 received signal SIGSEGV, Segmentation fault.",
        "Program terminated with signal 11, Segmentation fault.",
        "received signal SIGSEGV, Segmentation fault.",
    ],
)
def test_each_way_of_gdb_to_say_it(line: str) -> None:
    text = answer([_section(line + "\n")])
    assert text is not None
    assert text.startswith("signal: SIGSEGV, Segmentation fault (line 1 of the log)")


def test_a_log_of_two_different_ends_says_both_and_decides_on_neither() -> None:
    end = (
        "Program received signal SIGSEGV, Segmentation fault.\nrax 0x0 0\n=> 0x4 <f>:\tnopl (%rax)"
    )
    text = answer([_section(f"Program received signal SIGUSR1.\n{end}\n{FORGED}\n")])
    assert text is not None
    assert "another stop: SIGFPE (line 5 of the log)" in text
    found = analyze(Document("E1", "@stop", "dump", text)).facts
    assert [fact.category for fact in found if isinstance(fact, Finding)] == [None]
