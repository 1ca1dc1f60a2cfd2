"""Reads ``@stack``: the shape of a thread's stack."""

import re

from msgspec import Struct, field

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import AnyFact, Frame, Repeat, Stack, StackShape

_HEX = r"0x[0-9a-f]{1,16}"
_WHERE = rf"(.+?)(?: in (\S.*) at offset ({_HEX}))?"
_THREAD = re.compile(r"thread (\d{1,10})")
_STACK = re.compile(rf"stack ({_HEX})-({_HEX}): \d{{1,20}} bytes, of (the first|a) thread.*")
_POINTER = re.compile(rf"stack pointer ({_HEX}): (\d{{1,20}}) bytes (above|below) .*")
_NO_STACK = re.compile(rf"stack pointer ({_HEX}): .*, in no stack")
_GUARD = re.compile(r"below the stack: (unmapped|no-access|mapped)(?: .*)?")
_OVERFLOW = re.compile(r"stack overflow: .*")
_SMASHED = re.compile(rf"smashed: the return slot {_HEX} holds ({_HEX}), .*")
_ABSENT = re.compile(r"memory of the stack: none of it is in the dump .*")
_RUN = re.compile(r"run: .*")
_RECURSION = re.compile(
    rf"recursion: return address ({_HEX}) stands (\d{{1,12}}) times on the stack"
    rf"(?:, every {_HEX} bytes)?: {_WHERE}"
)
_ENTERED = re.compile(rf"recursion entered: from return address ({_HEX}): {_WHERE}")
_FRAME = re.compile(rf"frame (\d{{1,6}}): ({_HEX})(?: at {_HEX})?: {_WHERE}")
_RETURN = re.compile(
    rf"(left below the stack pointer: )?return address ({_HEX}) at {_HEX}: {_WHERE}"
)


class _Reading(Struct):
    """What the lines said so far."""

    thread: int | None = None
    pointer: int | None = None
    start: int | None = None
    end: int | None = None
    main: bool | None = None
    distance: int | None = None
    guard: str | None = None
    overflowed: bool = False
    absent: bool = False
    smashed: bool = False
    smash_word: int | None = None
    recursion: list[Repeat] = field(default_factory=list)
    entered: Frame | None = None
    scanned: list[Frame] = field(default_factory=list)
    below: list[Frame] = field(default_factory=list)
    unwound: list[Frame] = field(default_factory=list)
    first: int = 0
    last: int = 0
    findings: list[str] = field(default_factory=list)

    def take(self, number: int, line: str) -> bool:
        """Take one line; True when it was understood."""
        if (match := _THREAD.fullmatch(line)) is not None:
            self.thread = int(match[1])
        elif (match := _STACK.fullmatch(line)) is not None:
            self.start, self.end = int(match[1], 16), int(match[2], 16)
            self.main = match[3] == "the first"
        elif (match := _NO_STACK.fullmatch(line)) is not None:
            self.pointer = int(match[1], 16)
        elif (match := _POINTER.fullmatch(line)) is not None:
            self.pointer = int(match[1], 16)
            self.distance = int(match[2]) * (1 if match[3] == "above" else -1)
        elif (match := _GUARD.fullmatch(line)) is not None:
            self.guard = match[1]
        elif _OVERFLOW.fullmatch(line) is not None:
            self.overflowed = True
        elif (match := _SMASHED.fullmatch(line)) is not None:
            self.smashed, self.smash_word = True, int(match[1], 16)
        elif (match := _RECURSION.fullmatch(line)) is not None:
            self.recursion.append(
                Repeat(
                    address=int(match[1], 16),
                    count=int(match[2]),
                    function=_name(match[3]),
                    module=match[4],
                    offset=int(match[5], 16) if match[5] else None,
                    line=number,
                )
            )
        elif (match := _ENTERED.fullmatch(line)) is not None:
            self.entered = _frame(match, 0, "unwound", number)
        elif (match := _FRAME.fullmatch(line)) is not None:
            self._take_frame(match, number)
        elif (match := _RETURN.fullmatch(line)) is not None:
            self._take_return(match, number)
        elif _ABSENT.fullmatch(line) is not None:
            self.absent = True
        else:
            return _RUN.fullmatch(line) is not None
        return True

    def _take_frame(self, match: re.Match[str], number: int) -> None:
        if int(match[1]) == len(self.unwound):
            self.unwound.append(_frame(match, len(self.unwound), "unwound", number, 2))

    def _take_return(self, match: re.Match[str], number: int) -> None:
        frames = self.below if match[1] else self.scanned
        frames.append(_frame(match, len(frames), "scan", number, 2))


def _frame(match: re.Match[str], index: int, trust: str, number: int, at: int = 1) -> Frame:
    """The frame whose address is group ``at``, its place the three groups behind it."""
    address, function, module, offset = match.group(at, at + 1, at + 2, at + 3)
    return Frame(
        index=index,
        function=_name(function),
        module=module,
        offset=int(offset, 16) if offset else None,
        address=int(address, 16),
        trust=trust,
        line_no=number,
    )


class DumpStack(Settled):
    """The analyzer of ``@stack``."""

    name = "dump-stack"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@stack``."""
        return document.host == "dump" and document.command.split()[:1] == ["@stack"]

    def analyze(self, document: Document) -> Analysis:
        """One `StackShape` when the thread and its stack pointer are there, and a `Stack` where
        frame pointers led to callers."""
        reading = _Reading()
        for number, line in document.numbered():
            if reading.take(number, line):
                reading.first, reading.last = reading.first or number, number
                if line.startswith(("stack overflow:", "smashed:", "run:", "recursion:")):
                    reading.findings.append(f"{line} [{document.cite(number)}]")
        if reading.thread is None or reading.pointer is None:
            return Analysis("no stack was read")
        shape = StackShape(
            cite=document.cite(reading.first, reading.last),
            thread=reading.thread,
            pointer=reading.pointer,
            start=reading.start,
            end=reading.end,
            main=reading.main,
            guard_distance=reading.distance,
            guard=reading.guard,
            overflowed=reading.overflowed,
            smashed=reading.smashed,
            smash_word=reading.smash_word,
            recursion=tuple(reading.recursion),
            entered=reading.entered,
            scanned=tuple(reading.scanned),
            below=tuple(reading.below),
        )
        facts: tuple[AnyFact, ...] = (shape,)
        if reading.unwound:
            frames = tuple(reading.unwound)
            lines = document.cite(frames[0].line_no, frames[-1].line_no)
            facts += (Stack(cite=lines, number=None, thread=shape.thread, name=None, frames=frames,
                            complete=False),)  # fmt: skip
        return Analysis(_summary(shape, reading.absent), facts, tuple(reading.findings))


def _name(text: str) -> str | None:
    return None if text == "no symbol" else text


def _summary(shape: StackShape, absent: bool) -> str:
    words = [f"stack of thread {shape.thread}"]
    if shape.overflowed:
        words.append("overflowed")
    if shape.smashed:
        words.append("a return slot is overwritten")
    if shape.recursion:
        top = shape.recursion[0]
        words.append(f"{top.function or hex(top.address)} returns {top.count} times")
    other = "its memory is not in the dump" if absent else "nothing unusual"
    return ": ".join([words[0], "; ".join(words[1:]) or other])
