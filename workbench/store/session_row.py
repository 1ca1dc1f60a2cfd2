"""One line of the list of sessions."""

from msgspec import Struct

CORES = "cores"
"""The folder beside the sessions for cores that were taken for them."""
UNBEGUN = "unbegun"
"""The state of a folder that holds no event: no session yet, or what is left of one whose making
was killed. No list shows it."""


class SessionRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line of the session list. ``state``: running-or-resumable phases say ``open``, finished
    ones how they ended, unreadable ones ``damaged``. Times are ISO 8601, UTC; ``size_bytes`` is
    what the folder takes. ``category`` is what the evidence proves, ``user_category`` what the
    person confirmed, ``began`` the place of the origin that runs showed, ``proved`` what the
    person's or an expert's verdict did: a model's own chain may be wrong the next time too.
    ``made_elsewhere``: nobody here vouches for it (copied, imported)."""

    session_id: str
    name: str = ""
    pinned: bool = False
    target: str = ""
    program: str = ""
    created_at: str = ""
    updated_at: str = ""
    phase: str = ""
    signal: str | None = None
    category: str | None = None
    user_category: str | None = None
    began: str | None = None
    proved: tuple[str, ...] = ()
    confidence: float | None = None
    signature: str | None = None
    stack_hash: str | None = None
    evidence_count: int = 0
    size_bytes: int = 0
    made_elsewhere: bool = False
    state: str = "damaged"

    @property
    def called(self) -> str:
        """What a list shows: the person's name for it, and the target; of a core the program."""
        target = self.target.rstrip("/").rpartition("/")[2]
        if self.program and (target == "core" or target.startswith(("core.", "core-"))):
            target = f"{self.program} ({target})"
        return f"{self.name}: {target}" if self.name else target

    @property
    def cause(self) -> str:
        """What a list shows: where the evidence proves none, the person's verdict, marked, or
        where it began."""
        if self.user_category and self.category in (None, "unknown"):
            return f"{self.user_category} (yours)"
        if self.began and self.category in (None, "unknown"):
            return f"began in {self.began}"
        return self.category or ""
