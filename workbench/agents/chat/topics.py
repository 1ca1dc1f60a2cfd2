"""What the facts and the conclusion say of the topics that questions are about."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from msgspec.structs import replace

from analyzers.names import bare, common
from analyzers.patterns.case import Case
from analyzers.patterns.stuck import waiting
from workbench.agents import looking
from workbench.agents.chat.addresses import AWAITED
from workbench.agents.chat.asked import ASKED, Asked
from workbench.agents.chat.clauses import affirmed, clauses, denies
from workbench.agents.chat.counts import EXPORTED
from workbench.agents.chat.expressions import WITHIN, expressions
from workbench.agents.chat.meant import names_of
from workbench.agents.chat.observed import origin_of
from workbench.agents.chat.talk import Talk, Told, quoting
from workbench.agents.chat.unknown import missed
from workbench.agents.chat.values import NAMED
from workbench.agents.chat.words import content_words, is_general, stem
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model import facts as f
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.investigation import Investigation
from workbench.model.origin import OriginKind as Kind
from workbench.model.text import counted

MOST_OF_A_KIND = 3
_FRAMES = 3
_ARGUED = 32
"""Frames of a stack whose arguments are looked at."""

_ADDRESS = frozenset({"fault", "address", "access"})
_HEX = re.compile(r"\b(?:0x)?([0-9a-fA-F]{1,16})\b")
_LOCKS = frozenset({"lock", "wait", "hold", "deadlock", "ring"})
_OF_THE_HEAP = frozenset({"heap", "memory", "leak", "object", "allocation", "chunk"})
_OF_CHUNKS = _OF_THE_HEAP - {"heap"}
_HEAP = _OF_THE_HEAP | {"free"}  # what was freed by whom no list of chunks tells

# What a person asks about, and the facts that speak of it.
_KINDS: tuple[tuple[frozenset[str], str, tuple[type[f.Fact], ...]], ...] = (
    (
        frozenset({"signal", "crash", "exception", "message", "sigsegv", "sigabrt"}),
        "What ended it",
        (
            f.Finding,
            f.Signal,
            f.ExceptionRecord,
            f.ManagedException,
            f.CxxException,
            f.AbortMessage,
        ),
    ),
    (_ADDRESS | {"instruction"}, "The access", (f.Fault, f.Signal)),
    (_LOCKS, "The locks", (f.LockCycle, f.Monitors)),
    (_OF_THE_HEAP, "The heap", (f.GcHeap, f.HeapTypes, f.Heap)),
    (_OF_CHUNKS, "The heap", (f.Chunk,)),
    (frozenset({"threadpool", "queue"}), "The thread pool", (f.PoolState,)),
    (
        frozenset({"trust", "truncated", "health", "confidence", "reliable"}),
        "The dump's health",
        (f.CoreHealth,),
    ),
)
_CAUSE = frozenset({"cause", "exception", "message", "panic"})
"""What ended a process is told best by the sentences that were concluded from it."""
_WHERE = frozenset({"where", "source"})
_TOPICS = _CAUSE | _WHERE | _LOCKS | _HEAP | {"recursion"}
_MOST_OF_LOCKS = 6
_OF_LOCKS = frozenset({"cause", "waits", "owns", "cycle", "told", "thread", "count", "finding"})
"""Kinds of statements in which hold, wait and block are words for locks, not for memory."""
_OF_HEAP = frozenset({"chunk", "headers", "blocks"})
_TAKEN = re.compile(
    r"(?i)\b(?:where|(?:in|on|at)\s+(?:which|what)\s+(?:line|function|place))\b.*"
    r"\b(?:take|took|taken|acquired?|locked)\b"
)
"""Asks for the place at which a lock was taken, not for that at which another one is awaited."""
_SUPPOSED = re.compile(
    r"(?i)^\W*(?:so\s+)?(?:(?:it|this|that)\s+(?:was|is|has been)|(?:was|is)\s+(?:it|this|that))\s+"
    r"(?:an?|the|some|caused by|due to|because of)\s"
)
"""A guess at the cause."""
_WHICH_IS_NULL = re.compile(
    r"(?i)^\W*(?:which|what)\s+(?:(?:variable|pointer|value|member|field|argument|object|one)\s+)?"
    r"(?:is|was|were|are)\s+(?:a\s+)?(?:null|nil|zero)(?:\s+(?:here|there|then|pointer))?\W*$"
)
_FRAMES_COUNTED = re.compile(
    r"(?i)\b(?:how many|number of)\s+(?:\w+\s+)?frames\b"
    r"|\bhow deep\s+(?:is|was)\s+(?:the\s+)?(?:call\s?stack|stack|recursion|backtrace)\b"
)
_SHOWN = re.compile(
    r"(?i)\b(?:show|print|list|see|read)\b[^.;?]*\b(?:source|code)\b"
    r"|\b(?:source|code)\s+(?:lines?\s+)?(?:around|near|at|of|there)\b"
)
_AROUND = 2
"""Lines of source before and behind the one that failed."""
_REGISTER_OF = re.compile(r"(?i)^\W*(?:and\s+)?(?:which|what)\s+registers?\b")
_LIES_IN = re.compile(
    r"(?i)\bbelongs?\b|"
    r"\b(?:whose|which|what)\s+(?:stack|region|mapping|segment)\s+(?:is|was|has|holds|contains)\b"
)
_TO = re.compile(r"(?i)\bto\s+([\w:~]+)\W*$")

_CALLED = re.compile(
    r"(?i)\b(?:(?P<by>called\s+(?:from|by)|callers?\s+of|(?:who|what|which\s+\w+)\s+call(?:s|ed))|call)\b"
)
_CALLERS_OF = re.compile(
    r"(?i)\b(?:callers?\s+of|(?:who|what|which\s+\w+)\s+call(?:s|ed))\s+(\w+)(?:\(\))?\W*$"
)
_ROOM_LEFT = re.compile(
    r"(?i)\bstack\b(?:\s+\w+){0,3}\s+(?:left|remain\w*|room|free|space|size|large|big)\b"
    r"|\b(?:room|space|size|large|big|free|much)\b(?:\s+\w+){0,4}\s+stack\b"
)
_OF_A_STACK = 4
"""Lines of a stack's shape that tell its mapping and where the pointer is in it."""
_WHO = re.compile(r"(?i)\W*(?:and\s+)?(?:which|what|who|how\s+many)\b")
_DAMAGE = re.compile(
    r"(?i)^\W*(?:so\s+)?(?:(?:is|was|has|are|were)\s+)?(?:the\s+|malloc's\s+|glibc's\s+)?heap(?:'s)?"
    r"(?:\s+(?:metadata|headers?|chunks?|structures?))?(?:\s+(?:is|was|are|were|has))?(?:\s+been)?"
    r"\s+(?:(?P<bad>corrupt(?:ed)?|damaged|broken|overwritten|smashed|inconsistent)"
    r"|intact|sound|consistent|whole|undamaged|healthy|ok(?:ay)?|fine)\W*$"
    r"|^\W*(?:is|was)\s+there\s+(?:an?\s+|any\s+)?(?P<any>heap\s+corruption)\W*$"
)
"""States whether malloc's own data is damaged, and nothing of who did it."""
_UNDAMAGED = (
    "No damage of malloc's headers or lists was found; what the blocks hold may be overwritten all "
    "the same."
)
_WHAT = "what():"
"""How libstdc++ prints an exception's message, below the line that names its type."""


