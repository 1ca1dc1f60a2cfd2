"""What the stages hand on: components, captures, verdicts, results and the state of a run."""

from typing import Any, Literal

from pydantic import ConfigDict

from workbench.evaluate.schema import Case, Data

STATE_VERSION = 3

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
    parts: dict[str, bool] = {}
    untold: tuple[str, ...] = ()
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
    parts: dict[str, bool] = {}
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


class Row(Data):
    """The verdicts of one group; ``wrong`` are the false claims, apart from what stays open."""

    right: Figure
    open: Figure
    wrong: Figure
    parts: dict[str, Figure] = {}
    cannot: int = 0
    failed: int = 0
    seconds: float = 0.0
    precision: Figure | None = None
    recall: Figure | None = None


class Bin(Data):
    """Conclusions of about one confidence, and how many of them are right."""

    low: float
    high: float
    confidence: float
    right: Figure


class Results(Data):
    """``results.json``."""

    version: str
    created: str
    debugger: str = ""
    mode: str = ""
    tier: str = "offline"
    groups: dict[str, dict[str, Row]]
    bins: tuple[Bin, ...] = ()
    calibration_error: float | None = None
    confusion: dict[str, dict[str, int]] = {}
    conflicts: dict[str, int] = {}
    rivals: dict[str, int] = {}
    models: tuple[ModelUse, ...] = ()
    seconds: dict[str, float] = {}
    speed: dict[str, float] = {}
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
