"""A block of a call that has returned, which one line alone asks for and that function alone fills:
what it holds says how long that was."""

import re
from collections.abc import AsyncIterator, Sequence

from workbench.agents.assisted.bounds import wholes
from workbench.agents.assisted.code import Code, is_call, is_to_come
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.followed import is_filled, is_taken
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.neighbours import reaching
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.released import fits_one
from workbench.agents.assisted.rivals import may_fill, may_set
from workbench.claims.source import normal
from workbench.claims.source.names import FILL_LENGTHS, FILLS, bits_of
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import FILE_SCOPE, words
from workbench.claims.values import NULL, number
from workbench.model.facts import Chunk, Fault, Heap

_SHOWN = re.compile(
    r"\$\d+ = (?:\([^()]*\) )?0x[0-9a-f]+ (?:<[^<>]*> )?\"((?:[^\"\\]|\\.)*)\"$", re.M
)
"""How gdb prints a text that it shows whole."""
_ENDED = words("strcpy stpcpy strcat sprintf")
_AND_ZERO = re.compile(r"(?:strlen\(\w+\)|\w+)\+1")
"""The length of a text with the zero behind it."""
_ARMS = re.compile(r"[^?]+\?([^?:]+):([^?:]+)")
_SIGN = re.compile(r"\\[0-7]{3}|\\.|.")


async def too_long(dump: Dump, line: Line) -> Proved:
    """The text that is copied into a block, which was asked for by a text's length, runs over the
    block's end, and what failed lies there."""
    code, size = dump.code, line.of("size")
    own = code.owners.is_local(size, line.function)
    made = [one.of("expression") for one in code.sets(line.function, size) if own]
    size = made[0] if len(made) == 1 else size
    back = code.of_kind("returns", line.function)
    fills = _fills(code, line, back) if "strlen(" in size else []
    copied = [one.of("expression") for fill in fills
              for at, one in code.passed(fill).items() if at > 1]  # fmt: skip
    if not fills or not all(
        _ends_it(code, one, alone=len(fills) == 1) and _is_weighed(code, one, size) for one in fills
    ) or any(
        0 < size.count(f"strlen({one})") < copied.count(one) for one in copied
    ):  # fmt: skip
        return ()  # what is copied once more than it was weighed may be to blame
    async for place, path, chunk in _blocks(dump, line, fills):
        text = _SHOWN.match(await dump.shown(place, f"(char *)({path})"))
        start = await dump.value(place, path)
        end = start.value + len(_SIGN.findall(text[1])) + 1 if start and text else 0
        if start and end > dump.end(chunk) and dump.damaged(chunk.start + chunk.size, end):
            return await dump.said(start)
    return ()


async def cut_short(dump: Dump, line: Line, bits: int) -> Proved:
    """A block is asked for by a number without its upper bits, and filled by the whole one: what
    ran over its end shows that those were missing."""
    code, made = dump.code, line.of("expression")
    sets = code.sets(line.function, made)
    if not code.owners.is_local(made, line.function) or code.is_handed_out(line.function, made) or (
        len(sets) != (made not in code.parameters(line.function))
    ):  # fmt: skip
        return ()
    kept = code.target_of(line)
    if not all(map(line.is_at, code.stores(*kept))) or any(wholes(code, str(kept[0]), kept[1])) or (
        any(use.of("path")[:1] == "&" and not rest for use, rest in code.through(kept))
    ):  # fmt: skip
        return ()
    for block in code.of_kind("allocates", line.function):
        back = code.of_kind("returns", block.function)
        mine = code.cell_of(block, block.of("size")) == kept
        fills = _fills(code, block, back) if mine else []
        fill = fills[0] if len(fills) == 1 else None
        size = FILL_LENGTHS.get(plain_callee(fill.of("callee")), 0) if fill else 0
        length = code.passed(fill).get(size) if fill else None
        field = code.member_of(block)[1]
        if fill is None or length is None or length.of("expression") != made or not field:
            continue
        async for place, path, chunk in _blocks(dump, block, fills):
            start, asked = (
                await dump.value(place, path),
                await dump.value(place, path.removesuffix(field) + kept[1]),
            )
            end = chunk.start + chunk.size
            if start and asked and path.endswith(field) and fits_one(chunk.size, asked.value) and (
                _runs_over(dump, chunk) and dump.damaged(end, end + (1 << bits))
            ):  # fmt: skip
                return await dump.said(start, asked)
    return ()


