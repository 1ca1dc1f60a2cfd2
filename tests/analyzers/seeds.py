"""Outputs for every analyzer, gathered from the tests of each: the seeds of what is mutated."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType

from analyzers.base import Document
from analyzers.registry import Entry, entries_of, load
from tests.analyzers import (
    outputs,
    test_dump_overview,
    test_dump_probes,
    test_lldb_output,
    test_managed_patterns,
    test_sos,
    test_sosex,
    windbg_texts,
)
from tests.analyzers.threads_text import gdb_threads, lldb_threads
from tests.logs import (
    test_families,
    test_further_reporters,
    test_hangs,
    test_kernel_reports,
    test_lldb_runs,
    test_quoted,
    test_typed,
    told_texts,
)
from workbench.samples import demo_files
from workbench.targets.errors import ProbeError
from workbench.targets.identify import open_core
from workbench.targets.reader import DumpReader
from workbench.targets.transcript.split import split

ID = "E7"
_PROBES = (
    *("abort", "call", "exception", "fault", "health", "heap", "locks", "loop"),
    *("mappings", "modules", "monitors", "notes", "reported", "stack", "threads"),
)
_LOGS = (
    *(
        test_families,
        test_further_reporters,
        test_hangs,
        test_kernel_reports,
        test_lldb_runs,
        test_quoted,
        test_typed,
    ),
    *(windbg_texts, test_sos, test_sosex, test_managed_patterns, test_lldb_output),
)


@cache
def seeds(entry: Entry) -> tuple[Document, ...]:
    """Outputs that one analyzer takes, those first from which it reads facts."""
    analyzer = load(entry)
    taken = [d for d in _all() if _asked(entry, d) and analyzer.can_analyze(d)]
    return tuple(sorted(taken, key=lambda d: not analyzer.analyze(d).facts))


def _asked(entry: Entry, document: Document) -> bool:
    """True where the registry may ask this analyzer about an output of that host."""
    return entry in entries_of(document)


@cache
def _all() -> tuple[Document, ...]:
    printed = (*_probed(), *_typed(), *_logged())
    return tuple(
        Document(ID, command, host, text) for host, command, text in dict.fromkeys(printed)
    )


def _probed() -> Iterator[tuple[str, str, str]]:
    """Our own reader's answers about the sample's core, and its other words by hand."""
    with tempfile.TemporaryDirectory() as folder, open_core(demo_files(Path(folder)).core) as core:
        reader = DumpReader(core)
        for probe in _PROBES:
            with suppress(ProbeError):
                said = reader.answer(f"@{probe}").replace(folder, "/srv/sample")
                yield "dump", f"@{probe}", said
    for probe in test_dump_probes.COMMANDS:
        yield "dump", probe, "\n".join(test_dump_probes.LINES)
    yield "dump", "@health", test_dump_overview.HEALTH
    for probe, text in outputs.PROBES.items():
        yield "dump", probe, text


def _typed() -> Iterator[tuple[str, str, str]]:
    """Debuggers' answers to known commands."""
    for host, answers in (("gdb", outputs.GDB), ("lldb", outputs.LLDB)):
        for command, text in answers.items():
            yield host, command, text
    yield "valgrind", "(valgrind)", outputs.VALGRIND
    yield "gdb", "thread apply all bt", "".join(gdb_threads(6, 8))
    yield "lldb", "thread backtrace all", "".join(lldb_threads(6, 8))


def _logged() -> Iterator[tuple[str, str, str]]:
    told = (one.text for one in told_texts.TEXTS.values())
    for module in (*_LOGS, None):
        for text in _texts(module) if module is not None else told:
            for section in split(text.split("\n")):
                yield section.host, section.command, section.text


def _texts(module: ModuleType) -> Iterator[str]:
    """The constants of a test module that are outputs."""
    for name, value in vars(module).items():
        if name.isupper():
            held: Iterable[object] = value if isinstance(value, tuple | list) else [value]
            yield from (item for item in held if isinstance(item, str) and item.count("\n") > 2)
