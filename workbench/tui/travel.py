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
    """Through the events of a session, from its latest."""

    def __init__(self, rows: Sequence[Recorded]) -> None:
        self._rows = rows
        moments = (n for n, row in enumerate(rows, 1) if isinstance(row.event, _MOMENTS))
        self._stops = [n for n in moments if n < len(rows)]
        self._at = len(self._stops)

    def go(self, count: int) -> None:
        """So many moments on, or back."""
        self._at = max(0, min(len(self._stops), self._at + count))

    @property
    def _is_now(self) -> bool:
        return self._at == len(self._stops)

    def state(self) -> Investigation | None:
        """The fold of the events up to there, None at the latest: seconds for a huge session."""
        return None if self._is_now else fold(self._rows[: self._stops[self._at]])

    def where(self) -> str:
        """Which event is looked at, in words."""
        if self._is_now:
            return "Now."
        row = self._rows[self._stops[self._at] - 1]
        return (
            f"As it was after event {row.seq} of {self._rows[-1].seq}, {row.at:%Y-%m-%d %H:%M:%S}: "
            "{ goes further back, } forward"
        )
