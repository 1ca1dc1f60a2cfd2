"""What the stages hand on: components, captures, verdicts, results and the state of a run."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, model_validator

from workbench.evaluate.schema import Case, Data, Told

STATE_VERSION = 3

# A part's verdict; an older version knew only whether it was as expected.
Part = Annotated[
    Told, BeforeValidator(lambda v: v if isinstance(v, str) else ("wrong", "right")[v])
]
Mode = Literal["batched_by_component", "isolated"]


class Component(Data):
    """A part of the product that is measured: its name is ``kind/what``, ``triggers`` says in words
    what brings it into play."""

    name: str
    triggers: str = ""


class Analysis(Data):
    """``analysis.json``: a component that is taken out has no cases."""

    components: tuple[Component, ...] = ()


class Scenarios(Data):
    """``scenarios.json``: all that will be done, in order."""

    cases: tuple[Case, ...] = ()


class ModelUse(Data):
    """What one model was asked by a case; ``cost_usd`` is None where no table has its price,
    ``seconds`` are those of its calls."""

    name: str
    tier: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0


class Capture(Data):
    """What came of a case. ``status``: done, cannot (its target cannot be made here), failed, or
    capped (a model was refused for what it may spend: no answer, and not kept).

    ``events`` counts the journal's events by kind, and what they say by ``kind/what``
    (``confirmed/deadlock``, ``evidence/gdb``, ``answered/critic``). ``commands`` are those that the
    engine sent to the debugger, ``opinions`` a judging model's samples. ``statements`` counts the
    verified ones, what exchanges made of them, and how many of those were verified too.
    Seconds are of the wall's clock. ``made_of`` is a hash of the case, its target and the
    workbench's code.
    """

    id: str
    made_of: str = ""
    status: Literal["done", "cannot", "failed", "capped"] = "done"
    why: str = ""
    mode: Mode = "batched_by_component"
    make_seconds: float = 0.0
    run_seconds: float = 0.0
    bare_seconds: float | None = None
    bare: dict[str, str] = {}
    category: str | None = None
    confidence: float | None = None
    root_cause: str = ""
    severity: str | None = None
    parts: dict[str, Part] = {}
    notes: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    events: dict[str, int] = {}
    commands: tuple[str, ...] = ()
    answer: str | None = None
    left: str | None = None
    statements: dict[str, int] = {}
    models: tuple[ModelUse, ...] = ()
    degraded: tuple[str, ...] = ()
    opinions: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_an_older_version(cls, given: Any) -> Any:
        """There, parts that were not told stood apart."""
        if isinstance(given, dict) and "untold" in given:
            given = dict(given)
            given["parts"] = dict.fromkeys(given.pop("untold"), "open") | given.get("parts", {})
        return given


class Captures(Data):
    """``captures.json``."""

    captures: tuple[Capture, ...] = ()


class Verdict(Data):
    """A case's verdict and what decided it: capture, event, pattern or judge, with its weight.

    ``conflict``: several causes were confirmed where one should be (low: all of other kinds,
    medium: two of one kind, high: the expectation itself has several). ``agreement`` is the
    share of a judging model's samples that said the same. ``source`` is the file that the case is
    made of: cases of one source are not independent.
    """

    id: str
    corpus: str = ""
    component: str = ""
    batch: str = ""
    source: str = ""
    expected: str = ""
    said: str = ""
    verdict: Literal["right", "open", "wrong", "cannot", "failed"]
    decided_by: str = ""
    weight: float = 0.0
    confidence: float | None = None
    parts: dict[str, Part] = {}
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    rivals: tuple[str, ...] = ()
    conflict: Literal["", "low", "medium", "high"] = ""
    agreement: float | None = None


class Figure(Data):
    """A share with its 95 % interval."""

    hits: int
    of: int
    share: float
    low: float
    high: float


# What an older version wrote as a count alone.
Counted = Annotated[
    Figure,
    BeforeValidator(
        lambda v: Figure(hits=v, of=0, share=0, low=0, high=1) if isinstance(v, int) else v
    ),
]


class Estimate(Data):
    """A mean, a ratio or a distance with its 95 % interval, None where a single source, or an older
    version, gives none."""

    value: float
    low: float | None = None
    high: float | None = None


# What an older version wrote as the bare number.
Estimated = Annotated[
    Estimate, BeforeValidator(lambda v: {"value": v} if isinstance(v, float | int) else v)
]


class Row(Data):
    """The verdicts of one group; ``wrong`` are the false claims, apart from what stays open, as
    ``astray`` are the parts that are told otherwise, apart from those that are not told. ``each``:
    a case's seconds."""

    right: Figure
    open: Figure
    wrong: Figure
    parts: dict[str, Figure] = {}
    astray: dict[str, Figure] = {}
    cannot: int = 0
    failed: int = 0
    seconds: float = 0.0
    each: Estimate | None = None
    precision: Figure | None = None
    recall: Figure | None = None


class Bin(Data):
    """Conclusions of about one confidence, and how many of them are right."""

    low: float
    high: float
    confidence: float
    right: Figure


class ModelTotal(ModelUse):
    """What one model was asked by all cases, and what of it one case takes."""

    each: dict[str, Estimate] = {}


class Results(Data):
    """``results.json``. ``to_bare`` is the time of investigations to that of the bare debugger with
    the same commands; ``speed`` and ``differing`` are of cases done in both kinds of sessions."""

    version: str
    created: str
    debugger: str = ""
    mode: str = ""
    tier: str = "offline"
    groups: dict[str, dict[str, Row]]
    bins: tuple[Bin, ...] = ()
    calibration_error: Estimated | None = None
    confusion: dict[str, dict[str, int]] = {}
    conflicts: dict[str, Counted] = {}
    rivals: dict[str, int] = {}
    models: tuple[ModelTotal, ...] = ()
    seconds: dict[str, float] = {}
    to_bare: Estimate | None = None
    speed: dict[str, Estimated] = {}
    differing: Figure | None = None
    bare: dict[str, Row] = {}
    cases: tuple[Verdict, ...]


class State(Data):
    """``state.json``: what is done, for a run that goes on. What another version wrote beside it is
    kept; a field that it did not know has its default.

    ``components`` are all that the product had when it was last looked at, None where that is not
    known; ``added`` those that came since the cases were made."""

    model_config = ConfigDict(**{**Data.model_config, "extra": "allow", "frozen": False})

    version: int = STATE_VERSION
    created: str = ""
    stages: dict[str, str] = {}
    done: list[str] = []
    corpora: list[str] = []
    components: list[str] | None = None
    added: list[str] = []
    mode: str = ""
    seconds: float = 0.0
    cost_usd: float = 0.0
    options: dict[str, Any] = {}
