"""A clause of what a person states: what it names, and the words that are left of it."""

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from analyzers.names import bare
from workbench.agents.chat.asked import Asked, read
from workbench.agents.chat.clauses import QUOTED
from workbench.agents.chat.expressions import expressions, root_of
from workbench.agents.chat.meant import returning_in, threads_named
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.words import content_words
from workbench.agents.looking import tid
from workbench.claims.kinds import KINDS
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import Fact, FactBook, Fault

_PLACE = re.compile(
    r"(?i)\b(?:in|inside|within)\s+(?:(?:the|an?|my|our|function|file)\s+)*"
    r"(?!threads?\b|frames?\b|LWPs?\b)[^\s,;?!]+"
)
SIGNAL = re.compile(r"\bSIG[A-Z]{2,7}\b")
_SIGNALS = {  # as strsignal(3) names them
    "SIGSEGV": r"segfault\w*|segmentation (?:fault|violation)",
    "SIGBUS": r"bus error",
    "SIGFPE": r"floating[- ]point exception",
    "SIGILL": r"illegal instruction",
}
_EXCEPTION = re.compile(r"\b[A-Za-z_][\w.:]*(?:Exception|Error)\b|\bstd::(?:bad_\w+|\w+_error)\b")

_HEX = re.compile(r"\b0[xX][0-9a-fA-F]+\b")

Statement = tuple[Claim, tuple[str, ...]]
"""A statement with the columns that its sentence needs beside those that are stated."""


class Part(Struct, frozen=True):
    """One clause: what it names, and ``words``, those that stand for nothing of that. Where it
    names a place, a number or a symbol beside (``more``), it may be refuted and not verified.
    ``meant``: its threads are those of a name."""

    text: str
    asked: Asked
    signals: tuple[str, ...]
    exceptions: tuple[str, ...]
    words: frozenset[str]
    more: bool
    meant: bool


def part_of(clause: str, talk: Talk) -> Part:
    """A clause, taken apart."""
    plain = read(clause, talk.asked.names)
    name, running = threads_named(plain, talk.state)
    asked = replace(plain, threads=running) if running else plain
    main = {name} if running else set[str]()
    rest = _PLACE.sub(" ", QUOTED.sub(" ", clause))
    signals = dict.fromkeys(SIGNAL.findall(clause))
    for name, called in _SIGNALS.items():
        without = re.sub(rf"(?i)\b(?:{called})\b", " ", rest)
        if without != rest:
            rest, signals[name] = without, None
    thrown = tuple(dict.fromkeys(_EXCEPTION.findall(rest)))
    locks = [name for name, _ in locks_of(clause, talk)]
    ours = [*asked.names, *signals, *thrown, *expressions(talk.asked), *locks]
    words = content_words(_HEX.sub(" ", rest)) - content_words(" ".join(ours)) - main
    placed = _PLACE.search(clause) is not None and not asked.frames
    faults = talk.state.facts.all(Fault) if "return" in words else ()
    returning = {bare(fault.origin_call or "") for fault in faults}
    returning |= returning_in(talk.state) if "return" in words else set()
    beside = {*asked.names} - {*locks, *map(root_of, locks), *signals, *thrown, *main, *returning}
    more = placed or bool(asked.addresses or asked.amounts or (beside and not asked.frames))
    return Part(clause, asked, tuple(signals), thrown, words, more, bool(running))


def decisive(kind: str, facts: FactBook) -> Iterator[Fact]:
    """The facts that statements of a kind are held to."""
    for source in KINDS[kind].sources:
        yield from facts.all(source.fact)


def threads_of(part: Part, talk: Talk) -> list[int]:
    """The TIDs that a number may mean: that of the debugger's thread, and itself; those of all
    threads that a name means, one of which may be as it is said."""
    if part.meant:
        return list(part.asked.threads)
    numbers = part.asked.threads if len(part.asked.threads) == 1 else ()  # of several each
    return list(dict.fromkeys(one for n in numbers for one in (tid(talk.state, n), n)))


def last_name(way: str) -> str:
    """The last of names with points between them."""
    return way.rpartition(".")[2]


def locks_of(clause: str, talk: Talk) -> Iterator[tuple[str, list[Citation]]]:
    """The locks that are named, by all of their name or by the variable, each with its line."""
    books = (talk.state.facts, talk.book.inferred)
    for fact in (
        fact for kind in ("owns", "waits") for one in books for fact in decisive(kind, one)
    ):
        name = getattr(fact, "name", None) or ""
        either = "|".join(map(re.escape, {name, name.partition("+")[0]}))
        if name and re.search(rf"(?<![\w>.])(?:{either})(?!\w|->|\.\w)", clause):
            yield name, [fact.cite]
