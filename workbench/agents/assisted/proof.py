"""What proves from the dump's values that an origin's line did what its kind says.

A rule a kind: what the line's expressions are of a live object is asked of the debugger, and has to
give the damage. What cannot be asked proves nothing: then the origin stays open.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

from analyzers.patterns.case import NEAR_NULL, Case
from workbench.agents.assisted.asserted import asserted
from workbench.agents.assisted.code import Code, Line, is_to_come
from workbench.agents.assisted.dump import Dump, Place, class_of
from workbench.agents.assisted.followed import goes_on, is_in_macro, is_taken
from workbench.agents.assisted.outside import Proved, computed, is_within, taken, written
from workbench.agents.assisted.released import freed
from workbench.agents.assisted.rivals import (
    is_followed,
    is_variable,
    may_overwrite,
    may_set,
    never_held,
)
from workbench.agents.assisted.standing import locked, looped, recursed
from workbench.agents.ports import Ports
from workbench.claims.chain import UNMAPS, same_function
from workbench.claims.source import (
    COMPARED,
    function_extent,
    guards,
    is_certain,
    normal,
    precedes,
)
from workbench.claims.source.names import bits_of
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.source.text import RUST, last_name
from workbench.claims.values import NULL, number
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Fault
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_SIZE = re.compile(r"\*?sizeof(?:\([^()]*\)|[*\w>.\-]+)\*?")
_GROUP, _SUM = re.compile(r"\([^()]*\)"), re.compile(r"[+-](?!>)")
_ZEROS = re.compile(r"\{(?:0|\..*)?\}|[^{].*")
_ERRORS = 4096
"""The numbers below zero that tell an error, as the system's calls return them (errno.h)."""
_FIRST = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_BARE = re.compile(r"(?:\([\w *]+\))?\w+")
"""A variable, which hands its value on as it is."""
_MOST = 6
"""Rows of one statement that are tried."""


async def proved(
    ports: Ports, origin: Origin, category: Category | None, chain: Sequence[Claim], code: Code
) -> Proved:
    """The statements that prove the last link of a chain to be an origin of its kind, and the root
    of the category."""
    if origin.kind is OriginKind.RETURNED and chain[-1].kind == "returned_by":
        return _gave_it(ports.state, chain[-1])
    if any(_set_again(code, link) for link in chain[:-1]):
        return ()
    rule, mine = RULES.get(origin.kind), code.kept(chain[-1])
    passed = chain[-1].get("index")
    if chain[-1].kind != "never_sets" and len({(one.file, one.at) for one in mine}) > 1:
        return ()  # which of the lines it was is not said
    dump = Dump(ports, chain, code, category)
    if chain[0].kind == "message":
        failed = category is Category.ASSERTION_FAILURE and len(chain) > 1
        return await asserted(dump, chain[1], mine[0]) if mine and failed else ()
    for line in ([one for one in mine if one.row.values.get("index") == passed] or mine)[:_MOST]:
        if rule is not None and not await _is_barred(dump, line) and (
            found := await rule(dump, line)
        ):  # fmt: skip
            return found
    return ()


async def _is_barred(dump: Dump, line: Line) -> bool:
    """True where a condition around the line never held, or is false by what the dump has, unless
    its own function sets since what is compared: then that tells nothing of before."""
    code = dump.code
    if await never_held(dump, line):
        return True
    behind = {code.cell_of(one, one.of("target"))
              for one in code.of_kind("assigns", line.function)
              if one.text == line.text and one.at >= line.at}  # fmt: skip
    for left, sign, right in guards(line.text, line.at):
        sides = [f"{side}".rstrip("+-") for side in (left, right)]
        if any(code.cell_of(line, side) in behind for side in sides):
            continue
        for place in dump.places(line):
            values = [number(side) for side in sides]
            for at, side in enumerate(sides):
                held = await dump.of(place, side, line) if values[at] is None else None
                values[at] = held.value if held else values[at]
            one, other = values
            if one is not None and other is not None:
                if not COMPARED[sign](one, other):
                    return True
                break
    return False


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
    """The stored value is the expression's without its upper bits, and no other line stored it."""
    bits = bits_of(line.of("type"), line.text.language or "")
    for place in dump.places(line) if bits else ():
        kept = await dump.of(place, line.of("target"), line)
        made = await dump.of(place, line.of("expression"), line) if kept else None
        if kept and made and kept.value != made.value and (
            (kept.value - made.value) % (1 << bits) == 0
        ):  # fmt: skip
            if await is_within(dump, line, line.of("target"), kept.value, place) or any(
                _shifted(line.of("expression")).search(one.of("expression"))
                for one in dump.code.of_kind("assigns", line.function)
            ):
                return ()  # it is kept elsewhere, or nothing is missing
            others = _stored(dump.code, line, kept.value)
            return await dump.said(kept, made) if not others else ()
    return ()


