"""What proves from the dump's values that an origin's line did what its kind says.

A rule a kind: what the line's expressions are of a live object is asked of the debugger, and has to
give the damage. What cannot be asked proves nothing: then the origin stays open.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

from analyzers.patterns.case import Case
from workbench.agents.assisted.asserted import asserted
from workbench.agents.assisted.carried import carried, cells_of
from workbench.agents.assisted.code import Code, has_run, is_to_come
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.emptied import element_of, shortened
from workbench.agents.assisted.emptied import emptied as emptied_element
from workbench.agents.assisted.extent import passed, too_small, unmapped
from workbench.agents.assisted.filled import cut_short
from workbench.agents.assisted.keyed import taken_out
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.marks import has_run_on, is_in, is_sure, makers, zero_fills
from workbench.agents.assisted.members import cleared, never_set
from workbench.agents.assisted.once import once
from workbench.agents.assisted.outside import Proved, computed, written
from workbench.agents.assisted.released import IN_USE, freed
from workbench.agents.assisted.returned import gave_it, returned, unwrapped
from workbench.agents.assisted.rivals import may_set, never_held
from workbench.agents.assisted.rooms import is_within, taken, was_then
from workbench.agents.assisted.sources import emptied
from workbench.agents.assisted.standing import locked, looped, recursed
from workbench.agents.ports import Ports
from workbench.claims.chain import CHECKS, ENDS, same_function
from workbench.claims.source import is_certain, normal
from workbench.claims.source.held import COMPARED, guards
from workbench.claims.source.names import bits_of
from workbench.claims.source.shapes import member
from workbench.claims.source.spots import divisors
from workbench.claims.source.text import last_name
from workbench.claims.values import NULL, number
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Fault
from workbench.model.origin import Origin, OriginKind

_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*")
_FIRST = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_TERM = r"(?:\((?:[^()]|\([^()]*\))*\)|->|[\w.*\[\]])+"
_QUOTIENT = re.compile(rf"(?:\([\w ]+\)\()?({_TERM})(?:/|>>)(?:->|[\w.])+\)?")
"""A number that is divided, with nothing beside: ``(a * b) / c``, ``(int)(a >> 3)``."""
_BY_ZERO = tuple(
    f"core::panicking::panic_const::panic_const_{one}_by_zero" for one in ("div", "rem")
)
"""Where Rust's library ends a process for a divisor (library/core/src/panicking.rs)."""
_ADDS = re.compile(r"([\w.>-]+)\+(\w+)")
"""What is added to a member."""
_MOST_CALLED = 40
"""Functions that a line's function calls behind it which are looked into."""
_MOST = 6
"""Rows of one statement that are tried."""


async def proved(
    ports: Ports, origin: Origin, category: Category | None, chain: Sequence[Claim], code: Code
) -> Proved:
    """The statements that prove the last link of a chain to be an origin of its kind, and the root
    of the category."""
    if origin.kind is OriginKind.RETURNED and chain[-1].kind == "returned_by":
        return gave_it(ports.state, chain[-1])
    if any(_set_again(code, link) for link in chain[:-1]):
        return ()
    rule, mine = RULES.get(origin.kind), [emptied(one) or one for one in code.kept(chain[-1])]
    nth = chain[-1].get("index")
    if chain[-1].kind != "never_sets" and len({(one.file, one.at) for one in mine}) > 1:
        return ()  # which of the lines it was is not said
    dump = Dump(ports, chain, code, category)
    if chain[0].kind == "headers" and _failed_itself(dump):
        return ()  # a damaged heap is not what ended it
    dump.cells |= {*_held_it(dump), *await _was_in(dump)}
    if category in CHECKS and chain[0].kind in ENDS and mine:
        none = [code.cell_of(one, on) for on, one in unwrapped(dump)]
        mine_is = code.target_of(mine[0])
        if origin.kind is OriginKind.CLEARED and element_of(code, mine[0]):
            return () if await _is_barred(dump, mine[0]) else await emptied_element(dump, mine[0])
        if origin.kind is OriginKind.CLEARED and (
            gone := await shortened(dump, mine[0]) or await taken_out(dump, mine[0])
        ):
            return gone
        if mine_is not in none and origin.kind not in (OriginKind.RETURNED, OriginKind.TRUNCATED):
            return () if await _is_barred(dump, mine[0]) else await asserted(dump, mine[0])
    for line in ([one for one in mine if one.row.values.get("index") == nth] or mine)[:_MOST]:
        if rule is None or is_to_come(code, line):
            continue
        if not await _is_barred(dump, line) and (found := await rule(dump, line)):
            return found
    return ()


