"""What a question names that no line measures, or gives a value of."""

import re
from collections.abc import Collection, Iterator, Sequence

from workbench.agents.chat.asked import ASKED, Asked
from workbench.agents.chat.measured import Measure, matching
from workbench.agents.chat.words import GENERAL, content_words
from workbench.model.claims import Claim

_WHICH = re.compile(
    r"\b(?:which|what)\s+(?P<thing>[a-z_]\w{1,24})\s+(?:was|is|were|are|did|does|has|had|caused|made|"
    r"failed|triggered|broke)\b",
    re.IGNORECASE,
)
VALUE_OF = re.compile(
    r"\bvalue\s+of\s+(?:the\s+)?(?:(?:variable|global)\s+)?([A-Za-z_]\w{0,60})\b", re.IGNORECASE
)
_ALWAYS = frozenset({"cause", "crash", "exception", "advice"})

_INDEX = re.compile(
    r"\(which is -?\d+\) >=|out of (?:range|bounds)\W{0,3}\[-?\d+|"
    r"IndexOutOfBounds\w*:\s*(?:index\s+)?-?\d",
    re.IGNORECASE,
)
"""An index as libstdc++ (``__n (which is 5) >= this->size()``), Go (``index out of range [5] with
length 3``) and Java write it."""


def unmeasured(asked: Asked, known: Sequence[Measure], denied: bool) -> Iterator[str]:
    """Amounts with a unit that the person states and nothing measures."""
    for amount in asked.amounts if not denied else ():
        if amount.family and amount.relation != ASKED and not matching(amount, known):
            yield f'No line that was found measures this: "{amount.said}".'


def unvalued(asked: Asked, told: Sequence[Claim], printed: Collection[str] = ()) -> Iterator[str]:
    """A thing of the program's own whose value is asked for, and that no answer gives. ``printed``
    are those that the debugger was asked for."""
    things = [match["thing"] for match in _WHICH.finditer(asked.text)]
    for thing in dict.fromkeys((*things, *VALUE_OF.findall(asked.text))):
        if thing in printed:
            continue
        if thing.lower() in GENERAL or thing.lower().removesuffix("s") in GENERAL:
            continue
        name = re.escape(thing)
        given = re.compile(
            rf"\b\w*{name}\w*\s*(?:[=:]|\bis\b|\bwas\b|\bof\b)\s*\S|\b{name}\w*\s+[\"'`\u201c(\[]?(?:\d|['\"`])",
            re.IGNORECASE,
        )
        if thing.lower() == "index" and any(_INDEX.search(claim.text) for claim in told):
            continue
        if told and not any(given.search(claim.text) for claim in told):
            yield f'No line that was found gives the value of "{thing}".'


_GUESS = re.compile(
    r"^\W*(?:so\s+)?(?:(?:it|this|that)\s+(?:was|is)|(?:was|is)\s+(?:it|this|that))\s+(?:an?|the)\s+"
    r"(?P<what>[^,;.?!]{3,60})",
    re.IGNORECASE,
)


def unspoken(asked: Asked, known: Sequence[str], denied: bool) -> Iterator[str]:
    """A guess of which no word stands in ``known``, the lines that were found."""
    match = _GUESS.match(asked.text) if not denied else None
    if match is None:
        return
    words = content_words(match["what"]) - _ALWAYS
    if words and not words & content_words("\n".join(known)):
        yield f'Nothing that was found speaks of "{match["what"].strip()}".'
