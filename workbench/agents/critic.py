"""The critic of plain code: holds a draft conclusion to the evidence itself, not to summaries.

Six kinds of checks, the contract's. Each is recorded whether it passed or failed; a claim that
fails is struck, and the commands that would close a gap are asked for.
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from workbench.agents.anchors import unanchored
from workbench.agents.contradictions import contradiction, unproved_relation
from workbench.agents.evidence_gaps import gap_checks
from workbench.agents.foreign_terms import foreign_term
from workbench.agents.grounding import check_claim, cited_lines
from workbench.agents.known import Known
from workbench.agents.questions import follow_up_questions
from workbench.agents.rivals import rival_checks
from workbench.agents.weight import allowed_confidence, overstated, why_capped
from workbench.model.category import Category
from workbench.model.critique import Check, Conclusion, Round
from workbench.model.hypothesis import Claim, Status
from workbench.model.investigation import Investigation

__all__ = ["allowed_confidence", "criticise", "follow_up_questions", "judged_claims"]

_NOTHING = Conclusion(hypothesis=None, category=Category.UNKNOWN, confidence=0.0, claims=())
"""What may be said with certainty where nothing is concluded."""


def criticise(
    state: Investigation, text_of: Callable[[str], str], round: int
) -> tuple[Round, tuple[Claim, ...]]:
    """One round over ``state.conclusion``: its checks, and the claims with their new statuses.

    ``text_of`` gives the stored text of an evidence item. Without a conclusion there is nothing
    to check and the round is resolved. Never raises on any text.
    """
    conclusion = state.conclusion
    if conclusion is None:
        return Round(number=round, checks=(), resolved=True), ()
    checks: list[Check] = []
    claims: list[Claim] = []
    known = known_of(state)
    for claim in conclusion.claims:
        check = _check_claim(claim, state, text_of, known)
        checks.append(check)
        status = "held" if check.passed else "struck"
        claims.append(replace(claim, status=status, reason="" if check.passed else check.detail))
    judged = replace(conclusion, claims=tuple(claims))
    for number, claim in enumerate(claims):
        problem = overstated(claim.text, state, judged) if claim.status == "held" else None
        if problem is not None:
            checks[number] = _failed("overconfident", claim, problem)
            claims[number] = replace(claim, status="struck", reason=problem)
    judged = replace(conclusion, claims=tuple(claims))
    checks += _passed_by_all(checks)
    checks += _advice_checks(judged, state)
    checks += rival_checks(state, judged)
    checks.append(_confidence_check(state, judged))
    checks += gap_checks(state, judged)
    checks += _checks_of_the_persons_words(state, text_of)
    resolved = all(check.passed or check.by_model for check in checks)
    return Round(number=round, checks=tuple(checks), resolved=resolved), tuple(claims)


def judged_claims(
    claims: Iterable[Claim], state: Investigation, text_of: Callable[[str], str]
) -> tuple[Claim, ...]:
    """Claims that are no part of a conclusion, each held or struck with the reason. Never raises
    on any text."""
    known = known_of(state)
    found = []
    for claim in claims:
        check = _check_claim(claim, state, text_of, known)
        problem = "" if check.passed else check.detail
        if not problem:
            problem = overstated(claim.text, state, state.conclusion or _NOTHING) or ""
        found.append(replace(claim, status="struck" if problem else "held", reason=problem))
    return tuple(found)


def known_of(state: Investigation) -> Known:
    """What the facts and the experts' verdicts know."""
    confirmed = [h for h in state.hypotheses.values() if h.status is Status.CONFIRMED]
    known = Known(state.facts, [h.category for h in confirmed])
    verdicts = (h.verdict for h in confirmed if h.proposed_by == "expert")
    known.blamed_frames = [v.frame for v in verdicts if v is not None and v.frame is not None]
    return known


