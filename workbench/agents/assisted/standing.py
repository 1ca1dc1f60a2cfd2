"""What a thread is still at: the lock that it holds, the loop that it goes round in, the call by
which a recursion comes round."""

import re

from analyzers.patterns.case import Case
from analyzers.patterns.stack_overflow import leapt, takes_turns
from analyzers.patterns.waitgraph import WaitGraph
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.outside import Proved
from workbench.claims.chain import same_function
from workbench.claims.source.held import guards
from workbench.claims.source.locks import leaves
from workbench.claims.source.macros import directives
from workbench.claims.source.names import LOCKS
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.spots import names
from workbench.claims.source.text import C, last_name, words
from workbench.model.facts import Loop, Stack, StackShape

_NAME = re.compile(r"[A-Za-z_]\w*")
_ELSEWHERE = re.compile(r"->|\.[A-Za-z_]|\[|\w\(|(?<![\w)\]])\*")
"""A member, an element, a call, what a pointer leads to."""
_SIZEOF = re.compile(r"\bsizeof(?:\([^()]*\)|\s*[*\w.>-]+)")
_BOUND = re.compile(r"([A-Za-z_]\w*)([<>]=?)\d+")
_GIVES = {one for names in LOCKS[C].values() for one in names}
_KNOWN = {*LOCKS[C], *_GIVES} | words(
    "pthread_mutex_init pthread_mutex_destroy pthread_cond_wait pthread_cond_timedwait"
)
"""What a lock is given to that nobody else takes it by."""
_ENDS = words("pthread_exit pthread_cancel pthread_kill thrd_exit fork vfork clone longjmp")
"""By what a thread may leave a function that it is in, or a process its threads."""
_FEW = 4
"""So many calls of its own a recursive function has, at most, that it comes round by."""


async def locked(dump: Dump, line: Line) -> Proved:
    """A thread stands where the line's lock is held that another one waits for, and so on, round
    to the lock that it waits for itself: the owner is told, or stands where that lock is held."""
    waits = dump.ports.state.facts.once(WaitGraph).waits
    holders = {one.thread: one.owner for one in waits.values() if one.owner}
    mine: list[int] = []
    for row in dump.code.of_kind("under_lock"):
        lock = row.of("lock").lstrip("&")
        for stack, frame in dump.standing(row):
            thread = stack.thread or 0
            place = Place(frame, thread=stack.thread)
            held = await dump.value(place, f"&{lock}")
            size = await dump.value(place, f"sizeof({lock})") if held else None
            for wait in waits.values() if held and size else ():
                if held and size and 0 <= (wait.address or 0) - held.value < size.value:
                    holder = holders.setdefault(wait.thread, thread)
                    mine += [wait.thread] if row.is_at(line) and holder == thread else []
    for thread in mine:
        ring = [thread]
        while (after := holders.get(ring[-1])) and after not in ring:
            ring.append(after)
        if after == thread:
            return tuple(one for one in dump.chain[:1] if one.get("thread") in ring)
    return await _left_locked(dump, line)


async def _left_locked(dump: Dump, line: Line) -> Proved:
    """The lock that a thread waits for is one's that stands nowhere where it is held: of the
    functions that take it, all give it back but this one, which returns before it does."""
    code, name = dump.code, last_name(line.of("lock"))
    taking = [row for row in code.of_kind("under_lock") if last_name(row.of("lock")) == name]
    left = {row: leaves(row.text, row.at, int(row.row.values["to"])) for row in taking}
    if (
        code.jumps_far
        or {row.text.language for row in taking} != {C}
        or {row.function for row, how in left.items() if how} != {line.function}
        or not any("return_statement" in how for how in left.values())
        or _defined(code, "return", "goto")
        or any(plain_callee(one.of("callee")) in _ENDS for one in code.of_kind("calls"))
        or not all(_is_given_back(code, row) for row in taking)
        or any(use.of("form") == "given" and last_name(use.of("path")) == name
               and plain_callee(use.of("into")) not in _KNOWN for use in code.uses)
    ):  # fmt: skip
        return ()
    stacks = {stack.thread for stack in dump.ports.state.facts.all(Stack)}
    inside = {stack.thread for row in taking for stack, _ in dump.standing(row)}
    for place in dump.places(line):
        at = await dump.of(place, f"&{line.of('lock').lstrip('&')}", line)
        for wait in dump.ports.state.facts.once(WaitGraph).waits.values() if at else ():
            if at and wait.address == at.value and wait.owner in stacks - inside:
                return (*dump.chain[:1], *await dump.said(at))
    return ()


def _is_given_back(code: Code, row: Line) -> bool:
    """True for lines under a lock that end where it is given back, not with their block: a lock
    that a condition takes, or a function hands on, is held behind them."""
    last = int(row.row.values["to"])
    return any(
        one.text == row.text and one.at == last + 1 and plain_callee(one.of("callee")) in _GIVES
        and last_name(one.of("expression")) == last_name(row.of("lock"))
        for one in code.of_kind("calls", row.function)
    )  # fmt: skip


def _defined(code: Code, *named: str) -> set[str]:
    """The macros that are defined with one of some words."""
    return {parts[1] for text in code.texts for _, parts in directives(text)
            if parts[0] == "define" and {*named} & {*parts[2:]}}  # fmt: skip


