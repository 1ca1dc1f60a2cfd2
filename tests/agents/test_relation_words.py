"""The words of a statement: a sentence without any of them can never match its pattern."""

import re
from collections.abc import Iterable
from re import _parser  # type: ignore[attr-defined]  # the only thing that knows a pattern's parts
from typing import Any

import pytest

from workbench.agents.relations.of_models import EVERY
from workbench.agents.relations.parts import Statement
from workbench.agents.relations.words import needed


def runs(items: Iterable[Any], said: tuple[str, ...], before: str = "") -> bool:
    """True when each text that a parsed pattern matches holds one of the words. ``before`` is the
    text in front of it: the parser takes out what alternatives begin with alike."""
    literal = before
    for operation, argument in items:
        name = str(operation)
        if name == "LITERAL":
            literal += chr(argument).lower()
            continue
        if name == "IN" and (letter := _one_letter(argument)):
            literal += letter
            continue
        if name == "SUBPATTERN" and runs(argument[-1], said, literal):
            return True
        if name == "BRANCH" and all(runs(branch, said, literal) for branch in argument[1]):
            return True
        if name in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] and runs(argument[2], said):
            return True
        if any(word in literal for word in said):
            return True
        literal = ""
    return any(word in literal for word in said)


def _one_letter(choices: Iterable[Any]) -> str:
    """The letter of a set like ``[Tt]``, else nothing."""
    found = {chr(value).lower() if str(name) == "LITERAL" else "" for name, value in choices}
    return found.pop() if len(found) == 1 else ""


@pytest.mark.parametrize("statement", [one for one, _ in EVERY], ids=lambda one: one.source[:40])
def test_no_statement_is_made_without_its_words(statement: Statement) -> None:
    parsed = _parser.parse(statement.source, statement.flags)
    for words in statement.needs:
        assert runs(parsed, tuple(words))


def test_of_nearly_every_statement_words_are_known() -> None:
    unknown = [one.source for one, _ in EVERY if not one.needs]
    assert len(unknown) < len(EVERY) / 10, unknown


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (r"stack\s+pointers?", [{"stack"}, {"pointer"}]),
        (r"(?:stacks|heap)\b in", [{"stacks", "heap"}, {"in"}]),
        (r"(?:the stacks|heap)\b", [{"stacks", "heap"}]),
        (r"(?:stacks|heap|\d+)\b", []),
        (r"(?:stacks|heap)?\s+in", [{"in"}]),
        (r"(?:a|(?:the )?stack) (?:is|was)(?: full)*", [{"is", "was"}]),
        (r"(?<!deep )(?=full)full(?! up)(?:x|(?P<how>stack){0,2})", [{"full"}]),
        (r"[stack] [^]heap] \bheap", [{"heap"}]),
        (r"stack|heap|", []),
        (r"(stack) (of (heap|page)s)", [{"stack"}, {"of"}, {"heap", "page"}]),
        (r"Thread\(s\)", [{"thread"}]),
        (r"(?:one", [{"one"}]),
        (r"", []),
    ],
)
def test_words_of_patterns(source: str, words: list[set[str]]) -> None:
    assert list(needed(source)) == words


def test_the_check_finds_a_word_that_can_be_missing() -> None:
    source = r"(?:a )?stack (?:was|is)(?: full)?"
    assert runs(_parser.parse(source), ("stack",))
    assert runs(_parser.parse(source), ("was", "is"))
    assert not runs(_parser.parse(source), ("was",))
    assert not runs(_parser.parse(source), ("full",))


def test_a_sentence_without_the_words_compiles_nothing() -> None:
    statement = Statement(r"stack\s+pointer", re.IGNORECASE)
    assert not list(statement.said_in("the stack is full"))
    assert "pattern" not in vars(statement)
    assert [match[0] for match in statement.said_in("the Stack POINTER")] == ["Stack POINTER"]


def test_letters_beyond_ascii_that_count_for_a_words_letter_hide_nothing() -> None:
    assert list(Statement(r"\bstack\b", re.IGNORECASE).said_in("the \u017ftack"))
