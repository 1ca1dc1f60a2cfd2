"""What a model is shown: whole, in lines, and with nothing that stands for nothing."""

from workbench.agents.assisted.context import (
    CATEGORIES,
    ORIGIN_KINDS,
    fenced,
    stating,
)
from workbench.agents.assisted.numbered import numbered, whole_lines
from workbench.llm.fences import kinds_in, without
from workbench.llm.prompts import load
from workbench.model.category import Category
from workbench.model.models import Content


def test_all_categories_are_named() -> None:
    values = {"question": "", "debugger": "gdb", "summary": "s", "checkpoint": "c"}
    values |= {"kinds": stating(8000), "origins": ORIGIN_KINDS}
    told = load("investigate").messages(categories=CATEGORIES, **values)[0].content
    missing = [one for one in Category if one is not Category.UNKNOWN and one.value not in told]
    assert not missing


def test_a_long_line_is_shown_as_far_as_there_is_room() -> None:
    value = "route = {" + ", ".join(f"field_{n} = {n}" for n in range(60)) + "}\nhash = 2\n"
    shown = numbered("E7", value)
    assert "field_59 = 59}" in shown
    assert "E7:2| hash = 2" in shown
    many = numbered("E7", value * 20)
    assert len(many) <= 2048
    assert "E7 goes on from line" in many


def test_a_tab_of_a_listing_is_a_blank() -> None:
    assert numbered("E7", "12\t    int *p;\n") == "E7:1| 12     int *p;"


def test_a_tools_answer_is_cut_between_lines_and_says_so() -> None:
    text = "\n".join(f"E7:{n}| line {n}" for n in range(100))
    kept = whole_lines(text, 300).split("\n")
    assert sum(map(len, kept)) <= 300
    assert kept[-1].startswith("… cut here")
    assert kept[-2] in text.split("\n")
    assert whole_lines(text, 10_000) == text


def test_rows_without_room_are_counted() -> None:
    rows = [(f"row {n}", frozenset()) for n in range(10)]
    assert "… and 6 more" in fenced("rows", rows, 25)


def test_rows_in_a_prompt_keep_the_kinds_that_they_hold() -> None:
    rows = [("- `f` holds 0x1 [E3:4]", frozenset({Content.MEMORY}))]
    claims = fenced("claims", rows, 400)
    values = {"round": 1, "category": "trap", "confidence": "0.5", "debugger": "gdb"}
    shown = (
        load("criticism")
        .messages(
            claims=claims,
            hypotheses=claims,
            evidence=claims,
            categories=CATEGORIES,
            kinds=stating(8000),
            **values,
        )[1]
        .content
    )
    assert kinds_in(shown) == {Content.MEMORY}
    assert "0x1" not in without(shown, frozenset({Content.MEMORY}))
