"""What the facts say of a .NET process: one view, no judgement."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, T, nothing
from analyzers.patterns.managed.frames import application
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import Cites, in_frame, line_of
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import (
    ExceptionRecord,
    FactBook,
    Frame,
    ManagedException,
    ManagedThread,
    ManagedThreads,
    Signal,
    Stack,
)


class ManagedCase(Case):
    """A reading of one `FactBook` for patterns of .NET."""

    @cached_property
    def managed(self) -> dict[int, ManagedThread]:
        """The runtime's threads by TID, as last listed."""
        listed = self.facts.last(ManagedThreads)
        return {item.thread: item for item in listed.items} if listed is not None else {}

    @cached_property
    def managed_stacks(self) -> dict[int, Stack]:
        """The fullest managed stack of each thread, by TID."""
        found: dict[int, Stack] = {}
        for stack in self.facts.all(Stack):
            if not stack.managed or stack.thread is None:
                continue
            old = found.get(stack.thread)
            if old is None or len(stack.frames) > len(old.frames):
                found[stack.thread] = stack
        return found

    @cached_property
    def died(self) -> bool:
        """True when something ended the process; False where it is known or likely that it lived
        on."""
        if self.process is not None and self.process.snapshot:
            return False
        windows = self.facts.once(WindowsCase)
        ended = windows.record is not None and not windows.first_chance
        others = (r for r in self.facts.all(ExceptionRecord) if r.platform != "windows")
        return ended or self.facts.first(Signal) is not None or any(others)

    def application_frame(self, thread: int) -> Frame | None:
        """The innermost frame of the application on a managed stack."""
        stack = self.managed_stacks.get(thread)
        return application(stack.frames) if stack is not None else None

    def grouped(
        self, stacks: Iterable[Stack], pick: Callable[[Stack], Frame | None], most: int = 3
    ) -> list[Claim]:
        """How many threads are in each function that is picked out of the stacks, those first that
        most are in; where it is one thread, its frame."""
        found: dict[str, list[tuple[Stack, Frame]]] = {}
        for stack in stacks:
            if (frame := pick(stack)) is not None and frame.function:
                found.setdefault(frame.function, []).append((stack, frame))
        claims = []
        for function, group in sorted(found.items(), key=lambda item: -len(item[1]))[:most]:
            first, head = group[0], self.cite_thread(group[0][0].thread or 0)
            every = [
                s for s in self.facts.all(Stack) if any(f.function == function for f in s.frames)
            ]
            count = len({stack.thread for stack in every})
            claims += (
                in_frame(*first, head)
                if count < 2
                else [
                    say(
                        "count",
                        self.cite_frame(*first),
                        what="threads",
                        function=function,
                        count=count,
                    )
                ]
            )
        return claims

    def cite_thread(self, thread: int) -> Cites:
        """The line that names a thread: the head of its stack, else its row."""
        stack = self.managed_stacks.get(thread)
        return line_of(stack, stack.cite.first) if stack is not None else self.cite_row(thread)

    def cite_row(self, thread: int) -> Cites:
        """A thread's row in the runtime's list."""
        listed, item = self.facts.last(ManagedThreads), self.managed.get(thread)
        return line_of(listed, item.line) if item is not None else ()

    def cite_frame(self, stack: Stack | ManagedException | None, frame: Frame | None) -> Cites:
        """The line that shows a frame of a stack, or of an exception's own stack."""
        return line_of(stack, frame.line_no) if frame is not None and frame.line_no else ()


@dataclass(frozen=True)
class ManagedCause(Cause[T]):
    """A cause that what the runtime tells shows, whatever ended the process."""

    ask: Callable[[Any], tuple[Command, ...]] = nothing
    view: Callable[[FactBook], Case] = ManagedCase
    signal: bool = False
