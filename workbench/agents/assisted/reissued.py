"""Who has a block that was given out again: a variable that alone has what was allocated for it, or
one that owns its elements. Whoever else leads there has had the block before."""

import re
from collections.abc import Iterator, Sequence

from analyzers.patterns import commands
from workbench.agents.assisted.code import Code, is_ahead, is_to_come
from workbench.agents.assisted.dump import ELEMENTS, LEAST, Dump, Found, Place
from workbench.agents.assisted.followed import escapes, given_to, goes_on, is_read, is_taken
from workbench.agents.assisted.lines import Cell, Line, Use
from workbench.agents.assisted.once import once
from workbench.agents.assisted.rivals import is_open, may_set
from workbench.claims.chain import same_function
from workbench.claims.source.names import ALLOCATES, FREES
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import FILE_SCOPE, C, last_name
from workbench.claims.values import NULL
from workbench.model.facts import Frame, Locals

_OWNING = re.compile(r"(?:std::)?(?:string|vector<.*>|String|Vec<.*>)")
"""Containers of which each has a block of its own for its elements."""
_TEXTS = ("._M_dataplus._M_p", ".vec.buf.inner.ptr.pointer.pointer")
"""Where libstdc++'s string and Rust's String keep their characters."""
_ARRAY = re.compile(r"(?P<of>.*\*)\[(?P<size>\d+)\]")
_CHOICE = re.compile(r"[^?]+\?([^?:]+):([^?:]+)")
_FRAMES = 6
_MOST = 40
"""Expressions that are asked for."""
_DEEPEST = 6


async def owner(dump: Dump, start: int) -> Found | None:
    """What of the variables of the stack's top frames has the block whose memory begins there, from
    the last time on that it was given out."""
    left = _MOST
    for frame in dump.frames[:_FRAMES]:
        for command in commands.variables(frame):
            await dump.ports.ask(command)
        for expression in _owning(dump, frame, f"{start:#x}"):
            left -= 1
            held = await dump.value(Place(frame), expression) if left >= 0 else None
            if held is not None and held.value == start >= LEAST:
                return held
    return None


def _owning(dump: Dump, frame: Frame, start: str) -> Iterator[str]:
    """What of a frame's variables, and in the first one of those of the file, has its block alone,
    less what is printed as another address."""
    code = dump.code
    shown = {one.name: one.value for held in dump.ports.state.facts.all(Locals)
             if held.frame == frame.index for one in held.variables}  # fmt: skip
    scopes = (frame.function or "", *(FILE_SCOPE for one in dump.frames[:1] if one is frame))
    for line in code.of_kind("declares"):
        name, outside = line.of("name"), line.function == FILE_SCOPE
        if line.of("of") or not any(
            line.function == one or same_function(line.function, one) for one in scopes
        ):
            continue
        types = set(code.types(line, name))
        if len(types) != 1 or not (outside or name in shown):
            continue  # several have that name, or it has no value
        type_ = types.pop()
        array = _ARRAY.fullmatch(type_)
        if _OWNING.fullmatch(code.owners.meant(type_)):
            if outside or is_open(line, code.where(line.function)):
                yield from (name + end for end in (*_TEXTS, *ELEMENTS[1:]))
        elif (
            (array or type_[-1:] == "*")
            and (outside or start in shown[name])
            and _has_alone(code, code.cell_of(line, name), array is not None)
        ):
            each = range(int(array["size"])) if array else ()
            yield from (f"{name}[{at}]" for at in each) if array else (name,)
        step = "->" if type_[-1:] == "*" else "."
        yield from (f"{name}{step}{field}" for field in _alone_in(code, code.owners.bare(type_)))


def _alone_in(code: Code, struct: str) -> Iterator[str]:
    """The members of a struct that have what was allocated for them alone."""
    for of, field in code.owners.members if struct in code.owners.structs else ():
        if (
            of == struct
            and is_new(code, code.stores(struct, field))
            and _stays(code, (of, field))
            and not may_set(code, struct, field)
        ):
            yield field


