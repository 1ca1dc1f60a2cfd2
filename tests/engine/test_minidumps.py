"""Minidumps through the whole engine: with lldb, and with our reader alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.targets.minidump import builder
from tests.targets.minidump.test_reading import access_violation
from workbench.debuggers import choose
from workbench.engine.outcome import exit_status
from workbench.engine.recipe import GateMode
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.settings import Settings


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any debugger."""
    monkeypatch.setattr(choose, "_missing", lambda name: f"{name} is not installed")


async def report(target: str, base: Path) -> tuple[int, dict[str, Any]]:
    """The exit status and the report of a headless run."""
    request = Request(target=target, options=Options(), base=base, settings=Settings())
    session = await open_session(request, GateMode.HEADLESS)
    try:
        await session.run()
        return exit_status(session.state), json.loads(await session.report("json"))
    finally:
        await session.close()


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "crash.dmp"
    path.write_bytes(access_violation().build())
    return path


def says(found: dict[str, Any]) -> None:
    analysis = found["analysis"]
    exception = analysis["exception"]
    assert exception["type"] == "EXCEPTION_ACCESS_VIOLATION_READ (0xc0000005)"
    assert (exception["code"], exception["signal"]) == ("0xc0000005", None)
    assert (exception["address"], exception["faultAddress"]) == ("0x7ff600001010", "0x10")
    assert (exception["threadId"], exception["parameters"]) == (100, ["0x0", "0x10"])
    assert analysis["summary"]["crashType"] == "crash"
    assert (analysis["summary"]["threadCount"], analysis["summary"]["moduleCount"]) == (2, 2)
    environment = analysis["environment"]
    assert (environment["os"], environment["arch"]) == ("Windows NT", "x86_64")
    assert (environment["cpu"], environment["system"]) == ("amd64", "Windows NT 10.0.19041")
    assert analysis["modules"][0]["version"] == "1.2.3.4"
    assert analysis["aiAnalysis"]["category"] == "null-pointer-dereference"
    names = {item["threadId"]: item["name"] for item in analysis["threads"]["items"]}
    assert names == {100: None, 200: "worker"}


@pytest.mark.usefixtures("alone")
async def test_without_a_debugger_the_reader_tells_all(tmp_path: Path, dump: Path) -> None:
    status, found = await report(str(dump), tmp_path / "sessions")
    assert status == 0
    assert found["metadata"]["debugger"] is None
    assert found["analysis"]["environment"]["pid"] is None
    says(found)


@pytest.mark.usefixtures("alone")
async def test_a_saved_session_of_a_minidump_is_taken_up(tmp_path: Path, dump: Path) -> None:
    base = tmp_path / "sessions"
    _, first = await report(str(dump), base)
    status, again = await report(first["metadata"]["sessionId"], base)
    assert status == 0
    says(again)


async def test_with_lldb(tmp_path: Path, dump: Path) -> None:
    status, found = await report(str(dump), tmp_path / "sessions")
    assert status == 0
    assert found["metadata"]["debugger"]["name"] == "lldb"
    says(found)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda dump: setattr(dump, "streams", []), "snapshot"),
        (lambda dump: setattr(dump, "threads", []), "crash"),
        (lambda dump: setattr(dump, "modules", []), "crash"),
        (lambda dump: setattr(dump, "processor", builder.MIPS), "crash"),
        (lambda dump: setattr(dump, "platform", -1), "crash"),
    ],
)
@pytest.mark.usefixtures("alone")
async def test_what_is_missing_is_no_failure(
    tmp_path: Path, change: Callable[[object], None], kind: str
) -> None:
    built = access_violation()
    change(built)
    path = tmp_path / "crash.dmp"
    path.write_bytes(built.build())
    status, found = await report(str(path), tmp_path / "sessions")
    assert status in (0, 1)
    assert found["analysis"]["summary"]["crashType"] == kind
    assert found["analysis"]["coreHealth"]["caps"]
