"""Threads counted over what is known of their waits and stacks, as a question asks or states it."""

import re
from collections.abc import Iterator

from msgspec import Struct

from analyzers.patterns.waitgraph import inferred_waits
from workbench.agents.chat.asked import ASKED, Amount, Asked, read
from workbench.agents.chat.clauses import clauses, denies
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.values import expressions, shown
from workbench.agents.looking import tid
from workbench.claims.say import at, say
from workbench.claims.several import tallied
from workbench.claims.texts import WORDS
from workbench.claims.values import scalar
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Process, Stack, Threads, Wait
from workbench.model.investigation import Investigation

_THREADS = re.compile(r"\b(?:threads?|LWPs?)\b", re.IGNORECASE)
_MANY = re.compile(r"\bhow many\b|\b(?:number|count) of\b", re.IGNORECASE)
_OF_THREADS = re.compile(
    r"(?i)\b(?:how many|(?:number|count) of)\s+(?:[\w-]+\s+){0,3}?(?:threads|LWPs)\b"
)
_WHICH = re.compile(r"^\W*(?:and\s+)?(?:which|what)\s+(?:other\s+)?(?:threads?|LWPs?)\b", re.I)
_WAITING = re.compile(r"(?i)\b(?:wait\w*|block\w*|stuck|hang\w*|hung|sleep\w*|park\w*)\b")
_COMPUTING = re.compile(r"(?i)\b(?:run(?:ning)?|comput\w+|execut\w+|on[- ]cpu|spin\w*)\b")
_IN = re.compile(r"\b(?:in|inside|within|call(?:ed|ing)?|run(?:ning)?)\s+`?([A-Za-z_][\w:]*)`?")
_EXPORTED = re.compile(r"^_+(?:GI_+)?")
"""What glibc puts before the names that it exports: ``___pthread_mutex_lock``."""
_DEADLOCKED = re.compile(
    r"(?i)\b(?:in\s+(?:a|the)\s+)?(?:dead[- ]?lock\w*)|"
    r"\b(?:wait\w*|block\w*)\s+(?:for|on|by)\s+(?:each\s+|one\s+an)other\b"
)
_HOLDING = re.compile(
    r"(?i)\b(?:hold(?:s|ing)?|held|owns?|owning|have|has|had|keep(?:s|ing)?|kept|are owners? of)\s+"
    r"(?:(?:an?|any|some|the|at least one)\s+)?(?:mutex(?:es)?|locks?|monitors?)\b"
)
_TALLIES = ((_DEADLOCKED, "ring"), (_HOLDING, "hold"))
"""What threads are said to do, and the word of ``tally`` that counts them."""
_OTHERWISE = re.compile(r"\b(?:no|none|nor|neither|without|except|but)\b", re.IGNORECASE)
_PLAIN_WORDS = """
how many number count of thread threads lwp lwps tid tids what which is are was were be been there
here in inside within the this that a an and so process program dump core coredump crash crashed
hang snapshot did do does it its they you we i have has had see know show tell me say exist exists
total all altogether together at time moment when currently now then please right one or function
call still
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Words that say nothing of a thread that sets it apart from the others."""
MOST_NAMED = 6
"""Threads that are named beside their count."""
_LOCKS = ("mutex", "rwlock", "monitor", "critical-section")
_FOR = (
    (re.compile(r"\bcond(?:ition|var)?\b", re.I), ("condition",)),
    (re.compile(r"\b(?:mutex\w*|locks?)\b", re.I), _LOCKS),
    (re.compile(r"\b(?:rw-?locks?|read-write)\b", re.I), ("rwlock",)),
    (re.compile(r"\bsemaphores?\b", re.I), ("semaphore",)),
    (re.compile(r"\bbarriers?\b", re.I), ("barrier",)),
    (re.compile(r"\b(?:join\w*|to (?:end|exit|finish))\b", re.I), ("join",)),
    (re.compile(r"\b(?:i/?o|input|data|network|sockets?|file|poll\w*)\b", re.I), ("io",)),
    (re.compile(r"\b(?:sleep\w*|timers?)\b", re.I), ("sleep",)),
    (re.compile(r"\bfutex\w*\b", re.I), ("futex",)),
)  # fmt: skip
"""What a thread is said to wait for, and the kinds of waits that this is."""


