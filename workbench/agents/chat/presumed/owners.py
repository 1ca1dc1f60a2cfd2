"""A thread that is said to hold a lock, or to wait."""

import re
from collections.abc import Iterator

from msgspec import Struct

from analyzers.patterns.stuck import waiting
from workbench.agents.chat.asked import read
from workbench.agents.chat.presumed.endings import threads_of
from workbench.agents.chat.talk import Talk, Told
from workbench.claims.say import say
from workbench.model.facts import Lock, Monitors, Wait
from workbench.model.investigation import Investigation

_HOLDS = re.compile(
    r"(?i)\b(?:held|holds?|holding|owns?|owned|owning|owner of|took|has|had|kept|keeps|locked)\b"
)
_LOCK = re.compile(r"(?i)\b(?:locks?|mutex(?:es)?|monitors?|critical section|semaphores?|it)\b")


_WAITS = re.compile(r"\b(?:wait(?:s|ing)?|block(?:s|ed|ing)?|stuck|hang(?:s|ing)?|hung)\b", re.I)


def _waiting(clause: str, talk: Talk) -> Iterator[Told]:
    """Of the thread that is named its wait; another one than for the lock that is named denies."""
    threads = {t for number in read(clause).threads[:1] for t in threads_of(number, talk.state)}
    waits = talk.state.facts.all(Wait)
    words = set(re.findall(r"\w+", clause))
    named = {wait.name for wait in waits if wait.name in words}
    for wait in waits:
        if wait.thread in threads and wait.kind == "running":
            computes = say("thread", (wait.cite,), state="computes", thread=wait.thread)
            yield Told(computes, False)
        elif wait.thread in threads:
            yield Told(waiting(wait), not named or wait.name in named)


class _Owned(Struct, frozen=True):
    """That ``owner`` (a TID) holds the lock ``name``; ``evidence`` and ``number`` say so."""

    owner: int
    name: str
    evidence: str
    number: int


def told(clause: str, talk: Talk) -> Iterator[Told]:
    """See `presumed`."""
    if _WAITS.search(clause):
        yield from _waiting(clause, talk)
    if not _HOLDS.search(clause):
        return
    wanted = read(clause).threads
    owned = list(_owned(talk.state))
    named = [one for one in owned if one.name and re.search(rf"\b{re.escape(one.name)}\b", clause)]
    if not wanted or not owned or not (named or _LOCK.search(clause)):
        return
    threads = {thread for number in wanted for thread in threads_of(number, talk.state)}
    told = named or owned
    right = [one for one in told if one.owner in threads]
    if right or named:
        for one in right or told:
            yield from talk.line(one.evidence, one.number, bool(right))
        return
    # it may hold a lock that nobody waits for: who owns the others does not deny it
    who = " or ".join(map(str, wanted))
    lead = f"None of the locks that the dump shows is held by thread {who}"
    for one in told:
        for claim in talk.quote(lead, one.evidence, one.number):
            yield Told(claim, agrees=True)


def _owned(state: Investigation) -> Iterator[_Owned]:
    for wait in state.facts.all(Wait):
        if wait.owner is not None and wait.kind != "join":
            yield _Owned(wait.owner, wait.name or "", wait.cite.evidence, wait.cite.first)
    for lock in state.facts.all(Lock):
        if lock.owner is not None:
            line = lock.owner_line or lock.cite.first
            yield _Owned(lock.owner, lock.name or "", lock.cite.evidence, line)
    for monitors in state.facts.all(Monitors):
        for row in monitors.items:
            if row.owner is not None:
                yield _Owned(row.owner, "", monitors.cite.evidence, row.line)
