"""Who still borrows a Rust ``RefCell`` that was borrowed again: a guard among the locals of the
frames on the stack.

``RefCell`` begins with its count of borrows, which the guards ``Ref`` and ``RefMut`` point to
(library/core/src/cell.rs; a field that may be unsized stays the last one).
"""

import re
from collections.abc import Iterator

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from workbench.claims.printed import arguments_of
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Locals

_BORROWS = re.compile(r"core::cell::RefCell(?:<|\$LT\$)")
_GUARD = re.compile(
    r"\bborrow(?:: | = )(?:core::cell::BorrowRef(?:Mut)? ?)?\{\s*borrow(?:: | = )"
    r"(?:&?core::cell::Cell<isize> )?(0x[0-9a-f]+)"
)
_OUTER = 4
"""Frames of the program's that are asked for what they hold."""


def _cell(case: Case) -> tuple[Frame, int] | None:
    """The frame of the library's function that was to borrow, and the address of the cell."""
    for frame in case.frames:
        if _BORROWS.match(frame.function or ""):
            address = scalar(dict(arguments_of(frame.args)).get("self", ""))
            if address is not None:
                return frame, address
    return None


def _holders(case: Case, inner: Frame) -> list[Frame]:
    ours = [one for one in case.frames if one.index > inner.index and case.is_ours(one)]
    return ours[:_OUTER]


def look(case: Case) -> tuple[Command, ...]:
    """The locals of the frames that may hold the guard."""
    found = _cell(case)
    frames = _holders(case, found[0]) if found is not None else ()
    return tuple(one for frame in frames for one in commands.variables(frame)[1:])


def still(case: Case) -> Iterator[Claim]:
    """The guards that point to the cell, each with its frame."""
    found = _cell(case)
    if found is None:
        return
    inner, address = found
    frames = {frame.index: frame for frame in _holders(case, inner)}
    for listed in case.facts.all(Locals):
        frame = frames.get(listed.frame if listed.frame is not None else -1)
        for one in listed.variables if frame is not None else ():
            guard = _GUARD.search(one.value)
            if frame is not None and guard is not None and int(guard[1], 16) == address:
                line = (
                    Citation(listed.cite.evidence, one.line, one.line) if one.line else listed.cite
                )
                yield say("told", (line, *case.cite(frame), *case.cite(inner)), how="borrowed",
                          name=one.name, function=frame.function, file=frame.file,
                          line=frame.line)  # fmt: skip
