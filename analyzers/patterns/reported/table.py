"""Every pattern of what is reported, one a cause and those of stacks alone."""

from analyzers.patterns.base import Pattern
from analyzers.patterns.reported.alone import ONE_FOR_MONITOR, ONE_IN_LOCK, ONE_RECURSION
from analyzers.patterns.reported.held import LOCKS_ON_STACKS
from analyzers.patterns.reported.pattern import Reported
from workbench.model.category import Category

REPORTED: tuple[Pattern, ...] = (
    *(Reported(category) for category in Category if category is not Category.UNKNOWN),
    LOCKS_ON_STACKS,
    ONE_IN_LOCK,
    ONE_FOR_MONITOR,
    ONE_RECURSION,
)
