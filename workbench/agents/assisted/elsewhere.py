"""Where else the source does what the links of a chain show.

That a line sets, returns or releases something does not show that it ran, nor that it did so last.
Only one place in the listed source that could have done it, or a line that must have run before one
that a stack shows, names the origin; of several nothing tells which it was.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analyzers.patterns.case import NEAR_NULL
from workbench.agents.assisted.tools_look import listing, read_all
from workbench.agents.looking import program_frame
from workbench.agents.ports import Ports
from workbench.claims.chain import same_function
from workbench.claims.listed import texts_of
from workbench.claims.render import last_part
from workbench.claims.source import Row, SourceText, normal, precedes, rows
from workbench.claims.source.names import FILLS
from workbench.claims.source.owners import Owners
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.values import number
from workbench.model.claims import Claim
from workbench.model.facts import Fault, Stack
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin

_HALF = 1000
"""A file is listed from its first line to twice as many."""
NULL = frozenset({"0", "NULL", "nullptr", "None", "null", "nil", "{}", "false"})
_CALL = re.compile(r"([A-Za-z_][\w:.]*(?:->\w+)*)\(")
_NAMES = re.compile(r"[A-Za-z_]\w*")
_PLACE = {"assigns": "target expression", "frees": "expression", "returns": "expression",
          "allocates": "target", "converts": "target", "calls": "callee"}  # fmt: skip


class Line(NamedTuple):
    """A row of source with the listing that it stands in."""

    text: SourceText
    row: Row

    @property
    def function(self) -> str:
        """The function that it is of; "" where the listing does not tell."""
        return str(self.row.values["function"])

    @property
    def at(self) -> int:
        """Its number in its file."""
        return int(self.row.values["at"])

    @property
    def file(self) -> str:
        """Its file's name; "" where the listing does not tell."""
        return last_part(self.text.file or "")

    def is_at(self, other: "Line") -> bool:
        """True for the same line, as far as both listings tell their file."""
        return self.at == other.at and (self.file == other.file or "" in (self.file, other.file))

    def of(self, name: str) -> str:
        """One of its expressions, as they are compared."""
        return normal(str(self.row.values.get(name, "")))


