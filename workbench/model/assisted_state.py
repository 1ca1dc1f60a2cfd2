"""The part of an investigation's state that a model's steps fill."""

from msgspec import Struct, field

from workbench.model import assisted_events as events


class Assisted(Struct):
    """Empty in a run without a model. ``running`` is the pass at work, ``ended`` those that are
    done with why they failed, ``idle`` the iterations without progress up to now, ``readings`` the
    calls about outputs that code leaves open and ``read`` those that were shown in them, ``pieces``
    what was read of large ones, in the order of their lines."""

    running: str | None = None
    ended: dict[str, str] = field(default_factory=dict)
    uses: list[events.ToolUse] = field(default_factory=list)
    by_call: dict[str, events.ToolUse] = field(default_factory=dict)
    iterations: int = 0
    idle: int = 0
    tokens: int = 0
    seconds: float = 0.0
    history: bool = True
    checkpoints: list[events.Checkpoint] = field(default_factory=list)
    readings: int = 0
    read: set[str] = field(default_factory=set)
    pieces: dict[str, list[events.PieceRead]] = field(default_factory=dict)
    annotations: list[events.Annotation] = field(default_factory=list)
    scores: dict[str, events.Score] = field(default_factory=dict)
    loop: events.LoopEnded | None = None
    explanation: events.Explanation | None = None

    @property
    def tool_calls(self) -> int:
        """Calls that asked something of the dump."""
        return sum(not use.meta for use in self.uses)

    @property
    def meta_calls(self) -> int:
        """Calls that asked nothing of it."""
        return sum(use.meta for use in self.uses)

    def findings_of(self, evidence: str) -> tuple[str, ...]:
        """What was found in the pieces of a large output."""
        return tuple(f for piece in self.pieces.get(evidence, ()) for f in piece.findings)

    def apply(self, event: events.AssistedEvent) -> None:
        """Take one event in."""
        match event:
            case events.PassEntered():
                self.running = event.name
            case events.PassEnded():
                self.running = None
                self.ended[event.name] = event.failed
                self.tokens += event.tokens
                self.seconds += event.seconds
            case events.ToolUsed():
                self.uses.append(event.use)
                if event.use.outcome != "repeated":
                    self.by_call[event.use.call_hash] = event.use
            case events.IterationEnded():
                self.iterations = event.number
                self.idle = 0 if event.progress else self.idle + 1
                self.tokens += event.tokens
                self.seconds += event.seconds
            case events.Checkpointed():
                self.checkpoints.append(event.checkpoint)
            case events.HistoryDropped():
                self.history = False
            case events.Annotated():
                self.annotations.append(event.annotation)
            case events.PieceRead():
                told = [*self.pieces.get(event.evidence, ()), event]
                self.pieces[event.evidence] = sorted(told, key=lambda piece: piece.first)
            case events.OutputsRead():
                self.readings += 1
                self.read.update(event.evidence)
            case events.Scored():
                self.scores[event.score.hypothesis] = event.score
            case events.LoopEnded():
                self.loop = event
            case events.Explained():
                self.explanation = event.explanation
