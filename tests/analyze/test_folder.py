"""Which files of a folder are read, and how they become sections."""

import os
from pathlib import Path

import pytest

from tests.chat.conftest import GDB_LOG
from workbench.model.target import TargetKind
from workbench.targets.documents import DocumentsReader, recognise
from workbench.targets.documents.folder import MOST_FILES, MOST_NAMED, find
from workbench.targets.documents.reader import TIMES
from workbench.targets.errors import ProbeError, TargetError


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_texts_are_read_in_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path, b_DOT_log="b", A_DOT_TXT="a", c_DOT_md="c", sub__d_DOT_log="d", e_DOT_bin="e")
    write(
        tmp_path, _DOT_hidden_DOT_txt="h", analysis_result_DOT_md="old", Analysis_Result_DOT_md="o"
    )
    assert find(tmp_path).names == ("A.TXT", "b.log", "c.md", "sub/d.log")


def test_a_link_is_followed_inside_the_folder_only(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder, real_DOT_log="inside", analysis_result_DOT_md="result")
    write(tmp_path, secret_DOT_txt="outside", elsewhere__more_DOT_txt="outside")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked.txt").symlink_to("real.log")
    (folder / "result.txt").symlink_to("analysis_result.md")
    (folder / "nowhere.txt").symlink_to("nothing")
    (folder / "self.txt").symlink_to("self.txt")
    (folder / "folder").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(folder / "pipe.log")
    found = find(folder)
    assert found.names == ("linked.txt", "real.log")
    assert sorted(found.left_out) == [
        "folder: a link to a folder, which is not followed",
        "nowhere.txt: a link that leads out of the folder",
        "out.txt: a link that leads out of the folder",
        "pipe.log: no regular file",
        "result.txt: a link that leads out of the folder",
        "self.txt: a link that leads out of the folder",
    ]
    text = " ".join(s.text for s in DocumentsReader(folder).sections())
    assert "outside" not in text
    assert "result" not in text


def test_each_input_that_is_not_read_is_named_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path, a_DOT_log="x", b_DOT_csv="x", c="x", d__e__f__g__h__i_DOT_log="x")
    write(tmp_path, analysis_result_DOT_md="mine", analysis_result_DOT_md_DOT_bak="mine")
    assert find(tmp_path).left_out == (
        "d/e/f/g/h/: it lies deeper than 4 folders",
        "b.csv: only .log, .md, .txt are read",
        "c: only .log, .md, .txt are read",
    )
    write(tmp_path, **{f"f{number:04}_DOT_dat": "x" for number in range(MOST_NAMED)})
    assert find(tmp_path).left_out[1:] == (
        f"{MOST_NAMED + 2} files of other kinds ({MOST_NAMED} of .dat, 1 of .csv, 1 of no ending): "
        "only .log, .md, .txt are read",
    )


def test_a_name_that_is_no_utf8_is_named_and_not_read(tmp_path: Path) -> None:
    write(tmp_path, a_DOT_log="x")
    for name in (b"gr\xfc\xdfe.log", b"gr\xfc\xdfe.csv"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x", encoding="utf-8")
    found = find(tmp_path)
    assert found.names == ("a.log",)
    assert found.left_out == (
        r"gr\xfc\xdfe.log: its name is not UTF-8; rename it",
        r"gr\xfc\xdfe.csv: only .log, .md, .txt are read",
    )
    (tmp_path / "a.log").unlink()
    with pytest.raises(TargetError, match=r"no text to read \(gr.*: its name is not UTF-8"):
        DocumentsReader(tmp_path)


def test_times_that_a_collector_wrote_are_kept_beside_a_report(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_DOT_log="2026-01-02T03:04:05.006Z begin\n"
        '2026-01-02T03:04:07.006Z Exception in thread "main" java.lang.Error: no till\n'
        "2026-01-02T03:04:07.007Z \tat shop.Till.open(Till.java:8)\n"
        "2026-01-02T03:04:09.006Z end\n",
    )
    sections = DocumentsReader(tmp_path).sections()
    (times,) = [one for one in sections if one.command.startswith(TIMES)]
    assert times.text == "".join(
        f"line {number}: 2026-01-02T03:04:0{second}Z\n"
        for number, second in ((2, "7.006"), (3, "7.007"), (4, "9.006"))
    )
    assert "sections: 2, 1 of text, 1 of java" in DocumentsReader(tmp_path).answer("@health")


def test_too_many_files_are_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path, **{f"f{number:04}_DOT_txt": "x" for number in range(MOST_FILES + 5)})
    found = find(tmp_path)
    assert len(found.names) == MOST_FILES
    assert "5 of" in found.left_out[0]
    assert "not read" in DocumentsReader(tmp_path).answer("@health")