def _failed_itself(dump: Dump) -> bool:
    """True where an access of the program's own failed, not one of the allocator's."""
    state = dump.ports.state.facts
    fault, stack = next(iter(state.all(Fault)), None), state.once(Case).stack
    own = stack is not None and dump.frames[:1] == list(stack.frames[:1])
    return own and fault is not None and fault.operand is not None


def _held_it(dump: Dump) -> Iterator[int]:
    """The addresses that a chain says of places which the value that failed was in."""
    cells, code = cells_of(dump), dump.code
    for link in dump.chain:
        place, address = normal(str(link.get("expression"))), number(str(link.get("value")))
        known = code.cell_in(str(link.get("function")), place.lstrip("&"))
        if link.kind == "value" and place[:1] == "&" and address and known in cells:
            yield address


async def _was_in(dump: Dump) -> set[int]:
    """The addresses of the members and elements that the value which failed was in, and is now."""
    found = set[int]()
    failed: int | None = None
    for frame, place in carried(dump):
        held = await dump.value(Place(frame), place)
        failed = held.value if held and failed is None else failed
        if held is None or held.value != failed or not (member(place) or place[-1:] == "]"):
            continue
        if at := await dump.value(Place(frame), f"&{place}"):
            found.add(at.value)
    return found


async def _is_barred(dump: Dump, line: Line) -> bool:
    """True where a condition around the line never held, or is false by what the dump has, unless
    its own function, or one that it calls then, sets what is compared: that tells nothing of
    before."""
    code = dump.code
    if await never_held(dump, line):
        return True
    behind = _set_behind(code, line)
    for left, sign, right in guards(line.text, line.at, dump.code.known):
        sides = [f"{side}".rstrip("+-") for side in (left, right)]
        if any(code.cell_of(line, side) in behind for side in sides):
            continue
        if line.row.kind == "frees" and any([await _is_gone(dump, line, side) for side in sides]):
            continue  # it was released with what it is of
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


@once
def _set_behind(code: Code, line: Line) -> set[Cell]:
    """What is set behind a line by its function, or by what that calls then."""
    later = [
        one
        for one in code.of_function(last_name(line.function))
        if same_function(one.function, line.function)
        and one.text == line.text
        and (one.at >= line.at or code.loop(one, line.at))
    ]
    behind = {code.target_of(one) for one in later if one.row.kind == "assigns"}
    called = [last_name(one.of("callee")) for one in later if one.row.kind == "calls"]
    for name in called[:_MOST_CALLED] if code.functions.intersection(called) else ():
        own = code.of_function(name)
        behind |= {code.target_of(one) for one in own if one.row.kind == "assigns"}
        called += [inner for one in own if one.row.kind == "calls"
                   and (inner := last_name(one.of("callee"))) not in called]  # fmt: skip
    return behind


async def _is_gone(dump: Dump, line: Line, side: str) -> bool:
    """True for what lies in what the line releases or is told of it, or in a block that is free."""
    if side != (freed := line.of("expression")) and re.search(
        rf"(?<![\w.>]){re.escape(freed)}\b", side
    ):
        return True
    for place in dump.places(line) if member(side) else ():
        cell = await dump.of(place, f"&{side}", line)
        chunk = await dump.chunk(cell.value) if cell else None
        if chunk is not None and chunk.state not in IN_USE:
            return True
    return False


