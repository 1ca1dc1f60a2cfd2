"""The canonical crash report, typed: its JSON is the contract's, key for key.

Every key is always present; unknown is ``None``. Addresses are strings ``0x…``, sizes are bytes,
confidence is 0 to 1, a citation is a string ``E3`` or ``E3:4-6``. Keys may be added, never renamed.
"""

import msgspec
from msgspec import Struct, field


class _Part(Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all parts: camelCase keys, immutable."""


# --- metadata -----------------------------------------------------------------------------------


class Dump(_Part, frozen=True, kw_only=True):
    """The file that was read. ``sha256`` is None when the file was not hashed."""

    path: str
    size: int
    sha256: str | None
    kind: str


class DebuggerInfo(_Part, frozen=True, kw_only=True):
    """The debugger that answered."""

    name: str
    version: str


class Metadata(_Part, frozen=True, kw_only=True):
    """Which session, when, on what. ``verified``: None until the cited commands were run again."""

    session_id: str
    created_at: str | None
    workbench_version: str
    issue: str | None
    verified: bool | None
    dump: Dump | None
    executable: str | None
    debugger: DebuggerInfo | None


# --- what was found in the dump -----------------------------------------------------------------


class ModuleCounts(_Part, frozen=True, kw_only=True):
    """How many modules, and how many of them a debugger can work with."""

    total: int
    with_symbols: int
    mismatched: int
    missing: int


class MemoryCounts(_Part, frozen=True, kw_only=True):
    """Bytes of memory that the dump holds and that it should hold but does not."""

    dumped: int | None
    missing: int | None


class Health(_Part, frozen=True, kw_only=True):
    """How far the dump can be trusted; ``caps`` limit the confidence, ``remedies`` lift them."""

    truncated: bool | None
    executable_matches: bool | None
    modules: ModuleCounts
    memory: MemoryCounts
    caps: tuple[str, ...]
    remedies: tuple[str, ...]
    ceiling: float | None = None


class Severity(_Part, frozen=True, kw_only=True):
    """How bad it is, in CASR's classes."""

    class_: str | None = field(name="class", default=None)
    level: str | None = None
    reasons: tuple[str, ...] = ()


class Summary(_Part, frozen=True, kw_only=True):
    """The case in short. ``crash_type``: crash | hang | snapshot | abort | exception | leak."""

    crash_type: str | None
    description: str | None
    recommendations: tuple[str, ...]
    signature: str | None
    stack_hash: str | None
    thread_count: int | None
    module_count: int | None
    severity: Severity


class Environment(_Part, frozen=True, kw_only=True):
    """Where the process ran."""

    os: str | None
    arch: str | None
    runtime: str | None
    pid: int | None
    command_line: str | None


class StackFrame(_Part, frozen=True, kw_only=True):
    """One frame. ``trust``: symbols | unwound | scan."""

    index: int
    function: str | None
    file: str | None
    line: int | None
    module: str | None
    offset: str | None
    address: str | None
    trust: str


class ExceptionInfo(_Part, frozen=True, kw_only=True):
    """What ended the process."""

    type: str | None
    message: str | None
    signal: str | None
    signal_code: str | None
    fault_address: str | None
    hresult: str | None
    thread_id: int | None
    inner: tuple["ExceptionInfo", ...]
    stack_trace: tuple[StackFrame, ...]


class Description(_Part, frozen=True, kw_only=True):
    """A description in words, or None."""

    description: str | None


class ThreadGroup(_Part, frozen=True, kw_only=True):
    """Threads with equal stacks that do the same."""

    thread_ids: tuple[int, ...]
    state: str | None
    waits_for: str | None
    stack_trace: tuple[StackFrame, ...]


class ThreadItem(_Part, frozen=True, kw_only=True):
    """One thread. ``number`` is the debugger's own count."""

    thread_id: int | None
    number: int | None
    name: str | None
    state: str | None
    waits_for: str | None
    frames: int


class ThreadsInfo(_Part, frozen=True, kw_only=True):
    """All threads."""

    count: int | None
    summary: Description
    groups: tuple[ThreadGroup, ...]
    items: tuple[ThreadItem, ...]


class ModuleInfo(_Part, frozen=True, kw_only=True):
    """A mapped executable or library. ``symbols``: debug-info | symbols | stripped | unknown."""

    name: str
    path: str
    base: str
    size: int
    version: str | None
    build_id: str | None
    symbols: str
    status: str


class AssemblyInfo(_Part, frozen=True, kw_only=True):
    """A managed assembly."""

    name: str
    version: str | None
    path: str | None


class LockInfo(_Part, frozen=True, kw_only=True):
    """A lock, who holds it and who waits for it (thread ids)."""

    address: str | None
    kind: str
    owner: int | None
    waiters: tuple[int, ...]


class Synchronization(_Part, frozen=True, kw_only=True):
    """Locks that somebody waits for, and rings of threads that wait for each other."""

    locks: tuple[LockInfo, ...]
    deadlocks: tuple[tuple[int, ...], ...]


class HeapInfo(_Part, frozen=True, kw_only=True):
    """One heap that was walked."""

    start: str
    end: str
    chunks: int
    in_use: int
    free: int
    broken_at: str | None


class TopType(_Part, frozen=True, kw_only=True):
    """A type and what it takes on the heap."""

    name: str
    count: int
    bytes: int


class MemoryInfo(_Part, frozen=True, kw_only=True):
    """Heaps; ``heaps`` is None when none was walked. Each finding ends with its citation."""

    heaps: tuple[HeapInfo, ...] | None
    top_types: tuple[TopType, ...] | None
    findings: tuple[str, ...]


class AsyncInfo(_Part, frozen=True, kw_only=True):
    """Tasks and thread pool of a managed runtime; None where there is none."""

    tasks: tuple[str, ...] | None = None
    thread_pool: str | None = None


# --- what was concluded -------------------------------------------------------------------------


class FrameRef(_Part, frozen=True, kw_only=True):
    """The application's frame at fault. ``source`` is the text of the source line."""

    function: str | None
    file: str | None
    line: int | None
    module: str | None
    offset: str | None
    source: str | None = None


class ClaimInfo(_Part, frozen=True, kw_only=True):
    """One statement. ``status``: held | struck | open; ``reason`` says why it was struck;
    ``quoted`` are the first lines that it cites."""

    text: str
    citations: tuple[str, ...]
    status: str
    reason: str
    quoted: tuple[str, ...] = ()


class Annotation(_Part, frozen=True, kw_only=True):
    """A remark on a ledger row, by code or a model."""

    tags: tuple[str, ...]
    why_it_matters: str
    by: str


class LedgerRow(_Part, frozen=True, kw_only=True):
    """One stored output. ``size`` in bytes of the stored text."""

    id: str
    command: str
    source: str
    intent: str
    time: str
    sha256: str
    size: int
    lines: int
    storage: str
    partial: bool
    summary: str
    findings: tuple[str, ...]
    call_hash: str
    annotations: tuple[Annotation, ...]


class TestInfo(_Part, frozen=True, kw_only=True):
    """One test of a hypothesis."""

    __test__ = False

    command: str
    evidence: str
    verdict: str


class HypothesisInfo(_Part, frozen=True, kw_only=True):
    """One candidate cause and how it fared."""

    id: str
    statement: str
    category: str
    status: str
    confidence: float
    decided_by: str
    reason: str
    tests: tuple[TestInfo, ...]
    supporting: tuple[str, ...]
    contradicting: tuple[str, ...]


class RejectedInfo(_Part, frozen=True, kw_only=True):
    """Why a hypothesis lost."""

    id: str
    reason: str
    evidence: tuple[str, ...]


class Judge(_Part, frozen=True, kw_only=True):
    """The judge's choice; ``selected`` is None when the case stays inconclusive."""

    selected: str | None
    rationale: str | None
    rejected: tuple[RejectedInfo, ...]


class Issue(_Part, frozen=True, kw_only=True):
    """A failed check of the critic; ``claim`` is what it is about."""

    kind: str
    severity: str
    claim: str
    detail: str
    evidence: tuple[str, ...]


class CritiqueRound(_Part, frozen=True, kw_only=True):
    """One round: its failed checks. ``checks`` counts all of them."""

    round: int
    issues: tuple[Issue, ...]
    resolved: bool
    checks: int


class Critique(_Part, frozen=True, kw_only=True):
    """All rounds of the critic."""

    rounds: tuple[CritiqueRound, ...]


class Advice(_Part, frozen=True, kw_only=True):
    """A summary made of held claims, and what to do."""

    description: str | None
    recommendations: tuple[str, ...]


class Narrative(_Part, frozen=True, kw_only=True):
    """What the threads were doing, in words."""

    description: str | None
    confidence: float | None


class CheckpointInfo(_Part, frozen=True, kw_only=True):
    """A summary that was made on the way, by model or code."""

    iteration: int
    facts: tuple[str, ...]
    hypotheses: tuple[str, ...]
    evidence: tuple[str, ...]
    do_not_repeat: tuple[str, ...]
    next_steps: tuple[str, ...]
    by: str


class AiAnalysis(_Part, frozen=True, kw_only=True):
    """The conclusion and how it was reached. ``root_cause``, ``reasoning``, ``evidence`` and
    ``summary`` are made of held claims only."""

    root_cause: str | None
    category: str
    cwe: int | None
    confidence: float | None
    reasoning: str | None
    frame: FrameRef | None
    claims: tuple[ClaimInfo, ...]
    evidence: tuple[str, ...]
    evidence_ledger: tuple[LedgerRow, ...]
    hypotheses: tuple[HypothesisInfo, ...]
    judge: Judge
    critique: Critique
    follow_up_questions: tuple[str, ...]
    summary: Advice
    thread_narrative: Narrative
    checkpoints: tuple[CheckpointInfo, ...]
    tier: str
    degraded: tuple[str, ...]
    stopped_by: str | None
    stopped_reason: str | None = None
    missing: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class Analysis(_Part, frozen=True, kw_only=True):
    """Everything that is said about the dump."""

    core_health: Health
    summary: Summary
    environment: Environment
    exception: ExceptionInfo | None
    threads: ThreadsInfo
    modules: tuple[ModuleInfo, ...]
    assemblies: tuple[AssemblyInfo, ...]
    synchronization: Synchronization
    memory: MemoryInfo
    async_: AsyncInfo | None = field(name="async")
    watches: tuple[str, ...] | None
    security: str | None
    ai_analysis: AiAnalysis


# --- what it cost -------------------------------------------------------------------------------


class LocalUsage(_Part, frozen=True, kw_only=True):
    """Calls of models on this machine."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class CloudUsage(_Part, frozen=True, kw_only=True):
    """Calls of models elsewhere, with their price."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class ModelUsage(_Part, frozen=True, kw_only=True):
    """One model in one role."""

    name: str
    tier: str
    role: str
    calls: int
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cached_tokens: int
    cost_usd: float


class Usage(_Part, frozen=True, kw_only=True):
    """What the models cost; all zero without a model."""

    local: LocalUsage = LocalUsage()
    cloud: CloudUsage = CloudUsage()
    models: tuple[ModelUsage, ...] = ()


class Report(_Part, frozen=True, kw_only=True):
    """The whole report; `to_json` gives the contract's JSON."""

    schema_version: str = "1"
    metadata: Metadata
    analysis: Analysis
    usage: Usage


def to_json(report: Report) -> str:
    """The report as JSON, two spaces deep, with a newline at its end."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"
