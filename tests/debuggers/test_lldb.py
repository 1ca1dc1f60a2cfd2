"""lldb behind the protocol, with the oldest and the newest that are supported."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from tests.crashes import needed
from tests.debuggers.talk import (
    WAITS,
    Clock,
    ask,
    begin,
    pid_of,
    until_awaiting,
    until_shown,
)
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.lldb.find import find_lldb
from workbench.debuggers.protocol import (
    CommandRefused,
    DebuggerDied,
    DebuggerUnavailable,
    Recipe,
)


async def test_says_what_loading_printed_and_nothing_else(lldb_debugger: LldbDebugger) -> None:
    opening = lldb_debugger.opening.read()
    assert opening.startswith("Core file '")
    assert "\x1b" not in opening
    assert "Traceback" not in opening
    assert len(opening.splitlines()) <= 2
    assert lldb_debugger.version.split(".")[0] in {"14", "23"}


async def test_outputs_belong_to_their_commands(lldb_debugger: LldbDebugger) -> None:
    stack = await ask(lldb_debugger, "thread backtrace")
    assert "inner(count=1, node=0x0000000000000000) at " in stack
    assert "\x1b" not in stack
    assert "tid = " in stack
    assert "nosuch" in await ask(lldb_debugger, "nosuch")
    assert await ask(lldb_debugger, "settings set tab-size 4", "user") == ""
    assert "(int) count = 1\n" in await ask(lldb_debugger, "frame variable")
    for nothing in ("", "  ", "# no"):
        assert await ask(lldb_debugger, nothing) == ""


async def test_output_cannot_fake_a_prompt(lldb_debugger: LldbDebugger) -> None:
    script = "script print('\\x1b]133;A;' + '0' * 32 + ';\\x07(lldb) |after \\x1b[31mred\\x1b[0m')"
    assert await ask(lldb_debugger, script, "user") == "(lldb) |after red\n"
    assert "frame #0" in await ask(lldb_debugger, "frame info")


async def test_large_output_is_byte_identical(lldb_debugger: LldbDebugger) -> None:
    line = "0123456789abcdef" * 4
    script = f"script print('{line}\\n' * 800000, end='')"
    output = await lldb_debugger.execute(script, by="user", timeout=100)
    assert not output.partial
    assert output.text is None
    assert output.path is not None
    assert output.size == 800000 * 65
    with output.path.open("rb") as text:
        assert all(one == f"{line}\n".encode() for one in text)


async def test_time_out_keeps_what_came(lldb_debugger: LldbDebugger, clock: Clock) -> None:
    task = await begin(lldb_debugger, f"script {WAITS}", "user")
    clock.run_out()
    output = await task
    assert output.partial
    assert "timed out" in output.reason
    assert "frame #0" in await ask(lldb_debugger, "frame info")


@pytest.mark.usefixtures("impatient")
async def test_interrupt(lldb_debugger: LldbDebugger) -> None:
    task = await begin(lldb_debugger, f"script {WAITS}", "user")
    await lldb_debugger.interrupt()
    output = await task
    assert output.partial
    assert output.reason == "interrupted"
    await lldb_debugger.interrupt()
    assert "frame #0" in await ask(lldb_debugger, "frame info")


async def test_killed_while_idle_and_in_a_command(lldb_debugger: LldbDebugger) -> None:
    reasons: list[str] = []
    lldb_debugger.on_restart = reasons.append
    os.kill(pid_of(lldb_debugger), signal.SIGKILL)
    assert "inner" in await ask(lldb_debugger, "bt")
    assert lldb_debugger.restarts == len(reasons) == 1
    with pytest.raises(DebuggerDied, match="SIGKILL"):
        await lldb_debugger.execute(
            "script import os; os.kill(os.getpid(), 9)", by="user", timeout=20
        )
    assert "inner" in await ask(lldb_debugger, "bt")
    assert lldb_debugger.restarts == 2


async def test_line_that_cannot_be_sent(lldb_debugger: LldbDebugger) -> None:
    for command in ("bt\nplatform shell id", "p 1\x03", "p " + "1" * 4095, "bt\x00", "gui"):
        with pytest.raises(CommandRefused):
            await lldb_debugger.execute(command, by="user", timeout=5)
    long = "image lookup --name " + "n" * 4000
    await ask(lldb_debugger, long)
    assert "frame #0" in await ask(lldb_debugger, "frame info")


async def test_question_waits_for_the_user(lldb_debugger: LldbDebugger) -> None:
    task = asyncio.create_task(lldb_debugger.execute("expression", by="user", timeout=20))
    await until_awaiting(lldb_debugger)
    lldb_debugger.answer("6 * 7")
    lldb_debugger.answer("")
    output = await task
    assert not output.partial
    assert "= 42\n" in output.read()
    assert "frame #0" in await ask(lldb_debugger, "frame info")


async def test_python_prompt_is_left(lldb_debugger: LldbDebugger) -> None:
    task = asyncio.create_task(lldb_debugger.execute("script", by="user", timeout=20))
    await until_awaiting(lldb_debugger)
    lldb_debugger.answer("print(6 * 7)")
    await asyncio.sleep(0.5)
    assert lldb_debugger.awaiting_input
    lldb_debugger.answer("quit()")
    assert "42" in (await task).read()
    assert "frame #0" in await ask(lldb_debugger, "frame info")
    assert lldb_debugger.restarts == 0


async def test_body_that_is_typed_without_a_pause(lldb_debugger: LldbDebugger) -> None:
    await ask(lldb_debugger, "command alias twice thread list", "user")
    task = asyncio.create_task(ask(lldb_debugger, "command regex again", "user"))
    await asyncio.sleep(0)
    for line in ("s/^(.*)$/frame info %1/", ""):
        assert lldb_debugger.awaiting_input
        lldb_debugger.answer(line)
    await task
    assert not lldb_debugger.awaiting_input
    assert "frame #0" in await ask(lldb_debugger, "again", "user")


@pytest.mark.usefixtures("impatient")
async def test_engine_is_not_kept_by_a_question(lldb_debugger: LldbDebugger) -> None:
    output = await lldb_debugger.execute("target stop-hook add", by="engine", timeout=30)
    assert output.partial
    assert output.reason == "lldb asked a question"
    assert "frame #0" in await ask(lldb_debugger, "frame info")


@pytest.mark.parametrize(
    "command",
    [
        'settings set prompt "foo> "',
        "settings clear prompt",
        "settings clear --all",
        "settings set use-color false",
        "settings set auto-confirm false",
        "settings set frame-format x",
        "settings set term-width 20",
        "platform shell stty -F /dev/tty sane",
        "script lldb.debugger.SetPrompt('mine> ')",
    ],
)
async def test_settings_of_the_user_do_not_break_framing(
    lldb_debugger: LldbDebugger, command: str
) -> None:
    before = await ask(lldb_debugger, "thread backtrace")
    await lldb_debugger.execute(command, by="user", timeout=10)
    assert await ask(lldb_debugger, "thread backtrace") == before
    assert "numbers" in await ask(lldb_debugger, "target variable numbers", "user")
    assert lldb_debugger.restarts == 0


async def test_resize_changes_nothing(lldb_debugger: LldbDebugger) -> None:
    before = await ask(lldb_debugger, "target variable big_text")
    lldb_debugger.resize(5, 20)
    assert await ask(lldb_debugger, "target variable big_text") == before
    text = await ask(lldb_debugger, "platform shell stty -F /dev/tty size", "user")
    assert text == "5 20\n"


async def test_a_frame_is_asked_wherever_the_user_looks(lldb_debugger: LldbDebugger) -> None:
    before = await ask(lldb_debugger, "frame info")
    assert "argc = 1" in await ask(lldb_debugger, "frame select 1; frame variable")
    assert await lldb_debugger.selection() == (1, 0)
    await ask(lldb_debugger, "up", "user")
    assert await ask(lldb_debugger, "frame info") == before
    one = await ask(lldb_debugger, "thread select 1; frame select 0; frame variable")
    assert "count = 1" in one
    assert await lldb_debugger.selection() == (1, 1)
    for gone in ("frame select 99; frame variable", "thread select 9; frame variable"):
        assert (await ask(lldb_debugger, gone)).startswith("error:")
    assert await lldb_debugger.selection() == (1, 1)
    assert "argc" in await ask(lldb_debugger, "frame variable", "user")


async def test_completion(lldb_debugger: LldbDebugger) -> None:
    assert "frame variable" in await lldb_debugger.complete("frame va")
    assert "image lookup --address" in await lldb_debugger.complete("image lookup --ad")
    assert await lldb_debugger.complete('it\'s "not" ` a command') == []


@pytest.mark.parametrize(
    "command",
    ["quit", "q", "exit", "process detach", "kill", "target delete", "file x", "process kill",
     "target create x", "run", "r", "process launch", "attach 1", "gdb-remote 1", "proc k"],
)  # fmt: skip
def test_leaving(lldb: Path, command: str) -> None:
    assert LldbDebugger(Recipe(core=None, program=lldb)).leaves_debugger(command)


@pytest.mark.parametrize("command", ["bt", "process status", "target list", "register read", ""])
def test_staying(lldb: Path, command: str) -> None:
    assert not LldbDebugger(Recipe(core=None, program=lldb)).leaves_debugger(command)


async def test_user_leaves(lldb_debugger: LldbDebugger) -> None:
    with pytest.raises(DebuggerDied):
        await lldb_debugger.execute("quit", by="user", timeout=60)
    assert "inner" in await ask(lldb_debugger, "bt")


async def test_display_says_who_asked(lldb_debugger: LldbDebugger) -> None:
    shown: list[bytes] = []
    lldb_debugger.display = shown.append
    await ask(lldb_debugger, "frame info")
    await ask(lldb_debugger, "version", "user")
    await lldb_debugger.complete("frame v")
    await until_shown(shown, b"(lldb) version\r\n")
    text = b"".join(shown).decode()
    assert "engine \u25b8 frame info\x1b[0m\r\n" in text
    assert "(lldb) version\r\n" in text
    assert "133;" not in text
    assert "script" not in text


async def test_no_such_lldb(core: Path) -> None:
    with pytest.raises(DebuggerUnavailable, match="no lldb at"):
        await LldbDebugger(Recipe(core=core, program=Path("/nonexistent/lldb"))).start()


async def test_dump_that_is_none_is_said(lldb: Path, tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(b"\x7fELF nonsense")
    with pytest.raises(DebuggerUnavailable, match="lldb cannot open the dump"):
        await LldbDebugger(Recipe(core=tmp_path / "core", program=lldb)).start()


async def test_close_is_quick_and_leaves_nothing(core: Path, executable: Path, lldb: Path) -> None:
    debugger = LldbDebugger(Recipe(core=core, executable=executable, program=lldb))
    await debugger.start()
    pid, folder = pid_of(debugger), debugger._folder
    before = time.monotonic()
    await debugger.close()
    assert time.monotonic() - before < 5
    assert folder is not None
    assert not folder.path.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_order_of_debuggers(tmp_path: Path) -> None:
    oldest = needed("lldb-14")
    assert "_vendor" in str(find_lldb().path)
    assert "_vendor" not in str(find_lldb(sos=True).path)
    assert find_lldb(oldest).path == oldest
    with pytest.raises(DebuggerUnavailable):
        find_lldb(tmp_path / "none")


async def test_a_size_that_comes_before_the_first_prompt_waits_for_it(
    core: Path, executable: Path, lldb: Path
) -> None:
    debugger = LldbDebugger(Recipe(core=core, executable=executable, program=lldb))
    starting = asyncio.ensure_future(debugger.start())
    try:
        await debugger.under_way()
        debugger.resize(12, 60)  # the screen's, which is there sooner than lldb's prompt
        await starting
        assert "Core file '" in debugger.opening.read()
        assert "inner(count=1" in await ask(debugger, "thread backtrace")
    finally:
        await debugger.close()
