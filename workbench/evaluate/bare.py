"""The baseline: the bare debugger with the same commands, and what its first lines say."""

import re
import subprocess
import time
from collections.abc import Sequence
from typing import Any

from workbench.debuggers.gdb.find import find_gdb
from workbench.evaluate.making import Made

_SECONDS = 300
# What the line "Program terminated with signal …" says of a cause by itself, as a person who looks
# at nothing else would take it.
_SIGNALS = {
    "SIGFPE": "divide-by-zero",
    "SIGILL": "illegal-instruction",
    "SIGTRAP": "trap",
    "SIGBUS": "bus-error",
    "SIGABRT": "explicit-abort",
    "SIGSEGV": "wild-pointer",
    "SIGQUIT": "external-signal",
    "SIGTERM": "external-signal",
}
_NEAR_NULL = 0x10000


def bare(made: Made, commands: Sequence[str]) -> dict[str, Any]:
    """Seconds of one batch of the commands, and what the bare debugger says: a category by its
    signal and the address that failed, and the innermost frame that has a name."""
    gdb = [str(find_gdb().path), "-nx", "-batch", "-iex", "set auto-load no"]
    gdb += ["-iex", "set debuginfod enabled off", str(made.executable), str(made.target)]
    began = time.monotonic()
    subprocess.run(
        [*gdb, *(part for command in commands for part in ("-ex", command))],
        capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    taken = time.monotonic() - began
    said = subprocess.run(
        [*gdb, "-ex", "bt 1", "-ex", "p/x $_siginfo._sifields._sigfault.si_addr"],
        capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False,
        stdin=subprocess.DEVNULL,
    ).stdout  # fmt: skip
    return {"bare_seconds": round(taken, 3), "bare": said_by(said)}


def said_by(text: str) -> dict[str, str]:
    """``category`` and ``function`` of what gdb printed when it opened a core."""
    signal = re.search(r"terminated with signal (SIG\w+)", text)
    category = _SIGNALS.get(signal[1], "unknown") if signal else "unknown"
    address = re.search(r"^\$1 = 0x([0-9a-f]+)", text, re.MULTILINE)
    if category == "wild-pointer" and address and int(address[1], 16) < _NEAR_NULL:
        category = "null-pointer-dereference"
    frame = re.search(r"^#0\s+(?:0x[0-9a-f]+ in )?([^\s(]+)", text, re.MULTILINE)
    return {"category": category, "function": frame[1] if frame else ""}
