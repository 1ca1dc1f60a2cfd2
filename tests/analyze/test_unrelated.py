"""Several failures in one folder: the one that is asked about is taken, or it is asked which."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.analyze.talking import conversation
from workbench.agents.conversation.wording import UNCHANGED
from workbench.model.category import Category
from workbench.model.conversation import TurnKind
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

TILL = """\
2026-11-10 13:02:15,020 INFO  [main] shop.App - listening on 8080
2026-11-10 18:40:00,001 WARN  [pool-3] shop.Orders - slow query 2.4 s
2026-11-11 02:00:01,004 INFO  [cron] shop.Cron - running /opt/shop/rotate.sh
2026-11-11 02:01:12,377 ERROR [pool-7] shop.Orders - request failed
java.lang.OutOfMemoryError: Java heap space
\tat shop.Ledger.readAll(Ledger.java:88)
\tat shop.Ledger.run(Ledger.java:41)
Terminating due to java.lang.OutOfMemoryError: Java heap space
2026-11-12 02:00:01,003 INFO  [cron] shop.Cron - running /opt/shop/rotate.sh
2026-11-12 02:01:20,310 ERROR [pool-2] shop.Orders - request failed
java.lang.OutOfMemoryError: Java heap space
\tat shop.Ledger.readAll(Ledger.java:88)
\tat shop.Ledger.run(Ledger.java:41)
Terminating due to java.lang.OutOfMemoryError: Java heap space
2026-11-12 09:15:00,100 INFO  [main] shop.App - listening on 8080
"""
ASAN = """\
==8123==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000018 at pc 0x4c3a51 bp 0x7ffd0c1f6f10 sp 0x7ffd0c1f6f08
READ of size 8 at 0x602000000018 thread T0
    #0 0x4c3a50 in next_stop /src/route.c:31:18
    #1 0x4c3c02 in sweep /src/route.c:58:9
    #2 0x4c3d11 in main /src/main.c:20:5

0x602000000018 is located 8 bytes inside of 16-byte region [0x602000000010,0x602000000020)
freed by thread T0 here:
    #0 0x493d7d in free (/src/a.out+0x493d7d)
    #1 0x4c3bd0 in drop_stop /src/route.c:47:5

