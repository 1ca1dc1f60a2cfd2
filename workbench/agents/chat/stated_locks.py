"""What a person states of locks: who holds one, who waits for it, whether threads go round."""

import re
from collections.abc import Iterator

from analyzers.patterns.stuck import waiting
from workbench.agents.chat.causes import categories_in
from workbench.agents.chat.counts import SLEEPING, waited_for
from workbench.agents.chat.expressions import expressions
from workbench.agents.chat.meant import running_as
from workbench.agents.chat.parts import Part, Statement, last_name, locks_of, threads_of
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.values import shown
from workbench.agents.chat.words import ANYBODY
from workbench.agents.looking import tid
from workbench.claims.check import as_it_is
from workbench.claims.say import say
from workbench.claims.values import leaves
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.facts import Fault, LockCycle, Process, Signal, Wait

_HELD = re.compile(r"(?i)\b(?:held|locked|taken|owned)(?:\s+by\s+\w+(?:\s+\w+)?)?\W*$")
_FREE = re.compile(r"(?i)\b(?:unlocked|free|available)\W*$")
_UNLOCKED = {"__lock": "0", "__owner": "0", "Status": "Not acquired"}
"""What a mutex of glibc's that nobody holds has, as gdb or its printers show it."""
_BETWEEN = re.compile(
    r"(?i)\bbetween\s+(?:the\s+)?(?:threads?\s+)?(?P<one>[\w:~]+)(?:\(\))?\s+and\s+(?:the\s+)?"
    r"(?:thread\s+)?(?P<other>[\w:~]+)"
)
_AWAITS = re.compile(
    r"(?i)\bwait(?:s|ing|ed)?\s+(?:for|on)\s+(?:the\s+)?(?:end\s+of\s+(?:the\s+)?)?"
    r"(?:(?:thread|LWP|TID)\s+(?P<number>\d+)|(?P<name>[\w:~]+)(?:\s+threads?)?)\W*$"
)
_WAITER = re.compile(
    r"(?i)^(?:does|do|did|is|was|are)?\s*(?:the\s+)?(?:(?:thread|LWP|TID)\s+)?(?P<name>[\w:~]+)"
    r"(?:\s+threads?)?$"
)

OF_OWNERS = frozenset({"thread", "hold", "lock"})
OF_WAITS = frozenset({"thread", "wait", "lock", "condition", "variable", "timer"})

_RING = frozenset({"deadlock", "cycle", "circular", "thread", "lock", "process", "executable"})


def who_holds(part: Part, talk: Talk) -> Iterator[Statement]:
    """Who holds a lock, or that anybody does."""
    named = list(locks_of(part.text, talk))
    held = "hold" in part.words or _HELD.search(part.text)
    for thread in threads_of(part, talk) if held else ():
        for name, cites in named:
            yield say("owns", cites, owner=thread, name=name), ("lock",)
        if not named and not any(one in part.text for one in expressions(talk.asked)):
            yield say("owns", owner=thread), ("name", "lock")
    anybody = "hold" in part.words and ANYBODY.search(part.text)
    if not part.asked.threads and (anybody or _HELD.search(part.text)):
        yield from ((say("owns", cites, name=name), ("owner",)) for name, cites in named)


def unlocked(part: Part, talk: Talk) -> Iterator[Told]:
    """A mutex that nobody holds by what was printed of it: both its lock word and its owner."""
    free_is_asked = _FREE.search(part.text) is not None
    if not (free_is_asked or _HELD.search(part.text) or "hold" in part.words):
        return
    if part.words - OF_OWNERS - {"unlocked", "free", "available"}:
        return
    if free_is_asked and part.asked.threads:
        return
    for name, lines in locks_of(part.text, talk) if free_is_asked else ():
        held = as_it_is(say("owns", lines, name=name), talk.book, ("owner",))
        if held is not None and held[1]:
            yield Told(held[0], agrees=False, said=part.text)
    for name in (one for one in expressions(talk.asked) if one in part.text):
        one = shown(name, talk)
        found = dict(_lock_words(one.value)) if one is not None else {}
        free = [way for way, value in found.items() if _UNLOCKED[last_name(way)] == value]
        if (
            one is not None
            and found
            and len(free) == len(found)
            and last_name(free[0]) != "__owner"
        ):
            cites = (Citation(one.evidence, one.line, one.line),)
            claim = say("value", cites, expression=f"{name}{free[0]}", value=found[free[0]])
            yield Told(claim, agrees=free_is_asked, said=part.text)


def _lock_words(printed: str) -> Iterator[tuple[str, str]]:
    return ((way, value) for way, value in leaves(printed) if last_name(way) in _UNLOCKED)


