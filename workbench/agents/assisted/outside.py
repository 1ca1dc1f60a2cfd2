"""Which line wrote or computed outside of an array: what it goes to last by the dump's values lies
behind the elements, is what was damaged, and no other line can have put there what stands there."""

import re
from collections.abc import Iterator

from workbench.agents.assisted.code import NULL, Code, Line, is_to_come
from workbench.agents.assisted.dump import Dump, Found, Place
from workbench.agents.assisted.rivals import cell_of, leading, may_fill
from workbench.claims.chain import same_function
from workbench.claims.source.names import FILLS
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import RUST
from workbench.claims.values import number
from workbench.model.claims import Claim
from workbench.model.facts import DataRun, Fault

Proved = tuple[Claim, ...]
"""Statements that hold and prove it; empty where nothing does."""
_ELEMENT = re.compile(r"(.+)\[([^\[\]]+)\]")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_LENGTHS = {"memset": 3, "memcpy": 3, "memmove": 3, "strncpy": 3, "snprintf": 2, "fgets": 2,
            "read": 3, "recv": 3, "strlcpy": 3, "bzero": 2}  # fmt: skip
"""Copying functions that are told a length, and which argument it is (C23, POSIX)."""
_COUNTS = (".len", ".length")
"""What counts the elements of Rust's Vec and slices."""
_INDEXED = ("get_unchecked", "get_unchecked_mut", "add", "offset")


def _run(dump: Dump) -> DataRun | None:
    """The run of data that what failed lies in."""
    fault = next(iter(dump.ports.state.facts.all(Fault)), None)
    return fault.run if fault is not None else None


async def _room(dump: Dump, array: str, line: Line, place: Place) -> tuple[int, Found] | None:
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


async def _last_index(dump: Dump, index: str, line: Line, place: Place) -> Found | None:
    """The largest index that a line uses: its loop's bound; of a counter the one before it; else
    the value itself, of a function that has not returned or of what one line alone sets."""
    for one in dump.code.of_kind("loops"):
        bound = re.fullmatch(rf"{re.escape(index)}(<=?)(.+)", one.of("condition"))
        if bound and one.text == line.text and one.at <= line.at <= int(one.row.values["to"]):
            return await dump.of(place, bound[2] + ("-1" if bound[1] == "<" else ""), one)
    if index.endswith("++"):
        return await dump.of(place, f"{index.removesuffix('++')}-1", line)
    steady = len({one.at for one in dump.code.stores(dump.struct(line), index)}) == 1
    return await dump.of(place, index, line) if steady or not place.base else None


async def _element(dump: Dump, line: Line) -> Proved:
    """The element that the line writes last lies behind its array, and is what was damaged; where
    that one is not known, a run of such data that begins in the array."""
    parts = _ELEMENT.fullmatch(line.of("target"))
    run = _run(dump)
    for place in dump.places(line) if parts else ():
        array, index = parts.groups() if parts else ("", "")
        last = await _last_index(dump, index, line, place)
        room = await _room(dump, array, line, place) if last or run else None
        if room is None or (last is not None and last.value < room[0]):
            continue
        at = last.value if last else room[0]
        start = await dump.of(place, f"&{array}[0]", line)
        first = await dump.of(place, f"&{array}[{room[0]}]", line)
        end = await dump.of(place, f"&{array}[{at + 1}]", line)
        held = await dump.of(place, f"{array}[{at}]", line)
        if not (start and held and first and end):
            continue
        stop = end.value if last else run.end if run else 0
        begins = last or (run and start.value <= run.start < first.value)
        if begins and dump.damaged(first.value, stop) and (
            await _alone(dump, line, place, array, held.value, room[0])
        ):  # fmt: skip
            return await dump.said(last or start, first)
    return ()


