"""What was done, as a sentence says: who freed, what came first, what a cause was, and that it went
on. Of most of it memory keeps no record."""

import re
from itertools import pairwise

from workbench.agents.known import Known, bare
from workbench.agents.relations.actors import fronts
from workbench.agents.relations.parts import (
    AT_PLACE,
    Answer,
    Relation,
    cased,
    named,
    names,
    whole,
)
from workbench.model.facts import Finding, LockCycle, Process, Stack, StackShape, Wait


def _freed_by(match: re.Match[str], known: Known) -> Answer:
    """A thread's cache says which thread gave a chunk back; nothing says which function did."""
    thread = match.groupdict().get("thread")
    owners = {chunk.thread for chunk in known.chunks if chunk.thread is not None}
    if thread is None:
        return None if known.facts.first(Finding) is not None else _frees(match, known)
    if not owners:
        return False if known.facts.first(Finding) is None else None
    if known.tids(int(thread)) & owners:
        return True
    return f"it lies in the cache of thread {', '.join(map(str, sorted(owners)))}"


_FREES = re.compile(r"(?:^|_)(?:free|delete|cfree)$|^operator delete|^_int_free$|HeapFree$|^~")


def _frees(match: re.Match[str], known: Known) -> Answer:
    name = bare(named(match, "name"))
    if match["name"] is None and name not in known.functions:
        return None
    for stack in known.stacks:
        for inner, function in pairwise(stack[:1000]):
            if function == name and _FREES.search(inner):
                return True
    return False


def _order(match: re.Match[str], known: Known) -> Answer:
    """One function ran before another: only what was left on the stack tells."""
    one, other = bare(named(match, "one")), bare(named(match, "other"))
    every = known.functions | known.returned
    if one not in every or other not in every or one == other:
        named_both = match["one"] is not None and match["other"] is not None
        return False if named_both and (one in every or other in every) and one != other else None
    first, second = (one, other) if match["order"] == "before" else (other, one)
    if first in known.returned and second in known.functions:
        return True
    outer = any(second in stack and first in stack[stack.index(second) :] for stack in known.stacks)
    return None if outer else False


def _often(match: re.Match[str], known: Known) -> Answer:
    """How often code ran: nothing counts it, but a tool or a program that says so."""
    said = " ".join(match[0].lower().split())
    return None if any(said.split(" ", 1)[1] in line.lower() for line in known.cited) else False


def _never_told(match: re.Match[str], known: Known) -> Answer:
    """What no memory keeps: which of two threads was first, how often code ran, what a register was
    for."""
    return False


def _recursive(match: re.Match[str], known: Known) -> Answer:
    name = bare(named(match, "name"))
    if name not in known.functions:
        return None
    if any(stack.count(name) > 1 for stack in known.stacks):
        return True
    if any(repeat.function and bare(repeat.function) == name for s in known.shapes
           for repeat in s.recursion):  # fmt: skip
        return True
    if known.facts.first(Finding) is not None:
        return None
    return f"{name} stands on no stack more than once"


def _holds_lock(match: re.Match[str], known: Known) -> Answer:
    """A function that holds a lock: a thread that one is held by stands in it."""
    name = bare(named(match, "name"))
    if name not in known.functions:
        return None
    owners = {w.owner for w in known.facts.all(Wait) if w.owner is not None and w.kind != "join"}
    for stack in known.facts.all(Stack):
        if stack.thread in owners and any(bare(f.function) == name for f in stack.frames):
            return None
    return False


def _unlocked(match: re.Match[str], known: Known) -> Answer:
    lock = match["lock"].lstrip("&*")
    held = {w.name for w in known.facts.all(Wait) if w.owner is not None}
    held |= {f"{w.address:#x}" for w in known.facts.all(Wait) if w.owner and w.address}
    return f"{lock} is held" if lock in held else False


def _caused_by(match: re.Match[str], known: Known) -> Answer:
    """A function is the cause: the one in which it ended, or one that stands in a ring of locks."""
    name = bare(named(match, "name"))
    if name not in known.functions or known.facts.first(Finding) is not None:
        return None
    allowed = set(known.blamed)
    allowed |= {bare(frame.function) for front in fronts(known) for frame in front}
    if known.signal is None:
        ring = {thread for cycle in known.facts.all(LockCycle) for thread in cycle.threads}
        for stack in known.facts.all(Stack):
            if stack.thread in ring:
                allowed |= {bare(frame.function) for frame in stack.frames}
        if ring and name not in allowed:
            return f"{name} is on the stack of no thread of the ring"
    return None if name in allowed else False


def _overflowed(match: re.Match[str], known: Known) -> Answer:
    shapes = known.facts.all(StackShape)
    if not shapes or any(shape.overflowed or shape.recursion for shape in shapes):
        return None
    return "the stack had room left"


def _room(match: re.Match[str], known: Known) -> Answer:
    """So many bytes of stack were left."""
    shapes = [s for s in known.facts.all(StackShape) if s.guard_distance is not None]
    if not shapes:
        return None
    if int(match["count"].replace(",", "")) in {s.guard_distance for s in shapes}:
        return True
    return f"{shapes[0].guard_distance} bytes were left"


def _snapshot(match: re.Match[str], known: Known) -> Answer:
    """No signal ended the process: the dump was taken of a running one."""
    process = known.facts.first(Process)
    if process is None:
        return None
    ended = known.signal is not None or known.records or known.fault is not None
    if process.snapshot and not ended:
        return True
    return "a signal or an exception ended the process" if ended else None


