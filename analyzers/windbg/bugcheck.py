"""Bug checks: ``!analyze -v`` of a kernel dump, ``.bugcheck``, and the line that a break prints."""

import re
from collections.abc import Sequence
from itertools import islice

from analyzers.base import Document, hexadecimal
from analyzers.blocks import Block, Form, read_blocks, read_rows
from analyzers.windbg.text import HEX, Line, plain
from workbench.model.facts import BugArgument, BugCheck

# "PAGE_FAULT_IN_NONPAGED_AREA (50)", then text, "Arguments:", "Arg1: value, meaning"; a stop of
# Application Verifier, which has nothing to do with the kernel, looks the same.
_NAME = re.compile(
    r"^\s*(?P<name>(?!APPLICATION_VERIFIER_)[A-Z][A-Z0-9_]{5,80}) \((?P<x_code>[0-9a-fA-F]{1,8})\)$"
)
_ARGUMENT = re.compile(rf"^\s*Arg[1-4]: (?P<x_value>{HEX})(?:(?:,|\s{{2}})\s*(?P<meaning>.*))?$")
_BUGCHECK = re.compile(
    rf"^\s*(?:Bugcheck code|BugCheck|\*\*\* Fatal System Error: 0x)\s*"
    rf"(?P<x_code>[0-9a-fA-F]{{1,8}})\b,?(?:\s*\{{(?P<words>{HEX}(?:,\s*{HEX}){{0,3}})\}})?"
)
# Below it: "Arguments a b c d", or "(0xa,0xb,0xc,0xd)" where the system broke into the debugger.
_ARGUMENTS = re.compile(
    rf"^(?:Arguments |\s{{1,40}}\()(?P<words>{HEX}(?:(?:\s+|,\s*){HEX}){{3}})\)?\s*$"
)
_SORTED = re.compile(
    r"^\s{0,8}BUGCHECK_(?:STR|CODE):\s{1,4}(?:0x)?(?P<x_code>[0-9A-Fa-f]{1,3})(?:_\w*)?\s*$"
)
_PARAMETER = re.compile(rf"^\s{{0,8}}BUGCHECK_P[1-4]:\s{{1,4}}(?P<x_value>{HEX})\s*$")
_STOP = re.compile(
    rf"^\s*\*\*\* STOP: (?:0x)?(?P<x_code>[0-9A-Fa-f]{{1,8}}) "
    rf"\((?P<words>{HEX}(?:,\s*{HEX}){{3}})\)"
)
_BRIEF = Form((_BUGCHECK, _STOP), (_ARGUMENTS,), strict=True)
_FULL = Form((_NAME,), rows=(_ARGUMENT,), most=4)


def read_bugchecks(document: Document, lines: Sequence[Line]) -> list[BugCheck]:
    """The stop code with its arguments; that of ``!analyze -v`` stands last, as the fullest."""
    texts = plain(lines)
    found = [_brief(document, block) for block in read_blocks(_BRIEF, texts)[:1]]
    ends = max((n for n, text in texts if text.strip()), default=0)  # it may be cut there
    blocks = list(read_blocks(_FULL, texts))
    full = [b for b in blocks if len(b.rows) == 4 or (b.rows and b.last == ends)]
    found += [_analyzed(document, block, lines) for block in full[:1]]
    return found or _sorted(document, lines)


def _brief(document: Document, block: Block) -> BugCheck:
    line = block.where.get("words", block.first)
    words = re.findall(HEX, block.values["words"] or "")
    return BugCheck(
        cite=document.cite(block.first, block.last),
        code=block.values["code"],
        arguments=tuple(BugArgument(value=hexadecimal(word), line=line) for word in words),
    )


def _sorted(document: Document, lines: Sequence[Line]) -> list[BugCheck]:
    """The stop code, by which ``!analyze`` sorts, with its parameters where they stand below: what
    is left where somebody pasted no more than the end of it."""
    texts = plain(lines)
    found = list(islice(read_rows(_SORTED, texts), 1))
    words = [
        row for row in read_rows(_PARAMETER, texts) if found and row["line"] > found[0]["line"]
    ]
    return [
        BugCheck(
            cite=document.cite(row["line"]),
            code=row["code"],
            arguments=tuple(BugArgument(**word) for word in words[:4]),
        )
        for row in found
    ]


def _analyzed(document: Document, block: Block, lines: Sequence[Line]) -> BugCheck:
    """What ``!analyze -v`` says; a meaning that goes on in the next line says what it is before."""
    below = lines[block.first].text.strip()
    return BugCheck(
        cite=document.cite(block.first, block.last),
        **block.values,
        says="" if _ARGUMENT.match(below) else below[:600],
        arguments=tuple(
            BugArgument(**{**row, "meaning": (row["meaning"] or "")[:300]}) for row in block.rows
        ),
    )
