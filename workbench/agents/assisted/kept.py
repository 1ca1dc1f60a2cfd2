"""What maps of C++ keep: smart pointers of which none is null."""

import re

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.lines import LONGEST, Line
from workbench.agents.assisted.once import once
from workbench.claims.source.text import CPP

_GIVES = re.compile(r"(?:(\w+)->second|([\w.>-]+)\.at\([^()]*\))\.get\(\)")
_FOUND = re.compile(r"([\w.>-]+)\.find\([^()]*\)")
_MAP = re.compile(r"std::(?:unordered_)?map<.*,std::(?:unique|shared)_ptr<[\w:]+>>")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|//.*|/\*.*?\*/')
_MAKES = r"\s*std::make_(?:unique|shared)<.*"
_FULL = re.compile(  # of a map: what puts a pointer that is not null, and what only reads
    rf"\s*(?:\[[^\[\]]*\]\s*={_MAKES}|\.(?:emplace|try_emplace|insert_or_assign)\([^,()]*,{_MAKES}"
    r"|\.(?:find|c?begin|c?end|erase|size|empty|count|contains|clear|reserve)\(.*"
    r"|\.at\([^()]*\)(?!\s*=[^=]).*)"
)
_DECLARED = re.compile(r">\s*$")
"""Where a map is declared, by no other name; none that refers to it."""
_ROUND = re.compile(r"\bfor\s*\((?:const\s+)?auto\s*&?\s*\w+\s*:\s*[\w.>-]*$")
"""A loop over it, in which its pointers have no name of their own."""
_EMPTIES = re.compile(
    r"\.\s*(?:reset|release|swap|extract|merge)\s*\(|\b(?:swap|exchange|memcpy|memset)\s*\("
    r"|\bsecond\s*=[^=]|&&?\s*\w+\s*=[^;]*(?:\bsecond|\.at\([^()]*\))\s*;|\bmove\(\s*(?!\w+\s*\))"
)
"""What may leave null in what others keep, or take it from them, or names it."""
_MOVES = re.compile(r"\bmove\(\s*(\w+)\s*\)")


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
    name = re.split(r"->|\.", kept)[-1]
    named = re.compile(rf"(?<!\w){re.escape(name)}\b")
    types = {one.of("name"): one.of("type") for one in code.of_kind("declares")}
    for text in code.texts:
        for _, _, shown in text.lines:
            bare = _TEXT.sub("", shown)
            moved = [types.get(one, "auto") for one in _MOVES.findall(bare)]
            if len(shown) > LONGEST or _EMPTIES.search(bare) or any(
                "auto" in of or of[-1:] in ("&", "*") for of in moved
            ):  # fmt: skip
                return False
            for use in named.finditer(bare):
                before, rest = bare[: use.start()], bare[use.end() :]
                declared = rest.strip() == ";" and _DECLARED.search(before)
                if not (declared or _FULL.match(rest) or _ROUND.search(before)):
                    return False
    return True
