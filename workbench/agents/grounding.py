"""Grounding: does every number, address, symbol and quoted string of a claim stand in the lines
that the claim cites?

The rule is the contract's: as it is, in the other base, or as a count, sum or difference that the
claim itself spells out. Words that only look like prose are not checked.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from workbench.agents.spelled_out import LONGEST, counted, derived, miscounted
from workbench.agents.tokens import Kind, Token, extract, inline_citations
from workbench.agents.units import wrong_unit
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Evidence

__all__ = ["Failure", "Reason", "check_claim", "extract", "grounded", "stands_in"]


MOST_TOKENS = 200
"""Things that one claim may state."""
LONG_QUOTE = 40
"""Characters from which on a quotation need not end where a word ends."""


class Reason(StrEnum):
    """Why a claim fails."""

    NOT_THERE = "not-there"
    NO_CITATION = "no-citation"
    NO_ITEM = "no-item"
    NO_LINES = "no-lines"


class Failure(Struct, frozen=True):
    """One token or citation that does not hold, and a sentence for the reader."""

    token: str
    reason: Reason
    detail: str


def grounded(claim: Claim, lines: Sequence[str]) -> list[Failure]:
    """The tokens of a claim that stand in none of the lines; empty when it holds.

    ``lines`` is the union of the lines that it cites. A claim that cites nothing fails as soon as
    it states a token. Never raises, whatever the text.
    """
    if len(claim.text) > LONGEST:
        detail = f"it has {len(claim.text)} characters, more than one claim can"
        return [Failure("", Reason.NOT_THERE, detail)]
    tokens = extract(claim.text)
    if not claim.citations and not inline_citations(claim.text):
        return [
            Failure(t.text, Reason.NO_CITATION, f"{t.shown} is stated without a citation")
            for t in tokens
        ]
    if len(tokens) > MOST_TOKENS:
        detail = f"it states {len(tokens)} things, more than one claim can"
        return [Failure("", Reason.NOT_THERE, detail)]
    # Backticks delimit names in a claim, so that one inside a name is written as an apostrophe.
    lines = [unaccented(line) for line in lines]
    text = "\n".join(lines)
    loose = [token for token in tokens if not stands_in(token, text)]
    counts = miscounted(claim.text, tokens, lines, stands_in)
    loose += [token for token in tokens if token.start in counts and token not in loose]
    unit = wrong_unit(claim.text, text)
    if not loose:
        return [] if unit is None else [Failure("", Reason.NOT_THERE, unit)]
    excused = derived(claim.text, lambda value: _number_stands(value, text)) | counted(
        claim.text, tokens, lines, stands_in
    )
    return [
        Failure(t.text, Reason.NOT_THERE, f"{t.shown} stands in none of the cited lines")
        for t in loose
        if t.value is None or (t.value, t.start) not in excused
    ]


def check_claim(
    claim: Claim, evidence: Mapping[str, Evidence], text_of: Callable[[str], str]
) -> list[Failure]:
    """Everything that is wrong with a claim: citations that lead nowhere, then loose tokens.

    A claim that cites nothing fails even without a token: the conclusion is made of cited claims.
    """
    cited = _citations(claim)
    if not cited:
        return grounded(claim, ()) or [
            Failure("", Reason.NO_CITATION, "it cites nothing that could be looked up")
        ]
    lines: list[str] = []
    failures: list[Failure] = []
    for citation in cited:
        found = lines_of(citation, evidence, text_of)
        if isinstance(found, Failure):
            failures.append(found)
        else:
            lines.extend(found)
    return failures + grounded(claim, lines)


def cited_lines(
    claim: Claim, evidence: Mapping[str, Evidence], text_of: Callable[[str], str]
) -> list[str]:
    """The lines of all its citations that lead somewhere."""
    found = (lines_of(citation, evidence, text_of) for citation in _citations(claim))
    return [line for lines in found if not isinstance(lines, Failure) for line in lines]


def _citations(claim: Claim) -> list[Citation]:
    return list(dict.fromkeys((*claim.citations, *inline_citations(claim.text))))


def lines_of(
    citation: Citation, evidence: Mapping[str, Evidence], text_of: Callable[[str], str]
) -> list[str] | Failure:
    """The lines that a citation names (split at LF only, as the store counts them)."""
    if citation.evidence not in evidence:
        return Failure(
            str(citation), Reason.NO_ITEM, f"there is no evidence item {citation.evidence}"
        )
    try:
        lines = text_of(citation.evidence).split("\n")
    except (LookupError, OSError):
        return Failure(
            str(citation), Reason.NO_ITEM, f"the text of {citation.evidence} cannot be read"
        )
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    if not citation.first:
        return lines
    last = citation.last or citation.first
    if not 1 <= citation.first <= last <= len(lines):
        return Failure(
            f"{citation.evidence}:{citation.first}-{last}",
            Reason.NO_LINES,
            f"{citation.evidence} has {len(lines)} lines, not lines {citation.first} to {last}",
        )
    return lines[citation.first - 1 : last]


def stands_in(token: Token, text: str) -> bool:
    """True when a token stands in a text: whole words only, spaces of any width alike."""
    match token.kind:
        case Kind.NUMBER:
            return token.value is not None and _number_stands(token.value, text)
        case Kind.PLACE:
            return _words_stand(token.text, text) or _place_stands(token.text, text)
        case Kind.SYMBOL:
            forms = (_words_stand(form, text) for form in _forms(token.text))
            return any(forms) or _member_stands(token.text, text)
        case Kind.WORD | Kind.QUOTE:
            return _words_stand(token.text, text)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def unaccented(line: str) -> str:
    """A line as a claim can quote it: backticks delimit names in a claim, and WinDbg puts them into
    the middle of a 64-bit number. A claim shows control characters as spaces."""
    return _CONTROL.sub(" ", _WIDE.sub(r"\1\2", line)).replace("`", "'")


_MEMBER = re.compile(r"[*&]?[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[\w{1,20}\])+")
_PART = re.compile(r"[A-Za-z_]\w*")


def _member_stands(path: str, text: str) -> bool:
    """A debugger prints a member as ``name = value`` within its variable: ``queue->head`` stands
    where each of its names does."""
    if not _MEMBER.fullmatch(path):
        return False
    return all(_words_stand(part, text) for part in _PART.findall(path))


def _forms(symbol: str) -> Iterable[str]:
    yield symbol
    if symbol.endswith("()") and len(symbol) > 2:
        yield symbol[:-2]


# WinDbg puts a grave accent into the middle of a 64-bit number.
_WIDE = re.compile(r"(?<![0-9A-Za-z_])((?:0x)?[0-9a-fA-F]{1,8})`([0-9a-fA-F]{8})(?![0-9A-Za-z_])")
_HEX_WORD = r"(?<![0-9A-Za-z_])(?<![0-9]\.)"
_UNIT = r"(?:(?:[munμµ]?s|[kKMGT]?i?B|%)(?![\w]))?"
"""What a log writes right behind an amount: ``30000ms``."""
_HEX_END = r"(?![0-9A-Za-z_]|\.[0-9])"


def _number_stands(value: int, text: str) -> bool:
    """A value in either base. A word without ``0x`` counts as hexadecimal only if it is long
    enough to be an address, so that ``0x10`` does not stand in "10 threads"."""
    size = abs(value)
    sign = r"(?<=-)" if value < 0 else ""
    digits = f"{size:x}"
    bare = rf"|0*{digits}" if _reads_as_hex(digits) else rf"|(?=[0-9a-f]{{8}})0+{digits}"
    # dotnet-dump and valgrind group the digits of large numbers.
    grouped = rf"|{size:,}" if size >= 1000 else ""
    pattern = rf"{_HEX_WORD}{sign}(?:0x0*{digits}|0*{size}{_UNIT}{bare}{grouped}){_HEX_END}"
    if re.search(pattern, text, re.IGNORECASE) or _is_windows_id(digits, text):
        return True
    if value >= 0:
        return False
    return any(_number_stands(value % (1 << bits), text) for bits in (64, 32) if size < 1 << bits)


def _is_windows_id(digits: str, text: str) -> bool:
    """True where WinDbg names a process or thread by this number, always in hexadecimal:
    ``(14a8.c04):``, ``Id: 14a8.c04``, ``OwningThread  88``, or an RPC cell's ``0278 0000.0001``."""
    ids = rf"(?:\(|\bid: |Last event: )(?:[0-9a-f]{{1,8}}\.)?0*{digits}(?=[.):\s])"
    cell = rf"^\s*0*{digits} [0-9a-f]{{4}}\.[0-9a-f]{{4}} "
    pattern = rf"{ids}|OwningThread\s*=?\s+0*{digits}\b|{cell}"
    return bool(re.search(pattern, text, re.IGNORECASE | re.MULTILINE))


