"""Minidumps of Windows, Breakpad, Crashpad and minidump-writer, read by our own code."""

from pathlib import Path

from workbench.model.target import Target, TargetKind
from workbench.targets.errors import TargetError
from workbench.targets.match import Search
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.probes import PROBES
from workbench.targets.minidump.streams import MAGIC, MAGIC_SWAPPED
from workbench.targets.open_file import check_sysroot, open_file
from workbench.targets.plain import one_line
from workbench.targets.probing import ProbingReader

__all__ = ["open_minidump", "recognise"]

_ANOTHER = "make another dump with room on the disk"


def recognise(path: Path, executable: Path | None, sysroot: Path | None) -> Target:
    """What a minidump is of. Raises ``TargetError``."""
    with _open(path, executable, sysroot) as dump:
        program = dump.program
        return Target(
            path=str(path.absolute()),
            kind=TargetKind.MINIDUMP,
            size=dump.size,
            arch=dump.arch,
            os=dump.system.os,
            executable=_executable(dump, executable),
            recorded_executable=program.path if program is not None else None,
            pid=dump.pid,
            signal=_ending(dump),
            thread_count=len(dump.all_threads),
            runtime=dump.runtime,
        )


def _ending(dump: MinidumpFile) -> str | None:
    """What ended the process, in a word: a signal's name, an NTSTATUS, a Mach exception's name."""
    record = dump.record
    if record is None or not dump.crashed:
        return None
    if dump.signal is not None:
        return dump.signal.name
    return f"{record.code:08x}" if record.platform == "windows" else record.name.split(" / ")[0]


def open_minidump(
    path: Path, executable: Path | None = None, sysroot: Path | None = None
) -> ProbingReader[MinidumpFile]:
    """Open a minidump for its probes. Raises ``TargetError``."""
    return ProbingReader(_open(path, executable, sysroot), PROBES, "a minidump")


def _executable(dump: MinidumpFile, given: Path | None) -> str | None:
    """The program's file: the one that is named, else the one that is known to be it."""
    program = dump.program
    file = given
    if file is None and program is not None and program.trusted:
        file = program.file
    return str(file.absolute()) if file is not None else None


def _open(path: Path, executable: Path | None, sysroot: Path | None) -> MinidumpFile:
    name = one_line(str(path))
    if executable is not None and not executable.is_file():
        where = one_line(str(executable))
        raise TargetError(where, "no such program", "check the path that --exe names")
    check_sysroot(sysroot)
    file = open_file(path, "the minidump", keep=True)
    try:
        if file[0:4] not in (MAGIC, MAGIC_SWAPPED):
            raise TargetError(name, "it is no minidump", "pass a file that begins with MDMP")
        dump = MinidumpFile(file, Search(executable, sysroot, path.absolute().parent))
        if not dump.streams.entries:
            why = "; ".join(dump.streams.damage) or "its stream directory is empty"
            raise TargetError(name, f"it is a minidump that holds nothing: {why}", _ANOTHER)
    except BaseException:
        file.close()
        raise
    return dump
