"""Crash patterns: each proposes a hypothesis from facts and evaluates it, without I/O."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from analyzers.patterns.base import Pattern
from analyzers.patterns.dotnet import speaks_of_dotnet
from workbench.model.category import Category
from workbench.model.facts import ExceptionRecord, FactBook, Finding, Process, Quoted, Signal, Stack

if TYPE_CHECKING:
    from analyzers.patterns.reported.case import Reports
    from workbench.model.claims import Claim

__all__ = ["PATTERNS", "Pattern", "causes", "experts", "reports_of", "told_of"]

_MODULES = {
    "core": """
        arithmetic bounds busy code confusion deadlock deliberate double_free exceptions exhausted
        external freed heap_corruption heap_overflow invalid_free language loader mapping mismatch
        null pointer race refused smash stack_overflow uninitialized waiting
    """,
    "unseen": "unseen",
    "windows": """
        windows.heap windows.fill windows.fastfail windows.deliberate windows.locks windows.rpc
        windows.busy windows.bugcheck windows.status
    """,
    "managed": """
        managed.thrown managed.aborted managed.memory managed.deadlock
        managed.starvation managed.finalizer managed.busy
    """,
    "reported": "reported.pattern reported.held",
}
"""Where causes stand, by what they are read from."""


@cache
def causes(source: str) -> tuple[Pattern, ...]:
    """All that the modules of a source define, one by one or as a tuple; in the contract's order of
    categories, then in that of the modules: where two are proved, the first one is the narrower."""
    modules = (import_module(f"{__name__}.{name}") for name in _MODULES[source].split())
    held = (value for module in modules for value in vars(module).values())
    several = (value if isinstance(value, tuple) else (value,) for value in held)
    # Not `isinstance`: an abstract class asks each of the modules' other types for its ancestors.
    found = [one for each in several for one in each if Pattern in type(one).__mro__]
    order = {category: at for at, category in enumerate(Category)}
    return tuple(sorted(found, key=lambda pattern: order[pattern.category]))


PATTERNS = causes("core")
"""Every pattern of a crash by its own bytes, one a cause."""


def experts(facts: FactBook) -> tuple[Pattern, ...]:
    """All that may have something to say of these facts, `PATTERNS` first. Those of Windows, .NET
    and what tools report are not even loaded for the core of a signal: it would wait for them."""
    only_stacks = facts.first(Process) is None and facts.first(Stack) is not None
    told = facts.first(Finding) is not None or facts.first(Quoted) is not None
    wanted = {
        "unseen": True,
        "managed": speaks_of_dotnet(facts),
        "windows": facts.first(ExceptionRecord) is not None or facts.first(Signal) is None,
        "reported": told or only_stacks,
    }
    sources = (source for source, is_wanted in wanted.items() if is_wanted)
    return (*PATTERNS, *(cause for source in sources for cause in causes(source)))


def told_of(facts: FactBook) -> list["Claim"]:
    """What a log's tool says of the end, where it stands for no cause that is known."""
    if facts.first(Finding) is None:
        return []
    from analyzers.patterns.reported.statements import unexplained

    return unexplained(facts)


def reports_of(facts: FactBook) -> "Reports":
    """What tools report; the core of a signal does not wait for their rules to be compiled."""
    from analyzers.patterns.reported.case import Reports

    return facts.once(Reports)
