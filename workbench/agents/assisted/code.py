"""The listed source of a case, with what its stacks tell of what ran."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.patterns.case import NEAR_NULL
from workbench.agents.assisted.tools_look import read_all, whole
from workbench.agents.looking import program_frame
from workbench.agents.ports import Ports
from workbench.claims.chain import same_function
from workbench.claims.listed import texts_of
from workbench.claims.printed import arguments_of
from workbench.claims.render import last_part, sentence
from workbench.claims.source import (
    Row,
    SourceText,
    function_extent,
    is_certain,
    language_of,
    normal,
    precedes,
    rows,
    uses,
)
from workbench.claims.source.names import bits_of
from workbench.claims.source.owners import Owners
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import CPP, FILE_SCOPE, C, last_name, words
from workbench.claims.values import NULL, number
from workbench.model.claims import Arg, Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Stack
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin

_MOST = 2000
"""So many lines of a file are listed."""
_MOST_FILES = 24
_PLAIN = re.compile(r"[\w./+-]+")
_COMMENT = re.compile(r"""^([^"']*?)(?://.*|/\*.*?(?:\*/|$))""")
LONGEST = 1000
"""Characters of a line of source that are looked at by expressions that may take long."""
_LABEL = re.compile(r"\s*([A-Za-z_]\w*)\s*:(?!:)")
_EACH = re.compile(
    r"\s+(?!(?:if|switch|while|for|return|catch|sizeof)\b)(?P<name>[A-Za-z_]\w*)\s*\(.*\)"
    r"\s*(?P<body>\{\s*)?(?:/[/*].*)?"
)
"""A macro's call with a statement behind it, which may be a loop: ``TAILQ_FOREACH(c, &s, l) {``."""
_CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)")
_GOTO = re.compile(r"\bgoto\s+(\w+)")
_NAMES = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"^\s*#\s*define\s+(\w+)(?:\([^)]*\))?((?:[^\n]*\\\s*\n){0,40}[^\n]*)", re.M)
_STEP = re.compile(r"\)*(?:(?:->|\.)[A-Za-z_]\w*|\[[^\[\]]*\])")
_SETJMP = words("setjmp _setjmp __sigsetjmp sigsetjmp getcontext")
"""Functions of C's library to which control may come back (POSIX)."""
PLACE = {"assigns": "target expression", "frees": "expression", "returns": "expression",
         "allocates": "target", "converts": "target", "calls": "callee",
         "under_lock": "lock"}  # fmt: skip
WRITES = frozenset({"assigns", "frees", "allocates", "converts", "never_sets"})
"""Links of which code has to read who else may have done it."""


Cell = tuple[str | None, str]
"""A struct and its member, or a function and its variable."""


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

    def has(self, at: object) -> bool:
        """True for a number of one of its lines."""
        return isinstance(at, int) and self.at <= at <= int(self.row.values.get("to", self.at))

    def is_at(self, other: "Line") -> bool:
        """True for the same line, as far as both listings tell their file."""
        return self.at == other.at and (self.file == other.file or "" in (self.file, other.file))

    def into(self, target: str) -> "Line":
        """The same line, as one that stores there."""
        return self._replace(row=self.row._replace(values={**self.row.values, "target": target}))

    def of(self, name: str) -> str:
        """One of its expressions, as they are compared."""
        return normal(str(self.row.values.get(name, "")))


class Use(NamedTuple):
    """Where a value is named, the struct that it is of or points to, and the cells that its path
    goes through, each with the rest of the path behind it."""

    line: Line
    struct: str | None
    parts: tuple[tuple[Cell, str], ...]

    def of(self, name: str) -> str:
        """One of its columns."""
        return self.line.of(name)

    def rest(self, cell: Cell) -> str | None:
        """What of the path is behind a cell; None where it does not go through it."""
        return next((rest for one, rest in self.parts if one == cell), None)


