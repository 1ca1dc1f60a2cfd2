"""What a triage without a model loads: its start is a third of its time."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.lines import PRODUCT, ROOT
from workbench.fronts import cli

TRIAGE = """
import sys
from workbench.fronts.cli import main
sys.argv = ["workbench", "triage", *sys.argv[1:]]
try:
    main()
except SystemExit as left:
    print(left.code, *sys.modules, file=sys.stderr)
"""
HEAVY = {
    "anthropic", "detect_secrets", "genai_prices", "httpx", "instructor", "jinja2", "mcp", "ollama",
    "openai", "pydantic", "pyte", "requests", "rich", "sqlite_vec", "textual",
}  # fmt: skip
# What other dumps, logs and a person's words need: their expressions take longest to compile.
OTHERS = (
    "analyzers.log.checks", "analyzers.patterns.managed.case", "analyzers.patterns.managed.thrown",
    "analyzers.patterns.reported.", "analyzers.patterns.windows.heap",
    "workbench.agents.chat.asked", "workbench.agents.issue_words", "workbench.claims.source",
    "zstandard",
)  # fmt: skip


@pytest.mark.parametrize("format", ["json", "md"])
def test_a_triage_without_a_model_loads_nothing_for_models_or_screens(
    tmp_path: Path, format: str
) -> None:
    executable = build("int main(int n, char **v) { return *(volatile int *)(long)(n - 1); }", "-g")
    command = [sys.executable, "-c", TRIAGE, str(crash(executable)), "--exe", str(executable)]
    command += ["--tier", "offline", "--format", format, "--sessions-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, *loaded = done.stderr.splitlines()[-1].split()
    assert status in ("0", "1")
    assert "workbench.agents.critic" in loaded
    packages = {name.split(".")[0] for name in loaded}
    assert not packages & HEAVY
    assert not {name for name in loaded if name.startswith(OTHERS)}


def test_a_core_is_recognised_without_unwinding_so_that_gdb_loads_it_soon() -> None:
    what = (
        "import sys; from pathlib import Path; from workbench.targets.identify import identify;"
        "print(identify(Path(sys.argv[1])).thread_count, *sys.modules)"
    )
    executable = build("int main(int n, char **v) { return *(volatile int *)(long)(n - 1); }", "-g")
    command = [sys.executable, "-c", what, str(crash(executable))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    threads, *loaded = done.stdout.split()
    assert threads == "1"
    assert not {"capstone", "workbench.targets.probes.cfi"} & set(loaded)


def test_gdb_is_started_before_what_takes_as_long_to_import_as_its_own_start() -> None:
    what = (
        "import sys; from workbench.debuggers import early, protocol;"
        "early.launched(protocol.Recipe(core=None), early.find_gdb()).give_up();"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", what], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "workbench.debuggers.gdb.recipe" in loaded
    assert not {"asyncio", "dataclasses", "inspect", "msgspec", "secrets", "typer"} & set(loaded)


@pytest.mark.parametrize(
    ("words", "needed", "not_needed"),
    [
        (["sessions"], {"workbench.store.catalog"}, {"workbench.model.events"}),
        (["--help"], {"workbench.fronts.cli_evaluate"}, {"typer.rich_utils", "workbench.store"}),
    ],
)
def test_a_list_or_a_help_loads_no_more_than_it_prints(
    tmp_path: Path, words: list[str], needed: set[str], not_needed: set[str]
) -> None:
    what = TRIAGE.replace('"triage"', f"*{words}")
    command = [sys.executable, "-c", what]
    command += ["--sessions-dir", str(tmp_path)] if words == ["sessions"] else []
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, *loaded = done.stderr.splitlines()[-1].split()
    assert status in ("0", "None")
    assert needed <= set(loaded)
    assert not ({"asyncio", "aiosqlite", "markdown_it", "rich"} | not_needed) & set(loaded)


def test_the_first_frame_of_a_screen_waits_for_nothing_that_it_does_not_show() -> None:
    what = "import sys, workbench.fronts.screen; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", what], capture_output=True, text=True, check=True
    )
    rooms = {".".join(name.split(".")[:2]) for name in loaded.stdout.split()}
    assert "workbench.tui" in rooms
    assert not rooms & {"workbench.agents", "workbench.llm", "workbench.claims", "workbench.store"}
    assert not {room for room in rooms if room.startswith("analyzers")}
    assert "workbench.tui.screens.workbench" not in loaded.stdout.split()


def test_nothing_is_loaded_where_an_interrupt_would_be_a_traceback() -> None:
    what = (
        "import sys; known = {*sys.modules}; import workbench.__main__; "
        "print(sys.modules.keys() - known)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", what], capture_output=True, text=True, check=True
    ).stdout
    assert not ast.literal_eval(loaded) - {"workbench", "workbench.__main__", "atexit", "gc"}


def test_a_named_command_is_all_that_is_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    every, groups = cli.app.registered_commands, cli.app.registered_groups
    monkeypatch.setattr(cli.app, "registered_commands", every)
    monkeypatch.setattr(cli.app, "registered_groups", groups)
    for others in ([], ["--version"], ["sessions"], ["nonsense"]):
        cli._leave_out_others(others)
        assert cli.app.registered_commands is every
    cli._leave_out_others(["open"])  # whose function has another name
    assert [one.name for one in cli.app.registered_commands] == ["open"]
    assert cli.app.registered_groups == []


# How many imports a file has inside its functions, by why they are not at its top.
LATE = {
    "gdb loads the dump while this is imported": {
        "workbench/__main__.py": 3,
        "workbench/fronts/acquire.py": 1,
        "workbench/bundle/unpack.py": 1,
        "workbench/debuggers/choose.py": 1,
        "workbench/debuggers/gdb/find.py": 1,
        "workbench/debuggers/head_start.py": 1,
        "workbench/opening.py": 5,
    },
    "another command, or a triage of another kind of dump, needs it": {
        "analyzers/dump/notes.py": 1,
        "analyzers/log/hotspot.py": 1,
        "analyzers/log/kernel_access.py": 1,
        "analyzers/log/managed.py": 1,
        "analyzers/patterns/__init__.py": 2,
        "analyzers/patterns/frame_lines.py": 2,
        "analyzers/patterns/in_line.py": 1,
        "analyzers/patterns/waitgraph.py": 1,
        "analyzers/plugins.py": 1,
        "workbench/agents/experts.py": 1,
        "workbench/agents/issue.py": 1,
        "workbench/agents/managed.py": 1,
        "workbench/agents/report/managed.py": 1,
        "workbench/claims/book.py": 1,
        "workbench/claims/values.py": 1,
        "workbench/fronts/cli_requests.py": 1,
        "workbench/engine/commands.py": 2,
        "workbench/engine/rerun.py": 3,
        "workbench/engine/reports.py": 1,
        "workbench/engine/session.py": 1,
        "workbench/engine/viewing.py": 1,
        "workbench/engine/workflow.py": 1,
        "workbench/samples/__init__.py": 1,
        "workbench/settings.py": 1,
        "workbench/store/catalog.py": 1,
        "workbench/store/large_text.py": 1,
        "workbench/store/vectors.py": 1,
        "workbench/targets/signal_frame.py": 2,
    },
    "a model needs it; it takes 50 ms to a second": {
        "workbench/engine/speaking.py": 1,
        "workbench/llm/choosing.py": 1,
        "workbench/llm/providers/over_http.py": 1,
        "workbench/llm/redaction/machine.py": 1,
        "workbench/llm/redaction/secrets.py": 1,
        "workbench/llm/structured.py": 1,
    },
    "not every system has it": {
        "workbench/debuggers/pty.py": 1,
        "workbench/fronts/doctor.py": 1,
    },
    "the first frame of the screen stands before": {
        "workbench/fronts/screen.py": 1,
        "workbench/tui/app.py": 1,
    },
    "they import each other, or a colouring takes long": {
        "workbench/reproduce/inside/stacks.py": 1,
        "workbench/tui/panes/source.py": 1,
    },
}


def _late(path: Path) -> int:
    """The import statements inside functions of a file; few files have any to parse them for."""
    text = path.read_text("utf-8")
    if not re.search(r"^[ \t]+(?:import|from) ", text, re.MULTILINE):
        return 0
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = {
        inner
        for outer in ast.walk(ast.parse(text))
        if isinstance(outer, functions)
        for inner in ast.walk(outer)
        if isinstance(inner, (ast.Import, ast.ImportFrom))
    }
    return len(found)


def test_imports_inside_functions_are_those_that_a_start_saves() -> None:
    files = (path for room in PRODUCT for path in sorted((ROOT / room).rglob("*.py")))
    found = {str(path.relative_to(ROOT)): late for path in files if (late := _late(path))}
    assert found == {file: count for files in LATE.values() for file, count in files.items()}
