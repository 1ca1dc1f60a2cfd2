"""What the conclusion's frame still lacks: its source line, its locals."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from workbench.agents.investigator import frame_commands, locals_intent
from workbench.agents.spelling import spelt
from workbench.model.citation import Citation
from workbench.model.critique import Check, Conclusion
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Locals, SourceLine
from workbench.model.investigation import Investigation
from workbench.model.listing import is_source


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
        return [Check(kind="evidence-gap", subject=frame.function, passed=True, detail=detail)]
    return [_source(state, frame), _locals(state, frame)]


def _source(state: Investigation, frame: Frame) -> Check:
    name = PurePosixPath(frame.file or "").name
    subject = f"source of {name}:{frame.line}"
    for fact in state.facts.all(SourceLine):
        same_file = fact.file is None or PurePosixPath(fact.file).name == name
        if same_file and fact.line == frame.line:
            return Check(
                kind="evidence-gap",
                subject=subject,
                passed=True,
                detail="the source line is in evidence",
                evidence=(fact.cite,),
            )
    asks = [c for c in _asks(state, frame) if c.intent != locals_intent(frame)]
    return _asked_or_gap(state, subject, asks, "the source line was not read")


def _locals(state: Investigation, frame: Frame) -> Check:
    subject = f"locals of {frame.function}"
    for fact in state.facts.all(Locals):
        if fact.function == frame.function:
            return Check(
                kind="evidence-gap",
                subject=subject,
                passed=True,
                detail="the locals are in evidence",
                evidence=(fact.cite,),
            )
    asks = [c for c in _asks(state, frame) if c.intent == locals_intent(frame)]
    return _asked_or_gap(state, subject, asks, "the locals were not read")


def _asks(state: Investigation, frame: Frame) -> tuple[Command, ...]:
    return spelt(state, frame_commands(state, frame))


def _asked_or_gap(
    state: Investigation, subject: str, asks: Sequence[Command], detail: str
) -> Check:
    answers = {item.command: item.id for item in state.evidence.values()}
    refused = {failed.command.text for failed in state.failed_commands}
    left = tuple(c for c in asks if c.text not in answers and c.text not in refused)
    if left:
        return Check(
            kind="evidence-gap",
            subject=subject,
            passed=False,
            detail=detail,
            severity="warning",
            asks=left,
        )
    items = [answers[c.text] for c in asks if c.text in answers]
    return Check(
        kind="evidence-gap",
        subject=subject,
        passed=True,
        detail=f"asked for in {', '.join(items)}" if items else "the dump cannot answer it",
        evidence=tuple(Citation(item) for item in items),
    )
