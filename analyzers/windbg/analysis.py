"""The other fields of ``!analyze -v``: source lines, buckets; and what a program said itself."""

import re
from collections.abc import Sequence
from operator import itemgetter

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks, read_rows
from analyzers.windbg.text import Line, plain
from workbench.model.facts import AbortMessage, Bucket, SourceLine

_FIELD = re.compile(r"^(?P<key>[A-Z][A-Z0-9_]{2,40}):\s*(?P<value>.*)$")
_CODE_ROW = re.compile(r"^>?\s*(?P<line>\d{1,7}): ?(?P<text>.*)$")
_MOST = 60
# What assertions print (MSVC's CRT, Mozilla, Chromium, V8, the kernel's RtlAssert).
_ASSERTIONS = re.compile(
    r"Assertion fail(?:ure|ed)[:!]|Debug Assertion Failed!|\*\*\* Assertion failed:"
    r"|(?:Security )?[CD]?CHECK failed:|Check failed:|^#\s+Debug check failed:"
    r"|Assert(?:ion)? [(`'\"].{1,200}failed"
)
_LONGEST = 400


class Place:
    """Where the debugger says the fault is in the source; ``first`` to ``last`` say so."""

    def __init__(self) -> None:
        self.file: str | None = None
        self.line: int | None = None
        self.first = self.last = 0

    def add(self, line: int) -> None:
        """One more line that says it."""
        self.first = min(self.first or line, line)
        self.last = max(self.last, line)


def read_source(document: Document, lines: Sequence[Line]) -> tuple[list[SourceLine], Place]:
    """The lines of ``FAULTING_SOURCE_CODE``, and where the debugger says the fault is."""
    place = Place()
    found: list[SourceLine] = []
    listing = False
    wrapped = ""
    for line in lines:
        field = _FIELD.match(line.text)
        if field is not None:
            listing, wrapped = field["key"] == "FAULTING_SOURCE_CODE", ""
            value = field["value"].strip()
            if field["key"] in ("FAULTING_SOURCE_FILE", "FAULTING_SOURCE_LINE") and value:
                wrapped = field["key"]
                if place.file is None:
                    place.file = value
                place.add(line.number)
            elif field["key"] == "FAULTING_SOURCE_LINE_NUMBER" and re.fullmatch(r"\d{1,9}", value):
                place.line = int(value)
                place.add(line.number)
            continue
        if wrapped and line.text and place.file is not None and place.file.endswith("\\"):
            place.file += line.text.strip()  # a terminal of 80 columns wrapped the path
            place.add(line.number)
            continue
        wrapped = ""
        row = _CODE_ROW.match(line.text.lstrip()) if listing else None
        if row is None or len(found) >= _MOST:
            continue
        found.append(
            SourceLine(
                cite=document.cite(line.number),
                file=place.file,
                line=int(row["line"]),
                text=row["text"][:_LONGEST],
            )
        )
    return found, place


_BUCKETS = (
    re.compile(
        r"^(?P<key>(?:FAILURE_|DEFAULT_)?BUCKET_ID|PRIMARY_PROBLEM_CLASS|BUGCHECK_STR):\s*"
        r"(?P<text>\S.*)$"
    ),
    # What Driver Verifier's ``!deadlock`` says first, and the locks.
    re.compile(r"^\s*(?P<text>Deadlock detected \(.{3,80}\)|Lock [A-Z]{1,2} = {1,6}.{1,200})"),
)
_VALUE = re.compile(r"^\s+Value\s*: (?P<text>.{0,400})$")
_KEYS = Form(
    (re.compile(r"^\s+Key\s*: (?P<key>Failure\.(?:Bucket|ProblemClass\.Primary))$"),), (_VALUE,),
    end=re.compile(r"^\s+Key\s*: "), last=_VALUE,
)  # fmt: skip


def read_buckets(document: Document, lines: Sequence[Line]) -> list[Bucket]:
    """The words that ``!analyze`` sorts the failure by, old style and new, and ``!deadlock``'s."""
    texts = plain(lines)
    rows = [row for pattern in _BUCKETS for row in read_rows(pattern, texts)]
    rows += [{**block.values, "line": block.last} for block in read_blocks(_KEYS, texts)]
    return [
        Bucket(
            cite=document.cite(row["line"]),
            key=row.get("key", "!deadlock"),
            text=row["text"][:_LONGEST],
        )
        for row in sorted(rows, key=itemgetter("line"))[:_MOST]
        if "text" in row
    ]


def read_messages(document: Document, lines: Sequence[Line]) -> list[AbortMessage]:
    """What a failed assertion printed into the debugger or beside it."""
    found: list[AbortMessage] = []
    for line in lines:
        if line.prompt or not _ASSERTIONS.search(line.text) or len(found) >= _MOST:
            continue
        found.append(
            AbortMessage(cite=document.cite(line.number), text=line.text.strip()[:_LONGEST])
        )
    return found
