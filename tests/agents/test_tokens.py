"""What a text names, and whether it stands in the lines: how unseen names are marked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.agents.tokens import extract, stands_in
from workbench.claims.tokens import unaccented

LINES = "\n".join([
    "#0  0x0000000000401196 in conn_drop (c=0x4052a0) at src/ring.c:42",
    'Line 77 of "pool.c" starts at address 0x401230 <worker+22>.',
    "00400000-00401000 r-xp 16 bytes, offset -0x10",
    "=> 0x401196:\tmov    0x10(%rax),%rdx",
    "ns::Pool::take (this=0x0) glibc 2.36",
    "free(): double free detected in tcache 2",
    "[Current thread is 3 (LWP 4711)] 7ffff7dd1b20",
])  # fmt: skip


def unseen(text: str, lines: str = LINES) -> list[str]:
    return [token.text for token in extract(text) if not stands_in(token, lines)]


@pytest.mark.parametrize(
    "text",
    [
        "`conn_drop` at ring.c:42 got 0x4052a0.",
        "pc was 4198806, that is 0x401196, or 0x00401196",
        "the mapping begins at 0x400000 and it is 0x10 bytes long",
        "`mov 0x10(%rax),%rdx` reads through %rax",
        "conn_drop() and ns::Pool::take failed, Pool::take() too",
        '"double free detected" was the message',
        "pool.c:77 is where `worker` is",
        "thread 4711 and handle 0x7ffff7dd1b20",
        "the offset was -16 and glibc 2.36 was used",
        "don't trust the thread's own word",
        "two of them were there, the rest were not",
        "",
    ],
)
def test_what_is_there_is_not_marked(text: str) -> None:
    assert unseen(text) == []


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("the value was 0x100", "0x100"),
        ("pc was 0x401197", "0x401197"),
        ("`conn_dro` ran", "conn_dro"),
        ("conn_dropped ran", "conn_dropped"),
        ("ring.c:4 is where it was", "ring.c:4"),
        ("pool.c:42 is where it was", "pool.c:42"),
        ('it said "double free"d "corruption"', "corruption"),
        ("SIGSEGV ended it", "SIGSEGV"),
        ("version 2.3 of it", "2.3"),
        ("-42 was there", "-42"),
        ("thread 12 was there", "12"),
        ("r8 was bad", "r8"),
        ("1,234 bytes", "1,234"),
    ],
)
def test_what_is_not_there_is_marked(text: str, token: str) -> None:
    assert unseen(text) == [token]


@pytest.mark.parametrize(("text", "line"), [("0x10 of them", "10 of them"),
                                            ("0x4012 of them", "4012 of them")])  # fmt: skip
def test_bare_digits_are_not_hexadecimal(text: str, line: str) -> None:
    assert unseen(text, line) == [text.split()[0]]


@given(st.text(max_size=300))
def test_no_text_makes_it_raise(text: str) -> None:
    assert isinstance(unseen(text, unaccented(text)), list)
