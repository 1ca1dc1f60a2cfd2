"""The steps of a slice as lines of text."""

from typing import TYPE_CHECKING

from workbench.targets.probes.explain import Step
from workbench.targets.probes.places import clean, place

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile


def origin_lines(core: "CoreFile", steps: list[Step], title: str) -> list[str]:
    """``title 1: …`` and so on, nearest first; empty when nothing is known."""
    return [f"{title} {number}: {step_text(core, s)}" for number, s in enumerate(steps, 1)]


def step_text(core: "CoreFile", step: Step) -> str:
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
            return f"{step.register} was loaded with {value} from {where} {by}"
        case "store":
            return f"{value} was stored to {step.source or 0:#x} from {step.register} {by}"
        case "constant" if step.source is not None:
            return f"the constant {value} was stored to {step.source:#x} {by}"
        case "constant":
            return f"{step.register} was set to the constant {value} {by}"
        case "copy":
            return f"{step.register} = {value} was copied {by}"
        case "call":
            name = clean(step.detail)
            return f"{step.register} = {value} was returned by the call to {name} at {step.at:#x}"
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
