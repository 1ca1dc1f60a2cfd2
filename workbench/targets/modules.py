"""The programs and libraries that were mapped, and the files of this machine that match them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workbench.targets.elf import ElfError, Segment
from workbench.targets.image import Image, MemoryImage, image_in_memory, open_image
from workbench.targets.regions import Extent

Read = Callable[[int, int], bytes | None]

_DEBUG_ROOTS = ("/usr/lib/debug",)


@dataclass(eq=False)
class CoreModule:
    """A mapped ELF image. ``build_id`` is what the dump's memory says, None when it does not.

    ``file`` is the file on this machine, ``status`` how it relates to the dump: found (same build
    id) | mismatched | missing | unverified (one side has no build id).
    """

    path: str
    base: int
    end: int
    build_id: str | None
    bias: int
    file: Path | None
    status: str
    image: Image | None
    segments: list[Segment]
    sysroot: Path | None = None

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
        """The separate debug file, found by build id, when the file itself has no symbols."""
        build_id = self.build_id
        if not build_id or len(build_id) < 4 or self.status != "found":
            return None
        for root in _DEBUG_ROOTS:
            place = _under(self.sysroot, f"{root}/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
            image = open_image(place)
            if image is not None and image.build_id == build_id:
                return image
        return None

    @property
    def symbols(self) -> str:
        """debug-info | symbols | stripped | unknown."""
        if self.image is None or not self.trusted:
            return "unknown"
        images = [self.image]
        if not self.image.has_debug_info and self.debug_image is not None:
            images.append(self.debug_image)
        if any(image.has_debug_info for image in images):
            return "debug-info"
        return "symbols" if any(image.has_symbols for image in images) else "stripped"

    @property
    def images(self) -> list[Image]:
        """Where to look symbols up, best first."""
        if self.image is None or not self.trusted:
            return []
        if self.image.has_symbols or self.debug_image is None:
            return [self.image]
        return [self.debug_image, self.image]


@dataclass(frozen=True)
class Search:
    """Where files of this machine are looked for."""

    executable: Path | None
    sysroot: Path | None
    folder: Path


@dataclass(frozen=True, slots=True)
class Mapped:
    """A path and the span of addresses at which it is mapped."""

    path: str
    base: int
    end: int


def mapped_images(pieces: Iterable[Extent]) -> list[Mapped]:
    """Each mapping of a file's first byte, with the pieces of the same file that follow it."""
    found: list[Mapped] = []
    open_at: dict[str, int] = {}
    for piece in pieces:
        if piece.path is None:
            continue
        index = open_at.get(piece.path)
        if piece.offset == 0 and (index is None or piece.start >= found[index].end):
            open_at[piece.path] = len(found)
            found.append(Mapped(piece.path, piece.start, piece.end))
        elif index is not None:
            found[index] = Mapped(piece.path, found[index].base, max(found[index].end, piece.end))
    return found


def load_modules(
    mapped: list[Mapped], read: Read, search: Search, program: str | None
) -> list[CoreModule]:
    """The modules among the mapped files. ``program`` is the path of the executable's mapping."""
    modules = []
    for item in _one_each(mapped):
        memory = image_in_memory(read, item.base)
        is_program = item.path == program
        image, status = _match(item, memory, search, is_program)
        if memory is None and image is None and not is_program:
            continue  # data that was mapped: fonts, locales, caches
        bias = memory.bias if memory else item.base - (image.base_vaddr or 0 if image else 0)
        modules.append(
            CoreModule(
                path=item.path,
                base=item.base,
                end=item.end,
                build_id=memory.build_id if memory else None,
                bias=bias,
                file=image.path if image else None,
                status=status,
                image=image,
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


def _one_each(mapped: list[Mapped]) -> list[Mapped]:
    """A file may be mapped as data as well: of one path keep the mapping that spans most."""
    best: dict[str, Mapped] = {}
    for item in mapped:
        known = best.get(item.path)
        if known is None or known.end - known.base < item.end - item.base:
            best[item.path] = item
    return sorted(best.values(), key=lambda item: item.base)


def _match(
    item: Mapped, memory: MemoryImage | None, search: Search, is_program: bool
) -> tuple[Image | None, str]:
    """The best file for a mapping: the first whose build id agrees, else the first there is."""
    wanted = memory.build_id if memory else None
    first: tuple[Image, str] | None = None
    for place in _places(item, search, is_program):
        image = open_image(place)
        if image is None:
            continue
        status = _compare(wanted, image, memory)
        if status == "found":
            return image, status
        given = is_program and place == search.executable
        if first is None or (first[1] == "mismatched" and status == "unverified"):
            first = (image, status)
        if given:
            break  # the user's word is not replaced by a guess
    if first is not None:
        return first
    return None, "missing"


def _compare(wanted: str | None, image: Image, memory: MemoryImage | None) -> str:
    if wanted is not None and image.build_id is not None:
        return "found" if wanted == image.build_id else "mismatched"
    if memory is not None and (
        memory.header.machine != image.header.machine
        or memory.segments != image.segments[: len(memory.segments)]
        or len(memory.segments) != len(image.segments)
    ):
        return "mismatched"
    return "unverified"


def _places(item: Mapped, search: Search, is_program: bool) -> list[Path]:
    path = item.path.removesuffix(" (deleted)")
    places = []
    if is_program and search.executable is not None:
        places.append(search.executable)
    if path.startswith("/"):
        places.append(_under(search.sysroot, path))
    name = path.rsplit("/", 1)[-1]
    if name not in ("", ".", ".."):
        places.append(search.folder / name)
    return places


def _under(sysroot: Path | None, path: str) -> Path:
    """A recorded path below the sysroot; it may not climb out of it."""
    if sysroot is None:
        return Path(path)
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return sysroot.joinpath(*parts)
