"""Which line wrote or computed outside of an array: what it goes to last by the dump's values lies
behind the elements, is what was damaged, and no other line can have put there what stands there."""

import re
from collections.abc import Iterator

from workbench.agents.assisted.bounds import REST, TEXTS
from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.neighbours import ELEMENT, filled_array, filled_with, is_alone
from workbench.agents.assisted.rivals import leading, may_fill, may_set
from workbench.agents.assisted.rooms import (
    begins_again,
    is_inside,
    last_index,
    members_behind,
    room_of,
    taken,
    was_then,
)
from workbench.claims.chain import same_function
from workbench.claims.source.held import held
from workbench.claims.source.names import FILL_LENGTHS, FILLS
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import RUST
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import DataRun, Fault

Proved = tuple[Claim, ...]
"""Statements that hold and prove it; empty where nothing does."""
_THROUGH = re.compile(
    r"\(?\*+\(?(\w+)(?:\+\+|--)?\)*|(\w+)\[[^\[\]]*\](?:\.\w+)*|(\w+)->(?P<part>\w+(?:\.\w+)*)"
)
"""A store through a variable: ``*out++``, ``out[i]``, ``out->x``."""
_STORED = re.compile(r"(.+)\[([^\[\]]+)\]((?:\.\w+)*)")
"""A store into an element, or into a part of one."""
_RESIZES = frozenset({"realloc", "reallocarray"})
_WORD = 8
"""Bytes that are compared at once."""
_MOST = 4096
"""Elements behind an array that are looked at."""
_NAMES = re.compile(r"(?<![\w.>])[A-Za-z_]\w*(?![\w(]|->|\.)")
_TERMS = re.compile(r"(?<![\w.>])[A-Za-z_]\w*(?:(?:->|\.)\w+)*")
_CAST = re.compile(r"\([\w ]+\*+\)")
_BELOW = re.compile(r"\w+<=?(.+)")


def _run(dump: Dump) -> DataRun | None:
    """The run of data that what failed lies in."""
    fault = next(iter(dump.ports.state.facts.all(Fault)), None)
    return fault.run if fault is not None else None


def _led_to(code: Code, line: Line) -> Iterator[tuple[str, str]]:
    """The variable that a line sets, or the parameter that it gives, with its function."""
    if line.row.kind == "assigns" and line.of("operator") == "=" and (
        line.of("target").isidentifier() and line.of("expression")[:1] != "{"
    ):  # fmt: skip
        yield line.function, line.of("target")
    elif line.row.kind == "calls" and "index" in line.row.values:
        taken = code.parameters(line.of("callee"))[int(line.row.values["index"]) - 1 :]
        yield from ((line.of("callee"), name) for name in taken[:1])


def _into(code: Code, line: Line) -> tuple[Line, str, str]:
    """The line that names the array which a line stores into, as one that stores there, the index,
    and the part of that element; no index where a variable leads somewhere into the array, which
    one line sets or one call is given."""
    through, parts = _THROUGH.fullmatch(line.of("target")), _STORED.fullmatch(line.of("target"))
    names = [one for one in (through.groups()[:3] if through else ()) if one]
    part = f".{through['part']}" if through and through["part"] else ""
    led = [
        one
        for one in code.lines
        for function, name in _led_to(code, one)
        if name in names and same_function(function, line.function)
    ]
    alone = len({(one.file, one.at) for one in led}) == 1
    made = led[0].of("expression") if alone else ""
    if (array := leading(made)) and not re.fullmatch(r"&[^\[]+", made):
        of = ELEMENT.fullmatch(made) if part else None
        at = of[2] if of else parts[2] if parts and array == made else ""
        if led[0].row.kind == "assigns" and (at or not part):
            return led[0].into(array), at, part or (parts[3] if parts else "")
        if not at and not part:
            return led[0].into(array), at, ""
    return (line.into(parts[1]), parts[2], parts[3]) if parts else (line.into(""), "", "")


def _as_given(code: Code, line: Line) -> set[str]:
    """The parameters that a line's function neither sets nor compares, but for a loop's bound."""
    own = [one for one in code.lines if one.function == line.function and one.text == line.text]
    kept = {one.of("target") for one in own if one.row.kind == "assigns"}
    loops = {one.at for one in own if one.row.kind == "loops"}
    for one in own:
        if one.row.kind == "compares" and one.at not in loops:
            kept |= {one.of("left"), one.of("right")}
    return {*code.parameters(line.function)} - kept


