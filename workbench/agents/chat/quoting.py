"""Sentences that quote a line of evidence, so that what they say stands there as it is."""

import re

from workbench.claims.say import at, say
from workbench.claims.tokens import unaccented
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.text import printable

LONGEST = 240
"""Characters of a line that a sentence quotes."""
LEAD = "The evidence shows"
_MARKS = (('"', '"'), ("\u201c", "\u201d"), ("\u00ab", "\u00bb"))


def quote(line: str) -> str | None:
    """A line in quotation marks that it does not hold itself; None where nothing can be quoted."""
    words = re.sub(r"[\t\r\n\f\v]+", " ", unaccented(line)).strip()
    if len(words) > LONGEST:
        words = words[:LONGEST].rsplit(" ", 1)[0]
    if not words or printable(words) != words:
        return None
    for first, last in _MARKS:
        if first not in words and last not in words:
            return f"{first}{words}{last}"
    return None


def quoting(lead: str, evidence: str, line: int, text: str, *, by: str = "lead") -> list[Claim]:
    """``lead: "the line"``, citing it, as a list; empty where the line cannot be quoted, or is
    none (0). The lead of a line ``by`` its "log" is that log's name, as it is written."""
    quoted = quote(text) if line else None
    if quoted is None:
        return []
    cites = (Citation(evidence, line, line),)
    return [say("quote", cites, **{by: lead}, text=at(quoted[1:-1], cites, quoted))]
