"""Every pattern of .NET."""

from analyzers.patterns.base import Pattern
from analyzers.patterns.managed.aborted import MANAGED_RECURSION, managed_abort
from analyzers.patterns.managed.busy import BUSY_MANAGED_CODE
from analyzers.patterns.managed.deadlock import MANAGED_DEADLOCK
from analyzers.patterns.managed.finalizer import FINALIZER_BLOCKAGE
from analyzers.patterns.managed.fragmented import FRAGMENTED_HEAP
from analyzers.patterns.managed.memory import MANAGED_LEAK
from analyzers.patterns.managed.starvation import THREAD_STARVATION
from analyzers.patterns.managed.thrown import MANAGED_THROWN
from workbench.model.category import Category

MANAGED: tuple[Pattern, ...] = (
    *MANAGED_THROWN,
    managed_abort(Category.ASSERTION_FAILURE),
    managed_abort(Category.EXPLICIT_ABORT),
    MANAGED_RECURSION,
    FRAGMENTED_HEAP,
    MANAGED_LEAK,
    MANAGED_DEADLOCK,
    THREAD_STARVATION,
    FINALIZER_BLOCKAGE,
    BUSY_MANAGED_CODE,
)
"""Further experts: each category may have others."""
