"""An ELF core opened for reading: what it records, and its memory.

The file is never loaded as a whole; what its bytes claim is bounded by what is there. Memory that
was not dumped is read from the mapped file on this machine when nothing speaks against that file.
"""

import shlex
import struct
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from workbench.model.facts import Region
from workbench.targets import modules as module_search
from workbench.targets import regions as memory_map
from workbench.targets.dump import AddressSpace, Dump
from workbench.targets.elf import PF_R, PF_W, PF_X, PT_LOAD, PT_NOTE, Header, parse_segments
from workbench.targets.extents import Extent, extents
from workbench.targets.files import FileBytes
from workbench.targets.image import Read
from workbench.targets.managed import copied_by_createdump
from workbench.targets.match import Mapped, Search, places
from workbench.targets.modules import CoreModule
from workbench.targets.notes import CoreThread, Notes, read_notes
from workbench.targets.regions import AT_ENTRY, AT_EXECFN, AT_PHDR, AT_SYSINFO_EHDR
from workbench.targets.siginfo import HARMLESS, SigInfo
from workbench.targets.signal_frame import Interrupted, interrupted
from workbench.targets.unnamed import name_images

__all__ = ["CoreFile", "CoreModule", "CoreThread", "SigInfo"]

SIGINT, SIGTRAP = 2, 5

_PAGE = 1 << 16  # the largest of a Linux system
_MAX_VDSO = 1 << 20