def _shifted(expression: str) -> re.Pattern[str]:
    """What keeps the upper bits of an expression."""
    return re.compile(rf"(?<![\w.>]){re.escape(expression)}\)?>>")


def _stored(code: Code, mine: Line, value: int) -> list[Line]:
    """The other lines that may have stored a value where a line stores, and not before it."""
    cell = code.cell_of(mine, mine.of("target"))
    return [
        one
        for one in code.of_kind("assigns")
        if code.cell_of(one, one.of("target")) == cell
        and not (one.is_at(mine) or is_to_come(code, one))
        and (0 if one.of("expression") in NULL else number(one.of("expression"))) in (None, value)
        and not (one.text == mine.text and is_certain(mine.text, mine.at)
                 and precedes(mine.text, one.at, mine.at) is not None)
    ]  # fmt: skip


async def _extent(dump: Dump, line: Line) -> Proved:
    """The damage lies behind the bytes that were asked for, and within as many elements; or, where
    no other line allocates them, behind the block and within as many as its object counts."""
    target, size = line.of("target"), line.of("size") or line.of("expression")
    if line.row.kind == "calls":
        target = dump.code.made_by(line) if _gives_bytes(dump.code, line.of("callee")) else ""
    named = line.into(target)
    for place in dump.places(named) if target else ():
        start = await dump.first(place, target, named)
        each = await dump.value(place, f"sizeof(*({start.expression}))") if start else None
        asked = await dump.of(place, size, named) if size and not line.of("count") else None
        one_product = "sizeof" in size and not _SUM.search(_GROUP.sub("", size))
        counted = [_SIZE.sub("", size) or "1"] if one_product else (
            () if "sizeof" in size else _counted(dump, named))  # fmt: skip
        if "sizeof" not in size:  # who counts on may be the one that went too far
            counted = [one for one in counted if not _is_counted_on(dump.code, named, one)]
        counts = [await dump.of(place, one, named) for one in counted if asked]
        chunk = await dump.chunk(start.value) if start else None
        block = chunk if chunk and chunk.offset == 0 and line.row.kind != "calls" else None
        end = block.start + block.size if block else 0
        if start and asked and each and any(
            count and dump.damaged(
                max(end, start.value + asked.value), start.value + count.value * each.value)
            for count in counts
        ):  # fmt: skip
            return await dump.said(start, asked, each)
        if start and not asked and each and block and _allocates_alone(dump, line):
            for counter in dump.counters(line):
                if _is_counted_on(dump.code, line, f"{place.base}{counter}"):
                    continue
                held = await dump.value(place, f"{place.base}{counter}")
                if held and dump.damaged(end, start.value + held.value * each.value):
                    return await dump.said(start, held, each)
    return ()


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
        bound = re.fullmatch(r"(\w+)<=?(.+)", one.of("condition"))
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
    """Too few bytes, or a constant that the callee has in the place that failed: what another call
    returned was not handed on."""
    given = 0 if line.of("expression") in NULL else number(line.of("expression"))
    frame, callee = dump.live(line.of("callee")), line.of("callee")
    names = dict(enumerate(dump.code.parameters(callee), 1))
    name = names.get(int(line.row.values.get("index", 0)))
    changed = any(one.of("target") == name for one in dump.code.of_kind("assigns", callee))
    stands = [*dump.standing(line)] and not changed and all(
        _BARE.fullmatch(normal(str(link.get("expression"))))
        for link in dump.chain if link.kind == "assigns"
    )  # fmt: skip
    if frame is not None and given is not None and name and stands:
        held = await dump.value(Place(frame), name)
        if held and held.value == given and _failed(dump, callee, name, given):
            return await dump.said(held)
    return await _extent(dump, line)


def _failed(dump: Dump, function: str, name: str, value: int) -> bool:
    """Whether a parameter's value is what failed: a pointer, or the fault's divisor or index."""
    types = [one.of("type") for one in dump.code.of_kind("declares", function)
             if one.of("name") == name]  # fmt: skip
    faults = dump.ports.state.facts.all(Fault)
    return any(one[-1:] in "*&" for one in types if one) or any(
        value in (fault.divisor, fault.index_value) for fault in faults
    )


