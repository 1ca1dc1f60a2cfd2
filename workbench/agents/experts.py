"""The patterns by category: the code experts that every role asks first."""

from analyzers.patterns import PATTERNS
from analyzers.patterns.base import Pattern
from workbench.model.category import Category

ORDER = {category: rank for rank, category in enumerate(Category)}


def pattern_for(category: Category) -> Pattern | None:
    """The expert of one cause, or None where there is none."""
    for pattern in PATTERNS:
        if pattern.category is category:
            return pattern
    return None
