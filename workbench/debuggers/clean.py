"""What is stored of an output: its text without the terminal's escape sequences."""

import re
from pathlib import Path

# ECMA-48: CSI with parameters and intermediates, OSC and the other string sequences up to BEL or
# ST (bounded, so that a stray introducer in a dump's bytes does not swallow the rest), and the
# two- and three-byte escapes.
_ESCAPES = re.compile(
    rb"\x1b(?:"
    rb"\[[0-?]{0,64}[ -/]{0,8}[@-~]"
    rb"|[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)"
    rb"|[ -/]{1,4}[0-~]"
    rb"|[0-OQ-WYZ\\`-~]"
    rb")"
)
_LONGEST = 4200


def clean(raw: bytes) -> str:
    """The stored text of raw output: no escape sequences, CR LF made LF, UTF-8 with U+FFFD."""
    if b"\x1b" in raw:
        raw = _ESCAPES.sub(b"", raw)
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    return raw.decode("utf-8", "replace")


def clean_file(source: Path, target: Path, block_size: int = 1 << 16) -> int:
    """`clean` for a file of any size in bounded memory. Returns the bytes written.

    Blocks are small because the regular expression holds the interpreter's lock.
    """
    size = 0
    with source.open("rb") as read, target.open("wb") as write:
        held = b""
        while data := read.read(block_size):
            block = held + data
            cut = _safe_cut(block)
            held = block[cut:]
            size += write.write(clean(block[:cut]).encode())
        return size + write.write(clean(held).encode())


def _safe_cut(block: bytes) -> int:
    """Where a block may be cut: no escape sequence, CR LF or character crosses the place."""
    cut = block.rfind(b"\n") + 1
    if cut or len(block) <= _LONGEST:
        return cut
    cut = block.find(b"\x1b", len(block) - _LONGEST)
    if cut == -1:
        cut = len(block) - 4
        while block[cut] & 0xC0 == 0x80 and cut > len(block) - 8:
            cut -= 1
    return cut - 1 if cut and block[cut - 1] == 0x0D else cut
