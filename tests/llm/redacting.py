"""What each test of the redaction asks of one text."""

from workbench.llm.redaction.redactor import Redactor


def goes_and_comes_back(text: str, private: str) -> None:
    """The private part is hidden, the same each time, and stands in its place again afterwards."""
    redactor = Redactor()
    out = redactor.redact(text)
    assert private not in out
    assert redactor.restore(out) == text
    assert redactor.redact(text) == out
    assert redactor.told(out) == []


def stays(text: str) -> None:
    """Nothing of it is hidden."""
    assert Redactor().redact(text) == text
