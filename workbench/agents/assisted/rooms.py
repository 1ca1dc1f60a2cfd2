"""How many elements an array has, and whether an index stays among them."""

import re
from collections.abc import Iterator

from workbench.agents.assisted.bounds import REST
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump, Found, Place
from workbench.agents.assisted.followed import is_taken
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.marks import is_in, makers
from workbench.agents.assisted.rivals import is_lent
from workbench.claims.chain import same_function
from workbench.claims.source.changed import run_together
from workbench.claims.source.held import guards, held
from workbench.claims.source.shapes import member
from workbench.claims.source.text import CPP, FILE_SCOPE, RUST
from workbench.claims.values import NULL, number

_MOVED = re.compile(r"(.+)([+-]\d+)")
"""An index so far before or behind another one."""
_PATH = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?(?:(?:->|\.)[A-Za-z_]\w*)+")
_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*(?![\w(]|->|\.)")
_SUM = re.compile(r"\w+(?:[*+]\w+)*")
_PASSED = {">": "", ">=": "-1", "==": "-1"}
"""By what a counter is tested that begins again → what that is less than the bound."""
_FIXED = r"(\w+|\([\w+*-]+\))"
_WORD = re.compile(r"\w+")
_COUNTS = (".len", ".length")
"""What counts the elements of Rust's Vec and slices."""
_INDEXED = ("get_unchecked", "get_unchecked_mut", "add", "offset")


async def room_of(dump: Dump, array: str, line: Line, place: Place) -> tuple[int, Found] | None:
    """How many elements an array has, and what says so: as declared, as a Vec counts them, or as
    its chunk holds."""
    struct, field = dump.code.owners.cell(array, line.function)
    cell = (struct, field) if field else ("", array)
    said = [
        one.of("size")
        for one in dump.code.of_kind("declares")
        if one.of("size") and (one.of("of"), one.of("name")) == cell
    ] or [f"{array}{end}" for end in _COUNTS if line.text.language == RUST]
    for text in said:
        if found := await dump.of(place, text, line):
            return found.value, found
    start = await dump.of(place, array, line) if not said else None
    each = await dump.of(place, f"sizeof(*({array}))", line) if start else None
    chunk = await dump.chunk(start.value) if start else None
    if not (chunk and each and start):
        return None
    return (dump.end(chunk) - start.value) // each.value, start


async def last_index(
    dump: Dump, index: str, line: Line, place: Place, *, back: bool = False
) -> Found | None:
    """The largest index that a line uses: its loop's bound; of a counter the one before it, or what
    it gets to before it begins again; of what lies so far behind another one that one's; else the
    value itself, of a function that has not returned or of what one line alone sets. With ``back``
    one that it has used, of a counter that also goes back, as a stack's does."""
    for one in dump.code.of_kind("loops"):
        bound = re.fullmatch(rf"{re.escape(index)}(<=?)(.+)", one.of("condition"))
        if bound and one.text == line.text and one.at <= line.at <= int(one.row.values["to"]):
            if not was_then(dump, line, bound[2]):
                return None
            return await dump.of(place, bound[2] + ("-1" if bound[1] == "<" else ""), one)
    if moved := _MOVED.fullmatch(index):
        last = await last_index(dump, moved[1], line, place)
        return await dump.value(place, f"{last.expression}{moved[2]}") if last else None
    if index.endswith("++"):
        return await dump.of(place, f"{index.removesuffix('++')}-1", line)
    if most := begins_again(dump, index, line):
        return await dump.of(place, most, line)
    struct, field = dump.code.owners.cell(index, line.function)
    of = (struct, field) if back and place.base and field else (dump.struct(line), index)
    stores = {one.at: one for one in dump.code.stores(*of)}
    counts = [one for one in stores.values() if one.of("operator") != "="]
    if counts:  # it has gone on since, by as much as is known where that is done with it alone
        steps = [one for one in counts if one.of("operator") == "++"]
        rest = [one for one in stores.values() if one not in steps]
        backward = all(one.of("operator") == "--" or one.of("expression") in NULL for one in rest)
        alone = not rest or (back and backward and not is_set_unseen(dump.code, line, index))
        step = steps[0] if len(steps) == 1 and alone else None
        with_it = step is not None and step.function == line.function and run_together(
            line.text, line.at, step.at, index.partition("->")[0], dump.code.known
        )  # fmt: skip
        return await dump.of(place, f"{index}-1", line) if with_it else None
    known = not place.base or (stores and all(
        dump.code.runs_once(one) or is_in(one, makers(dump.code, dump.struct(line)))
        or run_together(line.text, line.at, one.at, index.partition("->")[0], dump.code.known)
        for one in stores.values()
    ))  # fmt: skip
    return await dump.of(place, index, line) if known else None  # else it has been another one


def begins_again(dump: Dump, index: str, line: Line) -> str:
    """What a member gets to that the line's function counts on behind the line, and then begins
    again once it has passed a bound, or by a remainder of a constant; "" of any other."""
    code = dump.code
    struct, field = code.owners.cell(index, line.function)
    stores = {one.at: one for one in code.stores(struct, field)} if field else {}
    again = re.compile(rf"\({re.escape(index)}\+1\)%{_FIXED}")
    steps = [one for one in stores.values() if one.function == line.function
             and one.of("operator") == "=" and again.fullmatch(one.of("expression"))]  # fmt: skip
    if len(steps) == 1 and not is_set_unseen(code, line, index) and all(
        one == steps[0] or one.of("expression") in NULL for one in stores.values()
    ):  # fmt: skip
        most = steps[0].of("expression").partition("%")[2]
        known = all(one.isdigit() or code.constants.get(one) for one in _WORD.findall(most))
        return f"{most}-1" if known and line.at <= steps[0].at and run_together(
            line.text, line.at, steps[0].at, index.partition("->")[0], code.known
        ) else ""  # fmt: skip
    if len(stores) != 2 or any(one.function != line.function for one in stores.values()) or (
        is_set_unseen(code, line, index)
    ):  # fmt: skip
        return ""
    step, begins = stores[min(stores)], stores[max(stores)]
    tests = [*guards(begins.text, begins.at, code.known)]
    return tests[0][2] + _PASSED[tests[0][1]] if (
        step.of("operator") == "++" and begins.of("expression") == "0" and len(tests) == 1
        and tests[0][0] == index and tests[0][1] in _PASSED and line.at <= step.at
        and run_together(line.text, line.at, step.at, index.partition("->")[0], code.known)
        and step.is_before(begins.at)
    ) else ""  # fmt: skip


def was_then(dump: Dump, line: Line, bound: str) -> bool:
    """True where a bound is what it was when its line ran: each of its members is set where objects
    are made, once there, or by one line alone, or on the way to it."""
    for path in _members(bound):
        struct, field = dump.code.owners.cell(path, line.function)
        if not field:
            continue  # no member that a method calls by its name
        stores = {(one.file, one.at): one for one in dump.code.stores(struct, field)}
        making = makers(dump.code, str(struct))
        functions = [one.function for one in stores.values()]
        several = len(stores) > (line.text.language != CPP)  # a constructor's list sets it, too
        if several and not all(
            (is_in(one, making) and functions.count(one.function) == 1)
            or run_together(line.text, line.at, one.at, path.partition("->")[0], dump.code.known)
            for one in stores.values()
        ):
            return False
    return not is_set_unseen(dump.code, line, bound)


def is_set_unseen(code: Code, line: Line, expression: str) -> bool:
    """True for what is made of a member whose address, or a reference to which, goes anywhere."""
    cells = (code.owners.cell(path, line.function) for path in _members(expression))
    return any(cell[1] and (is_taken(code, cell) or is_lent(code, cell[1])) for cell in cells)


def _members(expression: str) -> tuple[str, ...]:
    """The paths and names of an expression that may be members."""
    return (*_PATH.findall(expression), *_NAME.findall(expression))


async def is_within(dump: Dump, line: Line, index: str, value: int, place: Place) -> bool:
    """True where an index that its function uses may be one of each array's that it is used on."""
    own = [one for one in dump.code.lines if same_function(one.function, line.function)]
    arrays = {array for one in own for array in taken(one, index)}
    rooms = [await room_of(dump, array, line, place) for array in arrays]
    return bool(rooms) and all(room is None or 0 <= value < room[0] for room in rooms)


def members_behind(dump: Dump, line: Line, array: str) -> list[str]:
    """The members that an object has behind an array that is a part of it."""
    struct, field = dump.code.owners.cell(array, line.function)
    declared = [one for one in dump.code.of_kind("declares") if struct and one.of("of") == struct]
    start = [one.at for one in declared if one.of("name") == field and one.of("size")]
    return [one.of("name") for one in declared if start and one.at >= start[0]
            and one.of("name") != field]  # fmt: skip


async def is_inside(dump: Dump, line: Line, place: Place, index: str, room: int) -> bool:
    """True for an index that is less than the number of elements: by itself, by its loop, by what
    it is the remainder of, or by what has to hold there."""
    if number(index) is not None:
        return int(number(index) or 0) < room
    parts = _MOVED.fullmatch(index)
    base, more = (parts[1], int(parts[2])) if parts else (index.removesuffix("++"), 0)
    behind = {name for array in taken(line, index) for name in members_behind(dump, line, array)}
    for left, sign, right in held(line.text, line.at, dump.code.known):
        if member(right) in behind or not was_then(dump, line, right):
            continue  # what ran out of the array, or another line, may have changed it
        given = dump.code.given(line.function, right)  # constants that all calls give it
        fixed = bool(given) and all(
            number(dump.code.constants.get(one, one)) is not None for one in given)  # fmt: skip
        own = left in (base, index) and sign in ("<", "<=")
        bounds = [await dump.of(place, one, line) for one in (given if fixed else [right]) if own]
        over = (sign == "<=") + (max(more, 0) if left != index else 0)
        if bounds and all(one is not None and one.value + over <= room for one in bounds):
            return True
    last = await last_index(dump, base, line, place)
    if last is not None:
        return last.value + more < room
    most = await _most(dump, line, place, index)
    if most is not None:
        return most.value < room
    struct, field = dump.code.owners.cell(base, line.function)
    sets = dump.code.stores(struct, field) if field else dump.code.sets(line.function, base)
    first = {one.of("expression") for one in sets if field and one.of("expression") in NULL}
    made = ({one.of("expression") for one in sets} or {index}) - first
    rest = REST.fullmatch(made.pop()) if len(made) == 1 and (
        all(one.of("operator") == "=" for one in sets)
        and not (field and is_taken(dump.code, (struct, field)))
    ) else None  # fmt: skip
    most = await dump.of(place, rest[3], line) if rest else None
    if rest and most:
        return most.value > 0 and most.value + (rest[2] == "&") + max(more, 0) <= room
    return False


async def _most(dump: Dump, line: Line, place: Place, index: str) -> Found | None:
    """The largest that a sum of products can be, with one variable in each, whose bound has to hold
    there: ``y * WIDE + x``. None where a variable has none, or something else is no constant."""
    bounds = {
        left: f"({right}-{int(sign == '<')})"
        for left, sign, right in held(line.text, line.at, dump.code.known)
        if sign in ("<", "<=") and not _locals(dump, line, right) and _is_fixed(dump, line, right)
    }
    terms = [_locals(dump, line, term) for term in index.split("+")]
    if not (_SUM.fullmatch(index) and _is_fixed(dump, line, index)) or any(
        len(names) > 1 or not bounds.keys() >= set(names) for names in terms
    ):
        return None
    names = {name for found in terms for name in found}
    made = re.sub(r"\w+", lambda one: bounds[one[0]] if one[0] in names else one[0], index)
    return await dump.of(place, made, line) if names else None


def _locals(dump: Dump, line: Line, text: str) -> list[str]:
    return [one for one in re.findall(r"(?<![\w.>])[A-Za-z_]\w*", text)
            if dump.code.owners.is_local(one, line.function)]  # fmt: skip


def _is_fixed(dump: Dump, line: Line, text: str) -> bool:
    """True where all but the variables of its function has one value: no member, and nothing that a
    function sets."""
    names = {*re.findall(r"[A-Za-z_]\w*", text)} - {*_locals(dump, line, text)}
    return not any(dump.code.owners.holders(one) for one in names) and not any(
        one.of("target") in names and one.function != FILE_SCOPE
        for one in dump.code.of_kind("assigns")
    )


def taken(line: Line, index: str, reads: bool | None = None) -> Iterator[str]:
    """What a line takes the element of an index of; with ``reads`` only where it reads that, or
    only where it stores there."""
    for name in ("target", "expression") if index else ():
        for found in re.finditer(rf"([\w.>-]+)\[{re.escape(index)}\]", line.of(name)):
            if reads is None or reads == (name == "expression"):
                yield found[1]
    of, _, method = line.of("callee").rpartition(".")
    if index and method in _INDEXED and line.of("arguments") == index:
        yield of
