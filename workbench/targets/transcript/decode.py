"""A log's bytes as lines of plain text."""

import re

BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SAMPLE = 64 * 1024
_MOST_JUNK = 0.05
LONGEST_LINE = 32_768
"""Characters; the rest of a longer line is left out."""
LONGEST_RECORD = 1 << 20
"""The same of a line that may be a record: a report, or lines in a format of a collector's."""

# ECMA-48: CSI sequences, OSC strings, and the two-character escapes.
_ESCAPES = re.compile(
    r"\x1b(?:_[^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)|"  # an application's own: Buildkite's times
    r"\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|[@-Z\\^_=>78()])"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def encoding_of(head: bytes) -> str:
    """The encoding that a file's first bytes speak for: by its mark, else UTF-16 where every
    second byte is zero, else UTF-8 where they are valid, else Latin-1."""
    for mark, name in BOMS:
        if head.startswith(mark):
            return name
    sample = head[:_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if (
        len(sample) >= 8
        and max(even, odd) > len(sample) // 4
        and min(even, odd) < len(sample) // 16
    ):
        return "utf-16-le" if odd > even else "utf-16-be"
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character that the sample's end cuts is no fault of the encoding.
        if error.start < len(sample) - 4:
            return "latin-1"
    return "utf-8"


def is_text(head: bytes, encoding: str) -> bool:
    """False for what no program prints: too many control characters among the first bytes."""
    text = _ESCAPES.sub("", head[:_SAMPLE].decode(encoding, "replace"))
    if not text:
        return False
    junk = sum(1 for _ in _CONTROL.finditer(text)) + text.count("\ufffd")
    c1 = sum("\x80" <= char <= "\x9f" for char in text) if encoding == "latin-1" else 0
    return junk + c1 <= max(2, _MOST_JUNK * len(text))


def lines_of(data: bytes, encoding: str) -> list[str]:
    """Lines without line ends, escape sequences and NULs. A line that was drawn over (a lone CR)
    keeps what was drawn last; where nothing else ends lines a CR does."""
    if data.startswith(b"__CURSOR="):
        data = _without_sizes(data)
    text = data.decode(encoding, "replace").lstrip("\ufeff")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    text = text.replace("\r\n", "\n").replace("\x00", "")
    if "\r" in text and "\n" not in text.rstrip("\n"):
        text = text.replace("\r", "\n")
    found = text.split("\n")
    if found and not found[-1]:
        found.pop()
    return [_drawn(line)[:LONGEST_RECORD] for line in found]


def _without_sizes(data: bytes) -> bytes:
    """journald's export format, where a field of several lines stands as its name, its size (eight
    bytes, little endian) and its bytes, as a field of one line does."""
    found = []
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[at:end]
        if not line or b"=" in line or end + 9 > len(data):
            found.append(line + b"\n")
            at = end + 1
            continue
        size = int.from_bytes(data[end + 1 : end + 9], "little")
        found.append(line + b"=\n" + data[end + 9 : end + 9 + size] + b"\n")
        at = end + 9 + size + 1
    return b"".join(found)


def _drawn(line: str) -> str:
    if "\r" not in line:
        return line
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""
