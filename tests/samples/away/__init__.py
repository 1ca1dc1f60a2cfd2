"""Programs whose defect lies away from where they crash, and what tells that it was found.

No comment of the programs speaks of the defect: whoever is shown their source must find it.
"""

from dataclasses import dataclass
from pathlib import Path

from workbench.evaluate import corpora
from workbench.evaluate.judging import line_of
from workbench.evaluate.schema import Case

HERE = corpora.HERE / "away"


@dataclass(frozen=True)
class Away:
    """The expected category and ``also`` are the cause at its root, ``wider`` what only says what
    failed. ``origins``: (kind, function without its scope, text of the line), any of which says
    where it began, the plainest first."""

    case: Case

    @property
    def name(self) -> str:
        """The program's file."""
        return self.case.target

    @property
    def source(self) -> Path:
        """The program's file, whole."""
        return HERE / self.name

    @property
    def origins(self) -> tuple[tuple[str, str, str], ...]:
        """As rows."""
        return tuple((o.kind, o.function, o.text) for o in self.case.expected.origins)

    def lines(self) -> tuple[int, ...]:
        """The line of each origin, from 1."""
        found = [line_of(self.case, origin) for origin in self.case.expected.origins]
        assert None not in found
        return tuple(line for line in found if line is not None)


AWAY = tuple(Away(case) for case in corpora.load("away"))