class Counted(Struct, frozen=True):
    """A count with the statements that say it; ``said`` is the clause that asks or states one."""

    count: int
    claims: tuple[Claim, ...]
    said: str


def counted(asked: Asked, state: Investigation, locks: dict[str, int]) -> Iterator[Counted]:
    """The counts that a question asks for; ``locks`` are the addresses of the expressions in it."""
    for clause in clauses(asked.text):
        which = _WHICH.match(clause) is not None and _WAITING.search(clause) is not None
        if (_MANY.search(clause) or which) and _THREADS.search(clause):
            yield from _count(clause, asked, state, locks)


def uncounted(asked: Asked, state: Investigation, locks: dict[str, int]) -> Iterator[str]:
    """Sentences for the counts of threads that are asked for and that nothing counts."""
    for clause in clauses(asked.text):
        if not _OF_THREADS.search(clause) or _is_plain(clause):
            continue  # how many there are at all may stand in a line that no fact was read from
        if not list(_count(clause, asked, state, locks)):
            yield f'The threads that this asks for are not counted: "{clause}".'


def stated(asked: Asked, state: Investigation, locks: dict[str, int]) -> Iterator[Told]:
    """The numbers of threads that a person states, as they were counted or otherwise."""
    for clause in clauses(asked.text):
        amounts = [one for one in read(clause).amounts if _is_of_threads(one)]
        if amounts and _WAITING.search(clause) and not denies(clause):
            for one in _count(clause, asked, state, locks):
                agrees = amounts[0].fits(one.count)
                yield from (Told(claim, agrees, clause) for claim in one.claims)


def addresses_wanted(asked: Asked) -> list[str]:
    """What gives the addresses of the locks whose waiters a question counts."""
    named = (
        expressions(asked) if _THREADS.search(asked.text) and _WAITING.search(asked.text) else []
    )
    return [f"&{one}" for one in named if one[0] not in "*&"]


def locks_named(talk: Talk) -> dict[str, int]:
    """Their addresses, where the debugger gave them."""
    found = {}
    for expression in addresses_wanted(talk.asked):
        one = shown(expression, talk)
        address = scalar(one.value) if one is not None else None
        if address is not None:
            found[expression[1:]] = address
    return found


def _is_of_threads(amount: Amount) -> bool:
    return amount.relation != ASKED and not amount.family and "thread" in amount.counted


def _count(
    clause: str, asked: Asked, state: Investigation, locks: dict[str, int]
) -> Iterator[Counted]:
    waits = _waits(state)
    if denies(clause) or _OTHERWISE.search(clause):
        return
    row = next((row for row in _TALLIES if row[0].search(clause)), None)
    if row is not None:
        if _is_plain(clause, row[0]):
            yield from _of_tally(clause, row[1], state)
    elif _WAITING.search(clause):
        kinds = next((kinds for pattern, kinds in reversed(_FOR) if pattern.search(clause)), ())
        given = [{"lock": address} for address in _locks(clause, waits, locks)]
        if given:
            kinds = ()
        elif owner := read(clause).threads:
            given = [{"owner": tid(state, owner[0])}]
        elif not (kinds or _is_plain(clause, _WAITING) or _WHICH.match(clause)):
            return
        for each in given or [{}]:
            yield from _of_waits(clause, kinds, each, waits)
    elif _COMPUTING.search(clause) and _is_plain(clause, _COMPUTING):
        busy = [wait for wait in waits.values() if wait.kind == "running"]
        claims = [
            say("thread", (one.cite,), state="computes", thread=one.thread) for one in busy[:8]
        ]
        if claims:
            yield Counted(len(busy), tuple(claims), clause)
    elif (function := _IN.search(clause)) and function[1] in asked.names:
        if not _is_plain(clause, _IN):
            return
        yield from _of_function(clause, function[1], state)
    elif _is_plain(clause):
        yield from _of_all(clause, state)


