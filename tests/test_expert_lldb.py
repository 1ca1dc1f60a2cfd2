"""With lldb as the debugger the causes, frames and lines are those that gdb gives."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.crashes import build, crash, lldbs, needed
from tests.samples.case import CASES, make, triage, triaged
from tests.soak import SOAK, part
from tests.test_expert import check_grounded
from workbench.evaluate.schema import Case

# One of each kind of evidence that comes from the debugger: optimised, inlined and stripped code,
# C++, many threads, deep recursion, aborts inside the C library, hangs, signals from outside.
CHOSEN = (
    "orders_total.c--g-O2-SIGSEGV",
    "orders_total.c--O1-s-SIGSEGV",
    "handlers.c--g-O0-SIGSEGV",
    "shapes.cpp--g-O0-SIGSEGV",
    "queue.c--O1-static-s-SIGSEGV",
    "cleanup.c--g-O0-SIGABRT",
    "copy_name.c--g-O0-fno-stack-protector-SIGSEGV",
    "tree_depth.c--g-O2-SIGSEGV",
    "stage.cpp--g-O0-SIGABRT",
    "insert.c--g-O1-static-SIGABRT",
    "ring.cpp--g-O0-SIGSEGV",
    "transfer.c--g-O2-SIGSEGV",
    "standby.c--g-O0-SIGQUIT",
    "parse_step.c--g-O2-SIGILL",
    "table_file.c--g-O0-SIGBUS",
    "borrowed.rs--g-Cpanic=abort-SIGABRT",
)


def test_every_chosen_case_is_there() -> None:
    assert set(CHOSEN) <= {case.id for case in CASES}


def _report(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _said(report: dict[str, Any]) -> dict[str, object]:
    analysis = report["analysis"]
    cause = analysis["aiAnalysis"]
    frame = cause["frame"] or {}
    return {
        "category": cause["category"],
        "confidence": cause["confidence"],
        "function": frame.get("function"),
        "file": frame.get("file"),
        "line": frame.get("line"),
        "named": [  # the operand by the source; lldb 14 follows no variable index
            arg["value"]
            for claim in cause["claims"]
            if claim["kind"] == "value"
            for arg in claim["args"]
            if arg["name"] == "expression" and "[" not in arg["value"]
        ],
        "borrows": [claim["text"] for claim in cause["claims"] if "borrows" in claim["text"]],
        "crash": analysis["summary"]["crashType"],
        "signal": analysis["exception"]["signal"],
        "threads": analysis["summary"]["threadCount"],
        "refuted": [claim["text"] for claim in cause["claims"] if claim["status"] == "refuted"],
    }


@pytest.mark.soak
@pytest.mark.soak
@pytest.mark.parametrize("case", part(c for c in CASES if c.id in CHOSEN), ids=lambda case: case.id)
def test_lldb_says_what_gdb_says(case: Case, tmp_path: Path) -> None:
    expected = _said(_report(triaged(case)))
    turn = CHOSEN.index(case.id) % 2  # each lldb sees every other kind
    for lldb in map(needed, lldbs() if SOAK else lldbs()[turn:][:1]):
        env = os.environ | {"WORKBENCH_LLDB": str(lldb)}
        executable, core = make(case)
        report = _report(triage(core, executable, tmp_path, "--debugger", "lldb", env=env))
        assert report["metadata"]["debugger"]["name"] == "lldb"
        assert _said(report) == expected, lldb
        check_grounded(report)
        ledger = report["analysis"]["aiAnalysis"]["evidenceLedger"]
        assert any(item["command"].startswith("thread backtrace") for item in ledger)


_ENDS = """
#include <map>
#include <string>
std::map<std::string, double> prices{{"apple", 1.5}, {"pear", 2.0}};
[[gnu::noinline]] double price(const std::string &name) { return prices.at(name); }
int main() { double all = 0; for (auto name : {"apple", "pear", "fig"}) all += price(name);
 return all; }
"""


def test_a_function_that_lldb_does_not_list_threw(tmp_path: Path) -> None:
    """lldb 23 lists no function around inlined code that a call which never returns ends."""
    executable = build(_ENDS, "-g", "-O2", lang="cpp")
    core = crash(executable)
    for lldb in map(needed, lldbs()):
        env = os.environ | {"WORKBENCH_LLDB": str(lldb)}
        report = _report(triage(core, executable, tmp_path, "--debugger", "lldb", env=env))
        assert str(_said(report)["function"]).startswith("price"), lldb
