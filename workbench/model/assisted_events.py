"""The steps of an investigation that a model takes part in."""

from workbench.model.assisted import Annotation, Checkpoint, Explanation, Score, ToolUse
from workbench.model.event import Event


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
    PassEntered
    | PassEnded
    | ToolUsed
    | IterationEnded
    | Checkpointed
    | HistoryDropped
    | Annotated
    | PieceRead
    | OutputsRead
    | Scored
    | LoopEnded
    | Explained
)
