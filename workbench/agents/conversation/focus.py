"""Takes the failure that the person asks about into focus, and sets the others aside."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from workbench.agents import hypothesis
from workbench.agents.chat.answer import ChatPorts
from workbench.agents.chat.asked import Asked, read
from workbench.agents.chat.causes import categories_in
from workbench.agents.chat.meant import known_names
from workbench.agents.chat.words import content_words
from workbench.agents.conversation.failures import Failure, read_files
from workbench.agents.conversation.whens import When, fits, whens
from workbench.agents.tokens import Kind, Token, stands_in
from workbench.model.conversation import TurnKind
from workbench.model.events import AnyEvent, Focused, HypothesisMoved
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

_NAMED, _KIND, _TIME, _NOT_THEN = 6.0, 4.0, 4.0, -3.0
_LEAST, _AHEAD = 2.0, 1.5
_PLAIN = 0.6
"""What counts of a program's own log: it has more words than a report, and says less."""
_MOST_WORDS = 4.0
_LINES = 400
"""Lines of an item whose words are compared."""
_MARKS = ".,;:!?()'\""
_GENERAL = frozenset({"crash", "cause", "advice", "where", "source", "exception", "log", "happen"})
_ORDINALS = (
    ("1", "first", "one"), ("2", "second", "two"), ("3", "third", "three"),
    ("4", "fourth", "four"), ("5", "fifth", "five"), ("6", "sixth", "six"),
)  # fmt: skip
_PICKED = re.compile(
    r"(?i)^\W*(?:it(?:'s| is)\s+|i\s+mean\s+|the\s+|number\s+|no\.?\s*|#)*(?P<which>\w+)\b"
    r"(?:\s+(?:one|failure|crash))?\W*$"
)


class Choice(Struct, frozen=True):
    """The failure that fits best, and in a few words why."""

    failure: Failure
    why: str


def choose(
    said: str,
    found: Sequence[Failure],
    texts: Mapping[str, str],
    *,
    listed: bool = False,
    known: Collection[str] = (),
    least: float | None = None,
) -> Choice | None:
    """None where what was said speaks for none of them more than for another. ``listed`` when they
    were just shown with numbers; ``known`` are names that stand in the evidence, ``least`` how much
    must speak for one. Never raises."""
    if listed and (picked := _picked(said, found)) is not None:
        return Choice(picked, f'you said "{" ".join(said.split())[:60]}"')
    asked, named = read(said, known), whens(said)
    speaks = [_words_of(failure, texts) for failure in found]
    frequency = Counter(word for words in speaks for word in words)
    scored = []
    for failure, words in zip(found, speaks, strict=True):
        reasons: list[str] = []
        score = _named(said, failure, reasons) + _of_kind(said, failure, reasons)
        score += _at_the_time(named, failure, reasons)
        score += _speaks(asked, words, frequency, len(found), reasons)
        score += _holds(asked, failure, texts, reasons)
        score *= 1 if failure.reported else _PLAIN
        scored.append((score, failure, reasons))
    scored.sort(key=lambda row: -row[0])
    if not scored or scored[0][0] < (least or _LEAST):
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < _AHEAD:
        return None
    return Choice(scored[0][1], ", ".join(dict.fromkeys(scored[0][2]))[:200])


def _picked(said: str, found: Sequence[Failure]) -> Failure | None:
    match = _PICKED.match(said)
    which = match["which"].lower() if match is not None else ""
    if which == "last" and found:
        return found[-1]
    for failure, words in zip(found, _ORDINALS, strict=False):
        if which in words:
            return failure
    return None


def _named(said: str, failure: Failure, reasons: list[str]) -> float:
    """Files by their names, with or without the ending."""
    for name in failure.files:
        base = name.rpartition("/")[2]
        stem = base.rpartition(".")[0] or base
        for word in (name, base, stem):
            if len(word) > 2 and re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", said, re.I):
                reasons.append(f"you name {base}")
                return _NAMED
    return 0.0


def _of_kind(said: str, failure: Failure, reasons: list[str]) -> float:
    kinds = {str(category) for category in categories_in(said)}
    if failure.category is not None and failure.category in kinds:
        reasons.append(f"it is a {failure.category.replace('-', ' ')}")
        return _KIND
    return 0.0


def _at_the_time(named: list[When], failure: Failure, reasons: list[str]) -> float:
    stamps = failure.stamps
    if not named or not stamps:
        return 0.0
    then = [stamp for stamp in stamps if fits(named, stamp)]
    if not then:
        return _NOT_THEN
    words = " and ".join(f'"{one.word}"' for one in named)
    reasons.append(f"it was at {clock(then[0].second)}, and you say {words}")
    return _TIME * len(then) / len(stamps)


