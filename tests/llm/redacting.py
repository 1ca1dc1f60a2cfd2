"""What each test of the redaction asks of one text."""

import time
from collections.abc import Sequence

from workbench.llm.redaction.machine import Term
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


def read_soon(*texts: str, known: Sequence[Term] = ()) -> None:
    """Some 10 KB each, in 15 s of a processor all told; without going over them again and again it
    takes about one."""
    began = time.process_time()
    for text in texts:
        Redactor(known).redact(text)
    assert time.process_time() - began < 15
