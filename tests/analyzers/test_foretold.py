"""What a cause foretells comes true where it is the cause; a cause whose own came false falls."""

import pytest
from msgspec.structs import replace

from analyzers.patterns.case import Case
from analyzers.patterns.commands import words
from analyzers.patterns.foretold import foretold
from analyzers.patterns.waitgraph import inferred_waits
from tests.analyzers.investigation import Inquiry
from tests.crashes import build, crash
from tests.samples.case import CASES, make
from workbench.agents.investigator import held_to
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome, Prediction
from workbench.model.facts import FactBook, Process
from workbench.model.hypothesis import Hypothesis, Rung, Status, Verdict


@pytest.mark.parametrize(
    ("target", "category", "kinds"),
    [
        ("config_lookup.c", Category.NULL_POINTER_DEREFERENCE, {"value"}),
        ("shard.c", Category.DIVIDE_BY_ZERO, {"value"}),
        ("badges.c", Category.CORRUPTED_POINTER, {"value", "memory"}),
        ("cleanup.c", Category.DOUBLE_FREE, {"chunk"}),
        ("session_end.c", Category.USE_AFTER_FREE, {"memory"}),
        ("unset_handler.c", Category.UNINITIALIZED_POINTER, {"memory"}),
        ("opcode.c", Category.OUT_OF_BOUNDS_READ, {"symbol"}),
    ],
)
def test_it_comes_true_of_the_right_cause(target: str, category: Category, kinds: set[str]) -> None:
    inquiry = Inquiry(*make(next(case for case in CASES if case.target == target))).conclude()
    assert category in inquiry.confirmed()
    said = foretold(category, Case(inquiry.facts))
    assert {each.claim.kind for each in said} == kinds
    assert {each.command.text for each in said} <= inquiry.asked
    book = Book(inquiry.facts, inquiry.evidence, inquiry.texts.__getitem__, inferred_waits)
    assert all(claim.holds for claim in check([each.claim for each in said], book))


def test_a_variable_that_its_own_line_stepped_foretells_nothing() -> None:
    executable = build("#include <string.h>\nint main(int c, char **v) { char *colon = strchr(v[0],"
                       " 1);\n *colon++ = 0; return *colon; }", "-g", "-O0")  # fmt: skip
    inquiry = Inquiry(executable, crash(executable)).conclude()
    assert Category.NULL_POINTER_DEREFERENCE in inquiry.confirmed()
    assert not foretold(Category.NULL_POINTER_DEREFERENCE, Case(inquiry.facts))


@pytest.mark.parametrize(("bits", "command"), [(64, "x/4gx 0x10"), (32, "x/4wx 0x10")])
def test_a_word_is_as_wide_as_the_processs(bits: int, command: str) -> None:
    process = Process(cite=Citation("E2"), pid=7, arch="mips", bits=bits, os="linux")
    case = Case(FactBook([process]))
    assert [asked.text for asked in words(case, 0x10, "")] == [command]


@pytest.mark.parametrize(
    ("outcome", "status", "confidence"),
    [
        (Outcome.VERIFIED, Status.CONFIRMED, 0.93),
        (Outcome.UNKNOWN, Status.CONFIRMED, 0.93),
        (Outcome.REFUTED, Status.INCONCLUSIVE, 0.5),
    ],
)
def test_a_cause_whose_own_came_false_is_not_confirmed(
    outcome: Outcome, status: Status, confidence: float
) -> None:
    claim = replace(say("value", expression="p", value="0x0"), reason="value is 0x4 in E9:1")
    stated = Prediction(claim=claim, command="print p", outcome=outcome, evidence="E9")
    hypothesis = Hypothesis(
        id="H1", statement="x", category=Category.NULL_POINTER_DEREFERENCE, predictions=(stated,)
    )
    verdict = Verdict(status=Status.CONFIRMED, confidence=0.93, rung=Rung.MACHINE, reason="null")
    found = held_to(hypothesis, verdict)
    assert (found.status, found.confidence) == (status, confidence)
    assert (Citation("E9") in found.contradicting) is (outcome is Outcome.REFUTED)