def _check_claim(
    claim: Claim, state: Investigation, text_of: Callable[[str], str], known: Known
) -> Check:
    """The first of four tests that the claim fails, or a passed check."""
    failures = check_claim(claim, state.evidence, text_of)
    if failures:
        detail = "; ".join(dict.fromkeys(failure.detail for failure in failures[:6]))
        if len(failures) > 6:
            detail += f"; and {len(failures) - 6} more"
        return _failed("ungrounded", claim, detail)
    lines = cited_lines(claim, state.evidence, text_of)
    known.by_model = claim.by == "model"
    problem = contradiction(claim.text, state, known, lines)
    if problem is not None:
        return _failed("contradiction", claim, problem)
    problem = foreign_term(claim.text, state)
    if problem is not None:
        return _failed("architectural-error", claim, problem)
    loose = unanchored(claim.text, known)
    if loose is not None:
        detail = f'nothing in "{loose}" can be looked up in the evidence'
        return _failed("ungrounded", claim, detail)
    if claim.by == "model":
        from workbench.agents import model_words  # of no use to a run without one
        from workbench.agents.operations import performed

        unproved = unproved_relation(claim.text, known)
        if unproved is not None and not performed(unproved, claim.text, lines):
            return _failed("ungrounded", claim, f'no fact shows "{unproved}"')
        problem = model_words.problem(claim, state, text_of, known)
        if problem is not None:
            return _failed("ungrounded", claim, problem)
    return Check(
        kind="ungrounded",
        subject=claim.text,
        passed=True,
        detail="everything that it states stands in the lines that it cites",
        evidence=claim.citations,
    )


def _checks_of_the_persons_words(
    state: Investigation, text_of: Callable[[str], str]
) -> list[Check]:
    """A confirmed cause whose sentence the person wrote: the verdict is the expert's, of the cause,
    and says nothing of what else the sentence states."""
    checks = []
    for hypothesis in state.hypotheses.values():
        theirs = hypothesis.edited or hypothesis.proposed_by == "user"
        if not theirs or hypothesis.status is not Status.CONFIRMED or hypothesis.verdict is None:
            continue
        claim = Claim(hypothesis.statement, hypothesis.verdict.supporting)
        failures = check_claim(claim, state.evidence, text_of)
        checks.append(
            Check(
                kind="ungrounded",
                subject=f"{hypothesis.id} in the user's words",
                passed=not failures,
                severity="warning" if failures else "info",
                detail="; ".join(dict.fromkeys(f.detail for f in failures[:6]))
                or "what they state stands in the evidence for it",
                evidence=hypothesis.verdict.supporting,
            )
        )
    return checks


def _passed_by_all(checks: list[Check]) -> list[Check]:
    """What every claim passed, said once, so that a reader sees that it was looked at."""
    failed = {check.kind for check in checks if not check.passed}
    said = (
        ("contradiction", "no thread, signal, count, address or function is against a fact"),
        ("architectural-error", "no term of another system"),
    )
    return [
        Check(kind=kind, subject="all claims", passed=True, detail=detail)
        for kind, detail in said
        if checks and kind not in failed
    ]


def _failed(kind: str, claim: Claim, detail: str) -> Check:
    return Check(
        kind=kind,
        subject=claim.text,
        passed=False,
        detail=detail,
        severity="warning" if claim.by == "model" else "error",
        evidence=claim.citations,
        by_model=claim.by == "model",
    )


def _advice_checks(conclusion: Conclusion, state: Investigation) -> list[Check]:
    """Advice cannot be struck, but advice for another system is an error all the same."""
    checks = []
    for advice in conclusion.recommendations:
        problem = foreign_term(advice, state)
        if problem is not None:
            checks.append(
                Check(
                    kind="architectural-error",
                    subject=advice,
                    passed=False,
                    detail=problem,
                    severity="warning",
                )
            )
    return checks


def _confidence_check(state: Investigation, conclusion: Conclusion) -> Check:
    if conclusion.hypothesis is None:
        return Check(
            kind="overconfident",
            subject="no cause is claimed",
            passed=True,
            detail="an open case claims no confidence",
        )
    allowed = allowed_confidence(state, conclusion)
    stated = f"confidence {conclusion.confidence:.2f}"
    if conclusion.confidence <= allowed + 1e-9:
        reason = why_capped(state, conclusion)
        return Check(
            kind="overconfident",
            subject=stated,
            passed=True,
            detail=f"within {allowed:.2f}" + (f": {reason}" if reason else ""),
        )
    return Check(
        kind="overconfident",
        subject=stated,
        passed=False,
        detail=f"use {allowed:.2f}: {why_capped(state, conclusion)}",
        severity="warning",
    )
