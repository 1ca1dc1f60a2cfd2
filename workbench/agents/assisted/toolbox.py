"""The tools of the loop: what is offered, how a call is validated, answered and remembered."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from workbench.agents.assisted import (
    arguments,
    checkpoints,
    inspecting,
    tools_dump,
    tools_look,
    tools_meta,
    tools_report,
)
from workbench.agents.assisted.contracts import CONTRACTS
from workbench.agents.assisted.results import ERROR, REPEATED, Result
from workbench.agents.ports import Ports
from workbench.llm.port import Tool
from workbench.model.assisted import ToolUse
from workbench.model.investigation import Investigation
from workbench.model.text import printable

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
    Spec("report_get", arguments.ReportGet, tools_report.report_get),
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
    Spec("hypothesis_register", arguments.Register, tools_meta.register, meta=True),
    Spec("hypothesis_score", arguments.Weigh, tools_meta.score, meta=True),
    Spec("evidence_annotate", arguments.Annotate, tools_meta.annotate, meta=True),
    Spec("checkpoint_complete", arguments.Complete, checkpoints.complete, meta=True, learns=False),
    Spec("analysis_complete", arguments.Conclude, tools_meta.conclude, meta=True, kept=False),
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