def clock(second: int) -> str:
    """A time of the day."""
    return f"{second // 3600:02}:{second // 60 % 60:02}"


def _words_of(failure: Failure, texts: Mapping[str, str]) -> frozenset[str]:
    lines = [line for id in failure.evidence for line in texts.get(id, "").split("\n")[:_LINES]]
    return content_words("\n".join(line[:400] for line in lines))


def _speaks(
    asked: Asked, words: frozenset[str], frequency: "Counter[str]", among: int, reasons: list[str]
) -> float:
    """Words that it shares with what was said, the more the fewer others have them."""
    score = 0.0
    shared: list[str] = []
    for word in sorted((asked.words & words) - _GENERAL):
        if frequency[word] < among:
            score += 1.5 * math.log(1 + among / frequency[word])
            said = next((w for w in asked.text.split() if word in content_words(w)), word)
            shared.append(f'"{said.strip(_MARKS)}"')
    if shared:
        reasons.append(f"it speaks of {' and '.join(dict.fromkeys(shared))}")
    return min(score, _MOST_WORDS)


def _holds(asked: Asked, failure: Failure, texts: Mapping[str, str], reasons: list[str]) -> float:
    """Functions, places and addresses."""
    tokens = [Token(Kind.SYMBOL, name, 0) for name in asked.names]
    tokens += [Token(Kind.NUMBER, f"{at:#x}", 0, at) for at in asked.addresses]
    score = 0.0
    for token in tokens[:10]:
        if any(stands_in(token, texts.get(id, "")) for id in failure.evidence):
            score += _NAMED
            reasons.append(f"it names {token.text}")
    return score


_LATER = 3.5
"""How much must speak for another failure once one is in focus."""
_CORRECTS = re.compile(
    r"(?i)\b(?:i mean\w*|i meant|rather|instead|other|wrong|"
    r"not (?:this|that|about|the)|no,)(?=\W|$)"
)


async def refocus(ports: ChatPorts) -> list[AnyEvent]:
    """Focus on what the last words of the person are about, hypotheses of other failures ruled out
    and new ones proposed; nothing where they are about what is in focus, or about none of them."""
    state = ports.state
    last = state.conversation[-1] if state.conversation else None
    said = (last.answer if last is not None else state.options.issue) or ""
    files = await read_files(ports)
    found, texts = files.failures, files.texts
    if len([one for one in found if one.reported]) + (state.focus is not None) < 2:
        found = [one for one in found if one.reported] and found
    if len(found) < 2 or not said.strip():
        return []
    listed = found
    if last is not None and last.kind is TurnKind.QUESTION and last.claims:
        heads = [claim.citations for claim in last.claims]
        listed = sorted(
            (one for one in found if one.head.citations in heads),
            key=lambda one: heads.index(one.head.citations),
        )
    known = known_names(state)
    later = state.focus is not None and not _CORRECTS.search(said)
    least = _LATER if later else None
    picked = await asyncio.to_thread(
        choose, said, listed, texts, listed=listed is not found, known=known, least=least
    )
    if picked is None and listed is not found:
        picked = await asyncio.to_thread(choose, said, found, texts, known=known, least=least)
    return [] if picked is None else _events(state, found, picked)


def _events(state: Investigation, found: list[Failure], choice: Choice) -> list[AnyEvent]:
    others = [one for one in found if one is not choice.failure]
    left_out = {id for one in others for id in one.evidence} - choice.failure.evidence
    if left_out <= state.left_out or not any(one.reported for one in others):
        return []
    subject = f"{choice.failure.head.text} ({choice.failure.head.citations[0]}): {choice.why}"
    focused = Focused(left_out=tuple(sorted(left_out, key=lambda id: int(id[1:]))), subject=subject)
    # What is proposed depends on the focus: both are committed together.
    after = replace(state, hypotheses=dict(state.hypotheses))
    at = state.updated_at
    assert at is not None
    after.apply(focused, at)
    moved = _moved(after)
    for event in moved:
        after.apply(event, at)
    return [focused, *moved, *hypothesis.propose(after)]


def _moved(state: Investigation) -> list[AnyEvent]:
    """What each hypothesis is now: ruled out with its failure, or to be tested again."""
    reason = "it is about another failure than the one that is asked about"
    return [
        HypothesisMoved(id=one.id, status=Status.REJECTED, by="engine", reason=reason)
        if state.is_set_aside(one)
        else HypothesisMoved(id=one.id, status=Status.APPROVED, by="engine")
        for one in state.hypotheses.values()
        if one.decided_by == "engine"
    ]
