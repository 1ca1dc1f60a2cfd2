"""Whether another line may have written what stands in damaged memory."""

import re
from collections.abc import Collection, Iterator

from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.followed import element
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.rivals import leading, may_fill
from workbench.agents.assisted.rooms import is_inside
from workbench.claims.source.held import guards
from workbench.claims.source.names import FILL_LENGTHS, FILLS, bits_of
from workbench.claims.source.shapes import plain_callee
from workbench.claims.values import NULL, number

ELEMENT = re.compile(r"(.+)\[([^\[\]]+)\]")
_ARRAY = re.compile(r"([\w.>-]+)\[")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_INDEXED = re.compile(r"((?:[A-Za-z_]\w*(?:->|\.))*[A-Za-z_]\w*)\[([^\[\]]*)\]")
_POINTS = re.compile(r"^(?:\([\w *]+\))?&|[\w\])][+-](?!>)")
"""What may be a pointer into an array: an element's address, a sum."""
_OF_ELEMENT = re.compile(r"(\w+->|.+\[[^\[\]]+\]\.)\w+(?:\.\w+)*")
_ADDRESS = re.compile(r"&([\w.>-]+)\[([^\[\]]+)\]")
_PATHS = re.compile(r"(?:[A-Za-z_]\w*(?:->|\.))*[A-Za-z_]\w*")
_FLOATS = frozenset({"float", "double", "long double", "f32", "f64"})
_WIDE = 32
"""Bits of a number that nobody counts up until it is zero again."""
_CALLED = re.compile(r"(\w+)\(")
_WHOLE = frozenset({"strcpy", "stpcpy", "memcpy", "memmove"})
"""Copying functions that write no more than a text which they are given, from the target on."""


async def is_alone(
    dump: Dump, mine: Line, into: Line, index: str, place: Place, held: int, room: int,
    copied: bool = False,
) -> bool:  # fmt: skip
    """True where what the line stores may be the value that is ``held``, and no other line may
    store it, or fill with it, behind an array of the same object as the one that ``into`` names; of
    what is ``copied`` no other line copies."""
    code, cell = dump.code, dump.code.target_of(into)
    if index and await is_inside(dump, mine, place, index.removesuffix("++"), room):
        return False
    asked = (side for test in guards(mine.text, mine.at, code.known) for side in test[::2])
    if any(name in code.functions for side in asked for name in _CALLED.findall(side)):
        return False  # whether it ran at all is for what is called there to say
    made = filled_with(code, mine) if mine.row.kind == "calls" else mine.of("expression")
    with_it = (into, *_of_one(code, mine))
    inside = (*with_it, *await _led_inside(dump, place, cell, room))
    if may_fill(code, mine, cell, inside) or not await _may_be(dump, mine, place, made, held) or (
        mine.row.kind == "calls" and fits(code, mine, room)
    ):  # fmt: skip
        return False
    beside = {cell: room, **await _arrays(dump, mine, into, place)}
    for one in code.of_kind("assigns"):
        for own, index in reaching(code, one, beside):
            stores = one.of("target")[:1] == "*" or "[" in one.of("target")
            if not (any(map(one.is_at, (mine, *with_it))) or is_to_come(code, one)) and (
                not (copied and brings_nothing(code, one, own))
                and not (index and await is_inside(dump, one, place, index, beside[own]))
                and (not stores or await _may_be(dump, one, place, one.of("expression"), held))
            ):
                return False
    for own, most in beside.items():
        for one in _filling(code, most):
            if not (one.is_at(mine) or fits(code, one, most) or is_to_come(code, one)) and (
                code.cell_of(one, filled_array(code, one)) == own
                and await _may_be(dump, one, place, filled_with(code, one), held)
            ):
                return False
    return True


def _of_one(code: Code, mine: Line) -> list[Line]:
    """The lines of a function that store into other parts of the element that it stores into."""
    part = _OF_ELEMENT.fullmatch(mine.of("target"))
    return [one for one in code.of_kind("assigns", mine.function) if part
            and one.of("target").startswith(part[1]) and "[" not in one.of("target")[len(part[1]) :]
            ]  # fmt: skip


async def _led_inside(dump: Dump, place: Place, cell: Cell, room: int) -> tuple[Line, ...]:
    """The lines that set a variable to the address of an element that the array has: nothing but
    members of that one are named by it."""
    code, found = dump.code, []
    for one in code.of_kind("assigns"):
        led, name = _ADDRESS.fullmatch(one.of("expression")), one.of("target")
        if led is None or code.cell_of(one, led[1]) != cell or (
            not code.owners.is_local(name, one.function)
        ):  # fmt: skip
            continue
        named = all(
            rest[:2] == "->" and use.of("path")[:1] not in "*&" and "[" not in rest
            for use, rest in code.through((one.function, name))
        )
        if named and await is_inside(dump, one, place, led[2], room):
            found.append(one)
    return tuple(found)


