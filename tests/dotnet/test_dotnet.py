"""What is reported of real .NET processes: deadlock, exception, leak, starvation, finalizer."""

import json
import re
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import analyze
from tests.debuggers.talk import ask
from tests.dotnet import cores
from tests.forking import workbench
from workbench.agents.assisted.arguments import Inspect
from workbench.agents.assisted.inspecting import inspect
from workbench.agents.assisted.tools_dump import ask as ask_model
from workbench.debuggers.choose import choose
from workbench.debuggers.dotnet.find_sos import find_sos
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.protocol import DebuggerDied, Recipe
from workbench.engine.recipe import GateMode, recipe_for
from workbench.model.facts import ManagedException
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.settings import Settings
from workbench.targets.identify import identify, open_core
from workbench.targets.probes.monitors import probe


def triage(core: Path, folder: Path, *options: str) -> dict[str, Any]:
    """The report of a headless triage."""
    done = workbench("triage", core, "--format", "json", "--sessions-dir", folder, *options)
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)["analysis"]
    struck = [c for c in report["aiAnalysis"]["claims"] if c["status"] != "verified"]
    assert not struck
    assert report["environment"]["runtime"] == "coreclr"
    return report


def test_a_deadlock_of_two_monitors_with_waiting_pool_threads(tmp_path: Path) -> None:
    report = triage(cores.snapshot("deadlock"), tmp_path)
    ai = report["aiAnalysis"]
    assert (ai["category"], report["summary"]["crashType"]) == ("deadlock", "hang")
    assert ai["confidence"] > 0.85
    assert ai["frame"]["function"] == "Program.Transfer"
    assert "threads in `Program.Query`" in " ".join(c["text"] for c in ai["claims"])
    (ring,) = report["synchronization"]["deadlocks"]
    assert len(ring) == 2
    locks = [lock for lock in report["synchronization"]["locks"] if lock["kind"] == "monitor"]
    assert {lock["owner"] for lock in locks} == set(ring)
    assert max(len(lock["waiters"]) for lock in locks) >= 2
    assert report["exception"]["signal"] is None


def test_an_unhandled_exception_with_an_inner_one(tmp_path: Path) -> None:
    report = triage(cores.crashed("unhandled"), tmp_path)
    ai, exception = report["aiAnalysis"], report["exception"]
    assert (ai["category"], report["summary"]["crashType"]) == ("uncaught-exception", "exception")
    assert ai["confidence"] > 0.8
    assert ai["frame"]["function"] == "Orders.Load"
    assert exception["type"] == "OrderException"
    assert exception["message"] == "order 17 cannot be read"
    assert exception["hresult"] == "0x80131500"
    (inner,) = exception["inner"]
    assert inner["type"] == "System.FormatException"
    assert inner["message"] == "Input string was not in a correct format."
    assert [frame["function"] for frame in exception["stackTrace"]][:1] == ["Orders.Load"]
    asked = {row["command"]: row["summary"] for row in ai["evidenceLedger"]}
    assert asked["sos DumpDomain"].endswith(" assemblies")
    named = {one["name"]: one["path"] for one in report["assemblies"]}
    assert {"unhandled", "System.Private.CoreLib"} <= set(named)
    assert all(path.endswith(f"/{name}.dll") for name, path in named.items())


def test_a_null_reference_and_a_program_that_ends_itself(tmp_path: Path) -> None:
    report = triage(cores.crashed("nullref"), tmp_path)
    assert report["aiAnalysis"]["category"] == "uncaught-exception"
    assert report["aiAnalysis"]["frame"]["function"] == "Program.Length"
    assert report["exception"]["type"] == "System.NullReferenceException"
    report = triage(cores.crashed("failfast"), tmp_path)
    assert report["aiAnalysis"]["category"] == "explicit-abort"
    assert "`System.Environment.FailFast`" in report["aiAnalysis"]["rootCause"]


def test_a_leak_seen_in_the_heap(tmp_path: Path) -> None:
    report = triage(cores.snapshot("leak"), tmp_path)
    ai = report["aiAnalysis"]
    assert (ai["category"], report["summary"]["crashType"]) == ("memory-leak", "leak")
    assert 0.4 < ai["confidence"] <= 0.7  # one dump cannot show growth
    assert any("second dump" in missing for missing in ai["missing"])
    types = {item["name"]: item["count"] for item in report["memory"]["topTypes"]}
    assert types["Subscriber"] == 9000
    assert "List'1[[Subscriber" in " ".join(c["text"] for c in ai["claims"])


