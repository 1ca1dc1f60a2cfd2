"""The stacks of one output of any debugger, of one thread or of ten thousand.

Every stack becomes a `Stack`, as long as they are few; of a great many the first of each kind do,
and `StackGroups` tells which threads share one. A line is only taken apart when its stack is kept,
so that time is one quick look at each line, and memory is bounded whatever the output's length.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from analyzers.base import Document
from workbench.model.facts import AnyFact, Frame, Stack, StackGroup, StackGroups

MOST_FRAMES = 20_000
"""Frames of one output that are kept; those of stacks unlike all before have as many again."""
MAX_LINE = 32_768
"""Longer lines are cut before any pattern looks at them."""
MOST_FOLDS = 16
"""Lines that a folded frame takes at most."""
_MOST_TEXT = 4 << 20  # of one thread's listing, which is more than its frames that are kept
_MOST_GROUPS = 10_000
_MOST_THREADS = 200_000
_REMEMBERED = 32_768
_SHORT = 512


class Header(NamedTuple):
    """The line above a thread's stack: the debugger's number, the TID, the thread's name, and the
    numbers of ``others`` that the same stack is shown for."""

    number: int
    thread: int | None
    name: str | None
    current: bool = False
    others: tuple[int, ...] = ()


def _nothing(_: object) -> str:
    return ""


def _none(_line: str, _behind: list[str]) -> int:
    return 0


class Words(Struct, frozen=True):
    """How a debugger writes stacks.

    ``opens`` matches the line end before a thread's header. ``alike`` is what a frame's line has in
    common with those of other threads in the same place of the code (None: it is no frame's line);
    it is asked of every line and must be quick. ``remark`` tells what another line says of the
    stack above: ``cut``, ``broken`` or nothing. ``settle`` mends what a frame's line can only tell
    together with its neighbours. ``folds`` tells how many of the lines behind a frame's go on with
    it: a debugger folds what is wider than its terminal.
    """

    opens: re.Pattern[str]
    header: Callable[[str], Header | None]
    frame: Callable[[str, int], Frame | None]
    alike: Callable[[str], object]
    remark: Callable[[str], str] = _nothing
    settle: Callable[[list[Frame]], object] = _nothing
    folds: Callable[[str, list[str]], int] = _none


class Gathered(Struct):
    """What was read: the stacks that are kept, how many there are in all, and who shares one."""

    stacks: list[Stack]
    groups: StackGroups | None
    total: int

    @property
    def facts(self) -> tuple[AnyFact, ...]:
        """All of it."""
        return (*self.stacks, *((self.groups,) if self.groups is not None else ()))

    @property
    def summary(self) -> str:
        """One line."""
        if not self.stacks:
            return "No stack"
        if self.total > 1:
            kinds = len(self.groups.items) if self.groups is not None else self.total
            alike = f", {kinds:,} different" if kinds < self.total else ""
            return f"Stacks of {self.total:,} threads{alike}"
        stack = self.stacks[0]
        depth = f"{len(stack.frames)} frame" + ("" if len(stack.frames) == 1 else "s")
        ending = ", broken" if stack.corrupt else "" if stack.complete else ", cut"
        return f"{depth} from {_top(stack)}{ending}"

    @property
    def findings(self) -> tuple[str, ...]:
        """What stands out, each with its lines."""
        shown = {stack.cite.first: stack for stack in self.stacks}
        groups = self.groups.items if self.groups is not None else ()
        found = [
            f"{group.count:,} threads have equal stacks, from {_top(shown[group.line])} "
            f"[{shown[group.line].cite}]"
            for group in sorted(groups, key=lambda group: -group.count)[:5]
            if group.count > 2 and group.line in shown
        ]
        for stack in self.stacks:
            if stack.corrupt:
                found.append(f"Unwinding stopped early [{stack.cite}]")
            if any(frame.signal_handler for frame in stack.frames):
                found.append(f"The stack runs through a signal handler [{stack.cite}]")
        return tuple(found[:20])


def _top(stack: Stack) -> str:
    return (stack.frames[0].function or "??")[:80]


def gather(
    document: Document, words: Words, *, limit: int | None = None, current: bool = True
) -> Gathered:
    """Read all of a document. ``limit`` is how many frames of a thread were asked for where the
    debugger does not say that it stopped there; ``current`` is False when the command selected
    another thread for itself."""
    reading = _Reading(document, words, limit, current)
    number = 1
    for lines, count in _parts(document, words.opens):
        reading.take(number, lines, cut=count > len(lines))
        number += count
    return reading.done(number - 1)


def _parts(document: Document, opens: re.Pattern[str]) -> Iterator[tuple[list[str], int]]:
    """The lines from one header to the next, and how many there are (of a huge listing only the
    first are given)."""
    held = _Held()
    ended = True
    for block in document.blocks():
        pieces = opens.split("\n" + block if ended else block)
        for place, piece in enumerate(pieces):
            if place and held:
                yield held.lines()
                held = _Held()
            if not place and ended:
                if not piece:
                    continue  # the block begins with a header
                piece = piece[1:]
            held.add(piece + "\n" if place < len(pieces) - 1 else piece)
        ended = block.endswith("\n")
    if held:
        yield held.lines()


class _Held:
    """The text of one listing, and how many lines of it were too many."""

    def __init__(self) -> None:
        self._text = ""
        self._dropped = 0
        self._full = False

    def __bool__(self) -> bool:
        return bool(self._text) or self._full

    def add(self, text: str) -> None:
        room = _MOST_TEXT - len(self._text)
        if self._full or len(text) > room:
            cut = 0 if self._full else text.rfind("\n", 0, max(0, room)) + 1
            self._dropped += text.count("\n", cut)
            self._full = True
            text = text[:cut]
        self._text += text

    def lines(self) -> tuple[list[str], int]:
        lines = self._text.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines, len(lines) + self._dropped


class _Open(Struct):
    first: int
    header: Header | None
    current: bool
    frames: list[Frame] = field(default_factory=list)
    last: int = 0
    complete: bool = True
    corrupt: bool = False


class _Group(NamedTuple):
    line: int
    threads: list[int]
    numbers: list[int]


class _Reading:
    def __init__(self, document: Document, words: Words, limit: int | None, current: bool) -> None:
        self._document = document
        self._words = words
        self._limit = limit
        self._current = current
        self._stacks: list[Stack] = []
        self._groups: dict[int, _Group] = {}
        self._known: dict[str, int] = {}
        self._frames = 0
        self._total = 0
        self._listed = 0
        self._span = (0, 0)

    def take(self, number: int, lines: list[str], cut: bool) -> None:
        """One thread's listing, or what stands before the first header."""
        header = self._words.header(lines[0]) if lines else None
        new = True
        if header is not None:
            kind = self._kind(lines)
            if kind is None:
                return
            new = kind not in self._groups
            self._add(kind, header, number, len(lines))
        room = (2 * MOST_FRAMES if new else MOST_FRAMES) - self._frames
        if room > 0:
            self._keep(number, lines, header, min(room, MOST_FRAMES), cut)

    def _kind(self, lines: list[str]) -> int | None:
        """The same number for all stacks that lie in the same places of the code."""
        known = self._known.get
        look = self._look
        found = [known(line) or look(line) for line in lines]
        frames = tuple([alike for alike in found if alike != _NO_FRAME])
        return hash(frames) if frames else None

    def _look(self, line: str) -> int:
        alike = self._words.alike(line)
        found = hash(alike) if alike is not None else _NO_FRAME
        if len(line) < _SHORT:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[line] = found
        return found

    def _add(self, kind: int, header: Header, number: int, lines: int) -> None:
        self._total += 1 + len(header.others)
        self._span = (self._span[0] or number, number + lines - 1)
        group = self._groups.get(kind)
        if group is None:
            if len(self._groups) >= _MOST_GROUPS:
                return
            group = self._groups[kind] = _Group(number, [], [])
        if self._listed < _MOST_THREADS:
            self._listed += 1 + len(header.others)
            group.numbers.extend((header.number, *header.others))
            if header.thread is not None:
                group.threads.append(header.thread)

    def _keep(
        self, number: int, lines: list[str], header: Header | None, room: int, cut: bool
    ) -> None:
        most = self._frames + room
        now = self._open(number, header) if header is not None else None
        for at, whole in enumerate(lines, number):
            line = whole[:MAX_LINE].rstrip("\r")
            frame = self._words.frame(line, at)
            if frame is None:
                remark = self._words.remark(line) if now is not None else ""
                if remark and now is not None:
                    now.last = at
                    now.complete = now.complete and remark != "cut"
                    now.corrupt = now.corrupt or remark == "broken"
                continue
            folds = self._words.folds(line, lines[at - number + 1 : at - number + 1 + MOST_FOLDS])
            if folds:
                line = " ".join([line, *(one.strip() for one in lines[at - number + 1 :][:folds])])
                whole_frame = self._words.frame(line[:MAX_LINE], at) or frame
                frame = replace(whole_frame, file_lines=(at, at + folds))
            if self._frames >= most:
                cut = True
                break
            if now is not None and now.frames and frame.index <= now.frames[-1].index:
                if frame.index:
                    at_index = bisect_left(now.frames, frame.index, key=lambda one: one.index)
                    if _place(now.frames[at_index]) == _place(frame):
                        continue  # it was selected, and is shown again
                    # A name held line breaks: which of the two it forged is not known.
                    del now.frames[at_index:]
                    now.corrupt = True
                    break
                self._close(now)
                now = None
            if now is None:
                now = self._open(at, None)
            now.frames.append(frame)
            now.last = at
            self._frames += 1
        if now is not None and cut:
            now.complete = False
        self._close(now)

    def _open(self, number: int, header: Header | None) -> _Open:
        if header is None:
            return _Open(number, None, self._current and not self._stacks)
        return _Open(number, header, self._current and header.current)

    def _close(self, now: _Open | None) -> None:
        if now is None or not now.frames:
            return
        self._words.settle(now.frames)
        header = now.header
        self._stacks.append(
            Stack(
                cite=self._document.cite(now.first, max(now.last, now.first)),
                number=header.number if header is not None else None,
                thread=header.thread if header is not None else None,
                name=header.name if header is not None else None,
                frames=tuple(now.frames),
                current=now.current,
                complete=now.complete and (self._limit is None or len(now.frames) < self._limit),
                corrupt=now.corrupt,
            )
        )

    def done(self, last: int) -> Gathered:
        """Everything, once the last part was taken."""
        groups = None
        if self._total > 1:
            groups = StackGroups(
                cite=self._document.cite(self._span[0], min(self._span[1], last)),
                total=self._total,
                items=tuple(
                    StackGroup(
                        count=len(group.numbers),
                        threads=tuple(group.threads),
                        numbers=tuple(group.numbers),
                        line=group.line,
                    )
                    for group in self._groups.values()
                ),
            )
        return Gathered(self._stacks, groups, max(self._total, len(self._stacks)))


def _place(frame: Frame) -> Frame:
    """The frame wherever and with whatever arguments it is shown."""
    return replace(frame, args="", line_no=0)


_NO_FRAME = -1
