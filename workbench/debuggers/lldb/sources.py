"""Where lldb finds source files that are not where they were compiled.

lldb maps one folder to another and looks for no file by its bare name, as gdb does. So the folders
that the frames of the selected thread name are mapped, where one that was given holds the file.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from workbench.debuggers.plain_path import is_plain, plain_path
from workbench.debuggers.session import DebuggerSession

_PLACE = re.compile(r" at (/[^\n]*?):\d+(?::\d+)?(?: \[\w+\])*$", re.MULTILINE)
_FRAMES = 64


async def map_sources(session: DebuggerSession, given: Sequence[Path], folder: Path) -> None:
    """Map what the frames name. ``folder`` is private, for links to paths with odd names."""
    if not given:
        return
    stack = await session.ask(f"thread backtrace --count {_FRAMES}")
    for number, (recorded, found) in enumerate(_mappings(_PLACE.findall(stack), given)):
        place = plain_path(found, folder, f"mapped{number}")
        await session.ask(f"settings append target.source-map {recorded} {place}")


def _mappings(files: Iterable[str], given: Sequence[Path]) -> list[tuple[str, Path]]:
    """Folders as recorded, with those that hold a file of that name."""
    found: dict[str, Path] = {}
    for file in files:
        path = PurePosixPath(file)
        recorded = str(path.parent)
        if recorded in found or not is_plain(recorded) or Path(file).is_file():
            continue
        place = next((one for one in given if (one / path.name).is_file()), None)
        if place is not None:
            found[recorded] = place
    return list(found.items())