async def _unmapped(dump: Dump, line: Line) -> Proved:
    """What failed lies in the range that the call was given, where nothing is mapped now, and no
    other line unmaps."""
    given, memory = dump.code.passed(line), Case(dump.ports.state.facts).memory
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


async def _cleared(dump: Dump, line: Line) -> Proved:
    """The member is null, one line of the source may have made it so, and another member has what
    it is given only behind where the first one was set: it was set once."""
    code = dump.code
    struct, field = code.owners.cell(line.of("target"), line.function)
    address = re.compile(rf"&[\w.:>\[\]-]*\b{re.escape(field)}\b(?!->|\.|\[)")
    others = [one for one in code.stores(struct, field) if not one.is_at(line)
              and code.may_be(one, one.of("expression")) and not is_to_come(code, one)]  # fmt: skip
    setting = [one for one in code.stores(struct, field)
               if not code.may_be(one, one.of("expression"))]  # fmt: skip
    if not field or line.of("expression") not in NULL or others or (
        may_overwrite(code, line, struct) or is_followed(code, line.function, setting)
    ) or any(
        address.search(one.of("expression") + one.of("arguments")) for one in code.lines
    ):  # fmt: skip
        return ()
    read = {load.source for fault in dump.ports.state.facts.all(Fault) for load in fault.origin
            if load.value == fault.base_value and not load.own}  # fmt: skip
    for place in dump.places(line):
        null = await dump.of(place, line.of("target"), line)
        if not null or null.value or await _was_of_another(dump, line, place):
            continue
        cell = await dump.of(place, f"&{line.of('target')}", line)
        if read and (cell is None or cell.value not in read):
            continue  # it is not the member that was read
        if is_born_with(code, struct, field) or (line.text.language == RUST and setting):
            return await dump.said(null)  # Rust's objects begin with all their members
        for other in set_behind(code, struct, field):
            some = await dump.of(place, line.of("target")[: -len(field)] + other, line)
            if null and some and some.value:
                return await dump.said(null, some)
    return ()


async def _was_of_another(dump: Dump, line: Line, place: Place) -> bool:
    """True where every call of a line's function stands in a frame of the stack, and gave it
    another object than the place's."""
    cell = await dump.of(place, f"&{line.of('target')}", line)
    calls = list(dump.calls(line.function))
    given = [await dump.of(one, f"&{line.of('target')}", line) for one in calls]
    alone = len(calls) == len(dump.code.named(line.function)) - 1
    return bool(cell and calls) and alone and all(
        one and cell and one.value != cell.value for one in given
    )  # fmt: skip


def _is_one(code: Code, line: Line, struct: str) -> bool:
    """True for an allocation of one object: by the size of its type, or of what it is set to."""
    sized = re.fullmatch(r"sizeof\(?(\*?)([\w ]+?)\)?", line.of("size"))
    return (
        line.of("count") in ("", "1")
        and sized is not None
        and (sized[2] == line.of("target") if sized[1] else code.owners.bare(sized[2]) == struct)
    )


def is_born_with(code: Code, struct: str | None, field: str) -> bool:
    """True where each function that allocates such objects sets the member to what is not null
    before it returns one."""
    born = [one for one in code.of_kind("allocates")
            if code.owners.points_to(one.of("target"), one.function) == struct]  # fmt: skip
    return bool(born) and not is_variable(code, struct) and all(
        _is_one(code, one, str(struct)) and any(
            one.of("target").isidentifier()
            and store.of("target") == f"{one.of('target')}->{field}"
            and store.text == one.text and store.function == one.function
            and not code.may_be(store, store.of("expression"))
            and is_certain(store.text, store.at) and not code.where(one.function)
            and all(precedes(back.text, store.at, back.at) is not None
                    for back in code.of_kind("returns", one.function)
                    if back.text == store.text and back.of("expression") == one.of("target"))
            for store in code.stores(struct, field)
        )
        for one in born
    )  # fmt: skip


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
    if not making:
        making = [one for one in code.of_kind("allocates")
                  if code.owners.points_to(one.of("target"), one.function) == struct
                  and not any("**" in of for of in code.types(one, one.of("target")))]  # fmt: skip
        at_fault = [await dump.value(place, f"&{place.base}{field}")
                    for place in dump.places(line.into(target))[:1]]  # fmt: skip
        if not any([one and await dump.chunk(one.value) for one in at_fault]):
            return ()  # no block of the heap is what failed
        if not all(
            _is_one(code, one, str(struct)) for one in making if one.row.kind == "allocates"
        ):
            return ()  # of several one may be left out
    stores = code.stores(struct, field or target)
    fresh = list(_zeroed(code, making))
    while making and not any(_is_in(one, making) for one in stores):
        making = _callers(code, making)  # they only hand on what they allocate
    made = {_extent_of(one): one for one in making if _extent_of(one)}
    left = [at for at, one in made.items() if not any(_is_in(store, [one]) for store in stores)]
    inside = all(_is_in(one, making) for one in stores) and (
        len(made) == 1
        or not (code.null and any(code.may_be(one, one.of("expression")) for one in stores))
    )  # else another of what makes such objects may have given it this
    mine = len(left) == 1 and left[0] and isinstance(at, int) and left[0][1] <= at <= left[0][2]
    others = may_set(code, struct, field or target, fresh)
    return (link,) if mine and inside and not others else ()


