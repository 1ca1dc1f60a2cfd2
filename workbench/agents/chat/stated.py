"""What a person states, as typed statements that the evidence verifies or refutes.

A part of a sentence makes a statement of a kind only where all its words are accounted for: by what
it names (threads, frames, locks, signals, expressions, numbers), by the kind's own words, and by
the place where it is said to have been. Nothing else is held to the evidence: lines are quoted.
"""

import ctypes
import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analyzers.names import bare
from analyzers.patterns.stuck import waiting
from workbench.agents.chat.asked import (
    ASKED,
    COMPARED,
    OPERATORS,
    SIGNS,
    Asked,
    read,
    relation_in_front,
)
from workbench.agents.chat.causes import categories_in, kin
from workbench.agents.chat.clauses import QUOTED, affirmed, denies, elsewhen, is_open
from workbench.agents.chat.counts import SLEEPING, waited_for
from workbench.agents.chat.lines import Numbered
from workbench.agents.chat.measured import LONGEST_LINE, Measure, agrees, matching
from workbench.agents.chat.reports import OF_A_TOOL
from workbench.agents.chat.talk import LEAD, Talk, Told
from workbench.agents.chat.topics import threads_named
from workbench.agents.chat.values import expressions, root_of, shown, told
from workbench.agents.chat.words import ANYBODY, COMPARING, content_words, in_digits
from workbench.agents.looking import first_thread, tid
from workbench.claims.check import as_it_is
from workbench.claims.kinds import KINDS
from workbench.claims.say import Given, say
from workbench.claims.values import leaves, scalar
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import (
    Fact,
    FactBook,
    Fault,
    Finding,
    Frame,
    LockCycle,
    Process,
    Registers,
    Signal,
    Stack,
    StackShape,
    Wait,
)

