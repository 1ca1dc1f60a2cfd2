"""What one dump or log cannot tell is said to be so, with what would tell."""

from tests.chat.conftest import GDB_LOG, Asker
from workbench.agents.chat.asked import read
from workbench.agents.chat.beside import moments
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.unknown import of_the_moment
from workbench.model.citation import Citation
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import FactBook, Finding
from workbench.model.investigation import Investigation

ASAN = """\
==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000018 at pc 0x4c3a51 bp 0x1 sp 0x2
READ of size 8 at 0x602000000018 thread T0
    #0 0x4c3a50 in next_stop /src/route.c:31:18
    #1 0x4c3d11 in main /src/main.c:20:5

0x602000000018 is located 8 bytes inside of 16-byte region [0x602000000010,0x602000000020)
freed by thread T0 here:
    #0 0x493d7d in free (/src/a.out+0x493d7d)
    #1 0x4c3bd0 in drop_stop /src/route.c:47:5

previously allocated by thread T0 here:
    #0 0x493fed in malloc (/src/a.out+0x493fed)
    #1 0x4c3990 in new_stop /src/route.c:14:22

SUMMARY: AddressSanitizer: heap-use-after-free /src/route.c:31:18 in next_stop
"""  # noqa: E501


async def test_what_was_before_is_said_not_to_be_in_it_beside_what_there_is(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    for question in ("Who overwrote it?", "How often does it happen?", "Why did it become null?",
                     "when was it freed?", "why did it crash only in production?"):  # fmt: skip
        reply = (await session.ask_question(question)).reply
        assert reply is not None
        assert not reply.contradictions
        assert "AddressSanitizer" in " ".join(reply.unknown)
    for question in ("What was in rbx?", "Why did it crash?", "how many threads are there?"):
        reply = (await session.ask_question(question)).reply
        assert reply is not None
        assert "AddressSanitizer" not in " ".join(reply.unknown)


def test_of_runs_without_an_origin_no_other_memory_is_said_to_be_watched() -> None:
    run = Evidence(
        id="E1", command="(run)", source=Source.DEBUGGER, intent="", at="", sha256="", size=1,
        lines=1, call_hash="", host="run",
    )  # fmt: skip
    for elsewhere in (False, True):
        state = Investigation(evidence={"E1": run})
        state.about.elsewhere = elsewhere
        (told,) = of_the_moment(read("who freed it?"), state)
        assert "no run made here showed where it began" in told
        assert ("workbench reproduce" in told) is elsewhere


GO = """\
2026/03/04 05:06:07 worker: starting
panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.pick(...)
\t/src/pick.go:9
main.main()
\t/src/pick.go:14 +0x1d
exit status 2
"""


def _moments(text: str, line: int) -> list[str]:
    finding = Finding(
        tool="Go", kind="panic", message="", line=line, cite=Citation("E1", line, line)
    )
    item = Evidence(
        id="E1", command="run", source=Source.DEBUGGER, intent="", at="", sha256="", size=1,
        lines=9, call_hash="",
    )  # fmt: skip
    state = Investigation(facts=FactBook([finding]), evidence={"E1": item})
    asked = read("when did it happen?")
    return [claim.text for claim in moments(Talk(state, asked, lambda _: text))]


def test_a_time_that_stands_at_the_report_is_told() -> None:
    assert _moments(GO, 2) == ['The time: "2026/03/04 05:06:07 worker: starting"']
    assert _moments("Time: Wed Mar  4 05:06:07 2026\nx\ny\n", 3) == [
        'The time: "Time: Wed Mar  4 05:06:07 2026"'
    ]
    assert _moments("no time\nat all 12:3\nx\n", 3) == []


async def test_a_second_question_beside_it_is_answered(to_ask: Asker) -> None:
    reply = (await (await to_ask(GDB_LOG)).ask_question("Who freed it, and what was in rbx?")).reply
    assert reply is not None
    assert any("0x7ffe0011" in claim.text for claim in reply.held)
    assert "not who did something to memory before" in " ".join(reply.unknown)


async def test_a_sanitizer_kept_who_freed_it(to_ask: Asker) -> None:
    reply = (await (await to_ask(ASAN)).ask_question("who freed it?")).reply
    assert reply is not None
    assert not reply.unknown
    assert any("drop_stop" in claim.text for claim in reply.held)


async def test_a_sanitizer_kept_what_was_before_the_free(to_ask: Asker) -> None:
    reply = (await (await to_ask(ASAN)).ask_question("when was it freed?")).reply
    assert reply is not None
    assert not reply.unknown
    assert any("drop_stop" in claim.text for claim in reply.held)
