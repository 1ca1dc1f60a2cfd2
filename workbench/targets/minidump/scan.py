"""Words on a stack that look like return addresses. The code in front of most of them is not in a
minidump, so that few can be proved; what can be looked at has to end a call."""

import struct
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from workbench.targets.minidump.walk import is_code
from workbench.targets.probes.places import read_some

if TYPE_CHECKING:
    from workbench.targets.minidump.dump import MinidumpFile

_MOST_BYTES = 1 << 24
_FEWEST = 24
_CANDIDATES = 64
_SHOWN = 8
_PROBED = 16
_LONGEST_CALL = 8


@dataclass(frozen=True)
class Slot:
    """A word at ``at`` that may be a return address."""

    at: int
    address: int


@dataclass(frozen=True)
class Repetition:
    """A likely return address that stands ``count`` times on a stack; ``period`` is the distance of
    two neighbouring ones in bytes, None when it varies."""

    address: int
    count: int
    period: int | None


def words_at(dump: "MinidumpFile", start: int, end: int) -> list[tuple[int, int]]:
    """(address, word) from ``start`` as far as the dump holds memory, at most 16 MiB."""
    word = dump.bits // 8
    raw = read_some(dump, start, min(max(0, end - start), _MOST_BYTES))
    count = len(raw) // word
    layout = f"{'<' if dump.little_endian else '>'}{count}{'Q' if word == 8 else 'I'}"
    values = struct.unpack(layout, raw[: count * word])
    return [(start + word * index, value) for index, value in enumerate(values)]


def return_slots(dump: "MinidumpFile", words: list[tuple[int, int]], limit: int) -> list[Slot]:
    """The first ``limit`` likely return addresses among some words."""
    known: dict[int, bool] = {}
    found = []
    for at, word in words:
        if word not in known:
            known[word] = returned_to(dump, word)
        if known[word]:
            found.append(Slot(at, word))
            if len(found) >= limit:
                break
    return found


def returned_to(dump: "MinidumpFile", address: int) -> bool:
    """True for an address of code that is not known to follow anything but a call."""
    if not is_code(dump, address) or not address:
        return False
    module = dump.module_at(address)
    if module is not None and address - module.base < 0x1000:
        return False  # a module's headers
    return _after_call(dump, address) is not False


def _after_call(dump: "MinidumpFile", address: int) -> bool | None:
    """Whether a call ends right before an address; None where the bytes are not in the dump."""
    if dump.arch in ("x86_64", "i386"):
        raw = dump.read(address - _LONGEST_CALL, _LONGEST_CALL)
        if raw is None:
            return None
        # E8 rel32, FF /2 with register, memory, displacements (Intel SDM volume 2, CALL).
        if raw[3] == 0xE8:
            return True
        return any(raw[n] == 0xFF and raw[n + 1] >> 3 & 7 == 2 for n in range(_LONGEST_CALL - 1))
    if dump.arch == "aarch64":
        raw = dump.read(address - 4, 4)
        if raw is None:
            return None
        insn = int.from_bytes(raw, "little")
        return insn >> 26 == 0b100101 or insn & 0xFEFFF000 == 0xD63F0000
    return None


def repetitions(dump: "MinidumpFile", words: list[tuple[int, int]]) -> list[Repetition]:
    """Likely return addresses that repeat, most frequent first.

    Pointers to a module's data repeat as well: only those count that follow a saved frame pointer
    or a call, or that lie in memory known to be executable.
    """
    counted = Counter(word for _, word in words if word > 0xFFFF)
    found = []
    place = dict(words) if counted else {}
    for word, count in counted.most_common(_CANDIDATES):
        if count < _FEWEST:
            break
        if not returned_to(dump, word):
            continue
        at = [address for address, value in words if value == word]
        if not _proved(dump, word, at, place):
            continue
        gaps = {second - first for first, second in pairwise(at)}
        found.append(Repetition(word, count, gaps.pop() if len(gaps) == 1 else None))
        if len(found) >= _SHOWN:
            break
    return found


def _proved(dump: "MinidumpFile", word: int, slots: list[int], place: dict[int, int]) -> bool:
    region = dump.region(word)
    if region is not None and region.perms[2] == "x":
        return True
    if _after_call(dump, word):
        return True
    size = dump.bits // 8
    looked = slots[:_PROBED]
    saved = [place.get(at - size, 0) for at in looked]
    return all(at < fp <= at + (1 << 20) for at, fp in zip(looked, saved, strict=True))
