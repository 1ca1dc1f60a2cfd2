"""Which lines write all of an object, and which stores into a part of it may go on behind that
part, as the listed source tells."""

import re
from collections.abc import Mapping
from typing import Any

from workbench.agents.assisted import followed
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.lines import Cell, Line, Use
from workbench.agents.assisted.once import once
from workbench.claims.source.held import held
from workbench.claims.source.names import FILL_LENGTHS
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import FILE_SCOPE, last_name, words
from workbench.claims.values import number

TEXTS = words(
    "strcpy strcat strncat sprintf snprintf vsprintf vsnprintf stpcpy strlcpy strlcat fgets gets"
)
"""Functions of C's library that write no zeros but the one behind a text."""
_SUM = re.compile(r"[+-](?!>)")
_SCANS = words("scanf fscanf sscanf")
_CONVERSION = re.compile(r"%(?:%|(\*?)(\d*)(?:hh?|ll?|[jztL])?([a-zA-Z\[]))")
"""A conversion of scanf: whether nothing is kept of it, its width, its kind."""
REST = re.compile(r"(\w+(?:(?:->|\.)\w+)*|\([^()]*\))([%&])(\w+)")
"""An index that is a remainder, or masked, as a whole."""
_CHARACTER = re.compile(r"'(?:[ -&(-\[\]-~]|\\[abfnrtv0\\'\"])'")
"""A character of C; what one behind a stroke is called has a larger code than it."""
_UNSIGNED = re.compile(r"\b(?:unsigned|size_t|uint\w*|u(?:8|16|32|64|int|char|long)|bool|_Bool)\b")


@once
def wholes(code: Code, struct: str, field: str = "", *, zeros: bool = False) -> tuple[Line, ...]:
    """The lines that write all of an object of the struct, or may leave a part of it and reach a
    member: ``zeros`` those that may write such. An index below zero reaches no member behind its
    array."""
    return tuple(
        use.line
        for use in code.uses
        for path, form in [(use.of("path"), use.of("form"))]
        if _leaves(code, use, struct, field, zeros=zeros) or (use.struct == struct and (
            form == "stores"
            or (form == "target" and (
                _is_value(code, use)
                or ((path[:1] == "*" or path[-1:] == "]") and not followed.is_single(code, use))))
            or followed.is_filled(use)
        ))
    )  # fmt: skip


def _is_value(code: Code, use: Use) -> bool:
    """True for a member or a variable that is declared as a struct itself."""
    of, name = code.cell_of(use.line, use.of("path"))
    return any(
        one.of("name") == name and (one.of("of") or one.function) in (of, FILE_SCOPE)
        and one.of("type")[-1:] not in "*&]"
        and not (one.of("type") == "auto" and followed.is_place(code, use.line, name))
        for one in code.of_kind("declares")
    )  # fmt: skip


def _leaves(code: Code, use: Use, struct: str, field: str, *, zeros: bool) -> bool:
    """True for what writes a part of such an object, unless what is written there keeps it inside:
    the size, a constant below it, a remainder, a bound around it."""
    form = use.of("form")
    for cell, rest in use.parts:
        if cell[0] != struct:
            continue
        declared = [one for one in code.of_kind("declares")
                    if (one.of("of"), one.of("name")) == cell]  # fmt: skip
        sizes = {one.of("size") for one in declared if one.of("size")}
        if not (sizes or use.of("path")[:1] == "&"):
            continue
        if followed.is_filled(use):
            if zeros and plain_callee(use.of("into")) in TEXTS:
                return False
            names = (use.of("path").removeprefix("&"), *(one.of("type") for one in declared))
            calls = [one for one in code.of_kind("calls") if one.is_at(use.line)
                     and one.of("callee") == use.of("into")]  # fmt: skip
            given = {one.row.values.get("index"): one.of("expression") for one in calls}
            if plain_callee(use.of("into")) in _SCANS and rest == "":
                return not _is_scanned_within(code, use, given, sizes)
            if (
                rest == ""
                and use.of("path") in given.values()
                and (_copies_less(code, use, given.get(2, ""), sizes))
            ):
                return False
            counts = {f"sizeof{one}" for name in names for one in (f"({name})", f" {name}")} | sizes
            return (
                rest != ""
                or use.of("path") not in given.values()
                or (_length(plain_callee(use.of("into")), given) not in counts)
            )
        if sizes and form == "given" and plain_callee(use.of("into")) in _SCANS:
            return not zeros
        if sizes and form in ("target", "stores") and rest[:1] == "[":
            above = cell[1] in code.owners.before(struct, field)
            return not _is_inside(code, use, rest, sizes, above=above)
        if form == "stores" and rest[:1] in ("", "+"):
            return True  # by a sum: ``*(r->cells + n) = v``
        within = rest[:1] in ("", "+") or (rest[:1] == "[" and use.of("path")[:1] == "&")
        if rest[:1] == "[" and within and use.struct in code.owners.structs and (
            (not field and _has_alone(code, cell, str(use.struct)))
            or _is_inside(code, use, rest, sizes, above=False)
        ):  # fmt: skip
            return False  # what is written through it is written into an object of its own type
        if sizes and within and form not in ("reads", "indexes", "target"):
            return _goes_off(code, use)
        if rest == "" and use.of("path")[:1] == "&" and form in ("given", "sets"):
            return _moves(code, *(led for led in _led(code, use) if led[1]))
    return False


