"""A minidump opened for reading: what its streams record, and the memory that it holds."""

from functools import cached_property
from struct import Struct as Packed

from workbench.model.facts import Region
from workbench.targets.dump import Dump
from workbench.targets.files import FileBytes
from workbench.targets.minidump import extras, mapping
from workbench.targets.minidump import memory as held_memory
from workbench.targets.minidump.contexts import Context
from workbench.targets.minidump.equivalent import equivalent
from workbench.targets.minidump.exception import Record, read_exception, signal_of
from workbench.targets.minidump.files import Places, read_file, with_files
from workbench.targets.minidump.mapping import Mapping
from workbench.targets.minidump.memory import Held
from workbench.targets.minidump.modules import (
    DumpModule,
    UnloadedModule,
    last_part,
    read_modules,
    read_unloaded,
)
from workbench.targets.minidump.pe import PeImage
from workbench.targets.minidump.streams import Streams
from workbench.targets.minidump.system import read_system
from workbench.targets.minidump.threads import DumpThread, read_threads
from workbench.targets.notes import CoreThread
from workbench.targets.siginfo import SigInfo

_USER_TOP = {32: 1 << 32, 64: 1 << 47}
_RUNTIMES = frozenset({"coreclr.dll", "clr.dll", "libcoreclr.so", "libcoreclr.dylib"})


