"""What models are asked to answer, as pydantic models.

Nothing here trusts: lists and texts are cut to a bounded length instead of refused, numbers are
clamped, and what is missing is empty, so that a clumsy answer costs no second call. Whether any of
it holds is decided elsewhere.
"""

import math
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from workbench.model.text import printable

MOST = 8
"""Items of any list in an answer."""
MOST_STATEMENTS = 40
MOST_ARGS = 12
_LONGEST_PROSE = 8000


def _text(most: int) -> BeforeValidator:
    def cut(value: Any) -> str:
        if value is None or isinstance(value, dict | list):
            return ""
        return printable(" ".join(str(value)[: most * 2].split()))[:most]

    return BeforeValidator(cut)


def _list(value: Any, most: int = MOST) -> list[Any]:
    if value is None:
        return []
    items = value if isinstance(value, list | tuple) else [value]
    return list(items)[:most]


def _share(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return min(1.0, max(0.0, number)) if math.isfinite(number) else 0.0


Word = Annotated[str, _text(80)]
Line = Annotated[str, _text(400)]
Share = Annotated[float, BeforeValidator(_share)]
Prose = Annotated[str, _text(_LONGEST_PROSE)]
Words = Annotated[list[Word], BeforeValidator(_list)]
Lines = Annotated[list[Line], BeforeValidator(_list)]


def _objects(value: Any, most: int = MOST) -> list[Any]:
    """Only objects: a model that writes a sentence where one belongs has said nothing citable."""
    return [item for item in _list(value, most) if isinstance(item, dict | BaseModel)]


def _object(value: Any) -> Any:
    return value if isinstance(value, dict | BaseModel) else {}


def plain(schema: dict[str, Any]) -> None:
    """A schema without what a model does not need to fill it in: it is part of every question. Its
    own title is what instructor calls the answer by."""
    schema.pop("description", None)
    for part in schema.get("properties", {}).values():
        part.pop("title", None)
        if part.get("default") in ("", 0.0, None):
            part.pop("default", None)


class Loose(BaseModel):
    """Keys that nobody asked for are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=plain)


def _said(description: str) -> Any:
    return Field(default="", description=description)


def some(description: str | None = None) -> Any:
    """A list that is empty where the model writes none."""
    return Field(default_factory=list, description=description)


class Sentence(Loose):
    """Words of the model's own: shown as such, and not checked."""

    text: Line = _said("one sentence")
    citations: Words = some('lines such as "E3:4-6"')


def _pairs(value: Any) -> list[Any]:
    """Arguments as pairs, also where a model writes them as one object."""
    if isinstance(value, dict) and not {"name", "value"} <= set(value):
        return [{"name": name, "value": given} for name, given in list(value.items())[:MOST_ARGS]]
    return _objects(value, MOST_ARGS)


class Argument(Loose):
    """One argument of a statement."""

    name: Word = ""
    value: Line = _said("as the line writes it")


class Statement(Loose):
    """One statement of a kind that was listed, with the lines that say it."""

    kind: Word = ""
    args: Annotated[list[Argument], BeforeValidator(_pairs)] = some()
    denied: bool = False
    citations: Words = some('lines such as "E3:4"')


Statements = Annotated[list[Statement], BeforeValidator(lambda v: _objects(v, MOST_STATEMENTS))]


def _numbers(value: Any) -> list[int]:
    """Positions of statements, from 1, however they are written: 3, "3", "S3"."""
    found = (re.search(r"\d{1,3}", str(item)) for item in _list(value, MOST_STATEMENTS))
    return [int(match[0]) for match in found if match]


Numbers = Annotated[list[int], BeforeValidator(_numbers)]


class Predicted(Loose):
    """What a command will show if the hypothesis is true."""

    command: Line = ""
    statement: Annotated[Statement, BeforeValidator(_object)] = Field(default_factory=Statement)


Predictions = Annotated[list[Predicted], BeforeValidator(_objects)]


class OriginSaid(Loose):
    """The line of the program that caused it."""

    kind: Word = _said("one of the kinds of origins that were listed")
    function: Word = ""
    file: Word = ""
    line: int = Field(default=0, ge=0)


class Remark(Sentence):
    """What one of the outputs says, with a word or two to find it by."""

    tags: Words = some("1 or 2 lower-case words")


class Readout(Loose):
    """What outputs say that matters, and the cause where one of them tells it."""

    remarks: Annotated[list[Remark], BeforeValidator(_objects)] = some("at most 4 sentences")
    root_cause: Annotated[Sentence, BeforeValidator(_object)] = Field(
        default_factory=lambda: Sentence(), description="empty unless a line tells it"
    )


class Overall(Loose):
    """What the pieces of one output say together."""

    summary: Line = _said("one sentence")
    root_cause: Numbers = some("place of the cause that was found; empty where none is")


class Candidate(Loose):
    """One possible cause."""

    category: Word = _said("one of the categories that were listed")
    statement: Line = _said("one sentence that says how it came to this end")
    function: Word = _said("the function at fault, as it stands in a stack")
    citations: Words = some('lines such as "E3:4-6"')
    commands: Lines = some("2 or 3 commands of the debugger that tell it from others")
    predictions: Predictions = some()


class Candidates(Loose):
    """Competing causes, the most likely first."""

    hypotheses: Annotated[list[Candidate], BeforeValidator(_objects)] = some()


class Explained(Loose):
    """Why it ended as it did: statements that code checks, the chain that they make from the fault
    back to the origin, and an explanation in the model's own words."""

    hypothesis: Word = _said("the id of the hypothesis that it explains: H1, H2, …")
    category: Word = _said("the category of the root cause")
    confidence: Share = 0.0
    statements: Statements = some()
    chain: Numbers = some("positions in statements, from the fault back to the origin")
    origin: Annotated[OriginSaid, BeforeValidator(_object)] = Field(default_factory=OriginSaid)
    predictions: Predictions = some()
    explanation: Prose = _said("in your own words, as long as it needs")


class Objection(Loose):
    """Something that is wrong with the conclusion."""

    kind: Word = _said("contradiction | evidence-gap | alternative | overconfident")
    statement: Annotated[Statement, BeforeValidator(_object)] = Field(default_factory=Statement)


class Criticism(Loose):
    """What speaks against the conclusion, and the best other explanation there is."""

    counter_hypothesis: Annotated[Candidate, BeforeValidator(_object)] = Field(
        default_factory=lambda: Candidate()
    )
    objections: Annotated[list[Objection], BeforeValidator(_objects)] = some()
    questions: Lines = some("what a person could tell that the dump does not")


class Verification(Loose):
    """What came of the objections to a conclusion that was mended since."""

    standing: Numbers = some("positions of the objections that still stand")
    objections: Annotated[list[Objection], BeforeValidator(_objects)] = some()


class Telling(Loose):
    """A short text for a reader, in the model's own words."""

    text: Prose = ""


class Plan(Loose):
    """Whether the evidence answers a question, and what would where it does not."""

    sufficient: bool = True
    commands: Lines = some("read-only commands of the debugger; empty if sufficient")


class NextTurn(Loose):
    """One question to the person, or a proposed solution."""

    kind: Word = _said('"question" or "solution"')
    question: Line = _said("one question; empty for a solution")
    text: Prose = _said("the solution; empty for a question")
    statements: Statements = some()
