"""Suites of other projects, read as data: their code is parsed, never run."""

from pathlib import Path

from workbench.evaluate.schema import Manifest


def suite(folder: Path) -> Manifest | None:
    """The cases of a known suite's folder, None for any other."""
    return None
