"""Loading a dump whose files hold gdb up: it opens each path that the dump names, and a named pipe
or a terminal among them keeps it for ever.

gdb then gets a folder of our own in place of the file system: copies of the regular files only.
In the copies the names of the sections that lead to further files are spoilt (ELF finds a section
by its name; gdb's manual, "Separate Debug Files").
"""

import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from workbench.debuggers.protocol import Recipe

MAPPINGS = "info proc mappings"
"""The command that lists the files of a core's NT_FILE note."""

_MAPPING = re.compile(r"^\s*(?:0x[0-9a-f]+\s+){4}(?:[rwxps-]{4,5}\s+)?(/.*?)\s*$", re.MULTILINE)
_LEADS = re.compile(rb"\0\.(?=gnu_debug(?:alt)?link\0)")
_MOST_FILES = 4096
_MOST_ENTRIES = 65536
_MOST_BYTES = 512 << 20
_BLOCK = 1 << 20
_OVERLAP = 32  # longer than a section's name with its ends


def blind(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe for a gdb that finds none of the files that the dump names. It gets a program
    that has nothing to do with the dump, since it looks for one if it has none."""
    root = folder / "nothing"
    root.mkdir(exist_ok=True)
    other = Path(sys.executable).resolve()
    return replace(recipe, executable=other, sysroot=root, files=None, source_dirs=())


def guarded(recipe: Recipe, mappings: str, folder: Path) -> tuple[Recipe, list[str]]:
    """The recipe with copies, and the mapped paths that are there but are no regular files.

    ``mappings`` is what `MAPPINGS` printed. Copies stop at 512 MiB in all.
    """
    root = folder / "root"
    root.mkdir(exist_ok=True)
    refused, room = [], _MOST_BYTES
    executable = recipe.executable
    if executable is not None:
        copied = _copy(executable, folder / "program" / executable.name, room)
        room -= copied
        executable = folder / "program" / executable.name if copied else None
    _merge_usr(recipe.sysroot or Path("/"), root)
    for path in list(dict.fromkeys(_MAPPING.findall(mappings)))[:_MOST_FILES]:
        # As the kernel would go there, except that it cannot climb out.
        parts = [part for part in os.path.normpath(path).split("/") if part]
        source = Path(path) if recipe.sysroot is None else recipe.sysroot.joinpath(*parts)
        if not parts:
            continue
        if _is_odd(source):
            refused.append(path)
        else:
            room -= _copy(source, root.joinpath(*parts), room)
    _name_again(root, recipe.sysroot or Path("/"))
    return replace(recipe, executable=executable, sysroot=root, files=None), refused


def _merge_usr(system: Path, root: Path) -> None:
    """The links that lead from ``/lib`` to ``/usr/lib``: programs name their libraries by either,
    the kernel by the latter."""
    for name in ("lib", "lib64", "lib32"):
        with contextlib.suppress(OSError):
            if (system / name).readlink() in (Path("usr", name), Path("/usr", name)):
                (root / name).symlink_to(Path("usr", name))


def _name_again(root: Path, system: Path) -> None:
    """The other names of the copied libraries (``libz.so.1`` for ``libz.so.1.3``) in their folder:
    programs name them by those."""
    folders: dict[Path, set[str]] = {}
    for copy in list(root.rglob("*")):
        if not copy.is_symlink() and copy.is_file():
            folders.setdefault(copy.parent, set()).add(copy.name)
    for folder, names in folders.items():
        with contextlib.suppress(OSError), os.scandir(system / folder.relative_to(root)) as entries:
            for entry in islice(entries, _MOST_ENTRIES):
                if entry.is_symlink() and (leads_to := os.readlink(entry.path)) in names:
                    (folder / entry.name).symlink_to(leads_to)


def _is_odd(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _copy(source: Path, target: Path, room: int) -> int:
    """Copy a regular file of at most ``room`` bytes. Returns its size, 0 when it was left out."""
    with contextlib.suppress(OSError, ValueError):
        status = source.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > room:
            return 0
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as read, target.open("xb") as write:
            for block in _spoilt(iter(lambda: read.read(_BLOCK), b"")):
                write.write(block)
        return status.st_size
    return 0


def _spoilt(blocks: Iterable[bytes]) -> Iterable[bytes]:
    """The bytes with each name of a leading section changed, wherever blocks are cut."""
    held = b""
    for block in blocks:
        held = _LEADS.sub(b"\0-", held + block)
        yield held[:-_OVERLAP]
        held = held[-_OVERLAP:]
    yield held
