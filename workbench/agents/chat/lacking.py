"""What a question names that no line measures, or gives a value of."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.chat.asked import ASKED, Asked
from workbench.agents.chat.measured import Measure, matching
from workbench.model.hypothesis import Claim

_WHICH = re.compile(
    r"\b(?:which|what)\s+(?P<thing>[a-z_]\w{1,24})\s+(?:was|is|were|are|did|does|has|had|caused|made|"
    r"failed|triggered|broke)\b",
    re.IGNORECASE,
)
_WORDS = """
thread threads line lines function functions file files module modules library signal type types
exception kind sort version system process lock locks stack value values address part code would
will could should happened did was is the an it else exactly really frame frames command caller
tool register registers instruction language runtime cause hypothesis evidence mutex monitor class
method object one ones os bug error message program category test tests
"""
_GENERAL = frozenset(_WORDS.split())
"""Things that are told by what they are, not by a value."""


def unmeasured(asked: Asked, known: Sequence[Measure], denied: bool) -> Iterator[str]:
    """Amounts with a unit that the person states and nothing measures."""
    for amount in asked.amounts if not denied else ():
        if amount.family and amount.relation != ASKED and not matching(amount, known):
            yield f'No line that was found measures this: "{amount.said}".'


def unvalued(asked: Asked, told: Sequence[Claim]) -> Iterator[str]:
    """A thing of the program's own whose value is asked for, and that no answer gives."""
    for match in _WHICH.finditer(asked.text):
        thing = match["thing"]
        if thing.lower() in _GENERAL or thing.lower().removesuffix("s") in _GENERAL:
            continue
        name = re.escape(thing)
        given = re.compile(
            rf"\b\w*{name}\w*\s*(?:[=:]|\bis\b|\bwas\b|\bof\b)\s*\S|\b{name}\w*\s+[\"'`\u201c(\[]?(?:\d|['\"`])",
            re.IGNORECASE,
        )
        if told and not any(given.search(claim.text) for claim in told):
            yield f'No line that was found gives the value of "{thing}".'
