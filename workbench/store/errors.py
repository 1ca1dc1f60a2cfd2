"""What can go wrong with a session on disk."""


class StoreError(Exception):
    """A session cannot be created, opened or written. The message is one line for the person:
    what, why, what to do."""


class SessionBusy(StoreError):
    """Another process has the session open."""
