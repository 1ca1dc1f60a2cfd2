"""What a log's own report says of the end, for the parts of the canonical report that name it."""

from msgspec.structs import replace

from analyzers.patterns import reports_of
from workbench.model.category import Category
from workbench.model.facts import FactBook, Finding, Frame
from workbench.model.report_findings import ExceptionInfo, StackFrame

_HANGS = frozenset({Category.DEADLOCK, Category.INFINITE_LOOP, Category.BLOCKED_ON_IO})
_LATE = frozenset({"ANR", "watchdog"})
"""What a system says of a program that did not answer in time."""
_THROWN = frozenset({Category.UNCAUGHT_EXCEPTION, Category.STD_TERMINATE})
_CHOSEN = frozenset(
    {Category.EXPLICIT_ABORT, Category.ASSERTION_FAILURE, Category.PANIC, Category.OUT_OF_MEMORY}
)
_ABORTS = ("fatal runtime error", "aborting")


def reported_type(facts: FactBook) -> str | None:
    """The sort of end that a finding stands for; None where the log reports none."""
    if facts.first(Finding) is None:
        return None
    primary, category = reports_of(facts).primary, reports_of(facts).category
    if primary is None or category is None or primary.ends is False:
        if category is None and any(one.kind in _LATE for one in facts.all(Finding)):
            return "hang"
        return "crash" if any(one.ends for one in facts.all(Finding)) else "snapshot"
    if category in _HANGS:
        return "hang"
    if category is Category.ASSERTION_FAILURE and primary.ends is None:
        return "snapshot"  # a kernel goes on after a check that only warns
    if category is Category.MEMORY_LEAK:
        return "leak"
    aborted = any(one.signal == "SIGABRT" or one.kind in _ABORTS for one in facts.all(Finding))
    if category in _THROWN or (category is Category.PANIC and not aborted):
        return "exception"  # a panic unwinds: it ends its thread, which others may outlive
    return "abort" if category in _CHOSEN else "crash"


def with_finding(
    info: ExceptionInfo, facts: FactBook, frames: tuple[StackFrame, ...]
) -> ExceptionInfo:
    """The exception with what the primary finding adds; what is known already stays."""
    if facts.first(Finding) is None:
        return info
    ended = next((one for one in facts.all(Finding) if one.ends), None)
    primary = reports_of(facts).primary
    found = primary if primary is not None and primary.ends is not False else ended
    if found is None:
        return info
    return replace(
        info,
        type=info.type or found.kind,
        message=info.message or found.message,
        signal=info.signal or found.signal,
        fault_address=info.fault_address
        or (f"{found.address:#x}" if found.address is not None and info.signal is None else None),
        thread_id=info.thread_id if info.thread_id is not None else found.thread,
        stack_trace=info.stack_trace or frames,
    )


def reported_stack(facts: FactBook) -> tuple[Frame, ...]:
    """The frames of the primary finding's own stack; a debugger's log lists them by itself."""
    if facts.first(Finding) is None:
        return ()
    reports = reports_of(facts)
    found = reports.primary
    stacks = found.stacks if found is not None else ()
    role = next((r for r in stacks if r.frames and r.role in ("access", "leak", "lock")), None)
    if role is not None:
        return role.frames
    return reports.listed.frames if reports.listed is not None else ()


def reported_pid(facts: FactBook) -> int | None:
    """The process that the first finding names."""
    return next((f.process for f in facts.all(Finding) if f.process is not None), None)