MOST = 3
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
_THROWN = re.compile(
    r"(?:Caused by: |Uncaught |Exception in thread \".{0,80}\" |Unhandled exception[.:] )?"
    r"(?P<type>[A-Za-z_][\w.$]{0,200}(?:Exception|Error))(?=:|$)"
)
"""The type of an exception where a runtime reports that it was thrown."""
_EXACT = frozenset({
    "NullPointerException", "ClassCastException", "NumberFormatException", "StackOverflowError",
    "ArrayIndexOutOfBoundsException", "StringIndexOutOfBoundsException", "ArrayStoreException",
    "ConcurrentModificationException", "NegativeArraySizeException", "NullReferenceException",
    "InvalidCastException", "IndexOutOfRangeException", "DivideByZeroException",
    "StackOverflowException", "KeyError", "IndexError", "ZeroDivisionError", "AttributeError",
    "RecursionError", "UnboundLocalError",
})  # fmt: skip
"""Types of exceptions of which no runtime derives others."""
_OWN_TYPES = ("java.", "javax.", "kotlin.", "System.")
_HELD = re.compile(r"(?i)\b(?:held|locked|taken|owned)(?:\s+by\s+\w+(?:\s+\w+)?)?\W*$")
_FREE = re.compile(r"(?i)\b(?:unlocked|free|available)\W*$")
_UNLOCKED = {"__lock": "0", "__owner": "0", "Status": "Not acquired"}
"""What a mutex of glibc's that nobody holds has, as gdb or its printers show it."""
_FOR_A_THREAD = re.compile(
    r"(?i)\bwait\w*\s+(?:for|on)\s+(?:the\s+(?:end\s+of\s+)?)?(?:thread|LWP|TID)\b"
)
_AT_A_THREAD = re.compile(r"(?i)\b(?:in|of|on)\s+(?:the\s+)?(?:thread|frame|LWP)\s+#?\w+")
_FAULT_ADDRESS = re.compile(
    r"(?i)\b(?:fault(?:ing)?|access(?:ed)?|bad)\s+address\b|\baddress\s+of\s+the\s+fault\b"
    r"|\b(?:is|was)\s+(?:the|its)\s+address\s+(?=0x|null|zero)"
)
_PART_OF = re.compile(
    r"(?i)\b(?:part of|in(?:side)?|involved in)\s+(?:the|a|this|that)\s+(?:dead|ring|cycle)"
)
_CRASHED = re.compile(
    r"(?i)\bdid\s+(?P<function>[\w:~]+)(?:\(\))?\s+(?:itself\s+)?(?:crash|fail|abort|die|segfault)\W*$"
)
_BY_ACCESS = frozenset(
    {Category.NULL_POINTER_DEREFERENCE, Category.WILD_POINTER, Category.NULL_FUNCTION_POINTER_CALL}
)
_BY_CHECK = frozenset({Category.ASSERTION_FAILURE})
_CHECKERS = re.compile(r"(?:HW)?AddressSanitizer|MemorySanitizer|KASAN|KMSAN")
_ERRORS = frozenset(
    {
        *(Category.USE_AFTER_FREE, Category.DOUBLE_FREE, Category.INVALID_FREE),
        *(Category.HEAP_BUFFER_OVERFLOW, Category.STACK_BUFFER_OVERFLOW),
        *(Category.BUFFER_OVERFLOW, Category.UNINITIALIZED_VALUE, Category.STACK_OVERFLOW),
        *(Category.MISMATCHED_DEALLOCATION, Category.NULL_POINTER_DEREFERENCE),
    }
)
"""What such a tool tells apart."""
_OF_OWNERS = frozenset({"thread", "hold", "lock"})
_OF_WAITS = frozenset({"thread", "wait", "lock", "condition", "variable", "timer"})
_TEXT = re.compile(r'"((?:[^"\\]|\\.){0,200})"$')
_PADDING = re.compile(r"(?:\\000)+$")
"""How gdb shows the rest of an array behind its text."""
_ENUMERATOR = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")
_END = frozenset({"crash", "signal", "fault", "exception", "executable", "process", "thread"})
_STATED = re.compile(
    r"(?i)(?<![\w.])-?(?:0x[0-9a-f]{1,16}|\d[\d,]{0,30}(?:\.\d{1,20})?)(?![\w.]*\w)"
    r"|\b(?:null|nullptr|nil|zero|false|true|negative|positive|set(?=\W*$))\b"
)
_HEX = re.compile(r"\b0[xX][0-9a-fA-F]+\b")
_SIGNED = {"negative": "<", "positive": ">", "set": "!="}
_WORDS = {"true": "1"} | dict.fromkeys(("null", "nullptr", "nil", "zero", "false", *_SIGNED), "0")
_ACCESSES = {
    **dict.fromkeys(("read", "reading", "load", "loading"), "read"),
    **dict.fromkeys(("write", "writing", "store", "storing"), "write"),
}
_RING = frozenset({"deadlock", "thread", "lock", "process", "executable"})
_EMPTY = re.compile(r"(?i)\bempty\W*$")
_COUNTED = re.compile(r"(?:\(.{1,200}\) )?std::[\w:]+ (?:of length|with) (?P<many>\d+)\b")
"""libstdc++'s printers."""
_SIZED = re.compile(
    r"(?i)^\W*(?:is|was)\s+(?:it|this|the\s+access)\s+an?\s+(?P<way>read|write|load|store)\s+of\s+"
    r"(?:size\s+)?(?P<size>\d{1,9})(?:\s+bytes?)?\W*$"
)
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


def amounts(talk: Talk, known: Sequence[Measure], settled: bool = False) -> Iterator[Told]:
    """Numbers that outputs give with a name, as the person says or otherwise; none of a value that
    the debugger prints, nor of what is asked for and ``settled``."""
    printed = expressions(talk.asked)
    for amount in talk.asked.amounts:
        typed = any(one in amount.said for one in printed) or (settled and amount.relation == ASKED)
        typed = typed or bool(read(amount.said).registers)  # printed in hex, with or without 0x
        if not (typed or denies(amount.said) or elsewhen(amount.said)):
            found = matching(amount, known)
            same = [measure for measure in found if agrees(amount, measure)]
            # Another number contradicts where its line has every word of what the person names.
            other = [one for one in found if amount.subject <= one.label | one.context]
            for measure in (same or other)[:MOST]:
                for claim in talk.quote(LEAD, measure.evidence, measure.line):
                    yield Told(claim, bool(same), amount.said)


