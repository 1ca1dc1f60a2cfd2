"""Words out of a span of memory that is read once."""

import struct

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes.places import read_some

_MAX_SPAN = 1 << 30


class Span:
    """[start, end) as one run of bytes; shorter than asked for where memory is not in the dump."""

    def __init__(self, core: Dump, start: int, end: int) -> None:
        self.start = start
        self.data = read_some(core, start, min(max(end - start, 0), _MAX_SPAN))
        self.end = start + len(self.data)
        self._word = struct.Struct("<Q" if core.little_endian else ">Q")

    def word(self, address: int) -> int | None:
        """The word at an address, or None outside of the span."""
        offset = address - self.start
        if offset < 0 or offset + 8 > len(self.data):
            return None
        value: int = self._word.unpack_from(self.data, offset)[0]
        return value

    def words(self, address: int, count: int) -> list[int]:
        """Up to ``count`` words from an address on."""
        found = []
        for index in range(count):
            value = self.word(address + 8 * index)
            if value is None:
                break
            found.append(value)
        return found

    def bytes_at(self, address: int, size: int) -> bytes:
        """Up to ``size`` bytes from an address on."""
        offset = address - self.start
        return b"" if offset < 0 else self.data[offset : offset + max(size, 0)]


# Is a destroyed chunk header covered by data that runs on from the chunk in front of it?
# The writer's direction shows in the bytes: a repeated filler, a text, or a series of numbers that
# begins before the header and goes on inside it was written upwards, from the chunk before.
_REACH = 4096
_PERIODS = (1, 2, 4, 8, 16)
_WORD, _COPIES = 8, 4
"""Bytes of a pointer, and of how many alike one behind the other data are made."""


class Run(Struct, frozen=True):
    """Data that crosses a header: [start, end) and what it is, in words; of a series how many
    bytes a number has."""

    start: int
    end: int
    what: str
    width: int = 0


def run_across(span: Span, header: int) -> Run | None:
    """The run that crosses from in front of a chunk's ``size`` word into it.

    ``prev_size`` is still memory of the chunk before while that one is in use, so the line that
    must not be crossed is at ``header + 8``.
    """
    return run_over(span, header + 8)


def run_over(span: Span, edge: int) -> Run | None:
    """The run that crosses ``edge``: data from in front of it that goes on in the word there."""
    lower = max(span.start, edge - _REACH)
    data = span.bytes_at(lower, edge + _REACH - lower)
    line = edge - lower
    if line < 16 or len(data) < line + 8:
        return None
    return _filler(data, line, lower) or _text(data, line, lower) or _series(data, line, lower)


def _filler(data: bytes, line: int, base: int) -> Run | None:
    for period in _PERIODS:
        end = line
        while end < len(data) and data[end] == data[end - period]:
            end += 1
        unit = data[line - period : line]
        start = line - period
        while start >= period and data[start - period : start] == unit:
            start -= period
        shortest = 8 if not any(unit) else max(2, period)
        if period >= _WORD and end - start < _COPIES * period:
            continue  # a pointer that is kept twice, as registers are spilled
        if end - line >= shortest and line - start >= max(8, period):
            shown = unit.hex(" ")
            kind = "zero bytes" if not any(unit) else f"the bytes {shown}, repeated,"
            return Run(base + start, base + end, kind)
    return None


def _text(data: bytes, line: int, base: int) -> Run | None:
    start, end = line, line
    while start > 0 and _printable(data[start - 1]):
        start -= 1
    while end < len(data) and _printable(data[end]):
        end += 1
    if line - start < 8 or end == line:
        return None
    shown = data[max(start, line - 16) : min(end, line + 16)].decode("ascii", "replace")
    return Run(base + start, base + end, f'text ("{shown}")'.replace("\n", " ").replace("\t", " "))


def _printable(byte: int) -> bool:
    return 32 <= byte < 127 or byte in (9, 10)


def _series(data: bytes, line: int, base: int) -> Run | None:
    for width, code in ((4, "<i"), (8, "<q")):
        first = line % width
        usable = (len(data) - first) // width * width
        values = [value for (value,) in struct.iter_unpack(code, data[first : first + usable])]
        at = (line - first) // width
        if at < 3 or at >= len(values):
            continue
        step = values[at] - values[at - 1]
        if not 0 < abs(step) < 1 << 20:
            continue
        start = end = at
        while start > 1 and values[start - 1] - values[start - 2] == step:
            start -= 1
        while end + 1 < len(values) and values[end + 1] - values[end] == step:
            end += 1
        if at - start >= 1 and end - start >= 3:
            return Run(
                base + first + (start - 1) * width,
                base + first + (end + 1) * width,
                f"a series of {width}-byte numbers that grow by {step}",
                width,
            )
    return None
