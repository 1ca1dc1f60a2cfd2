"""The critic with a model: it sees the evidence's text, must offer the best other explanation, and
is believed only as far as what it says holds."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from workbench.agents.assisted import answers, context
from workbench.agents.assisted.claims import claims_of, hold
from workbench.agents.assisted.helper import Build, Helper
from workbench.agents.assisted.hypotheses import allowed, category_of, known_function
from workbench.agents.ports import Ports
from workbench.agents.tokens import extract, stands_in
from workbench.model.critique import OBJECTION, Check, Round
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

_KINDS = ("contradiction", "evidence-gap", "alternative", "overconfident")
_MOST = 5
_QUESTION = 200


async def object_to(helper: Helper, round: Round) -> Round:
    """A round of the code's critic with the model's part: the first one checks and objects, the
    next ones ask what became of its objections, and are left out where it had none."""
    ports = helper.ports
    conclusion = ports.state.conclusion
    if conclusion is None:
        return round
    before = ports.state.rounds[-1] if round.number > 1 and ports.state.rounds else None
    raised = [check for check in (before.checks if before else ()) if check.objects]
    if before is not None and not raised:
        return replace(round, questions=before.questions)

    async def values(size: int) -> dict[str, Any]:
        state = ports.state
        claims = context.rows_of_claims(state, conclusion.claims, none="none")
        proposed = ((f"{h.id} {h.category} ({h.status}): {h.reason}", h.citations)
                    for h in state.hypotheses.values())  # fmt: skip
        objections = ((f"{at}. {one.kind}: {one.subject}: {one.detail}", one.evidence)
                      for at, one in enumerate(raised, 1))  # fmt: skip
        citations = [citation for claim in conclusion.claims for citation in claim.citations]
        return {
            "category": conclusion.category.value,
            "confidence": f"{conclusion.confidence:.2f}",
            "claims": context.fenced("claims", claims, size // 3),
            "evidence": await context.cited(ports, citations, size * 2 // 3),
            "kinds": context.stating(size),
            "hypotheses": context.fenced(
                "hypotheses", context.rows_of(state, proposed, "none"), size // 3
            ),
            "categories": context.CATEGORIES,
            "debugger": ports.state.host,
            "raised": context.fenced("objections", context.rows_of(state, objections), size // 3),
        }

    async with helper.at_work("criticism"):
        if before is not None:
            return await _verified(helper, replace(round, questions=before.questions), values)
        answer = await helper.ask("criticism", values, answer=answers.Criticism)
        if answer is None or answer.value is None:
            return round
        said = answer.value
        checks = [
            *await _objections(ports, said.objections),
            *await _counter(ports, said.counter_hypothesis),
        ]
        questions = _questions(ports.state, said)
        return replace(round, checks=(*round.checks, *checks), questions=questions)


async def _verified(helper: Helper, round: Round, values: Build) -> Round:
    """The round with what became of the objections of the one before; new ones as they hold."""
    answer = await helper.ask("verification", values, answer=answers.Verification)
    if answer is None or answer.value is None:
        return round
    said = answer.value
    checks = []
    for at, check in enumerate((c for c in helper.ports.state.rounds[-1].checks if c.objects), 1):
        left = at in said.standing
        checks.append(replace(check, passed=not left, asks=() if not left else check.asks))
    more = await _objections(helper.ports, said.objections)
    return replace(round, checks=(*round.checks, *checks, *more))


async def _objections(ports: Ports, said: Sequence[answers.Objection]) -> list[Check]:
    """The objections that hold, each a failed check; the others are counted, not repeated."""
    claims = await hold(ports, claims_of([one.statement for one in said[:_MOST]]))
    checks = [
        Check(
            kind=objection.kind if objection.kind in _KINDS else "evidence-gap",
            subject="the conclusion, by the model",
            passed=False,
            detail=claim.text,
            severity=OBJECTION,
            evidence=claim.citations,
            by_model=True,
        )
        for objection, claim in zip(said, claims, strict=False)
        if claim.holds
    ]
    wrong = sum(not claim.holds for claim in claims)
    if wrong:
        detail = f"{wrong} of the model's objections are refuted or not known"
        checks.append(_passed("ungrounded", "the model's objections", detail))
    return checks


async def _counter(ports: Ports, candidate: answers.Candidate) -> list[Check]:
    """The best other explanation: tested already, or something to ask for."""
    state = ports.state
    category = category_of(candidate.category)
    if category is None:
        detail = "the model offers no other explanation that is a category"
        return [_passed("alternative", "the model's counter-hypothesis", detail)]
    function = known_function(state, candidate.function)
    subject = f"{category}{f' in {function}' if function else ''}, offered by the model"
    same = next((h for h in state.hypotheses.values() if h.category is category), None)
    if same is not None and same.status is not Status.PROPOSED:
        detail = f"{same.id} is that cause: {same.status}"
        return [_passed("alternative", subject, detail)]
    commands, _ = allowed(candidate.commands, state.host)
    asked = {item.command for item in state.evidence.values()}
    asks = tuple(c for c in commands if c.text not in asked and state.failure_of(c) is None)
    detail = "not among the hypotheses; no expert proposes it from these facts"
    return [
        Check(
            kind="alternative",
            subject=subject,
            passed=not asks,
            severity=OBJECTION,
            detail=detail,
            asks=asks,
            by_model=True,
        )
    ]


def _passed(kind: str, subject: str, detail: str) -> Check:
    return Check(kind=kind, subject=subject, passed=True, detail=detail, by_model=True)


def _questions(state: Investigation, said: answers.Criticism) -> tuple[str, ...]:
    """Questions in which every name and number is known from the evidence's own summaries."""
    known = "\n".join(
        [f"{item.command}\n{item.summary}" for item in state.evidence.values()]
        + [claim.text for claim in (state.conclusion.claims if state.conclusion else ())]
    )
    return tuple(
        question
        for question in said.questions
        if question.endswith("?")
        and len(question) <= _QUESTION
        and all(stands_in(token, known) for token in extract(question))
    )
