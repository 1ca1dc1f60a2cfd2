"""Which line wrote or computed outside of an array: what it goes to last by the dump's values lies
behind the elements, is what was damaged, and no other line can have put there what stands there."""

import re
from collections.abc import Iterator

from workbench.agents.assisted.bounds import REST
from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.dump import Dump, Found, Place
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.rivals import leading, may_fill
from workbench.claims.chain import same_function
from workbench.claims.source.held import held
from workbench.claims.source.names import FILLS
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import RUST
from workbench.claims.values import NULL, number
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import DataRun, Fault

Proved = tuple[Claim, ...]
"""Statements that hold and prove it; empty where nothing does."""
_ELEMENT = re.compile(r"(.+)\[([^\[\]]+)\]")
_THROUGH = re.compile(r"\(?\*+\(?(\w+)(?:\+\+|--)?\)*|(\w+)\[.*\]")
"""A store through a variable: ``*out++``, ``out[i]``."""
_ARRAY = re.compile(r"([\w.>-]+)\[")
_LESS = re.compile(r"(.+)-(\d+)")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_LENGTHS = {"memset": 3, "memcpy": 3, "memmove": 3, "strncpy": 3, "snprintf": 2, "fgets": 2,
            "read": 3, "recv": 3, "strlcpy": 3, "bzero": 2}  # fmt: skip
"""Copying functions that are told a length, and which argument it is (C23, POSIX)."""
_WORD = 8
"""Bytes that are compared at once."""
_WHOLE = frozenset({"strcpy", "stpcpy", "memcpy", "memmove"})
"""Copying functions that write no more than a text which they are given, from the target on."""
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


def _led_to(code: Code, line: Line) -> Iterator[tuple[str, str]]:
    """The variable that a line sets, or the parameter that it gives, with its function."""
    if line.row.kind == "assigns" and line.of("operator") == "=" and (
        line.of("target").isidentifier() and line.of("expression")[:1] != "{"
    ):  # fmt: skip
        yield line.function, line.of("target")
    elif line.row.kind == "calls" and "index" in line.row.values:
        taken = code.parameters(line.of("callee"))[int(line.row.values["index"]) - 1 :]
        yield from ((line.of("callee"), name) for name in taken[:1])


def _into(code: Code, line: Line) -> tuple[Line, str]:
    """The line that names the array which a line stores into, as one that stores there, and the
    index; "" where a variable leads somewhere into it, which one line sets or one call is given."""
    through, parts = _THROUGH.fullmatch(line.of("target")), _ELEMENT.fullmatch(line.of("target"))
    names = [one for one in (through.groups() if through else ()) if one]
    led = [
        one
        for one in code.lines
        for function, name in _led_to(code, one)
        if name in names and same_function(function, line.function)
    ]
    alone = len({(one.file, one.at) for one in led}) == 1
    made = led[0].of("expression") if alone else ""
    if (array := leading(made)) and not re.fullmatch(r"&[^\[]+", made):
        at = parts[2] if parts and array == made else ""
        if not at or led[0].row.kind == "assigns":
            return led[0].into(array), at
    return line.into(parts[1] if parts else ""), parts[2] if parts else ""


def _is_given_bound(code: Code, line: Line) -> bool:
    """True for a store in a loop up to a parameter that its function neither sets nor compares:
    whoever gave it may be at fault."""
    own = [one for one in code.lines if one.function == line.function and one.text == line.text]
    kept = {one.of("target") for one in own if one.row.kind == "assigns"}
    for one in own:
        if one.row.kind == "compares" and not any(
            other.row.kind == "loops" and other.at == one.at for other in own
        ):  # fmt: skip
            kept |= {one.of("left"), one.of("right")}
    return any(
        name in code.parameters(line.function) and name not in kept
        for one in own if one.row.kind == "loops" and one.has(line.at)
        for name in re.findall(r"(?<![\w.>])[A-Za-z_]\w*(?![\w(]|->|\.)", one.of("condition"))
    )  # fmt: skip


async def _element(dump: Dump, stores: Line) -> Proved:
    """The element that the line writes last lies behind its array, and is what was damaged; where
    that one is not known, a run of such data that begins in the array."""
    line, index = _into(dump.code, stores)
    array, run = line.of("target"), _run(dump)
    if _is_given_bound(dump.code, stores):
        return ()
    for place in dump.places(line) if array else ():
        last = await _last_index(dump, index, line, place) if index else None
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
            await _alone(dump, stores, line, index, place, held.value, room[0])
        ):  # fmt: skip
            return await dump.said(last or start, first)
    return ()