async def _alone(dump: Dump, mine: Line, place: Place, array: str, held: int, room: int) -> bool:
    """True where what the line stores may be the value that is ``held``, and no other line stores,
    nor fills with, what may be behind the same array's elements: a text of the source is as long
    as it is there."""
    code, cell = dump.code, cell_of(dump.code, mine, array)
    index = _ELEMENT.fullmatch(mine.of("target"))
    if index and await _is_inside(dump, mine, place, index[2].removesuffix("++"), room):
        return False
    made = _fill(code, mine) if mine.row.kind == "calls" else mine.of("expression")
    if may_fill(code, mine, array) or not await _may_be(dump, mine, place, made, held):
        return False
    for one in code.of_kind("assigns"):
        parts = _ELEMENT.fullmatch(one.of("target"))
        if parts and not (one.is_at(mine) or is_to_come(code, one)) and (
            cell_of(code, one, parts[1]) == cell
            and not await _is_inside(dump, one, place, parts[2], room)
            and await _may_be(dump, one, place, one.of("expression"), held)
        ):  # fmt: skip
            return False
    for one in _filling(code):
        source = code.passed(one).get(2)
        text = source is not None and _LITERAL.fullmatch(source.of("expression"))
        if not (one.is_at(mine) or text or is_to_come(code, one)) and (
            cell_of(code, one, leading(one.of("expression"))) == cell
            and await _may_be(dump, one, place, _fill(code, one), held)
        ):  # fmt: skip
            return False
    return True


async def is_within(dump: Dump, line: Line, index: str, value: int, place: Place) -> bool:
    """True where an index that its function uses is one of each array's that it is used on."""
    own = [one for one in dump.code.lines if same_function(one.function, line.function)]
    arrays = {array for one in own for array in _arrays(one, index)}
    rooms = [await _room(dump, array, line, place) for array in arrays]
    return bool(rooms) and all(room and 0 <= value < room[0] for room in rooms)


async def _is_inside(dump: Dump, line: Line, place: Place, index: str, room: int) -> bool:
    """True for an index that is less than the number of elements: by itself, by its loop, by what
    it is the remainder of, or by what it is compared with in front."""
    base, less = index.rpartition("-")[0] or index, number(index.rpartition("-")[2])
    if number(index) is not None:
        return int(number(index) or 0) < room
    last = await _last_index(dump, base, line, place)
    if last is not None:
        return last.value - (less or 0) < room
    made = {one.of("expression") for one in dump.code.of_kind("assigns", line.function)
            if one.of("target") == base} or {index}  # fmt: skip
    rest = re.fullmatch(r"\(?.+([%&])([^%&()]+)\)?", made.pop()) if len(made) == 1 else None
    most = await dump.of(place, rest[2], line) if rest else None
    if rest and most:
        return most.value > 0 and most.value + (rest[1] == "&") <= room
    for one in dump.code.of_kind("compares", line.function):
        sign = one.of("operator")
        if one.text == line.text and one.at <= line.at and one.of("left") == base and (
            sign in ("<", "<=", ">", ">=")
        ):  # fmt: skip
            most = await dump.of(place, one.of("right"), one)
            if most and most.value > 0 and most.value + (sign in ("<=", ">")) <= room:
                return True
    return False


async def _may_be(dump: Dump, line: Line, place: Place, expression: str, held: int) -> bool:
    """Whether a value may have been stored, as far as that is a constant."""
    fixed = 0 if expression in NULL else number(expression)
    if fixed is None and expression[:1] == expression[-1:] == "'" and len(expression) == 3:
        fixed = ord(expression[1])
    if fixed is None and expression.isidentifier() and not dump.code.owners.is_local(
        expression, line.function
    ):  # fmt: skip
        named = await dump.of(place, expression, line)
        fixed = named.value if named else None
    return fixed is None or (fixed ^ held) & 0xFF == 0


def _filling(code: Code) -> Iterator[Line]:
    """The arguments of calls that are filled, but with no more than is said to fit."""
    for one in code.of_kind("calls"):
        callee = plain_callee(one.of("callee"))
        if FILLS.get(callee) == one.row.values.get("index", 0):
            size = code.passed(one).get(_LENGTHS.get(callee, 0))
            text = size.of("expression") if size else ""
            if number(text) is None and not text.startswith("sizeof"):
                yield one


