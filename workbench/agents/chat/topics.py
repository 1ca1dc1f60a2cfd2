"""What the facts and the conclusion say of the topics that questions are about."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from analyzers.patterns.stuck import waiting
from workbench.agents import looking
from workbench.agents.chat.asked import Asked
from workbench.agents.chat.observed import origin_of
from workbench.agents.chat.quoting import quoting
from workbench.agents.chat.talk import Talk
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

MOST_OF_A_KIND = 3
_FRAMES = 3
_ARGUED = 32
"""Frames of a stack whose arguments are looked at."""

_ADDRESS = frozenset({"fault", "address", "access"})
_HEX = re.compile(r"\b(?:0x)?([0-9a-fA-F]{1,16})\b")
_LOCKS = frozenset({"lock", "wait", "hold", "deadlock", "ring"})
_HEAP = frozenset({"heap", "memory", "leak", "object", "allocation", "chunk", "free"})

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
        _HEAP,
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
_OF_HEAP = frozenset({"chunk", "headers", "blocks"})
_SUPPOSED = re.compile(
    r"(?i)^\W*(?:so\s+)?(?:(?:it|this|that)\s+(?:was|is|has been)|(?:was|is)\s+(?:it|this|that))\s+"
    r"(?:an?|the|some|caused by|due to|because of)\s"
)
"""A guess at the cause."""
_FRAMES_COUNTED = re.compile(r"\b(?:how many|number of)\s+(?:\w+\s+)?frames\b", re.IGNORECASE)
_SHOWN = re.compile(
    r"(?i)\b(?:show|print|list|see|read)\b[^.;?]*\b(?:source|code)\b"
    r"|\b(?:source|code)\s+(?:lines?\s+)?(?:around|near|at|of|there)\b"
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
    if conclusion is None or not (supposed or asked.words & (_CAUSE | _WHERE | _LOCKS | _HEAP)):
        return []
    held = [claim for claim in conclusion.claims if claim.holds]
    if supposed and not asked.words & (_CAUSE | _WHERE | _LOCKS | _HEAP):
        return held[:1]
    if asked.words & _CAUSE:
        began = origin_of(state) if "cause" in asked.words else []
        return [*began, *held[:MOST_OF_A_KIND]]
    if asked.words & _WHERE:
        return held[:1]
    heap = [one for one in held if one.kind in _OF_HEAP and asked.words & _HEAP]
    return [*heap, *(_of_the_locks(asked, held) if asked.words & _LOCKS else ())]


def _of_the_locks(asked: Asked, held: list[Claim]) -> list[Claim]:
    """The concluded sentences about locks, first those of the lock that the question names."""
    told = [one for one in held if one.kind in _OF_LOCKS and content_words(one.text) & _LOCKS]
    named = [f"`{word}`" for word in re.findall(r"\w+", asked.text)]
    told.sort(key=lambda claim: not any(name in claim.text for name in named))
    return told[:_MOST_OF_LOCKS] if not asked.threads else []


def of_the_facts(talk: Talk) -> Iterator[Claim]:
    """What facts say, each in the words of the line that says it."""
    yield from _of_threads(talk)
    if "stack" in talk.asked.words and not talk.asked.threads:
        stacks = _of_the_crash(talk.state)
        longest = max(stacks, key=lambda stack: len(stack.frames), default=None)
        if longest is not None:
            yield from _frames(talk, longest, "The stack", most=2 * _FRAMES)
    yield from _source(talk)
    yield from _variables(talk)
    yield from _arguments(talk)
    yield from _faulted(talk)
    if talk.asked.words & _LOCKS and not talk.asked.threads:
        yield from _of_waits(talk)
    if talk.asked.registers:
        yield from _registers(talk)
    for words, lead, kinds in _KINDS:
        if talk.asked.words & words:
            for kind in kinds:
                for fact in talk.state.facts.all(kind)[:MOST_OF_A_KIND]:
                    if _is_of(fact, talk.asked):
                        yield from _cited(lead, fact, talk)


def _of_waits(talk: Talk) -> Iterator[Claim]:
    """Who waits for what and who holds it, of the locks that the question names or, after their
    count, of all threads, those first whose lock has an owner; where no wait is known, the locks.
    """
    waits = [wait for wait in talk.state.facts.all(Wait) if wait.kind != "running"]
    words = set(re.findall(r"\w+", talk.asked.text))
    named = [one for one in waits if one.name and words & set(re.findall(r"\w+", one.name)[:1])]
    if not named and talk.asked.words & {"hold", "lock"}:
        for lock in talk.state.facts.all(Lock) if waits else ():
            if lock.owner is not None:
                yield say("owns", (lock.cite,), owner=lock.owner, name=lock.name, lock=lock.address)
    if waits and not named:
        yield say("count", (waits[0].cite,), what="waiting", count=len(waits))
    for wait in sorted(named or waits, key=lambda one: one.kind == "join" or one.owner is None):
        yield waiting(wait)
    for lock in talk.state.facts.all(Lock)[:MOST_OF_A_KIND] if not waits else ():
        yield from _cited("The locks", lock, talk)


def _faulted(talk: Talk) -> Iterator[Claim]:
    """Where a log says which address was touched: the line of the report that has the number."""
    if not talk.asked.words & _ADDRESS:
        return
    for finding in talk.state.facts.all(Finding)[: 2 * MOST_OF_A_KIND]:
        lines = (finding.access_line, *(note.line for note in finding.notes), finding.line)
        for number in lines if finding.address is not None and _is_of(finding, talk.asked) else ():
            shown = _HEX.findall(talk.line_of(finding.cite.evidence, number)) if number else []
            if finding.address in {int(digits, 16) for digits in shown}:
                yield from _line("The access", finding.cite.evidence, number, talk)
                break


def _variables(talk: Talk) -> Iterator[Claim]:
    every = bool(talk.asked.words & {"variable", "argument"}) and not talk.asked.names
    for shown in talk.state.facts.all(Locals)[: 2 * MOST_OF_A_KIND]:
        if talk.asked.frames and (shown.frame or 0) not in talk.asked.frames:
            continue
        for variable in shown.variables[: 2 * MOST_OF_A_KIND]:
            if every or variable.name in talk.asked.names:
                yield from _line("The variable", shown.cite.evidence, variable.line, talk)


def _arguments(talk: Talk) -> Iterator[Claim]:
    """The frames of the crash that were called with what the question asks for."""
    if talk.asked.threads or talk.asked.frames:
        return
    told: set[int] = set()
    for stack in _of_the_crash(talk.state)[:MOST_OF_A_KIND]:
        for frame in stack.frames[:_ARGUED]:
            names = {stem(name) for name in _ARGUMENT.findall(frame.args[:2000])}
            if (
                names & (talk.asked.words - _LOCKS)
                and frame.index not in told
                and len(told) < MOST_OF_A_KIND
            ):
                told.add(frame.index)
                yield from _line("The call", stack.cite.evidence, frame.line_no, talk)


def _is_of(fact: Fact, asked: Asked) -> bool:
    """False for what is told of another thread than those that were asked about."""
    thread = getattr(fact, "thread", None)
    return not asked.threads or thread is None or thread in asked.threads


def _cited(lead: str, fact: Fact, talk: Talk) -> Iterator[Claim]:
    """The line of a fact that says most: the one that the fact itself points at, else its first."""
    cite = fact.cite
    for name in ("bytes_line", "workers_line", "queued_line", "line"):
        number = getattr(fact, name, 0)
        if isinstance(number, int) and number and not isinstance(fact, Finding):
            yield from _line(lead, cite.evidence, number, talk)
    if isinstance(fact, HeapTypes | Monitors):
        for row in fact.items[:MOST_OF_A_KIND]:
            yield from _line(lead, cite.evidence, row.line, talk)
        return
    number = fact.line if isinstance(fact, Finding) else cite.first
    yield from _line(lead, cite.evidence, number or 1, talk)
    if isinstance(fact, Finding) and talk.line_of(cite.evidence, fact.line + 1).lstrip().startswith(
        _WHAT
    ):
        yield from _line(lead, cite.evidence, fact.line + 1, talk)
    if isinstance(fact, Signal) and cite.last > cite.first:
        for number in range(cite.first + 1, min(cite.last, cite.first + 2) + 1):
            yield from _line(lead, cite.evidence, number, talk)


def _line(lead: str, evidence: str, number: int, talk: Talk) -> Iterator[Claim]:
    yield from talk.quote(lead, evidence, number)


def _of_threads(talk: Talk) -> Iterator[Claim]:
    for wanted in talk.asked.threads[:MOST_OF_A_KIND]:
        stacks = [s for s in talk.state.facts.all(Stack) if wanted in (s.thread, s.number)]
        by_id = [stack for stack in stacks if stack.thread == wanted] or stacks
        longest = max(by_id, key=lambda stack: len(stack.frames), default=None)
        if longest is not None:
            yield from _frames(talk, longest, f"Thread {wanted}", most=_FRAMES)
        ids = {wanted, longest.thread} if longest is not None else {wanted}
        for wait in talk.state.facts.all(Wait):
            if wait.thread in ids:
                yield from _line("It waits", wait.cite.evidence, wait.cite.first, talk)
        for managed in talk.state.facts.all(ManagedThreads)[:1]:
            for row in managed.items:
                if wanted in (row.number, row.id, row.thread):
                    yield from _line("The runtime's thread", managed.cite.evidence, row.line, talk)
        if longest is None:
            for threads in talk.state.facts.all(Threads)[:1]:
                for item in threads.items:
                    if wanted in (item.number, item.thread):
                        yield from _line("In the list", threads.cite.evidence, item.line, talk)


def _frames(talk: Talk, stack: Stack, lead: str, most: int) -> Iterator[Claim]:
    """The frames that are asked about, the last of how many there are, or the first ``most``."""
    frames = stack.frames[:most]
    if talk.asked.frames:
        frames = tuple(frame for frame in stack.frames if frame.index in talk.asked.frames)
    elif _FRAMES_COUNTED.search(talk.asked.text) and stack.complete and not stack.corrupt:
        frames = stack.frames[-1:]
        lead = f"{lead} has {counted(len(stack.frames), 'frame')}, the last"
    lines = [frame.line_no for frame in frames]
    texts = [talk.line_of(stack.cite.evidence, number) for number in lines]
    for number, text in zip(lines, texts, strict=True):
        for claim in quoting(lead, stack.cite.evidence, number, text):
            first = Citation(stack.cite.evidence, stack.cite.first, stack.cite.first)
            cites = dict.fromkeys((*claim.citations, *([first] if stack.cite.first else [])))
            yield replace(claim, also=tuple(cites))


def _source(talk: Talk) -> Iterator[Claim]:
    """The source around the line of the frame that is looked at, where it is asked for."""
    if not _SHOWN.search(talk.asked.text):
        return
    here = looking.view(talk.state, *looking.place(talk.state))
    if here is not None:
        for one in here.source:
            if abs(one.line - (here.frame.line or 0)) <= _AROUND:
                yield from _line("The source", one.cite.evidence, one.cite.first, talk)


def _registers(talk: Talk) -> Iterator[Claim]:
    for fact in talk.state.facts.all(Registers)[:MOST_OF_A_KIND]:
        if _is_of(fact, talk.asked):
            for register in fact.values:
                if register.name in talk.asked.registers:
                    yield from _line("The register", fact.cite.evidence, register.line, talk)


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
