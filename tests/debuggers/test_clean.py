"""Stored text: no escape sequences, line ends LF, valid UTF-8, the same in any block size."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.soak import examples
from workbench.debuggers.spool import Cleaner, clean


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain\n", "plain\n"),
        (b"\x1b[34;49mf\x1b[m (x)\r\n", "f (x)\n"),
        (b"\x1b]8;;file:///x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1b]0;title\x07text", "text"),
        (b"\x1b(Btext\x1b=\x1b>", "text"),
        (b"\x1b[?2004htext\x1b[>4m", "text"),
        (b"bad \xff\xfe\n", "bad \ufffd\ufffd\n"),
        ("ok \u00e9\n".encode(), "ok \u00e9\n"),
        (b"lone \r stays\n", "lone \r stays\n"),
        (b"\x1b]stray introducer\nnext line", "\x1b]stray introducer\nnext line"),
    ],
)
def test_clean(raw: bytes, text: str) -> None:
    assert clean(raw) == text


_pieces = st.one_of(
    st.binary(max_size=20),
    st.sampled_from(
        [
            b"\x1b[31m",
            b"\x1b]0;t\x07",
            b"\r\n",
            b"\r",
            "\u00e9\u20ac\U0001f41b".encode(),
            b"a" * 3000,
        ]
    ),
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(_pieces, max_size=20), st.integers(1, 100_000))
def test_a_stream_is_cleaned_as_its_bytes_are(pieces: list[bytes], block: int) -> None:
    raw = b"".join(pieces)
    cleaner = Cleaner()
    text = b"".join(cleaner.feed(raw[at : at + block]) for at in range(0, len(raw), block))
    assert (text + cleaner.flush()).decode() == clean(raw)
