"""Where one output waits: raw in memory while small; cleaned, counted and hashed in a file when
not, so that nobody has to read it again."""

import contextlib
import hashlib
import os
import re
import shutil
from pathlib import Path

IN_MEMORY = 256 * 1024
# What an output leaves of a disk: the journal has to say that it was cut.
_RESERVE = 32 << 20


class Spool:
    """The output of one command. Written by the reader thread only, until it is sealed.

    ``size`` counts the bytes that came, ``last`` is the newest chunk, ``trouble`` says why the
    output was cut (empty if it was not). ``in_file`` tells that the stored text is in the file
    ``path``; then ``written`` is its size in bytes and ``lines`` its lines.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.size = 0
        self.trouble = ""
        self.last = b""
        self.in_file = False
        self.written = 0
        self._line_ends = 0
        self._unfinished = False
        self._limit = limit
        self._memory = bytearray()
        self._fd = -1
        self._cleaner = Cleaner()
        self._digest = hashlib.sha256()

    @property
    def lines(self) -> int:
        """The lines in the file; one without an end counts."""
        return self._line_ends + self._unfinished

    @property
    def sha256(self) -> str:
        """The file's sha256 in hex."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> None:
        """Add bytes. Past the limit or on a full disk they are dropped: they still have to be
        read off the terminal, or the program would block."""
        if self.trouble:
            return
        self.size += len(data)
        self.last = data
        self._memory += data
        if len(self._memory) > IN_MEMORY:
            self._spill()

    def restart(self) -> None:
        """Forget what came so far, while it is small."""
        if not self.in_file:
            self._memory.clear()
            self.size, self.last = 0, b""

    def memory(self) -> bytes:
        """The bytes of a small output."""
        return bytes(self._memory)

    def seal(self) -> None:
        """No more writes; what is left goes to the file if there is one, which is closed."""
        if self._fd < 0:
            return
        if not self.trouble:
            self._spill()
            self._append(self._cleaner.flush())
        os.close(self._fd)
        self._fd = -1

    def _spill(self) -> None:
        if not self.in_file and not self._open():
            return
        data = bytes(self._memory)
        self._memory.clear()
        over = self.size - self._limit
        self._append(self._cleaner.feed(data[: len(data) - over] if over > 0 else data))
        if over > 0 and not self.trouble:
            self._append(self._cleaner.flush())
            self.trouble = f"output cut at {self._limit} bytes"

    def _open(self) -> bool:
        try:
            self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:  # what is in memory is kept
            self.trouble = f"output cut at {self.size} bytes: {error.strerror}: {self.path.parent}"
            return False
        self.in_file = True
        return True

    def _append(self, text: bytes) -> None:
        try:
            if _is_full(self.path.parent):
                self._cut("the disk is almost full")
                return
            while text:
                text = text[self._kept(text, os.write(self._fd, text)) :]
        except OSError as error:
            self._cut(error.strerror or "the disk failed")

    def _kept(self, text: bytes, count: int) -> int:
        """Take note of ``count`` written bytes; how many of them stay, none of a character in
        part."""
        if count < len(text):
            whole = count
            while whole and text[whole] & 0xC0 == 0x80:
                whole -= 1
            os.lseek(self._fd, self.written + whole, os.SEEK_SET)
            if not whole:
                return 0
            text, count = text[:whole], whole
        self._digest.update(text)
        self._line_ends += text.count(b"\n")
        self._unfinished = not text.endswith(b"\n")
        self.written += count
        return count

    def _cut(self, why: str) -> None:
        self.trouble = f"output cut at {self.written} bytes: {why}: {self.path.parent}"
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, self.written)


def _is_full(folder: Path) -> bool:
    room = shutil.disk_usage(folder)
    return room.free < min(_RESERVE, room.total // 8)


# What is stored of an output: its text without the terminal's escape sequences.
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
