"""A question in its parts: each may ask openly, or take something for granted."""

import re
from collections.abc import Iterator

_END = re.compile(
    r"[.;!?](?:\s|$)|,\s+(?:and|but|or|so|because)?\s*|"
    r"\s+(?:and|but|or|so|because)\s+(?=(?:it|he|she|they|that|this|the|there|thread|was|were|is|"
    r"are|did|does|do|has|have|had|who|what|when|where|why|how|which|in|at|on)\b)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"^\W*(?:why|how|what|which|where|when|who|whose|whom|could|can|may|might|if|suppose)\b",
    re.IGNORECASE,
)


def clauses(text: str) -> Iterator[str]:
    """The parts of a question, in order; never empty ones."""
    for part in _END.split(text[:4000]):
        if part and part.strip(" ,"):
            yield part.strip(" ,")


def is_open(clause: str) -> bool:
    """True for what asks for something instead of stating it."""
    return _OPEN.match(clause) is not None
