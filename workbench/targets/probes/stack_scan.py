"""Return addresses on a stack, found without unwinding."""

import struct
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes.places import place, read_some, text_of, where
from workbench.targets.probes.transfer import follows_call

_SAMPLE = 1 << 18
_MAX_STACK = 1 << 26
_FEWEST = 24
_MOST_REPEATS = 64
_MOST_SHOWN = 8
_BELOW_SHOWN, _ABOVE_SHOWN = 16, 32
_LEAST_TEXT = 4
LOWEST = "stack's lowest mapped address"


class Slot(Struct, frozen=True):
    """A word at ``at`` that is the address behind a call instruction, which ``proved`` tells to
    have been seen."""

    at: int
    address: int
    proved: bool = True


class Repetition(Struct, frozen=True):
    """A return address that stands ``count`` times on the stack; ``period`` is the distance of two
    neighbouring ones in bytes, None when it varies."""

    address: int
    count: int
    period: int | None


class CodeMap:
    """Quick answer to "may this word be a code address"."""

    def __init__(self, core: Dump) -> None:
        self._core = core
        self._spans = [(r.start, r.end) for r in core.regions if r.perms[2] in "x?"]
        self._known: dict[int, bool] = {}

    def executable(self, address: int) -> bool:
        """True when the address lies in code."""
        return any(start <= address < end for start, end in self._spans)

    def returned_to(self, address: int) -> bool:
        """True when a call instruction ends right before the address."""
        known = self._known.get(address)
        if known is None:
            known = self._known[address] = self._is_returned_to(address)
        return known

    def proved(self, address: int) -> bool:
        """True where the call in front of a return address was seen."""
        return True

    def repeats(self, address: int, places: list[int]) -> bool:
        """True where a return address that stands in several places is one in each."""
        return True

    def _is_returned_to(self, address: int) -> bool:
        if not self.executable(address):
            return False
        return follows_call(self._core, address)


def words_at(core: Dump, start: int, end: int) -> list[tuple[int, int]]:
    """(address, word) from ``start``, a multiple of a word's size, as far as memory goes."""
    raw = read_some(core, start, max(0, end - start))
    word = word_of(core)
    values = word.iter_unpack(raw[: len(raw) // word.size * word.size])
    return [(start + word.size * index, value) for index, (value,) in enumerate(values)]


def word_of(core: Dump) -> struct.Struct:
    """A word of the target's width and byte order."""
    return struct.Struct(("<" if core.little_endian else ">") + ("Q" if core.bits == 64 else "I"))


def word_lines(core: Dump, sp: int, start: int, end: int) -> list[str]:
    """The words of a stack around its pointer, and what each of them is."""
    size = core.bits // 8
    first, last = max(start, sp - size * _BELOW_SHOWN), min(end, sp + size * _ABOVE_SHOWN)
    shown = words_at(core, first, last)
    return [f"word {at:#x}: {word:#x} {_meaning(core, word)}".rstrip() for at, word in shown]


def _meaning(core: Dump, word: int) -> str:
    text = word_of(core).pack(word).strip(b"\0")
    if len(text) >= _LEAST_TEXT and all(32 <= byte < 127 for byte in text):
        return f'text "{text_of(text)}"'
    region = core.region(word)
    return place(core, word) if region is not None and region.kind != "unknown" else ""


def return_slots(code: CodeMap, words: list[tuple[int, int]], limit: int) -> list[Slot]:
    """The first ``limit`` return addresses among some words, in their order."""
    found = []
    for at, word in words:
        if code.returned_to(word):
            found.append(Slot(at, word, code.proved(word)))
            if len(found) >= limit:
                break
    return found


def repetitions(core: Dump, code: CodeMap, start: int, end: int) -> list[Repetition]:
    """Return addresses that repeat, most frequent first: they are picked from the innermost part
    and then counted over the whole stack."""
    words = words_at(core, start, min(end, start + _SAMPLE))
    counted = Counter(word for _, word in words if word > 0xFFFF)
    often = [word for word, count in counted.most_common(_MOST_REPEATS) if count >= _FEWEST]
    chosen = [word for word in often if code.returned_to(word)]
    raw = read_some(core, start, min(end - start, _MAX_STACK)) if chosen else b""
    found: list[Repetition] = []
    for word in chosen:
        places = [at for at, value in words if value == word]
        if not code.repeats(word, places):
            continue
        gaps = {second - first for first, second in pairwise(places)}
        period = gaps.pop() if len(gaps) == 1 else None
        found.append(Repetition(word, raw.count(word_of(core).pack(word)), period))
    return sorted(found, key=lambda item: -item.count)


def guard_of(core: Dump, start: int) -> str:
    """What lies below a stack that begins there: unmapped | no-access | mapped."""
    below = core.region(start - 1)
    if below is None:
        return "unmapped"
    return "no-access" if set(below.perms) == {"-"} else "mapped"


def bounds_lines(start: int, end: int, whose: str, sp: int, lowest: str) -> list[str]:
    """The span of a stack, and how far its pointer is from the ``lowest`` address."""
    side = "above" if sp >= start else "below"
    return [
        f"stack {start:#x}-{end:#x}: {end - start} bytes, of {whose}",
        f"stack pointer {sp:#x}: {abs(sp - start)} bytes {side} {lowest}",
    ]


def fault_line(core: Dump, start: int, end: int, address: int) -> str:
    """Where the address of a fault lies, beside a stack."""
    inside = "inside" if start <= address < end else "outside"
    return f"fault address {address:#x}: {inside} this stack, {place(core, address)}"


def overflow_line(start: int, address: int) -> str:
    """That an access ran off the low end of a stack."""
    return (
        f"stack overflow: the access at {address:#x} lies {start - address} bytes below the "
        f"{LOWEST} {start:#x}"
    )


def repeat_lines(core: Dump, items: Sequence[Repetition]) -> list[str]:
    """The return addresses that repeat, the first of many."""
    lines = []
    for item in items[:_MOST_SHOWN]:
        every = f", every {item.period:#x} bytes" if item.period is not None else ""
        lines.append(
            f"recursion: return address {item.address:#x} stands {item.count} times on the stack"
            f"{every}: {where(core, item.address)}"
        )
    return lines
