"""What can go wrong with a session on disk."""


class StoreError(Exception):
    """A session cannot be created, read or written. The message is one line for the person:
    what, why, what to do."""


class SessionNotOpened(StoreError):
    """There is no such session, or it cannot be opened."""


class ReadOnly(SessionNotOpened):
    """The session can be read but not written; the text says why."""


class SessionBusy(ReadOnly):
    """Another process has the session open."""


class Damaged(StoreError):
    """The text of an evidence item is not what was recorded, or is gone."""

    def __init__(self, evidence: str, why: str) -> None:
        super().__init__(f"{evidence} is damaged: {why}")
        self.evidence = evidence
