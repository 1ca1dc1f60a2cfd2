"""Which file of this machine is the one that was mapped in the dump.

Build ids decide. Without them the program headers, the layout of the mappings and the bytes that
were dumped may still show a difference; that they show none is a hint, not a proof, unless all of
the code was dumped.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from workbench.targets.elf import PF_X, PT_LOAD, Header, Segment
from workbench.targets.extents import Extent
from workbench.targets.image import Image, MemoryImage, Read, open_image

_PAGE = 4096
_MAX_COMPARED = 8 << 20
_RANK = {"missing": 0, "mismatched": 1, "unverified": 2, "found": 3}
_DELETED = " (deleted)"  # what the kernel appends to the path of an unlinked file (d_path)

_F = TypeVar("_F")


class Search(Struct, frozen=True):
    """Where files are looked for. ``entry`` is AT_ENTRY, where the program starts."""

    executable: Path | None
    sysroot: Path | None
    folder: Path
    entry: int | None = None


class Mapped(Struct, frozen=True):
    """A file that is mapped from its first byte on, with the pieces of memory that show it."""

    path: str
    base: int
    end: int
    pieces: tuple[Extent, ...]


class Match(Struct, frozen=True):
    """The best file and its status: found | mismatched | unverified | missing. ``debug`` is a
    file with the symbols of ``image`` that the user named in its place."""

    image: Image | None
    status: str
    debug: Image | None = None


def find(
    item: Mapped, memory: MemoryImage | None, search: Search, is_program: bool, read: Read
) -> Match:
    """Look for the file of a mapping."""
    best = Match(None, "missing")
    for place in places(item.path, search, is_program):
        image = open_image(place)
        if image is None:
            continue
        status = compare(item, memory, image, search.entry if is_program else None, read)
        if status == "found" and not image.is_debug_only:
            return Match(image, status, best.image if best.status == "found" else None)
        if best.image is None or _RANK[status] > _RANK[best.status]:
            best = Match(image, status)
        if is_program and place == search.executable and status != "found":
            break  # the user's word is not replaced by a guess
    return best


def first_right(
    places: Iterable[Path], judge: Callable[[Path], tuple[_F, str] | None]
) -> tuple[_F | None, str]:
    """What ``judge`` makes of the first file that is found to be the mapped one, else of the
    likeliest, with its status; it gives None for what is no such file."""
    best: tuple[_F | None, str] = (None, "missing")
    for judged in map(judge, places):
        if judged is not None and _RANK[judged[1]] > _RANK[best[1]]:
            best = judged
        if best[1] == "found":
            break
    return best


def places(path: str, search: Search, is_program: bool) -> list[Path]:
    """Where the file may be: as named by the user, as recorded, beside the core."""
    path = path.removesuffix(_DELETED)
    found = [search.executable] if is_program and search.executable is not None else []
    if path.startswith("/"):
        found.append(under(search.sysroot, path))
    name = path.rsplit("/", 1)[-1]
    if name not in ("", ".", ".."):
        found.append(search.folder / name)
    return found


def under(sysroot: Path | None, path: str) -> Path:
    """A recorded path below the sysroot, out of which it cannot climb."""
    if sysroot is None:
        return Path(path)
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return sysroot.joinpath(*parts)


def compare(
    item: Mapped, memory: MemoryImage | None, image: Image, entry: int | None, read: Read
) -> str:
    """How a file relates to what is in the dump: found | mismatched | unverified."""
    if memory is not None and memory.build_id is not None and image.build_id is not None:
        return "found" if memory.build_id == image.build_id else "mismatched"
    if memory is not None and not _same_headers(memory, image.header, image.segments):
        return "mismatched"
    bias = item.base - (image.base_vaddr or 0)
    if entry is not None and entry != image.header.entry + bias:
        return "mismatched"
    if not all(_fits(piece, image.segments, bias) for piece in item.pieces):
        return "mismatched"
    return _compare_bytes(item, image, bias, read)


def _same_headers(memory: MemoryImage, header: Header, segments: list[Segment]) -> bool:
    theirs = memory.header
    return (
        theirs.machine == header.machine
        and theirs.type == header.type
        and theirs.entry == header.entry
        and memory.segments == segments
    )


def _fits(piece: Extent, segments: list[Segment], bias: int) -> bool:
    """True when a loader would map that part of the file there."""
    link_address = piece.start - bias
    return any(
        segment.type == PT_LOAD
        and segment.offset - segment.offset % _PAGE
        <= piece.offset
        < segment.offset + max(segment.filesz, 1)
        and link_address - piece.offset == segment.vaddr - segment.offset
        for segment in segments
    )


def _compare_bytes(item: Mapped, image: Image, bias: int, read: Read) -> str:
    """Compare what was dumped of the read-only pieces that no relocation touches."""
    budget = _MAX_COMPARED
    all_code = True
    seen_code = False
    for piece in item.pieces:
        is_code = bool(piece.flags and piece.flags & PF_X)
        size = min(piece.present, budget)
        if is_code:
            seen_code = True
            all_code = all_code and size == piece.end - piece.start
        if piece.writable or image.writable_at(piece.start - bias) or not size:
            continue
        budget -= size
        # The last page of a mapping goes on after the file's end with zeros.
        theirs = read(piece.start, size)
        ours = image.data[piece.offset : piece.offset + size]
        if theirs is None or theirs[: len(ours)] != ours:
            return "mismatched"
    return "found" if seen_code and all_code else "unverified"
