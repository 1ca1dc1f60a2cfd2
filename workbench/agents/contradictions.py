"""Statements of a claim that a fact contradicts, although their words stand in some cited line."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from workbench.agents.known import Known
from workbench.agents.number_words import in_digits
from workbench.agents.polarity import affirmed
from workbench.agents.relations import relations_of
from workbench.agents.relations.parts import MOST_MATCHES
from workbench.model.facts import (
    FactBook,
    Fault,
    LockCycle,
    Process,
    Signal,
    Stack,
    Threads,
    Wait,
)
from workbench.model.investigation import Investigation

LONGEST = 4000
"""Characters of a claim; the critic strikes what is longer."""

_BARE = re.compile(
    r"\b(?:in|inside|by|calls?|called|into|function|from)\s+(?P<name>[A-Za-z_]\w{2,})\b(?![:.\w(])"
)
_WORDS = frozenset(
    (
        "the",
        "this",
        "that",
        "its",
        "use",
        "memory",
        "place",
        "order",
        "total",
        "turn",
        "time",
        "case",
    )
)
"""Words that a function may be named like."""

_THREADS = re.compile(
    r"\b(?:threads?|LWPs?|TIDs?)\s+#?(\d{1,10}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or)\s+)\d{1,10})*)"
    r"(?!\w)(?!\s*(?:of|threads|times)\b)",
    re.IGNORECASE,
)
_ALL_THREADS = re.compile(
    r"\b(?:all|of(?: the| its)?|has|had|with)\s+(\d{1,9}|one|two)\s+threads\b"
    r"(?!\s+(?:wait|in|that|block))",
    re.IGNORECASE,
)
_FAULT_ADDRESS = re.compile(
    r"\b(?:fault(?:ing)? address|si_addr)\W{1,3}(?:is |was |of |= ?)?`?(0[xX][0-9a-fA-F]{1,16})\b"
)
_THREAD_IN = re.compile(
    r"\bthread\s+#?(\d{1,10})\s+(?:(?:is|was|crashed|stopped|waits?|stands|sits|stuck|blocked)\s+)*"
    r"(?:in|inside|executing|running)\s+(?:the\s+)?(?:function\s+)?`?([A-Za-z_~][\w:~]*)`?(?:\(\))?",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\bthread\s+(\d{1,10})\s+waits?\b[^.;]{0,200}?\block\s+(?:at\s+)?(0[xX][0-9a-fA-F]{1,16}),?\s+"
    r"(?:(?:which|that)\s+thread\s+(\d{1,10})\s+holds|held\s+by\s+thread\s+(\d{1,10}))",
    re.IGNORECASE,
)
_IN_RING = re.compile(
    r"\bthreads\s+(\d{1,10}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)\d{1,10})*)\s+wait\s+for\s+each\s+other",
    re.IGNORECASE,
)


_NEVER = re.compile(
    r"\b(?:is|was|were|are|has\s+been|had\s+been|been)\s+never\s+(?:\w+ed|set|run|read|written|freed)\b"
    r"|\bnever\s+(?:been\s+)?initiali[sz]ed\b",
    re.IGNORECASE,
)
"""A dump shows a moment: what never happened until then is nothing that it tells."""


def contradiction(
    text: str, state: Investigation, known: Known | None = None, lines: Sequence[str] = ()
) -> str | None:
    """The first statement of a sentence that a fact contradicts, in words; None when there is
    none. Facts that are missing contradict nothing."""
    facts = state.facts
    known = known or Known(facts)
    known.cited = lines
    text = text[:LONGEST]
    finders = (_threads, _thread_count, _fault_address, _function_on_thread, _owner, _ring)
    for find in finders:
        for problem in find(text, facts):
            return problem
    return _related(text, known) or _not_cited(text, known)


def _related(text: str, known: Known) -> str | None:
    """What the facts say instead of the first relation that they know to be otherwise."""
    said = affirmed(text)
    for statement, test in relations_of(by_model=known.by_model):
        for match in islice(statement.said_in(said.text), MOST_MATCHES):
            answer = test(match, known)
            denied = said.denies(match.start(), match.end())
            if isinstance(answer, str) and not denied:
                return answer
            if answer is True and denied:
                return f'the evidence says just that: "{match[0].strip()}"'
    return None


def unproved_relation(text: str, known: Known) -> str | None:
    """The first statement of a sentence that only facts could tell, and that none does; None when
    there is none. An expert may have reasons that are no relation; a model has none."""
    said = affirmed(text[:LONGEST])
    for statement, test in relations_of(by_model=True):
        for match in islice(statement.said_in(said.text), MOST_MATCHES):
            if test(match, known) is False and not said.denies(match.start(), match.end()):
                return " ".join(match[0].split())
    never = _NEVER.search(text)
    return " ".join(never[0].split()) if never is not None else None


def affirmed_spans(text: str, known: Known) -> list[tuple[int, int]]:
    """Where a sentence says, without denying it, what the facts say too. Places are those of the
    sentence without its negations (`workbench.agents.polarity`)."""
    said = affirmed(text[:LONGEST])
    return [
        match.span()
        for statement, test in relations_of(by_model=True)
        for match in islice(statement.said_in(said.text), MOST_MATCHES)
        if test(match, known) is True and not said.denies(match.start(), match.end())
    ]


def _not_cited(text: str, known: Known) -> str | None:
    """A function that the sentence names without any mark, and that stands in no cited line."""
    for match in _BARE.finditer(affirmed(text).text):
        name = match["name"]
        if name not in known.functions or name.lower() in _WORDS or not known.cited:
            continue
        if not any(re.search(rf"\b{re.escape(name)}\b", line) for line in known.cited):
            return f"{name} stands in none of the cited lines"
    return None


def _threads(text: str, facts: FactBook) -> Iterator[str]:
    known = _known_threads(facts)
    if not known:
        return
    for match in _THREADS.finditer(text):
        for number in re.findall(r"\d+", match[1]):
            if int(number) not in known:
                yield f"there is no thread {number} in this process"


def _known_threads(facts: FactBook) -> set[int]:
    """Thread ids and the debugger's numbers; owners too, for a lock can outlive its thread."""
    known: set[int | None] = set()
    for process in facts.all(Process):
        known.update(process.threads)
    for threads in facts.all(Threads):
        known.update(n for item in threads.items for n in (item.number, item.thread))
    for stack in facts.all(Stack):
        known.update((stack.number, stack.thread))
    for wait in facts.all(Wait):
        known.update((wait.thread, wait.owner))
    for cycle in facts.all(LockCycle):
        known.update(cycle.threads)
    return {number for number in known if number is not None}