def _jumps(text: SourceText) -> tuple[tuple[int, int], ...]:
    """The lines from a label to each jump back to it, and of what a macro may repeat."""
    labels = [(found[1], at) for _, at, line in text.lines if (found := _LABEL.match(line))]
    jumps = ((name, at) for _, at, line in text.lines for name in _GOTO.findall(line))
    back = [(first, at) for name, at in jumps for label, first in labels
            if label == name and first <= at]  # fmt: skip
    classes = {one for _, _, line in text.lines for one in _CLASS.findall(line)}
    for nth, (_, first, head) in enumerate(text.lines if text.language in (C, CPP) else ()):
        each, depth = _EACH.fullmatch(head[:LONGEST]), 0
        if each is None or each["name"] in classes:
            continue  # a constructor
        for _, at, line in text.lines[nth:]:
            depth += line.count("{") - line.count("}")
            if depth <= 0 and (at > first or each["body"]):
                back.append((first, at))
                break
    return tuple(back)


def _is_from(link: Claim, line: int) -> bool:
    """True for one of the lines that a statement is of."""
    at, to = link.get("at"), link.get("to")
    return isinstance(at, int) and isinstance(to, int) and at <= line <= to


def _told(shown: list[Line]) -> list[Line]:
    """The rows less those of a listing that begins within a function and does not tell which one it
    is, where another listing does."""
    whole: dict[int, list[Line]] = {}
    for line in shown:
        if line.function:
            whole.setdefault(line.at, []).append(line)
    return [
        line for line in shown if line.function or not any(map(line.is_at, whole.get(line.at, ())))
    ]


