"""Patterns of .NET processes, from what SOS says of them."""

from analyzers.patterns.base import Pattern
from analyzers.patterns.managed.aborted import ManagedAbort, ManagedRecursion
from analyzers.patterns.managed.busy import BusyManagedCode
from analyzers.patterns.managed.deadlock import ManagedDeadlock
from analyzers.patterns.managed.finalizer import FinalizerBlockage
from analyzers.patterns.managed.fragmented import FragmentedHeap
from analyzers.patterns.managed.memory import MemoryLeak
from analyzers.patterns.managed.starvation import ThreadStarvation
from analyzers.patterns.managed.thrown import NARROW, ManagedThrown
from workbench.model.category import Category

MANAGED: tuple[Pattern, ...] = (
    ManagedThrown(),
    *(ManagedThrown(category) for category in NARROW),
    ManagedAbort(Category.ASSERTION_FAILURE),
    ManagedAbort(Category.EXPLICIT_ABORT),
    ManagedRecursion(),
    FragmentedHeap(),
    MemoryLeak(),
    ManagedDeadlock(),
    ThreadStarvation(),
    FinalizerBlockage(),
    BusyManagedCode(),
)
"""Further experts: each category may have others."""
