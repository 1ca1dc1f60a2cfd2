"""What may be quoted of an output that a model asked for: not its own words."""

import pytest

from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.say import say
from workbench.model.citation import Citation
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import FactBook

ROWS = [
    ("print cosmic_rays_did_it", 'No symbol "cosmic_rays_did_it" in current context.', False),
    ("list cosmic_rays.c:1", "No source file named cosmic_rays.c.", False),
    ("info functions cosmic", 'All functions matching regular expression "cosmic":', False),
    ("macro expand cosmic_rays", "expands to: cosmic_rays", False),
    ("print n->id*0+4711", "$1 = 4711", False),
    ("info symbol 0x4711", "No symbol matches 0x4711.", False),
    ("info frame", "Stack level 0, frame at 0x7ffd0:", True),
    ("print n->id", "$1 = 4711", True),
    ("list show", "42\treturn show(n);", True),
]


def _held(command: str, line: str, quoted: str, by_model: bool) -> bool:
    item = Evidence(id="E1", command=command, source=Source.DEBUGGER, intent="", at="", sha256="",
                    size=len(line), lines=1, call_hash="", by_model=by_model)  # fmt: skip
    book = Book(FactBook(), {"E1": item}, lambda _: line + "\n", lambda _: ())
    (found,) = check((say("quote", (Citation("E1", 1, 1),), text=quoted),), book)
    return found.holds


@pytest.mark.parametrize(
    ("quoted", "holds"),
    [
        ("01 00007ff61a2b2044 : app!Loop+0x70", True),
        ("01 00007ff6`1a2b2044 : app!Loop+0x70", True),
        ("01 00007ff61a2b2045 : app!Loop+0x70", False),
    ],
)
def test_a_wide_number_is_quoted_with_its_accent_or_without(quoted: str, holds: bool) -> None:
    line = "01 00007ff6`1a2b2044     : app!Loop+0x70 [loop.cpp @ 141]"
    assert _held("kb", line, quoted, by_model=False) is holds


@pytest.mark.parametrize(("command", "line", "holds"), ROWS)
@pytest.mark.parametrize("by_model", [True, False])
def test_the_words_of_a_command_are_no_quote(
    command: str, line: str, holds: bool, by_model: bool
) -> None:
    assert _held(command, line, line, by_model) is (holds or not by_model)