class Code:
    """The listed source of a case, with what its stacks and its fault tell of it."""

    def __init__(
        self, state: Investigation, texts: Sequence[SourceText], unlisted: Sequence[str] = ()
    ) -> None:
        self.texts, self.unlisted = texts, tuple(unlisted)
        self.lines = _told([Line(text, row) for text in texts for row in rows(text, texts)])
        self._kinds: dict[tuple[str, int], list[Line]] = {}
        for line in self.lines:
            self._kinds.setdefault((line.row.kind, id(line.text)), []).append(line)
        self._jumps = {id(text): _jumps(text) for text in texts}
        self.functions = frozenset(last_name(line.function) for line in self.lines)
        self.owners = Owners(line.row for line in self.lines)
        self.away: set[str] = set()  # structs that are known to escape; not to; that are asked for
        self.kept_in: set[str] = set()
        self.asked: set[str] = set()
        self.jumps_far = any(plain_callee(one.of("callee")) in _SETJMP for one in self.lines)
        self.frames = [
            frame
            for stack in state.facts.all(Stack)
            for frame in stack.frames[:1000]
            if frame.function is not None and frame.line is not None
        ]
        fault = next(iter(state.facts.all(Fault)), None)
        itself = fault is not None and fault.origin_value == fault.base_value
        self.returned = fault.origin_call if fault is not None and itself else None
        self.null = fault is not None and fault.operand is not None and fault.operand < NEAR_NULL

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """What is named in C and C++, with what it is."""
        shown: list[Line] = []
        whole: set[tuple[str, int]] = set()  # what a longer listing of the file has
        for text in sorted(self.texts, key=lambda one: -len(one.lines)):
            lines = [Line(text, row) for row in uses(text)[0]]
            shown += [one for one in lines if (one.file, one.at) not in whole]
            whole |= {(last_part(text.file or ""), at) for _, at, _ in text.lines if text.file}
        return tuple(
            Use(line, self._made(line) or self.owners.points_to(line.of("path"), line.function),
                tuple(self._parts(line)))
            for line in shown
        )  # fmt: skip

    @cached_property
    def macros(self) -> dict[str, str]:
        """The bodies of the macros that are defined and used in C and C++, by their names."""
        shown = "\n".join(line for text in self.texts for _, _, line in text.lines)
        return {
            found[1]: found[2]
            for found in _MACRO.finditer(shown)
            if len(re.findall(rf"\b{found[1]}\b", shown)) > 1
        }

    @cached_property
    def pointed(self) -> frozenset[str]:
        """The last names of the functions that are named as values, which may be called by a
        pointer; "" of one that is not listed."""
        found = set()
        for use in self.uses:
            path = use.of("path").lstrip("*&(").rstrip(")")
            if not re.fullmatch(r"[\w:]+", path) or path[:1].isdigit() or path in NULL or (
                self.types(use.line, path) or path in self.macros
            ):  # fmt: skip
                continue
            if last_name(path) in self.functions:
                found.add(last_name(path))
            elif not path.isupper() and (
                use.of("form") == "" or any(map(self.owners.is_callable, self._into(use)))
            ):  # fmt: skip
                found.add("")
        return frozenset(found)

    def _into(self, use: Use) -> list[str]:
        """The types of what a value becomes."""
        if use.of("form") == "given":
            index = int(use.line.row.values["index"])
            return [type_ for _, _, type_ in self.declared(last_name(use.of("into")), index)]
        return self.types(use.line, use.of("into"))

    @cached_property
    def results(self) -> dict[str, str]:
        """The type that each listed function of C and C++ returns, by its last name."""
        return {name: self.owners.bare(type_) for name, type_ in self._results.items()}

    @cached_property
    def _results(self) -> dict[str, str]:
        return {last_name(name): type_ for text in self.texts for name, type_ in uses(text)[1]}

    def results_of(self, line: Line) -> str:
        """The type that a line's function returns, as it is written; "" where it is not listed."""
        return self._results.get(last_name(line.function), "")

    def _made(self, line: Line) -> str | None:
        path, depth, at = line.of("path"), 0, 0
        for at in range(len(path) - 1, -1, -1) if path[-1:] == ")" else ():
            depth += (path[at] == ")") - (path[at] == "(")
            if not depth:
                break
        made = self.results.get(last_name(path[:at]))
        return made if made in self.owners.structs else None

    def _parts(self, line: Line) -> Iterator[tuple[Cell, str]]:
        """What each part of a path from its beginning is, with what is behind it."""
        path = line.of("path").lstrip("*&(")
        struct, _, field = path.rpartition("::")
        if struct:  # a pointer to a member of C++
            yield (last_name(struct), field), ""
        ends = [base.end()] if (base := _NAMES.match(path)) else []
        for end in ends:
            step = _STEP.match(path, end)
            yield self.cell_of(line, path[:end]), path[end:]
            ends += [step.end()] if step else []

    def cell_of(self, line: Line, place: str) -> Cell:
        """What is the same for all paths to a member, or the variable of a function."""
        struct, field = self.owners.cell(place, line.function)
        return (struct, field) if field else (line.function, place)

    def declared(self, function: str, index: int) -> list[tuple[str, str, str]]:
        """The parameter at a place from 1 of each listed function of that last name: the function,
        the parameter's name and type."""
        found = self._declared.get(function, {})
        at = ((of, lines[index - 1]) for of, lines in found.items() if index <= len(lines))
        return [(of, line.of("name"), line.of("type")) for of, line in at]

    @cached_property
    def _declared(self) -> dict[str, dict[str, list[Line]]]:
        found: dict[str, dict[str, list[Line]]] = {}
        for line in self.of_kind("declares"):
            if "parameter" not in line.row.values:
                continue
            own = found.setdefault(last_name(line.function), {}).setdefault(line.function, [])
            if not any(one.is_at(line) and one.of("name") == line.of("name") for one in own):
                own.append(line)  # of the first listing that has it
        return found

    def kept(self, link: Claim) -> list[Line]:
        """The lines that a statement of source is of."""
        at, names = link.get("at"), PLACE.get(link.kind, "").split()
        found = [
            line
            for line in self.lines
            if link.kind in ("never_sets", line.row.kind)
            and same_function(line.function, str(link.get("function")))
            and (
                at is None
                or at == line.at
                or (link.kind == "under_lock" and line.has(at))
                or (link.kind == "never_sets" and _is_from(link, line.at))
            )
            and all(line.of(name) == normal(str(link.get(name))) for name in names)
        ]
        if link.kind != "calls" or link.get("expression") is None:
            return found
        passed = str(link.get("index")), normal(str(link.get("expression")))
        given = [line for line in found if (line.of("index"), line.of("expression")) == passed]
        return [line for line in found if any(map(line.is_at, given))]

    def placed(self, claim: Claim) -> Claim:
        """A statement of source that holds with the number of its line, where it is of one line."""
        found = {(line.file, line.at) for line in self.kept(claim)}
        if not claim.holds or claim.kind not in PLACE or claim.get("at") or len(found) != 1:
            return claim
        made = replace(claim, args=(*claim.args, Arg("at", found.pop()[1], claim.citations[:1])))
        return replace(made, text=sentence(made))

    def file_of(self, claim: Claim) -> str | None:
        """The file of a statement's line; None where several have such a line or none is told."""
        found = {line.file for line in self.kept(claim)}
        return found.pop() or None if len(found) == 1 else None

    def unread(self) -> tuple[str, ...]:
        """``file:line`` of where each listing of a file stops that may go on; files of the program
        that are not listed."""
        last: dict[str, int] = {}
        for text in self.texts:
            name, at = last_part(text.file or ""), text.lines[-1][1] if text.lines else 0
            last[name] = max(at, last.get(name, 0))
        return tuple(f"{name}:{at}" for name, at in last.items() if at >= _MOST) + (self.unlisted)

    def is_named(self, function: str) -> bool:
        """True for a function that a stack shows, that another line names than the one where it
        stands, or that runs without being named."""
        name = last_part(function.rpartition("::")[2])
        return (
            name in ("main", "drop")
            or not self._is_static(function)
            or not name.isidentifier()
            or bool(self.where(function))
            or len(self.named(name)) > 1
        )

    def _is_static(self, function: str) -> bool:
        """True unless what is not listed may name a function of C or C++: no method, or static."""
        of, _, name = function.rpartition("::")
        head = re.compile(rf"\bstatic\b.*\b{re.escape(name)}\s*\(")
        mine = [text for text in self.texts if text.language in (None, C, CPP)]
        pasted = any("##" in body for body in self.macros.values())
        return not mine or (
            not pasted
            and (bool(of) or any(head.search(line) for text in mine for _, _, line in text.lines))
        )

    def named(self, function: str) -> set[tuple[str, int]]:
        """File and line of where a function is named, but for its prototypes."""
        name = last_part(function.rpartition("::")[2])
        named = re.compile(rf"\b{re.escape(name)}\b")
        shown = ((text, at, _COMMENT.sub(r"\1", line)) for text in self.texts
                 for _, at, line in text.lines)  # fmt: skip
        found = {(last_part(text.file or ""), at) for text, at, line in shown if named.search(line)}
        return found - {(line.file, line.at) for line in self.lines
                        if line.row.kind == "prototypes" and line.of("name") == name}  # fmt: skip

    def where(self, function: str) -> list[int]:
        """The lines at which stacks show a function."""
        return [
            frame.line
            for frame in self.frames
            if frame.line is not None and same_function(frame.function or "", function)
        ]

    def calls(self, function: str) -> list["Line"]:
        """The calls of a function by its name, each once."""
        return [
            line
            for line in self.lines
            if line.row.kind == "calls" and "index" not in line.row.values
            and same_function(line.of("callee"), function)
        ]  # fmt: skip

    def of_kind(self, kind: str, function: str = "") -> list["Line"]:
        """The rows of a kind; with ``function`` those of it."""
        return [line for line in self.lines if line.row.kind == kind
                and (not function or same_function(line.function, function))]  # fmt: skip

    def parameters(self, function: str) -> list[str]:
        """The names of a function's parameters, by a stack or by what is listed of it."""
        for frame in self.frames:
            if same_function(frame.function or "", function) and frame.args:
                return [
                    name for name, _ in arguments_of(frame.args) if name not in ("this", "self")
                ]
        declared = self.of_kind("declares", function)
        return [line.of("name") for line in declared if "parameter" in line.row.values]

    def places(self, function: str, names: set[str]) -> list[int]:
        """The places from 1 of parameters of these names, of each function of that name."""
        found: dict[object, list[str]] = {}
        for line in self.of_kind("declares", function):
            if "parameter" not in line.row.values:
                continue
            where = line.file, function_extent(line.text, line.at)
            found.setdefault(where, []).append(line.of("name"))
        of = [self.parameters(function)] if len(found) < 2 else list(found.values())
        return sorted({at for own in of for at, name in enumerate(own, 1) if name in names})

    def passed(self, call: "Line") -> dict[int, "Line"]:
        """The rows of a call's arguments, by their places from 1."""
        return {
            int(line.row.values["index"]): line
            for line in self.of_kind("calls")
            if line.is_at(call) and line.of("callee") == call.of("callee")
            and "index" in line.row.values
        }  # fmt: skip

    def given(self, function: str, name: str) -> list[str]:
        """What each call gives a function for a parameter; nothing where its own lines set it, or
        where it may be called by another name."""
        places = [at for at, one in enumerate(self.parameters(function), 1) if one == name]
        calls = self.calls(function)
        if not places or len(self.named(function)) != len({(c.file, c.at) for c in calls}) + 1 or (
            any(one.of("target") == name for one in self.of_kind("assigns", function))
            or any(use.of("path") == f"&{name}" and same_function(use.line.function, function)
                   for use in self.uses)
        ):  # fmt: skip
            return []
        given = [self.passed(call).get(places[0]) for call in calls]
        return [one.of("expression") for one in given if one] if all(given) else []

    def made_by(self, call: "Line") -> str:
        """What is set to a call's result on its line; "" where nothing is."""
        return next(
            (line.of("target") for line in self.of_kind("assigns") if line.is_at(call)
             and line.of("expression").startswith(f"{call.of('callee')}(")), "",
        )  # fmt: skip

    def types(self, line: Line, path: str) -> list[str]:
        """How a member or variable is declared, an array's length behind its type."""
        struct, field = self.owners.cell(path, line.function)
        return [
            one.of("type") + (f"[{one.of('size')}]" if one.of("size") else "")
            for one in self.of_kind("declares")
            if (one.of("of"), one.of("name")) == (struct, field)
            or (not field and one.of("name") == path and not one.of("of")
                and (one.function == FILE_SCOPE or same_function(one.function, line.function)))
        ]  # fmt: skip

    def is_plain(self, line: "Line") -> bool:
        """True where a line's expression is declared as a pointer to numbers that are no bytes."""
        types = self.types(line, line.of("expression"))
        return bool(types) and all(
            (bits_of(one.removesuffix("*"), line.text.language or "") or 0) > 8 for one in types
        )

    def stores(self, struct: str | None, field: str) -> list["Line"]:
        """The lines that set a member by any path to its struct."""
        cells = ((line, self.owners.cell(line.of("target"), line.function))
                 for line in self.of_kind("assigns"))  # fmt: skip
        return [line for line, (of, name) in cells
                if name == field and (of is None or struct is None or of == struct)]  # fmt: skip

    def loop(self, one: Line, line: int) -> bool:
        """True where a loop, or a jump back, has both."""
        loops = [(other.at, int(other.row.values["to"])) for other in self._of("loops", one)]
        return any(
            all(first <= at <= last for at in (one.at, line))
            for first, last in (*loops, *self._jumps[id(one.text)])
        )

    def is_in_one(self, one: Line, line: int) -> bool:
        """True where a call or an assignment has both: its parts run in any order."""
        return any(
            other.text == one.text and other.has(line) and other.has(one.at)
            for other in self.lines if other.row.kind in ("calls", "assigns", "returns")
        )  # fmt: skip

    def runs_once(self, line: Line, depth: int = 4) -> bool:
        """True for a line of ``main`` that nothing repeats, and of a function that is named at one
        such line alone."""
        if self.loop(line, line.at):
            return False
        calls = self.calls(line.function)
        alone = depth > 0 and len({(one.file, one.at) for one in calls}) == 1
        return line.function == "main" or (
            alone and len(self.named(line.function)) == 2 and self.runs_once(calls[0], depth - 1)
        )

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
        given = self.given(line.function, text)
        if given and all(one[:1] in '&"' for one in given):
            return False
        own = [other for other in self._of("compares", line) if other.function == line.function]
        return not any(
            {other.of("left"), other.of("right")} in [{one, null} for null in NULL]
            and precedes(line.text, first, second) is not None
            for other in own
            for one, first, second in ((text, other.at, line.at),
                                       (line.of("target"), line.at, other.at))
        )  # fmt: skip

    def _of(self, kind: str, line: Line) -> list[Line]:
        """The lines of a kind in the listing of a line."""
        return self._kinds.get((kind, id(line.text)), [])

    def _gives_some(self, line: Line) -> bool:
        """True for an allocation of a size that is small whatever the data: it fails of no size."""
        return any(
            other.at == line.at
            and not _NAMES.search(re.sub(r"sizeof(?:\([^()]*\)|(?:->|[*\w.])+)", "", size))
            for other in self._of("allocates", line)
            for size in [f"{other.of('size')} {other.of('count')}"]
        )  # fmt: skip


