"""The member or the variable that lies where the bad word was read from."""

import re
from collections.abc import Iterator

from analyzers.patterns import commands, pointed
from analyzers.patterns.case import Case
from workbench.claims.say import at as shown_as
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Load, Printed

_MOST = 8
_UNSAID = re.compile(r"\]\.(?:first|second)\b|(?:\.|->)_(?:_|[A-Z])\w*(?:->|\[)")
"""Ways that no source takes: lldb counts the pairs of a map, and what the library goes through."""
_CAPTURED = re.compile(r"\w+(?:\.|->)__([A-Za-z]\w*)")
"""What a lambda has of a variable outside of it (gcc/cp/lambda.cc, add_capture)."""


def _load(case: Case, values: set[int]) -> Load | None:
    """The load of the bad word; behind what the functions on the way kept of their own, that of the
    null which a small one was added up from."""
    fault = case.fault
    loads = fault.origin if fault is not None else ()
    if loads and loads[0].own and fault is not None and fault.root == 0 != loads[0].value:
        load = next((one for one in loads if not one.own), None)
        return load if load is not None and load.value == 0 else None
    return loads[0] if loads and not loads[0].own and loads[0].value in values else None


def look(case: Case, values: set[int], said: list[str]) -> tuple[Command, ...]:
    """Asks where the members lie that have the bad word's value, and what the line names."""
    load = _load(case, values)
    if load is None:
        return ()
    why = "where this member lies"
    return tuple(
        ask
        for frame in pointed.frames(case)
        for path in _candidates(case, frame, load, said)
        for ask in commands.value(frame, f"&{pointed.stored(case, frame, path)}", why)
    )


def named(case: Case, values: set[int], said: list[str]) -> list[Claim]:
    """The member that lies there, by where the debugger says that it does."""
    load = _load(case, values)
    if load is None:
        return []
    for frame in pointed.frames(case):
        lies = {one.expression: one for one in case.facts.all(Printed) if one.frame == frame.index}
        for path, (value, cites) in _candidates(case, frame, load, said).items():
            if (at := lies.get(f"&{path}")) is None or scalar(at.value) != load.source:
                continue
            outer = frame.function if frame is not case.frame else None
            if scalar(value) is not None:
                return [say("value", cites, expression=path, function=outer, value=value)]
            shown = _CAPTURED.fullmatch(path)
            expression = shown_as(path, (at.cite,), shown[1] if shown is not None else "")
            return [say("operand", (at.cite,), expression=expression, value=0)]
    return []


def _candidates(
    case: Case, frame: Frame, load: Load, said: list[str]
) -> dict[str, tuple[str, tuple[Citation, ...]]]:
    """What may lie where the bad word was read from, with its value and the lines: the members of
    what was printed in a frame that have that value or refer there, and what the line at fault goes
    through, of which a debugger may show no value."""
    of_frame = pointed.known(case, frame)
    found = dict(_members(case, frame, load))
    for name in said if frame is case.frame else ():
        number = scalar(of_frame[name][0]) if name in of_frame else -1
        if number == load.value or (number is None and load.value == 0):
            found[name] = of_frame[name]
    if load.value == 0:  # the source has no name for what a smart pointer holds
        for name in pointed.references(case, frame):
            if pointed.held(of_frame[name][0])[1] == "0x0":
                found[name] = "", of_frame[name][1]
    return dict([*found.items()][:_MOST])


def _members(
    case: Case, frame: Frame, load: Load
) -> Iterator[tuple[str, tuple[str, tuple[Citation, ...]]]]:
    of_frame = pointed.known(case, frame)
    starts = pointed.led(case, frame) | {
        f"*{name}": at for name, (text, _) in of_frame.items()
        if (at := scalar(text)) is not None and pointed.POINTS.match(text)
    }  # fmt: skip
    for name, (text, cites) in of_frame.items():
        here = 0 <= load.source - starts.get(name, load.source) < pointed.REACH
        for path, value in (
            pointed.fields_of(frame, pointed.Whole(name, text, cites)) if "{" in text else ()
        ):
            if not here and "[" not in path:  # a container's elements lie elsewhere
                continue
            if pointed.failed(case, value) == load.value and not _UNSAID.search(path):
                yield path, (value, cites)
            elif value == f"@{load.source:#x}" and load.value == 0:
                yield path, ("", cites)
