"""@modules: every mapped executable and library, one a line.

    0x400000-0x4bc000 found debug-info 2a45b5… /srv/app
      file: /home/me/app

The columns: span, how the file of this machine relates to the dump (found | mismatched | missing |
unverified), its symbols (debug-info | symbols | stripped | unknown), build id in the dump's memory
(``-`` when it is not there), path as recorded.
"""

from workbench.targets.core import CoreFile, CoreModule
from workbench.targets.overview import lines
from workbench.targets.plain import one_line


def answer(core: CoreFile) -> str:
    """The modules as text."""
    shown = lines.modules(core.modules, _lines)
    return "\n".join([f"modules: {len(core.modules)} in address order", *shown])


def _lines(module: CoreModule) -> str:
    found = [lines.module(module)]
    if module.file is not None and str(module.file) != module.path:
        found.append(f"  file: {one_line(str(module.file))}")
    if module.status == "mismatched" and module.image is not None:
        found.append(f"  build id of that file: {module.image.build_id or 'none'}")
    return "\n".join(found)