def _reads_as_hex(digits: str) -> bool:
    if len(digits) >= 8 or (len(digits) >= 5 and digits.isdecimal() is False):
        return True
    return len(digits) == 4 and not digits.isdecimal() and not digits.isalpha()


def _words_stand(words: str, text: str) -> bool:
    parts = words.split()
    if not parts:
        return True
    body = r"[^\S\n]+".join(re.escape(part) for part in parts)
    before = r"(?<![0-9A-Za-z_])" if _is_word(parts[0][0]) else ""
    # A long quotation may be cut anywhere; a short one or a name may not.
    ends = _is_word(parts[-1][-1]) and len(words) < LONG_QUOTE
    after = r"(?![0-9A-Za-z_])" if ends else ""
    return re.search(before + body + after, text) is not None


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _place_stands(place: str, text: str) -> bool:
    """``ring.c:42`` also stands where gdb writes ``Line 42 of "ring.c"``, .NET ``ring.c:line 42``
    and WinDbg ``[d:\\src\\ring.c @ 42]``, ``ring.c(42)`` or a line for each."""
    file, _, number = place.rpartition(":")
    if not file:
        return False
    name, line = rf"(?<![0-9A-Za-z_.]){re.escape(file)}", rf"line:?\s+{re.escape(number)}(?![0-9])"
    pattern = (
        rf"{line}\s+of\s+(?:file\s+)?[\"']?(?:[^\"'\n]*/)?{name}|"
        rf"{name}[\"']?(?:,?\s+(?:on\s+)?|:){line}"
    )
    if re.search(pattern, text, re.IGNORECASE):
        return True
    windows = rf"{name} @ {re.escape(number)}(?![0-9])|{name}\({re.escape(number)}\)"
    if re.search(windows, text, re.IGNORECASE):
        return True
    said = rf"^FAULTING_SOURCE_LINE_NUMBER:\s+{re.escape(number)}$"
    return bool(re.search(said, text, re.MULTILINE) and re.search(name, text, re.IGNORECASE))
