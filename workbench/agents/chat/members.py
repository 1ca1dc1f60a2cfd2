"""Counts and sizes that structures of the program hold: ``pool.size``, ``connections.count``.

"The pool has 50 connections" is about whatever of the program is called a pool: a variable of that
name, or one whose type is. Its members that count are what the statement is held to.
"""

import re
from collections.abc import Iterator

from workbench.agents.chat.asked import ASKED, Amount, Asked, read
from workbench.agents.chat.clauses import affirmed
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.values import Shown, expressions, pointee, shown
from workbench.agents.chat.words import is_stop
from workbench.agents.looking import place, view
from workbench.claims.say import say
from workbench.claims.values import leaves, scalar
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.investigation import Investigation

MOST = 3
"""Structures that are looked at for one clause."""
_MOST_LOCALS = 4
_PLAIN = re.compile(r"(?!0x)\d")
"""No pointer counts anything."""
_VECTOR = "_M_finish"
_LENGTH = "{0}._M_impl._M_finish - {0}._M_impl._M_start"
"""The elements of libstdc++'s vector, which stores no number of them."""
_NAME = re.compile(r"[A-Za-z_]\w{2,40}")
_STEP = re.compile(r"->|\.")
_OTHERS = re.compile(
    r"\b(?:threads?|LWPs?|frames?|struct|union|class|enum|sizeof)\b", re.IGNORECASE
)
_VARIABLE = re.compile(r"^(?:\d+:.*|\}.*)\b([A-Za-z_]\w*)(?:\[[^\]\n]*\])*;$", re.MULTILINE)
"""A row of gdb's ``info variables``; one of a structure without a name takes several lines."""
_COUNT_WORDS = """
size count counter used length len capacity cap max limit num number total busy free idle active
open n nr no entry entrie item element m node string
"""
_COUNTS = frozenset(_COUNT_WORDS.split())
"""What members that count things are called, also libstdc++'s ``_M_element_count``."""


def _counting(text: str) -> Iterator[tuple[str, Amount]]:
    """The clauses that state a number without a unit or ask for one, each with that number;
    threads and the like are counted elsewhere (`counts`, `topics`)."""
    for clause in affirmed(text):
        amounts = [one for one in read(clause).amounts if not one.family]
        if amounts and not _OTHERS.search(clause):
            yield clause, amounts[0]


def _nouns(clause: str) -> list[str]:
    """The words of a clause that may name something of the program."""
    found: dict[str, None] = {}
    for word in _NAME.findall(clause):
        if not is_stop(word) and not word[0].isdigit():
            found.setdefault(word)
    return list(found)[: 2 * MOST]


def wanted(talk: Talk) -> list[str]:
    """The expressions that may name the structures of a question's counts."""
    found: dict[str, None] = {}
    for clause, _ in _counting(talk.asked.text):
        nouns = _nouns(clause)
        known = _named(talk)
        for name in (one for one in expressions(talk.asked) if one in clause):
            one = shown(name, talk)
            length = _LENGTH.format(name) if one is not None and _VECTOR in one.value else name
            found.setdefault(length)
        found |= dict.fromkeys([noun for noun in nouns if noun in known][:MOST])
        pointers = _pointers(talk.state)
        found |= dict.fromkeys(pointers)
        for name in pointers:
            one = shown(name, talk)
            if one is not None and _is_called(pointee(one), nouns):
                found.setdefault(f"*{name}")
    return list(found)


def symbols(asked: Asked, state: Investigation) -> list[Command]:
    """What tells which words of a question's counts are variables: no other word is printed."""
    counting = _counting(asked.text)
    nouns = r"\|".join(dict.fromkeys(noun for clause, _ in counting for noun in _nouns(clause)))
    if not nouns or state.host != "gdb":
        return []
    return [Command(rf"info variables -q -n ^\({nouns}\)$", "which of the words are variables")]


def _named(talk: Talk) -> set[str]:
    """The words that name something of the program, as the evidence or its symbols tell."""
    items = {item.command: item.id for item in talk.state.evidence.values()}
    asked = (items.get(one.text) for one in symbols(talk.asked, talk.state))
    texts = [talk.text_of(item) for item in asked if item is not None]
    return {*talk.asked.names, *(name for text in texts for name in _VARIABLE.findall(text))}


def _pointers(state: Investigation) -> list[str]:
    """The variables of the frame that is looked at whose value is an address."""
    here = view(state, *place(state))
    if here is None:
        return []
    names = [v.name for v, _ in here.variables if re.search(r"\b0x[0-9a-f]{4,}", v.value[:80])]
    return [name for name in names if name.isidentifier()][:_MOST_LOCALS]


def _is_called(name: str, nouns: list[str]) -> bool:
    """True where a noun names the thing: ``conn_pool`` is a pool. A ``seat`` is one of the seats,
    whose number it does not hold."""
    one = name.lower().removesuffix("_t")
    if any(_stem(noun) == one != noun.lower() for noun in nouns):
        return False
    parts = {_stem(part) for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    return bool(parts & {_stem(noun) for noun in nouns})


def _stem(word: str) -> str:
    word = word.lower()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def stated(talk: Talk) -> Iterator[Told]:
    """The counts of a question held to the members: those that have what is stated or asked, else
    all that have another."""
    named = expressions(talk.asked)
    for clause, amount in _counting(talk.asked.text):
        if any(one in (clause if _STEP.search(one) else amount.said) for one in named):
            continue  # the number, or the member that is asked for, is the expression's
        found = list(_members(clause, talk))
        asked = amount.relation == ASKED
        same = [claim for number, claim in found if asked or amount.fits(number)]
        for claim in same or [claim for _, claim in found]:
            yield Told(claim, bool(same), amount.said)


def _members(clause: str, talk: Talk) -> Iterator[tuple[int, Claim]]:
    """The members that count what a clause speaks of; those that it names by their own name alone,
    where there are any."""
    nouns = _nouns(clause)
    stems = {_stem(noun) for noun in nouns}
    rows: list[tuple[bool, int, Claim]] = []
    for name in wanted(talk):
        one = shown(name, talk)
        if one is None or not one.typed:
            continue
        if _VECTOR in name and (number := scalar(one.value)) is not None:
            cite = Citation(one.evidence, one.line, one.line)
            rows.append((True, number, say("value", (cite,), expression=name, value=one.value)))
        owner = name.lstrip("*")
        pointed = shown(owner, talk) if name.startswith("*") else None
        called = owner in expressions(talk.asked) or _is_called(owner, nouns)
        if not (called or (pointed and _is_called(pointee(pointed), nouns))):
            continue
        for way, value in leaves(one.value):
            member = way.removeprefix(".")
            last = member.rpartition(".")[2]
            number = scalar(value) if _PLAIN.match(value) else None
            parts = {_stem(part) for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", last)}
            named = _stem(last) in stems
            if number is not None and parts and (named or parts <= _COUNTS | stems):
                rows.append((named, number, _claim(one, owner, member, value)))
    best = [row for row in rows if row[0]] or rows
    yield from ((number, claim) for _, number, claim in best[:MOST])


def _claim(one: Shown, owner: str, member: str, value: str) -> Claim:
    step = "->" if one.expression.startswith("*") else "."
    cite = Citation(one.evidence, one.line, one.line)
    return say("value", (cite,), expression=f"{owner}{step}{member}", value=value)
