"""What a session made elsewhere says, again, by our own code from its texts alone.

Its journal may say anything. Facts are read from the texts, verdicts and the conclusion are the
experts' of these facts; what a person decided there, what runs of the program showed and what came
true of a prediction is not taken over.
"""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from analyzers.base import Document
from analyzers.registry import analyze
from workbench.agents import experts
from workbench.claims.render import of_cause
from workbench.engine.journal import Journal
from workbench.engine.keeping import read_in_pieces, summed_up
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.model import events
from workbench.model.assisted_events import Explained, OutputsRead, PieceRead
from workbench.model.evidence import Source
from workbench.model.hypothesis import DECIDED, Hypothesis, Status
from workbench.model.journal import Recorded
from workbench.model.session_events import TakenOver
from workbench.model.target import Options, TargetKind
from workbench.store.session_store import SessionStore
from workbench.store.texts import READ_WHOLE
from workbench.targets.reader import GoneReader

Texts = Callable[[str], Iterator[bytes]]
"""The stored text of an evidence item, in blocks. Raises `StoreError` and `OSError`."""
_TOLD = (
    "This session was made elsewhere: what was approved there is asked again, and its conclusion "
    "was drawn again here from its evidence, for which nobody here vouches; `workbench verify` "
    "holds that to the dump."
)


def disarmed(row: Recorded, host: str, options: Options, texts: Texts) -> Recorded:
    """An event as far as it may count here; ``host`` prints what evidence does not say who printed.
    Raises as ``texts`` does."""
    event: events.AnyEvent = row.event
    match event:
        case events.SessionOpened():
            # A plugin that the other person named would be loaded into a debugger of this one.
            own = replace(event.options, approve_all=False, sos=None, clr_path=None)
            event = replace(event, options=own)
        case events.EvidenceRecorded():
            event = _read(event, host, options, texts)
        case events.HypothesisProposed():
            event = replace(event, hypothesis=_undecided(event.hypothesis))
        case events.TestRan():
            event = replace(event, result=replace(event.result, verdict=""))
        case PieceRead():
            event = replace(event, findings=(), root_cause=None)
        case OutputsRead():
            event = replace(event, root_cause=None, summary=None)
        case Explained():  # its own words stay what they are: not checked
            bare = replace(event.explanation, claims=(), chain=(), origin=None, category=None)
            event = replace(event, explanation=replace(bare, confidence=0.0))
        case events.HypothesisMoved(by="user", status=Status.CONFIRMED | Status.REJECTED):
            event = events.Noticed(text=f"{event.id} was {event.status} by a person elsewhere.")
        case events.ApproveAll() | events.OriginFound() | events.PredictionsDecided():
            event = events.Noticed(
                text=f"Elsewhere: {type(event).__name__}. It counts for nothing here."
            )
        case _:
            pass
    return row._replace(event=event)


def _undecided(hypothesis: Hypothesis) -> Hypothesis:
    """As it was proposed; what bears the expert's name is in the expert's words."""
    mine = hypothesis.proposed_by == "expert"
    return replace(
        hypothesis,
        statement=of_cause(hypothesis.category.value, "") if mine else hypothesis.statement,
        status=Status.PROPOSED,
        confidence=0.0,
        function=None,
        decided_by="engine",
        reason="",
        tests=(),
        predictions=(),
        verdict=None,
    )


def _read(
    event: events.EvidenceRecorded, host: str, options: Options, texts: Texts
) -> events.EvidenceRecorded:
    """With the facts, the summary and the pieces that its text has (`EvidenceKeeper`)."""
    item = event.evidence
    start = b""
    for block in texts(item.id):
        start += block
        if len(start) > READ_WHOLE:
            start = start[: start.rfind(b"\n", 0, READ_WHOLE) + 1 or READ_WHOLE]
            break
    whole = partial(_decoded, texts, item.id) if item.size > READ_WHOLE else None
    text = start.decode("utf-8", "replace")
    printed = item.host or ("dump" if item.source is Source.FILE else host)
    document = Document(item.id, item.command, printed, text, whole)
    analysis = analyze(document)
    pieces = read_in_pieces(document, analysis, options)
    own = item.source is Source.USER and not event.facts  # of another selection, perhaps
    return events.EvidenceRecorded(
        evidence=replace(
            item,
            summary=summed_up(analysis, pieces),
            findings=analysis.findings or (pieces.findings if pieces else ()),
            overall_findings=pieces.overall if pieces else None,
        ),
        facts=() if own or item.by_model else analysis.facts,
        chunks=pieces.chunks if pieces else (),
    )


def _decoded(texts: Texts, id: str) -> Iterator[str]:
    return (block.decode("utf-8", "replace") for block in texts(id))


async def conclude_again(store: SessionStore) -> None:
    """Add to the copied events what they come to here. Raises `StoreError`."""
    journal = await Journal.load(store)
    session = Session(store, journal, GateMode.HEADLESS, GoneReader(), None, gone="made elsewhere")
    state = journal.state
    phase, stopped = state.phase, state.stopped
    talks = state.target is not None and state.target.kind is TargetKind.DOCUMENTS
    if phase is events.Phase.REPORTING and not talks:  # all that was left is to say how it ended
        phase, stopped = events.Phase.DONE, stopped or events.Stopped(by=events.StoppedBy.CONCLUDED)
    try:
        # Where a conclusion was drawn, what seems to be tested was decided by a person.
        ran = DECIDED if state.conclusion is None else {*DECIDED, Status.TESTING}
        decided = [h for h in state.hypotheses.values() if h.status in ran]
        again = [
            events.HypothesisMoved(
                id=h.id, status=Status.PROPOSED, by="engine", reason="approved elsewhere"
            )
            for h in state.untested()
        ]
        verdicts = [
            events.HypothesisDecided(id=h.id, verdict=experts.verdict(h.category, state.facts))
            for h in decided
        ]
        told = events.Noticed(text=_TOLD, severity="warning")
        await journal.record(TakenOver(), *again, *verdicts, told)
        if state.conclusion is None:
            return
        await journal.record(events.PhaseEntered(phase=events.Phase.REASONING))
        by = stopped.by if stopped else events.StoppedBy.INTERRUPTED
        await session.cut_short(by, "")
        if by in (events.StoppedBy.CONCLUDED, events.StoppedBy.INCONCLUSIVE):
            proved = state.judgement is not None and state.judgement.selected is not None
            by = events.StoppedBy.CONCLUDED if proved else events.StoppedBy.INCONCLUSIVE
        await session.recognise()
        ended = [events.Stopped(by=by, reason="")] if stopped else []
        await journal.record(events.PhaseEntered(phase=phase), *ended)
    finally:
        await session.close()
