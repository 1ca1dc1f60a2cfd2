"""What the source calls the operand that failed."""

import pytest

from analyzers.patterns.spoken import Said, expressions
from tests.analyzers.investigation import Inquiry
from tests.samples.case import make
from workbench.evaluate import corpora


@pytest.mark.parametrize(
    ("line", "through"),
    [
        ("return *cache.depth->value;", "cache.depth->value"),
        ("sum = count * item->price;", "item"),
        ("*here = 4;", "here"),
    ],
)
def test_a_star_is_a_pointers_where_nothing_can_be_times(line: str, through: str) -> None:
    assert Said(through, "through") in expressions(line)
    assert Said("item->price", "through") not in expressions(line)


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("session_close.c", "`buffer`"),  # what points into the freed block
        ("plugin_table.cpp", "`shape`"),  # the object of the virtual call
        ("half_built.c", "`job->label`"),
        ("find_user.c", "`request->user`"),
        ("image_fill.c", "`i->data`"),  # where a library's write set out
        ("slots.rs", "`self.last`"),  # the index, where the pointer is right
        ("callbacks.c", "`device->on_ready`"),  # a field of what the caller's variable points to
    ],
)
def test_the_statements_name_the_operand(target: str, named: str) -> None:
    case = next(case for case in corpora.load("origins") if case.target == target)
    verdicts = Inquiry(*make(case)).conclude().verdicts.values()
    best = max(verdicts, key=lambda verdict: verdict.confidence)
    assert any(claim.text.startswith(f"{named} is ") for claim in best.claims[:2])
