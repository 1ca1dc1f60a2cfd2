"""Which lines write all of an object, and which stores into a part of it may go on behind that
part, as the listed source tells."""

import re
from collections.abc import Iterator

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.followed import DEEPEST, given_to, goes_on, is_filled, is_single
from workbench.agents.assisted.lines import Cell, Line, Use
from workbench.claims.source.held import held
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import FILE_SCOPE, words
from workbench.claims.values import number

_TEXTS = words(
    "strcpy strcat strncat sprintf snprintf vsprintf vsnprintf stpcpy strlcpy strlcat fgets gets"
)
"""Functions of C's library that write no zeros but the one behind a text."""
_SCANS = words("scanf fscanf sscanf")
_REST = re.compile(r"(?:[^%&]+)([%&])(\w+)")
"""An index that is a remainder, or masked."""


def wholes(code: Code, struct: str, *, zeros: bool = False) -> Iterator[Line]:
    """The lines that write all of an object of the struct, or may leave a part of it: ``zeros``
    those that may write such."""
    for use in code.uses:
        path, form = use.of("path"), use.of("form")
        if _leaves(code, use, struct, zeros=zeros) or (use.struct == struct and (
            form == "stores"
            or (form == "target" and (
                _is_value(code, use)
                or ((path[:1] == "*" or path[-1:] == "]") and not is_single(code, use))))
            or is_filled(use)
        )):  # fmt: skip
            yield use.line


def _is_value(code: Code, use: Use) -> bool:
    """True for a member or a variable that is declared as a struct itself."""
    of, name = code.cell_of(use.line, use.of("path"))
    return any(
        one.of("name") == name and (one.of("of") or one.function) in (of, FILE_SCOPE)
        and one.of("type")[-1:] not in "*&]"
        for one in code.of_kind("declares")
    )  # fmt: skip


def _leaves(code: Code, use: Use, struct: str, *, zeros: bool) -> bool:
    """True for what writes a part of such an object, unless what is written there keeps it inside:
    the size, a constant below it, a remainder, a bound around it."""
    form = use.of("form")
    for cell, rest in use.parts:
        declared = [one for one in code.of_kind("declares")
                    if (one.of("of"), one.of("name")) == cell]  # fmt: skip
        sizes = {one.of("size") for one in declared if one.of("size")}
        if cell[0] != struct or not (sizes or use.of("path")[:1] == "&"):
            continue
        if is_filled(use):
            if zeros and plain_callee(use.of("into")) in _TEXTS:
                return False
            names = (use.of("path").removeprefix("&"), *(one.of("type") for one in declared))
            calls = [one for one in code.of_kind("calls") if one.is_at(use.line)
                     and "index" in one.row.values]  # fmt: skip
            given = {one.of("expression") for one in calls}
            counts = {f"sizeof{one}" for name in names for one in (f"({name})", f" {name}")} | sizes
            return rest != "" or use.of("path") not in given or not given & counts
        if sizes and form == "given" and plain_callee(use.of("into")) in _SCANS:
            return not zeros
        if sizes and form in ("target", "stores") and rest[:1] == "[":
            return not _is_inside(code, use, rest, sizes)
        if sizes and rest[:1] in ("", "+") and form in ("given", "sets"):
            return any(name and goes_on(code, (of, name), use.line, DEEPEST - 1)
                       for of, name in _led(code, use))  # fmt: skip
    return False


def _led(code: Code, use: Use) -> list[Cell]:
    """The parameters that an array is given to, or the variable that is set to it."""
    if use.of("form") == "given":
        return [(of, name) for of, name, type_ in given_to(code, use) if type_[:5] != "const"]
    into = use.of("into")
    return [(use.line.function, into)] if code.owners.is_local(into, use.line.function) else []


def _is_inside(code: Code, use: Use, rest: str, sizes: set[str]) -> bool:
    """True for a store at an index that is less than each size of its array."""
    index = re.fullmatch(r"\[([^\[\]]*)\]", rest)
    at, array = index[1] if index else "", use.of("path").removesuffix(rest)
    most = [number(code.macros.get(one, one).strip()) for one in sizes]
    counts = sizes | {f"sizeof({array})", f"sizeof {array}"}
    fixed, part = number(at), _REST.fullmatch(at)
    if part:
        bound = number(code.macros.get(part[2], part[2]).strip())
        return (part[1] == "%" and part[2] in counts) or any(
            one is not None and bound is not None and bound + (part[1] == "&") <= one
            for one in most
        )
    return any(one is not None and fixed is not None and 0 <= fixed < one for one in most) or any(
        (one, sign) == (at.removesuffix("++"), "<") and (bound in counts or array in bound)
        for one, sign, bound in held(use.line.text, use.line.at)
    )