def _has_alone(code: Code, cell: Cell, array: bool) -> bool:
    """True for a variable, or an array's elements, set to new blocks alone that nobody else
    gets."""
    sets = [one for one in code.of_kind("assigns")
            if code.cell_of(one, one.of("target").partition("[")[0]) == cell]  # fmt: skip
    return is_new(code, sets) and _stays(code, cell, array=array)


def is_new(code: Code, sets: Sequence[Line]) -> bool:
    """True where all that is set, but null, was allocated for it, by the line or by a function that
    hands on what it allocates and keeps nothing of it."""
    born = [one for one in code.of_kind("allocates") if "realloc" not in one.of("callee")]
    return bool(sets) and all(
        any(one.is_at(line) and one.of("target") == line.of("target") for one in born)
        or _is_fresh(code, line, line.of("expression"))
        for line in sets
    )


@once
def stays(code: Code, line: Line) -> bool:
    """True where what a line releases was allocated for that member or variable: it is no object of
    another type. What a variable led to may have been made one elsewhere; who makes one of what a
    member leads to lets its type escape."""
    cell = code.cell_of(line, line.of("expression"))
    stores = [one for one in code.of_kind("assigns") if code.target_of(one) == cell]
    born = code.of_kind("allocates")
    member_of = cell[0] if cell[0] in code.owners.structs else None
    return bool(stores) and all(
        one.of("expression") in NULL or any(map(one.is_at, born)) or is_new(code, [one])
        for one in stores
    ) and not (
        is_taken(code, cell) or escapes(code, member_of) if member_of else goes_on(code, cell)
    )  # fmt: skip


def _is_fresh(code: Code, line: Line, made: str) -> bool:
    """True for null, an allocation, what a function hands on that it allocates, or a choice of
    such."""
    if choice := _CHOICE.fullmatch(made):
        return all(_is_fresh(code, line, one) for one in choice.groups())
    callee = made.partition("(")[0]
    if made in NULL or made.startswith("new "):
        return True
    if plain_callee(callee) in ALLOCATES[line.text.language or C]:
        return "realloc" not in callee
    returns = [
        one for one in code.of_kind("returns") if last_name(one.function) == last_name(callee)
    ]
    return (
        made[-1:] == ")"
        and len({one.function for one in returns}) == 1
        and all(_hands_on(code, one, one.of("expression")) for one in returns)
    )


def _hands_on(code: Code, line: Line, name: str) -> bool:
    """True for a local variable that has what was allocated for it alone, or a new block."""
    if not name.isidentifier() or name in NULL:
        return _is_fresh(code, line, name)
    sets = code.sets(line.function, name)
    return (
        code.owners.is_local(name, line.function)
        and name not in code.parameters(line.function)
        and is_new(code, sets)
        and _stays(code, (line.function, name), given_back=True)
    )


def _stays(
    code: Code, cell: Cell, *, array: bool = False, given_back: bool = False, depth: int = _DEEPEST
) -> bool:
    """True where what a variable or member leads to goes nowhere else, unless its function gives it
    back, and is not released: it is read, written, and given to what keeps nothing of it."""
    return all(
        is_to_come(code, use.line)
        or (cell[0] == use.line.function and is_ahead(code, use.line))
        or _is_used(
            code, use, re.sub(r"^\[[^]]*\]", "", rest) if array else rest, given_back, depth
        )
        for use, rest in code.through(cell)
    )


def _is_used(code: Code, use: Use, rest: str, given_back: bool, depth: int) -> bool:
    form, path, language = use.of("form"), use.of("path"), use.line.text.language or C
    if form in ("reads", "target", "indexes", "stores"):
        return True
    if path[:1] != "&" and (path[:1] == "*" or rest[:2] == "->" or rest[:1] == "["):
        return True  # what stands in the block
    if form == "returns":
        return given_back and not rest
    if form != "given" or plain_callee(use.of("into")) in FREES.get(language, {}):
        return False
    return is_read(code, use) or (path[:1] != "&" and depth > 0 and all(
        name and _stays(code, (function, name), depth=depth - 1)
        for function, name, _ in given_to(code, use)
    ))  # fmt: skip
