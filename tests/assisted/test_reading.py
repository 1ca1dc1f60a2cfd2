"""What code leaves open is read by a model: bounded, no facts, and only as far as it holds."""

import asyncio
import dataclasses
import json
import re
import sqlite3
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted, sentence
from tests.chat.conftest import GDB_LOG, POOL_LOG, hold_little
from workbench.agents.assisted import reading
from workbench.agents.assisted.flow import Assistance
from workbench.engine.finding import holding
from workbench.engine.session import Session
from workbench.engine.viewing import trail_of
from workbench.llm.port import Question, Unfit
from workbench.model.assisted_events import PieceRead
from workbench.model.chunks import OverallFindings
from workbench.model.evidence import Source
from workbench.model.models import Complexity, ModelTier
from workbench.model.target import Limits

Asked = Question[Any]
FEW = Limits(iterations=1)
HEAP = (
    POOL_LOG + "> dumpheap -stat\n"
    "              MT    Count    TotalSize Class Name\n"
    + "".join(f"00007f2b4c1a{n:04x}        1           24 Till.Row{n}\n" for n in range(300))
    + "00007f2b4c0f0f90    81422     11723456 System.String\nTotal 81722 objects\n"
)
UNHEARD = (
    GDB_LOG + "(gdb) acme report\n" + "".join(f"slot {n}: 0x{n:04x} idle\n" for n in range(2000))
)
BROKEN = UNHEARD + "".join(["Unhandled exception: Till.JammedException: no room in slot 77\n"])


def told(asked: Asked) -> str:
    return "\n".join(message.content for message in asked.messages)


def id_of(session: Session, command: str) -> str:
    return next(i.id for i in session.state.evidence.values() if i.command == command)


async def of_a_log(
    investigate: Investigate, tmp_path: Path, text: str, model: Scripted, limits: Limits = FEW
) -> Session:
    log = tmp_path / "saved.txt"
    log.write_text(text)
    return await investigate(model, limits, target=str(log))


async def test_a_list_of_objects_is_read_where_it_says_most(
    investigate: Investigate, tmp_path: Path
) -> None:
    def read(asked: Asked) -> dict[str, Any]:
        cite = next(
            (w.split("|")[0] for w in told(asked).split("\n") if "System.String" in w and "|" in w),
            "E1:1",
        )
        return {
            "remarks": [
                {**sentence("System.String: 81422, 11723456.", cite), "tags": ["heap", "No Tag"]},
                sentence("", cite),
            ]
        }

    model = Scripted({"reading": read})
    session = await of_a_log(investigate, tmp_path, HEAP, model)
    heap = id_of(session, "dumpheap -stat")
    asked = [q for q in model.asked if q.prompt == "reading"]
    assert all(q.complexity is Complexity.MODERATE for q in asked)
    assert len(asked) <= FEW.reading_calls
    assert any("81422" in told(q) for q in asked)
    (noted,) = session.state.assisted.annotations
    assert (noted.evidence, noted.tags, noted.by) == (heap, ("heap",), "model")
    assert noted.why.text == "System.String: 81422, 11723456."
    ledger = (await session.build_report()).analysis.ai_analysis.evidence_ledger
    (row,) = (row for row in ledger if row.id == heap)
    assert [note.why_it_matters for note in row.annotations] == [noted.why.text]
    # Whoever is asked next knows of it.
    assert noted.why.text in model.said("explanation")[0]


async def test_a_large_text_that_nobody_reads_may_tell_the_cause(
    investigate: Investigate, tmp_path: Path
) -> None:
    def read(asked: Asked) -> dict[str, Any]:
        line = next((w for w in told(asked).split("\n") if "JammedException" in w and "|" in w), "")
        if not line:
            return {"root_cause": sentence("Lightning struck slot 3.", "E1:1")}
        cites.append(line.split("|")[0])
        return {"root_cause": sentence("Till.JammedException: no room in slot 77", cites[0])}

    cites: list[str] = []

    model = Scripted({"reading": read})
    session = await of_a_log(investigate, tmp_path, BROKEN, model)
    acme = session.state.evidence[id_of(session, "acme report")]
    assert acme.overall_findings is not None
    said = f"the model: “Till.JammedException: no room in slot 77” [{cites[0]}]"
    assert cites[0].startswith(f"{acme.id}:20")
    assert acme.overall_findings.root_cause == said
    assert not {fact.cite.evidence for fact in session.state.facts} & {acme.id}
    database = sqlite3.connect(session.folder / "evidence.db")
    rows = dict(database.execute("SELECT id, metadata FROM evidence"))
    database.close()
    kept = {name: json.loads(row)["overall_findings"] for name, row in rows.items()}
    assert kept.pop(acme.id)["root_cause"] == said
    assert not any(kept.values())
    # It is no part of what is concluded.
    ai = (await session.build_report()).analysis.ai_analysis
    assert "77" not in str((ai.root_cause, ai.category, ai.claims))


