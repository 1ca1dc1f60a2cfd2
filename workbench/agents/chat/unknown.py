"""What was asked and cannot be told, in sentences of plain code."""

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from workbench.agents.chat.asked import ASKED, Asked
from workbench.agents.chat.beyond import Beyond
from workbench.agents.chat.measured import Measure, matching
from workbench.agents.chat.severe import severity_told
from workbench.agents.chat.values import Shown, uncalled
from workbench.agents.chat.words import GENERAL, content_words, is_general
from workbench.model.claims import Claim
from workbench.model.facts import Chunk, Process
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation


def sentence(one: Beyond, state: Investigation) -> Iterator[str]:
    """What cannot be told and why, then how to find out."""
    this = "this log" if state.recorded else "one dump"
    match one.kind:
        case "who":
            yield from _who(one, state, this)
        case "when":
            yield (
                f"{this[0].upper()}{this[1:]} does not tell when that was: it is the state at one "
                "moment, and no line that was found carries a time of it."
                if this == "one dump"
                else "No line that was kept of this log tells when that was."
            )
            yield (
                "To find out: the lines of the log around the report, where it has times."
                if this == "this log"
                else "To find out: the service manager's or the program's own log with its "
                "times, and the date of the dump's file."
            )
        case "moment":
            reason = (
                "no stack of it is recorded"
                if this == "this log"
                else "memory keeps no time of it, and no record of who did it"
            )
            yield f"When it was {_DONE_TO.get(one.verb, one.verb)} is not in {this}: {reason}."
            yield f"To find out: {_tools(state)}."
        case "first":
            yield (
                f"Which was first does not stand in {this}: it shows who holds and who waits "
                "at one moment, and no order in which the locks were taken."
            )
            yield (
                "To find out: a log line at each lock, or the same run under a tool that keeps "
                "the order (ThreadSanitizer, valgrind --tool=helgrind, rr, a trace of the lock "
                "events)."
            )
        case "elsewhere":
            yield (
                f"Why it is so there and not elsewhere does not stand in {this}: it shows one run, "
                "and none that went otherwise to compare it with."
            )
            yield (
                "To find out: what differs between the two (version and build, settings, "
                "input, load, memory and cores), and a dump or log of the place where it goes well."
            )
        case "long":
            yield (
                f"How long it has been so does not stand in {this}: it shows one moment. To "
                "find out: a second dump some seconds later, or a log with times."
            )
        case "often":
            yield (
                f"How often it happens does not stand in {this}: it shows one time. To find "
                "out: further dumps or logs (`workbench sessions` lists those that were looked "
                "at)."
            )
        case "became":
            yield (
                f"How it came to be so does not stand in {this}, which shows the values at the end "
                f"and none before. To find out: {_tools(state)}."
            )
        case _:
            yield (
                f"What would happen otherwise does not stand in {this}: it shows what did happen. "
                "Trying it would tell."
            )


def _who(one: Beyond, state: Investigation, this: str) -> Iterator[str]:
    verb = one.verb.lower()
    if verb == "sent the signal":
        yield f"Who sent it does not stand in {this}."
        yield "To find out: the system's log (dmesg, journalctl), or auditd for kill(2)."
        return
    freed = verb.startswith(("free", "delet", "releas"))
    free = any(chunk.state not in ("in-use", "top", "header") for chunk in state.facts.all(Chunk))
    if this == "this log":
        yield f"Who {_past(verb)} it does not stand in this log: no stack of it is recorded."
    elif freed and free:
        yield (
            "Who freed it cannot be told from a dump: the allocator marks a chunk as free and "
            "keeps no record of who freed it."
        )
    else:
        yield f"Who {_past(verb)} it cannot be told from a dump: memory keeps no record of that."
    yield f"To find out: {_tools(state)}."


_PAST = {
    "free": "freed", "frees": "freed", "delete": "deleted", "deletes": "deleted",
    "release": "released", "writes": "wrote", "overwrites": "overwrote",
    "overwritten": "overwrote", "corrupt": "corrupted", "corrupts": "corrupted",
    "allocate": "allocated", "allocates": "allocated",
}  # fmt: skip


