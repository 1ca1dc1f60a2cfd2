"""What proves from the dump's values that an origin's line did what its kind says.

A rule a kind: what the line's expressions are of a live object is asked of the debugger, and has to
give the damage. What cannot be asked proves nothing: then the origin stays open.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.stack_overflow import leapt
from analyzers.patterns.waitgraph import WaitGraph
from workbench.agents.assisted.code import NULL, Code, Line, is_to_come
from workbench.agents.assisted.dump import ELEMENTS, LEAST, Dump, Found, Place, class_of
from workbench.agents.assisted.rivals import is_handed_out, may_overwrite, may_release
from workbench.agents.ports import Ports
from workbench.claims.chain import same_function
from workbench.claims.source import function_extent, is_certain, normal, precedes
from workbench.claims.source.names import FILLS, bits_of
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.source.text import RUST
from workbench.claims.values import number
from workbench.model.claims import Claim
from workbench.model.facts import Fault, Loop, StackShape
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_ELEMENT = re.compile(r"(.+)\[([^\[\]]+)\]")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_SIZE = re.compile(r"\*?sizeof(?:\([^()]*\)|[*\w>.\-]+)\*?")
_ZEROS = re.compile(r"\{(?:0|\..*)?\}|[^{].*")
_LENGTHS = {"memset": 3, "memcpy": 3, "memmove": 3, "strncpy": 3, "snprintf": 2, "fgets": 2,
            "read": 3, "recv": 3, "strlcpy": 3, "bzero": 2}  # fmt: skip
"""Copying functions that are told a length, and which argument it is (C23, POSIX)."""
_COUNTS = (".len", ".length")
"""What counts the elements of Rust's Vec and slices."""
_INDEXED = ("get_unchecked", "get_unchecked_mut", "add", "offset")
_IN_USE = (None, "in-use", "header", "top")
_ERRORS = 4096
"""The numbers below zero that tell an error, as the system's calls return them (errno.h)."""
_FEW = 4
"""So many calls of its own a recursive function has, at most, that it comes round by."""
_LOCK = 64
"""Bytes of an object of a lock: what waits names a word of it."""
_MOST = 6
"""Rows of one statement that are tried."""

Proved = tuple[Claim, ...]
"""Statements that hold and prove it; empty where nothing does."""


async def proved(ports: Ports, origin: Origin, chain: Sequence[Claim], code: Code) -> Proved:
    """The statements that prove the last link of a chain to be an origin of its kind."""
    if origin.kind is OriginKind.RETURNED and chain[-1].kind == "returned_by":
        return _gave_it(ports.state, chain[-1])
    if any(_set_again(code, link) for link in chain[:-1]):
        return ()
    rule, mine = RULES.get(origin.kind), code.kept(chain[-1])
    passed = chain[-1].get("index")
    if chain[-1].kind != "never_sets" and len({(one.file, one.at) for one in mine}) > 1:
        return ()  # which of the lines it was is not said
    dump = Dump(ports, chain, code)
    for line in ([one for one in mine if one.row.values.get("index") == passed] or mine)[:_MOST]:
        if rule is not None and (found := await rule(dump, line)):
            return found
    return ()


def _gave_it(state: Investigation, last: Claim) -> Proved:
    """The machine shows that what failed, null or an error's number, was returned by a call."""
    value, shown = last.get("value"), [
        one
        for fault in state.facts.all(Fault)
        for one in (fault.operand, fault.base_value, fault.index_value, fault.divisor)
    ]  # fmt: skip
    small = isinstance(value, int) and (
        value < NEAR_NULL or any(-_ERRORS < value - (1 << bits) < 0 for bits in (32, 64))
    )
    return (last,) if small and value in shown else ()


def _set_again(code: Code, link: Claim) -> bool:
    """True for a variable of a function on the stack that another line may have set since."""
    function, mine = str(link.get("function")), code.kept(link)
    target = normal(str(link.get("target")))
    return (
        link.kind == "assigns"
        and target.isidentifier()
        and any(
            one.of("target") == target
            and code.may_be(one, one.of("expression"))
            and not any(
                one.is_at(line) or code.is_undone(one, line, code.where(function)) for line in mine
            )
            for one in code.of_kind("assigns", function)
        )
        and bool(code.where(function))
    )


async def _truncated(dump: Dump, line: Line) -> Proved:
    """The stored value is the expression's without its upper bits."""
    for place in dump.places(line):
        kept = await dump.of(place, line.of("target"), line)
        made = await dump.of(place, line.of("expression"), line) if kept else None
        if kept and made and kept.value != made.value and (
            (kept.value - made.value) % (1 << int(line.row.values["bits"])) == 0
        ):  # fmt: skip
            return await dump.said(kept, made)
    return ()