def stated(talk: Talk) -> Iterator[Told]:
    """Each statement as it is in the evidence; none of what the evidence does not decide."""
    for clause in affirmed(talk.asked.text):
        if is_open(clause):
            continue
        part = _part(clause, talk)
        yield from _concluded(part, talk)
        for words, statements in _FORMS:
            if part.words <= words:
                found = (as_it_is(one, talk.book, more) for one, more in statements(part, talk))
                held = sorted((one for one in found if one), key=lambda one: not one[1])
                for claim, right in held[:1]:
                    if not (right and part.more):
                        yield Told(claim, right, clause)
        yield from _valued(part, talk)
        yield from _in_register(part, talk)
        yield from _fault_address(part, talk)
        yield from _unlocked(part, talk)
        yield from _waits_otherwise(part, talk)
        yield from _reported(part, talk)
        yield from _sized(part, talk)
        yield from _emptied(part, talk)
        yield from _no_ring(part, talk)


def _part(clause: str, talk: Talk) -> Part:
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
    locks = [name for name, _ in _locks(clause, talk)]
    ours = [*asked.names, *signals, *thrown, *expressions(talk.asked), *locks]
    words = content_words(_HEX.sub(" ", rest)) - content_words(" ".join(ours)) - main
    placed = _PLACE.search(clause) is not None and not asked.frames
    faults = talk.state.facts.all(Fault) if "return" in words else ()
    returning = {bare(fault.origin_call or "") for fault in faults}
    beside = {*asked.names} - {*locks, *map(root_of, locks), *signals, *thrown, *main, *returning}
    more = placed or bool(asked.addresses or asked.amounts or (beside and not asked.frames))
    return Part(clause, asked, tuple(signals), thrown, words, more, bool(running))


def _concluded(part: Part, talk: Talk) -> Iterator[Told]:
    """The cause or the place that was concluded, where it is the one that is named; another one is
    neither proved nor refuted by it."""
    conclusion = talk.state.conclusion
    if conclusion is None or conclusion.hypothesis is None:
        return
    place = bare(conclusion.frame.function or "") if conclusion.frame is not None else ""
    here = place in part.asked.names
    cause = any(kin(one, conclusion.category) for one in categories_in(part.text))
    cause &= "recursion" not in part.text.lower() or _recurses(talk.state.facts)
    if _is_elsewhere(part, talk, conclusion.frame) or _ends_otherwise(
        part, conclusion.category, talk
    ):
        yield from (Told(one, False, part.text) for one in talk.state.held[:1])
    if part.asked.frames or (part.more and not here):
        return
    if part.asked.threads and Category.DEADLOCK in categories_in(part.text):
        rings = talk.state.facts.all(LockCycle)
        tids = {*_threads(part, talk)}
        within = [ring for ring in rings if tids & {*ring.threads}]
        for ring in within or (rings if _PART_OF.search(part.text) else ()):
            threads = ", ".join(map(str, ring.threads))
            told = say("cycle", (ring.cite,), threads=threads)
            yield Told(told, bool(within), part.text)
        return
    if cause or (here and part.words <= _END):
        yield from (Told(one, True, part.text) for one in talk.state.held[:1])


def _recurses(facts: FactBook) -> bool:
    """Whether the stack that ended shows recursion: one large frame runs out of it without."""
    ended = facts.first(Signal)
    own = {None, ended.thread if ended is not None else None}
    calls = [
        [(frame.function, frame.line) for frame in one.frames]
        for one in facts.all(Stack)
        if one.thread in own
    ]
    marked = any(shape.recursion for shape in facts.all(StackShape))
    return marked or any(len(one) > 2 * len({*one}) for one in calls)


