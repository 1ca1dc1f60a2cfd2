"""A run without a model loads nothing of models but the reading of what once left the machine."""

import subprocess
import sys

CODE = """
import sys
from workbench.engine.making import new_session
from workbench.agents.report.writer import build_report
from workbench.model.investigation import Investigation
build_report(Investigation(), {})
light = {"workbench.llm.payloads", "workbench.llm.private_files"}
print(sorted(
    name for name in sys.modules
    if name.startswith(("workbench.llm.", "workbench.agents.assisted")) and name not in light
    or name.split(".")[0] in ("pydantic", "openai", "instructor", "ollama", "jinja2")
))
"""


def test_it_loads_nothing_of_models() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
