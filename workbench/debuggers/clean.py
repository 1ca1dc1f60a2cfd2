"""What is stored of an output: its text without the terminal's escape sequences."""

import re

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
_BLOCK = 1 << 16


def clean(raw: bytes) -> str:
    """The stored text of raw output: no escape sequences, CR LF made LF, UTF-8 with U+FFFD."""
    if b"\x1b" in raw:
        raw = _ESCAPES.sub(b"", raw)
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    return raw.decode("utf-8", "replace")


class Cleaner:
    """`clean` for a stream that comes in pieces, in bounded memory: what comes out, joined, is the
    stored text of what went in, wherever it was cut."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """The stored text (UTF-8) of what is known to be whole by now."""
        if not self._held and data.isascii() and b"\x1b" not in data and b"\r" not in data:
            return data
        # In small blocks, because the regular expression holds the interpreter's lock.
        return b"".join(
            self._block(data[start : start + _BLOCK]) for start in range(0, len(data), _BLOCK)
        )

    def _block(self, data: bytes) -> bytes:
        block = self._held + data
        cut = _safe_cut(block)
        self._held = block[cut:]
        return clean(block[:cut]).encode()

    def flush(self) -> bytes:
        """The rest, when nothing more comes."""
        held, self._held = self._held, b""
        return clean(held).encode()


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
