"""Reads a tar archive that somebody else may have made: regular files with plain or long names.

Headers are those of ustar with GNU's long names (tar(5), the GNU tar manual's "Basic Tar Format").
Every other kind of member is refused, and so are headers that would have to be held in memory.
"""

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

BLOCK = 512
LONGEST_NAME = 4096
_PIECE = 1 << 20


class TarError(ValueError):
    """No tar archive, a damaged one, or one with members of a kind that we never write."""


class Stream(Protocol):
    """What is read from its beginning to its end."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes, none at the end."""


class Member(Struct, frozen=True):
    """A regular file: its name and size in bytes."""

    name: str
    size: int


class TarReader:
    """Goes through an archive once; the content of a member is read before the next one."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._left = 0  # of the member at hand, its padding included

    def next(self) -> Member | None:
        """The next member, None at the end. Raises `TarError`."""
        self._skip(self._left)
        kind, member = self._header()
        if kind == b"L" and member is not None:
            if member.size > LONGEST_NAME:
                raise TarError("a name in it is too long")
            raw = self._exactly(-(-member.size // BLOCK) * BLOCK)[: member.size]
            kind, following = self._header()
            if following is None or kind == b"L":
                raise TarError("a name in it belongs to no member")
            member = Member(raw.rstrip(b"\0").decode("utf-8", "surrogateescape"), following.size)
        if member is None:
            return None
        if kind not in (b"0", b"\0"):
            raise TarError(f"it holds {ascii(member.name)[:200]}, which is no regular file")
        self._left = -(-member.size // BLOCK) * BLOCK
        return member

    def content(self, member: Member) -> Iterator[bytes]:
        """The bytes of the member that `next` gave last. Raises `TarError` where they end early."""
        left = member.size
        while left:
            piece = self._exactly(min(_PIECE, left))
            left -= len(piece)
            self._left -= len(piece)
            yield piece

    def _header(self) -> tuple[bytes, Member | None]:
        raw = self._exactly(BLOCK)
        if raw == bytes(BLOCK):
            return b"", None
        if _number(raw[148:156]) != sum(raw[:148]) + 8 * 32 + sum(raw[156:]):
            raise TarError("it is no archive, or a header in it is damaged")
        name = raw[:100].split(b"\0", 1)[0]
        if raw[257:263] == b"ustar\0" and raw[345]:
            name = raw[345:500].split(b"\0", 1)[0] + b"/" + name
        size = _number(raw[124:136])
        if size < 0:
            raise TarError("a size in it is negative")
        return raw[156:157], Member(name.decode("utf-8", "surrogateescape"), size)

    def _exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = self._stream.read(size)
            if not part:
                raise TarError("it ends too early")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _skip(self, size: int) -> None:
        while size:
            size -= len(self._exactly(min(_PIECE, size)))
        self._left = 0


def _number(field: bytes) -> int:
    """Octal digits, or GNU's base 256 for what they have no room for."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    text = field.strip(b" \0")
    return -1 if not all(48 <= digit <= 55 for digit in text) else int(text or b"0", 8)
