"""What the listed source of a case says: its rows, what its names are declared as, what is called
with what."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

from workbench.agents.assisted.lines import Cell, Line, Use, jumps, told
from workbench.agents.assisted.once import once
from workbench.claims.chain import same_function
from workbench.claims.render import last_part
from workbench.claims.source import SourceText, is_certain, rows, uses
from workbench.claims.source.changed import Known
from workbench.claims.source.macros import directives, expanded
from workbench.claims.source.names import bits_of
from workbench.claims.source.order import around
from workbench.claims.source.owners import Owners
from workbench.claims.source.parse import otherwise
from workbench.claims.source.rows import releasing
from workbench.claims.source.spots import has, names, spots
from workbench.claims.source.text import CPP, FILE_SCOPE, RUST, Row, last_name, normal
from workbench.claims.values import NULL

_NAMES = re.compile(r"[A-Za-z_]\w*")
_NO_NUMBER = frozenset("\"'/;{}\\")
_STEP = re.compile(r"\)*(?:(?:->|\.)[A-Za-z_]\w*|\[[^\[\]]*\])")


def _body(words: Sequence[str]) -> tuple[bool, Sequence[str]]:
    """Whether a macro is given something, and what it stands for, by its directive's words."""
    given = [*words[2:3]] == ["("] and ")" in words
    return given, [one for one in words[words.index(")") + 1 if given else 2 :] if one != " "]


def is_outermost(line: Line) -> bool:
    """True for a statement of its function's own block."""
    found = around(line.text, line.at)
    return found is not None and len(found[1]) == 1


_MOVED = re.compile(r"std::move\(([A-Za-z_][\w.>\[\]-]*)\)")
_GIVES_UP = {RUST: ("take",), CPP: ("reset", "release")}
"""Methods without arguments by which an Option, or a smart pointer, has none any more."""
_UNWRAPS = ("unwrap", "expect")
_ACCESSORS = re.compile(r"(?:\.(?:as_(?:mut|ref|deref|deref_mut)|clone|cloned|copied)\(\))+$")
_OWNING = re.compile(r"(?:const )?(?:std::)?(?:unique|shared)_ptr<")


def emptied(line: Line) -> Line | None:
    """What ``take()`` of Rust stores in what it is called on, if that is an Option; what a smart
    pointer of C++ has when it was moved from, or gave away what it had (C++23, unique.ptr, util.
    smartptr.shared.const); None of any other line."""
    on, _, method = line.of("callee").rpartition(".")
    moved = _MOVED.fullmatch(line.of("expression")) if line.text.language == CPP else None
    if moved:
        on = moved[1]
    elif line.row.kind != "calls" or not on or line.of("arguments") or (
        method not in _GIVES_UP.get(line.text.language or "", ())
    ):  # fmt: skip
        return None
    place = {name: line.row.values[name] for name in ("function", "at", "to")}
    none = "None" if line.text.language == RUST else "nullptr"
    store = {**place, "target": on, "operator": "=", "expression": none}
    return Line(line.text, Row("assigns", store, line.row.line))


def unwrapped_by(call: Line) -> str:
    """The place that a call of Rust unwraps, without what gives a None for a None; else ""."""
    on, _, method = call.of("callee").rpartition(".")
    return _ACCESSORS.sub("", on) if method in _UNWRAPS else ""


@lru_cache(maxsize=2)
def sources_of(texts: tuple[SourceText, ...]) -> "Sources":
    """What listings say, which answer after answer is held against."""
    return Sources(texts)


