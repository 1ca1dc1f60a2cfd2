"""The steps of a slice as lines of text."""

from workbench.targets.dump import Dump
from workbench.targets.probes.demangle import function
from workbench.targets.probes.explain import Step
from workbench.targets.probes.malloc.memory import Span
from workbench.targets.probes.malloc.overrun import run_over
from workbench.targets.probes.places import MASK, NEAR_NULL, clean, place

_REACH, _WORD = 4096, 8
_ADDRESSES = 1 << 32
"""Smaller numbers are counts; memory is mapped above."""


def origin_lines(core: Dump, steps: list[Step], title: str) -> list[str]:
    """``title 1: …`` and so on, nearest first; empty when nothing is known."""
    return [f"{title} {number}: {step_text(core, s)}" for number, s in enumerate(steps, 1)]


def run_lines(core: Dump, steps: list[Step]) -> list[str]:
    """The data that covers the cell which the wild pointer was read from: where a pointer belongs
    and a text or a filler stands, something was written over it."""
    for step in steps:
        if step.kind == "load" and step.source is not None and step.value is not None:
            region = core.region(step.source)
            if step.value < NEAR_NULL or region is None or core.region(step.value) is not None:
                return []
            low = max(region.start, step.source - _REACH)
            run = run_over(Span(core, low, min(region.end, step.source + _REACH)), step.source)
            if run is None or (run.width == _WORD and step.value >= _ADDRESSES):
                return []  # pointers into one array differ by as much, too
            return [
                f"run: {run.what} from {run.start:#x} to {run.end:#x} covers the cell "
                f"{step.source:#x}"
            ]
    return []


def root_lines(base: int, steps: list[Step]) -> list[str]:
    """What a base register near null was made from, or the constant that any other was: the value
    that the walk back ends at, before it would go on to the way to that value's cell. Nothing where
    the walk ends at arithmetic."""
    root: Step | None = None
    for at, step in enumerate(steps):
        returned = step.kind == "call" and at + 1 < len(steps)  # the walk goes on in there
        if returned or step.kind in ("computed", "copy", "store", "argument"):
            root = step if step.kind == "argument" else None
            continue
        root = step
        behind = steps[at + 1] if at + 1 < len(steps) else None
        stored = behind is not None and behind.kind in ("store", "constant")
        if step.kind != "load" or not (stored and behind and behind.source == step.source):
            break
    if root is None or root.value is None or not root.matches:
        return []
    small = base < NEAR_NULL or base > MASK - NEAR_NULL
    if root.kind != "constant" and (not small or (root.value and root.kind != "load")):
        return []  # a member of a null object may have been passed
    return [f"root: {base:#x} was made from {root.value:#x} by the {root.kind} at {root.at:#x}"]


def step_text(core: Dump, step: Step) -> str:
    """One step in words, its addresses in it."""
    by = f"by {step.text} at {step.at:#x}"
    value = "an unknown value" if step.value is None else f"{step.value:#x}"
    changed = "" if step.matches else ", which is not the value that was used: it changed since"
    match step.kind:
        case "load" if step.source is None:
            return f"{step.register} was loaded with {value} from an address no longer known {by}"
        case "load":
            where = f"{step.source or 0:#x} ({place(core, step.source or 0)})"
            if not step.matches:
                return (
                    f"{step.register} was loaded {by} from {where}; that now holds {value}{changed}"
                )
            late = f", before the call to {clean(step.freed)}" if step.freed else ""
            return f"{step.register} was loaded with {value} from {where} {by}{late}"
        case "store":
            return f"{value} was stored to {step.source or 0:#x} from {step.register} {by}"
        case "constant" if step.source is not None:
            return f"the constant {value} was stored to {step.source:#x} {by}"
        case "constant":
            return f"{step.register} was set to the constant {value} {by}"
        case "copy":
            return f"{step.register} = {value} was copied {by}"
        case "call":
            name = clean(function(step.detail))
            return f"{step.register} = {value} was returned by the call to {name} at {step.at:#x}"
        case "unset" if step.source is not None:
            return (
                f"{value} at {step.source:#x} was never set: no instruction of the function at "
                f"{step.at:#x} ({place(core, step.at)}) stores there"
            )
        case "unset":
            return (
                f"{step.register} = {value} was never set by the function at {step.at:#x} "
                f"({place(core, step.at)})"
            )
        case "argument":
            called = ""
            if step.source is not None:
                called = f" by the call at {step.source:#x} ({place(core, step.source)})"
            return (
                f"{step.register} = {value} was passed in as argument {step.detail} of the "
                f"function at {step.at:#x}{called}"
            )
        case _:
            other = f", where {step.detail}" if step.detail else ""
            return f"{step.register} was computed as {value} {by}{other}"
