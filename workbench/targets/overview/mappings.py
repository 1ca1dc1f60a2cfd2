"""@mappings: every mapping in address order, one a line.

    0x7f0000001000-0x7f0000022000 rw- 135168 stack dumped thread 12
    0x555555554000-0x555555555000 r-x 4096 file absent offset 0x1000 /usr/bin/true

The columns: start-end, permissions (``???`` unknown), bytes, kind, and how much of it the dump
holds: dumped, absent, or ``partial:N`` bytes from its start.
"""

from workbench.targets.dump import Dump
from workbench.targets.overview import lines


def answer(core: Dump) -> str:
    """The memory map as text."""
    regions = core.regions
    held = (lines.mapping(r, e.present) for r, e in zip(regions, core.extents, strict=True))
    return "\n".join(
        [f"mappings: {len(regions)} in address order", *lines.some(held, len(regions), "mappings")]
    )
