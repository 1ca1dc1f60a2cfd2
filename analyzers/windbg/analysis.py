"""The other fields of ``!analyze -v``: source lines, buckets; and what a program said itself."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import Line
from workbench.model.facts import AbortMessage, Bucket, SourceLine

_FIELD = re.compile(r"^(?P<key>[A-Z][A-Z0-9_]{2,40}):\s*(?P<value>.*)$")
_KEY = re.compile(r"^\s+Key\s*: (?P<key>[\w.]{2,80})$")
_VALUE = re.compile(r"^\s+Value\s*: (?P<value>.{0,400})$")
_CODE_ROW = re.compile(r"^(?P<mark>>?)\s*(?P<line>\d{1,7}): ?(?P<text>.*)$")
_BUCKETS = frozenset(
    {"FAILURE_BUCKET_ID", "DEFAULT_BUCKET_ID", "PRIMARY_PROBLEM_CLASS", "BUGCHECK_STR", "BUCKET_ID"}
)
_MOST = 60
# What assertions print (MSVC's CRT, Mozilla, Chromium, V8, the kernel's RtlAssert).
_ASSERTIONS = re.compile(
    r"Assertion fail(?:ure|ed)[:!]|Debug Assertion Failed!|\*\*\* Assertion failed:"
    r"|(?:Security )?[CD]?CHECK failed:|Check failed:|^#\s+Debug check failed:"
    r"|Assert(?:ion)? [(`'\"].{1,200}failed"
)
_LONGEST = 400


class Place:
    """Where the debugger says the fault is in the source; ``first`` to ``last`` say so. ``marked``
    is the line of source that it points at."""

    def __init__(self) -> None:
        self.file: str | None = None
        self.line: int | None = None
        self.first = self.last = 0
        self.marked: int | None = None
        self.text = ""

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
        if row["mark"] and place.marked is None:
            place.marked = int(row["line"])
            place.text = row["text"].strip()[:_LONGEST]
    return found, place


_DEADLOCK = re.compile(r"^\s*(Deadlock detected \(.{3,80}\)|Lock [A-Z]{1,2} = {1,6}.{1,200})")
"""What Driver Verifier's ``!deadlock`` says first, and the locks."""


def read_buckets(document: Document, lines: Sequence[Line]) -> list[Bucket]:
    """The words that ``!analyze`` sorts the failure by, old style and new, and ``!deadlock``'s."""
    found: list[Bucket] = []
    key = ""
    for line in lines:
        if (said := _DEADLOCK.match(line.text)) is not None:
            found.append(Bucket(cite=document.cite(line.number), key="!deadlock", text=said[1]))
        field = _FIELD.match(line.text)
        if field is not None and field["key"] in _BUCKETS and field["value"].strip():
            text = field["value"].strip()[:_LONGEST]
            found.append(Bucket(cite=document.cite(line.number), key=field["key"], text=text))
            continue
        named = _KEY.match(line.text)
        if named is not None:
            key = named["key"]
            continue
        value = _VALUE.match(line.text)
        if value is not None and key in ("Failure.Bucket", "Failure.ProblemClass.Primary"):
            text = value["value"].strip()
            found.append(Bucket(cite=document.cite(line.number), key=key, text=text))
            key = ""
        if len(found) >= _MOST:
            break
    return found


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
