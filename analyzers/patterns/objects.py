"""What the source calls the part of a global object that a lock is: `plant.stages[1].in.lock`.

A symbol names the object alone. The debugger is asked what lies where in it, level by level, and
in the end for the address of the part that was found, which has to be the lock's.
"""

import re

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command, question
from workbench.model.facts import FactBook, Frame, Layout, LayoutField, Loop, Printed

_NAME = re.compile(r"(?P<root>[A-Za-z_]\w*(?:::\w+)*)(?:\+(?P<far>0x[0-9a-f]{1,8}))?")
_RESERVED = re.compile(r"(?:^|\.)_[_A-Z]")
"""The library's own part of a member (C11, 7.1.3)."""
_INDEX = re.compile(r"\[\d+\]")
_DEEPEST, _MOST = 6, 6


def look(case: Case) -> tuple[Command, ...]:
    """Asks for the parts of the objects in which locks that are waited for lie."""
    reads = (read.name for loop in case.facts.all(Loop) for read in loop.reads)
    names = dict.fromkeys((*(wait.name for wait in case.waits.values()), *reads))
    asked = (_asked(case, case.frame, name) for name in list(names)[:_MOST] if name)
    return tuple(dict.fromkeys(command for each in asked for command in each))


def shown(facts: FactBook, address: int | None) -> str:
    """What the source calls the innermost part that is known to lie at an address, or nothing."""
    found = (one for one in facts.all(Printed) if one.expression[0] == "&")
    here = [one.expression[1:] for one in found if address and scalar(one.value) == address]
    return max(here, key=len, default="")


def named(case: Case, address: int) -> list[Claim]:
    """The one expression of the frame at fault that was shown to lie at an address, or the
    innermost of several of which each is a part of the one before."""
    found = [
        one
        for one in case.facts.all(Printed)
        if one.expression[0] == "&" and scalar(one.value) == address
        if case.frame is not None and one.frame == case.frame.index
    ]
    last = max(found, key=lambda one: len(one.expression), default=None)
    if last is None or not all(last.expression.startswith(one.expression) for one in found):
        return []
    return [say("value", (last.cite,), expression=last.expression, value=last.value)]


def _asked(case: Case, frame: Frame | None, name: str) -> tuple[Command, ...]:
    """What is to be asked next of the object with a symbol's name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return ()
    layouts = {one.expression: one for one in case.facts.all(Layout)}
    path, far = match["root"], int(match["far"] or "0", 16)
    for _ in range(_DEEPEST):
        key = _INDEX.sub("[0]", path)
        layout, element = layouts.get(key), layouts.get(f"{key}[0]")
        if layout is None and element is not None:
            path, far, layout = f"{path}[{far // element.size}]", far % element.size, element
        if layout is None:
            why = "what lies where in the object that the lock is in"
            at_once = f"target variable --location --depth {_DEEPEST} {match['root']}"
            found = [question("", why, lldb=at_once)]
            if frame is not None:
                level = f"frame apply level {frame.index} -q"
                found += [question(f"{level} ptype /o {text}", why) for text in (key, f"{key}[0]")]
            return (*found, *_place(frame, path, match["root"]))
        field = _holder(layout, far)
        if field is None:
            break
        path, far = f"{path}.{field.name}", far - field.offset
    return _place(frame, path, match["root"])


def _place(frame: Frame | None, path: str, root: str) -> tuple[Command, ...]:
    if path == root:
        return ()
    return commands.value(frame, f"&{path}", "where this part of the object lies")


def _holder(layout: Layout, far: int) -> LayoutField | None:
    """The innermost member that a place lies in; None where a union has several."""
    own = [one for one in layout.fields if not _RESERVED.search(one.name)]
    found = [one for one in own if one.offset <= far < one.offset + one.size]
    least = min((one.size for one in found), default=0)
    found = [one for one in found if one.size == least]
    deepest = max((one.name.count(".") for one in found), default=0)
    found = [one for one in found if one.name.count(".") == deepest]
    return found[0] if len(found) == 1 else None