def test_a_starved_pool_from_stacks_alone(tmp_path: Path) -> None:
    report = triage(cores.snapshot("starvation"), tmp_path)
    ai = report["aiAnalysis"]
    assert (ai["category"], report["summary"]["crashType"]) == ("thread-starvation", "hang")
    assert 0.5 < ai["confidence"] <= 0.8  # the pool's own numbers are not in this SOS
    assert ai["frame"]["function"] == "Program.Handle"


def test_a_finalizer_that_blocks(tmp_path: Path) -> None:
    report = triage(cores.snapshot("finalizer"), tmp_path)
    found = {h["category"]: h["status"] for h in report["aiAnalysis"]["hypotheses"]}
    assert found["finalizer-blockage"] == "confirmed"
    assert report["aiAnalysis"]["frame"]["function"] == "Connection.Finalize"


def test_an_lldb_without_sos_is_not_chosen() -> None:
    target = identify(cores.snapshot("leak"))
    assert target.runtime == "coreclr"
    assert target.runtime_path == str(cores.runtime() / "libcoreclr.so")
    chosen = choose(target, "auto", {})
    assert chosen.name == "lldb"
    assert "SOS beside the runtime" in chosen.why
    wheel = choose(target, "auto", {"lldb": Path(sys.executable).with_name("lldb")})
    assert wheel.name == "gdb"
    assert "apt install lldb" in wheel.why


def test_sos_that_came_with_the_dump_is_not_loaded(tmp_path: Path) -> None:
    for name in ("libcoreclr.so", "libsosplugin.so", "libmscordaccore.so"):
        (tmp_path / name).touch()
    found = find_sos(tmp_path / "core", tmp_path / "libcoreclr.so")
    assert (found.plugin, found.clr) == (None, None)
    assert "folder of the dump" in found.why
    named = find_sos(tmp_path / "core", tmp_path / "libcoreclr.so", tmp_path / "libsosplugin.so")
    assert named.plugin == tmp_path / "libsosplugin.so"
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    for name in ("libcoreclr.so", "libsosplugin.so"):
        (open_folder / name).touch()
    open_folder.chmod(0o777)
    found = find_sos(Path("/var/core"), open_folder / "libcoreclr.so")
    assert found.plugin is None
    assert "others can write" in found.why


