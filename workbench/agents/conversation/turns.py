"""The next turn by plain code: one question, or what the experts conclude."""

import asyncio
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from workbench.agents.chat.answer import ChatPorts, answer, gather
from workbench.agents.chat.lines import Numbered
from workbench.agents.conversation.standing_out import standing_out
from workbench.agents.conversation.wanting import questions
from workbench.agents.critic import judged_claims
from workbench.model.chat import Reply
from workbench.model.conversation import Turn, TurnKind
from workbench.model.evidence import Evidence
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation

IN_A_ROW = 3
"""Questions that are asked before something is proposed."""
MOST_QUESTIONS = 8
NOT_PROVED = "No cause is proved by these files."


async def next_turn(ports: ChatPorts) -> Turn:
    """What to say next. Never raises on any text."""
    state = ports.state
    reply = await reply_to(ports, _last_words(state))
    if _must_ask(state):
        left = questions(state, await _gravest(ports))
        if left:
            return Turn(id=next_id(state), kind=TurnKind.QUESTION, text=left[0], reply=reply)
    return replace(await solution(ports), reply=reply)


async def _gravest(ports: ChatPorts) -> Claim | None:
    """The gravest line of plain logs, for a first question; None once something was asked."""
    state = ports.state
    if state.conversation:
        return None
    texts = {name: await ports.text(name) for name in state.evidence}
    items = list(state.evidence.values())
    found = await asyncio.to_thread(lambda: standing_out(_lines(items, texts)))
    return found[0] if found else None


def next_id(state: Investigation) -> str:
    """The id of the turn that comes."""
    return f"T{len(state.conversation) + 1}"


async def reply_to(ports: ChatPorts, words: str) -> Reply | None:
    """Where the evidence denies what the person said; None where it does not."""
    if not words.strip():
        return None
    reply = await asyncio.to_thread(answer, await gather(ports, words))
    return Reply(contradictions=reply.contradictions) if reply.contradictions else None


def _last_words(state: Investigation) -> str:
    """What the person said last: at first the question that the analysis is about."""
    if not state.conversation:
        return state.options.issue or ""
    return state.conversation[-1].answer or ""


def concluded(state: Investigation) -> tuple[Claim, ...]:
    """The held sentences of a cause that the judge selected."""
    conclusion, judgement = state.conclusion, state.judgement
    if conclusion is None or judgement is None or judgement.selected is None:
        return ()
    return tuple(claim for claim in conclusion.claims if claim.status == "held")


def _must_ask(state: Investigation) -> bool:
    """A cause that is proved is proposed; else a few questions go before each proposal. Where a
    person corrects what is proved, the experts ask for what would decide it."""
    turns = state.conversation
    if not may_ask(state):
        return False
    since = len(turns)
    for place, turn in enumerate(turns):
        if turn.kind is TurnKind.SOLUTION:
            since = place
    if concluded(state):
        texts = {tuple(c.text for c in turn.claims) for turn in turns}
        known = tuple(claim.text for claim in concluded(state)) in texts
        return known and bool(turns) and turns[-1].kind is TurnKind.SOLUTION
    in_a_row = len(turns) if since == len(turns) else len(turns) - since - 1
    return in_a_row < IN_A_ROW


def may_ask(state: Investigation) -> bool:
    """False once so much was asked that only proposals are left."""
    asked = [turn for turn in state.conversation if turn.kind is TurnKind.QUESTION]
    return len(asked) < MOST_QUESTIONS


async def final_turn(ports: ChatPorts) -> Turn:
    """What the conversation came to: the solution that was proposed last, or what today's evidence
    carries where none was."""
    state = ports.state
    last = state.conversation[-1] if state.conversation else None
    if last is None or last.kind is not TurnKind.SOLUTION:
        last = await solution(ports)
    return replace(
        last, id=next_id(state), kind=TurnKind.FINAL, reply=None, answer=None, heard=False
    )


async def solution(ports: ChatPorts) -> Turn:
    """What today's evidence carries: the experts' cause, else what stands out and what would
    decide it."""
    state = ports.state
    conclusion = state.conclusion
    claims = concluded(state)
    advice = conclusion.recommendations if conclusion is not None else ()
    missing = conclusion.missing if conclusion is not None else ()
    if claims:
        category = conclusion.category.replace("-", " ") if conclusion is not None else ""
        sure = conclusion.confidence if conclusion is not None else 0.0
        text = f"{category.capitalize()}, with a confidence of {sure:.2f}."
    else:
        text = NOT_PROVED
        claims = await _what_is_there(ports)
        missing = missing or ("what a debugger, a sanitizer or a runtime printed",)
    return Turn(
        id=next_id(state),
        kind=TurnKind.SOLUTION,
        text=text,
        claims=claims,
        advice=advice,
        missing=missing,
    )


async def _what_is_there(ports: ChatPorts) -> tuple[Claim, ...]:
    """Held sentences of an open case: of the likeliest cause, of lines that stand out, and of what
    the person's question is about."""
    state = ports.state
    drafts = list(state.conclusion.claims) if state.conclusion is not None else []
    texts = {name: await ports.text(name) for name in state.evidence}
    items = list(state.evidence.values())
    drafts += await asyncio.to_thread(lambda: standing_out(_lines(items, texts)))
    if state.options.issue:
        context = await gather(ports, state.options.issue)
        drafts += (await asyncio.to_thread(answer, context)).held
    once = [*{draft.citations: draft for draft in reversed(drafts)}.values()][::-1]
    judged = await asyncio.to_thread(judged_claims, once, state, lambda name: texts[name])
    return tuple(claim for claim in judged if claim.status == "held")[:8]


def _lines(items: Sequence[Evidence], texts: dict[str, str]) -> Iterator[Numbered]:
    """The lines of what the files hold."""
    for item in items:
        if not item.command.startswith("@") and item.source != "user":
            for number, line in enumerate(texts[item.id].split("\n"), 1):
                yield Numbered(item.id, item.command, number, line)
