"""Where the dump leaves one line for a member that is null, whatever evidence is still to come.

A function sets the member, and behind that another one of the same object. The dump has the other
one set, that function alone sets it, and no object has it from the start: then this object's member
was set, and what made it null did so later. Where one line of the source can make it null, that one
did.
"""

import re
from collections.abc import Iterator, Sequence
from copy import copy

from msgspec.structs import replace

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from workbench.agents.assisted.claims import hold
from workbench.agents.assisted.code import NULL, Code, Line
from workbench.agents.assisted.elsewhere import elsewhere
from workbench.agents.ports import Ports
from workbench.agents.spelling import spelt
from workbench.claims.chain import same_function
from workbench.claims.say import deny, say
from workbench.claims.source import is_certain, normal, precedes
from workbench.claims.source.text import FILE_SCOPE, C
from workbench.model.claims import Claim
from workbench.model.facts import Frame

_NAMED = re.compile(r"\{(?:0|\.\w+=.*)?\}")
"""An initialiser that leaves what it does not name zero (C23 6.7.11)."""


async def sole(ports: Ports, chain: Sequence[Claim], code: Code) -> tuple[Claim, ...]:
    """The values of the dump that leave the last line of a chain alone; empty where none do.
    ``chain`` holds, and nothing stands against it nor may have done it elsewhere."""
    link = chain[-1]
    mine = code.kept(link)
    if not (code.null and mine and link.kind == "assigns" and mine[0].text.language == C):
        return ()
    line = mine[0]
    struct, field = code.owners.cell(line.of("target"), line.function)
    if not struct or not field or line.of("expression") not in NULL:
        return ()
    for frame, base in _reached(ports, chain, code, struct, field):
        for other in set_behind(code, struct, field, line):
            asked = [f"{base}{name}" for name in (field, other)]
            for one in asked:
                for command in spelt(ports.state, commands.value(frame, one)):
                    await ports.ask(command)
            null, some = (
                replace(say("value", expression=one, function=frame.function, value=0), by="model")
                for one in asked
            )
            found = await hold(ports, (null, deny(some)))
            if all(claim.holds for claim in found):
                return tuple(replace(claim, by="expert") for claim in found)
    return ()


def _reached(
    ports: Ports, chain: Sequence[Claim], code: Code, struct: str, field: str
) -> Iterator[tuple[Frame, str]]:
    """The frames of the failed stack in which a link names such a member, and what it is reached
    through there: ``router->``."""
    stack = Case(ports.state.facts).stack
    path = re.compile(rf"([A-Za-z_][\w.>-]*?(?:->|\.)){re.escape(field)}\b")
    for link in chain[:-1]:
        function = str(link.get("function"))
        found = path.search(normal(str(link.get("expression") or "")))
        frames = [
            frame
            for frame in (stack.frames[:1000] if stack is not None else ())
            if same_function(frame.function or "", function)
        ]
        if len(frames) == 1 and found and code.owners.owner(found[0], function) == struct and (
            not _changes(code, found[1], function)
        ):  # fmt: skip
            yield frames[0], found[1]


def set_behind(code: Code, struct: str, field: str, mine: Line) -> Iterator[str]:
    """The members that are set in one place alone, always behind where the same object's ``field``
    is set to what is not null."""
    other = copy(code)
    other.null = False
    stores = [line for line in code.lines if line.row.kind == "assigns"]
    for line in stores:
        target = line.of("target")
        of, name = code.owners.cell(target, line.function)
        base = target.removesuffix(name)
        if (of, line.text.language) != (struct, C) or name in ("", field) or not base:
            continue
        before = [
            one
            for one in stores
            if one.text == line.text and one.function == line.function
            and one.of("target") == f"{base}{field}" and one.of("operator") == "="
            and not code.may_be(one, one.of("expression"))
            and is_certain(one.text, one.at) and precedes(one.text, one.at, line.at) is not None
            and not _changes(code, base, line.function)
        ]  # fmt: skip
        written = say("assigns", function=line.function, target=target, at=line.at,
                      expression=line.of("expression"))  # fmt: skip
        if before and code.kept(written) and not elsewhere(other, (written,)) and (
            _begins_without(code, struct, name)
        ):  # fmt: skip
            yield name


def _changes(code: Code, base: str, function: str) -> bool:
    """True unless one variable leads to one object for as long as its function runs."""
    name = base.removesuffix("->").removesuffix(".")
    taken = re.compile(rf"&{name}\b(?!->|\.|\[)")
    own = [line for line in code.lines if same_function(line.function, function)]
    return not (name.isidentifier() and code.owners.is_local(name, function)) or any(
        (line.of("target") == name and not _is_declared(own, line))
        or taken.search(line.of("expression") + line.of("arguments"))
        for line in own
    )


def _is_declared(own: Sequence[Line], line: Line) -> bool:
    """True for the initialiser of a variable's only declaration, outside of loops."""
    declared = [one for one in own if one.row.kind == "declares"
                and one.of("name") == line.of("target")]  # fmt: skip
    return [one.at for one in declared] == [line.at] and not any(
        one.row.kind == "loops" and one.at <= line.at <= int(one.row.values["to"]) for one in own
    )


def _begins_without(code: Code, struct: str, name: str) -> bool:
    """True where every object of a struct has zero for a member when it is made: no header shows
    the struct to other files, which could make more."""
    made = 0
    for line in code.lines:
        if line.row.kind == "declares" and line.of("of") == struct and not line.file.endswith(".c"):
            return False
        if line.row.kind == "allocates":
            if code.owners.points_to(line.of("target"), line.function) in (struct, None):
                if line.of("callee") != "calloc":
                    return False
                made += 1
        elif line.row.kind == "declares" and code.owners.bare(line.of("type")) == struct:
            if re.search("[*&]", line.of("type")):
                continue
            shown = next(text for _, at, text in line.text.lines if at == line.at)
            begun = [
                one.of("expression")
                for one in code.lines
                if one.row.kind == "assigns" and one.is_at(line)
                and one.of("target") == line.of("name")
            ]  # fmt: skip
            kept = r"(?!extern)" if line.function == FILE_SCOPE else r"\s*static\b"
            named = all(_NAMED.fullmatch(one) and f".{name}=" not in one for one in begun)
            if line.of("of") or not (named and (begun or re.match(kept, shown))):
                return False
            made += 1
    return made > 0
