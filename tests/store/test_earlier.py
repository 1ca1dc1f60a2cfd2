"""Sessions that an earlier version saved: a way of writing events that is gone, for each step."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.store.test_sessions import first, place, workbench
from workbench.engine.archive import export, take_in
from workbench.engine.viewing import report_of
from workbench.model import earlier
from workbench.store.made_here import SEAL
from workbench.store.reading import read_events

__all__ = ["first", "place"]


def sentences(event: dict[str, Any]) -> None:
    """Claims before they were typed; evidence did not say then who had printed it."""
    for holder in (event.get("verdict"), event.get("conclusion")):
        for claim in holder["claims"] if holder else ():
            cites = [one for arg in claim["args"] for one in arg.get("cites", ())]
            text = claim["text"]
            claim.clear()
            claim |= {"text": text, "citations": cites, "status": "held", "reason": ""}
    if "evidence" in event and isinstance(event["evidence"], dict):
        event["evidence"].pop("host", None)


def two_kinds_of_locks(event: dict[str, Any]) -> None:
    """A mutex and a critical section before they were one kind of fact."""
    for fact in event.get("facts", ())[:1]:
        cite = {"cite": fact["cite"]}
        event["facts"] += [
            {"fact": "lock-owner", "owner": 7, "contended": True} | cite,
            {"fact": "critical-section", "address": 16} | cite,
        ]


AS_THEN: dict[Callable[[dict[str, Any]], None], Callable[[dict[str, Any]], None]] = {
    earlier._without_sentences: sentences,
    earlier._one_lock: two_kinds_of_locks,
}


def test_each_step_has_its_session() -> None:
    assert set(AS_THEN) == set(earlier.STEPS)


@pytest.mark.parametrize("step", AS_THEN, ids=lambda step: step.__name__)
async def test_what_was_saved_then_is_read_and_taken_over(
    step: Callable[[dict[str, Any]], None], first: Path, place: Path, tmp_path: Path
) -> None:
    whole = await take_in(await export(first, tmp_path / "x.zip"), tmp_path / "then")
    with closing(sqlite3.connect(whole / "evidence.db")) as database:
        rows = database.execute("SELECT seq, body FROM events").fetchall()
        written = [(seq, json.loads(body)) for seq, body in rows]
        for _, event in written:
            AS_THEN[step](event)
        changed = [(json.dumps(event), seq) for seq, event in written]
        database.executemany("UPDATE events SET body = ? WHERE seq = ?", changed)
        database.commit()
    (whole / SEAL).unlink()
    before = (whole / "evidence.db").read_bytes()
    assert len(read_events(whole)) == len(rows)
    there = ("--sessions-dir", str(whole.parent))
    assert whole.name in workbench("sessions", *there, cwd=place)
    assert "sessions import" in workbench("report", whole.name, *there, cwd=place)
    mine, theirs = await report_of(first), await report_of(await take_in(whole, tmp_path / "now"))
    assert theirs.analysis.ai_analysis.root_cause == mine.analysis.ai_analysis.root_cause
    assert (whole / "evidence.db").read_bytes() == before  # the old rows are the backup
