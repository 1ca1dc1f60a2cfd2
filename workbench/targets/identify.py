"""Says what a target is, or in one line why it is none and what to do."""

from collections.abc import Callable
from contextlib import nullcontext, suppress
from importlib import import_module
from pathlib import Path

from workbench.model.target import Target, TargetKind
from workbench.targets import siginfo
from workbench.targets.core import CoreFile
from workbench.targets.elf import ET_CORE, ET_DYN, ET_EXEC, ElfError, Header, parse_header
from workbench.targets.errors import TargetError
from workbench.targets.files import Buffer, FileBytes
from workbench.targets.managed import mapped_runtime
from workbench.targets.open_file import check_sysroot, is_text, open_file
from workbench.targets.plain import one_line

Recognise = Callable[[Path, Path | None, Path | None], Target]

_MAKE_ANOTHER = "make another dump with ulimit -c unlimited and room on the disk"

# First bytes of what people take for a core: what it is, and what to do.
_PACKED = {
    b"\x1f\x8b": ("gzip", "gzip -dk"), b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dk"),
    b"\x04\x22\x4d\x18": ("lz4", "lz4 -dk"), b"\xfd7zXZ\0": ("xz", "xz -dk"),
    b"BZh": ("bzip2", "bzip2 -dk"), b"PK\x03\x04": ("zip", "unzip"),
}  # fmt: skip
_LATER = "not supported yet by this version"
_OTHERS = {
    b"PAGEDU64": ("a Windows kernel dump", _LATER),
    b"PAGEDUMP": ("a Windows kernel dump", _LATER),
    b"KDUMP   ": ("a Linux kernel dump", "open it with crash(8)"),
}


# First bytes of formats with a reader of their own: its package has `recognise`.
_FORMATS: dict[bytes, str] = {
    b"MDMP": "workbench.targets.minidump", b"PMDM": "workbench.targets.minidump",
    b"\xcf\xfa\xed\xfe": "workbench.targets.macho", b"\xce\xfa\xed\xfe": "workbench.targets.macho",
    b"\xfe\xed\xfa\xcf": "workbench.targets.macho", b"\xfe\xed\xfa\xce": "workbench.targets.macho",
    b"\xca\xfe\xba\xbe\0\0\0": "workbench.targets.macho",
    b"\xca\xfe\xba\xbf\0\0\0": "workbench.targets.macho",
}  # fmt: skip


def identify(path: Path, executable: Path | None = None, sysroot: Path | None = None) -> Target:
    """Recognise a target; raises ``TargetError``.

    Paths are made absolute, since a session may be taken up from another folder.
    """
    head = _head(path)
    for magic, package in _FORMATS.items():
        if head.startswith(magic):
            recognise: Recognise = import_module(package).recognise
            return recognise(path, executable, sysroot)
    if head and not head.startswith((b"\x7fELF", *_OTHERS)):
        log: Recognise = import_module("workbench.targets.transcript").recognise
        with suppress(TargetError) if head.startswith(tuple(_PACKED)) else nullcontext():
            return log(path, executable, sysroot)
    return _recognise_core(path, executable, sysroot)


def _head(path: Path) -> bytes:
    """A file's first bytes; none where it cannot be read, which is said when it is opened."""
    try:
        with FileBytes(path) as file:
            return bytes(file[0:16])
    except (OSError, ValueError):
        return b""


def _recognise_core(path: Path, executable: Path | None, sysroot: Path | None) -> Target:
    with open_core(path, executable, sysroot) as core:
        program = core.program
        file = program.file if program is not None and program.trusted else None
        runtime = mapped_runtime(region.path for region in core.regions)
        return Target(
            path=str(path.absolute()),
            kind=TargetKind.ELF_CORE,
            size=core.size,
            arch=core.arch,
            os="linux",
            executable=str(file.absolute()) if file and is_text(str(file)) else None,
            recorded_executable=_shown(core.recorded_executable),
            pid=core.pid,
            signal=None if core.snapshot or core.signal is None else siginfo.name(core.signal),
            thread_count=len(core.notes.threads),
            runtime=runtime[0] if runtime is not None else None,
            runtime_path=_installed(core, runtime[1], sysroot) if runtime is not None else None,
            files=_right_files(core),
            left_out=core.left_out,
        )