def _is_elsewhere(part: Part, talk: Talk, failed: Frame | None) -> bool:
    """True where a function is said to have crashed that another thread ran, and the one that
    crashed did not."""
    named = _CRASHED.search(part.text)
    if named is None or failed is None:
        return False
    name, ended = named["function"], talk.state.facts.first(Signal)
    runs = [
        one.thread
        for one in talk.state.facts.all(Stack)
        if any(bare(frame.function or "") == name for frame in one.frames)
    ]
    return ended is not None and bool(runs) and ended.thread not in runs and None not in runs


def _ends_otherwise(part: Part, category: Category, talk: Talk) -> bool:
    """True where the process is said to have died of an access, and its own check ended it, or the
    other way round: it ends once. So does a checker that names the error: it is no other."""
    named = categories_in(part.text)
    if not named or part.asked.threads:
        return False
    told = {one.category for one in talk.state.facts.all(Finding)}
    tools = {one.tool for one in talk.state.facts.all(Finding)}
    if tools and all(map(_CHECKERS.fullmatch, tools)) and {category, *named} <= _ERRORS:
        return category not in named and named.isdisjoint(told) and None not in told
    ways = (_BY_ACCESS, _BY_CHECK) if category in _BY_CHECK else (_BY_CHECK, _BY_ACCESS)
    return named <= ways[0] and category in ways[1]


def _ends(talk: Talk, kind: str, column: str) -> list[Citation]:
    """The lines of the facts that tell the column of how the process ended: there is one end."""
    field = KINDS[kind].columns[column].field
    facts = (f for f in _decisive(kind, talk.state.facts) if getattr(f, field, None) is not None)
    return list(dict.fromkeys(fact.cite for fact in facts))


def _decisive(kind: str, facts: FactBook) -> Iterator[Fact]:
    for source in KINDS[kind].sources:
        yield from facts.all(source.fact)


def _signal(part: Part, talk: Talk) -> Iterator[Statement]:
    for name in part.signals:
        yield say("signal", _ends(talk, "signal", "name"), name=name), ()
        yield say("finding", _ends(talk, "finding", "signal"), signal=name), ("tool", "message")


def _ended(part: Part, talk: Talk) -> Iterator[Statement]:
    if part.words - {"thread"}:
        yield from (
            (say("signal", _ends(talk, "signal", "thread"), thread=one), ("name",))
            for one in _threads(part, talk)
        )


def _thrown(part: Part, talk: Talk) -> Iterator[Statement]:
    for name in part.exceptions:
        yield say("exception", _ends(talk, "exception", "type"), type=name), ("message",)


def _threads(part: Part, talk: Talk) -> list[int]:
    """The TIDs that a number may mean: that of the debugger's thread, and itself; those of all
    threads that a name means, one of which may be as it is said."""
    if part.meant:
        return list(part.asked.threads)
    numbers = part.asked.threads if len(part.asked.threads) == 1 else ()  # of several each
    return list(dict.fromkeys(one for n in numbers for one in (tid(talk.state, n), n)))


def _owner(part: Part, talk: Talk) -> Iterator[Statement]:
    named = list(_locks(part.text, talk))
    held = "hold" in part.words or _HELD.search(part.text)
    for thread in _threads(part, talk) if held else ():
        for name, cites in named:
            yield say("owns", cites, owner=thread, name=name), ("lock",)
        if not named and not any(one in part.text for one in expressions(talk.asked)):
            yield say("owns", owner=thread), ("name", "lock")
    anybody = "hold" in part.words and ANYBODY.search(part.text)
    if not part.asked.threads and (anybody or _HELD.search(part.text)):
        yield from ((say("owns", cites, name=name), ("owner",)) for name, cites in named)


