"""Programs whose fault begins away from the line that fails: the line that a second run must find
carries ``origin FUNCTION`` in a comment."""

from pathlib import Path

from msgspec import Struct

from tests.samples.case import how
from workbench.evaluate import corpora
from workbench.evaluate.schema import Case


class Planted(Struct, frozen=True):
    """One program: its source, compiler flags, and the function and line of its origin."""

    source: Path
    flags: tuple[str, ...]
    hangs: bool
    function: str
    line: int


def planted(case: Case) -> Planted:
    """A row, held to the program's own comment."""
    (origin,) = case.expected.origins
    source = corpora.inside(case, case.target)
    assert origin.line is not None
    marked = source.read_text().splitlines()[origin.line - 1]
    assert f" origin {origin.function}" in marked, case.id
    made = how(case)
    return Planted(source, made.flags, made.run == "hang", origin.function, origin.line)


ORIGINS = [planted(case) for case in corpora.load("origins")]