def of_the_cause(asked: Asked, state: Investigation) -> list[Claim]:
    """The conclusion's sentences, where the question is about the cause or its place."""
    held = state.held
    if _TAKEN.search(asked.text) and state.origin is not None and state.origin.kind is Kind.LOCKED:
        return origin_of(state)
    caught = [one for one in held if "signal" in asked.words and one.get("how") == "handled"]
    if caught or state.conclusion is None or not asked.words & _TOPICS:
        return caught or (held[:1] if _SUPPOSED.match(asked.text) else [])
    if asked.words & _CAUSE:
        began = origin_of(state) if "cause" in asked.words else []
        return [*began, *held[:MOST_OF_A_KIND]]
    if asked.words & _WHERE:
        named = [bare(name) for name in asked.names]
        return [one for one in held[:1] if not named or any(name in one.text for name in named)]
    heap = [one for one in held if one.kind in _OF_HEAP and asked.words & _HEAP]
    again = [one for one in held if one.kind == "repeats" or one.get("how") == "entered"]
    heap += again if "recursion" in asked.words else []
    locks = asked.words & _LOCKS and not _is_denied(asked)
    return [*heap, *(_of_the_locks(asked, held) if locks else ())]


def _is_denied(asked: Asked) -> bool:
    """True where those are asked for who do not wait, or hold nothing."""
    return any(denies(part) and _WHO.match(part) for part in clauses(asked.text))


