"""Files of another machine: where a library here is not the one of the dump, the debugger gets a
root folder that holds links to those files only which are.

Older debuggers take any file at the recorded path for the one that was mapped, and name frames by
its symbols. What was compared is the build id (workbench/targets/match.py).
"""

import contextlib
import os
import struct
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from workbench.debuggers.protocol import Recipe

_MOST_ENTRIES = 65536


# An ELF header without sections and segments: lldb 14 takes what lies in its root folder, whatever
# it is, and goes on to the system's file where nothing does.
_STUB = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
    "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 0, 0, 64, 56, 0, 64, 0, 0
)  # fmt: skip


def matched(recipe: Recipe, folder: Path, stubs: bool = False) -> Recipe:
    """The recipe with a root below ``folder`` in place of the system, where it lists files.
    ``stubs`` puts an empty library wherever the system's is another."""
    if recipe.files is None:
        return recipe
    root = folder / "matched"
    if not root.is_dir():
        root.mkdir()
        for name in ("lib", "lib64", "lib32"):
            # Programs name their libraries by /lib, the kernel by /usr/lib, which it leads to.
            (root / name).symlink_to(Path("usr", name))
            (root / "usr" / name).mkdir(parents=True)
        if recipe.sysroot is not None:
            debug = recipe.sysroot.absolute() / "usr" / "lib" / "debug"
            (root / "usr" / "lib" / "debug").symlink_to(debug)
        for recorded, file in recipe.files:
            if file is not None:
                _link(root, recorded, file)
            elif stubs and (place := below(root, recorded)) is not None:
                with contextlib.suppress(OSError):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with place.open("xb") as stub:
                        stub.write(_STUB)
    return recipe._replace(sysroot=root, files=())


def below(root: Path, recorded: str) -> Path | None:
    """Where a recorded path lies below a root, out of which it cannot climb."""
    parts = [part for part in os.path.normpath(recorded).split("/") if part not in ("", ".", "..")]
    return root.joinpath(*parts) if parts else None


def _link(root: Path, recorded: str, file: Path) -> None:
    place = below(root, recorded)
    if place is None:
        return
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        for name in {place.name, *other_names(file)}:
            with contextlib.suppress(FileExistsError):
                (place.parent / name).symlink_to(file)


def other_names(file: Path) -> Iterable[str]:
    """The links to a file in its own folder (``libz.so.1`` for ``libz.so.1.3``): programs name
    their libraries by those."""
    with contextlib.suppress(OSError), os.scandir(file.parent) as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            if entry.is_symlink() and os.readlink(entry.path) == file.name:
                yield entry.name
