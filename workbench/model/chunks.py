"""A large output in pieces: what each says of threads, waits and exceptions."""

import re
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


_INNER = str.maketrans("“”", '""')


def in_its_words(text: str) -> str:
    """A model's own words, wherever they are kept beside what code found: in quotation marks that
    they cannot close."""
    return f"the model: “{text.translate(_INNER)}”"


class OverallFindings(Struct, frozen=True, kw_only=True):
    """What all pieces say together. ``root_cause`` is None where nobody has said it."""

    summary: str
    root_cause: str | None = None


def pieces_of(blocks: Iterable[str], size: int) -> Iterator[tuple[int, list[str]]]:
    """A text, given in blocks, in pieces of about ``size`` characters that end at line ends and in
    no thread's stack: the number of the first line, from 1, and the lines. A stack goes on to an
    empty line or to the next thread; one of more than `LONGEST` characters is cut all the same. A
    longer line is a piece of its own, of which the first `LONGEST` characters count."""
    first, length = 1, 0
    held: list[str] = []
    stack: int | None = None  # where the thread begins whose stack goes on
    for line in _lines(blocks):
        begins = is_thread(line)
        if held and length + len(line) > size:
            # Within a stack the piece ends in front of it; one that fills a piece is kept whole.
            cut = len(held) if begins or stack is None or length > LONGEST else stack
            if cut:
                yield first, held[:cut]
                first, held = first + cut, held[cut:]
                length = sum(map(len, held)) + len(held)
                stack = None if not held else 0
        if begins:
            stack = len(held)
        elif not line.strip():
            stack = None
        held.append(line)
        length += len(line) + 1
    if held:
        yield first, held


def _lines(blocks: Iterable[str]) -> Iterator[str]:
    rest = ""
    for block in blocks:
        lines = (rest + block).split("\n")
        rest = lines.pop()[:LONGEST]
        yield from lines
    if rest:
        yield rest


# The line above what a thread does: gdb, lldb, WinDbg, SOS, Java, Go, Python, Linux's own.
THREAD = re.compile(
    r"^\s{0,4}(?:\* )?\s?(?:"
    r"Thread (?P<gdb>\d{1,9}(?:\.\d{1,9})?) \(|thread #(?P<lldb>\d{1,9})\b"
    r"|\.?\s*(?P<windbg>\d{1,6})\s+Id: [0-9a-f]+\.[0-9a-f]+ |OS Thread Id: (?P<sos>0x[0-9a-f]+)\b"
    r'|"(?P<java>[^"]{1,120})" #\d+ |goroutine (?P<go>\d{1,9}) \['
    r"|(?:Current t|T)hread (?P<python>0x[0-9a-f]+) |PID: (?P<kernel>\d{1,9}) )"
)
_OF_THREADS = ("hread", "goroutine ", " Id: ", '" #', "PID: ")  # one of them stands in each


def is_thread(line: str) -> bool:
    """True for a line above a thread's stack."""
    return any(word in line for word in _OF_THREADS) and THREAD.match(line) is not None
