"""@mappings: every mapping in address order, one a line.

    0x7f0000001000-0x7f0000022000 rw- 135168 stack dumped thread 12
    0x555555554000-0x555555555000 r-x 4096 file absent offset 0x1000 /usr/bin/true

The columns: start-end, permissions (``???`` unknown), bytes, kind, and how much of it the dump
holds: dumped, absent, or ``partial:N`` bytes from its start.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Protocol

from workbench.model.facts import Region
from workbench.targets.errors import ProbeError
from workbench.targets.extents import Extent
from workbench.targets.plain import one_line

_MOST = 100_000


class Mapped(Protocol):
    """A dump whose memory comes in pieces: each region is one of its extents."""

    @property
    def regions(self) -> Sequence[Region]:
        """The memory map in address order."""
        ...

    @property
    def extents(self) -> Sequence[Extent]:
        """How much of each region is there."""
        ...


def answer(core: Mapped, words: list[str]) -> str:
    """The memory map as text."""
    if words:
        raise ProbeError("@mappings takes no argument")
    regions = core.regions
    lines = [f"mappings: {len(regions)} in address order"]
    lines += map(_line, islice(regions, _MOST), core.extents)
    if len(regions) > _MOST:
        lines.append(f"not shown: {len(regions) - _MOST} more")
    return "\n".join(lines)


def _line(region: Region, extent: Extent) -> str:
    size = region.end - region.start
    if region.dumped:
        held = "dumped"
    elif extent.present:
        held = f"partial:{extent.present}"
    else:
        held = "absent"
    text = f"0x{region.start:x}-0x{region.end:x} {region.perms} {size} {region.kind} {held}"
    if region.thread is not None:
        text += f" thread {region.thread}"
    if region.path is not None:
        text += f" offset 0x{region.offset:x} {one_line(region.path)}"
    return text
