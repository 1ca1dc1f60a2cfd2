"""@mappings: the memory map in the lines of a core's; ``unknown`` is what the dump is silent on."""

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.overview import lines


def answer(dump: MinidumpFile) -> str:
    """The memory map as text."""
    regions = dump.regions
    found = [f"mappings: {len(regions)} in address order"]
    if not dump.mapped:
        found.append("the dump records no memory map: modules, stacks and held memory are known")
    held = (lines.mapping(r, dump.coverage.of(r.start, r.end)) for r in regions)
    return "\n".join([*found, *lines.some(held, len(regions), "mappings")])