class Code:
    """The listed source of a case, with what its stacks and its fault tell of it."""

    def __init__(self, state: Investigation, texts: Sequence[SourceText]) -> None:
        self.texts = texts
        shown = [Line(text, row) for text in texts for row in rows(text)]
        whole: dict[int, list[Line]] = {}
        for line in shown:
            if line.function:
                whole.setdefault(line.at, []).append(line)
        # A listing that begins within a function does not tell which one it is.
        self.lines = [
            line
            for line in shown
            if line.function or not any(map(line.is_at, whole.get(line.at, ())))
        ]
        self.owners = Owners(line.row for line in self.lines)
        self.frames = [
            frame
            for stack in state.facts.all(Stack)
            for frame in stack.frames[:1000]
            if frame.function is not None and frame.line is not None
        ]
        fault = next(iter(state.facts.all(Fault)), None)
        self.returned = fault.origin_call if fault is not None else None
        self.null = fault is not None and fault.operand is not None and fault.operand < NEAR_NULL

    def kept(self, link: Claim) -> list[Line]:
        """The lines that a statement of source is of."""
        at, names = link.get("at"), _PLACE.get(link.kind, "").split()
        return [
            line
            for line in self.lines
            if link.kind in ("never_sets", line.row.kind)
            and same_function(line.function, str(link.get("function")))
            and (at is None or at == line.at)
            and all(line.of(name) == normal(str(link.get(name))) for name in names)
        ]

    def unread(self) -> tuple[str, ...]:
        """``file:line`` of where each listing of a file stops that may go on."""
        last: dict[str, int] = {}
        for text in self.texts:
            name, at = last_part(text.file or ""), text.lines[-1][1] if text.lines else 0
            last[name] = max(at, last.get(name, 0))
        return tuple(f"{name}:{at}" for name, at in last.items() if at >= 2 * _HALF)

    def is_named(self, function: str) -> bool:
        """True for a function that a stack shows, that another line names than the one where it
        stands, or that runs without being named."""
        name = last_part(function.rpartition("::")[2])
        if name in ("main", "drop") or not name.isidentifier() or self.where(function):
            return True
        named = re.compile(rf"\b{name}\b")
        shown = ((at, line) for text in self.texts for _, at, line in text.lines)
        return len({one for one in shown if named.search(one[1])}) > 1

    def where(self, function: str) -> list[int]:
        """The lines at which stacks show a function."""
        return [
            frame.line
            for frame in self.frames
            if frame.line is not None and same_function(frame.function or "", function)
        ]

    def loop(self, one: Line, line: int) -> bool:
        """True where a loop has both."""
        return any(
            other.text == one.text and other.row.kind == "loops"
            and all(other.at <= at <= int(other.row.values["to"]) for at in (one.at, line))
            for other in self.lines
        )  # fmt: skip

    def is_undone(self, other: Line, mine: Line, used: Sequence[int]) -> bool:
        """True for a line of the same function that comes behind the use, or that the other one
        always overwrites before it."""
        return bool(used) and other.text == mine.text and all(
            not self.loop(other, use)
            and (other.at > use or (
                other.at < mine.at and precedes(mine.text, mine.at, use) is not None))
            for use in used
        )  # fmt: skip

    def may_be(self, line: Line, expression: str) -> bool:
        """Whether an expression may have the value that failed, as far as that is null or not."""
        text = normal(expression)
        if text in NULL or not self.null:
            return (text in NULL) is self.null
        if number(text) is not None or text[:1] in "&\"'" or self._gives_some(line):
            return False
        own = [other for other in self.lines if other.text == line.text]
        return not any(
            other.row.kind == "compares"
            and {other.of("left"), other.of("right")} in [{one, null} for null in NULL]
            and precedes(line.text, first, second) is not None
            for other in own
            for one, first, second in ((text, other.at, line.at),
                                       (line.of("target"), line.at, other.at))
        )  # fmt: skip

    def _gives_some(self, line: Line) -> bool:
        """True for an allocation of a size that is small whatever the data: it fails of no size."""
        return any(
            other.row.kind == "allocates" and other.at == line.at and other.text == line.text
            and not _NAMES.search(re.sub(r"sizeof(?:\([^()]*\)|[*\w]+)", "", size))
            for other in self.lines
            for size in [f"{other.of('size')} {other.of('count')}"]
        )  # fmt: skip


async def code_of(ports: Ports, origin: Origin | None) -> Code:
    """The source of a case: the files of the program's frame and of the origin are listed whole."""
    failed = program_frame(ports.state)
    for file in dict.fromkeys((failed.file if failed else None, origin.file if origin else None)):
        command = listing(ports.state, last_part(file or ""), _HALF, _HALF)
        if command is not None:
            await ports.ask(command)
    book = await read_all(ports)
    texts = [text for name in book.evidence for text in texts_of(book, name)]
    return Code(ports.state, texts)


def elsewhere(code: Code, chain: Sequence[Claim]) -> tuple[str, ...]:
    """``function:line`` of each other place that may have done what a link of a chain shows."""
    found: dict[tuple[str, int], str] = {}
    for place, link in enumerate(chain):
        mine = code.kept(link)
        if not mine or (place + 1 == len(chain) and has_run(code, mine)):
            continue
        used = _used(code, chain, place)
        for other in _doing(code, link, mine):
            if (
                (link.kind == "never_sets" or not any(map(other.is_at, mine)))
                and not _is_to_come(code, other)
                and not any(code.is_undone(other, line, used) for line in mine)
            ):
                found.setdefault((other.file, other.at), other.function)
    told = {(at, function): None for (_, at), function in sorted(found.items())}
    return tuple(f"{function}:{at}" for at, function in sorted(told))


def _used(code: Code, chain: Sequence[Claim], place: int) -> list[int]:
    """The lines at which the function of a link uses what it hands on: those of the link before it,
    else those at which a stack shows it."""
    function = str(chain[place].get("function"))
    for link in reversed(chain[:place]):
        if link.kind in ("calls", *_PLACE) and same_function(str(link.get("function")), function):
            at = link.get("at")
            return [at] if isinstance(at, int) else [line.at for line in code.kept(link)]
    return code.where(function)


