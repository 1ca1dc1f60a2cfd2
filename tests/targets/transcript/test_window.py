"""Of a huge log what lies around its reports is read: no kind of report is passed over."""

from pathlib import Path

import pytest

from tests.logs.told_texts import TEXTS
from workbench.targets.transcript import TranscriptReader, window

LINE = b"2026-11-22 10:15:00,000 INFO [worker-1] till - drawer 3 took 17 ms\n"


@pytest.mark.parametrize("name", TEXTS)
def test_each_kind_of_report_has_a_word_that_is_looked_for(name: str) -> None:
    assert window.first_word(TEXTS[name].text.encode()) is not None


def test_ordinary_lines_have_none_of_them() -> None:
    assert window.first_word(LINE) is None


def test_a_report_in_a_log_that_is_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "WHOLE", (1 << 20) + (1 << 18))
    monkeypatch.setattr(window, "STEP", 1 << 14)
    report = TEXTS["Wine"].text
    path = tmp_path / "till.log"
    path.write_bytes(LINE * 20_000 + report.encode() + LINE * 20_000)
    reader = TranscriptReader(path)
    assert reader.skipped > 0
    assert [section.host for section in reader.sections()] == ["wine", "text"]