def _unlocked(part: Part, talk: Talk) -> Iterator[Told]:
    """A mutex that nobody holds by what was printed of it: both its lock word and its owner."""
    free_is_asked = _FREE.search(part.text) is not None
    if not (free_is_asked or _HELD.search(part.text) or "hold" in part.words):
        return
    if part.words - _OF_OWNERS - {"unlocked", "free", "available"}:
        return
    if free_is_asked and part.asked.threads:
        return
    for name, lines in _locks(part.text, talk) if free_is_asked else ():
        held = as_it_is(say("owns", lines, name=name), talk.book, ("owner",))
        if held is not None and held[1]:
            yield Told(held[0], agrees=False, said=part.text)
    for name in (one for one in expressions(talk.asked) if one in part.text):
        one = shown(name, talk)
        found = dict(_lock_words(one.value)) if one is not None else {}
        free = [way for way, value in found.items() if _UNLOCKED[_last(way)] == value]
        if one is not None and found and len(free) == len(found) and _last(free[0]) != "__owner":
            cites = (Citation(one.evidence, one.line, one.line),)
            claim = say("value", cites, expression=f"{name}{free[0]}", value=found[free[0]])
            yield Told(claim, agrees=free_is_asked, said=part.text)


def _lock_words(printed: str) -> Iterator[tuple[str, str]]:
    return ((way, value) for way, value in leaves(printed) if _last(way) in _UNLOCKED)


def _last(way: str) -> str:
    return way.rpartition(".")[2]


def _returned(part: Part, talk: Talk) -> Iterator[Statement]:
    """That the function returned null whose result is the pointer of the fault: what its other
    calls returned, nothing tells."""
    null = re.search(r"(?i)\b(?:null|nullptr|nil|zero|0)\b", part.text)
    for fault in talk.state.facts.all(Fault) if "return" in part.words and null else ():
        if fault.origin_value == 0 and bare(fault.origin_call or "") in part.asked.names:
            yield say("returned_by", (fault.cite,), function=fault.origin_call, value=0), ()


def _waiting(part: Part, talk: Talk) -> Iterator[Statement]:
    named = [name for name, _ in _locks(part.text, talk)]
    kinds = waited_for(part.text.partition(" for ")[2])[1] if not named else ()
    waits = [one for one in talk.state.facts.all(Wait) if "wait" in part.words]
    if part.words & SLEEPING and "wait" not in part.words:  # what waits otherwise is off as well
        threads = _threads(part, talk)
        asleep = (wait for wait in talk.state.facts.all(Wait) if wait.kind == "sleep")
        for wait in (wait for wait in asleep if wait.thread in threads):
            yield say("waits", (wait.cite,), thread=wait.thread, kind=wait.kind), ("syscall",)
    for thread in _threads(part, talk) if "wait" in part.words else ():
        own = [one.kind for one in waits if one.thread == thread]
        kind = next((one for one in own if one in kinds), next(iter(kinds), None))
        ends = "join" in own and not named and kind in (None, "join")
        for name in named or [""]:
            if ends:
                yield say("waits", thread=thread, kind="join"), ("ends",)
                continue
            claim = say("waits", thread=thread, name=name or None, kind=kind)
            yield claim, ("kind", "name", "lock", "owner")
    found = _FOR_A_THREAD.search(part.text)
    if "wait" in part.words and found is not None and len(part.asked.threads) == 2:
        waiter, other = ({tid(talk.state, n), n} for n in part.asked.threads)
        for wait in (one for one in waits if one.thread in waiter):
            of_whom = "ends" if wait.kind == "join" else "owner"
            more = () if wait.kind == "join" else ("kind", "name", "lock")
            for one in sorted(other):
                yield say("waits", thread=wait.thread, kind=wait.kind, **{of_whom: one}), more


