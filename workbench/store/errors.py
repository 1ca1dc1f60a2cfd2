"""What can go wrong with a session on disk."""


class StoreError(Exception):
    """A session cannot be created, read or written. The message is one line for the person:
    what, why, what to do."""


class SessionNotOpened(StoreError):
    """There is no such session, or it cannot be opened."""


class SessionBusy(SessionNotOpened):
    """Another process has the session open."""
