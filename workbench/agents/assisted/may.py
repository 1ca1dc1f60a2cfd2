"""What may have written or released an object beside the line that a chain names: whatever is given
a pointer to it, or into it, and is not read here, or stores through such a pointer.

A place is left out only where the listing shows that it cannot have been it: what no rule knows may
have done it.
"""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.assisted.code import WRITES, Code, Line
from workbench.agents.assisted.may_rust import may_in_rust
from workbench.claims.chain import same_function
from workbench.claims.source import Row, SourceText, last_name, unread
from workbench.claims.source.names import FILLS
from workbench.claims.source.reach import (
    FREES,
    NUMBER_FIRST,
    OF_NUMBERS,
    PRINTS,
    SETS,
    STARTS,
    Reach,
    is_harmless,
    is_maker,
    parts,
)
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.source.text import CPP, FILE_SCOPE, RUST, C
from workbench.model.claims import Claim

_DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)(\([^)]*\))?(.*)")
_DOES = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--|[\w)]\s*\(")
_ENUM = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
_UNION = re.compile(r"\bunion\b[^{;()]*\{([^}]*)\}")
_ASSEMBLY = re.compile(r"\b(?:asm|__asm|__asm__)\b|\bnew\s*\(")
"""And what makes an object where another one is."""
_FILLS = {name: at for name, at in {**FILLS, **SETS}.items()
          if name not in ("swap", "exchange", "copy")}  # fmt: skip
"""Without those of the names of C++ that write to more than one, or that programs have, too."""
_GROWS = frozenset({"push_back", "push_front", "emplace_back", "emplace", "insert", "push"})
"""Methods that copy what they are given, and write to no other object."""
_OF_STREAM = re.compile(r"std::(?:cout|cerr|clog)\b")
_STORED = re.compile(r"%[-+ #0]*[\d*.]*[hljztL]*n")
_PLAIN = re.compile(r"[(*]*\w+\)?(?:(?:->|\.)\w+|\[[^\[\]()]*\])*")
_NAME = re.compile(r"[A-Za-z_]\w*")


def filled(line: Line) -> str:
    """What a call of a copying or clearing function writes to; "" of any other line."""
    if line.row.kind != "calls" or "index" not in line.row.values:
        return ""
    fills = FILLS.get(plain_callee(line.of("callee"))) == line.row.values["index"]
    return line.of("expression").lstrip("&") if fills else ""


def may_have(code: Code, chain: Sequence[Claim], at: int, own: Sequence[Line]) -> Iterator[Line]:
    """The lines of C, C++ and Rust that may have done it to the same object as a link of a chain;
    none of a link that neither writes, releases nor calls."""
    link, mine = chain[at], own[0]
    if mine.text.language == RUST and (
        link.kind in WRITES
        or (at + 1 == len(chain) and link.kind == "calls" and member(_object(mine.of("callee"))))
    ):
        yield from may_in_rust(code, chain[:at], mine)
    if mine.text.language not in (C, CPP):
        return
    places = {place for line in own if (place := filled(line))}
    if link.kind == "calls" and not places:
        if at and not _is_result(code, chain[at - 1], own) and not any(
            same_function(frame.function or "", str(link.get("callee"))) for frame in code.frames
        ):  # fmt: skip
            yield from code.calls(str(link.get("callee")))
    elif link.kind == "frees":
        yield from _Object(code, mine, mine.of("expression"), whole=True).not_read(writes=False)
    elif link.kind in ("assigns", "allocates", "converts", "never_sets", "calls"):
        for target in places or {mine.of("target") or str(link.get("target") or "")}:
            if target and not target.endswith("]"):  # of an element is not told which one it is
                is_origin = at + 1 == len(chain) and link.kind != "never_sets"
                yield from _written(code, target, mine, from_start=is_origin and code.null)


def _is_result(code: Code, before: Claim, own: Sequence[Line]) -> bool:
    """True for a call on the line of the link before it."""
    return any(line.is_at(other) for line in code.kept(before) for other in own)


def _written(code: Code, target: str, mine: Line, *, from_start: bool) -> Iterator[Line]:
    """The lines that may have written a variable or a member, or made it what it is."""
    if code.owners.is_local(target, mine.function):
        address = re.compile(rf"&{re.escape(target)}\b(?!->|\.|\[)")
        for line in code.lines:
            shown = line.of("expression") + line.of("arguments")
            if same_function(line.function, mine.function) and address.search(shown) and not (
                is_harmless(line.of("callee"))
            ):  # fmt: skip
                yield line
        return
    thing = _Object(code, mine, target)
    yield from thing.stores()
    yield from thing.not_read(writes=True)
    if from_start:
        yield from thing.unset()


class _Object:
    """What an expression of a line is a member of or, of no member, points to."""

    def __init__(self, code: Code, mine: Line, place: str, *, whole: bool = False) -> None:
        self.code = code
        struct, self.field = code.owners.cell(place, mine.function)
        if whole:
            struct, self.field = code.owners.points_to(place, mine.function), ""
        base = _object(place) or "this" if self.field else place
        self.macros, self.known = _constants(code.texts)
        self.overlaid = {
            name
            for text in code.texts
            for one in _UNION.finditer("\n".join(row for _, _, row in text.lines))
            for name in re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)?[;,]", one[1])
        }
        seed = None if struct else (base, mine.function)
        self.reach = self._reach({struct} if struct else set(), seed)
        held = set(self.reach.structs)
        while more := self.reach.holders(held) - held:
            held |= more
        self.given = self._reach(held, seed) if held - self.reach.structs else self.reach
        held_by = code.owners.points_to(place, mine.function)
        self.is_data = bool(self.field) and held_by not in self.reach.structs
        self.functions = {line.function for line in code.lines}
        declared = [line for line in code.lines if line.row.kind == "declares"
                    and not line.of("of")]  # fmt: skip
        shown = {(id(text), at): row for text in code.texts for _, at, row in text.lines}
        self.made = {
            (id(line.text), line.at, name)
            for line in declared
            for name in (line.of("name"),)
            if re.search(rf"[\w>*&]\s*[\s*&]{re.escape(name)}(?:\[.*\])?\s*=(?!=)",
                         shown.get((id(line.text), line.at), ""))
        }  # fmt: skip
        self.variables = {line.of("name") for line in declared if line.function == FILE_SCOPE}
        self.passed: dict[tuple[str, int, str], list[tuple[int, str]]] = {}
        for line in code.lines:
            if line.row.kind == "calls" and "index" in line.row.values:
                of = self.passed.setdefault((line.file, line.at, line.of("callee")), [])
                of.append((int(line.row.values["index"]), line.of("expression")))

    def _reach(self, structs: set[str], seed: tuple[str, str] | None) -> Reach:
        stated = [line.row for line in self.code.lines]
        return Reach(stated, self.code.owners, structs, seed, self.known)

    def stores(self) -> Iterator[Line]:
        """Stores through a pointer to it or into it, and of the whole."""
        left = set(self.made)
        for line in self.code.lines:
            target, reach = line.of("target"), self.reach
            if line.row.kind != "assigns":
                continue
            if line.text.language == CPP and line.of("operator") != "=" and (
                self.code.owners.points_to(target, line.function) in reach.structs
                and (target.startswith("*") or reach.is_value(target, line.function, ""))
            ):  # fmt: skip
                yield line  # by an operator of its own
            if not self.code.may_be(line, line.of("expression")):
                continue
            through = target.startswith("*") or target.endswith("]")
            if not through and member(target) in self.overlaid:
                through = True
            elif not through and _PLAIN.fullmatch(target):
                made = (id(line.text), line.at, target)
                through = made not in left and reach.is_value(
                    target, line.function, line.of("expression")
                )
                left.discard(made)
            else:
                through = True
            of = _object(target) if member(target) in self.overlaid else target
            if through and reach.carries(of, line.function) and not (
                self.is_data and reach.stores_pointer(target, line.function)
            ):  # fmt: skip
                yield line

    def not_read(self, *, writes: bool) -> Iterator[Line]:
        """Calls that are given it, or what leads to it, of what no listing shows; and what of a
        listing is not read."""
        opened = self.reach.is_open(self._is_static)
        for line in self.code.lines:
            callee = line.of("callee")
            if writes and self.code.null and line.row.kind == "frees" and (
                callee.startswith("delete")
                and self.reach.carries(line.of("expression"), line.function)
            ):  # fmt: skip
                yield line  # by what a destructor does
            if line.row.kind != "calls" or "index" in line.row.values:
                continue
            plain, given = plain_callee(callee), self._given(line)
            if self._is_read(line) and not any(
                self.given.carries(one, line.function)
                for one in given[: len(given) if plain in OF_NUMBERS else plain in NUMBER_FIRST]
            ):
                continue
            if plain in STARTS:
                yield from () if self._starts_listed(line) else (line,)
            elif plain in _FILLS or plain in FREES:
                wiped = plain in _FILLS or self.code.null  # what is free is anything
                if writes and wiped and not self._is_bounded(line) and any(
                    self.reach.carries(one, line.function) for one in given
                ):  # fmt: skip
                    yield line
            elif writes and not self.code.null and member(callee) in _GROWS:
                continue
            elif (opened and callee not in self.macros) or any(
                self.given.carries(one, line.function) or self._is_it(one, line)
                for one in (*given, *([_object(callee)] if _object(callee) else ()))
            ):
                yield line
        for text in self.code.texts:
            yield from _unparsed(text, self.macros)

    def _given(self, line: Line) -> list[str]:
        """The arguments of a call; of one that fills the one that it fills."""
        passed = self.passed.get((line.file, line.at, line.of("callee")), [])
        if not passed:  # of an operator
            return parts(line.of("arguments"))
        only = _FILLS.get(plain_callee(line.of("callee")))
        return [one for index, one in sorted(passed) if only in (None, index)]

    def _is_it(self, expression: str, line: Line) -> bool:
        """True for the member itself, to which C++ may pass a reference."""
        return line.text.language == CPP and bool(self.field) and (
            self.code.owners.cell(expression, line.function)[1] == self.field
        )  # fmt: skip

    def _is_bounded(self, line: Line) -> bool:
        """True for a fill of one array, as long as that is, that is another member."""
        filled = ",".join(self._given(line))
        field = self.code.owners.cell(filled, line.function)[1]
        size = re.search(rf"\bsizeof(?:\(|\s*){re.escape(filled)}\b", line.of("arguments"))
        return bool(field) and field != self.field and size is not None

    def _is_read(self, line: Line) -> bool:
        """True for a call of what the listing shows, or of what a library is known to do."""
        callee, function = line.of("callee"), line.function
        name = last_name(callee)
        if callee.startswith("operator"):
            return _OF_STREAM.match(line.of("arguments")) is not None
        if callee in self.macros:
            return not _DOES.search(self.macros[callee])
        method = member(callee)
        if method:
            held = self.code.owners.points_to(_object(callee), function)
            if line.text.language != CPP:
                return False  # by a pointer
            of = f"{held}::{method}" if held else method
            return any(same_function(one, of) for one in self.functions) or (
                not held and is_harmless(callee)
            )
        if not name or self.code.owners.is_local(callee, function) or callee in self.variables:
            return False  # by a pointer
        if (
            name in PRINTS
            and name not in self.reach.listed
            and _STORED.search(line.of("arguments"))
        ):
            return False
        return (
            name in self.reach.listed
            or is_harmless(callee)
            or (
                is_maker(callee) and not name.startswith("make_")  # a constructor's arguments
            )
        )

    def _starts_listed(self, line: Line) -> bool:
        """True where a thread is started whose function is listed, or is given nothing of it."""
        passed = self.passed.get((line.file, line.at, line.of("callee")), [])
        at = STARTS[plain_callee(line.of("callee"))]
        runs = [last_name(one.lstrip("&")) in self.reach.listed for i, one in passed if i == at]
        return (bool(runs) and all(runs)) or not any(
            self.given.carries(one, line.function) for i, one in passed if i > at
        )

    def _is_static(self, name: str) -> bool:
        """True for a variable that only this file can name."""
        declared = re.compile(rf"^\s*(?:static|namespace)\b.*\b{re.escape(name)}\b")
        return any(declared.match(line) for text in self.code.texts for _, _, line in text.lines)

    def unset(self) -> Iterator[Line]:
        """Where such an object is made, and its member is not set by what makes it, nor by what
        that calls: it may be what it was from the start."""
        sets = {
            last_name(line.function)
            for line in self.code.lines
            if line.row.kind == "assigns" and (
                not self.field or member(line.of("target")) == self.field
                or line.of("target") == self.field
            )
        }  # fmt: skip
        for line in self.code.lines:
            if line.row.kind == "allocates":
                held = self.code.owners.points_to(line.of("target"), line.function)
            elif line.row.kind == "declares" and not re.search("[*&]", line.of("type")) and (
                not line.of("of")
            ):  # fmt: skip
                held = self.code.owners.bare(line.of("type"))
            else:
                continue
            if held in self.reach.structs and not sets & self._called(line.function):
                yield line

    def _called(self, function: str) -> set[str]:
        """A function and what it calls, as far as it is listed."""
        found: set[str] = set()
        waiting = {last_name(function)}
        while waiting:
            found |= waiting
            waiting = {
                last_name(line.of("callee"))
                for line in self.code.lines
                if line.row.kind == "calls" and last_name(line.function) in waiting
            } - found
        return found


