"""Which files of a folder are read: texts by their names, none that a link leads out to."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from workbench.targets.open_file import is_text as is_utf8
from workbench.targets.plain import one_line

SUFFIXES = frozenset({".txt", ".md", ".log"})
RESULT = "analysis_result.md"
"""What an analysis writes into the folder: never read as one of its inputs."""
MOST_FILES = 200
MOST_SEEN = 20_000
DEEPEST = 4
MOST_NAMED = 20
"""Files of other kinds that are named each; of more only their number and endings are told."""


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
    others: list[str] = []
    for seen, path in enumerate(_walk(root, 0, left_out, root)):
        if seen >= MOST_SEEN:
            left_out.append(f"the folder holds over {MOST_SEEN} files: the rest was not looked at")
            break
        name = one_line(path.relative_to(root).as_posix())
        if path.name.lower() in (RESULT, f"{RESULT}.bak"):
            continue
        if path.is_symlink() and path.is_dir():
            left_out.append(f"{name}: a link to a folder, which is not followed")
        elif path.suffix.lower() not in SUFFIXES:
            others.append(name)
        elif not is_utf8(str(path.relative_to(root))):  # no citation and no table could name it
            left_out.append(f"{name}: its name is not UTF-8; rename it")
        elif not _inside(path, root):
            left_out.append(f"{name}: a link that leads out of the folder")
        elif not path.is_file():
            left_out.append(f"{name}: no regular file")
        else:
            names.append(path.relative_to(root).as_posix())
    names.sort()
    left_out += _of_other_kinds(others)
    if len(names) > MOST_FILES:
        left_out.append(f"{len(names) - MOST_FILES} of {len(names)} files, for there are too many")
    return Found(tuple(names[:MOST_FILES]), tuple(left_out))


def _of_other_kinds(names: list[str]) -> list[str]:
    """Files whose names end otherwise, each where they are few."""
    only = f"only {', '.join(sorted(SUFFIXES))} are read"
    if len(names) <= MOST_NAMED:
        return [f"{name}: {only}" for name in sorted(names)]
    endings = Counter(Path(name).suffix.lower() or "no ending" for name in names)
    shown = ", ".join(f"{count} of {ending}" for ending, count in endings.most_common(8))
    return [f"{len(names)} files of other kinds ({shown}): {only}"]


def _walk(folder: Path, depth: int, left_out: list[str], root: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name.startswith("."):
            continue
        path = Path(entry.path)
        if not entry.is_dir(follow_symlinks=False):
            yield path
            continue
        name = one_line(path.relative_to(root).as_posix())
        if depth >= DEEPEST:
            left_out.append(f"{name}/: it lies deeper than {DEEPEST} folders")
            continue
        try:
            yield from _walk(path, depth + 1, left_out, root)
        except OSError as error:
            left_out.append(f"{name}/: {error.strerror or 'it cannot be read'}")


def _inside(path: Path, root: Path) -> bool:
    """True unless links lead elsewhere."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    return target.is_relative_to(root) and target.name.lower() != RESULT