def _fill(code: Code, into: Line) -> str:
    """The byte that memset fills with; "" of what copies."""
    byte = code.passed(into).get(2) if plain_callee(into.of("callee")) == "memset" else None
    return byte.of("expression") if byte else ""


async def _filled(dump: Dump, line: Line) -> Proved:
    """What a copying call wrote runs on from its target over what was damaged."""
    callee, passed = plain_callee(line.of("callee")), dump.code.passed(line)
    run = _run(dump)
    into, size = passed.get(FILLS.get(callee, 0)), passed.get(_LENGTHS.get(callee, 0))
    for place in dump.places(into) if into else ():
        array = into.of("expression").lstrip("&") if into else ""
        start = await dump.of(place, array, line)  # an array has no number
        chunk = await dump.chunk(start.value) if start else None
        last = chunk.start + chunk.size if chunk else 0
        if start is None:
            start = await dump.of(place, f"&{array}", line)
            room = await dump.of(place, f"sizeof({array})", line) if start else None
            last = start.value + room.value if start and room else 0
        if start is None or not last:
            continue
        length = await dump.of(place, size.of("expression"), line) if size else None
        each = await dump.value(place, f"sizeof(*({start.expression}))")
        held = await dump.value(place, f"*(unsigned char *){last:#x}")
        stop = start.value + length.value if length else 0
        begins = run and not size and start.value <= run.start < last < run.end
        if into and held and (begins or dump.damaged(last, stop)) and (
            await _alone(dump, into, place, array, held.value,
                         (last - start.value) // (each.value if each else 1))
        ):  # fmt: skip
            return await dump.said(start, *([length] if length else []))
    return ()


async def written(dump: Dump, line: Line) -> Proved:
    """A copying call's bytes, or a stored element."""
    return await (_filled if line.row.kind == "calls" else _element)(dump, line)


async def computed(dump: Dump, line: Line) -> Proved:
    """The index that the line makes lies outside of the array that it is used on; of a loop the one
    that it goes to."""
    if line.row.kind == "loops":
        for one in dump.code.of_kind("assigns"):
            inside = one.text == line.text and line.at <= one.at <= int(line.row.values["to"])
            if inside and (found := await _element(dump, one)):
                return found
        return ()
    own = (one for one in dump.code.lines if same_function(one.function, line.function))
    arrays = {array for one in own for array in _arrays(one, line.of("target"))}
    for place in dump.places(line) if arrays else ():
        made = await dump.of(place, line.of("expression"), line)
        for array in arrays if made else ():
            room = await _room(dump, array, line, place)
            if made and room is not None and not 0 <= made.value < room[0] and not (
                may_fill(dump.code, line, array)
            ):  # fmt: skip
                return await dump.said(made, room[1])
    given = {one.of("expression") for one in dump.code.of_kind("returns", line.function)}
    if given != {line.of("target") or line.of("expression")}:
        return ()
    name = line.function.rpartition("::")[2]
    for use in dump.code.of_kind("assigns"):  # what it returned, by the variable that has it
        frame, index = dump.live(use.function), use.of("target")
        if frame is None or not use.of("expression").startswith(f"{name}("):
            continue
        held = await dump.value(Place(frame), index)
        uses = dump.code.of_kind("assigns", use.function) if held else ()
        for other, array in ((one, array) for one in uses for array in _arrays(one, index)):
            cell = await dump.value(Place(frame), f"&{array}[{index}]")
            room = await _room(dump, array, other, Place(frame)) if cell else None
            if held and cell and room and not 0 <= held.value < room[0] and (
                dump.damaged(cell.value, cell.value + 1)
            ):  # fmt: skip
                return await dump.said(held, cell)
    return ()


def _arrays(line: Line, index: str) -> Iterator[str]:
    """What a line takes the element of an index of."""
    for name in ("target", "expression") if index else ():
        for found in re.finditer(rf"([\w.>-]+)\[{re.escape(index)}\]", line.of(name)):
            yield found[1]
    of, _, method = line.of("callee").rpartition(".")
    if index and method in _INDEXED and line.of("arguments") == index:
        yield of
