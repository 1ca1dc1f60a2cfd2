"""Cores without NT_FILE (kernels before 3.7, emulators): images found by their headers in memory.

Names come from the dynamic linker's list (``r_debug`` and ``link_map`` of <link.h>), the program's
from AT_EXECFN. Where the headers were not dumped (qemu-user leaves code out), the program's file
stands in when the auxiliary vector describes it.
"""

from bisect import bisect_right
from pathlib import Path

from msgspec.structs import replace

from workbench.targets.dump import AddressSpace
from workbench.targets.elf import ET_DYN, ET_EXEC, PT_DYNAMIC, PT_LOAD, Segment
from workbench.targets.extents import Extent
from workbench.targets.image import MemoryImage, Read, image_in_memory, load_base, open_image
from workbench.targets.regions import AT_ENTRY, AT_PHDR, AT_PHNUM
from workbench.targets.spans import START

DT_NULL, DT_DEBUG = 0, 21
_PAGE = 4096
_MAX_LINKS = 10_000
_MAX_DYNAMIC = 1 << 16
_MAX_IMAGES = 10_000


def name_images(
    memory: AddressSpace, auxv: dict[int, int], program: str | None, files: list[Path]
) -> list[Extent]:
    """The pieces of memory, those of an image with its path and offset. ``files`` are what the
    program may be on this machine, the likeliest first."""
    pieces, read = memory.extents, memory.read
    images = _images(pieces, read)
    at = auxv.get(AT_PHDR, 0)
    ours = next((image for base, image in images if base <= at < image.end), None)
    if ours is None and at:
        ours = next((image for file in files if (image := _described(file, auxv))), None)
        if ours is not None:
            images.append((ours.bias + (load_base(ours.segments) or 0), ours))
    if not images:
        return pieces
    names = _link_names(ours, memory) if ours is not None else {}
    if ours is not None:
        names[ours.bias] = program or "program"
    named = list(pieces)
    for base, image in images:
        path = names.get(image.bias)
        if path is None:
            continue
        first = bisect_right(pieces, base, key=START) - 1
        for index in range(first, len(pieces)):
            if pieces[index].start >= image.end:
                break
            segment = _segment(pieces[index].start - image.bias, image.segments)
            if segment is not None:
                offset = segment.offset + pieces[index].start - image.bias - segment.vaddr
                named[index] = replace(pieces[index], path=path, offset=max(0, offset))
    return named


def _described(path: Path, auxv: dict[int, int]) -> MemoryImage | None:
    """The image of a file, where the auxiliary vector would be as it is if the file had been
    started: program headers, their number, and the entry point."""
    image = open_image(path)
    if image is None or image.header.type not in (ET_EXEC, ET_DYN) or image.base_vaddr is None:
        return None
    header = image.header
    bias = auxv.get(AT_PHDR, 0) - image.base_vaddr - header.phoff
    fits = (
        bias >= 0
        and bias % _PAGE == 0
        and (header.type == ET_DYN or bias == 0)
        and auxv.get(AT_PHNUM) == header.phnum
        and auxv.get(AT_ENTRY) == header.entry + bias
    )
    loads = [s.vaddr + s.memsz + bias for s in image.segments if s.type == PT_LOAD]
    return MemoryImage(header, image.segments, bias, max(loads), None) if fits else None


def _images(pieces: list[Extent], read: Read) -> list[tuple[int, MemoryImage]]:
    found = []
    for piece in pieces:
        if piece.present < 64 or read(piece.start, 4) != b"\x7fELF":
            continue
        image = image_in_memory(read, piece.start)
        if image is not None and image.header.type in (ET_EXEC, ET_DYN):
            found.append((piece.start, image))
            if len(found) == _MAX_IMAGES:
                break
    return found


def _segment(link_address: int, segments: list[Segment]) -> Segment | None:
    for segment in segments:
        start = segment.vaddr - segment.vaddr % _PAGE
        if segment.type == PT_LOAD and start <= link_address < segment.vaddr + segment.filesz:
            return segment
    return None


def _link_names(program: MemoryImage, memory: AddressSpace) -> dict[int, str]:
    """Load bias and path of each loaded object; the first entry, the program, has no name."""
    names: dict[int, str] = {}
    debug = _dynamic_entry(program, memory, DT_DEBUG)
    # struct r_debug: int r_version, padded; struct link_map *r_map
    word = memory.word
    link = memory.read_word(debug + word.size) if debug else None
    for _ in range(_MAX_LINKS):
        raw = memory.read(link, 4 * word.size) if link else None
        if raw is None:
            break
        bias, name_at, _, link = (value for (value,) in word.iter_unpack(raw))
        name = memory.read_cstring(name_at)
        if name:
            names.setdefault(bias, name.decode("utf-8", "surrogateescape"))
    return names


def _dynamic_entry(image: MemoryImage, memory: AddressSpace, tag: int) -> int | None:
    segment = next((s for s in image.segments if s.type == PT_DYNAMIC), None)
    if segment is None:
        return None
    word = memory.word
    size = min(segment.memsz, _MAX_DYNAMIC) // (2 * word.size) * 2 * word.size
    raw = memory.read(segment.vaddr + image.bias, size)
    if raw is None:
        return None
    values = [value for (value,) in word.iter_unpack(raw)]
    for key, value in zip(values[::2], values[1::2], strict=True):
        if key == tag:
            return int(value)
        if key == DT_NULL:
            break
    return None
