"""A block that is released a second time: what the line that the process ended in releases, and
whether that line may have released it before."""

from typing import NamedTuple

from workbench.agents.assisted.bounds import wholes
from workbench.agents.assisted.claims import hold
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import LEAST, Dump, Place
from workbench.agents.assisted.followed import escapes, is_taken
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.once import once
from workbench.agents.assisted.reissued import is_new
from workbench.claims.chain import same_function
from workbench.claims.say import say
from workbench.claims.source import is_certain
from workbench.claims.source.shapes import plain_callee
from workbench.claims.values import NULL
from workbench.model.category import Category
from workbench.model.claims import Claim


class Second(NamedTuple):
    """The second release of a block: its line, and the statements of what led to which block."""

    line: Line
    said: tuple[Claim, ...]


async def second(dump: Dump) -> Second | None:
    """The release at which the C library found that a block is free; None where the program's frame
    has no such line, or its value is no free block's beginning."""
    frame = dump.frames[0] if dump.frames and dump.category is Category.DOUBLE_FREE else None
    lines = [one for one in dump.code.of_kind("frees") if frame and one.has(frame.line)
             and same_function(one.function, frame.function or "")]  # fmt: skip
    if frame is None or len({one.of("expression") for one in lines}) != 1:
        return None
    held = await dump.value(Place(frame), lines[0].of("expression"))
    chunk = await dump.chunk(held.value) if held and held.value >= LEAST else None
    if held is None or chunk is None or chunk.offset != 0 or chunk.state == "in-use":
        return None
    free = say("chunk", (chunk.cite,), address=held.value, state=chunk.state)
    found = await hold(dump.ports, (free,))
    told = (*found, *await dump.said(held))
    return Second(lines[0], told) if all(one.holds for one in found) else None


async def is_later(dump: Dump, found: Second, line: Line) -> bool:
    """True for a line that has not released the block before: it runs once and did it now, or a
    member alone has each block that the line releases, and its function sets that behind it or
    releases the object, which is in use."""
    code, now = dump.code, found.line.is_at(line)
    expression, cell = line.of("expression"), code.cell_of(line, line.of("expression"))
    if now and code.runs_once(line):
        return True
    own = code.cell_of(found.line, found.line.of("expression"))
    if cell[0] != own[0] or own[0] not in code.owners.structs or escapes(code, own[0]):
        return False
    if _is_copied(code, own[0]) or any(
        is_taken(code, one) or not is_new(code, code.stores(*one)) for one in {cell, own}
    ):
        return False  # the block may be another member's as well
    base = _base(expression, cell)
    behind = [one for kind in ("frees", "assigns") for one in code.of_kind(kind, line.function)
              if one.text == line.text and is_certain(one.text, one.at)
              and one.is_behind(line.at)]  # fmt: skip
    ends = line.function.endswith(f"::~{cell[0]}") or any(
        one.row.kind == "frees" and one.of("expression") == base for one in behind
    )
    return any(one.row.kind == "assigns" and one.of("target") == expression for one in behind) or (
        ends and await _is_in_use(dump, _base(found.line.of("expression"), own))
    )


@once
def _is_copied(code: Code, struct: str) -> bool:
    """True where a line writes a whole object of the struct, or one that has such, but with
    zeros."""
    fills = [one for one in code.of_kind("calls") if plain_callee(one.of("callee")) == "memset"]
    zeros = [one for one in fills for byte in [code.passed(one).get(2)]
             if byte and byte.of("expression") in NULL]  # fmt: skip
    return any(
        not any(map(one.is_at, zeros))
        for of in code.owners.around(struct)
        for one in wholes(code, of)
    )


def _base(expression: str, cell: Cell) -> str:
    return expression.removesuffix(cell[1]).removesuffix("->").removesuffix(".") or "this"


async def _is_in_use(dump: Dump, base: str) -> bool:
    """True where the object whose member was released is in no block that is free."""
    held = await dump.value(Place(dump.frames[0]), base)
    chunk = await dump.chunk(held.value) if held else None
    return held is not None and (chunk is None or chunk.state == "in-use")
