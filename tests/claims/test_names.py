"""How a statement names a function."""

import pytest

from workbench.claims.render import short_name

LONG = "Till::Box<Till::Coin, " + "Till::Less<Till::Coin>, " * 6 + "int>"


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("close_drawer", "close_drawer"),
        ("Till::Box<int>::shut() const", "Till::Box<int>::shut() const"),
        (f"{LONG}::shut() const", "Till::Box::shut"),
        (f"void Till::count<{LONG}>({LONG}&)", "void Till::count<Till::Box>"),
        (f"{LONG}::operator()(int) const", "Till::Box::operator"),
        (f"{LONG}::Lid<{LONG}>::shut()", "Till::Box::Lid<Till::Box>::shut"),
        ("f" * 300, "f" * 100),
    ],
)
def test_a_long_templates_name(function: str, name: str) -> None:
    assert short_name(function) == name
