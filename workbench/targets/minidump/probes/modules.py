"""@modules: every loaded module in the lines of a core's, with its version and debug file below.

0x7ff6a1230000-0x7ff6a1250000 missing unknown 1f2e…1 C:\\app\\app.exe
  version: 1.2.3.4
  debug file: C:\\build\\app.pdb
@mappings: the memory map in the lines of a core's; ``unknown`` is what the dump is silent on.
"""

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.modules import DumpModule
from workbench.targets.overview import lines


def answer(dump: MinidumpFile) -> str:
    """The modules as text."""
    shown = lines.modules(dump.modules, module_lines)
    return "\n".join([f"modules: {len(dump.modules)} in address order", *shown])


def module_lines(module: DumpModule) -> str:
    """The lines of one module."""
    found = [lines.module(module)]
    if module.version is not None:
        found.append(f"  version: {module.version}")
    if module.debug_file is not None:
        found.append(f"  debug file: {module.debug_file}")
    return "\n".join(found)


def mappings(dump: MinidumpFile) -> str:
    """The memory map as text."""
    regions = dump.regions
    found = [f"mappings: {len(regions)} in address order"]
    if not dump.mapped:
        found.append("the dump records no memory map: modules, stacks and held memory are known")
    held = (lines.mapping(r, dump.coverage.of(r.start, r.end)) for r in regions)
    return "\n".join([*found, *lines.some(held, len(regions), "mappings")])