def _runs_over(dump: Dump, chunk: Chunk) -> bool:
    """True where the same data lies on both sides of a block's end."""
    facts, end = dump.ports.state.facts, chunk.start + chunk.size
    runs = [one.run for one in facts.all(Fault) if one.run is not None]
    return any(one.overrun and one.broken_at == end for one in facts.all(Heap)) or any(
        chunk.start <= one.start < end < one.end for one in runs
    )


def _is_weighed(code: Code, fill: Line, size: str) -> bool:
    """True where all that a call writes is a part of a block's size: texts by their length,
    numbers, and what stands in the source."""
    return all(
        at == 1
        or at == FILL_LENGTHS.get(plain_callee(fill.of("callee")), 0)
        or (made := one.of("expression"))[:1] in ('"', "'")
        or number(made) is not None
        or f"strlen({made})" in size
        or any(bits_of(type_, one.text.language or "") for type_ in code.types(one, made))
        for at, one in code.passed(fill).items()
    )


def _ends_it(code: Code, fill: Line, *, alone: bool) -> bool:
    """True for a call of C's library that ends the text which it writes with a zero."""
    callee = plain_callee(fill.of("callee"))
    length = code.passed(fill).get(FILL_LENGTHS.get(callee, 0))
    whole = length is not None and _AND_ZERO.fullmatch(length.of("expression")) is not None
    return callee in _ENDED or (alone and callee in ("memcpy", "memmove") and whole)


def _fills(code: Code, line: Line, back: tuple[Line, ...]) -> list[Line]:
    """The calls of an allocation's function that alone write into its block, from where it or its
    text begins, before it is returned."""
    target = line.of("target")
    own = [one for one in code.of_kind("calls", line.function) if one.of("expression") == target
           and FILLS.get(plain_callee(one.of("callee"))) == one.row.values.get("index", 0)
           ]  # fmt: skip
    alone = bool(own) and _write_alone(code, own, code.cell_of(line, target), (line, *back))
    return own if alone else []


def _write_alone(code: Code, fills: Sequence[Line], cell: Cell, but: tuple[Line, ...] = ()) -> bool:
    """True for calls, where nothing else writes through what a member or variable has."""
    return not may_fill(code, fills[0], cell, (*fills, *but)) and not any(
        is_filled(use) and not (any(map(use.line.is_at, fills)) or is_to_come(code, use.line))
        for use, _ in code.through(cell)
    ) and not any(
        found for one in code.of_kind("assigns") if not any(map(one.is_at, but))
        for found in reaching(code, one, [cell])
    )  # fmt: skip


async def _blocks(
    dump: Dump, line: Line, fills: Sequence[Line]
) -> AsyncIterator[tuple[Place, str, Chunk]]:
    """The blocks that values of the chain lead to, by what has nothing but what an allocation, or
    its function, gives, or a copy that is as large as its text: nothing but those calls write
    through that."""
    code, made = dump.code, line.of("target")
    back = {one.of("expression") for one in code.of_kind("returns", line.function)} - {*NULL}
    for link in dump.chain:
        path, function = normal(str(link.get("expression"))), str(link.get("function"))
        frame = dump.live(function) if link.kind == "value" else None
        cell = code.cell_in(function, path)
        own = cell[0] in code.owners.structs or cell[0] == FILE_SCOPE
        sets = code.stores(*cell) if own else code.sets(function, path)
        if frame is None or not sets or is_taken(code, cell) or (own and may_set(code, *cell)) or (
            not _write_alone(code, fills, cell)
        ) or not all(
            one.is_at(line) or arm in NULL or (
                is_call(arm, "strdup") and "strdup" not in code.functions) or (
                back == {made} and code.is_call(one, arm, line.function))
            for one in sets
            for arms in [_ARMS.fullmatch(one.of("expression"))]
            for arm in (arms.groups() if arms else [one.of("expression")])
        ):  # fmt: skip
            continue
        chunk = await dump.chunk(number(str(link.get("value"))) or 0)
        if chunk is not None and not chunk.offset:
            yield Place(frame), path, chunk
