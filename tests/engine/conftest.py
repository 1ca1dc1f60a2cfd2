"""Sessions of the real engine, with real gdb, on real cores."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.debuggers.talk import clock
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.settings import Settings

__all__ = ["clock"]

NULL_WRITE = """
#include <stdlib.h>
struct row { int id; struct row *next; };
int second(struct row *r) { return r->next->id; }
int first(void) { struct row r = {1, NULL}; return second(&r); }
int main(void) { return first(); }
"""

Opener = Callable[..., Awaitable[Session]]


@pytest.fixture(scope="session")
def null_core() -> tuple[Path, Path]:
    """The executable and core of a plain null-pointer read."""
    executable = build(NULL_WRITE, "-g", "-O0", "-static")
    return executable, crash(executable)


@pytest.fixture
async def open_one(tmp_path: Path, null_core: tuple[Path, Path]) -> AsyncIterator[Opener]:
    """Opens sessions under ``tmp_path`` and closes them at the end."""
    opened: list[Session] = []

    async def opener(
        target: str | None = None,
        mode: GateMode = GateMode.ASK,
        gdb: str | None = None,
        **options: object,
    ) -> Session:
        executable, core = null_core
        chosen = Options(**{"executable": str(executable), **options})  # type: ignore[arg-type]
        if target and target.startswith("session_"):
            chosen = Options()
        session = await open_session(
            Request(
                target=target or str(core),
                options=chosen,
                base=tmp_path / "sessions",
                settings=Settings(gdb=gdb),
            ),
            mode,
        )
        opened.append(session)
        return session

    yield opener
    for session in opened:
        if session not in CLOSED:
            await session.close()


CLOSED: set[Session] = set()


async def close(session: Session) -> None:
    """Close a session that the fixture need not close any more."""
    CLOSED.add(session)
    await session.close()