SUMMARY: AddressSanitizer: heap-use-after-free /src/route.c:31:18 in next_stop
"""  # noqa: E501
OOPS = """\
[ 8123.101010] BUG: kernel NULL pointer dereference, address: 0000000000000028
[ 8123.101020] #PF: supervisor read access in kernel mode
[ 8123.101060] CPU: 2 PID: 4711 Comm: kworker/2:1 Tainted: G           OE     6.1.0-13-amd64 #1
[ 8123.101070] RIP: 0010:acme_poll+0x1c/0x90 [acme]
[ 8123.101080] Call Trace:
[ 8123.101100]  process_one_work+0x1c7/0x380
[ 8123.101110]  worker_thread+0x4d/0x380
"""
FILES = {"till.log": TILL, "asan.log": ASAN, "oops.log": OOPS}
Talk = Callable[..., Awaitable[Investigation]]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """Has a whole conversation about several files, without a model."""

    async def run(issue: str, *answers: str, files: dict[str, str] = FILES) -> Investigation:
        return await conversation(tmp_path, files, None, *answers, issue=issue)

    return run


def category(state: Investigation) -> Category:
    assert state.conclusion is not None
    return state.conclusion.category


@pytest.mark.parametrize(
    ("issue", "cause"),
    [
        ("why does it fail at night?", Category.OUT_OF_MEMORY),
        ("what happens at 2 am?", Category.OUT_OF_MEMORY),
        ("why did the till go down on 2026-11-12?", Category.OUT_OF_MEMORY),
        ("what is wrong in oops.log?", Category.NULL_POINTER_DEREFERENCE),
        ("why does the kernel module fall over?", Category.NULL_POINTER_DEREFERENCE),
        ("who breaks `acme_poll`?", Category.NULL_POINTER_DEREFERENCE),
        ("is it a use after free?", Category.USE_AFTER_FREE),
        ("what does next_stop do wrong?", Category.USE_AFTER_FREE),
    ],
)
async def test_words_times_names_and_files_weigh_which_is_proposed(
    talk: Talk, issue: str, cause: Category
) -> None:
    state = await talk(issue)
    first = state.conversation[0]
    assert first.kind is TurnKind.SOLUTION
    assert first.text.startswith(cause.replace("-", " ").capitalize())
    assert category(state) is cause
    assert sum(note.startswith("Set aside, another failure: ") for note in first.notes) == 2
    assert sum(note.startswith("About ") for note in first.notes) == 1


async def test_what_stands_before_it_each_time_is_told(talk: Talk) -> None:
    first = (await talk("why does it fail at night?")).conversation[0]
    assert any(
        claim.text.startswith("Before it, each time: ") and "rotate.sh" in claim.text
        for claim in first.claims
    )


async def test_where_nothing_tells_it_asks_which_one_is_meant_and_hears_the_answer(
    talk: Talk,
) -> None:
    state = await talk("why does it fail?", "the second", "no, I mean the one in oops.log")
    asked, proposed, corrected, final = state.conversation
    assert asked.kind is TurnKind.QUESTION
    assert "3 failures that have nothing to do with each other" in asked.text
    assert [claim.text.partition(":")[0] for claim in asked.claims] == [
        "asan.log", "oops.log", "till.log",
    ]  # fmt: skip
    assert proposed.text.startswith("Null pointer dereference")
    assert corrected.kind is TurnKind.QUESTION  # it is about that one already
    assert final.text.startswith("Null pointer dereference")


async def test_another_failure_is_taken_when_the_person_says_so(talk: Talk) -> None:
    state = await talk("what is wrong in oops.log?", "no, I mean the java one", "asan.log instead")
    texts = [turn.text for turn in state.conversation]
    for text, start in zip(
        texts, ("Null pointer", "Out of memory", "Use after free", "Use after free"), strict=True
    ):
        assert text.startswith(start)
    rejected = [h.reason for h in state.hypotheses.values() if h.status is Status.REJECTED]
    assert any("another failure" in reason for reason in rejected)


async def test_what_was_set_aside_is_not_tested_anew_after_an_answer(talk: Talk) -> None:
    state = await talk("why does it fail every night?", "it began last week", "no", "no")
    aside = [one for one in state.hypotheses.values() if state.is_set_aside(one)]
    assert {one.category for one in aside} >= {
        Category.USE_AFTER_FREE,
        Category.NULL_POINTER_DEREFERENCE,
    }
    assert {one.status for one in aside} == {Status.REJECTED}
    assert {one.reason for one in aside} == {
        "it is about another failure than the one that is asked about"
    }
    assert all(check.passed for check in state.rounds[-1].checks)


async def test_nothing_is_asked_that_the_files_or_the_person_told(talk: Talk) -> None:
    state = await talk("why does it fail every night?", "it began last week", "no", "no", "no")
    asked = [turn.text for turn in state.conversation if turn.kind is TurnKind.QUESTION]
    assert asked
    assert not any("operating system" in text for text in asked)
    assert not any("Does it happen again" in text for text in asked)
    assert not any("When did it begin" in text for text in asked)
    assert any("2026-11-11 02:01:12" in text for text in asked)


async def test_a_proposal_that_is_made_again_says_so(talk: Talk) -> None:
    state = await talk("why does it fail at night?", "it began last week", *["no"] * 6)
    solutions = [turn for turn in state.conversation if turn.kind is TurnKind.SOLUTION]
    assert len(solutions) > 1
    assert all(UNCHANGED in turn.notes for turn in solutions[1:])
    assert UNCHANGED not in solutions[0].notes


async def test_reports_of_one_crash_are_one_failure(talk: Talk) -> None:
    same = (
        "(gdb) bt\n#0  0x4c3a50 in next_stop (at=0x602000000018) at route.c:31\n"
        "#1  0x4c3c02 in sweep () at route.c:58\n#2  0x4c3d11 in main () at main.c:20\n"
    )
    state = await talk("why does it fail?", files={"asan.log": ASAN, "core.txt": same})
    assert state.conversation[0].kind is TurnKind.SOLUTION
    assert state.focus is None


async def test_what_was_set_aside_stays_out_of_an_open_case(talk: Talk) -> None:
    export = (
        "2026-11-20 02:00:01 INFO nightly export starts\n"
        "2026-11-20 02:00:41 WARN pool exhausted size=5 waiting=37\n"
        "2026-11-20 02:01:11 ERROR TimeoutError: no connection within 30 s\n"
        "2026-11-20 02:01:11 ERROR nightly export failed: TimeoutError\n"
    )
    printed = (
        "Core was generated by `./till'.\n"
        "Program terminated with signal SIGSEGV, Segmentation fault.\n"
        "#0  0x000055ebfc8da22d in main () at till.c:6\n"
        "(gdb) bt\n#0  0x000055ebfc8da22d in main () at till.c:6\n"
    )
    files = {"app.log": export, "gdb.txt": printed}
    state = await talk("why does the nightly export fail?", *["no"] * 4, files=files)
    assert state.focus is not None
    solution = next(turn for turn in state.conversation if turn.kind is TurnKind.SOLUTION)
    cited = {cite.evidence for claim in solution.claims for cite in claim.citations}
    assert cited
    assert not cited & set(state.focus.left_out)
    assert solution.claims[0].text.startswith("What stands out most: ")
    assert "export failed" in solution.claims[0].text
    assert not any("faulting instruction" in text for text in solution.missing)
    asked = " ".join(turn.text for turn in state.conversation)
    assert "None of the files holds" not in asked


async def test_inputs_that_are_not_read_are_told_once(talk: Talk) -> None:
    state = await talk("why?", "no", files={"asan.log": ASAN, "x.csv": "1", "y.json": "{}"})
    told = [note for turn in state.conversation for note in turn.notes if "Not read" in note]
    assert told == [
        "Not read: x.csv: only .log, .md, .txt are read",
        "Not read: y.json: only .log, .md, .txt are read",
    ]
