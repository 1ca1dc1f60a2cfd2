"""Reads ``@heap``: walked heaps, broken headers, and the chunks that hold given addresses."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import AnyFact, Chunk, ChunkShare, Heap, ListFault
from workbench.model.text import counted

_HEX = r"0x[0-9a-f]{1,16}"
_HEAP = re.compile(
    rf"(?:main|arena) heap ({_HEX})-({_HEX}): (\d{{1,8}}) chunks, (-?\d{{1,8}}) in use, "
    r"(\d{1,8}) free in tcache, (\d{1,8}) in fastbins, (\d{1,8}) unsorted, (\d{1,8}) in bins, .*"
)
_BROKEN = re.compile(rf"heap ({_HEX}) is broken at ({_HEX}): (prev_size {_HEX}, size {_HEX}: .*)")
_BEFORE = re.compile(rf"chunk before the broken header: ({_HEX}) size .*")
_OVERRUN = re.compile(rf"overrun: .* runs across the header at ({_HEX})(, which begins .*)?")
_ADDRESS = re.compile(
    rf"address ({_HEX}) \((.*)\): chunk ({_HEX}) size ({_HEX}) in heap ({_HEX}), "
    rf"state ([a-z-]{{1,12}})(?: of thread (\d{{1,10}}))?, offset (-?{_HEX})(?: in its memory)?"
)
_HELD = re.compile(rf"where ({_HEX}) is stored")
_POISON = re.compile(rf"value {_HEX} \(.*\) looks like poison (.*)")
_MOST = re.compile(
    rf"most of heap ({_HEX}): (\d{{1,8}}) chunks of size ({_HEX}) in use, (\d{{1,12}}) of "
    r"(\d{1,12}) bytes"
)
_BEGIN = re.compile(rf"they begin with {_HEX}, as at {_HEX}: the table of class (.{{1,300}})")
_LIST_FAULT = re.compile(r"list fault: (.*)")


class DumpHeap(Settled):
    """The analyzer of ``@heap``."""

    name = "dump-heap"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@heap``."""
        return document.host == "dump" and document.command.split()[:1] == ["@heap"]

    def analyze(self, document: Document) -> Analysis:
        """A `Heap` for each heap and a `Chunk` for each address that lies in one."""
        heaps: list[_Reading] = []
        chunks: list[Chunk] = []
        findings: list[str] = []
        faults: list[ListFault] = []
        poison: str | None = None
        for number, line in document.numbered():
            if (match := _HEAP.fullmatch(line)) is not None:
                heaps.append(_Reading(match, number))
            elif (match := _ADDRESS.fullmatch(line)) is not None:
                chunks.append(_chunk(document, number, match))
            elif (match := _POISON.fullmatch(line)) is not None:
                poison = poison or match[1]
                findings.append(f"{line} [{document.cite(number)}]")
            elif (match := _LIST_FAULT.fullmatch(line)) is not None:
                faults.append(ListFault(line=number, text=match[1]))
                findings.append(f"{line} [{document.cite(number)}]")
            elif heaps and heaps[-1].take(line, number):
                findings.append(f"{line} [{document.cite(number)}]")
        findings += [_said(chunk) for chunk in chunks]
        walked = [heap.fact(document, poison, tuple(faults)) for heap in heaps]
        facts: tuple[AnyFact, ...] = (*walked, *chunks)
        return Analysis(_summary(heaps, chunks), facts, tuple(findings))


class _Reading:
    """One heap's lines."""

    def __init__(self, match: re.Match[str], number: int) -> None:
        self.start, self.end = int(match[1], 16), int(match[2], 16)
        self.chunks, self.in_use = int(match[3]), max(0, int(match[4]))
        self.free = sum(int(match[index]) for index in (5, 6, 7, 8))
        self.first = self.last = number
        self.broken_at: int | None = None
        self.broken: str | None = None
        self.before: int | None = None
        self.overrun = False
        self.most: ChunkShare | None = None

    def take(self, line: str, number: int) -> bool:
        """Take a line that belongs to this heap; True when it says what is broken."""
        match = _BROKEN.fullmatch(line)
        if match is not None and int(match[1], 16) == self.start:
            self.broken_at, self.broken = int(match[2], 16), match[3]
            self.last = number
            return True
        match = _MOST.fullmatch(line)
        if match is not None and int(match[1], 16) == self.start:
            self.most = ChunkShare(
                size=int(match[3], 16),
                count=int(match[2]),
                bytes=int(match[4]),
                total=int(match[5]),
                line=number,
            )
            self.last = number
            return False
        match = _BEGIN.fullmatch(line)
        if match is not None and self.most is not None:
            self.most = replace(self.most, kind=match[1], kind_line=number)
            self.last = number
            return False
        match = _BEFORE.fullmatch(line)
        if match is not None and self.broken_at is not None:
            self.before, self.last = int(match[1], 16), number
            return False
        match = _OVERRUN.fullmatch(line)
        if match is not None and int(match[1], 16) == self.broken_at:
            self.overrun, self.last = match[2] is not None, number
            return True
        return False

    def fact(self, document: Document, poison: str | None, faults: tuple[ListFault, ...]) -> Heap:
        """The fact of its lines."""
        return Heap(
            cite=document.cite(self.first, self.last),
            start=self.start,
            end=self.end,
            chunks=self.chunks,
            in_use=self.in_use,
            free=self.free,
            broken_at=self.broken_at,
            broken=self.broken,
            before=self.before,
            overrun=self.overrun,
            poison=poison,
            list_faults=faults,
            most=self.most,
        )


def _chunk(document: Document, number: int, match: re.Match[str]) -> Chunk:
    held = _HELD.fullmatch(match[2])
    return Chunk(
        cite=document.cite(number),
        address=int(match[1], 16),
        start=int(match[3], 16),
        size=int(match[4], 16),
        state=match[6],
        offset=int(match[8], 16),
        heap=int(match[5], 16),
        thread=int(match[7]) if match[7] is not None else None,
        holds=int(held[1], 16) if held is not None else None,
    )


def _said(chunk: Chunk) -> str:
    where = f"{chunk.address:#x} is inside the chunk at {chunk.start:#x}, which is {chunk.state}"
    return f"{where} [{chunk.cite}]"


def _summary(heaps: list[_Reading], chunks: list[Chunk]) -> str:
    if not heaps:
        return "no heap of glibc was found"
    broken = sum(1 for heap in heaps if heap.broken_at is not None)
    state = f"{broken} broken" if broken else "consistent"
    freed = sum(1 for chunk in chunks if chunk.state in ("tcache", "fastbin", "unsorted", "bin"))
    asked = counted(len(chunks), "address")
    about = f"; {freed} of {asked} inside freed chunks" if chunks else ""
    total = counted(sum(heap.chunks for heap in heaps), "chunk")
    return f"{counted(len(heaps), 'heap')}, {total}, {state}{about}"
