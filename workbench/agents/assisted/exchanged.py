"""Which call was given two arguments in each other's place, or bytes for elements."""

import re

from workbench.agents.assisted.carried import carried
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.neighbours import is_alone
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.rivals import leading, may_set
from workbench.agents.assisted.rooms import room_of
from workbench.claims.chain import same_function
from workbench.claims.source.held import guards
from workbench.claims.values import NULL, number

_BELOW = re.compile(r"(\w+)<=?(.+)")
_FIRST = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_MEMBERS = re.compile(r"(?<![\w.>])[A-Za-z_]\w*(?:(?:->|\.)\w+)+")
_TAKEN = re.compile(r"([A-Za-z_][\w.>-]*)\[([^\[\]]+)\]")


async def exchanged(dump: Dump, line: Line) -> Proved:
    """The stack stands in a call that is given two members in the other order than all other calls
    are: the element that the callee takes by both is the one that failed, and with the two
    exchanged it is one that the array has."""
    code, callee, own = dump.code, line.of("callee"), dump.code.passed(line)
    one = int(line.row.values.get("index", 0))
    odd = [other for other in own if one in own and _is_odd(code, line, one, other)]
    again = {set_.of("target") for set_ in code.of_kind("assigns", callee)}
    given = {name: own[at].of("expression") for at, name in enumerate(code.parameters(callee), 1)
             if at in own and name not in again}  # fmt: skip
    names = {one: name for one, name in enumerate(code.parameters(callee), 1) if name in given}
    stands = [frame for _, frame in dump.standing(line) if any(
        inner.index + 1 == frame.index and same_function(inner.function or "", callee)
        for inner in dump.frames)]  # fmt: skip
    if len(odd) != 1 or not stands or not {one, odd[0]} <= names.keys():
        return ()
    left, right = names[one], names[odd[0]]
    turned = {**given, left: given[right], right: given[left]}
    then, other = (Place(stands[0], "", tuple(each.items())) for each in (given, turned))
    for use in code.of_kind("assigns", callee):
        for array, index in _TAKEN.findall(f"{use.of('target')} {use.of('expression')}"):
            sets = [set_.of("expression") for set_ in code.sets(callee, index)]
            made = sets[0] if len(sets) == 1 else index
            if not {left, right} <= {*_FIRST.findall(made)}:
                continue
            first = await dump.of(then, f"&{array}[{made}]", use)
            end = await dump.of(then, f"&{array}[{made}]+1", use)
            room, right_one = await room_of(dump, array, use, then), await dump.of(other, made, use)
            if first and end and room and right_one and 0 <= right_one.value < room[0] and (
                dump.damaged(first.value, end.value)
            ):  # fmt: skip
                return await dump.said(first, right_one)
    return ()


def _is_odd(code: Code, line: Line, one: int, other: int) -> bool:
    """True where a call is given one member in each of two places, several other calls are given
    them the other way round for the same object, and none is as this one, or the very same the
    other way, which is what one does who wants both: an edge of a graph from either end."""
    own, like = code.passed(line), 0
    mine = [_part(code, own[one]), _part(code, own[other])]
    if one == other or None in mine or mine[0] == mine[1]:
        return False
    for call in code.calls(line.of("callee")):
        given = code.passed(call)
        if call.is_at(line) or not {one, other} <= given.keys():
            continue
        theirs = [_part(code, given[other]), _part(code, given[one])]
        same = [given[at].of("expression") for at in (other, one)]
        if same == [own[at].of("expression") for at in (one, other)] or (
            theirs != mine and set(theirs) & set(mine)
        ):
            return False
        like += theirs == mine and all(
            at in given and given[at].of("expression") == own[at].of("expression")
            for at in own
            for _, _, type_ in code.declared(line.of("callee"), at)
            if type_[-1:] in ("*", "&")
        )
    return like > 1


def _part(code: Code, given: Line) -> Cell | None:
    """The only member that an argument is made of."""
    paths = _MEMBERS.findall(given.of("expression"))
    cells = {code.owners.cell(path, given.function) for path in paths}
    return cells.pop() if len(cells) == 1 and all(name for _, name in cells) else None


async def by_bytes(dump: Dump, line: Line) -> Proved:
    """The call says how many bytes an array has that is a part of an object, where the callee sets
    as many elements: the member behind it that failed lies among those and has what it sets, which
    no line gives it by its name, or may by another way."""
    code, callee, own = dump.code, line.of("callee"), dump.code.passed(line)
    names = dict(enumerate(code.parameters(callee), 1))
    array = line.of("expression").removeprefix("sizeof").strip(" ()")
    at = next((at for at, one in own.items() if one.of("expression") == array), 0)
    cell, count = code.cell_of(line, array), names.get(int(line.row.values.get("index", 0)))
    again = {one.of("target") for one in code.of_kind("assigns", callee)}
    loops = code.of_kind("loops", callee)
    stores = [one for one in code.of_kind("assigns", callee) for loop in loops
              if loop.has(one.at) and (below := _BELOW.fullmatch(loop.of("condition")))
              and below[2] == count and one.of("target") == f"{names.get(at)}[{below[1]}]"
              and one.of("operator") == "=" and len([*guards(one.text, one.at, code.known)]) < 2
              ]  # fmt: skip
    if line.of("expression")[:6] != "sizeof" or len(stores) != 1 or {names.get(at), count} & again:
        return ()
    value = own.get(next((at for at, one in names.items() if one == stores[0].of("expression")), 0))
    fixed = value and (0 if value.of("expression") in NULL else number(value.of("expression")))
    for place in dump.places(line.into(array)) if fixed == 0 and code.null else ():
        start, end = [await dump.of(place, f"&{array}[{one}]", line.into(array))
                      for one in ("0", line.of("expression"))]  # fmt: skip
        room = await room_of(dump, array, line.into(array), place)
        others = [code.passed(one) for one in code.calls(callee) if not one.is_at(line)]
        most = [await dump.of(place, one[int(line.row.values["index"])].of("expression"), line)
                for one in others]  # fmt: skip
        if not (start and end and room) or any(not one or one.value > room[0] for one in most) or (
            any(leading(one[at].of("expression")) != one[at].of("expression") for one in others)
        ):  # fmt: skip
            continue
        for frame, path in carried(dump):
            held, mine = (
                await dump.value(Place(frame), path),
                code.cell_in(frame.function or "", path),
            )
            lies = await dump.value(Place(frame), f"&{path}")
            first = await dump.of(place, f"&{array}[{room[0]}]", line.into(array))
            if held and lies and first and held.value == 0 and (
                first.value <= lies.value < end.value and mine[0] == cell[0]
                and not any(code.may_be(one, one.of("expression")) for one in code.stores(*mine))
                and not may_set(code, *mine, [use.line for use, _ in code.through(cell)])
                and await is_alone(dump, stores[0], line.into(array), "", place, 0, room[0])
            ):  # fmt: skip
                return await dump.said(held, first)
    return ()
