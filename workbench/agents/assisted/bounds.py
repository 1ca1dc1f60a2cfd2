"""Which stores into an array of an object may go on behind it, as the listed source tells."""

import re

from workbench.agents.assisted.code import Code, Use
from workbench.claims.source import guards
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.text import words
from workbench.claims.values import number

_TEXTS = words(
    "strcpy strcat strncat sprintf snprintf vsprintf vsnprintf stpcpy strlcpy strlcat fgets gets"
)
"""Functions of C's library that write no zeros but the one behind a text."""


def leaves(code: Code, use: Use, struct: str, *, filled: bool) -> bool:
    """True for a store at an index into an array that such an object has in itself, and for a call
    that has ``filled`` a part of it, unless what is written there keeps it inside: the size, a
    constant below it, a remainder, a bound around it."""
    form, line = use.of("form"), use.line
    if filled is (form != "given") or plain_callee(use.of("into")) in _TEXTS:
        return False
    for cell, rest in use.parts:
        declared = [one for one in code.of_kind("declares")
                    if (one.of("of"), one.of("name")) == cell]  # fmt: skip
        sizes = {one.of("size") for one in declared if one.of("size")}
        index = re.fullmatch(r"\[([^\[\]]*)\]", rest)
        stored = form in ("target", "stores") and index is not None
        inside = bool(sizes) or use.of("path")[:1] == "&"
        if cell[0] != struct or not inside or not (stored or (filled and not rest)):
            continue
        array = use.of("path").removesuffix(rest).removeprefix("&")
        counts = {f"sizeof{one}" for name in (array, *(one.of("type") for one in declared))
                  for one in (f"({name})", f" {name}")} | sizes  # fmt: skip
        if filled:
            given = {one.of("expression") for one in code.of_kind("calls") if one.is_at(line)}
            return not given & counts
        at = index[1] if index else ""
        most = [number(code.macros.get(one, one).strip()) for one in sizes]
        return not (
            re.search(r"[%&]", at)
            or any((number(at) or 0) < one for one in most if one and number(at) is not None)
            or any((one, sign) == (at, "<") and (bound in counts or array in bound)
                   for one, sign, bound in guards(line.text, line.at))
        )  # fmt: skip
    return False
