"""What is done to a session as a whole: it is named, recognised, copied, run again."""

from msgspec import Struct, field


# The base of all events.
class Event(Struct, frozen=True, kw_only=True, tag_field="event"):
    """Base of all events. Sequence number and time belong to the journal's row."""


class SessionEvent(Event, frozen=True, kw_only=True):
    """Base of these events."""


class Labelled(SessionEvent, frozen=True, kw_only=True, tag="labelled"):
    """The person's name for the session, a note, or whether no cleanup may take it; None leaves it
    as it is."""

    name: str | None = None
    pinned: bool | None = None
    note: str | None = None


class Earlier(Struct, frozen=True, kw_only=True):
    """A session that had the same signature. ``at`` is when it was touched last (ISO 8601),
    ``category`` what was concluded with ``confidence``, None where nothing was; ``confirmed`` are
    the categories that an expert or a person confirmed, here: none of a session made elsewhere."""

    session_id: str
    at: str
    category: str | None = None
    confirmed: tuple[str, ...] = ()


class Recognised(SessionEvent, frozen=True, kw_only=True, tag="recognised"):
    """The signature, and what other sessions here had the same one, the latest first (the first
    ones of ``count``). ``differs``: what is otherwise than in the latest, a line each."""

    signature: str
    stack_hash: str
    count: int = 0
    earlier: tuple[Earlier, ...] = ()
    differs: tuple[str, ...] = ()


class Forked(SessionEvent, frozen=True, kw_only=True, tag="forked"):
    """This session was copied from another one, up to that one's event ``at``."""

    session_id: str
    at: int


class TakenOver(SessionEvent, frozen=True, kw_only=True, tag="taken-over"):
    """Everything before this was made elsewhere: nothing vouches for what it says."""


class Verified(SessionEvent, frozen=True, kw_only=True, tag="verified"):
    """The cited commands were run again: ``commands`` of them, and where the citations rest on
    something else now, a line each in ``differences``."""

    commands: int
    differences: tuple[str, ...] = ()


AnySessionEvent = Labelled | Recognised | Forked | TakenOver | Verified


class About(Struct):
    """The fold of these events. ``elsewhere``: it was made by somebody else, or copied; nothing
    vouches for what it says until its commands were run again here (``verified``)."""

    name: str = ""
    pinned: bool = False
    notes: list[str] = field(default_factory=list)
    recognised: Recognised | None = None
    forked: Forked | None = None
    elsewhere: bool = False
    verified: Verified | None = None

    def apply(self, event: SessionEvent) -> None:
        """Take one event."""
        match event:
            case Labelled():
                self.name = self.name if event.name is None else event.name
                self.pinned = self.pinned if event.pinned is None else event.pinned
                if event.note:
                    self.notes.append(event.note)
            case Recognised():
                self.recognised = event
            case Forked():
                self.forked = event
            case TakenOver():
                self.elsewhere, self.verified, self.recognised = True, None, None
            case Verified():
                self.verified = event
