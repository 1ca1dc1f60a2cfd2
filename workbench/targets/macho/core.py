"""A Mach-O core opened for reading: memory, threads, modules, and the exception that is seen."""

import struct
from functools import cached_property
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.facts import Region
from workbench.targets import regions as memory_map
from workbench.targets.dump import Dump
from workbench.targets.elf import PF_R, PF_W, PF_X
from workbench.targets.extents import Extent
from workbench.targets.files import FileBytes
from workbench.targets.macho.exception import SIGNALS, MachException, exception_of
from workbench.targets.macho.images import Image, SymbolTable, find_images, uuid_of_file
from workbench.targets.macho.layout import MH_EXECUTE, Commands, Notes, Segment, read_notes
from workbench.targets.macho.states import State, Trap, read_state
from workbench.targets.match import Search, first_right, places
from workbench.targets.modules import CoreModule
from workbench.targets.notes import CoreThread
from workbench.targets.siginfo import SI_KERNEL, SigInfo
from workbench.targets.spans import START, piece_at

_MOST_THREADS = 100_000
_ENDS = {"x86_64": ("rip", "rsp"), "aarch64": ("pc", "sp")}


class _Part(Struct, frozen=True):
    """[start, end) of one segment of an image."""

    start: int
    end: int
    image: Image


