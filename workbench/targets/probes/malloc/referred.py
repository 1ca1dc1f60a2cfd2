"""Whether anything points to chunks: what nothing points to, no code can free any more."""

import re
from collections.abc import Iterator, Sequence

from workbench.targets.dump import Dump
from workbench.targets.probes.places import read_some

_MOST, _BLOCK = 256 << 20, 4 << 20
_WORD = 8
_LARGEST = 1024


def unreferred(core: Dump, chunks: Sequence[tuple[int, int]]) -> int | None:
    """How many of a few ranges of memory no word outside of them leads into: no register, and no
    aligned word of any memory that was writable. The upper 16 bits may be a mark of the program's
    (as NaN boxing has them). None where not all of that is in the dump, or it is too much."""
    written = [region for region in core.regions if region.perms[1] == "w"]
    ends = (at for region in written for at in (region.start, region.end - _WORD))
    if (
        sum(region.end - region.start for region in written) > _MOST
        or any(end - start > _LARGEST for start, end in chunks)
        or any(core.read_dumped(at, _WORD) is None for at in ends)
    ):
        return None
    held = {value for thread in core.threads for value in thread.registers.values()}
    left = {each for each in chunks if not any(each[0] <= value < each[1] for value in held)}
    for region in written:
        for at in range(region.start, region.end, _BLOCK):
            if not left:
                return 0
            data = read_some(core, at, min(_BLOCK, region.end - at))
            left -= {each for each in left if any(_leading_into(data, at, *each))}
    return len(left)


def _leading_into(data: bytes, at: int, start: int, end: int) -> Iterator[bool]:
    """The words of memory at ``at`` that lead into a range from outside of it."""
    for page in range(start >> 8, (end - 1 >> 8) + 1):
        shared = (page & 0xFFFFFFFFFF).to_bytes(5, "little")  # bits 8 to 47 of each such word
        for hit in re.finditer(re.escape(shared), data):
            place = hit.start() - 1
            outside = not start <= at + place < end
            if place % _WORD == 0 and outside and start <= page << 8 | data[place] < end:
                yield True
