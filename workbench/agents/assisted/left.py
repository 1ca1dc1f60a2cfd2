"""A member that nobody has set since its object was made: what stands in it is no address, and all
lines that set it give one."""

import re

from analyzers.patterns.case import Case
from workbench.agents.assisted.bounds import REST, wholes
from workbench.agents.assisted.carried import carried
from workbench.agents.assisted.code import Code, is_new
from workbench.agents.assisted.dump import LEAST, Dump, Place
from workbench.agents.assisted.followed import DEEPEST, is_in_macro, is_taken, leads_only
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.marks import is_in, makers
from workbench.agents.assisted.once import once
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.released import fits_one
from workbench.agents.assisted.rivals import may_fill, may_release_such, may_set
from workbench.claims.chain import same_function
from workbench.claims.source import is_certain, normal
from workbench.claims.source.held import held as holding
from workbench.claims.source.names import FILLS, bits_of
from workbench.claims.source.order import around
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.values import NULL, number
from workbench.model.facts import Heap

_ELEMENT = re.compile(r"&((?:\w+(?:->|\.))*\w+)\[(\w+)\]")
_INDEX = re.compile(r"\[([^\[\]]*)\]")
_ONE = re.compile(r"((?:\w+(?:->|\.))+\w+)\[[^\[\]]+\]")
"""An element of a member's array."""
_BEHIND = re.compile(r"(?<!\+)\+(?![+>])(\w+)")
_PLACE = re.compile(r"[\[+]")
_BACK = re.compile(r"-(?!>)")
_USER = 1 << 48
"""Where the addresses end that a process may have: AArch64 has half of them above x86-64's
(Documentation/arch/arm64/memory.rst)."""


async def left_unset(dump: Dump, store: Line, place: Place) -> Proved:
    """The pointer of the object that failed is none that a process may have, and all lines that set
    it give the address of something, or it is null, and none of them gives that; nothing runs over
    it or stores at an index that may lead past a block's header, and the object is a block of its
    own that nobody releases: none of those lines ran on it since it was made. ``store`` is a line
    as one that sets it."""
    code = dump.code
    struct, field = code.member_of(store)
    base = place.base.removesuffix("->") if place.base[-2:] == "->" else f"&{place.base[:-1]}"
    start, held = await dump.value(place, base), await dump.value(place, f"{place.base}{field}")
    size = await dump.value(place, f"sizeof(*({base}))")
    chunk = await dump.chunk(start.value) if start else None
    null = held is not None and not held.value and not any(
        code.may_be(one, one.of("expression")) for one in code.stores(struct, field)
    )  # fmt: skip
    if not (
        held and (null or held.value >= _USER) and struct
        and size and chunk and chunk.state == "in-use" and not chunk.offset
        and fits_one(chunk.size, size.value)
    ) or (
        any(one.broken_at or one.list_faults for one in dump.ports.state.facts.all(Heap))
        or (held.value and any(number(one.of("expression")) == held.value
                               for one in code.of_kind("assigns")))
        or (may_set(code, struct, field) if null else not _gets_addresses(code, struct, field))
        or may_jump(code)
        or any(may_release_such(code, one, struct) for one in code.of_kind("frees"))
    ):  # fmt: skip
        return ()
    return await dump.said(held)


async def left_local(dump: Dump, line: Line, name: str, at: object) -> Proved:
    """The variable is declared without a value, what failed is what its function had in it or
    returned from it, and no line that sets it can have given that. ``at`` is the line that is
    told."""
    code = dump.code
    own = [one for one in code.of_kind("declares", line.function) if one.of("name") == name]
    sets = [one for one in code.of_kind("assigns", line.function) if one.of("target") == name]
    if [one.at for one in own] != [at] or any(one.at == at for one in sets) or not all(
        (one.of("type")[-1:] == "*" or bits_of(one.of("type"), line.text.language or ""))
        and "parameter" not in one.row.values and not one.of("size") for one in own
    ) or any(
        one.storage for one in own
    ) or code.is_handed_out(line.function, name) or is_in_macro(code, name) or (
        any(is_in_choice(one) for one in sets)
    ):  # fmt: skip
        return ()
    frame, place = next(reversed([*carried(dump)]), (None, ""))
    if (
        frame is None
        or _may_reach(code, frame.function or "")
        or not (
            (same_function(frame.function or "", line.function) and place == name)
            or _is_returned(code, frame.function or "", place, line.function, name)
        )
    ):
        return ()
    held = await dump.value(Place(frame), place)
    if held and all([await _cannot_give(dump, one, one.of("expression"), held.value)
                     for one in sets]):  # fmt: skip
        return await dump.said(held)
    return ()


