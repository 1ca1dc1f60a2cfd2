"""One investigation of a case, as the headless front end runs it, and its capture."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from workbench.engine.recipe import GateMode
from workbench.evaluate.again import run_again
from workbench.evaluate.bare import bare, concluded
from workbench.evaluate.capture import capture
from workbench.evaluate.changes import change
from workbench.evaluate.corpora import inside
from workbench.evaluate.detection import detect
from workbench.evaluate.errors import CannotMake
from workbench.evaluate.exchanging import exchanges
from workbench.evaluate.judging import OPEN, judge, line_of
from workbench.evaluate.making import Made, make
from workbench.evaluate.opinion import may_be_needed, opinions
from workbench.evaluate.schema import Case
from workbench.evaluate.sharing import Shared
from workbench.evaluate.templates import ships
from workbench.model.models import ModelWish
from workbench.model.target import Options
from workbench.opening import Request, begin, open_session
from workbench.settings import load_settings

if TYPE_CHECKING:
    from workbench.engine.session import Session
    from workbench.evaluate.worker import Job


async def investigate(job: "Job", scratch: Path, shared: Shared) -> dict[str, Any]:
    """The capture, the report and the journal's events. Raises what goes wrong."""
    began = time.monotonic()
    check_there(job.case)
    made = make(job.case, job.cache, job.allow_build or ships(job.case))
    made = change(job.case, made, job.cache)
    ready = time.monotonic()
    session = await _opened(job, made, scratch, shared)
    try:
        await session.run()
        if job.again:
            await run_again(session, job.case, made)
        report = json.loads(await session.report("json"))
        seconds = time.monotonic() - ready
        update = {"make_seconds": round(ready - began, 3), "run_seconds": round(seconds, 3)}
        return await _captured(job, made, session, report, update)
    finally:
        await session.close()


async def _captured(
    job: "Job", made: Made, session: "Session", report: dict[str, Any], update: dict[str, Any]
) -> dict[str, Any]:
    """The finished session; a judging model is asked where all else leaves the case open."""
    rows = list(await session.events())
    outcome = judge(job.case, report, job.cache)
    update |= {"mode": job.mode, "parts": outcome.parts, "notes": outcome.notes}
    if may_be_needed(job.case) and session.models is not None:
        found = capture(job.case.id, rows, session.state, report).model_copy(update=update)
        if detect(job.case, found, json.dumps(report, ensure_ascii=False)).verdict == OPEN:
            update["opinions"] = await opinions(session.models, job.case, conclusion(report))
            rows = list(await session.events())  # its own calls are part of the cost
            report["usage"] = json.loads(await session.report("json"))["usage"]
    found = capture(job.case.id, rows, session.state, report)
    if job.max_cost is not None and session.models is not None and session.models.capped:
        return {"capture": found.model_copy(update={"status": "capped"}).model_dump()}
    if job.bare and made.executable is not None and session.state.chosen_debugger == "gdb":
        update |= bare(made, found.commands)
    elif job.bare and session.state.recorded:
        update |= concluded(made.target)
    if job.case.kind == "statements":
        update["statements"] = await exchanges(session)
    events = [f"{row.seq} {row.event.__struct_config__.tag}" for row in rows]
    captured = found.model_copy(update=update).model_dump()
    return {"capture": captured, "report": report, "events": events}


def check_there(case: Case) -> None:
    """Raises `CannotMake` that names a source, a dump or a program that is not in the corpus, and
    `EvaluationError` for an origin that is no line of it; what a corpus's own command makes is not
    looked for."""
    if case.make is None or not case.make.command:
        for name in filter(None, (case.target, case.executable)):
            if not inside(case, name).is_file():
                why = f": {case.note}" if case.note else ""
                raise CannotMake(f"{name} is not in the corpus{why}")
    for origin in case.expected.origins:
        line_of(case, origin)


async def _opened(job: "Job", made: Made, scratch: Path, shared: Shared) -> "Session":
    settings = load_settings(job.env_file)
    if job.max_cost is not None:
        settings = replace(settings, max_cost=min(settings.max_cost, job.max_cost))
    options = Options(
        debugger=job.case.debugger,
        issue=job.case.text or None,
        executable=str(made.executable) if made.executable else None,
        timeout=job.timeout,
        limits=settings.limits(),
        command_timeout=settings.command_timeout,
    )
    wanted = msgspec.convert(job.wish, ModelWish)
    request = Request(
        target=str(made.target), options=options, base=scratch, settings=settings, wanted=wanted
    )
    begun = begin(request)
    models = shared.models(settings, wanted)
    return await open_session(request, GateMode.HEADLESS, begun, models)


def conclusion(report: dict[str, Any]) -> str:
    """What a report concludes, in its words, for a judge that reads."""
    cause = report["analysis"]["aiAnalysis"]
    frame = cause["frame"] or {}
    parts = (cause["category"], cause["rootCause"], cause["reasoning"], frame.get("function"))
    return "\n".join(str(part) for part in parts if part) or "nothing was concluded"