def _object(place: str) -> str:
    """What a member is of, or a method is called on."""
    found = re.fullmatch(r"(.+)(?:->|\.)~?\w+", place, re.DOTALL)
    return found[1] if found is not None else ""


def _constants(texts: Sequence[SourceText]) -> tuple[dict[str, str], frozenset[str]]:
    """The macros of listings with what they stand for, and the names that stand for a number."""
    macros: dict[str, str] = {}
    found: set[str] = set()
    for text in texts:
        rows = [row for _, _, row in text.lines]
        for one in filter(None, map(_DEFINED.match, rows)):
            macros[one[1]] = one[3]
            if not _NAME.search(one[3]):
                found.add(one[1])
        for one in _ENUM.finditer("\n".join(rows)):
            found |= set(_NAME.findall(re.sub(r"=[^,]*", "", one[1])))
    return macros, frozenset(found)


def _unparsed(text: SourceText, macros: dict[str, str]) -> Iterator[Line]:
    """The lines of a listing that may do something and of which nothing is read: assembly, faults,
    what may be compiled or not, macros without arguments."""
    if text.language not in (C, CPP):
        return
    does = [name for name, body in macros.items() if _DOES.search(body)]
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, does))})\b(?!\s*\()") if does else None
    rows = set(unread(text))
    for cited, at, line in text.lines:
        if line.lstrip().startswith("#"):
            continue
        if _ASSEMBLY.search(line) or (at in rows and _DOES.search(line)) or (
            named is not None and named.search(line)
        ):  # fmt: skip
            yield Line(text, Row("unread", {"function": "", "at": at, "to": at}, cited))
