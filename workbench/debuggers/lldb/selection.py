"""Which thread and frame lldb talks about, and commands that say themselves which they mean.

lldb has no ``frame apply``: a question about one frame is two commands for it. As one line they
are written ``thread select 2; frame select 3; frame variable``; the selection is put back.
"""

import asyncio
import re

from workbench.debuggers.protocol import Output, Selection
from workbench.debuggers.session import DebuggerSession

# How long to wait for what lldb tells by itself: half a second.
_ROUNDS, _PAUSE = 25, 0.02
_SELECTING = re.compile(
    r"\s*(?:thread select (?P<thread>\d{1,9})\s*;\s*)?(?:frame select (?P<frame>\d{1,9})\s*;\s*)?"
    r"(?P<command>.*)",
    re.DOTALL,
)


def split(command: str) -> tuple[list[str], str]:
    """The selecting commands at the beginning of a line, and the command that follows them."""
    found = _SELECTING.fullmatch(command)
    if found is None:
        return [], command
    pairs = (("thread", found["thread"]), ("frame", found["frame"]))
    return [f"{what} select {number}" for what, number in pairs if number], found["command"]


async def select_first(session: DebuggerSession, command: str) -> Output | None:
    """Run the selecting commands; an output when one of them failed."""
    for line in split(command)[0]:
        what, _, number = line.split()
        said = await (_select_thread(session, number) if what == "thread" else session.ask(line))
        if said.startswith("error:"):
            return Output(said, None, len(said.encode()))
    return None


async def selection_of(session: DebuggerSession) -> Selection:
    """What is selected now."""
    thread = re.search(r"^thread #(\d+):", await session.ask("thread info"), re.MULTILINE)
    frame = re.search(r"^frame #(\d+):", await session.ask("frame info"), re.MULTILINE)
    return int(thread[1]) if thread else 0, int(frame[1]) if frame else None


async def select(session: DebuggerSession, selection: Selection) -> None:
    """Select it again, where it is not what is selected."""
    now = await selection_of(session)
    thread, frame = selection
    if thread and thread != now[0]:
        await _select_thread(session, str(thread))
    elif frame == now[1]:
        return
    if frame is not None:
        await session.ask(f"frame select {frame}")


async def _select_thread(session: DebuggerSession, number: str) -> str:
    """Select a thread; what lldb says of a mistake.

    It tells of its threads from a thread of its own, which may come after the prompt
    (Debugger::HandleThreadEvent): that is waited for, or it would stand in another output.
    """
    said = await session.ask(f"thread select {number}")
    if said.startswith("error:"):
        return said
    for _ in range(_ROUNDS):
        if re.search(rf"thread #{number}\b", said):
            break
        await asyncio.sleep(_PAUSE)
        said = await session.ask("frame info")
    return ""
