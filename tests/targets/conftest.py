"""Real cores that several tests read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.targets.programs import THREADED
from workbench.targets.core import CoreFile
from workbench.targets.identify import open_core


@pytest.fixture(scope="session")
def dynamic_exe() -> Path:
    return build(THREADED, "-g", "-pthread")


@pytest.fixture(scope="session")
def dynamic_core(dynamic_exe: Path) -> Path:
    return crash(dynamic_exe)


@pytest.fixture(scope="session")
def static_exe() -> Path:
    return build(THREADED, "-g", "-pthread", "-static", "-no-pie")


@pytest.fixture(scope="session")
def static_core(static_exe: Path) -> Path:
    return crash(static_exe)


@pytest.fixture(scope="session")
def static_pie_core() -> Path:
    return crash(build(THREADED, "-g", "-pthread", "-static-pie"))


@pytest.fixture
def core(dynamic_core: Path) -> Iterator[CoreFile]:
    with open_core(dynamic_core) as opened:
        yield opened
