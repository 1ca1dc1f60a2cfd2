"""@modules: every image in memory, in the lines of a core's; the id is the image's UUID."""

from workbench.targets.macho.core import MachCore
from workbench.targets.overview import lines


def answer(core: MachCore) -> str:
    """The modules as text."""
    return "\n".join([f"modules: {len(core.modules)} in address order", *module_lines(core)])


def module_lines(core: MachCore, prefix: str = "") -> list[str]:
    """One line a module."""
    listed = (
        prefix + lines.module(module, "symbols" if core.has_symbols(module) else "unknown")
        for module in core.modules
    )
    return lines.some(listed, len(core.modules), "modules", " modules")