def _waits_otherwise(part: Part, talk: Talk) -> Iterator[Told]:
    """A thread that sleeps, or waits for input or another's end, waits for no lock meanwhile, nor
    does the one that an instruction of its own ended."""
    if "wait" not in part.words or part.words - _OF_WAITS or not [*_locks(part.text, talk)]:
        return
    threads = _threads(part, talk)
    own = [one for one in talk.state.facts.all(Wait) if one.thread in threads and one.blocks]
    if len(own) == 1 and own[0].kind in ("sleep", "io", "join") and not own[0].name:
        yield Told(waiting(own[0], talk.state.facts), agrees=False, said=part.text)
    for fact in talk.state.facts.all(Fault) if not own else ():
        ended = talk.state.facts.first(Signal)
        if ended is not None and fact.thread == ended.thread and fact.thread in threads:
            claim = say("signal", (ended.cite,), name=ended.name, thread=ended.thread)
            yield Told(claim, agrees=False, said=part.text)


def _reported(part: Part, talk: Talk) -> Iterator[Told]:
    """The exception that a log's report tells, where it is the one that is named; where it is one
    of the runtime's own, it is no other of those that nothing is derived from."""
    if len(part.exceptions) != 1 or part.more or part.words - _END or part.asked.threads:
        return
    named = _last(part.exceptions[0])
    reports = [one for one in talk.state.facts.all(Finding) if one.ends is not False]
    thrown = [(one, match["type"]) for one in reports if (match := _THROWN.match(one.message))]
    same = [one for one, name in thrown if _last(name) == named]
    own = all(_last(name) in _EXACT or name.startswith(_OWN_TYPES) for _, name in thrown)
    if not same and (named not in _EXACT or not own):
        return
    if len(thrown) < len(reports) or len({name for _, name in thrown}) != 1:
        return  # nothing tells which of several ended it
    for one in same[:1] or reports[:1]:
        claim = say("finding", (one.cite,), tool=one.tool, message=one.message)
        found = as_it_is(claim, talk.book)
        if found is not None and (same or named not in talk.text_of(one.cite.evidence)):
            yield Told(found[0], bool(same), part.text)


def _no_ring(part: Part, talk: Talk) -> Iterator[Told]:
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


def _emptied(part: Part, talk: Talk) -> Iterator[Told]:
    """Whether a container of C++'s library has no element, as the debugger's printer counts."""
    if not _EMPTY.search(part.text) or part.words - {"empty", "vector", "list", "map", "set"}:
        return
    for name in (one for one in expressions(talk.asked) if one in part.text):
        one = shown(name, talk)
        counted = _COUNTED.match(one.value) if one is not None else None
        if one is not None and counted is not None:
            none = int(counted["many"]) == 0
            yield from (Told(said, none, part.text) for said in told(one))


def _sized(part: Part, talk: Talk) -> Iterator[Told]:
    """How many bytes the one access of a report read or wrote."""
    stated = _SIZED.search(part.text)
    told = [one for one in talk.state.facts.all(Finding) if one.access and one.size]
    if stated is None or len(told) != 1 or told[0].category == Category.DATA_RACE:
        return
    way, size = _ACCESSES[stated["way"].lower()], int(stated["size"])
    claim = say("finding", (told[0].cite,), direction=told[0].access, size=told[0].size)
    found = as_it_is(claim, talk.book, ("tool", "message"))
    if found is not None and found[1]:
        yield Told(found[0], (way, size) == (told[0].access, told[0].size), part.text)


def _locks(clause: str, talk: Talk) -> Iterator[tuple[str, list[Citation]]]:
    """The locks that are named, by all of their name or by the variable, each with its line."""
    books = (talk.state.facts, talk.book.inferred)
    for fact in (
        fact for kind in ("owns", "waits") for one in books for fact in _decisive(kind, one)
    ):
        name = getattr(fact, "name", None) or ""
        either = "|".join(map(re.escape, {name, name.partition("+")[0]}))
        if name and re.search(rf"(?<![\w>.])(?:{either})(?!\w|->|\.\w)", clause):
            yield name, [fact.cite]


