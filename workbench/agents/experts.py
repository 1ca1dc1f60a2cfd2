"""The patterns by category: the code experts that every role asks first.

An expert that fails on some dump is left out, with the reason; the others decide.
"""

from collections.abc import Sequence

from analyzers.patterns import experts
from analyzers.patterns.base import Pattern
from analyzers.patterns.case import Case
from analyzers.patterns.foretold import Foretold
from analyzers.patterns.foretold import foretold as of_case
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Finding
from workbench.model.hypothesis import Hypothesis, Proposal, Rung, Status, Verdict

ORDER = {category: rank for rank, category in enumerate(Category)}

# What another thread, or an instruction long before the fault, may have done without a trace that
# is left in one dump: that an expert sees none says nothing against it.
_LEAVES_NO_TRACE = frozenset({
    Category.BUFFER_OVERFLOW, Category.OUT_OF_BOUNDS_WRITE, Category.OUT_OF_BOUNDS_READ,
    Category.UNINITIALIZED_POINTER, Category.UNINITIALIZED_VALUE, Category.TYPE_CONFUSION,
    Category.INTEGER_OVERFLOW, Category.MISSED_WAKEUP, Category.DATA_RACE,
})  # fmt: skip


def pattern_for(category: Category, facts: FactBook) -> Pattern | None:
    """The expert of one cause, or None where there is none. Of several (a lock's owners in a dump,
    critical sections in a log) the one that proposes from these facts, the surest first."""
    known = [pattern for pattern in experts(facts) if pattern.category is category]
    if len(known) < 2:
        return known[0] if known else None
    return max(known, key=lambda pattern: _sureness(pattern, facts))


def _sureness(pattern: Pattern, facts: FactBook) -> float:
    """How sure an expert is of its cause; negative when it proposes nothing, or fails."""
    try:
        proposal = pattern.propose(facts)
    except Exception:  # noqa: BLE001 - told of where it proposes
        return -1.0
    return proposal.confidence if proposal is not None else -0.5


def proposals(facts: FactBook, known: set[Category]) -> tuple[list[Proposal], list[str]]:
    """What the experts of all other causes propose, one a cause and the most likely first; and
    which failed."""
    found: dict[Category, Proposal] = {}
    failed: list[str] = []
    for pattern in experts(facts):
        if pattern.category in known:
            continue
        try:
            proposal = pattern.propose(facts)
        except Exception as error:  # noqa: BLE001 - the others still decide
            failed.append(f"The expert of {pattern.category} failed on this dump ({error!r}).")
            continue
        if proposal is None:
            continue
        old = found.get(pattern.category)
        if old is None or old.confidence < proposal.confidence:
            found[pattern.category] = proposal
    return sorted(found.values(), key=lambda p: (-p.confidence, ORDER[p.category])), failed


def foretold(category: Category, facts: FactBook) -> Sequence[Foretold]:
    """What a cause foretells of the next commands."""
    try:
        return of_case(category, facts.once(Case))
    except Exception:  # noqa: BLE001 - its verdict will tell
        return ()


def followup(category: Category, facts: FactBook) -> tuple[Command, ...]:
    """What the expert of a cause would ask next."""
    pattern = pattern_for(category, facts)
    try:
        return pattern.followup(facts) if pattern else ()
    except Exception:  # noqa: BLE001 - its verdict will tell
        return ()


def verdict(category: Category, facts: FactBook) -> Verdict:
    """What the expert of a cause says of the facts; inconclusive where there is none."""
    pattern = pattern_for(category, facts)
    if pattern is None:
        return _inconclusive("No expert knows how to test this; its evidence is there to read.")
    try:
        return _overruled(category, facts) or pattern.evaluate(facts)
    except Exception as error:  # noqa: BLE001 - said in the verdict
        return _inconclusive(f"The expert failed on this dump ({error!r}).")


def doubted(hypothesis: Hypothesis, found: Verdict, facts: FactBook) -> Verdict:
    """An expert's verdict on what a model proposed: it is confirmed only where the expert would
    have proposed it, in the frame that the model blames, and rejected only by evidence against it,
    never because a dump shows no trace of what need not leave one."""
    frame = found.frame.function if found.frame is not None else None
    if found.status is Status.CONFIRMED and hypothesis.function not in (None, frame):
        reason = f"the evidence shows it in {frame}, not in {hypothesis.function}: {found.reason}"
        return Verdict(
            status=Status.REJECTED, confidence=found.confidence, rung=found.rung, reason=reason,
            contradicting=found.supporting)  # fmt: skip
    proposed, _ = proposals(facts, set(Category) - {hypothesis.category})
    seen = found.contradicting and hypothesis.category not in _LEAVES_NO_TRACE
    if found.status is Status.REJECTED and seen:
        return found
    if proposed and found.status is not Status.REJECTED:
        return found
    return _inconclusive(f"The facts do not lead an expert to it: {found.reason}")


def _overruled(category: Category, facts: FactBook) -> Verdict | None:
    """See `analyzers.patterns.reported.pattern.overruled`."""
    if facts.first(Finding) is None:
        return None
    from analyzers.patterns.reported.pattern import overruled

    return overruled(facts, category)


def _inconclusive(reason: str) -> Verdict:
    return Verdict(
        status=Status.INCONCLUSIVE, confidence=0.0, rung=Rung.TEXT, reason=reason,
        missing=("a way to test it",))  # fmt: skip
