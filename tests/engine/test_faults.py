"""What goes wrong under a session is said by an event; what came is kept; the session goes on."""

import asyncio
import os
import resource
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bench.flood import forget_peak, resident
from tests.debuggers.talk import LIMIT, WAITS, Clock, until_shown
from tests.engine.conftest import Opener, close
from tests.engine.test_session import start, stop, until
from workbench.debuggers.queued import QueuedDebugger
from workbench.debuggers.session import DebuggerSession
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.model.category import Category
from workbench.model.events import (
    CommandFailed,
    CommandStarted,
    DebuggerStopped,
    EvidenceRecorded,
    Noticed,
)
from workbench.model.evidence import Evidence, Source
from workbench.model.journal import Recorded

PYTHON = {"gdb": "python", "lldb": "script"}


def running(session: Session) -> DebuggerSession:
    debugger = session._debugger
    assert isinstance(debugger, QueuedDebugger)
    assert debugger._session is not None
    return debugger._session


def debugger_pid(session: Session) -> int:
    return running(session)._channel.child.pid


def kill_debugger(session: Session, number: int = signal.SIGKILL) -> None:
    os.kill(debugger_pid(session), number)


def mine(session: Session) -> list[Evidence]:
    return [one for one in session.state.evidence.values() if one.source is Source.USER]


def noticed(session: Session) -> str:
    return "\n".join(one.text for one in session.state.notices)


async def alive(session: Session) -> None:
    await session.user_command("bt")
    assert not mine(session)[-1].partial
    assert "second" in await session.evidence_text(mine(session)[-1].id)


@pytest.mark.parametrize("debugger", ["gdb", "lldb"])
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("killed", "killed by SIGKILL during"),
        ("crashed", "killed by SIGSEGV during"),
        ("hung", "timed out after 100 s"),
    ],
)
async def test_a_debugger_that_fails_in_a_command(
    open_one: Opener, clock: Clock, debugger: str, how: str, reason: str
) -> None:
    session = await open_one(debugger=debugger, command_timeout=LIMIT)
    run = await start(session)
    rows: list[Recorded] = []
    session.subscribe(rows.extend)
    code = "import time, ctypes; print('part', flush=True); "
    code += "ctypes.string_at(0)" if how == "crashed" else "time.sleep(60)"
    shown: list[bytes] = []
    session.on_display(shown.append)
    task = asyncio.create_task(session.user_command(f"{PYTHON[debugger]} {code}"))
    await until_shown(shown, b"part\r")
    if how != "crashed":
        kill_debugger(session, signal.SIGKILL if how == "killed" else signal.SIGSTOP)
    if how == "hung":
        clock.run_out()
    await task
    kept = mine(session)[-1]
    assert kept.partial
    assert "part\n" in await session.evidence_text(kept.id)
    told = noticed(session) + "".join(one.reason for one in session.state.failed_commands)
    assert reason in told
    assert any(isinstance(row.event, DebuggerStopped) for row in rows)
    assert session.state.debugger is not None
    assert session.state.debugger.restarts == 1
    await alive(session)
    await stop(run)
    await close(session)
    again = await open_one(session.session_id)
    assert "part\n" in await again.evidence_text(kept.id)


async def test_a_debugger_that_is_killed_again_and_again(open_one: Opener) -> None:
    session = await open_one(mode=GateMode.HEADLESS)
    killed: list[int] = []
    unanswered: set[str] = set()

    def watch(rows: Sequence[Recorded]) -> None:
        for row in rows:
            event = row.event
            if isinstance(event, EvidenceRecorded):
                unanswered.discard(event.evidence.command)
            elif isinstance(event, CommandFailed):
                unanswered.discard(event.command.text)
            elif isinstance(event, CommandStarted) and event.source is Source.DEBUGGER:
                # Neither while it starts nor while a command is tried again: what dies twice is
                # given up. One that died behind its answer is still ours at the next command.
                pid = debugger_pid(session)
                starts = running(session).lost
                if len(killed) < 3 and not (unanswered or starts or pid in killed):
                    killed.append(pid)
                    os.kill(pid, signal.SIGKILL)
                unanswered.add(event.command.text)

    session.subscribe(watch)
    await session.run()
    state = session.state
    assert len(killed) == 3
    assert state.conclusion is not None
    assert state.conclusion.category is Category.NULL_POINTER_DEREFERENCE
    await alive(session)  # also if the last one died behind the last command
    assert noticed(session).count("started again") >= 3