def who_waits(part: Part, talk: Talk) -> Iterator[Statement]:
    """What a thread waits for."""
    if _awaited(part, talk) is not None:
        return
    named = [name for name, _ in locks_of(part.text, talk)]
    kinds = waited_for(part.text.partition(" for ")[2])[1] if not named else ()
    waits = [one for one in talk.state.facts.all(Wait) if "wait" in part.words]
    if part.words & SLEEPING and "wait" not in part.words:  # what waits otherwise is off as well
        threads = threads_of(part, talk)
        asleep = (wait for wait in talk.state.facts.all(Wait) if wait.kind == "sleep")
        for wait in (wait for wait in asleep if wait.thread in threads):
            yield say("waits", (wait.cite,), thread=wait.thread, kind=wait.kind), ("syscall",)
    for thread in threads_of(part, talk) if "wait" in part.words else ():
        own = [one.kind for one in waits if one.thread == thread]
        kind = next((one for one in own if one in kinds), next(iter(kinds), None))
        ends = "join" in own and not named and kind in (None, "join")
        for name in named or [""]:
            if ends:
                yield say("waits", thread=thread, kind="join"), ("ends",)
                continue
            claim = say("waits", thread=thread, name=name or None, kind=kind)
            yield claim, ("kind", "name", "lock", "owner")


def _awaited(part: Part, talk: Talk) -> tuple[str, set[int]] | None:
    """Who is said to wait, and the threads that are waited for; None where those are none."""
    found = None if [*locks_of(part.text, talk)] else _AWAITS.search(part.text)
    threads = _meant(found["number"] or found["name"], talk) if found is not None else set[int]()
    return (part.text[: found.start()].strip(), threads) if found and threads else None


def _meant(name: str, talk: Talk) -> set[int]:
    """The TIDs that a number, or the name of what threads run, may mean."""
    if name.isdecimal():
        return {tid(talk.state, int(name[:9])), int(name[:9])}
    return {*running_as(name, talk.state)}


def awaits(part: Part, talk: Talk) -> Iterator[Told]:
    """Whether a thread, or any, waits for another's end or for what it holds."""
    awaited = _awaited(part, talk)
    if awaited is None:
        return
    who, threads = awaited
    one = _WAITER.match(who)
    own = _meant(one["name"], talk) if one is not None else set[int]()
    anybody = ANYBODY.search(who) is not None
    said = [wait for wait in talk.state.facts.all(Wait) if wait.thread in own or anybody]
    held = [wait for wait in said if wait.owner in threads]
    other = [wait for wait in said if len(said) == 1 and wait.owner is not None]
    for wait in (held or other)[:1]:
        yield Told(waiting(wait, talk.state.facts), bool(held), part.text)


def between(part: Part, talk: Talk) -> tuple[set[int], ...]:
    """The threads that each of two may be, by number or by a function that they run; none where one
    of the two is no thread."""
    named = _BETWEEN.search(part.text)
    found = [_meant(name, talk) for name in (named.groups() if named is not None else ())]
    return tuple(found) if all(found) else ()


def waits_otherwise(part: Part, talk: Talk) -> Iterator[Told]:
    """A thread that sleeps, or waits for input or another's end, waits for no lock meanwhile, nor
    does the one that an instruction of its own ended."""
    if "wait" not in part.words or part.words - OF_WAITS or not [*locks_of(part.text, talk)]:
        return
    threads = threads_of(part, talk)
    own = [one for one in talk.state.facts.all(Wait) if one.thread in threads and one.blocks]
    if len(own) == 1 and own[0].kind in ("sleep", "io", "join") and not own[0].name:
        yield Told(waiting(own[0], talk.state.facts), agrees=False, said=part.text)
    for fact in talk.state.facts.all(Fault) if not own else ():
        ended = talk.state.facts.first(Signal)
        if ended is not None and fact.thread == ended.thread and fact.thread in threads:
            claim = say("signal", (ended.cite,), name=ended.name, thread=ended.thread)
            yield Told(claim, agrees=False, said=part.text)


def no_ring(part: Part, talk: Talk) -> Iterator[Told]:
    """That no threads wait for each other: each of the others waits for a lock of the one that
    ended the process, or through others for that, or sleeps; none of what is not known."""
    facts, ended = talk.state.facts, talk.state.facts.first(Signal)
    process = facts.first(Process)
    asks = categories_in(part.text) == {Category.DEADLOCK} and not part.words - _RING
    if not asks or ended is None or process is None or part.asked.threads or part.more:
        return
    waits = {one.thread: one for one in facts.all(Wait)}
    left = {*process.threads} - {ended.thread}
    if not left or left - waits.keys() or facts.first(LockCycle) is not None:
        return
    free = {ended.thread, *(t for t in left if waits[t].kind in ("sleep", "io"))}
    while more := {t for t in left - free if waits[t].owner in free}:
        free |= more
    if left <= free and any(fact.thread == ended.thread for fact in facts.all(Fault)):
        claim = say("signal", (ended.cite,), name=ended.name, thread=ended.thread)
        yield Told(claim, agrees=False, said=part.text)
