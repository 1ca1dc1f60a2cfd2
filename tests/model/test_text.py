import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from workbench.model.text import counted, json_text, printable

HOSTILE = "a\x1b[2J\x00\x9b31m\u202ebidi\u200b\u00ad\ufe0f\u3164\U000e0041\udc80\x7f\r"


def test_nothing_unseen_is_left() -> None:
    shown = printable(HOSTILE)
    assert shown.startswith("a\\x1b[2J\\x00\\x9b31m\\u202ebidi\\u200b\\xad")
    assert "\\x80" in shown
    assert shown.isprintable()
    assert printable("tab\tline\n") == "tab\\tline\\n"
    assert printable("tab\tline\n", keep="\t\n") == "tab\tline\n"
    assert printable("plain ✓ é 漢") == "plain ✓ é 漢"


@given(st.text())
def test_any_text_is_safe_to_send(text: str) -> None:
    shown = printable(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escaped_json_says_the_same(text: str) -> None:
    escaped = json_text({"x": text})
    assert json.loads(escaped) == {"x": text}
    assert "\x9b" not in escaped
    assert "\u202e" not in escaped


def test_every_control_and_format_character_is_known() -> None:
    import sys

    unseen = ("Cc", "Cf", "Cs", "Zl", "Zp")
    left = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in unseen and printable(chr(code)) == chr(code)
    ]
    assert left == []


def test_a_count_of_one_is_no_plural() -> None:
    words = ("line", "address", "hypothesis", "retry", "property", "delay", "thread")
    one = [counted(1, word) for word in words]
    assert one == [f"1 {word}" for word in words]
    assert [counted(2, word).split()[1] for word in words] == [
        "lines", "addresses", "hypotheses", "retries", "properties", "delays", "threads",
    ]  # fmt: skip
    assert counted(2000, "line") == "2,000 lines"
