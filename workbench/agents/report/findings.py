"""From facts to the report's findings: health, environment, exception, modules, memory."""

from msgspec.structs import replace

from analyzers.patterns.case import Case, fullest
from analyzers.patterns.exceptions import uncaught
from analyzers.patterns.windows.bugcheck import referenced
from workbench.agents.ending import crashed_thread, ended_by
from workbench.agents.report.log import reported_pid, reported_stack, reported_type, with_finding
from workbench.agents.report.managed import (
    fatal_exception,
    frames_of_exception,
    runtime_of,
    with_managed,
    with_managed_heap,
)
from workbench.agents.report.threads import (
    best_stack,
    frames_of,
    hexadecimal,
    stack_frames,
    unnamed_stack,
)
from workbench.model import facts as f
from workbench.model.category import Category
from workbench.model.investigation import Investigation
from workbench.model.report_findings import (
    Environment,
    ExceptionInfo,
    Health,
    HeapInfo,
    MemoryCounts,
    MemoryInfo,
    ModuleCounts,
    ModuleInfo,
)
from workbench.model.symbols import distinct_modules

_HANGS = frozenset({
    Category.DEADLOCK, Category.MISSED_WAKEUP, Category.THREAD_STARVATION,
    Category.FINALIZER_BLOCKAGE, Category.INFINITE_LOOP, Category.HIGH_CPU, Category.BLOCKED_ON_IO,
})  # fmt: skip
_LEAKS = frozenset({Category.MEMORY_LEAK})
_FAULTS = frozenset({"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"})
_THROWN = frozenset({Category.UNCAUGHT_EXCEPTION, Category.STD_TERMINATE})
_CHOSEN = frozenset({Category.EXPLICIT_ABORT, Category.ASSERTION_FAILURE, Category.PANIC})
_ATTACHES = ("attach ", "process attach ")
"""How a log's first command begins of a debugger that looks at a process that runs."""
# C++, .NET (old and new), NSException by Crashpad: exceptions of a language, not of the machine.
_LANGUAGE = frozenset({0xE06D7363, 0xE0434F4D, 0xE0434352, 0x43506E78})


def crash_type(state: Investigation, category: str) -> str | None:
    """crash | hang | snapshot | abort | exception | leak, or None while nothing is known."""
    facts = state.facts
    handled, process = facts.first(f.Handled), facts.first(f.Process)
    signal = handled.first if handled is not None else facts.first(f.Signal)
    record = ended_by(facts)
    faulted = (signal is not None and signal.name in _FAULTS) or record is not None
    if facts.first(f.BugCheck) is not None:
        return "crash"
    if category in _HANGS or (facts.first(f.LockCycle) is not None and not faulted):
        return "hang"
    if category in _LEAKS:
        return "leak"
    if signal is None and record is not None:
        if category in _THROWN or record.code in _LANGUAGE:
            return "exception"
        return "abort" if category in _CHOSEN else "crash"
    if signal is None and process is None and fatal_exception(facts) is not None:
        return "exception"
    if signal is None and (reported := reported_type(facts)) is not None:
        return reported
    if signal is None:
        attached = any(item.command.startswith(_ATTACHES) for item in state.evidence.values())
        return "snapshot" if attached or (process is not None and process.snapshot) else None
    if category in _THROWN or (signal.name == "SIGABRT" and uncaught(facts.once(Case)) is not None):
        return "exception"
    return "abort" if signal.name == "SIGABRT" else "crash"


def health(facts: f.FactBook) -> Health:
    """How far the dump can be trusted."""
    found = facts.last(f.CoreHealth)
    known = distinct_modules(facts)
    counts = ModuleCounts(
        total=len(known),
        with_symbols=sum(module.symbols in ("debug-info", "symbols") for module in known),
        mismatched=sum(module.status == "mismatched" for module in known),
        missing=sum(module.status == "missing" for module in known),
    )
    if found is None:
        return Health(
            truncated=None, executable_matches=None, modules=counts,
            memory=MemoryCounts(dumped=None, missing=None), caps=(), remedies=())  # fmt: skip
    return Health.of(
        found,
        modules=counts,
        memory=MemoryCounts(dumped=found.dumped_bytes, missing=found.missing_bytes),
    )


