"""A value that a variable or member is said to have."""

import re
from collections.abc import Sequence

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.clauses import clauses, denies, is_open
from workbench.agents.chat.values import Shown
from workbench.agents.chat.values import told as value_told
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.conversation import Contradiction

_IS = r"\s*(?:==?|\bis\b|\bwas\b|\bequals\b|\bholds\b)?\s*(?:exactly\s+|really\s+|equal\s+to\s+)?"
_NUMBER = r"(?P<number>-?(?:0[xX][0-9a-fA-F]{1,16}|\d{1,19}))(?![\w.])"
_NULL = r"(?P<null>null|nullptr|nil|NULL)\b"
_NOT = r"(?:a\s+)?"


def told(asked: Asked, values: Sequence[Shown]) -> tuple[list[Contradiction], list[Claim]]:
    """What the debugger printed otherwise, and what is as it was stated."""
    denied: list[Contradiction] = []
    agreed: list[Claim] = []
    for clause in clauses(asked.text):
        if is_open(clause) or denies(clause):
            continue
        for one in values:
            pattern = rf"{re.escape(one.expression)}(?![\w.\[]|->){_IS}{_NOT}(?:{_NUMBER}|{_NULL})"
            said, value = re.search(pattern, clause, re.IGNORECASE), scalar(one.value)
            if said is None or value is None:
                continue
            for claim in value_told(one):
                if (int(said["number"], 0) if said["number"] else 0) == value:
                    agreed.append(claim)
                else:
                    denied.append(Contradiction(clause, claim))
    return denied, agreed
