"""Which struct a member of an expression belongs to, as far as listings declare it."""

import re
from collections.abc import Iterable
from functools import lru_cache

from workbench.claims.source.names import bits_of
from workbench.claims.source.shapes import member
from workbench.claims.source.text import FILE_SCOPE, Row, class_of, is_function, last_name, normal

_STEP = re.compile(
    r"\.(?P<method>at|front|back|top|get|data|value|find|c?r?begin|c?r?end|(?:lower|upper)_bound|erase"
    r"|(?:into_)?iter|(?:iter|get)_mut|as_(?:ref|mut)|unwrap|first|last)"
    r"\((?:[^()]|\([^()]*\))*\)"
    r"|\.(?:emplace|try_emplace|insert)\((?:[^()]|\([^()]*\))*\)\.first\b"
    r"|(?:->|\.)(?P<name>@?\w+)|\[[^\[\]]*\]|\)"
)
"""A member, an element, or what a container of C++ gives of one."""
_BASE = re.compile(r"[(*&]*([A-Za-z_]\w*)")
_ADORNED = re.compile(r"\b(?:const|volatile|struct|class|union|mut|ref)\b|[*&\[\]\s]")
_ELEMENTS = re.compile(
    r"\b(?:std::)?(?:(?:unique_ptr|shared_ptr|vector|array|span|optional|list|forward_list|deque|queue"
    r"|stack|priority_queue|(?:unordered_)?(?:multi)?set|Box|Rc|Arc|Vec|VecDeque|Option|NonNull)<"
    r"|(?:(?:unordered_)?(?:multi)?map|HashMap|BTreeMap)<[^<>,]+,)([^<>,]+)(?:,[^<>]*)?>"
)
"""Containers and pointers whose elements (of maps: values) are reached through them (C++, Rust)."""


_ITERATOR = re.compile(r"::(?:const_)?(?:reverse_)?iterator$")
"""What leads to an element of a container of C++."""
_WITHIN = re.compile(r"(?:std::)?(?:array|optional)<")
"""Containers of C++ that hold their elements themselves."""


_NEW = re.compile(
    r"(?:std::)?make_(?:unique|shared)<([\w:]+)>\(|new ([\w:]+)(?:[({].*)?$"
    r"|(?:static|dynamic|reinterpret|const)_cast<(?:const )?([\w:]+)\*>\("
)
"""What makes a pointer whose type it names."""


