"""Stream filter, terminal and line editor without a screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tui.console.editor import LineEditor
from workbench.tui.console.stream import StreamFilter
from workbench.tui.console.terminal import SCROLLBACK, Terminal


def filtered(data: bytes) -> str:
    return StreamFilter().feed(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\x1b[31mb\x1b[0m", "a\x1b[31mb\x1b[0m"),
        (b"\x1b]0;title\x07x", "x"),
        (b"\x1b]8;;http://e\x1b\\x\x1b]8;;\x1b\\", "x"),
        (b"\x1bPq#0;2\x1b\\x", "x"),
        (b"\x1b[>4;2mx\x1b[?1;2rx\x1b[?1049hx\x1b[6nx", "xxxx"),
        (b"\x1b[38:2::1:2:3mx", "\x1b[38;2;1;2;3mx"),
        (b"\x1b[4:3mx", "\x1b[4mx"),
        (b"a\x01\x02b\x00", "a\u2401\u2402b\u2400"),
        ("\u202ex\ufe0f\u200b".encode(), "<202e>x<fe0f><200b>"),
        (b"one\ntwo\r\n", "one\r\ntwo\r\n"),
        (b"\x1bcx\x1b(0y", "xy"),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_filter(data: bytes, text: str) -> None:
    assert filtered(data) == text


@pytest.mark.parametrize("cut", range(1, 24))
def test_filter_waits_for_the_rest(cut: int) -> None:
    data = b"a\x1b[38;5;12mb\x1b]0;t\x1b\\c\xe2\x96\xb8d"
    stream = StreamFilter()
    assert stream.feed(data[:cut]) + stream.feed(data[cut:]) == "a\x1b[38;5;12mbc\u25b8d"


def test_filter_gives_an_endless_sequence_up() -> None:
    stream = StreamFilter()
    for _ in range(100):
        stream.feed(b"\x1b]" + b"x" * 100)
    assert len(stream.feed(b"\x07after")) < 10_000


@given(st.lists(st.binary(max_size=60), max_size=8), st.integers(1, 40), st.integers(1, 12))
def test_terminal_never_raises(chunks: list[bytes], columns: int, lines: int) -> None:
    terminal = Terminal(columns, lines)
    for chunk in chunks:
        terminal.feed(chunk)
        terminal.resize(lines + 3, columns)
        terminal.text()


@given(
    st.lists(
        st.sampled_from(
            [
                b"\x1b[",
                b"99999",
                b";",
                b"m",
                b"L",
                b"M",
                b"@",
                b"P",
                b"X",
                b"r",
                b"H",
                b"J",
                b"K",
                b"?",
                b">",
                b":",
                b"\x1b",
                b"\n",
                b"x",
                b"\r",
                b"\x9b",
                b"]",
                b"\x07",
            ]
        ),
        max_size=60,
    )
)
def test_terminal_survives_sequences(parts: list[bytes]) -> None:
    terminal = Terminal(20, 5)
    terminal.feed(b"".join(parts))
    terminal.feed(b"\x1b\\\x1b[0m\r\nalive\r\n")
    assert "alive" in terminal.text()


def test_terminal_keeps_scrollback_and_draws_again_at_another_width() -> None:
    terminal = Terminal(10, 3)
    terminal.feed(b"0123456789abc\r\n" + b"x\r\n" * 4)
    assert terminal.past > 0
    assert terminal.text().splitlines()[:2] == ["0123456789", "abc"]
    terminal.resize(20, 3)
    assert terminal.text().splitlines()[0] == "0123456789abc"


def test_wide_characters_keep_their_columns() -> None:
    terminal = Terminal(10, 2)
    terminal.feed("日本x".encode())
    assert [segment.text for segment in terminal.line(0)] == ["日本x"]


def test_terminal_keeps_old_lines_when_only_the_newest_are_drawn_again() -> None:
    terminal = Terminal(80, 10)
    for number in range(4500):
        terminal.feed(b"line %d\r\nsecond" % number)
        terminal.feed(b" half %d\r\n" % number if number % 7 else b"\r\n")
    before = terminal.text().splitlines()
    assert len(before) == SCROLLBACK + 9
    for size in ((40, 12), (100, 8), (80, 10)):
        terminal.resize(*size)
        after = terminal.text().splitlines()
        assert after == before[len(before) - len(after) :]
        assert len(after) >= SCROLLBACK


def test_editor_history_keeps_the_draft() -> None:
    editor = LineEditor()
    for line in ("one", "two", "two", " "):
        editor.insert(line)
        editor.submit()
    editor.insert("draft")
    editor.older()
    assert editor.text == "two"
    editor.older()
    editor.older()
    assert editor.text == "one"
    editor.newer()
    editor.newer()
    assert editor.text == "draft"


def test_what_is_typed_takes_the_place_of_an_offered_line() -> None:
    editor = LineEditor()
    editor.offer("quit")
    editor.insert("b")
    editor.insert("t")
    assert (editor.text, editor.cursor) == ("bt", 2)
    editor.offer("quit")
    editor.move(-1)  # it is gone on with
    editor.insert("x")
    assert editor.text == "quixt"


def test_completion_keeps_what_follows_the_cursor() -> None:
    editor = LineEditor()
    editor.insert("info l thread")
    editor.cursor = 6
    assert editor.take_completions(["info line", "info locals"]) == ["info line", "info locals"]
    assert editor.take_completions(["info locals"]) == []
    assert editor.text == "info locals thread"


STEPS = [
    "backspace",
    "delete",
    "home",
    "end",
    "kill_to_end",
    "kill_to_start",
    "kill_word",
    "yank",
    "older",
    "newer",
    "submit",
    "clear",
]


@given(st.lists(st.sampled_from(STEPS) | st.text(max_size=5), max_size=40))
def test_editor_stays_on_one_line(steps: list[str]) -> None:
    editor = LineEditor()
    for step in steps:
        if step in STEPS:
            getattr(editor, step)()
        else:
            editor.insert(step)
        assert 0 <= editor.cursor <= len(editor.text)
        assert all(line.isprintable() for line in editor.text.split("\n"))
