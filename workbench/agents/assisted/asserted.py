"""Which line made an assertion's expression false, or the condition true by which a function of the
program ends it: what it compares is so in the frame, was not before the line, and no other line can
have set it."""

import re
from collections.abc import Callable

from analyzers.patterns.case import Case
from workbench.agents.assisted.code import Code, has_run
from workbench.agents.assisted.dump import Dump, Place
from workbench.agents.assisted.lines import Cell, Line
from workbench.agents.assisted.marks import is_in, makers
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.rivals import cannot_have, first_values, may_set
from workbench.claims.chain import linked
from workbench.claims.source import normal
from workbench.claims.source.held import COMPARED, UNLIKE, ends, guards, held, nearest
from workbench.claims.values import NULL, number
from workbench.model.claims import Claim
from workbench.model.facts import Frame

_PATH = re.compile(r"(?<![\w.>])[A-Za-z_]\w*(?:(?:->|\.|::)[A-Za-z_]\w*)*")
_SIGNS = {"++": 1, "--": -1, "+=": 1, "-=": -1}
"""How much of its expression an assignment adds to its target."""


async def asserted(dump: Dump, line: Line) -> Proved:
    """The line set last what the check of the chain compares, a member or a variable."""
    test = next((link for link in dump.chain[1:-1] if link.kind == "compares"), None)
    frame = dump.live(str(test.get("function"))) if test is not None else None
    if test is None or frame is None or line.row.kind != "assigns":
        return ()
    code = dump.code
    sides = [normal(str(test.get(name))) for name in ("left", "right")]
    compared = max((one for one in code.kept(test) if one.of("left") == sides[0]),
                   key=lambda one: len(one.text.lines), default=None)  # fmt: skip
    holds = _holds(dump, test, frame, compared) if compared else None
    if holds is None or compared is None:
        return ()
    cell = code.cell_of(compared, sides[0])
    held = await dump.value(Place(frame), sides[0])
    most = await _number(dump, Place(frame), sides[1])
    if held is None or most is None or holds(held.value, most) or (
        code.target_of(line) != cell or may_set(code, *cell)
        or (line.of("target") in code.parameters(line.function) and not has_run(code, [line]))
        or not await _is_settled(dump, sides[1], code.cell_of(compared, sides[1]), line)
    ):  # fmt: skip
        return ()  # or the other side was made what it is
    for one in code.of_kind("assigns"):
        if code.target_of(one) != cell or one.is_at(line):
            continue
        fixed = await _constant(dump, one.of("expression")) if one.of("operator") == "=" else None
        if fixed is not None and holds(fixed, most):
            continue
        if not (await _is_kept(dump, one, most, holds) or await cannot_have(dump, one)):
            return ()
    steps = [_SIGNS.get(one.of("operator"), 0) for one in code.of_kind("assigns")
             if _is_step(line) and code.target_of(one) == cell]  # fmt: skip
    for place in dump.places(line):
        added = await _added(dump, place, line, held.value)
        alone = added == held.value or not holds(abs(added), most)  # else it may lack a step back
        if (added < 0 and _is_step(line)) or any(added * one < 0 for one in steps):
            return ()  # it may be right to add as much, and what it is added to not
        if added and alone and holds(held.value - added, most):
            return await dump.said(held)
    return ()


async def _is_settled(dump: Dump, side: str, cell: Cell, mine: Line) -> bool:
    """True for the other side of a check that was right: a constant, or a member that is set where
    its object is made alone, and that the line was not asked about."""
    if await _constant(dump, side) is not None:
        return True
    asked = (side for test in guards(mine.text, mine.at, dump.code.known) for side in test[::2])
    return _is_as_made(dump.code, cell) and not any(
        dump.code.cell_of(mine, one) == cell for one in asked
    )


