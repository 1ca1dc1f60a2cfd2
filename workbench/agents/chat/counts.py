"""Threads counted over what is known of their waits and stacks, as a question asks or states it."""

import re
from collections.abc import Iterator

from analyzers.patterns.stuck import waiting
from workbench.agents.chat.addresses import AWAITED
from workbench.agents.chat.asked import ASKED, Asked, read
from workbench.agents.chat.clauses import AS_IT_ENDED, clauses, denies, elsewhen, is_open
from workbench.agents.chat.expressions import expressions
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.values import shown
from workbench.agents.chat.words import ANYBODY, content_words, in_digits
from workbench.agents.looking import tid
from workbench.claims.check import as_it_is
from workbench.claims.say import Given, at, say
from workbench.claims.texts import WORDS
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.facts import LockCycle, Process, Signal, Stack, Wait
from workbench.model.investigation import Investigation

EXPORTED = re.compile(r"^_+(?:GI_+)?")
"""What glibc puts before the names that it exports: ``___pthread_mutex_lock``."""
_PLAIN = frozenset(
    {"thread", "process", "executable", "dump", "core", "number", "count", "time", "least"}
)
"""Words that say nothing of a thread that sets it apart from the others."""
_TALLIES = {
    "ring": ({"deadlock"}, {"cycle"}, {"wait", "each"}),
    "hold": ({"hold", "lock"}, {"lock"}),
}
"""The words of ``tally``, and those that ask for them."""
_RUNNING = frozenset({
    "run", "running", "compute", "computing", "executing", "spin", "spinning", "utilization", "cpu",
    "use", "using", "work", "working", "active",
})  # fmt: skip
SLEEPING = frozenset({"sleep", "sleeping", "asleep"})
_LOCKS = ("mutex", "rwlock", "monitor", "critical-section")
_FOR = (
    (r"cond(?:ition|var)?(?:\s+variables?)?", ("condition",)), (r"mutex\w*|locks?", _LOCKS),
    (r"rw-?locks?|read-write", ("rwlock",)), (r"semaphores?", ("semaphore",)),
    (r"barriers?", ("barrier",)), (r"join\w*|to (?:end|exit|finish)", ("join",)),
    (r"i/?o|input|data|network|sockets?|file|poll\w*", ("io",)), (r"sleep\w*|timers?", ("sleep",)),
    (r"futex\w*", ("futex",)),
)  # fmt: skip
"""What a thread is said to wait for, and the kinds of waits that this is."""
_WANTS = re.compile(
    r"(?i)\bwants?\s+(?:to\s+(?:take|get|lock|hold|own|enter|acquire)\s+)?(?=(?:the|an?|this)\s)"
)
_THREADS = re.compile(r"(?i)\b(?:threads|LWPs)\b")
_WHICH = re.compile(r"(?i)\W*(?:and\s+)?(?:(?:which|what)\s+(?:thread|LWP)s?|who)\b")
_OF_POINTER = re.compile(r"\*\s?\*\)")
"""The type of the address of a pointer: no lock lies there, though it leads to one."""
MOST_NAMED = 6
"""Threads that are named beside their count."""


def counted(talk: Talk) -> Iterator[Told]:
    """The counts of threads that a question asks for or states, each as it is."""
    text = "" if AWAITED.search(talk.asked.text) else talk.asked.text
    for clause in clauses(_WANTS.sub("waits for ", text)):
        which = _WHICH.match(clause) is not None
        if denies(clause) or elsewhen(clause):
            waking = which and denies(clause) and _words(clause, talk) == {"wait"}
            yield from (Told(one, agrees=True, said=clause) for one in _awake(talk) if waking)
            continue
        amounts = [one for one in read(clause).amounts if not one.family]
        if ANYBODY.search(clause) and not (which or amounts):
            yield from _of_anybody(clause, talk)
        if not (which or _THREADS.search(clause)):
            continue
        if which or (amounts and "thread" in amounts[0].counted | amounts[0].subject):
            claims = _counts(clause, talk, which)
            total = sum(int(str(claim.get("count") or 0)) for claim in claims)
            asks = which or amounts[0].relation == ASKED
            yield from (Told(one, asks or amounts[0].fits(total), clause) for one in claims)


