"""What maps of C++ keep: smart pointers of which none is null."""

import re

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.lines import Line
from workbench.agents.assisted.once import once
from workbench.claims.source.shapes import member
from workbench.claims.source.spots import Spot, names, spots
from workbench.claims.source.text import CPP, words

_GIVES = re.compile(r"(?:(\w+)->second|([\w.>-]+)\.at\([^()]*\))\.get\(\)")
_FOUND = re.compile(r"([\w.>-]+)\.find\([^()]*\)")
_MAP = re.compile(r"std::(?:unordered_)?map<.*,std::(?:unique|shared)_ptr<[\w:]+>>")
_MAKES = ("std::make_unique<", "std::make_shared<")
_PUTS = words("emplace() try_emplace() insert_or_assign()")
_READS = words("find() begin() cbegin() end() cend() erase() size() empty() count() contains() "
               "clear() reserve()")  # fmt: skip
_EMPTIES = words("reset release swap extract merge exchange memcpy memset")
"""What may leave null in what others keep, or take it from them."""


def gives_kept(code: Code, line: Line) -> bool:
    """True for a line of C++ that returns what a smart pointer of a map leads to, of which none is
    null: each was made as it was put there, and nothing takes one out."""
    found = _GIVES.fullmatch(line.of("expression")) if line.text.language == CPP else None
    if found is None:
        return False
    kept = found[2]
    if found[1]:
        sets = {one.of("expression") for one in code.sets(line.function, found[1])}
        led = _FOUND.fullmatch(sets.pop()) if len(sets) == 1 else None
        kept = led[1] if led else ""
    types = code.types(line, kept) if kept else []
    return len(types) == 1 and _MAP.fullmatch(types[0]) is not None and _are_full(code, kept)


@once
def _are_full(code: Code, kept: str) -> bool:
    """True where each place of the source that names a map leaves none of its pointers null, and no
    other does."""
    name = member(kept) or kept
    types = {one.of("name"): one.of("type") for one in code.of_kind("declares")}
    for text in code.texts:
        moved = [types.get("".join(one.given), "auto") for one in spots(text, "move")]
        found = names(text)
        if (
            found is None or found.has(*_EMPTIES)
            or any("auto" in of or of[-1:] in ("&", "*") for of in moved)
            or any(one.steps in ((), ("()",)) and (one.sort == "named" or (
                       one.is_member and (one.sort in ("led", "set") or one.lent)))
                   for word in ("second", "at") for one in spots(text, word))
            or not all(map(_is_full, spots(text, name)))
        ):  # fmt: skip
            return False
    return True


def _is_full(spot: Spot) -> bool:
    """True where a map is declared, is put a pointer into that is not null, is only read, or walked
    over without a name for its pointers."""
    if spot.sort in ("declared", "over"):
        return not spot.steps and spot.by.lstrip("&").isidentifier() == (spot.sort == "over")
    if spot.steps == ("[]",):
        return spot.sort == "set" and spot.value.startswith(_MAKES)
    if spot.begins(*_PUTS):
        return len(spot.given) == 2 and spot.given[1].startswith(_MAKES)
    return spot.begins(*_READS) or (spot.begins("at()") and spot.sort != "set")
