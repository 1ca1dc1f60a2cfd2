"""Who is asked a question: code alone, a small model or a large one, by the outputs it is about."""

from pathlib import Path

import pytest

from tests.chat.conftest import GDB_LOG, POOL_LOG, Asker, investigated
from tests.chat.words import Words
from workbench.agents.assisted import difficulty
from workbench.agents.chat.answer import answer, gather
from workbench.engine.making import questioned_session
from workbench.model.models import Complexity
from workbench.opening import debugger_factory
from workbench.settings import Settings

TWO_THREADS = """\
(gdb) thread apply all bt

Thread 2 (LWP 4712):
#0  0x00007ffff7e1c3a0 in futex_wait () from /lib64/libc.so.6
#1  0x0000000000401190 in take_drawer () at till.c:20

Thread 1 (LWP 4711):
#0  0x0000000000401136 in close_drawer (it=0x0) at till.c:5
#1  0x0000000000401150 in main () at till.c:9
"""
HEAP = """\
> dumpheap -stat
              MT    Count    TotalSize Class Name
00007f2b4c1a1f90        1           24 Till.Drawer
00007f2b4c0f0f90    81422     11723456 System.String
Total 81423 objects
"""
SIMPLE, MODERATE, COMPLEX = Complexity.SIMPLE, Complexity.MODERATE, Complexity.COMPLEX


@pytest.mark.parametrize(
    ("log", "question", "plan", "said"),
    [
        (GDB_LOG, "What was in rbx?", SIMPLE, SIMPLE),
        (POOL_LOG, "CPU was 20 %", SIMPLE, SIMPLE),
        (POOL_LOG, "How many threads are there?", SIMPLE, SIMPLE),
        (GDB_LOG, "What was in rbx, dressed as a clown?", MODERATE, MODERATE),
        (POOL_LOG + HEAP, "How many System.String objects are there?", MODERATE, MODERATE),
        (GDB_LOG, "Is there a giraffe?", MODERATE, MODERATE),
        (TWO_THREADS, "Where is thread 2?", COMPLEX, COMPLEX),
        (POOL_LOG, "CPU was 20 %, so why was it slow?", COMPLEX, COMPLEX),
        (POOL_LOG, "How did it come to that?", COMPLEX, COMPLEX),
        (GDB_LOG + TWO_THREADS, "Did threads 1 and 2 meet?", COMPLEX, COMPLEX),
    ],
)
async def test_a_question_is_as_hard_as_the_outputs_it_is_about(
    to_ask: Asker, log: str, question: str, plan: Complexity, said: Complexity
) -> None:
    session = await to_ask(log)
    context = await gather(session, question)
    reply = answer(context)
    assert difficulty.of_the_plan(context, reply) is plan
    assert difficulty.of_the_answer(context, reply) is said


async def test_nobody_is_asked_what_code_settles(tmp_path: Path) -> None:
    folder = await investigated(tmp_path, GDB_LOG)
    models = Words(chat="It held 0x7ffe0011 [E3:2].")
    session = await questioned_session(
        folder, debugger_factory(Settings()), make_models=lambda _: models
    )
    try:
        reply = (await session.ask_question("What was in rbx?")).reply
        assert reply is not None
        assert models.asked == []
        assert reply.by == "code"
        assert reply.notes == ("Plain code settles this: no model was asked.",)
        assert "0x7ffe0011" in reply.held[0].text
    finally:
        await session.close()
