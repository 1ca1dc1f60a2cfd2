"""Which call asked for too few bytes, was given what failed, or unmapped it."""

import re
from collections.abc import Iterator

from analyzers.patterns.case import Case
from workbench.agents.assisted.carried import carried
from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.exchanged import by_bytes, exchanged
from workbench.agents.assisted.filled import too_long
from workbench.agents.assisted.followed import goes_on
from workbench.agents.assisted.left import is_overrun, may_jump
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.marks import is_sure
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.rooms import is_set_unseen, taken, was_then
from workbench.claims.chain import UNMAPS, same_function
from workbench.claims.source.held import guards, held
from workbench.claims.source.names import bits_of
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.source.text import last_name
from workbench.claims.values import NULL, number
from workbench.model.facts import Chunk, Fault, Heap

_SIZE = re.compile(r"\*?sizeof(?:\([^()]*\)|[*\w>.\-]+)\*?")
_GROUP, _SUM = re.compile(r"\([^()]*\)"), re.compile(r"[+-](?!>)")
_BELOW = re.compile(r"(\w+)<=?(.+)")
_ROWS = re.compile(r"([\w.>-]+)\*([\w.>-]+)\+(\w+)|(\w+)\+([\w.>-]+)\*([\w.>-]+)")
"""An element of a table that lies row by row: ``y * img->width + x``."""
_WORD = 8
_SPARE, _MAPPED = 48, 1 << 17
"""What a chunk of glibc's has beside the bytes that were asked for, of those that are not mapped
alone: its header, and what is too little for a chunk."""
_COPIES = ("memcpy", "memmove")
_FIRST = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_PARTS = re.compile(r"([\w.>-]+)(?:/(\d{1,9})|>>(\d{1,2}))")
"""How many whole parts of a size something has: ``count / 8``, ``bits >> 6``."""


async def too_small(dump: Dump, line: Line) -> Proved:
    """The damage lies behind the bytes that were asked for, and within as many elements; or, where
    no other line allocates them, behind the block and within as many as its object counts."""
    target, size = line.of("target"), line.of("size") or line.of("expression")
    if line.row.kind == "calls":
        target = dump.code.made_by(line) if _gives_bytes(dump.code, line.of("callee")) else ""
    if line.of("count") and line.of("size"):
        size = f"({line.of('count')})*{line.of('size')}"
    if _is_replaced(dump.code, line):
        return ()
    named = line.into(target)
    for place in dump.places(named) if target else ():
        start = await dump.first(place, target, named)
        each = await dump.value(place, f"sizeof(*({start.expression}))") if start else None
        whole = size or (f"({line.of('count')})*{each.value}" if each and line.of("count") else "")
        asked = await dump.of(place, whole, named) if whole else None
        one_product = "sizeof" in size and not _SUM.search(_GROUP.sub("", size))
        counted = [_SIZE.sub("", size) or "1"] if one_product else (
            () if "sizeof" in size else _counted(dump, named))  # fmt: skip
        if "sizeof" not in size:  # who counts on may be the one that went too far
            counted = [one for one in counted if not _is_counted_on(dump.code, named, one)]
        counted = [*counted, *_of_tables(dump.code, named)]
        counted = [
            one for one in counted if not is_set_unseen(dump.code, named, _SIZE.sub("", one))
        ]
        counts = [await dump.of(place, one, named) for one in counted if asked]
        rounds = [await dump.of(place, one, named) for one in
                  (*_counted(dump, named), *_of_tables(dump.code, named)) if asked]  # fmt: skip
        most = max((one.value for one in rounds if one), default=0) if one_product else None
        chunk = await dump.chunk(start.value) if start else None
        block = chunk if chunk and chunk.offset == 0 and line.row.kind != "calls" else None
        end = block.start + block.size if block else 0
        if block and asked and block.size - asked.value >= _SPARE and asked.value < _MAPPED:
            continue  # another line asked for the block that it has now
        if asked and start and each and await _is_cut(dump, named, place, size, each.value) and (
            _is_behind(dump, named, block, start.value + asked.value)
        ):  # fmt: skip
            return await dump.said(start, asked)
        if asked and start and each and block and _is_ended_behind(dump, named, size) and (
            _has_damaged(dump, end, start.value + asked.value, each.value)
        ):  # fmt: skip
            return await dump.said(start, asked)
        for count in counts if start and asked and each else ():
            filled = count.value if count and most is None else most or 0
            if start and asked and each and count and await _ran_over(
                dump, named, start.value,
                range(max(end, start.value + asked.value), start.value + count.value * each.value),
                start.value + filled * each.value,
            ):  # fmt: skip
                return await dump.said(start, asked, each)
        by_count = start and (line.of("count") or not asked)
        if start and by_count and each and block and _allocates_alone(dump, line):
            bounds = {*_bounds(dump, named)}
            for counter in dump.counters(line):
                if (dump.struct(line), counter) not in bounds or (
                    _is_counted_on(dump.code, line, f"{place.base}{counter}")
                ):
                    continue
                count = await dump.value(place, f"{place.base}{counter}")
                if count and await _ran_over(
                    dump, named, start.value, range(end, start.value + count.value * each.value)
                ):
                    return await dump.said(start, count, each)
    return await too_long(dump, line)


