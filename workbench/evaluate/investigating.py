"""One investigation of a case, as the headless front end runs it, and its capture."""

import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from workbench.agents.checking import book_of
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.kinds import KINDS
from workbench.claims.rows import Row
from workbench.claims.values import scalar
from workbench.engine.recipe import GateMode
from workbench.engine.rerun import ending_of, find_origin
from workbench.evaluate.bare import bare, concluded
from workbench.evaluate.changes import change
from workbench.evaluate.corpora import inside
from workbench.evaluate.detection import detect
from workbench.evaluate.errors import CannotMake
from workbench.evaluate.judging import OPEN, judge, line_of
from workbench.evaluate.making import Made, make
from workbench.evaluate.opinion import may_be_needed, opinions
from workbench.evaluate.records import Capture, ModelUse
from workbench.evaluate.schema import Case
from workbench.evaluate.sharing import Shared
from workbench.evaluate.templates import ships
from workbench.model.claims import Arg, Claim, Value
from workbench.model.events import (
    CommandFailed,
    CommandStarted,
    EvidenceRecorded,
    GateAnswered,
    HypothesisDecided,
)
from workbench.model.evidence import Source
from workbench.model.facts import Hit
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.model.model_events import ModelAnswered
from workbench.model.models import ModelWish
from workbench.model.target import Options
from workbench.opening import Request, begin, open_session
from workbench.reproduce.program import program_of
from workbench.reproduce.runner import Runner
from workbench.reproduce.runs import Runs
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


# The program of a case run again, for where its fault began: what `workbench reproduce` does.
_TRIES = 3
_SECONDS, _HANGING = 20.0, 4.0


async def run_again(session: "Session", case: Case, made: Made) -> None:
    """The origin that runs show becomes the session's; nothing where none shows it."""
    how, executable = case.make, made.executable
    if how is None or executable is None or how.machine or not case.expected.origins:
        return
    environment = [f"{name}={value}" for name, value in how.environment.items()]
    program = program_of(
        [str(executable), *how.arguments],
        executable.parent,
        None,
        environment,
        _TRIES,
        _HANGING if how.run == "hang" else _SECONDS,
    )

    async def keep(why: str, text: str, facts: Sequence[Hit]) -> str:
        return (await session.keep_run(why, text, facts)).id

    with tempfile.TemporaryDirectory(prefix="evaluate-again-") as folder:
        runner = Runner(program, Path(folder))
        try:
            runs = Runs(runner, keep, lambda text: None, await ending_of(session, program.path))
            seen = await runs.first()
            if seen is not None:
                await find_origin(session, runs, seen, Path(folder) / "core")
        finally:
            await runner.close()


# What a session did, read from its journal and its report: nothing is hooked in.
def capture(
    id: str, rows: Iterable[Recorded], state: Investigation, report: Mapping[str, Any]
) -> Capture:
    """A finished session as one row."""
    events: Counter[str] = Counter()
    commands, confirmed, took = [], [], defaultdict[tuple[str, str, str], float](float)
    for row in rows:
        event = row.event
        events[str(event.__struct_config__.tag)] += 1
        match event:
            case EvidenceRecorded():
                events[f"evidence/{event.evidence.host or 'none'}"] += 1
                events.update(f"fact/{type(fact).__name__}" for fact in event.facts)
            case CommandStarted(source=Source.DEBUGGER):
                commands.append(event.command.text)
            case CommandFailed(refused=True):
                events["policy/refused"] += 1
            case GateAnswered():
                events[f"gate/{event.answer}"] += 1
            case ModelAnswered():
                outcome = "failed" if event.failed else "answered"
                events[f"{outcome}/{event.prompt}"] += 1
                events[f"{outcome}/{event.role.value}"] += 1
                took[event.model, event.tier.value, event.role.value] += event.seconds
            case HypothesisDecided():
                category = state.hypotheses[event.id].category.value
                events[f"{event.verdict.status}/{category}"] += 1
                if event.verdict.status is Status.CONFIRMED:
                    confirmed.append(category)
    analysis = report["analysis"]
    cause = analysis["aiAnalysis"]
    models = tuple(
        ModelUse.model_validate(
            {k: v for k, v in used.items() if k in _USED}
            | {"seconds": round(took[used["name"], used["tier"], used["role"]], 3)}
        )
        for used in report["usage"]["models"]
    )
    return Capture(
        id=id,
        category=cause["category"] or "unknown",
        confidence=cause["confidence"],
        root_cause=cause["rootCause"] or "",
        severity=(analysis["summary"]["severity"] or {}).get("class"),
        confirmed=tuple(dict.fromkeys(confirmed)),
        events=dict(events),
        commands=tuple(dict.fromkeys(commands)),
        models=models,
        degraded=tuple(str(one) for one in cause.get("degraded") or ()),
    )


