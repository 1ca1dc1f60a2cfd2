"""Were the other explanations tested, and do the rejected ones have evidence against them?"""

from workbench.agents import experts
from workbench.agents.issue import asked_about
from workbench.model.critique import Check, Conclusion
from workbench.model.evidence import Command
from workbench.model.hypothesis import UPPER_RUNGS, Hypothesis, Status
from workbench.model.investigation import Investigation


def rival_checks(state: Investigation, conclusion: Conclusion) -> list[Check]:
    """One check for each hypothesis that the conclusion does not explain, and one for the choice
    itself when it names a hypothesis that does not exist or was rejected."""
    checks = []
    chosen = state.hypotheses.get(conclusion.hypothesis or "")
    if conclusion.hypothesis is not None and chosen is None:
        checks.append(
            _check(
                "contradiction",
                conclusion.hypothesis,
                f"there is no hypothesis {conclusion.hypothesis}",
            )
        )
    elif chosen is not None and chosen.status is Status.REJECTED:
        checks.append(
            _check("contradiction", _subject(chosen), f"{chosen.id} was rejected: {chosen.reason}")
        )
    checks += _unproposed(state, chosen)
    rivals = (h for h in state.hypotheses.values() if chosen is None or h.id != chosen.id)
    return checks + [_rival(rival, chosen, state) for rival in rivals]


def _unproposed(state: Investigation, chosen: Hypothesis | None) -> list[Check]:
    """Causes that the facts of today allow and that no hypothesis names: the experts test them
    here. One that is confirmed on a better rung than what was chosen was overlooked; what cannot
    be decided is named as open."""
    known = {
        h.category
        for h in state.hypotheses.values()
        if h.proposed_by != "model" or h.status is Status.CONFIRMED
    }
    found, _ = experts.proposals(state.facts, known)
    verdict_of = chosen.verdict if chosen is not None else None
    best = verdict_of is not None and verdict_of.rung in UPPER_RUNGS
    checks = []
    for proposal in found:
        verdict = experts.verdict(proposal.category, state.facts)
        subject = f"{proposal.category}: {proposal.statement}"
        if verdict.status is Status.CONFIRMED and not best and verdict.rung in UPPER_RUNGS:
            checks.append(
                _check("alternative", subject, "the facts confirm it; nobody proposed it")
            )
        elif verdict.status is Status.INCONCLUSIVE:
            lacks = f"; missing: {'; '.join(verdict.missing)}" if verdict.missing else ""
            detail = f"not among the hypotheses; the facts leave it open{lacks}"
            checks.append(Check(kind="alternative", subject=subject, passed=True, detail=detail))
    return checks


def _rival(rival: Hypothesis, chosen: Hypothesis | None, state: Investigation) -> Check:
    verdict = rival.verdict
    match rival.status:
        case Status.PROPOSED | Status.APPROVED | Status.TESTING:
            asked = {item.command for item in state.evidence.values()}
            asks = tuple(command for command in rival.planned if command.text not in asked)
            return _check(
                "alternative", _subject(rival), f"{rival.id} was proposed but not tested", asks=asks
            )
        case Status.REJECTED if rival.decided_by == "user":
            return _passed(rival, f"rejected by the user: {rival.reason or 'no reason given'}")
        case Status.CONFIRMED if chosen is None and rival.category not in asked_about(state):
            return _passed(rival, "it is true as well; what the issue asks about stays open")
        case Status.REJECTED if state.is_set_aside(rival):
            return _passed(rival, "it is about another failure than the one that is asked about")
        case Status.REJECTED:
            against = verdict.contradicting if verdict is not None else ()
            if not against:
                return _check(
                    "alternative",
                    _subject(rival),
                    f"{rival.id} was rejected without evidence against it",
                )
            for citation in against:
                item = state.evidence.get(citation.evidence)
                if item is None or citation.last > item.lines:
                    return _check(
                        "alternative", _subject(rival), f"{citation} leads to no stored line"
                    )
            return _passed(rival, f"{rival.id} was tested and rejected: {rival.reason}")
        case Status.INCONCLUSIVE:
            missing = verdict.missing if verdict is not None else ()
            lacks = f"; missing: {'; '.join(missing)}" if missing else ""
            return _passed(rival, f"{rival.id} was tested and stays open{lacks}")
        case Status.CONFIRMED:
            if chosen is not None and rival.confidence <= chosen.confidence:
                return _passed(rival, f"{rival.id} fits too, but no better than {chosen.id}")
            return _check(
                "alternative",
                _subject(rival),
                f"{rival.id} is confirmed with {rival.confidence:.2f}, more than what was chosen",
            )


def _subject(hypothesis: Hypothesis) -> str:
    return f"{hypothesis.id}: {hypothesis.statement}"


def _check(kind: str, subject: str, detail: str, asks: tuple[Command, ...] = ()) -> Check:
    severity = "error" if kind == "contradiction" else "warning"
    return Check(
        kind=kind, subject=subject, passed=False, detail=detail, severity=severity, asks=asks
    )


def _passed(rival: Hypothesis, detail: str) -> Check:
    verdict = rival.verdict
    return Check(
        kind="alternative",
        subject=_subject(rival),
        passed=True,
        detail=detail,
        evidence=verdict.contradicting if verdict is not None else (),
    )
