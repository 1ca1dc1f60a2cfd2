"""Exceptions that a program caught and logged, and the one that ended it."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

CAUGHT = (
    "java.lang.OutOfMemoryError: no room for 99 bytes\n\tat org.shop.Bitmap.load(Bitmap.java:7)\n"
)
THROWN = "java.lang.IllegalStateException: closed\n\tat org.shop.Till.open(Till.java:40)\n"
WRAPPED = THROWN + "Caused by: java.io.IOException: gone\n\tat org.shop.Coins.read(Coins.java:9)\n"
CSHARP = """\
Unhandled exception. System.InvalidOperationException: closed
 ---> System.IO.IOException: gone
   at Shop.Coins.Read(Int32 n) in /src/Coins.cs:line 9
   --- End of inner exception stack trace ---
   at Shop.Till.Open() in /src/Till.cs:line 40
"""
QUOTING = 'Cannot invoke "shop.Order.total()" because "<local2>" is null'
"""Java's own words (JEP 358), with quotation marks of their own."""


@pytest.mark.parametrize(
    ("text", "category", "function", "words"),
    [
        (CAUGHT + "FATAL EXCEPTION: main\n" + THROWN, C.UNCAUGHT_EXCEPTION, "org.shop.Till.open",
         "closed"),
        (CAUGHT + 'Exception in thread "main" ' + THROWN, C.UNCAUGHT_EXCEPTION,
         "org.shop.Till.open", "closed"),
        (THROWN + 'Exception in thread "main" ' + CAUGHT, C.OUT_OF_MEMORY, "org.shop.Bitmap.load",
         "no room"),
        ('Exception in thread "main" ' + WRAPPED, C.UNCAUGHT_EXCEPTION, "org.shop.Coins.read",
         "gone"),
        (CSHARP, C.UNCAUGHT_EXCEPTION, "Shop.Till.Open", "closed"),
        (f'Exception in thread "main" java.lang.NullPointerException: {QUOTING}\n'
         "\tat shop.Till.close(Till.java:41)\n", C.UNCAUGHT_EXCEPTION, "shop.Till.close", QUOTING),
    ],
)  # fmt: skip
def test_the_one_that_ended_it(
    tmp_path: Path, text: str, category: C, function: str, words: str
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.function) == (category, function)
    assert read.verdict is not None
    assert any(words in claim.text for claim in read.verdict.claims)


@pytest.mark.parametrize(
    "text", [THROWN, WRAPPED, "System.IO.IOException: gone\n   at Shop.A.B()\n"]
)
def test_a_stack_that_a_logger_may_have_written_ended_nothing(tmp_path: Path, text: str) -> None:
    assert read_text(tmp_path, text + "next request\n").category is None
