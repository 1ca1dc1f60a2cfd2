"""What goes wrong in an evaluation, in one line for the person."""

from workbench.errors import UsageError


class EvaluationError(UsageError):
    """A manifest, a file of a run or a wish that cannot be taken as it is."""


class CannotMake(Exception):
    """A case's target cannot be made on this machine; the text says what is missing."""
