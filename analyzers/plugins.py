"""Analyzers of other packages: the entry-point group ``workbench.analyzers``.

An entry point names a class that is made without arguments, or an object; both are an `Analyzer`.
They are asked about outputs from which no analyzer here reads a fact. Nothing that one of them
does ends a run: one that raises, or returns what is no analysis of the output, is named in a
trouble and not asked again.
"""

import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from analyzers.base import Analysis, Analyzer, Document
from workbench.model.citation import Citation, parse_citations
from workbench.model.facts import AnyFact
from workbench.model.models import Complexity
from workbench.model.text import cut

GROUP = "workbench.analyzers"
_MOST_FACTS = 100_000
_MOST_FINDINGS = 100
_LONGEST = 400


class Rubbish(Exception):
    """What a plugin returned is no analysis of its document; the text says in what way."""


class Plugins:
    """The analyzers that installed packages bring, found when they are first asked for."""

    def __init__(self) -> None:
        self._found: dict[str, Analyzer] | None = None
        self._troubles: list[str] = []

    def complexity(self, document: Document) -> Complexity | None:
        """What the plugin that knows a command declares; None where none does."""
        for name, analyzer in self._all():
            try:
                if analyzer.can_analyze(document):
                    return Complexity(analyzer.complexity(document))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others
                self._leave_out(name, repr(error))
        return None

    def analyze(self, document: Document) -> Analysis | None:
        """The analysis of the first that knows the output, with what went wrong meanwhile (also
        an empty summary, where nothing else is to be said); None where there is neither."""
        for name, analyzer in self._all():
            try:
                if analyzer.can_analyze(document):
                    analysis = _checked(analyzer.analyze(document), document)
                    return Analysis(
                        analysis.summary, analysis.facts, analysis.findings, self._told()
                    )
            except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others
                self._leave_out(name, str(error) if isinstance(error, Rubbish) else repr(error))
        troubles = self._told()
        return Analysis("", troubles=troubles) if troubles else None

    def _all(self) -> list[tuple[str, Analyzer]]:
        if self._found is None:
            self._found = dict(self._load()) if _advertised() else {}
        return list(self._found.items())

    def _load(self) -> Iterator[tuple[str, Analyzer]]:
        from importlib.metadata import distributions

        entries = {
            entry.name: entry
            for package in distributions(path=_folders())
            for entry in package.entry_points.select(group=GROUP)
        }
        for _, entry in sorted(entries.items()):
            try:
                loaded = entry.load()
                yield entry.name, loaded() if isinstance(loaded, type) else loaded
            except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others
                self._trouble(entry.name, f"cannot be loaded: {error!r}")

    def _leave_out(self, name: str, why: str) -> None:
        if self._found is not None:
            self._found.pop(name, None)
        self._trouble(name, f"failed and is not asked again: {why}")

    def _trouble(self, name: str, what: str) -> None:
        self._troubles.append(_one_line(f"The analyzer {name} of another package {what}"))

    def _told(self) -> tuple[str, ...]:
        told, self._troubles = tuple(self._troubles), []
        return told


@cache
def installed() -> Plugins:
    """Those of this process."""
    return Plugins()


def _folders() -> list[str]:
    """Where packages are installed. ``python -m`` puts the working folder first, which may be the
    one that a dump came in: nothing of it is run."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # it was deleted
        here = ""
    return [folder for folder in sys.path if folder and os.path.realpath(folder) != here]


def _advertised() -> bool:
    """True when a package on the path says that it brings some. Asking ``importlib.metadata``
    costs ten times as much, and nearly every installation has none."""
    mark = f"[{GROUP}]".encode()
    for folder in _folders():
        try:
            with os.scandir(folder) as entries:
                packages = [e.path for e in entries if e.name.endswith((".dist-info", ".egg-info"))]
        except OSError:
            continue
        for package in packages:
            try:
                with open(os.path.join(package, "entry_points.txt"), "rb") as file:
                    if mark in file.read(1 << 20):
                        return True
            except OSError:
                continue
    return False


def _checked(analysis: object, document: Document) -> Analysis:
    """The analysis with its texts cut. Raises `Rubbish`."""
    if not isinstance(analysis, Analysis):
        raise Rubbish(f"it returned {type(analysis).__name__}, which is no Analysis")
    facts, findings = tuple(analysis.facts), tuple(analysis.findings)
    if len(facts) > _MOST_FACTS:
        raise Rubbish(f"it returned {len(facts)} facts of one output")
    try:
        # What cannot be read back from the journal would cost the session.
        facts = msgspec.json.decode(msgspec.json.encode(facts), type=tuple[AnyFact, ...])
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise Rubbish(f"its facts are none of ours: {error}") from error
    lines = document.text.count("\n") + 1
    said = tuple(_one_line(str(text)) for text in findings[:_MOST_FINDINGS])
    for cite in [fact.cite for fact in facts] + [c for text in said for c in parse_citations(text)]:
        whole = not cite.first and not cite.last
        if cite.evidence != document.id or not (whole or 1 <= cite.first <= cite.last <= lines):
            raise Rubbish(f"it cites {cite}, which is no part of {document.id}")
    for number in _line_numbers(facts):
        if not 0 <= number <= lines:
            raise Rubbish(f"it names line {number} of {lines}")
    return Analysis(_one_line(str(analysis.summary)), facts, said)


def _line_numbers(value: Any) -> Iterator[int]:
    """Every number of a line of the evidence within facts."""
    if isinstance(value, tuple):
        for item in value:
            yield from _line_numbers(item)
    elif isinstance(value, msgspec.Struct) and not isinstance(value, Citation):
        for name in value.__struct_fields__:
            held = getattr(value, name)
            if isinstance(held, int) and (name == "line_no" or name.endswith("_line")):
                yield held
            else:
                yield from _line_numbers(held)


def _one_line(text: str) -> str:
    text = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _LONGEST]).split())
    return cut(text, _LONGEST)
