"""The console while a debugger prints 100 MB: how fast it drains, how soon a key is painted."""

import itertools
import statistics
import sys
import time
from pathlib import Path

from tests.bench.pty_run import PtyRun
from tests.bench.timing import Result, ratio
from workbench.debuggers.gdb.find import find_gdb
from workbench.samples import DemoSample

BOUND_SPEED, BOUND_KEYS = 0.8, 2.0
MEGABYTES = 100
IDLE_KEYS = 60
KEY_PAUSE = 0.03
END = "that-was-the-flood"


def flood_script(megabytes: int) -> str:
    """Python for gdb that prints that many million bytes of lines, then `END`."""
    return f"""
import gdb
block = ("0123456789abcdef" * 5)[:79] + "\\n"
for _ in range({megabytes}):
    gdb.write(block * 12500)
gdb.write("{END}\\n")
"""


def run(sample: DemoSample, scratch: Path, repeats: int = 5) -> Result:
    """A console that prints the flood, in turn with gdb on a terminal that is only read."""
    flood = scratch / "flood.py"
    flood.write_text(flood_script(MEGABYTES))
    drained, bare, idle, busy = [], [], list[float](), list[float]()
    for turn in range(repeats):
        bare.append(bare_drain(sample, flood))
        with open_workbench(sample, scratch / f"console-{turn}") as app:
            keys = Keys(app)
            idle += keys.press(IDLE_KEYS)
            seconds, latencies = keys.press_during(f"source {flood}\r")
            drained.append(seconds)
            busy += latencies
    speed, speed_bound, speed_kept = ratio(
        statistics.median(bare) / statistics.median(drained), BOUND_SPEED, least=True
    )
    slower, keys_bound, keys_kept = ratio(percentile(busy) / percentile(idle), BOUND_KEYS)
    return Result(
        f"The console drains {MEGABYTES} MB",
        (
            ("workbench, until its last line is painted", _rate(drained), ""),
            ("gdb on a terminal that is only read", _rate(bare), ""),
            ("ratio of the speeds", speed, speed_bound),
            (f"key to paint, idle, 95th percentile of {len(idle)}", _ms(idle), ""),
            (f"key to paint, meanwhile, 95th percentile of {len(busy)}", _ms(busy), ""),
            ("ratio", slower, keys_bound),
        ),
        (
            f"workbench open core --exe server, then `source flood.py` in the console; flood.py"
            f" calls `gdb.write` {MEGABYTES} times with 1 MB of lines",
            "gdb -nx -q server core on a raw terminal, `source flood.py`, read with os.read",
        ),
        speed_kept and keys_kept,
    )


def bare_drain(sample: DemoSample, flood: Path) -> float:
    """Seconds from the command to the flood's last line on a terminal that is only read."""
    found = find_gdb()
    command = [str(found.path), *found.options, "-nx", "-q", "-iex", "set editing off"]
    command += ["-iex", "set debuginfod enabled off", "-iex", "set height 0", "-iex", "set width 0"]
    command += [str(sample.executable), str(sample.core)]
    with PtyRun(command, raw=True, env=found.environment()) as gdb:
        gdb.until(lambda seen: seen.endswith(b"(gdb) "), 20)
        begun = time.perf_counter()
        gdb.send(f"source {flood}\n")
        return gdb.until(lambda seen: END.encode() in seen, 120, window=8192) - begun


def open_workbench(sample: DemoSample, sessions: Path) -> PtyRun:
    """The workbench on the sample, at rest at its first gate, the console focused."""
    app = PtyRun(
        [
            str(Path(sys.executable).parent / "workbench"), "open", str(sample.core),
            "--exe", str(sample.executable), "--sessions-dir", str(sessions),
        ]
    )  # fmt: skip
    app.until(lambda seen: b"approve" in seen, 30)
    app.drain(1.5)
    app.send("\x1b[15~")  # F5 focuses the console
    app.drain(0.5)
    return app


class Keys:
    """Types letters that stand nowhere else and waits for each on the screen."""

    def __init__(self, app: PtyRun) -> None:
        self._app = app
        self._letters = itertools.cycle(map(chr, range(0x100, 0x17F)))  # in nobody's output
        self._tail = b""
        self._ended: float | None = None

    def press(self, count: int) -> list[float]:
        """Seconds from key to paint, for that many keys."""
        return [self._one(5.0) for _ in range(count)]

    def press_during(self, command: str, limit: float = 120.0) -> tuple[float, list[float]]:
        """Enter a command; keys are pressed until its flood has ended. Returns its seconds and
        the keys' seconds. Raises `TimeoutError` after ``limit`` seconds."""
        latencies = []
        self._tail, self._ended = b"", None
        begun = time.perf_counter()
        self._app.send(command)
        while self._ended is None:
            latencies.append(self._one(60.0))
            if time.perf_counter() - begun > limit:
                raise TimeoutError("the flood did not end")
        return self._ended - begun, latencies

    def _one(self, seconds: float) -> float:
        letter = next(self._letters)
        begun = time.perf_counter()
        self._app.send(letter)
        self._tail = b""
        while letter.encode() not in self._tail:
            if time.perf_counter() - begun > seconds:
                raise TimeoutError(f"key not painted within {seconds} s: {self._tail[-500:]!r}")
            self._take(0.05)
        took = time.perf_counter() - begun
        self._app.send("\x7f")
        rest = time.perf_counter() + KEY_PAUSE
        while (left := rest - time.perf_counter()) > 0:
            self._take(left)
        return took

    def _take(self, seconds: float) -> None:
        """Read what is there; the moment in which the flood's last line came is kept."""
        self._tail = (self._tail + self._app.read(seconds))[-65536:]
        if self._ended is None and END.encode() in self._tail:
            self._ended = time.perf_counter()


def percentile(values: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


def _ms(values: list[float]) -> str:
    return f"{percentile(values) * 1000:.0f} ms"


def _rate(seconds: list[float]) -> str:
    return f"{MEGABYTES / statistics.median(seconds):.0f} MB/s"
