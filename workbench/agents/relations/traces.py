"""Words for events and states of which something would be left: an overflow, a failure, a value
that is null or empty, a block that was freed. Without what is left, nobody knows of them."""

import re

from workbench.agents.known import Known, bare
from workbench.agents.relations.parts import (
    AT_PLACE,
    Answer,
    Relation,
    Test,
    among,
    cased,
    hexadecimal,
    named,
    names,
    number,
    whole,
)
from workbench.model.facts import (
    Argument,
    CxxException,
    Fault,
    Finding,
    LockCycle,
    ManagedException,
    Stack,
    Wait,
)

_OVERFLOWS = frozenset(
    (
        "buffer-overflow",
        "heap-buffer-overflow",
        "stack-buffer-overflow",
        "out-of-bounds-write",
        "heap-corruption",
        "integer-overflow",
        "stack-overflow",
        "unchecked-allocation",
    )
)
_WRITTEN = (_OVERFLOWS - {"stack-overflow"}) | {
    "corrupted-pointer",
    "use-after-free",
    "double-free",
    "invalid-vtable",
    "type-confusion",
    "data-race",
    "write-to-read-only-memory",
    "invalid-free",
    "mismatched-deallocation",
}
_FREED = frozenset(("use-after-free", "double-free", "invalid-free", "heap-corruption"))
_EXHAUSTED = frozenset(("out-of-memory", "memory-leak", "unchecked-allocation", "stack-overflow"))
_LEFT = {
    "negative": re.compile(r"(?<![\w.])-[1-9]|0xf{6}", re.IGNORECASE),
    "null": re.compile(r"\b0x0+\b|null|\bnil\b|None\b|= ?0\b|\b0{8}", re.IGNORECASE),
    "empty": re.compile(r"\"\"|''|\bempty\b|(?<![\w.])0\b|0x0\b|\{\}|\[\]", re.IGNORECASE),
    "failed": re.compile(r"fail|errno|error|denied|refused|cannot|could not", re.IGNORECASE),
    "freed": re.compile(r"free|tcache|fastbin|unsorted|delete", re.IGNORECASE),
    "exhausted": re.compile(r"exhaust|out of memory|cannot allocate|bad_alloc", re.IGNORECASE),
    "overflow": re.compile(r"overflow|smash|past the end|overrun", re.IGNORECASE),
    "overwritten": re.compile(r"overwr|corrupt|smash|same data|poison|broken", re.IGNORECASE),
}


def _left(kind: str) -> Test:
    """A cited line has what such a thing leaves."""

    def test(match: re.Match[str], known: Known) -> Answer:
        return None if any(_LEFT[kind].search(line) for line in known.cited) else False

    return test


def _failed(match: re.Match[str], known: Known) -> Answer:
    if match["name"] is None and bare(named(match, "name")) not in known.functions:
        return None  # a word like any other
    return _left("failed")(match, known)


def _caused(kind: str, categories: frozenset[str]) -> Test:
    """The cause that is proved is of that kind, or a cited line says so."""
    left = _left(kind)

    def test(match: re.Match[str], known: Known) -> Answer:
        return None if known.causes & categories else left(match, known)

    return test


def _freed(match: re.Match[str], known: Known) -> Answer:
    """What lies at an address was given back."""
    address = number(match, "value")
    chunks = [c for c in known.chunks if c.start <= address < c.start + max(c.size, 17)]
    if not chunks:
        reported = known.facts.first(Finding) is not None or not known.chunks
        said = [line for line in known.cited if match["value"].strip("`") in line]
        return None if reported and any("free" in line for line in said) else False
    if any(chunk.state not in ("in-use", "top", "header") for chunk in chunks):
        return True
    return f"the chunk at {chunks[0].start:#x} is {chunks[0].state}"


def _returned_value(match: re.Match[str], known: Known) -> Answer:
    """A function returned a value: what the walk back from the fault ends at."""
    name = bare(named(match, "name"))
    if match["name"] is None and name not in known.functions:
        return None
    said = match["value"].strip("`").lower()
    value = 0 if said in ("null", "nullptr", "nil", "zero") else int(said, 0)
    for fault in known.facts.all(Fault):
        if fault.origin_call is None or bare(fault.origin_call) != name:
            continue
        given = {fault.origin_value, fault.base_value if fault.origin_value is None else None}
        values = {one for one in given if one is not None}
        if values:
            return True if value in values else f"{name} returned {min(values):#x}"
    shown = re.compile(
        rf"returned by the call to {re.escape(name)}|Value returned|return(?:ed|s)? "
    )
    return None if any(shown.search(line) for line in known.cited) else False


