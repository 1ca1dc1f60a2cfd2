"""A journal's row as it is handed to whoever shows or folds it."""

from datetime import datetime
from typing import NamedTuple

from workbench.model.events import AnyEvent


class Recorded(NamedTuple):
    """An event that is committed: its sequence number (from 1), its time (UTC), the event."""

    seq: int
    at: datetime
    event: AnyEvent
