"""What all tests share: the folder of real cores, and the debuggers that are here."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.crashes import CACHE_VARIABLE, gdbs
from tests.llm.llama import llama
from tests.llm.ollama_proxy import ollama_proxy
from tests.llm.scripted import Scripted

__all__ = ["llama", "ollama_proxy"]


# How long an example takes says more about what else the machine does than about the code.
settings.register_profile(
    "shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("shared machine")


def pytest_configure(config: pytest.Config) -> None:
    # A shell without job control lets what it runs in the background ignore these (POSIX, 2.11
    # "Signals and Error Handling"); crash programs inherit that and would not end.
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The first process makes the folder; xdist's workers inherit its name.
    if CACHE_VARIABLE not in os.environ:
        os.environ[CACHE_VARIABLE] = tempfile.mkdtemp(prefix="workbench-crashes-")
        config.stash[_made] = True
        # What vouches for the sessions that tests make is no secret of the person's.
        os.environ["XDG_STATE_HOME"] = os.path.join(os.environ[CACHE_VARIABLE], "state")


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.stash.get(_made, False):
        shutil.rmtree(os.environ.pop(CACHE_VARIABLE), ignore_errors=True)


_made = pytest.StashKey[bool]()


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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that cannot run here proves nothing, so a skip fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped") and session.exitstatus == 0:
        reporter.write_line("skipped tests count as failures", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