def _of_anybody(clause: str, talk: Talk) -> Iterator[Told]:
    """Who waits, where it is asked whether anybody does, or that nobody does."""
    words = _words(clause, talk)
    text = "sleep" if words and words <= SLEEPING else clause
    if is_open(clause) or not (text != clause or "wait" in words):
        return
    claims = _of_waits(text, words - {"wait"} - SLEEPING, talk, which=False)
    if any(claim.get("count") not in (0, "0") for claim in claims):
        named = _of_waits(text, frozenset(), talk, which=True)[len(claims) :]
        yield from (Told(claim, agrees=True, said=clause) for claim in named)
    elif _all_wait(talk.state):
        yield from (Told(claim, agrees=False, said=clause) for claim in claims)


def _all_wait(state: Investigation) -> bool:
    """Whether it is known of each thread but the one that ended the process that it waits: one that
    runs may wait as well, for a lock that it spins on."""
    process = state.facts.first(Process)
    waits = {wait.thread for wait in state.facts.all(Wait) if wait.blocks}
    return process is not None and len({*process.threads} - waits) <= 1


def _words(clause: str, talk: Talk) -> frozenset[str]:
    """The words of a clause beside what it names."""
    named = [name for name in talk.asked.names if name in clause]
    ours = " ".join([*named, *expressions(talk.asked)])
    plain = content_words(in_digits(AS_IT_ENDED.sub("", clause)))
    return plain - content_words(ours) - _PLAIN


def _counts(clause: str, talk: Talk, which: bool) -> list[Claim]:
    """What counts the threads of a clause, of whose words every one is accounted for."""
    named = [name for name in talk.asked.names if name in clause]
    words = _words(clause, talk)
    for name in named if words <= _RUNNING | {"wait"} else ():
        inside = re.search(rf"(?i)\b(?:in|inside|run\w*|executing)\s+{re.escape(name)}\b", clause)
        if inside is not None:
            function = _spelt(name, talk)
            return [*_said(talk, what="threads", function=function),
                    *(_inside(function, talk) if which else ())]  # fmt: skip
    if words and words <= _RUNNING and not named:
        return [*_running(talk)]
    if which and not _THREADS.search(clause):  # who crashed, or holds it, is told otherwise
        return _of_waits(clause, words - {"wait"}, talk, which) if "wait" in words else []
    tally = next((what for what, forms in _TALLIES.items() if words in forms), None)
    if tally is not None and not named:
        rings = talk.state.facts.all(LockCycle) if which and tally == "ring" else ()
        each = [
            say("cycle", (ring.cite,), threads=", ".join(map(str, ring.threads)))
            for ring in rings[:MOST_NAMED]
        ]
        return [*_said(talk, what=tally), *each]
    if "wait" in words:
        return _of_waits(clause, words - {"wait"}, talk, which)
    if words and words <= SLEEPING:
        return _of_waits("sleep", frozenset(), talk, which)
    if named and not words:
        return _said(talk, what="threads", function=_spelt(named[0], talk))
    return _said(talk, what="threads") if not words | set(named) else []


def _running(talk: Talk) -> Iterator[Claim]:
    busy = [wait for wait in talk.state.facts.all(Wait) if wait.kind == "running"]
    for one in busy[:MOST_NAMED]:
        yield say("thread", (one.cite,), state="computes", thread=one.thread)


def _awake(talk: Talk) -> Iterator[Claim]:
    """The threads of which it is known that they do not wait: those that compute, and the one that
    the signal stopped."""
    yield from (running := [*_running(talk)])
    ended = talk.state.facts.first(Signal)
    waits = {wait.thread for wait in talk.state.facts.all(Wait) if wait.blocks}
    told = {claim.get("thread") for claim in running}
    if ended is not None and ended.thread is not None and ended.thread not in waits | told:
        yield say("signal", (ended.cite,), name=ended.name, thread=ended.thread)


