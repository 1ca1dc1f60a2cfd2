"""Asks a model for a role, and bears whatever comes of it: the experts' run never depends on it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.agents.ports import Ports
from workbench.agents.within import OutOfTime, within
from workbench.llm import port
from workbench.llm.errors import Excess, Fault, ModelFailed
from workbench.llm.fences import kinds_in
from workbench.llm.prompts import load
from workbench.model.assisted_events import PassEnded, PassEntered
from workbench.model.events import Noticed, StoppedBy
from workbench.model.models import Complexity

if TYPE_CHECKING:
    from pydantic import BaseModel


_STEP = 0.4  # where a refusal names no numbers
_LEAST = 500  # characters
_ANSWER = 512  # tokens that are left for the answer, or a quarter of a small context


@dataclass
class Room:
    """Of the questions of one complexity, which one tier takes. ``share`` is what of the usual
    length is told; numbers that a refusal names hold for later questions too, so that each is
    trimmed before it is sent."""

    share: float = 1.0
    _context: int | None = None
    _rates: dict[str, float] = field(default_factory=dict)
    """Tokens for each character of a prompt's questions: schemas of tools count too."""

    def learn(self, prompt: str, excess: Excess | None, length: int) -> None:
        """A question of so many characters was too long."""
        if excess is None:
            self.share *= _STEP
            return
        self._context = excess.context
        # A long conversation makes little of the schemas: the question that follows has none.
        rate = excess.tokens / max(1, length)
        self._rates[prompt] = max(rate, self._rates.get(prompt, 0.0))

    def excess(self, prompt: str, length: int) -> Excess | None:
        """What is too much of a question of so many characters, as far as is known."""
        if self._context is None:
            return None
        tokens = int(length * self._rates.get(prompt, min(self._rates.values())))
        return Excess(tokens, self._context) if tokens > _for_questions(self._context) else None


def lowered(size: int, excess: Excess, length: int, varying: int) -> int | None:
    """The size, in characters, that is to be built instead of ``size`` so that the question fits;
    ``varying`` of its ``length`` characters go with it, and may be fewer than they might. None
    where no less can be told."""
    if size <= _LEAST:
        return None
    fixed = excess.tokens * max(0, length - varying) / max(1, length)
    fits = (_for_questions(excess.context) - fixed) / max(1.0, excess.tokens - fixed)
    return max(_LEAST, int(min(size, varying) * min(0.9, max(0.0, fits))))


