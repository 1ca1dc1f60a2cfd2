"""How a process is said to have ended: an exception of some kind, in some thread, or not at all."""

import re
from collections.abc import Iterator

from workbench.agents.chat.asked import read
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.topics import main_thread
from workbench.agents.chat.words import stem
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.facts import (
    CxxException,
    ExceptionRecord,
    Finding,
    ManagedException,
    Process,
    Signal,
    Stack,
    Threads,
)
from workbench.model.investigation import Investigation

_KIND = re.compile(
    r"(?i)\bexception\s+(?:was|is)\s+(?:an?\s+|the\s+)?(?P<is>[A-Za-z_][\w:.]*)"
    r"|\b(?:an?|the)\s+(?P<of>[A-Za-z_][\w:.]*(?:\s[a-z]+)?)\s+(?:exception|error)\b"
    r"|\b(?P<thrown>[A-Za-z_]\w*(?:(?:::|\.)\w+)+)\b[^.;,]{0,20}\b(?:thrown|raised|exception)\b"
    r"|\bthr(?:ew|ows?|owing)\s+(?:an?\s+|the\s+)?(?P<threw>[A-Za-z_]\w*(?:(?:::|\.)\w+)+)"
)
_ANY = re.compile(
    r"(?i)\b(?:an?|any)\s+exception\b[^.;,]{0,20}\b(?:thrown|raised|escape\w*|uncaught)"
    r"|\bthr(?:ew|ow|own)\s+(?:an?|any)\s+exception\b"
)
_NO_KIND_WORDS = """
uncaught unhandled caught thrown raised rethrown handled c same real first last root cause
reason fatal standard custom new inner outer only actual managed native it segfault
"""
_NO_KIND = frozenset(_NO_KIND_WORDS.split())
_TIMED_OUT = re.compile(r"\btim(?:ed?|ing|es)[\s-]out\b", re.IGNORECASE)
_VIOLATION = re.compile(r"\baccess violation\b", re.IGNORECASE)
_SIGNAL = re.compile(r"\bSIG(?:SEGV|ABRT|BUS|FPE|ILL|KILL|TERM|TRAP|SYS|PIPE|QUIT|INT|HUP)\b")
_CRASHED = re.compile(
    r"(?i)\b(?:crash(?:ed|es)?|segfault(?:ed)?|die[ds]?|abort(?:ed)?|panic(?:ked)?)\b"
)
_FELL = re.compile(
    r"(?i)\b(?:crash\w*|fault\w*|panick?\w*|die[ds]?|segfault\w*|thr[eo]w\w*|fail\w*|abort\w*)\b"
)
_HUNG = re.compile(
    r"(?i)\b(?:hang(?:s|ing)?|hung|froze|frozen|freez\w+|stuck|deadlock\w*|livelock\w*|blocked)\b"
)
_HANGS = frozenset(
    {
        Category.DEADLOCK, Category.MISSED_WAKEUP, Category.THREAD_STARVATION,
        Category.FINALIZER_BLOCKAGE, Category.INFINITE_LOOP, Category.HIGH_CPU,
        Category.BLOCKED_ON_IO, Category.UNKNOWN,
    }
)  # fmt: skip


def told(clause: str, talk: Talk) -> Iterator[Told]:
    """See `presumed`."""
    yield from _any(clause, talk)
    yield from _kind(clause, talk)
    yield from _violation(clause, talk)
    yield from _in_thread(clause, talk)
    yield from _hung(clause, talk)
    yield from in_passing(clause, talk)


def in_passing(clause: str, talk: Talk) -> Iterator[Told]:
    """A crash of a process that still ran, which a question may take for granted too."""
    process = talk.state.facts.first(Process)
    ended = _CRASHED.search(clause) or _SIGNAL.search(clause)
    if process is not None and process.snapshot and ended:
        yield from talk.line_with(("made by",), process.cite, False)


def _any(clause: str, talk: Talk) -> Iterator[Told]:
    """That there was an exception at all."""
    if not _ANY.search(clause):
        return
    thrown = list(_thrown(talk.state))
    for _, cite in thrown[:1]:
        yield from talk.line_with((), cite, True)
    if not thrown:
        yield from _ended(talk)


