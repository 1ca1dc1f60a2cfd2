"""The programs and libraries that were mapped, and the files of this machine that match them."""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from workbench.targets.elf import ElfError, Segment
from workbench.targets.extents import Extent
from workbench.targets.image import Image, Read, image_in_memory, open_image
from workbench.targets.match import Mapped, Search, find, under

_DEBUG_ROOT = "/usr/lib/debug"
_MOST = 20_000
_PAGE = 4096
_LARGEST_PAGE = 1 << 16  # 64 KiB: what linkers take for Arm and AArch64 (ELF ABI, max-page-size)


class CoreModule(Struct, eq=False, dict=True):
    """A mapped ELF image. ``build_id`` is what the dump's memory says, None when it does not.

    ``file`` is the file on this machine, ``status`` how it relates to the dump: found (same build
    id, or all of its code is the same) | mismatched | missing | unverified (nothing differs, and
    nothing proves it). ``bias`` is load minus link address; ``segments`` its program headers.
    """

    path: str
    base: int
    end: int
    build_id: str | None
    bias: int
    file: Path | None
    status: str
    image: Image | None
    segments: list[Segment] = []
    given_debug: Image | None = None
    sysroot: Path | None = None

    @property
    def start(self) -> int:
        """Its first address."""
        return self.base

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def trusted(self) -> bool:
        """True when the file's content may stand for the dump's."""
        return self.image is not None and self.status in ("found", "unverified")

    @cached_property
    def debug_image(self) -> Image | None:
        """The separate debug file, named by the user or found by build id."""
        if self.given_debug is not None:
            return self.given_debug
        build_id = self.build_id
        if not build_id or len(build_id) < 4 or self.status != "found":
            return None
        place = f"{_DEBUG_ROOT}/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
        for root in dict.fromkeys((self.sysroot, None)):
            image = open_image(under(root, place))
            if image is not None and image.build_id == build_id:
                return image
        return None

    @cached_property
    def images(self) -> list[Image]:
        """Where to look symbols up, best first; empty when no file can be trusted."""
        if self.image is None or not self.trusted:
            return []
        if self.image.has_symbols or self.debug_image is None:
            return [self.image]
        return [self.debug_image, self.image]

    @cached_property
    def symbols(self) -> str:
        """debug-info | symbols | stripped | unknown."""
        if self.image is None or not self.trusted:
            return "unknown"
        images = list(self.images)
        if not self.image.has_debug_info and self.debug_image is not None:
            images.append(self.debug_image)
        if any(image.has_debug_info for image in images):
            return "debug-info"
        return "symbols" if any(image.has_symbols for image in images) else "stripped"


def mapped_images(pieces: Iterable[Extent]) -> list[Mapped]:
    """Each file that is mapped from its first byte on, in address order.

    A file may be mapped as data as well, a whole program by what reads its own symbols: the
    mapping in which code may run is kept, else the one that spans most.
    """
    runs: list[tuple[str, list[Extent]]] = []
    open_at: dict[str, int] = {}
    for piece in pieces:
        if piece.path is None:
            continue
        run = runs[open_at[piece.path]][1] if piece.path in open_at else []
        if piece.offset == 0 and not _same_page(run, piece):
            open_at[piece.path] = len(runs)
            runs.append((piece.path, [piece]))
        elif run:
            run.append(piece)
    best: dict[str, Mapped] = {}
    for path, run in runs:
        item = Mapped(path, run[0].start, run[-1].end, tuple(run))
        known = best.get(path)
        if known is None or _weight(known) < _weight(item):
            best[path] = item
    return sorted(best.values(), key=lambda item: item.base)


def _same_page(run: list[Extent], piece: Extent) -> bool:
    """Whether a piece maps the file's first page once more behind what maps only that: a small
    program whose segments share a page, as lld lays them out, each in a page of its own of the
    largest size that the processor may have."""
    first = (each.offset == 0 and each.end - each.start == _PAGE for each in run)
    return bool(run) and 0 <= piece.start - run[-1].end < _LARGEST_PAGE and all(first)


def _weight(item: Mapped) -> tuple[bool, int]:
    return any(piece.executable for piece in item.pieces), item.end - item.base


def load_modules(
    mapped: list[Mapped], read: Read, search: Search, program: str | None
) -> list[CoreModule]:
    """The modules among the mapped files. ``program`` is the path of the executable's mapping,
    ``read`` reads what the core itself holds."""
    modules = []
    for item in mapped[:_MOST]:
        memory = image_in_memory(read, item.base)
        is_program = item.path == program
        match = find(item, memory, search, is_program, read)
        image = match.image
        if memory is None and image is None and not is_program:
            continue  # data that was mapped: fonts, locales, caches
        link_base = image.base_vaddr if image is not None else None
        modules.append(
            CoreModule(
                path=item.path,
                base=item.base,
                end=item.end,
                build_id=memory.build_id if memory else None,
                bias=memory.bias if memory else item.base - (link_base or 0),
                file=image.path if image else None,
                status=match.status,
                image=image,
                given_debug=match.debug,
                segments=memory.segments if memory else image.segments if image else [],
                sysroot=search.sysroot,
            )
        )
    return modules


def vdso_module(base: int, size: int, read: Read) -> CoreModule | None:
    """The kernel's vDSO, an image that lies in the dump as a whole."""
    memory = image_in_memory(read, base)
    raw = read(base, size)
    if memory is None or raw is None:
        return None
    try:
        image = Image(raw)
    except ElfError:
        return None
    return CoreModule(
        path="[vdso]",
        base=base,
        end=base + size,
        build_id=memory.build_id,
        bias=memory.bias,
        file=None,
        status="found",
        image=image,
        segments=memory.segments,
    )