def _given(match: re.Match[str], known: Known) -> Answer:
    """A function was given a value: by what its call shows, or its frame."""
    name = bare(named(match, "name"))
    values = {
        argument.value
        for argument in known.facts.all(Argument)
        if argument.function is not None and bare(argument.function) == name
    }
    for frame in known.frames:
        if bare(frame.function) == name and frame.args:
            values |= {
                int(text, 0) for text in re.findall(r"=(0x[0-9a-f]+|[1-9]\d*|0)\b", frame.args)
            }
    return among(number(match, "value"), values, f"{name} was given")


def _no_exception(match: re.Match[str], known: Known) -> Answer:
    if any(fact for fact in known.facts.all(CxxException)):
        return "an exception was thrown"
    return True if any("no C++ exception" in line for line in known.cited) else None


def _returned_from(match: re.Match[str], known: Known) -> Answer:
    name = bare(named(match, "name"))
    if name in known.returned:
        return True
    if "thread" in match.groupdict() and match["thread"] is not None:
        tids = known.tids(int(match["thread"]))
        for stack in known.facts.all(Stack):
            if stack.thread in tids and any(bare(f.function) == name for f in stack.frames):
                return f"thread {match['thread']} is still in {name}"
    return False if name in known.functions else None


def _each_other(match: re.Match[str], known: Known) -> Answer:
    """Threads that wait for each other are a ring of locks."""
    if known.facts.all(LockCycle) or "deadlock" in known.causes:
        return None
    waits = known.facts.all(Wait)
    if waits and not any(wait.owner is not None for wait in waits):
        return "no thread is known to wait for what another one holds"
    return False


def _caught(match: re.Match[str], known: Known) -> Answer:
    if match["name"] is None and bare(named(match, "name")) not in known.functions:
        return None
    thrown: list[CxxException | ManagedException] = [
        *known.facts.all(CxxException),
        *known.facts.all(ManagedException),
    ]
    if any(fact.uncaught for fact in thrown) or known.causes & {"uncaught-exception"}:
        return "nobody caught the exception"
    return False


def _value(name: str, known: Known) -> set[int]:
    """What is shown for a variable or a member: by facts, or as a cited line prints it."""
    last = re.split(r"->|\.", name.lstrip("$*&"))[-1]
    shown = known.numbers_of(name) or known.register_now(name.lstrip("$"))
    if shown:
        return shown
    pattern = re.compile(rf"(?<!\w){re.escape(last)} ?= ?(0x[0-9a-f]+|-?\d+)\b(?!\.)")
    found = {m[1] for line in known.cited for m in pattern.finditer(line)}
    return {int(text, 16 if "x" in text else 10) for text in found}


_MORE = frozenset(("larger", "greater", "bigger", "more", "higher", "above"))


def _compared(match: re.Match[str], known: Known) -> Answer:
    one, other = _value(match["one"], known), _value(match["two"], known)
    if len(one) != 1 or len(other) != 1:
        return None
    (a,), (b,) = one, other
    if (a > b) if match["how"].lower() in _MORE else (a < b):
        return True
    return f"{match['one']} is {a} and {match['two']} is {b}"


_MEMBER = r"[$*&]{0,2}[A-Za-z_]\w*(?:(?:->|\.)\w+|\[\w+\])*"
_PASSIVE = r"(?:is|was|are|were|(?:has|had) (?:already |then )?been|got|gets)"