async def code_of(ports: Ports, origin: Origin | None) -> Code:
    """The source of a case: the files of the program's frame, of the origin, and what lies in the
    folder of either are listed whole."""
    failed = program_frame(ports.state)
    named = [last_part(one.file) for one in (failed, origin) if one is not None and one.file]
    files = list(dict.fromkeys((*named, *await _beside(ports, named))))
    for file in files[:_MOST_FILES]:
        command = whole(ports.state, file, _MOST)
        if command is not None:
            await ports.ask(command)
    book = await read_all(ports)
    texts = [text for name in book.evidence for text in texts_of(book, name)]
    return Code(ports.state, texts, files[_MOST_FILES:])


async def _beside(ports: Ports, named: Sequence[str]) -> list[str]:
    """The names of the source files of the program that lie where one does, or beside or below."""
    asked = [f"-basename -- ^{re.escape(one)}$" for one in named if _PLAIN.fullmatch(one)]
    folders = {path.rpartition("/")[0] for path in await _sources(ports, asked)}
    tops = {one if one.startswith("/usr") else "/".join(one.split("/")[:3]) for one in folders}
    below = [f"-dirname -- ^{re.escape(one)}" for one in sorted(tops) if _PLAIN.fullmatch(one)]
    return [last_part(path) for path in await _sources(ports, below)]


