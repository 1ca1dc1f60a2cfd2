"""How patterns name a function."""

import pytest

from analyzers.patterns.words import name_of

LONG = "Till::Box<Till::Coin, " + "Till::Less<Till::Coin>, " * 6 + "int>"


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("close_drawer", "`close_drawer`"),
        ("Till::Box<int>::shut() const", "`Till::Box<int>::shut() const`"),
        (f"{LONG}::shut() const", "`shut` of `Till::Box`"),
        (f"void Till::count<{LONG}>({LONG}&)", "`void Till::count`"),
        (f"{LONG}::operator()(int) const", "`Till::Box`"),
        (f"{LONG}::Lid<{LONG}>::shut()", "`Till::Box`"),
    ],
)
def test_a_long_templates_name(function: str, name: str) -> None:
    assert name_of(function) == name