def _for_questions(context: int) -> int:
    return context - min(_ANSWER, context // 4)


T = TypeVar("T", bound="BaseModel")
Number = TypeVar("Number", int, float)
Build = Callable[[int], Awaitable[dict[str, Any]]]
"""The values of a prompt, whose longest text has at most so many characters."""

_REFUSALS = 3
"""Of one question, as too long: each is trimmed once by what the refusal tells."""
_LOST = frozenset({Fault.UNREACHABLE, Fault.BUSY, Fault.REFUSED_KEY})
_MOST_FAILURES = 4


class Helper:
    """One run's way to its models. After a failure that will not pass, after several others and at
    the limits of time and tokens, it asks no more: `gone`. ``failed`` says why the last call gave
    nothing, ``fault`` its kind, ``settled`` that code settles it, ``unfit`` that no tier takes
    such questions; ``limit`` is the limit that was reached. The limits are those of the whole
    investigation; where it is not ``whole``, as for a question to it, of these calls alone.
    """

    def __init__(self, ports: Ports, models: port.Models, whole: bool = True) -> None:
        self.ports = ports
        self._whole = whole
        self._models = models
        self._rooms: dict[Complexity, Room] = {}
        self._failures = 0
        self._tokens = 0
        self._seconds = 0.0
        self.gone = False
        self.failed = ""
        self.fault: Fault | None = None
        self.settled = False
        self.unfit = False
        self.limit: StoppedBy | None = None

    async def meet(self) -> None:
        """Know which model it is that will be asked, and its window."""
        await self._models.tell()

    def begin_again(self) -> None:
        """Other models are there: what those before did counts no more."""
        self._failures = 0
        self._rooms.clear()
        self.gone, self.limit = False, None

    @asynccontextmanager
    async def at_work(self, name: str) -> AsyncIterator[None]:
        """Say that a pass begins and how it ended; a cancelled one has not ended."""
        self.failed = ""
        await self.ports.record(PassEntered(name=name))
        yield
        tokens, seconds = self.taken()
        await self.ports.record(
            PassEnded(name=name, failed=self.failed, tokens=tokens, seconds=seconds)
        )

    def taken(self) -> tuple[int, float]:
        """The tokens and seconds of the calls since this was asked last."""
        found = self._tokens, round(self._seconds, 3)
        self._tokens, self._seconds = 0, 0.0
        return found

    async def ask(
        self, prompt: str, build: Build, *, answer: type[T] | None = None,
        tools: Sequence[port.Tool] = (), history: Sequence[port.Message] = (),
        complexity: Complexity | None = None, seconds: float | None = None,
    ) -> port.Answer[T] | None:  # fmt: skip
        """One call; None when it gave nothing, with the reason in ``failed``. What it is told is
        made shorter where the model's context does not hold it. ``complexity`` is that of what
        is asked about, where the prompt's own does not tell; ``seconds`` is what this call may
        take at most."""
        self.fault, self.settled, self.unfit = None, False, False
        state = self.ports.state
        level = complexity or load(prompt).complexity
        if level is not Complexity.SIMPLE and not self.gone:
            await self._models.tell()
        # Another model than the one whose window is known reads what is not complex.
        told = (state.shown if level is Complexity.COMPLEX else state.options.limits).told
        size: int | None = None
        refusals, length, varying = 0, 0, 0
        room = Room()
        while not self.gone:
            try:
                values = await build(told if size is None else size)
                question = load(prompt).question(
                    answer=answer, tools=tools, history=history, complexity=complexity, **values
                )
                text = "\n".join(message.content for message in question.messages)
                length, varying = len(text), sum(len(str(value)) for value in values.values())
                room = self._rooms.setdefault(question.complexity, Room())
                if size is None:
                    size = min(int(told * room.share), told)
                    if (excess := room.excess(prompt, length)) is not None:
                        size = lowered(size, excess, length, varying) or size
                    if size < told:
                        continue
                question = replace(question, contents=kinds_in(text), must_call=bool(tools))
                given = await self._bounded(question, seconds)
            except port.CapReached as error:
                self.limit = StoppedBy.MAX_COST if error.money else StoppedBy.MAX_TOKENS
                await self._give_up(str(error))
            except port.Unfit as error:
                self.failed, self.settled = str(error), isinstance(error, port.Settled)
                self.unfit = not self.settled
                return None
            except port.NoModel as error:
                await self._give_up(str(error))
            except ModelFailed as error:
                self.fault = error.fault
                self._tokens += error.usage.input_tokens + error.usage.output_tokens
                refusals += error.fault is Fault.TOO_LONG
                if error.fault is Fault.TOO_LONG and refusals < _REFUSALS:
                    room.learn(prompt, error.excess, length)
                    less: int | None = int(told * room.share)
                    if error.excess is not None:
                        less = lowered(size or told, error.excess, length, varying)
                    if less:
                        size = less
                        continue
                if error.fault is Fault.STOPPED:
                    self.failed = error.why
                else:
                    await self._note(str(error), lost=error.fault in _LOST)
                return None
            except Exception as error:  # noqa: BLE001 - a model's provider ends no investigation
                await self._note(f"the call failed: {error!r}")
                return None
            else:
                if given is not None:
                    self._failures, self.failed = 0, ""
                return given
        return None

    async def _bounded(
        self, question: port.Question[Any], seconds: float | None
    ) -> port.Answer[Any] | None:
        """The answer, or None at a limit."""
        state = self.ports.state
        limits = state.options.limits
        if self._before(state.assisted.tokens) + self._tokens >= limits.tokens:
            await self._at_limit(StoppedBy.MAX_TOKENS, f"{limits.tokens} tokens")
            return None
        whole = state.options.model_seconds
        left = whole - self._before(state.assisted.seconds) - self._seconds
        most = left if seconds is None else min(left, seconds)
        call = self._models.ask(question)
        try:
            answer = await within(most, call, lambda: state.gates, self._took)
        except OutOfTime:
            if most < left:
                await self._note(f"no answer came within {most:g} s")
                return None
            await self._at_limit(StoppedBy.TIMEOUT, f"{whole:g} s")
            return None
        self._tokens += answer.usage.input_tokens + answer.usage.output_tokens
        return answer

    def _took(self, seconds: float) -> None:
        self._seconds += seconds

    def _before(self, spent: Number) -> Number:
        return spent if self._whole else type(spent)(0)

    async def _at_limit(self, limit: StoppedBy, what: str) -> None:
        self.limit = limit
        await self._give_up(f"its limit of {what} is reached")

    async def _note(self, why: str, lost: bool = False) -> None:
        self.failed = " ".join(why.split())[:300]
        self._failures += 1
        if lost or self._failures >= _MOST_FAILURES:
            await self._give_up(self.failed)

    async def _give_up(self, why: str) -> None:
        self.failed = " ".join(why.split())[:300]
        self.gone = True
        text = f"The model is asked no more: {self.failed}. What the experts found stands."
        await self.ports.record(Noticed(text=text, severity="warning"))
