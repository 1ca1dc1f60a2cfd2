"""Time travel: the state as it was after an earlier event."""

from collections.abc import Sequence

from workbench.model.events import (
    ConclusionDrafted,
    Criticised,
    EvidenceRecorded,
    GateAnswered,
    GateOpened,
    HypothesisDecided,
    HypothesisEdited,
    HypothesisMoved,
    HypothesisProposed,
    Judged,
    PhaseEntered,
    Stopped,
)
from workbench.model.investigation import Investigation, fold
from workbench.model.journal import Recorded

_MOMENTS = (
    *(EvidenceRecorded, HypothesisProposed, HypothesisEdited, HypothesisMoved, HypothesisDecided),
    *(GateOpened, GateAnswered, ConclusionDrafted, Criticised, Judged, PhaseEntered, Stopped),
)


class Travel:
    """Through the events of a session, from its latest; `state` is None at the latest."""

    def __init__(self, rows: Sequence[Recorded]) -> None:
        self._rows = rows
        moments = (n for n, row in enumerate(rows, 1) if isinstance(row.event, _MOMENTS))
        self._stops = [n for n in moments if n < len(rows)]
        self._at = len(self._stops)
        self.state: Investigation | None = None

    def go(self, count: int) -> None:
        """So many moments on, or back. Folds the events up to there: seconds for a huge session."""
        self._at = max(0, min(len(self._stops), self._at + count))
        now = self._at == len(self._stops)
        self.state = None if now else fold(self._rows[: self._stops[self._at]])

    def where(self) -> str:
        """Which event is looked at, in words."""
        if self.state is None:
            return "Now."
        row = self._rows[self._stops[self._at] - 1]
        return (
            f"As it was after event {row.seq} of {self._rows[-1].seq}, {row.at:%Y-%m-%d %H:%M:%S}: "
            "{ goes further back, } forward"
        )
