"""Reports of programs, runtimes, supervisors and tools, each as its own documentation or source
shows it, of a till that lost its coins: the corpus `logs`, as the readers' tests take it."""

from typing import NamedTuple

from workbench.evaluate import corpora
from workbench.evaluate.schema import Case
from workbench.model.category import Category


class Told(NamedTuple):
    """A report and what it says; None where it does not."""

    text: str
    host: str
    category: Category | None
    signal: str | None
    address: int | None
    function: str | None
    place: str | None


def _told(case: Case) -> Told:
    known, category = case.expected.facts, case.expected.category
    return Told(
        corpora.inside(case, case.target).read_bytes().decode(),
        case.component.partition("/")[2],
        None if category == "unknown" else Category(category),
        known.get("exception"), known.get("address"), *known.get("frames", [None]),
        known.get("place"),
    )  # fmt: skip


# What a debugger printed is told by several commands, and not by a report of one tool.
TEXTS = {case.note: _told(case) for case in corpora.load("logs") if case.component != "readers/cdb"}
