"""Which line made an element of a Vec of Options None: the only one of Rust's source that may,
where each line that names the Vec is one of few forms."""

import re
from functools import lru_cache

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import Dump
from workbench.agents.assisted.lines import LONGEST, Cell, Line
from workbench.agents.assisted.once import once
from workbench.agents.assisted.outside import Proved
from workbench.agents.assisted.returned import unwrapped
from workbench.claims.source import SourceText
from workbench.claims.source.text import RUST

_ELEMENT = re.compile(r"(.+)\[[^\[\]]*\]")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|//.*|/\*.*?\*/')
_SOME = re.compile(r"\bSome\(")
_GIVES_NONE = re.compile(r"\s*\.\s*(?:filter|and|and_then|xor|zip)\b")
"""Methods of an Option that may give None for one that is not (Rust's library)."""
_LED = re.compile(r"&\s*(?P<mut>mut\s+)?[\w.]*$")
"""A reference that is made of it: through one that is not mutable nothing is set."""
_UNSEEN = re.compile(
    r"\b(?:unsafe|transmute|Default|default|serde|Deserialize|macro_rules|extern)\b"
)
_MADE = (  # an empty one, one more element that is not None, and what only reads
    r":\s*(?:std::vec::)?Vec<\s*Option<.*|:\s*(?:Vec::(?:new|with_capacity)\([^()]*\)|vec!\[\])\s*,?.*"
    r"|\.push\(Some\(.*|\[[^\[\]]*\]\s*=\s*Some\(.*"
    r"|\.(?:len|is_empty|iter|capacity|first|last|get)\(.*"
    r"|\[[^\[\]]*\]\s*\.(?:as_ref|as_mut|as_deref|is_some|is_none|clone|iter)\(.*"
)
_NONE = r"\[[^\[\]]*\]\s*(?:\.take\(\)|=\s*None\b).*"


async def emptied(dump: Dump, line: Line) -> Proved:
    """The failing line unwraps an element of the Vec, and no other line than this may leave None in
    one."""
    code, mine = dump.code, element_of(dump.code, line)
    wrapped = {element_of(code, one.into(on)) for on, one in unwrapped(dump)}
    alone = mine is not None and wrapped == {mine} and _is_alone(code, mine[1], line)
    return tuple(dump.chain[:1]) if alone else ()


def element_of(code: Code, line: Line) -> Cell | None:
    """The member of which a line of Rust sets an element."""
    found = _ELEMENT.fullmatch(line.of("target")) if line.text.language == RUST else None
    cell = code.owners.cell(found[1], line.function) if found else (None, "")
    return cell if cell[0] and cell[1] else None


@lru_cache(maxsize=32)
def is_plain(text: SourceText) -> bool:
    """True where each ``Some(...)`` of Rust is just that, and no method is called that may make it
    None: ``Some(one).filter(is_new)``."""
    shown = "\n".join(_TEXT.sub("", line[:LONGEST]) for _, _, line in text.lines)
    for found in _SOME.finditer(shown):
        depth = 1
        for at in range(found.end(), len(shown)):
            depth += (shown[at] == "(") - (shown[at] == ")")
            if not depth:
                if _GIVES_NONE.match(shown, at + 1):
                    return False
                break
    return True


@once
def _is_alone(code: Code, field: str, line: Line) -> bool:
    if any(not is_plain(text) for text in code.texts if text.language == RUST):
        return False
    named = re.compile(rf"(?<![\w]){re.escape(field)}\b(?!\()")
    forms, none = re.compile(rf"\s*(?:{_MADE})"), re.compile(rf"\s*{_NONE}")
    for text in code.texts:
        for nth, (_, at, shown) in enumerate(text.lines):
            bare = _TEXT.sub("", shown)
            if len(shown) > LONGEST or _UNSEEN.search(bare):
                return False
            for found in named.finditer(bare):
                behind = text.lines[nth + 1 : nth + 2]  # where a chain of calls is broken
                rest = bare[found.end() :] or "".join(one.lstrip() for *_, one in behind)
                mine = at == line.at and text.file == line.text.file
                led = _LED.search(bare[: found.start()])
                if (led and led["mut"]) or not (
                    led or forms.match(rest) or (none.match(rest) and mine)
                ):
                    return False
    return True
