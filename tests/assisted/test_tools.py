"""The tools, one by one, on a finished investigation."""

import json
from typing import Any

from tests.assisted.conftest import Investigate
from workbench.agents.assisted import toolbox
from workbench.engine.session import Session
from workbench.model.assisted_events import ToolUse, ToolUsed
from workbench.model.target import Limits


async def use(session: Session, name: str, **arguments: Any) -> ToolUse:
    made, _ = await toolbox.use(session, name, arguments)
    await session.record(ToolUsed(use=made))
    return made


def evidence(session: Session, command: str) -> str:
    return next(item.id for item in session.state.evidence.values() if item.command == command)


async def test_report_get(investigate: Investigate) -> None:
    session = await investigate(None, Limits(excerpt=600))
    whole = await use(session, "report_get")
    assert {"metadata", "analysis"} <= set(json.loads(whole.result))
    frame = await use(session, "report_get", path="analysis.exception.stackTrace[0].function")
    assert frame.result == '"second"'
    page = await use(session, "report_get", path="analysis.exception.stackTrace", fields=["line"])
    assert page.result.startswith("page 1 of 1, 3 items\n")
    assert set(json.loads(page.result.partition("\n")[2])[0]) == {"line"}
    found = await use(session, "report_get", path="analysis.modules", filter="LIBC")
    assert "1 items" in found.result
    for path in ("nothing.here", "analysis.modules[99]", "analysis.memory.heaps", "__class__"):
        assert (await use(session, "report_get", path=path)).outcome == "error", path
    registers = evidence(session, "info registers")
    text = await use(session, "report_get", path=f"evidence.{registers}")
    assert text.result.startswith(f"{registers}:1| rax")
    assert len(text.result) <= 600
    later = await use(session, "report_get", path=f"evidence.{registers}:3")
    assert later.result.startswith(f"{registers}:3| ")
    line = await use(session, "report_get", path=f"evidence.{registers}", filter="rbp")
    assert "1 lines hold it" in line.result
    beyond = await use(session, "report_get", path=f"evidence.{registers}", page=9000)
    assert beyond.outcome == "error"


async def test_exec_inspect_and_stacks(investigate: Investigate) -> None:
    session = await investigate(None)
    known = await use(session, "exec", command="bt 64")
    assert known.outcome == "new"
    assert "from the ledger" in known.result
    assert (await use(session, "exec", command="bt  64")).outcome == "repeated"
    new = await use(session, "exec", command="info line second")
    assert new.outcome == "new"
    assert session.state.evidence[new.evidence[0]].by_model
    again = await use(session, "exec", command="info line second")
    assert again.outcome == "repeated"
    assert "asked in iteration 1 already" in again.result
    spelt_otherwise = await use(session, "exec", command="info  line  second")
    assert spelt_otherwise.outcome == "repeated"

    memory = await use(session, "inspect", address="0x0", depth=3)
    assert "Cannot access memory" in memory.result
    stack_pointer = next(
        line.split()[1]
        for line in (await session.text(evidence(session, "info registers"))).splitlines()
        if line.startswith("rsp")
    )
    deep = await use(session, "inspect", address=stack_pointer, depth=2)
    assert deep.outcome == "new"
    assert len(deep.evidence) > 1
    assert len(deep.result) <= 2048

    thread = await use(session, "get_thread_stack", thread=1)
    assert "second" in thread.result
    assert thread.evidence
    none = await use(session, "get_thread_stack", thread=99)
    assert none.outcome in ("error", "new")


async def test_scores_and_remarks_need_lines_that_say_so(investigate: Investigate) -> None:
    session = await investigate(None)
    fault = evidence(session, "@fault")
    good = {"why": "`rax` held 0x0.", "citations": [f"{fault}:10"]}
    taken = await use(session, "hypothesis_score", id="H1", likelihood=2, **good)
    assert taken.outcome == "new"
    assert session.state.assisted.scores["H1"].likelihood == 1.0
    before = session.state.hypotheses["H1"].confidence
    assert session.state.hypotheses["H1"].confidence == before
    for wrong in (
        {"why": "`rax` held 0x0.", "citations": []},
        {"why": " ", "citations": [f"{fault}:10"]},
    ):
        refused = await use(session, "hypothesis_score", id="H1", likelihood=1, **wrong)
        assert refused.outcome == "refused", wrong
    nobody = await use(session, "hypothesis_score", id="H9", likelihood=1, **good)
    assert nobody.outcome == "error"

    remark = {"why_it_matters": "`rax` held 0x0.", "citations": [f"{fault}:10"]}
    tags = ["null", "Not A Tag", "<b>", "x" * 99]
    assert (await use(session, "evidence_annotate", id=fault, tags=tags, **remark)).outcome == "new"
    missing = await use(session, "evidence_annotate", id="E999", **remark)
    assert missing.outcome == "error"
    ledger = (await session.build_report()).analysis.ai_analysis.evidence_ledger
    notes = [note for row in ledger for note in row.annotations]
    assert [(note.tags, note.why_it_matters, note.by) for note in notes] == [
        (("null",), "`rax` held 0x0.", "model")
    ]


async def test_a_tool_that_is_none(investigate: Investigate) -> None:
    session = await investigate(None)
    made = await use(session, "shell\ud800", command="ls")
    assert made.outcome == "error"
    assert made.meta
    assert "there is no tool" in made.result