async def _extent(dump: Dump, line: Line) -> Proved:
    """The damage lies behind the bytes that were asked for, and within as many elements; or, where
    no other line allocates them, behind the block and within as many as its object counts."""
    target, size = line.of("target"), line.of("size") or line.of("expression")
    if line.row.kind == "calls":
        target = dump.code.made_by(line) if _gives_bytes(dump.code, line.of("callee")) else ""
    named = line._replace(row=line.row._replace(values={**line.row.values, "target": target}))
    for place in dump.places(named) if target else ():
        start = await dump.first(place, target, named)
        each = await dump.value(place, f"sizeof(*({start.expression}))") if start else None
        asked = await dump.of(place, size, named) if size and not line.of("count") else None
        count = await dump.of(place, _SIZE.sub("", size) or "1", named) if asked else None
        if start and asked and each and count and dump.damaged(
            start.value + asked.value, start.value + count.value * each.value
        ):  # fmt: skip
            return await dump.said(start, asked, each)
        chunk = await dump.chunk(start.value) if start and not asked else None
        if start and each and chunk and chunk.offset == 0 and _allocates_alone(dump, line):
            end = chunk.start + chunk.size
            for counter in dump.counters(line):
                held = await dump.value(place, f"{place.base}{counter}")
                if held and dump.damaged(end, start.value + held.value * each.value):
                    return await dump.said(start, held, each)
    return ()


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


async def _passed(dump: Dump, line: Line) -> Proved:
    """Too few bytes, or a constant that the callee has in the place that failed."""
    given = 0 if line.of("expression") in NULL else number(line.of("expression"))
    frame, callee = dump.live(line.of("callee")), line.of("callee")
    names = dict(enumerate(dump.code.parameters(callee), 1))
    name = names.get(int(line.row.values.get("index", 0)))
    changed = any(one.of("target") == name for one in dump.code.of_kind("assigns", callee))
    stands = [*dump.standing(line)] and not changed
    if frame is not None and given is not None and name and stands:
        held = await dump.value(Place(frame), name)
        if held and held.value == given:
            return await dump.said(held)
    return await _extent(dump, line)


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
    return (chunk.start + chunk.size - start.value) // each.value, start


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
    """The element that the line writes last lies behind its array, and is what was damaged."""
    parts = _ELEMENT.fullmatch(line.of("target"))
    for place in dump.places(line) if parts else ():
        array, index = parts.groups() if parts else ("", "")
        last = await _last_index(dump, index, line, place)
        room = await _room(dump, array, line, place) if last else None
        if last is None or room is None or last.value < room[0]:
            continue
        first = await dump.of(place, f"&{array}[{room[0]}]", line)
        end = await dump.of(place, f"&{array}[{last.value + 1}]", line)
        held = await dump.of(place, f"{array}[{last.value}]", line)
        if held and first and end and dump.damaged(first.value, end.value) and (
            await _alone(dump, line, place, array, held.value, room[0])
        ):  # fmt: skip
            return await dump.said(last, first)
    return ()


async def _alone(dump: Dump, mine: Line, place: Place, array: str, held: int, room: int) -> bool:
    """True where what the line stores may be the value that is ``held``, and no other line stores
    what may be behind the same array's elements."""
    code, cell = dump.code, _cell(dump.code, mine, array)
    if not await _may_be(dump, mine, place, mine.of("expression"), held):
        return False
    for one in code.of_kind("assigns"):
        parts = _ELEMENT.fullmatch(one.of("target"))
        if parts and not (one.is_at(mine) or is_to_come(code, one)) and (
            _cell(code, one, parts[1]) == cell
            and not await _is_inside(dump, one, place, parts[2], room)
            and await _may_be(dump, one, place, one.of("expression"), held)
        ):  # fmt: skip
            return False
    return await _only_writer(dump, mine, array, place, held)


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


def _cell(code: Code, line: Line, place: str) -> tuple[str | None, str]:
    """What is the same for all paths to a member, or the variable of a function."""
    struct, field = code.owners.cell(place, line.function)
    return (struct, field) if field else (line.function, place)


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
    fault = next(iter(dump.ports.state.facts.all(Fault)), None)
    run = fault.run if fault is not None else None
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
        held = await dump.value(place, f"*(unsigned char *){last:#x}") if length else None
        if length and into and held and dump.damaged(last, start.value + length.value) and (
            await _may_be(dump, into, place, _fill(dump.code, into), held.value)
            and await _only_writer(dump, into, into.of("expression").lstrip("&"), place, held.value)
        ):  # fmt: skip
            return await dump.said(start, length)
        if run and not size and into and start.value <= run.start < last < run.end and (
            await _only_writer(dump, into, array, place)
        ):  # fmt: skip
            return await dump.said(start)
    return ()


