"""The base of all events."""

from msgspec import Struct


class Event(Struct, frozen=True, kw_only=True, tag_field="event"):
    """Base of all events. Sequence number and time belong to the journal's row."""
