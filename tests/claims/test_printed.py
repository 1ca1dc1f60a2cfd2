"""What a debugger printed, as a value that a statement names."""

from msgspec.structs import replace

from tests.claims.holding import evidence_of
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.say import say
from workbench.model.citation import parse_citations
from workbench.model.facts import FactBook

_TEXT = "$2 = (char *) 0x707070707070707 <error: Cannot access memory at address 0x707070707070707>"


def test_gdbs_error_behind_a_pointer_is_no_part_of_its_value() -> None:
    texts = {"E1": _TEXT}
    item = replace(evidence_of(texts)["E1"], command="frame apply level 1 -q print s->px")
    book = Book(FactBook(), {"E1": item}, texts.__getitem__, lambda _: ())
    cites = parse_citations("E1:1")
    claims = [say("value", cites, expression="s->px", value=f"(char *) {value}")
              for value in ("0x707070707070707", "0x0")]  # fmt: skip
    assert [claim.holds for claim in check(claims, book)] == [True, False]


def test_an_enumerators_name_refutes_no_number() -> None:
    texts = {"E1": "$1 = DONE"}
    item = replace(evidence_of(texts)["E1"], command="frame apply level 1 -q print task->state")
    book = Book(FactBook(), {"E1": item}, texts.__getitem__, lambda _: ())
    cites = parse_citations("E1:1")
    claims = [say("value", cites, expression="task->state", value=value)
              for value in ("DONE", 3, "READY")]  # fmt: skip
    assert [claim.status for claim in check(claims, book)] == ["verified", "unknown", "refuted"]
