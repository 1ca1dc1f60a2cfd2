"""Where the evidence denies what a person says: numbers, signals, exceptions, causes."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.chat.clauses import denies
from workbench.agents.chat.measured import Measure, agrees, matching
from workbench.agents.chat.talk import Talk, Told
from workbench.claims.kinds import KINDS
from workbench.model.category import Category
from workbench.model.facts import (
    CxxException,
    ExceptionRecord,
    Fact,
    Finding,
    ManagedException,
    Signal,
    Stack,
    Threads,
    Wait,
)
from workbench.model.hypothesis import HIGH_CONFIDENCE, Status
from workbench.model.investigation import Investigation

MOST = 3
_LINES = 12
_OPEN = re.compile(
    r"(?i)^\W*(?:why|how|what|which|where|when|who|whose|could|can|may|might|what if|if|suppose)\b"
)
_OF_A_PLACE = re.compile(
    r"(?i)^\W*(?:is|are|was|were|does|did|has)\s+(?:the\s+)?(?:[&*]\w|0x|\w+(?:->|\.|\[))"
)
"""A question about what an expression leads to, which names no cause."""
_EXCEPTION = re.compile(r"\b[A-Za-z_][\w.:]*(?:Exception|Error)\b")
_SIGNAL = re.compile(r"\bSIG[A-Z]{2,7}\b")
_SIGNAL_WORDS = {
    # as the shell and strsignal(3) name them
    "SIGSEGV": re.compile(r"\bsegfault\w*|\bsegmentation (?:fault|violation)", re.IGNORECASE),
    "SIGBUS": re.compile(r"\bbus error", re.IGNORECASE),
    "SIGFPE": re.compile(r"\bfloating[- ]point exception", re.IGNORECASE),
    "SIGILL": re.compile(r"\billegal instruction", re.IGNORECASE),
}
_NONE = re.compile(r"(?i)\b(?:no|without|nor|than|instead of)(?:\s+(?:a|an|any|real))?\s*$")
_AT_WORK = re.compile(
    r"(?i)\bspin(?:s|ning)?\b|\blive[- ]?lock(?:s|ed)?\b|\bspun\b"
    r"|\bbusy[- ](?:loop\w*|wait\w*)|\b(?:infinite|endless)\s+loop"
    r"|\bcpu\b[^.;,]{0,30}(?:\b(?:9\d|100)\s?(?:%|percent)|\b(?:high|pegged|busy|maxed)\b)"
    r"|\b(?:9\d|100)\s?(?:%|percent)\s+(?:of\s+)?(?:the\s+)?cpu\b|\bhigh cpu\b"
)
"""What says that a thread computes."""
_ALIASES = {
    "uaf": Category.USE_AFTER_FREE,
    "null pointer": Category.NULL_POINTER_DEREFERENCE,
    "null dereference": Category.NULL_POINTER_DEREFERENCE,
    "nil pointer": Category.NULL_POINTER_DEREFERENCE,
    "nil dereference": Category.NULL_POINTER_DEREFERENCE,
    "dangling pointer": Category.USE_AFTER_FREE,
    "freed memory": Category.USE_AFTER_FREE,
    "used after it was freed": Category.USE_AFTER_FREE,
    "freed twice": Category.DOUBLE_FREE,
    "infinite recursion": Category.STACK_OVERFLOW,
    "divided by zero": Category.DIVIDE_BY_ZERO,
    "deadlocked": Category.DEADLOCK,
    "wait for each other": Category.DEADLOCK,
    "overflowed an integer": Category.INTEGER_OVERFLOW,
    "integer overflowed": Category.INTEGER_OVERFLOW,
    "integer wrapped": Category.INTEGER_OVERFLOW,
    "nullptr": Category.NULL_POINTER_DEREFERENCE,
    **{
        f"{what} {how}": Category.OUT_OF_MEMORY
        for what in ("memory", "heap", "memory was", "heap was", "memory is", "heap is")
        for how in ("exhausted", "full", "exhaustion", "used up")
    },
    "ran out of memory": Category.OUT_OF_MEMORY,
    "run out of memory": Category.OUT_OF_MEMORY,
    "ran out of heap": Category.OUT_OF_MEMORY,
    "oom": Category.OUT_OF_MEMORY,
    "out of bounds": Category.OUT_OF_BOUNDS_READ,
    "buffer overrun": Category.BUFFER_OVERFLOW,
    "race condition": Category.DATA_RACE,
    "division by zero": Category.DIVIDE_BY_ZERO,
    "dead lock": Category.DEADLOCK,
    "leak": Category.MEMORY_LEAK,
    "endless loop": Category.INFINITE_LOOP,
    "assertion": Category.ASSERTION_FAILURE,
}


_BOUNDS = {
    Category.OUT_OF_BOUNDS_READ,
    Category.OUT_OF_BOUNDS_WRITE,
    Category.BUFFER_OVERFLOW,
    Category.HEAP_BUFFER_OVERFLOW,
    Category.STACK_BUFFER_OVERFLOW,
}
"""Causes that one word is used for."""
_BEHIND = {Category.DATA_RACE, Category.MEMORY_LEAK}
"""Causes that may lie behind any other: how the process ended excludes none of them."""


def denied_amounts(talk: Talk, known: Sequence[Measure]) -> Iterator[Told]:
    """Numbers that were measured, as the person said or otherwise."""
    for amount in talk.asked.amounts:
        found = matching(amount, known)
        if not denies(amount.said):
            same = [measure for measure in found if agrees(amount, measure)]
            for measure in (same or found)[:MOST]:
                yield from talk.line(measure.evidence, measure.line, bool(same), amount.said)


def denied_words(talk: Talk) -> Iterator[Told]:
    """A signal, an exception or a cause that the person takes for granted, and the evidence has
    another."""
    text = talk.asked.text
    if _OPEN.match(text) or denies(text):
        return
    ends = _signals(talk.state)
    named = set(_SIGNAL.findall(text)) | _signals_in_words(text)
    if ends and named:
        same = next(iter(named & set(ends)), None)
        fact = ends[same] if same else next(iter(ends.values()))
        yield from _first_line(fact, talk, same is not None)
    thrown: list[ManagedException | CxxException] = [
        *talk.state.facts.all(ManagedException),
        *talk.state.facts.all(CxxException),
    ]
    types = {_last(fact.type) for fact in thrown}
    types |= {
        _last(one.type) for fact in talk.state.facts.all(ManagedException) for one in fact.inner
    }
    said = {_last(match) for match in _EXCEPTION.findall(text)}
    if thrown and said and not said & types:
        yield from _first_line(thrown[0], talk)
    if not _OF_A_PLACE.match(text):
        yield from _of_the_cause(text, talk.state)


def _signals_in_words(text: str) -> set[str]:
    found = set()
    for name, words in _SIGNAL_WORDS.items():
        match = words.search(text)
        if match is not None and _NONE.search(text[: match.start()]) is None:
            found.add(name)
    return found


def denied_work(talk: Talk) -> Iterator[Told]:
    """A thread that is said to compute, where each one stands in a call that waits."""
    text = talk.asked.text
    said = _AT_WORK.search(text)
    if said is None or _OPEN.match(text) or denies(text):
        return
    if _NONE.search(text[: said.start()]):
        return
    waits = {wait.thread: wait for wait in talk.state.facts.all(Wait)}
    threads = {t for stack in talk.state.facts.all(Stack) if (t := stack.thread) is not None}
    threads |= {i.thread for one in talk.state.facts.all(Threads) for i in one.items if i.thread}
    if not waits or threads - waits.keys() or any(w.kind == "running" for w in waits.values()):
        return
    for wait in list(waits.values())[:MOST]:
        yield from talk.line(wait.cite.evidence, wait.cite.first, False, text)


def _signals(state: Investigation) -> dict[str, Fact]:
    """The signals that ended the process, as a core, a debugger or a tool names them."""
    found: dict[str, Fact] = {fact.name: fact for fact in state.facts.all(Signal)}
    for record in state.facts.all(ExceptionRecord):
        if record.name is not None and _SIGNAL.fullmatch(record.name):
            found.setdefault(record.name, record)
    for finding in state.facts.all(Finding):
        if finding.signal is not None:
            found.setdefault(finding.signal, finding)
    return found


def _first_line(fact: Fact, talk: Talk, agrees: bool = False) -> Iterator[Told]:
    """The line that says what ended it: the one that names a signal, where one does."""
    first, last = fact.cite.first or 1, max(fact.cite.first or 1, fact.cite.last)
    lines = range(first, min(last, first + _LINES) + 1)
    named = [n for n in lines if _SIGNAL.search(talk.line_of(fact.cite.evidence, n))]
    number = named[0] if named and not isinstance(fact, ManagedException) else first
    yield from talk.line(fact.cite.evidence, number, agrees, talk.asked.text)


def _last(name: str) -> str:
    return re.split(r"[.:]+", name)[-1].lower()


def _of_the_cause(text: str, state: Investigation) -> Iterator[Told]:
    conclusion = state.conclusion
    selected = state.judgement.selected if state.judgement is not None else None
    if conclusion is None or conclusion.hypothesis is None or selected != conclusion.hypothesis:
        return
    said = categories_in(text)
    held = [claim for claim in conclusion.claims if claim.holds]
    if not said or not held:
        return
    if any(_kin(category, conclusion.category) for category in said):
        yield Told(held[0], True, text)
        return
    quoted = [
        str(arg.value)
        for claim in held
        for arg in claim.args
        if KINDS[claim.kind].columns[arg.name].type == "text"
    ]
    told = _plain(" ".join(quoted))
    if any(_stands(phrase, told) for phrase in phrases_in(text)):
        return  # "index out of bounds" of a panic that says so
    lost = {h.category for h in state.hypotheses.values() if h.status is Status.REJECTED}
    if said & {h.category for h in state.hypotheses.values() if h.status is Status.INCONCLUSIVE}:
        return  # nothing that was looked at excludes it
    if said <= lost or (conclusion.confidence >= HIGH_CONFIDENCE and not said & _BEHIND):
        yield Told(held[0], False, text)


def _kin(said: Category, concluded: Category) -> bool:
    """True when one is the other in fewer words."""
    return said in concluded or concluded in said or {said, concluded} <= _BOUNDS


def is_signal(name: str) -> bool:
    """True for the name of a signal."""
    return _SIGNAL.fullmatch(name) is not None


def categories_in(text: str) -> set[Category]:
    """The causes that a text names."""
    return set(phrases_in(text).values())


def phrases_in(text: str) -> dict[str, Category]:
    """The words by which a text names causes."""
    words = _plain(text)
    named = {c.replace("-", " "): c for c in Category if c is not Category.UNKNOWN}
    return {phrase: c for phrase, c in (named | _ALIASES).items() if _stands(phrase, words)}


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _stands(phrase: str, words: str) -> bool:
    return f" {phrase} " in f" {words} "
