"""Which functions say nothing of a crash, and which only pass it on: what its signature leaves out.

Names are as `analyzers.signature.normal` gives them. A name of a list need not be a library's: what
waits for a lock says nothing of why, whoever wrote it. The lists follow the sources that the
comments name; how they are used is Socorro's (siggen: irrelevant and prefix signatures).
"""

import re
from pathlib import Path

from workbench.model.lists import parts_of

_LISTS = dict(parts_of(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")))
_SAYS_NOTHING, _PASSES_ON = (
    re.compile("|".join(f"(?:{name})" for name in _LISTS[which]))
    for which in ("irrelevant", "prefix")
)


def is_irrelevant(name: str) -> bool:
    """True for a function that says nothing of the cause."""
    return bool(_SAYS_NOTHING.match(name))


def is_prefix(name: str) -> bool:
    """True for a function that only meets the problem of its caller."""
    return bool(_PASSES_ON.match(name))