def test_a_log_is_split_and_the_text_around_it_kept(tmp_path: Path) -> None:
    write(
        tmp_path,
        n_DOT_md="# What I saw\nIt fell over.\n\n" + GDB_LOG.replace("(gdb) core-file core\n", ""),
    )
    sections = DocumentsReader(tmp_path).sections()
    assert [s.command for s in sections if s.host == "gdb"][-3:] == [
        "bt",
        "info registers",
        "x/i $pc",
    ]
    assert all(section.file == "n.md" for section in sections)
    whole = (tmp_path / "n.md").read_text().split("\n")
    for section in sections:
        first = section.text.split("\n")[0]
        assert first in whole[section.first_line - 1]
    kept = "".join(section.text for section in sections)
    assert "It fell over." in kept
    assert "close_drawer" in kept


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "core.txt").write_bytes(bytes(range(256)) * 64)
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "wide.log").write_bytes("caf\u00e9 failed\n".encode("utf-16"))
    reader = DocumentsReader(tmp_path)
    assert [s.text for s in reader.sections()] == ["caf\u00e9 failed\n"]
    assert "core.txt: it is no text" in reader.answer("@health")


def test_a_file_of_another_kind_that_comes_later_is_told(tmp_path: Path) -> None:
    write(tmp_path, a_DOT_txt="one")
    (tmp_path / "b.txt").write_bytes(bytes(range(256)) * 64)
    reader = DocumentsReader(tmp_path)
    before = reader.sections()
    write(tmp_path, late_DOT_csv="x")
    assert reader.sections() is before, "no text is read for it"
    health = reader.answer("@health")
    assert "not read: late.csv: only " in health
    assert "not read: b.txt: it is no text" in health
    (tmp_path / "late.csv").unlink()
    reader.sections()
    assert "late.csv" not in reader.answer("@health")


def test_a_folder_is_read_again_when_it_changes(tmp_path: Path) -> None:
    write(tmp_path, a_DOT_txt="one")
    reader = DocumentsReader(tmp_path)
    assert reader.sections() is reader.sections()
    write(tmp_path, b_DOT_txt="two")
    assert [section.text for section in reader.sections()] == ["one\n", "two\n"]
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).unlink()
    tmp_path.rmdir()
    assert [section.text for section in reader.sections()] == ["one\n", "two\n"]


def test_what_a_folder_says_of_itself(tmp_path: Path) -> None:
    write(tmp_path, a_DOT_txt=GDB_LOG)
    target = recognise(tmp_path / "." / ".." / tmp_path.name)
    assert (target.kind, target.path, target.dialect) == (
        TargetKind.DOCUMENTS, str(tmp_path), "gdb",
    )  # fmt: skip
    reader = DocumentsReader(tmp_path)
    with pytest.raises(ProbeError):
        reader.answer("@heap 0x10")


@pytest.mark.parametrize("name", ["missing", "empty", "file.txt"])
def test_what_cannot_be_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(TargetError) as raised:
        recognise(tmp_path / name)
    assert "\n" not in str(raised.value)
