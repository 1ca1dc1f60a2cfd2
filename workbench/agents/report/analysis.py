"""What the report says of the investigation: its conclusion, and how it came to that.

The root cause, its reasoning, evidence and summary are made of verified statements only; refuted
and unknown ones are listed, with the reason, and used for nothing. What the process was doing is
told from what its threads wait for, verified by the facts themselves.
"""

from collections.abc import Callable

from analyzers.patterns.case import Case
from analyzers.patterns.stuck import waiting
from workbench.agents import looking
from workbench.agents.checking import book_of
from workbench.agents.model_choice import lacking
from workbench.agents.observed import advised
from workbench.agents.questions import follow_up_questions
from workbench.agents.report import assisted
from workbench.agents.report.models import degraded_of
from workbench.agents.report.threads import file_name
from workbench.agents.report.view import shortened
from workbench.agents.weight import allowed_confidence
from workbench.claims.kinds import KINDS
from workbench.claims.render import headline, resting
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Arg, Claim, Outcome
from workbench.model.critique import Conclusion
from workbench.model.evidence import Evidence
from workbench.model.facts import Finding, Frame, Process, Signal, SourceLine, Wait
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, Strength
from workbench.model.report_conclusion import (
    Advice,
    AiAnalysis,
    ArgInfo,
    ClaimInfo,
    Critique,
    CritiqueRound,
    ExplanationInfo,
    FrameRef,
    HypothesisInfo,
    Issue,
    Judge,
    LedgerRow,
    Narrative,
    OriginInfo,
    OverallInfo,
    PredictionInfo,
    RejectedInfo,
    SourceText,
    SymptomInfo,
    TestInfo,
)
from workbench.model.text import counted

_MOST = 5


def narrative(state: Investigation) -> Narrative:
    """The number of threads and what the first of those wait for that did not end the process,
    before all for a lock that somebody holds, and how many are left out; empty where no such wait
    is known, and for a single thread."""
    process, waits = state.facts.first(Process), _waits(state)
    if not waits or (process is not None and len(process.threads) == 1):
        return Narrative(description=None, confidence=None)
    told = [
        say("thread", (wait.cite,), state="computes", thread=wait.thread)
        if wait.kind == "running"
        else waiting(wait, state.facts)
        for wait in waits[:_MOST]
    ]
    if process is not None and process.threads:
        count = say("count", (process.cite,), what="threads", count=len(process.threads))
        told = [count, *told]
    if len(told) < 2:
        return Narrative(description=None, confidence=None)
    text = " ".join(f"{c.text} [{', '.join(map(str, c.citations))}]" for c in told)
    if left := len(waits[_MOST:]):
        text += f" What {counted(left, 'more thread')} did is in the list of threads."
    return Narrative(description=text, confidence=1.0)


def _waits(state: Investigation) -> list[Wait]:
    """One for each thread that did not end the process."""
    process, signal = state.facts.first(Process), state.facts.first(Signal)
    outside = (
        process is not None
        and signal is not None
        and (signal.sender_pid not in (None, process.pid))
    )  # another process sent it: no thread raised it
    raised = None if signal is None or outside else signal.thread
    waits = {wait.thread: wait for wait in state.facts.all(Wait) if wait.thread != raised}
    return sorted(waits.values(), key=lambda one: one.kind == "join" or one.owner is None)


_QUOTED = 12
_OUTCOMES = {Outcome.VERIFIED: "true", Outcome.REFUTED: "false", Outcome.UNKNOWN: "unknown"}
_CONTEXT = 3


def ai_analysis(state: Investigation, text_of: Callable[[str], str]) -> AiAnalysis:
    """What the investigation came to; ``text_of`` gives the stored text of an evidence item."""
    conclusion = state.conclusion
    claims = conclusion.claims if conclusion is not None else ()
    held = [claim for claim in claims if claim.holds]
    category = _category(state, held)
    proved = bool(held) and (category is not Category.UNKNOWN or _is_selected(state))
    origin = conclusion.origin if conclusion is not None else None
    # A run that showed where it began is told, though no category has a word for what failed.
    proved = proved or (bool(held) and origin is not None and bool(origin.runs))
    refuted = len(held) < len(claims)
    frame = None if proved or refuted else _ended_in(state)
    if proved and conclusion is not None and conclusion.frame is not None:
        frame = _frame_ref(state, conclusion.frame)
    asked = state.judgement.questions if state.judgement is not None else ()
    return AiAnalysis(
        root_cause=headline(held, conclusion.origin) if proved and conclusion else None,
        root_cause_citations=_headline_cites(held, conclusion) if proved else (),
        category=category.value,
        cwe=category.cwe,
        confidence=_confidence(state, conclusion, proved),
        reasoning=" ".join(assisted.cited(claim) for claim in held) or None,
        frame=frame,
        claims=tuple(
            ClaimInfo.of(claim, args=_args(claim), quoted=_quoted(claim, state, text_of))
            for claim in claims
        ),
        symptom=_symptom(state, conclusion) if proved else None,
        chain=conclusion.chain if conclusion is not None else (),
        origin=_place(origin, origin.strength) if origin is not None else None,
        explanation=_explanation(state, conclusion),
        evidence=tuple(f"{claim.text} — {', '.join(_all(claim.citations))}" for claim in held),
        evidence_ledger=tuple(_row(state, item) for item in state.evidence.values()),
        hypotheses=tuple(_hypothesis(h) for h in state.hypotheses.values()),
        judge=_judge(state),
        critique=_critique(state),
        follow_up_questions=asked or follow_up_questions(state),
        summary=Advice(description=assisted.summary(held), recommendations=advised(state)),
        thread_narrative=narrative(state),
        checkpoints=assisted.checkpoints(state),
        tier=state.models.tier,
        degraded=degraded_of(state.models),
        stopped_by=state.stopped.by.value if state.stopped is not None else None,
        stopped_reason=(state.stopped.reason or None) if state.stopped is not None else None,
        missing=conclusion.missing if conclusion is not None else (),
        notices=tuple(dict.fromkeys(n.text for n in state.notices if n.severity != "info")),
    )