class MachCore(Dump):
    """A Mach-O core as a `Dump`. Use ``workbench.targets.macho.open_core``."""

    bits = 64
    little_endian = True

    def __init__(self, file: FileBytes, commands: Commands, search: Search) -> None:
        self.commands = commands
        self.arch = commands.arch
        self.auxv: dict[int, int] = {}
        self._search = search
        super().__init__(file, _extents(commands.segments, file.size), struct.Struct("<Q"))
        self.notes: Notes = read_notes(file, commands.notes)
        states = [read_state(self.arch, body) for body in commands.threads[:_MOST_THREADS]]
        self._states: dict[int, State] = {}
        unmarked = []
        for index, state in enumerate(states):
            tid = self.notes.thread_ids[index] if index < len(self.notes.thread_ids) else index
            self._states[tid] = state
            unmarked.append(self._thread(tid, state))
        self._name_pieces()
        self._unmarked = unmarked

    # --- what ended it --------------------------------------------------------------------------

    @cached_property
    def exception(self) -> MachException | None:
        """The exception of the first thread whose state shows one that memory explains."""
        for thread in self._unmarked:
            trap = self._states[thread.tid].trap
            found = exception_of(self, thread, trap) if trap is not None else None
            if found is not None:
                return found
        return None

    @cached_property
    def siginfo(self) -> SigInfo | None:
        """The signal that the kernel makes of the exception."""
        found = self.exception
        if found is None:
            return None
        code = 1 if found.data is not None or found.type != 1 else SI_KERNEL
        return SigInfo(SIGNALS[found.type], code, 0, found.data, None, None, b"")

    @cached_property
    def threads(self) -> tuple[CoreThread, ...]:
        """The threads, that of the exception first."""
        found = self.exception
        if found is None:
            return tuple(self._unmarked)
        number = SIGNALS[found.type]
        marked = [replace(t, signal=number if t.tid == found.thread else 0) for t in self._unmarked]
        return tuple(sorted(marked, key=lambda thread: thread.tid != found.thread))

    @property
    def truncated(self) -> bool:
        """True when the file ends before what it announces."""
        return self.commands.cut or any(
            segment.offset + segment.filesize > self.size for segment in self.commands.segments
        )

    # --- memory and modules ---------------------------------------------------------------------

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The memory map in address order."""
        return tuple(
            memory_map.regions(self.extents, self._unmarked, {}, None, set(), lambda _: None)
        )

    @cached_property
    def images(self) -> list[Image]:
        """The programs and libraries in memory."""
        starts = [extent.start for extent in self.extents if extent.present]
        return find_images(self._file, self, self.commands.notes, starts)

    @cached_property
    def modules(self) -> tuple[CoreModule, ...]:
        """The images as modules in address order."""
        return tuple(self._module(image) for image in self.images)

    @cached_property
    def program(self) -> CoreModule | None:
        """The executable."""
        for image, module in zip(self.images, self.modules, strict=True):
            if image.commands.filetype == MH_EXECUTE:
                return module
        return None

    def module_at(self, address: int) -> CoreModule | None:
        """The module that an address lies in."""
        image = self._image_at(address)
        return None if image is None else self.modules[self.images.index(image)]

    def symbol(self, module_name_part: str, name: str) -> int | None:
        """A symbol's address in the first image whose name holds the part."""
        for image in self.images:
            if module_name_part in image.path.rsplit("/", 1)[-1]:
                found = self._table(image).address_of(name)
                if found is not None:
                    return found
        return None

    def symbolize(self, address: int) -> tuple[str, int] | None:
        """The function that holds an address and the distance from its start."""
        image = self._image_at(address)
        return self._table(image).nearest(address) if image is not None else None

    def trap_of(self, tid: int) -> Trap | None:
        """The exception state of a thread, as it is."""
        state = self._states.get(tid)
        return state.trap if state is not None else None

    def has_symbols(self, module: CoreModule) -> bool:
        """True when the core itself holds names for a module's functions."""
        image = next((i for i in self.images if i.base == module.base), None)
        return image is not None and self._table(image).known

    # --- within ---------------------------------------------------------------------------------

    def _thread(self, tid: int, state: State) -> CoreThread:
        pc, sp = _ENDS[self.arch]
        at = state.registers.get(pc)
        return CoreThread(
            tid=tid,
            registers=state.registers,
            signal=0,
            fs_base=None,
            pc=None if at is None else self._address(at),
            sp=state.registers.get(sp),
        )

    def _address(self, pointer: int) -> int:
        """A pointer without the bits that carry a signature ("addrable bits")."""
        bits = self.notes.address_bits
        return pointer & ((1 << bits) - 1) if bits and not pointer >> 63 else pointer

    def _name_pieces(self) -> None:
        """Give the pieces of memory that images lie in their paths."""
        for at, piece in enumerate(self.extents):
            part = piece_at(self._parts, piece.start)
            if part is not None:
                offset = piece.start - part.start
                self.extents[at] = replace(piece, path=part.image.path, offset=offset)

    @cached_property
    def _parts(self) -> list[_Part]:
        return sorted(
            (_Part(start, end, image) for image in self.images for start, end, _ in image.spans),
            key=START,
        )

    def _image_at(self, address: int) -> Image | None:
        part = piece_at(self._parts, address)
        return part.image if part is not None else None

    @cached_property
    def _tables(self) -> dict[int, SymbolTable]:
        return {}

    def _table(self, image: Image) -> SymbolTable:
        if image.base not in self._tables:
            self._tables[image.base] = SymbolTable(self.read_dumped, image)
        return self._tables[image.base]

    def _module(self, image: Image) -> CoreModule:
        # The shared cache spreads a library's segments; its code is what it is known by.
        code = [end for start, end, name in image.spans if name == "__TEXT"]
        file, status = self._file_of(image)
        return CoreModule(
            path=image.path,
            base=image.base,
            end=max([*code, image.base + 1]),
            build_id=image.commands.uuid,
            bias=image.slide,
            file=file,
            status=status,
            image=None,
        )

    def _file_of(self, image: Image) -> tuple[Path | None, str]:
        """The file of this machine with that UUID: found | mismatched | missing."""

        def judged(path: Path) -> tuple[Path, str] | None:
            uuid = uuid_of_file(path)
            right = uuid == image.commands.uuid
            return None if uuid is None else (path, "found" if right else "mismatched")

        is_program = image.commands.filetype == MH_EXECUTE
        return first_right(places(image.path, self._search, is_program), judged)


def _extents(segments: list[Segment], size: int) -> list[Extent]:
    """Segments as pieces in address order without overlap."""
    found: list[Extent] = []
    reached = 0
    for segment in sorted(segments, key=lambda s: (s.address, s.size)):
        start, end = max(segment.address, reached), min(segment.address + segment.size, 1 << 64)
        if start >= end:
            continue
        skipped = start - segment.address
        announced = min(max(0, segment.filesize - skipped), end - start)
        position = segment.offset + skipped
        found.append(
            Extent(
                start=start,
                end=end,
                flags=_flags(segment.protection),
                position=position,
                present=min(announced, max(0, size - position)),
                announced=announced,
                path=None,
                offset=0,
            )
        )
        reached = end
    return found


def _flags(protection: int) -> int:
    """VM_PROT_READ 1, WRITE 2, EXECUTE 4 as the flags of ELF."""
    pairs = ((1, PF_R), (2, PF_W), (4, PF_X))
    return sum(flag for bit, flag in pairs if protection & bit)
