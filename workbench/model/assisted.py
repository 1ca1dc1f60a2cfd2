"""What a model leaves behind in an investigation: words, each held to the evidence, and a record
of what it asked for. Nothing here is evidence."""

from msgspec import Struct

from workbench.model.hypothesis import Claim


class Annotation(Struct, frozen=True, kw_only=True):
    """A remark on an evidence item that is there. ``by`` is ``model`` or ``code``."""

    evidence: str
    tags: tuple[str, ...]
    why: Claim
    by: str = "model"


class Score(Struct, frozen=True, kw_only=True):
    """How likely a model holds a hypothesis for, 0 to 1, and the held claim that says why. It
    moves no confidence of what code has decided."""

    hypothesis: str
    likelihood: float
    why: Claim


class ToolUse(Struct, frozen=True, kw_only=True):
    """One call of a tool. ``arguments`` is JSON as the model wrote it, cut to a bounded length.

    ``outcome``: new (something was learned) | repeated (answered from the ledger) | refused |
    error. ``meta`` calls ask nothing of the dump. ``evidence`` are the items that it led to.
    """

    iteration: int
    tool: str
    arguments: str
    call_hash: str
    outcome: str
    result: str
    meta: bool = False
    evidence: tuple[str, ...] = ()


class Checkpoint(Struct, frozen=True, kw_only=True):
    """Where the tool loop stood: what a run that lost its conversation goes on from.

    ``facts`` are held claims, ``hypotheses`` one line each, ``evidence`` ids with a few words,
    ``do_not_repeat`` call hashes, ``tools`` the tools' contracts. ``by`` is ``model`` or ``code``.
    """

    iteration: int
    facts: tuple[Claim, ...]
    hypotheses: tuple[str, ...]
    evidence: tuple[str, ...]
    do_not_repeat: tuple[str, ...]
    next_steps: tuple[str, ...]
    tools: tuple[str, ...]
    by: str


class Explanation(Struct, frozen=True, kw_only=True):
    """What a model says of the cause: ``hypothesis`` is its choice, ``confidence`` what it asks
    for, which is more than it gets where evidence is short."""

    hypothesis: str | None
    confidence: float
    claims: tuple[Claim, ...]


class Prose(Struct, frozen=True, kw_only=True):
    """A text made of claims that were held when it was written."""

    claims: tuple[Claim, ...]
    confidence: float | None = None
