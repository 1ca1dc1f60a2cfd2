"""Report keys that only some reports have: watches, security, and what a managed log tells."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.forking import workbench
from workbench.samples import demo_files


def triage(*arguments: str | Path, cwd: Path) -> dict[str, Any]:
    done = workbench("triage", *arguments, "--format", "json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    found = demo_files(tmp_path_factory.mktemp("sample"))
    return found.core, found.executable


@pytest.mark.parametrize("debugger", ["gdb", "lldb"])
def test_watches_are_evaluated_in_the_frame_at_fault(
    sample: tuple[Path, Path], tmp_path: Path, debugger: str
) -> None:
    core, executable = sample
    plain = (
        "$pc",
        "*conn",
        "&conn->out",
        "conn->out",
    )  # of all forms; the last two are asked twice
    more = ("conn->out->queued", "conn->line[0] == 0 || sizeof(struct outbox) > 2048", "(long)conn")
    watched = ("conn", "nowhere", "conn = 0", "system(1)", *plain, *more)
    options = [part for one in watched for part in ("--watch", one)]
    report = triage(core, "--exe", executable, "--debugger", debugger, *options, cwd=tmp_path)
    found = report["analysis"]["watches"]
    assert [one["expression"] for one in found] == list(watched)
    ledger = {row["id"]: row for row in report["analysis"]["aiAnalysis"]["evidenceLedger"]}
    frame = report["analysis"]["aiAnalysis"]["frame"]
    assert re.match(r"\((struct )?connection \*\)", found[0]["value"])
    assert ledger[found[0]["evidence"]]["command"].count("frame")
    assert frame["function"] == "connection_send"
    right = [True, False, False, False, *(True for _ in plain), False, True, True]
    assert [one["reason"] is None for one in found] == right
    assert [one["value"] is not None for one in found] == right
    assert not any(re.search(r"\$\d", one["value"] or "") for one in found)
    assert triage(core, "--exe", executable, cwd=tmp_path)["analysis"]["watches"] is None


def test_security_says_what_the_dump_shows(sample: tuple[Path, Path], tmp_path: Path) -> None:
    core, executable = sample
    analysis = triage(core, "--exe", executable, "--security", cwd=tmp_path)["analysis"]
    told = analysis["security"]
    assert told["severity"] == analysis["summary"]["severity"]
    assert told["severity"]["class"]
    by_name = {one["name"]: one for one in told["mitigations"]}
    assert by_name["stacks are not executable"]["present"] is True
    assert by_name["the program lies where it was put at random"]["present"] is False
    assert all(one["evidence"] for one in told["mitigations"] if one["present"] is not None)
    without = triage(core, "--exe", executable, cwd=tmp_path)["analysis"]
    assert without["security"] is None


def test_an_executable_stack_and_a_moved_program_are_seen(tmp_path: Path) -> None:
    from tests.crashes import build, crash

    source = "int main(void) { volatile int *p = 0; return *p; }\n"
    executable = build(source, "-g", "-O0", "-pie", "-fPIE", "-z", "execstack")
    core = crash(executable)
    analysis = triage(core, "--exe", executable, "--security", cwd=tmp_path)["analysis"]
    by_name = {one["name"]: one["present"] for one in analysis["security"]["mitigations"]}
    assert by_name["stacks are not executable"] is False
    assert by_name["no memory is writable and executable"] is False
    assert by_name["the program lies where it was put at random"] is True


MANAGED = """\
Microsoft (R) Windows Debugger Version 10.0.22621.1 AMD64

Loading Dump File [C:\\dumps\\w3wp.dmp]
User Mini Dump File with Full Memory: Only application data is available

0:000> !threads
ThreadCount:      3
UnstartedThread:  0
                                                                         Lock
       ID OSID ThreadOBJ           State GC Mode     GC Alloc Context  Domain           Count Apt Exception
   0    1 2f14 000001b1d8d0a6b0  202a020 Preemptive  000001B1DA8F7B58:000001B1DA8F9FD0 000001b1d8ce0f90 1     MTA
   2    2 1b68 000001b1d8d35e50    2b220 Preemptive  0000000000000000:0000000000000000 000001b1d8ce0f90 0     MTA (Finalizer)
   5    3 33a8 000001b1d8e12340  3029220 Preemptive  000001B1DA901234:000001B1DA902FD0 000001b1d8ce0f90 1     MTA (Threadpool Worker)
XXXX    4    0 000001b1d8e15550  1039820 Preemptive  0000000000000000:0000000000000000 000001b1d8ce0f90 0     Ukn
0:000> !syncblk
Index SyncBlock MonitorHeld Recursion Owning Thread Info  SyncBlock Owner
   11 000001b1d8d61e08            3         1 000001b1d8d0a6b0 2f14   0   000001b1da8f3a10 System.Object
-----------------------------
Total           12
0:000> !threadpool
CPU utilization: 12%
Worker Thread: Total: 16 Running: 16 Idle: 0 MaxLimit: 32767 MinLimit: 8
Work Request in Queue: 42
--------------------------------------
0:000> !dumpdomain
--------------------------------------
System Domain:      00007ffa0f8c1000
Assembly:           000001b1d8d3f0d0 [C:\\Windows\\Microsoft.Net\\assembly\\GAC_64\\mscorlib\\v4.0_4.0.0.0__b77a5c561934e089\\mscorlib.dll]
ClassLoader:        000001b1d8d3f1e0
Assembly:           000001b1d8d4aaa0 [C:\\inetpub\\shop\\bin\\Shop.Web.dll]
0:000> q
"""  # noqa: E501


def test_a_managed_log_fills_threads_locks_pool_and_assemblies(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text(MANAGED)
    analysis = triage("w.txt", cwd=tmp_path)["analysis"]
    assert analysis["threads"]["count"] == 3
    items = {one["threadId"]: one for one in analysis["threads"]["items"]}
    assert items[0x1B68]["name"] == "finalizer"
    assert items[0x33A8]["number"] == 5
    (lock,) = analysis["synchronization"]["locks"]
    assert (lock["kind"], lock["owner"], lock["address"]) == ("monitor", 0x2F14, "0x1b1da8f3a10")
    assert "16 workers" in analysis["async"]["threadPool"]
    assert analysis["assemblies"] == [
        {
            "name": "mscorlib",
            "version": "4.0.0.0",
            "path": "C:\\Windows\\Microsoft.Net\\assembly\\GAC_64\\mscorlib"
            "\\v4.0_4.0.0.0__b77a5c561934e089\\mscorlib.dll",
        },
        {"name": "Shop.Web", "version": None, "path": "C:\\inetpub\\shop\\bin\\Shop.Web.dll"},
    ]
    ledger = {row["command"]: row for row in analysis["aiAnalysis"]["evidenceLedger"]}
    assert ledger["!threads"]["summary"] == "4 managed threads"
    assert ledger["!syncblk"]["summary"] == "1 held monitors"
    assert ledger["!threadpool"]["summary"] == "16 pool workers"
    assert ledger["!dumpdomain"]["summary"] == "2 assemblies"
