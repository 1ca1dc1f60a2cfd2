"""@modules: every mapped executable and library, one a line.

    0x400000-0x4bc000 found debug-info 2a45b5… /srv/app
      file: /home/me/app

The columns: span, how the file of this machine relates to the dump (found | mismatched | missing |
unverified), its symbols (debug-info | symbols | stripped | unknown), build id in the dump's memory
(``-`` when it is not there), path as recorded.
"""

from itertools import islice

from workbench.targets.core import CoreFile, CoreModule
from workbench.targets.errors import ProbeError
from workbench.targets.plain import one_line

_MOST = 10_000


def answer(core: CoreFile, words: list[str]) -> str:
    """The modules as text."""
    if words:
        raise ProbeError("@modules takes no argument")
    modules = core.modules
    lines = [f"modules: {len(modules)} in address order"]
    for module in islice(modules, _MOST):
        lines.append(line(module))
        if module.file is not None and str(module.file) != module.path:
            lines.append(f"  file: {one_line(str(module.file))}")
        if module.status == "mismatched" and module.image is not None:
            lines.append(f"  build id of that file: {module.image.build_id or 'none'}")
    if len(modules) > _MOST:
        lines.append(f"not shown: {len(modules) - _MOST} more")
    return "\n".join(lines)


def line(module: CoreModule) -> str:
    """One module."""
    return (
        f"0x{module.base:x}-0x{module.end:x} {module.status} {module.symbols} "
        f"{module.build_id or '-'} {one_line(module.path)}"
    )