def _of_the_locks(asked: Asked, held: list[Claim]) -> list[Claim]:
    """The concluded sentences about locks, first those of the lock that the question names."""
    told = [one for one in held if one.kind in _OF_LOCKS and content_words(one.text) & _LOCKS]
    named = [f"`{word}`" for word in re.findall(r"\w+", asked.text)]
    told.sort(key=lambda claim: not any(name in claim.text for name in named))
    return told[:_MOST_OF_LOCKS] if not asked.threads else []


def of_null(talk: Talk) -> Iterator[Told]:
    """What is null, where it is asked which variable is: the values that were concluded."""
    for claim in talk.state.held if _WHICH_IS_NULL.search(talk.asked.text) else ():
        if claim.kind == "value" and scalar(str(claim.get("value"))) == 0:
            yield Told(claim, agrees=True)


def of_registers(talk: Talk) -> Iterator[Told]:
    """The registers that held an address that is asked for, or what the faulting access used."""
    if not _REGISTER_OF.match(talk.asked.text):
        return
    wanted = {*talk.asked.addresses}
    for fact in talk.state.facts.all(f.Registers)[:MOST_OF_A_KIND] if wanted else ():
        for one in (one for one in fact.values if one.value in wanted):
            cite = Citation(fact.cite.evidence, one.line, one.line)
            yield Told(say("register", (cite,), register=one.name, value=one.value), agrees=True)
    null = "null" in talk.asked.words
    for fault in talk.state.facts.all(f.Fault)[:1] if not wanted else ():
        used = {"base": (fault.base_register, fault.base_value),
                "index": (fault.index_register, fault.index_value)}  # fmt: skip
        for slot, (name, value) in used.items():
            if name is not None and value is not None and not (null and value):
                claim = say("register", (fault.cite,), slot=slot, register=name, value=value)
                yield Told(claim, agrees=True)


def of_owned(talk: Talk) -> Iterator[Told]:
    """The locks that a thread holds, where it is asked which these are."""
    asked = talk.asked
    if "hold" not in asked.words or not _WHO.match(asked.text) or AWAITED.search(asked.text):
        return
    owners = {tid for one in asked.threads for tid in (looking.tid(talk.state, one), one)}
    facts: list[f.Lock | f.Wait] = [*talk.state.facts.all(f.Lock), *talk.state.facts.all(f.Wait)]
    held = (one for one in facts if one.owner in owners and one.kind != "join")
    told: dict[object, Told] = {}
    for one in held:
        claim = say("owns", (one.cite,), owner=one.owner, name=one.name, lock=one.address)
        told.setdefault(one.address or one.name, Told(claim, agrees=True))
    yield from list(told.values())[:_MOST_OF_LOCKS]


def of_headers(talk: Talk) -> Iterator[Told]:
    """The damage of malloc's headers and lists, where it is stated that there is some or none. That
    none is seen does not prove that nothing was overwritten."""
    for clause in affirmed(talk.asked.text):
        if (stated := _DAMAGE.match(clause)) is not None:
            for claim in _headers(talk.state.facts, damaged=True):
                yield Told(claim, bool(stated["bad"] or stated["any"]), clause)


def undamaged(talk: Talk) -> list[str]:
    """What the walk through the heaps shows, where it is asked whether they are damaged and none
    is: no answer, since what the blocks hold may be."""
    asked = any(map(_DAMAGE.match, affirmed(talk.asked.text))) and talk.state.facts.all(f.Heap)
    return [_UNDAMAGED] if asked and not any(_headers(talk.state.facts, damaged=True)) else []


