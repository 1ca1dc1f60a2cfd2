"""Several worker processes that do cases; what one of them does wrong is one case's outcome."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench.evaluate.records import Capture
from workbench.evaluate.worker import Job

_GRACE = 240.0
"""Seconds beside an investigation's own for making its target."""


class Budget:
    """Dollars that several cases share; None is no limit. What a running case may spend is set
    aside for it, so that all together never spend more."""

    def __init__(self, dollars: float | None, jobs: int) -> None:
        self._left = dollars
        self._free = jobs
        self._lock = threading.Lock()

    def take(self) -> float | None:
        """What the next case may spend; 0 when nothing is left."""
        with self._lock:
            if self._left is None:
                return None
            mine = max(0.0, self._left) / self._free
            self._left -= mine
            self._free -= 1
            return mine

    def give_back(self, taken: float | None, spent: float) -> None:
        """A case has ended."""
        with self._lock:
            if self._left is not None and taken is not None:
                self._left += taken - spent
                self._free += 1


class Pool:
    """``done`` is called with each case's outcome, one at a time. `stop` ends the workers at once;
    what they were doing is done again by the next run."""

    def __init__(
        self,
        jobs: int,
        log: Path,
        done: Callable[[dict[str, Any]], None],
        dollars: float | None = None,
    ) -> None:
        self._budget = Budget(dollars, jobs)
        self._count = jobs
        self._log = log
        self._done = done
        self._batches: queue.SimpleQueue[list[Job]] = queue.SimpleQueue()
        self._told: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._workers: set[subprocess.Popen[str]] = set()
        self._stopped = threading.Event()
        self._spent = threading.Event()

    def run(self, batches: Iterable[list[Job]]) -> None:
        """Until all is done, or `stop` was called from ``done`` or by a KeyboardInterrupt."""
        for batch in batches:
            self._batches.put(batch)
        threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self._count)]
        for thread in threads:
            thread.start()
        try:
            left = len(threads)
            while left:
                told = self._told.get()
                if told is None:
                    left -= 1
                elif not self._stopped.is_set():
                    self._done(told)
        finally:
            self.stop()
            for thread in threads:
                thread.join(5)

    def stop(self) -> None:
        """Begin nothing more and end what runs."""
        self._stopped.set()
        for worker in tuple(self._workers):
            with suppress(ProcessLookupError):  # with what it started: compilers, programs
                os.killpg(worker.pid, signal.SIGKILL)

    def _serve(self) -> None:
        worker: subprocess.Popen[str] | None = None
        try:
            while not (self._stopped.is_set() or self._spent.is_set()):
                for job in self._batches.get_nowait():
                    if self._stopped.is_set() or self._spent.is_set():
                        return
                    if worker is None or worker.poll() is not None:
                        worker = self._start()
                    cap = self._budget.take()
                    if cap is not None and job.wish.get("allow_cloud") and cap <= 0:
                        self._spent.set()
                        return
                    told = self._ask(worker, job.model_copy(update={"max_cost": cap}))
                    told["spent"] = spent_by(told, job, cap)
                    self._budget.give_back(cap, told["spent"])
                    if told["capture"]["status"] == "capped":
                        self._spent.set()
                    self._told.put(told)
                    if job.mode == "isolated":
                        self._end(worker)
                        worker = None
        except queue.Empty:
            pass
        finally:
            if worker is not None:
                self._end(worker)
            self._told.put(None)

    def _start(self) -> subprocess.Popen[str]:
        with self._log.open("a") as log:
            worker = subprocess.Popen(
                # -P: no module of the working folder is imported in place of a library's
                [sys.executable, "-P", "-m", "workbench.evaluate.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._workers.add(worker)
        if self._stopped.is_set():
            worker.kill()
        return worker

    def _end(self, worker: subprocess.Popen[str]) -> None:
        if worker.stdin is not None:
            worker.stdin.close()
        try:
            worker.wait(10)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
        if worker.stdout is not None:
            worker.stdout.close()
        self._workers.discard(worker)

    def _ask(self, worker: subprocess.Popen[str], job: Job) -> dict[str, Any]:
        assert worker.stdin is not None
        assert worker.stdout is not None
        late = threading.Timer(job.timeout + _GRACE, worker.kill)
        late.start()
        try:
            worker.stdin.write(job.model_dump_json() + "\n")
            worker.stdin.flush()
            line = worker.stdout.readline()
            told: dict[str, Any] = json.loads(line)
            return told
        except (OSError, ValueError):
            worker.kill()
            worker.wait()
            late_too = " (it took too long)" if not late.is_alive() else ""
            why = f"its process ended with {worker.returncode}{late_too}"
            capture = Capture(id=job.case.id, status="failed", why=why, mode=job.mode)
            return {"capture": capture.model_dump()}
        finally:
            late.cancel()


def spent_by(told: dict[str, Any], job: Job, cap: float | None) -> float:
    """What a case cost; of one that failed where a cloud might be asked, or that asked a model
    whose price no table has, nobody knows: all that was set aside for it."""
    costs = [one["cost_usd"] for one in told["capture"].get("models", ())]
    failed = told["capture"]["status"] == "failed" and job.wish.get("allow_cloud")
    if cap is not None and (failed or None in costs):
        return cap
    return sum(cost or 0.0 for cost in costs)
