"""What the facts say of a failure on Windows: the exception, its stack, the code at fault."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analyzers.owners.windows import is_system_frame
from analyzers.patterns.case import Case, is_break_in
from analyzers.patterns.cause import Cause, T, nothing
from analyzers.patterns.words import Cites, line_of, of, raised
from workbench.model import facts as f
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command

BREAKPOINT = 0x80000003
ACCESS_VIOLATION = 0xC0000005


class WindowsCase(Case):
    """A reading of one `FactBook` for patterns of Windows."""

    @cached_property
    def record(self) -> f.ExceptionRecord | None:
        """The exception: the last that was recorded, which has the most to say."""
        found = [r for r in self.facts.all(f.ExceptionRecord) if r.platform == "windows"]
        if not found or is_break_in(self.facts, found[-1]):
            return None
        last = found[-1]
        same = [r for r in found if r.code == last.code]
        return max(same, key=lambda r: (r.address is not None, r.thread is not None))

    @cached_property
    def first_chance(self) -> bool:
        """True where a debugger saw the exception thrown, and no more of it: a handler of the
        program may have caught it."""
        mine = self.record
        same = [r for r in self.facts.all(f.ExceptionRecord) if mine and r.code == mine.code]
        chances = [record.chance for record in same]
        return "first" in chances and "second" not in chances

    @cached_property
    def bugcheck(self) -> f.BugCheck | None:
        """The kernel's stop code, as its fullest listing has it."""
        found = self.facts.all(f.BugCheck)
        return next((b for b in reversed(found) if b.name), found[-1] if found else None)

    @cached_property
    def thread(self) -> int | None:
        """The TID of the thread that raised the exception."""
        if self.record is not None and self.record.thread is not None:
            return self.record.thread
        known = [r.thread for r in self.facts.all(f.ExceptionRecord) if r.thread is not None]
        if known:
            return known[-1]
        return self.fault.thread or None if self.fault is not None else None

    @cached_property
    def stack(self) -> f.Stack | None:
        """The stack of the exception: one that names its thread, or that a command lists where
        that stopped, else the selected one's; of several the one with the most frames that have
        names."""
        stacks = self.facts.all(f.Stack)
        mine = [s for s in stacks if self.thread and s.thread == self.thread and s.current]
        mine = mine or [s for s in stacks if self.thread and s.thread == self.thread]
        selected = [s for s in stacks if s.current and s.thread is None]
        stopped_at = [_top(s) for s in mine]
        mine += [s for s in selected if not mine or _top(s) in stopped_at]
        return max(mine, key=_worth, default=None)

    @cached_property
    def frame(self) -> f.Frame | None:
        """The innermost frame that is not Windows' or the C runtime's own."""
        return self.application(self.stack)

    def application(self, stack: f.Stack | None) -> f.Frame | None:
        """The innermost frame of a stack that is not the system's; where every named frame is,
        the innermost one in a module that is not ntdll's kin."""
        if stack is None:
            return None
        for frame in stack.frames:
            if (frame.function or frame.module) and not is_system_frame(frame):
                return frame
        return None

    @cached_property
    def faulting(self) -> f.Frame | None:
        """The frame where the exception was raised, when the debugger has a name for it."""
        return self.top if self.top is not None and (self.top.function or self.top.module) else None

    @cached_property
    def threads(self) -> dict[int, f.Thread]:
        """The debugger's threads by TID."""
        return {item.thread: item for listed in self.facts.all(f.Threads) for item in listed.items}

    @cached_property
    def numbers(self) -> dict[int, f.Thread]:
        """The debugger's threads by its own number."""
        return {item.number: item for listed in self.facts.all(f.Threads) for item in listed.items}

    def thread_cites(self, thread: f.Thread | None) -> Cites:
        """The line of the thread list that names a thread."""
        if thread is None:
            return ()
        for listed in self.facts.all(f.Threads):
            if thread in listed.items:
                return line_of(listed, thread.line)
        return ()

    @cached_property
    def message(self) -> f.AbortMessage | None:
        """What a failed assertion printed, the last one before the end."""
        return self.facts.last(f.AbortMessage)

    def source_at(self, frame: f.Frame | None) -> f.SourceLine | None:
        """The line of source that a frame runs, where the debugger showed it."""
        if frame is None or frame.line is None:
            return None
        for line in self.facts.all(f.SourceLine):
            same = line.file is None or frame.file is None or _name(line.file) == _name(frame.file)
            if line.line == frame.line and same:
                return line
        return None

    def raised(self) -> list[Claim]:
        """The exception: its name, code, place and thread, as far as recorded."""
        mine = self.record
        if mine is None:
            return []
        also = [
            r for r in self.facts.all(f.ExceptionRecord) if r.thread and r.thread == self.thread
        ]
        told = [mine, *([] if mine.thread is not None else also[-1:])]
        return [raised(record) for record in told]

    def calls_any(self, names: Iterable[str]) -> f.Frame | None:
        """The innermost frame of the exception's stack that runs one of the functions, leading
        underscores aside."""
        wanted = {name.lstrip("_") for name in names}
        for frame in self.frames:
            if frame.function is not None and frame.function.lstrip("_") in wanted:
                return frame
        return None


def _top(stack: f.Stack) -> tuple[str | None, str | None, int | None]:
    top = stack.frames[0]
    return top.module, top.function, top.offset


def _worth(stack: f.Stack) -> tuple[int, int]:
    return sum(frame.function is not None for frame in stack.frames), len(stack.frames)


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1].lower()


def of_record(case: WindowsCase, _: object = None) -> Cites:
    """The lines of the exception."""
    return of(case.record)


@dataclass(frozen=True)
class WindowsCause(Cause[T]):
    """A cause that is read from a log of a Windows debugger, most often from the exception: what is
    not in the log can be asked of nobody."""

    absent: str = "The exception is another."
    unseen: Callable[[Any], Iterable[Citation]] = of_record
    tests: Callable[[Any, T], Iterable[Command]] = nothing
    view: Callable[[f.FactBook], Case] = WindowsCase
    signal: bool = False