class Owners:
    """Of the declarations among these rows."""

    def __init__(self, stated: Iterable[Row]) -> None:
        stated = list(stated)
        self._aliases = {str(row.values["name"]): str(row.values["type"])
                         for row in stated if row.kind == "aliases"}  # fmt: skip
        declared = [row.values for row in stated if row.kind == "declares"]
        self.members = {(str(row["of"]), str(row["name"])): self.bare(str(row["type"]))
                         for row in declared if row["of"]}  # fmt: skip
        self._first: dict[str, str] = {}
        self._within: dict[str, set[str]] = {}
        for row in declared:
            type_ = self.meant(str(row["type"]))
            apart = type_[-1:] in "*&]" or ("<" in type_ and not _WITHIN.match(type_))
            held = "" if apart else self.bare(type_)
            self._first.setdefault(str(row["of"]), held)
            self._within.setdefault(held, set()).add(str(row["of"]))
        self.united = {(str(row["of"]), str(row["name"])) for row in declared if "union" in row}
        self._names: dict[str, list[tuple[str, str]]] = {}
        self._arrays: set[tuple[str, str]] = set()
        for row in declared:
            if not row["of"]:
                of = str(row["function"]), self.bare(str(row["type"]))
                self._names.setdefault(str(row["name"]), []).append(of)
                if row["size"] or str(row["type"])[-1:] in "*]":  # no pointer begins with a list
                    self._arrays.add((of[0], str(row["name"])))
        self._made = {
            (str(row.values["function"]), str(row.values["target"])): str(row.values["expression"])
            for row in stated if row.kind == "assigns" and row.values["operator"] == "="
        } | {
            (str(row.values["function"]), str(row.values["each"])): str(row.values["condition"])
            for row in stated if row.kind == "loops" and "each" in row.values
        }  # fmt: skip
        self._bases: dict[str, list[str]] = {}
        for row in declared:
            if "base" in row:
                self._bases.setdefault(str(row["of"]), []).append(self.bare(str(row["type"])))
        self.structs = frozenset(of for of, _ in self.members).union(*self._bases.values())
        self._functions = {str(row.values["function"]) for row in stated}
        self._walks: dict[tuple[str, str, int], list[str | None]] = {}

    def before(self, struct: str, field: str) -> list[str]:
        """The members that a struct has in front of one; none where it has no such."""
        names = [name for of, name in self.members if of == struct]
        return names[: names.index(field)] if field in names else []

    def begins(self, struct: str) -> list[str]:
        """A struct, and those that an object of it begins with: its first member, and so on."""
        found = [struct]
        while (first := self._first.get(found[-1])) and first not in found:
            found.append(first)
        return found

    def bases(self, struct: str) -> list[str]:
        """A class, and those that it derives from."""
        found = [struct]
        for one in found:
            found += [of for of in self._bases.get(one, ()) if of not in found]
        return found

    def around(self, struct: str) -> list[str]:
        """A struct, and those of which it is a part itself."""
        found = [struct]
        for one in found:
            found += sorted(self._within.get(one, set()) - {"", *found})
        return found

    def holders(self, field: str) -> set[str]:
        """The structs that declare a member of that name."""
        return {of for of, name in self.members if name == field}

    def is_local(self, name: str, function: str) -> bool:
        """True for a variable or a parameter of the function."""
        return any(
            of != FILE_SCOPE and is_function(of, function)
            and (of or not self.holders(name))  # a class's member, below where the class begins
            for of, _ in self._names.get(name, ())
        )  # fmt: skip

    def is_global(self, name: str, function: str) -> bool:
        """True for a variable of a file that the function has no own one in front of."""
        scopes = (of for of, _ in self._names.get(last_name(name), ()))
        return FILE_SCOPE in scopes and not self.is_local(name, function)

    def is_callable(self, type_: str) -> bool:
        """True for a type that is a pointer to a function, by any name."""
        return "(*)" in self._aliases.get(type_, type_)

    def is_number(self, expression: str, function: str) -> bool:
        """True for an expression that is declared as a number, or a pointer to such."""
        held = self._walked(expression, function)[-1:]
        return bool(held and held[0] and bits_of(held[0], ""))

    def points_to(self, expression: str, function: str) -> str | None:
        """The struct that an expression is of or points to; None where no listing tells."""
        held = self._walked(expression, function)[-1:]
        return held[0] if held and held[0] in self.structs else None

    def owner(self, expression: str, function: str) -> str | None:
        """The struct whose member an expression is; None where no listing tells."""
        walked = self._walked(expression, function)[-2:-1]
        return walked[0] if walked and walked[0] in self.structs else None

    def cell(self, place: str, function: str) -> tuple[str | None, str]:
        """The struct and the member that an expression is, also by the bare name that a method
        calls it by; no member: what it is of or points to, and ""."""
        field, of = member(place), class_of(function)
        if field:  # ``.len`` is a literal's, which a constructor returns
            own = of if place.startswith(".") and (of, field) in self.members else None
            return own or self.owner(place, function), field
        if (self._declaring(of, place), place) in self.members and not (
            self.is_local(place, function)
        ):
            return self._declaring(of, place), place
        return self.points_to(place, function), ""

    def bare(self, type_: str) -> str:
        """A type's name without what is around it: ``page`` of ``const struct page *``, and of what
        is another name of it."""
        type_, more = self.meant(type_), 1
        while more:
            type_, more = _ELEMENTS.subn(r"\1", _ITERATOR.sub("", type_))
        name = _bare(type_)
        return _bare(self._aliases.get(name, name))

    def meant(self, type_: str) -> str:
        """A type, of a name for a container of C++ that one."""
        named = self._aliases.get(type_, "")
        return named if "<" in named else type_

    def _walked(self, expression: str, function: str, depth: int = 4) -> list[str | None]:
        """The type of the variable that an expression begins with, and of each member after."""
        key = expression, function, depth
        if key not in self._walks:
            self._walks[key] = self._walk(*key)
        return self._walks[key]

    def _walk(self, expression: str, function: str, depth: int) -> list[str | None]:
        text = normal(expression)
        base = _BASE.match(text)
        if base is None:
            return []
        declared = self._names.get(base[1], ())
        named = [(True, type_) for of, type_ in declared if of == function != FILE_SCOPE] or [
            (of != FILE_SCOPE, type_)
            for of, type_ in declared
            if of == FILE_SCOPE or is_function(of, function)
        ]
        of = class_of(function)
        own = self._declaring(of, base[1]), base[1]
        held = max(named)[1] if named else self.members.get(own)
        held = of if base[1] in ("this", "self") and not named else held
        if held in ("auto", None):  # what it is made of tells
            made = self._made.get((function, base[1]), "") if depth else ""
            new = _NEW.match(made)
            held = (
                self.bare(next(filter(None, new.groups())))
                if new
                else next(iter(self._walked(made, function, depth - 1)[-1:]), None)
            )
        at, found = base.end(), [held]
        while at < len(text):
            step = _STEP.match(text, at)
            if step is None or held is None or f"{held}::{step['method']}" in self._functions:
                return []
            listed = len(found) == 1 and step["name"] and step["name"][0] == "@"
            if listed and any(name == base[1] and is_function(of, function)
                              for of, name in self._arrays):  # fmt: skip
                found = ["", held]  # an element of the array
            elif step["name"]:
                of = self._declaring(held, step["name"])
                held = self._member(of, step["name"])
                found[-1:] = [of, held]
            at = step.end()
        return found

    def _member(self, struct: str, name: str) -> str | None:
        """The type of a member by its name, or by its place among a struct's from 0: ``@2``; of one
        of no name, whose members are those of the struct around it, and of a map's pair, that."""
        if name[:1] == "@":
            types = [type_ for (of, _), type_ in self.members.items() if of == struct]
            return next(iter(types[int(name[1:]) :]), None)
        found = self.members.get((struct, name), struct if name == "second" else None)
        return struct if found == "" else found

    def _declaring(self, struct: str, name: str) -> str:
        """The class itself, or what it derives from, that declares a member."""
        return next((one for one in self.bases(struct) if (one, name) in self.members), struct)


@lru_cache(maxsize=16384)
def _bare(type_: str) -> str:
    return _ADORNED.sub("", re.sub(r"\b(const|volatile|struct|class|union)\b", " ", type_))
