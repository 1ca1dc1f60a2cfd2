"""Critical sections that threads wait for: deadlocks, owners that are gone or slow, and what Driver
Verifier found."""

from analyzers.patterns.case import Case
from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.windows.case import WindowsCase, WindowsCause
from analyzers.patterns.windows.waits import Link, blocks, chain, is_ring, orphaned
from analyzers.patterns.words import Cites, in_frame, of, shown
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import Bucket, Frame, Stack, Threads
from workbench.model.hypothesis import Rung


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


def _sections(links: list[Link]) -> list[Citation]:
    return [c for link in links for c in of(link.section)]


def _rings(case: WindowsCase) -> list[Link]:
    links = chain(case)
    return links if links and is_ring(links) else []


def _orphans(case: WindowsCase) -> list[Link]:
    """A chain whose last owner is not among the threads any more."""
    links = chain(case)
    return links if len(links) > 1 and orphaned(case, links) else []


def _kept(case: WindowsCase) -> list[Link]:
    """A chain of waits that ends at a thread which is not stopped by a lock."""
    links = chain(case)
    return links if len(links) > 1 and not is_ring(links) else []


def _shown_owner(case: WindowsCase) -> list[Link]:
    links = _kept(case)
    return links if links and links[-1].stack is not None else []


def _first(case: WindowsCase, links: list[Link]) -> Frame | None:
    return case.application(links[0].stack)


def _lines(_: WindowsCase, links: list[Link]) -> Cites:
    return of(links[0].section)


SECTION_DEADLOCK = WindowsCause(
    Category.DEADLOCK,
    "Threads that wait for each other's critical sections.",
    statement=lambda case, _: "A critical section's owner is gone."
    if _orphans(case) else "Threads wait for each other's critical sections.",
    sign=lambda case: _orphans(case) or _rings(case),
    prior=0.95,
    cites=lambda _, links: _sections(links),
    findings=(
        Proof(_orphans, "The critical section's owner ended without leaving it.", 0.85,
              Rung.STRUCTURE, "orphan", _steps,
              lambda case, _: [c for threads in case.facts.all(Threads) for c in of(threads)],
              frame=_first, lines=_lines,
              advice="Leave the section on every way out of its owner, TerminateThread and a "
              "thread's end inside a library's entry point included."),
        Proof(_rings, "The recorded owners form a cycle.", 0.95, Rung.STRUCTURE, "sections", _steps,
              frame=_first, lines=_lines,
              advice="Take these critical sections in the same order everywhere, and call nothing "
              "that locks while one is held."),
    ),
    absent="The owners of the critical sections form no cycle.",
    unseen=lambda case: _sections(chain(case)),
    rung=Rung.STRUCTURE,
)  # fmt: skip


def _unshown(_: WindowsCase, links: list[Link]) -> str:
    last = links[-1].thread
    who = f"the thread with id {last:x}" if last is not None else "the last owner"
    return f"the stack of {who}"


SECTION_TIMEOUT = WindowsCause(
    Category.THREAD_STARVATION,
    "A chain of waits that ends at a thread which is not stopped by a lock.",
    statement="Threads wait for a critical section that its owner keeps.",
    sign=lambda case: [] if _orphans(case) else _kept(case),
    prior=0.85,
    cites=lambda _, links: _sections(links),
    findings=(
        Proof(_shown_owner,
              "The chain of owners ends at a thread that waits for none of these locks.",
              lambda _, links: 0.6 if blocks(links[-1].stack) else 0.85, Rung.STRUCTURE,
              lambda _, links: "section-held" if blocks(links[-1].stack) else "section-keeps",
              _steps, frame=lambda case, links: case.application(links[-1].stack), lines=_lines,
              missing=lambda _, links: "what the last owner waits for, and whether one of those "
              "behind it is to give it: then it is a deadlock" if blocks(links[-1].stack) else (),
              advice="Look at what the last owner does while it holds the section: a long loop, "
              "slow work or a wait there stops everyone behind it."),
        Open(_kept, "The last owner's stack was not recorded.", 0.5, Rung.STRUCTURE,
             "section-waits", _steps, lambda _, links: _sections(links), frame=_first, lines=_lines,
             missing=_unshown),
    ),
    absent="No chain of waits was recorded.",
    unseen=lambda _: (),
    rung=Rung.STRUCTURE,
)  # fmt: skip


def _verified(case: Case) -> list[Bucket]:
    said = [bucket for bucket in case.facts.all(Bucket) if bucket.key == "!deadlock"]
    return said if said and said[0].text.startswith("Deadlock") else []


VERIFIER_DEADLOCK = WindowsCause(
    Category.DEADLOCK,
    "``!deadlock``: Driver Verifier saw locks taken in an order that lets threads wait in a ring.",
    statement="Threads take the same locks in different orders.",
    sign=_verified,
    prior=0.95,
    cites=lambda _, said: of(said[0]),
    findings=(
        Proof(_verified, "Driver Verifier recorded the orders in which the locks were taken.", 0.9,
              Rung.STRUCTURE, "verifier",
              lambda _, said: [say("quote", of(one), lead="Driver Verifier", text=one.text)
                               for one in said],
              advice="Take these locks in the same order everywhere."),
    ),
    absent="Driver Verifier found no deadlock.",
    unseen=lambda _: (),
    rung=Rung.STRUCTURE,
)  # fmt: skip
