"""Who called whom, as a sentence says: a stack tells, or the caller's source."""

import re
from collections.abc import Sequence

from analyzers.owners.functions import is_runtime_name
from workbench.agents.known import Known, bare
from workbench.agents.relations.actors import plain_name
from workbench.agents.relations.parts import AT_PLACE, Answer, Relation, cased, named, names

_NEAR = 12
"""Frames between a function and one that it calls: those of a runtime are seldom named."""


def _reaches(caller: str, outer: Sequence[str]) -> bool:
    """True when nothing but a runtime lies between a function's frame and that of its caller."""
    for function in outer:
        if plain_name(function) == plain_name(caller):
            return True
        if function and not is_runtime_name(function):
            return False
    return False


def _calls(match: re.Match[str], known: Known) -> Answer:
    """A call is told by a stack, or by the caller's source text."""
    caller, callee = bare(named(match, "caller")), bare(named(match, "callee"))
    every = {plain_name(f) for f in known.functions | known.returned}
    caller, callee = plain_name(caller), plain_name(callee)
    if match["caller"] is None and caller not in every:
        return None  # a word like any other, as in "it was called by `main`"
    if match["callee"] is None and callee not in every:
        return None
    if caller == callee or not (caller in every or callee in every):
        return None
    near = (
        1 if re.search(r"\bdirectly\b", match.string[match.start() : match.end() + 12]) else _NEAR
    )
    for stack in known.stacks:
        for at, function in enumerate(stack[:1000]):
            if plain_name(function) == callee and _reaches(caller, stack[at + 1 : at + 1 + near]):
                return True
    if callee in {plain_name(function) for function in known.functions}:
        if any(word in match.string for word in ("through", "indirect", "eventual", "finally")):
            return None
        return False  # stacks show who called it
    written = re.compile(rf"(?<![\w:]){re.escape(callee)}\s*(?:<[^<>]*>)?\(")
    source = any(written.search(line) and not line.lstrip().startswith("#") for line in known.cited)
    return None if source else False


CALLS: tuple[Relation, ...] = (
    (
        cased(
            names("caller"),
            AT_PLACE,
            r",? (?:(?:which|that) )?(?:then |directly |itself )?",
            r"(?:calls|called|invokes|invoked|entered|had called|has called) (?:into "
            r")?(?:the function )?",
            r"`(?P<callee>[^`\n]+)`(?P<callee_>)",
        ),
        _calls,
    ),
    (
        cased(
            names("callee"),
            AT_PLACE,
            r",? (?:(?:which|that) )?(?:is |was |being |had been )?(?:called|invoked) ",
            r"(?:directly )?(?:by|from) ",
            names("caller"),
        ),
        _calls,
    ),
)