class MinidumpFile(Dump):
    """A minidump as a `Dump`. Every stream is read on opening, bounded by
    what the file holds, and what cannot be read is in ``streams.damage``."""

    def __init__(self, file: FileBytes, places: Places | None = None) -> None:
        self.streams = Streams(file)
        self.system = read_system(self.streams)
        self.arch = self.system.arch
        self.bits = self.system.bits
        self.little_endian = self.streams.raw.order == "<"
        self.record: Record | None = read_exception(self.streams, self.system)
        self.all_threads: list[DumpThread] = read_threads(self.streams, self.system)
        self.loaded: list[DumpModule] = read_modules(self.streams)
        if places is not None and self.system.family == "linux":
            self.loaded = with_files(self.loaded, places)
        self.held: list[Held] = held_memory.read_held(self.streams, self.all_threads)
        self.mapped: list[Mapping] = mapping.read_map(self.streams, self.loaded)
        if self._runs_32_bits():
            self.arch, self.bits = "i386", 32
        self.misc = extras.read_misc(self.streams)
        self.asked = extras.read_asked(self.streams)
        self.auxv = extras.read_auxv(self.streams, self.bits)
        self._images: dict[int, PeImage | None] = {}
        order = self.streams.raw.order
        super().__init__(
            file, held_memory.extents(self.held), Packed(order + ("Q" if self.bits == 64 else "I"))
        )

    def _runs_32_bits(self) -> bool:
        """True when every context of a 64-bit dump is a 32-bit one."""
        contexts = [thread.context for thread in self.all_threads]
        if self.record is not None:
            contexts.append(self.record.context)
        known = {context.cpu for context in contexts if context is not None}
        return self.system.cpu == "amd64" and known == {"x86"}

    # --- what made it ---------------------------------------------------------------------------

    @property
    def crashed(self) -> bool:
        """True when an exception ended the process, and nobody merely asked for a dump."""
        return self.record is not None and not self.record.requested

    @cached_property
    def signal(self) -> SigInfo | None:
        """The signal of a Linux dump."""
        return signal_of(self.record) if self.record is not None else None

    @cached_property
    def siginfo(self) -> SigInfo | None:
        """The signal that stands for the exception; see `equivalent`."""
        return equivalent(self.record) if self.record is not None and self.crashed else None

    @cached_property
    def pid(self) -> int | None:
        """The process id, where a stream tells it."""
        return self.misc.pid or extras.status_pid(self.streams)

    @cached_property
    def first_thread(self) -> int | None:
        """The thread that the dump is about: that of the exception, else the one that asked."""
        if self.record is not None:
            return self.record.thread
        if self.asked.requester is not None:
            return self.asked.requester
        return self.all_threads[0].tid if self.all_threads else None

    # --- threads --------------------------------------------------------------------------------

    @cached_property
    def threads(self) -> tuple[CoreThread, ...]:
        """The threads, the one that the dump is about first; its registers are those of the
        exception, since its own context may be that of the handler."""
        found = [self._thread(t.tid, self.context(t)) for t in self.all_threads]
        record = self.record
        listed = {thread.tid for thread in self.all_threads}
        if record is not None and record.context is not None and record.thread not in listed:
            found.append(self._thread(record.thread, record.context))
        return tuple(sorted(found, key=lambda t: t.tid != self.first_thread))

    def context(self, thread: DumpThread) -> Context | None:
        """A thread's registers, at the exception for the one that had it."""
        record = self.record
        if record is not None and record.thread == thread.tid and record.context is not None:
            return record.context
        return thread.context

    def _thread(self, tid: int, context: Context | None) -> CoreThread:
        record = self.record
        number = self.siginfo.number if self.siginfo is not None else 0
        hit = self.crashed and record is not None and record.thread == tid
        return CoreThread(
            tid=tid,
            registers=context.registers if context is not None else {},
            signal=number if hit else 0,
            fs_base=None,
            pc=context.pc if context is not None else None,
            sp=context.sp if context is not None else None,
            syscall=None,
        )

    def context_of(self, tid: int) -> Context | None:
        """The registers of the thread with this id."""
        for thread in self.all_threads:
            if thread.tid == tid:
                return self.context(thread)
        record = self.record
        return record.context if record is not None and record.thread == tid else None

    # --- memory and modules ---------------------------------------------------------------------

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The memory map in address order; see `mapping.build_regions`."""
        pieces = self.mapped or mapping.guessed_map(
            self.held, self.loaded, self._at_exception, _USER_TOP[self.bits], self._refused()
        )
        return tuple(mapping.build_regions(pieces, self.coverage, self._at_exception))

    @cached_property
    def coverage(self) -> held_memory.Coverage:
        """Which memory the dump holds."""
        return held_memory.Coverage(self.held)

    def _refused(self) -> tuple[int, str] | None:
        """An address that memory refused, and the access to it: proof, where no map says more."""
        record = self.record
        if record is None or record.data is None or not self.crashed:
            return None
        if record.access is not None:
            return record.data, record.access
        instruction = record.context.pc if record.context is not None else None
        return (record.data, "execute") if record.data == instruction else None

    @cached_property
    def _at_exception(self) -> list[DumpThread]:
        """The threads, the first one first, so that a stack is of the one that matters."""
        return sorted(self.all_threads, key=lambda t: t.tid != self.first_thread)

    @cached_property
    def modules(self) -> tuple[DumpModule, ...]:
        """Loaded modules in address order."""
        return tuple(sorted(self.loaded, key=lambda module: module.base))

    @cached_property
    def unloaded(self) -> list[UnloadedModule]:
        """Modules that were unloaded before."""
        return read_unloaded(self.streams)

    @cached_property
    def program(self) -> DumpModule | None:
        """The executable: every writer puts it first."""
        return self.loaded[0] if self.loaded else None

    @cached_property
    def runtime(self) -> str | None:
        """``coreclr`` where .NET's runtime is loaded."""
        names = {last_part(module.path).lower() for module in self.loaded}
        return "coreclr" if names & _RUNTIMES else None

    def symbolize(self, address: int) -> tuple[str, int] | None:
        """The function that holds an address and the distance from its start: where the module's
        file is here, or where Windows' image is in the dump and exports it."""
        if self.system.family != "windows":
            return super().symbolize(address)
        module = self.module_at(address)
        image = self.image(module.base) if module is not None else None
        return image.name(address - image.base) if image is not None else None

    def image(self, base: int) -> PeImage | None:
        """Windows' image of the module at an address, as far as the dump holds it."""
        if base not in self._images:
            image = PeImage(self.read_dumped, base)
            self._images[base] = image if image.machine else None
        return self._images[base]

    def read(self, address: int, size: int) -> bytes | None:
        """``size`` bytes: what the dump holds, else what a module's own file holds."""
        raw = super().read(address, size)
        if raw is not None or size <= 0:
            return raw
        module = self.module_at(address)
        return read_file(module, address, size) if module is not None else None