def _headers(facts: f.FactBook, *, damaged: bool = False) -> Iterator[Claim]:
    """What the walk through each heap shows, those first that are damaged."""
    heaps: dict[object, f.Heap] = {}
    for heap in facts.all(f.Heap):
        heaps.setdefault((heap.start, heap.broken_at), heap)
    for heap in sorted(heaps.values(), key=lambda one: one.broken_at is None):
        if heap.broken_at is not None:
            state = "overrun" if heap.overrun else "damaged"
            why = None if heap.overrun else heap.broken
            yield say("headers", (heap.cite,), state=state, start=heap.start, chunk=heap.broken_at,
                      why=why, before=heap.before)  # fmt: skip
        for one in heap.list_faults:
            cite = Citation(heap.cite.evidence, one.line, one.line)
            yield say("headers", (cite,), state="list", start=heap.start, why=one.text)
        if heap.broken_at is None and not (damaged or heap.list_faults):
            yield say("headers", (heap.cite,), state="whole", start=heap.start)


def of_none_thrown(talk: Talk) -> Iterator[Claim]:
    """The line that says so, where an exception is asked about and none was in flight."""
    kinds: tuple[type[f.Fact], ...] = (
        f.CxxException, f.ManagedException, f.ExceptionRecord, f.Finding,
    )  # fmt: skip
    told = any(talk.state.facts.all(kind) for kind in kinds)
    if "exception" in talk.asked.words and not told:
        for item in talk.state.evidence.values():
            if item.command == "@exception" and item.summary.startswith("no "):
                yield from talk.quote("What was thrown", item.id, 1)


def of_returns(talk: Talk) -> Iterator[Told]:
    """What the function returned whose result is the pointer of the fault, where it is asked which
    one returned that, or what it returned."""
    asked = talk.asked
    for fault in talk.state.facts.all(f.Fault)[:1] if "return" in asked.words else ():
        name, value = fault.origin_call, fault.origin_value
        ours = not asked.names or bare(name or "") in asked.names
        if name is None or value is None or not ours or not _WHO.match(asked.text):
            continue
        if not ("null" in asked.words and value) and not missed(asked, f"{name} returned null"):
            yield Told(say("returned_by", (fault.cite,), function=name, value=value), agrees=True)
            return
    for claim in talk.state.held if asked.names and _WHO.match(asked.text) else ():
        name = common(bare(str(claim.get("function"))))
        if "return" in asked.words and claim.kind == "returned_by" and name in asked.names:
            yield Told(claim, agrees=True)


