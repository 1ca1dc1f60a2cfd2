"""The investigation from open to report: order, gates, evidence, resume."""

import asyncio
import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.conftest import Opener, close
from workbench.agents import within
from workbench.engine.gates import IntentError
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.model.category import Category
from workbench.model.critique import Conclusion
from workbench.model.events import (
    EvidenceRecorded,
    Noticed,
    Phase,
    PhaseEntered,
    Stopped,
    StoppedBy,
    encode_event,
)
from workbench.model.evidence import Command, Source
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.store.errors import StoreError

RUNNING: set[asyncio.Task[None]] = set()


async def until(session: Session, ready: Callable[[Investigation], bool]) -> None:
    """Wait for a state; fail after 30 s with where it stood, or with what ended the run."""
    for _ in range(3000):
        if ready(session.state):
            return
        for task in RUNNING:
            if task.done() and not task.cancelled():
                task.result()
        await asyncio.sleep(0.01)
    raise AssertionError(f"never came: {session.state.phase} {session.state.notices}")


def at_gate(state: Investigation) -> bool:
    return state.gate is not None and state.gate.kind == "hypothesis"


async def start(session: Session) -> asyncio.Task[None]:
    running = asyncio.create_task(session.run())
    RUNNING.clear()
    RUNNING.add(running)
    await until(session, at_gate)
    return running