@once
def _has_alone(code: Code, cell: Cell, struct: str) -> bool:
    """True where a struct has objects of another one in one array alone: an element of such beyond
    it lies on none of those, however far it is."""
    return all(
        name == cell[1] or code.owners.bare(type_) not in code.owners.around(struct)
        for (of, name), type_ in code.owners.members.items()
        if of == cell[0]
    )


def _goes_off(code: Code, use: Use) -> bool:
    """True where an array goes to what writes by where it lies, or may: to a variable or member, a
    listed function, one of a library that is not known to read it alone, or by a way that is not
    followed."""
    form, into = use.of("form"), use.of("into")
    if form == "operator":  # a stream of C++ is read into it
        return use.line.names(">>")
    if form == "returns":
        name = last_name(use.line.function)
        return "const" not in code.results_of(use.line) or any(
            last_name(one.of("path").partition("(")[0]) == name and is_written_by(one)
            for one in code.uses
        )
    if form not in ("given", "sets"):
        return True
    if followed.is_number(code, use) or (form == "given" and followed.is_read(code, use)):
        return False
    led: list[Cell] = []
    if form == "given":
        led = [(of, name) for of, name, _ in followed.given_to(code, use)]
    else:  # also one of constants: a cast makes it another
        led = [code.cell_of(use.line, into) if code.types(use.line, into) else ("", "")]
    return any(
        not name or followed.goes_on(code, (str(of), name), True, followed.DEEPEST - 1)
        for of, name in led
    )


def is_written_by(use: Use) -> bool:
    """True for what is cast to a pointer that is written by, whatever it was."""
    return use.of("cast")[-1:] == "*" and not use.of("cast").startswith("const")


def _length(callee: str, given: Mapping[Any, str]) -> str:
    """How much a call of C's library writes at most, as it is told."""
    if callee == "fread":  # elements of a size
        return given.get(3 if given.get(2) == "1" else 2 if given.get(3) == "1" else 0, "")
    return given.get(FILL_LENGTHS.get(callee, 0), "")


def _is_scanned_within(
    code: Code, use: Use, given: Mapping[Any, str], sizes: set[str]
) -> bool:  # fmt: skip
    """True for a text that scanf reads with a width which its array has room for, with the zero
    behind it (C23 7.23.6.2): ``%15s``, ``%31[^,]``."""
    first = 2 if plain_callee(use.of("into")) == "scanf" else 3
    form, nth = given.get(first - 1, ""), int(use.line.row.values["index"]) - first
    told = (
        [one for one in _CONVERSION.findall(form) if one[2] and not one[0]]
        if form[:1] == '"'
        else []
    )
    rooms = [number(code.macros.get(one, one).strip()) for one in sizes]
    if not 0 <= nth < len(told) or not sizes:
        return False
    _, width, kind = told[nth]
    return kind in "sc[" and bool(width or kind == "c") and all(
        room is not None and int(width or 1) + (kind != "c") <= room for room in rooms
    )  # fmt: skip


def _copies_less(code: Code, use: Use, text: str, sizes: set[str]) -> bool:
    """True for a copy of a text of the source that is less than the array has room for."""
    most = [number(code.macros.get(one, one).strip()) for one in sizes]
    return plain_callee(use.of("into")) in ("strcpy", "stpcpy") and (
        text[:1] == text[-1:] == '"' and '"' not in text[1:-1]
        and all(room is not None and len(text.encode()) - 2 < room for room in most)
    )  # fmt: skip


def _moves(code: Code, *cells: Cell) -> bool:
    """True where what a pointer to one member leads to beside that is used: by an index, or a step;
    by who is given it as well."""
    reached = list(cells)
    for cell in reached:
        if any(
            one.of("operator") != "=" or _SUM.search(one.of("expression"))
            for one in code.of_kind("assigns", str(cell[0])) if one.of("target") == cell[1]
        ):  # fmt: skip
            return True
        for use, rest in code.through(cell):
            if rest and rest[0] in "[+-" and rest[:2] != "->" and rest != "[0]":
                return True
            if rest == "" and use.of("path")[:1] not in "*&" and (
                use.of("form") in ("given", "sets")
            ):  # fmt: skip
                reached += [led for led in _led(code, use) if led[1] and led not in reached]
    return False