def of_the_facts(talk: Talk) -> Iterator[Claim]:
    """What facts say, each in the words of the line that says it."""
    asked, facts = talk.asked, talk.state.facts
    yield from _of_threads(talk)
    crashed = sorted(_of_the_crash(talk.state), key=lambda one: -len(one.frames))[:1]
    if asked.words & _WHERE and not asked.threads:
        named = {*asked.names}
        stacks = (
            (one.cite.evidence, [frame for frame in one.frames if named & names_of(frame)])
            for one in (*crashed, *facts.all(f.Stack))
        )
        for evidence, frames in islice((one for one in stacks if one[1]), 1):
            for frame in frames[:_FRAMES]:
                yield from talk.quote("The stack", evidence, frame.line_no)
        open_yet = talk.state.conclusion is None or talk.state.conclusion.hypothesis is None
        if open_yet and not named and "crash" in asked.words:
            yield from _where_it_was(talk, crashed[0].thread if crashed else None)
    for stack in crashed if "recursion" in asked.words else ():
        yield from _repeated(talk, stack)
    for memory in facts.all(f.Memory) if _LIES_IN.search(asked.text) else ():
        for at in asked.addresses:
            if (region := memory.region(at)) is not None:
                yield from talk.quote(f"{at:#x} belongs to", memory.cite.evidence, region.line)
    for shape in facts.all(f.StackShape) if _ROOM_LEFT.search(asked.text) else ():
        for number in range(shape.cite.first, shape.cite.first + _OF_A_STACK):
            yield from talk.quote("The stack", shape.cite.evidence, number)
    called = _CALLED.search(asked.text)
    if called is not None and (asked.names or missed(asked, "") or _CALLERS_OF.search(asked.text)):
        for stack in crashed:
            yield from _calls(talk, stack, by=called["by"] is not None)
    elif "stack" in asked.words and not (
        asked.threads
        or asked.addresses
        or _ROOM_LEFT.search(asked.text)
        or _SUPPOSED.match(asked.text)
    ):
        for stack in crashed:
            yield from _frames(talk, stack, "The stack", most=2 * _FRAMES)
    yield from _source(talk)
    yield from _variables(talk)
    yield from _arguments(talk)
    yield from _faulted(talk)
    if asked.words & _LOCKS and not asked.threads and not _is_denied(asked):
        yield from _of_waits(talk) if not _REGISTER_OF.match(asked.text) else ()
    for registers in (one for one in facts.all(f.Registers)[:MOST_OF_A_KIND] if _is_of(one, asked)):
        for register in registers.values:
            if register.name in asked.registers:
                yield from talk.quote("The register", registers.cite.evidence, register.line)
    of_one = asked.variables and not asked.addresses  # its chunk is told by ``freed``
    if asked.words & _OF_THE_HEAP and not of_one:
        yield from islice(_headers(facts), MOST_OF_A_KIND)
    for words, lead, kinds in _KINDS:
        for kind in kinds if asked.words & words and not (words >= _OF_CHUNKS and of_one) else ():
            for fact in facts.all(kind)[:MOST_OF_A_KIND]:
                if _is_of(fact, asked):
                    yield from _cited(lead, fact, talk)


def _of_waits(talk: Talk) -> Iterator[Claim]:
    """Who waits for what and who holds it, of the locks that the question names or, after their
    count, of all threads, those first whose lock has an owner; where no wait is known, the locks.
    """
    waits = [wait for wait in Case(talk.state.facts).waits.values() if wait.blocks]
    words = set(re.findall(r"\w+", talk.asked.text))
    named = [one for one in waits if one.name and words & set(re.findall(r"\w+", one.name)[:1])]
    if not named and talk.asked.words & {"hold", "lock"}:
        for lock in talk.state.facts.all(f.Lock) if waits else ():
            if lock.owner is not None:
                yield say("owns", (lock.cite,), owner=lock.owner, name=lock.name, lock=lock.address)
    if waits and not named:
        yield say("count", (waits[0].cite,), what="waiting", count=len(waits))
    for wait in sorted(named or waits, key=lambda one: one.kind == "join" or one.owner is None):
        yield waiting(wait, talk.state.facts)
    for lock in talk.state.facts.all(f.Lock)[:MOST_OF_A_KIND] if not waits else ():
        yield from _cited("The locks", lock, talk)


def _faulted(talk: Talk) -> Iterator[Claim]:
    """Where a log says which address was touched: the line of the report that has the number."""
    if not talk.asked.words & _ADDRESS:
        return
    for finding in talk.state.facts.all(f.Finding)[: 2 * MOST_OF_A_KIND]:
        lines = (finding.access_line, *(note.line for note in finding.notes), finding.line)
        for number in lines if finding.address is not None and _is_of(finding, talk.asked) else ():
            shown = _HEX.findall(talk.line_of(finding.cite.evidence, number)) if number else []
            if finding.address in {int(digits, 16) for digits in shown}:
                yield from talk.quote("The access", finding.cite.evidence, number)
                break


def frames_listed(asked: Asked, state: Investigation) -> list[tuple[int | None, int]]:
    """The frames, by thread and index, all of whose variables a question asks for: those that it
    numbers, or those of the functions that it names."""
    if "variable" not in asked.words or expressions(asked):
        return []
    thread = looking.place(state)[0] if not asked.threads else looking.tid(state, asked.threads[0])
    frames = (one.frame for one in looking.shown_frames(state, thread))
    named = (f for f in frames if f.index in asked.frames or names_of(f) & {*asked.names})
    return [(thread, frame.index) for frame in named][:MOST_OF_A_KIND]


