"""What goes wrong with a target, said so that the reader knows what to do."""


class TargetError(Exception):
    """A target that cannot be opened: ``what`` it is about, ``why`` it fails, what ``todo``."""

    def __init__(self, what: str, why: str, todo: str) -> None:
        super().__init__(f"{what}: {why}; {todo}")
        self.what = what
        self.why = why
        self.todo = todo


class ProbeError(Exception):
    """A probe that cannot be answered; the message is one line."""