class Sources:
    """The listed source of a case."""

    def __init__(self, texts: Sequence[SourceText]) -> None:
        self.texts = [expanded(text, tuple(texts)) for text in texts]
        branches = [(text, *otherwise(text)) for text in self.texts]
        self._others = [(text, at) for _, text, at in branches if at]
        read = [(text, row) for listed, text in zip(texts, self.texts, strict=True)
                for row in rows(listed, texts)]  # fmt: skip
        read += [(text, row) for text, at in self._others
                 for row in rows(text, texts) if row.values["at"] in at]  # fmt: skip
        self.lines = told([Line(text, row) for text, row in read])
        self.owners = Owners(line.row for line in self.lines)
        owning = {line.of("name") for line in self.lines if line.row.kind == "declares"
                  and _OWNING.match(self.owners.meant(line.of("type")))}  # fmt: skip
        self.lines += [
            one for line in self.lines if (one := emptied(line))
            and (line.text.language == RUST or last_name(one.of("target")) in owning)
        ]  # fmt: skip
        # of a kind; in one listing; of one number in any
        self._kinds: dict[tuple[str, int | None, int | None], list[Line]] = {}
        for line in self.lines:
            for of, at in ((None, None), (id(line.text), None), (None, line.at)):
                self._kinds.setdefault((line.row.kind, of, at), []).append(line)
        self._jumps = {
            id(text): jumps(text) for text in (*self.texts, *(text for text, _ in self._others))
        }
        self.releasing = releasing(tuple(self.texts))
        self._functions: dict[str, list[Line]] = {}
        for line in self.lines:
            self._functions.setdefault(last_name(line.function), []).append(line)
        self.functions = frozenset(self._functions)
        self.found: dict[tuple[object, ...], Any] = {}
        self.asked: set[str] = set()

    @cached_property
    def known(self) -> Known:
        """The functions that are listed, and those of them that never return."""
        ends = [one for one in self.of_kind("calls") if "index" not in one.row.values
                and Known(self.functions).is_end(one.of("callee"))
                and is_certain(one.text, one.at) and is_outermost(one)]  # fmt: skip
        return Known(self.functions, frozenset(
            last_name(one.function) for one in ends if not self.of_kind("returns", one.function)
        ))  # fmt: skip

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """What is named in C and C++, with what it is."""
        shown: list[Line] = []
        whole: set[tuple[str, int]] = set()  # what a longer listing of the file has
        for text in sorted(self.texts, key=lambda one: -len(one.lines)):
            lines = [Line(text, row) for row in uses(text)[0]]
            shown += [one for one in lines if (one.file, one.at) not in whole]
            whole |= {(last_part(text.file or ""), at) for _, at, _ in text.lines if text.file}
        for text, branch in self._others:  # what may be compiled in their place
            shown += [Line(text, row) for row in uses(text)[0] if row.values["at"] in branch]
        return tuple(
            Use(line, self._made(line) or self.owners.points_to(line.of("path"), line.function),
                tuple(self._parts(line)))
            for line in shown
        )  # fmt: skip

    @cached_property
    def macros(self) -> dict[str, str]:
        """The bodies of the macros that are defined and used in C and C++, by their names."""
        told = [parts for text in self.texts for _, parts in directives(text)]
        bodies = {parts[1]: _body(parts)[1] for parts in told if parts[0] == "define"}
        waiting = [{*found.words} if (found := names(text)) else {*bodies} for text in self.texts]
        waiting += [{*parts} for parts in told if parts[0] != "define"]
        used = dict[str, str]()
        for named in waiting:  # those that stand in a listing still, and what they name
            more = (bodies.keys() & named) - used.keys()
            used |= {name: normal(" ".join(bodies[name])) for name in sorted(more)}
            waiting += [{*bodies[name]} for name in more]
        return used

    @cached_property
    def constants(self) -> dict[str, str]:
        """What the macros stand for that have no parameters and one value wherever they are used:
        none that another definition, or the compiler's command line, may give another one."""
        told = {(parts[0], *parts[1:]) for text in self.texts for _, parts in directives(text)}
        made = [parts[1] for parts in told if parts[0] == "define"]
        asked = {name for parts in told if parts[0] not in ("define", "include") for name in parts}
        return {
            parts[1]: f"({value})" if body[0] == "(" else value
            for parts in told if parts[0] == "define"
            for given, body in [_body(parts)] for value in [normal(" ".join(body))]
            if body and not (given or _NO_NUMBER & {*value})
            and made.count(parts[1]) == 1 and parts[1] not in asked
        }  # fmt: skip

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
            ):
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

    def result_of(self, function: str) -> str:
        """The type that a function of a last name returns, as it is written; "" where it is not
        listed."""
        return self._results.get(function, "")

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
        """What is the same for all paths to a member, or the variable of a function or a file."""
        return self.cell_in(line.function, place)

    @once
    def cell_in(self, function: str, place: str) -> Cell:
        """The same, of what a function names so."""
        struct, field = self.owners.cell(place, function)
        if not field and self.owners.is_global(place, function):
            return FILE_SCOPE, last_name(place)  # whatever it is qualified by
        return (struct, field) if field else (function, place)

    def target_of(self, line: Line) -> Cell:
        """What a line stores to, the same for all paths to it."""
        return self.cell_of(line, line.of("target"))

    def member_of(self, line: Line) -> Cell:
        """The struct and member that a line stores to, as `Owners.cell` has them."""
        return self.owners.cell(line.of("target"), line.function)

    @once
    def declared(self, function: str, index: int) -> list[tuple[str, str, str]]:
        """The parameter at a place from 1 of each listed function of that last name: the function,
        the parameter's name and type."""
        found = self._declared.get(function, {})
        at = ((of, lines[index - 1]) for of, lines in found.items() if index <= len(lines))
        return [(of, line.of("name"), line.of("type")) for of, line in at]

    @cached_property
    def _named(self) -> dict[str, list[Line]]:
        """What declares a name."""
        found: dict[str, list[Line]] = {}
        for line in self.of_kind("declares"):
            found.setdefault(line.of("name"), []).append(line)
        return found

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

    @cached_property
    def strays(self) -> set[str]:
        """Variables that a function sets and nothing in sight declares for it: those of the
        function around a nested one (GNU C), of a library."""
        return {
            name
            for line in self.of_kind("assigns") if (name := line.of("target")).isidentifier()
            and self.cell_of(line, name) == (line.function, name)
            and not self.owners.is_local(name, line.function)
        }  # fmt: skip

    @once
    def named(self, function: str) -> set[tuple[str, int]]:
        """File and line of where a function is named, but for its prototypes."""
        name = last_part(function.rpartition("::")[2])
        found = {(last_part(text.file or ""), one.at) for text in self.texts
                 for one in spots(text, name)}  # fmt: skip
        found |= {("", -at) for at, text in enumerate(self.texts) if names(text) is None}
        return found - {(line.file, line.at) for line in self.of_kind("prototypes")
                        if line.of("name") == name}  # fmt: skip

    def has(self, *named: str) -> bool:
        """True where the source has one of some words, or a node of such a sort, or is not read."""
        return has(self.texts, *named)

    @once
    def calls(self, function: str) -> tuple[Line, ...]:
        """The calls of a function by its name, each once."""
        return tuple(
            line
            for line in self.of_kind("calls")
            if "index" not in line.row.values and same_function(line.of("callee"), function)
        )

    def of_function(self, name: str) -> list[Line]:
        """The rows of the functions of a last name."""
        return self._functions.get(name, [])

    @once
    def of_kind(self, kind: str, function: str = "") -> tuple[Line, ...]:
        """The rows of a kind; with ``function`` those of it."""
        return tuple(
            one
            for one in self._kinds.get((kind, None, None), [])
            if not function or same_function(one.function, function)
        )

    def sets(self, function: str, target: str) -> list[Line]:
        """Where a function stores to what it names so."""
        return [one for one in self.of_kind("assigns", function) if one.of("target") == target]

    @once
    def passed(self, call: Line) -> dict[int, Line]:
        """The rows of a call's arguments, by their places from 1; where its line has several of
        that function those that all are given."""
        found: dict[int, dict[str, Line]] = {}
        for line in self._beside("calls", call):
            index = line.row.values.get("index")
            if line.of("callee") == call.of("callee") and index is not None:
                found.setdefault(int(index), {})[line.of("expression")] = line
        return {at: next(iter(lines.values())) for at, lines in found.items() if len(lines) == 1}

    @once
    def is_doubled(self, call: Line) -> bool:
        """True where a line calls a function more than once."""
        same = [one for one in self.calls(call.of("callee")) if one.text == call.text
                and one.at == call.at]  # fmt: skip
        return len(same) > 1

    @once
    def made_by(self, call: Line) -> str:
        """What is set to a call's result on its line; "" where nothing is."""
        return next(
            (line.of("target") for line in self._beside("assigns", call)
             if line.of("expression").startswith(f"{call.of('callee')}(")), "",
        )  # fmt: skip

    @once
    def types(self, line: Line, path: str) -> list[str]:
        """How a member or variable is declared, an array's length behind its type."""
        struct, field = self.owners.cell(path, line.function)
        return [
            one.of("type") + (f"[{one.of('size')}]" if one.of("size") else "")
            for one in self._named.get(field or path, ())
            if (field and one.of("of") == struct)
            or (not field and not one.of("of")
                and (one.function == FILE_SCOPE or same_function(one.function, line.function)))
        ]  # fmt: skip

    def is_array(self, line: Line, name: str) -> bool:
        """True for a variable that is declared as an array, of any length:
        a parameter that is written so leads to one."""
        declared = [
            one for one in self._named.get(name, ())
            if not one.of("of")
            and (one.function == FILE_SCOPE or same_function(one.function, line.function))
        ]  # fmt: skip
        return bool(declared) and all(
            "parameter" not in one.row.values and any(
                spot.at == one.at and spot.node.parent is not None
                and spot.node.parent.type == "array_declarator"
                for spot in spots(one.text, name)
            )
            for one in declared
        )  # fmt: skip

    def is_owner(self, line: Line, path: str) -> bool:
        """True for a member or variable of C++ that is declared as a smart pointer."""
        types = [self.owners.meant(one) for one in self.types(line, path)]
        return bool(types) and all(map(_OWNING.match, types))

    def is_plain(self, line: Line) -> bool:
        """True where a line's expression is declared as a pointer to numbers that are no bytes."""
        types = self.types(line, line.of("expression"))
        return bool(types) and all(
            (bits_of(one.removesuffix("*"), line.text.language or "") or 0) > 8 for one in types
        )

    @once
    def is_bits(self, line: Line, place: str) -> bool:
        """True for a member that is declared with so many bits, which keep a part of a number."""
        cell = self.owners.cell(place, line.function)
        return any(
            spot.at == one.at and spot.node.next_sibling is not None
            and spot.node.next_sibling.type == "bitfield_clause"
            for one in self.of_kind("declares")
            if (one.of("of"), one.of("name")) == cell and one.text.language != RUST
            for spot in spots(one.text, cell[1])
        )  # fmt: skip

    @once
    def linked(self, function: str, name: str) -> frozenset[Cell]:
        """The members to which a variable leads that has nothing but their addresses, and of which
        only what it leads to is named: ``struct node **link``; none of another one."""
        own = [use for use in self.uses if any(cell == (function, name) for cell, _ in use.parts)]
        sets = [use for use in self.uses if use.of("form") == "sets" and use.of("into") == name
                and use.line.function == function]  # fmt: skip
        made = {one.at for one in self.sets(function, name)}
        declared = [one for one in self.of_kind("declares", function) if one.of("name") == name]
        named = re.escape(name)
        through = re.compile(rf"\*{named}|\(\*{named}\)|&?\(\*{named}\)(?:->|\.).*")
        typed = bool(declared) and all(
            one.of("type")[-2:] == "**" and "parameter" not in one.row.values for one in declared
        )
        known = all(
            through.fullmatch(use.of("path"))
            or (use.of("form"), use.of("path")) == ("target", name)
            for use in own
        )
        if not (typed and known) or made != {use.line.at for use in sets}:
            return frozenset()
        ends = [[cell for cell, rest in use.parts if rest == "" and cell[0] in self.owners.structs]
                for use in sets if use.of("path")[:1] == "&"]  # fmt: skip
        return frozenset(cell for end in ends for cell in end) if len(ends) == len(sets) else (
            frozenset()
        )  # fmt: skip

    @cached_property
    def _by_links(self) -> dict[Cell, list[Line]]:
        """The lines that store by such a variable, by the members that it leads to."""
        found: dict[Cell, list[Line]] = {}
        for line in self.of_kind("assigns"):
            if (name := line.of("target").removeprefix("*")).isidentifier():
                for cell in self.linked(line.function, name) if name != line.of("target") else ():
                    found.setdefault(cell, []).append(line)
        return found

    @once
    def stores(self, struct: str | None, field: str) -> list[Line]:
        """The lines that set a member by any path to its struct, or a file's variable."""
        if struct == FILE_SCOPE:
            return [line for line in self.of_kind("assigns")
                    if self.target_of(line) == (struct, field)]  # fmt: skip
        cells = ((line, self.member_of(line))
                 for line in self.of_kind("assigns")
                 if line.of("target")[:1] != "*")  # fmt: skip
        return [line for line, (of, name) in cells
                if name == field and (of is None or struct is None or of == struct)
                ] + self._by_links.get((struct, field), [])  # fmt: skip

    @once
    def loop(self, one: Line, line: int) -> bool:
        """True where a loop, or a jump back, has both."""
        loops = [(other.at, int(other.row.values["to"])) for other in self._of("loops", one)]
        return any(
            all(first <= at <= last for at in (one.at, line))
            for first, last in (*loops, *self._jumps[id(one.text)])
        )

    @once
    def is_in_one(self, one: Line, line: int) -> bool:
        """True where a call or an assignment has both: its parts run in any order."""
        return any(
            other.text == one.text and other.has(line) and other.has(one.at)
            for other in self.lines if other.row.kind in ("calls", "assigns", "returns")
        )  # fmt: skip

    @once
    def through(self, cell: Cell) -> tuple[tuple[Use, str], ...]:
        """Where a path goes through a member or variable, with what of it is behind that."""
        return tuple(
            (use, next(rest for one, rest in use.parts if one == cell))
            for use in self.uses
            if any(one == cell for one, _ in use.parts)
        )

    def _of(self, kind: str, line: Line) -> list[Line]:
        """The lines of a kind in the listing of a line."""
        return self._kinds.get((kind, id(line.text), None), [])

    def _beside(self, kind: str, line: Line) -> list[Line]:
        """The rows of a kind on the same line."""
        return [one for one in self._kinds.get((kind, None, line.at), []) if one.is_at(line)]
