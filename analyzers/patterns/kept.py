"""Who still leads into a freed block: the variable that was used, and not what was read there."""

import re

from analyzers.patterns import pointed, signs
from analyzers.patterns.case import Case
from workbench.claims.say import say
from workbench.claims.values import leaves, scalar
from workbench.model.claims import Claim
from workbench.model.facts import Frame, SourceLine


def named(case: Case, line: SourceLine | None) -> list[Claim]:
    """The one variable of the frame at fault, or part of one, that leads to what was read in the
    freed block, or to little in front of it; of several the one that the line names."""
    freed = signs.freed(case)
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


def _into(case: Case, frame: Frame, begin: int, end: int) -> list[tuple[str, Claim]]:
    """What points farthest into a piece of memory, by the names of the variables."""
    outer = frame.function if frame is not case.frame else None
    last, found = begin, list[tuple[str, Claim]]()
    for name, (value, cites) in pointed.known(case, frame).items():
        parts = leaves(value) if "{" in value else [("", value)]
        for way, part in parts if name[0] not in "&*" else ():
            at = scalar(part) if pointed.POINTS.match(part) else None
            if at is None or not last <= at <= end:
                continue
            text = pointed.reached(name, way, cites)
            said = say("value", cites, expression=text, function=outer, value=part)
            last, found = at, [*(found if at == last else ()), (name, said)]
    return found
