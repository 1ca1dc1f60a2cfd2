"""Copying: through the terminal (OSC 52) and the system's own tool, claiming only what is known."""

import asyncio
import os
import shutil
from typing import Any

from textual.app import App
from textual.content import Content
from textual.widget import Widget


def show_selection(widget: Widget, line: Content, index: int) -> Content:
    """A line (``index`` from 0) with its selected part marked."""
    selection = widget.text_selection
    span = selection.get_span(index) if selection is not None else None
    if span is None:
        return line
    start, end = span
    background = widget.screen.get_component_styles("screen--selection").background.hex
    return line.stylize(f"on {background}", start, len(line) if end == -1 else end)


_TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)), ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")), ("", ("pbcopy",)), ("", ("clip.exe",)),
)  # fmt: skip


def copy_tool() -> tuple[str, ...] | None:
    """The system's copy command that can work here, or None."""
    for variable, command in _TOOLS:
        if (not variable or os.environ.get(variable)) and shutil.which(command[0]):
            return command
    return None


async def _run_tool(command: tuple[str, ...], text: str) -> bool:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await asyncio.wait_for(process.communicate(text.encode("utf-8", "replace")), 2)
    except (OSError, TimeoutError):
        return False
    return process.returncode == 0


def copy_text(app: App[Any], text: str, what: str) -> None:
    """Copy a text both ways and say what is known: OSC 52 gives no answer, so without a system
    tool that succeeded the message says that the terminal was asked."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    App.copy_to_clipboard(app, text)

    async def copy() -> None:
        tool = copy_tool()
        if tool is not None and await _run_tool(tool, text):
            app.notify(f"{what} copied.", markup=False)
        else:
            app.notify(f"{what} copied (via terminal).", markup=False)

    app.run_worker(copy(), group="copy", exclusive=True)