def _framed(part: Part, talk: Talk) -> Iterator[Statement]:
    thread = next(iter(_threads(part, talk)), first_thread(talk.state))
    frames = (frame for one in talk.state.facts.all(Stack) for frame in one.frames)
    known = {bare(frame.function or "") for frame in frames}
    for index in part.asked.frames[:1]:
        for name in (one for one in part.asked.names if one in known or "." in one):
            column = "file" if re.search(r"\.\w+$", name) else "function"
            given: dict[str, Given] = {"index": index, column: name, "thread": thread}
            yield say("frame", **given), ("function", "file", "line")


def _access(part: Part, talk: Talk) -> Iterator[Statement]:
    named = {_ACCESSES[word] for word in part.words & _ACCESSES.keys()}
    if OF_A_TOOL.search(part.text):
        return  # the reports tell which of their accesses it was
    told = [
        one.cite
        for one in talk.state.facts.all(Finding)
        if one.access is not None and one.category != Category.DATA_RACE  # which is of two
    ]
    for access in named if len(named) == 1 else ():
        yield say("access", _ends(talk, "access", "access"), access=access), ("address",)
        if told:
            yield say("finding", told, direction=access), ("tool", "message")


def _valued(part: Part, talk: Talk) -> Iterator[Told]:
    """The value that the debugger printed of an expression, held to the one number or the other
    expression that is stated of it."""
    named = [one for one in expressions(talk.asked) if one in part.text]
    values = [one for name in named if (one := shown(name, talk)) and one.typed and one.value]
    at = {word for found in _AT_A_THREAD.findall(part.text) for word in content_words(found)}
    if not named or not values or part.words - COMPARING - at:
        return
    if len(part.asked.threads) > 1 or len(part.asked.frames) > 1:
        return
    first = values[0].value if values[0].expression == named[0] else ""
    words, text = QUOTED.search(part.text), _TEXT.search(first)
    if words is not None and text is not None and not named[1:]:
        same = words[0][1:-1] == _PADDING.sub("", text[1])
        yield from (Told(one, same, part.text) for one in told(values[0]))
        return
    if _ENUMERATOR.fullmatch(first) and not SIGNS.search(part.text.replace("->", ".")):
        # gdb names one of two that are the same number; lldb prints none that stands alone
        other = values[1].value if values[1:] else ""
        same = first in (other, *named[1:])
        if len(named) == 2 and (same or _ENUMERATOR.fullmatch(other)):
            yield from (Told(said, same, part.text) for said in told(values[0]))
        return
    if len(values) < len(named):
        return
    before, _, behind = _AT_A_THREAD.sub("", part.text).partition(named[0])
    behind = in_digits(behind)
    said = ((m.start(), _WORDS.get(m[0].lower(), m[0])) for m in _STATED.finditer(behind))
    stated = [(place, _number(number)) for place, number in said]
    if named[1:] and re.search(r"(?i)\band\b", behind.partition(named[1])[0]):
        return  # two that are spoken of, and not compared
    if named[1:]:
        stated = [(behind.find(one.expression), _number(one.value)) for one in values[1:]]
    signs = SIGNS.findall(behind)
    if SIGNS.search(before) or len(signs) > 1 or not OPERATORS.issuperset(signs):
        return
    true = _number(values[0].value)
    for place, number in stated if len(stated) == 1 else ():
        word = re.match(r"[a-z]*", behind[place:], re.IGNORECASE)
        said_as = _SIGNED.get(word[0].lower()) if word is not None else None
        compare = COMPARED.get(said_as or relation_in_front(behind[:place]))
        if compare is not None and true is not None and number is not None:
            if number % 1:  # as C's float holds it
                true, number = ctypes.c_float(true).value, ctypes.c_float(number).value
            held = compare(true, number)
            yield from (Told(said, held, part.text) for one in values for said in told(one))


