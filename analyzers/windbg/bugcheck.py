"""Bug checks: ``!analyze -v`` of a kernel dump, ``.bugcheck``, and the line that a break prints."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import HEX, Line, number
from workbench.model.facts import BugArgument, BugCheck

# "PAGE_FAULT_IN_NONPAGED_AREA (50)", then text, "Arguments:", "Arg1: value, meaning".
_NAME = re.compile(r"^(?P<name>[A-Z][A-Z0-9_]{5,80}) \((?P<code>[0-9a-fA-F]{1,8})\)$")
_ARGUMENT = re.compile(rf"^Arg(?P<n>[1-4]): (?P<value>{HEX})(?:(?:,|\s{{2}})\s*(?P<meaning>.*))?$")
_BUGCHECK = re.compile(
    rf"^(?:Bugcheck code|BugCheck|\*\*\* Fatal System Error: 0x)\s*(?P<code>[0-9a-fA-F]{{1,8}})\b,?"
    rf"(?:\s*\{{(?P<words>{HEX}(?:,\s*{HEX}){{0,3}})\}})?"
)
# Below it: "Arguments a b c d", or "(0xa,0xb,0xc,0xd)" where the system broke into the debugger.
_ARGUMENTS = re.compile(
    rf"^(?:Arguments |\s{{1,40}}\()(?P<words>{HEX}(?:(?:\s+|,\s*){HEX}){{3}})\)?\s*$"
)
_SORTED = re.compile(
    r"^\s{0,8}BUGCHECK_(?:STR|CODE):\s{1,4}0x(?P<code>[0-9A-Fa-f]{1,3})(?:_\w*)?\s*$"
)
_STOP = re.compile(
    rf"^\*\*\* STOP: (?:0x)?(?P<code>[0-9A-Fa-f]{{1,8}}) \((?P<words>{HEX}(?:,\s*{HEX}){{3}})\)"
)


def read_bugchecks(document: Document, lines: Sequence[Line]) -> list[BugCheck]:
    """The stop code with its arguments; that of ``!analyze -v`` stands last, as the fullest."""
    brief: BugCheck | None = None
    for at, line in enumerate(lines):
        text = line.text.strip()
        short = _BUGCHECK.match(text) or _STOP.match(text)
        if short is not None and brief is None:
            words = short["words"]
            last = line.number
            if words is None and at + 1 < len(lines):
                below = _ARGUMENTS.match(lines[at + 1].text)
                words, last = (below["words"], last + 1) if below else (None, last)
            brief = BugCheck(
                cite=document.cite(line.number, last),
                code=int(short["code"], 16),
                arguments=tuple(
                    BugArgument(value=number(word), line=last)
                    for word in re.findall(HEX, words or "")
                ),
            )
    found = [brief] if brief is not None else []
    full = _analyzed(document, lines)
    if full is not None:
        return [*found, full]
    return found or _sorted(document, lines)


def _sorted(document: Document, lines: Sequence[Line]) -> list[BugCheck]:
    """The stop code alone, by which ``!analyze`` sorts: what is left where somebody pasted no more
    than the end of it."""
    for line in lines:
        named = _SORTED.match(line.text)
        if named is not None:
            return [BugCheck(cite=document.cite(line.number), code=int(named["code"], 16))]
    return []


def _analyzed(document: Document, lines: Sequence[Line]) -> BugCheck | None:
    for at, line in enumerate(lines):
        name = _NAME.match(line.text.strip())
        if name is None:
            continue
        arguments = _arguments(lines[at + 1 : at + 60])
        if len(arguments) < 4:
            continue
        says = []
        below = lines[at + 1] if at + 1 < len(lines) else line
        if below.text and not below.prompt and not _ARGUMENT.match(below.text.strip()):
            says.append(below.text.strip())
        return BugCheck(
            cite=document.cite(line.number, arguments[-1].line),
            code=int(name["code"], 16),
            name=name["name"],
            says=" ".join(says)[:600],
            arguments=arguments,
        )
    return None


def _arguments(lines: Sequence[Line]) -> tuple[BugArgument, ...]:
    found: list[BugArgument] = []
    for line in lines:
        argument = _ARGUMENT.match(line.text.strip())
        if argument is not None:
            found.append(
                BugArgument(
                    value=number(argument["value"]),
                    meaning=(argument["meaning"] or "").strip()[:300],
                    line=line.number,
                )
            )
        elif found and line.text.startswith(("\t", "  ")):
            continue  # a meaning that goes on: the first line of it says what it is
        elif len(found) >= 4 or (found and line.prompt):
            break
    return tuple(found[:4])
