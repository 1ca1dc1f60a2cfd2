"""What was compiled for one start is taken by the next, and is what `re` makes of it."""

import marshal
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from workbench.kept_patterns import KeptPatterns

WORDS = r"(?P<a>x+)|(y)(?P<last>[\w-]{2,3})"
MODULE = f"""
import re
MADE = re.compile("made" + str(6 * 7), re.I)
def written():
    return re.compile({WORDS!r}, re.MULTILINE)
def found(text):
    return re.search("at " + text, "at 0x1")
"""


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A start of the program: what keeps its patterns, its module, and what it compiled anew."""
    compiler: Any = import_module("re._compiler")
    own, anew = compiler.compile, list[str]()
    (tmp_path / "some_program.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def begun() -> tuple[KeptPatterns, Any, list[str]]:
        re.purge()
        sys.modules.pop("some_program", None)
        anew.clear()
        compiler.compile = lambda pattern, flags=0: anew.append(pattern) or own(pattern, flags)
        kept = KeptPatterns(str(tmp_path / "patterns"))
        module = import_module("some_program")
        module.written()
        module.found("[0]x1")
        return kept, module, [one for one in anew if one.startswith(("made", "at", "(?P<a>"))]

    yield begun
    compiler.compile = own
    re.purge()


def test_a_pattern_is_compiled_once_for_all_starts(start: Any) -> None:
    kept, _, anew = start()
    assert anew == ["made42", WORDS, "at [0]x1"]
    kept.keep()
    _, module, anew = start()
    assert anew == ["at [0]x1"]  # a word of the dump is compiled when it comes, and kept nowhere
    pattern = module.written()
    assert pattern.pattern == WORDS
    assert pattern.flags == re.MULTILINE | re.UNICODE
    assert pattern.groupindex == {"a": 1, "last": 3}
    match = pattern.search("_y4-")
    assert match.group(0, "a", 2, "last") == ("y4-", None, "y", "4-")
    assert match.lastgroup == "last"
    assert module.MADE.match("MADE42")


@pytest.mark.parametrize(
    "kept", [b"", b"\0", marshal.dumps(3), marshal.dumps((("3.0", 1, 4), {(WORDS, 8): (0, b"")}))]
)
def test_another_pythons_or_a_damaged_file_is_made_again(
    kept: bytes, start: Any, tmp_path: Path
) -> None:
    (tmp_path / "patterns").write_bytes(kept)
    first, _, anew = start()
    assert WORDS in anew
    first.keep()
    assert start()[2] == ["at [0]x1"]


def test_what_cannot_be_kept_leaves_nothing_behind(start: Any, tmp_path: Path) -> None:
    (tmp_path / "patterns").mkdir()
    start()[0].keep()
    assert not list(tmp_path.glob("patterns.*"))


def test_nothing_is_written_where_python_writes_no_bytecode(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    start()[0].keep()
    assert not (tmp_path / "patterns").exists()


def test_a_python_without_what_is_known_compiles_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("re._compiler._sre", None)
    monkeypatch.setattr("re._compiler.compile", own := import_module("re._compiler").compile)
    KeptPatterns("anywhere").keep()
    assert import_module("re._compiler").compile is own
