"""Parts of the report that are made when the person asks for them: watches and security."""

import re
from collections.abc import Callable, Iterator

from workbench.agents.investigator import WATCHED
from workbench.model.facts import Fault, Memory, Module, Printed, Region
from workbench.model.investigation import Investigation
from workbench.model.report_findings import Mitigation, Security, Severity, Watched

_LONGEST = 2000
_TELL_VALUES = ("gdb", "lldb")
"""Debuggers of whose answers a value is told from an error."""
_LOWEST_PIE = 1 << 24
"""Below this no loader of a 64-bit system puts what may lie anywhere: a base there is linked in."""


def watches(state: Investigation, text_of: Callable[[str], str]) -> tuple[Watched, ...] | None:
    """What each expression is; None where none is watched."""
    if not state.options.watches:
        return None
    return tuple(_watched(state, one, text_of) for one in state.options.watches)


def _watched(state: Investigation, expression: str, text_of: Callable[[str], str]) -> Watched:
    intent = f"{WATCHED}{expression}"
    item = next((i for i in reversed(state.evidence.values()) if i.intent == intent), None)
    if item is not None:
        said = text_of(item.id).strip()[:_LONGEST] or None
        known = {fact.cite.evidence for fact in state.facts.all(Printed)}
        if item.id not in known and (item.host or state.host) in _TELL_VALUES:
            return Watched(expression=expression, value=None, evidence=item.id, reason=said)
        return Watched(expression=expression, value=said, evidence=item.id)
    failed = (f.reason for f in reversed(state.failed_commands) if f.command.intent == intent)
    reason = next(failed, "it was not evaluated")
    return Watched(expression=expression, value=None, evidence=None, reason=reason)


def security(state: Investigation, severity: Severity) -> Security | None:
    """What an attacker could make of it; None where nobody asked."""
    if not state.options.security:
        return None
    return Security(
        severity=severity,
        controllable=tuple(
            f"the value decides a {one.kind} at {one.at:#x} — {fault.cite.evidence}:{one.line}"
            for fault in state.facts.all(Fault)
            if (one := fault.taint) is not None
        ),
        mitigations=tuple(_mitigations(state)),
    )


def _mitigations(state: Investigation) -> Iterator[Mitigation]:
    """From the mappings and modules: what the dump itself shows."""
    memory = state.facts.first(Memory)
    for name, chosen in (
        ("stacks are not executable", lambda region: region.kind == "stack"),
        ("heaps are not executable", lambda region: region.kind == "heap"),
        ("no memory is writable and executable", lambda region: "w" in region.perms),
    ):
        yield _never(name, memory, chosen, "x")
    yield _moved(state)


def _never(
    name: str, memory: Memory | None, chosen: Callable[[Region], bool], right: str
) -> Mitigation:
    regions = [region for region in memory.regions if chosen(region)] if memory else []
    if memory is None or not regions:
        return Mitigation(name=name, present=None, reason="no such memory is known", evidence=None)
    against = next((region for region in regions if right in region.perms), None)
    shown = against or regions[0]
    return Mitigation(
        name=name,
        present=against is None,
        reason=f"{shown.start:#x} is {shown.perms}",
        evidence=f"{memory.cite.evidence}:{shown.line}",
    )


def _moved(state: Investigation) -> Mitigation:
    name = "the program lies where it was put at random"
    target = state.target
    path = (target.recorded_executable or target.executable or "") if target is not None else ""
    last = re.split(r"[\\/]", path)[-1]
    modules = [one for one in state.facts.all(Module) if last and one.name == last]
    if not modules:
        return Mitigation(name=name, present=None, reason="its base is not known", evidence=None)
    base = modules[0].base
    return Mitigation(
        name=name,
        present=base >= _LOWEST_PIE,
        reason=f"its base is {base:#x}",
        evidence=str(modules[0].cite),
    )
