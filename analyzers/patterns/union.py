"""A number that was stored in a union and is read there as a pointer: the member that was stored
has the bad value as a number of its type, and lies where the pointer does."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from analyzers.patterns import commands, pointed, signs, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.words import Cites, of
from workbench.claims.say import say
from workbench.claims.values import leaves, scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Printed

_MEMBER = re.compile(r"(?P<whole>.+?)(?P<step>->|\.)[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?\d+")
_UNNAMED = re.compile(r"^(?:\[\d+\])+\.")
"""How the members of a union without a name are reached in what is printed."""
_MOST = 2


class Stored(NamedTuple):
    """The pointer that was used, and the number that lies there."""

    used: Claim
    told: tuple[Claim, ...]
    cites: Cites


def look(case: Case) -> tuple[Command, ...]:
    """Asks for what holds the member that the bad value is named as, and where both lie."""
    used, frame = _named(case), case.frame
    if used is None or frame is None:
        return ()
    text = str(used.get("expression"))
    asked = commands.value(frame, _whole(text)[0], "what the member is a part of")
    others = [*_numbers(case, frame, used)][:_MOST]
    texts = [each for path in others for each in (path, f"&{path}")]
    texts += [f"&{text}"] if others else []
    why = "where this member lies"
    return (*asked, *(ask for each in texts for ask in commands.value(frame, each, why)))


def stored(case: Case) -> Stored | None:
    """The number in the union, where the pointer in it leads to no memory, and nothing shows that
    the union was written over: a number that is as wide as the pointer has its bits, whatever they
    are of."""
    used, frame = _named(case), case.frame
    if used is None or frame is None:
        return None
    lies = {one.expression: one for one in case.facts.all(Printed) if one.frame == frame.index}
    mine = lies.get(f"&{used.get('expression')}")
    for path in _numbers(case, frame, used):
        other, said = lies.get(f"&{path}"), lies.get(path)
        if mine and other and said and scalar(mine.value) == scalar(other.value) is not None:
            if _in_damage(case, scalar(mine.value)):
                return None
            value = say("value", of(said), expression=path, value=scalar(said.value))
            return Stored(used, (used, value), (*of(mine), *of(other)))
    return None


def _in_damage(case: Case, cell: object) -> bool:
    """Whether a cell lies in a heap right behind a header that makes no sense."""
    heap = signs.broken_heap(case)
    return (
        heap is not None and heap.broken_at is not None and isinstance(cell, int)
        and heap.broken_at < cell < heap.end
    )  # fmt: skip


def _numbers(case: Case, frame: Frame, used: Claim) -> Iterator[str]:
    """The members beside the pointer that have its value as a number."""
    whole, before = _whole(str(used.get("expression")))
    wanted = scalar(str(used.get("value")))
    for one in case.facts.all(Printed):
        if (one.frame, one.expression) != (frame.index, whole):
            continue
        for path, value in leaves(one.value):
            if _NUMBER.fullmatch(value) and int(value) == wanted:
                yield f"{before}{_UNNAMED.sub('', path).removeprefix('.')}"


def _whole(member: str) -> tuple[str, str]:
    """What a member is a part of, and what stands in front of another one's name."""
    match = _MEMBER.fullmatch(member)
    root, step = (match["whole"], match["step"]) if match is not None else ("", "")
    return (f"*{root}" if step == "->" else root), f"{root}{step}"


def _named(case: Case) -> Claim | None:
    """What the bad value is called, where that is a member."""
    fault = case.fault
    if fault is None or not case.faulted or case.region(fault.operand) is not None:
        return None
    for claim in spoken.named(case):
        member = _MEMBER.fullmatch(str(claim.get("expression")))
        held = pointed.POINTS.match(str(claim.get("value")))
        if claim.kind == "value" and member is not None and held and not claim.get("function"):
            return claim if scalar(str(claim.get("value"))) else None
    return None
