"""What a user's commands, signals and deaths do to the conversation: nothing that lasts."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.debuggers.talk import (
    WAITS,
    Clock,
    ask,
    begin,
    pid_of,
    until_awaiting,
    until_shown,
)
from workbench.debuggers.gdb.debugger import GdbDebugger, opens_body
from workbench.debuggers.protocol import DebuggerDied


@pytest.mark.parametrize(
    "command",
    [
        "set prompt foo",
        "set extended-prompt \\f>",
        "set annotate 2",
        "set editing on",
        "set width 30",
        "set height 5",
        "set pagination on",
        "set confirm on",
        "set logging redirect on",
        "set style enabled off",
        "shell stty sane",
        "python gdb.execute('set prompt x')",
        "python gdb.prompt_hook = lambda current: 'hook> '",
    ],
)
async def test_settings_of_the_user_do_not_break_framing(
    debugger: GdbDebugger, command: str
) -> None:
    before = await ask(debugger, "info line inner")
    await debugger.execute(command, by="user", timeout=10)
    assert await ask(debugger, "info line inner") == before
    assert await ask(debugger, "p 6 * 7") == "$1 = 42\n"
    assert await ask(debugger, "p 6 * 7", "user") == "$2 = 42\n"
    long = await ask(debugger, "info functions mem")
    assert len(long.splitlines()) > 24
    assert debugger.restarts == 0


async def test_resize_does_not_wrap(debugger: GdbDebugger) -> None:
    before = await ask(debugger, "p big_text")
    assert len(before) > 200
    debugger.resize(5, 20)
    assert await ask(debugger, "p big_text") == before.replace("$1", "$2")
    text = await ask(debugger, "shell stty size </dev/tty", "user")
    assert text == "5 20\n"


async def test_user_selection_is_put_back(debugger: GdbDebugger) -> None:
    await ask(debugger, "up", "user")
    assert "#0" in await ask(debugger, "frame function inner")
    assert await debugger.selection() == (1, 1)
    assert "#1  0x" in await ask(debugger, "frame", "user")


async def test_engine_asks_about_the_same_frame_wherever_the_user_looks(
    debugger: GdbDebugger,
) -> None:
    before = await ask(debugger, "info frame")
    await ask(debugger, "up", "user")
    assert await ask(debugger, "info frame") == before
    assert await debugger.selection() == (1, 1)
    await ask(debugger, "frame 0", "user")
    assert await ask(debugger, "info frame") == before


@pytest.mark.usefixtures("impatient", "deaf")
async def test_python_prompt_reads_lines_and_is_left(debugger: GdbDebugger) -> None:
    task = asyncio.create_task(debugger.execute("pi", by="user", timeout=20))
    await until_awaiting(debugger)
    seen: list[bool] = []
    debugger.on_awaiting = seen.append
    shown: list[bytes] = []
    debugger.display = shown.append
    debugger.answer("print(6 * 7)")
    await until_shown(shown, b"42\r")
    assert debugger.awaiting_input
    assert seen == []
    await debugger.interrupt()
    output = await task
    assert "42" in output.read()
    # A Python prompt can only be left by ending gdb.
    assert await ask(debugger, "p 7") == "$1 = 7\n"
    assert debugger.restarts == 1


async def test_question_of_gdb_is_shown_and_answered(debugger: GdbDebugger) -> None:
    await ask(debugger, "set confirm on", "user")
    await ask(debugger, "break inner", "user")
    task = asyncio.create_task(debugger.execute("delete", by="user", timeout=20))
    await until_awaiting(debugger)
    debugger.answer("y")
    assert "(y or n)" in (await task).read()
    assert "No breakpoints" in await ask(debugger, "info breakpoints")


@pytest.mark.usefixtures("impatient")
async def test_engine_is_not_kept_by_a_question(debugger: GdbDebugger) -> None:
    output = await debugger.execute("define nothing", by="engine", timeout=30)
    assert output.partial
    assert output.reason == "gdb asked a question"
    assert await ask(debugger, "p 7") == "$1 = 7\n"


async def test_engine_waits_for_the_user(debugger: GdbDebugger) -> None:
    order: list[str] = []

    async def one(command: str, by: str) -> None:
        await ask(debugger, command, by)
        order.append(command)

    slow = asyncio.create_task(one("python import time; time.sleep(0.4)", "user"))
    await asyncio.sleep(0.05)
    await asyncio.gather(one("p 1", "engine"), one("p 2", "user"), one("p 3", "engine"), slow)
    assert order[1:] == ["p 1", "p 2", "p 3"]


async def test_cancelled_commands_leave_no_output_behind(debugger: GdbDebugger) -> None:
    for _ in range(3):
        task = await begin(debugger, f"python {WAITS}", "engine")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        completion = asyncio.create_task(debugger.complete("info "))
        await asyncio.sleep(0)
        completion.cancel()
        await asyncio.gather(completion, return_exceptions=True)
        assert await ask(debugger, "output 7") == "7"
    assert debugger.restarts == 0


async def test_late_interrupts_shift_nothing(debugger: GdbDebugger) -> None:
    for number in range(30):
        task = asyncio.create_task(debugger.execute("info line inner", by="user", timeout=9))
        await asyncio.sleep(0.0004 * (number % 6))
        await debugger.interrupt()
        await task
        assert await ask(debugger, f"output {number}") == str(number)
    assert debugger.restarts == 0


async def test_engine_command_is_tried_again_once_after_a_death(
    debugger: GdbDebugger, tmp_path: Path
) -> None:
    once = f"import os, time; once = {str(tmp_path / 'once')!r}; again = os.path.exists(once); "
    once += "open(once, 'w').close(); again or print('before', flush=True) or time.sleep(60)"
    task = await begin(debugger, f"python {once}; print('done')", "engine")
    os.kill(pid_of(debugger), signal.SIGKILL)
    output = await task
    assert output.read() == "done\n"
    assert not output.partial
    assert debugger.restarts == 1


async def test_second_death_is_told_with_what_came(debugger: GdbDebugger) -> None:
    command = "python print('before', flush=True); import os; os.kill(os.getpid(), 9)"
    with pytest.raises(DebuggerDied, match="SIGKILL") as death:
        await debugger.execute(command, by="engine", timeout=20)
    assert death.value.partial is not None
    assert death.value.partial.read() == "before\n"
    assert debugger.restarts == 2
    assert await ask(debugger, "p 7") == "$1 = 7\n"


@pytest.mark.usefixtures("deaf")
async def test_deaf_debugger_is_started_again(debugger: GdbDebugger, clock: Clock) -> None:
    deaf = f"python import signal; signal.pthread_sigmask(0, {{2}}); {WAITS}"
    task = await begin(debugger, deaf, "user")
    clock.run_out()
    output = await task
    assert output.partial
    assert await ask(debugger, "p 7") == "$1 = 7\n"
    assert debugger.restarts == 1


async def test_display_says_who_asked(debugger: GdbDebugger) -> None:
    shown: list[bytes] = []
    debugger.display = shown.append
    await ask(debugger, "p 1 + 1")
    await ask(debugger, "p 2 + 2", "user")
    await debugger.complete("info reg")
    await until_shown(shown, b"(gdb) p 2 + 2\r\n")
    text = b"".join(shown).decode()
    assert "engine \u25b8 p 1 + 1\x1b[0m\r\n" in text
    assert "(gdb) p 2 + 2\r\n" in text
    assert "133;" not in text
    assert "info registers" not in text


async def test_display_skips_what_nobody_can_read(debugger: GdbDebugger) -> None:
    shown: list[bytes] = []
    debugger.display = shown.append
    script = "python for i in range(60): print('0123456789' * 100 + chr(10), end='' * i)"
    await ask(debugger, f"{script}; print('last line')", "user")
    flood = "shell seq -f %0100.0f 20000"  # faster than any display
    output = await debugger.execute(flood, by="user", timeout=60)
    await ask(debugger, "echo the end\\n", "user")
    await until_shown(shown, b"the end\r\n")
    assert output.size == 20000 * 101
    assert sum(map(len, shown)) < output.size / 2
    assert b"bytes skipped here" in b"".join(shown)
    assert b"the end\r\n" in b"".join(shown)


@pytest.mark.parametrize("busy", [False, True])
async def test_body_that_is_typed_without_a_pause(debugger: GdbDebugger, busy: bool) -> None:
    told: list[bool] = []
    debugger.on_awaiting = told.append
    before = asyncio.create_task(ask(debugger, "bt")) if busy else None
    await asyncio.sleep(0)
    defining = asyncio.create_task(ask(debugger, "define hello", by="user"))
    await asyncio.sleep(0)
    for line in ("echo hi\\n", "end"):
        assert debugger.awaiting_input
        debugger.answer(line)
    await defining
    assert not debugger.awaiting_input
    assert told == [True, False]
    if before is not None:
        assert "inner" in await before
    assert await ask(debugger, "hello", by="user") == "hi\n"
    assert await ask(debugger, "p 7") == "$1 = 7\n"


async def test_body_that_is_typed_slowly(debugger: GdbDebugger) -> None:
    running = asyncio.create_task(ask(debugger, "python", by="user"))
    for line in ("for number in range(2):", "    print(number)", "end"):
        await asyncio.sleep(0.3)
        assert debugger.awaiting_input
        debugger.answer(line)
    assert "0\n1\n" in await running
    assert not debugger.awaiting_input


async def test_body_that_is_none_after_all(debugger: GdbDebugger) -> None:
    running = asyncio.create_task(ask(debugger, "define", by="user"))
    assert "Argument required" in await running
    assert not debugger.awaiting_input
    assert await ask(debugger, "p 7") == "$1 = 7\n"


@pytest.mark.parametrize(
    ("command", "opens"),
    [
        ("define x", True),
        ("doc x", True),
        ("py", True),
        ("pi", True),
        ("while 1", True),
        ("if $x", True),
        ("comm 1", True),
        ("python print(1)", False),
        ("info define", False),
        ("p 1", False),
        ("w 1", False),
    ],
)
def test_what_opens_a_body(command: str, opens: bool) -> None:
    assert opens_body(command) is opens
