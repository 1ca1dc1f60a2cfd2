"""The next turn by plain code: one question, or what the experts conclude."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from workbench.agents.chat.answer import ChatPorts, answer, gather
from workbench.agents.chat.asked import read
from workbench.agents.chat.clauses import asks, only_asks
from workbench.agents.chat.lines import Numbered
from workbench.agents.chat.talk import quoting
from workbench.agents.chat.words import content_words
from workbench.agents.conversation.failures import Failure, Files, read_files
from workbench.agents.conversation.files import Line, file_of
from workbench.agents.conversation.known import no_facts, questions
from workbench.agents.conversation.standing_out import sort_of, standing_out
from workbench.agents.conversation.whens import fits, whens
from workbench.agents.conversation.wording import ABOUT, ASIDE, NOT_READ, UNCHANGED
from workbench.agents.report.view import sentence
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.conversation import Reply, Turn, TurnKind
from workbench.model.investigation import Investigation

IN_A_ROW = 3
"""Questions that are asked before something is proposed."""
MOST_QUESTIONS = 8
MOST_CHOICES = 6
MOST_SHOWN = 3
"""Lines that stand out, for an answer where no cause is proved."""
_IN_HEALTH = "not read: "
_FAR = -100.0
_GENERAL = frozenset({"crash", "cause", "advice", "where", "source", "exception", "log"})
_NEEDS_A_MODEL = (
    "a model (`--tier local`), where a design or a plan is asked for: code alone reads failures"
)
NOT_PROVED = "No cause is proved by these files."


async def next_turn(ports: ChatPorts) -> Turn:
    """What to say next. Never raises on any text."""
    state = ports.state
    files = await read_files(ports)
    last = state.conversation[-1].answer if state.conversation else state.options.issue
    reply = await _reply_to(ports, files, last or "")
    turn = which_one(files) or await _turn(ports, files)
    return replace(turn, reply=reply, notes=(*_new_notes(files), *turn.notes))


async def _turn(ports: ChatPorts, files: Files) -> Turn:
    state = ports.state
    last = state.conversation[-1] if state.conversation else None
    if last is not None and last.kind is TurnKind.QUESTION and only_asks(last.answer or ""):
        kept = Turn(id=next_id(state), kind=last.kind, text=last.text, claims=last.claims)
        return kept  # it still stands
    if _must_ask(state):
        grave = [] if state.conversation else await asyncio.to_thread(_standing_out, files)
        left = questions(files, *grave[:1])
        if left:
            return Turn(id=next_id(state), kind=TurnKind.QUESTION, text=left[0])
    turn = await solution(ports, files)
    before = [one for one in state.conversation if one.kind is TurnKind.SOLUTION]
    if before and (before[-1].text, before[-1].claims) == (turn.text, turn.claims):
        return replace(turn, notes=(UNCHANGED,))
    return turn


def which_one(files: Files) -> Turn | None:
    """The question which of several unrelated failures is meant, once, where nothing that was said
    tells."""
    state = files.state
    reported = [one for one in files.failures if one.reported]
    asked = any(turn.kind is TurnKind.QUESTION and turn.claims for turn in state.conversation)
    proposed = any(turn.kind is TurnKind.SOLUTION for turn in state.conversation)
    if state.focus is not None or asked or proposed or len(reported) < 2:
        return None
    shown = reported[:MOST_CHOICES]
    more = f" (the first {len(shown)} are shown)" if len(reported) > len(shown) else ""
    return Turn(
        id=next_id(state),
        kind=TurnKind.QUESTION,
        text=(
            f"These files hold {len(reported)} failures that have nothing to do with each other"
            f"{more}. Which one do you mean?"
        ),
        claims=tuple(one.head for one in shown),
    )


def _new_notes(files: Files) -> Iterator[str]:
    """What the person should know beside, each once: what was not read and why, as the folder's own
    health tells, which failure this is about, and which it is not."""
    state = files.state
    told = {note for turn in state.conversation for note in turn.notes}
    healths = [item.id for item in state.evidence.values() if item.command == "@health"]
    lines = files.texts.get(healths[-1], "").split("\n") if healths else []
    unread = (line.removeprefix(_IN_HEALTH) for line in lines if line.startswith(_IN_HEALTH))
    notes = [f"{NOT_READ}{text.strip()}" for text in unread]
    if state.focus is not None:
        notes.append(f"{ABOUT}{state.focus.subject}")
        aside = (one.head for one in files.failures if one.evidence <= state.left_out)
        notes += [f"{ASIDE}{head.text} ({head.citations[0]})" for head in aside]
    yield from (note for note in notes if note not in told)


def _standing_out(files: Files) -> list[Claim]:
    """The gravest lines, those before others that have to do with what was said: of the times that
    it names, with its words."""
    state = files.state
    said = " ".join([state.options.issue or "", *(t.answer or "" for t in state.conversation)])
    asked, named = read(said), whens(said)
    words = asked.words - _GENERAL
    stamps = {
        (line.evidence, line.number): line.stamp
        for lines in (files.lines.values() if named else ())
        for line in lines
    }

    def weight(line: Numbered) -> float:
        if line.evidence in state.left_out:
            return _FAR
        stamp = stamps.get((line.evidence, line.number))
        then = 0.0 if stamp is None else 2.0 if fits(named, stamp) else -1.0
        return then + min(2, len(words & content_words(line.text[:400])))

    items = (
        item
        for item in state.evidence.values()
        if not item.command.startswith("@") and item.source != "user"
    )
    lines = (
        Numbered(item.id, item.command, number, line)
        for item in items
        for number, line in enumerate(files.texts[item.id].split("\n"), 1)
    )
    return standing_out(lines, weight)


def next_id(state: Investigation) -> str:
    """The id of the turn that comes."""
    return f"T{len(state.conversation) + 1}"


async def _reply_to(ports: ChatPorts, files: Files, words: str) -> Reply | None:
    """Where the evidence denies what the person said, and what it says where they ask something
    back; None where there is neither. The question of the whole analysis is no such one: all turns
    together answer it."""
    if not words.strip():
        return None
    reply = await asyncio.to_thread(answer, await gather(ports, words))
    # A person wrote Markdown, and is free to correct what it says (ten million rows, not one).
    items = ports.state.evidence.values()
    measured = {item.id for item in items if not file_of(item).endswith(".md")}
    denied = (
        one
        for one in reply.contradictions
        if any(cite.evidence in measured for cite in one.claim.citations)
    )
    reply = replace(reply, contradictions=tuple(denied))
    if ports.state.conversation and asks(words):
        if "cause" in read(words).words and not reply.answers:
            return replace(reply, claims=(await _what_is_there(ports, files))[:MOST_SHOWN])
        return reply
    return Reply(contradictions=reply.contradictions) if reply.contradictions else None


def concluded(state: Investigation) -> tuple[Claim, ...]:
    """The held sentences of a cause that the judge selected."""
    selected = state.judgement.selected if state.judgement is not None else None
    return tuple(state.held) if selected is not None else ()


def _must_ask(state: Investigation) -> bool:
    """A cause that is proved is proposed; else a few questions go before each proposal. Where a
    person corrects what is proved, the experts ask for what would decide it."""
    turns = _taken(state)
    if not may_ask(state):
        return False
    if concluded(state):
        carried = [claim.text for claim in concluded(state)]
        proposed = any(set(carried) <= {c.text for c in turn.claims} for turn in turns)
        return proposed and turns[-1].kind is TurnKind.SOLUTION
    since = (turn.kind is not TurnKind.SOLUTION for turn in reversed(turns))
    return sum(takewhile(bool, since)) < IN_A_ROW


def may_ask(state: Investigation) -> bool:
    """False once so much was asked that only proposals are left."""
    asked = [turn for turn in _taken(state) if turn.kind is TurnKind.QUESTION]
    return len(asked) < MOST_QUESTIONS


def _taken(state: Investigation) -> list[Turn]:
    """The turns without those whose question the person met with one of their own."""
    return [
        turn
        for turn in state.conversation
        if turn.kind is not TurnKind.QUESTION or not only_asks(turn.answer or "")
    ]


async def final_turn(ports: ChatPorts) -> Turn:
    """What the conversation came to: the solution that was proposed last, or what today's evidence
    carries where none was."""
    state = ports.state
    last = state.conversation[-1] if state.conversation else None
    if last is None or last.kind is not TurnKind.SOLUTION:
        last = await solution(ports)
    kind = TurnKind.FINAL
    return replace(last, id=next_id(state), kind=kind, reply=None, answer=None, heard=False)


async def solution(ports: ChatPorts, files: Files | None = None) -> Turn:
    """What today's evidence carries: the experts' cause, else what stands out and what would
    decide it. ``files`` are read where they are not at hand."""
    state = ports.state
    files = files or await read_files(ports)
    conclusion = state.conclusion
    claims = concluded(state)
    advice = conclusion.recommendations if conclusion is not None else ()
    missing = conclusion.missing if conclusion is not None else ()
    if claims:
        claims = (*claims, *await asyncio.to_thread(_before, files))
        category = conclusion.category.words if conclusion is not None else ""
        sure = conclusion.confidence if conclusion is not None else 0.0
        text = f"{sentence(category)}, with a confidence of {sure:.2f}."
    else:
        text = NOT_PROVED
        claims = await _what_is_there(ports, files)
        proposed = state.hypotheses.values()
        if not missing or (proposed and all(map(state.is_set_aside, proposed))):
            missing = ("what a debugger, a sanitizer or a runtime printed of this failure",)
        if no_facts(state):
            missing = (*missing, _NEEDS_A_MODEL)
    return Turn(
        id=next_id(state),
        kind=TurnKind.SOLUTION,
        text=text,
        claims=claims,
        advice=advice,
        missing=missing,
    )


def _before(files: Files) -> tuple[Claim, ...]:
    """What stands before the failure each time, held."""
    live = [one for one in files.live if one.reported]
    if len(live) != 1:
        return ()
    return files.held(before_each(live[0], files.lines.get(live[0].files[0], [])))


async def _what_is_there(ports: ChatPorts, files: Files) -> tuple[Claim, ...]:
    """Held sentences of an open case: of the likeliest cause, of lines that stand out, and of what
    the person's question is about."""
    state = ports.state
    drafts = list(state.conclusion.claims) if state.conclusion is not None else []
    drafts += await asyncio.to_thread(_standing_out, files)
    if state.options.issue:
        context = await gather(ports, state.options.issue)
        drafts += (await asyncio.to_thread(answer, context)).held
    about = [d for d in drafts if not state.left_out & {cite.evidence for cite in d.citations}]
    once: dict[tuple[Citation, ...], Claim] = {}
    for draft in about or drafts:
        once.setdefault(draft.citations, draft)
    return (await asyncio.to_thread(files.held, once.values()))[:8]


