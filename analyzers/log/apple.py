"""Apple's crash reports: the text of .crash files and the JSON of .ips files."""

from analyzers.base import Analysis, Document
from analyzers.log.apple_json import body_of, read_json
from analyzers.log.apple_text import read_text
from analyzers.log.text import lines_of


def read(document: Document) -> Analysis:
    """The text form, or the JSON form whose second line begins the report."""
    report = body_of(document.text) if document.text.lstrip().startswith("{") else None
    if report is not None:
        return read_json(document, *report)
    return read_text(document, list(lines_of(document)))
