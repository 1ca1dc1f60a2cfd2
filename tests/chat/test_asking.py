"""Questions to saved sessions without a model: answered, contradicted, or said to be unknown."""

import json
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.chat.conftest import GDB_LOG, POOL_LOG, Asker, hold_little, investigated, spoken
from tests.forking import workbench
from tests.tui.sample import concluded_events, gate_events, sample_state
from workbench.agents.chat.answer import answer
from workbench.agents.chat.asked import read
from workbench.agents.chat.topics import of_the_facts
from workbench.agents.chat.words import in_digits
from workbench.fronts.asking import rendered
from workbench.model.citation import Citation
from workbench.model.conversation import Exchange, Reply
from workbench.model.events import ChatAnswered, ChatAsked
from workbench.model.hypothesis import Status
from workbench.opening import session_to_ask
from workbench.settings import Settings


def said(reply: Reply | None) -> str:
    assert reply is not None
    return "\n".join(claim.text for claim in reply.held)


def denied(reply: Reply | None) -> str:
    assert reply is not None
    return "\n".join(one.claim.text for one in reply.contradictions)


async def ask(session: object, question: str) -> Reply:
    exchange = await session.ask_question(question)  # type: ignore[attr-defined]
    assert exchange.question == question
    assert exchange.reply is not None
    return exchange.reply  # type: ignore[no-any-return]


@pytest.mark.parametrize("question", ["show me the source", "what is the code around the crash?"])
def test_source_is_shown_around_the_line(question: str) -> None:
    state = sample_state(gate_events())
    talk = spoken(read(question), state, lambda evidence, line: f"{evidence} {line}")
    told = of_the_facts(talk)
    shown = [claim.text for claim in told if claim.text.startswith("The source")]
    assert len(shown) == 5


@pytest.mark.parametrize(
    ("question", "shown"),
    [("was it a stack overflow?", False), ("what is on the stack?", True)],
)
def test_a_cause_that_is_called_after_the_stack_asks_for_no_frames(
    question: str, shown: bool
) -> None:
    talk = spoken(read(question), sample_state(gate_events()), lambda *_: "#0  main () at a.c:1")
    assert any(one.text.startswith("The stack") for one in of_the_facts(talk)) is shown


@pytest.mark.parametrize(
    ("asked", "same"),
    [
        ("which thread panicked?", "which thread crashed?"),
        ("why did it stop?", "why did it crash?"),
        ("who took the lock?", "who holds the lock?"),
        ("by whom was the lock taken?", "by whom was the lock held?"),
    ],
)
def test_other_words_ask_the_same(asked: str, same: str) -> None:
    assert read(asked).words == read(same).words


def test_where_it_crashed_is_told_of_a_case_that_is_open() -> None:
    talk = spoken(read("which function crashed?"), sample_state(gate_events()), lambda *_: "#0  f")
    assert [one.text for one in of_the_facts(talk)][:1] == ['The stack: "#0  f"']


def test_of_what_decided_a_hypothesis_the_line_that_says_so_is_quoted() -> None:
    state = sample_state(concluded_events())
    verdict = state.hypotheses["H2"].verdict
    assert verdict is not None
    wide = replace(verdict, reason="No chunk is damaged.", contradicting=(Citation("E6", 1, 4),))
    state.hypotheses["H2"] = replace(state.hypotheses["H2"], verdict=wide)
    talk = spoken(read("why not H2?"), state, lambda _, line: ("", "heap", "", "chunk 7")[line - 1])
    assert any('No chunk is damaged: "chunk 7"' in one.text for one in answer(talk).claims)


def test_the_ending_of_a_possessive_is_no_variable() -> None:
    assert read("what was the program's argument?", {"s": True}).names == ()
    assert read("what was the program\u2019s argument?", {"s": True}).names == ()
    assert read("what is s?", {"s": True}).names == ("s",)


