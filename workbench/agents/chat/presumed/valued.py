"""A value that a variable or member is said to have."""

import re
from collections.abc import Iterator, Sequence

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.clauses import clauses, denies, is_open
from workbench.agents.chat.talk import Told
from workbench.agents.chat.values import Shown
from workbench.agents.chat.values import told as value_told
from workbench.claims.values import scalar

_IS = r"\s*(?:==?|\bis\b|\bwas\b|\bequals\b|\bholds\b)?\s*(?:exactly\s+|really\s+|equal\s+to\s+)?"
_NUMBER = r"(?P<number>-?(?:0[xX][0-9a-fA-F]{1,16}|\d{1,19}))(?![\w.])"
_NULL = r"(?P<null>null|nullptr|nil|NULL)\b"
_NOT = r"(?:a\s+)?"


def valued(asked: Asked, values: Sequence[Shown]) -> Iterator[Told]:
    """The values that a question states, as the debugger printed them or otherwise."""
    for clause in clauses(asked.text):
        for one in values if not (is_open(clause) or denies(clause)) else ():
            pattern = rf"{re.escape(one.expression)}(?![\w.\[]|->){_IS}{_NOT}(?:{_NUMBER}|{_NULL})"
            said, value = re.search(pattern, clause, re.IGNORECASE), scalar(one.value)
            if said is not None and value is not None:
                same = (int(said["number"], 0) if said["number"] else 0) == value
                yield from (Told(claim, same, clause) for claim in value_told(one))
