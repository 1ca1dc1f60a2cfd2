"""The tools of a model with room, one by one, on a finished investigation of a real core."""

import re
from typing import Any

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted
from tests.samples.away import AWAY
from tests.samples.case import make
from workbench.agents.assisted import toolbox
from workbench.model.target import Limits

_SIZES = [
    ("sizeof(struct row)", "= 16"),
    ("sizeof(*r) * 2", "= 32"),
    ("offsetof(struct row, next)", "= 8"),
    ("r->id + 41", "= 42"),
    ("&r->next", "(struct row **) 0x"),
]
_REFUSED = ["r->id = 2", "second(r)", "r->id++", '"a"', "first(0)", "1 + 1", "r, r"]


@pytest.mark.parametrize(
    ("tool", "given", "shows"),
    [
        ("source", {"function": "second"}, r"\d+ int second\(struct row.*<== here"),
        ("source", {"function": "main"}, r"int main\(void\)"),
        ("locals", {"thread": 1, "frame": 0}, r"E\d+:\d+\| r = 0x"),
        ("locals", {"thread": 1, "frame": 1}, r"r = \{id = 1, next = 0x0\}"),
        ("find_value", {"value": "0"}, r"E\d+:\d+\| "),
        ("callers", {"function": "second"}, r"return second\(&r\).*\[first\]"),
        *(("calc", {"expression": e}, re.escape(v)) for e, v in _SIZES),
    ],
)  # fmt: skip
async def test_each_shows_lines_that_can_be_cited(
    investigate: Investigate, tool: str, given: dict[str, Any], shows: str
) -> None:
    session = await investigate(None)
    if tool == "callers":
        await toolbox.use(session, "source", {"function": "second"})
    use, _ = await toolbox.use(session, tool, given)
    assert use.outcome != "error", use.result
    assert re.search(shows, use.result), use.result
    assert use.evidence
    assert set(use.evidence) <= set(session.state.evidence)


async def test_memory_and_heap_are_asked_of_the_dump(investigate: Investigate) -> None:
    session = await investigate(None)
    cell, _ = await toolbox.use(session, "calc", {"expression": "r"})
    address = re.findall(r"0x[0-9a-f]+", cell.result)[-1]
    typed, _ = await toolbox.use(session, "memory", {"address": address, "type": "struct row"})
    assert "id = 1" in typed.result
    heap, _ = await toolbox.use(session, "heap", {"address": address})
    assert heap.evidence


@pytest.mark.parametrize("expression", _REFUSED)
async def test_what_calc_does_not_reckon(investigate: Investigate, expression: str) -> None:
    session = await investigate(None)
    before = len(session.state.evidence)
    use, _ = await toolbox.use(session, "calc", {"expression": expression})
    assert use.outcome in ("refused", "error")
    assert len(session.state.evidence) == before


@pytest.mark.parametrize(("window", "offered"), [(None, False), (100_000, True)])
async def test_they_are_offered_where_the_window_holds_them(
    investigate: Investigate, window: int | None, offered: bool
) -> None:
    model = Scripted(window=window)
    await investigate(model, Limits(iterations=1))
    names = {t.name for q in model.asked if q.prompt == "investigate" for t in q.tools}
    assert ("calc" in names) is offered
    assert "exec" in names


async def test_who_writes_and_who_calls_in_a_longer_program(investigate: Investigate) -> None:
    away = next(one for one in AWAY if one.name == "telemetry.c")
    session = await investigate(None, core=make(away.case))
    for function in ("channel_open", "channel_record"):
        listed, _ = await toolbox.use(session, "source", {"function": function})
        assert function in listed.result
    writes, _ = await toolbox.use(session, "writers", {"field": "channel->samples"})
    assert "arena_take(&recorder->arena" in writes.result
    assert "[channel_open]" in writes.result
    calls, _ = await toolbox.use(session, "callers", {"function": "arena_take"})
    assert "[channel_open]" in calls.result
    none, _ = await toolbox.use(session, "writers", {"field": "nobody"})
    assert none.outcome == "error"