def _right_files(core: CoreFile) -> tuple[tuple[str, str | None], ...] | None:
    """The files that may be loaded, where some file here is not the one that was mapped."""
    if all(module.status != "mismatched" for module in core.modules):
        return None
    found = []
    for module in core.modules:
        path = module.path.removesuffix(" (deleted)")
        file = str(module.file.absolute()) if module.file is not None else None
        if file is not None and is_text(path + file):
            found.append((path, file if module.trusted else None))
    return tuple(found)


def _installed(core: CoreFile, path: str, sysroot: Path | None) -> str | None:
    """The file installed on this machine that is the mapped one, by its build id. One below the
    sysroot came from the machine that crashed: it is read, and code beside it is never run."""
    for module in core.modules:
        if module.path == path and module.file is not None and module.status == "found":
            file = str(module.file.absolute())
            if sysroot is not None and module.file.resolve().is_relative_to(sysroot.resolve()):
                return None
            return file if is_text(file) else None
    return None


def open_core(path: Path, executable: Path | None = None, sysroot: Path | None = None) -> CoreFile:
    """Open an ELF core for reading; raises ``TargetError``.

    ``executable`` is the program that the user names, ``sysroot`` the folder that holds the files
    of the machine that crashed. A core that is cut opens as long as one thread can be read.
    """
    name = one_line(str(path))
    file = open_file(path, "the core", keep=True)
    try:
        header = _core_header(file, name, executable)
        if executable is not None:
            _check_executable(executable, header)
        check_sysroot(sysroot)
        core = CoreFile(file, header, executable, sysroot)
        _check_content(core, name)
    except BaseException:
        file.close()
        raise
    return core


def _core_header(data: Buffer, name: str, executable: Path | None) -> Header:
    if not data:
        raise TargetError(name, "the file is empty", _MAKE_ANOTHER)
    head = data[0:16]
    for magic, (packing, command) in _PACKED.items():
        if head.startswith(magic):
            raise TargetError(name, f"it is packed with {packing}", f"unpack it: {command} {name}")
    for magic, (what, todo) in _OTHERS.items():
        if head.startswith(magic):
            raise TargetError(name, f"it is {what}", todo)
    if not head.startswith(b"\x7fELF"):
        raise TargetError(name, "it is not a dump", "pass an ELF core file")
    try:
        header = parse_header(data)
    except ElfError as error:
        raise TargetError(name, str(error), _MAKE_ANOTHER) from None
    if header.type != ET_CORE:
        raise _not_a_core(name, header, executable)
    return header


def _not_a_core(name: str, header: Header, executable: Path | None) -> TargetError:
    if executable is not None and _is_core(executable):
        other = one_line(str(executable))
        return TargetError(
            name, "core and program are swapped", f"pass {other} as the core and --exe {name}"
        )
    if header.type in (ET_EXEC, ET_DYN):
        return TargetError(
            name, "it is a program or library, not a core", f"pass the core, and --exe {name}"
        )
    return TargetError(name, "it is an ELF file but not a core", "pass an ELF core file")


def _is_core(path: Path) -> bool:
    try:
        with FileBytes(path) as file:
            return parse_header(file).type == ET_CORE
    except (OSError, ValueError, ElfError):
        return False


def _check_executable(path: Path, core: Header) -> None:
    name = one_line(str(path))
    with open_file(path, "the program") as file:
        if file[0:2] == b"#!":
            raise TargetError(name, "it is a script", "pass the interpreter that ran it as --exe")
        try:
            header = parse_header(file)
        except ElfError as error:
            raise TargetError(name, str(error), "pass the ELF program that crashed") from None
    if header.type == ET_CORE:
        raise TargetError(name, "it is a core, not a program", "pass the program as --exe")
    if (header.machine, header.bits) != (core.machine, core.bits):
        why = f"it is built for {header.arch}, the core is from {core.arch}"
        raise TargetError(name, why, "pass the program that crashed as --exe")


def _check_content(core: CoreFile, name: str) -> None:
    if core.notes.threads:
        return
    if len(core.segments) < core.header.phnum or core.notes.cut or core.truncated:
        raise TargetError(name, "it is cut off before its threads are described", _MAKE_ANOTHER)
    if core.notes.owners and "CORE" not in core.notes.owners:
        owners = one_line(", ".join(sorted(core.notes.owners)), 80)
        raise TargetError(name, f"its notes are not Linux's ({owners})", "pass a Linux core")
    raise TargetError(name, "it describes no thread", "pass the core of a user process")


def _shown(text: str | None) -> str | None:
    return None if text is None else one_line(text)
