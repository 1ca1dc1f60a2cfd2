"""What the facts and the conclusion say of the topics that questions are about."""

import re
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from analyzers.patterns.stuck import waiting
from workbench.agents import looking
from workbench.agents.chat.asked import Asked
from workbench.agents.chat.observed import origin_of
from workbench.agents.chat.quoting import quoting
from workbench.agents.chat.words import content_words, stem
from workbench.claims.say import say
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import (
    AbortMessage,
    Chunk,
    CoreHealth,
    CxxException,
    ExceptionRecord,
    Fact,
    Fault,
    Finding,
    Frame,
    GcHeap,
    Heap,
    HeapTypes,
    Locals,
    Lock,
    LockCycle,
    ManagedException,
    ManagedThreads,
    Monitors,
    PoolState,
    Process,
    Registers,
    Signal,
    Stack,
    Threads,
    Wait,
)
from workbench.model.investigation import Investigation
from workbench.model.text import counted

LineOf = Callable[[str, int], str]
"""The text of a line, from 1, of an evidence item; empty where there is none."""

MOST_OF_A_KIND = 3
_FRAMES = 3
_ARGUED = 32
"""Frames of a stack whose arguments are looked at."""

_ADDRESS = frozenset({"fault", "address", "access"})
_HEX = re.compile(r"\b(?:0x)?([0-9a-fA-F]{1,16})\b")
_LOCKS = frozenset({"lock", "wait", "hold", "deadlock", "ring"})

# What a person asks about, and the facts that speak of it.
_KINDS: tuple[tuple[frozenset[str], str, tuple[type[Fact], ...]], ...] = (
    (
        frozenset({"signal", "crash", "exception", "message", "sigsegv", "sigabrt"}),
        "What ended it",
        (Finding, Signal, ExceptionRecord, ManagedException, CxxException, AbortMessage),
    ),
    (_ADDRESS | {"instruction"}, "The access", (Fault, Signal)),
    (
        _LOCKS,
        "The locks",
        (LockCycle, Monitors),
    ),
    (
        frozenset({"heap", "memory", "leak", "object", "allocation", "chunk", "free"}),
        "The heap",
        (GcHeap, HeapTypes, Heap, Chunk),
    ),
    (frozenset({"threadpool", "queue"}), "The thread pool", (PoolState,)),
    (
        frozenset({"trust", "truncated", "health", "confidence", "reliable"}),
        "The dump's health",
        (CoreHealth,),
    ),
)
_CAUSE = frozenset({"cause", "exception", "message", "panic"})
"""What ended a process is told best by the sentences that were concluded from it."""
_WHERE = frozenset({"where", "source"})
_MOST_OF_LOCKS = 6
_OF_LOCKS = frozenset({"cause", "waits", "owns", "cycle", "told", "thread", "count", "finding"})
"""Kinds of statements in which hold, wait and block are words for locks, not for memory."""
_SUPPOSED = re.compile(
    r"^\W*(?:so\s+)?(?:(?:it|this|that)\s+(?:was|is|has been)|(?:was|is)\s+(?:it|this|that))\s+"
    r"(?:an?|the|some|caused by|due to|because of)\s",
    re.IGNORECASE,
)
"""A guess at the cause."""
_FRAMES_COUNTED = re.compile(r"\b(?:how many|number of)\s+(?:\w+\s+)?frames\b", re.IGNORECASE)
_SHOWN = re.compile(
    r"\b(?:show|print|list|see|read)\b[^.;?]*\b(?:source|code)\b"
    r"|\b(?:source|code)\s+(?:lines?\s+)?(?:around|near|at|of|there)\b",
    re.IGNORECASE,
)
_AROUND = 2
"""Lines of source before and behind the one that failed."""
_MAIN_THREAD = re.compile(r"\bmain thread\b", re.IGNORECASE)
_WHAT = "what():"
"""How libstdc++ prints an exception's message, below the line that names its type."""
_ARGUMENT = re.compile(r"(?:^|[\s,(])([A-Za-z_]\w{1,60})=")


def of_the_cause(asked: Asked, state: Investigation) -> list[Claim]:
    """The conclusion's sentences, where the question is about the cause or its place."""
    conclusion = state.conclusion
    supposed = _SUPPOSED.match(asked.text) is not None
    if conclusion is None or not (supposed or asked.words & (_CAUSE | _WHERE | _LOCKS)):
        return []
    held = [claim for claim in conclusion.claims if claim.holds]
    if supposed and not asked.words & (_CAUSE | _WHERE | _LOCKS):
        return held[:1]
    if asked.words & _CAUSE:
        began = origin_of(state) if "cause" in asked.words else []
        return [*began, *held[:MOST_OF_A_KIND]]
    return held[:1] if asked.words & _WHERE else _of_the_locks(asked, held)


