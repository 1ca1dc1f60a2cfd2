"""The prompt parser: however the stream is cut, the same text and marks come out."""

import itertools
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.soak import examples
from workbench.debuggers.marks import Kind, Mark, MarkScanner, mark, mark_escaped

NONCE = "0123456789abcdef" * 2
OTHER = "f" * 32

_pieces = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [
            mark(Kind.PROMPT, NONCE),
            mark(Kind.OPENING, NONCE),
            mark(Kind.ECHO, NONCE, "00ff"),
            mark(Kind.PROMPT, OTHER),
            mark(Kind.PROMPT, NONCE)[:-1],
            mark(Kind.PROMPT, NONCE)[:9],
            b"\x1b]133;",
            b"\x1b]133;A;",
            b"\x1b",
            b"\x1b\x1b]",
            b"\x07",
            b"(gdb) ",
            b"\n",
        ]
    ),
)


def _joined(parts: list[bytes | Mark]) -> list[bytes | Mark]:
    joined: list[bytes | Mark] = []
    for part in parts:
        if isinstance(part, bytes) and joined and isinstance(joined[-1], bytes):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _scan(chunks: list[bytes]) -> list[bytes | Mark]:
    scanner = MarkScanner(NONCE)
    parts = [part for chunk in chunks for part in scanner.feed(chunk)]
    rest = scanner.flush()
    return _joined([*parts, rest] if rest else parts)


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(_pieces, max_size=8), st.lists(st.integers(0, 200), max_size=8))
def test_cutting_changes_nothing(pieces: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pieces)
    places = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    chunks = [stream[a:b] for a, b in itertools.pairwise(places)]
    whole = _scan([stream])
    assert _scan(chunks) == whole
    assert _scan([stream[i : i + 1] for i in range(len(stream))]) == whole
    genuine = re.compile(rb"\x1b\]133;[ACD];" + NONCE.encode() + rb";[0-9a-f]{0,16}\x07")
    text = b"".join(part for part in whole if isinstance(part, bytes))
    assert text == genuine.sub(b"", stream)
    assert sum(isinstance(part, Mark) for part in whole) == len(genuine.findall(stream))


def test_only_the_nonce_makes_a_mark() -> None:
    fake = mark(Kind.PROMPT, OTHER)
    assert _scan([fake]) == [fake]
    assert _scan([mark(Kind.ECHO, NONCE, "ab")]) == [Mark(Kind.ECHO, "ab")]


def test_text_is_never_held_back_for_long() -> None:
    scanner = MarkScanner(NONCE)
    assert scanner.feed(b"text\x1b[31m") == [b"text\x1b[31m"]
    assert scanner.feed(b"\x1b]133;" + b"x" * 200) == [b"\x1b]133;" + b"x" * 200]


def test_escaped_form_is_the_same_mark() -> None:
    escaped = mark_escaped(Kind.ECHO, NONCE, "1f")
    assert escaped.encode().decode("unicode_escape").encode() == mark(Kind.ECHO, NONCE, "1f")
