"""Takes a core of a running process, which stands still only while its memory is copied."""

import os
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from workbench.live import core_notes as notes
from workbench.live import ptrace
from workbench.live.process import Identity, Mapping, identity, mappings, signal_masks, threads
from workbench.targets.errors import TargetError

_MACHINES = {"x86_64": 62, "aarch64": 183, "riscv64": 243}
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PIECE = 1 << 20
_EMPTY = bytes(_PIECE)
_ELF, _PROGRAM, _SECTION = 64, 56, 64
_ROUNDS = 10  # of looking for threads that were born meanwhile
_MANY = 0xFFFF  # PN_XNUM: the number of segments stands in section 0 (elf(5))
_SMALLEST_REGISTERS = 200  # bytes; a 32-bit process has fewer


class Taken(Struct, frozen=True, kw_only=True):
    """A core that was taken. ``stopped`` is how long the process stood still, in seconds."""

    path: Path
    threads: int
    size: int
    stopped: float


def take_core(pid: int, path: Path) -> Taken:
    """Write the core of process ``pid`` to ``path`` (created, 0600). Raises `TargetError`, and
    `OSError` when it cannot be written; nothing is left there then."""
    who = _who(pid)
    machine = _MACHINES.get(os.uname().machine)
    if machine is None or sys.byteorder != "little":
        raise TargetError(str(pid), "processes of this machine's kind cannot be read", _BY_HAND)
    tracer = ptrace.Tracer()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb", buffering=0) as file:
            begun = time.monotonic()
            with _stopped(tracer, pid) as tids:
                begun = time.monotonic()
                _write(file, tracer, pid, who, tids, machine)
            stood = time.monotonic() - begun
            size = os.fstat(file.fileno()).st_size
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Taken(path=path, threads=len(tids), size=size, stopped=stood)


_BY_HAND = "make a core with gcore and open that"


def _who(pid: int) -> Identity:
    name = f"process {pid}"
    if not ptrace.supported():
        raise TargetError(name, "only Linux's processes can be read", "open a core instead")
    try:
        who = identity(pid)
    except (OSError, ValueError, KeyError):
        raise TargetError(f"no such {name}", "it is not running", "look it up with ps") from None
    if who.state in "ZX":
        raise TargetError(name, "it has ended already", "open its core instead")
    if pid == os.getpid():
        raise TargetError(name, "it is the workbench itself", "name another process")
    return who


@contextmanager
def _stopped(tracer: ptrace.Tracer, pid: int) -> Iterator[list[int]]:
    """Every thread of the process standing still; they go on at the end, whatever happens."""
    held: list[int] = []
    gone: set[int] = set()
    try:
        for _ in range(_ROUNDS):
            new = [tid for tid in threads(pid) if tid not in held and tid not in gone]
            if not new:
                break
            for tid in new:
                (held.append if tracer.stop(tid) else gone.add)(tid)
        if not held:
            raise TargetError(f"process {pid}", "it ended meanwhile", "look it up with ps")
        yield held
    except ptrace.TracingError as error:
        reason, todo = error.strerror or str(error), _todo(pid)
        raise TargetError(f"process {pid}", f"it cannot be read: {reason}", todo) from None
    except (FileNotFoundError, ProcessLookupError):
        raise TargetError(f"process {pid}", "it ended meanwhile", "look it up with ps") from None
    finally:
        tracer.release()


