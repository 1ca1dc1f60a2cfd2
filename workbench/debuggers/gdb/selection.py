"""Which thread and frame gdb talks about."""

import re

from workbench.debuggers.queued import Selection
from workbench.debuggers.session import DebuggerSession


async def selection_of(session: DebuggerSession) -> Selection:
    """What is selected now."""
    thread = re.match(r"\d+", await session.ask("output $_thread"))
    frame = re.match(r"Stack level (\d+),", await session.ask("info frame"))
    return int(thread[0]) if thread else 0, int(frame[1]) if frame else None


async def select(session: DebuggerSession, selection: Selection) -> None:
    """Select it again."""
    thread, frame = selection
    if thread:
        await session.ask(f"thread {thread}")
    if frame is not None:
        await session.ask(f"frame level {frame}")
