"""Mach-O cores of macOS, x86_64 and arm64: the kernel's, or those of lldb's ``save-core``."""

from pathlib import Path

from workbench.model.target import Target, TargetKind
from workbench.targets.errors import TargetError
from workbench.targets.files import FileBytes
from workbench.targets.macho import layout
from workbench.targets.macho.core import MachCore
from workbench.targets.macho.probes import PROBES
from workbench.targets.match import Search
from workbench.targets.minidump import codes_macos
from workbench.targets.open_file import open_file
from workbench.targets.plain import one_line
from workbench.targets.probing import ProbingReader

__all__ = ["open_core", "open_macho", "recognise"]

_ANOTHER = "make another core with room on the disk"
_FAT = (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
_JAVA = b"\x2d"  # a class file's version where a universal file has its count of processors
_OLD = (b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xce")
_KINDS = {
    layout.MH_EXECUTE: "a Mach-O program",
    layout.MH_DYLIB: "a Mach-O library",
    layout.MH_DYLINKER: "a Mach-O library",
    layout.MH_BUNDLE: "a Mach-O library",
    layout.MH_DSYM: "the debug symbols of a Mach-O program (dSYM)",
}


def recognise(path: Path, executable: Path | None, sysroot: Path | None) -> Target:
    """What a Mach-O core is of. Raises ``TargetError``."""
    with open_core(path, executable, sysroot) as core:
        program = core.program
        ended = core.exception
        known = program is not None and program.status == "found" and program.file is not None
        return Target(
            path=str(path.absolute()),
            kind=TargetKind.MACHO_CORE,
            size=core.size,
            arch=core.arch,
            os="macos",
            executable=str(program.file.absolute()) if known and program and program.file else None,
            recorded_executable=one_line(program.path) if program is not None else None,
            signal=codes_macos.name(ended.type) if ended is not None else None,
            thread_count=len(core.threads),
        )


def open_macho(
    path: Path, executable: Path | None = None, sysroot: Path | None = None
) -> ProbingReader[MachCore]:
    """Open a Mach-O core for its probes. Raises ``TargetError``."""
    return ProbingReader(open_core(path, executable, sysroot), PROBES, "a Mach-O core")


def open_core(path: Path, executable: Path | None = None, sysroot: Path | None = None) -> MachCore:
    """Open a Mach-O core for reading. Raises ``TargetError``."""
    name = one_line(str(path))
    file = open_file(path, "the core", keep=True)
    try:
        return _opened(file, name, executable, sysroot)
    except BaseException:
        file.close()
        raise


def _opened(file: FileBytes, name: str, executable: Path | None, sysroot: Path | None) -> MachCore:
    head = file[0:4]
    if head in _FAT and file[7:8] >= _JAVA:
        raise TargetError(name, "it is a Java class file, not a dump", "pass a core file")
    if head in _FAT:
        raise TargetError(
            name, "it is a universal file of several processors, not a core", "pass a Mach-O core"
        )
    if head in _OLD:
        raise TargetError(name, "it is a 32-bit Mach-O file", "only 64-bit cores are read")
    if head != layout.MAGIC:
        why = "it is a Mach-O file of a big-endian processor"
        raise TargetError(name, why, "only x86_64 and arm64 are read")
    try:
        commands = layout.parse(file)
    except layout.MachError as error:
        raise TargetError(name, str(error), _ANOTHER) from None
    if commands.filetype != layout.MH_CORE:
        what = _KINDS.get(commands.filetype, "a Mach-O file")
        raise TargetError(name, f"it is {what}, not a core", f"pass the core, and --exe {name}")
    core = MachCore(file, commands, Search(executable, sysroot, file.path.absolute().parent))
    if not core.threads:
        why = "it describes no thread"
        if commands.cut:
            why = "it is cut off before its threads are described"
        raise TargetError(name, why, _ANOTHER)
    return core