def _todo(pid: int) -> str:
    """What helps where a process may not be traced: one that is traced already takes no second
    tracer (ptrace(2))."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("TracerPid:") and (tracer := int(line.split()[1])):
                return f"process {tracer} traces it: let that one go first"
    return "run as its owner or with sudo, and see kernel.yama.ptrace_scope"


def _write(
    file: BinaryIO, tracer: ptrace.Tracer, pid: int, who: Identity, tids: list[int], machine: int
) -> None:
    mapped = mappings(pid)
    described = _notes(tracer, pid, who, tids, mapped)
    count = len(mapped) + 1
    many = count >= _MANY
    tables = _ELF + count * _PROGRAM + (_SECTION if many else 0)
    at = _page_up(tables + len(described))
    programs = [_program(4, 0, tables, 0, len(described), 0)]
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        for mapping in mapped:
            wanted = _wanted(memory, mapping)
            copied = _copy(memory, mapping.start, wanted, file, at) if wanted else 0
            size = mapping.end - mapping.start
            flags = sum(bit for letter, bit in zip("rwx", (4, 2, 1), strict=True)
                        if letter in mapping.perms)  # fmt: skip
            programs.append(_program(1, flags, at, mapping.start, copied, size))
            at = _page_up(at + copied)
    finally:
        os.close(memory)
    file.truncate(at)
    file.seek(0)
    file.write(_header(machine, _MANY if many else count, _ELF + count * _PROGRAM if many else 0))
    file.write(b"".join(programs))
    if many:
        file.write(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, count, 0, 0))
    file.write(described)


def _notes(
    tracer: ptrace.Tracer, pid: int, who: Identity, tids: list[int], mapped: list[Mapping]
) -> bytes:
    parts: list[bytes] = []
    for tid in tids:
        registers = tracer.registers(tid, ptrace.NT_PRSTATUS)
        if registers is None:
            continue
        if len(registers) < _SMALLEST_REGISTERS:
            raise TargetError(f"process {pid}", "it is a 32-bit process", _BY_HAND)
        parts.append(notes.prstatus(who, tid, signal_masks(pid, tid), registers))
        if len(parts) == 1:
            parts.append(notes.prpsinfo(who, pid))
            with suppress(OSError):
                parts.append(notes.auxv(Path(f"/proc/{pid}/auxv").read_bytes()))
            parts.append(notes.files(mapped, _PAGE))
        if floating := tracer.registers(tid, ptrace.NT_FPREGSET):
            parts.append(notes.note(ptrace.NT_FPREGSET, floating))
        if extended := tracer.registers(tid, ptrace.NT_X86_XSTATE):
            parts.append(notes.note(ptrace.NT_X86_XSTATE, extended, b"LINUX"))
    return b"".join(parts)


def _wanted(memory: int, mapping: Mapping) -> int:
    """How many bytes of a mapping belong into the core: all of the process's own memory, and the
    first page of each ELF file, which holds its build id (core(5))."""
    if mapping.wanted:
        return mapping.end - mapping.start
    if mapping.offset == 0 and mapping.path.startswith("/") and "r" in mapping.perms:
        with suppress(OSError):
            if os.pread(memory, 4, mapping.start) == b"\x7fELF":
                return min(_PAGE, mapping.end - mapping.start)
    return 0


def _copy(memory: int, start: int, size: int, file: BinaryIO, at: int) -> int:
    """Copy memory to a place in the file, empty pieces as holes; returns how much could be read."""
    done = 0
    while done < size:
        want = min(_PIECE, size - done)
        try:
            part = os.pread(memory, want, start + done)
        except OSError:
            part = b""
        if part and part != (_EMPTY if len(part) == _PIECE else bytes(len(part))):
            os.pwrite(file.fileno(), part, at + done)
        done += len(part)
        if len(part) < want:
            break
    return done


def _page_up(position: int) -> int:
    return -(-position // _PAGE) * _PAGE


def _program(kind: int, flags: int, offset: int, address: int, size: int, spans: int) -> bytes:
    align = _PAGE if kind == 1 else 4
    return struct.pack("<IIQQQQQQ", kind, flags, offset, address, 0, size, spans, align)


def _header(machine: int, count: int, section: int) -> bytes:
    """The ELF header of a core with its program headers right behind it."""
    magic = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    fields = (4, machine, 1, 0, _ELF, section, 0, _ELF, _PROGRAM, count)
    sections = (_SECTION, 1, 0) if section else (0, 0, 0)
    return magic + struct.pack("<HHIQQQIHHHHHH", *fields, *sections)