def _threads(match: re.Match[str], known: Known) -> Answer:
    process = known.facts.first(Process)
    words = {"one": 1, "a single": 1, "two": 2, "three": 3, "four": 4}
    count = match["count"].lower()
    value = words.get(count) or (int(count) if count.isdigit() else None)
    if process is None or not process.threads or value is None:
        return None
    has = len(process.threads)
    return True if has == value else f"the process has {has} threads, not {value}"


def _went_on(match: re.Match[str], known: Known) -> Answer:
    if known.signal is not None or known.fault is not None or known.records:
        return "it was ended"
    return None


_QUOTED = r"`(?P<name>[^`\n]+)`(?P<name_>)"
_DID = (
    r"(?:ran|runs|was called|is called|was run|called|executed|returned|finished|started|began|"
    r"had (?:run|returned|finished|ended|been called))"
)

DOINGS: tuple[Relation, ...] = (
    (
        whole(
            r"\b(?:freed|released|given back|deleted|deallocated) (?:in|by|on) thread "
            r"#?(?P<thread>\d+)"
        ),
        _freed_by,
    ),
    (
        whole(
            r"thread #?(?P<thread>\d+) (?:had |has |already )*(?:freed|deleted|released|"
            r"deallocated)\b(?! the lock)"
        ),
        _freed_by,
    ),
    (
        cased(
            r"\b(?:freed|deleted|deallocated|destroyed) (?:already )?(?:in|by|inside) "
            r"(?:the function )?",
            _QUOTED,
        ),
        _freed_by,
    ),
    (
        cased(
            names("name"),
            AT_PLACE,
            r",? (?:(?:which|that) )?(?:had |has |already )*(?:freed|deleted|deallocated|"
            r"destroyed)\b",
        ),
        _freed_by,
    ),
    (
        cased(
            names("one"),
            AT_PLACE,
            rf" (?:(?:had |was |is )*{_DID})(?: \w+){{0,2}}? (?P<order>before|after) ",
            names("other"),
        ),
        _order,
    ),
    (
        cased(
            r"`[A-Za-z_][\w:~]*(?:\(\))?` (?:(?:has|had|contains|hides) (?:a |the "
            r")?(?:bug|defect|error|flaw)|",
            r"is (?:buggy|faulty|broken|wrong))\b",
        ),
        _never_told,
    ),
    (
        cased(
            r"[Tt]hread \d+ (?:had |has )?(?:woke|woken|signalled|signaled|notified|"
            r"interrupted|killed|",
            r"blocked|preempted|started|created|stopped|raced)(?: up)? (?:with )?thread \d+",
        ),
        _never_told,
    ),
    (
        cased(
            r"[Tt]hread \d+ (?:had |has )?(?:took|taken|locked|acquired|got|grabbed|"
            r"released|unlocked|freed|ran|",
            r"started|waited|finished|began|crashed)\b[^.;]{0,60}? (?:before|after) thread \d+",
        ),
        _never_told,
    ),
    (
        whole(r"\b(?:executed|ran|was called|was run|was executed|called) (?:twice|\d+ times)\b"),
        _often,
    ),
    (
        cased(names("name"), r" (?:is recursive|recurses|recursed|calls itself|called itself)\b"),
        _recursive,
    ),
    (
        cased(
            names("name"),
            r" (?:holds|held|owns|owned|has) (?:a|the|its|this|that) (?:lock|mutex)\b",
        ),
        _holds_lock,
    ),
    (
        cased(
            r"\b(?:unlocked|released|unlocks|releases|had unlocked|had released) (?:the "
            r")?(?:lock |mutex )?",
            r"`(?P<lock>[^`\n]+)`",
        ),
        _unlocked,
    ),
    (
        cased(
            r"\b(?:[Cc]rash|[Dd]eadlock|[Hh]ang|[Ff]ault|[Ff]ailure|[Ss]egfault|"
            r"[Cc]orruption|SIG[A-Z]+|[Rr]ing|",
            r"[Ii]t) (?:is|was) (?:caused|triggered|provoked|brought about|due) (?:by|to) "
            r"(?:the function )?",
            _QUOTED,
        ),
        _caused_by,
    ),
    (
        cased(
            _QUOTED,
            AT_PLACE,
            r" (?:caused|provoked|brought about|is to blame for|is responsible for) (?:the|this) ",
            r"(?:crash|deadlock|hang|fault|failure|segfault|corruption|ring)",
        ),
        _caused_by,
    ),
    (
        whole(r"\bstack\b[^.;]{0,60}? \b(?:overflow(?:ed|s)|ran out|was exhausted|exhausted)\b"),
        _overflowed,
    ),
    (
        whole(
            r"\bstack\b[^.;]{0,20}? (?:has|had|with) (?:only |just )?(?P<count>[\d,]{1,12}) bytes ",
            r"(?:left|remaining|free|to spare)\b",
        ),
        _room,
    ),
    (
        whole(
            r"\b(?:is|was|be|being) (?:only |merely |just )?a (?:mere )?(?:live )?snapshot\b|"
            r"\bno signal (?:has |had )?(?:ended|killed|terminated|stopped|hit)\b"
        ),
        _snapshot,
    ),
    (
        whole(
            r"\b(?:process|program|dump|core) (?:has|had|ran|runs|contains|consists of|"
            r"consisted of) "
            r"(?:only |just |exactly )?(?P<count>\d{1,6}|one|two|three|four|a single) threads?\b"
        ),
        _threads,
    ),
    (
        whole(
            r"\b(?:process|program|it|application) (?:(?:has |had )?(?:survived|recovered|"
            r"continued|"
            r"carried on|went on|exited (?:cleanly|normally|successfully))|kept running|still runs|"
            r"is still running|ended normally|terminated normally|finished normally)\b"
        ),
        _went_on,
    ),
)
