"""Causes that a tool or a runtime names itself, in a log.

A sanitizer or valgrind tracks what the memory is: its report is evidence of structure. A runtime's
message is what it decided. A failed access alone says only where it went.
"""

from analyzers.patterns.base import Pattern
from analyzers.patterns.reported.alone import ONE_FOR_MONITOR, ONE_IN_LOCK, ONE_RECURSION
from analyzers.patterns.reported.held import LOCKS_ON_STACKS
from analyzers.patterns.reported.pattern import Reported, overruled
from workbench.model.category import Category

__all__ = ["REPORTED", "overruled"]

REPORTED: tuple[Pattern, ...] = (
    *(Reported(category) for category in Category if category is not Category.UNKNOWN),
    LOCKS_ON_STACKS,
    ONE_IN_LOCK,
    ONE_FOR_MONITOR,
    ONE_RECURSION,
)
