"""Critical sections that threads wait for: deadlocks, owners that are gone or slow."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.windows.chain import Link, chain, is_ring, orphaned
from analyzers.patterns.windows.waits import blocks
from analyzers.patterns.words import (
    Cites,
    claim,
    confirmed,
    inconclusive,
    line_of,
    name_of,
    of,
    rejected,
)
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import CriticalSection, FactBook, Stack, Threads
from workbench.model.hypothesis import Proposal, Rung, Verdict


def _who(case: WindowsCase, link: Link) -> tuple[str, Cites]:
    """A thread's name in words: its number and, where recorded, its id."""
    known = case.threads.get(link.thread) if link.thread is not None else None
    cites = case.thread_cites(known)
    if link.number is not None:
        text = f"thread {link.number}"
        if link.stack is not None and known is None:
            cites = of(link.stack)
        if link.thread is not None and known is not None:
            text += f' (id "{link.thread:x}")'
        elif link.stack is not None:
            cites = with_prompt(link.stack)
        return text, cites
    if link.thread is not None:
        return f"the thread with id {link.thread:#x}", cites
    return "a thread", ()


def with_prompt(stack: Stack) -> Cites:
    """The stack's lines with those above, where the prompt names the thread."""
    cite = stack.cite
    first = max(1, cite.first - 3)
    return (type(cite)(cite.evidence, first, cite.last),)


def _section_name(section: CriticalSection) -> str:
    name = f"{name_of(section.name)} " if section.name else ""
    what = "resource" if section.kind == "resource" else "critical section"
    return f"the {what} {name}at {section.address:#x}"


def _steps(case: WindowsCase, links: list[Link]) -> list[Claim]:
    """One claim a thread of the chain: what it waits for, who holds that."""
    claims: list[Claim] = []
    for at, link in enumerate(links):
        who, cites = _who(case, link)
        inner = case.application(link.stack)
        place = case.where(inner) if inner is not None else None
        doing = f" in {place.text}" if place is not None else ""
        more = place.cites if place is not None else ()
        if link.section is not None and at + 1 < len(links):
            owner, owner_cites = _who(case, links[at + 1])
            claims.append(
                claim(
                    f"{who.capitalize()} waits{doing} for {_section_name(link.section)}, which "
                    f"{owner} holds.",
                    cites, more, case.cite(link.frame), of(link.section), owner_cites,
                    line_of(link.section, link.section.owner_line),
                )
            )  # fmt: skip
        elif link.section is None and link.stack is not None:
            state = "is waiting" if blocks(link.stack) else "is running"
            claims.append(claim(f"{who.capitalize()} {state}{doing}.", cites, more, of(link.stack)))
    return claims


def _summary(case: WindowsCase, links: list[Link]) -> tuple[str, list[Cites]]:
    """The whole chain in one clause."""
    parts: list[str] = []
    cites: list[Cites] = []
    for at, link in enumerate(links):
        who, said = _who(case, link)
        cites += [said, case.cite(link.frame), of(link.section)]
        if at == 0:
            parts.append(who)
        if link.section is not None and at + 1 < len(links):
            owner, owner_cites = _who(case, links[at + 1])
            cites.append(owner_cites)
            name = name_of(link.section.name) if link.section.name else f"{link.section.address:#x}"
            joint = " waits for " if at == 0 else ", which waits for "
            parts.append(f"{joint}{name} owned by {owner}")
    last = links[-1]
    inner = case.application(last.stack)
    if last.section is None and last.stack is not None:
        place = case.where(inner) if inner is not None else None
        state = "waits" if blocks(last.stack) else "runs"
        doing = f" in {place.text}" if place is not None else ""
        parts.append(f"; that thread {state}{doing}")
        cites += [place.cites if place is not None else (), of(last.stack)]
    return "".join(parts), cites


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
        text, cites = _summary(case, links)
        claims = [claim(f"Deadlock: {text}.", *cites), *_steps(case, links)]
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


def _kind(links: list[Link]) -> str:
    """What is waited for, at the beginning of a sentence."""
    first = next((link.section for link in links if link.section is not None), None)
    return "Resource" if first is not None and first.kind == "resource" else "Critical section"


def _orphan(case: WindowsCase, links: list[Link]) -> Verdict:
    """A chain whose last owner is not among the threads any more."""
    text, cites = _summary(case, links)
    listed = [c for threads in case.facts.all(Threads) for c in of(threads)]
    claims = [
        claim(f"Deadlock: {text}, which is no thread of the process any more.", *cites, listed),
        *_steps(case, links),
    ]
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.85,
        claims,
        reason="The critical section's owner ended without leaving it.",
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
        text, cites = _summary(case, links)
        claims = [
            claim(f"{_kind(links)} time-out, not a deadlock: {text}.", *cites),
            *_steps(case, links),
        ]
        last = links[-1]
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
