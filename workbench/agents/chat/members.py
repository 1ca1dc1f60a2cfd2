"""Counts and sizes that structures of the program hold: ``pool.size``, ``connections.count``.

"The pool has 50 connections" is about whatever of the program is called a pool: a variable of that
name, or one whose type is. Its members that count are what the statement is held to.
"""

import re
from collections.abc import Iterator

from analyzers.owners.sources import is_glibc_folder, is_library_source
from workbench.agents.chat.asked import ASKED, Amount, Asked, read
from workbench.agents.chat.clauses import affirmed
from workbench.agents.chat.expressions import expressions
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.values import pointee, shown
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
_PLAIN = re.compile(r"(?!0x)-?\d")
"""No pointer counts anything."""
_VECTOR = "_M_finish"
_LENGTH = "{0}._M_impl._M_finish - {0}._M_impl._M_start"
"""The elements of libstdc++'s vector, which stores no number of them."""
_COUNTER = re.compile(
    r"(?:\._M_\w+)*\.(?:_M_node_count|_M_element_count|_M_size|_M_string_length|len)"
)
"""How many libstdc++'s maps, sets, lists and strings hold, and Rust's vectors."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]{4,}")
_NAME = re.compile(r"[A-Za-z_]\w{2,40}")
_STEP = re.compile(r"->|\.")
_OTHERS = re.compile(
    r"\b(?:threads?|LWPs?|frames?|struct|union|class|enum|sizeof)\b", re.IGNORECASE
)
_VARIABLE = re.compile(r"^(?:\d+:.*|\}.*)\b([A-Za-z_]\w*)(?:\[[^\]\n]*\])*;$", re.MULTILINE)
"""A row of gdb's ``info variables``; one of a structure without a name takes several lines."""
_AFFIX = re.compile(r"^(?:n|nr_?|num_?|n_)(?=[a-z])|_?(?:count|len|size|num)$")
_COUNT_WORDS = """
size count counter used length len capacity cap max limit num number total busy free idle active
open n nr no entry item element m node string
"""
_COUNTS = frozenset(_COUNT_WORDS.split())
"""What members that count things are called, also libstdc++'s ``_M_element_count``."""
_ROOM = frozenset({"capacity", "cap", "max", "limit", "busy", "free", "idle", "active", "open"})


def _counting(text: str) -> Iterator[tuple[str, Amount]]:
    """The clauses that state a number without a unit or ask for one, each with that number;
    threads and the like are counted elsewhere (`counts`, `topics`)."""
    for clause in affirmed(text):
        amounts = [one for one in read(clause).amounts if not one.family]
        if amounts and not _OTHERS.search(clause):
            yield clause, amounts[0]


def _nouns(clause: str) -> list[str]:
    """The words of a clause that may name something of the program."""
    return [*dict.fromkeys(word for word in _NAME.findall(clause) if not is_stop(word))][: 2 * MOST]


def wanted(talk: Talk) -> list[str]:
    """The expressions that may name the structures of a question's counts."""
    found: dict[str, None] = {}
    here = view(talk.state, *place(talk.state))
    names = [
        v.name
        for v, _ in (here.variables if here is not None else ())
        if v.name.isidentifier() and _ADDRESS.search(v.value[:80])
    ][:_MOST_LOCALS]
    for clause, _ in _counting(talk.asked.text):
        nouns = _nouns(clause)
        stems = {_stem(noun) for noun in nouns}
        for name in (one for one in expressions(talk.asked) if one in clause):
            one = shown(name, talk)
            found.setdefault(_length(name, one.value) if one is not None else name)
            lengths = _lengths(name, one.value, stems) if one is not None else ()
            found |= dict.fromkeys(lengths)
        ours = [one for one in _named(talk) if one in nouns or _is_count(one, stems)]
        found |= dict.fromkeys(sorted(ours, key=lambda one: (one not in nouns, one))[:MOST])
        found |= dict.fromkeys(names)
        pointers = (name for name in names if (one := shown(name, talk)) and pointee(one))
        for name in pointers:
            found.setdefault(f"*{name}")
            if (one := shown(f"*{name}", talk)) is not None:
                found |= dict.fromkeys(_lengths(name, one.value, stems, "->"))
    return list(found)


def symbols(asked: Asked, state: Investigation) -> list[Command]:
    """What tells which words of a question's counts are variables: no other word is printed."""
    counting = _counting(asked.text)
    words = (noun for clause, _ in counting for noun in _nouns(clause))
    forms = (one for noun in words for one in (noun, noun.removesuffix("s"), _stem(noun)))
    nouns = r"\|".join(dict.fromkeys(forms))
    if not nouns or state.host != "gdb":
        return []
    named = rf"^\(n\|nr_\?\|num_\?\|n_\)\?\({nouns}\)\(_\?\(count\|len\|size\|num\)\)\?$"
    return [Command(f"info variables -q -n {named}", "which of the words are variables")]


def _held_by(member: str) -> str:
    """The member that is a container of libstdc++'s, of which one of its own fields tells; empty
    for a field of what was printed, and for one of the program's."""
    steps = member.split(".")
    own = [step for step in steps if not step.startswith("_M_")]
    return ".".join(own) if len(own) < len(steps) else ""