def reaching(code: Code, line: Line, arrays: Collection[Cell]) -> Iterator[tuple[Cell, str]]:
    """The arrays that a line stores into, or makes a pointer into, with the index; "" where it is
    not one of a plain element."""
    target, made = line.of("target"), line.of("expression")
    for text in (target, *([made] if _POINTS.search(made) else ())):
        for found in _INDEXED.finditer(text):
            own = code.cell_of(line, found[1].lstrip("&*("))
            rest, address = text[found.end() :], text[: found.start()].endswith("&")
            if text is made and not address and _has_numbers(code, line, found[1]):
                continue  # what is added to a number leads nowhere
            if own in arrays:  # ``&a[i]+1`` leads behind that element
                yield own, "" if "[" in rest or (address and rest[:1] in tuple("+-")) else found[2]
    for text in (target, made) if target[:1] == "*" or _POINTS.search(made) else ():
        for path in _PATHS.findall(text):
            if (own := code.cell_of(line, path)) in arrays and f"{path}[" not in text:
                yield own, ""


def _has_numbers(code: Code, line: Line, array: str) -> bool:
    """True for an array whose elements are no pointers, and no arrays either."""
    of = {element(one) for one in code.types(line, array)}
    return bool(of) and all(
        one in _FLOATS or bits_of(one, line.text.language or "") for one in of
    )  # fmt: skip


async def _arrays(dump: Dump, mine: Line, into: Line, place: Place) -> dict[Cell, int]:
    """The other arrays that are parts of the same object, with their elements: one of them may run
    over what lies behind this one as well."""
    code = dump.code
    struct = code.member_of(into)[0]
    parts = [struct] if struct else []
    for of in parts:  # and of what is a part of it itself
        parts += [inner for (holder, name), type_ in code.owners.members.items()
                  if holder == of and (inner := code.owners.bare(type_)) in code.owners.structs
                  and inner not in parts]  # fmt: skip
    sizes = {
        (of, one.of("name")): await dump.of(place, one.of("size"), mine)
        for one in code.of_kind("declares") for of in [one.of("of")]
        if of in parts and one.of("size")
    }  # fmt: skip
    return {cell: found.value if found else 0 for cell, found in sizes.items()}


async def _may_be(dump: Dump, line: Line, place: Place, expression: str, held: int) -> bool:
    """Whether a value may have been stored, as far as that is a constant; a number that is no whole
    one has none of its bytes, but for 0."""
    types = [element(one) for one in dump.code.types(line, line.of("target").partition("[")[0])]
    if line.row.kind == "assigns" and line.of("operator") != "=":
        bits = [bits_of(one, line.text.language or "") or 0 for one in types]
        goes_up = line.of("operator") == "++" and bool(bits) and min(bits) >= _WIDE
        return held != 0 or not goes_up  # it is made of what stood there
    fixed = 0 if expression in NULL else number(expression)
    if fixed is None and expression[:1] == expression[-1:] == "'" and len(expression) == 3:
        fixed = ord(expression[1])
    if fixed is None and expression.isidentifier() and not dump.code.owners.is_local(
        expression, line.function
    ):  # fmt: skip
        named = await dump.of(place, expression, line)
        fixed = named.value if named else None
    if fixed and _FLOATS.intersection(types):
        return True
    return fixed is None or (fixed ^ held) & 0xFF == 0


def brings_nothing(code: Code, line: Line, cell: tuple[str | None, str]) -> bool:
    """True for a store of what is made of the same array's elements, and brings nothing there."""
    read = _ARRAY.findall(line.of("expression"))
    return bool(read) and all(code.cell_of(line, one) == cell for one in read)


def _filling(code: Code, room: int) -> Iterator[Line]:
    """The arguments of calls that are filled, but with no more than fits or is said to."""
    for one in code.of_kind("calls"):
        callee = plain_callee(one.of("callee"))
        if FILLS.get(callee) == one.row.values.get("index", 0):
            size = code.passed(one).get(FILL_LENGTHS.get(callee, 0))
            text = size.of("expression") if size else ""
            most = number(text)
            whole = one.of("expression") == leading(one.of("expression"))
            if not whole or (not text.startswith("sizeof") and (most is None or most > room)):
                yield one


def filled_array(code: Code, into: Line) -> str:
    """The array into which an argument leads that is filled; of an element that is an array itself
    the one that has it."""
    expression = into.of("expression")
    found = ELEMENT.fullmatch(expression.lstrip("&"))
    rows = code.types(into, found[1]) if found else []
    nested = found is not None and bool(rows) and all(one.count("[") > 1 for one in rows)
    return found[1] if found and nested else leading(expression)


def fits(code: Code, into: Line, room: int) -> bool:
    """True where texts of the source are all that a call copies to an array's beginning, itself or
    as what each call of its function gives it, and none is longer than the array."""
    passed, callee = code.passed(into), plain_callee(into.of("callee"))
    source, size = passed.get(2), passed.get(FILL_LENGTHS.get(callee, 0))
    if source is None or callee not in _WHOLE or (
        leading(into.of("expression")) != into.of("expression")
    ):  # fmt: skip
        return False
    text = source.of("expression")
    if size is not None:
        made = [one.of("expression") for one in code.of_kind("assigns", into.function)
                if one.of("target") == size.of("expression")]  # fmt: skip
        long = {re.sub(r"^\(\w+\)", "", one) for one in made or [size.of("expression")]}
        if not long <= {f"strlen({text})", f"strlen({text})+1"}:
            return False
    given = code.given(into.function, text) or [text]
    return all(_LITERAL.fullmatch(one) and len(one) - 1 <= room for one in given)


def filled_with(code: Code, into: Line) -> str:
    """The byte that memset fills with; "" of what copies."""
    byte = code.passed(into).get(2) if plain_callee(into.of("callee")) == "memset" else None
    return byte.of("expression") if byte else ""
