"""Opens an archive that somebody else may have made: its names and sizes are not trusted."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from msgspec import Struct

from workbench.bundle.manifest import CORE, NAME, ROOT, Manifest, decode, member_of
from workbench.bundle.tar import Member, TarError, TarReader
from workbench.targets.errors import TargetError
from workbench.targets.files import FileBytes

_MAGIC = b"\x28\xb5\x2f\xfd"  # zstd
_MOST_MANIFEST = 64 << 20
_MOST_MEMBERS = 100_000
_LONGEST_PART = 200
_MOST_LINKS = 20_000
_DONE = "unpacked"
# Members that stand in each other's way.
_CLASHES = (FileExistsError, NotADirectoryError, IsADirectoryError)


class Unpacked(Struct, frozen=True, kw_only=True):
    """Where an archive's content lies."""

    core: Path
    executable: Path | None
    sysroot: Path


def is_bundle(path: Path) -> bool:
    """True for an archive of ours, judged by its first member's name."""
    try:
        with FileBytes(path) as file:
            if file[0:4] != _MAGIC:
                return False
        with _opened(path) as archive:
            first = archive.next()
            return first is not None and first.name == NAME
    except (OSError, ValueError, PackingError):
        return False


def unpack(path: Path, folder: Path) -> Unpacked:
    """Unpack into a folder below ``folder``, or use what lies there already. Raises `TargetError`
    and `OSError` (no room)."""
    status = path.stat()
    place = folder / f"{_plain(path.name)}-{status.st_size:x}-{status.st_mtime_ns:x}"
    name = str(path)
    try:
        if not (place / _DONE).exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True, mode=0o700)
            _extract(path, place)
            (place / _DONE).touch(0o600)
        manifest = decode((place / NAME).read_bytes())
    except (ValueError, *_CLASHES, PackingError) as error:
        shutil.rmtree(place, ignore_errors=True)
        raise TargetError(name, f"it is damaged: {error}", "collect it again") from None
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    root = place / ROOT
    root.mkdir(exist_ok=True)
    return Unpacked(
        core=_core(place, manifest, name), executable=_program(place, manifest), sysroot=root
    )


def _core(place: Path, manifest: Manifest, name: str) -> Path:
    core = place / CORE
    if not core.is_file():
        raise TargetError(name, "it holds no core", "collect it again")
    return core


def _program(place: Path, manifest: Manifest) -> Path | None:
    if manifest.executable is None:
        return None
    file = place / member_of(manifest.executable)
    return file if file.is_file() else None


def _extract(path: Path, place: Path) -> None:
    with _opened(path) as archive:
        first = archive.next()
        if first is None or first.name != NAME or first.size > _MOST_MANIFEST:
            raise TarError("its list of content is missing")
        head = b"".join(archive.content(first))
        manifest = decode(head)
        if min(manifest.sizes.values(), default=0) < 0 or len(manifest.links) > _MOST_LINKS:
            raise TarError("its list of content makes no sense")
        needed, free = sum(manifest.sizes.values()), shutil.disk_usage(place).free
        if needed > free:
            raise TargetError(
                str(path), f"unpacked it needs {needed >> 20} MiB and {free >> 20} MiB are free",
                "make room, or name another folder with --sessions-dir",
            )  # fmt: skip
        _write_new(place / NAME, iter([head]))
        for _ in range(_MOST_MEMBERS):
            member = archive.next()
            if member is None:
                break
            _extract_one(archive, member, manifest, place)
    for _ in range(2):  # a folder's other name may hold nothing but other names
        for link, target in manifest.links:
            _link(place, link, target)


def _extract_one(archive: TarReader, member: Member, manifest: Manifest, place: Path) -> None:
    """Write one member where its name says, if that is one that we would have written."""
    known = manifest.sizes.get(member.name) == member.size
    sane = member.name == CORE or member.name == member_of(member.name.removeprefix(f"{ROOT}/"))
    if not (known and sane) or max(map(len, member.name.split("/"))) > _LONGEST_PART:
        raise TarError(f"it holds {ascii(member.name)[:200]}, which its list does not have")
    target = place / PurePosixPath(member.name)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _write_new(target, archive.content(member))


def _write_new(path: Path, pieces: Iterator[bytes]) -> None:
    """A new private file; empty pieces become holes."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb", buffering=0) as file:
        size = 0
        for piece in pieces:
            size += len(piece)
            if piece.count(0) == len(piece):
                file.seek(size)
            else:
                file.write(piece)
        file.truncate(size)


def _link(place: Path, link: str, target: str) -> None:
    """Another name for a file or folder of the archive; both stay below its root. One that stands
    in the way, or leads to nothing, is left out."""
    if max(map(len, link.split("/") + target.split("/"))) > _LONGEST_PART:
        return
    here, there = place / member_of(link), place / member_of(target)
    parents = [p for p in here.parents if p.is_relative_to(place)]
    if here.exists() or here.is_symlink() or any(p.is_symlink() for p in parents):
        return
    if not there.exists() or here == place / ROOT:
        return
    here.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    here.symlink_to(os.path.relpath(there, here.parent))


def _plain(name: str) -> str:
    """A file name made of letters that every system takes."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)[:80].lstrip(".") or "b"


class PackingError(Exception):
    """What is no zstd, or damaged."""


@contextmanager
def _opened(path: Path) -> Iterator[TarReader]:
    """The archive, read from its beginning to its end. Raises `PackingError` too."""
    import zstandard

    try:
        with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as packed:
            yield TarReader(packed)
    except zstandard.ZstdError as error:
        raise PackingError(str(error)) from None
