"""Patterns of .NET processes, from what SOS says of them."""

from analyzers.patterns.base import Pattern
from analyzers.patterns.managed.deadlock import ManagedDeadlock
from analyzers.patterns.managed.finalizer import FinalizerBlockage
from analyzers.patterns.managed.memory import MemoryLeak
from analyzers.patterns.managed.starvation import ThreadStarvation
from analyzers.patterns.managed.thrown import NARROW, ManagedThrown

MANAGED: tuple[Pattern, ...] = (
    ManagedThrown(),
    *(ManagedThrown(category) for category in NARROW),
    MemoryLeak(),
    ManagedDeadlock(),
    ThreadStarvation(),
    FinalizerBlockage(),
)
"""Further experts: each category may have others."""
