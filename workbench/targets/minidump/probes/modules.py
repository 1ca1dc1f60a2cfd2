"""@modules: every loaded module in the lines of a core's, with its version and debug file below.

0x7ff6a1230000-0x7ff6a1250000 missing unknown 1f2e…1 C:\\app\\app.exe
  version: 1.2.3.4
  debug file: C:\\build\\app.pdb
"""

from itertools import islice

from workbench.targets.errors import ProbeError
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.overview.modules import line

_MOST = 10_000


def answer(dump: MinidumpFile, words: list[str]) -> str:
    """The modules as text."""
    if words:
        raise ProbeError("@modules takes no argument")
    lines = [f"modules: {len(dump.modules)} in address order", *module_lines(dump)]
    return "\n".join(lines)


def module_lines(dump: MinidumpFile, prefix: str = "") -> list[str]:
    """The lines of each module, the first one behind ``prefix``."""
    lines = []
    for module in islice(dump.modules, _MOST):
        lines.append(prefix + line(module))
        if module.version is not None:
            lines.append(f"  version: {module.version}")
        if module.debug_file is not None:
            lines.append(f"  debug file: {module.debug_file}")
    if len(dump.modules) > _MOST:
        lines.append(f"not shown: {len(dump.modules) - _MOST} more modules")
    return lines