def _set_again(code: Code, link: Claim) -> bool:
    """True for a variable of a function on the stack that another statement, perhaps of the same
    line, may have set since; ``this`` is what the frame shows itself."""
    function, mine = str(link.get("function")), code.kept(link)
    target = normal(str(link.get("target")))
    return (
        link.kind == "assigns"
        and target.isidentifier()
        and any(
            one.of("target") == target
            and code.may_be(one, one.of("expression"))
            and not any(
                one.is_same(line)
                or (one.is_at(line) and one.of("expression") == "this")
                or code.is_undone(one, line, code.where(function))
                for line in mine
            )
            for one in code.of_kind("assigns", function)
        )
        and bool(code.where(function))
    )


async def _truncated(dump: Dump, line: Line) -> Proved:
    """The stored value is the expression's without its upper bits, what failed follows from that,
    and no other line stored it."""
    bits = bits_of(line.of("type"), line.text.language or "")
    for place in dump.places(line) if bits else ():
        kept = await dump.of(place, _target(line, place), line)
        made = await dump.of(place, line.of("expression"), line) if kept else None
        if kept and made and kept.value != made.value and (
            (kept.value - made.value) % (1 << bits) == 0
        ):  # fmt: skip
            if any(
                _shifted(line.of("expression")).search(one.of("expression"))
                for one in dump.code.of_kind("assigns", line.function)
            ) or not await _harms(dump, line, place, kept.value, made.value):
                return ()  # it is kept elsewhere, or nothing is missing
            others = _stored(dump.code, line, kept.value)
            return await dump.said(kept, made) if not others else ()
    return (await _wrapped(dump, line, bits) or await cut_short(dump, line, bits)) if bits else ()


def _target(line: Line, place: Place) -> str:
    """What a line stores to; of a struct of Rust that is made, of the object at a place."""
    target = line.of("target")
    return f"{place.base.rstrip('->.')}{target}" if target[:1] == "." and place.base else target


async def _is_refused(dump: Dump, line: Line, place: Place) -> bool:
    """True where Rust's library refused to divide by the member that a line sets of that object."""
    code, frame = dump.code, dump.ports.state.facts.once(Case).frame
    by = {path for text in code.texts if frame and text.lists(frame.file, frame.line)
          for path in divisors(text, frame.line or 0)}  # fmt: skip
    refused = any(one.function in _BY_ZERO for one in code.frames)
    path = by.pop() if refused and len(by) == 1 else ""
    if frame is None or not path or (
        code.cell_in(frame.function or "", path) != code.target_of(line)
    ):  # fmt: skip
        return False
    read = await dump.value(Place(frame), f"&{path}")
    mine = await dump.of(place, f"&{_target(line, place)}", line)
    return read is not None and mine is not None and read.value == mine.value


async def _wrapped(dump: Dump, line: Line, bits: int) -> Proved:
    """A member that the line alone adds to is less than what it added last, which an object that
    it keeps beside has: the sum has lost its upper bits, and what failed follows from that."""
    code, parts = dump.code, _ADDS.fullmatch(line.of("expression"))
    field = code.member_of(line)[1]
    base = line.of("target").removesuffix(field) if field else ""
    if parts is None or parts[1] != line.of("target") or not line.of("type").startswith("u") or (
        not base or not _is_as_then(code, line, parts[2]) or not _is_added_to_alone(dump, line)
    ):  # fmt: skip
        return ()
    own = code.of_kind("assigns", line.function)
    for kept in [one for one in own if one.of("expression") == parts[2]]:
        of, inner = code.owners.cell(kept.of("target"), line.function)
        led = kept.of("target").removesuffix(f"->{inner}")
        sets = [one for one in own if one.of("expression") == led
                and one.of("target") == base + member(one.of("target"))
                and is_sure(code, one)]  # fmt: skip
        kept_in = code.owners.cell(sets[0].of("target"), line.function) if sets else ("", "")
        if not inner or len(sets) != 1 or may_set(code, of, inner) or may_set(code, *kept_in) or (
            any(not sets[0].is_at(one) and one.of("expression") not in NULL
                for one in code.stores(*kept_in))
        ) or not (
            all(map(kept.is_at, code.stores(of, inner)))
            and is_sure(code, line) and is_sure(code, kept)
        ):  # fmt: skip
            continue
        for place in dump.places(line):
            held = await dump.of(place, line.of("target"), line)
            last = await dump.of(place, f"{sets[0].of('target')}->{inner}", line)
            if held and last and held.value < last.value and await _harms(
                dump, line, place, held.value, held.value + (1 << bits)
            ):  # fmt: skip
                return await dump.said(held, last)
    return ()