def _led(code: Code, use: Use) -> list[Cell]:
    """The parameters that an array is given to, or the variable that is set to it."""
    if use.of("form") == "given":
        return [
            (of, name) for of, name, type_ in followed.given_to(code, use) if type_[:5] != "const"
        ]
    into = use.of("into")
    return [(use.line.function, into)] if code.owners.is_local(into, use.line.function) else []


def _is_inside(code: Code, use: Use, rest: str, sizes: set[str], *, above: bool) -> bool:
    """True for a store at an index that is less than each size of its array, and not below zero;
    where nothing but what lies ``above`` it is asked for, also below."""
    index = re.fullmatch(r"\[([^\[\]]*)\]", rest)
    at, array = index[1] if index else "", use.of("path").removesuffix(rest)
    most = [number(code.macros.get(one, one).strip()) for one in sizes]
    fixed, part = number(at), REST.fullmatch(at)
    if part:
        bound = number(code.macros.get(part[3], part[3]).strip())
        below = any(one is not None and bound is not None and bound + (part[2] == "&") <= one
                    for one in most)  # fmt: skip
        return (below or (part[2] == "%" and _is_size(code, part[3], array, sizes))) and (
            above or part[2] == "&" or _is_counted(code, use.line, part[1])
        )
    name = at.removesuffix("++")
    if at == name and any(one is not None and _goes_round(code, use, at, one) for one in most):
        return True
    given = [_constant(one) for one in code.given(use.line.function, at)]
    if given and all(one is not None and all(0 <= it < one for it in given) for one in most):
        return True
    return any(one is not None and fixed is not None and 0 <= fixed < one for one in most) or (
        (above or _is_counted(code, use.line, name))
        and any(
            (one, sign) == (name, "<") and _is_size(code, bound, array, sizes)
            for one, sign, bound in held(use.line.text, use.line.at, code.known)
        )
    )


def _constant(text: str) -> int:
    """A number, or the code of a character, at least as large; below zero of anything else."""
    fixed = number(text)
    return ord(text[-2]) if _CHARACTER.fullmatch(text) else -1 if fixed is None else fixed


def _goes_round(code: Code, use: Use, at: str, size: int) -> bool:
    """True for a member that all lines set to a number below a size, one of them to a constant,
    or to what they count on modulo no more: ``r->at = (r->at + 1) % 16``."""
    struct, field = code.owners.cell(at, use.line.function)
    fixed: list[bool] = []
    for one in code.stores(struct, field) if field else ():
        made, part = number(one.of("expression")), REST.fullmatch(one.of("expression"))
        bound = number(code.macros.get(part[3], part[3]).strip()) if part else None
        step = re.escape(one.of("target"))
        counts = part is not None and re.fullmatch(rf"\(?{step}\+\d+\)?", part[1]) is not None
        fixed.append(made is not None and 0 <= made < size)
        most = bound is not None and part is not None and bound + (part[2] == "&") <= size
        if one.of("operator") != "=" or not (fixed[-1] or (counts and most)):
            return False
    return any(fixed) and not followed.is_taken(code, (struct, field))


def _is_size(code: Code, bound: str, array: str, sizes: set[str]) -> bool:
    """True for how many elements an array has: as it is declared, or by sizeof of it."""
    by = re.fullmatch(rf"(\w+)\(?\s?{re.escape(array)}\)?(/sizeof.+)?", bound)
    return bound in sizes or (
        by is not None and (by[1] == "sizeof" or "sizeof" in code.macros.get(by[1], ""))
    )


def _is_counted(code: Code, line: Line, name: str) -> bool:
    """True for an index that is never below zero: by its type, by a condition around, or as its
    function alone begins with such a number and counts up."""
    if any(_UNSIGNED.search(type_) for type_ in code.types(line, name)):
        return True
    if any(one == name and ((sign == ">=" and other == "0") or (sign == ">" and other == "-1"))
           for one, sign, other in held(line.text, line.at, code.known)):  # fmt: skip
        return True
    own = code.sets(line.function, name)
    begun = name.isidentifier() or any(
        one.of("operator") == "=" and line.is_behind(one.at) for one in own if one.text == line.text
    )
    return bool(own) and begun and name not in code.parameters(line.function) and (
        not followed.is_taken(code, code.cell_of(line, name))
        and all(one.of("operator") == "++" or (one.of("operator") in ("=", "+=")
                and (number(one.of("expression")) or 0) >= 0
                and number(one.of("expression")) is not None) for one in own)
    )  # fmt: skip
