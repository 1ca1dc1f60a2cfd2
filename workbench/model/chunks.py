"""A large output in pieces: what each says of threads, waits and exceptions."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

LONGEST = 1 << 20


class BlockingOperation(Struct, frozen=True):
    """A call that waits, and the thread in it as the output names it (None: no thread's line
    stands above)."""

    thread_id: str | None
    operation: str


class ThreadState(Struct, frozen=True):
    """What the output says that a thread does."""

    thread_id: str | None
    state: str


class ChunkAnalysis(Struct, frozen=True, kw_only=True):
    """What one piece says, ``summary`` in one line; each list without repetitions."""

    summary: str
    blocking_operations: tuple[BlockingOperation, ...] = ()
    thread_states: tuple[ThreadState, ...] = ()
    exceptions: tuple[str, ...] = ()


class TextChunk(Struct, frozen=True, kw_only=True):
    """Lines ``first`` to ``last`` of an evidence item, from 1, with their analysis."""

    first: int
    last: int
    analysis: ChunkAnalysis


class OverallFindings(Struct, frozen=True, kw_only=True):
    """What all pieces say together. ``root_cause`` is None where nobody has said it."""

    summary: str
    root_cause: str | None = None


def pieces_of(blocks: Iterable[str], size: int) -> Iterator[tuple[int, list[str]]]:
    """A text, given in blocks, in pieces of about ``size`` characters that end at line ends: the
    number of the first line, from 1, and the lines. A longer line is a piece of its own, of which
    the first `LONGEST` characters count."""
    first, length = 1, 0
    held: list[str] = []
    rest = ""
    for block in blocks:
        lines = (rest + block).split("\n")
        rest = lines.pop()[:LONGEST]
        for line in lines:
            if held and length + len(line) > size:
                yield first, held
                first, held, length = first + len(held), [], 0
            held.append(line)
            length += len(line) + 1
    if rest:
        held.append(rest)
    if held:
        yield first, held