def _is_added_to_alone(dump: Dump, line: Line) -> bool:
    """True for a member that is set by the line and where its object is made, to zero."""
    code = dump.code
    struct, field = code.member_of(line)
    return not may_set(code, struct, field, zero_fills(code, makers(code, str(struct)))) and all(
        one.is_at(line) or (one.of("expression") in NULL and is_in(one, makers(code, str(struct))))
        for one in code.stores(struct, field)
    )


async def _computed(dump: Dump, line: Line) -> Proved:
    """An index that lies outside of its array, or a divisor that was rounded down to nothing."""
    return await (_rounded if dump.category is Category.DIVIDE_BY_ZERO else computed)(dump, line)


async def _rounded(dump: Dump, line: Line) -> Proved:
    """The divisor is the quotient of a number that is not zero; the line set it in that object, and
    no other line may have stored zero there."""
    code, made = dump.code, line.of("expression")
    cell, parts = code.target_of(line), _QUOTIENT.fullmatch(made)
    names = [one for one in _FIRST.findall(made) if code.owners.is_local(one, line.function)]
    if parts is None or line.of("operator") != "=" or cell not in cells_of(dump) or (
        _stored(code, line, 0) or may_set(code, *cell) or not was_then(dump, line, made)
    ):  # fmt: skip
        return ()
    struct = dump.struct(line)
    read = [await dump.value(Place(frame), f"&{place}") for frame, place in carried(dump)
            if code.cell_in(frame.function or "", place) == cell]  # fmt: skip
    base = line.of("target").removesuffix(cell[1])
    for place in dump.places(line):
        kept = dict(code.kept_by(line.function, struct))
        if not all(
            was_then(dump, line, f"{base}{kept[one]}") if place.base and one in kept
            else not place.base and _is_as_then(code, line, one)
            for one in names if f"{one}->" != base
        ) or not (
            (is_in(line, makers(code, struct)) and is_sure(code, line))
            or (not place.base and has_run(code, [line]))
            or await has_run_on(dump, place, line)
        ):  # fmt: skip
            continue
        at = place._replace(given=())  # what its caller has now it may not have given
        where = await dump.of(at, f"&{line.of('target')}", line)
        zero, of = await dump.of(at, made, line), await dump.of(at, parts[1], line)
        held = await dump.of(at, line.of("target"), line)
        own = not place.base and code.owners.is_local(line.of("target"), line.function)
        if held and zero and of and of.value and held.value == zero.value == 0 and (
            own or (where and any(one and one.value == where.value for one in read))
        ):  # fmt: skip
            return await dump.said(held, of)
    return ()


def _is_as_then(code: Code, line: Line, name: str) -> bool:
    """True for a variable that one line alone set before this one, or a parameter that none sets:
    its function does not stand between the two."""
    sets = code.sets(line.function, name)
    return len(sets) == (name not in code.parameters(line.function)) and all(
        line.is_behind(one.at)
        and not any(one.at <= at <= line.at for at in code.where(line.function))
        for one in sets
    ) and not code.is_handed_out(line.function, name)  # fmt: skip


