"""The tools' arguments. What a model writes there is hostile: bounded, typed, or refused."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from workbench.agents.assisted import answers
from workbench.debuggers.authored import LONGEST

NEW, REPEATED, REFUSED, ERROR = "new", "repeated", "refused", "error"
INTENT = "asked for by the model"
"""Of a command: why it was run."""


@dataclass(frozen=True)
class Result:
    """``outcome`` is one of `NEW` (something was learned), `REPEATED`, `REFUSED`, `ERROR`;
    ``evidence`` are the items that it led to. ``done`` ends the loop."""

    text: str
    outcome: str = NEW
    evidence: tuple[str, ...] = ()
    done: bool = False


CONTRACTS = {
    "report_get": "Read a part of the crash report by its path, or an evidence item's numbered "
    "lines (evidence.E3).",
    "exec": "Run one read-only command of the debugger; its output becomes evidence.",
    "inspect": "Read an object with its fields, or memory, at an address; follow its pointers.",
    "get_thread_stack": "One thread's stack.",
    "source": "A function's source whole, with numbered lines.",
    "locals": "The arguments and variables of one frame of a thread.",
    "memory": "What lies at an address, as a type of the program.",
    "heap": "The heap's chunk at an address: its size, in use or free.",
    "find_value": "The lines of evidence in which a number stands.",
    "callers": "Who calls a function, in source that was listed.",
    "writers": "Who writes or frees a field, in source that was listed.",
    "calc": "sizeof, offsetof and arithmetic over the program's values, to be cited.",
    "hypothesis_register": "Propose another cause, with commands that test it.",
    "hypothesis_score": "Say how likely a hypothesis is, with the lines that say so.",
    "evidence_annotate": "Remark why an evidence item matters.",
    "checkpoint_complete": "Write down what must be known when older messages are dropped.",
    "analysis_complete": "End with the cause, in sentences that cite their lines.",
}


def _encodable(value: Any) -> Any:
    """Half a character, which JSON can spell, can be neither stored nor sent."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


Command = Annotated[str, BeforeValidator(_encodable)]


class Arguments(BaseModel):
    """Keys that a tool does not know are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=answers.plain)


class ReportGet(Arguments):
    """A part of the report."""

    path: answers.Word = Field(default="", description="e.g. analysis.threads.items, evidence.E3")
    page: int = Field(default=1, ge=1, le=100_000)
    fields: answers.Words = answers.some("only these keys of each item")
    filter: answers.Word = Field(default="", description="only items that hold this text")


class Exec(Arguments):
    """One read-only command of the debugger."""

    command: Command = Field(min_length=1, max_length=LONGEST)


class Inspect(Arguments):
    """Memory at an address."""

    address: str = Field(pattern=r"^(0[xX])?[0-9a-fA-F]{1,16}$")
    depth: int = Field(default=1, ge=1, le=3, description="how many pointers to follow")


class ThreadStack(Arguments):
    """One thread's stack, by its number or its id."""

    thread: int = Field(ge=0, le=1 << 40)


class Function(Arguments):
    """A function of the program."""

    function: str = Field(pattern=r"^[A-Za-z_~][\w:~]{0,120}$")


class OfFrame(Arguments):
    """A frame of a thread, by the thread's number or id."""

    thread: int = Field(ge=0, le=1 << 40)
    frame: int = Field(default=0, ge=0, le=10_000)


class Address(Arguments):
    """An address."""

    address: str = Field(pattern=r"^0[xX][0-9a-fA-F]{1,16}$")


class Typed(Address):
    """An address and the type of what lies there."""

    type: str = Field(pattern=r"^[A-Za-z_][\w: *]{0,120}$", description="e.g. struct node")


class Value(Arguments):
    """A number."""

    value: str = Field(pattern=r"^(0[xX][0-9a-fA-F]{1,16}|0|[1-9]\d{0,19})$")


class FieldName(Arguments):
    """A field, or the path to it."""

    field: str = Field(pattern=r"^[A-Za-z_][\w.>-]{0,120}$")


class Reckoned(Arguments):
    """An expression of the program's language without call or assignment."""

    expression: Command = Field(min_length=1, max_length=LONGEST)
    frame: int = Field(default=0, ge=0, le=10_000, description="whose names it uses")


class Register(Arguments):
    """A new hypothesis."""

    category: answers.Word
    statement: answers.Line
    function: answers.Word = ""
    citations: answers.Words = answers.some()
    commands: answers.Lines = answers.some("2 or 3 commands that test it")
    predictions: answers.Predictions = answers.some()


class Weigh(Arguments):
    """How likely a hypothesis is, and the lines that say so."""

    id: answers.Word
    likelihood: answers.Share
    why: answers.Line
    citations: answers.Words = Field(description='lines such as "E3:4-6"')


class Annotate(Arguments):
    """A remark on an evidence item that is there."""

    id: answers.Word
    tags: answers.Words = answers.some()
    why_it_matters: answers.Line
    citations: answers.Words = answers.some()


class Complete(Arguments):
    """What a run that forgot this conversation must know."""

    facts: answers.Statements = answers.some()
    next_steps: answers.Lines = answers.some()


class Conclude(Arguments, answers.Explained):
    """The cause: statements, the chain that they make, and an explanation."""

    model_config = Arguments.model_config