def _is_given_bound(code: Code, line: Line, array: Cell) -> bool:
    """True for a store in a loop up to a parameter that its function has as it was given: whoever
    gave it may be at fault. Into a block, whose size another line asked for, also up to the end of
    what it goes along, or to a member: who gave that, or set it, may be, too."""
    block = not any(one.of("size") and (one.of("of"), one.of("name")) == array
                    for one in code.of_kind("declares"))  # fmt: skip
    led = {one.of("target") for one in code.of_kind("assigns", line.function)
           if block and one.of("operator") == "++"}  # fmt: skip
    given = _as_given(code, line) | led.intersection(code.parameters(line.function))
    steps = [line, *(one for one in code.of_kind("assigns", line.function)
                     if line.of("target") == f"*{one.of('target')}")]  # fmt: skip
    around = [one for one in code.of_kind("loops", line.function)
              if one.text == line.text and any(one.has(step.at) for step in steps)]  # fmt: skip
    counted = (_BELOW.fullmatch(one.of("condition")) for one in around if block)
    return any(name in given for one in around for name in _NAMES.findall(one.of("condition"))) or (
        any(found and code.cell_of(line, found[1])[1] for found in counted)
    )


async def _element(dump: Dump, stores: Line) -> Proved:
    """The element that the line writes last lies behind its array, and is what was damaged; where
    that one is not known, a run of such data that begins in the array."""
    line, index, part = _into(dump.code, stores)
    array, run = line.of("target"), _run(dump)
    cell = dump.code.target_of(line)
    if _is_given_bound(dump.code, stores, cell) or any(
        one.of("callee") in _RESIZES and dump.code.target_of(one) == cell
        for one in dump.code.of_kind("allocates")
    ):
        return ()  # or it was to be asked for more before
    for place in dump.places(line) if array else ():
        last = await last_index(dump, index, line, place, back=True) if index else None
        several = run if last or not dump.code.runs_once(stores) else None
        room = await room_of(dump, array, line, place) if last or several else None
        if room is None or (last is not None and last.value < room[0]):
            continue
        at = last.value if last else room[0]
        most = await dump.of(place, f"{array}[{room[0] - 1}]{part}", line)
        if begins_again(dump, index, line) and not (most and most.value):
            continue  # it has not got there
        start = await dump.of(place, f"&{array}[0]", line)
        first = await dump.of(place, f"&{array}[{room[0]}]{part}", line)
        end = await dump.of(place, f"&{array}[{at}]{part}+1", line)
        held = await dump.of(place, f"{array}[{at}]{part}", line) or (
            await dump.of(place, f"*(char *)&{array}[{at}]{part}", line)  # of no whole number
        )
        each = await dump.of(place, f"sizeof({array}[0])", line) if part else None
        if not (start and held and first and end):
            continue
        stop = end.value if last else run.end if run else 0
        begins = last or (run and start.value <= run.start < first.value)
        size = end.value - first.value - (at - room[0]) * (each.value if each else 0)
        parts = range(first.value, stop, each.value) if each and size > 0 else ()
        damaged = any(dump.damaged(one, one + size) for one in parts[:_MOST])
        damaged = damaged or (not part and dump.damaged(first.value, stop))
        if begins and damaged and (
            await is_alone(dump, stores, line, index, place, held.value, room[0])
            and not await _is_set_itself(dump, line, place, range(first.value, stop))
        ):  # fmt: skip
            return await dump.said(last or start, first)
    return ()


async def _is_set_itself(dump: Dump, line: Line, place: Place, damage: range) -> bool:
    """True where a member behind the array, which lies in the damage, may have been set by another
    way than past the array: from what is no pointer, by its address, or with the whole object."""
    code, array = dump.code, line.of("target")
    struct, field = code.owners.cell(array, line.function)
    known = [use.line for use, _ in code.through((str(struct), field))]
    zeros = [one for one in code.of_kind("calls") if filled_with(code, one) == "0"]
    for name in members_behind(dump, line, array) if field else ():
        at = await dump.of(place, f"&{array[: -len(field)]}{name}", line)
        held = await dump.of(place, f"{array[: -len(field)]}{name}", line)
        some = zeros if held and held.value else []
        if at is not None and at.value in damage and (
            may_set(code, struct, name, [*known, *some])  # who names the array was asked about
            or any(_CAST.match(one.of("expression")) and not is_to_come(code, one)
                   for one in code.stores(struct, name))
        ):  # fmt: skip
            return True
    return False


