"""What a person states, as typed statements that the evidence verifies or refutes.

A part of a sentence makes a statement of a kind only where all its words are accounted for: by what
it names (threads, frames, locks, signals, expressions, numbers), by the kind's own words, and by
the place where it is said to have been. Nothing else is held to the evidence: lines are quoted.
"""

import re
from collections.abc import Callable, Iterator

from analyzers.names import bare, common
from workbench.agents.chat.causes import behind_causes, categories_in, kin
from workbench.agents.chat.clauses import affirmed, is_open
from workbench.agents.chat.counts import SLEEPING
from workbench.agents.chat.parts import Part, Statement, decisive, last_name, part_of, threads_of
from workbench.agents.chat.reports import OF_A_TOOL
from workbench.agents.chat.stated_locks import (
    OF_OWNERS,
    OF_WAITS,
    awaits,
    between,
    no_ring,
    unlocked,
    waits_otherwise,
    who_holds,
    who_waits,
)
from workbench.agents.chat.stated_values import address_of_fault, emptied, in_register, valued
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.words import content_words
from workbench.agents.looking import first_thread
from workbench.claims.check import as_it_is
from workbench.claims.kinds import KINDS
from workbench.claims.say import Given, say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.facts import (
    FactBook,
    Fault,
    Finding,
    Frame,
    LockCycle,
    Signal,
    Stack,
    StackShape,
)

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