def _is_returned(code: Code, function: str, place: str, maker: str, name: str) -> bool:
    """True for a variable that one line alone sets, to what a function returns, which gives a
    variable of its own."""
    sets = [one for one in code.of_kind("assigns", function) if one.of("target") == place]
    given = code.of_kind("returns", maker)
    return len(sets) == 1 and code.is_call(sets[0], sets[0].of("expression"), maker) and (
        bool(given) and all(one.of("expression") in (name, *NULL) for one in given)
        and not code.is_handed_out(function, place)
    )  # fmt: skip


def is_in_choice(line: Line) -> bool:
    """True within a switch that has no default: what it goes by may have been wrong."""
    found = around(line.text, line.at)
    return found is None or any(
        one.type == "switch_statement" and "default" not in found[0].text(one)
        for holder, _, statement in found[1] for one in (holder, statement)
    )  # fmt: skip


def _may_reach(code: Code, function: str) -> bool:
    """True where a function has an array beside its variables, or one of any function is stored
    into at an index that does not go on by one: that may have run over a variable."""
    declared = code.of_kind("declares")
    having = {one.of("of") for one in declared if one.of("of") and one.of("size")}
    arrays = [one for one in declared if not one.of("of") and one.function and (
        one.of("size") or one.of("type")[-1:] == "]"
        or (one.of("type")[-1:] not in "*&" and code.owners.bare(one.of("type")) in having)
    )]  # fmt: skip
    return any(
        same_function(one.function, function)
        or any(
            not _goes_by_one(code, store, at.removesuffix("++"))
            for store in code.of_kind("assigns", one.function)
            if store.of("target").startswith(f"{one.of('name')}[")
            for at in _INDEX.findall(store.of("target"))
        )
        for one in arrays
    )


async def _cannot_give(dump: Dump, line: Line, made: str, value: int, depth: int = DEEPEST) -> bool:
    """True for a line that sets another number, the address of an element of an array in which the
    value does not lie, or, where that is no address, one of something."""
    code = dump.code
    if line.of("operator") != "=" or not depth:
        return False
    fixed = 0 if made in NULL else number(made)
    if fixed is not None:
        return (fixed - value) % (1 << 32) != 0
    if not LEAST <= value < _USER and _is_address(code, line, made) and (
        value or not code.may_be(line, made)
    ):  # fmt: skip
        return True
    if part := _ELEMENT.fullmatch(made):
        return await _is_beside(dump, line, part[1], part[2], value)
    sets = [one for one in code.of_kind("assigns", line.function) if one.of("target") == made]
    return (
        bool(sets) and code.owners.is_local(made, line.function)
        and made not in code.parameters(line.function)
        and not code.is_handed_out(line.function, made)
        and all([await _cannot_give(dump, one, one.of("expression"), value, depth - 1)
                 for one in sets])
    )  # fmt: skip


async def _is_beside(dump: Dump, line: Line, array: str, index: str, value: int) -> bool:
    """True where a value lies outside of the elements of an array that a loop goes along from its
    beginning, as far as it says."""
    code = dump.code
    starts = [one for one in code.of_kind("assigns", line.function) if one.of("target") == index]
    most = [right for left, sign, right in holding(line.text, line.at, code.known)
            if (left, sign) == (index, "<")]  # fmt: skip
    if not most or not _goes_by_one(code, line, index) or not all(
        one.of("operator") == "++" or one.of("expression") == "0" for one in starts
    ) or not (_lasts(code, line, array) and _lasts(code, line, most[0])):  # fmt: skip
        return False
    for place in dump.places(line):
        first = await dump.of(place, f"&{array}[0]", line)
        end = await dump.of(place, f"&{array}[{most[0]}]", line)
        if first and end:
            return not first.value <= value < end.value
    return False


