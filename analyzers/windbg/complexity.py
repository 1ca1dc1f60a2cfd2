"""How hard it is to say what an output of Windows' debuggers means, by its command."""

import re

from analyzers.base import Document
from analyzers.sos.complexity import complexity_of as managed
from analyzers.sos.text import sos_command
from workbench.model.models import Complexity

# What every thread or process does, at once.
_MANY = re.compile(
    r"^~\*\s*(?:e\s*)?k|^!(?:uniqstack|stacks|findstack|process\s+0\s)", re.IGNORECASE
)
# One stack, registers, the event, lists whose rows are read into facts.
_SETTLED = re.compile(
    r"^(?:~\d+\s*s?\s*)?(?:k[bcdflnpv]*\b|r\b|~$|lm\w*|\.(?:exr|ecxr|lastevent|bugcheck)\b"
    r"|!(?:locks|cs|critsec|deadlock|runaway|heap\s+-s)\b)",
    re.IGNORECASE,
)


def complexity_of(document: Document) -> Complexity:
    """Of a command of SOS as SOS declares it; what no reader knows is moderate."""
    command = document.command[:200].strip()
    if _MANY.match(command):
        return Complexity.COMPLEX
    if sos_command(document) is not None:
        return managed(document)
    return Complexity.SIMPLE if _SETTLED.match(command) else Complexity.MODERATE
