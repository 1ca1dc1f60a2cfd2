"""Times taken in turn, so that a busy moment of the machine falls on both sides of a ratio."""

import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One benchmark: its table's rows as (what, value, bound), and the commands behind them.

    ``bound`` is "" where a row only explains; ``kept`` tells whether every bound held."""

    title: str
    rows: tuple[tuple[str, str, str], ...]
    commands: tuple[str, ...]
    kept: bool
    note: str = ""


def interleaved(
    sides: Mapping[str, Callable[[], float]], repeats: int, warmups: int = 1
) -> dict[str, float]:
    """The median of each side's seconds over ``repeats`` rounds in which every side runs once."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(warmups + repeats):
        for name, measure in sides.items():
            took = measure()
            if turn >= warmups:
                seconds[name].append(took)
    return {name: statistics.median(values) for name, values in seconds.items()}


def wall(command: Sequence[str], env: Mapping[str, str] | None = None) -> float:
    """Seconds from start to end of a process whose output goes nowhere."""
    begun = time.perf_counter()
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=env,
    )
    took = time.perf_counter() - begun
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}")
    return took


def ratio(value: float, bound: float, least: bool = False) -> tuple[str, str, bool]:
    """(value, bound, whether it is kept) for a row; ``least`` means the bound is a lower one."""
    kept = value >= bound if least else value <= bound
    missed = "" if kept else ", missed"
    return f"{value:.2f}", f"{'≥' if least else '≤'} {bound:g}{missed}", kept
