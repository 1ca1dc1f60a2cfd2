"""Critical sections that threads wait for: deadlocks, owners that are gone or slow."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.windows.chain import Link, chain, is_ring, orphaned
from analyzers.patterns.windows.waits import blocks
from analyzers.patterns.words import (
    Cites,
    confirmed,
    in_frame,
    in_place,
    inconclusive,
    of,
    rejected,
    shown,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Stack, Threads
from workbench.model.hypothesis import Proposal, Rung, Verdict


def with_prompt(stack: Stack) -> Cites:
    """The stack's lines with those above, where the prompt names the thread."""
    cite = stack.cite
    first = max(1, cite.first - 3)
    return (type(cite)(cite.evidence, first, cite.last),)


def _named(case: WindowsCase, link: Link) -> Cites:
    """The line that names the thread of a link: in the list of threads, else the prompt."""
    known = case.threads.get(link.thread) if link.thread is not None else None
    if known is not None:
        return case.thread_cites(known)
    return with_prompt(link.stack) if link.stack is not None else ()


def _steps(case: WindowsCase, links: list[Link]) -> list[Claim]:
    """What each thread of the chain waits for and who holds that; then where each is."""
    waits, frames = [], []
    for link in links[: -1 if len(links) > 1 and is_ring(links) else None]:
        who, section = _named(case, link), link.section
        frames += in_frame(link.stack, case.application(link.stack), who)
        if section is None:
            continue
        given = {"name": section.name, "owner": shown(section.owner), "kind": section.kind}
        lines = (*who, *case.cite(link.frame), *of(section))
        if link.thread is not None:
            thread = shown(link.thread)
            waits.append(say("waits", lines, thread=thread, lock=section.address, **given))
        elif section.owner is not None:
            waits.append(say("owns", of(section), lock=section.address, **given))
    return [*waits, *frames]


class CriticalSectionDeadlock(OneRound):
    """Threads that wait for each other's critical sections."""

    category = Category.DEADLOCK

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the recorded owners form a ring."""
        case = WindowsCase(facts)
        links = chain(case)
        gone = len(links) > 1 and orphaned(case, links)
        if not links or not (is_ring(links) or gone):
            return None
        return Proposal(
            category=self.category,
            statement="A critical section's owner is gone."
            if gone
            else "Threads wait for each other's critical sections.",
            confidence=0.95,
            tests=(),
            citations=tuple(c for link in links for c in of(link.section)),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the owners and by the stacks that wait."""
        case = WindowsCase(facts)
        links = chain(case)
        if len(links) > 1 and orphaned(case, links):
            return _orphan(case, links)
        if not links or not is_ring(links):
            return rejected(
                "The owners of the critical sections form no cycle.",
                [c for link in links for c in of(link.section)],
                rung=Rung.STRUCTURE,
            )
        frame = case.application(links[0].stack)
        cause = in_place(case, self.category, frame, how="sections", cites=of(links[0].section))
        claims = [cause, *_steps(case, links)]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.95,
            claims,
            reason="The recorded owners form a cycle.",
            frame=case.application(links[0].stack),
            recommendations=(
                "Take these critical sections in the same order everywhere, and call nothing that "
                "locks while one is held.",
            ),
        )


def _orphan(case: WindowsCase, links: list[Link]) -> Verdict:
    """A chain whose last owner is not among the threads any more."""
    frame = case.application(links[0].stack)
    listed = [c for threads in case.facts.all(Threads) for c in of(threads)]
    cause = in_place(case, Category.DEADLOCK, frame, how="orphan", cites=of(links[0].section))
    claims = [cause, *_steps(case, links)]
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.85,
        claims,
        reason="The critical section's owner ended without leaving it.",
        support=listed,
        frame=case.application(links[0].stack),
        recommendations=(
            "Leave the section on every way out of its owner, TerminateThread and a thread's end "
            "inside a library's entry point included.",
        ),
    )


class CriticalSectionTimeout(OneRound):
    """A chain of waits that ends at a thread which is not stopped by a lock."""

    category = Category.THREAD_STARVATION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When threads wait for critical sections whose owners are known and form no cycle."""
        case = WindowsCase(facts)
        links = chain(case)
        if len(links) < 2 or is_ring(links) or orphaned(case, links):
            return None
        return Proposal(
            category=self.category,
            statement="Threads wait for a critical section that its owner keeps: no deadlock.",
            confidence=0.85,
            tests=(),
            citations=tuple(c for link in links for c in of(link.section)),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when the last owner's stack shows what it does instead."""
        case = WindowsCase(facts)
        links = chain(case)
        if len(links) < 2 or is_ring(links):
            return rejected("No chain of waits was recorded.", (), rung=Rung.STRUCTURE)
        last = links[-1]
        frame = case.application(last.stack if last.stack is not None else links[0].stack)
        how = "waits" if last.stack is None else "held" if blocks(last.stack) else "keeps"
        cites = of(links[0].section)
        claims = [in_place(case, self.category, frame, how=f"section-{how}", cites=cites),
                  *_steps(case, links)]  # fmt: skip
        if last.stack is None:
            return inconclusive(
                case,
                "The last owner's stack was not recorded.",
                (f"the stack of the thread with id {last.thread:x}" if last.thread is not None
                 else "the stack of the last owner",),
                confidence=0.5,
                rung=Rung.STRUCTURE,
                claims=claims,
                supporting=[c for link in links for c in of(link.section)],
                frame=case.application(links[0].stack),
            )  # fmt: skip
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85,
            claims,
            reason="The chain of owners ends at a thread that waits for none of these locks.",
            frame=case.application(last.stack),
            recommendations=(
                "Look at what the last owner does while it holds the section: a long loop, slow "
                "work or a wait there stops everyone behind it.",
            ),
        )