_DONE_TO = {
    "free": "freed", "allocate": "allocated", "deallocate": "deallocated", "corrupt": "corrupted",
    "overwrote": "overwritten", "overwrite": "overwritten",
}  # fmt: skip


def _past(verb: str) -> str:
    return _PAST.get(verb, verb)


def _tools(state: Investigation) -> str:
    """What records the history of memory, on the system in question."""
    process = state.facts.first(Process)
    system = f"{process.os if process else ''} {state.target.os if state.target else ''}".lower()
    managed = state.target is not None and state.target.runtime is not None
    if managed or state.host == "dotnet-dump":
        return (
            "a log line or a data breakpoint where it is set, or a trace of the same run "
            "(dotnet-trace; on Windows Time Travel Debugging)"
        )
    if "windows" in system:
        return (
            "the same run under Time Travel Debugging, with page heap (gflags /p /enable), or "
            "under AddressSanitizer"
        )
    if "mac" in system or "ios" in system or "darwin" in system:
        return (
            "the same run under AddressSanitizer, with MallocStackLogging=1, or a watchpoint in "
            "lldb (watchpoint set expression)"
        )
    again = "`workbench reproduce` (R on the screen), which watches such memory in another run; "
    return (
        f"{again if not state.recorded else ''}"
        "the same run under AddressSanitizer or valgrind, which keep the stacks of each malloc and "
        "free; rr (record, then reverse-continue from a watchpoint); or a hardware watchpoint"
    )


_WHICH = re.compile(
    r"(?i)\b(?:which|what)\s+(?P<thing>[a-z_]\w{1,24})\s+(?:was|is|were|are|did|does|has|had|caused|made|"
    r"failed|triggered|broke)\b"
)
VALUE_OF = re.compile(
    r"(?i)\bvalue\s+of\s+(?:the\s+)?(?:(?:variable|global)\s+)?([A-Za-z_]\w{0,60})\b"
)
_ALWAYS = frozenset({"cause", "crash", "exception", "advice"})

_INDEX = re.compile(
    r"(?i)\(which is -?\d+\) >=|out of (?:range|bounds)\W{0,3}\[-?\d+|"
    r"IndexOutOfBounds\w*:\s*(?:index\s+)?-?\d"
)
"""An index as libstdc++ (``__n (which is 5) >= this->size()``), Go (``index out of range [5] with
length 3``) and Java write it."""


def unmeasured(asked: Asked, known: Sequence[Measure], denied: bool) -> Iterator[str]:
    """Amounts with a unit that the person states and nothing measures."""
    for amount in asked.amounts if not denied else ():
        if amount.family and amount.relation != ASKED and not matching(amount, known):
            yield f'No line that was found measures this: "{amount.said}".'


def unvalued(asked: Asked, told: Sequence[Claim], printed: Collection[str] = ()) -> Iterator[str]:
    """A thing of the program's own whose value is asked for, and that no answer gives. ``printed``
    are those that the debugger was asked for."""
    things = [match["thing"] for match in _WHICH.finditer(asked.text)]
    for thing in dict.fromkeys((*things, *VALUE_OF.findall(asked.text))):
        if thing in printed:
            continue
        if thing.lower() in GENERAL or thing.lower().removesuffix("s") in GENERAL:
            continue
        name = re.escape(thing)
        given = re.compile(
            rf"(?i)\b\w*{name}\w*\s*(?:[=:]|\bis\b|\bwas\b|\bof\b)\s*\S|\b{name}\w*\s+[\"'`\u201c(\[]?(?:\d|['\"`])"
        )
        if thing.lower() == "index" and any(_INDEX.search(claim.text) for claim in told):
            continue
        if told and not any(given.search(claim.text) for claim in told):
            yield f'No line that was found gives the value of "{thing}".'


