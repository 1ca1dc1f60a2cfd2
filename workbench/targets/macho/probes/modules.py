"""@modules: every image in memory, in the lines of a core's; the id is the image's UUID."""

from itertools import islice

from workbench.targets.errors import ProbeError
from workbench.targets.macho.core import MachCore
from workbench.targets.modules import CoreModule
from workbench.targets.plain import one_line

_MOST = 10_000


def answer(core: MachCore, words: list[str]) -> str:
    """The modules as text."""
    if words:
        raise ProbeError("@modules takes no argument")
    lines = [f"modules: {len(core.modules)} in address order"]
    return "\n".join([*lines, *module_lines(core)])


def module_lines(core: MachCore, prefix: str = "") -> list[str]:
    """One line a module."""
    lines = [prefix + _line(core, module) for module in islice(core.modules, _MOST)]
    if len(core.modules) > _MOST:
        lines.append(f"not shown: {len(core.modules) - _MOST} more modules")
    return lines


def _line(core: MachCore, module: CoreModule) -> str:
    symbols = "symbols" if core.has_symbols(module) else "unknown"
    return (
        f"0x{module.base:x}-0x{module.end:x} {module.status} {symbols} "
        f"{module.build_id or '-'} {one_line(module.path)}"
    )