class CoreFile(Dump):
    """A core. Use ``identify.open_core``, and as a context manager."""

    def __init__(
        self, file: FileBytes, header: Header, executable: Path | None, sysroot: Path | None
    ) -> None:
        self.header = header
        self.arch = header.arch
        self.bits = header.bits
        self.little_endian = header.little_endian
        self.segments = parse_segments(file, header)
        self.notes: Notes = read_notes(
            file, header, [s for s in self.segments if s.type == PT_NOTE]
        )
        super().__init__(
            file,
            extents(self.segments, self.notes.files, file, self.notes.by_debugger),
            header.word,
        )
        self.auxv = self.notes.auxv
        self._search = Search(
            executable, sysroot, file.path.absolute().parent, self.auxv.get(AT_ENTRY)
        )
        self.pid = self.notes.pid or (self.notes.threads[0].tid if self.notes.threads else None)
        if not self.notes.files:
            self.extents = name_images(
                AddressSpace(file, self.extents, header.word),
                self.auxv,
                self._started_as(),
                places(self._started_as() or self.notes.name or "", self._search, True),
            )

    @property
    def by_debugger(self) -> bool:
        """True when a debugger wrote the core and not the kernel."""
        return self.notes.by_debugger

    @property
    def truncated(self) -> bool:
        """True when the file ends before what it announces."""
        if self.notes.cut or len(self.segments) < self.header.phnum:
            return True
        return any(s.offset + s.filesz > self.size for s in self.segments)

    @cached_property
    def interrupted(self) -> Interrupted | None:
        """The first signal that a handler of the process was still at work on when another one
        ended it: the one to explain."""
        known = enumerate(self.notes.threads)
        hit = next((thread for number, thread in known if thread.signal or not number), None)
        return interrupted(self, hit) if hit is not None and not self.snapshot else None

    @cached_property
    def threads(self) -> tuple[CoreThread, ...]:
        """The threads as they stopped; the one whose first signal was caught as it was then."""
        first = self.interrupted
        return tuple(
            first.thread if first is not None and thread.tid == first.thread.tid else thread
            for thread in self.notes.threads
        )

    @cached_property
    def siginfo(self) -> SigInfo | None:
        """The record of the signal to explain."""
        return self.interrupted.info if self.interrupted is not None else self.notes.signal

    @cached_property
    def signal(self) -> int | None:
        """The number of the signal that ended the first thread, None when there was none."""
        first = self.notes.threads[0].signal if self.notes.threads else 0
        number = first or (self.notes.signal.number if self.notes.signal else 0)
        return number or None

    @cached_property
    def snapshot(self) -> bool:
        """True when the process lived on: no signal, one that ends nothing, or a debugger's stop.

        gdb writes pr_cursig 0 and the SIGSTOP of its own attaching; at a breakpoint SIGTRAP.
        """
        number = self.signal
        if number is None or number in HARMLESS:
            return bool(self.notes.threads)
        if (
            self.by_debugger
            and self.notes.signal is None
            and copied_by_createdump(tuple(self.notes.threads), self.arch)
        ):
            return True
        if not self.by_debugger or number not in (SIGINT, SIGTRAP):
            return False
        return number == SIGINT or not self._stands_behind_int3()

    # --- what was mapped ------------------------------------------------------------------------

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The memory map in address order."""
        return tuple(
            memory_map.regions(
                self.extents,
                self.notes.threads,
                self.auxv,
                self._program_end(),
                self._arenas(),
                self._flags_of,
            )
        )

    @cached_property
    def modules(self) -> tuple[CoreModule, ...]:
        """Mapped executables and libraries in address order, the vDSO as ``[vdso]``."""
        found = module_search.load_modules(
            self._mapped, self.read_dumped, self._search, self._program_path
        )
        vdso = self.extent(self.auxv.get(AT_SYSINFO_EHDR, 0))
        if vdso is not None and vdso.path is None and vdso.end - vdso.start <= _MAX_VDSO:
            module = module_search.vdso_module(vdso.start, vdso.end - vdso.start, self.read_dumped)
            if module is not None:
                found.append(module)
        return tuple(sorted(found, key=lambda module: module.base))

    @cached_property
    def left_out(self) -> tuple[tuple[int, int], ...]:
        """Where writable memory of no file was that the dump does not hold. The zeros behind a
        file's data (.bss) are none of it, where other anonymous memory was written: the kernel
        leaves out what nobody wrote (vma_dump_size in fs/coredump.c)."""
        own = [one for one in self.extents if one.writable and one.path is None]
        asked = [(m.bias + s.vaddr, s.memsz) for m in self.modules for s in m.segments]

        def zeros(one: Extent) -> bool:
            """True within what a program header asks for, whole pages."""
            return not one.announced and any(
                start < one.start < start + size and one.end - start - size < _PAGE
                for start, size in asked
            )

        there = any(one.announced for one in own)
        return tuple(
            (one.start + one.announced, one.end)
            for one in own
            if one.start + one.announced < one.end and not (there and zeros(one))
        )

    @cached_property
    def program(self) -> CoreModule | None:
        """The executable among the modules."""
        path = self._program_path
        return next((module for module in self.modules if module.path == path), None)

    @cached_property
    def program_as_recorded(self) -> CoreModule | None:
        """The very program that crashed, where it lies where the dump says, or beside the dump:
        whatever other file was named for it."""
        search, path = replace(self._search, executable=None), self._program_path
        mapped = [item for item in self._mapped if item.path == path]
        found = module_search.load_modules(mapped, self.read_dumped, search, path)
        return next((module for module in found if module.status == "found"), None)

    @cached_property
    def command_line(self) -> str | None:
        """The arguments, quoted for a shell, from the stack; where they are not found there as
        noted, which tells no spaces of an argument from those between two."""
        noted = self.notes.command_line
        top = self.extent(self.auxv.get(AT_EXECFN, 0))
        if top is None or not top.writable:
            return noted
        stack = (top.start, min(top.end, top.start + top.present))
        return command_line(self.read_dumped, self.header.word, stack, self.auxv) or noted

    @cached_property
    def recorded_executable(self) -> str | None:
        """The executable's path as the dump records it."""
        return self._program_path or self._started_as() or self.notes.name or None

    # --- within ---------------------------------------------------------------------------------

    def _undumped(self, extent: Extent, skipped: int, size: int) -> bytes | None:
        """Bytes that were mapped from a file and cannot have been changed."""
        if extent.path is None or extent.writable:
            return None
        module = self.module_at(extent.start)
        if module is None or module.image is None or not module.trusted:
            return None
        if module.image.is_debug_only:
            return None
        if module.image.writable_at(extent.start + skipped - module.bias):
            return None
        at = extent.offset + skipped
        return module.image.data[at : at + size]

    @cached_property
    def _mapped(self) -> list[Mapped]:
        return module_search.mapped_images(self.extents)

    @cached_property
    def _program_path(self) -> str | None:
        """The path of the mapping that holds the program's headers or its entry point."""
        for key in (AT_PHDR, AT_ENTRY):
            extent = self.extent(self.auxv.get(key, 0))
            if extent is not None and extent.path is not None:
                return extent.path
        return self._mapped[0].path if self._mapped else None

    def _started_as(self) -> str | None:
        """The path that was given to execve(2)."""
        at = self.auxv.get(AT_EXECFN)
        raw = self.read_cstring(at) if at else None
        return raw.decode("utf-8", "surrogateescape") if raw else None

    def _program_end(self) -> int | None:
        """Where the program's image ends in memory, .bss included."""
        program = self.program
        if program is None:
            return None
        loads = [s.vaddr + s.memsz for s in program.segments if s.type == PT_LOAD]
        return max(loads) + program.bias if loads else program.end

    def _flags_of(self, extent: Extent) -> int | None:
        """The permissions that a module's own headers ask for."""
        module = self.module_at(extent.start)
        if module is None or extent.path != module.path:
            return None
        for segment in module.segments:
            if segment.type == PT_LOAD and (
                segment.vaddr <= extent.end - 1 - module.bias
                and extent.start - module.bias < segment.vaddr + segment.memsz
            ):
                return segment.flags & (PF_R | PF_W | PF_X)
        return None

    def _stands_behind_int3(self) -> bool:
        """A breakpoint instruction of the program's own: gdb hides its own and steps pc back."""
        first = self.notes.threads[0] if self.notes.threads else None
        if self.arch not in ("x86_64", "i386") or first is None or not first.pc:
            return False
        return self.read(first.pc - 1, 1) == b"\xcc"

    def _arenas(self) -> set[int]:
        """Regions that start with glibc's ``heap_info``: its first word points at an arena, which
        lies right behind the first heap_info of that arena (malloc/arena.c)."""
        if self.bits != 64:
            return set()
        found = set()
        for start in memory_map.arena_candidates(self.extents):
            arena = self.read_word(start)
            if arena is not None and 0 < arena % (1 << 26) <= 64 and self.extent(arena):
                found.add(start)
        return found