async def _harms(dump: Dump, line: Line, place: Place, kept: int, made: int) -> bool:
    """True where what failed follows from a number's missing bits: it divides by it, it lies behind
    a block that was asked for by it and within one by the whole number, or where an index leads
    that is outside of its array."""
    fault = next(iter(dump.ports.state.facts.all(Fault)), None)
    code, cell = dump.code, dump.code.target_of(line)
    if fault is not None and fault.divisor is not None:
        return fault.divisor == kept == 0 and cell in cells_of(dump)
    if dump.category in CHECKS:
        return kept == 0 and await _is_refused(dump, line, place)
    for one in code.of_kind("allocates"):
        size = "*".join(f"({one.of(name)})" for name in ("size", "count") if one.of(name))
        paths = {path for path in _PATH.findall(size) if code.cell_of(one, path) == cell}
        whole = size
        for path in paths:
            whole = re.sub(rf"(?<![\w.>]){re.escape(path)}(?![\w.]|->)", f"({made})", whole)
        if paths and _goes_by(code, one, cell):
            continue  # it is filled as far as the number says that is kept
        for at in dump.places(one) if paths else ():
            start = await dump.first(at, one.of("target"), one)
            least, most = await dump.of(at, size, one), await dump.of(at, whole, one)
            if start and least and most and dump.damaged(
                start.value + least.value, start.value + most.value
            ):  # fmt: skip
                return True
    own = [one for one in code.lines if same_function(one.function, line.function)]
    for array in {array for one in own for array in taken(one, line.of("target"))}:
        if await is_within(dump, line, line.of("target"), kept, place):
            continue
        first = await dump.of(place, f"&{array}[{kept}]", line)
        end = await dump.of(place, f"&{array}[{kept + 1}]", line)
        if first and end and dump.damaged(first.value, end.value):
            return True
    return False


def _goes_by(code: Code, block: Line, cell: Cell) -> bool:
    """True where every loop that stores into a block goes as far as a member says."""
    into = code.target_of(block)
    bounds = [
        loop.of("condition")
        for loop in code.of_kind("loops")
        for one in code.of_kind("assigns", loop.function)
        if one.text == loop.text and loop.at <= one.at <= int(loop.row.values["to"])
        and code.cell_of(one, one.of("target").partition("[")[0]) == into
    ]  # fmt: skip
    return bool(bounds) and all(
        any(code.cell_of(block, path) == cell for path in _PATH.findall(bound)) for bound in bounds
    )


def _shifted(expression: str) -> re.Pattern[str]:
    """What keeps the upper bits of an expression."""
    return re.compile(rf"(?<![\w.>]){re.escape(expression)}\)?>>")


def _stored(code: Code, mine: Line, value: int) -> list[Line]:
    """The other lines that may have stored a value where a line stores, and not before it."""
    cell = code.target_of(mine)
    return [
        one
        for one in code.of_kind("assigns")
        if code.target_of(one) == cell
        and not (one.is_at(mine) or is_to_come(code, one))
        and (0 if one.of("expression") in NULL else number(one.of("expression"))) in (None, value)
        and not (one.text == mine.text and is_certain(mine.text, mine.at)
                 and mine.is_behind(one.at))
    ]  # fmt: skip


RULES: dict[OriginKind, Callable[[Dump, Line], Awaitable[Proved]]] = {
    OriginKind.TRUNCATED: _truncated,
    OriginKind.COMPUTED: _computed,
    OriginKind.WRITTEN: written,
    OriginKind.TOO_SMALL: too_small,
    OriginKind.PASSED: passed,
    OriginKind.FREED: freed,
    OriginKind.RELEASED_EARLY: freed,
    OriginKind.UNMAPPED: unmapped,
    OriginKind.CLEARED: cleared,
    OriginKind.NEVER_SET: never_set,
    OriginKind.RETURNED: returned,
    OriginKind.LOCKED: locked,
    OriginKind.LOOPED: looped,
    OriginKind.RECURSED: recursed,
}
"""What proves an origin of a kind."""