async def test_what_an_unknown_tool_says_is_noted_as_its_words_and_is_no_fact(
    investigate: Investigate, tmp_path: Path
) -> None:
    def read(asked: Asked) -> dict[str, Any]:
        line = next((w for w in told(asked).split("\n") if "flux_gate" in w and "|" in w), "")
        return {"remarks": [sentence("out of memory: 99 tickets", line.split("|")[0])]}

    def investigated(asked: Asked) -> Any:
        return [("exec", {"command": f"acme report {len(model.asked)}"})]

    said = UNHEARD + "error: out of memory: 99 tickets leaked by `flux_gate`\n"
    model = Scripted({"reading": read, "investigate": investigated})
    limits = Limits(iterations=5, idle_iterations=9)
    session = await of_a_log(investigate, tmp_path, said, model, limits)
    acme = id_of(session, "acme report")
    assert [one.evidence for one in session.state.assisted.annotations] == [acme]
    ai = (await session.build_report()).analysis.ai_analysis
    assert ai.checkpoints
    assert "99 tickets" not in str([one.facts for one in ai.checkpoints])
    (row,) = (row for row in ai.evidence_ledger if row.id == acme)
    assert [note.why_it_matters for note in row.annotations] == ["out of memory: 99 tickets"]


async def test_what_does_not_hold_tells_no_cause(investigate: Investigate, tmp_path: Path) -> None:
    lie = {"root_cause": sentence("A deadlock of slot 77 and slot 78.", "E5:2-3")}
    session = await of_a_log(investigate, tmp_path, UNHEARD, Scripted({"reading": lie}))
    acme = session.state.evidence[id_of(session, "acme report")]
    assert acme.overall_findings is not None
    assert acme.overall_findings.root_cause is None


async def test_reading_is_bounded_and_each_output_is_read_once(
    investigate: Investigate, tmp_path: Path
) -> None:
    each = "(gdb) acme report {0}\n" + "slot {0} idle\n" * 900 + "(gdb) acme end\nok\n"
    many = GDB_LOG + "".join(each.format(n) for n in range(9))
    limits = Limits(iterations=1, reading_calls=3, piece_calls=5, told=2000)
    model = Scripted()
    session = await of_a_log(investigate, tmp_path, many, model, limits)
    assert 5 <= model.count("reading") <= 3 + 5
    assert all(len(told(q)) < 4500 for q in model.asked if q.prompt == "reading")
    assert sum(map(len, session.state.assisted.pieces.values())) == 5
    assert session.state.assisted.readings <= 3


def saw(word: str) -> Any:
    """Remarks on each line that holds a word, and names an exception as the cause."""

    def read(asked: Asked) -> dict[str, Any]:
        lines = [w.split("| ") for w in told(asked).split("\n") if "| " in w and word in w]
        causes = [sentence(text, cite) for cite, text in lines if "Exception" in text]
        remarks = [sentence(text, cite) for cite, text in lines]
        return {"remarks": remarks, **({"root_cause": causes[0]} if causes else {})}

    return read


JAMS = UNHEARD.replace("slot 900:", "slot 900: Till.JammedException: first\nslot 900:").replace(
    "slot 1900:", "slot 1900: Till.LateException: second\nslot 1900:"
)


