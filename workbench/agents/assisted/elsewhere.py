"""Where else the source does what a chain's last link shows.

That a line releases or clears a member does not show that it ran, nor that it did so last. Only one
place in the listed source that could have done it, or a function that a stack shows running, names
the origin; of several nothing tells which it was.
"""

from workbench.agents.assisted.tools_look import listing, read_all
from workbench.agents.looking import program_frame
from workbench.agents.ports import Ports
from workbench.claims.chain import same_function
from workbench.claims.listed import texts_of
from workbench.claims.render import last_part
from workbench.claims.source import Row, SourceText, normal, rows
from workbench.claims.source.shapes import member
from workbench.model.claims import Claim
from workbench.model.facts import Stack
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_RELEASES = (OriginKind.FREED, OriginKind.RELEASED_EARLY)
_HALF = 1000
"""A file is listed from its first line to twice as many."""
_NULL = frozenset({"0", "NULL", "nullptr", "None", "null", "nil", "{}"})


async def elsewhere(ports: Ports, origin: Origin, last: Claim) -> tuple[str, ...]:
    """``function:line`` of each other place that may have done it; empty where there is none, or
    where the origin's function is seen at work."""
    function = str(last.get("function") or origin.function or "")
    known = (*_RELEASES, OriginKind.CLEARED)
    if origin.kind not in known or last.kind not in ("frees", "assigns"):
        return ()
    if _is_running(ports.state, function):
        return ()
    failed = program_frame(ports.state)
    for file in dict.fromkeys((failed.file if failed else None, origin.file)):
        command = listing(ports.state, last_part(file or ""), _HALF, _HALF)
        if command is not None:
            await ports.ask(command)
    book = await read_all(ports)
    field = member(normal(str(last.get("target" if last.kind == "assigns" else "expression"))))
    found: dict[int, str] = {}
    for name in book.evidence:
        for text in texts_of(book, name):
            for row in _doing(origin.kind, text, field, function):
                other, at = str(row.values["function"]), int(row.values["at"])
                if not same_function(other, function) and not _is_to_come(ports.state, text, row):
                    found[at] = found.get(at) or other
    return tuple(f"{other}:{at}" for at, other in sorted(found.items()) if other)


def _is_to_come(state: Investigation, text: SourceText, row: Row) -> bool:
    """True for a line of ``main``, which runs once, behind the one where it stands, unless a loop
    has both."""
    at = int(row.values["at"])
    lines = [
        frame.line
        for stack in state.facts.all(Stack)
        for frame in stack.frames[:1000]
        if frame.function == "main" == row.values["function"] and frame.line is not None
    ]
    loops = [
        range(int(other.values["at"]), int(other.values["to"]) + 1)
        for other in rows(text)
        if other.kind == "loops"
    ]
    return bool(lines) and all(
        line < at and not any(line in loop and at in loop for loop in loops) for line in lines
    )


def _is_running(state: Investigation, function: str) -> bool:
    return any(
        frame.function is not None and same_function(frame.function, function)
        for stack in state.facts.all(Stack)
        for frame in stack.frames[:1000]
    )


def _doing(kind: OriginKind, text: SourceText, field: str, function: str) -> list[Row]:
    """The rows of a listing that release the member, or may make it null."""
    stated = rows(text)
    copies = {
        (row.values["function"], row.values["target"]): member(
            normal(str(row.values["expression"]))
        )
        for row in stated
        if row.kind == "assigns"
    }
    mine = {
        copies.get((function, str(row.values.get("expression"))), "")
        for row in stated
        if row.kind == "frees" and same_function(str(row.values["function"]), function)
    }
    fields = {field, *(mine if not field else ())} - {""}
    if kind in _RELEASES:
        return [
            row
            for row in stated
            if row.kind == "frees"
            and fields
            & {
                member(normal(str(row.values["expression"]))),
                copies.get((row.values["function"], row.values["expression"]), ""),
            }
        ]
    return [
        row
        for row in stated
        if row.kind == "assigns"
        and member(normal(str(row.values["target"]))) in fields
        and _may_be_null(str(row.values["expression"]).strip())
    ]


def _may_be_null(expression: str) -> bool:
    """A null constant, or what was read through a pointer."""
    return expression in _NULL or bool(member(normal(expression)))
