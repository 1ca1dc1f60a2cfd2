"""What a debugger printed, as a value that a statement names."""

import pytest
from msgspec.structs import replace

from tests.claims.holding import evidence_of
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.say import say
from workbench.model.citation import parse_citations
from workbench.model.facts import FactBook

_TEXT = "$2 = (char *) 0x707070707070707 <error: Cannot access memory at address 0x707070707070707>"


_UNIQUE = (
    "$1 = {_M_t = {<std::__uniq_ptr_impl<Track, std::default_delete<Track> >> = {_M_t = "
    "{<std::_Tuple_impl<0, Track*, std::default_delete<Track> >> = {<std::_Tuple_impl<1, "
    "std::default_delete<Track> >> = {<std::_Head_base<1, std::default_delete<Track>, true>> = "
    "{_M_head_impl = {<No data fields>}}, <No data fields>}, <std::_Head_base<0, Track*, false>> "
    "= {_M_head_impl = 0x0}, <No data fields>}, <No data fields>}}, <No data fields>}}"
)
_SHARED = (
    "$1 = {<std::__shared_ptr<Node, (__gnu_cxx::_Lock_policy)2>> = {<std::__shared_ptr_access<Node,"
    " (__gnu_cxx::_Lock_policy)2, false, false>> = {<No data fields>}, _M_ptr = 0x0, "
    "_M_refcount = {_M_pi = 0x55555556feb0}}, <No data fields>}"
)


_UNIQUE_GET = "$1 = std::unique_ptr<Track> = {get() = 0x0}"
_SHARED_GET = "$1 = std::shared_ptr<Node> (empty) = {get() = 0x0}"


@pytest.mark.parametrize("null", [_UNIQUE, _SHARED, _UNIQUE_GET, _SHARED_GET])
def test_a_smart_pointer_is_where_it_leads(null: str) -> None:
    for text, held in (null, [True, False]), (null.replace("= 0x0", "= 0x55f0"), [False, True]):
        texts = {"E1": text}
        item = replace(evidence_of(texts)["E1"], command="frame apply level 1 -q print active_")
        book = Book(FactBook(), {"E1": item}, texts.__getitem__, lambda _: ())
        claims = [say("value", parse_citations("E1:1"), expression="active_", value=value)
                  for value in (0, 0x55F0)]  # fmt: skip
        assert [claim.holds for claim in check(claims, book)] == held


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


_IN_EACH = """\
#0  length (t=0x5062a0, count=47) at program.c:21
$1 = 47
#1  0x0000000000401242 in inner (b=0x404040 <B>, count=40) at program.c:28
$2 = 40
"""


@pytest.mark.parametrize(("command", "status"), [
    ("print count", "verified"),
    ("frame apply level 1 -q print count", "verified"),
    ("thread apply 1 -q frame apply level 0 -q print count", "verified"),
    ("frame apply all print count", "unknown"),
    ("frame apply 3 -s print count", "unknown"),
    ("frame apply level 0-2 print count", "unknown"),
    ("frame apply level 0 1 print count", "unknown"),
    ("faas print count", "unknown"),
    ("thread apply all -q frame apply level 0 -q print count", "unknown"),
    ("thread apply 1 2 print count", "unknown"),
])  # fmt: skip
def test_of_what_each_frame_printed_none_is_another_ones(command: str, status: str) -> None:
    """Nor is it known which one's a line is."""
    item = replace(evidence_of({"E1": _IN_EACH})["E1"], command=command)
    book = Book(FactBook(()), {"E1": item}, lambda _: _IN_EACH, lambda _: ())
    (claim,) = check([say("value", parse_citations("E1:4"), expression="count", value=40)], book)
    assert claim.status == status
