"""A path that no debugger's command line can take for more than a path."""

import re
from pathlib import Path

# gdb and lldb take some paths as they are and split or unquote others, by version; these they
# leave alone in every place.
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_./+@%,=-]*")


def is_plain(path: str) -> bool:
    """True for a path that can stand in a command as it is."""
    return _PLAIN_PATH.fullmatch(path) is not None


def plain_path(path: Path, folder: Path, name: str) -> str:
    """``path``, absolute, or a symbolic link to it, called ``name`` in our own ``folder``, that
    cannot be misread."""
    path = path.absolute()
    if is_plain(str(path)):
        return str(path)
    link = folder / name
    if not link.is_symlink():
        link.symlink_to(path)
    return str(link)
