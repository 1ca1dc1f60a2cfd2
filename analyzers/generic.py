"""The reader of last resort: what an output says first, and no facts."""

from analyzers.base import Analysis, Document, Unsettled

_LENGTH = 120
_LOOK_AT = 64 * 1024


class Generic(Unsettled):
    """Takes any output of any host."""

    name = "generic"

    def can_analyze(self, document: Document) -> bool:
        """Always True."""
        return True

    def analyze(self, document: Document) -> Analysis:
        """The first line that is not empty, cut; no facts."""
        for line in document.text[:_LOOK_AT].splitlines():
            words = "".join(c if c.isprintable() else " " for c in line[: 4 * _LENGTH]).split()
            if words:
                text = " ".join(words)
                return Analysis(text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…")
        return Analysis("No output")