def _inside(function: str, talk: Talk) -> Iterator[Claim]:
    """The threads with the function on their stack, each by its innermost frame of it."""
    stacks = {stack.thread: stack for stack in talk.state.facts.all(Stack) if stack.thread}
    for stack in [*stacks.values()]:
        at = next((one.index for one in stack.frames if one.function == function), None)
        if at is not None:
            frame = say("frame", index=at, function=function, thread=stack.thread)
            found = as_it_is(frame, talk.book, ("file", "line"))
            yield from found[:1] if found is not None and found[1] else ()


def _said(talk: Talk, **given: Given) -> list[Claim]:
    found = as_it_is(say("count", **given), talk.book, ("count",))
    return [found[0]] if found is not None else []


def _spelt(function: str, talk: Talk) -> str:
    """A function as stacks spell it."""
    frames = (frame.function or "" for one in talk.state.facts.all(Stack) for frame in one.frames)
    spelt = {name for name in frames if EXPORTED.sub("", name) == function}
    return min(spelt, key=lambda name: (name != function, name), default=function)


def _of_waits(clause: str, words: frozenset[str], talk: Talk, which: bool) -> list[Claim]:
    """One statement for each kind of wait that occurs, or for all waits where none is named."""
    waits = [*talk.state.facts.all(Wait), *talk.book.inferred.all(Wait)]
    kinds = {wait.kind for wait in waits}
    said, of = waited_for(clause)
    words -= content_words(" ".join([said, *_named_locks(clause, waits)]))
    locks, owners = _locks(clause, waits, talk), read(clause).threads
    unknown = any(one in clause for one in expressions(talk.asked)) and not locks
    if (words and not which) or (unknown and not of):
        return []
    given: list[dict[str, Given]] = [{"lock": lock} for lock in locks]
    given = given or [{"owner": tid(talk.state, owner)} for owner in owners[:1]]
    ours = [kind for kind in of if kind in kinds] or of[:1]
    shown_as = {kind: WORDS.get(("kind", kind), kind).replace("the ", "a ", 1) for kind in ours}
    given = given or [{"kind": at(kind, (), text)} for kind, text in shown_as.items()]
    if which and not given and not _THREADS.search(clause):
        return []  # "who waits for what?"
    given = given or [{}]
    found = [claim for one in given for claim in _said(talk, what="waiting", **one)]
    counting = [one for one in waits if which and any(_counts_in(one, claim) for claim in found)]
    named = {wait.thread: wait for wait in counting[:MOST_NAMED]}.values()
    return [*found, *(waiting(wait, talk.state.facts) for wait in named)]


def waited_for(clause: str) -> tuple[str, tuple[str, ...]]:
    """The words for what is waited for, and the kinds of waits that this is; empty for none."""
    matches = ((re.search(rf"(?i)\b(?:{said})\b", clause), of) for said, of in reversed(_FOR))
    return next(((one[0], of) for one, of in matches if one is not None), ("", ()))


def _counts_in(wait: Wait, claim: Claim) -> bool:
    values = {"kind": wait.kind, "lock": wait.address, "owner": wait.owner}
    same = all(claim.get(name) in (None, value) for name, value in values.items())
    return same and wait.blocks


def locks_wanted(asked: Asked) -> list[str]:
    """What gives the addresses of the locks whose waiters a question counts."""
    counts = "wait" in asked.words and (
        "thread" in asked.words or ANYBODY.search(asked.text) or _WHICH.match(asked.text)
    )
    ours = expressions(asked) if counts else []
    return [f"&{one}" for one in ours if one[0] not in "*&"]


def _named_locks(clause: str, waits: list[Wait]) -> tuple[str, ...]:
    return read(clause, [wait.name for wait in waits if wait.name]).names


def _locks(clause: str, waits: list[Wait], talk: Talk) -> list[int]:
    """The addresses of the locks that a clause names: themselves, or the first expression that has
    one, or variables."""
    known = {wait.address for wait in waits}
    found = [address for address in read(clause).addresses if address in known]
    shown_at = ((one[1:], shown(one, talk)) for one in locks_wanted(talk.asked))
    at_ = [
        scalar(one.value)
        for name, one in shown_at
        if one is not None and name in clause and not _OF_POINTER.search(one.text)
    ]
    names = _named_locks(clause, waits)
    named = dict.fromkeys(w.address for w in waits if w.name in names and w.address is not None)
    return found or [one for one in at_ if one is not None][:1] or list(named)
