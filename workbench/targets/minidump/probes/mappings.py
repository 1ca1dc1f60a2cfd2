"""@mappings: the memory map in the lines of a core's; ``unknown`` is what the dump is silent on."""

from itertools import islice

from workbench.model.facts import Region
from workbench.targets.errors import ProbeError
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.plain import one_line

_MOST = 100_000


def answer(dump: MinidumpFile, words: list[str]) -> str:
    """The memory map as text."""
    if words:
        raise ProbeError("@mappings takes no argument")
    regions = dump.regions
    lines = [f"mappings: {len(regions)} in address order"]
    if not dump.mapped:
        lines.append("the dump records no memory map: modules, stacks and held memory are known")
    lines += [_line(dump, region) for region in islice(regions, _MOST)]
    if len(regions) > _MOST:
        lines.append(f"not shown: {len(regions) - _MOST} more")
    return "\n".join(lines)


def _line(dump: MinidumpFile, region: Region) -> str:
    size = region.end - region.start
    held = "dumped"
    if not region.dumped:
        present = dump.coverage.of(region.start, region.end)
        held = f"partial:{present}" if present else "absent"
    text = f"{region.start:#x}-{region.end:#x} {region.perms} {size} {region.kind} {held}"
    if region.thread is not None:
        text += f" thread {region.thread}"
    if region.path is not None:
        text += f" offset {region.offset:#x} {one_line(region.path)}"
    return text