async def stop(running: asyncio.Task[None]) -> None:
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_headless_walks_the_phases_to_a_cause(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    rows: list[Recorded] = []
    session.subscribe(rows.extend)
    await session.run()
    state = session.state
    phases = [row.event.phase for row in rows if isinstance(row.event, PhaseEntered)]
    assert phases == [p for p in list(Phase)[1:] if p is not Phase.CONVERSING]
    assert state.conclusion is not None
    assert state.conclusion.category is Category.NULL_POINTER_DEREFERENCE
    assert state.conclusion.frame is not None
    assert state.conclusion.frame.function == "second"
    assert [row.seq for row in rows] == list(range(2, len(rows) + 2))
    assert list(state.evidence) == [f"E{n}" for n in range(1, len(state.evidence) + 1)]
    assert {e.source for e in state.evidence.values()} == {Source.DEBUGGER, Source.FILE}
    assert state.evidence["E1"].command == "@health"
    assert state.stopped == Stopped(by=StoppedBy.CONCLUDED)
    assert 1 <= len(state.hypotheses) <= 4
    assert len(state.rounds) == 1
    assert all(claim.status == "verified" for claim in state.conclusion.claims)


async def test_what_is_shown_is_already_committed(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    database = session.store.folder / "evidence.db"
    checked = 0

    def look(rows: list[Recorded]) -> None:
        nonlocal checked
        connection = sqlite3.connect(database)
        for row in rows:
            (body,) = connection.execute(
                "SELECT body FROM events WHERE seq = ?", (row.seq,)
            ).fetchone()
            assert body == encode_event(row.event).decode()
            if isinstance(row.event, EvidenceRecorded):
                found = connection.execute(
                    "SELECT length(coalesce(content, '')), size FROM evidence WHERE id = ?",
                    (row.event.evidence.id,),
                ).fetchone()
                assert found is not None
            checked += 1
        connection.close()

    session.subscribe(look)  # type: ignore[arg-type]
    await session.run()
    assert checked > 20


async def test_the_gate_waits_and_takes_every_answer(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    state = session.state
    first, *others = state.undecided()
    await asyncio.sleep(0.2)
    assert state.phase is Phase.HYPOTHESES
    await session.gates.edit(first.id, "the row has no successor", first.category, first.planned)
    assert state.hypotheses[first.id].statement == "the row has no successor"
    mine = Command("info line *$pc", "asked by you")
    await session.gates.propose("somebody else wrote it", Category.HEAP_CORRUPTION, (mine,))
    own = list(state.hypotheses)[-1]
    assert state.hypotheses[own].proposed_by == "user"
    for other in others:
        await session.gates.reject(other.id, "seen before")
    await session.gates.approve(first.id)
    await until(session, lambda s: s.phase is Phase.DONE)
    assert state.hypotheses[first.id].status is Status.CONFIRMED
    assert state.hypotheses[first.id].statement == "the row has no successor"
    assert state.hypotheses[own].status is not Status.CONFIRMED
    assert mine.text in {test.command for test in state.hypotheses[own].tests}
    assert state.judgement is not None
    lost = {r.id: r.reason for r in state.judgement.rejected}
    assert all("seen before" in lost[other.id] for other in others)
    with pytest.raises(IntentError, match="no hypothesis H99"):
        await session.gates.approve("H99")
    with pytest.raises(IntentError, match="already"):
        await session.gates.approve(first.id)
    await stop(running)


async def test_a_persons_own_tests_speak_for_their_hypothesis(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    for test in ("print $_siginfo.si_signo == 11", "print $_siginfo.si_signo > 11", "print $pc"):
        await session.gates.propose(f"by {test}", Category.DATA_RACE, (Command(test, "mine"),))
    await session.gates.approve_all()
    await until(session, lambda s: s.phase is Phase.DONE)
    own = [h for h in session.state.hypotheses.values() if h.proposed_by == "user"]
    true, false, neither = own
    assert (true.status, true.confidence) == (Status.INCONCLUSIVE, 0.5)
    assert "came true" in true.reason
    assert true.verdict is not None
    assert str(true.verdict.supporting[-1]) == true.tests[0].evidence
    assert (false.status, false.reason) == (Status.REJECTED, "Your own test came false.")
    assert neither.status is Status.INCONCLUSIVE
    assert neither.reason.endswith("Your own verdict: v.")
    await stop(running)


async def test_a_verdict_does_not_stamp_the_persons_words(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    first = next(
        h for h in session.state.undecided() if h.category is Category.NULL_POINTER_DEREFERENCE
    )
    await session.gates.edit(first.id, "The owner is 0xdeadbeef.", first.category, first.planned)
    await session.gates.approve_all()
    await until(session, lambda s: s.phase is Phase.DONE)
    assert session.state.hypotheses[first.id].edited
    failed = [c for c in session.state.rounds[-1].checks if not c.passed]
    assert any("0xdeadbeef" in check.detail for check in failed)
    assert "(in the user's words)" in await session.report("md")
    await stop(running)


async def test_test_now_runs_before_the_gate_closes(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    chosen = session.state.undecided()[-1].id
    await session.gates.test_now(chosen)
    await until(session, lambda s: s.hypotheses[chosen].verdict is not None)
    assert at_gate(session.state)
    await session.gates.approve_all()
    await until(session, lambda s: s.phase is Phase.DONE)
    assert session.state.approve_all
    await stop(running)


async def test_rejecting_everything_proposes_once_more_then_ends(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    for hypothesis in session.state.undecided():
        await session.gates.reject(hypothesis.id)
    await until(session, lambda s: s.phase is Phase.DONE or (s.proposals == 2 and at_gate(s)))
    for hypothesis in session.state.undecided():
        await session.gates.reject(hypothesis.id)
    await until(session, lambda s: s.phase is Phase.DONE)
    state = session.state
    assert state.proposals == 2
    assert state.stopped == Stopped(by=StoppedBy.INCONCLUSIVE)
    assert state.conclusion is not None
    assert state.conclusion.category is Category.UNKNOWN
    await stop(running)


async def test_rejecting_the_cause_afterwards_reopens_the_case(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    await session.gates.approve_all()
    await until(session, lambda s: s.phase is Phase.DONE)
    assert session.state.conclusion is not None
    chosen = session.state.conclusion.hypothesis
    assert chosen is not None
    other = next(id for id in session.state.hypotheses if id != chosen)
    await session.gates.decide(
        other, Status.REJECTED, "seen before"
    )  # the judge says who ruled it out
    assert session.state.judgement is not None
    lost = {one.id: one.reason for one in session.state.judgement.rejected}
    assert lost[other] == "rejected by the user: seen before"
    await session.gates.reject(chosen, "I know better")
    await until(
        session,
        lambda s: (
            s.phase is Phase.DONE and s.conclusion is not None and s.conclusion.hypothesis != chosen
        ),
    )
    await stop(running)


async def test_what_the_person_runs_is_evidence_but_no_fact(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    facts = len(session.state.facts)
    await session.user_command("info registers rip")
    await session.user_command("info registers rip")
    mine = [e for e in session.state.evidence.values() if e.source is Source.USER]
    assert [e.command for e in mine] == ["info registers rip"] * 2
    assert "rip" in await session.evidence_text(mine[0].id)
    assert len(session.state.facts) == facts
    await stop(running)


async def test_a_command_that_is_not_on_the_list_is_a_gate(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    first = session.state.undecided()[0]
    odd, bad = Command("info proc 1", "odd"), Command("shell touch /tmp/x", "bad")
    await session.gates.edit(first.id, first.statement, first.category, (odd, bad))
    await session.gates.test_now(first.id)
    await until(session, lambda s: s.gate is not None and s.gate.kind == "policy")
    gate = session.state.gate
    assert gate is not None
    assert gate.subjects == ("info proc 1",)
    await session.gates.answer(gate.id, "reject", "no need")
    await until(session, lambda s: s.hypotheses[first.id].verdict is not None)
    failed = {f.command.text: f for f in session.state.failed_commands}
    assert failed["shell touch /tmp/x"].reason.startswith("forbidden")
    assert failed["info proc 1"].reason.startswith("not approved")
    assert all(f.refused for f in failed.values())
    assert at_gate(session.state), "the hypothesis gate lay under the policy gate"
    await stop(running)


async def test_an_answer_is_for_its_command_only(open_one: Opener) -> None:
    """Cut at the question about one command, resumed with another asked first."""
    session = await open_one()
    running = await start(session)
    first = session.state.undecided()[0]
    one, two = Command("info proc 1", "one"), Command("info os", "two")
    await session.gates.edit(first.id, first.statement, first.category, (one, two))
    await session.gates.test_now(first.id)
    await until(session, lambda s: s.gate is not None and s.gate.subjects == (one.text,))
    gate = session.state.gate
    assert gate is not None
    await session.gates.answer(gate.id, "reject")
    await until(session, lambda s: s.gate is not None and s.gate.subjects == (two.text,))
    await close(session)
    await asyncio.gather(running, return_exceptions=True)

    again = await open_one(session.session_id)
    running = asyncio.create_task(again.run())
    await until(again, lambda s: s.debugger_alive)
    gate = again.state.gate
    assert gate is not None
    assert gate.subjects == (two.text,)
    await again.gates.answer(gate.id, "approve")
    await until(again, lambda s: s.hypotheses[first.id].verdict is not None)
    ran = {e.command for e in again.state.evidence.values()}
    assert two.text in ran
    assert one.text not in ran
    await stop(running)


async def test_closing_mid_run_writes_no_false_progress(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    running = asyncio.create_task(session.run())
    reached = asyncio.Event()
    session.subscribe(
        lambda _: (
            reached.set()
            if any(e.command.startswith("bt") for e in session.state.evidence.values())
            else None
        )
    )
    await reached.wait()
    await close(session)
    await asyncio.gather(running, return_exceptions=True)
    again = await open_one(session.session_id, mode=GateMode.HEADLESS)
    assert not again.state.failed_commands
    await again.run()
    assert again.state.conclusion is not None
    assert again.state.conclusion.frame is not None
    assert again.state.conclusion.frame.function == "second"


async def test_a_wait_for_the_hash_of_a_huge_dump_is_told(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.engine.upkeep.sha256_of", lambda _, stop: stop.wait() and None)
    monkeypatch.setattr("workbench.engine.session._SILENT", 0.0)
    monkeypatch.setattr("workbench.engine.session._HASH_GRACE", 0.1)
    session = await open_one(mode=GateMode.HEADLESS)
    told: list[str] = []
    session.subscribe(lambda rows: told.extend(str(row.event) for row in rows))
    await session.run()
    assert any("still read for its sha256, 0.1 s at most" in one for one in told)
    await close(session)


async def test_test_now_survives_a_kill(open_one: Opener) -> None:
    session = await open_one()
    await stop(await start(session))
    chosen = session.state.undecided()[-1].id
    await session.gates.test_now(chosen)
    await close(session)
    again = await open_one(session.session_id)
    assert again.state.wanted == [chosen]
    running = asyncio.create_task(again.run())
    await until(again, lambda s: s.hypotheses[chosen].verdict is not None)
    assert at_gate(again.state)
    assert again.state.wanted == []
    await stop(running)


async def test_a_time_limit_does_not_count_the_persons_time(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, thought = 0, 0.0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return time.monotonic() + thought

    monkeypatch.setattr(within, "monotonic", clock)
    session = await open_one(timeout=300.0)
    running = await start(session)
    thought, seen = 600.0, looks  # what a person takes to think
    await until(session, lambda _: looks >= seen + 2)
    assert session.state.stopped is None
    await session.gates.approve_all()
    await until(session, lambda s: s.phase is Phase.DONE)
    assert session.state.stopped == Stopped(by=StoppedBy.CONCLUDED)
    await stop(running)


async def test_what_opening_took_is_of_the_limit(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS, timeout=60.0)
    assert 0 < session.spent < 60
    session.spent = 60.0
    await session.run()
    assert session.state.stopped is not None
    assert session.state.stopped.by is StoppedBy.TIMEOUT


async def test_who_approved_stays_on_record(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    first, *others = session.state.undecided()
    await session.gates.approve(first.id)
    for other in others:
        await session.gates.reject(other.id)
    seen: list[str] = []
    session.subscribe(lambda rows: seen.append(session.state.hypotheses[first.id].decided_by))
    await until(session, lambda s: s.phase is Phase.DONE)
    assert seen[0] == "user"
    await stop(running)


async def test_resume_goes_on_at_the_same_gate_and_repeats_nothing(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    await session.user_command("set $mine = 42")
    before = [encode_event(row.event) for row in await session.store.events()]
    gate = session.state.gate
    await stop(running)
    await close(session)

    again = await open_one(session.session_id)
    console: list[bytes] = []
    again.on_display(console.append)
    assert again.state.gate == gate
    running = asyncio.create_task(again.run())
    await until(again, lambda s: s.debugger_alive)
    await again.gates.approve_all()
    await until(again, lambda s: s.phase is Phase.DONE)
    after = [encode_event(row.event) for row in await again.store.events()]
    assert after[: len(before)] == before
    counts = Counter(
        e.command for e in again.state.evidence.values() if e.source is not Source.USER
    )
    assert set(counts.values()) == {1}
    assert b"convenience variables" in b"".join(console)
    assert any("convenience variables" in notice.text for notice in again.state.notices)
    await stop(running)


WHOLE: list[Conclusion] = []
"""Of a run that nobody cuts, once a process."""


@pytest.mark.parametrize("cut", [3, 9, 14, 20, 26, 33])
async def test_a_run_cut_anywhere_ends_in_the_same_conclusion(open_one: Opener, cut: int) -> None:
    if not WHOLE:
        whole = await open_one(mode=GateMode.HEADLESS)
        await whole.run()
        assert whole.state.conclusion is not None
        WHOLE.append(whole.state.conclusion)
    session = await open_one(mode=GateMode.HEADLESS)
    running = asyncio.create_task(session.run())
    session.subscribe(lambda rows: running.cancel() if rows[-1].seq >= cut else None)
    await asyncio.gather(running, return_exceptions=True)
    await close(session)
    again = await open_one(session.session_id, mode=GateMode.HEADLESS)
    await again.run()
    assert again.state.conclusion is not None
    assert again.state.conclusion.category is WHOLE[0].category
    assert again.state.conclusion.frame == WHOLE[0].frame
    counts = Counter(e.command for e in again.state.evidence.values())
    assert set(counts.values()) == {1}


async def test_without_a_debugger_the_bytes_still_speak(open_one: Opener, tmp_path: Path) -> None:
    session = await open_one(mode=GateMode.HEADLESS, gdb=str(tmp_path / "no-gdb"))
    await session.run()
    assert not session.state.debugger_alive
    assert any(n.severity == "error" and "No debugger" in n.text for n in session.state.notices)
    assert session.state.phase is Phase.DONE
    assert {e.source for e in session.state.evidence.values()} == {Source.FILE}


async def test_cut_short_keeps_the_best_conclusion(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    running = asyncio.create_task(session.run())
    session.subscribe(
        lambda rows: (
            running.cancel() if any(isinstance(r.event, EvidenceRecorded) for r in rows) else None
        )
    )
    await asyncio.gather(running, return_exceptions=True)
    await session.cut_short(StoppedBy.TIMEOUT, "test")
    assert session.state.stopped == Stopped(by=StoppedBy.TIMEOUT, reason="test")
    assert session.state.phase is not Phase.DONE
    assert "timeout" in await session.report("json")


def running_gdbs() -> list[int]:
    """Our children that are a gdb and not a zombie (proc(5))."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    found = [Path(f"/proc/{pid}/stat").read_text().split()[:3] for pid in children]
    return [int(pid) for pid, name, state in found if name == "(gdb)" and state != "Z"]


async def test_a_killed_debugger_comes_back(open_one: Opener) -> None:
    session = await open_one()
    running = await start(session)
    (gdb,) = running_gdbs()
    os.kill(gdb, signal.SIGKILL)
    await session.gates.approve_all()
    await until(session, lambda s: s.phase is Phase.DONE)
    state = session.state
    assert state.conclusion is not None
    assert state.conclusion.category is Category.NULL_POINTER_DEREFERENCE
    assert any(isinstance(n, Noticed) and "started again" in n.text for n in state.notices)
    await stop(running)


async def test_evidence_that_is_gone_costs_only_what_cites_it(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    connection = sqlite3.connect(session.store.folder / "evidence.db")
    connection.execute("UPDATE evidence SET file_path = 'evidence/E5.txt.zst' WHERE id = 'E5'")
    connection.commit()
    connection.close()
    await close(session)
    again = await open_one(session.session_id, mode=GateMode.HEADLESS)
    assert "null-pointer-dereference" in await again.report("md")
    with pytest.raises(StoreError, match="E5 is damaged"):
        await again.evidence_text("E5")


async def test_symbols_list_each_module_once(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    first = await session.symbols()
    assert {module.status for module in first} <= {"found", "missing", "unverified"}
    assert any(module.symbols == "debug-info" for module in first)
    assert await session.symbols() == first
    assert len({module.path for module in first}) == len(first)