async def test_output_that_the_disk_does_not_take(open_one: Opener) -> None:
    session = await open_one()
    run = await start(session)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, hard))
    try:
        await session.user_command("python for i in range(500000): print('%09d' % i)")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    kept = mine(session)[-1]
    assert kept.partial
    assert kept.size == 2_000_000
    assert kept.lines == 200_000
    assert "output cut at 2000000 bytes: File too large" in kept.summary
    assert f"{kept.id} is not the whole output: output cut" in noticed(session)
    assert (await session.evidence_lines(kept.id))[199_999] == "000199999"
    await alive(session)
    await stop(run)


async def test_a_huge_output_is_told_by_its_pieces(open_one: Opener) -> None:
    session = await open_one()
    run = await start(session)
    before = resident("VmRSS")
    forget_peak()
    await session.user_command("shell head -c 150000000 /dev/zero | tr '\\0' x; seq 1 100")
    assert mine(session)[-1].lines == 100
    assert len((await session.evidence_lines(mine(session)[-1].id))[0]) == 64 << 10
    assert resident("VmHWM") - before < 64
    await session.user_command("shell seq 1 2000000")
    kept = mine(session)[-1]
    assert not kept.partial
    assert kept.lines == 2_000_000
    assert "pieces" in kept.summary
    lines = await session.evidence_lines(kept.id)
    assert (len(lines), lines[1_999_999]) == (2_000_000, "2000000")
    assert len(await session.evidence_text(kept.id)) <= 8 << 20
    report = await session.report("md")
    assert len(report) < 1 << 20
    await stop(run)


async def test_bytes_of_a_dump_are_data_everywhere(open_one: Opener) -> None:
    session = await open_one()
    run = await start(session)
    raw = r"b'\x1b[2J\x1b]0;t\x07\x00 \xff\xfe \x1b]133;A;x;\x07 [bold]<script>\n'"
    await session.user_command(f"python import os; n = os.write(1, {raw})")
    kept = mine(session)[-1]
    assert await session.evidence_text(kept.id) == "\x00 \ufffd\ufffd  [bold]<script>\n"
    for form in ("md", "html", "json"):
        report = await session.report(form)
        assert not {"\x00", "\x1b"} & set(report)
        assert form != "html" or "<script>" not in report.split("<body", 1)[1]
    await stop(run)


@pytest.mark.parametrize("how", ["cut", "deleted"])
async def test_a_dump_that_goes_away(
    open_one: Opener, null_core: tuple[Path, Path], tmp_path: Path, how: str
) -> None:
    core = Path(shutil.copy(null_core[1], tmp_path / "core.1"))
    session = await open_one(str(core))
    run = await start(session)
    if how == "cut":
        os.truncate(core, 8192)
    else:
        os.unlink(core)
    await session.user_command("x/4gx $sp")
    said = "The dump was cut from" if how == "cut" else "The dump cannot be read any more"
    assert said in noticed(session)
    assert noticed(session).count(said) == 1
    kill_debugger(session)
    for _ in range(2):  # the first may be what finds it dead
        await session.user_command("bt")
    if how == "deleted":
        assert "the dump is gone" in session.state.failed_commands[-1].reason
    await session.gates.approve_all()
    await until(session, lambda state: state.stopped is not None)
    await stop(run)


async def test_events_tell_a_cut_output_once(open_one: Opener, clock: Clock) -> None:
    session = await open_one(command_timeout=LIMIT)
    run = await start(session)
    rows: list[Recorded] = []
    shown: list[bytes] = []
    session.subscribe(rows.extend)
    session.on_display(shown.append)
    task = asyncio.create_task(session.user_command(f"python {WAITS}"))
    await until_shown(shown, b"before\r")
    clock.run_out()
    await task
    kinds = [row.event for row in rows if isinstance(row.event, (EvidenceRecorded, Noticed))]
    assert isinstance(kinds[0], EvidenceRecorded)
    assert isinstance(kinds[1], Noticed)
    assert "timed out after 100 s" in kinds[1].text
    assert len(kinds) == 2
    await alive(session)
    await stop(run)
