"""What was asked and cannot be told, in sentences of plain code."""

import re
from collections.abc import Iterator, Sequence

from analyzers.patterns.case import Case
from analyzers.patterns.stuck import LOCKS
from workbench.agents.chat.asked import ASKED, Amount, Asked
from workbench.agents.chat.clauses import AS_IT_ENDED
from workbench.agents.chat.expressions import expressions
from workbench.agents.chat.values import Shown, uncalled
from workbench.agents.chat.words import ABSTRACT, COMPARING, content_words, is_general, is_plain
from workbench.agents.questions import open_hypotheses
from workbench.model.gdb_commands import selected_level
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

NOTHING_SAID = "Not found in the evidence."
_CAN_BE_ASKED = (
    "the value, type or size of a variable or an expression, who called a function, what a thread "
    "does or waits for, the cause, the signal, the registers or a number that an output names"
)
_OF_VALUES = COMPARING | {"point", "contain", "content", "text", "string", "character", "hold"}
_OF_TYPES = frozenset({
    "big", "large", "size", "byte", "object", "element", "entry", "slot",
    "buffer", "array", "block", "structure",
})  # fmt: skip
"""Words that ask for the value, or for the type and the size, of what is named."""
_MOST = 4
_MOST_MISSING = 3
_HISTORY = re.compile(
    r"(?i)\b(?:when|how (?:often|long(?! (?:is|are) \S+$))|since|ago|again|before|earlier|first|"
    r"became|becom\w+|com(?:es?|ing) from|came from|"
    r"reproducib\w+|intermittent\w*|freed|deleted|wrote|written|overwr\w+|corrupt\w*|clobber\w*|cleared|"
    r"changed|modified|allocated|unmapped|only (?:in|on|at))\b"
)
_STANDS = {
    Status.PROPOSED: "is proposed and waits for your decision",
    Status.APPROVED: "is approved and not tested yet",
    Status.TESTING: "is being tested",
}


def missed(asked: Asked, told: str) -> list[str]:
    """The words of a question, in order, of which nothing that is ``told`` speaks: an answer
    without them is one to another question."""
    ours = expressions(asked)
    named = " ".join([*asked.names, *ours, *asked.registers])
    ended = AS_IT_ENDED.search(asked.text)
    named += ended[0] if ended is not None else ""
    left = asked.words - ABSTRACT - content_words(f"{told} {named}")
    if any(one.startswith(("sizeof", "typeof")) for one in ours):
        left -= _OF_TYPES
    elif ours and not any(amount.relation == ASKED for amount in asked.amounts):
        left -= _OF_VALUES
    words = re.findall(r"0x[0-9a-f]+|[A-Za-z][\w'-]*", asked.text)
    return list(
        dict.fromkeys(word for word in words if not is_plain(word) and left & content_words(word))
    )


def not_understood(words: Sequence[str]) -> str:
    """One sentence for the words that nothing answers."""
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"Not understood, or not in the evidence: {quoted}. What can be asked: {_CAN_BE_ASKED}."


def _still_open(state: Investigation) -> Iterator[str]:
    for one in open_hypotheses(state)[:_MOST]:
        if one.status is Status.INCONCLUSIVE:
            how = f"was tested and is not decided{f': {one.reason}' if one.reason else ''}"
        else:
            how = f'{_STANDS[one.status]}: "{one.statement.rstrip(".")}"'
        yield f"{one.id} ({one.category.words}) {how.rstrip('.')}."


def of_the_moment(asked: Asked, state: Investigation) -> Iterator[str]:
    """What no dump tells, where a question has a word of what was before or elsewhere."""
    if _HISTORY.search(asked.text):
        what, more = ("This log tells what it printed", "")
        if not state.recorded:
            what = "A dump shows one moment"
            more = (
                "`workbench reproduce` (R on the screen), which watches the memory in another run; "
            )
            if any(item.host == "run" for item in state.evidence.values()):
                if state.origin is not None:
                    what += ", and the runs may have watched other memory"
                else:
                    what += ", and no run made here showed where it began"
                more = more if state.about.elsewhere else ""
        yield (
            f"{what}: not who did something to memory before, when or how often it happened, or "
            f"why a value came to be as it is. To find out: {more}the same run under "
            "AddressSanitizer, valgrind or rr, or a log with times."
        )


def unknown(
    asked: Asked,
    state: Investigation,
    *,
    unnamed: Sequence[str],
    unmeasured: Sequence[Amount],
    values: Sequence[Shown],
) -> Iterator[str]:
    """Names, values and amounts that nothing tells. ``unnamed`` are names that no line holds,
    ``unmeasured`` amounts that no line gives, ``values`` what the debugger printed."""
    looked_up = " ".join(one.expression for one in values)
    known = {one.value for one in values}  # the names of an enumeration
    for one in (one for one in values if not one.expression.startswith(("typeof(", "sizeof("))):
        if one.outside:
            yield one.outside
        elif one.is_absent and not (is_general(one.expression) or one.expression in known):
            level = selected_level(state.evidence[one.evidence].command)
            where = f"frame {level}" if asked.frames else "the frames that were looked at"
            yield f"The debugger knows no {one.expression} in {where}."
    for name in unnamed:
        if name not in looked_up:
            yield f"Nothing in the evidence that was searched names {name}."
    yield from uncalled(asked, state)
    for amount in unmeasured:
        yield f'No line that was found measures this: "{amount.said}".'


def unheld(asked: Asked, state: Investigation) -> Iterator[str]:
    """The locks that are waited for whose words name no holder, where it is asked who holds one."""
    waits = Case(state.facts).waits.values() if "hold" in asked.words else ()
    ours = (one for one in waits if one.kind in LOCKS and one.owner is None and one.address)
    locks = dict.fromkeys((one.kind, one.address or 0) for one in ours)
    named = [one for one in locks if not asked.addresses or one[1] in asked.addresses]
    for kind, address in named[:_MOST]:
        yield f"Who holds the {kind} at {address:#x} is not known: its memory names no thread."


def undecided(asked: Asked, state: Investigation) -> Iterator[str]:
    """What is open where a cause or the hypotheses are asked for."""
    conclusion = state.conclusion
    if "cause" in asked.words and (conclusion is None or conclusion.hypothesis is None):
        yield "No cause is proved by the evidence."
        yield from _still_open(state)
        for text in conclusion.missing[:_MOST_MISSING] if conclusion is not None else ():
            yield f"What would help: {text}."
    elif "hypothesis" in asked.words:
        yield from _still_open(state)
