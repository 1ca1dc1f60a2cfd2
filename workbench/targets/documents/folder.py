"""Which files of a folder are read: texts by their names, none that a link leads out to."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

SUFFIXES = frozenset({".txt", ".md", ".log"})
RESULT = "analysis_result.md"
"""What an analysis writes into the folder: never read as one of its inputs."""
MOST_FILES = 200
MOST_SEEN = 20_000
DEEPEST = 4


class Found(Struct, frozen=True):
    """The files to read as paths inside the folder, sorted by name; and what was left out, in
    sentences."""

    names: tuple[str, ...]
    left_out: tuple[str, ...]


def find(folder: Path) -> Found:
    """The texts of a folder and of those in it, hidden ones left out. Raises `OSError` when the
    folder itself cannot be read."""
    root = folder.resolve(strict=True)
    names: list[str] = []
    left_out: list[str] = []
    for seen, path in enumerate(_walk(root, 0)):
        if seen >= MOST_SEEN:
            left_out.append(f"the folder holds over {MOST_SEEN} files: the rest was not looked at")
            break
        name = path.relative_to(root).as_posix()
        if path.suffix.lower() not in SUFFIXES or path.name.lower() == RESULT:
            continue
        if not _inside(path, root):
            left_out.append(f"{name}: a link that leads out of the folder")
        elif not path.is_file():
            left_out.append(f"{name}: no regular file")
        else:
            names.append(name)
    names.sort()
    if len(names) > MOST_FILES:
        left_out.append(f"{len(names) - MOST_FILES} of {len(names)} files, for there are too many")
    return Found(tuple(names[:MOST_FILES]), tuple(left_out))


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                try:
                    yield from _walk(Path(entry.path), depth + 1)
                except OSError:
                    continue  # a folder that may not be read holds none of our files
        else:
            yield Path(entry.path)


def _inside(path: Path, root: Path) -> bool:
    """True unless links lead elsewhere."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    return target.is_relative_to(root) and target.name.lower() != RESULT