async def _alone(
    dump: Dump, mine: Line, into: Line, index: str, place: Place, held: int, room: int,
    copied: bool = False,
) -> bool:  # fmt: skip
    """True where what the line stores may be the value that is ``held``, and no other line stores,
    nor fills with, what may be behind the elements of the same array, which ``into`` names; of what
    is ``copied`` no other line copies."""
    code, cell = dump.code, dump.code.cell_of(into, into.of("target"))
    if index and await _is_inside(dump, mine, place, index.removesuffix("++"), room):
        return False
    made = _fill(code, mine) if mine.row.kind == "calls" else mine.of("expression")
    if may_fill(code, mine, cell) or not await _may_be(dump, mine, place, made, held) or (
        mine.row.kind == "calls" and fits(code, mine, room)
    ):  # fmt: skip
        return False
    for one in code.of_kind("assigns"):
        parts = _ELEMENT.fullmatch(one.of("target"))
        if parts and not (one.is_at(mine) or is_to_come(code, one)) and (
            code.cell_of(one, parts[1]) == cell
            and not (copied and brings_nothing(code, one, cell))
            and not await _is_inside(dump, one, place, parts[2], room)
            and await _may_be(dump, one, place, one.of("expression"), held)
        ):  # fmt: skip
            return False
    for one in _filling(code, room):
        if not (one.is_at(mine) or fits(code, one, room) or is_to_come(code, one)) and (
            code.cell_of(one, leading(one.of("expression"))) == cell
            and await _may_be(dump, one, place, _fill(code, one), held)
        ):  # fmt: skip
            return False
    return True


async def is_within(dump: Dump, line: Line, index: str, value: int, place: Place) -> bool:
    """True where an index that its function uses may be one of each array's that it is used on."""
    own = [one for one in dump.code.lines if same_function(one.function, line.function)]
    arrays = {array for one in own for array in taken(one, index)}
    rooms = [await _room(dump, array, line, place) for array in arrays]
    return bool(rooms) and all(room is None or 0 <= value < room[0] for room in rooms)


async def _is_inside(dump: Dump, line: Line, place: Place, index: str, room: int) -> bool:
    """True for an index that is less than the number of elements: by itself, by its loop, by what
    it is the remainder of, or by what has to hold there."""
    if number(index) is not None:
        return int(number(index) or 0) < room
    parts = _LESS.fullmatch(index)
    base, less = (parts[1], int(parts[2])) if parts else (index.removesuffix("++"), 0)
    for left, sign, right in held(line.text, line.at):
        most = await dump.of(place, right, line) if left == base and sign in ("<", "<=") else None
        if most and most.value + (sign == "<=") <= room:
            return True
    last = await _last_index(dump, base, line, place)
    if last is not None:
        return last.value - less < room
    made = {one.of("expression") for one in dump.code.of_kind("assigns", line.function)
            if one.of("target") == base} or {index}  # fmt: skip
    rest = REST.fullmatch(made.pop()) if len(made) == 1 else None
    most = await dump.of(place, rest[3], line) if rest else None
    if rest and most:
        return most.value > 0 and most.value + (rest[2] == "&") <= room
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


def brings_nothing(code: Code, line: Line, cell: tuple[str | None, str]) -> bool:
    """True for a store of what is made of the same array's elements, and brings nothing there."""
    read = _ARRAY.findall(line.of("expression"))
    return bool(read) and all(code.cell_of(line, one) == cell for one in read)


def _filling(code: Code, room: int) -> Iterator[Line]:
    """The arguments of calls that are filled, but with no more than fits or is said to."""
    for one in code.of_kind("calls"):
        callee = plain_callee(one.of("callee"))
        if FILLS.get(callee) == one.row.values.get("index", 0):
            size = code.passed(one).get(_LENGTHS.get(callee, 0))
            text = size.of("expression") if size else ""
            most = number(text)
            if not text.startswith("sizeof") and (most is None or most > room):
                yield one


