"""What the documents say of the tree stands in it."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

from tests.report_schema import report_schema
from workbench.agents.assisted.toolbox import SPECS
from workbench.fronts import cli
from workbench.model import events
from workbench.model.session_events import Event
from workbench.settings import Settings

ROOT = Path(__file__).parent.parent
MADE_BY_A_RUN = {".sessions", "evidence", "evidence.db", "session.log", "metadata.json",
                 "session.lock", "catalog.db"}  # fmt: skip


def spans(name: str) -> list[str]:
    text = re.sub(r"^```[^`]*^```|^    .*$", "", (ROOT / name).read_text(), flags=re.MULTILINE)
    return re.findall(r"`([^`\n]+)`", text)


def paths(name: str) -> list[str]:
    return [
        span
        for span in spans(name)
        if re.fullmatch(r"[\w.*/-]+(?:/|\.(?:py|md|toml|txt|tcss))", span)
        and span.split("/")[0] not in MADE_BY_A_RUN
    ]


@cache
def sources() -> str:
    files = [*ROOT.glob("workbench/**/*.py"), *ROOT.glob("analyzers/**/*.py")]
    return "\n".join(path.read_text() for path in files)


@pytest.mark.parametrize("path", paths("ARCHITECTURE.md"))
def test_every_path_of_the_architecture_is_there(path: str) -> None:
    assert any(any(ROOT.glob(f"{room}/{path}")) for room in (".", "workbench/**", "*/**"))


def test_every_name_of_the_architecture_is_defined() -> None:
    named = re.compile(r"([A-Z]\w+)(?:\.(\w+))?")
    unknown = []
    for span in spans("ARCHITECTURE.md"):
        if (found := named.fullmatch(span)) is None:
            continue
        words = [word for word in found.groups() if word]
        if not all(
            re.search(
                rf"^\s*(?:(?:class|def|async def) {word}\b|(?:self\.)?{word}\b *[:=])",
                sources(),
                re.MULTILINE,
            )
            for word in words
        ):
            unknown.append(span)
    assert unknown == []


def leaves(kind: type) -> list[type]:
    below = kind.__subclasses__()
    return [one for each in below for one in leaves(each)] if below else [kind]


def test_events_py_lists_every_event() -> None:
    assert set(leaves(Event)) == set(get_args(events.AnyEvent))


def options_of(command: Any) -> set[str]:
    found = {spelled for one in command.params for spelled in (*one.opts, *one.secondary_opts)}
    for below in getattr(command, "commands", {}).values():
        found |= options_of(below)
    return found


DOCUMENTS = ["README.md", "CHANGELOG.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_option_and_setting_that_is_named_is_there(name: str) -> None:
    text = (ROOT / name).read_text()
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert options <= options_of(get_command(cli.app)) | {"--help", "--version"}
    fields = {f"WORKBENCH_{field.upper()}" for field in Settings.__struct_fields__}
    assert set(re.findall(r"\bWORKBENCH_[A-Z_]+[A-Z]\b", text)) <= fields


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_leads_to_a_file(name: str) -> None:
    folder = (ROOT / name).parent
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text())
    assert [one for one in links if not (folder / one).is_file()] == []


def test_every_setting_is_explained() -> None:
    text = (ROOT / "docs" / "settings.md").read_text()
    fields = {f"`WORKBENCH_{field.upper()}`" for field in Settings.__struct_fields__}
    assert fields == set(re.findall(r"^\| (`WORKBENCH_\w+`) ", text, re.MULTILINE))


def test_the_models_tools_are_counted() -> None:
    for name in ("ARCHITECTURE.md", "CHANGELOG.md"):
        assert f"{len(SPECS)} tools" in (ROOT / name).read_text()


def test_every_key_of_the_report_is_documented() -> None:
    """``python -m tests.report_schema`` writes it again."""
    assert json.loads((ROOT / "docs" / "report.schema.json").read_text()) == report_schema()