_PART_OF = re.compile(
    r"(?i)\b(?:part of|in(?:side)?|involved in)\s+(?:the|a|this|that)\s+(?:dead|ring|cycle)"
)
_CRASHED = re.compile(
    r"(?i)\bdid\s+(?P<function>[\w:~]+)(?:\(\))?\s+(?:itself\s+)?"
    r"(?:crash|fail|abort|die|panic|segfault)\W*$"
)
_CAUGHT = re.compile(
    r"(?i)\b(?:it|this|that|exception|error)\s+(?:(?:is|was|been|got)\s+)?(?:caught|handled)"
    r"(?:\s+(?:by|in)\s[^,;]{1,60})?\W*$"
    r"|^\W*(?:did|does|has|have)\s+(?:any(?:body|one)|some(?:body|one)|[\w:~]+(?:\(\))?)\s+"
    r"(?:catch|caught|handle|handled)\s+(?:it|this|that|(?:the\s+)?(?:exception|error))\W*$"
)
_OF_ANOTHER = re.compile(
    r"(?i)^\W*(?:is|are|was|were|did|does|do|has|have|had)\s+(?!(?:it|this|that|there|these|we|you|an?"
    r"|the|thread|one|any|some)\b)[\w:~]+(?:\(\))?\s"
)
"""Asks of something by its name, and not of all that happened."""
_BESIDE = frozenset({
    "crash", "fault", "signal", "executable", "process", "cause", "source", "access", "exception",
    "dereference", "dereferenced", "memory", "pointer", "violation", "condition", "here", "thread",
    "failure", "heap", "stack", "buffer", "kind", "error", "occur", "used",
})  # fmt: skip
"""What may stand behind the cause that is named, and adds nothing to it."""
_AT_LINE = re.compile(
    r"(?i)^\W*(?:(?:did|does)\s+(?:it|the\s+\w+)\s+(?:crash|fail|fault|happen|occur|die|abort|panic"
    r"|segfault)|(?:is|was)\s+(?:it|the\s+(?:crash|fault|failure)|the\s+(?:crash|fault|fail)\w*"
    r"\s+line))(?:\s+(?:at|on|in))?\s+(?:line\s+)?(?:(?P<file>[\w./+-]+\.\w+):)?(?P<line>\d+)\W*$"
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

_END = frozenset({"crash", "signal", "fault", "exception", "executable", "process", "thread"})

_ACCESSES = {
    **dict.fromkeys(("read", "reading", "load", "loading"), "read"),
    **dict.fromkeys(("write", "writing", "store", "storing"), "write"),
}

_SIZED = re.compile(
    r"(?i)^\W*(?:is|was)\s+(?:it|this|the\s+access)\s+an?\s+(?P<way>read|write|load|store)\s+of\s+"
    r"(?:size\s+)?(?P<size>\d{1,9})(?:\s+bytes?)?\W*$"
)


def stated(talk: Talk) -> Iterator[Told]:
    """Each statement as it is in the evidence; none of what the evidence does not decide."""
    for clause in affirmed(talk.asked.text):
        if is_open(clause):
            continue
        part = part_of(clause, talk)
        yield from _concluded(part, talk)
        for words, statements in _FORMS:
            if part.words <= words:
                found = (as_it_is(one, talk.book, more) for one, more in statements(part, talk))
                held = sorted((one for one in found if one), key=lambda one: not one[1])
                for claim, right in held[:1]:
                    if not (right and part.more):
                        yield Told(claim, right, clause)
        yield from valued(part, talk)
        yield from in_register(part, talk)
        yield from address_of_fault(part, talk)
        yield from unlocked(part, talk)
        yield from waits_otherwise(part, talk)
        yield from awaits(part, talk)
        yield from _reported(part, talk)
        yield from _sized(part, talk)
        yield from emptied(part, talk)
        yield from no_ring(part, talk)
        yield from _uncaught(part, talk)
        yield from _at_line(part, talk)


def _at_line(part: Part, talk: Talk) -> Iterator[Told]:
    """The line at which the process is said to have ended: that of the blamed frame, and no line
    that no frame of its stack has."""
    stated, ended = _AT_LINE.match(part.text), talk.state.conclusion
    failed = ended.frame if ended is not None and ended.hypothesis is not None else None
    if stated is None or failed is None or failed.line is None or part.asked.threads:
        return
    file, line = stated["file"] or "", int(stated["line"])
    same = line == failed.line and f"/{failed.file}".endswith(f"/{file}" if file else "")
    frames = (frame for one in talk.state.facts.all(Stack) for frame in one.frames)
    if same or line not in {frame.line for frame in frames}:
        yield from (Told(one, same, part.text) for one in talk.state.held[:1])


def _concluded(part: Part, talk: Talk) -> Iterator[Told]:
    """The cause or the place that was concluded, where it is the one that is named; another one is
    neither proved nor refuted by it."""
    conclusion = talk.state.conclusion
    if conclusion is None or conclusion.hypothesis is None:
        return
    place = bare(conclusion.frame.function or "") if conclusion.frame is not None else ""
    here = not {place, place.rpartition("::")[2]}.isdisjoint(part.asked.names)
    ours = here or part.meant
    text = part.text if ours else _OF_ANOTHER.sub("", part.text)
    cause = any(kin(one, conclusion.category) for one in categories_in(part.text))
    cause &= ours or text == part.text or not categories_in(text)
    cause &= content_words(behind_causes(part.text)) & part.words <= _BESIDE
    cause &= "recursion" not in part.text.lower() or _recurses(talk.state.facts)
    if _is_elsewhere(part, talk, conclusion.frame) or _ends_otherwise(
        part, conclusion.category, talk
    ):
        yield from (Told(one, False, part.text) for one in talk.state.held[:1])
    pair = between(part, talk) if Category.DEADLOCK in categories_in(part.text) else ()
    if pair or (part.asked.threads and Category.DEADLOCK in categories_in(part.text)):
        rings = talk.state.facts.all(LockCycle)
        each = pair or ({*threads_of(part, talk)},)
        within = [ring for ring in rings if all(tids & {*ring.threads} for tids in each)]
        for ring in within or (rings if pair or _PART_OF.search(part.text) else ()):
            threads = ", ".join(map(str, ring.threads))
            told = say("cycle", (ring.cite,), threads=threads)
            yield Told(told, bool(within), part.text)
        return
    if part.asked.frames or (part.more and not here):
        return
    if cause or (here and part.words <= _END):
        yield from (Told(one, True, part.text) for one in talk.state.held[:1])


def _uncaught(part: Part, talk: Talk) -> Iterator[Told]:
    """What ended the process, where an exception is said to have been caught that nobody caught;
    one that was thrown again had been."""
    ended = talk.state.conclusion
    names = (frame.function for one in talk.state.facts.all(Stack) for frame in one.frames)
    if (
        ended is not None
        and ended.category is Category.UNCAUGHT_EXCEPTION
        and _CAUGHT.search(part.text)
        and "__cxa_rethrow" not in names
    ):
        yield from (Told(one, False, part.text) for one in talk.state.held[:1])


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
    facts = (f for f in decisive(kind, talk.state.facts) if getattr(f, field, None) is not None)
    return list(dict.fromkeys(fact.cite for fact in facts))


def _signal(part: Part, talk: Talk) -> Iterator[Statement]:
    for name in part.signals:
        yield say("signal", _ends(talk, "signal", "name"), name=name), ()
        yield say("finding", _ends(talk, "finding", "signal"), signal=name), ("tool", "message")


def _ended(part: Part, talk: Talk) -> Iterator[Statement]:
    if part.words - {"thread"}:
        yield from (
            (say("signal", _ends(talk, "signal", "thread"), thread=one), ("name",))
            for one in threads_of(part, talk)
        )


def _thrown(part: Part, talk: Talk) -> Iterator[Statement]:
    for name in part.exceptions:
        yield say("exception", _ends(talk, "exception", "type"), type=name), ("message",)


def _returned(part: Part, talk: Talk) -> Iterator[Statement]:
    """That the function returned null whose result is the pointer of the fault: what its other
    calls returned, nothing tells."""
    null = re.search(r"(?i)\b(?:null|nullptr|nil|zero|0)\b", part.text)
    for fault in talk.state.facts.all(Fault) if "return" in part.words and null else ():
        if fault.origin_value == 0 and bare(fault.origin_call or "") in part.asked.names:
            yield say("returned_by", (fault.cite,), function=fault.origin_call, value=0), ()
            return
    for claim in talk.state.held if "return" in part.words and null else ():
        given = claim.get("function")
        if claim.kind == "returned_by" and common(bare(str(given))) in part.asked.names:
            yield say("returned_by", claim.citations, function=given, value=0), ()


def _reported(part: Part, talk: Talk) -> Iterator[Told]:
    """The exception that a log's report tells, where it is the one that is named; where it is one
    of the runtime's own, it is no other of those that nothing is derived from."""
    if len(part.exceptions) != 1 or part.more or part.words - _END or part.asked.threads:
        return
    named = last_name(part.exceptions[0])
    reports = [one for one in talk.state.facts.all(Finding) if one.ends is not False]
    thrown = [(one, match["type"]) for one in reports if (match := _THROWN.match(one.message))]
    same = [one for one, name in thrown if last_name(name) == named]
    own = all(last_name(name) in _EXACT or name.startswith(_OWN_TYPES) for _, name in thrown)
    if not same and (named not in _EXACT or not own):
        return
    if len(thrown) < len(reports) or len({name for _, name in thrown}) != 1:
        return  # nothing tells which of several ended it
    for one in same[:1] or reports[:1]:
        claim = say("finding", (one.cite,), tool=one.tool, message=one.message)
        found = as_it_is(claim, talk.book)
        if found is not None and (same or named not in talk.text_of(one.cite.evidence)):
            yield Told(found[0], bool(same), part.text)


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


def _framed(part: Part, talk: Talk) -> Iterator[Statement]:
    thread = next(iter(threads_of(part, talk)), first_thread(talk.state))
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


_FORMS: tuple[tuple[frozenset[str], Callable[[Part, Talk], Iterator[Statement]]], ...] = (
    (_END, _signal),
    (_END, _ended),
    (_END, _thrown),
    (OF_OWNERS, who_holds),
    (OF_WAITS | SLEEPING, who_waits),
    (frozenset({"stack", "thread", "where", "source"}), _framed),
    (frozenset({"return", "null", "nullptr", "nil", "zero", "pointer"}), _returned),
    (_END | _ACCESSES.keys() | {"access", "memory", "address", "invalid", "bad"}, _access),
)
"""By kind: the words of which a clause may consist beside what it names, and what it states."""