async def _is_cut(dump: Dump, line: Line, place: Place, size: str, each: int) -> bool:
    """True where a block of bytes has as many as whole parts are in a number, which has more, and
    every line that stores into it goes by such a part: ``malloc(n / 8)``, ``bits[at / 8]``."""
    code, parts = dump.code, _PARTS.fullmatch(size)
    cell = code.target_of(line)
    rest = await dump.of(place, f"({parts[1]})%{_divisor(parts)}", line) if parts else None
    stores = [use.of("target").removesuffix("]").split("[") for use in code.of_kind("assigns")
              if code.cell_of(use, use.of("target").partition("[")[0]) == cell
              and "[" in use.of("target")]  # fmt: skip
    used = [_PARTS.fullmatch(one[1]) if len(one) == 2 else None for one in stores]
    struct, base = dump.struct(line), line.of("target").removesuffix(cell[1])
    kept = [field for made, field in code.kept_by(line.function, struct)
            if parts and parts[1] in (made, f"{base}{field}")]  # fmt: skip
    whole = parts and rest and rest.value and each == 1
    sets = [one for field in kept for one in code.stores(struct, field)]
    return bool(whole and used and kept) and all(
        one and parts and _divisor(one) == _divisor(parts) for one in used
    ) and all(one.function == line.function for one in sets)  # fmt: skip


def _divisor(parts: re.Match[str]) -> int:
    return int(parts[2]) if parts[2] else 1 << int(parts[3])


def _is_behind(dump: Dump, line: Line, block: Chunk | None, byte: int) -> bool:
    """True where a byte lies in the size of the chunk behind an array's block, which makes no sense
    and to which nothing else may have jumped."""
    end, cell = block.start + block.size if block else 0, dump.code.target_of(line)
    return end + _WORD <= byte < end + 2 * _WORD and any(
        one.broken_at == end and (one.overrun or not may_jump(dump.code, cell))
        for one in dump.ports.state.facts.all(Heap)
    )


def _has_damaged(dump: Dump, end: int, first: int, size: int) -> bool:
    """True where an element behind a block lies in the size of the next one's header, which makes
    no sense."""
    return (
        first < end + 2 * _WORD
        and end + _WORD < first + size
        and dump.damaged(end, end + 1)
        and (any(one.broken_at == end for one in dump.ports.state.facts.all(Heap)))
    )


async def _ran_over(
    dump: Dump, line: Line, start: int, damage: range, filled: int | None = None
) -> bool:
    """True where what failed lies in damage that an array may have done, and did: the same data
    lies before it, the header behind its block is damaged and nothing else may have jumped there,
    or what lies there comes of no line that names it, and a loop fills the array as far (in front
    of ``filled``)."""
    facts, cell = dump.ports.state.facts, dump.code.target_of(line)
    runs = [one.run for one in facts.all(Fault) if one.run is not None]
    return dump.damaged(damage.start, damage.stop) and (
        any(
            one.broken_at
            and start < one.broken_at < damage.stop
            and (one.overrun or not may_jump(dump.code, cell))
            for one in facts.all(Heap)
        )
        or any(start <= one.start < damage.start < one.end for one in runs)
        or await is_overrun(
            dump, range(damage.start, min(damage.stop, filled or damage.stop)), cell
        )
    )


