"""The analyzers of our own reader's answers: any text gives facts or none, never an error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.dump.runtimes import split_types
from analyzers.registry import analyze
from tests.soak import examples
from workbench.model.facts import Argument, Chunk, Fault, Heap, LockCycle, StackShape, Wait

COMMANDS = ("@fault", "@heap", "@locks", "@abort", "@exception", "@stack", "@call")

LINES = (
    "thread 12",
    "pc 0x401000: file prog r-x, main+0x10",
    "stack pointer 0x7ffe0000: stack of thread 12 rw-",
    "instruction mov eax, dword ptr [rax + 8]",
    "operand [rax + 0x8] = 0x8: read of 4 bytes, near null, unmapped",
    "access read at 0x8 through [rax + 0x8]",
    "base register rax = 0x0: near null, unmapped",
    "origin 1: rax was loaded with 0x0 from 0x7ffe10 (stack of thread 12 rw-) by mov rax, q at 0x4",
    "transfer call: the return address 0x4 at 0x7 lies behind call rax at 0x2 (file prog r-x)",
    "main heap 0x1000-0x9000: 6 chunks, 3 in use, 2 free in tcache, 0 in fastbins, 1 unsorted, "
    "0 in bins, top 0x2000",
    "heap 0x1000 is broken at 0x1290: prev_size 0x41, size 0x4141: size 0x4140 reaches beyond",
    "chunk before the broken header: 0x1250 size 0x40, in-use, memory from 0x1260",
    "overrun: the bytes 41, repeated, from 0x1260 to 0x1300 runs across the header at 0x1290, "
    "which begins in the memory of chunk 0x1250",
    "address 0x1260 (cell of origin 1): chunk 0x1250 size 0x40 in heap 0x1000, state tcache of "
    "thread 12, offset 0x0 in its memory",
    "thread 12: waits for mutex 0x404060 in futex; owner 13 (a thread of this process); lock 0x2",
    "thread 13: running, in no system call",
    "thread 14: io in read; file descriptor 3",
    "cycle: thread 12 waits for mutex 0x404060 held by thread 12 (itself)",
    "abort message at 0x7f0000: free(): invalid pointer",
    "exception object 0x5000: type std::map<int, char> (mangled St3mapIicE), uncaught, handler "
    "count 1, thread 12",
    "exception object 0x5000 derives from: a<b, c>, d",
    "exception object 0x5000 message: gone",
    "stack 0x7000-0x9000: 8192 bytes, of the first thread",
    "stack pointer 0x6ff0: 16 bytes below the stack's lowest mapped address",
    "stack overflow: the access at 0x6fe8 lies 24 bytes below",
    "recursion: return address 0x401010 stands 900 times on the stack, every 0x30 bytes: f in prog "
    "at offset 0x1010",
    "call at 0x401000: call 0x401100 to free, in main+0x3",
    "argument rdi = 0x7ffe10: stack of thread 12 rw-",
)


@settings(max_examples=examples(150), deadline=None)
@given(
    st.sampled_from(COMMANDS),
    st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=40)), max_size=30),
    st.randoms(use_true_random=False),
)
def test_any_text(command: str, lines: list[str], random: object) -> None:
    text = "\n".join(lines)
    analysis = analyze(Document("E1", command, "dump", text))
    last = text.count("\n") + 1
    for fact in analysis.facts:
        assert 1 <= fact.cite.first <= fact.cite.last <= last
    assert "\n" not in analysis.summary


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(COMMANDS), st.sampled_from(LINES), st.data())
def test_lines_with_a_byte_changed(command: str, line: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line) - 1))
    letter = data.draw(st.characters())
    analyze(
        Document("E1", command, "dump", "\n".join((*LINES, line[:at] + letter + line[at + 1 :])))
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_facts_of_the_known_lines(command: str) -> None:
    facts = analyze(Document("E1", command, "dump", "\n".join(LINES))).facts
    assert facts
    kinds = {type(fact) for fact in facts}
    wanted = {
        "@fault": {Fault},
        "@heap": {Heap, Chunk},
        "@locks": {Wait, LockCycle},
        "@stack": {StackShape},
    }
    assert kinds == wanted.get(command, kinds)


def test_citations_are_the_lines_themselves() -> None:
    text = "\n".join(LINES)
    by_kind = {type(f): f for f in analyze(Document("E1", "@heap", "dump", text)).facts}
    lines = text.split("\n")
    chunk, heap = by_kind[Chunk], by_kind[Heap]
    assert lines[chunk.cite.first - 1].startswith("address 0x1260")
    assert lines[heap.cite.first - 1].startswith("main heap")
    assert lines[heap.cite.last - 1].startswith("overrun:")


def test_types_are_split_at_their_commas_only() -> None:
    assert split_types("a<b, c>, d") == ["a<b, c>", "d"]


@pytest.mark.parametrize(
    ("to", "function"),
    [("0x401100", None), ("qword ptr [rip + 0x2fd2]", None), ("qword ptr [rax + 0x10]", ...),
     ("r13", ...)],
)  # fmt: skip
def test_what_an_object_leads_a_call_to_is_not_free_because_it_has_no_name(
    to: str, function: object
) -> None:
    text = f"call at 0x401000: call {to} to an unnamed function\nargument rdi = 0x7ffe10: heap rw-"
    (fact,) = analyze(Document("E1", "@call pc=0x1", "dump", text)).facts
    assert isinstance(fact, Argument)
    assert fact.function == (f"call {to}" if function else None)