def _headline_cites(held: list[Claim], conclusion: Conclusion | None) -> tuple[str, ...]:
    """The lines of what the headline tells."""
    told = [held[0], *(resting(held) if held[0].kind == "cause" else ())]
    origin = conclusion.origin if conclusion is not None else None
    told = [claim for claim in told if origin is None or claim.kind != "caller"]
    cites = [
        *(origin.evidence if origin is not None else ()),
        *(c for k in told for c in k.citations),
    ]
    return _all(tuple(dict.fromkeys(cites)))


def _args(claim: Claim) -> tuple[ArgInfo, ...]:
    return tuple(
        ArgInfo(name=arg.name, value=_plain(claim.kind, arg), citations=_all(arg.cites))
        for arg in claim.args
    )


def _plain(kind: str, arg: Arg) -> int | str:
    """Addresses and machine words are strings, as everywhere in the report."""
    column = KINDS[kind].columns.get(arg.name) if kind in KINDS else None
    if isinstance(arg.value, int) and column is not None and column.type == "hex":
        return f"{arg.value:#x}"
    return arg.value


def _symptom(state: Investigation, conclusion: Conclusion | None) -> SymptomInfo | None:
    """What failed: the conclusion's own cause, unless an origin took its place."""
    if conclusion is None:
        return None
    symptom = conclusion.symptom
    category = symptom.category if symptom is not None else conclusion.category
    frame = symptom.frame if symptom is not None else conclusion.frame
    ids = tuple(c.id for c in conclusion.claims if c.by == "expert" and c.holds)
    return SymptomInfo(
        category=category.value,
        frame=_frame_ref(state, frame) if frame is not None else None,
        claims=ids,
    )


def _place(origin: Origin, strength: Strength) -> OriginInfo:
    return OriginInfo.of(
        origin,
        strength=strength,
        forced_order=origin.forced,
        file=file_name(origin.file),
        address=f"{origin.address:#x}" if origin.address is not None else None,
        stack=tuple(frame.function or f"{frame.address or 0:#x}" for frame in origin.stack),
    )


def _explanation(state: Investigation, found: Conclusion | None) -> ExplanationInfo | None:
    said = state.assisted.explanation
    if said is None or not (said.text or said.origin):
        return None
    if said.origin is None or (found is not None and found.origin is not None):
        return ExplanationInfo.of(said, origin=None, confidence=None)
    return ExplanationInfo.of(
        said,
        origin=_place(said.origin, Strength.SAID),
        confidence=min(said.confidence, _UNSHOWN),
        not_shown=tuple(lacking(said, state)),
    )


_UNSHOWN = 0.5
"""At most, of a cause that is not shown."""


def _category(state: Investigation, held: list[Claim]) -> Category:
    """The selected hypothesis' category; unknown while nothing is selected or nothing held, but for
    that of an origin which a run showed."""
    conclusion, judgement = state.conclusion, state.judgement
    if conclusion is None or not held:
        return Category.UNKNOWN
    selected = state.hypotheses.get(
        (judgement.selected if judgement is not None else conclusion.hypothesis) or ""
    )
    if selected is None:
        observed = conclusion.origin is not None and bool(conclusion.origin.runs)
        return conclusion.category if observed else Category.UNKNOWN
    if judgement is None and selected.status is not Status.CONFIRMED:
        return Category.UNKNOWN
    return conclusion.category if conclusion.hypothesis == selected.id else selected.category


