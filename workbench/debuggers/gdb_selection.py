"""Which thread and frame gdb talks about."""

import re

from workbench.debuggers.gdb_session import GdbSession

# The selected thread (0: none) and the level of its selected frame (None: no frame).
Selection = tuple[int, int | None]


async def selection_of(session: GdbSession) -> Selection:
    """What is selected now."""
    thread = re.match(r"\d+", await session.ask("output $_thread"))
    frame = re.match(r"Stack level (\d+),", await session.ask("info frame"))
    return int(thread[0]) if thread else 0, int(frame[1]) if frame else None


async def select(session: GdbSession, selection: Selection) -> None:
    """Select it again."""
    thread, frame = selection
    if thread:
        await session.ask(f"thread {thread}")
    if frame is not None:
        await session.ask(f"frame level {frame}")
