"""The tool loop: a model asks, tools answer, until it concludes or a guard ends it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.agents.assisted import checkpoints, context, toolbox
from workbench.agents.assisted.arguments import NEW
from workbench.agents.assisted.context import CATEGORIES, ENDING, Row, fenced, summary
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.numbered import short, whole_lines
from workbench.agents.assisted.reading import Readings
from workbench.agents.ports import Ports
from workbench.llm.contents import ALL, contents_in
from workbench.llm.errors import Fault
from workbench.llm.fences import Fenced, as_data
from workbench.llm.port import Answer, Message, ToolCall
from workbench.model.assisted_events import (
    HistoryDropped,
    IterationEnded,
    LoopEnded,
    ToolUse,
    ToolUsed,
)
from workbench.model.events import StoppedBy
from workbench.model.investigation import Investigation
from workbench.model.models import Content

_ANSWERS = 16_384
"""Characters that the answers to one iteration's calls share."""
_LEAST = 400
_REMARKS = 2000
_NAME = 60
_NEARLY = 0.75
_OF_THE_HISTORY = (Fault.UNSUPPORTED, Fault.TOO_LONG, Fault.REFUSED)
"""Without the conversation the same question may pass."""
_GO_ON = "Call a tool, or analysis_complete when the evidence carries the cause."
_DUE = "Older messages are dropped after your next answer: call checkpoint_complete in it."


async def investigate(helper: Helper, readings: Readings) -> None:
    """Run the loop, or go on with it where a run that was killed left off."""
    ended = helper.ports.state.assisted.loop
    if ended is not None and not ended.lost:
        return
    if helper.limit is not None:
        await helper.ports.record(LoopEnded(limit=helper.limit.value, reason=helper.failed))
    elif not helper.gone:
        async with helper.at_work("investigation"):
            await _Loop(helper, readings).run()


