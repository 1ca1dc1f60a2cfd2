"""A bad pointer whose bytes are characters: which ones, and where in memory the text stands that
it is a part of."""

import re
from collections.abc import Iterator

from workbench.targets.dump import Dump
from workbench.targets.probes.malloc.memory import Span
from workbench.targets.probes.malloc.overrun import run_over
from workbench.targets.probes.places import kind_of, place, read_some

_VALUE = re.compile(r"(?:base register \w+ =|access \w+ at|pc) (0x[0-9a-f]+)\b.*")
_TEXT = re.compile(rb"[\x20-\x7e]{5,}|[A-Za-z0-9 ]{4}")
_REACH = 4096
_BLOCK, _MOST = 1 << 20, 64 << 20
_MOST_HITS = 64
_MOST_SHOWN = 4


def spelled_lines(core: Dump, lines: list[str]) -> list[str]:
    """The lines to add behind those on a fault: empty where its pointer is mapped or no text."""
    found = [match for line in lines if (match := _VALUE.fullmatch(line)) is not None]
    found.sort(key=lambda match: not match[0].startswith("base"))
    for match in found:
        value = int(match[1], 16)
        raw = _bytes_of(core, value).rstrip(b"\0")
        if _TEXT.fullmatch(raw) and value >> 32 and core.region(value) is None:
            shown = raw.decode("ascii")
            said = [f'text: the bytes of {value:#x} are the characters "{shown}"']
            covered = any(line.startswith("run: ") for line in lines)
            return said if covered else said + _copy_lines(core, value)
    return []


def _bytes_of(core: Dump, value: int) -> bytes:
    return value.to_bytes(core.bits // 8, "little" if core.little_endian else "big", signed=False)


def _copy_lines(core: Dump, value: int) -> list[str]:
    """Where the same word lies in data that runs on into it, outside of the stacks: a pointer that
    was walked along or handed over was read from there into a local one."""
    lines: list[str] = []
    for at in _standing(core, _bytes_of(core, value)):
        region = core.region(at)
        if region is None:
            continue
        low = max(region.start, at - _REACH)
        run = run_over(Span(core, low, min(region.end, at + _REACH)), at)
        if run is not None:
            lines.append(
                f"copy: the word {value:#x} stands at {at:#x} ({place(core, at)}), in {run.what} "
                f"from {run.start:#x} to {run.end:#x}"
            )
    return lines[:_MOST_SHOWN]


def _standing(core: Dump, word: bytes) -> Iterator[int]:
    """Aligned places of a word in writable memory that is no stack, the first few."""
    left, hits = _MOST, 0
    for region in core.regions:
        if region.perms[1] != "w" or kind_of(core, region.start) == "stack":
            continue
        at = region.start
        while at < region.end and left > 0:
            data = read_some(core, at, min(_BLOCK, region.end - at, left))
            if not data:
                break
            place_in = data.find(word)
            while place_in >= 0:
                if (at + place_in) % len(word) == 0:
                    yield at + place_in
                    hits += 1
                    if hits >= _MOST_HITS:
                        return
                place_in = data.find(word, place_in + 1)
            left -= len(data)
            at += len(data)
