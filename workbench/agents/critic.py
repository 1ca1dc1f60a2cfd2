"""The critic of plain code: holds a draft conclusion to the evidence itself, not to summaries.

Each check is recorded whether it passed or failed; a statement that the evidence refutes or does
not show carries nothing, and the commands that would close a gap are asked for.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import PurePosixPath

from msgspec.structs import replace

from workbench.agents import experts
from workbench.agents.checking import book_of, checked
from workbench.agents.investigator import frame_commands, locals_intent
from workbench.agents.issue import asked_about, checks_of_the_issue
from workbench.agents.ports import spelt
from workbench.agents.tokens import extract, stands_in
from workbench.agents.weight import CAUSE_STRUCK, allowed_confidence, why_capped
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Outcome
from workbench.model.critique import Check, Conclusion, Round
from workbench.model.evidence import Command
from workbench.model.facts import Locals, SourceLine
from workbench.model.hypothesis import UPPER_RUNGS, Hypothesis, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.listing import is_source


def rival_checks(state: Investigation, conclusion: Conclusion) -> list[Check]:
    """One check for each hypothesis that the conclusion does not explain, and one for the choice
    itself when it names a hypothesis that does not exist or was rejected."""
    checks = []
    chosen = state.hypotheses.get(conclusion.hypothesis or "")
    if conclusion.hypothesis is not None and chosen is None:
        detail = f"there is no hypothesis {conclusion.hypothesis}"
        checks.append(_failed("contradiction", conclusion.hypothesis, detail, severity="error"))
    elif chosen is not None and chosen.status is Status.REJECTED:
        detail = f"{chosen.id} was rejected: {chosen.reason}"
        checks.append(_failed("contradiction", _subject(chosen), detail, severity="error"))
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
            detail = "the facts confirm it; nobody proposed it"
            checks.append(_failed("alternative", subject, detail))
        elif verdict.status is Status.INCONCLUSIVE:
            detail = f"not among the hypotheses; the facts leave it open{_lacks(verdict)}"
            checks.append(_passed("alternative", subject, detail))
    return checks


def _rival(rival: Hypothesis, chosen: Hypothesis | None, state: Investigation) -> Check:
    failed = partial(_failed, "alternative", _subject(rival))
    verdict = rival.verdict
    against = verdict.contradicting if verdict is not None else ()
    match rival.status:
        case Status.PROPOSED | Status.APPROVED | Status.TESTING:
            asked = {item.command for item in state.evidence.values()}
            asks = tuple(command for command in rival.planned if command.text not in asked)
            return failed(f"{rival.id} was proposed but not tested", asks=asks)
        case Status.REJECTED if rival.decided_by == "user":
            why = f"rejected by the user: {rival.reason or 'no reason given'}"
        case Status.CONFIRMED if chosen is None and rival.category not in asked_about(state):
            why = "it is true as well; what the issue asks about stays open"
        case Status.REJECTED if state.is_set_aside(rival):
            why = "it is about another failure than the one that is asked about"
        case Status.REJECTED:
            if not against:
                return failed(f"{rival.id} was rejected without evidence against it")
            for citation in against:
                item = state.evidence.get(citation.evidence)
                if item is None or citation.last > item.lines:
                    return failed(f"{citation} leads to no stored line")
            why = f"{rival.id} was tested and rejected: {rival.reason}"
        case Status.INCONCLUSIVE:
            why = f"{rival.id} was tested and stays open{_lacks(verdict)}"
        case Status.CONFIRMED:
            if chosen is None or rival.confidence > chosen.confidence:
                sure = f"{rival.confidence:.2f}, more than what was chosen"
                return failed(f"{rival.id} is confirmed with {sure}")
            why = f"{rival.id} fits too, but no better than {chosen.id}"
    return _passed("alternative", _subject(rival), why, against)


def _lacks(verdict: Verdict | None) -> str:
    missing = verdict.missing if verdict is not None else ()
    return f"; missing: {'; '.join(missing)}" if missing else ""


def _subject(hypothesis: Hypothesis) -> str:
    return f"{hypothesis.id}: {hypothesis.statement}"


def _passed(kind: str, subject: str, detail: str, evidence: tuple[Citation, ...] = ()) -> Check:
    return Check(kind=kind, subject=subject, passed=True, detail=detail, evidence=evidence)


def _failed(
    kind: str, subject: str, detail: str, evidence: tuple[Citation, ...] = (), *,
    severity: str = "warning", by_model: bool = False, asks: tuple[Command, ...] = (),
) -> Check:  # fmt: skip
    return Check(
        kind=kind, subject=subject, passed=False, detail=detail, evidence=evidence,
        severity=severity, by_model=by_model, asks=asks,
    )  # fmt: skip


def criticise(
    state: Investigation, text_of: Callable[[str], str], round: int
) -> tuple[Round, tuple[Claim, ...]]:
    """One round over ``state.conclusion``: its checks, and the claims with their outcomes.

    ``text_of`` gives the stored text of an evidence item. Without a conclusion there is nothing
    to check and the round is resolved. Never raises on any text.
    """
    conclusion = state.conclusion
    if conclusion is None:
        return Round(number=round, checks=(), resolved=True), ()
    claims = checked(conclusion.claims, state, text_of)
    claims = tuple(_of_the_cause(claim, conclusion) for claim in claims)
    judged = replace(conclusion, claims=claims)
    checks = [_check_of(claim) for claim in claims]
    checks += _against_each_other(claims)
    checks += rival_checks(state, judged)
    checks.append(_confidence_check(state, judged))
    checks += gap_checks(state, judged)
    checks += _checks_of_the_persons_words(state, text_of)
    resolved = all(check.passed or check.by_model for check in checks)
    checks += checks_of_the_issue(state, text_of)  # what they got wrong leaves the case as it is
    return Round(number=round, checks=tuple(checks), resolved=resolved), claims


def numbered(conclusion: Conclusion) -> Conclusion:
    """The conclusion with the ids by which its chain and a reader name its claims."""
    claims = tuple(replace(claim, id=f"C{at}") for at, claim in enumerate(conclusion.claims, 1))
    ids = {claim.text: claim.id for claim in claims}
    chain = tuple(ids.get(link, link) for link in conclusion.chain)
    return replace(conclusion, claims=claims, chain=chain)


def _of_the_cause(claim: Claim, conclusion: Conclusion) -> Claim:
    """A cause that is named is the one that was decided."""
    decided = {conclusion.category.value}
    if conclusion.symptom is not None:
        decided.add(conclusion.symptom.category.value)
    if claim.kind != "cause" or not claim.holds or claim.get("category") in decided:
        return claim
    reason = f"the cause that was decided is {conclusion.category.value}"
    return replace(claim, status=Outcome.REFUTED, reason=reason)


def _check_of(claim: Claim) -> Check:
    """A refuted statement is against a fact; one that is not known has no ground."""
    by_model = claim.by == "model"
    if claim.holds:
        detail = "the lines that it cites say so"
        return _passed("ungrounded", claim.text, detail, claim.citations)
    kind = "contradiction" if claim.status is Outcome.REFUTED else "ungrounded"
    severity = "warning" if by_model else "error"
    return _failed(
        kind, claim.text, claim.reason, claim.citations, severity=severity, by_model=by_model
    )


def _against_each_other(claims: Sequence[Claim]) -> list[Check]:
    """One check for the statements that deny what another states."""
    failed = []
    held = [claim for claim in claims if claim.holds]
    stated = {_what(claim): claim for claim in held if not claim.denied}
    for claim in held:
        other = stated.get(_what(claim)) if claim.denied else None
        if other is not None:
            detail = f"{other.id} states what {claim.id} denies"
            by_model = "model" in (claim.by, other.by)
            failed.append(_failed("contradiction", claim.text, detail, claim.citations,
                                  severity="error", by_model=by_model))  # fmt: skip
    if failed or not held:
        return failed
    return [_passed("contradiction", "all claims", "no statement denies another")]


def _what(claim: Claim) -> tuple[str, tuple[tuple[str, object], ...]]:
    return claim.kind, tuple(sorted((arg.name, arg.value) for arg in claim.args))


def _checks_of_the_persons_words(
    state: Investigation, text_of: Callable[[str], str]
) -> list[Check]:
    """A confirmed cause whose sentence the person wrote: the verdict is the expert's, of the cause,
    and says nothing of what else the sentence states."""
    checks = []
    book = book_of(state, text_of)
    for hypothesis in state.hypotheses.values():
        theirs = hypothesis.edited or hypothesis.proposed_by == "user"
        if not theirs or hypothesis.status is not Status.CONFIRMED or hypothesis.verdict is None:
            continue
        cites = hypothesis.verdict.supporting
        lines = "\n".join(line for cite in cites for _, line in book.cited(cite))
        loose = [t.shown for t in extract(hypothesis.statement) if not stands_in(t, lines)]
        subject, detail = (
            f"{hypothesis.id} in the user's words",
            f"in none of the lines for it: {', '.join(dict.fromkeys(loose[:6]))}"
            if loose
            else "what it names stands in the evidence for it",
        )
        checks.append((_failed if loose else _passed)("ungrounded", subject, detail, cites))
    return checks


def _confidence_check(state: Investigation, conclusion: Conclusion) -> Check:
    if conclusion.hypothesis is None:
        detail = "an open case claims no confidence"
        return _passed("overconfident", "no cause is claimed", detail)
    allowed = allowed_confidence(state, conclusion)
    stated = f"confidence {conclusion.confidence:.2f}"
    if conclusion.confidence <= allowed + 1e-9:
        reason = why_capped(state, conclusion)
        detail = f"within {allowed:.2f}" + (f": {reason}" if reason else "")
        return _passed("overconfident", stated, detail)
    detail = f"use {allowed:.2f}: {why_capped(state, conclusion)}"
    return _failed("overconfident", stated, detail)


def without_broken_chain(conclusion: Conclusion) -> Conclusion:
    """A chain of which a link does not hold leads to no origin: the cause is what failed, as the
    experts say."""
    failed = {claim.id for claim in conclusion.claims if not claim.holds}
    if not failed.intersection(conclusion.chain):
        return conclusion
    symptom = conclusion.symptom
    return replace(
        conclusion,
        category=symptom.category if symptom else conclusion.category,
        frame=symptom.frame if symptom else conclusion.frame,
        confidence=min(conclusion.confidence, CAUSE_STRUCK),
        symptom=None,
        chain=(),
        origin=None,
    )


# What the conclusion's frame still lacks: its source line, its locals.
def gap_checks(state: Investigation, conclusion: Conclusion) -> list[Check]:
    """One check for the source line and one for the locals of the frame at fault.

    Where there are no symbols nothing can be asked for; a command that was already asked is not
    asked again, and its answer stands, whatever it was.
    """
    frame = conclusion.frame
    if frame is None or frame.function is None:
        return []
    if not is_source(frame.file) or frame.line is None:
        detail = "the frame has no debug information, so no source line or locals can be had"
        return [_passed("evidence-gap", frame.function, detail)]
    name, line = PurePosixPath(frame.file or "").name, frame.line
    listed = (
        fact.cite
        for fact in state.facts.all(SourceLine)
        if fact.line == line and (fact.file is None or PurePosixPath(fact.file).name == name)
    )
    shown = (fact.cite for fact in state.facts.all(Locals) if fact.function == frame.function)
    asks = spelt(state, frame_commands(state, frame))
    of_locals = [command for command in asks if command.intent == locals_intent(frame)]
    of_source = [command for command in asks if command not in of_locals]
    return [
        _gap(state, f"source of {name}:{line}", ("the source line is in evidence",
             "the source line was not read"), listed, of_source),
        _gap(state, f"locals of {frame.function}", ("the locals are in evidence",
             "the locals were not read"), shown, of_locals),
    ]  # fmt: skip


def _gap(
    state: Investigation, subject: str, details: tuple[str, str], cites: Iterable[Citation],
    asks: Sequence[Command],
) -> Check:  # fmt: skip
    """``details`` are what is said where it is there, and where it was not asked for."""
    there, not_read = details
    if (cite := next(iter(cites), None)) is not None:
        return _passed("evidence-gap", subject, there, (cite,))
    answers = {item.command: item.id for item in state.evidence.values()}
    refused = {failed.command.text for failed in state.failed_commands}
    left = tuple(c for c in asks if c.text not in answers and c.text not in refused)
    if left:
        return _failed("evidence-gap", subject, not_read, asks=left)
    items = [answers[c.text] for c in asks if c.text in answers]
    detail = f"asked for in {', '.join(items)}" if items else "the dump cannot answer it"
    return _passed("evidence-gap", subject, detail, tuple(map(Citation, items)))
