"""Whether a workbench can have made a session's folder, before anything in it is opened."""

import os
from pathlib import Path

from workbench.store.errors import SessionNotOpened


def check_made_here(folder: Path) -> None:
    """Raises `SessionNotOpened` where links lead out of a session's folder, or reading what lies in
    it would wait for a writer: no workbench made that."""
    try:
        with os.scandir(folder) as entries:
            strange = [e for e in entries if not e.is_file(follow_symlinks=False)]
            links = [e for e in strange if e.is_symlink()]
            strange = [e for e in strange if not e.is_dir(follow_symlinks=False)]
    except OSError:
        return  # whoever opens it says why
    if links:
        raise SessionNotOpened(
            f"session {folder.name} holds links that lead out of it: it was not made here"
        )
    if strange:
        raise SessionNotOpened(
            f"session {folder.name} holds a pipe or a device ({strange[0].name}): "
            "it was not made here"
        )
