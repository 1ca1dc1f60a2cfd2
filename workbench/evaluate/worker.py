"""The process that does cases: one line of JSON in, one out.

A process that is used for several cases has loaded its modules once, and its cases share what
`sharing` says; what else holds state (session, journal, budget) is made for each case.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workbench.debuggers.authored import authored
from workbench.debuggers.policy import check
from workbench.evaluate import investigating
from workbench.evaluate.errors import CannotMake
from workbench.evaluate.records import Capture, Mode
from workbench.evaluate.schema import Case
from workbench.evaluate.sharing import Shared
from workbench.llm.redaction.redactor import Redactor
from workbench.targets.errors import TargetError


def _policy(case: Case) -> Capture:
    """The policy's answer for the engine; with the change ``by-model`` what a model may send."""
    if "by-model" in case.changes and authored(case.text) is not None:
        return Capture(id=case.id, answer="refuse")
    return Capture(id=case.id, answer=check(case.text, case.debugger).answer.value)


def _redaction(case: Case) -> Capture:
    return Capture(id=case.id, left=Redactor().redact(case.text))


KINDS: dict[str, Callable[[Case], Capture]] = {"policy": _policy, "redaction": _redaction}


class Job(BaseModel):
    """A case with what it is done with; ``wish`` are the words of the model options,
    ``max_cost`` the dollars that it may spend."""

    case: Case
    cache: Path
    mode: Mode
    timeout: float
    allow_build: bool = False
    bare: bool = False
    again: bool = False
    max_cost: float | None = None
    env_file: Path | None = None
    wish: dict[str, Any] = {}


def main() -> None:
    """Serve until stdin ends. What anything prints by mistake goes to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is the parent's
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with asyncio.Runner() as runner, Shared(runner) as shared:
        for line in sys.stdin:
            job = Job.model_validate_json(line)
            shared.begin(job.mode, job.case.component, bool(job.wish))
            told = perform(job, runner, shared)
            answers.write(json.dumps(told) + "\n")
            answers.flush()
            if job.case.kind not in KINDS:
                gc.unfreeze()  # an investigation keeps what it has to its end: `opening` froze it
                gc.collect()


def perform(job: Job, runner: asyncio.Runner, shared: Shared) -> dict[str, Any]:
    """One case: ``capture``, and for an investigation its ``report`` and ``events``. Whatever goes
    wrong is the case's outcome, with its chain of causes."""
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="evaluate-") as scratch:
            told = runner.run(_alone(job, Path(scratch), shared))
    except CannotMake as error:
        told = _failed(job, "cannot", str(error), began)
    except TargetError as error:  # that it cannot be read is an answer, which claims nothing
        told = _failed(job, "done", str(error), began)
    except Exception as error:  # noqa: BLE001 - the next case goes on
        told = _failed(job, "failed", _chain(error), began)
    return told


def _failed(job: Job, status: str, why: str, began: float) -> dict[str, Any]:
    taken = round(time.monotonic() - began, 3)
    capture: dict[str, Any] = {"id": job.case.id, "status": status, "why": why, "mode": job.mode}
    capture |= {"category": "unknown", "notes": (why,)} if status == "done" else {}
    return {"capture": Capture.model_validate(capture | {"runSeconds": taken}).model_dump()}


def _chain(error: BaseException) -> str:
    """``TypeError: …, because of OSError: …``"""
    told: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(told) < 6:
        told.append(f"{type(seen).__name__}: {seen}"[:500])
        seen = seen.__cause__ or seen.__context__
    return ", because of ".join(told)


async def _alone(job: Job, scratch: Path, shared: Shared) -> dict[str, Any]:
    """Nothing that a case began goes on in the next one."""
    try:
        return await _perform(job, scratch, shared)
    finally:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _perform(job: Job, scratch: Path, shared: Shared) -> dict[str, Any]:
    case = job.case
    if case.kind in KINDS:
        began = time.monotonic()
        found = KINDS[case.kind](case)
        found = found.model_copy(update={"run_seconds": round(time.monotonic() - began, 4)})
        return {"capture": found.model_copy(update={"mode": job.mode}).model_dump()}
    return await investigating.investigate(job, scratch, shared)


if __name__ == "__main__":
    main()