def _lasts(code: Code, line: Line, path: str) -> bool:
    """True for a constant or variable of the function that nothing sets, and a member that has been
    what it is since its object was made."""
    struct, field = cell = code.owners.cell(path, line.function)
    if not field:
        return not any(one.of("target") == path for one in code.of_kind("assigns", line.function))
    making = makers(code, str(struct))
    return struct is not None and not is_taken(code, cell) and not is_in_macro(code, field) and all(
        code.runs_once(one) or is_in(one, making)
        for one in (*code.stores(struct, field), *wholes(code, struct, field))
    )  # fmt: skip


async def is_overrun(dump: Dump, damage: range, array: Cell) -> bool:
    """True where a pointer of the chain lies in damage that is none which a process may have, and
    all lines that set it by its name give one: an array ran over it, and no other one than this
    may."""
    code = dump.code
    for link in dump.chain:
        path, function = normal(str(link.get("expression"))).lstrip("&"), str(link.get("function"))
        frame = dump.live(function) if link.kind == "value" else None
        one = _ONE.fullmatch(path)
        at = await dump.value(Place(frame), f"&{path}") if frame and (one or member(path)) else None
        held = await dump.value(Place(frame), path) if frame and at else None
        struct, field = code.cell_in(function, one[1] if one else path)
        if at and held and at.value in damage and _is_none(dump, held.value) and (
            struct in code.owners.structs and struct is not None
            and (_have_addresses if one else _gets_addresses)(code, struct, field)
            and not may_jump(code, array)
        ):  # fmt: skip
            return True
    return False


def _is_none(dump: Dump, value: int) -> bool:
    """True for a number that is no address of a process, or one below all that this one has mapped:
    what it maps comes in front of the lowest only where the program itself asks for it."""
    lowest = min((one.start for one in dump.ports.state.facts.once(Case).regions), default=0)
    return not LEAST <= value < _USER or value < lowest


def _gets_addresses(code: Code, struct: str, field: str) -> bool:
    """True for a member that lines alone set which give the address of something."""
    return not may_set(code, struct, field) and all(
        one.of("operator") == "=" and _is_address(code, one, one.of("expression"))
        for one in code.stores(struct, field)
    )


def _have_addresses(code: Code, struct: str, field: str) -> bool:
    """True for the elements of a member's array, where lines alone set one which give the address
    of something, and nothing else writes through what the member has."""
    stores = [one for one in code.of_kind("assigns")
              if (of := _ONE.fullmatch(one.of("target"))) and (
                  code.cell_of(one, of[1]) == (struct, field))]  # fmt: skip
    return bool(stores) and not (
        may_set(code, struct, field) or may_fill(code, stores[0], (struct, field), tuple(stores))
    ) and all(
        one.of("operator") == "=" and _is_address(code, one, one.of("expression"))
        for one in stores
    )  # fmt: skip


@once
def may_jump(code: Code, array: Cell | None = None) -> bool:
    """True where a line stores at an index, or fills from there on, that does not go on by one from
    the beginning, at a number in what is no array, or where a pointer goes back: what it meets
    beyond its array may lie behind a header that it leaves as it was. Of one array all may."""
    stores = [(one, one.of("target")) for one in code.of_kind("assigns")]
    fills = [
        (one, one.of("expression"))
        for one in code.of_kind("calls")
        if FILLS.get(plain_callee(one.of("callee"))) == one.row.values.get("index", 0)
    ]
    return any(
        not _goes_by_one(code, line, at.removesuffix("++"))
        or ((number(at) or 0) > 1 and not all(
            one[-1:] == "]" for one in code.types(line, _PLACE.split(path)[0]) or [""]))
        for line, path in (*stores, *fills)
        if array is None or code.cell_of(line, path.partition("[")[0]) != array
        for at in (*_INDEX.findall(path), *_BEHIND.findall(path), *_BACK.findall(path))
        if not _is_counted_in(code, line, path, at)
    ) or any(
        one.of("operator") in ("--", "-=") and any(map(leads_only, code.types(one, path)))
        for one, path in stores
    )  # fmt: skip