def _is_as_made(code: Code, cell: Cell) -> bool:
    """True for a member that is set where its object is made alone."""
    struct = str(cell[0])
    making, first = makers(code, struct), first_values(code, struct, cell[1])
    return (
        struct in code.owners.structs and not may_set(code, struct, cell[1])
        and all(is_in(one, making) or any(map(one.is_at, first))
                for one in code.stores(struct, cell[1]))
    )  # fmt: skip


def _holds(
    dump: Dump, test: Claim, frame: Frame, compared: Line
) -> Callable[[int, int], bool] | None:
    """How what a check compares relates where nothing is wrong: by the assertion that a message
    quotes, else by the condition that was asked last before the frame's line, where that line, or
    what it called and asked nothing, always ends the process."""
    state, sign = dump.ports.state, str(test.get("operator"))
    if linked(dump.chain[0], test):
        return COMPARED.get(sign)
    code, first = dump.code, state.facts.once(Case).frame
    inner = [one for one in dump.frames if first and first.index <= one.index <= frame.index]
    for at, one in enumerate(inner):
        texts = [text for text in code.texts if text.lists(one.file, one.line)]
        text = max(texts, key=lambda text: len(text.lines), default=None)
        if text is None or not (at or ends(text, one.line or 0, code.known)) or (
            one.index < frame.index and any(guards(text, one.line or 0, code.known))
        ):  # fmt: skip
            return None
    stated = normal(str(test.get("left"))), sign, normal(str(test.get("right")))
    asked = nearest(compared.text, frame.line or 0, code.known)
    return COMPARED[UNLIKE[sign]] if inner and asked == [stated] else None


def _is_step(line: Line) -> bool:
    """True for a line that adds to what its target has."""
    again = re.search(rf"(?<![\w.>]){re.escape(line.of('target'))}(?!\w)", line.of("expression"))
    return line.of("operator") != "=" or again is not None


async def _constant(dump: Dump, name: str) -> int | None:
    """The number that is written, or that a name has which lies nowhere: an enumerator."""
    if name in NULL or number(name) is not None:
        return 0 if name in NULL else number(name)
    declared = any(one.of("name") == name for one in dump.code.of_kind("declares"))
    named = name.replace("::", "_").isidentifier() and not declared
    for frame in dump.frames[:1] if named else ():
        found = await dump.value(Place(frame), name)
        return found.value if found and not await dump.value(Place(frame), f"&{name}") else None
    return None


async def _number(dump: Dump, place: Place, side: str) -> int | None:
    known = 0 if side in NULL else number(side)
    found = await dump.value(place, side) if known is None else None
    return found.value if found else known


async def _added(dump: Dump, place: Place, line: Line, held: int) -> int:
    """What a line added to its target, which is ``held`` now; of one that sets it to something else
    all of it, where that is what it has now; 0 where that is not known."""
    expression, sign = line.of("expression"), _SIGNS.get(line.of("operator"))
    made = await dump.of(place, expression, line) if expression else None
    if sign is not None:
        return sign * (made.value if made else int(not expression))
    if made is None or line.of("operator") != "=":
        return 0
    target = re.escape(line.of("target"))
    if re.fullmatch(rf"{target}\s*[+-](?:(?!{target}\b)(?:->|[^<>&|^?=]))+", expression):
        return made.value - held
    again = re.search(rf"(?<![\w.>]){target}(?!\w)", expression)
    if made.value != held or again:
        return 0
    for path in _PATH.findall(expression):
        cell = dump.code.cell_of(line, path)
        if await _constant(dump, path) is None and not _is_as_made(dump.code, cell):
            return 0  # what it is made of may have been wrong
    return held


async def _is_kept(dump: Dump, line: Line, most: int, holds: Callable[[int, int], bool]) -> bool:
    """True where a step by one is guarded by a bound with which the assertion holds."""
    step = {"++": "<", "--": ">"}.get(line.of("operator"))
    for left, sign, right in held(line.text, line.at, dump.code.known) if step else ():
        for place in dump.places(line) if step and left == line.of("target") else ():
            bound = await dump.of(place, right, line)
            if step and bound and sign == step and holds(bound.value, most):
                return True
    return False
