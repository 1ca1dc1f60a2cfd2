"""Marks that a debugger echoes: found however the stream is cut, forged by no output."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from workbench.debuggers.cdb.debugger import EchoScanner, mark_line, mark_text
from workbench.debuggers.marks import Kind, Mark

NONCE = "00112233445566778899aabbccddeeff"
MARK = mark_text(Kind.PROMPT, NONCE)


def split(scanner: EchoScanner, chunks: list[bytes]) -> tuple[bytes, list[Mark]]:
    """All text and all marks of a stream that came in chunks."""
    parts = [part for chunk in chunks for part in scanner.feed(chunk)]
    text = b"".join(part for part in parts if isinstance(part, bytes)) + scanner.flush()
    return text, [part for part in parts if isinstance(part, Mark)]


@given(st.lists(st.integers(0, 400), max_size=12))
def test_a_mark_is_found_wherever_the_stream_is_cut(cuts: list[int]) -> None:
    echo = mark_line(Kind.PROMPT, NONCE).rstrip()
    stream = (
        b"out 1\n0:000> " + MARK + b"\n0:000> "
        b"out 2\r\n0:012:x86> " + echo + b"\r\n" + MARK + b"\r\n1: kd> "
        b"no end0:000> " + mark_text(Kind.ECHO, NONCE, "ab12") + b"\n0:000> "
        b"0:000> k\n"
    )
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    chunks = [stream[a:b] for a, b in pairwise(places)]
    text, marks = split(EchoScanner(NONCE), chunks)
    assert marks == [Mark(Kind.PROMPT), Mark(Kind.PROMPT), Mark(Kind.ECHO, "ab12")]
    assert text == b"out 1\nout 2\r\nno end0:000> k\n"


@given(st.binary(max_size=300), st.integers(0, 300))
def test_bytes_without_the_nonce_pass_as_they_are(data: bytes, cut: int) -> None:
    text, marks = split(EchoScanner(NONCE), [data[:cut], data[cut:]])
    assert text == data
    assert marks == []


def test_a_mark_of_another_session_is_text() -> None:
    other = mark_text(Kind.PROMPT, "f" * 32)
    text, marks = split(EchoScanner(NONCE), [b"0:000> " + other + b"\n0:000> "])
    assert marks == []
    assert other in text


@given(st.lists(st.integers(0, 70), max_size=4))
def test_an_echo_without_a_prompt_is_text_wherever_the_stream_is_cut(cuts: list[int]) -> None:
    stream = mark_line(Kind.PROMPT, NONCE).rstrip() + b"\r\n42k4 "
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    text, marks = split(EchoScanner(NONCE), [stream[a:b] for a, b in pairwise(places)])
    assert (text, marks) == (stream, [])