def _is_counted_in(code: Code, line: Line, path: str, at: str) -> bool:
    """True where the index has to be less than a member that has said since the object was made for
    how many elements the array's block was asked: ``if (at < t->count) t->names[at] = name;``."""
    one = _ONE.fullmatch(path)
    struct, field = code.owners.cell(one[1], line.function) if one else (None, "")
    asked = [one for one in code.of_kind("allocates") if code.member_of(one) == (struct, field)]
    if (
        not (one and field and asked)
        or is_taken(code, (struct, field))
        or not all(
            any(map(store.is_at, asked)) or store.of("expression") in NULL
            for store in code.stores(struct, field)
        )
    ):
        return False
    for left, sign, right in holding(line.text, line.at, code.known):
        of, count = code.owners.cell(right, line.function)
        if (left, sign) == (at, "<") and (of, right.removesuffix(count)) == (
            struct, one[1].removesuffix(field)
        ) and _lasts(code, line, right) and all(
            _asks_for(code, made, count) for made in asked
        ):  # fmt: skip
            return True
    return False


def _asks_for(code: Code, made: Line, count: str) -> bool:
    """True for a line that asks for as many elements as its function sets a member to."""
    target, size = made.of("target"), made.of("size") or made.of("expression")
    struct = code.member_of(made)[0]
    number_of = made.of("count") or re.sub(r"\*?sizeof(?:\*[\w>.-]+|\([^()]*\))\*?", "", size)
    each = {f"sizeof*{target}", f"sizeof(*{target})",
            *(f"sizeof({one.removesuffix('*')})" for one in code.types(made, target))}  # fmt: skip
    return any(map(size.__contains__, each)) and (number_of, count) in code.kept_by(
        made.function, str(struct)
    )


def _goes_by_one(code: Code, line: Line, at: str) -> bool:
    """True for a number that stands there, a remainder, a mask, and a variable or member that all
    lines set to a number or count on by one."""
    if number(at) is not None or REST.fullmatch(at):
        return at[:1] != "-"
    struct, field = cell = code.owners.cell(at, line.function)
    sets = code.stores(struct, field) if field else code.sets(line.function, at)
    return bool(sets) and not is_taken(code, cell if field else code.cell_of(line, at)) and (
        field != "" or at not in code.parameters(line.function)
    ) and all(
        one.of("operator") == "++" or (one.of("operator") == "=" and (
            one.of("expression") in NULL or number(one.of("expression")) is not None))
        for one in sets
    )  # fmt: skip


def _is_address(code: Code, line: Line, expression: str, depth: int = DEEPEST) -> bool:
    """True for null, the address of something, what has just been allocated, and a variable, a
    parameter or the result of a listed function that is nothing else."""
    if expression in NULL or expression[:1] == '"' or expression.lstrip("&") in code.functions or (
        re.fullmatch(r"&\w+", expression)
        or any(one.is_at(line) and one.of("target") == line.of("target")
               and is_new(expression, one.of("callee")) for one in code.of_kind("allocates"))
    ):  # fmt: skip
        return True
    if depth and (passed := code.given(line.function, expression)):
        return all(
            (call.function, one) == (line.function, expression)  # it hands its own on
            or _is_address(code, call, one, depth - 1)
            for call, one in zip(code.calls(line.function), passed, strict=True)
        )
    if depth and code.owners.is_local(expression, line.function):
        sets = code.sets(line.function, expression)
        return expression not in code.parameters(line.function) and bool(sets) and not (
            code.is_handed_out(line.function, expression)
        ) and all(
            one.of("operator") == "=" and _is_address(code, one, one.of("expression"), depth - 1)
            for one in sets
        ) and any(
            one.text == line.text and is_certain(one.text, one.at)
            and one.is_before(line.at)
            for one in sets
        )  # fmt: skip
    name = expression.partition("(")[0]
    given = code.of_kind("returns", name) if depth and name in code.functions else ()
    return bool(given) and all(
        code.is_call(line, expression, name)
        and not is_taken(code, (name, one.of("expression")))
        and _is_address(code, one, one.of("expression"), depth - 1)
        for one in given
    )
