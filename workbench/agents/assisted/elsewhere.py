"""Where else the source does what the links of a chain show.

That a line sets, returns or releases something does not show that it ran, nor that it did so last.
Only one place in the listed source that could have done it, or a line that must have run before one
that a stack shows, names the origin; of several nothing tells which it was.
"""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.assisted.code import NULL, PLACE, Code, Line, is_to_come
from workbench.agents.assisted.may import filled, may_have
from workbench.claims.chain import same_function
from workbench.claims.source import normal
from workbench.claims.source.reach import Reach
from workbench.claims.source.shapes import member
from workbench.model.claims import Claim

_CALL = re.compile(r"([A-Za-z_][\w:.]*(?:->\w+)*)\(")


def elsewhere(code: Code, chain: Sequence[Claim]) -> tuple[str, ...]:
    """``function:line`` of each other place that may have done what a link of a chain shows."""
    found: dict[tuple[str, int], str] = {}
    for place, link in enumerate(chain):
        mine = code.kept(link)
        if not mine:
            continue
        used = _used(code, chain, place)
        doing = _doing(code, link, mine, is_last=place + 1 == len(chain))
        for other in (*doing, *may_have(code, chain, place, mine)):
            if (
                (link.kind == "never_sets" or not any(map(other.is_at, mine)))
                and not is_to_come(code, other)
                and not any(
                    code.is_undone(other, line, used, overwrites=link.kind != "calls")
                    for line in mine
                )
            ):
                found.setdefault((other.file, other.at), other.function)
    told = {(at, function): None for (_, at), function in sorted(found.items())}
    return tuple(f"{function}:{at}" for at, function in sorted(told))


def _used(code: Code, chain: Sequence[Claim], place: int) -> list[int]:
    """The lines at which the function of a link uses what it hands on: those of the link before it,
    else those at which a stack shows it."""
    function = str(chain[place].get("function"))
    for link in reversed(chain[:place]):
        if link.kind in ("calls", *PLACE) and same_function(str(link.get("function")), function):
            at = link.get("at")
            return [at] if isinstance(at, int) else [line.at for line in code.kept(link)]
    return code.where(function)


def _doing(code: Code, link: Claim, own: Sequence[Line], *, is_last: bool) -> Iterator[Line]:
    """The other lines that may have set, filled, returned or released what a link did."""
    mine = own[0]
    match link.kind:
        case "assigns" if code.returned is not None and _calls(code.returned, mine):
            pass
        case "assigns" if mine.of("target").endswith("]"):
            yield from _elements(code, mine) if is_last else ()
        case "assigns" | "allocates" | "converts":
            found = _setting(code, mine, mine.of("target"))
            yield from (line for line in found if code.may_be(line, line.of("expression")))
        case "never_sets" if code.null:
            found = _setting(code, mine, normal(str(link.get("target"))))
            yield from (line for line in found if line.of("expression") in NULL)
        case "returns":
            for line in code.lines:
                if line.row.kind == "returns" and same_function(line.function, mine.function) and (
                    code.may_be(line, line.of("expression"))
                ):  # fmt: skip
                    yield line
        case "frees":
            yield from _releasing(code, mine)
        case "calls":
            places = {(member(place), place) for line in own if (place := filled(line))}
            for line in code.lines:
                field, other = member(filled(line)), filled(line)
                for one, place in places if other else ():
                    if one == field and (
                        _alike(code.owners.owner(place, mine.function),
                               code.owners.owner(other, line.function))
                        if one
                        else place == other and same_function(line.function, mine.function)
                    ):  # fmt: skip
                        yield line


def _calls(function: str, line: Line) -> bool:
    called = _CALL.match(line.of("expression"))
    return called is not None and same_function(called[1], function)


def _setting(code: Code, mine: Line, target: str) -> Iterator[Line]:
    """The lines that set a member by any path to its struct, or a variable."""
    struct, field = code.owners.cell(target, mine.function)
    local = not field and code.owners.is_local(target, mine.function)
    for line in code.lines:
        if line.row.kind != "assigns":
            continue
        other = line.of("target")
        of, name = code.owners.cell(other, line.function)
        if field:
            if name == field and _alike(struct, of):
                yield line
        elif other == target and not name and (
            same_function(line.function, mine.function)
            if local
            else not code.owners.is_local(target, line.function)
        ):  # fmt: skip
            yield line


def _elements(code: Code, mine: Line) -> Iterator[Line]:
    """The other lines that may have set an element of the same array: of one that is shown to leave
    it those that leave it, too."""
    array, leaves = mine.of("target").rpartition("[")[0], _leaves(code, mine)
    reach = Reach([line.row for line in code.lines], code.owners, (), (array, mine.function))
    for line in code.lines:
        target = line.of("target") if line.row.kind == "assigns" else filled(line)
        through = target.startswith("*") or target.endswith("]") or line.row.kind == "calls"
        if target and through and reach.carries(target, line.function) and (
            not leaves or line.row.kind == "calls" or _leaves(code, line)
        ):  # fmt: skip
            yield line


def _leaves(code: Code, line: Line) -> bool:
    """True for an element whose index a loop counts to the declared length of its array."""
    array, _, index = line.of("target").removesuffix("]").rpartition("[")
    cell = code.owners.cell(array, line.function)
    lengths = {
        one.of("size")
        for one in code.lines
        if one.row.kind == "declares" and one.of("size")
        and (one.of("of"), one.of("name")) in (cell, ("", array))
    }  # fmt: skip
    return any(
        one.of("condition") in (f"{index}<={length}", f"{length}>={index}")
        for one in code.lines
        if one.row.kind == "loops" and one.text == line.text
        and one.at <= line.at <= int(one.row.values["to"])
        for length in lengths
    )  # fmt: skip


def _releasing(code: Code, mine: Line) -> Iterator[Line]:
    """The lines that release the same member, by a path or through a copy, or a variable of the
    same type, which may be that member's value."""
    own, kind = _copied(code, mine), _type(code, mine)
    for line in code.lines:
        if line.row.kind != "frees":
            continue
        other = _copied(code, line)
        bare = not member(line.of("expression"))
        if (own and own == other) or (
            (bare or not own) and not (other and own) and _alike(kind, _type(code, line))
        ):
            yield line


def _copied(code: Code, line: Line) -> str:
    """The member that a released expression is or was copied from; "" of a parameter."""
    expression = line.of("expression")
    return member(expression) or next(
        (
            found
            for other in code.lines
            if other.row.kind == "assigns" and other.text == line.text
            and other.function == line.function and other.of("target") == expression
            and (found := member(other.of("expression")))
        ),
        "",
    )  # fmt: skip


def _type(code: Code, line: Line) -> str | None:
    return code.owners.points_to(line.of("expression"), line.function)


def _alike(one: str | None, other: str | None) -> bool:
    """Unless both types are known and differ."""
    return one is None or other is None or one == other
