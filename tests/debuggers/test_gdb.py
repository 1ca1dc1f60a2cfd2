"""gdb behind the protocol, with every real gdb that is here."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from tests.debuggers.talk import WAITS, Clock, ask, begin, pid_of, until_awaiting
from tests.soak import SOAK
from workbench.debuggers.gdb.debugger import GdbDebugger
from workbench.debuggers.protocol import (
    CommandRefused,
    DebuggerDied,
    DebuggerUnavailable,
    Recipe,
)


async def test_says_what_loading_printed(debugger: GdbDebugger) -> None:
    assert "Program terminated with signal SIGSEGV" in debugger.opening.read()
    assert "\x1b" not in debugger.opening.read()
    assert debugger.version.split(".")[0] in {"12", "13", "14", "15", "16", "17", "18"}


async def test_outputs_belong_to_their_commands(debugger: GdbDebugger) -> None:
    assert "inner (count=1, node=0x0)" in await ask(debugger, "bt")
    assert "nosuch" in await ask(debugger, "nosuch")
    assert await ask(debugger, "set var $x = 1") == ""
    assert await ask(debugger, "p numbers[1]@3") == "$1 = {2, 3, 4}\n"
    assert await ask(debugger, "") == await ask(debugger, "  ") == await ask(debugger, "# no") == ""


async def test_output_cannot_fake_a_prompt(debugger: GdbDebugger) -> None:
    text = await ask(debugger, 'printf "%s|after\\n", evil')
    assert text == "(gdb) \ufffd\ufffd|after\n"
    assert await ask(debugger, "p 7") == "$1 = 7\n"


@pytest.mark.soak
async def test_large_output_is_byte_identical(debugger: GdbDebugger) -> None:
    line = "0123456789abcdef" * 4
    count = 800_000 if SOAK else 200_000
    script = f"python for i in range({count}): print('{line}')"
    output = await debugger.execute(script, by="user", timeout=100)
    assert not output.partial
    assert output.text is None
    assert output.path is not None
    assert output.size == count * 65
    with output.path.open("rb") as text:
        assert all(one == f"{line}\n".encode() for one in text)


async def test_time_out_keeps_what_came(debugger: GdbDebugger, clock: Clock) -> None:
    task = await begin(debugger, f"python {WAITS}", "engine")
    clock.run_out()
    output = await task
    assert output.partial
    assert "timed out" in output.reason
    assert output.read().startswith("before\n")
    assert await ask(debugger, "p 7") == "$1 = 7\n"


async def test_interrupt(debugger: GdbDebugger) -> None:
    task = await begin(debugger, f"python {WAITS}", "user")
    await debugger.interrupt()
    output = await task
    assert output.partial
    assert output.reason == "interrupted"
    await debugger.interrupt()
    assert await ask(debugger, "p 7") == "$1 = 7\n"


async def test_killed_while_idle(debugger: GdbDebugger) -> None:
    reasons: list[str] = []
    debugger.on_restart = reasons.append
    os.kill(pid_of(debugger), signal.SIGKILL)
    assert "inner" in await ask(debugger, "bt")
    assert debugger.restarts == len(reasons) == 1


async def test_line_that_cannot_be_sent(debugger: GdbDebugger) -> None:
    for command in ("bt\nshell id", "p 1\x03", "p " + "1" * 4095, "bt\x00"):
        with pytest.raises(CommandRefused):
            await debugger.execute(command, by="user", timeout=5)
    assert await ask(debugger, "p 7") == "$1 = 7\n"


async def test_question_waits_for_the_user(debugger: GdbDebugger) -> None:
    task = asyncio.create_task(debugger.execute("define twice", by="user", timeout=20))
    await until_awaiting(debugger)
    debugger.answer("p 21 * 2")
    debugger.answer("end")
    assert not (await task).partial
    assert await ask(debugger, "twice", "user") == "$1 = 42\n"


async def test_completion(debugger: GdbDebugger) -> None:
    assert "info registers" in await debugger.complete("info reg")
    assert await debugger.complete("p numbe") == ["p numbers"]


async def test_user_leaves(debugger: GdbDebugger) -> None:
    assert debugger.leaves_debugger(" qui")
    assert not debugger.leaves_debugger("info registers")
    with pytest.raises(DebuggerDied):
        await debugger.execute("quit", by="user", timeout=60)
    assert "inner" in await ask(debugger, "bt")


async def test_no_such_gdb(core: Path) -> None:
    with pytest.raises(DebuggerUnavailable, match="no gdb at"):
        await GdbDebugger(Recipe(core=core, program=Path("/nonexistent/gdb"))).start()


async def test_close_is_quick_and_leaves_nothing(recipe: Recipe) -> None:
    debugger = GdbDebugger(recipe)
    await debugger.start()
    pid, folder = pid_of(debugger), debugger._folder
    before = time.monotonic()
    await debugger.close()
    assert time.monotonic() - before < 5
    assert folder is not None
    assert not folder.path.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