def _kind(clause: str, talk: Talk) -> Iterator[Told]:
    match = _KIND.search(clause)
    said = next((group for group in match.groups() if group), "") if match is not None else ""
    words = {stem(word) for word in re.findall(r"[A-Za-z]{2,}", said)} - {"std", "exception"}
    words = {word for word in words if word not in _NO_KIND}
    if not words:
        return
    thrown = list(_thrown(talk.state))
    same = [cite for text, cite in thrown if _speaks(text, words)]
    for cite in (same or [cite for _, cite in thrown])[:1]:
        yield from talk.line_with((), cite, bool(same))
    if not thrown and not (match is not None and match[0].lower().endswith("error")):
        yield from _ended(talk)  # an "error of logic" need not be thrown


def _thrown(state: Investigation) -> Iterator[tuple[str, Citation]]:
    """What is known of exceptions, in words."""
    exceptions: list[CxxException | ManagedException] = [
        *state.facts.all(CxxException),
        *state.facts.all(ManagedException),
    ]
    for fact in exceptions:
        inner = fact.inner if isinstance(fact, ManagedException) else ()
        words = [fact.type, fact.message or "", *(f"{i.type} {i.message or ''}" for i in inner)]
        if isinstance(fact, CxxException):
            words += fact.bases
        yield " ".join(words), fact.cite
    for record in state.facts.all(ExceptionRecord):
        if record.name:
            yield record.name.replace("_", " "), record.cite
    for finding in state.facts.all(Finding):
        cite = Citation(finding.cite.evidence, finding.line, finding.line)
        yield f"{finding.kind} {finding.message} {finding.category or ''}", cite


def _speaks(text: str, words: set[str]) -> bool:
    text = _TIMED_OUT.sub("timeout", text)
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|[_\W\d]+", " ", text)
    found = {stem(word) for word in apart.lower().split()}
    together = "".join(apart.lower().split())
    return all(word in found or word in together for word in words)


def _ended(talk: Talk) -> Iterator[Told]:
    """That a signal ended the process, or nothing did."""
    signal, process = talk.state.facts.first(Signal), talk.state.facts.first(Process)
    if signal is not None:
        yield from talk.line_with(("signal", "Program"), signal.cite, False)
    elif process is not None and process.snapshot:
        yield from talk.line_with(("made by",), process.cite, False)


def _violation(clause: str, talk: Talk) -> Iterator[Told]:
    for record in talk.state.facts.all(ExceptionRecord)[:1]:
        if record.name is not None and _VIOLATION.search(clause):
            right = "ACCESS_VIOLATION" in record.name.upper() or record.code == 0xC0000005
            yield from talk.line_with(("exception:", "exception"), record.cite, right)


def _in_thread(clause: str, talk: Talk) -> Iterator[Told]:
    wanted = main_thread(read(clause), talk.state).threads
    if not wanted or not _FELL.search(clause):
        return
    ends: list[Signal | ExceptionRecord] = [
        *talk.state.facts.all(Signal)[:1],
        *talk.state.facts.all(ExceptionRecord)[:1],
    ]
    for fact in ends:
        if fact.thread is not None:
            right = any(fact.thread in threads_of(number, talk.state) for number in wanted)
            yield from talk.line_with(("signal:", "exception:", "thread"), fact.cite, right)
            return
    for finding in talk.state.facts.all(Finding)[:1]:
        number = next((role.line for role in finding.stacks if role.thread is not None), 0)
        threads = [role.thread for role in finding.stacks if role.role == "access"]
        known = [t for t in (finding.thread, *threads) if t is not None]
        if known:
            right = bool(set(known[:1]) & set(wanted))
            yield from talk.line(finding.cite.evidence, number or finding.line, right)


def threads_of(number: int, state: Investigation) -> set[int]:
    """The TIDs that a number may mean: itself, or that of the debugger's thread."""
    found = {number}
    for threads in state.facts.all(Threads):
        found |= {item.thread for item in threads.items if item.number == number}
    for stack in state.facts.all(Stack):
        if stack.number == number and stack.thread is not None:
            found.add(stack.thread)
    return found


def _hung(clause: str, talk: Talk) -> Iterator[Told]:
    conclusion, process = talk.state.conclusion, talk.state.facts.first(Process)
    if not _HUNG.search(clause) or (process is not None and process.snapshot):
        return
    if conclusion is None or conclusion.category in _HANGS:
        return
    for signal in talk.state.facts.all(Signal)[:1]:
        yield from talk.line_with(("signal", "Program"), signal.cite, False)
        return
    for record in talk.state.facts.all(ExceptionRecord)[:1]:
        yield from talk.line_with(("exception:", "exception"), record.cite, False)
