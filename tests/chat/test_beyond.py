"""What one dump or log cannot tell is said to be so, with what would tell."""

import pytest

from tests.chat.conftest import GDB_LOG, Asker
from workbench.agents.chat.asked import read
from workbench.agents.chat.beyond import beyond
from workbench.agents.chat.moments import moments
from workbench.agents.chat.talk import Talk
from workbench.model.citation import Citation
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import FactBook, Finding
from workbench.model.investigation import Investigation
from workbench.model.target import Target, TargetKind

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


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("who freed it, and was it null?", "who"),
        ("Which thread overwrote the header?", "who"),
        ("what code wrote 0x41 there?", "who"),
        ("Where was it freed?", "who"),
        ("who sent the signal?", "who"),
        ("When did it crash?", "when"),
        ("How long has it been stuck?", "long"),
        ("since when does it hang?", "when"),
        ("How often does it happen?", "often"),
        ("Has this happened before?", "often"),
        ("Is it reproducible?", "often"),
        ("Why did the pointer become null?", "became"),
        ("how did head->next get corrupted?", "became"),
        ("Where does that value come from?", "became"),
        ("which thread locked first?", "first"),
        ("Who took the lock first?", "first"),
        ("in what order were the locks taken?", "first"),
        ("why did it crash only in production?", "elsewhere"),
        ("Why does it only happen on the customer's server?", "elsewhere"),
        ("why doesn't it crash on my machine?", "elsewhere"),
        ("why not in staging?", "elsewhere"),
        ("when was it freed?", "moment"),
        ("When did the header get overwritten?", "moment"),
        ("What would happen if the lock were taken first?", "if"),
    ],
)
def test_what_needs_more_than_the_last_moment(question: str, kind: str) -> None:
    assert [one.kind for one in beyond(read(question), Investigation())] == [kind]


@pytest.mark.parametrize(
    "question",
    [
        "Why did it crash?",
        "who holds the lock?",
        "What was x when it crashed?",
        "Which thread crashed?",
        "who called close_drawer?",
        "What is the fault address?",
        "Was the pointer null?",
        "How many threads were there?",
        "how did it get stuck?",
        "how long was the slice?",
        "how often did it retry?",
        "who started the goroutine?",
        "which thread holds the first lock?",
        "why does it crash in production?",
        "why is the lock held only in main?",
        "which frame is first?",
    ],
)
def test_what_the_last_moment_shows(question: str) -> None:
    assert not beyond(read(question), Investigation())


async def test_each_says_so_shows_what_there_is_and_names_what_would_tell(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    for question in ("Who overwrote it?", "How often does it happen?", "Why did it become null?"):
        reply = (await session.ask_question(question)).reply
        assert reply is not None
        assert any("close_drawer" in claim.text for claim in reply.held)
        assert "To find out: " in " ".join(reply.unknown)
    reply = (await session.ask_question("When did it crash?")).reply
    assert reply is not None
    assert not reply.answers
    assert "No line that was kept of this log tells when" in reply.unknown[0]


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
    return [claim.text for claim in moments(Talk(state, read(""), lambda _: text))]


def test_a_time_that_stands_at_the_report_is_told() -> None:
    assert _moments(GO, 2) == ['The time: "2026/03/04 05:06:07 worker: starting"']
    assert _moments("Time: Wed Mar  4 05:06:07 2026\nx\ny\n", 3) == [
        'The time: "Time: Wed Mar 4 05:06:07 2026"'
    ]
    assert _moments("no time\nat all 12:3\nx\n", 3) == []


async def test_a_second_question_beside_it_is_answered(to_ask: Asker) -> None:
    reply = (await (await to_ask(GDB_LOG)).ask_question("Who freed it, and what was in rbx?")).reply
    assert reply is not None
    assert any("0x7ffe0011" in claim.text for claim in reply.held)
    assert "Who freed it" in " ".join(reply.unknown)


async def test_a_sanitizer_kept_who_freed_it(to_ask: Asker) -> None:
    reply = (await (await to_ask(ASAN)).ask_question("who freed it?")).reply
    assert reply is not None
    assert not reply.unknown
    assert any("drop_stop" in claim.text for claim in reply.held)


async def test_when_memory_was_freed_no_service_manager_tells(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    reply = (await session.ask_question("when was it freed?")).reply
    assert reply is not None
    assert "When it was freed" in reply.unknown[0]
    assert "AddressSanitizer" in reply.unknown[1]
    assert "rr" in reply.unknown[1]
    assert "service manager" not in " ".join(reply.unknown)
    reply = (await session.ask_question("which thread locked first?")).reply
    assert reply is not None
    assert "no order in which the locks were taken" in reply.unknown[0]
    reply = (await session.ask_question("why did it crash only in production?")).reply
    assert reply is not None
    assert any("close_drawer" in claim.text for claim in reply.held)
    assert "one run" in reply.unknown[0]


async def test_a_sanitizer_kept_what_was_before_the_free(to_ask: Asker) -> None:
    reply = (await (await to_ask(ASAN)).ask_question("when was it freed?")).reply
    assert reply is not None
    assert not reply.unknown
    assert any("drop_stop" in claim.text for claim in reply.held)


def test_a_plain_log_is_looked_at_for_an_order() -> None:
    log = Target(path="a", kind=TargetKind.DOCUMENTS, size=1, arch="", os="")
    for question in ("which thread locked first?", "why does it fail only in production?"):
        assert not beyond(read(question), Investigation(target=log))
