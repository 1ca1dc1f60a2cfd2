"""What takes long: a shorter form of it in `make test`, all of it in `make soak`, which sets
``WORKBENCH_SOAK`` and runs the tests that are marked ``soak`` at full length."""

import os
from collections.abc import Iterable
from typing import TypeVar

SOAK = "WORKBENCH_SOAK" in os.environ
"""Whether this is the long form."""
Row = TypeVar("Row")


def part(rows: Iterable[Row], every: int = 2, newest: int = 0) -> list[Row]:
    """The rows of a table of programs that are run under a debugger, a second each: in `make test`
    the ``newest``, which stand last, and of the others one of ``every``; in the long form all."""
    known = list(rows)
    end = len(known) - newest
    return known if SOAK else [*known[:end:every], *known[end:]]


def examples(count: int) -> int:
    """How many examples a property is tried on: ``count`` in the long form, else one of four."""
    return count if SOAK else max(count // 4, 20)
