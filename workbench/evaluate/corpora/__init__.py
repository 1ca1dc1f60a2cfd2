"""Labelled cases: the corpora that ship, in folders beside this file, and any folder that has a
``manifest.json`` or is one of the suites that `loaders` knows."""

from collections.abc import Iterator
from pathlib import Path

from workbench.evaluate.corpora.loaders import suite
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.schema import Case, Manifest, read
from workbench.model.text import printable

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"


def shipped() -> tuple[str, ...]:
    """The names of the corpora that ship."""
    return tuple(sorted(path.parent.name for path in HERE.glob("*/manifest.json")))


def load(which: str) -> tuple[Case, ...]:
    """The cases of a corpus that ships, by its name, or of a folder. Raises `EvaluationError`."""
    if which in shipped():
        return _of(HERE / which)
    folder = Path(which)
    if not folder.is_dir():
        there = ", ".join(shipped())
        raise EvaluationError(f"no corpus {which}: name a folder or one of {there}")
    return _of(folder.absolute())


def folder_of(case: Case) -> Path:
    """Where a case's files lie; those of a shipped corpus wherever the package is installed.
    Raises `EvaluationError` for a corpus that does not ship and names no folder."""
    if case.folder:
        return Path(case.folder)
    if case.corpus not in shipped():
        raise EvaluationError(f"{case.id}: no corpus {printable(case.corpus)} ships")
    return HERE / case.corpus


def inside(case: Case, name: str, folder: Path | None = None) -> Path:
    """A file of the case's corpus, or of another's folder. Raises `EvaluationError` for one that
    lies outside of it."""
    folder = folder or folder_of(case)
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise EvaluationError(f"{case.id}: {name} lies outside of its corpus")
    return path


def _of(folder: Path) -> tuple[Case, ...]:
    manifest = suite(folder)
    if manifest is None:
        manifest = read(folder / "manifest.json", Manifest, "see docs/corpus.schema.json")
    named = list(_named(manifest, folder))
    if len({case.id for case in named}) != len(named):
        twice = next(a.id for a in named if sum(a.id == b.id for b in named) > 1)
        raise EvaluationError(f"{folder}: two cases are called {twice}: give them an id")
    return tuple(named)


def _named(manifest: Manifest, folder: Path) -> Iterator[Case]:
    own = folder.is_relative_to(HERE)
    for case in manifest.cases:
        made = {
            "id": case.id or _id(case),
            "corpus": manifest.name,
            "folder": "" if own else str(folder),
            "component": case.component or component(case),
            "batch": case.batch or manifest.name,
            "source": case.source or manifest.source,
            "licence": case.licence or manifest.licence,
        }
        yield case.model_copy(update=made)


def component(case: Case) -> str:
    """What a case tries first: the expert of its cause, or who reads its target."""
    if case.kind != "triage":
        return f"{case.kind}/{case.debugger}"
    if case.expected.category:
        return f"causes/{case.expected.category}"
    return "origins" if case.expected.origins else "readers"


def _id(case: Case) -> str:
    """The target, how it was made, and on which machine: unique, and a word for a shell."""
    if case.make is None:
        return case.target
    flags = "".join(case.make.flags).replace("-pthread", "")
    machine = f"-{case.make.machine}" if case.make.machine else ""
    return f"{case.target}-{flags}-{case.make.signal}{machine}"
