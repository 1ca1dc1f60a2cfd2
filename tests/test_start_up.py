"""What a triage without a model loads: its start is a third of its time."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes import build, crash
from workbench import cli

TRIAGE = """
import sys
from workbench.cli import main
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
