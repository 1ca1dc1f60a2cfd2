"""Overwritten stacks of other processors."""

from tests.analyzers.investigation import Inquiry
from tests.samples.case import CASES, make
from workbench.model.category import Category


def test_a_stack_pointer_that_is_text_was_overwritten() -> None:
    case = next(case for case in CASES if case.target == "long_line.c")
    inquiry = Inquiry(*make(case)).conclude()
    verdict = inquiry.confirmed()[Category.STACK_BUFFER_OVERFLOW]
    assert "that `main` at `long_line.c:11` had saved was overwritten" in verdict.claims[0].text
    assert inquiry.loose() == []