def fits(code: Code, into: Line, room: int) -> bool:
    """True where texts of the source are all that a call copies to an array's beginning, itself or
    as what each call of its function gives it, and none is longer than the array."""
    passed, callee = code.passed(into), plain_callee(into.of("callee"))
    source, size = passed.get(2), passed.get(_LENGTHS.get(callee, 0))
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


def _fill(code: Code, into: Line) -> str:
    """The byte that memset fills with; "" of what copies."""
    byte = code.passed(into).get(2) if plain_callee(into.of("callee")) == "memset" else None
    return byte.of("expression") if byte else ""


async def _filled(dump: Dump, line: Line) -> Proved:
    """What a copying call wrote runs on from its target over what was damaged."""
    callee, passed = plain_callee(line.of("callee")), dump.code.passed(line)
    run = _run(dump)
    into, size = passed.get(FILLS.get(callee, 0)), passed.get(_LENGTHS.get(callee, 0))
    given = into.of("expression").lstrip("&") if into else ""
    array = leading(given) or given
    if into is None or array != given:
        size = None  # from somewhere in the array on
    into = into.into(array) if into else None
    for place in dump.places(into) if into else ():
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
        each = await dump.of(place, f"sizeof({array}[0])", line)
        held = await dump.value(place, f"*(unsigned char *){last:#x}")
        stop = start.value + length.value if length else 0
        begins = run and not size and start.value <= run.start < last < run.end
        copied = begins and run is not None and await _is_copied(dump, line, place, run)
        if into and held and (begins or dump.damaged(last, stop)) and (
            await _alone(dump, into, into, "", place, held.value,
                         (last - start.value) // (each.value if each else 1), bool(copied))
        ):  # fmt: skip
            return await dump.said(start, *([length] if length else []))
    return ()


async def _is_copied(dump: Dump, line: Line, place: Place, run: DataRun) -> bool:
    """True where what was damaged is what a call's source has as far behind its beginning."""
    source = dump.code.passed(line).get(2)
    begin = await dump.of(place, f"&({source.of('expression')})[0]", line) if source else None
    there = [cell for cell in dump.cells if run.start <= cell and cell + _WORD <= run.end]
    for cell in there if begin else ():
        places = (cell, begin.value + cell - run.start) if begin else ()
        held = [await dump.value(place, f"*(long *){one:#x}") for one in places]
        if len({one and one.value for one in held}) != 1 or not held[0]:
            return False
    return bool(there and begin)


async def written(dump: Dump, line: Line) -> Proved:
    """A copying call's bytes, or a stored element."""
    return await (_filled if line.row.kind == "calls" else _element)(dump, line)


async def computed(dump: Dump, line: Line) -> Proved:
    """The index that the line makes lies outside of the array that it is used on; of a loop the one
    that it goes to."""
    reads = dump.category is Category.OUT_OF_BOUNDS_READ
    if line.row.kind == "loops":
        for one in dump.code.of_kind("assigns"):
            inside = one.text == line.text and line.at <= one.at <= int(line.row.values["to"])
            if inside and not reads and (found := await _element(dump, one)):
                return found
        return ()
    own, index = (one for one in dump.code.lines
                  if same_function(one.function, line.function)), line.of("target")  # fmt: skip
    used = [(one, array) for one in own for array in taken(one, index, reads)]
    for place in dump.places(line) if used else ():
        made = await dump.of(place, line.of("expression"), line)
        for use, array in used if made else ():
            room = await _room(dump, array, line, place)
            if not made or room is None or 0 <= made.value < room[0] or (
                may_fill(dump.code, line, dump.code.cell_of(line, array))
                or await _is_inside(dump, use, place, index, room[0])
            ):  # fmt: skip
                continue
            first = await dump.of(place, f"&{array}[{made.value}]", line)
            end = await dump.of(place, f"&{array}[{made.value + 1}]", line)
            rust = line.text.language == RUST  # gdb knows no element of a Vec
            if rust or (first and end and dump.damaged(first.value, end.value)):
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
        for other, array in ((one, array) for one in uses for array in taken(one, index, reads)):
            cell = await dump.value(Place(frame), f"&{array}[{index}]")
            room = await _room(dump, array, other, Place(frame)) if cell else None
            if held and cell and room and not 0 <= held.value < room[0] and (
                dump.damaged(cell.value, cell.value + 1)
            ):  # fmt: skip
                return await dump.said(held, cell)
    return ()


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
