"""Which analyzer reads which output."""

from functools import cache
from importlib import import_module
from types import FunctionType

from msgspec.structs import replace

from analyzers.base import Analysis, Analyzer, Document, Reader
from analyzers.generic import GENERIC
from analyzers.plugins import installed
from workbench.model.evidence import TOLD
from workbench.model.facts import Finding, Quoted
from workbench.model.models import Complexity
from workbench.model.text import IN_QUOTATION, LOGGED

Entry = tuple[str, str]
"""A module and what reads in it: an analyzer, its class, or the function of one that reads all."""

_SOS = ("analyzers.sos.reader", "READER")
# Who printed an output: its analyzers in the order in which they are asked.
_HOSTS: dict[str, tuple[Entry, ...]] = {
    "gdb": (
        ("analyzers.gdb.stacks", "READER"),
        ("analyzers.gdb.threads", "READER"),
        ("analyzers.gdb.registers", "READER"),
        ("analyzers.gdb.locks", "READER"),
        ("analyzers.gdb.variables", "READER"),
        ("analyzers.gdb.source", "READER"),
        ("analyzers.gdb.types", "READER"),
        ("analyzers.gdb.blocks", "READER"),
        ("analyzers.gdb.modules", "READER"),
        ("analyzers.log.gdb", "READER"),
    ),
    "lldb": (_SOS, ("analyzers.lldb.reader", "READER")),
    "dotnet-dump": (_SOS,),
    "cdb": (("analyzers.windbg.reader", "READER"),),
}
# Who printed a log's section: the module that reads it, and its class.
_SANITIZER = ("analyzers.log.sanitizer", "read")
_LOGS = {
    **dict.fromkeys(
        ("asan", "hwasan", "lsan", "msan", "tsan", "ubsan", "libfuzzer", "gwp-asan"), _SANITIZER
    ),
    **dict.fromkeys(("check", "v8", "glibc", "swift"), ("analyzers.log.checks", "read")),
    **dict.fromkeys(("signal", "stack"), ("analyzers.log.signals", "read")),
    **dict.fromkeys(("java", "dotnet", "javascript", "lua"), ("analyzers.log.managed", "read")),
    "android": ("analyzers.log.android", "read"),
    "apple": ("analyzers.log.apple", "read"),
    "breakpad": ("analyzers.log.breakpad", "read"),
    **dict.fromkeys(("coredumpctl", "apport"), ("analyzers.log.reports", "read")),
    "go": ("analyzers.log.go", "read"),
    "kernel": ("analyzers.log.kernel", "read"),
    "python": ("analyzers.log.python", "read"),
    "rust": ("analyzers.log.rust", "read"),
    "valgrind": ("analyzers.log.valgrind", "read"),
    **dict.fromkeys((*TOLD, "supervisor"), ("analyzers.log.told", "read")),
}
# Our own probes: the module that has a function of the probe's name.
_PROBES = {
    **{
        name: (f"analyzers.dump.{module}", name)
        for module, names in {
            "overview": ("health", "mappings", "modules"),
            "notes": ("notes",),
            "fault": ("fault",),
            "stacks": ("stack", "threads"),
            "heap": ("heap",),
            "waits": ("locks", "loop", "monitors"),
            "runtimes": ("abort", "call", "exception", "reported"),
        }.items()
        for name in names
    },
    "stop": ("analyzers.log.stop", "read"),
}


def entries() -> tuple[Entry, ...]:
    """Every analyzer here, each once."""
    of_hosts = (entry for group in _HOSTS.values() for entry in group)
    return tuple(dict.fromkeys((*of_hosts, *_LOGS.values(), *_PROBES.values())))


@cache
def hosts() -> tuple[str, ...]:
    """Whose outputs are read: debuggers, then what a log may be from."""
    return tuple(dict.fromkeys((*_HOSTS, *_LOGS)))


def load(entry: Entry) -> Analyzer:
    """The analyzer of an entry, imported when it is first needed."""
    module, name = entry
    found = getattr(import_module(module), name)
    if isinstance(found, FunctionType):
        return Reader(found)
    analyzer: Analyzer = found() if isinstance(found, type) else found
    return analyzer


def entries_of(document: Document) -> tuple[Entry, ...]:
    """The analyzers that may read an output, in the order in which they are asked."""
    if document.host == "dump":
        entry = _PROBES.get(document.command.partition(" ")[0].removeprefix("@"))
        return (entry,) if entry is not None else ()
    if document.host in _LOGS:
        return (_LOGS[document.host],)
    return _HOSTS.get(document.host, ())


def _pick(document: Document) -> Analyzer:
    for entry in entries_of(document):
        analyzer = load(entry)
        if analyzer.can_analyze(document):
            return analyzer
    return GENERIC


def analyze(document: Document) -> Analysis:
    """Read one stored output into facts. Never raises on any text.

    The first analyzer that knows the command reads it. Where that yields no fact, those of other
    packages are asked; an output that nobody knows gets a summary and no facts. Analyzers are
    imported when they are first needed.
    """
    analysis = _pick(document).analyze(document)
    if document.command.endswith(IN_QUOTATION):
        return _in_quotation(document, analysis)
    if document.command.endswith(LOGGED):
        found = [fact for fact in analysis.facts if isinstance(fact, Finding)]
        return replace(analysis, facts=tuple(replace(fact, ends=False) for fact in found))
    other = installed().analyze(document) if not analysis.facts else None
    if other is None:
        return analysis
    return other if other.summary else replace(analysis, troubles=other.troubles)


def _in_quotation(document: Document, analysis: Analysis) -> Analysis:
    """What a report says that a message quotes: no fact of the process, whose report it may not be,
    but which defects it names."""
    named = [f for f in analysis.facts if isinstance(f, Finding) and f.category is not None]
    facts = (Quoted(cite=document.cite(f.line), category=f.category or "") for f in named)
    return Analysis(f"a message quotes: {analysis.summary}", tuple(facts))


def complexity(document: Document) -> Complexity:
    """How hard it is to say what an output means, by the analyzer that reads it: what no analyzer
    knows is moderate. Where ours does not settle it, one of another package may say otherwise.
    Only host and command count, so that it can be asked before an answer."""
    own = _pick(document).complexity(document)
    other = installed().complexity(document) if own is Complexity.MODERATE else None
    return other or own
