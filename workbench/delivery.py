"""What every command without a screen does with its work and its output."""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.model.text import json_text, printable
from workbench.store.replacing import replace_file
from workbench.targets.errors import TargetError

if TYPE_CHECKING:  # a tenth of a second, which a list does without
    import asyncio

V = TypeVar("V")


def check_output(output: Path) -> None:
    """Better said before the work than after it. Raises `TargetError`."""
    if output.is_dir():
        raise TargetError(str(output), "it is a folder", "name a file with --output")
    if not os.access(output if output.exists() else output.parent, os.W_OK):
        raise TargetError(str(output), "it cannot be written", "name another file with --output")


def on_signals(work: "asyncio.Future[Any]") -> list[int]:
    """Let Ctrl-C and SIGTERM end the work in order; the list names what came. Once the work is done
    they end the process as ever: what is left may wait for a reader that takes nothing."""
    came: list[int] = []

    def stop(number: int) -> None:
        came.append(number)
        work.cancel()

    loop = work.get_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: Ctrl-C cancels the main task instead
            loop.add_signal_handler(number, stop, number)
    work.add_done_callback(lambda _: None if came else _listen_no_more(loop))
    return came


def _listen_no_more(loop: "asyncio.AbstractEventLoop") -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.remove_signal_handler(number)


def deliver(text: str, output: Path | None) -> None:
    """Print a text, or write it whole into a file. Raises `OSError`, which names the file."""
    if output is None:
        try:
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough; the session keeps the rest
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    try:
        _write(text, output)
    except OSError as error:
        error.filename = error.filename or str(output)  # a full disk does not say which
        raise


def deliver_as(
    format: str, value: V, as_text: Callable[[V], str], output: Path | None = None
) -> int:
    """Deliver what was found as ``json`` or as text; the exit status."""
    deliver(json_text(value) if format == "json" else as_text(value), output)
    return 0


def _write(text: str, output: Path) -> None:
    if output.exists() and not output.is_file():  # a pipe or a device is written to, not replaced
        output.write_text(text, encoding="utf-8")
        return
    replace_file(output, text, 0o644)
    say(f"report written to {output}")


def say(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(printable(text) + "\n")
    sys.stderr.flush()
