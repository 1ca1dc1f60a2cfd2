"""What to do about an exception follows from its type and from what the library's checks say."""

import pytest

from analyzers.patterns.exceptions import UNCAUGHT_EXCEPTION, thrown_advice
from workbench.model.citation import Citation
from workbench.model.facts import CxxException, FactBook, Signal

CASES = (
    ("std::out_of_range",
     "vector::_M_range_check: __n (which is 9) >= this->size() (which is 0)", "size()"),
    ("std::out_of_range", "array::at: __n (which is 9) >= _Nm (which is 3)", "size()"),
    ("std::out_of_range", "vector", "size()"),
    ("std::out_of_range", "basic_string::substr: __pos (which is 9) > this->size() (which is 2)",
     "find()"),
    ("std::out_of_range", "map::at", "Look the key up"),
    ("std::out_of_range", "invalid unordered_map<K, T> key", "Look the key up"),
    ("std::out_of_range", "unordered_map::at: key not found", "Look the key up"),
    ("std::out_of_range", "no such row", "index or key"),
    ("std::out_of_range", "stoi", "from_chars"),
    ("std::invalid_argument", "stod: no conversion", "from_chars"),
    ("std::invalid_argument", "invalid stoi argument", "from_chars"),
    ("std::invalid_argument", "rate must be positive", "Check the value"),
    ("std::logic_error", "basic_string: construction from null is not valid", "was null"),
    ("std::length_error", "basic_string::_M_create", "new size"),
    ("std::length_error", "vector::reserve", "new size"),
    ("std::bad_alloc", "std::bad_alloc", "how much was asked for"),
    ("std::bad_optional_access", "bad optional access", "has_value()"),
    ("std::__1::bad_variant_access", "bad_variant_access", "holds_alternative"),
    ("std::filesystem::__cxx11::filesystem_error", "filesystem error: cannot open", "error_code"),
    ("app::ConfigError", "vector::_M_range_check", "Catch this exception"),
    ("std::runtime_error", "stoi", "Catch this exception"),
    ("__gnu_cxx::recursive_init_error", None, "initialises this static variable"),
    ("int", None, "Catch this exception"),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "message", "part"), CASES)
def test_the_advice_follows_from_type_and_message(
    kind: str, message: str | None, part: str
) -> None:
    assert part in thrown_advice(kind, message)


def test_the_verdict_gives_it() -> None:
    facts = FactBook()
    facts.add((
        Signal(cite=Citation("E1", 1, 1), name="SIGABRT", number=6, code=-6, thread=7,
               code_name=None, fault_address=None, sender_pid=None, sender_uid=None),
        CxxException(cite=Citation("E2", 1, 1), type="std::bad_optional_access",
                     message="bad optional access", address=0x500200, uncaught=True),
    ))  # fmt: skip
    assert "has_value()" in UNCAUGHT_EXCEPTION.evaluate(facts).recommendations[0]