async def looped(dump: Dump, line: Line) -> Proved:
    """The only loop around the frame that goes round without an end, of a function without
    another way round."""
    rounds = {one.thread: one.at for one in dump.ports.state.facts.all(Loop) if one.kind != "open"}
    around = any(
        frame.address == rounds.get(stack.thread or 0) for stack, frame in dump.standing(line)
    )
    last = int(line.row.values["to"])
    nested = [
        one
        for one in dump.code.of_kind("loops", line.function)
        if one.text == line.text and one.at <= last and line.at <= int(one.row.values["to"])
    ]
    loops, read = _defined(dump.code, "for", "while", "do", "goto"), names(line.text)
    jumps = read is None or any(
        line.at <= read.at(node) <= last
        for word in ("goto", *loops) for node in read.words.get(word, ())
    )  # fmt: skip
    follows = any(
        _leads_on(one.of("target"), one.of("expression"))
        for one in dump.code.of_kind("assigns", line.function)
        if one.text == line.text and line.at <= one.at <= last
    )  # else who closed the ring of the data that it goes along
    alone = len(nested) == 1 and not jumps and not follows and is_its_own(dump.code, line, last)
    alone = alone and not ends(dump.code, line, last)  # else one around the call goes round
    return tuple(dump.chain[:1]) if around and alone else ()


def ends(code: Code, loop: Line, last: int) -> bool:
    """True for a loop of several lines that counts to a constant by its head alone:
    ``for (i = 0; i < 16; i++)``."""
    bound = _BOUND.fullmatch(loop.of("condition"))
    if bound is None or last == loop.at or code.is_handed_out(loop.function, bound[1]):
        return False
    sets = [one for one in code.of_kind("assigns", loop.function)
            if one.text == loop.text and loop.at <= one.at <= last
            and one.of("target") == bound[1]]  # fmt: skip
    step = {"<": "++", ">": "--"}[bound[2][0]]
    return all(one.at == loop.at for one in sets) and any(
        one.of("operator") == step for one in sets
    )


def is_its_own(code: Code, loop: Line, last: int) -> bool:
    """True where what a loop's end and its steps are made of is its own: variables that it sets
    itself, and constants. What a caller gave or an object holds may be wrong there."""
    sets = code.of_kind("assigns", loop.function)
    parts, seen = [loop.of("condition")], set[str]()
    for part in parts:
        bare = _SIZEOF.sub("", part)
        if _ELSEWHERE.search(bare):
            return False
        for name in set(_NAME.findall(bare)) - seen - code.macros.keys():
            inside = [one for one in sets if one.of("target") == name
                      and one.text == loop.text and loop.at <= one.at <= last
                      and (one.at > loop.at or _is_step(one))]  # fmt: skip
            made = inside or [one for one in sets if one.of("target") == name]
            seen.add(name)
            given = name in code.parameters(loop.function)
            elsewhere = code.is_handed_out(loop.function, name)
            if elsewhere or (given and not inside) or not (made or name.isupper()):
                return False
            parts += [one.of("expression") for one in made]
    return True


def _is_step(line: Line) -> bool:
    """True for what goes on from what it sets, and begins nothing."""
    return line.of("operator") != "=" or line.of("target") in _NAME.findall(line.of("expression"))


def _leads_on(target: str, expression: str) -> bool:
    """True for a value that is made of the one before by more than arithmetic: by what it leads to,
    or by a call that is given it."""
    named = rf"(?<![\w.>]){re.escape(target.lstrip('*'))}(?!\w)"
    step = rf"{named}\)?(?:->|\.|\[|\])|\*\(*{named}|\b\w+\([^()]*{named}"
    return bool(target) and re.search(step, expression) is not None


def _goes_along(code: Code, call: Line) -> bool:
    """True for a call that may go along data that others made: unless what it is given is made of
    its function's own parameters and variables by arithmetic alone, which nothing chooses."""
    on = re.sub(r"(?:->|\.)?[\w:~]+$", "", call.of("callee"))
    parts = [on, *(one.of("expression") for one in code.passed(call).values())]
    if not any(parts):
        return bool(code.of_kind("compares", call.function))
    seen, of = set[str](), call.function
    for part in parts:
        new = {*_NAME.findall(part)} - seen - {"this", "self"} - code.macros.keys()
        seen |= new
        sets = [one for one in code.of_kind("assigns", of) if one.of("target") in new]
        if _ELSEWHERE.search(part) or any(
            code.is_handed_out(of, one) or not code.owners.is_local(one, of) for one in new
        ) or any(any(guards(one.text, one.at, code.known)) for one in sets):  # fmt: skip
            return True
        parts += [one.of("expression") for one in sets]
    return False


async def recursed(dump: Dump, line: Line) -> Proved:
    """The stack stands in that call as often as in others, and both its functions are on it again
    and again."""
    again = [one.function or "" for shape in dump.ports.state.facts.all(StackShape)
             for one in shape.recursion]  # fmt: skip
    names = line.function, line.of("callee")
    ring = all(any(same_function(one, name) for one in again) for name in names)
    stands = [
        inner
        for stack, frame in dump.standing(line)
        for inner in stack.frames[:1000]
        if inner.index + 1 == frame.index and same_function(inner.function or "", names[1])
    ]
    frames = [f for f in dump.frames if same_function(f.function or "", line.function)]
    case = dump.ports.state.facts.once(Case)
    ring = ring and not leapt(case) and not takes_turns(case) and not any(
        _goes_along(dump.code, call)
        for name in again for call in dump.code.calls(name)
        if any(same_function(call.function, one) for one in again)
    )  # fmt: skip  # else who closed the ring of data
    return tuple(dump.chain[:1]) if ring and len(stands) * _FEW >= len(frames) else ()