def _in_register(part: Part, talk: Talk) -> Iterator[Told]:
    """What a register held in the innermost frame of the thread that is looked at."""
    stated, names = _stated_number(part), part.asked.registers
    if stated is None or len(names) != 1 or part.asked.frames or part.asked.threads:
        return
    if part.words - content_words(names[0]) - COMPARING - {"register", "hold", "contain"}:
        return
    for fact in talk.state.facts.all(Registers):
        if fact.frame == 0 and fact.thread == first_thread(talk.state):
            for one in (one for one in fact.values if one.name == names[0]):
                cites = (Citation(fact.cite.evidence, one.line, one.line),)
                told = say("register", cites, register=one.name, value=one.value)
                yield Told(told, one.value == stated, part.text)
            return
    if talk.state.recorded:
        yield from _logged_register(names[0], stated, part, talk)


def _logged_register(name: str, stated: float, part: Part, talk: Talk) -> Iterator[Told]:
    """What a log shows of a register, where all its lines that show it agree: a kernel's log has
    those of the interrupted program as well."""
    spelt = re.sub(r"^r(\d)$", r"r0?\1", name)
    shows = re.compile(
        rf"(?i)(?<![\w%$.]){spelt}(?:\s?[:=]\s?|\s{{1,20}})"
        rf"(?:0x([0-9a-f]{{1,16}})|([0-9a-f]{{16}}|[0-9a-f]{{8}}))(?![\w.:])"
    )
    found: dict[int, Numbered] = {}
    for line in talk.lines:
        for match in shows.finditer(line.text[:LONGEST_LINE]):
            found.setdefault(int(match[1] or match[2], 16), line)
    for value, line in found.items() if len(found) == 1 else ():
        as_hex = f"{value:x}" == f"{stated:.0f}" and value > 9  # the number as it stands there
        for claim in talk.quote(LEAD, line.evidence, line.number) if not as_hex else ():
            yield Told(claim, value == stated, part.text)


def _fault_address(part: Part, talk: Talk) -> Iterator[Told]:
    """The address of the fault, as the signal has it."""
    stated = _stated_number(part)
    if stated is None or not _FAULT_ADDRESS.search(part.text) or part.asked.threads:
        return
    if part.words - COMPARING - {"fault", "address", "access"} or part.asked.registers:
        return
    for fact in talk.state.facts.all(Signal)[:1]:
        if fact.fault_address is not None:
            told = say("fault_address", (fact.cite,), address=fact.fault_address)
            yield Told(told, fact.fault_address == stated, part.text)
            return
    ends = [one for one in talk.state.facts.all(Finding) if one.ends is not False]
    at = (one for one in ends if one.access or one.access_line or one.signal)
    faults = [one for one in at if one.address is not None]
    for one in faults[:1] if len({one.address for one in faults}) == 1 else ():
        claim = say("finding", (one.cite,), tool=one.tool, message=one.message, address=one.address)
        found = as_it_is(claim, talk.book)
        if found is not None and found[1]:
            yield Told(found[0], one.address == stated, part.text)


def _stated_number(part: Part) -> float | None:
    """The one number that a clause gives, and compares with nothing."""
    found = [_WORDS.get(m[0].lower(), m[0]) for m in _STATED.finditer(part.text)]
    if len(found) != 1 or found[0] in _SIGNED or SIGNS.search(part.text):
        return None
    before = part.text[: next(_STATED.finditer(part.text)).start()]
    return _number(found[0]) if relation_in_front(before) == "=" else None


def _number(text: str) -> float | None:
    """A number as it is printed or written; None where it is none."""
    try:
        return float(text) if "." in text else scalar(text.replace(",", ""))
    except ValueError:
        return scalar(text)


_FORMS: tuple[tuple[frozenset[str], Callable[[Part, Talk], Iterator[Statement]]], ...] = (
    (_END, _signal),
    (_END, _ended),
    (_END, _thrown),
    (_OF_OWNERS, _owner),
    (_OF_WAITS | SLEEPING, _waiting),
    (frozenset({"stack", "thread", "where", "source"}), _framed),
    (frozenset({"return", "null", "nullptr", "nil", "zero", "pointer"}), _returned),
    (_END | _ACCESSES.keys() | {"access", "memory", "address", "invalid", "bad"}, _access),
)
"""By kind: the words of which a clause may consist beside what it names, and what it states."""