async def _sources(ports: Ports, asked: Sequence[str]) -> list[str]:
    """The paths of source files that gdb knows."""
    found: list[str] = []
    for one in asked if ports.state.host == "gdb" else ():
        item = await ports.ask(Command(f"info sources {one}", "the files of the program"))
        text = await ports.text(item.id) if item is not None else ""
        found += [path for path in re.split(r",\s+|\n", text) if language_of(path)]
    return found


def has_run(code: Code, mine: Sequence[Line]) -> bool:
    """True for a line that ran before one at which a stack shows its function."""
    return any(
        is_certain(line.text, line.at) and precedes(line.text, line.at, at) is not None
        for line in mine
        for at in code.where(line.function)
    )


def is_to_come(code: Code, line: Line) -> bool:
    """True for a line of ``main`` behind the one where it stands, unless a loop has both; and for
    one of a function that is named at such lines alone."""
    at = [] if code.jumps_far else code.where("main")
    return only_at(
        code, line,
        lambda one: bool(at) and all(
            now < one.at and not code.loop(one, now) and not code.is_in_one(one, now) for now in at
        ),
    )  # fmt: skip


def only_at(code: Code, line: Line, held: Callable[[Line], bool], depth: int = 4) -> bool:
    """Whether it holds for a line of ``main``, which runs once; else for all that name its
    function."""
    if line.function == "main":
        return held(line)
    calls = code.calls(line.function)
    return (
        depth > 0
        and bool(calls)
        and len(code.named(line.function)) == len({(one.file, one.at) for one in calls}) + 1
        and all(only_at(code, one, held, depth - 1) for one in calls)
    )
