"""Which analyzer reads which output."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from analyzers.base import Analysis, Analyzer, Document
from analyzers.gdb_generic import Generic

_GDB = (
    ("analyzers.gdb_stacks", "GdbStacks"),
    ("analyzers.gdb_threads", "GdbThreads"),
    ("analyzers.gdb_registers", "GdbRegisters"),
    ("analyzers.gdb_variables", "GdbVariables"),
    ("analyzers.gdb_source", "GdbSource"),
    ("analyzers.gdb_locks", "GdbLocks"),
    ("analyzers.log_gdb", "LogGdb"),
)
_LLDB = ("analyzers.lldb", "Lldb")
_CDB = ("analyzers.windbg", "Windbg")
_SOS = ("analyzers.sos", "Sos")
# Who printed a log's section: the module that reads it, and its class.
_SANITIZER = ("analyzers.log_sanitizer", "LogSanitizer")
_LOGS = {
    **dict.fromkeys(
        ("asan", "hwasan", "lsan", "msan", "tsan", "ubsan", "libfuzzer", "gwp-asan"), _SANITIZER
    ),
    **dict.fromkeys(("check", "v8", "glibc", "swift"), ("analyzers.log_checks", "LogChecks")),
    **dict.fromkeys(("signal", "stack"), ("analyzers.log_signals", "LogSignals")),
    **dict.fromkeys(
        ("java", "dotnet", "javascript", "lua"), ("analyzers.log_managed", "LogManaged")
    ),
    "android": ("analyzers.log_android", "LogAndroid"),
    "apple": ("analyzers.log_apple", "LogApple"),
    "breakpad": ("analyzers.log_breakpad", "LogBreakpad"),
    **dict.fromkeys(("coredumpctl", "apport"), ("analyzers.log_reports", "LogReports")),
    "@stop": ("analyzers.log_stop", "LogStop"),
    "go": ("analyzers.log_go", "LogGo"),
    "kernel": ("analyzers.log_kernel", "LogKernel"),
    "python": ("analyzers.log_python", "LogPython"),
    "rust": ("analyzers.log_rust", "LogRust"),
    "valgrind": ("analyzers.log_valgrind", "LogValgrind"),
}
_WITH_SOS = frozenset({"lldb", "dotnet-dump"})
_PROBES = {
    "abort": "DumpAbort",
    "call": "DumpCall",
    "exception": "DumpException",
    "fault": "DumpFault",
    "health": "DumpHealth",
    "heap": "DumpHeap",
    "locks": "DumpLocks",
    "mappings": "DumpMappings",
    "modules": "DumpModules",
    "monitors": "DumpMonitors",
    "notes": "DumpNotes",
    "stack": "DumpStack",
    "threads": "DumpThreads",
}
_GENERIC = Generic()


@cache
def _gdb_analyzers() -> tuple[Analyzer, ...]:
    return tuple(getattr(import_module(module), name)() for module, name in _GDB)


@cache
def _lldb_analyzer() -> Analyzer:
    module, name = _LLDB
    found: Analyzer = getattr(import_module(module), name)()
    return found


@cache
def _cdb_analyzer() -> Analyzer:
    module, name = _CDB
    found: Analyzer = getattr(import_module(module), name)()
    return found


@cache
def _sos_analyzer() -> Analyzer:
    module, name = _SOS
    found: Analyzer = getattr(import_module(module), name)()
    return found


@cache
def _log_analyzer(host: str) -> Analyzer:
    module, name = _LOGS[host]
    found: Analyzer = getattr(import_module(module), name)()
    return found


@cache
def _probe_analyzer(probe: str) -> Analyzer | None:
    if probe == "stop":
        return _log_analyzer("@stop")
    module = f"analyzers.dump_{probe}"
    if probe not in _PROBES or find_spec(module) is None:
        return None
    found: Analyzer = getattr(import_module(module), _PROBES[probe])()
    return found


def _pick(document: Document) -> Analyzer:
    if document.host == "gdb":
        for analyzer in _gdb_analyzers():
            if analyzer.can_analyze(document):
                return analyzer
    if document.host == "cdb":
        return _cdb_analyzer()
    if document.host in _WITH_SOS and _sos_analyzer().can_analyze(document):
        return _sos_analyzer()
    if document.host == "lldb":
        return _lldb_analyzer()
    if document.host in _LOGS:
        return _log_analyzer(document.host)
    words = document.command.split(None, 1)
    if words and words[0].startswith("@"):
        probe = _probe_analyzer(words[0][1:])
        if probe is not None and probe.can_analyze(document):
            return probe
    return _GENERIC


def analyze(document: Document) -> Analysis:
    """Read one stored output into facts. Never raises on any text.

    The first analyzer that knows the command reads it; an output that none knows gets a summary
    and no facts. Analyzers are imported when they are first needed.
    """
    return _pick(document).analyze(document)