def has_run(code: Code, mine: Sequence[Line]) -> bool:
    """True for a line that ran before one at which a stack shows its function."""
    return any(
        precedes(line.text, line.at, at) is not None
        for line in mine
        for at in code.where(line.function)
    )


def _is_to_come(code: Code, line: Line) -> bool:
    """True for a line of ``main``, which runs once, behind the one where it stands, unless a loop
    has both."""
    at = code.where("main") if line.function == "main" else []
    return bool(at) and all(one < line.at and not code.loop(line, one) for one in at)


def _doing(code: Code, link: Claim, own: Sequence[Line]) -> Iterator[Line]:
    """The other lines that may have set, filled, returned or released what a link did."""
    mine = own[0]
    match link.kind:
        case "assigns" if code.returned is not None and _calls(code.returned, mine):
            pass
        case "assigns" | "allocates" | "converts":
            found = _setting(code, mine, mine.of("target"))
            yield from (line for line in found if code.may_be(line, line.of("expression")))
        case "never_sets" if code.null:
            found = _setting(code, mine, normal(str(link.get("target"))))
            yield from (line for line in found if line.of("expression") in NULL)
        case "returns":
            for line in code.lines:
                if line.row.kind == "returns" and same_function(line.function, mine.function) and (
                    code.may_be(line, line.of("expression"))
                ):  # fmt: skip
                    yield line
        case "frees":
            yield from _releasing(code, mine)
        case "calls":
            filled = {(member(place), place) for line in own if (place := _filled(line))}
            for line in code.lines:
                field, other = member(_filled(line)), _filled(line)
                for one, place in filled if other else ():
                    if one == field and (
                        _alike(code.owners.owner(place, mine.function),
                               code.owners.owner(other, line.function))
                        if one
                        else place == other and same_function(line.function, mine.function)
                    ):  # fmt: skip
                        yield line


def _filled(line: Line) -> str:
    """What a call of a copying or clearing function writes to; "" of any other line."""
    if line.row.kind != "calls" or "index" not in line.row.values:
        return ""
    filled = FILLS.get(plain_callee(line.of("callee"))) == line.row.values["index"]
    return line.of("expression").lstrip("&") if filled else ""


def _calls(function: str, line: Line) -> bool:
    called = _CALL.match(line.of("expression"))
    return called is not None and same_function(called[1], function)


def _setting(code: Code, mine: Line, target: str) -> Iterator[Line]:
    """The lines that set a member by any path to its struct, or a variable."""
    field = member(target)
    local = not field and code.owners.is_local(target, mine.function)
    if target.endswith("]"):  # an element: which one is not told
        return
    for line in code.lines:
        if line.row.kind != "assigns":
            continue
        other = line.of("target")
        if field:
            if member(other) == field and _alike(
                code.owners.owner(target, mine.function), code.owners.owner(other, line.function)
            ):
                yield line
        elif other == target and (
            same_function(line.function, mine.function)
            if local
            else not code.owners.is_local(target, line.function)
        ):
            yield line


def _releasing(code: Code, mine: Line) -> Iterator[Line]:
    """The lines that release the same member, by a path or through a copy, or a variable of the
    same type, which may be that member's value."""
    own, kind = _copied(code, mine), _type(code, mine)
    for line in code.lines:
        if line.row.kind != "frees":
            continue
        other = _copied(code, line)
        bare = not member(line.of("expression"))
        if (own and own == other) or (
            (bare or not own) and not (other and own) and _alike(kind, _type(code, line))
        ):
            yield line


def _copied(code: Code, line: Line) -> str:
    """The member that a released expression is or was copied from; "" of a parameter."""
    expression = line.of("expression")
    return member(expression) or next(
        (
            found
            for other in code.lines
            if other.row.kind == "assigns" and other.text == line.text
            and other.function == line.function and other.of("target") == expression
            and (found := member(other.of("expression")))
        ),
        "",
    )  # fmt: skip


def _type(code: Code, line: Line) -> str | None:
    return code.owners.points_to(line.of("expression"), line.function)


def _alike(one: str | None, other: str | None) -> bool:
    """Unless both types are known and differ."""
    return one is None or other is None or one == other