def environment(state: Investigation) -> Environment:
    """Where the process ran; the dump's own notes before the target's header."""
    process, target = state.facts.first(f.Process), state.target
    runtime = runtime_of(state)
    if runtime is None and target is not None and not target.recorded:
        runtime = "native"
    pid = process.pid if process is not None else target.pid if target is not None else None
    return Environment(
        os=process.os if process is not None else _known(target.os if target else None),
        arch=process.arch if process is not None else _known(target.arch if target else None),
        runtime=runtime,
        pid=pid if pid is not None else reported_pid(state.facts),
        command_line=process.command_line if process is not None else None,
        system=process.system if process is not None else None,
        cpu=process.processor if process is not None else None,
    )


def _known(name: str | None) -> str | None:
    """A log's target does not know where the program ran."""
    return None if name == "unknown" else name


_ACCESS_VIOLATION = 0xC0000005  # ntstatus.h


def exception_info(state: Investigation) -> ExceptionInfo:
    """What ended the process; every field is None for a snapshot, which nothing ended."""
    facts = state.facts
    signal, thrown = facts.first(f.Signal), uncaught(facts.once(Case))
    message, fault = facts.first(f.AbortMessage), facts.first(f.Fault)
    record = fullest(facts)
    thread = crashed_thread(facts)
    if thread is None:
        thread = next((one.thread for one in (record, fault) if one is not None), None)
    stack = best_stack(state, thread) if thread is not None else None
    if stack is None and signal is None and (record or facts.first(f.BugCheck)):
        stack = unnamed_stack(facts)
    address = next((one.fault_address for one in (signal, record) if one is not None), None)
    violated = signal is None and record is not None and record.code == _ACCESS_VIOLATION
    if address is None and fault is not None and violated:
        address = fault.operand
    text = thrown.message if thrown is not None else None
    if text is None and message is not None:
        text = message.text
    code = signal.code_name or str(signal.code) if signal and signal.code is not None else None
    places = (record.recorded, record.address) if record is not None else ()
    recorded = next((place for place in places if place is not None), None)
    thrown_at = frames_of_exception(facts)
    info = ExceptionInfo(
        type=thrown.type if thrown is not None else _ending_name(signal, record), message=text,
        signal=signal.name if signal is not None else None, signal_code=code,
        fault_address=hexadecimal(address), hresult=None, thread_id=thread, inner=(),
        stack_trace=stack_frames(facts, thrown_at or frames_of(facts, stack, thread)),
        stack_cut=not thrown_at and stack is not None and not stack.complete,
        code=hexadecimal(record.code) if record is not None else None,
        address=hexadecimal(recorded),
        parameters=tuple(hex(word) for word in record.parameters) if record is not None else (),
    )  # fmt: skip
    if (bug := facts.last(f.BugCheck)) is not None:
        info = replace(
            info,
            type=bug.name or f"bug check {bug.code:#x}",
            message=bug.says or info.message,
            code=hexadecimal(bug.code),
            parameters=tuple(hex(argument.value) for argument in bug.arguments),
            fault_address=info.fault_address or hexadecimal(referenced(bug)),
        )
    frames = stack_frames(facts, reported_stack(facts))
    return with_finding(with_managed(info, facts), facts, frames)


def _ending_name(signal: f.Signal | None, record: f.ExceptionRecord | None) -> str | None:
    """A signal's name; an exception's, with its code."""
    if signal is not None:
        return signal.name
    if record is None:
        return None
    code = f"{record.code:#x}"
    return f"{record.name} ({code})" if record.name and record.name != code else code


def modules(facts: f.FactBook) -> tuple[ModuleInfo, ...]:
    """Every mapped executable and library, in order of address."""
    return tuple(
        ModuleInfo.of(
            module,
            base=f"{module.base:#x}",
            size=module.end - module.base if module.end > module.base else None,
        )
        for module in distinct_modules(facts)
    )


def memory_info(facts: f.FactBook) -> MemoryInfo:
    """Heaps that were walked, and what is broken in them."""
    heaps = {heap.start: heap for heap in facts.all(f.Heap)}
    native = MemoryInfo(
        heaps=tuple(
            HeapInfo.of(
                heap,
                start=f"{heap.start:#x}",
                end=f"{heap.end:#x}",
                broken_at=hexadecimal(heap.broken_at),
            )
            for heap in heaps.values()
        )
        or None,
        top_types=None,
        findings=tuple(
            f"The heap is broken at {heap.broken_at:#x}: {heap.broken or 'no reason'} — {heap.cite}"
            for heap in heaps.values()
            if heap.broken_at is not None
        ),
    )
    return with_managed_heap(native, facts)
