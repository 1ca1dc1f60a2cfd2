"""Where no debugger lists frames, the function at the fault's pc leads, not its caller."""

from analyzers.base import Document
from analyzers.patterns.case import Case
from analyzers.registry import analyze
from workbench.agents.report.threads import sound_frames
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Frame, Memory, Region, Signal, Stack

CODE, LIBC, SP = 0x400000, 0x7F0000000000, 0x7FFF0000


def _code(start: int, path: str) -> Region:
    return Region(start=start, end=start + 0x4000, perms="r-x", path=path, offset=0, kind="file",
                  thread=None, dumped=True)  # fmt: skip


MAPPED = Memory(
    cite=Citation("E9", 1, 2), regions=(_code(CODE, "/srv/app"), _code(LIBC, "/lib/libc.so.6"))
)
ENDED = Signal(cite=Citation("E8", 1, 1), thread=7, number=11, name="SIGSEGV", code=1,
               code_name=None, fault_address=0x18, sender_pid=None, sender_uid=None)  # fmt: skip
SCANNED = f"""\
thread 7
stack 0x7ffe0000-0x80000000: 131072 bytes, of the first thread
stack pointer {SP:#x}: 65536 bytes above the stack's lowest mapped address
return address {CODE + 0x2E5:#x} at {SP + 8:#x}: caller in app at offset 0x2e5
"""


def book(pc: str) -> FactBook:
    """The facts of a dump that no debugger read."""
    facts = FactBook()
    facts.add((MAPPED, ENDED))
    said = f"thread 7\npc {pc}\ninstruction mov rax, qword ptr [rax + 0x18]\n"
    for name, text in (("@fault", said), ("@stack", SCANNED)):
        facts.add(analyze(Document(name.upper(), name, "dump", text)).facts)
    return facts


def test_the_function_at_pc_comes_before_its_caller() -> None:
    case = Case(book(f"{CODE + 0x242:#x}: file app r-x, price(int, char*)+0x24"))
    assert case.frame is not None
    assert (case.frame.function, case.frame.address) == ("price(int, char*)", CODE + 0x242)
    assert case.cite(case.frame) == (Citation("@FAULT", 2, 2),)


def test_a_library_at_pc_leaves_the_caller_first() -> None:
    case = Case(book(f"{LIBC + 0x10:#x}: file libc.so.6 r-x, strlen+0x10"))
    assert case.frame is not None
    assert case.frame.function == "caller"


def test_a_pc_in_no_code_is_no_frame() -> None:
    case = Case(book(f"{SP + 0x40:#x}: stack of thread 7 rw-"))
    assert case.running is None
    assert case.frame is not None
    assert case.frame.function == "caller"


def test_what_the_debugger_lists_comes_first() -> None:
    facts = book(f"{CODE + 0x242:#x}: file app r-x, outer+0x24")
    inlined = Frame(index=0, function="inner", file="a.c", line=3, inlined=True, line_no=1)
    facts.add([Stack(cite=Citation("E7", 1, 1), number=1, thread=7, name=None, frames=(inlined,))])
    case = Case(facts)
    assert case.frame is not None
    assert case.frame.function == "inner"


def test_a_debuggers_guesses_are_no_frames() -> None:
    facts = book(f"{CODE + 0x242:#x}: file app r-x, price+0x24")
    listed = (CODE + 0x242, 0x1, SP, CODE + 0x300, 0x0)
    frames = tuple(Frame(index=i, address=at, trust="unwound") for i, at in enumerate(listed))
    kept = sound_frames(facts, Stack(cite=Citation("E7", 1, 5), number=1, thread=7, name=None,
                                     frames=frames))  # fmt: skip
    assert [(frame.index, frame.address, frame.trust) for frame in kept] == [
        (0, CODE + 0x242, "unwound"),
        (3, CODE + 0x300, "scan"),
    ]


def test_where_control_went_stays_on_the_stack() -> None:
    facts = book(f"{CODE + 0x242:#x}: file app r-x, price+0x24")
    frames = (Frame(index=0, address=0), Frame(index=1, function="caller", address=CODE + 0x2E5))
    stack = Stack(cite=Citation("E7", 1, 2), number=1, thread=7, name=None, frames=frames)
    assert sound_frames(facts, stack) == frames
