"""From facts about a .NET process to the report: exception, heap, pool, tasks, monitors."""

from typing import Any

from msgspec.structs import replace

from analyzers.patterns.dotnet import speaks_of_dotnet
from workbench.model import facts as f
from workbench.model.investigation import Investigation
from workbench.model.report_findings import (
    AssemblyInfo,
    AsyncInfo,
    ExceptionInfo,
    MemoryInfo,
    TopType,
)

_TYPES = 20
_FRAGMENTED = 0.4
"""A share of holes from which on a heap is called fragmented."""


def runtime_of(state: Investigation) -> str | None:
    """The runtime that the dump maps; for a log, that SOS spoke in it."""
    if state.target is not None and state.target.runtime is not None:
        return state.target.runtime
    return "coreclr" if speaks_of_dotnet(state.facts) else None


def fatal_exception(facts: f.FactBook) -> f.ManagedException | None:
    """The exception that ended the process, None where none did."""
    if facts.first(f.ManagedException) is None:
        return None
    case, thrown = _managed()
    whole = facts.once(case.ManagedCase)
    found = thrown.thrown(whole)
    return found if found is not None and thrown.is_fatal(whole, found) else None


def with_managed(info: ExceptionInfo, facts: f.FactBook) -> ExceptionInfo:
    """The report's exception with the type, words and chain of the managed one."""
    found = fatal_exception(facts)
    if found is None:
        return info
    return replace(
        info,
        type=found.type,
        message=found.message,
        hresult=_hresult(found.hresult),
        thread_id=info.thread_id if info.thread_id is not None else _thread(facts, found),
        inner=tuple(_inner(each, info, facts) for each in found.inner),
    )


def frames_of_exception(facts: f.FactBook) -> tuple[f.Frame, ...]:
    """The stack on which the fatal exception was thrown, as it recorded it itself."""
    found = fatal_exception(facts)
    return found.frames if found is not None else ()


def _managed() -> tuple[Any, Any]:
    """What knows .NET, where a process turned out to be one."""
    from analyzers.patterns.managed import case, thrown

    return case, thrown


def _thread(facts: f.FactBook, found: f.ManagedException) -> int | None:
    managed = facts.once(_managed()[0].ManagedCase).managed
    rows = (t for t, i in managed.items() if i.exception_address == found.address)
    return found.thread if found.thread is not None else next(rows, None)


def _inner(inner: f.InnerException, like: ExceptionInfo, facts: f.FactBook) -> ExceptionInfo:
    printed = next(
        (e for e in facts.all(f.ManagedException) if inner.address and e.address == inner.address),
        None,
    )
    return replace(
        like,
        type=inner.type,
        message=inner.message or (printed.message if printed is not None else None),
        signal=None,
        signal_code=None,
        fault_address=None,
        hresult=_hresult(
            inner.hresult if inner.hresult is not None else printed.hresult if printed else None
        ),
        thread_id=None,
        inner=(),
        stack_trace=(),
        code=None,
        address=None,
        parameters=(),
    )


def _hresult(value: int | None) -> str | None:
    return f"{value:#010x}" if value is not None else None


def with_managed_heap(info: MemoryInfo, facts: f.FactBook) -> MemoryInfo:
    """The report's memory with the types that fill the managed heap, and its holes."""
    heap = next((h for h in reversed(facts.all(f.HeapTypes)) if h.whole), None)
    findings = list(info.findings)
    gc = facts.last(f.GcHeap)
    if gc is not None and gc.bytes is not None:
        findings.append(f"The managed heap is {gc.bytes} bytes large — {gc.cite}")
    if heap is None:
        return replace(info, findings=tuple(findings))
    if heap.bytes and heap.free >= heap.bytes * _FRAGMENTED:
        findings.append(
            f"{heap.free} of its {heap.bytes} bytes are holes between objects: it is fragmented — "
            f"{heap.cite.evidence}:{heap.free_line}"
        )
    top = tuple(TopType.of(item) for item in heap.items[:_TYPES])
    return replace(info, top_types=top, findings=tuple(findings))


def async_info(facts: f.FactBook) -> AsyncInfo | None:
    """Tasks and thread pool, None where nothing was said of either."""
    pool, tasks = facts.last(f.PoolState), facts.last(f.AsyncTasks)
    if pool is None and tasks is None:
        return None
    words: list[str] = []
    if pool is not None:
        known = (
            ("workers", pool.total), ("running", pool.running), ("idle", pool.idle),
            ("at least", pool.minimum), ("at most", pool.maximum), ("queued", pool.queued),
        )  # fmt: skip
        words = [f"{value} {name}" for name, value in known if value is not None]
    return AsyncInfo(
        tasks=tasks.items if tasks is not None else None,
        thread_pool=f"{', '.join(words)} — {pool.cite}" if pool is not None and words else None,
    )


def assemblies(state: Investigation) -> tuple[AssemblyInfo, ...]:
    """What SOS lists, whichever debugger it ran in; of a .NET process on another system than
    Windows also each mapped DLL, which can be nothing else there."""
    items = {i.path: i for fact in state.facts.all(f.Assemblies) for i in fact.items}
    found = {p: AssemblyInfo(name=i.name, version=i.version, path=p) for p, i in items.items()}
    target = state.target
    if target is not None and target.os != "windows" and runtime_of(state) is not None:
        for module in state.facts.all(f.Module):
            if module.path.lower().endswith(".dll"):
                name = module.name.rsplit(".", 1)[0]
                info = AssemblyInfo(name=name, version=module.version, path=module.path)
                found.setdefault(module.path, info)
    return tuple(found.values())
