"""What all tests share: the folder of real cores, and the debuggers that are here."""

import collections
import gc
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.crashes import CACHE_VARIABLE, ToolMissing, gdbs, needed, read_no_debug_files
from tests.llm.llama import llama
from tests.llm.ollama_proxy import ollama_proxy
from tests.llm.scripted import Scripted
from tests.soak import examples

__all__ = ["llama", "ollama_proxy"]


# How long an example takes says more about what else the machine does than about the code.
settings.register_profile(
    "shared machine",
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("shared machine")


def pytest_configure(config: pytest.Config) -> None:
    # A shell without job control lets what it runs in the background ignore these (POSIX, 2.11
    # "Signals and Error Handling"); crash programs inherit that and would not end.
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    read_no_debug_files()
    # The first process makes the folder; xdist's workers inherit its name.
    os.environ.pop("RUST_BACKTRACE", None)  # it asks for memory, which moves what a panic uncovers
    if CACHE_VARIABLE not in os.environ:
        os.environ[CACHE_VARIABLE] = tempfile.mkdtemp(prefix="workbench-crashes-")
        config.stash[_made] = True
        # What vouches for the sessions that tests make is no secret of the person's.
        os.environ["XDG_STATE_HOME"] = os.path.join(os.environ[CACHE_VARIABLE], "state")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and collected tests live to the end: no walk of the garbage collector goes over their
    many megabytes, while they are made or later; five would at the end of each worker alone."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # What is left is small against what a test makes and drops: with Python's own thresholds a
        # third of the time of the screen's tests went by in walks.
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.stash.get(_made, False):
        shutil.rmtree(os.environ.pop(CACHE_VARIABLE), ignore_errors=True)


_made = pytest.StashKey[bool]()
_NOT_RUN = "not run: "


@pytest.fixture(scope="session")
def gdb_path() -> Path:
    """The gdb that the product itself uses first."""
    return gdbs()[0]


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """A server of models that says what it is told to; no answer of another test is remembered."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with Scripted() as server:
        yield server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties are tried on more examples in the long form."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("soak")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A debugger that a test is given as its parameter has to be here."""
    todo = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
    for value in todo:
        if isinstance(value, tuple | list):
            todo += value
        elif isinstance(value, str | Path) and re.fullmatch(r"/usr/bin/[\w.+-]+", str(value)):
            needed(value)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test for which this machine lacks a tool is not run."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, ToolMissing):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"{_NOT_RUN}{call.excinfo.value}")
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that cannot run here proves nothing: a skip fails the run, in CI also one for which
    .ci/packages could not install a tool."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [] if reporter is None else reporter.stats.get("skipped", [])
    if reporter is None or not skipped:
        return
    reporter.ensure_newline()
    why = collections.Counter(str(report.longrepr[2]) for report in skipped)
    for reason, count in sorted(why.items()):
        reporter.write_line(f"{count} x {reason}", yellow=True)
    if "CI" in os.environ or not all(reason.startswith(_NOT_RUN) for reason in why):
        reporter.write_line("skipped tests count as failures", red=True)
        if session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
