"""The reader of last resort: what an output says first, and no facts."""

from analyzers.base import Analysis, Document, Reader, moderate

_LENGTH = 120
_LOOK_AT = 64 * 1024


def read_first(document: Document) -> Analysis:
    """The first line that is not empty, cut; no facts."""
    for line in document.text[:_LOOK_AT].splitlines():
        words = "".join(c if c.isprintable() else " " for c in line[: 4 * _LENGTH]).split()
        if words:
            text = " ".join(words)
            return Analysis(text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…")
    return Analysis("No output")


GENERIC = Reader(read_first, level=moderate)