def _is_replaced(code: Code, line: Line) -> bool:
    """True where its function asks for the same member's block again, behind a line."""
    cell = code.target_of(line)
    return bool(cell[1]) and any(
        one.text == line.text and code.target_of(one) == cell and line.is_before(one.at)
        for one in code.of_kind("allocates", line.function)
    )


def _is_counted_on(code: Code, line: Line, counter: str) -> bool:
    """True for a member that another function sets: who counts on may be the one that went too
    far."""
    struct, field = code.owners.cell(counter, line.function)
    return bool(member(counter)) and any(
        not same_function(one.function, line.function) for one in code.stores(struct, field)
    )


def _counted(dump: Dump, line: Line) -> Iterator[str]:
    """What counts an array's elements apart from its size, in the words of the line's function: the
    bound of a loop over them."""
    code, target = dump.code, line.of("target")
    cell = code.cell_of(line, target)
    for one in code.of_kind("loops"):
        bound = _BELOW.fullmatch(one.of("condition"))
        for use in code.lines if bound else ():
            if not bound or use.text != one.text or not one.has(use.at):
                continue
            for array in taken(use, bound[1]):
                base = array.removesuffix(cell[1])
                rest = _FIRST.findall(bound[2].replace(base, ".") if base else bound[2])
                if code.cell_of(use, array) == cell and (
                    same_function(one.function, line.function)
                    or not any(code.owners.is_local(name, one.function) for name in rest)
                ):
                    yield bound[2].replace(base, target.removesuffix(cell[1])) if base else bound[2]


def _is_ended_behind(dump: Dump, line: Line, size: str) -> bool:
    """True where a function asks for a block of as many elements as it then sets, all of them, and
    always sets the one behind them, too: ``p = malloc(n); memcpy(p, s, n); p[n] = 0;``."""
    code, array = dump.code, line.of("target")
    count = line.of("count") or _SIZE.sub("", size) or "1"
    own = [one for one in code.lines if one.function == line.function and one.text == line.text
           and one.at >= line.at]  # fmt: skip
    ends = [one for one in own if one.of("target") == f"{array}[{count}]" and is_sure(code, one)
            and one.of("operator") == "="]  # fmt: skip
    whole = [code.passed(one) for one in own if plain_callee(one.of("callee")) in _COPIES]
    filled = any(
        {1, 3} <= given.keys() and given[1].of("expression") == array
        and given[3].of("expression") in (size, count)
        for given in whole
    ) or any(
        loop.of("condition") == f"{index}<{count}" and loop.has(one.at)
        for loop in own if loop.row.kind == "loops"
        for index in [loop.of("condition").partition("<")[0]]
        for one in own if one.of("target") == f"{array}[{index}]"
    )  # fmt: skip
    return (
        bool(ends)
        and filled
        and was_then(dump, line, count)
        and not any(one.of("target") in (count, array) and one.at > line.at for one in own)
    )


def _of_tables(code: Code, line: Line) -> Iterator[str]:
    """How many elements a table has of which a loop goes along each row, in the words of the line's
    function: as many as members say that it sets alone, to what it was given."""
    cell = code.target_of(line)
    for use in code.of_kind("assigns"):
        array, _, index = use.of("target").partition("[")
        found = _ROWS.fullmatch(index.removesuffix("]"))
        if found is None or code.cell_of(use, array) != cell:
            continue
        one, other, column = found.groups()[:3] if found[1] else (found[5], found[6], found[4])
        most = {left: right for left, sign, right in held(use.text, use.at, code.known)
                if sign == "<"}  # fmt: skip
        row = other if most.get(column) == one else one
        sides = [most.get(row), most.get(column)]
        if most.get(column) in {one, other} - {row} and all(
            side and _is_as_given(code, line, code.owners.cell(side, use.function))
            for side in sides
        ):
            base, own = (text.removesuffix(cell[1]) for text in (array, line.of("target")))
            yield "*".join(own + str(side).removeprefix(base) for side in sides)


