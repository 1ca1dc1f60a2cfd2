"""The report writer: state in, canonical report out, without I/O.

Unknown stays ``None``.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from analyzers.severity import severity
from workbench.agents.investigator import watched
from workbench.agents.report.analysis import ai_analysis
from workbench.agents.report.findings import (
    crash_type,
    environment,
    exception_info,
    health,
    memory_info,
    modules,
)
from workbench.agents.report.managed import assemblies, async_info
from workbench.agents.report.models import usage_of
from workbench.agents.report.signature import signature_of
from workbench.agents.report.threads import synchronization, threads_info
from workbench.model.facts import Fault, Memory, Module, Region
from workbench.model.investigation import Investigation
from workbench.model.report import Analysis, DebuggerInfo, Dump, Metadata, Report
from workbench.model.report_findings import (
    Mitigation,
    Security,
    SeenBefore,
    Severity,
    Summary,
    Watched,
)
from workbench.model.text import without_number

_LONGEST = 2000
_VALUES = {
    "gdb": re.compile(r"\$\d{1,9} = (?!<[^\n]+>$)"),
    "lldb": re.compile(r"\((?!.* = <[^\n]+>$)", re.DOTALL),
}
"""How an answer begins that is a value and no error (gdb's value history, lldb's type): words in
angle brackets alone say why there is none (``<optimized out>``)."""
_LOWEST_PIE = 1 << 24
"""Below this no loader of a 64-bit system puts what may lie anywhere: a base there is linked in."""


def watches(state: Investigation, text_of: Callable[[str], str]) -> tuple[Watched, ...] | None:
    """What each expression is; None where none is watched."""
    if not state.options.watches:
        return None
    return tuple(_watched(state, one, text_of) for one in state.options.watches)


def _watched(state: Investigation, expression: str, text_of: Callable[[str], str]) -> Watched:
    """The engine may have asked the same for another reason before: it is not asked again."""
    asked = watched(state, expression)
    spelt = {one.text for host in ("gdb", "lldb", "cdb") if (one := asked.spelt(host)) is not None}
    items = [i for i in reversed(state.evidence.values()) if not i.partial and not i.by_model]
    item = next((i for i in items if i.intent == asked.intent or i.command in spelt), None)
    if item is not None:
        said = text_of(item.id).strip()[:_LONGEST] or None
        value = _VALUES.get(item.host or state.host or "")
        if value is not None and value.match(said or "") is None:
            return Watched(expression=expression, value=None, evidence=item.id, reason=said)
        return Watched(expression=expression, value=without_number(said or ""), evidence=item.id)
    failed = (f.reason for f in reversed(state.failed_commands) if f.command.intent == asked.intent)
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


def build_report(state: Investigation, texts: Mapping[str, str] | Callable[[str], str]) -> Report:
    """The report of a state, finished or not.

    ``texts`` gives the stored text of an evidence item, of which the cited lines are quoted.
    """
    text_of = texts if callable(texts) else lambda identifier: texts[identifier]
    ai = ai_analysis(state, text_of)
    threads = threads_info(state)
    module_list = modules(state.facts)
    exception = exception_info(state)
    ended_as = crash_type(state, ai.category)
    named = signature_of(state, exception, ended_as)
    return Report(
        metadata=_metadata(state),
        analysis=Analysis(
            core_health=health(state.facts),
            summary=Summary(
                crash_type=ended_as,
                description=ai.summary.description,
                recommendations=ai.summary.recommendations,
                signature=named.text if named is not None else None,
                stack_hash=named.stack_hash if named is not None else None,
                thread_count=threads.count,
                module_count=len(module_list) or None,
                severity=_severity(state),
                seen_before=_seen_before(state),
            ),
            environment=environment(state),
            exception=exception,
            threads=threads,
            modules=module_list,
            assemblies=assemblies(state),
            synchronization=synchronization(state.facts),
            memory=memory_info(state.facts),
            async_=async_info(state.facts),
            watches=watches(state, text_of),
            security=security(state, _severity(state)),
            ai_analysis=ai,
        ),
        usage=usage_of(state.models),
    )


def _severity(state: Investigation) -> Severity:
    found = severity(state.facts)
    if found is None:
        return Severity()
    return Severity(class_=found.name, level=found.level, reasons=found.reasons)


def _seen_before(state: Investigation) -> SeenBefore | None:
    recognised = state.about.recognised
    if recognised is None or not recognised.earlier:
        return None
    latest = recognised.earlier[0]
    confirmed = [e.category for e in recognised.earlier if e.category in e.confirmed]
    return SeenBefore(
        count=recognised.count, last_session_id=latest.session_id, last_at=latest.at,
        confirmed=confirmed[0] if confirmed else None, differs=recognised.differs)  # fmt: skip


def _metadata(state: Investigation) -> Metadata:
    target, debugger, again = state.target, state.debugger, state.about.verified
    return Metadata(
        session_id=state.session_id,
        created_at=state.started_at.isoformat() if state.started_at is not None else None,
        workbench_version=state.version,
        issue=state.options.issue,
        verified=not again.differences if again is not None else None,
        made_elsewhere=state.about.elsewhere,
        dump=(Dump.of(target, sha256=state.dump_sha256) if target is not None else None),
        executable=target.executable if target is not None else None,
        debugger=(
            DebuggerInfo(
                name=debugger.name, version=debugger.version, why=state.debugger_why or None
            )
            if debugger is not None
            else None
        ),
    )
