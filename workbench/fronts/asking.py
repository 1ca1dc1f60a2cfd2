"""``workbench ask``: one question to a saved session, its answer on stdout."""

import asyncio
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

from workbench.agents.conversation.wording import contradictions
from workbench.delivery import check_output, deliver, on_signals, say
from workbench.engine.outcome import CONCLUDED, FAILED, INCONCLUSIVE, INTERRUPTED
from workbench.fronts.progress import show_steps, summary_line
from workbench.model.claims import Claim
from workbench.model.conversation import Exchange, Reply
from workbench.model.models import ModelWish
from workbench.model.text import json_text, printable
from workbench.opening import session_to_ask
from workbench.settings import Settings
from workbench.targets.errors import TargetError

if TYPE_CHECKING:
    from workbench.engine.session import Session


class Wanted(Struct, frozen=True, kw_only=True):
    """A question and how its answer is printed; ``timeout`` in seconds."""

    question: str
    format: str = "md"
    output: Path | None = None
    timeout: float | None = None


async def ask(folder: Path, wanted: Wanted, settings: Settings, models: ModelWish) -> int:
    """Answer and print; 0 when there is an answer, 1 when the evidence cannot tell or a part of the
    question was not understood, 3 when the time ran out, 130 interrupted. Raises `StoreError`,
    `TierMissing`, `TargetError`, `OSError`."""
    if not wanted.question.strip():
        raise TargetError("the question", "it is empty", 'ask something: ask ID "which thread?"')
    if wanted.output is not None:
        check_output(wanted.output)
    began = monotonic()
    session = await session_to_ask(folder, settings, models, wanted.timeout)
    try:
        return await _answered(session, wanted, monotonic() - began)
    finally:  # whatever went wrong: the database's thread would keep the process
        await session.close()


async def _answered(session: "Session", wanted: Wanted, opened: float) -> int:
    left = None if wanted.timeout is None else max(0.0, wanted.timeout - opened)
    end = show_steps(session)
    failed_before, spent_before = session.state.debugger_failed, dict(session.state.models.spent)
    try:
        asking = asyncio.ensure_future(session.ask_question(wanted.question))
        interrupted = on_signals(asking)
        await asyncio.wait([asking], timeout=left)
        if interrupted:
            return INTERRUPTED
        if not asking.done():
            asking.cancel()
            say(f"workbench: no answer within {wanted.timeout:g} s: give it more with --timeout")
            return FAILED
        exchange = asking.result()
        deliver(rendered(exchange, session.session_id, wanted.format), wanted.output)
        if exchange.reply is not None and exchange.reply.answers:
            return CONCLUDED
        failed = session.state.debugger_failed and not failed_before
        return FAILED if failed else INCONCLUSIVE
    finally:
        if spent := summary_line(session.state.models, spent_before):
            say(spent)
        end()


def rendered(exchange: Exchange, session_id: str, format: str) -> str:
    """An answer as ``md`` or ``json``: only what held, and what it cannot tell."""
    reply = exchange.reply or Reply()
    if format == "json":
        return _as_json(exchange, reply, session_id)
    return "\n".join(printable(line) for line in _lines(reply)) + "\n"


def _lines(reply: Reply) -> list[str]:
    against = [one.claim for one in reply.contradictions] if reply.verdict == "no" else []
    lines = [*contradictions(reply), ""] if reply.contradictions and not against else []
    if reply.verdict == "open":
        lines.append("Neither yes nor no is proved. The evidence says:")
    if told := [f"- {claim.cited}" for claim in (*against, *reply.held)]:
        if reply.verdict in ("yes", "no"):
            told[0] = f"{reply.verdict.capitalize()}:{told[0][1:]}"
        lines += [*told, ""]
    if reply.explanation:
        lines += [f"The model's explanation (not checked), by {reply.by}:", reply.explanation, ""]
    if reply.unknown:
        lines += [*reply.unknown, ""]
    if reply.advice:
        lines += ["What to do:", *(f"- {text}" for text in reply.advice), ""]
    if reply.looked:
        lines += [f"Looked up for this: {', '.join(reply.looked)}", ""]
    lines += [*(f"Note: {text}" for text in reply.notes)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _as_json(exchange: Exchange, reply: Reply, session_id: str) -> str:
    def row(claim: Claim) -> dict[str, object]:
        return {"text": claim.text, "citations": [str(cite) for cite in claim.citations]}

    shown = {
        "sessionId": session_id,
        "id": exchange.id,
        "question": exchange.question,
        "verdict": reply.verdict or None,
        "contradictions": [{"said": one.said, **row(one.claim)} for one in reply.contradictions],
        "answer": [row(claim) for claim in reply.held],
        "rejected": [
            {**row(claim), "reason": claim.reason} for claim in reply.claims if not claim.holds
        ],
        "explanation": {"text": reply.explanation, "model": reply.by, "checked": False}
        if reply.explanation
        else None,
        "unknown": reply.unknown,
        "advice": reply.advice,
        "evidence": reply.looked,
        "notes": reply.notes,
        "by": reply.by,
    }
    return json_text(shown)
