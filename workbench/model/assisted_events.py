"""The steps of an investigation that a model takes part in."""

from msgspec import Struct

from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.origin import Origin
from workbench.model.session_events import Event


# What a model leaves behind in an investigation: statements that code checked, words that nobody
# did, and a record of what it asked for. Nothing here is evidence.
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


class AssistedEvent(Event, frozen=True, kw_only=True):
    """Base of what a model's part leaves in the journal."""


class PassEntered(AssistedEvent, frozen=True, kw_only=True, tag="pass-entered"):
    """A model is at work on something: reading | hypotheses | investigation | explanation |
    criticism."""

    name: str


class PassEnded(AssistedEvent, frozen=True, kw_only=True, tag="pass-ended"):
    """It is done; ``failed`` says in one line why it gave nothing, empty where it did. ``tokens``
    and ``seconds`` are what it took beside iterations of the loop."""

    name: str
    failed: str = ""
    tokens: int = 0
    seconds: float = 0.0


class ToolUsed(AssistedEvent, frozen=True, kw_only=True, tag="tool-used"):
    """A call of a tool has its answer."""

    use: ToolUse


class IterationEnded(AssistedEvent, frozen=True, kw_only=True, tag="iteration"):
    """One answer of the tool loop was worked off. ``tokens`` and ``seconds`` are what it took;
    ``progress`` is False where it led to nothing new."""

    number: int
    progress: bool
    tokens: int
    seconds: float


class Checkpointed(AssistedEvent, frozen=True, kw_only=True, tag="checkpoint"):
    """The loop's conversation was pruned to this."""

    checkpoint: Checkpoint


class HistoryDropped(AssistedEvent, frozen=True, kw_only=True, tag="history-dropped"):
    """The provider cannot carry a conversation with tools: the loop goes on with checkpoints."""

    why: str


class Annotated(AssistedEvent, frozen=True, kw_only=True, tag="annotated"):
    """A remark on an evidence item."""

    annotation: Annotation


class PieceRead(AssistedEvent, frozen=True, kw_only=True, tag="piece-read"):
    """A model was shown lines ``first`` to ``last`` of a large output, one of ``total`` pieces that
    are to be read. ``findings`` are its words with their citations, empty where it saw nothing."""

    evidence: str
    first: int
    last: int
    total: int
    findings: tuple[str, ...] = ()
    root_cause: str | None = None


class OutputsRead(AssistedEvent, frozen=True, kw_only=True, tag="outputs-read"):
    """A model was shown outputs that code leaves open, whatever came of it; its remarks are
    `Annotated`. Of a large one ``summary`` and ``root_cause`` are what it says of all pieces
    together, in its own words."""

    evidence: tuple[str, ...]
    root_cause: str | None = None
    summary: str | None = None


class Scored(AssistedEvent, frozen=True, kw_only=True, tag="scored"):
    """A model weighed a hypothesis."""

    score: Score


class LoopEnded(AssistedEvent, frozen=True, kw_only=True, tag="loop-ended"):
    """The tool loop is over. ``limit`` is a value of `StoppedBy` where a guard ended it, else
    None; ``reason`` is one line. ``lost``: there was no model any more, and another may go on."""

    limit: str | None
    reason: str
    lost: bool = False


class Explained(AssistedEvent, frozen=True, kw_only=True, tag="explained"):
    """A model's explanation, by its tool ``analysis_complete`` or as reasoner."""

    explanation: Explanation


AnyAssisted = (
    PassEntered | PassEnded | ToolUsed | IterationEnded | Checkpointed | HistoryDropped | Annotated
    | PieceRead | OutputsRead | Scored | LoopEnded | Explained
)  # fmt: skip