TRACES: tuple[Relation, ...] = (
    (
        cased(
            names("name"),
            AT_PLACE,
            r" (?:had |has )?(?:returned|returns|gave back|yielded) (?:the )?(?:value |"
            r"pointer |address )?",
            r"(?P<value>`?(?:0x[0-9a-f]+|-?\d{1,18}|null|NULL|nullptr|nil|zero)`?)(?!\w|\.\w)",
        ),
        _returned_value,
    ),
    (
        cased(
            names("name"),
            AT_PLACE,
            r" (?:was given|was passed|was handed|got|received|gets) (?:the )?(?:address |"
            r"pointer |",
            r"value |argument )?",
            hexadecimal("value"),
        ),
        _given,
    ),
    (
        whole(
            r"\b(?:no|without) (?:a |any )?(?:c\+\+ )?exception (?:is|was|being) (?:in "
            r"flight|thrown)"
        ),
        _no_exception,
    ),
    (
        cased(
            r"(?:`[^`\n]+`|\b(?:[Ww]rite|[Cc]opy|[Ii]ndex|[Cc]ounter|[Ll]ength|[Ss]ize|[Bb]uffer|",
            r"[Aa]rray)) (?:then |had |has |was |is )?overflow(?:ed|s|n)\b",
        ),
        _caused("overflow", _OVERFLOWS - {"stack-overflow"}),
    ),
    (
        whole(r"\b(?:a|an|the|of|by|to) (?:[\w-]+ ){0,2}overflow\b|\bit overflow(?:ed|s)\b"),
        _caused("overflow", _OVERFLOWS),
    ),
    (
        whole(
            r"\b(?:memory|block|object|chunk|node|buffer|struct)(?:,? (?:that|which))? ",
            r"(?:is|was|has been|had been) (?:already )?",
            r"(?:freed|given back|released|deallocated|deleted)\b",
        ),
        _caused("freed", _FREED),
    ),
    (
        whole(
            r"\b(?:overwrote|overwrites|overwritten|clobbered|clobbers|trashed|smashed|corrupted|",
            r"corrupts)\b(?! (?:pointer|heap|memory|stack)\b)",
        ),
        _caused("overwritten", _WRITTEN),
    ),
    (
        cased(
            names("name"),
            AT_PLACE,
            r" (?:has |had |call |itself )?(?:failed|fails)\b(?! (?:at|to (?:read|write|"
            r"access|load|store))\b)",
        ),
        _failed,
    ),
    (
        whole(
            r"\b(?:heap|memory|arena)\b[^.;,]{0,40}? (?:is|was|had been) (?:exhausted|"
            r"full|used up)\b"
        ),
        _caused("exhausted", _EXHAUSTED),
    ),
    (whole(r"\b(?:a|an|the|is|was|were|went|became) negative\b"), _left("negative")),
    (
        whole(
            r"\b(?:a|an|with|is|was|the(?= null (?:pointer|value|arg))) (?:null|nullptr)\b"
            r"(?! (?:deref|check|test))"
        ),
        _left("null"),
    ),
    (whole(r"\b(?:a|an|the|is|was) (?:empty|zero-length)\b"), _left("empty")),
    (
        whole(
            r"(?:\bat |\baddress |\bpointer |\bblock |\bobject |\bchunk |(?<![\w`]))",
            hexadecimal("value"),
            r",? (?:which |that )?",
            _PASSIVE,
            r" (?:already |then )?(?:freed|deleted|given back|released)\b",
        ),
        _freed,
    ),
    (
        whole(
            hexadecimal("value"),
            r",? (?:which |that )?(?:lies|is|lay|points|was) (?:in|into|inside|within) ",
            r"(?:a |the )?(?:already )?(?:freed|free) (?:chunk|block|memory|object)",
        ),
        _freed,
    ),
    (
        cased(
            r"(?:\b[Tt]hread #?(?P<thread>\d+) (?:has |had |already )*)?\breturned from ",
            r"`(?P<name>[^`\n]+)`(?P<name_>)",
        ),
        _returned_from,
    ),
    (whole(r"\bwait(?:s|ed|ing)? (?:for|on) each other\b|\bdeadlocked with\b"), _each_other),
    (
        cased(
            names("name"),
            AT_PLACE,
            r" (?:had |has )?(?:caught|catches|handled|handles|swallowed|swallows) (?:it|"
            r"the exception|",
            r"this exception|the signal|SIG[A-Z]+)\b",
        ),
        _caught,
    ),
    (
        cased(
            rf"`(?P<one>{_MEMBER})` (?:\([^()]*\) )?(?:is|was|are) (?P<how>larger|greater|"
            rf"bigger|higher|",
            rf"smaller|less|lower|above|below) (?:than )?`(?P<two>{_MEMBER})`",
        ),
        _compared,
    ),
)
