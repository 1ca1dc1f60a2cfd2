"""The sample crash that ships with the package: a threaded C server, its core and its source.

``tests/samples/rebuild_demo.py`` makes the files in this folder; ``manifest.json`` holds their
checksums.
"""

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

_HERE = Path(__file__).parent
ARGUMENTS = ("--replay", "kiosks.trace")
"""What the server was started with when it crashed."""


class SampleError(Exception):
    """The sample cannot be unpacked; the text says what, why and what to do, in one line."""


class DemoSample(msgspec.Struct, frozen=True):
    """Paths of the unpacked sample. ``source_dir`` is the folder of ``server.c``, and of the trace
    that makes it crash when it is run again: `ARGUMENTS`, from that folder."""

    executable: Path
    core: Path
    source_dir: Path


class PackedFile(msgspec.Struct, frozen=True):
    """A file's size in bytes and sha256 (hex) once it is unpacked."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What ``manifest.json`` says: who built the sample, and each file under its own name."""

    compiler: str
    flags: list[str]
    libc: str
    files: dict[str, PackedFile]


def manifest() -> Manifest:
    """The manifest of the packaged sample. Raises `SampleError` when it is missing or damaged."""
    try:
        return msgspec.json.decode((_HERE / "manifest.json").read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError) as why:
        raise _damaged(why) from why


def demo_files(cache_dir: Path) -> DemoSample:
    """The sample, unpacked below ``cache_dir`` unless it is there already.

    Files are checked against the manifest each time and unpacked again where they differ. Each
    appears by one rename, so that processes that start together disturb nobody and a full disk
    leaves nothing half-written. Raises `SampleError`.
    """
    known = manifest().files
    folder = cache_dir / f"demo-{known['core'].sha256[:12]}"
    for name in ("server", "core"):
        _unpack(name, known[name], folder)
    executable = folder / "server"
    # gdb warns of a source that is younger than the program: that of a package that was put here
    # again, beside a program that was unpacked before.
    if executable.stat().st_mtime < (_HERE / "server.c").stat().st_mtime:
        with suppress(OSError):
            os.utime(executable)
    if not os.access(executable, os.X_OK):
        executable.chmod(0o700)
    return DemoSample(executable, folder / "core", _HERE)


def _unpack(name: str, expected: PackedFile, folder: Path) -> None:
    target = folder / name
    if _is_intact(target, expected):
        return
    data = _packaged(name, expected)
    scratch = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(prefix=f".{name}-", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(scratch, target)
    except OSError as why:
        if scratch is not None:
            with suppress(OSError):
                os.unlink(scratch)
        raise SampleError(
            f"cannot unpack the sample to {folder}: {why.strerror}; "
            "free some space there or make it writable"
        ) from why


def _is_intact(path: Path, expected: PackedFile) -> bool:
    try:
        if path.stat().st_size != expected.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == expected.sha256
    except OSError:
        return False


def _packaged(name: str, expected: PackedFile) -> bytes:
    import zstandard  # needed only when the sample is not unpacked yet

    try:
        packed = (_HERE / f"{name}.zst").read_bytes()
        data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=expected.size)
    except (OSError, zstandard.ZstdError) as why:
        raise _damaged(why) from why
    if hashlib.sha256(data).hexdigest() != expected.sha256:
        raise _damaged(f"{name}.zst does not match its checksum")
    return data


def _damaged(why: object) -> SampleError:
    return SampleError(f"the packaged sample is damaged ({why}); install workbench again")
