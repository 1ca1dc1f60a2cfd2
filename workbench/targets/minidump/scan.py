"""Words on a stack that look like return addresses. The code in front of most of them is not in a
minidump, so that few can be proved; what can be looked at has to end a call."""

import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.walk import is_code
from workbench.targets.probes.places import read_some
from workbench.targets.probes.stack_scan import Repetition, Slot

_MOST_BYTES = 1 << 24
_FEWEST = 24
_CANDIDATES = 64
_SHOWN = 8
_PROBED = 16
_LONGEST_CALL = 8
_FRAME = 1 << 20


@dataclass(frozen=True)
class Words:
    """Words of ``size`` bytes, the first at ``start``."""

    start: int
    size: int
    values: "array[int]"

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """(address, word), in order."""
        return zip(range(self.start, 1 << 65, self.size), self.values, strict=False)

    def at(self, address: int) -> int:
        """The word at an address, 0 where there is none."""
        index = (address - self.start) // self.size
        return self.values[index] if 0 <= index < len(self.values) else 0


def words_at(dump: MinidumpFile, start: int, end: int) -> Words:
    """The words from ``start`` as far as the dump holds memory, at most 16 MiB."""
    size = dump.bits // 8
    raw = read_some(dump, start, min(max(0, end - start), _MOST_BYTES))
    values = array("Q" if size == 8 else "I", raw[: len(raw) // size * size])
    if (sys.byteorder == "little") != dump.little_endian:
        values.byteswap()
    return Words(start, size, values)


def return_slots(dump: MinidumpFile, words: Words, reach: int, limit: int) -> list[Slot]:
    """The first ``limit`` likely return addresses among the words of the first ``reach`` bytes."""
    known: dict[int, bool] = {}
    found = []
    for at, word in islice(words, reach // words.size):
        if word not in known:
            known[word] = returned_to(dump, word)
        if known[word]:
            found.append(Slot(at, word, proved=_after_call(dump, word) is True))
            if len(found) >= limit:
                break
    return found


def returned_to(dump: MinidumpFile, address: int) -> bool:
    """True for an address of code that is not known to follow anything but a call."""
    if not is_code(dump, address) or not address:
        return False
    module = dump.module_at(address)
    if module is not None and address - module.base < 0x1000:
        return False  # a module's headers
    return _after_call(dump, address) is not False


def _after_call(dump: MinidumpFile, address: int) -> bool | None:
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


def repetitions(dump: MinidumpFile, words: Words) -> list[Repetition]:
    """Likely return addresses that repeat, most frequent first.

    Pointers to a module's data repeat as well: only those count that follow a saved frame pointer
    or a call, or that lie in memory known to be executable.
    """
    often = Counter(words.values).most_common(_CANDIDATES)
    likely = [w for w, n in often if n >= _FEWEST and w > 0xFFFF and returned_to(dump, w)]
    places: dict[int, list[int]] = {word: [] for word in likely}
    for at, word in words if places else ():
        if word in places:
            places[word].append(at)
    found = []
    for word, slots in places.items():
        if not _proved(dump, word, slots, words):
            continue
        gaps = {second - first for first, second in pairwise(slots)}
        found.append(Repetition(word, len(slots), gaps.pop() if len(gaps) == 1 else None))
    return found[:_SHOWN]


def _proved(dump: MinidumpFile, word: int, slots: list[int], words: Words) -> bool:
    region = dump.region(word)
    if region is not None and region.perms[2] == "x":
        return True
    if _after_call(dump, word):
        return True
    return all(at < words.at(at - words.size) <= at + _FRAME for at in slots[:_PROBED])
