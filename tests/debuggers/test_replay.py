"""A recorded session answers what was asked when it was recorded, and nothing else."""

from pathlib import Path

import pytest

from workbench.debuggers.protocol import CommandRefused, Recipe
from workbench.debuggers.replay import NOT_RECORDED, ReplayDebugger, find
from workbench.model.evidence import Section


def _sections(*commands: str) -> list[Section]:
    return [
        Section(command=c, host="gdb", text=f"answer to {c}\n", first_line=n)
        for n, c in enumerate(commands, 1)
    ]


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("bt", "bt"),
        ("backtrace", "bt"),
        ("where", "bt 64"),
        ("bt full", "bt 64"),
        ("thread apply all bt full", "thread apply all bt 32"),
        ("t a a bt", "thread apply all bt"),
        ("info reg", "info registers"),
        ("i r", "info registers"),
        ("  info   threads ", "info threads"),
        ("info locals", "i lo"),
        ("!analyze -v", "!analyze -v"),
    ],
)
def test_the_same_question_in_other_words(recorded: str, asked: str) -> None:
    assert find(_sections("p 1", recorded), asked) == 1


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("bt 4", "bt 64"),
        ("bt", "bt full"),
        ("bt", "thread apply all bt"),
        ("x/4gx 0x1000", "x/4gx 0x2000"),
        ("frame 1", "frame 2"),
        ("info locals", "info args"),
    ],
)
def test_another_question_is_not_answered(recorded: str, asked: str) -> None:
    assert find(_sections(recorded), asked) is None


async def test_it_is_a_debugger() -> None:
    replay = ReplayDebugger(Recipe(core=Path("log.txt"), debugger="replay"))
    replay.load(_sections("bt", "info threads"))
    shown: list[bytes] = []
    replay.display = shown.append
    await replay.start()
    output = await replay.execute("where", by="user", timeout=1)
    assert output.read() == "answer to bt\n"
    assert b"answer to bt\r\n" in shown[0]
    with pytest.raises(CommandRefused, match=NOT_RECORDED):
        await replay.execute("info locals", by="engine", timeout=1)
    assert NOT_RECORDED.encode() in shown[1]
    assert await replay.complete("info") == ["info threads"]
    assert not replay.leaves_debugger("quit")
    await replay.close()


async def test_what_it_shows_holds_no_escapes() -> None:
    replay = ReplayDebugger(Recipe(core=None, debugger="replay"))
    replay.load([Section(command="bt", host="gdb", text="\x1b[2J\x07#0 f\n", first_line=1)])
    shown: list[bytes] = []
    replay.display = shown.append
    await replay.execute("bt", by="user", timeout=1)
    assert b"\x1b[2J" not in shown[0]
    assert b"\x07" not in shown[0]