def _is_plain(clause: str, *said: re.Pattern[str]) -> bool:
    """True where a clause asks for nothing more of the threads than what the patterns match."""
    for pattern in said:
        clause = pattern.sub(" ", clause)
    return set(re.findall(r"[^\W_][\w'\u2019]*", clause.lower())) <= _PLAIN


def _of_tally(clause: str, word: str, state: Investigation) -> Iterator[Counted]:
    if found := tallied(word, state.facts, _inferred(state)):
        claim = say("count", list(found.values())[:1], what=word, count=len(found))
        yield Counted(len(found), (claim,), clause)


def _of_waits(
    clause: str, kinds: tuple[str, ...], given: dict[str, int], waits: dict[int, Wait]
) -> Iterator[Counted]:
    """One statement for each kind of wait that occurs, or for all waits where none is named."""
    rows: list[tuple[int, Claim]] = []
    shown_by: list[Citation] = []
    present = [k for k in kinds if any(w.kind == k for w in waits.values())] or list(kinds[:1])
    for kind in present or [""]:
        found = [
            wait
            for wait in waits.values()
            if wait.kind != "running"
            and kind in ("", wait.kind)
            and given.get("lock") in (None, wait.address)
            and given.get("owner") in (None, wait.owner)
        ]
        cites = [wait.cite for wait in (found or waits.values())]
        if not cites:
            return
        shown_by += [wait.cite for wait in found]
        named = WORDS.get(("kind", kind), kind).replace("the ", "a ", 1)
        kind_said = at(kind or None, cites, named)
        claim = say("count", cites[:1], what="waiting", kind=kind_said, count=len(found), **given)
        rows.append((len(found), claim))
    claims = [claim for _, claim in rows]
    if _WHICH.match(clause):
        shown = [wait for wait in waits.values() if wait.cite in shown_by][:MOST_NAMED]
        claims += [say("waits", (one.cite,), thread=one.thread, kind=one.kind) for one in shown]
    yield Counted(sum(count for count, _ in rows), tuple(claims), clause)


def _of_function(clause: str, function: str, state: Investigation) -> Iterator[Counted]:
    found: dict[int, Citation] = {}
    stacks = state.facts.all(Stack)
    if spelt := {name for one in stacks for frame in one.frames
                 if (name := frame.function) and _EXPORTED.sub("", name) == function}:  # fmt: skip
        function = min(spelt, key=lambda name: (name != function, name))
    for stack in stacks:
        for frame in stack.frames:
            name = frame.function or ""
            if function in (name, name.rpartition("::")[2]):
                line = Citation(stack.cite.evidence, frame.line_no, frame.line_no)
                found.setdefault(stack.thread or -(stack.number or 0), line)
                break
    if found:
        claim = say("count", found.values(), what="threads", function=function, count=len(found))
        yield Counted(len(found), (claim,), clause)


def _of_all(clause: str, state: Investigation) -> Iterator[Counted]:
    process, listed = state.facts.first(Process), state.facts.first(Threads)
    if process is not None and process.threads:
        count, cite = len(process.threads), process.cite
    elif listed is not None:
        count, cite = len(listed.items), listed.cite
    else:
        return
    yield Counted(count, (say("count", (cite,), what="threads", count=count),), clause)


def _locks(clause: str, waits: dict[int, Wait], locks: dict[str, int]) -> list[int]:
    """The addresses of the locks that a clause names: themselves, or the first expression that has
    one, or variables."""
    known = {wait.address for wait in waits.values()}
    found = [address for address in read(clause).addresses if address in known]
    found = found or [a for expression, a in locks.items() if expression in clause][:1]
    names = read(clause, [wait.name for wait in waits.values() if wait.name]).names
    named = {w.address: None for w in waits.values() if w.name in names and w.address is not None}
    return found or list(named)


def _waits(state: Investigation) -> dict[int, Wait]:
    return {wait.thread: wait for wait in (*state.facts.all(Wait), *_inferred(state).all(Wait))}


def _inferred(state: Investigation) -> FactBook:
    return FactBook(inferred_waits(state.facts))