def _length(name: str, value: str) -> str:
    """What gives the elements of a container that was printed; the name of what is none."""
    if _VECTOR in value:
        return _LENGTH.format(name)
    ways = (way for way, _ in leaves(value) if _COUNTER.fullmatch(way))
    ours = (way for way in ways if way.startswith("._M_") or value.startswith("alloc::"))
    return next((f"{name}{way}" for way in ours), name)


def _lengths(name: str, value: str, stems: set[str], step: str = ".") -> Iterator[str]:
    """What gives the elements of the vectors that members are, of a structure or a pointer's."""
    for way, _ in leaves(value):
        held = _held_by(way.removeprefix("."))
        if held and way.endswith(_VECTOR) and _stem(held.rpartition(".")[2]) in stems:
            yield _LENGTH.format(f"{name}{step}{held}")


def _is_count(name: str, stems: set[str]) -> bool:
    """True for a variable that counts what a noun names: ``nhooks``, ``hook_count``."""
    return bool({_stem(name), _stem(_AFFIX.sub("", name))} & stems)


def _named(talk: Talk) -> set[str]:
    """The words that name something of the program, as the evidence or its symbols tell."""
    items = {item.command: item.id for item in talk.state.evidence.values()}
    asked = (items.get(one.text) for one in symbols(talk.asked, talk.state))
    texts = ["\n" + talk.text_of(item) for item in asked if item is not None]
    files = (part.partition(":\n") for text in texts for part in text.split("\nFile ")[1:])
    rows = (own for file, _, own in files if not (is_library_source(file) or is_glibc_folder(file)))
    return {*talk.asked.names, *(name for row in rows for name in _VARIABLE.findall(row))}


def _is_called(name: str, nouns: list[str]) -> bool:
    """True where a noun names the thing: ``conn_pool`` is a pool. A ``seat`` is one of the seats,
    whose number it does not hold."""
    one = name.lower().removesuffix("_t")
    if any(_stem(noun) == one != noun.lower() for noun in nouns):
        return False
    return bool(_parts(name) & {_stem(noun) for noun in nouns})


def _parts(name: str) -> set[str]:
    return {_stem(part) for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def _stem(word: str) -> str:
    word = word.lower()
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return f"{word[:-2]}y" if len(word) > 3 and word.endswith("ie") else word


def stated(talk: Talk) -> Iterator[Told]:
    """The counts of a question held to the members: those that have what is stated or asked, else
    all that have another."""
    named = expressions(talk.asked)
    for clause, amount in _counting(talk.asked.text):
        asked = amount.relation == ASKED
        ours = [one for one in named if one in (clause if _STEP.search(one) else amount.said)]
        values = [one for name in ours if (one := shown(name, talk)) is not None]
        held = [
            one
            for one in values
            if _length(one.expression, one.value) != one.expression or (pointee(one) and asked)
        ]
        if len(held) < len(ours):
            continue  # the number, or the member that is asked for, is the expression's
        found = list(_members(clause, talk, bool(amount.base or asked)))
        same = [claim for number, claim in found if asked or amount.fits(number)]
        for claim in same or [claim for _, claim in found]:
            yield Told(claim, bool(same), amount.said)


def _members(clause: str, talk: Talk, stated: bool) -> Iterator[tuple[int, Claim]]:
    """The members that count what a clause speaks of; those that it names by their own name alone,
    where there are any. That nothing is there (not ``stated``) none proves that counts room."""
    nouns = _nouns(clause)
    stems = {_stem(noun) for noun in nouns}
    rows: list[tuple[bool, int, Claim]] = []
    for name in wanted(talk):
        one = shown(name, talk)
        if one is None or not one.typed:
            continue
        cite = (Citation(one.evidence, one.line, one.line),)
        counts = (
            _VECTOR in name
            or _COUNTER.search(name)
            or (_PLAIN.match(one.value) and _is_count(name, stems))
        )
        if counts and (number := scalar(one.value)) is not None:
            rows.append((True, number, say("value", cite, expression=name, value=one.value)))
        owner, step = name.lstrip("*"), "->" if name.startswith("*") else "."
        pointed = shown(owner, talk) if step == "->" else None
        called = owner in expressions(talk.asked) or _is_called(owner, nouns)
        called = called or bool(pointed and _is_called(pointee(pointed), nouns))
        for way, value in leaves(one.value):
            member = way.removeprefix(".")
            last = member.rpartition(".")[2]
            held = _held_by(member)
            if held and _stem(held.rpartition(".")[2]) not in stems:
                continue  # what a container counts is no count of what it is a member of
            number = scalar(value) if _PLAIN.match(value) else None
            parts, named = _parts(last), _stem(last) in stems
            whole = parts <= _COUNTS | stems  # of a thing that is not named: both its words are
            fits = (called and parts and (named or whole)) or (whole and parts & _COUNTS < parts)
            ours = "__" not in way and (stated or not parts & _ROOM)  # no library's own
            if fits and ours and number is not None:
                claim = say("value", cite, expression=f"{owner}{step}{member}", value=value)
                rows.append((named, number, claim))
    best = [row for row in rows if row[0]] or rows
    yield from ((number, claim) for _, number, claim in best[:MOST])
