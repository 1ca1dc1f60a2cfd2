"""What may have written or released a member in Rust beside the line that a chain names: what its
module reads of it by other than shared references, and what borrows anything mutably or raw."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.assisted.code import Code, Line
from workbench.claims.source import Row, last_name, normal, unread
from workbench.claims.source.reach import READS_OF_RUST
from workbench.claims.source.shapes import member
from workbench.claims.source.text import RUST, words
from workbench.model.claims import Claim

_RAW = words(
    "write write_bytes write_volatile write_unaligned copy copy_nonoverlapping swap replace take "
    "transmute drop drop_in_place from_raw from_raw_parts_mut as_mut_ptr as_mut set_len assume_init"
)
"""Functions of the library that write to, release or hand out what they are given (std::ptr,
std::mem)."""


def may_in_rust(code: Code, before: Sequence[Claim], mine: Line) -> Iterator[Line]:
    """The lines, unless they ran before the links of ``before`` took what the member holds."""
    place = mine.of("target") or mine.of("expression")
    if mine.row.kind == "calls":
        place = mine.of("callee").rpartition(".")[0]
    field = member(place)
    taken = [
        link for link in before
        if link.kind in ("assigns", "calls")
        and f".{field}" in normal(f"{link.get('expression')} {link.get('arguments')}")
    ] if mine.row.kind == "frees" else []  # fmt: skip
    since = _in_main(code, str(taken[-1].get("function"))) if taken else None
    for line in _writing(code, field, code.owners.owner(place, mine.function)):
        ran = _in_main(code, line.function)
        loops = (one for one in code.lines if one.function == "main" and one.row.kind == "loops")
        if not (ran and since and max(ran) < min(since)) or any(
            one.at <= max(ran) and min(since) <= int(one.row.values["to"]) for one in loops
        ):
            yield line


def _in_main(code: Code, function: str) -> list[int]:
    """The lines of ``main`` that name a function; empty where others beside its own head do."""
    main = {line.at for line in code.lines if line.function == "main"}
    named = {at for _, at in code.named(function)}
    return sorted(named & main) if len(named - main) == 1 else []


def _writing(code: Code, field: str, struct: str | None) -> Iterator[Line]:
    used = re.compile(rf"\.{re.escape(field)}\b(?:\.(\w+)\()?")
    for line in code.lines:
        if line.text.language != RUST or "index" in line.row.values:
            continue
        of, kind = f"{line.of('callee')}({line.of('arguments')})", line.row.kind
        if (kind == "calls" and (
            any(found[1] and found[1] not in READS_OF_RUST for found in used.finditer(of))
            or last_name(line.of("callee")) in _RAW or member(line.of("callee")) in _RAW
            or ("&mut" in line.of("arguments") and not code.is_listed(line.of("callee")))
        )) or (kind == "assigns" and (
            line.of("target").startswith("*") or line.of("expression").startswith("&mut")
            or (struct and re.match(rf"(?:{struct}|Self)\b", line.of("expression")))
        )):  # fmt: skip
            yield line
        elif kind == "declares" and not line.of("of") and line.of("type") in (struct, "Self"):
            yield line  # it is released at the end of its function
    for text in code.texts:
        rows = set(unread(text)) if text.language == RUST else ()
        for cited, at, shown in text.lines:
            if at in rows and used.search(shown):
                yield Line(text, Row("unread", {"function": "", "at": at, "to": at}, cited))