class _Loop:
    """``_history`` is the conversation since the last checkpoint; all else is in the state."""

    def __init__(self, helper: Helper, readings: Readings) -> None:
        self._helper = helper
        self._readings = readings
        self._ports: Ports = helper.ports
        self._history: list[Message] = []
        self._opening: dict[int, dict[str, Any]] = {}

    @property
    def _state(self) -> Investigation:
        return self._ports.state

    async def run(self) -> None:
        """Until the model concludes, gives nothing more, or a limit is reached."""
        while True:
            limit = reached(self._state)
            if limit is not None:
                return await self._end(limit[0].value, limit[1])
            answer = await self._answer()
            if answer is None and self._helper.gone:
                by = self._helper.limit
                return await self._end(by.value if by else None, self._helper.failed, lost=not by)
            done, progress = await self._work_off(answer) if answer else (False, False)
            tokens, seconds = self._helper.taken()
            await self._ports.record(
                IterationEnded(
                    number=self._state.assisted.iterations + 1,
                    progress=progress,
                    tokens=tokens,
                    seconds=seconds,
                )
            )
            if done:
                return await self._end(None, "the model has concluded")
            await self._prune()

    async def _end(self, limit: str | None, reason: str, *, lost: bool = False) -> None:
        await self._ports.record(LoopEnded(limit=limit, reason=reason, lost=lost))

    async def _answer(self) -> Answer[Any] | None:
        """The next answer; a provider that cannot carry the conversation gets checkpoints only."""
        helper = self._helper
        answer = await self._asked()
        if answer is None and self._history and helper.fault in _OF_THE_HISTORY:
            await self._ports.record(HistoryDropped(why=helper.failed))
            await checkpoints.by_code(self._ports)
            self._forget()
            answer = await self._asked()
        return answer

    async def _asked(self) -> Answer[Any] | None:
        return await self._helper.ask(
            "investigate", self._values, tools=toolbox.offered(self._state), history=self._history
        )

    async def _values(self, size: int) -> dict[str, Any]:
        """The same while the conversation grows, so that a provider's cache serves its start."""
        if size not in self._opening:
            state = self._state
            self._opening = {
                size: {
                    "summary": await summary(self._ports, size),
                    "checkpoint": shown(state, size // 2),
                    "categories": CATEGORIES,
                    "debugger": state.host,
                    "kinds": context.stating(size),
                    "origins": context.ORIGIN_KINDS,
                    "question": state.options.issue or "",
                }
            }
        return self._opening[size]

    async def _work_off(self, answer: Answer[Any]) -> tuple[bool, bool]:
        """Do what an answer asks for; whether it concluded, and whether anything new came."""
        limits = self._state.options.limits
        calls = answer.calls
        worked = calls[: limits.calls_an_iteration]
        uses: list[ToolUse] = []
        done = False
        for call in worked:
            if done or self._spent():
                break
            use, done = await toolbox.use(self._ports, call.name, call.arguments)
            await self._ports.record(ToolUsed(use=use))
            uses.append(use)
        left = len(calls) - len(uses) + answer.dropped
        read = await self._read(uses)
        self._remember(answer.text, worked[: len(uses)], uses, left, read)
        return done, any(use.outcome == NEW and toolbox.learns(use.tool) for use in uses)

    async def _read(self, uses: Sequence[ToolUse]) -> str:
        """What a small model remarks on outputs of which only the beginning was shown."""
        asked = {name for use in uses if use.outcome == NEW for name in use.evidence}
        noted = await self._readings.read_now(asked, self._state.shown.excerpt)
        return fenced("remarks on them", context.remarks(self._state, noted), _REMARKS)

    def _spent(self) -> bool:
        limits, assisted = self._state.options.limits, self._state.assisted
        return assisted.tool_calls >= limits.tool_calls or assisted.meta_calls >= limits.meta_calls

    def _remember(
        self, text: str, calls: Sequence[ToolCall], uses: Sequence[ToolUse], left: int, read: str
    ) -> None:
        """Put an answer and its results into the conversation, each in its bound: what is in it is
        sent again with each question."""
        excerpt = self._state.shown.excerpt
        share = max(_ANSWERS, 2 * excerpt) // max(1, len(uses))
        cut = [repeated(call, min(excerpt, share)) for call in calls]
        self._history.append(Message("assistant", text[:excerpt], tuple(cut)))
        for call, use in zip(calls, uses, strict=True):
            shown = whole_lines(use.result, max(_LEAST, share))
            text = as_data(shown, use.tool, kinds_of(self._state, use))
            self._history.append(Message("tool", text, call_id=call.id))
        say = f"{read}\n" if read else ""
        say += f"{left} more calls in that answer were not looked at. " if left else ""
        every = self._state.options.limits.checkpoint_every
        due = (self._state.assisted.iterations + 2) % every == 0
        if self._state.has_room:
            due = self._filled() > _NEARLY
        if not uses or say or due:
            self._history.append(Message("user", say + (_DUE if due else _GO_ON)))

    async def _prune(self) -> None:
        """At every checkpoint the conversation begins anew from it."""
        every = max(1, self._state.options.limits.checkpoint_every)
        due = self._state.assisted.iterations % every == 0
        full = self._filled() > 1 or not self._state.assisted.history
        if due or full:
            await checkpoints.by_code(self._ports)
        if full or (due and not self._state.has_room):
            self._forget()

    def _filled(self) -> float:
        """The share of what is kept of a conversation that is taken."""
        length = sum(
            len(message.content)
            + sum(len(toolbox.written(call.arguments)) for call in message.calls)
            for message in self._history
        )
        return length / max(1, self._state.shown.conversation)

    def _forget(self) -> None:
        self._history.clear()
        self._opening.clear()


def repeated(call: ToolCall, most: int) -> ToolCall:
    """A model's own call as it is told of it: its arguments in about so many characters together,
    in order, each under its name; what is not text is cut as JSON."""
    call = replace(call, name=call.name[:_NAME])
    if len(toolbox.written(call.arguments)) <= most:
        return call
    kept: dict[str, Any] = {}
    for name, value in call.arguments.items():
        most -= len(name)
        if most <= 0:
            break
        text = value if isinstance(value, str) else toolbox.written(value)
        kept[name] = value if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"
        most -= len(text)
    return replace(call, arguments=kept)


def reached(state: Investigation) -> tuple[StoppedBy, str] | None:
    """The limit that the loop has come to, with the reason in one line; None while it may go on."""
    limits, done = state.options.limits, state.assisted
    if done.iterations >= limits.iterations:
        return StoppedBy.MAX_ITERATIONS, f"{done.iterations} iterations"
    if done.tool_calls >= limits.tool_calls:
        return StoppedBy.MAX_TOOL_CALLS, f"{done.tool_calls} tool calls"
    if done.meta_calls >= limits.meta_calls:
        return StoppedBy.MAX_TOOL_CALLS, f"{done.meta_calls} calls that ask nothing of the dump"
    if done.idle >= limits.idle_iterations:
        return StoppedBy.NO_PROGRESS, f"{done.idle} iterations led to nothing new"
    if done.tokens >= limits.tokens:
        return StoppedBy.MAX_TOKENS, f"{done.tokens} tokens"
    if done.seconds >= state.options.model_seconds:
        return StoppedBy.TIMEOUT, f"{done.seconds:.0f} s of waiting for a model"
    return None


def shown(state: Investigation, most: int) -> Fenced:
    """The last checkpoint as a model reads it, and what was asked, the newest with its answer."""
    assisted = state.assisted
    rows: list[Row] = []
    if assisted.checkpoints:
        last = assisted.checkpoints[-1]
        rows += context.rows_of_claims(state, last.facts, "fact: ")
        rows += [(short(f"next: {step}"), ENDING) for step in last.next_steps]
    rows += [
        (f"asked already: {use.tool} {use.arguments[:120]}: {use.outcome}", kinds_of(state, use))
        for use in reversed(list(assisted.by_call.values()))
    ]
    answers = [
        as_data(whole_lines(use.result, most // 4), use.tool, kinds_of(state, use))
        for use in [use for use in assisted.uses if use.iteration == assisted.iterations][:2]
    ]
    told = fenced("checkpoint", rows or [("nothing was asked yet", frozenset())], most // 2)
    return Fenced("\n".join([told, *answers]))


def kinds_of(state: Investigation, use: ToolUse) -> frozenset[Content]:
    """What a tool's answer holds of the dump: that of the commands behind it; the report of all."""
    items = [state.evidence[name] for name in use.evidence if name in state.evidence]
    if use.meta:
        return frozenset()
    return frozenset().union(*map(contents_in, items)) if items else ALL