def _is_selected(state: Investigation) -> bool:
    """True when the judge chose the conclusion's hypothesis: what ended it is proved, though no
    category has a word for it."""
    conclusion, judgement = state.conclusion, state.judgement
    if conclusion is None or judgement is None or conclusion.hypothesis is None:
        return False
    return judgement.selected == conclusion.hypothesis


def _confidence(state: Investigation, conclusion: Conclusion | None, proved: bool) -> float | None:
    if conclusion is None:
        return None
    if not proved:
        return 0.0  # beside no cause there is nothing to be sure of
    stated = conclusion.confidence if conclusion.confidence == conclusion.confidence else 0.0
    return max(0.0, min(1.0, stated, allowed_confidence(state, conclusion)))


def _quoted(claim: Claim, state: Investigation, text_of: Callable[[str], str]) -> tuple[str, ...]:
    """The first of the lines that a claim cites, as far as a reader wants them beside it."""
    found: list[str] = []
    book = book_of(state, text_of)
    for citation in claim.citations:
        lines = book.cited(citation) if citation.first else ()
        found += [shortened(line) for _, line in lines][: _QUOTED - len(found)]
    return tuple(found)


def _all(citations: tuple[Citation, ...]) -> tuple[str, ...]:
    return tuple(str(citation) for citation in citations)


def _ended_in(state: Investigation) -> FrameRef | None:
    """Where nothing is concluded, the program's frame of the thread that a signal or an exception
    ended, which no cause is told of."""
    ended = state.facts.once(Case).ending is not None or state.facts.first(Finding) is not None
    shown = state.conclusion is not None and ended
    frame = looking.ended_in(state.facts, len(state.facts)) if shown else None
    named = frame is not None and (frame.function or frame.file)
    return _frame_ref(state, frame) if frame is not None and named else None


def _frame_ref(state: Investigation, frame: Frame) -> FrameRef:
    context = _context(state, frame.file, frame.line)
    return FrameRef.of(
        frame,
        module=file_name(frame.module),
        offset=f"{frame.offset:#x}" if frame.offset is not None else None,
        source=context.get(frame.line or 0),
        context=tuple(SourceText(line=number, text=text) for number, text in context.items()),
    )


def _context(state: Investigation, file: str | None, line: int | None) -> dict[int, str]:
    """The lines of a file around one of them, as far as the debugger listed them."""
    if file is None or line is None:
        return {}
    found: dict[int, str] = {}
    for fact in state.facts.all(SourceLine):
        near = abs(fact.line - line) <= _CONTEXT
        if near and (fact.file is None or file_name(fact.file) == file_name(file)):
            found.setdefault(fact.line, fact.text)
    return dict(sorted(found.items()))


def _row(state: Investigation, item: Evidence) -> LedgerRow:
    overall = item.overall_findings
    return LedgerRow.of(
        item,
        time=item.at,
        annotations=assisted.annotations(state, item.id),
        overall_findings=OverallInfo.of(overall) if overall is not None else None,
    )


def _hypothesis(hypothesis: Hypothesis) -> HypothesisInfo:
    verdict = hypothesis.verdict
    return HypothesisInfo.of(
        hypothesis,
        statement=_statement(hypothesis),
        by=hypothesis.proposed_by,
        tests=tuple(TestInfo.of(test) for test in hypothesis.tests),
        supporting=_all(verdict.supporting if verdict is not None else hypothesis.citations),
        contradicting=_all(verdict.contradicting) if verdict is not None else (),
        predictions=tuple(
            PredictionInfo(
                kind=one.claim.kind,
                args=_args(one.claim),
                text=one.claim.text,
                command=one.command,
                outcome=_OUTCOMES[one.outcome],
                evidence=one.evidence,
            )
            for one in hypothesis.predictions
        ),
    )


def _judge(state: Investigation) -> Judge:
    judgement = state.judgement
    if judgement is None:
        return Judge(selected=None, rationale=None, rejected=())
    return Judge(
        selected=judgement.selected,
        rationale=judgement.rationale,
        rejected=tuple(RejectedInfo.of(r) for r in judgement.rejected),
    )


def _critique(state: Investigation) -> Critique:
    return Critique(
        rounds=tuple(
            CritiqueRound(
                round=item.number,
                issues=tuple(
                    Issue.of(check, claim=check.subject)
                    for check in item.checks
                    if not check.passed
                ),
                resolved=item.resolved,
                checks=len(item.checks),
            )
            for item in state.rounds
        )
    )


def _statement(hypothesis: Hypothesis) -> str:
    """A hypothesis's sentence; a person's or a model's is marked, since the verdict is of the cause
    only."""
    if hypothesis.proposed_by == "model" and not hypothesis.edited:
        return f"{hypothesis.statement} (proposed by the model)"
    theirs = hypothesis.edited or hypothesis.proposed_by == "user"
    return f"{hypothesis.statement} (in the user's words)" if theirs else hypothesis.statement