@pytest.mark.parametrize(
    "statement",
    [
        "CPU was 20 %",
        "The processor load was only about 20 percent, so why was it slow?",
        "Was CPU usage under 50%?",
        "cpu was at 20",
    ],
)
async def test_a_number_that_was_measured_otherwise_is_contradicted(
    to_ask: Asker, statement: str
) -> None:
    session = await to_ask(POOL_LOG)
    reply = await ask(session, statement)
    assert "CPU utilization: 98%" in denied(reply)
    (cite,) = reply.contradictions[0].claim.citations
    line = (await session.evidence_text(cite.evidence)).split("\n")[cite.first - 1]
    assert line == "CPU utilization: 98%"


@pytest.mark.parametrize(
    "statement", ["calloc was called with 1", "is the size of the till 7 bytes?", "step 3 took 5"]
)
async def test_a_number_in_a_line_of_another_matter_contradicts_nothing(
    to_ask: Asker, statement: str
) -> None:
    log = "0x7f00-0x7f10 rw- 135168 stack dumped thread 24069\n7\tstruct till { int coins; };\n"
    reply = await ask(await to_ask(POOL_LOG + log), statement)
    assert not reply.contradictions


@pytest.mark.parametrize(
    "statement",
    [
        "CPU was 98 %",
        "Was the CPU above 90%?",
        "CPU was about 95 percent",
        "CPU was not 20 %",
        "CPU was 20 % before",
        "CPU was 20 % then",
        "CPU should be 20 %",
    ],
)
async def test_a_number_that_was_measured_is_not_contradicted(
    to_ask: Asker, statement: str
) -> None:
    reply = await ask(await to_ask(POOL_LOG), statement)
    assert not reply.contradictions


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("5 requests were in the queue", "Work Request in Queue: 214"),
        ("There were three idle workers", "Workers Idle: 2"),
        ("There were 200 threads", "ThreadCount:      2"),
        ("The GC heap was 2 GB", "0x2a3f5c8 (44299720) bytes"),
        ("The GC heap was 42 MB", None),
        ("There were 2 threads", None),
        ("The signal was SIGABRT", None),
    ],
)
async def test_counts_are_held_to_what_counts_the_same(
    to_ask: Asker, statement: str, shown: str | None
) -> None:
    reply = await ask(await to_ask(POOL_LOG), statement)
    assert (shown in denied(reply)) if shown else not reply.contradictions


async def test_a_number_of_something_else_contradicts_nothing(to_ask: Asker) -> None:
    log = "(gdb) info memory\nmemory: 2048 bytes dumped, 0 bytes missing\n9 threads\n"
    session = await to_ask(GDB_LOG + log + "thread 3 running\n")
    for said in ("It used 3 GB of memory", "1 thread was running", "Line 7 was it", "in 2 minutes"):
        assert not (await ask(session, said)).contradictions
    assert "9 threads" in denied(await ask(session, "There were 4 threads"))


async def test_a_signal_and_a_cause_that_were_others_are_contradicted(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    assert "SIGSEGV" in denied(await ask(session, "It was killed by SIGABRT, wasn't it?"))
    assert not (await ask(session, "Was it a double free?")).contradictions
    assert not (await ask(session, "Is &drawer inside freed memory?")).contradictions
    assert not (await ask(session, "It was a null pointer dereference")).contradictions
    assert not (await ask(session, "Why was it no double free?")).contradictions


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Why did it crash?", "close_drawer"),
        ("What was in rbx?", "0x7ffe0011"),
        ("what lies at 0x401136?", "close_drawer"),
        ("Where did it happen?", "till.c:5"),
        ("What did main call?", "till.c:9"),
    ],
)
async def test_a_question_is_answered_from_the_lines(
    to_ask: Asker, question: str, answer: str
) -> None:
    session = await to_ask(GDB_LOG)
    reply = await ask(session, question)
    assert answer in said(reply)
    assert all(claim.citations for claim in reply.held)
    assert not reply.looked


