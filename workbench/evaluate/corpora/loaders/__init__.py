"""Suites of other projects, read as data: their code is parsed, never run, and no part of it is
copied here."""

from collections.abc import Callable
from pathlib import Path

from workbench.evaluate.corpora.loaders import bugs, casr, parsers, truths
from workbench.evaluate.schema import Manifest

LOADERS: tuple[Callable[[Path], Manifest | None], ...] = (
    truths.suite,
    parsers.suite,
    casr.suite,
    bugs.suite,
)
"""Each gives None for a folder that is not of its kind."""


def suite(folder: Path) -> Manifest | None:
    """The cases of a known suite's folder, None for any other."""
    return next((found for load in LOADERS if (found := load(folder)) is not None), None)
