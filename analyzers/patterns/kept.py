"""Who still leads into a freed block: the variable that was used, and not what was read there; and
whose the block is that was written past."""

import re

from analyzers.patterns import commands, dangling, frame_lines, pointed, signs
from analyzers.patterns.case import Case
from workbench.claims.say import say
from workbench.claims.values import leaves, scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, SourceLine


def named(case: Case, line: SourceLine | None) -> list[Claim]:
    """The one variable of the frame at fault, or part of one, that leads to what was read in the
    freed block, or to little in front of it; of several the one that the line names."""
    freed = dangling.freed(case)
    if freed is None or freed.others:
        return []
    words = {*re.findall(r"\w+", line.text)} if line is not None else set()
    begin = freed.address - max(freed.chunk.offset, 0)
    for frame in pointed.frames(case):
        found = _into(case, frame, begin, freed.address)
        said = [claim for name, claim in found if re.split(r"\W", name)[0] in words]
        if len(said) == 1 or len(found) == 1:
            return said or [found[0][1]]
    return []


def _front(case: Case) -> int | None:
    """Where the memory begins of the block in front of a damaged header."""
    broken = signs.broken_heap(case)
    before = broken.before if broken is not None else None
    return before + (8 if case.narrow else 16) if before is not None else None


def look(case: Case) -> tuple[Command, ...]:
    """Asks whose the block is that lies in front of a damaged header."""
    if (front := _front(case)) is None:
        return ()
    listed = (ask for frame in pointed.frames(case) for ask in commands.variables(frame))
    return (*commands.heap(front), *listed, *pointed.look(case))


def owner(case: Case) -> list[Claim]:
    """A variable that points to the beginning of the block in front of a damaged header."""
    front = _front(case)
    chunk = case.chunk(front)
    if front is None or chunk is None or chunk.offset:
        return []
    block = say("chunk", (chunk.cite,), address=front, start=chunk.start, state=chunk.state)
    for frame in pointed.frames(case):
        if found := _into(case, frame, front, front):
            return [found[0][1], block]
    return []


def _into(case: Case, frame: Frame, begin: int, end: int) -> list[tuple[str, Claim]]:
    """What points farthest into a piece of memory, by the names of the variables."""
    outer = frame.function if frame is not case.frame else None
    last, found = begin, list[tuple[str, Claim]]()
    begun = frame_lines.begun(case, frame)
    told = pointed.known(case, frame) | pointed.members(case, frame)
    for name, (value, cites) in told.items():
        if re.split(r"\W", name.lstrip("*&("))[0] == begun:
            continue
        parts = leaves(value) if "{" in value else [("", value)]
        for way, part in parts if name[0] not in "&*" else ():
            at = scalar(part) if pointed.POINTS.match(part) else None
            if at is None or not last <= at <= end:
                continue
            text = pointed.reached(name, way, cites)
            said = say("value", cites, expression=text, function=outer, value=part)
            last, found = at, [*(found if at == last else ()), (name, said)]
    return found