_GUESS = re.compile(
    r"(?i)^\W*(?:so\s+)?(?:(?:it|this|that)\s+(?:was|is)|(?:was|is)\s+(?:it|this|that))\s+(?:an?|the)\s+"
    r"(?P<what>[^,;.?!]{3,60})"
)


def unspoken(asked: Asked, known: Sequence[str], denied: bool) -> Iterator[str]:
    """A guess of which no word stands in ``known``, the lines that were found."""
    match = _GUESS.match(asked.text) if not denied else None
    if match is None:
        return
    words = content_words(match["what"]) - _ALWAYS
    if words and not words & content_words("\n".join(known)):
        yield f'Nothing that was found speaks of "{match["what"].strip()}".'


_MOST = 4
_STANDS = {
    Status.PROPOSED: "is proposed and waits for your decision",
    Status.APPROVED: "is approved and not tested yet",
    Status.TESTING: "is being tested",
}


def open_hypotheses(state: Investigation) -> Iterator[str]:
    """The hypotheses that may still turn out to be it, the likeliest first."""
    left = [h for h in state.hypotheses.values() if h.status in (*_STANDS, Status.INCONCLUSIVE)]
    for one in sorted(left, key=lambda h: -h.confidence)[:_MOST]:
        yield _sentence(one)


def _sentence(one: Hypothesis) -> str:
    category = one.category.replace("-", " ")
    statement = one.statement.rstrip(".")
    if one.status is Status.INCONCLUSIVE:
        reason = f": {one.reason.rstrip('.')}" if one.reason else ""
        return f"{one.id} ({category}) was tested and is not decided{reason}."
    return f'{one.id} ({category}) {_STANDS[one.status]}: "{statement}".'


NOTHING_SAID = "Not found in the evidence."
_MOST_MISSING = 3


class Looked(Struct, frozen=True):
    """What was found for a question: the names that no line holds, every number with a name, the
    texts of the lines, what is told from them, whether anything is denied or advised, and what the
    debugger printed of the expressions that are named."""

    unnamed: tuple[str, ...]
    known: Sequence[Measure]
    lines: Sequence[str]
    told: Sequence[Claim]
    denied: bool
    advised: bool
    values: Sequence[Shown]


def unknown_history(lacks: Sequence[Beyond], state: Investigation, timed: bool) -> Iterator[str]:
    """What needs more than the last moment; ``timed`` when lines tell of a time."""
    for lack in lacks:
        if lack.kind != "when" or not timed:
            yield from sentence(lack, state)


def unknown(asked: Asked, state: Investigation, found: Looked) -> Iterator[str]:
    """Names, values and amounts that nothing tells; what is open where a cause is asked for."""
    looked_up = " ".join(one.expression for one in found.values)
    for one in found.values:
        if one.outside:
            yield one.outside
        elif one.is_absent and not is_general(one.expression):
            yield f"The debugger knows no {one.expression} in the frames that were looked at."
    for name in found.unnamed:
        if name not in looked_up:
            yield f"Nothing in the evidence that was searched names {name}."
    yield from uncalled(asked, state)
    yield from unmeasured(asked, found.known, found.denied)
    yield from unvalued(asked, found.told, [one.expression for one in found.values])
    severe = tuple(severity_told(asked, state))
    yield from severe
    lines = [*found.lines, *(claim.text for claim in found.told)]
    yield from unspoken(asked, lines, found.denied)
    if "cause" in asked.words and (state.conclusion is None or state.conclusion.hypothesis is None):
        yield "No cause is proved by the evidence."
        yield from open_hypotheses(state)
        if state.conclusion is not None:
            missing = state.conclusion.missing[:_MOST_MISSING]
            yield from (f"What would help: {text}." for text in missing)
    elif "hypothesis" in asked.words:
        yield from open_hypotheses(state)
    elif not (
        found.told
        or found.denied
        or found.advised
        or severe
        or any(one.outside for one in found.values)
    ):
        yield NOTHING_SAID
