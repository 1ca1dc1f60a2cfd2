"""What an address is: whether it may be used, who owns what lies there, and the pointer that the
fault used."""

import re
from collections.abc import Iterator

from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.dangling import FREE_STATES
from analyzers.patterns.stated import accessed, mapped
from analyzers.patterns.stuck import waiting
from workbench.agents.chat.clauses import affirmed, is_open
from workbench.agents.chat.talk import Talk, Told
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.facts import Chunk, Fault, Locals, Lock, Wait
from workbench.model.target import TargetKind

OWNED = re.compile(
    r"(?i)^\W*(?:and\s+)?(?:who(?:se)?|what|which\s+\w+)\s+(?:owns?|owned|holds?|held|has)\b"
    r"|^\W*(?:and\s+)?whose\b|\bowners?\s+of\b"
)
"""Asks who an address belongs to."""
AWAITED = re.compile(
    r"(?i)\b(?:holds?|held|owns?|owned|has|took)\s+(?:what|the\s+(?:lock|mutex|one)\s+(?:that\s+|which\s+)?)"
    r"\s*(?:the\s+)?(?:\w+\s+)?threads?\s+#?\d+\s+(?:is\s+|was\s+)?(?:wait|want|block|need|ask)"
)
"""Asks for the holder of what a thread waits for, and not for what that thread holds."""
_USABLE = re.compile(
    r"(?i)^\W*(?:is|was)\s+\S+\s+(?:(?:an?|in)\s+)?"
    r"(?:(?P<no>invalid|unmapped|not\s+mapped|bad|wild)|(?:valid|mapped))"
    r"(?:\s+(?:address|pointer|memory))?\W*$"
)
_IS_NULL = re.compile(
    r"(?i)^\W*(?:so\s+)?(?:is|was)\s+(?:the|this|that)\s+(?:\w+\s+)?(?:pointer|address)\s+"
    r"(?:a\s+)?(?:null(?:ptr)?|nil|zero|0)\W*$"
)
_WHICH_IS_BAD = re.compile(
    r"(?i)^\W*(?:which|what)\s+(?:variable|pointer|value|member|field|argument|one)\s+"
    r"(?:is|was)\s+(?:bad|wrong|invalid|garbage|broken|dangling|corrupt(?:ed)?)\W*$"
)


def asks_of_addresses(text: str) -> bool:
    """True where a question asks who owns what lies at an address, or whether that is valid."""
    return any(_USABLE.match(one) or OWNED.search(one) for one in affirmed(text))


def told_of_addresses(talk: Talk) -> Iterator[Told]:
    """Whether an address may be used, who owns what lies there, whether the pointer that the fault
    used was null, and which variable had it."""
    for fault in talk.state.facts.all(Fault)[:1]:
        yield from _of_the_pointer(talk, fault)
    for clause in affirmed(talk.asked.text):
        usable = _USABLE.match(clause)
        named = [at for at in talk.asked.addresses if f"{at:#x}" in clause.lower()]
        if usable is not None:
            for at in named:
                yield from _usable(talk, at, clause, stated=usable["no"] is None)
        elif AWAITED.search(clause):
            for wait in Case(talk.state.facts).waits.values():
                if wait.thread in talk.asked.threads:
                    yield Told(waiting(wait, talk.state.facts), True, clause)
        elif is_open(clause) and OWNED.search(clause):
            for at in named:
                yield from (Told(one, True, clause) for one in _owners(talk, at))


def _of_the_pointer(talk: Talk, fault: Fault) -> Iterator[Told]:
    value, text = fault.base_value, talk.asked.text
    used = accessed(Case(talk.state.facts), fault)[:1]
    if value is None or fault.access not in ("read", "write"):
        return
    if _IS_NULL.match(text):
        null = value == 0 or fault.root == 0
        yield from (Told(one, null, text) for one in used if null or value >= NEAR_NULL)
    elif _WHICH_IS_BAD.match(text):
        for shown in talk.state.facts.all(Locals):
            for one in shown.variables:
                if scalar(one.value) == value and shown.frame in (None, 0):
                    for claim in talk.quote("The variable", shown.cite.evidence, one.line):
                        yield Told(claim, True, text)
        yield from (Told(one, True, text) for one in used)


def _usable(talk: Talk, at: int, clause: str, *, stated: bool) -> Iterator[Told]:
    """Whether an address is mapped. That a free block is mapped makes it no valid place."""
    free = [one for one in _chunks(talk, at) if one.get("state") in FREE_STATES]
    if free and "mapped" not in clause.lower():
        yield from (Told(one, not stated, clause) for one in free)
        return
    target = talk.state.target
    whole = target is not None and target.kind is TargetKind.ELF_CORE  # lists every mapping
    for claim in mapped(Case(talk.state.facts), at)[:1]:
        missing = claim.get("kind") == "unmapped"
        if whole or not missing:
            yield Told(claim, stated is not missing, clause)


def _owners(talk: Talk, at: int) -> Iterator[Claim]:
    """The thread that holds the lock at an address, the chunk that it lies in, or the mapping."""
    facts = talk.state.facts
    known: list[Lock | Wait] = [*facts.all(Lock), *Case(facts).waits.values()]
    for one in known:
        if one.address == at and one.owner is not None and one.kind != "join":
            yield say("owns", (one.cite,), owner=one.owner, name=one.name, lock=at)
            return
    chunks = list(_chunks(talk, at))
    yield from chunks
    yield from mapped(Case(facts), at)[:1] if not chunks else ()


def _chunks(talk: Talk, at: int) -> Iterator[Claim]:
    for chunk in talk.state.facts.all(Chunk):
        if chunk.address == at and chunk.offset >= 0:
            yield say("chunk", (chunk.cite,), address=at, start=chunk.start, size=chunk.size,
                      state=chunk.state, thread=chunk.thread)  # fmt: skip
            return