def _variables(talk: Talk) -> Iterator[Claim]:
    for place in frames_listed(talk.asked, talk.state):
        here = looking.view(talk.state, *place)
        for _, cite in here.variables[: 2 * MOST_OF_A_KIND] if here is not None else ():
            yield from talk.quote("The variable", cite.evidence, cite.first)
    if WITHIN.search(talk.asked.text):
        return  # of that function's alone
    of_program = {"argument", "executable"} <= talk.asked.words  # what its command line has
    every = bool(talk.asked.words & {"variable", "argument"}) and not talk.asked.names
    every = every and not of_program
    for shown in talk.state.facts.all(f.Locals)[: 2 * MOST_OF_A_KIND]:
        if talk.asked.frames and (shown.frame or 0) not in talk.asked.frames:
            continue
        for variable in shown.variables[: 2 * MOST_OF_A_KIND]:
            if every or variable.name in talk.asked.names:
                yield from talk.quote("The variable", shown.cite.evidence, variable.line)


def _arguments(talk: Talk) -> Iterator[Claim]:
    """The frames of the crash that were called with what the question asks for, or the calls of a
    function whose arguments it asks for."""
    numbers = any(one.relation == ASKED for one in talk.asked.amounts)
    if talk.asked.threads or talk.asked.frames or numbers or WITHIN.search(talk.asked.text):
        return
    told: dict[int, tuple[str, str, int]] = {}
    to = _TO.search(talk.asked.text)
    called = {*talk.asked.names} & {*(to.groups() if to is not None else talk.asked.names)}
    for stack in _of_the_crash(talk.state)[:MOST_OF_A_KIND]:
        for frame in stack.frames[:_ARGUED]:
            given = (one for one in NAMED.findall(frame.args[:2000]) if len(one) > 1)
            names = {stem(name) for name in given if not is_general(name)}
            whole = "argument" in talk.asked.words and called & names_of(frame)
            if whole or names & (talk.asked.words - _LOCKS):
                lead = "The arguments" if whole else "The call"
                told.setdefault(frame.index, (lead, stack.cite.evidence, frame.line_no))
    for place in list(told.values())[:MOST_OF_A_KIND]:
        yield from talk.quote(*place)


def _is_of(fact: f.Fact, asked: Asked) -> bool:
    """False for what is told of another thread than those that were asked about."""
    thread = getattr(fact, "thread", None)
    return not asked.threads or thread is None or thread in asked.threads


def _cited(lead: str, fact: f.Fact, talk: Talk) -> Iterator[Claim]:
    """The line of a fact that says most: the one that the fact itself points at, else its first."""
    cite = fact.cite
    numbers = [fact.line if isinstance(fact, f.Finding) else cite.first or 1]
    if isinstance(fact, f.HeapTypes | f.Monitors):
        numbers = [row.line for row in fact.items[:MOST_OF_A_KIND]]
    elif isinstance(fact, f.Fault):  # each of its lines begins with what it tells
        labels = (
            (n, talk.line_of(cite.evidence, n).split()[:1])
            for n in range(cite.first, cite.last + 1)
        )
        asked = [n for n, label in labels if talk.asked.words & content_words(" ".join(label))]
        numbers = asked[:1] or numbers
    elif isinstance(fact, f.Finding):
        behind = talk.line_of(cite.evidence, fact.line + 1)
        numbers += [fact.line + 1] if behind.lstrip().startswith(_WHAT) else []
    else:
        named = ("bytes_line", "workers_line", "queued_line", "line")
        lines = [getattr(fact, name, 0) for name in named]
        numbers = [*(line for line in lines if isinstance(line, int) and line), *numbers]
    if isinstance(fact, f.Signal) and cite.last > cite.first:
        numbers += range(cite.first + 1, min(cite.last, cite.first + 2) + 1)
    for number in numbers:
        yield from talk.quote(lead, cite.evidence, number)