def _is_as_given(code: Code, line: Line, cell: Cell) -> bool:
    """True for a member that a line's function alone sets, and to its parameters."""
    stores = code.stores(*cell) if cell[1] else []
    return bool(stores) and all(
        one.function == line.function and one.of("operator") in ("", "=")
        and one.of("expression") in code.parameters(line.function)
        for one in stores
    )  # fmt: skip


def _bounds(dump: Dump, line: Line) -> Iterator[Cell]:
    """What an index of an array is compared with, by any of the names that the array has."""
    code = dump.code
    arrays = {code.cell_of(line, name) for name in dump.names(line.of("target"), line)}
    for one in (*code.of_kind("loops"), *code.of_kind("compares")):
        text = one.of("condition") or f"{one.of('left')}{one.of('operator')}{one.of('right')}"
        bound = _BELOW.fullmatch(text)
        for use in code.lines if bound else ():
            own = use.text == one.text and same_function(use.function, one.function)
            if (
                own
                and bound
                and any(code.cell_of(use, it) in arrays for it in taken(use, bound[1]))
            ):
                yield code.cell_of(one, bound[2])


def _allocates_alone(dump: Dump, line: Line) -> bool:
    """True where no other line allocates in a function that sets members of such objects."""
    struct, owners = dump.struct(line), dump.code.owners
    setting = {one.function for one in dump.code.of_kind("assigns")
               if struct and owners.cell(one.of("target"), one.function)[0] == struct}  # fmt: skip
    return all(
        one.is_at(line) or one.function not in setting for one in dump.code.of_kind("allocates")
    )


def _gives_bytes(code: Code, function: str) -> bool:
    """True for a function that returns a variable which points to bytes of no type."""
    given = {line.of("expression") for line in code.of_kind("returns", function)}
    return any(
        type_ == "void*" or bits_of(type_.removesuffix("*"), line.text.language or "") == 8
        for line in code.of_kind("declares", function)
        for type_ in (line.of("type"),)
        if line.of("name") in given and type_.endswith("*")
    )


async def passed(dump: Dump, line: Line) -> Proved:
    """Too few bytes, or a constant that the callee has in the place that failed: what another call
    returned was not handed on; two arguments in each other's place; or bytes for elements."""
    if found := await exchanged(dump, line) or await by_bytes(dump, line):
        return found
    given = 0 if line.of("expression") in NULL else number(line.of("expression"))
    callee = line.of("callee")
    names = dict(enumerate(dump.code.parameters(callee), 1))
    name = names.get(int(line.row.values.get("index", 0)))
    for frame, place in carried(dump) if given is not None and [*dump.standing(line)] else ():
        if place == name and same_function(frame.function or "", callee):
            if given == 0 and _may_be_given_null(dump.code, callee, name):
                return ()
            has = await dump.value(Place(frame), name)
            return await dump.said(has) if has and has.value == given else ()
    return await too_small(dump, line)


def _may_be_given_null(code: Code, function: str, name: str) -> bool:
    """True where a function asks whether a parameter is null, before some of its lines: it takes
    one, and the line that failed did not ask."""
    return any(
        name in test[::2] and not NULL.isdisjoint(test[::2])
        for one in code.of_function(last_name(function)) if same_function(one.function, function)
        for test in guards(one.text, one.at, code.known)
    )  # fmt: skip


async def unmapped(dump: Dump, line: Line) -> Proved:
    """What failed lies in the range that the call was given, where nothing is mapped now, and no
    other line unmaps."""
    given, memory = dump.code.passed(line), dump.ports.state.facts.once(Case).memory
    begin, length = given.get(1), given.get(2)
    alone = begin is not None and not goes_on(
        dump.code, dump.code.cell_of(begin, begin.of("expression"))
    ) and all(
        one.is_at(line) or is_to_come(dump.code, one)
        for one in dump.code.of_kind("calls")
        if plain_callee(one.of("callee")) in UNMAPS
    )  # fmt: skip
    for place in dump.places(begin) if begin and length and memory and alone else ():
        start = await dump.of(place, begin.of("expression"), line) if begin else None
        size = await dump.of(place, length.of("expression"), line) if length else None
        if start and size and memory and memory.region(start.value) is None and (
            dump.damaged(start.value, start.value + size.value)
        ):  # fmt: skip
            return await dump.said(start, size)
    return ()