async def _filled(dump: Dump, line: Line) -> Proved:
    """What a copying call wrote runs on from its target over what was damaged."""
    callee, passed = plain_callee(line.of("callee")), dump.code.passed(line)
    run = _run(dump)
    into, size = passed.get(FILLS.get(callee, 0)), passed.get(FILL_LENGTHS.get(callee, 0))
    given = into.of("expression").lstrip("&") if into else ""
    array = (filled_array(dump.code, into) if into else "") or given
    if into is None or array != given:
        size = None  # from somewhere in the array on
    into = into.into(array) if into else None
    for place in dump.places(into) if into else ():
        start = await dump.of(place, array, line)  # an array has no number
        chunk = await dump.chunk(start.value) if start else None
        last = chunk.start + chunk.size if chunk else 0
        names = {*_NAMES.findall(size.of("expression"))} if chunk and size else set[str]()
        cell = dump.code.target_of(into) if into else None
        if (names and names <= _as_given(dump.code, line)) or (
            chunk and cell and _is_given_bound(dump.code, line, cell)
        ):
            return ()  # who gave it, or asked for the block, may be at fault
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
        if length and chunk and stop <= dump.end(chunk):
            continue  # the first word behind it is the block's own
        begins = run and not size and start.value <= run.start < last < run.end
        own = array == given and callee in TEXTS  # a text that begins where the array does
        if begins and own and not await _is_one_text(dump, place, start.value, last):
            continue
        copied = begins and run is not None and await _is_copied(dump, line, place, run)
        if into and held and (begins or dump.damaged(last, stop)) and (
            await is_alone(dump, into, into, "", place, held.value,
                         (last - start.value) // (each.value if each else 1), bool(copied))
        ):  # fmt: skip
            return await dump.said(start, *([length] if length else []))
    return ()


async def _is_one_text(dump: Dump, place: Place, start: int, last: int) -> bool:
    """True where a text that begins somewhere goes on as far, as one that was copied there does."""
    found = await dump.value(place, f"$_strlen((char *){start:#x})")
    return found is not None and start + found.value >= last


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


async def _leaves(dump: Dump, line: Line, place: Place, room: int) -> bool:
    """True for a remainder that is to go round in an array, and is less than zero though all that
    it is made of is an element's number: C's has the sign of what is divided (C23 6.5.6)."""
    code, parts = dump.code, REST.fullmatch(line.of("expression"))
    most = await dump.of(place, parts[3], line) if parts and parts[2] == "%" else None
    paths = {path for path in _TERMS.findall(parts[1] if parts else "")
             if code.constants.get(path) is None}  # fmt: skip
    held = [await dump.of(place, path, line) for path in paths]
    return most is not None and most.value == room and bool(held) and all(
        one is not None and 0 <= one.value < room for one in held
    )  # fmt: skip


async def _off_by_one(dump: Dump, line: Line) -> Proved:
    """The line lets an index be as large as its array has elements, and it was: the element behind
    them is what was damaged."""
    sides = {line.of("left"), line.of("right")}
    for one in dump.code.of_kind("assigns", line.function):
        into, index, _ = _into(dump.code, one)
        bounds = [most for side, sign, most in held(one.text, one.at, dump.code.known)
                  if sign == "<=" and side == index.removesuffix("++")
                  and {side, most} == sides] if one.text == line.text else []  # fmt: skip
        for place in dump.places(into) if bounds else ():
            room = await room_of(dump, into.of("target"), into, place)
            most = await dump.of(place, bounds[0], into)
            if room and most and room[0] == most.value and (found := await _element(dump, one)):
                return found
    return ()


async def computed(dump: Dump, line: Line) -> Proved:
    """The index that the line makes lies outside of the array that it is used on; of a loop the one
    that it goes to."""
    reads = dump.category is Category.OUT_OF_BOUNDS_READ
    if line.row.kind == "compares":
        return () if reads else await _off_by_one(dump, line)
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
        if not was_then(dump, line, line.of("expression")):
            return ()  # who set what it is made of may be to blame
        for use, array in used if made else ():
            room = await room_of(dump, array, line, place)
            last = f"{array}[{room[0] - 1}]" if room else ""
            if (most := begins_again(dump, index, use)) and (
                (full := await dump.of(place, last, line)) and full.value
            ):  # fmt: skip
                made = await dump.of(place, most, line)  # it has got there
            if not made or room is None or 0 <= made.value < room[0] or (
                not (reads and await _leaves(dump, line, place, room[0]))
                and (may_fill(dump.code, line, dump.code.cell_of(line, array))
                     or await is_inside(dump, use, place, index, room[0]))
            ):  # fmt: skip
                continue
            first = await dump.of(place, f"&{array}[{made.value}]", line)
            end = await dump.of(place, f"&{array}[{made.value + 1}]", line)
            held = await dump.of(place, f"{array}[{made.value}]", line)
            rust = line.text.language == RUST  # gdb knows no element of a Vec
            if rust or (
                first
                and end
                and dump.damaged(first.value, end.value)
                and (
                    reads
                    or (
                        held
                        and await is_alone(
                            dump, use, use.into(array), index, place, held.value, room[0]
                        )
                    )
                )
            ):
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
            room = await room_of(dump, array, other, Place(frame)) if cell else None
            if held and cell and room and not 0 <= held.value < room[0] and (
                dump.damaged(cell.value, cell.value + 1)
                and was_then(dump, other, array) and was_then(dump, line, line.of("expression"))
            ):  # fmt: skip
                return await dump.said(held, cell)
    return ()
