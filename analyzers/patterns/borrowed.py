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
from workbench.model.facts import Frame, Locals, SourceLine

_BORROWS = re.compile(r"core::cell::RefCell(?:<|\$LT\$)")
_GUARD = re.compile(
    r"\bborrow(?:: | = )(?:core::cell::BorrowRef(?:Mut)? ?)?\{\s*borrow(?:: | = )"
    r"(?:&?core::cell::Cell<isize> )?(0x[0-9a-f]+)"
)
_OUTER = 4
"""Frames of the program's that are asked for what they hold."""


_LISTED = 40
"""Lines in front of a call that are listed of what holds a guard."""


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
    """The locals of the frames that may hold the guard, and the lines in front of their calls."""
    found = _cell(case)
    frames = _holders(case, found[0]) if found is not None else ()
    return tuple(
        one for frame in frames
        for one in (*commands.variables(frame)[1:], *commands.listing(frame, _LISTED))
    )  # fmt: skip


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
            mine = frame is not None and guard is not None and int(guard[1], 16) == address
            inside = _depth(one.value[: guard.start()]) > 1 if guard is not None else False
            if frame is not None and mine and _has_it(case, frame, one.name, inside):
                line = (
                    Citation(listed.cite.evidence, one.line, one.line) if one.line else listed.cite
                )
                yield say("told", (line, *case.cite(frame), *case.cite(inner)), how="borrowed",
                          name=one.name, function=frame.function, file=frame.file,
                          line=frame.line)  # fmt: skip


def _depth(text: str) -> int:
    """How many parts of a printed value a place in it lies inside of."""
    return sum((one in "({") - (one in ")}") for one in text)


def _has_it(case: Case, frame: Frame, name: str, inside: bool) -> bool:
    """Whether a variable still has its value: one that was moved from holds the same bytes. By the
    lines from its declaration to the frame's: as a whole it is named in none of them, nor, where
    the guard lies ``inside`` of it, given to a method, which may take it."""
    file = (frame.file or "").rsplit("/", 1)[-1]
    lines = {one.line: one.text.partition("//")[0] for one in case.facts.all(SourceLine)
             if (one.file or file).rsplit("/", 1)[-1] == file}  # fmt: skip
    made = re.compile(rf"(?:\blet (?:mut )?|[(,]\s*(?:mut )?){re.escape(name)}\s*[:=]")
    last = frame.line or 0
    first = max((at for at, text in lines.items() if at <= last and made.search(text)), default=0)
    if not first or any(at not in lines for at in range(first, last)):
        return False
    rest = made.split(lines[first], maxsplit=1)[1]
    text = "\n".join((rest, *(lines[at] for at in range(first + 1, last + 1))))
    part = r"\.\w+\b(?!\s*\()" if inside else r"\."
    whole = rf"(?<![\w.&*])(?<!&mut ){re.escape(name)}\b(?!\s*(?:{part}|\[|::))"
    return re.search(rf"{whole}|\bmove\b", text) is None
