"""What all readers of logs share: bounded lines, numbers, and how findings become facts."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.log.kinds import is_absurd
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Note, Role, Stack

MAX_LINE = 8192
MAX_LINES = 60_000
MAX_FINDINGS = 200
MAX_TEXT = 400

Lines = Iterable[tuple[int, str]]
Told = tuple[int, re.Match[str]]
"""A line's number, and what a pattern found in it."""
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def lines_of(document: Document) -> Iterator[tuple[int, str]]:
    """Line numbers from 1 with their lines, each cut at `MAX_LINE` characters."""
    for number, line in document.numbered()[:MAX_LINES]:
        yield number, line[:MAX_LINE].rstrip("\r")


def blocks_of(
    lines: list[tuple[int, str]], begins: Callable[[str], object], most: int = MAX_FINDINGS
) -> list[list[tuple[int, str]]]:
    """The lines of each report, from the one that begins it to the next one that does."""
    starts = [at for at, (_, line) in enumerate(lines) if begins(line)]
    return [lines[at:end] for at, end in zip(starts, [*starts[1:], len(lines)], strict=False)][
        :most
    ]


def notes_of(
    lines: Lines, pattern: re.Pattern[str], most: int = 12, without: int = 0
) -> tuple[Note, ...]:
    """The lines that tell more, in order, but for the one that is told already."""
    told = (n for n in lines if n[0] != without and pattern.search(n[1]))
    return tuple(Note(text=sentence(text), line=number) for number, text in islice(told, most))


def firsts(lines: Lines, patterns: Mapping[str, re.Pattern[str]]) -> dict[str, Told]:
    """By the name of each pattern the first line that it fits, and its match; a line tells what the
    first pattern that fits it does."""
    found: dict[str, Told] = {}
    for number, line in lines:
        tried = ((name, pattern.match(line)) for name, pattern in patterns.items())
        name, match = next(((name, m) for name, m in tried if m is not None), ("", None))
        if match is not None:
            found.setdefault(name, (number, match))
    return found


def address_of(text: str | None) -> int | None:
    """An address as printed, also a null one's words."""
    if text is None:
        return None
    return 0 if text in ("NULL", "(nil)") else hexadecimal(text)


_KINDS = {"read": "read", "write": "write", "instruction": "execute"}


def access_in(
    lines: Iterable[tuple[int, str]], patterns: Sequence[re.Pattern[str]]
) -> tuple[str | None, int | None, int | None, int]:
    """Kind, size, address and line of an access, as the first line says it that fits a pattern."""
    for number, line in lines:
        match = next((found for p in patterns if (found := p.search(line)) is not None), None)
        if match is not None:
            said = match.groupdict()
            kind = _KINDS.get(said["access"].lower())
            return kind, small(said.get("size")), address_of(said.get("address")), number
    return None, None, None, 0


def offset_of(groups: Mapping[str, str | None], pc: int | None) -> int | None:
    """Where code lies in its module: the ``offset`` that is told, else as far from its ``base``. Of
    an address below all modules Linux names the next one (find_vma() in print_vma_addr())."""
    offset, base = groups.get("offset"), groups.get("base")
    if offset or not base or pc is None or pc < hexadecimal(base):
        return hexadecimal(offset) if offset else None
    return pc - hexadecimal(base)


def small(digits: str | None) -> int | None:
    """A decimal number, or None for none and for one that is too long to mean anything."""
    return None if digits is None or len(digits) > 20 or not digits.isdecimal() else int(digits)


def sentence(text: str) -> str:
    """A line as a report may quote it: one line, bounded, no control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())[:MAX_TEXT]


def _ends_of(role: Role) -> tuple[int, int]:
    """The first and the last line of a stack, whatever order they are in."""
    lines = [frame.line_no for frame in role.frames]
    for frame in role.frames:
        lines += frame.file_lines or ()
    return min(lines), max(lines)


def _sized(finding: Finding) -> Finding:
    """Memory does not run out for a size that no memory has: what computed it went wrong."""
    out = finding.category == Category.OUT_OF_MEMORY.value
    if not out or not is_absurd(finding.message, finding.size):
        return finding
    return replace(finding, category=Category.INTEGER_OVERFLOW, sure=False)


def analysis_of(
    document: Document, findings: list[Finding], others: Iterable[AnyFact] | None = None
) -> Analysis:
    """The findings with the ``others``; without any given the stack of the first one that has one
    is the current stack, unless the process outlived it."""
    findings = [_sized(finding) for finding in findings[:MAX_FINDINGS]]
    facts: list[AnyFact] = [*findings, *(others or ())]
    for finding in findings if others is None else ():
        if finding.ends is False:
            continue
        role = next((r for r in finding.stacks if r.role in ("access", "leak") and r.frames), None)
        if role is not None:
            facts.append(
                Stack(
                    cite=document.cite(*_ends_of(role)),
                    name=role.name,
                    frames=role.frames,
                    current=True,
                )
            )
            break
    if not findings:
        return Analysis("Nothing readable", tuple(facts))
    first = findings[0]
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    said = tuple(f"{f.tool}: {f.message[:160]} [{document.cite(f.line)}]" for f in findings[:20])
    return Analysis(f"{first.tool}: {first.message[:120]}{more}", tuple(facts), said)
