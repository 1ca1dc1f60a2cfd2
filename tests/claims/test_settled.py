"""What an expression says that is foretold: something of the program, or nothing."""

import pytest

from workbench.claims.settled import is_settled, made_of

SETTLED = ["n == n", "sizeof n", "sizeof(*n)", "4", "n->id * 0 + 4711", "n->id - n->id + 4711",
           "n ? 1 : 0", "n, 4", "!!n || !n", "*p == *p", "(long)n * 0 + 4", "n->id && 0",
           "(n == n) == true", "NULL", "+n - n", "n * 0 + 7u", "n * 0 + 'a'", "n & 0 | 010"
]  # fmt: skip
OPEN = ["n > 16", "n == 4096", "flags & 8", "n < 0", "n << 9999999999 == 0",
        "L.count", "n != 0", "a * b", "(char *)&this->stamp_", "this->slots_[16]", "n->id | 1",
        "scope->newest < scope->table->items", "std::get<0>(pair)", "w->a * w->b - w->c",
        "n == 4u", "n == 'a'", "1); int m = (2", "n == " + "(" * 5000 + "n" + ")" * 5000,
        "n = 4", "n +"
]  # fmt: skip


@pytest.mark.parametrize("expression", SETTLED)
def test_what_has_one_value_says_nothing(expression: str) -> None:
    assert is_settled(expression)


@pytest.mark.parametrize("expression", OPEN)
def test_what_the_program_decides_is_open(expression: str) -> None:
    assert not is_settled(expression)


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("n == 0", "n"),
        ("!n->next", "n->next"),
        ("n", None),
        ("n == NULL", "n"),
        ("(n)", None),
        ("a - b", None),
        ("(char *)p", None),
    ],
)
def test_what_is_made_of_one_value_alone(expression: str, place: str | None) -> None:
    assert made_of(expression) == place
