"""Values that a log has of a variable: in a frame's arguments, or below it as ``bt full`` does."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from analyzers.names import bare
from workbench.agents import looking
from workbench.agents.chat.asked import Asked
from workbench.agents.chat.talk import Talk
from workbench.claims.printed import arguments_of, below
from workbench.claims.values import member
from workbench.model.facts import Frame, Stack

_MOST_STACKS = 200
_MOST_FRAMES = 100
_EXPRESSION = re.compile(r"(?P<root>[A-Za-z_]\w*)(?P<path>(?:\.\w+|\[\d+\])*)")


class Logged(NamedTuple):
    """A value, with its line and whose frame it is of."""

    value: str
    text: str
    evidence: str
    line: int
    function: str | None
    thread: int | None


def logged(expression: str, talk: Talk, asked: Asked) -> Logged | None:
    """What a log says a variable is, or a member of one that it prints whole: in the frames that
    the question names, else in the one that is blamed, then in the others, those of that thread
    first; None where no frame has such a variable."""
    match = _EXPRESSION.fullmatch(expression)
    if match is None:
        return None
    thread, index = looking.place(talk.state)
    wanted = {looking.tid(talk.state, one) for one in asked.threads} | {*asked.threads}
    stacks = talk.state.facts.all(Stack)[:_MOST_STACKS]
    if wanted:
        stacks = [one for one in stacks if one.thread in wanted or one.number in wanted]
    frames = [(one, frame) for one in stacks for frame in one.frames[:_MOST_FRAMES]]
    if asked.frames:
        frames = [one for one in frames if one[1].index in asked.frames]
    placed = [one for one in frames if bare(one[1].function or "") in asked.names]
    ours = placed or frames
    ours.sort(
        key=lambda at: (at[0].thread != thread, (at[0].thread, at[1].index) != (thread, index))
    )
    for stack, frame in ours:
        for line, name, value in _variables(stack, frame, talk):
            found = value if not match["path"] else member(value, match["path"])
            if name == match["root"] and found:
                text = talk.line_of(stack.cite.evidence, line)
                at = stack.cite.evidence
                return Logged(found, text, at, line, frame.function, stack.thread)
    return None


def _variables(stack: Stack, frame: Frame, talk: Talk) -> Iterator[tuple[int, str, str]]:
    for name, value in arguments_of(frame.args[:4000]):
        yield frame.line_no, name, value
    if frame.line_no:
        yield from below(talk.book.lines(stack.cite.evidence), frame.line_no)