@pytest.mark.parametrize("huge", [False, True])
async def test_every_piece_is_read_and_summed_up(
    investigate: Investigate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, huge: bool
) -> None:
    if huge:
        hold_little(monkeypatch)
    model = Scripted(
        {
            "reading": saw("Exception"),
            "synthesis": {"summary": "It jams, then it is late.", "root_cause": [1]},
        }
    )
    session = await of_a_log(investigate, tmp_path, JAMS, model)
    acme = session.state.evidence[id_of(session, "acme report")]
    pieces = session.state.assisted.pieces[acme.id]
    assert pieces[0].total > 4
    assert all(one.last + 1 == then.first for one, then in pairwise(pieces))
    assert (pieces[0].first, pieces[-1].last) == (1, acme.lines)
    # Each line of a chunk was told, and the chunks are those of code.
    told_lines = {
        int(n) for text in model.said("reading") for n in re.findall(rf"{acme.id}:(\d+)\|", text)
    }
    assert told_lines == set(range(1, acme.lines + 1))
    (own,) = [
        t["chunks"] for t in await trail_of(session.store, session.state) if t["id"] == acme.id
    ]
    assert {one["first"] for one in own} <= {piece.first for piece in pieces}
    assert len(own) == pieces[0].total
    assert [piece.first for piece in pieces] == sorted(piece.first for piece in pieces)
    assert [bool(piece.findings) for piece in pieces].count(True) == 2
    # What code saw something in comes first, with what was found before.
    asked = model.said("reading")
    assert all("Exception: " in text for text in asked[:2])
    assert "Said of earlier lines" in asked[1]
    (together,) = model.said("synthesis")
    assert together.index("JammedException") < together.index("LateException")
    assert acme.overall_findings is not None
    assert "Till.JammedException: first" in str(acme.overall_findings.root_cause)
    assert acme.overall_findings.summary.endswith("; the model: “It jams, then it is late.”")
    assert acme.summary == f"{acme.overall_findings.summary}; {acme.overall_findings.root_cause}"
    assert any("LateException" in text for text in acme.findings)
    said = {text for piece in pieces for text in (*piece.findings, piece.root_cause) if text}
    assert said
    assert all(text.startswith("the model: “") for text in said)
    found = holding(session.state, acme.id, ["jams,"])
    assert found
    assert all("the model: “It jams," in text for text in found)
    # In every form of the report too.
    ledger = (await session.build_report()).analysis.ai_analysis.evidence_ledger
    (in_report,) = (one for one in ledger if one.id == acme.id)
    assert in_report.overall_findings is not None
    assert in_report.overall_findings.root_cause == acme.overall_findings.root_cause
    for format in ("md", "html"):
        shown = (await session.report(format)).partition(f"Found in {acme.id}:")[2]
        assert "LateException" in shown
    database = sqlite3.connect(session.folder / "evidence.db")
    (row,) = database.execute(
        "SELECT summary, key_findings, metadata FROM evidence WHERE id = ?", (acme.id,)
    )
    database.close()
    assert row[0] == acme.summary
    assert "LateException" in row[1]
    assert json.loads(row[2])["overall_findings"]["summary"] == acme.overall_findings.summary
    (told_of,) = [t for t in await trail_of(session.store, session.state) if t["id"] == acme.id]
    assert [one["first_line"] for one in told_of["readings"]] == [p.first for p in pieces]


@pytest.mark.parametrize(("tier", "at_once"), [(ModelTier.LOCAL, 1), (ModelTier.CLOUD, 4)])
async def test_a_cloud_reads_several_pieces_at_a_time_and_their_order_is_kept(
    investigate: Investigate, tmp_path: Path, tier: ModelTier, at_once: int
) -> None:
    class Slow(Scripted):
        now = most = 0
        calls, together = 0, asyncio.Barrier(at_once)

        async def ask(self, question: Asked, on_text: Any = None) -> Any:
            answer = await super().ask(question, on_text)
            if question.prompt == "reading" and "acme report" in told(question):
                self.calls += 1
                self.now += 1
                self.most = max(self.most, self.now)
                if 1 < self.calls <= 1 + at_once:  # the first call tells which tier answers
                    async with asyncio.timeout(30):
                        await self.together.wait()
                    await asyncio.sleep(0.01 * (10 - self.calls))
                self.now -= 1
            return dataclasses.replace(answer, tier=tier)

    model = Slow({"reading": saw("Exception"), "synthesis": {"root_cause": [1]}})
    session = await of_a_log(investigate, tmp_path, JAMS, model)
    assert model.most == at_once
    acme = session.state.evidence[id_of(session, "acme report")]
    pieces = session.state.assisted.pieces[acme.id]
    assert all(one.last + 1 == then.first for one, then in pairwise(pieces))
    assert acme.overall_findings is not None
    assert "JammedException: first" in str(acme.overall_findings.root_cause)
    asked = [text for text in model.said("reading") if f"data {acme.id} acme report" in text]
    order = [int(re.findall(rf"{acme.id}:(\d+)\|", text)[0]) for text in asked]
    told_again = [
        e.event.first for e in await session.store.events() if isinstance(e.event, PieceRead)
    ]
    assert told_again == order


async def test_what_no_call_was_left_for_is_said(investigate: Investigate, tmp_path: Path) -> None:
    limits = Limits(iterations=1, piece_calls=2)
    session = await of_a_log(investigate, tmp_path, JAMS, Scripted(), limits)
    acme = session.state.evidence[id_of(session, "acme report")]
    assert "a model read 1 of its 6 pieces" in acme.summary