def test_sos_below_the_sysroot_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sysroot's runtime is the dump's by its build id, and still came with it."""
    core = cores.snapshot("leak")
    there = Path(*[*(tmp_path / "root").parts, *cores.runtime().parts[1:]])
    shutil.copytree(cores.runtime(), there)
    target = identify(core, None, tmp_path / "root")
    assert (target.runtime, target.runtime_path) == ("coreclr", None)
    home = tmp_path / "home"
    (home / "case" / "dotnet").mkdir(parents=True)
    (home / "case" / "dotnet" / "libsosplugin.so").touch()
    monkeypatch.setenv("HOME", str(home))
    assert find_sos(home / "core", home / "case" / "dotnet" / "libcoreclr.so").plugin is None


@pytest.fixture
async def lldb(tmp_path: Path) -> AsyncIterator[LldbDebugger]:
    target = identify(cores.snapshot("deadlock"))
    one = LldbDebugger(recipe_for(target, Options(), "lldb", tmp_path))
    await one.start()
    yield one
    await one.close()


async def test_sos_answers_in_lldb(lldb: LldbDebugger) -> None:
    assert "SOS is not loaded" not in lldb.opening.read()
    assert "ThreadCount:" in await ask(lldb, "clrthreads")
    assert "Program.Transfer" in await ask(lldb, "clrstack -all")
    threads = [n for n in range(1, 12) if "Account" in await ask(lldb, f"thread select {n}; dso")]
    assert len(threads) >= 2


async def test_a_managed_object_is_inspected_with_its_fields(tmp_path: Path) -> None:
    """An exception, and one level deeper the one that caused it."""
    request = Request(target=str(cores.crashed("unhandled")), options=Options(debugger="lldb"),
                      base=tmp_path, settings=Settings())  # fmt: skip
    session = await open_session(request, GateMode.HEADLESS)
    try:
        await session.run()
        thrown = next(e.address for e in session.state.facts.all(ManagedException) if e.address)
        for depth, inner in ((1, False), (2, True)):
            result = await inspect(session, Inspect(address=f"{thrown:x}", depth=depth))
            assert "| Name: OrderException" in result.text
            assert re.search(r"\| _innerException = 0000[0-9a-f]{12} \(", result.text)
            assert ("| Name: System.FormatException" in result.text) is inner
        assert all(
            session.state.evidence[id].command.startswith("dumpobj") for id in result.evidence
        )
    finally:
        await session.close()


async def test_arrays_and_structures_of_a_heap_are_inspected(tmp_path: Path) -> None:
    """A list's items, a dictionary's entries, and the objects that these refer to."""
    request = Request(target=str(cores.snapshot("leak")), options=Options(debugger="lldb"),
                      base=tmp_path, settings=Settings())  # fmt: skip
    session = await open_session(request, GateMode.HEADLESS)
    try:
        await session.run()

        async def deep(type: str) -> str:
            listed = await ask_model(
                session, f"sos DumpHeap -type {type} -short", "which are there"
            )
            address = (await session.text(listed.evidence[0])).split()[0]
            return (await inspect(session, Inspect(address=address, depth=3))).text

        cache = await deep("System.Collections.Generic.List")
        assert "| _size = 9000 (System.Int32)" in cache
        assert "<no" not in cache  # a static of a generic type has no value
        assert re.search(r"\| \[7\] = 0000[0-9a-f]{12}\n", cache)
        assert cache.count("| Name: Subscriber\n") == 4
        named = await deep("System.Collections.Generic.Dictionary")
        assert re.search(r"\| \[0\]\n.*\n.*\n\S+ key = 0000[0-9a-f]{12} \(System", named)
        months = await deep("System.Globalization.CalendarData")
        assert "| String: " in months
    finally:
        await session.close()


async def test_a_crash_of_sos_ends_in_an_error_and_the_session_goes_on(lldb: LldbDebugger) -> None:
    """``clrstack -i`` kills this pair of lldb and SOS."""
    told: list[str] = []
    lldb.on_restart = told.append
    with pytest.raises(DebuggerDied, match="SIGSEGV during: clrstack -i"):
        await lldb.execute("clrstack -i", by="engine", timeout=60)
    assert told
    assert "ThreadCount:" in await ask(lldb, "clrthreads")


async def test_an_lldb_that_sos_would_kill_opens_without_it(tmp_path: Path) -> None:
    core = cores.snapshot("leak")
    recipe = Recipe(
        core=core,
        debugger="lldb",
        program=Path(sys.executable).with_name("lldb"),
        sos=cores.runtime() / "libsosplugin.so",
        spool=tmp_path,
    )
    one = LldbDebugger(recipe)
    await one.start()
    try:
        assert "SOS is not loaded: this lldb is not built for it" in one.opening.read()
        assert "thread #1" in await ask(one, "thread list")
    finally:
        await one.close()


async def test_a_plugin_that_is_none_is_told(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.so"
    nothing.write_bytes(b"no library")
    for plugin in (nothing, tmp_path / 'a"b.so'):
        recipe = Recipe(core=cores.snapshot("leak"), debugger="lldb", sos=plugin, spool=tmp_path)
        one = LldbDebugger(recipe)
        await one.start()
        try:
            assert "SOS is not loaded" in one.opening.read()
        finally:
            await one.close()


def test_the_runtimes_own_table_of_monitors() -> None:
    core = open_core(cores.snapshot("deadlock"))
    try:
        lines = probe(core, []).splitlines()
        tids = {thread.tid for thread in core.threads}
    finally:
        core.close()
    assert lines[0].endswith("2 held monitors")
    assert all("held by thread " in line for line in lines[1:])
    assert {int(line.split("held by thread ")[1].split()[0]) for line in lines[1:]} <= tids


@settings(deadline=None)
@given(st.lists(st.sampled_from(range(1, 8)), max_size=12), st.text(max_size=40))
def test_any_answer_about_monitors_is_read(numbers: list[int], noise: str) -> None:
    rows = [
        f"monitor {n}: object {n:#x}, held by the runtime's thread {n:#x}, recursion 1, "
        f"{n} waiters, lock word {n:#x}"
        for n in numbers
    ]
    text = "\n".join(["sync table 0x10 (g_pSyncTable 0x20)", *rows, noise])
    for fact in analyze(Document("E1", "@monitors", "dump", text)).facts:
        assert fact.cite.last <= text.count("\n") + 1


def test_what_createdump_copied_of_a_living_process_is_no_abort() -> None:
    assert identify(cores.snapshot("leak")).signal is None
    assert identify(cores.crashed("unhandled")).signal == "SIGABRT"
