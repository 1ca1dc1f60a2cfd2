"""What a sentence says of waiting: for which thread, in what, who holds a lock by its name, and how
many are in a ring."""

import re

from workbench.agents.known import Known, bare
from workbench.agents.relations.parts import Answer, Relation, cased, number
from workbench.model.facts import LockCycle, Stack, Wait

_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_COUNT = rf"(?P<count>\d{{1,6}}|{'|'.join(_WORDS)})"
_LOCKS = frozenset(("mutex", "rwlock", "semaphore", "futex", "barrier", "once", "condition"))
_KINDS = {
    "mutex": frozenset(("mutex", "futex")),
    "lock": frozenset(("mutex", "rwlock", "futex")),
    "condition": frozenset(("condition", "futex")),
    "semaphore": frozenset(("semaphore", "futex")),
    "barrier": frozenset(("barrier", "futex")),
}
_IDLE = frozenset(("sleep", "other", "io", "child"))


def _waits_of(match: re.Match[str], known: Known) -> list[Wait]:
    tids = known.tids(number(match, "thread"))
    return [wait for wait in known.facts.all(Wait) if wait.thread in tids]


def _for_thread(match: re.Match[str], known: Known) -> Answer:
    """Thread N waits for thread M: to end, or for what it holds."""
    waits = _waits_of(match, known)
    owners = {wait.owner for wait in waits if wait.owner is not None}
    if not waits:
        return None
    if owners & known.tids(number(match, "other")):
        return True
    if all(wait.kind == "running" for wait in waits):
        return f"thread {match['thread']} does not wait: it runs"
    if not owners:
        return False
    return f"thread {match['thread']} waits for thread {', '.join(map(str, sorted(owners)))}"


def _in_kind(match: re.Match[str], known: Known) -> Answer:
    """Thread N waits for a mutex, on a condition variable and the like."""
    kinds = {wait.kind for wait in _waits_of(match, known)}
    wanted = _KINDS.get(match["kind"].lower(), frozenset())
    if not kinds or not wanted:
        return None
    if kinds & wanted:
        return True
    return f"thread {match['thread']} is in {' or '.join(sorted(kinds))}, in no {match['kind']}"


def _state(match: re.Match[str], known: Known) -> Answer:
    """Thread N sleeps, runs or waits."""
    kinds = {wait.kind for wait in _waits_of(match, known)}
    if not kinds:
        return None
    said = match["state"].lower()
    if said.startswith(("asleep", "sleep", "idle")):
        fits = bool(kinds & {"sleep"}) or ("idle" in said and bool(kinds & _IDLE))
    elif said.startswith("run"):
        fits = "running" in kinds
    else:
        fits = bool(kinds - {"running"})
    return True if fits else f"thread {match['thread']} is in {' or '.join(sorted(kinds))}"


def _owns_all(match: re.Match[str], known: Known) -> Answer:
    """Thread N holds each of the locks at these addresses."""
    tids = known.tids(number(match, "thread"))
    answers: list[Answer] = []
    for text in re.findall(r"0x[0-9a-f]+", match["locks"]):
        owners = {w.owner for w in known.facts.all(Wait) if w.address == int(text, 16)} - {None}
        if owners and not owners & tids:
            return f"the lock at {text} is held by thread {', '.join(map(str, owners))}"
        answers.append(True if owners else None)
    return True if answers and all(answers) else None


def _owns_named(match: re.Match[str], known: Known) -> Answer:
    """Thread N holds the lock that a symbol or a variable names."""
    name = match["lock"].lstrip("&*")
    waits = [w for w in known.facts.all(Wait) if w.name is not None and w.owner is not None]
    owners = {wait.owner for wait in waits if wait.name in (name, f"&{name}")}
    if not owners:
        return False if waits or known.facts.all(Wait) else None
    if owners & known.tids(number(match, "thread")):
        return True
    return f"{name} is held by thread {', '.join(map(str, sorted(o for o in owners if o)))}"


def _ring(match: re.Match[str], known: Known) -> Answer:
    sizes = {len(cycle.threads) for cycle in known.facts.all(LockCycle)}
    count = match["count"].lower()
    value = _WORDS.get(count) or int(count)
    if not sizes:
        return None
    return (
        True if value in sizes else f"the ring has {' or '.join(map(str, sorted(sizes)))} threads"
    )


def _same(match: re.Match[str], known: Known) -> Answer:
    waits = [w for w in known.facts.all(Wait) if w.kind in _LOCKS and w.address is not None]
    addresses = list({wait.thread: wait.address for wait in waits}.values())
    if len(addresses) < 2:
        return None
    if len(set(addresses)) < len(addresses):
        return True
    return "no two threads wait for the same lock"


def _recursive(match: re.Match[str], known: Known) -> Answer:
    """Mutexes that may be taken again by their owner, or not."""
    kinds = {w.recursive for w in known.facts.all(Wait) if w.recursive is not None}
    if not kinds:
        return None
    said = not match["no"]
    if kinds == {said}:
        return True
    return (
        None if len(kinds) > 1 else f"they are {'recursive' if True in kinds else 'not recursive'}"
    )


