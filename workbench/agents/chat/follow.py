"""What "it", "its" and "that thread" of a question mean: what the questions before were about."""

import re
from collections.abc import Iterator

from workbench.agents.chat.asked import read, untagged
from workbench.agents.chat.clauses import AS_IT_ENDED
from workbench.agents.chat.expressions import expressions
from workbench.model.conversation import Exchange
from workbench.model.investigation import Investigation

_BACK = 4
"""Earlier questions that are looked at."""
_THREAD = re.compile(
    r"(?i)\b(?:that|this|the same)\s+(?:thread|one)\b(?!\s+#?\d)(?P<of>['\u2019]s)?"
)
_LOCK = re.compile(r"(?i)\b(?:that|this|the same)\s+(?:lock|mutex|condition(?: variable)?)\b")
_IT = re.compile(  # "threads that wait", "the block that p points to": none of an earlier answer
    r"(?i)(?P<relative>\b(?:the|an?|any|each|every)\s+[\w-]+\s+that\b)|"
    r"\b(?:it|(?<!threads )(?<!locks )(?<!frames )(?<!functions )that)\b"
    r"(?!\s*(?:->|\.\w|\[|['\u2019]s?\b))(?!\s+(?:thread|lock|mutex))"
)
_ITS = re.compile(r"\bits\b", re.IGNORECASE)
_ONLY_IT = re.compile(r"(?i)^\W*(?:and\s+)?what(?:'s|\s+is|\s+was)\s+(?:it|that)\W*$")
_OF_LOCK = re.compile(
    r"(?i)\b(?:who|which threads?|what)\s+(?:else\s+)?"
    r"(?:holds?|owns?|held|took|locked|has|waits? for)\b"
)
_OF_THREAD = re.compile(  # what a thread does, has, or suffers
    r"(?i)\b(?:it|that)\s+(?:(?:is|was|be|been|still|just|now|currently|really)\s+)*(?:do(?:es|ing)?|"
    r"wait\w*|hold\w*|block\w*|stuck|run\w*|stand\w*|call\w*|name\w*|sleep\w*|spin\w*|hang\w*|"
    r"hung)\b|\bits\s+(?:\w+\s+)?(?:stack|state|name|backtrace|frames?|lwp|locks?)\b"
    r"|\b(?:stack|state|name|backtrace|frames?|lwp)\s+of\s+(?:it|that)\b"
    r"|\b(?:block|wake)\w*\s+(?:it|that)\b"
)
_FAILURE = re.compile(
    r"(?i)\b(?:an?|the)\s+(?:[\w-]+\s+){0,4}?(?:dereference|access|overflow|overrun|leak|deadlock|race|"
    r"crash|bug|error|problem|corruption|free|hang|failure)\b"
)
"""What no value is, but all that happened."""
_OF_VALUE = re.compile(
    r"(?i)\b(?:values?|null|nil|point\w*|"
    r"type(?! of (?:an? |the )?(?:exception|error|crash|fault|signal|failure)\b)|"
    r"set|member\w*|fields?|contain\w*|equal\w*|zero|look like)\b"
)
_WAITS_AT = re.compile(r"\b(?:waits? for|mutex|condition|lock)\b[^.;]*?\b(0x[0-9a-f]{4,16})\b")


def resolved(question: str, state: Investigation) -> str:
    """The question with its pronouns replaced by what they stand for; itself where it has none, or
    nothing before it fits."""
    before = [one for one in state.chat if one.reply is not None][-_BACK:]
    if not before:
        return question
    if (thread := next(_threads(before), None)) is not None:
        question = _THREAD.sub(lambda m: f"thread {thread}{m['of'] or ''}", question)
    lock = next(_locks(before), None)
    if lock is not None:
        question = _LOCK.sub(f"the lock at {lock}", question)
    plain = untagged(question)
    asked = AS_IT_ENDED.sub("", plain)  # "when it crashed": the process
    it = next((one for one in _IT.finditer(asked) if one["relative"] is None), None)
    if not (it or _ITS.search(plain)):
        return question
    value = next(_values(before), None)
    if lock is not None and _OF_LOCK.search(question):
        meant = f"the lock at {lock}"
    elif value is not None and (
        (_OF_VALUE.search(question) and not _FAILURE.search(question))
        or (thread is None and _ONLY_IT.match(question))
    ):
        meant = value
    elif thread is not None and _OF_THREAD.search(question):
        meant = f"thread {thread}"
    else:
        return question
    plain = f"{plain[: it.start()]}{meant}{plain[it.end() :]}" if it is not None else plain
    return _ITS.sub(lambda _: f"{meant}'s", plain, count=1)


def _threads(before: list[Exchange]) -> Iterator[int]:
    """Threads that the questions before asked about, or were answered with, the last first."""
    for one in reversed(before):
        yield from reversed(read(one.question).threads)
        for claim in one.reply.held if one.reply is not None else ():
            if isinstance(thread := claim.get("thread"), int):
                yield thread
            yield from read(claim.text).threads


def _locks(before: list[Exchange]) -> Iterator[str]:
    for one in reversed(before):
        for claim in one.reply.held if one.reply is not None else ():
            if isinstance(lock := claim.get("lock"), int):
                yield f"{lock:#x}"
            yield from _WAITS_AT.findall(claim.text)


def _values(before: list[Exchange]) -> Iterator[str]:
    for one in reversed(before):
        yield from reversed(expressions(read(one.question)))
