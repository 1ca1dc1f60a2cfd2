"""Every analyzer on damaged outputs: no exception, and no fact that its lines do not hold.

The seeds are real outputs; hypothesis cuts, shuffles and interleaves them, translates them, writes
their numbers in other widths and puts hostile text in.
"""

import random
import re
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.registry import Entry, analyze, entries, load
from tests.analyzers.holding import unheld
from tests.analyzers.seeds import seeds
from tests.soak import examples
from workbench.model.facts import AnyFact

_DECODER = msgspec.json.Decoder(tuple[AnyFact, ...])
_HOSTILE = (
    *("\x00", "\x1b[31m", "\x1b]52;c;AAAA\x07", "\r", "\x85", "\u2028", "\u202e", "\ufffd", "\t"),
    *("9" * 30, "9" * 5000, "0x" + "f" * 40, "0x" + "e" * 5000, "-1", "(" * 500, "<" * 500),
    *("[E1:1]", "E7:999999", "[bold]x[/bold]", "{{7*7}}", "'; DROP TABLE evidence; --", "%n%s"),
    *("#0  ", "Thread 1 (LWP 1):\n", "* thread #1\n", "thread 1\n", "==1==ERROR: ", "\n\n\n"),
)  # fmt: skip
_WORDS = (
    ("Thread", "Поток"), ("thread", "スレッド"), (" at ", " bei "), (" in ", " dans "),
    ("Exception", "Ausnahme"), ("Error", "Fehler"), (", ", "\u00a0; "), ("1", "\u0661"),
    ("0", "\uff10"), ('"', "»"), ("from", "de"), (":", "\uff1a"), (".", ","),
)  # fmt: skip
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_INTEGER = re.compile(r"\b[0-9]+\b")

Mutation = Callable[[str, random.Random, str], str]


def cut(text: str, by: random.Random, _: str) -> str:
    start = by.randrange(len(text) + 1)
    return text[:start] + text[start + by.choice((1, 2, 9, 80, 1000)) :]


def end(text: str, by: random.Random, _: str) -> str:
    return text[: by.randrange(len(text) + 1)]


def shuffle(text: str, by: random.Random, _: str) -> str:
    lines = text.split("\n")
    by.shuffle(lines)
    return "\n".join(lines)


def move(text: str, by: random.Random, _: str) -> str:
    lines = text.split("\n")
    line = lines.pop(by.randrange(len(lines)))
    for _place in range(by.choice((0, 1, 2))):  # gone, elsewhere, or twice
        lines.insert(by.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def interleave(text: str, by: random.Random, other: str) -> str:
    ours, theirs = text.split("\n"), other.split("\n")
    lines = []
    while ours or theirs:
        take = by.choice([part for part in (ours, theirs) if part])
        lines += [take.pop(0) for _ in range(min(len(take), by.choice((1, 2, 5))))]
    return "\n".join(lines)


def splice(text: str, by: random.Random, other: str) -> str:
    return text[: by.randrange(len(text) + 1)] + other[by.randrange(len(other) + 1) :]


def translate(text: str, by: random.Random, _: str) -> str:
    for word, foreign in by.sample(_WORDS, 3):
        text = text.replace(word, foreign)
    return text


def widen(text: str, by: random.Random, _: str) -> str:
    width = by.choice((1, 4, 8, 16, 24, 40))
    shape = by.choice(("0x{}", "{}", "0X{}", "{}h"))
    return _HEX.sub(lambda found: shape.format(found[0][2:].zfill(width)[-width:]), text)


def count(text: str, by: random.Random, _: str) -> str:
    number = by.choice(("0", "4294967295", "18446744073709551616", "9" * 24, "1,234", "1e9"))
    return _INTEGER.sub(lambda found: number if by.random() < 0.2 else found[0], text)


def put(text: str, by: random.Random, _: str) -> str:
    for _place in range(by.choice((1, 3))):
        at = by.randrange(len(text) + 1)
        text = text[:at] + by.choice(_HOSTILE) + text[at:]
    return text


def windows(text: str, by: random.Random, _: str) -> str:
    return text.replace("\n", "\r\n")


def long(text: str, by: random.Random, _: str) -> str:
    lines = text.split("\n")
    at = by.randrange(len(lines))
    lines[at] *= 1 + 3000 // (len(lines[at]) + 1)
    return "\n".join(lines)


MUTATIONS: tuple[Mutation, ...] = (
    *(cut, end, shuffle, move, interleave, splice, translate, widen, count, put, windows, long),
)


def name(entry: Entry) -> str:
    return entry[0].removeprefix("analyzers.")


@pytest.mark.parametrize("entry", entries(), ids=name)
def test_there_is_an_output_that_it_reads_and_its_facts_hold(entry: Entry) -> None:
    documents = seeds(entry)
    assert documents
    assert load(entry).analyze(documents[0]).facts
    for document in documents:
        holds(document, entry)


@pytest.mark.soak
@pytest.mark.parametrize("entry", entries(), ids=name)
@settings(
    max_examples=examples(60),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_no_output_breaks_it_or_makes_it_say_what_is_not_there(
    entry: Entry, data: st.DataObject
) -> None:
    documents = seeds(entry)
    document = data.draw(st.sampled_from(documents))
    other = data.draw(st.sampled_from(documents)).text
    by = random.Random(data.draw(st.integers(0, 2**32)))
    text = document.text
    for mutation in data.draw(st.lists(st.sampled_from(MUTATIONS), min_size=1, max_size=3)):
        text = mutation(text, by, other)
    holds(Document(document.id, document.command, document.host, text), entry)


def holds(document: Document, entry: Entry) -> None:
    """The analysis raises nothing, its facts hold, and the journal gives them back."""
    found = load(entry).analyze(document)
    assert "\n" not in found.summary
    assert all("\n" not in finding for finding in found.findings)
    assert _DECODER.decode(msgspec.json.encode(found.facts)) == found.facts
    for fact in found.facts:
        missing = unheld(fact, document)
        assert not missing, f"{missing} in {fact} of\n{document.text}"


def test_the_registry_reads_the_seeds_with_the_analyzer_that_they_are_for() -> None:
    for entry in entries():
        document = seeds(entry)[0]
        assert analyze(document).facts, entry
