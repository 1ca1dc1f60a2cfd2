"""The report writer: state in, canonical report out, without I/O.

Unknown stays ``None``.
"""

from collections.abc import Callable, Mapping

from analyzers.severity import severity
from workbench.agents.report_analysis import ai_analysis
from workbench.agents.report_asked import security, watches
from workbench.agents.report_findings import (
    crash_type,
    environment,
    exception_info,
    health,
    memory_info,
    modules,
)
from workbench.agents.report_managed import assemblies, async_info
from workbench.agents.report_models import usage_of
from workbench.agents.report_signature import signature_of
from workbench.agents.report_threads import synchronization, threads_info
from workbench.model.investigation import Investigation
from workbench.model.report import Analysis, DebuggerInfo, Dump, Metadata, Report
from workbench.model.report_findings import SeenBefore, Severity, Summary


def build_report(
    state: Investigation,
    texts: Mapping[str, str] | Callable[[str], str],
) -> Report:
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
        count=recognised.count,
        last_session_id=latest.session_id,
        last_at=latest.at,
        confirmed=confirmed[0] if confirmed else None,
        differs=recognised.differs,
    )


def _metadata(state: Investigation) -> Metadata:
    target, debugger, again = state.target, state.debugger, state.about.verified
    return Metadata(
        session_id=state.session_id,
        created_at=state.started_at.isoformat() if state.started_at is not None else None,
        workbench_version=state.version,
        issue=state.options.issue,
        verified=not again.differences if again is not None else None,
        made_elsewhere=state.about.elsewhere,
        dump=(
            Dump(
                path=target.path, size=target.size, sha256=state.dump_sha256, kind=target.kind.value
            )
            if target is not None
            else None
        ),
        executable=target.executable if target is not None else None,
        debugger=(
            DebuggerInfo(
                name=debugger.name, version=debugger.version, why=state.debugger_why or None
            )
            if debugger is not None
            else None
        ),
    )