# At exec the kernel writes argc, the pointers of argv, NULL, those of envp, NULL and the auxiliary
# vector (create_elf_tables in fs/binfmt_elf.c); the vector is also a note, so that its bytes are
# found in the stack, and the pointers lie right before it. NT_PRPSINFO keeps 80 bytes only.
_STACK_SIZE = 8 << 20  # a stack's usual limit; arguments may take a quarter of it (execve(2))
_MOST_ARGUMENTS = 4096
_MAX_LENGTH = 4096


def command_line(
    read: Read, word: struct.Struct, stack: tuple[int, int], auxv: dict[int, int]
) -> str | None:
    """Arguments, quoted for a shell, at most 4096 characters; None when they are not found.

    ``stack`` is the span of the first thread's stack.
    """
    start, end = max(stack[0], stack[1] - _STACK_SIZE), stack[1]
    raw = read(start, end - start)
    if raw is None or not auxv:
        return None
    vector = b"".join(word.pack(key) + word.pack(value) for key, value in auxv.items())
    at = raw.rfind(vector)
    pointers = _pointers_before(raw, at, word, end) if at > 0 else None
    if not pointers:
        return None
    parts: list[str] = []
    length = 0
    for pointer in pointers:
        stop = raw.find(b"\0", pointer - start)
        if pointer < start or stop < 0:
            return None
        part = raw[pointer - start : stop].decode("utf-8", "surrogateescape")
        length += len(part) + 1
        parts.append(part)
        if length > _MAX_LENGTH:
            break
    return shlex.join(parts)[:_MAX_LENGTH]


def _pointers_before(raw: bytes, at: int, word: struct.Struct, end: int) -> list[int] | None:
    """argv's pointers: before the vector stand NULL, envp, NULL, argv, argc."""
    runs: list[list[int]] = [[], []]
    position = at - 2 * word.size
    for run in runs:
        while position >= 0 and len(run) <= _MOST_ARGUMENTS:
            (value,) = word.unpack_from(raw, position)
            position -= word.size
            if not value:
                break
            # The run of argv ends at argc, which says how many there were.
            if run is runs[1] and value == len(run):
                return run[::-1]
            if value >= end:
                return None
            run.append(value)
    return None