async def test_a_reading_that_was_cut_goes_on_at_its_piece(
    investigate: Investigate, tmp_path: Path
) -> None:
    class Cut(Scripted):
        async def ask(self, question: Asked, on_text: Any = None) -> Any:
            if self.count("reading") == 3:
                raise asyncio.CancelledError
            return await super().ask(question, on_text)

    log = tmp_path / "saved.txt"
    log.write_text(JAMS)
    session = await investigate(Cut(), FEW, target=str(log), finish=False)
    with pytest.raises(asyncio.CancelledError):
        await session.run()
    acme = id_of(session, "acme report")
    read = {piece.first for piece in session.state.assisted.pieces[acme]}
    await session.close()
    assert len(read) == 3
    model = Scripted()
    resumed = await investigate(model, target=session.session_id)
    pieces = resumed.state.assisted.pieces[acme]
    assert all(one.last + 1 == then.first for one, then in pairwise(pieces))
    shown = [text for text in model.said("reading") if f"data {acme} acme report" in text]
    assert len(shown) == len(pieces) - 3


async def test_where_no_tier_takes_it_nobody_is_asked_again(
    investigate: Investigate, tmp_path: Path
) -> None:
    model = Scripted({"reading": Unfit("no model of this machine answers")})
    session = await of_a_log(investigate, tmp_path, HEAP, model)
    assert model.count("reading") == 1
    assert model.count("explanation") >= 1
    assert session.state.assisted.read == set()


async def test_a_large_answer_in_the_loop_comes_with_remarks(investigate: Investigate) -> None:
    def read(asked: Asked) -> dict[str, Any]:
        if "x/400gx $sp" not in told(asked):
            return {}
        cite, line = [w for w in told(asked).split("\n") if "|" in w][-1].split("| ")
        return {"remarks": [sentence(f"`{line.split(':')[0].split()[0]}` ends it.", cite)]}

    calls = [("exec", {"command": "x/400gx $sp"})]
    model = Scripted({"reading": read, "investigate": [calls, ""]})
    session = await investigate(model, Limits(iterations=2, reading_calls=20))
    noted = session.state.assisted.annotations
    commands = {session.state.evidence[one.evidence].command for one in noted}
    assert commands == {"x/400gx $sp"}
    assert all(one.why.text in model.said("investigate")[1] for one in noted)


async def test_what_code_has_settled_is_read_by_no_model(investigate: Investigate) -> None:
    model = Scripted()
    session = await investigate(model, FEW)
    assert any(item.command.startswith("x/") for item in session.state.evidence.values())
    assert model.count("explanation") >= 1
    assert model.count("reading") == 0


async def test_what_a_person_asked_is_read_where_the_cause_is_proved(
    investigate: Investigate,
) -> None:
    model = Scripted()
    session = await investigate(model, FEW)
    await session.user_command("info symbol first")
    await Assistance(session, model).explain()
    read = [told(q) for q in model.asked if q.prompt == "reading"]
    assert len(read) == 1
    assert "info symbol first" in read[0]


async def test_once_a_cause_is_proved_only_what_was_asked_for_is_read(
    investigate: Investigate,
) -> None:
    unread = OverallFindings(summary="nothing")
    model = Scripted()
    session = await investigate(model, FEW)
    state = session.state
    assert state.conclusion is not None
    tests = {test.evidence for one in state.hypotheses.values() for test in one.tests}
    own = [i for i in state.evidence.values() if i.source is Source.DEBUGGER and i.size]
    asked_for, other = (
        next(i for i in own if (i.id in tests) is wanted) for wanted in (True, False)
    )
    for item in (asked_for, other):
        state.evidence[item.id] = replace(item, overall_findings=unread)
    await Assistance(session, model).explain()
    read = [told(q) for q in model.asked if q.prompt == "reading"]
    assert any(f"{asked_for.id}:1|" in text for text in read)
    assert not any(f"{other.id}:1|" in text for text in read)


async def test_a_call_that_takes_too_long_is_given_up(
    investigate: Investigate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Scripted):
        async def ask(self, question: Asked, on_text: Any = None) -> Any:
            answer = await super().ask(question, on_text)
            if question.prompt == "reading":
                await asyncio.sleep(60)
            return answer

    monkeypatch.setattr(reading, "_SECONDS", 0.1)
    model = Slow()
    session = await of_a_log(investigate, tmp_path, HEAP, model)
    assert model.count("reading") == 1
    assert model.count("explanation") >= 1
    assert session.state.stopped is not None