def _only(match: re.Match[str], known: Known) -> Answer:
    """Only so many threads are in a function."""
    name = bare(match["name"])
    count = match["count"].lower()
    value = _WORDS.get(count) or int(count)
    stacks = {
        (stack.number, stack.thread): stack
        for stack in known.facts.all(Stack)
        if any(_alike(name, bare(frame.function)) for frame in stack.frames)
    }
    threads = {thread if thread is not None else number_ for number_, thread in stacks}
    if name not in known.functions and not threads:
        return None
    return True if len(threads) == value else f"{len(threads)} threads are in {name}"


def _alike(name: str, other: str) -> bool:
    return name == other or name.strip("_") == re.sub(r"^_*(?:GI_+)?", "", other)


_THREAD = (
    r"\b[Tt]hread #?(?P<thread>\d+)(?: \([^()]*\))?,? (?:(?:which|that) )?(?:also |only |"
    r"still |then )?"
)
_BLOCKED = (
    r"(?:waits?|waited|is waiting|was waiting|blocks?|blocked|is blocked|was blocked|is stuck|"
    r"hangs|is parked)"
)

WAITING: tuple[Relation, ...] = (
    (
        cased(
            r"\b(?:[Mm]utex(?:es)?|[Ll]ocks?)\b[^.;,]{0,40}?(?: (?P<no>not|non|no)[ -]| "
            r")recursive\b"
        ),
        _recursive,
    ),
    (
        cased(
            _THREAD,
            r"(?:",
            _BLOCKED,
            r" (?:for|on|in|until)(?: the (?:end|exit) of)?|joins|is joining) (?:the "
            r")?thread #?(?P<other>\d+)",
        ),
        _for_thread,
    ),
    (
        cased(
            _THREAD,
            _BLOCKED,
            r"(?: in `[^`\n]+`)? (?:for|on|in|at) (?:the |a |an |another |its )?",
            r"(?P<kind>mutex|lock|condition|semaphore|barrier)\b",
        ),
        _in_kind,
    ),
    (
        cased(
            _THREAD,
            r"(?:(?:is|was|has been|had been) (?:just |merely )?)",
            r"(?P<state>asleep|sleeping|idle|running|blocked|waiting|stuck)\b",
        ),
        _state,
    ),
    (cased(_THREAD, r"(?P<state>sleeps|runs)\b(?! (?:out|into|in|on|as|the|through))"), _state),
    (
        cased(
            _THREAD,
            r"(?:holds?|held|owns?|owned|has|had taken|took|locked) (?:both )?(?:the )?",
            r"(?:(?:locks?|mutex(?:es)?) )?(?:at )?",
            r"(?P<locks>`?0x[0-9a-f]+`?(?:,? (?:and )?`?0x[0-9a-f]+`?){1,4})",
        ),
        _owns_all,
    ),
    (
        cased(
            r"\b(?:lock|mutex|[Ll]ock|[Mm]utex) (?:at )?(?P<locks>`?0x[0-9a-f]+`?)",
            r"(?: \([^()]*\))?,? (?:(?:which|that) )?(?:is|was) (?:held|owned|locked|taken) by ",
            r"thread #?(?P<thread>\d+)",
        ),
        _owns_all,
    ),
    (
        cased(
            _THREAD,
            r"(?:holds?|held|owns?|owned|has|took) (?:the )?(?:lock|mutex) ",
            r"`(?P<lock>[A-Za-z_&*][^`\n]*)`",
        ),
        _owns_named,
    ),
    (
        cased(
            r"(?:lock|mutex|[Ll]ock|[Mm]utex) `(?P<lock>[A-Za-z_&*][^`\n]*)`,? "
            r"(?:(?:which|that) )?",
            r"(?:is|was) (?:held|owned|locked|taken) by thread #?(?P<thread>\d+)",
        ),
        _owns_named,
    ),
    (
        cased(
            r"\b",
            _COUNT.replace("one|", "[Oo]ne|")
            .replace("|two", "|[Tt]wo")
            .replace("|three", "|[Tt]hree"),
            r" threads (?:form|make up|make|are in|wait in|build) (?:the|a) (?:ring|cycle|"
            r"circle|deadlock)",
        ),
        _ring,
    ),
    (
        cased(
            r"\b(?:ring|cycle|circle|deadlock) (?:of|between|among|has|with) (?:the )?",
            _COUNT,
            r" threads\b",
        ),
        _ring,
    ),
    (
        cased(
            r"\b(?:wait|waits|waiting|blocked|block|contend) (?:for|on) the same ",
            r"(?:mutex|lock|object|address|futex)\b",
        ),
        _same,
    ),
    (
        cased(
            r"\b[Oo]nly ",
            _COUNT,
            r" threads? (?:is|are|was|were|waits?|stands?)(?: \w+)? (?:in|inside|at) "
            r"`(?P<name>[^`\n]+)`",
        ),
        _only,
    ),
)