async def _only_writer(
    dump: Dump, mine: Line, array: str, place: Place, held: int | None = None
) -> bool:
    """True where no other call fills the same place with what may be longer than that and what is
    ``held``: a text of the source is as long as it is there."""
    code, cell = dump.code, _cell(dump.code, mine, array)
    for one in _filling(code):
        source, byte = code.passed(one).get(2), _fill(code, one)
        text = source is not None and _LITERAL.fullmatch(source.of("expression"))
        if not (one.is_at(mine) or text or is_to_come(code, one)) and (
            _cell(code, one, one.of("expression").lstrip("&")) == cell
            and (held is None or await _may_be(dump, one, place, byte, held))
        ):  # fmt: skip
            return False
    return True


async def _written(dump: Dump, line: Line) -> Proved:
    return await (_filled if line.row.kind == "calls" else _element)(dump, line)


async def _computed(dump: Dump, line: Line) -> Proved:
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
            if made and room is not None and not 0 <= made.value < room[0]:
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


async def _freed(dump: Dump, line: Line) -> Proved:
    """One line of the source releases that member or such an object; and the chunk is free, or the
    member leads to another one now."""
    for other in _releasing(dump.code, line):
        if not (other.is_at(line) or is_to_come(dump.code, other) or _lives(dump, other)):
            return ()
    if may_release(dump.code, line):
        return ()
    free = [one for one in dump.chain if one.kind == "chunk" and one.get("state") not in _IN_USE]
    if free:
        return tuple(free)
    for place in dump.places(line):
        for end in ELEMENTS:
            now = await dump.of(place, f"{line.of('expression')}{end}", line)
            chunk = await dump.chunk(now.value) if now and now.value >= LEAST else None
            if chunk and now and not dump.damaged(chunk.start, chunk.start + chunk.size):
                return await dump.said(now)
    return ()


def _lives(dump: Dump, line: Line) -> bool:
    """True for a line of a destructor of a class of which all objects are variables of functions
    that have not returned."""
    of, code = class_of(line.function), dump.code
    made = [
        one
        for one in (*code.of_kind("declares"), *code.of_kind("allocates"))
        if code.owners.bare(one.of("type")) == of and one.of("type")[-1:] not in "*&"
    ]
    return line.function.endswith(f"::~{of}") and bool(made) and all(
        one.row.kind == "declares" and not one.of("of") and dump.live(one.function) is not None
        for one in made
    )  # fmt: skip


def _releasing(code: Code, mine: Line) -> Iterator[Line]:
    """The lines that release the same member, by a path or through a copy, or a variable of the
    same type, which may be that member's value."""
    own, kind = _copied(code, mine), code.owners.points_to(mine.of("expression"), mine.function)
    for line in code.of_kind("frees"):
        other = _copied(code, line)
        of = code.owners.points_to(line.of("expression"), line.function)
        bare = not member(line.of("expression"))
        if kind is not None and code.is_plain(line):
            continue
        if (own and own == other) or (
            (bare or not own) and not (other and own) and (kind is None or of in (None, kind))
        ):
            yield line


def _copied(code: Code, line: Line) -> str:
    """The member that a released expression is or was copied from; "" of a parameter."""
    expression = line.of("expression")
    copies = (
        member(one.of("expression"))
        for one in code.of_kind("assigns", line.function)
        if one.of("target") == expression and one.text == line.text
    )
    return member(expression) or next(filter(None, copies), "")


async def _cleared(dump: Dump, line: Line) -> Proved:
    """The member is null, one line of the source may have made it so, and another member has what
    it is given only behind where the first one was set: it was set once."""
    code = dump.code
    struct, field = code.owners.cell(line.of("target"), line.function)
    address = re.compile(rf"&[\w.>\[\]-]*\b{re.escape(field)}\b(?!->|\.|\[)")
    others = [one for one in code.stores(struct, field) if not one.is_at(line)
              and code.may_be(one, one.of("expression")) and not is_to_come(code, one)]  # fmt: skip
    if not field or line.of("expression") not in NULL or others or (
        may_overwrite(code, line, struct)
    ) or any(
        address.search(one.of("expression") + one.of("arguments")) for one in code.lines
    ):  # fmt: skip
        return ()
    for place in dump.places(line):
        null = await dump.of(place, line.of("target"), line)
        for other in set_behind(code, struct, field) if null and null.value == 0 else ():
            some = await dump.of(place, line.of("target")[: -len(field)] + other, line)
            if null and some and some.value:
                return await dump.said(null, some)
    return ()


