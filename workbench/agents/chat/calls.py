"""With what a function was called, and whether by another one, where a question says so."""

import re
from collections.abc import Iterator
from itertools import pairwise

from analyzers.names import common
from workbench.agents.chat.clauses import QUOTED, affirmed
from workbench.agents.chat.lines import Numbered
from workbench.agents.chat.talk import Talk, Told, quoting
from workbench.claims.printed import arguments_of
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.facts import Frame, Stack

_MOST_STACKS = 200
_MOST_FRAMES = 64
_MOST = 3
_CALLED = re.compile(
    r"(?i)\b(?P<function>[\w:~]+)(?:\(\))?\s+(?:(?:ever|really|also|just)\s+)?"
    r"(?:called|invoked|given|passed|entered)\s+(?:with\s+)?(?P<what>.+)"
    r"|\bcall(?:s|ed)?\s+(?P<called>[\w:~]+)(?:\(\))?\s+with\s+(?P<given>.+)"
)
_NAME = r"[\w:~$]+(?:\.[\w$]+)*"
_DID_CALL = re.compile(
    rf"(?i)\b(?:do|does|did|has|have)\s+(?P<outer>{_NAME})(?:\(\))?\s+(?:directly\s+)?call(?:ed)?\s+"
    rf"(?P<inner>{_NAME})(?:\(\))?\W*$"
    rf"|\b(?:is|was|were)\s+(?P<called>{_NAME})(?:\(\))?\s+(?:directly\s+)?called\s+(?:by|from)\s+"
    rf"(?P<by>{_NAME})(?:\(\))?\W*$"
)
_TRACED = re.compile(r"^\s{0,12}at (?:[\w.@-]{1,200}/)?(?P<method>[\w.$<>]{1,400})\(")
"""A line of Java's or .NET's."""
_NULL = re.compile(r"(?i)\b(?:null|nullptr|nil)\b")
_NUMBER = re.compile(r"(?i)(?<![\w.])-?(?:0x[0-9a-f]{1,16}|\d{1,19})(?![\w.])")


def called_with(talk: Talk) -> Iterator[Claim]:
    """The calls of the named function that stand on the stacks, first those with what the question
    says: which neither proves that it was not called so before, nor, of an argument that is no
    longer what it was at first, that it was."""
    for clause in affirmed(talk.asked.text):
        match = _CALLED.search(clause)
        if match is None:
            continue
        function = match["function"] or match["called"]
        calls = list(_calls(talk, function))
        if not calls:
            continue
        stated = match["what"] or match["given"]
        same = [one for one in calls if _has(one[1], stated)]
        ours = same or calls
        for stack, frame in ours[:_MOST]:
            where = f" in thread {stack.thread}" if len(calls) > 1 and stack.thread else ""
            text = talk.line_of(stack.cite.evidence, frame.line_no)
            yield from quoting(
                f"The call{where}, its arguments as they are now", stack.cite.evidence,
                frame.line_no, text,
            )  # fmt: skip


def callers(talk: Talk) -> Iterator[Told]:
    """That one function called another, where the one stands next to the other on a stack: what
    called it before, no stack tells."""
    for clause in affirmed(talk.asked.text):
        match = _DID_CALL.search(clause)
        if match is None:
            continue
        inner, outer = match["inner"] or match["called"], match["outer"] or match["by"]
        for stack in talk.state.facts.all(Stack)[:_MOST_STACKS]:
            pairs = pairwise(stack.frames[:_MOST_FRAMES])
            lines = [
                caller.line_no
                for one, caller in pairs
                if _is_called(one, inner) and _is_called(caller, outer)
                if caller.index == one.index + 1 and caller.trust != "scan"
            ]
            for claim in talk.quote("Called from", stack.cite.evidence, lines[0] if lines else 0):
                yield Told(claim, True, clause)
                return
        for line in _in_a_trace(talk, inner, outer):
            for claim in talk.quote("Called from", line.evidence, line.number):
                yield Told(claim, True, clause)
                return


def _in_a_trace(talk: Talk, inner: str, outer: str) -> Iterator[Numbered]:
    """The lines of an exception's trace in which one method stands right below the other."""
    lines = {(line.evidence, line.number): line for line in talk.lines}
    for (evidence, number), line in lines.items():
        below = talk.line_of(evidence, number + 1)
        if _is_method(line.text, inner) and _is_method(below, outer):
            yield Numbered(evidence, line.command, number + 1, below)


def _is_method(line: str, name: str) -> bool:
    found = _TRACED.match(line)
    return found is not None and f".{found['method']}".endswith(f".{name}")


def _is_called(frame: Frame, name: str) -> bool:
    function = (frame.function or "").split("(", 1)[0]
    last = function.rpartition("::")[2], function.rpartition(".")[2]
    return name in (function, common(function), *last)


def _calls(talk: Talk, function: str) -> Iterator[tuple[Stack, Frame]]:
    """The frames of a function with what is known of its arguments, each thread's once."""
    seen: set[tuple[int | None, int]] = set()
    stacks = talk.state.facts.all(Stack)[:_MOST_STACKS]
    threads = [stack for stack in stacks if stack.thread is not None]
    for stack in threads or stacks:
        for frame in stack.frames[:_MOST_FRAMES]:
            if (
                _is_called(frame, function)
                and "=" in frame.args
                and (stack.thread, frame.index) not in seen
            ):
                seen.add((stack.thread, frame.index))
                yield stack, frame


def _has(frame: Frame, stated: str) -> bool:
    """True for a call whose arguments, those that are named or else any, have what is stated."""
    found = dict(arguments_of(frame.args[:4000]))
    named = {name: value for name, value in found.items() if re.search(rf"\b{name}\b", stated)}
    values = (named or found).values()
    texts = [text[0][1:-1] for text in QUOTED.finditer(stated)]
    numbers = [scalar(number) for number in _NUMBER.findall(QUOTED.sub(" ", stated))]
    numbers += [0] if _NULL.search(stated) else []
    words = {*re.findall(r"\b[A-Z][A-Z0-9_]+\b", stated)}
    return any(
        (scalar(value) is not None and scalar(value) in numbers)
        or value in words
        or any(f'"{text}"' in value for text in texts)
        for value in values
    )
