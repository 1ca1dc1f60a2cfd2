"""Patterns of .NET processes, from what SOS says of them."""

from analyzers.patterns.base import Pattern
from analyzers.patterns.managed.deadlock import ManagedDeadlock
from analyzers.patterns.managed.finalizer import FinalizerBlockage
from analyzers.patterns.managed.memory import MemoryLeak
from analyzers.patterns.managed.starvation import ThreadStarvation
from analyzers.patterns.managed.thrown import ManagedUncaught

MANAGED: tuple[Pattern, ...] = (
    ManagedUncaught(),
    MemoryLeak(),
    ManagedDeadlock(),
    ThreadStarvation(),
    FinalizerBlockage(),
)
"""In the contract's order."""