def _extent_of(line: Line) -> tuple[str, int, int] | None:
    """File, first and last line of a line's function."""
    found = function_extent(line.text, line.at)
    return (line.file, *found) if found else None


def _is_in(line: Line, others: Sequence[Line]) -> bool:
    """True for a line of the function of one of the others."""
    return _extent_of(line) in {_extent_of(one) for one in others} - {None}


def _zeroed(code: Code, making: Sequence[Line]) -> Iterator[Line]:
    """The lines that fill what their own function has just allocated with zeros."""
    for line in code.of_kind("calls"):
        given = code.passed(line)
        if plain_callee(line.of("callee")) == "memset" and 2 in given and (
            given[2].of("expression") in NULL
        ) and any(
            one.of("target") == given[1].of("expression") and one.function == line.function
            and one.text == line.text and one.at <= line.at
            for one in making
        ):  # fmt: skip
            yield line


def _callers(code: Code, making: Sequence[Line]) -> list[Line]:
    """The calls of functions that return what they allocate; none where one does not."""
    found: list[Line] = []
    for one in making:
        given = {line.of("expression") for line in code.of_kind("returns", one.function)}
        calls = code.calls(one.function)
        called = {(call.file, call.at) for call in calls}
        if one.of("target") not in given or len(code.named(one.function)) != len(called) + 1:
            return []
        found += [call.into(code.made_by(call)) for call in calls]
    return found


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
            and not _set_by_another(code, link)
            and _is_call(normal(str(link.get("expression"))), line.function)
            and not is_taken(code, (str(link.get("function")), normal(str(link.get("target")))))
        ):
            held = await dump.value(Place(frame), normal(str(link.get("target"))))
            if held and held.value == 0 and code.null:
                return await dump.said(held)
    return ()


def _is_call(expression: str, function: str) -> bool:
    """True for an expression that is a call of the function, and nothing else around it."""
    head = re.match(rf"[\w:.>-]*\b{re.escape(last_name(function))}(?=\()", expression)
    depth = 0
    for at, one in enumerate(expression[head.end() :] if head else "", head.end() if head else 0):
        depth += (one == "(") - (one == ")")
        if depth == 0:
            return at == len(expression) - 1
    return False


def _set_by_another(code: Code, link: Claim) -> bool:
    """True where another line may have set the member that a link sets, or its whole object, or a
    macro the variable."""
    return any(
        may_set(code, *cell) or any(
            code.may_be(one, one.of("expression"))
            and not (one.is_at(line) or is_to_come(code, one))
            for one in code.stores(*cell)
        ) if member(line.of("target")) else is_in_macro(code, line.of("target"))
        for line in code.kept(link)
        for cell in [code.owners.cell(line.of("target"), line.function)]
    )  # fmt: skip


RULES: dict[OriginKind, Callable[[Dump, Line], Awaitable[Proved]]] = {
    OriginKind.TRUNCATED: _truncated,
    OriginKind.COMPUTED: computed,
    OriginKind.WRITTEN: written,
    OriginKind.TOO_SMALL: _extent,
    OriginKind.PASSED: _passed,
    OriginKind.FREED: freed,
    OriginKind.RELEASED_EARLY: freed,
    OriginKind.UNMAPPED: _unmapped,
    OriginKind.CLEARED: _cleared,
    OriginKind.NEVER_SET: _never_set,
    OriginKind.RETURNED: _returned,
    OriginKind.LOCKED: locked,
    OriginKind.LOOPED: looped,
    OriginKind.RECURSED: recursed,
}
"""What proves an origin of a kind."""
