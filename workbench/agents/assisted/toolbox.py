"""The tools of the loop: what is offered, how a call is validated, answered and remembered."""

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from pydantic import ValidationError

from workbench.agents.assisted import (
    arguments,
    checkpoints,
    hypotheses,
    inspecting,
    tools_dump,
    tools_look,
)
from workbench.agents.assisted.answers import Candidate
from workbench.agents.assisted.arguments import (
    CONTRACTS,
    ERROR,
    NEW,
    REFUSED,
    REPEATED,
    Annotate,
    Conclude,
    Register,
    ReportGet,
    Result,
    Weigh,
)
from workbench.agents.assisted.claims import citations_of, held, noted, remark
from workbench.agents.assisted.explaining import explanation_of, take, wrong_with
from workbench.agents.assisted.numbered import numbered, short, whole_lines
from workbench.agents.ports import Ports
from workbench.llm.port import Tool
from workbench.model.assisted_events import Score, Scored, ToolUse
from workbench.model.citation import Citation
from workbench.model.investigation import Investigation
from workbench.model.text import printable


async def register(ports: Ports, asked: Register) -> Result:
    """``hypothesis_register``: a cause to be tested like every other."""
    before = len(ports.state.hypotheses)
    text = await hypotheses.register(ports, Candidate.model_validate(asked.model_dump()))
    if len(ports.state.hypotheses) > before:
        return Result(text)
    return Result(text, REFUSED if text.startswith("refused") else ERROR)


async def score(ports: Ports, asked: Weigh) -> Result:
    """``hypothesis_score``: needs a reason with its lines; moves no verdict of code."""
    if asked.id not in ports.state.hypotheses:
        return Result(f"there is no hypothesis {asked.id}", ERROR)
    why = noted(asked.why, citations_of(asked.citations))
    if not why.text or not why.citations:
        return Result("not taken: it needs words and the lines that they are about", REFUSED)
    old = ports.state.assisted.scores.get(asked.id)
    await ports.record(
        Scored(score=Score(hypothesis=asked.id, likelihood=asked.likelihood, why=why))
    )
    same = old is not None and old.why.citations == why.citations
    return Result(f"{asked.id} is noted at {asked.likelihood:.2f}", ERROR if same else NEW)


async def annotate(ports: Ports, asked: Annotate) -> Result:
    """``evidence_annotate``: a remark on what is there; it makes no evidence."""
    if asked.id not in ports.state.evidence:
        return Result(f"there is no evidence {asked.id}; only commands make evidence", ERROR)
    cited = citations_of(asked.citations) or (Citation(asked.id),)
    return await remark(ports, asked.id, asked.tags, asked.why_it_matters, cited)


async def conclude(ports: Ports, asked: Conclude) -> Result:
    """``analysis_complete``: what is wrong with the answer is told once, all of it."""
    explanation = await explanation_of(ports, asked, "")
    if explanation.hypothesis is None:
        return Result("refused: it names no hypothesis, and no category of its own", REFUSED)
    wrong = wrong_with(explanation, ports.state)
    if not held(explanation.claims):
        return Result("\n".join(["refused: nothing of it is verified", *wrong]), REFUSED)
    repaired = ports.state.assisted.explanation is not None
    await take(ports, explanation)
    if wrong and not repaired:
        return Result("\n".join(["taken; mend this once:", *wrong]))
    return Result("taken", done=True)


PAGE = 10
_LINES = 24
_LINE = re.compile(r"[1-9]\d{0,8}(?:-\d{1,9})?")
_STEP = re.compile(r"([A-Za-z_]\w*)|\[(\d{1,6})\]|(\d{1,6})")


