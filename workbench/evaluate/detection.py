"""Stage 4, first half: what decides a case. Programmatic first, a model's opinion last."""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from workbench.evaluate.judging import OPEN, RIGHT, WRONG, verdict
from workbench.evaluate.opinion import majority
from workbench.evaluate.records import Capture, Verdict
from workbench.evaluate.schema import Case
from workbench.model.category import Category


class Found(NamedTuple):
    """right, open or wrong, and what was said."""

    verdict: str
    said: str


Detect = Callable[[Case, Capture, str], Found | None]


def _capture(case: Case, got: Capture, report: str) -> Found | None:
    """What was captured is what is expected, or is not; a target that was refused claims nothing,
    even where nothing is expected."""
    expected = case.expected
    if got.why:
        return Found(OPEN, "refused")
    if expected.answer is not None:
        return Found(RIGHT if got.answer == expected.answer else WRONG, str(got.answer))
    if case.kind == "redaction":
        left = got.left or ""
        told = [text for text in expected.absent if text in left]
        lost = [text for text in expected.present if text not in left]
        why = f"told: {told}" if told else f"lost: {lost}" if lost else "redacted"
        return Found(WRONG if told or lost else RIGHT, why)
    if case.kind == "statements":
        held, made = got.statements.get("held", 0), got.statements.get("exchanged", 0)
        said = f"{held} of {made} exchanged statements are verified"
        return Found(WRONG if held else RIGHT if made else OPEN, said)
    if expected.category is not None:
        return Found(verdict(expected, got.category or "unknown"), got.category or "unknown")
    if got.parts:
        held, of = [*got.parts.values()].count(RIGHT), len(got.parts)
        return Found(RIGHT if held == of else OPEN, f"{held} of {of} parts")
    return None


def _event(case: Case, got: Capture, report: str) -> Found | None:
    """The journal has, or lacks, the event that the component answers with."""
    if not case.expected.event:
        return None
    return Found(RIGHT if got.events.get(case.expected.event) else OPEN, case.expected.event)


def _pattern(case: Case, got: Capture, report: str) -> Found | None:
    """A text of the transcript."""
    if not case.expected.pattern:
        return None
    found = re.search(case.expected.pattern, report)
    return Found(RIGHT if found else OPEN, found[0][:80] if found else "")


DETECTIONS: tuple[tuple[str, float, Detect], ...] = (
    ("capture", 1.0, _capture),
    ("event", 1.0, _event),
    ("pattern", 0.8, _pattern),
)
"""In this order: the first that has an answer decides. A model's opinion (0.6) follows where that
leaves it open."""
JUDGE = 0.6


def detect(case: Case, got: Capture, report: str) -> Verdict:
    """The verdict of one case; ``open`` and undecided where nothing here can tell. A part that is
    told otherwise than it is known is a false claim, whatever the cause."""
    common = Verdict(
        id=case.id,
        corpus=case.corpus,
        component=case.component,
        batch=case.batch,
        source=source_of(case),
        expected=case.expected.category or case.expected.answer or "",
        verdict="open",
        confidence=got.confidence,
        parts=got.parts,
        notes=got.notes,
        seconds=got.run_seconds,
        rivals=got.confirmed if len(got.confirmed) > 1 else (),
        conflict=conflict(case, got),
    )
    if got.status != "done":
        return common.model_copy(update={"verdict": got.status, "notes": (got.why,)})
    for name, weight, look in DETECTIONS:
        found = look(case, got, report)
        if found is not None:
            astray = WRONG in got.parts.values()
            told = {"verdict": WRONG if astray else found.verdict, "said": found.said}
            common = common.model_copy(update={**told, "decided_by": name, "weight": weight})
            break
    if common.verdict == OPEN and got.opinions:
        most, agreement = majority(got.opinions)
        said = {"verdict": most, "said": ", ".join(got.opinions), "agreement": agreement}
        return common.model_copy(update={**said, "decided_by": "judge", "weight": JUDGE})
    return common


def source_of(case: Case) -> str:
    """What its variants share: the file; the case itself where it has none."""
    return f"{case.corpus}/{case.target}" if case.target else case.id


def conflict(case: Case, got: Capture) -> Literal["", "low", "medium", "high"]:
    """How grave it is that several causes were confirmed: high where the expectation itself has
    several of them, medium where two are of one kind, low where all are of other kinds."""
    if len(got.confirmed) < 2:
        return ""
    wanted = {case.expected.category, *case.expected.also, *case.expected.wider}
    if sum(one in wanted for one in got.confirmed) > 1:
        return "high"
    kinds = {Category(one).kind for one in got.confirmed}
    return "medium" if len(kinds) < len(got.confirmed) else "low"