def set_behind(code: Code, struct: str | None, field: str) -> Iterator[str]:
    """The members that one line alone sets, behind where the same object's ``field`` is set to what
    is not null; of no struct of which an object begins with others than zeros."""
    if any(
        code.owners.points_to(one.of("target"), one.function) == struct
        and not _ZEROS.fullmatch(one.of("expression"))
        for one in code.of_kind("assigns")
    ):
        return
    for name in {name for of, name in code.owners.members if of == struct and name != field}:
        stores = code.stores(struct, name)
        for one in stores if len({line.at for line in stores}) == 1 else ():
            place = one.of("target").removesuffix(name) + field
            if any(
                two.of("target") == place and two.function == one.function
                and not code.may_be(two, two.of("expression"))
                and is_certain(two.text, two.at) and precedes(two.text, two.at, one.at) is not None
                for two in code.stores(struct, field)
            ):  # fmt: skip
                yield name


async def _never_set(dump: Dump, line: Line) -> Proved:
    """Of what makes such objects this alone leaves the member, and nothing else sets it."""
    code, link = dump.code, dump.chain[-1]
    target, at = normal(str(link.get("target"))), link.get("at")
    struct, field = code.owners.cell(target, line.function)
    struct = struct or class_of(line.function)
    making = [one for one in code.lines if one.function == f"{struct}::{struct}"]
    making += [one for one in code.of_kind("allocates")
               if code.owners.points_to(one.of("target"), one.function) == struct]  # fmt: skip
    makers = {extent for one in making if (extent := function_extent(one.text, one.at))}
    stores = [one.at for one in code.stores(struct, field or target)]
    left = [(first, last) for first, last in makers if not any(first <= s <= last for s in stores)]
    inside = all(any(first <= s <= last for first, last in makers) for s in stores)
    mine = len(left) == 1 and isinstance(at, int) and left[0][0] <= at <= left[0][1]
    return (link,) if mine and inside else ()


async def _returned(dump: Dump, line: Line) -> Proved:
    """The machine shows, or a variable that the result is in, the constant that one line alone
    returns."""
    code, made = dump.code, line.of("expression")
    may = [one for one in code.of_kind("returns", line.function)
           if code.may_be(one, one.of("expression"))]  # fmt: skip
    if any(not one.is_at(line) for one in may) or (made not in NULL and number(made) is None):
        return ()
    if code.returned:  # the machine shows who
        return tuple(dump.chain[:1]) if same_function(code.returned, line.function) else ()
    for link in dump.chain[:-1]:
        frame = dump.live(str(link.get("function")))
        if (
            link.kind == "assigns"
            and frame
            and f"{line.function}(" in str(link.get("expression"))
            and not is_handed_out(code, str(link.get("function")), normal(str(link.get("target"))))
        ):
            held = await dump.value(Place(frame), normal(str(link.get("target"))))
            if held and held.value == 0 and code.null:
                return await dump.said(held)
    return ()


async def _locked(dump: Dump, line: Line) -> Proved:
    """A thread of a ring stands where it holds the lock that another one of the ring waits for."""
    state = dump.ports.state
    graph = WaitGraph(state.facts)
    rings = {one for cycle in graph.cycles for one in cycle.threads}
    for stack, frame in dump.standing(line):
        place, thread = Place(frame, thread=stack.thread), stack.thread
        held = await dump.value(place, f"&{line.of('lock').lstrip('&')}")
        for wait in (one for one in graph.waits.values() if one.thread in rings):
            lock = wait.address or 0
            if held and thread in rings and 0 <= lock - held.value < _LOCK:
                return tuple(
                    one for one in dump.chain
                    if one.kind == "waits" and one.get("thread") == wait.thread
                )  # fmt: skip
    return ()


async def _looped(dump: Dump, line: Line) -> Proved:
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
    jumps = any(
        line.at <= at <= last and re.search(r"\bgoto\b", text) for _, at, text in line.text.lines
    )
    return tuple(dump.chain[:1]) if around and len(nested) == 1 and not jumps else ()


async def _recursed(dump: Dump, line: Line) -> Proved:
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
    ring = ring and not leapt(Case(dump.ports.state.facts))
    return tuple(dump.chain[:1]) if ring and len(stands) * _FEW >= len(frames) else ()


RULES: dict[OriginKind, Callable[[Dump, Line], Awaitable[Proved]]] = {
    OriginKind.TRUNCATED: _truncated,
    OriginKind.COMPUTED: _computed,
    OriginKind.WRITTEN: _written,
    OriginKind.TOO_SMALL: _extent,
    OriginKind.PASSED: _passed,
    OriginKind.FREED: _freed,
    OriginKind.RELEASED_EARLY: _freed,
    OriginKind.CLEARED: _cleared,
    OriginKind.NEVER_SET: _never_set,
    OriginKind.RETURNED: _returned,
    OriginKind.LOCKED: _locked,
    OriginKind.LOOPED: _looped,
    OriginKind.RECURSED: _recursed,
}
"""What proves an origin of a kind."""