# What stands before a failure each time that it happened.
_WITHIN = 300
"""Seconds before it."""
_BACK = 300
"""Lines before it."""
_MOST = 2
_APART = 60
"""Seconds between two times that are two."""


def before_each(failure: Failure, lines: Sequence[Line]) -> list[Claim]:
    """The messages that stand shortly before every one of its times and hardly ever else, quoted
    where they first do; nothing where it happened once."""
    at = {(line.evidence, line.number): index for index, line in enumerate(lines)}
    times: list[int] = []
    for line in failure.lines:
        index = at.get((line.evidence, line.number))
        if index is None or line.stamp is None:
            continue
        last = lines[times[-1]].stamp if times else None
        gap = line.stamp.after(last) if last is not None else None
        if not times or gap is None or gap >= _APART:
            times.append(index)
    if len(times) < 2:
        return []
    total = Counter(sort_of(line.text) for line in lines if line.own)
    each = [_sorts_before(index, lines) for index in times]
    common = [sort for sort in each[0] if all(sort in other for other in each[1:])]
    claims = []
    for sort in common:
        if total[sort] > 2 * len(times) or sort == failure.sort:
            continue
        line = lines[each[0][sort]]
        claims += quoting("Before it, each time", line.evidence, line.number, line.text)
    return claims[-_MOST:]


def _sorts_before(index: int, lines: Sequence[Line]) -> dict[str, int]:
    """Sorts of messages before a line, each with where it stands last, in order."""
    when = lines[index].stamp
    found: dict[str, int] = {}
    for place in range(index - 1, max(-1, index - _BACK), -1):
        line = lines[place]
        gap = when.after(line.stamp) if when is not None and line.stamp is not None else None
        if gap is None or gap > _WITHIN:
            break
        if line.own:
            found.setdefault(sort_of(line.text), place)
    return dict(reversed(found.items()))
