"""What a person says of the failure orders the causes, and is held to the evidence."""

from pathlib import Path

import pytest

from tests.engine.test_transcript import GDB_LOG
from workbench.agents.issue import spoken_of
from workbench.agents.questions import follow_up_questions
from workbench.agents.report.markdown import render_markdown
from workbench.agents.report.writer import build_report
from workbench.engine.recipe import GateMode
from workbench.model.category import Category as C
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.settings import Settings

POOL = """\
0:000> !threadpool
CPU utilization: 98%
Worker Thread: Total: 200 Running: 200 Idle: 0 MaxLimit: 200 MinLimit: 8
Work Request in Queue: 1204
0:000> !dumpheap -stat
Statistics:
              MT    Count    TotalSize Class Name
000007fef6d1a2b8    10000       240000 System.Object
000007fef6d20d10  9120000   1900000000 System.String
Total 9130000 objects
0:000> !eeheap -gc
Number of GC Heaps: 1
GC Heap Size:            Size: 0x7b000000 (2063597568) bytes.
"""


LEAK = """\
==812==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 1204 byte(s) in 1 object(s) allocated from:
    #0 0x4c32a0 in malloc
    #1 0x4c52a0 in pool_open /src/pool.c:31

pool: 200/200 in use, 1204 queued; CPU 98 %
SUMMARY: AddressSanitizer: 1204 byte(s) leaked in 1 allocation(s).
"""


async def investigated(tmp_path: Path, log: str, issue: str) -> Investigation:
    path = tmp_path / "saved.log"
    path.write_text(log, encoding="utf-8")
    options = Options(issue=issue)
    request = Request(
        target=str(path), options=options, base=tmp_path / "sessions", settings=Settings()
    )
    session = await open_session(request, GateMode.HEADLESS)
    try:
        await session.run()
        return session.state
    finally:
        await session.close()


@pytest.mark.parametrize(
    ("log", "issue", "first", "selected", "denied"),
    [
        (POOL, "the site hangs; CPU was 20 %", C.THREAD_STARVATION, None, ["CPU utilization: 98%"]),
        (POOL, "requests time out", C.THREAD_STARVATION, None, []),
        (POOL, "memory keeps growing, 1204 requests wait", C.MEMORY_LEAK, C.MEMORY_LEAK, []),
        (POOL, "", C.MEMORY_LEAK, C.MEMORY_LEAK, []),
        (LEAK, "the site hangs; CPU was 20 %", C.MEMORY_LEAK, None, ["CPU 98 %"]),
        (LEAK, "it leaks", C.MEMORY_LEAK, C.MEMORY_LEAK, []),
    ],
)
async def test_a_hang_is_not_answered_with_what_is_found_by_the_way(
    tmp_path: Path, log: str, issue: str, first: C, selected: C | None, denied: list[str]
) -> None:
    state = await investigated(tmp_path, log, issue)
    assert next(iter(state.hypotheses.values())).category is first
    chosen = state.hypotheses.get(state.judgement.selected or "") if state.judgement else None
    assert (chosen.category if chosen else None) is selected
    issues = [c for c in state.rounds[-1].checks if c.subject.startswith("the issue says")]
    assert len(issues) == len(denied)
    assert all(words in check.detail for words, check in zip(denied, issues, strict=True))
    assert all(words in " ".join(follow_up_questions(state)) for words in denied)
    assert state.rounds[-1].resolved
    said = render_markdown(build_report(state, {}), {})
    assert (f"- Question: {issue}" in said) is bool(issue)
    proved = any(h.status is Status.CONFIRMED for h in state.hypotheses.values())
    told = "which is not what the question is about" in said
    assert told is (proved and selected is None)


@pytest.mark.parametrize(
    ("issue", "denied"),
    [
        ("it crashed with SIGBUS in close_drawer", "SIGSEGV"),
        ("it crashed with SIGSEGV", None),
    ],
)
async def test_a_signal_that_the_issue_names(
    tmp_path: Path, issue: str, denied: str | None
) -> None:
    state = await investigated(tmp_path, GDB_LOG, issue)
    found = [c.detail for c in state.rounds[-1].checks if c.subject.startswith("the issue says")]
    assert [denied in detail for detail in found if denied] == ([True] if denied else [])
    assert state.judgement is not None
    assert state.judgement.selected is not None  # what is proved stands, whatever was said


@pytest.mark.parametrize(
    ("issue", "named", "unnamed"),
    [
        ("the service is stuck", C.DEADLOCK, C.MEMORY_LEAK),
        ("we are sure it is no deadlock", None, C.DEADLOCK),
        ("users say it is very slow", C.HIGH_CPU, C.DEADLOCK),
        ("out of memory after two days", C.OUT_OF_MEMORY, C.DEADLOCK),
        ("a double free, I think", C.DOUBLE_FREE, C.MEMORY_LEAK),
        ("", None, C.DEADLOCK),
    ],
)
def test_what_an_issue_speaks_of(issue: str, named: C | None, unnamed: C) -> None:
    found = spoken_of(issue)
    assert unnamed not in found
    assert named is None or named in found