async def report_get(ports: Ports, asked: ReportGet) -> Result:
    """A part of the report as JSON, or the numbered lines of an evidence item."""
    path = asked.path.removeprefix("evidence.").removeprefix("evidence/")
    name, _, line = path.partition(":")
    if name in ports.state.evidence:
        first = int(line.partition("-")[0]) if _LINE.fullmatch(line) else 1
        return await _lines(ports, name, asked, first)

    most = ports.state.shown.excerpt

    whole = msgspec.to_builtins(await ports.build_report())
    part = _at(whole, asked.path)
    if part is None:
        return Result(f"there is nothing at {asked.path!r} in the report, or it is null", ERROR)
    if isinstance(part, Mapping):
        chosen = {k: v for k, v in part.items() if not asked.fields or k in asked.fields}
        return Result(_shown({key: _brief(value) for key, value in chosen.items()}, most))
    if not isinstance(part, Sequence) or isinstance(part, str):
        return Result(_shown(part, most))
    items = [item for item in part if asked.filter.lower() in json.dumps(item).lower()]
    pages = max(1, -(-len(items) // PAGE))
    first = (asked.page - 1) * PAGE
    rows = [_fields(item, asked.fields) for item in items[first : first + PAGE]]
    if not rows:
        return Result(f"{len(items)} items, {pages} pages: none on page {asked.page}", ERROR)
    return Result(f"page {asked.page} of {pages}, {len(items)} items\n{_shown(rows, most)}")


async def _lines(ports: Ports, name: str, asked: ReportGet, line: int) -> Result:
    """A page of a text is so many lines from ``line`` on, of a filtered one those that hold the
    words."""
    text = await ports.text(name)
    most = ports.state.shown.excerpt
    if asked.filter:
        lines = text.split("\n")
        hits = [n for n, line in enumerate(lines, 1) if asked.filter.lower() in line.lower()]
        rows = hits[(asked.page - 1) * _LINES :][:_LINES]
        shown = "\n".join(f"{name}:{n}| {short(lines[n - 1])}" for n in rows)
        text = whole_lines(f"{len(hits)} lines hold it\n{shown}", most)
        return Result(text, NEW if rows else ERROR, (name,) if rows else ())
    first = line + (asked.page - 1) * _LINES
    if first > ports.state.evidence[name].lines:
        return Result(f"{name} has {ports.state.evidence[name].lines} lines", ERROR)
    return Result(numbered(name, text, first, most), evidence=(name,))


def _at(whole: Any, path: str) -> Any:
    part = whole
    for match in _STEP.finditer(path):
        key, *numbers = match.groups()
        index = next((number for number in numbers if number), None)
        if key is not None and isinstance(part, Mapping):
            part = part.get(key)
        elif index is not None and isinstance(part, list | tuple) and int(index) < len(part):
            part = part[int(index)]
        else:
            return None
    return part


def _fields(item: Any, fields: Sequence[str]) -> Any:
    if not isinstance(item, Mapping):
        return item
    return {k: _brief(v) for k, v in item.items() if not fields or k in fields}


def _brief(value: Any) -> Any:
    if isinstance(value, Mapping) and len(value) > 4:
        return f"{{{len(value)} keys}}"
    if isinstance(value, list | tuple) and len(value) > 4:
        return f"[{len(value)} items]"
    return value[:300] if isinstance(value, str) else value


def _shown(value: Any, most: int) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= most else text[:most] + " … cut: ask for fewer fields"


_ARGUMENTS = 400
_MOST_ERRORS = 3


@dataclass(frozen=True)
class Spec:
    """A tool: ``meta`` ones ask nothing of the dump; one that is not ``kept`` is done anew each
    time, for what it answers depends on what was learned meanwhile. ``large``: offered only where a
    window is known to hold its schema too. One that does not ``learn`` is no progress."""

    name: str
    arguments: type[arguments.Arguments]
    work: Callable[[Ports, Any], Awaitable[Result]]
    meta: bool = False
    kept: bool = True
    large: bool = False
    learns: bool = True


SPECS = (
    Spec("report_get", arguments.ReportGet, report_get),
    Spec("exec", arguments.Exec, tools_dump.run),
    Spec("inspect", arguments.Inspect, inspecting.inspect),
    Spec("get_thread_stack", arguments.ThreadStack, tools_dump.thread_stack),
    Spec("source", arguments.Function, tools_look.source, large=True),
    Spec("locals", arguments.OfFrame, tools_look.variables, large=True),
    Spec("memory", arguments.Typed, tools_look.memory, large=True),
    Spec("heap", arguments.Address, tools_look.heap, large=True),
    Spec("find_value", arguments.Value, tools_look.find_value, kept=False, large=True),
    Spec("callers", arguments.Function, tools_look.callers, kept=False, large=True),
    Spec("writers", arguments.FieldName, tools_look.writes, kept=False, large=True),
    Spec("calc", arguments.Reckoned, tools_look.calc, large=True),
    Spec("hypothesis_register", arguments.Register, register, meta=True),
    Spec("hypothesis_score", arguments.Weigh, score, meta=True),
    Spec("evidence_annotate", arguments.Annotate, annotate, meta=True),
    Spec("checkpoint_complete", arguments.Complete, checkpoints.complete, meta=True, learns=False),
    Spec("analysis_complete", arguments.Conclude, conclude, meta=True, kept=False),
)
_BY_NAME = {spec.name: spec for spec in SPECS}


def offered(state: Investigation) -> tuple[Tool, ...]:
    """The tools that the model is told of."""
    return tuple(
        Tool(spec.name, CONTRACTS[spec.name], spec.arguments)
        for spec in SPECS
        if state.has_room or not spec.large
    )


def is_meta(name: str) -> bool:
    """True for a tool that asks nothing of the dump; an unknown one asks nothing either."""
    spec = _BY_NAME.get(name)
    return spec is None or spec.meta


def learns(name: str) -> bool:
    """True for a tool with whose new answer the loop gets on."""
    spec = _BY_NAME.get(name)
    return spec is not None and spec.learns


async def use(ports: Ports, name: str, given: Mapping[str, Any]) -> tuple[ToolUse, bool]:
    """One call's answer, and whether it ends the loop. Never raises on any arguments."""
    number = ports.state.assisted.iterations + 1
    name, wish = printable(name)[:60], written(given)
    call_hash = hashlib.sha256(f"{name}\n{wish}".encode()).hexdigest()[:16]
    spec = _BY_NAME.get(name)
    before = ports.state.assisted.by_call.get(call_hash)
    if before is not None and (spec is None or spec.kept):
        text = f"(asked in iteration {before.iteration} already) {before.result}"
        result = Result(text, REPEATED, before.evidence)
    else:
        result = await _work(ports, spec, name, given)
    return (
        ToolUse(
            iteration=number,
            tool=name,
            arguments=wish[:_ARGUMENTS],
            call_hash=call_hash,
            outcome=result.outcome,
            result=result.text,
            meta=is_meta(name),
            evidence=result.evidence,
        ),
        result.done,
    )


async def _work(ports: Ports, spec: Spec | None, name: str, given: Mapping[str, Any]) -> Result:
    if spec is None:
        names = ", ".join(_BY_NAME)
        return Result(f"there is no tool {name!r}; there are {names}", ERROR)
    try:
        asked = spec.arguments.model_validate(dict(given))
    except ValidationError as error:
        said = [
            f"{'.'.join(map(str, one['loc']))[:60]}: {one['msg'][:120]}"
            for one in error.errors(include_url=False, include_input=False)[:_MOST_ERRORS]
        ]
        return Result(f"the arguments cannot be used: {printable('; '.join(said))}", ERROR)
    return await spec.work(ports, asked)


def written(given: object) -> str:
    """JSON, the same for the same arguments, whatever they hold."""
    try:
        return json.dumps(given, sort_keys=True, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(printable(repr(given)[:_ARGUMENTS]))
