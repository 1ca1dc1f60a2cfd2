"""Decisions that are asked of a person; a pending one is an event and survives a restart."""

import asyncio
from collections.abc import Awaitable, Callable

from workbench.agents.hypothesis import by_the_person
from workbench.agents.looking import in_frame
from workbench.engine.journal import Journal
from workbench.engine.recipe import GateMode
from workbench.model.category import Category
from workbench.model.conversation import Turn
from workbench.model.events import (
    AnyEvent,
    ApproveAll,
    GateAnswered,
    GateOpened,
    HypothesisEdited,
    HypothesisMoved,
)
from workbench.model.evidence import Command
from workbench.model.hypothesis import Status
from workbench.model.models import Content


class IntentError(Exception):
    """What the person asked for does not fit the state; the message says why."""


class Gates:
    """Opens gates and takes the person's answers. Each change wakes the workflow."""

    def __init__(
        self, journal: Journal, mode: GateMode, decided: Callable[[], Awaitable[None]]
    ) -> None:
        """``decided`` is awaited after each of the person's decisions."""
        self._decided = decided
        self._journal = journal
        self._mode = mode
        self._changed = asyncio.Event()
        self._writing = asyncio.Lock()
        self._cloud: dict[tuple[str, ...], GateAnswered] = {}  # answers of this process

    async def wait_for_change(self) -> None:
        """Sleep until the person decided something."""
        await self._changed.wait()
        self._changed.clear()

    async def open_hypotheses(self) -> None:
        """Open the gate for what is undecided, or approve it where nobody is asked."""
        state = self._journal.state
        undecided = state.undecided()
        if not undecided:
            return
        if self._mode is not GateMode.ASK or state.approve_all:
            by = "user" if state.approve_all else "engine"
            await self._journal.record(
                *(HypothesisMoved(id=h.id, status=Status.APPROVED, by=by) for h in undecided)
            )
            return
        if not any(gate.kind == "hypothesis" for gate in state.gates):
            await self._journal.record(
                GateOpened(
                    id=self._next_id(),
                    kind="hypothesis",
                    subjects=tuple(h.id for h in undecided),
                    question="Which of these should be tested?",
                )
            )

    async def ask_policy(self, command: Command, reason: str) -> bool:
        """Show a command that is not on the read-only list and wait for the answer."""
        state = self._journal.state
        if self._mode is GateMode.HEADLESS:
            return False
        # A session that was cut at this question asks it again: an answer is for its command only.
        gate = next((g for g in state.gates if g.subjects == (command.text,)), None)
        if gate is None:
            gate = GateOpened(
                id=self._next_id(),
                kind="policy",
                subjects=(command.text,),
                question=f"`{command.text}` may change state ({reason}). Run it?",
            )
            await self._journal.record(gate)
        while gate in state.gates:
            await self.wait_for_change()
        answer = next((a for a in reversed(state.answers) if a.id == gate.id), None)
        return answer is not None and answer.answer == "approve"

    async def ask_cloud(
        self, subjects: tuple[str, ...], question: str, allowed: bool
    ) -> frozenset[Content] | None:
        """Show what would leave the machine and wait; the kinds of content that no call may carry,
        or None when nothing may be sent. Without a person, ``allowed`` (their ``--allow-cloud``)
        answers. Only what was answered in this process counts, for these very bytes before they
        were asked about again too; one in the journal counts for nothing."""
        if subjects not in self._cloud:
            await self._open_cloud(subjects, question, allowed)
        while subjects not in self._cloud:
            await self.wait_for_change()
        given = self._cloud[subjects]
        return frozenset(given.left_out) if given.answer == "approve" else None

    async def _open_cloud(self, subjects: tuple[str, ...], question: str, allowed: bool) -> None:
        state = self._journal.state
        open_now = [gate for gate in state.gates if gate.kind == "cloud"]
        gate = next((g for g in open_now if g.subjects == subjects), None)
        opened = GateOpened(id=self._next_id(), kind="cloud", subjects=subjects, question=question)
        stale = [
            GateAnswered(id=g.id, answer="reject", by="engine", reason="asked anew")
            for g in open_now
            if g is not gate
        ]
        await self._journal.record(*stale, *([] if gate else [opened]))
        gate = gate or opened
        if self._mode is not GateMode.ASK:
            answer, by = ("approve", "user") if allowed else ("reject", "engine")
            reason = "--allow-cloud" if allowed else "nobody is asked; --allow-cloud would"
            given = GateAnswered(id=gate.id, answer=answer, by=by, reason=reason)
            await self._journal.record(given)
            self._cloud[subjects] = given

    def of_turn(self, turn: Turn) -> GateOpened:
        """The gate that waits for what the person says to a turn of a conversation."""
        return GateOpened(
            id=self._next_id(), kind=turn.kind.value, subjects=(turn.id,), question=turn.text
        )

    async def answered(self, turn_id: str) -> bool:
        """Wait for the answer to a turn; False where nobody is there to give one."""
        if self._mode is GateMode.HEADLESS:
            return False
        while any(gate.subjects == (turn_id,) for gate in self._journal.state.gates):
            await self.wait_for_change()
        return True

    async def answer(
        self, gate_id: str, answer: str, reason: str = "", left_out: tuple[Content, ...] = ()
    ) -> None:
        """Answer a gate by its id. Raises `IntentError` when it is not open."""
        gate = next((g for g in self._journal.state.gates if g.id == gate_id), None)
        if gate is None:
            raise IntentError("that question is no longer open")
        given = GateAnswered(id=gate_id, answer=answer, by="user", reason=reason, left_out=left_out)
        await self._record(given)
        if gate.kind == "cloud":
            self._cloud[gate.subjects] = given
            self._changed.set()

    async def approve(self, identifier: str) -> None:
        """Let a hypothesis be tested once the gate closes."""
        await self._move(identifier, {Status.PROPOSED, Status.REJECTED}, Status.APPROVED)

    async def reject(self, identifier: str, reason: str = "") -> None:
        """Rule a hypothesis out; the reason becomes part of the record."""
        allowed = set(Status) - {Status.REJECTED}
        await self._move(identifier, allowed, Status.REJECTED, reason=reason)

    async def decide(self, identifier: str, status: Status, reason: str = "") -> None:
        """The person's own verdict, confirmed or rejected: no test changes it any more."""
        if status not in (Status.CONFIRMED, Status.REJECTED):
            raise IntentError(f"a verdict is confirmed or rejected, not {status}")
        await self._move(identifier, set(Status), status, reason=reason)

    async def edit(
        self, identifier: str, statement: str, category: Category, tests: tuple[Command, ...]
    ) -> None:
        """Change a hypothesis before it is tested."""
        self._need(identifier, {Status.PROPOSED, Status.APPROVED})
        state = self._journal.state
        known = state.hypotheses[identifier].planned
        planned = tuple(test if test in known else in_frame(state, test) for test in tests)
        await self._record(
            HypothesisEdited(id=identifier, statement=statement, category=category, planned=planned)
        )

    async def propose(
        self, statement: str, category: Category, tests: tuple[Command, ...] = ()
    ) -> None:
        """Add a hypothesis of the person's own; asking for it is approving it. Their tests run in
        the frame that they look at."""
        if not statement.strip():
            raise IntentError("a hypothesis needs a sentence")
        async with self._writing:
            state = self._journal.state
            own = tuple(in_frame(state, test) for test in tests)
            proposed = by_the_person(state, statement.strip(), category, own)
            await self._journal.record(
                proposed,
                HypothesisMoved(id=proposed.hypothesis.id, status=Status.APPROVED, by="user"),
            )
        await self._tell()

    async def test_now(self, identifier: str) -> None:
        """Approve a hypothesis and test it before anything else."""
        await self._move(identifier, set(Status) - {Status.TESTING}, Status.APPROVED, now=True)

    async def approve_all(self) -> None:
        """Let everything pass from here on."""
        undecided = self._journal.state.undecided()
        await self._record(
            ApproveAll(by="user"),
            *(HypothesisMoved(id=h.id, status=Status.APPROVED, by="user") for h in undecided),
        )

    async def close_hypotheses(self) -> None:
        """Note that nothing is undecided any more."""
        for gate in tuple(self._journal.state.gates):
            if gate.kind == "hypothesis":
                await self._journal.record(GateAnswered(id=gate.id, answer="decided", by="engine"))

    def _need(self, identifier: str, allowed: set[Status]) -> None:
        hypothesis = self._journal.state.hypotheses.get(identifier)
        if hypothesis is None:
            raise IntentError(f"there is no hypothesis {identifier}")
        if hypothesis.status not in allowed:
            raise IntentError(f"{identifier} is {hypothesis.status} already")

    async def _move(
        self, identifier: str, allowed: set[Status], status: Status, reason: str = "",
        now: bool = False,
    ) -> None:  # fmt: skip
        self._need(identifier, allowed)
        moved = HypothesisMoved(id=identifier, status=status, by="user", reason=reason, now=now)
        await self._record(moved)

    async def _record(self, *events: AnyEvent) -> None:
        async with self._writing:
            await self._journal.record(*events)
        await self._tell()

    async def _tell(self) -> None:
        self._changed.set()
        await self._decided()

    def _next_id(self) -> str:
        state = self._journal.state
        return f"G{len(state.answers) + len(state.gates) + 1}"