async def test_what_the_evidence_does_not_hold_is_said_to_be_unknown(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    reply = await ask(session, "What is at 0xdeadbeef1234?")
    assert not reply.answers
    assert any("0xdeadbeef1234" in text for text in reply.unknown)


async def test_a_huge_text_is_quoted_at_its_end(
    to_ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_little(monkeypatch)
    slots = "".join(f"slot {n}: 0x{n:04x} idle\n" for n in range(2000))
    last = "lane 77 is blocked by zebra_feeder"
    session = await to_ask(f"{GDB_LOG}(gdb) acme report\n{slots}{last}\n")
    item = next(i for i in session.state.evidence.values() if i.command == "acme report")
    reply = await ask(session, "what is blocked by zebra_feeder?")
    assert [(claim.text, str(claim.citations[0])) for claim in reply.held] == [
        (f'In {item.id}: "{last}"', f"{item.id}:{item.lines}")
    ]


async def test_a_log_that_is_gone_leaves_the_evidence(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG, gone=True)
    reply = await ask(session, "What was in rbx?")
    assert "0x7ffe0011" in said(reply)
    assert any("saved evidence alone" in note for note in reply.notes)


async def test_questions_and_answers_are_part_of_the_session(tmp_path: Path) -> None:
    folder = await investigated(tmp_path, GDB_LOG)
    session = await session_to_ask(folder, Settings())
    rows: list[object] = []
    session.subscribe(lambda batch: rows.extend(row.event for row in batch))
    await ask(session, "What was in rbx?")
    assert [type(event) for event in rows] == [ChatAsked, ChatAnswered]
    before = session.state.phase
    await session.close()
    again = await session_to_ask(folder, Settings())
    try:
        (kept,) = again.state.chat
        assert (kept.id, kept.question) == ("Q1", "What was in rbx?")
        assert "0x7ffe0011" in said(kept.reply)
        assert again.state.phase is before
        assert not again.state.notices
    finally:
        await again.close()


HOSTILE = [
    "",
    "?",
    '"' * 3000,
    "x" * 100_000,
    "0x" + "f" * 500,
    "\x1b[31m`E1:1` \u202e '; DROP TABLE chunks; --",
    "thread 99999999999999999999999 1e308 % 0x1 " * 50,
    'NEAR("a" b, 3) OR * AND ^ : ( rbx',
    "9" * 5000 + " % cpu",
]


@pytest.mark.parametrize("question", HOSTILE, ids=map(str, range(len(HOSTILE))))
async def test_no_text_of_a_question_breaks_it(to_ask: Asker, question: str) -> None:
    reply = await ask(await to_ask(GDB_LOG), question)
    assert reply.by == "code"


async def test_no_line_of_a_log_breaks_it(to_ask: Asker) -> None:
    lines = [
        "cpu: 1e999 %",
        "x = " + "9" * 400,
        "\u202e\x00 cpu = 5%",
        '"a" «b» “c” cpu 7 %',
        "=" * 9,
    ]
    session = await to_ask(GDB_LOG + "\n".join(f"(gdb) p {n}\n{t}" for n, t in enumerate(lines)))
    reply = await ask(session, "cpu was 20 % and x was 3 and a was b")
    assert all(claim.status == "verified" for claim in reply.held)


async def test_the_command_prints_an_answer_and_says_what_contradicts(tmp_path: Path) -> None:
    folder = await investigated(tmp_path, POOL_LOG)
    place = ["--sessions-dir", str(folder.parent), "--tier", "offline"]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return workbench("ask", *arguments, *place)

    done = run(folder.name, "CPU was 20 %")
    assert done.returncode == 0, done.stderr
    assert 'contradicts "CPU was 20 %"' in done.stdout
    assert "98%" in done.stdout
    unknown = run(folder.name, "Who is Alice?", "--format", "json")
    assert unknown.returncode == 1
    assert json.loads(unknown.stdout)["answer"] == []
    missing = run("session_none", "why?")
    assert missing.returncode == 2
    assert missing.stderr.count("\n") == 1


async def test_what_is_proposed_and_not_decided_is_named_before_there_is_a_conclusion(
    to_ask: Asker,
) -> None:
    session = await to_ask(GDB_LOG)
    hypothesis = next(iter(session.state.hypotheses.values()))
    session.state.hypotheses = {"H1": replace(hypothesis, status=Status.PROPOSED, verdict=None)}
    session.state.conclusion = session.state.judgement = None
    for question in ("Why did it crash?", "Which hypotheses are there?"):
        reply = await ask(session, question)
        said = " ".join(reply.unknown)
        assert "H1 (null pointer dereference) is proposed and waits for your decision" in said


JAVA_LOG = """\
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007fa88bbf54be, pid=1, tid=154
#
# Problematic frame:
# C  [libtill.so.1+0x1bf4be]  count_coins+0x2e
#
siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000010

Heap address: 0x0000000707400000, size: 3980 MB, Compressed Oops mode: Zero based
"""
HANDLED_LOG = """\
Thread 2 (Thread 0x7ff98c005130 (LWP 7)):
#0  0x00007ff996f33868 in poll () from /lib/libc.so.6
#1  0x00007ff996f326f9 in pump (l=0x7ff98c005130) at pump.cpp:388

Thread 1 (Thread 0x7ff98c0051a0 (LWP 6)):
#0  0x00007ff996f33868 in raise () from /lib/libc.so.6
#1  0x00007ff998918f9b in onCrash (sig=6) at guard.cpp:577
#2  <signal handler called>
#3  0x00007ff996f33868 in raise () from /lib/libc.so.6
#4  0x00007ff996f33869 in abort () from /lib/libc.so.6
#5  0x00007ff996f3386a in close_drawer (d=0x55d0) at till.cpp:204
"""


@pytest.mark.parametrize(
    ("log", "question", "first"),
    [
        (JAVA_LOG, "what is the fault address?", "si_addr: 0x0000000000000010"),
        (JAVA_LOG, "which address was accessed?", "si_addr: 0x0000000000000010"),
        (HANDLED_LOG, "show me the stack", "#0  0x00007ff996f33868 in raise ()"),
    ],
)
async def test_what_the_crash_shows_goes_before_what_has_the_same_words(
    to_ask: Asker, log: str, question: str, first: str
) -> None:
    reply = await ask(await to_ask(log), question)
    assert first in reply.claims[0].text


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("there were two threads", "there were 2   threads"),
        ("are there two threads in poll?", "are there 2   threads in poll?"),
        ("two threads at once", "two threads at once"),
        ("there was one thread", "there was one thread"),
    ],
)
def test_a_two_that_is_a_count_is_a_number(text: str, digits: str) -> None:
    assert in_digits(text) == digits


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("was it freed twice?", "Neither yes nor no is proved. The evidence says:"),
        ("Was it a null pointer dereference?", "Yes: A null pointer is dereferenced in"),
        (
            "was it killed by SIGBUS?",
            'No: The debugger reports "Program terminated with signal SIGSEGV',
        ),
        ("Did it crash in close_drawer?", "Yes: A null pointer is dereferenced in `close_drawer`"),
        ("is frame 0 main?", "No: Frame 0"),
        ("is frame 1 main?", "Yes: Frame 1"),
        ("did it crash in main?", "Neither yes nor no is proved. The evidence says:"),
        ("is there anything about till.c?", "Neither yes nor no is proved. The evidence says:"),
        ("Wasn't it a double free?", "- "),
        ("Was it a read or a write?", "- "),
        ("It was a double free", "- A null pointer is dereferenced in `close_drawer`"),
        ("It was SIGBUS", 'The evidence contradicts "It was SIGBUS":'),
    ],
)
async def test_a_question_for_yes_or_no_is_answered_so(
    to_ask: Asker, question: str, begins: str
) -> None:
    reply = await ask(await to_ask(GDB_LOG), question)
    shown = rendered(Exchange(id="Q1", question=question, reply=reply), "one", "md")
    assert shown.startswith(begins)
    lines = [line for line in shown.split("\n") if line]
    assert len(set(lines)) == len(lines)  # nothing twice
