"""The door to Windows' pseudo-console, with a console that is played by two pipes."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.debuggers.talk import ask
from workbench.debuggers import conpty, pty
from workbench.debuggers.cdb.debugger import CdbDebugger
from workbench.debuggers.protocol import DebuggerUnavailable, Recipe

PLAYER = Path(__file__).with_name("cdb_player.py")


class PipedConsole:
    """What winpty.PtyProcess is to its user. It draws as a console does: a title and the cursor's
    moves around what the program prints."""

    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        self._program = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0
        )
        self.pid = self._program.pid
        self._drawn = "\x1b[?25l\x1b[2J\x1b[m\x1b[H\x1b]0;cdb.exe\x07\x1b[?25h"

    @classmethod
    def spawn(
        cls, argv: list[str], env: dict[str, str], dimensions: tuple[int, int]
    ) -> "PipedConsole":
        assert dimensions[1] > 1000
        return cls(argv, env)

    @property
    def exitstatus(self) -> int | None:
        return self._program.returncode

    def read(self, size: int = 1024) -> str:
        assert self._program.stdout is not None
        data = os.read(self._program.stdout.fileno(), min(size, 100))
        if not data:
            for pipe in (self._program.stdin, self._program.stdout):
                if pipe is not None:
                    pipe.close()
            raise EOFError("closed")
        drawn, self._drawn = self._drawn, "\x1b[K"
        return drawn + data.decode().replace("\n", "\r\n")

    def write(self, s: str) -> int:
        assert self._program.stdin is not None
        self._program.stdin.write(s.replace("\r", "\n").encode())
        return len(s)

    def isalive(self) -> bool:
        return self._program.poll() is None

    def terminate(self, force: bool = False) -> bool:
        self._program.kill()
        return force


def test_escapes_are_taken_out_wherever_they_are_cut() -> None:
    pieces = ["\x1b", "[?25l0:0", "00> \x1b]0;ti", "tle\x07k\x1b[", "K\r\nend\x1b[1;5H"]
    console = SimpleNamespace(pid=1, read=lambda size: pieces.pop(0) if pieces else _end())
    child = conpty.ConsoleChild(console)
    parts = []
    while data := child.read():
        parts.append(data)
    assert b"".join(parts) == b"0:000> k\r\nend"


def _end() -> str:
    raise EOFError


async def test_cdb_on_a_console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "winpty", SimpleNamespace(PtyProcess=PipedConsole))
    monkeypatch.setattr(
        pty, "spawn", lambda argv, env, rows, cols: conpty.spawn_on_console(argv, env, rows)
    )
    program = tmp_path / "cdb"
    program.write_text(
        f"#!{sys.executable}\nimport runpy\nrunpy.run_path({str(PLAYER)!r}, run_name='__main__')\n"
    )
    program.chmod(0o755)
    dump = tmp_path / "orders.dmp"
    dump.write_bytes(b"MDMP\x93\xa7")
    cdb = CdbDebugger(Recipe(core=dump, program=program, debugger="cdb"))
    await cdb.start()
    try:
        assert cdb.version == "10.0.22621.2428"
        assert await ask(cdb, "!gle") == "LastErrorValue: 0\n"
        text = await ask(cdb, "!analyze -v")
        assert text.count("\n") == 41
        assert "\x1b" not in text
    finally:
        await cdb.close()


def test_without_pywinpty_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "winpty", None)
    with pytest.raises(DebuggerUnavailable, match="pywinpty"):
        conpty.spawn_on_console(["cdb.exe"], {}, 24)