def _thread_count(text: str, facts: FactBook) -> Iterator[str]:
    process = facts.first(Process)
    if process is None or not process.threads:
        return
    for match in _ALL_THREADS.finditer(in_digits(text)):
        stated = {"one": 1, "two": 2}.get(match[1].lower()) or int(match[1])
        if stated != len(process.threads):
            yield f"the process has {len(process.threads)} threads, not {match[1]}"


def _fault_address(text: str, facts: FactBook) -> Iterator[str]:
    signal, fault = facts.first(Signal), facts.first(Fault)
    known = {
        address
        for address in (
            signal.fault_address if signal is not None else None,
            fault.operand if fault is not None else None,
            fault.pc if fault is not None and fault.access == "execute" else None,
        )
        if address is not None
    }
    for match in _FAULT_ADDRESS.finditer(text):
        if known and int(match[1], 16) not in known:
            shown = " or ".join(f"{address:#x}" for address in sorted(known))
            yield f"the faulting address is {shown}, not {match[1]}"


def _function_on_thread(text: str, facts: FactBook) -> Iterator[str]:
    stacks = facts.all(Stack)
    for match in _THREAD_IN.finditer(text):
        number, function = int(match[1]), match[2]
        named = [stack for stack in stacks if number in (stack.thread, stack.number)]
        if not named or any(stack.corrupt or not stack.complete for stack in named):
            continue
        everywhere = {_bare(frame.function) for stack in stacks for frame in stack.frames}
        here = {_bare(frame.function) for stack in named for frame in stack.frames}
        if _bare(function) in everywhere and _bare(function) not in here:
            yield f"{function} is on another thread's stack, not on that of thread {number}"


def _owner(text: str, facts: FactBook) -> Iterator[str]:
    for match in _HOLDS.finditer(text):
        waiter, address = int(match[1]), int(match[2], 16)
        holder = int(match[3] or match[4])
        for wait in facts.all(Wait):
            if (wait.thread, wait.address) == (waiter, address) and wait.owner is not None:
                if wait.owner != holder:
                    yield f"the lock at {address:#x} is held by thread {wait.owner}, not {holder}"
                break


def _ring(text: str, facts: FactBook) -> Iterator[str]:
    rings = [set(cycle.threads) for cycle in facts.all(LockCycle)]
    for match in _IN_RING.finditer(text) if rings else ():
        named = {int(number) for number in re.findall(r"\d+", match[1])}
        if named not in rings:
            shown = "; ".join(", ".join(map(str, sorted(ring))) for ring in rings)
            yield f"the threads that wait in a ring are {shown}"


def _bare(function: str | None) -> str:
    """A function's last name, without scope, parameters and version."""
    if function is None:
        return ""
    return re.split(r"[(<@]", function, maxsplit=1)[0].rpartition("::")[2]