def _of_the_locks(asked: Asked, held: list[Claim]) -> list[Claim]:
    """The concluded sentences about locks, first those of the lock that the question names."""
    told = [one for one in held if one.kind in _OF_LOCKS and content_words(one.text) & _LOCKS]
    named = [f"`{word}`" for word in re.findall(r"\w+", asked.text)]
    told.sort(key=lambda claim: not any(name in claim.text for name in named))
    return told[:_MOST_OF_LOCKS] if not asked.threads else []


def of_the_facts(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    """What facts say, each in the words of the line that says it."""
    yield from _of_threads(asked, state, line_of)
    if "stack" in asked.words and not asked.threads:
        for stack in _of_the_crash(state)[:1]:
            yield from _frames(asked, stack, "The stack", line_of, most=2 * _FRAMES)
    yield from _source(asked, state, line_of)
    yield from _variables(asked, state, line_of)
    yield from _arguments(asked, state, line_of)
    yield from _faulted(asked, state, line_of)
    if asked.words & _LOCKS and not asked.threads:
        yield from _of_waits(asked, state, line_of)
    if asked.registers:
        yield from _registers(asked, state, line_of)
    for words, lead, kinds in _KINDS:
        if asked.words & words:
            for kind in kinds:
                for fact in state.facts.all(kind)[:MOST_OF_A_KIND]:
                    if _is_of(fact, asked):
                        yield from _cited(lead, fact, line_of)


def _of_waits(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    """Who waits for what and who holds it, of the locks that the question names or, after their
    count, of all threads, those first whose lock has an owner; where no wait is known, the locks.
    """
    waits = [wait for wait in state.facts.all(Wait) if wait.kind != "running"]
    words = set(re.findall(r"\w+", asked.text))
    named = [one for one in waits if one.name and words & set(re.findall(r"\w+", one.name)[:1])]
    if not named and asked.words & {"hold", "lock"}:
        for lock in state.facts.all(Lock) if waits else ():
            if lock.owner is not None:
                yield say("owns", (lock.cite,), owner=lock.owner, name=lock.name, lock=lock.address)
    if waits and not named:
        yield say("count", (waits[0].cite,), what="waiting", count=len(waits))
    for wait in sorted(named or waits, key=lambda one: one.kind == "join" or one.owner is None):
        yield waiting(wait)
    for lock in state.facts.all(Lock)[:MOST_OF_A_KIND] if not waits else ():
        yield from _cited("The locks", lock, line_of)


def _faulted(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    """Where a log says which address was touched: the line of the report that has the number."""
    if not asked.words & _ADDRESS:
        return
    for finding in state.facts.all(Finding)[: 2 * MOST_OF_A_KIND]:
        lines = (finding.access_line, *(note.line for note in finding.notes), finding.line)
        for number in lines if finding.address is not None and _is_of(finding, asked) else ():
            shown = _HEX.findall(line_of(finding.cite.evidence, number)) if number else []
            if finding.address in {int(digits, 16) for digits in shown}:
                yield from _line("The access", finding.cite.evidence, number, line_of)
                break


def _variables(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    every = bool(asked.words & {"variable", "argument"}) and not asked.names
    for shown in state.facts.all(Locals)[: 2 * MOST_OF_A_KIND]:
        for variable in shown.variables[: 2 * MOST_OF_A_KIND]:
            if every or variable.name in asked.names:
                yield from _line("The variable", shown.cite.evidence, variable.line, line_of)


def _arguments(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    """The frames of the crash that were called with what the question asks for."""
    if asked.threads:
        return
    told: set[int] = set()
    for stack in _of_the_crash(state)[:MOST_OF_A_KIND]:
        for frame in stack.frames[:_ARGUED]:
            names = {stem(name) for name in _ARGUMENT.findall(frame.args[:2000])}
            if (
                names & (asked.words - _LOCKS)
                and frame.index not in told
                and len(told) < MOST_OF_A_KIND
            ):
                told.add(frame.index)
                yield from _line("The call", stack.cite.evidence, frame.line_no, line_of)


def _is_of(fact: Fact, asked: Asked) -> bool:
    """False for what is told of another thread than those that were asked about."""
    thread = getattr(fact, "thread", None)
    return not asked.threads or thread is None or thread in asked.threads


def _cited(lead: str, fact: Fact, line_of: LineOf) -> Iterator[Claim]:
    """The line of a fact that says most: the one that the fact itself points at, else its first."""
    cite = fact.cite
    for name in ("bytes_line", "workers_line", "queued_line", "line"):
        number = getattr(fact, name, 0)
        if isinstance(number, int) and number and not isinstance(fact, Finding):
            yield from _line(lead, cite.evidence, number, line_of)
    if isinstance(fact, HeapTypes | Monitors):
        for row in fact.items[:MOST_OF_A_KIND]:
            yield from _line(lead, cite.evidence, row.line, line_of)
        return
    number = fact.line if isinstance(fact, Finding) else cite.first
    yield from _line(lead, cite.evidence, number or 1, line_of)
    if isinstance(fact, Finding) and line_of(cite.evidence, fact.line + 1).lstrip().startswith(
        _WHAT
    ):
        yield from _line(lead, cite.evidence, fact.line + 1, line_of)
    if isinstance(fact, Signal) and cite.last > cite.first:
        for number in range(cite.first + 1, min(cite.last, cite.first + 2) + 1):
            yield from _line(lead, cite.evidence, number, line_of)


def _line(lead: str, evidence: str, number: int, line_of: LineOf) -> Iterator[Claim]:
    yield from quoting(lead, evidence, number, line_of(evidence, number))


def _of_threads(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    for wanted in asked.threads[:MOST_OF_A_KIND]:
        stacks = [s for s in state.facts.all(Stack) if wanted in (s.thread, s.number)]
        by_id = [stack for stack in stacks if stack.thread == wanted] or stacks
        longest = max(by_id, key=lambda stack: len(stack.frames), default=None)
        if longest is not None:
            yield from _frames(asked, longest, f"Thread {wanted}", line_of, most=_FRAMES)
        ids = {wanted, longest.thread} if longest is not None else {wanted}
        for wait in state.facts.all(Wait):
            if wait.thread in ids:
                yield from _line("It waits", wait.cite.evidence, wait.cite.first, line_of)
        for managed in state.facts.all(ManagedThreads)[:1]:
            for row in managed.items:
                if wanted in (row.number, row.id, row.thread):
                    yield from _line(
                        "The runtime's thread", managed.cite.evidence, row.line, line_of
                    )
        if longest is None:
            for threads in state.facts.all(Threads)[:1]:
                for item in threads.items:
                    if wanted in (item.number, item.thread):
                        yield from _line("In the list", threads.cite.evidence, item.line, line_of)


def _frames(asked: Asked, stack: Stack, lead: str, line_of: LineOf, most: int) -> Iterator[Claim]:
    """The frames that are asked about, the last of how many there are, or the first ``most``."""
    frames = stack.frames[:most]
    if asked.frames:
        frames = tuple(frame for frame in stack.frames if frame.index in asked.frames)
    elif _FRAMES_COUNTED.search(asked.text) and stack.complete and not stack.corrupt:
        frames = stack.frames[-1:]
        lead = f"{lead} has {counted(len(stack.frames), 'frame')}, the last"
    lines = [frame.line_no for frame in frames]
    texts = [line_of(stack.cite.evidence, number) for number in lines]
    for number, text in zip(lines, texts, strict=True):
        for claim in quoting(lead, stack.cite.evidence, number, text):
            first = Citation(stack.cite.evidence, stack.cite.first, stack.cite.first)
            cites = dict.fromkeys((*claim.citations, *([first] if stack.cite.first else [])))
            yield replace(claim, also=tuple(cites))


def _source(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    """The source around the line of the frame that is looked at, where it is asked for."""
    here = looking.view(state, *looking.place(state)) if _SHOWN.search(asked.text) else None
    if here is not None:
        for one in here.source:
            if abs(one.line - (here.frame.line or 0)) <= _AROUND:
                yield from _line("The source", one.cite.evidence, one.cite.first, line_of)


def _registers(asked: Asked, state: Investigation, line_of: LineOf) -> Iterator[Claim]:
    for fact in state.facts.all(Registers)[:MOST_OF_A_KIND]:
        if _is_of(fact, asked):
            for register in fact.values:
                if register.name in asked.registers:
                    yield from _line("The register", fact.cite.evidence, register.line, line_of)


def _of_the_crash(state: Investigation) -> list[Stack]:
    """The stacks of the thread that ended the process, or of whatever was selected."""
    signal = state.facts.first(Signal)
    thread = signal.thread if signal is not None else None
    stacks = state.facts.all(Stack)
    found = [s for s in stacks if thread is not None and s.thread == thread]
    return found or [s for s in stacks if s.current] or stacks[:1]


def known_names(state: Investigation) -> set[str]:
    """Names that stand in the evidence as functions, variables or types."""
    found: set[str] = set()
    for stack in state.facts.all(Stack)[:2000]:
        for frame in stack.frames[:200]:
            found |= _names(frame)
    for fact in state.facts.all(Locals):
        found |= {variable.name for variable in fact.variables}
    for types in state.facts.all(HeapTypes):
        found |= {row.name for row in types.items[:2000]}
    return {name for name in found if len(name) > 1 and not name.isdecimal()}


def main_thread(asked: Asked, state: Investigation) -> Asked:
    """On Linux the main thread's TID is the process's id."""
    process = state.facts.first(Process)
    pid = process.pid if process is not None and process.os.lower() == "linux" else None
    known = process is not None and pid in process.threads
    if pid is None or not known or asked.threads or not _MAIN_THREAD.search(asked.text):
        return asked
    return replace(asked, threads=(pid,))


def _names(frame: Frame) -> set[str]:
    name = frame.function
    if not name:
        return set()
    return {name, name.split("(", 1)[0].rpartition("::")[2].rpartition(".")[2]}
