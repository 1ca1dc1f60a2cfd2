"""``crashinfo``: what a runtime that was compiled ahead of time kept of its own end."""

import re

from analyzers.base import Document
from analyzers.log.text import sentence
from analyzers.sos.text import lines_of
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Note

# SOS, CrashInfoService.cs: enum CrashReason; the command writes its name.
_REASON = re.compile(r"^\s{0,8}CrashReason:\s{1,12}(?P<reason>\w{3,40})\s*$")
_MESSAGE = re.compile(r"^\s{0,8}Message:\s{1,16}(?P<message>\S.{0,1000})$")
_HRESULT = re.compile(r"^\s{0,8}HResult:\s{1,16}[0-9A-Fa-f]{8}\s*$")
_REASONS = {
    "UnhandledException": Category.UNCAUGHT_EXCEPTION,
    "EnvironmentFailFast": Category.EXPLICIT_ABORT,
    "InternalFailFast": None,
}


def read(document: Document) -> list[AnyFact]:
    """One `Finding`, unless the exception itself stands below."""
    if "CrashReason:" not in document.text or "Exception type:" in document.text:
        return []
    reason: re.Match[str] | None = None
    message: tuple[int, str] | None = None
    line = last = 0
    notes: list[Note] = []
    for number, text in lines_of(document):
        begun = _REASON.match(text)
        if begun is not None and reason is None:
            reason, line, last = begun, number, number
        elif reason is None:
            continue
        elif (said := _MESSAGE.match(text)) is not None and message is None:
            message, last = (number, said["message"]), number
        elif _HRESULT.match(text) and not notes:
            notes.append(Note(text=sentence(text.strip()), line=number))
            last = max(last, number)
    if reason is None or reason["reason"] not in _REASONS:
        return []
    category = _REASONS[reason["reason"]]
    if message is not None:
        notes.insert(0, Note(text=sentence(reason[0].strip()), line=line))
    said_line, words = message if message is not None else (line, reason[0].strip())
    return [
        Finding(
            cite=document.cite(line, last), tool="the .NET runtime", kind=reason["reason"],
            message=sentence(words), line=said_line, rank=1,
            category=category.value if category is not None else None, notes=tuple(notes),
        )
    ]  # fmt: skip
