"""What a model leaves behind in an investigation: statements that code checked, words that nobody
did, and a record of what it asked for. Nothing here is evidence."""

from msgspec import Struct

from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.origin import Origin


class Annotation(Struct, frozen=True, kw_only=True):
    """A remark on an evidence item that is there. ``by`` is ``model`` or ``code``."""

    evidence: str
    tags: tuple[str, ...]
    why: Claim
    by: str = "model"


class Score(Struct, frozen=True, kw_only=True):
    """How likely a model holds a hypothesis for, 0 to 1, and why in its own words. It
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
    """What a model says of the cause. ``hypothesis`` is its choice, ``category`` the one that it
    names, ``confidence`` what it asks for, which is more than it gets where evidence is short.
    ``chain`` are places of ``claims``, from the fault back to ``origin``. ``text`` is what it says
    in its own words, which nobody checks; ``unseen`` are numbers and names of it that stand
    nowhere in the evidence. ``against`` is what the dump says against the chain, ``proof`` the
    values of the dump that show that the origin's line did it."""

    hypothesis: str | None
    confidence: float
    claims: tuple[Claim, ...]
    category: Category | None = None
    chain: tuple[int, ...] = ()
    origin: Origin | None = None
    text: str = ""
    unseen: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    proof: tuple[Claim, ...] = ()
    model: str = ""
