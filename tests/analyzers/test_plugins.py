"""Analyzers of other packages: found where they are installed, held to the rules, never fatal."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzers import plugins, registry
from analyzers.base import Document
from tests.engine.test_huge_outputs import answer
from workbench.model.facts import SourceLine
from workbench.model.models import Complexity

MODULE = """
from analyzers.base import Analysis
from workbench.model.facts import SourceLine

class Good:
    def complexity(self, document): return "moderate"
    def can_analyze(self, document): return document.command == "acme status"
    def analyze(self, document):
        fact = SourceLine(cite=document.cite(2), file=None, line=7, text="x")
        return Analysis("acme is\\nfine", (fact,), (f"It is fine [{document.cite(2)}]",))

class Hard(Good):
    def complexity(self, document): return "complex"

class Raises(Good):
    def can_analyze(self, document): raise ValueError("no idea")

class Leaves(Good):
    def analyze(self, document): raise SystemExit(3)

class NoAnalysis(Good):
    def analyze(self, document): return {"summary": "mine"}

class FarSpan(Good):
    def analyze(self, document):
        return Analysis("x", (SourceLine(cite=document.cite(99), file=None, line=7, text="x"),))

class OthersSpan(Good):
    def analyze(self, document): return Analysis("x", (), ("As E1:1 says",))

class WrongType(Good):
    def analyze(self, document):
        return Analysis("x", (SourceLine(cite=document.cite(1), file=None, line="7", text=None),))

class NeedsMore(Good):
    def __init__(self, what): pass

instance = Good()
"""
OUTPUT = "acme\nx: 7\nend"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed distribution ``acme`` whose entry points a test writes."""
    (tmp_path / "acme_crash.py").write_text(MODULE)
    info = tmp_path / "acme_crash-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-crash\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.installed.cache_clear()
    yield info / "entry_points.txt"
    plugins.installed.cache_clear()
    sys.modules.pop("acme_crash", None)


def offers(package: Path, *names: str) -> None:
    points = "".join(f"{name.lower()} = acme_crash:{name}\n" for name in names)
    package.write_text(f"[console_scripts]\nacme = acme:main\n\n[{plugins.GROUP}]\n{points}")


async def test_a_run_goes_on_and_says_which_one_failed(package: Path, tmp_path: Path) -> None:
    offers(package, "FarSpan", "Good")
    evidence, journal = await answer(tmp_path, "acme status", OUTPUT)
    assert evidence.summary == "acme is fine"
    assert len(journal.state.facts.all(SourceLine)) == 1
    (notice,) = (notice for notice in journal.state.notices if "farspan" in notice.text)
    assert notice.severity == "warning"


@pytest.mark.parametrize("host", ["gdb", "lldb", "cdb", "dotnet-dump", "acme"])
def test_what_it_declares_counts_where_nobody_here_settles_it(package: Path, host: str) -> None:
    offers(package, "Hard")
    assert registry.complexity(acme(host=host)) is Complexity.COMPLEX
    assert registry.complexity(acme("other", host)) is Complexity.MODERATE


def acme(command: str = "acme status", host: str = "gdb") -> Document:
    return Document("E4", command, host, OUTPUT)


@pytest.mark.parametrize("name", ["Good", "instance"])
@pytest.mark.parametrize("host", ["gdb", "lldb", "cdb", "dotnet-dump", "acme"])
def test_an_installed_package_reads_what_nobody_here_does(
    package: Path, name: str, host: str
) -> None:
    offers(package, name)
    analysis = registry.analyze(acme(host=host))
    assert (analysis.summary, analysis.troubles) == ("acme is fine", ())
    assert analysis.findings == ("It is fine [E4:2]",)
    (fact,) = analysis.facts
    assert isinstance(fact, SourceLine)
    assert (str(fact.cite), fact.line) == ("E4:2", 7)
    assert registry.analyze(acme("other", host)).facts == ()


def test_what_an_analyzer_here_reads_is_not_theirs(package: Path) -> None:
    offers(package, "Raises")
    document = Document("E4", "bt", "gdb", "#0  0x1 in f () at a.c:3\n")
    assert registry.analyze(document).troubles == ()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Raises", "no idea"),
        ("Leaves", "SystemExit(3)"),
        ("NoAnalysis", "dict"),
        ("FarSpan", "E4:99"),
        ("OthersSpan", "E1:1"),
        ("WrongType", "none of ours"),
        ("NeedsMore", "cannot be loaded"),
        ("NotThere", "cannot be loaded"),
    ],
)
def test_a_broken_one_is_told_once_and_costs_nothing(package: Path, name: str, why: str) -> None:
    offers(package, name)
    analysis = registry.analyze(acme())
    assert (analysis.summary, analysis.facts) == ("acme", ())
    (trouble,) = analysis.troubles
    assert why in trouble
    assert name.lower() in trouble
    assert "\n" not in trouble
    assert registry.analyze(acme()).troubles == ()
    assert registry.complexity(acme()) is Complexity.MODERATE


def test_a_broken_one_does_not_stand_in_the_way_of_another(package: Path) -> None:
    offers(package, "FarSpan", "Good", "NotThere")
    analysis = registry.analyze(acme())
    assert analysis.summary == "acme is fine"
    assert len(analysis.troubles) == 2


def test_nothing_of_the_working_folder_is_an_installed_package(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offers(package, "Good")
    monkeypatch.chdir(package.parents[1])
    monkeypatch.syspath_prepend("")
    assert registry.analyze(acme()).facts == ()


def test_the_metadata_of_packages_is_read_only_where_one_brings_an_analyzer(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package.write_text("[console_scripts]\nacme = acme:main\n")
    monkeypatch.setitem(sys.modules, "importlib.metadata", None)
    assert registry.analyze(acme()).troubles == ()