def _of_threads(talk: Talk) -> Iterator[Claim]:
    for wanted in talk.asked.threads[:MOST_OF_A_KIND]:
        only = None if wanted == looking.first_thread(talk.state) else wanted  # it may have no id
        stacks = [
            s
            for s in talk.state.facts.all(f.Stack)
            if wanted in (s.thread, s.number) or s.thread == only
        ]
        by_id = [stack for stack in stacks if stack.thread == wanted] or stacks
        longest = max(by_id, key=lambda stack: len(stack.frames), default=None)
        if longest is not None:
            lead = f"Thread {wanted}"
            own = [*_where_it_was(talk, longest.thread, lead)] if not talk.asked.frames else []
            yield from own
            yield from _frames(talk, longest, lead, most=1 if own else _FRAMES)
        ids = {wanted, longest.thread} if longest is not None else {wanted}
        for wait in talk.state.facts.all(f.Wait):
            if wait.thread in ids:
                lead = "It waits" if wait.blocks else "It does not wait"
                yield from talk.quote(lead, wait.cite.evidence, wait.cite.first)
        for managed in talk.state.facts.all(f.ManagedThreads)[:1]:
            for row in managed.items:
                if wanted in (row.number, row.id, row.thread):
                    yield from talk.quote("The runtime's thread", managed.cite.evidence, row.line)
        if longest is None:
            for threads in talk.state.facts.all(f.Threads)[:1]:
                for item in threads.items:
                    if wanted in (item.number, item.thread):
                        yield from talk.quote("In the list", threads.cite.evidence, item.line)


def _where_it_was(talk: Talk, thread: int | None, lead: str = "The stack") -> Iterator[Claim]:
    """The innermost frame of a thread that is the program's own."""
    own = (one for one in looking.shown_frames(talk.state, thread) if one.own)
    for one in islice(own, 1):
        if one.said is not None:
            yield from talk.quote(lead, one.said.evidence, one.said.first)


def _repeated(talk: Talk, stack: f.Stack) -> Iterator[Claim]:
    """How often the functions that are named stand on a stack, by the outermost frame of each."""
    for name in talk.asked.names:
        frames = [frame for frame in stack.frames if name in names_of(frame)]
        if len(frames) > 1:
            lead = f"The recursion: {name} is on the stack {len(frames)} times, the outermost"
            yield from talk.quote(lead, stack.cite.evidence, frames[-1].line_no)


def _calls(talk: Talk, stack: f.Stack, *, by: bool) -> Iterator[Claim]:
    """The frames that called a function (``by``), or what it called and from which line."""
    whose = _CALLERS_OF.search(talk.asked.text)
    exported = EXPORTED.sub("", whose[1]) if whose is not None else ""
    for inner, outer in pairwise(stack.frames):
        named = names_of(inner if by else outer)
        plain = {EXPORTED.sub("", name) for name in named} - {""}
        if {*talk.asked.names} & named or exported in plain:
            lead, frames = ("Called from", [outer]) if by else ("The call", [inner, outer])
            for frame in frames:
                yield from talk.quote(lead, stack.cite.evidence, frame.line_no)


def _frames(talk: Talk, stack: f.Stack, lead: str, most: int) -> Iterator[Claim]:
    """The frames that are asked about, the last of how many there are, or the first ``most``."""
    frames = stack.frames[:most]
    if talk.asked.frames:
        frames = tuple(frame for frame in stack.frames if frame.index in talk.asked.frames)
    elif _FRAMES_COUNTED.search(talk.asked.text) and stack.complete and not stack.corrupt:
        frames = stack.frames[-1:]
        lead = f"{lead} is {counted(len(stack.frames), 'frame')} deep, the last"
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
                yield from talk.quote("The source", one.cite.evidence, one.cite.first)


def _of_the_crash(state: Investigation) -> list[f.Stack]:
    """The stacks of the thread that ended the process, or of whatever was selected."""
    signal = state.facts.first(f.Signal)
    thread = signal.thread if signal is not None else None
    stacks = state.facts.all(f.Stack)
    found = [s for s in stacks if thread is not None and s.thread == thread]
    return found or [s for s in stacks if s.current] or stacks[:1]
