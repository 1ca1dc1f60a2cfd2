"""What else a minidump says: process times, who asked for it, assertions, Crashpad's annotations,
and the text streams that Breakpad copies from /proc."""

import re
from collections.abc import Iterator
from struct import calcsize

from msgspec import Struct

from workbench.targets.minidump.streams import (
    ASSERTION,
    BREAKPAD,
    COMMENT_A,
    COMMENT_W,
    CRASHPAD,
    LINUX_AUXV,
    LINUX_CMDLINE,
    LINUX_LSB,
    LINUX_STATUS,
    MISC,
    Raw,
    Streams,
)
from workbench.targets.plain import one_line

_MAX_ENTRIES = 4096
_MAX_TEXT = 1 << 16
_ASSERTIONS = {1: "invalid parameter", 2: "pure virtual call"}


class Asked(Struct, frozen=True):
    """MDRawBreakpadInfo: the thread that wrote the dump, and the one that asked for it."""

    writer: int | None = None
    requester: int | None = None


class Assertion(Struct, frozen=True):
    """MDRawAssertionInfo: what Breakpad's handlers for the C runtime were told."""

    kind: str
    expression: str
    function: str
    file: str
    line: int


class Annotation(Struct, frozen=True):
    """One key and value of Crashpad; ``module`` is the module that set it, None for the process."""

    module: int | None
    key: str
    value: str


class Misc(Struct, frozen=True):
    """MINIDUMP_MISC_INFO: times are seconds since 1970 or of processor time."""

    pid: int | None = None
    created: int | None = None
    user: int | None = None
    kernel: int | None = None
    build: str | None = None


def read_misc(streams: Streams) -> Misc:
    """Process id and times."""
    stream = streams.find(MISC)
    head = streams.raw.unpack("IIIIII", stream.position) if stream is not None else None
    if stream is None or head is None:
        return Misc()
    _, flags, pid, created, user, kernel = head
    build = None
    if flags & 0x100 and stream.size >= 232 + 520:
        build = streams.raw.decode16(streams.raw.read(stream.position + 232, 520)) or None
    times = bool(flags & 2)
    return Misc(
        pid=pid if flags & 1 else None,
        created=created if times else None,
        user=user if times else None,
        kernel=kernel if times else None,
        build=one_line(build, 200) if build else None,
    )


def read_asked(streams: Streams) -> Asked:
    """Who wrote and who asked for the dump."""
    stream = streams.find(BREAKPAD)
    head = streams.raw.unpack("III", stream.position) if stream is not None else None
    if head is None:
        return Asked()
    valid, writer, requester = head
    return Asked(writer if valid & 1 else None, requester if valid & 2 else None)


def read_assertion(streams: Streams) -> Assertion | None:
    """The assertion that ended the process, if one did."""
    stream = streams.find(ASSERTION)
    if stream is None:
        return None
    raw = streams.raw
    parts = [raw.decode16(raw.read(stream.position + 256 * n, 256)) for n in range(3)]
    tail = raw.unpack("II", stream.position + 768)
    if tail is None or not any(parts):
        return None
    shown = [one_line(part, 128) for part in parts]
    return Assertion(_ASSERTIONS.get(tail[1], "assertion"), shown[0], shown[1], shown[2], tail[0])


def read_annotations(streams: Streams) -> list[Annotation]:
    """Crashpad's annotations, of the process first, then of each module."""
    stream = streams.find(CRASHPAD)
    if stream is None:
        return []
    raw = streams.raw
    head = raw.unpack("IIII", stream.position + 36)
    if head is None:
        streams.note("stream CrashpadInfo is cut")
        return []
    found = [Annotation(None, key, value) for key, value in _dictionary(raw, head[0], head[1])]
    for module, size, at in _rows(raw, head[2], head[3], "III"):
        info = raw.unpack("IIIIIII", at) if size >= 28 else None
        if info is None:
            continue
        _, list_size, list_at, simple_size, simple_at, object_size, object_at = info
        pairs = [
            *(("", text) for text in _texts(raw, list_size, list_at)),
            *_dictionary(raw, simple_size, simple_at),
            *_objects(raw, object_size, object_at),
        ]
        found += [Annotation(module, key, value) for key, value in pairs]
        if len(found) > _MAX_ENTRIES:
            break
    return found[:_MAX_ENTRIES]


def _rows(raw: Raw, size: int, position: int, layout: str) -> Iterator[tuple[int, ...]]:
    """The fields of the entries of a list: a count, then entries."""
    head = raw.unpack("I", position) if size >= 4 else None
    fits = (size - 4) // calcsize("<" + layout)
    return raw.rows(layout, position + 4, min(head[0], fits, _MAX_ENTRIES) if head else 0)


def _dictionary(raw: Raw, size: int, position: int) -> Iterator[tuple[str, str]]:
    for key_at, value_at in _rows(raw, size, position, "II"):
        key = raw.utf8(key_at)
        if key is not None:
            yield key, raw.utf8(value_at) or ""


def _texts(raw: Raw, size: int, position: int) -> Iterator[str]:
    return (text for (at,) in _rows(raw, size, position, "I") if (text := raw.utf8(at)))


def _objects(raw: Raw, size: int, position: int) -> Iterator[tuple[str, str]]:
    for key_at, kind, _, value_at in _rows(raw, size, position, "IHHI"):
        key = raw.utf8(key_at)
        if key is not None:
            yield key, (raw.utf8(value_at) or "") if kind == 1 else f"(of type {kind})"


def command_line(streams: Streams) -> str | None:
    """/proc/PID/cmdline with spaces for its NULs."""
    text = streams.text(LINUX_CMDLINE)
    joined = " ".join(part for part in (text or "")[:_MAX_TEXT].split("\0") if part)
    return joined or None


def read_auxv(streams: Streams, bits: int) -> dict[int, int]:
    """/proc/PID/auxv."""
    stream = streams.find(LINUX_AUXV)
    if stream is None:
        return {}
    layout, size = ("QQ", 16) if bits == 64 else ("II", 8)
    found: dict[int, int] = {}
    for key, value in streams.raw.rows(layout, stream.position, min(stream.size // size, 64)):
        if not key:
            break
        found.setdefault(key, value)
    return found


def status_pid(streams: Streams) -> int | None:
    """The process id of /proc/PID/status."""
    return _number(streams, r"^Tgid:\s+(\d{1,10})$") or _number(streams, r"^Pid:\s+(\d{1,10})$")


def _number(streams: Streams, pattern: str) -> int | None:
    match = re.search(pattern, streams.text(LINUX_STATUS) or "", re.MULTILINE)
    return int(match[1]) if match else None


def distribution(streams: Streams) -> str | None:
    """The description of /etc/lsb-release."""
    text = streams.text(LINUX_LSB) or ""
    match = re.search(r'^(?:DISTRIB_DESCRIPTION|PRETTY_NAME)="?([^"\n]{1,200})', text, re.MULTILINE)
    return one_line(match[1]) if match else None


def comments(streams: Streams) -> list[str]:
    """What whoever made the dump wrote into it."""
    found = []
    ascii_stream, wide = streams.find(COMMENT_A), streams.find(COMMENT_W)
    if ascii_stream is not None:
        raw = streams.raw.read(ascii_stream.position, min(ascii_stream.size, _MAX_TEXT))
        found.append(raw.split(b"\0", 1)[0].decode("utf-8", "replace"))
    if wide is not None:
        found.append(
            streams.raw.decode16(streams.raw.read(wide.position, min(wide.size, _MAX_TEXT) & ~1))
        )
    return [one_line(text, 1000) for text in found if text.strip()]