_USED = {"name", "tier", "calls", "inputTokens", "outputTokens", "reasoningTokens", "costUsd"}


# Verified statements with one argument exchanged for another value of the same evidence.
_MOST_VALUES = 3
FABRICATED = "fabricated_by_nobody"
"""What stands in no evidence: a quote or a name that somebody made up."""
_UNLISTED = ("precedes", "never_sets", "mapped")
"""No list of all that is true of these is made: what an exchange gives may be."""


def still_held(told: Sequence[Claim], book: Book) -> tuple[int, list[str]]:
    """How many false statements exchanges made of verified ones, and those that are verified."""
    made = list(_exchanged([c for c in told if c.kind not in _UNLISTED], book))
    checked = check([false for _, false in made], book)
    pairs = zip(made, checked, strict=True)
    return len(made), [f"{real.text} -> {now.text}" for (real, _), now in pairs if now.holds]


def _exchanged(told: Sequence[Claim], book: Book) -> Iterator[tuple[Claim, Claim]]:
    """Each statement with what one exchange makes of it; none that a row says as well."""
    rows: dict[str, list[Row]] = {}
    by_type: dict[str, dict[Value, None]] = defaultdict(dict)
    for kind in KINDS.values():
        rows[kind.name] = list(book.rows(Claim(kind.name)))
        for row in rows[kind.name]:
            for name, value in row.values.items():
                by_type[kind.columns[name].type][value] = None
    for claim in told:
        if KINDS[claim.kind].decided == "derived":
            continue
        for arg in claim.args:
            if not arg.cites:  # constant words of an expert: no line says them
                continue
            own = [row.values[arg.name] for row in rows[claim.kind] if arg.name in row.values]
            others = dict.fromkeys((*own, *by_type[KINDS[claim.kind].columns[arg.name].type]))
            made_up = [FABRICATED] if isinstance(arg.value, str) else []
            found = [v for v in others if not _alike(v, arg.value)][:_MOST_VALUES]
            for other in found + made_up:
                args = [replace(a, value=other, shown="") if a is arg else a for a in claim.args]
                if not any(all(_has(row, a) for a in args) for row in rows[claim.kind]):
                    yield claim, replace(claim, args=tuple(args))


def _has(row: Row, arg: Arg) -> bool:
    return arg.name in row.values and _alike(row.values[arg.name], arg.value)


def _alike(one: Value, other: Value) -> bool:
    """One value however it is written, one name with and without its scope, one file's too."""
    left, right = (str(value).replace("> >", ">>") for value in (one, other))
    if left == right or any(
        a.endswith((f"::{b}", f"/{b}")) for a, b in ((left, right), (right, left))
    ):
        return True
    return scalar(left) is not None and scalar(left) == scalar(right)


async def exchanges(session: "Session") -> dict[str, int]:
    """The same of a finished session: its statements, false ones made of them, and how many of
    those are verified."""
    texts = {id: await session.evidence_text(id) for id in session.state.evidence}
    book = book_of(session.state, texts.__getitem__)
    told = [
        claim
        for hypothesis in session.state.hypotheses.values()
        if hypothesis.verdict is not None
        for claim in hypothesis.verdict.claims
        if claim.kind in KINDS
    ]
    held = [claim for claim in check(told, book) if claim.holds]
    made, still = still_held(held, book)
    return {"verified": len(held), "exchanged": made, "held": len(still)}
