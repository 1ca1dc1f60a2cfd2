"""Where SOS and the files that it needs lie: what the person named, else beside the runtime.

SOS is code that the debugger runs, so that a dump must not choose it: the folder of the runtime is
taken only when the runtime's library there is the dump's by its build id, when nobody but its owner
can write to it, and when it is not the folder that the dump came in.
"""

import re
import stat
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.debuggers.private_folder import is_ours

PLUGIN = "libsosplugin.so"
_DAC = "libmscordaccore.so"
_PLAIN = re.compile(r"[\w/.,+=@ ~:-]+")


@dataclass(frozen=True)
class Sos:
    """The plugin for lldb and the folder of the runtime (for ``setclrpath``), each None when it is
    not known; ``why`` says for a person what was found or what is missing."""

    plugin: Path | None
    clr: Path | None
    why: str


def find_sos(
    dump: Path, runtime: Path | None, plugin: Path | None = None, clr: Path | None = None
) -> Sos:
    """``runtime`` is the runtime's library on this machine, ``plugin`` and ``clr`` what the person
    named, which is taken as it is. ``dotnet-sos install`` puts a plugin into ``~/.dotnet/sos``."""
    beside = runtime.parent if runtime is not None else None
    refused = _distrust(beside, dump) if beside is not None else ""
    if refused:
        beside = None
    if clr is None and beside is not None and (beside / _DAC).is_file():
        clr = beside
    if plugin is not None:
        return Sos(plugin.absolute(), clr, f"asked for: {plugin}")
    own = Path.home() / ".dotnet" / "sos"
    for folder, why in ((beside, "beside the runtime"), (own, "of dotnet-sos")):
        if folder is not None and (folder / PLUGIN).is_file() and not _distrust(folder, None):
            return Sos(folder / PLUGIN, clr, f"the SOS {why}: {folder}")
    missing = refused or f"no {PLUGIN} beside the runtime"
    return Sos(None, clr, f"{missing}: name it with --sos, or run dotnet-sos install")


def _distrust(folder: Path, dump: Path | None) -> str:
    """Why code in a folder is not to be run; empty when it may be."""
    try:
        real = folder.resolve(strict=True)
        if dump is not None and _came_with(real, dump):
            return "the runtime lies in the folder of the dump"
        for place in (real, *real.parents):
            status = place.stat()
            kept = place != real and status.st_mode & stat.S_ISVTX
            owned = status.st_uid == 0 or is_ours(status)
            if (status.st_mode & stat.S_IWOTH and not kept) or not owned:
                return f"others can write to {place}"
    except (OSError, RuntimeError):
        return "the runtime's folder cannot be read"
    return ""


def _came_with(folder: Path, dump: Path) -> bool:
    """True when a folder lies in that of the dump. Where people's homes lie in it too, the system's
    folders and ``~/.dotnet`` did not come with the dump."""
    around, home = dump.absolute().parent.resolve(), Path.home().resolve()
    if not folder.is_relative_to(around):
        return False
    if not home.is_relative_to(around):
        return True
    return folder.is_relative_to(home) and not folder.is_relative_to(home / ".dotnet")


def loads_plugins(lldb: Path) -> bool:
    """False for the wheel's lldb, which is built with another C++ library than SOS."""
    return "lldb_for_pwndbg" not in lldb.parts


async def load_sos(ask: Callable[[str], Awaitable[str]], plugin: Path, clr: Path | None) -> str:
    """Load SOS into an lldb that ``ask`` speaks to; what it said where that failed, else nothing.
    A path that lldb could read as more than a path is refused."""
    for path in (plugin, clr):
        if path is not None and not _PLAIN.fullmatch(str(path)):
            return f"SOS is not loaded: {str(path)!a} holds characters that lldb reads as its own"
    said = await ask(f'plugin load "{plugin}"')
    if "error" in said:
        return f"SOS is not loaded: {said.strip()[:300]}"
    if clr is not None:
        await ask(f'setclrpath "{clr}"')
    return ""
