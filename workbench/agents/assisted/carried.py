"""The places that the value which failed was in on its way: a variable, what one line alone sets it
to, the parameter that it came by and what the caller's line gives for that; and into which array a
variable leads."""

import re
from collections.abc import Iterator

from analyzers.patterns.case import Case
from analyzers.patterns.spoken import named
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump
from workbench.agents.assisted.followed import is_taken, kept_in
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.rivals import leading, may_set
from workbench.claims.chain import same_function
from workbench.claims.source import is_certain, normal
from workbench.claims.source.shapes import member
from workbench.claims.source.text import last_name
from workbench.claims.values import NULL
from workbench.model.facts import Frame

_PLACE = re.compile(r"(?:\([\w *]+\))?([A-Za-z_]\w*(?:(?:->|\.)\w+)*)")
_ELEMENT = re.compile(r"[\w.>-]+\[([A-Za-z_]\w*(?:(?:->|\.)\w+)*)\]")
"""What an index leads to, which lies where the index says."""
_MOST = 12


def carried(dump: Dump, begin: tuple[Frame, str] | None = None) -> Iterator[tuple[Frame, str]]:
    """Frames of the stack that failed, the innermost first, and places of theirs; from another
    place on with ``begin``. Nothing behind one that more than one line sets, or one that has been
    reckoned."""
    case = dump.ports.state.facts.once(Case)
    place, function = failed_place(case)
    frame = dump.live(function) if function else case.frame
    frame, place = begin or (frame, place)
    for _ in range(_MOST):
        if frame is None or not place:
            return
        yield frame, place
        frame, place = _before(dump, frame, place)


def failed_place(case: Case) -> tuple[str, str]:
    """What the operand that failed is called, and in which function; "" where it has no name. Of a
    library's smart pointer its own name, not that of the pointer in it."""
    failed = next((one for one in named(case) if one.kind in ("value", "operand")), None)
    names = [one.shown or str(one.value) for one in failed.args
             if one.name == "expression"] if failed else []  # fmt: skip
    return normal("".join(names)), str((failed and failed.get("function")) or "")


def cells_of(dump: Dump) -> set[Cell]:
    """The members and variables that the value which failed was in."""
    return {dump.code.cell_in(frame.function or "", place) for frame, place in carried(dump)}


def _before(dump: Dump, frame: Frame, place: str) -> tuple[Frame | None, str]:
    """Where the value of a place was in front of that; "" where that is not told."""
    code, function = dump.code, frame.function or ""
    of = place.removeprefix("&").partition(".")[0]
    refers = of != place and any(one.of("name") == of and one.of("type")[-1:] == "&"
                                 for one in code.of_kind("declares", function))  # fmt: skip
    place = of if refers else place  # it leads to where its member lies
    outer = next((one for one in dump.frames if one.index == frame.index + 1), None)
    calls = [one for one in code.calls(function) if outer and one.at == outer.line
             and same_function(one.function, outer.function or "")]  # fmt: skip
    if place == "this":
        on = {one.of("callee").removesuffix(f"->{last_name(function)}") for one in calls}
        found = _PLACE.fullmatch(on.pop()) if len(on) == 1 else None
        return outer, found[1] if found else ""
    if not code.owners.is_local(place, function) or (
        is_taken(code, (function, place)) and not refers
    ):
        return None, ""
    sets = code.sets(function, place)
    if place not in code.parameters(function):
        return frame, _only(sets, frame)
    given = _given(code, calls[0], function, place) if calls and not sets else ""
    return (outer, given) if len({(one.file, one.at) for one in calls}) == 1 else (None, "")


def _only(sets: list[Line], frame: Frame) -> str:
    """What the one line sets that sets a variable, in any case before the frame's line; of an
    element its index."""
    made = {one.of("expression") for one in sets}
    text = made.pop() if len(made) == 1 else ""
    found = _PLACE.fullmatch(text) or _ELEMENT.fullmatch(text)
    sure = all(
        one.of("operator") == "=" and is_certain(one.text, one.at)
        and one.is_before(frame.line or 0)
        for one in sets
    )  # fmt: skip
    return found[1] if found and sure else ""


def _given(code: Code, call: Line, function: str, place: str) -> str:
    given = code.passed(call).get(code.parameters(function).index(place) + 1)
    found = _PLACE.fullmatch(given.of("expression")) if given else None
    return found[1] if found else ""


def led_by(code: Code, function: str, path: str, cell: Cell, depth: int = 4) -> Line | None:
    """The line that makes what a variable, or a member of C's, has alone, or a reference (``&``)
    leads to, where that is in the array of a member: an element of it that a loop takes, its
    address, or what a listed function returns that is such (``p->out + p->used``)."""
    name = path.removeprefix("&")
    if member(path) and (at := next(iter(code.of_function(last_name(function))), None)):
        kept = kept_in(code, at, path)
        sets = [one for one in code.stores(*kept) if one.of("expression") not in NULL] if (
            kept and not may_set(code, *kept)) else []  # fmt: skip
        return _made(code, sets[0], cell, depth) if len(sets) == 1 else None
    sets = code.sets(function, name)
    loops = [one for one in code.of_kind("loops", function) if one.of("each") == name]
    if is_taken(code, (function, name)) and not loops:
        return None
    if loops and len({one.at for one in (*loops, *sets)}) == 1:  # a copy leads to no element
        own = name != path and code.cell_of(loops[0], loops[0].of("condition")) == cell
        return loops[0] if own else None
    if len(sets) != 1 or name in code.parameters(function):
        return None
    return _made(code, sets[0].into(path), cell, depth)


def _made(code: Code, line: Line, cell: Cell, depth: int) -> Line | None:
    """The line that makes what a line sets, where that leads into the array of a member."""
    made, path = line.of("expression"), line.of("target")
    callee = made.partition("(")[0]
    if line.of("operator") != "=":
        return None
    if code.cell_of(line, leading(path[: path[:1] == "&"] + made)) == cell:
        return line
    found = [
        one if code.cell_of(one, leading(one.of("expression"))) == cell
        else led_by(code, one.function, one.of("expression"), cell, depth - 1)
        for one in code.of_kind("returns", callee)
        if one.of("expression") not in NULL
    ] if depth and code.is_call(line, made, callee) else []  # fmt: skip
    return found[0] if len(found) == 1 else None
