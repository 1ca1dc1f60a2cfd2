"""How hard it is to say what an output of SOS means, by its command."""

import re

from analyzers.base import Document
from analyzers.sos.text import sos_command
from workbench.model.models import Complexity

# Tables and records whose every row is read into facts.
_SETTLED = frozenset(
    {
        "clrstack",
        "clrthreads",
        "eeheap",
        "eeversion",
        "finalizequeue",
        "ip2md",
        "pe",
        "syncblk",
        "threadpool",
        "threadstate",
    }
)
# What every thread does, at once.
_MANY = frozenset({"eestack", "parallelstacks", "pstacks", "uniquestacks"})
_ALL = re.compile(r"^~\*|\s-all\b", re.IGNORECASE)


def complexity_of(document: Document) -> Complexity:
    """Objects, heaps by type and what no reader knows are moderate; all threads' stacks complex."""
    name = sos_command(document)
    if name in _MANY or (name == "clrstack" and _ALL.search(document.command[:200])):
        return Complexity.COMPLEX
    return Complexity.SIMPLE if name in _SETTLED else Complexity.MODERATE
