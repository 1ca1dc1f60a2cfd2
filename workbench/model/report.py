"""The canonical crash report, typed: its JSON is the contract's, key for key.

Every key is always present; unknown is ``None``. Addresses are strings ``0x…``, sizes are bytes,
confidence is 0 to 1, a citation is a string ``E3`` or ``E3:4-6``. Keys may be added, never renamed.
"""

from msgspec import field

from workbench.model.report_conclusion import AiAnalysis
from workbench.model.report_findings import (
    AssemblyInfo,
    AsyncInfo,
    Environment,
    ExceptionInfo,
    Health,
    MemoryInfo,
    ModuleInfo,
    Part,
    Security,
    Summary,
    Synchronization,
    ThreadsInfo,
    Watched,
)
from workbench.model.text import json_text


class Dump(Part, frozen=True, kw_only=True):
    """The file that was read. ``sha256`` is None when the file was not hashed."""

    path: str
    size: int
    sha256: str | None
    kind: str


class DebuggerInfo(Part, frozen=True, kw_only=True):
    """The debugger that answered; ``why`` that one and no other."""

    name: str
    version: str
    why: str | None


class Metadata(Part, frozen=True, kw_only=True):
    """Which session, when, on what. ``verified``: None until the cited commands were run again.
    ``made_elsewhere``: it was copied or imported, so that nothing vouches for its evidence."""

    session_id: str
    created_at: str | None
    workbench_version: str
    issue: str | None
    verified: bool | None
    made_elsewhere: bool
    dump: Dump | None
    executable: str | None
    debugger: DebuggerInfo | None


class Analysis(Part, frozen=True, kw_only=True):
    """Everything that is said about the dump."""

    core_health: Health
    summary: Summary
    environment: Environment
    exception: ExceptionInfo
    threads: ThreadsInfo
    modules: tuple[ModuleInfo, ...]
    assemblies: tuple[AssemblyInfo, ...]
    synchronization: Synchronization
    memory: MemoryInfo
    async_: AsyncInfo | None = field(name="async")
    watches: tuple[Watched, ...] | None
    security: Security | None
    ai_analysis: AiAnalysis


class LocalUsage(Part, frozen=True, kw_only=True):
    """Calls of models on this machine; ``cached_calls`` of them were answered from the disk."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_calls: int = 0


class CloudUsage(Part, frozen=True, kw_only=True):
    """Calls of models elsewhere, with the price of those that have one (``unpriced_calls`` do not).
    ``payloads`` counts the requests that left this machine."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    cached_calls: int = 0
    unpriced_calls: int = 0
    payloads: int = 0


class ModelUsage(Part, frozen=True, kw_only=True):
    """One model in one role."""

    name: str
    tier: str
    role: str
    calls: int
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cached_tokens: int
    cost_usd: float | None


class Usage(Part, frozen=True, kw_only=True):
    """What the models cost; all zero without a model. ``prices`` names the table and its date."""

    local: LocalUsage = LocalUsage()
    cloud: CloudUsage = CloudUsage()
    models: tuple[ModelUsage, ...] = ()
    prices: str | None = None


class Report(Part, frozen=True, kw_only=True):
    """The whole report; `to_json` gives the contract's JSON."""

    schema_version: str = "1"
    metadata: Metadata
    analysis: Analysis
    usage: Usage


def to_json(report: Report) -> str:
    """The report as JSON, its strings, which are the dump's, safe to print."""
    return json_text(report)
