"""Makes an archive on the machine that crashed, with nothing but Python and this package."""

import io
import os
import tarfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import zstandard
from msgspec import Struct

from workbench import __version__
from workbench.bundle.manifest import CORE, FORMAT, NAME, BundledModule, Manifest, encode, member_of
from workbench.store.replacing import replacing
from workbench.targets.core import CoreFile
from workbench.targets.errors import TargetError
from workbench.targets.identify import open_core
from workbench.targets.modules import CoreModule

_DEBUG = "/usr/lib/debug/.build-id"
_LEVEL = 6
_MOST_ENTRIES = 100_000  # of one folder that are looked at for links


class Collected(Struct, frozen=True, kw_only=True):
    """What was written. ``left_out`` says in a line each what this machine did not have."""

    path: Path
    size: int
    modules: int
    files: int
    left_out: tuple[str, ...]


Progress = Callable[[str], None]


def collect(
    core: Path, output: Path, executable: Path | None, sysroot: Path | None, say: Progress
) -> Collected:
    """Write the archive. Raises `TargetError`, and `OSError` when it cannot be written; no half
    archive is left behind."""
    if output.exists():
        raise TargetError(str(output), "it exists already", "name a new file with -o")
    with open_core(core, executable, sysroot) as opened:
        say(f"{len(opened.modules)} modules are mapped")
        members = _members(opened)
        manifest = _manifest(opened, members)
        with replacing(output) as temporary:
            _write(temporary, manifest, [(CORE, core), *members.items()], say)
    return Collected(
        path=output, size=output.stat().st_size, modules=len(manifest.modules), files=len(members),
        left_out=tuple(_left_out(manifest)))  # fmt: skip


def _members(core: CoreFile) -> dict[str, Path]:
    """Archive member → file: each module that is the dump's own, and its separate debug file."""
    found: dict[str, Path] = {}
    for module in core.modules:
        if module.file is not None and module.trusted:
            found.setdefault(member_of(module.path), module.file)
        if debug := _debug_file(module):
            found.setdefault(member_of(_debug_path(module)), debug)
    return found


def _debug_file(module: CoreModule) -> Path | None:
    return module.debug_image.path if module.debug_image is not None else None


def _debug_path(module: CoreModule) -> str:
    build_id = module.build_id or ""
    return f"{_DEBUG}/{build_id[:2]}/{build_id[2:]}.debug"


def _manifest(core: CoreFile, members: dict[str, Path]) -> Manifest:
    modules = [m for m in core.modules if m.path.startswith("/")]
    sizes = {name: path.stat().st_size for name, path in members.items()}
    program = core.program
    return Manifest(
        format=FORMAT,
        workbench_version=__version__,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        arch=core.arch,
        core_name=core.path.name,
        executable=program.path if program is not None and program.trusted else None,
        modules=tuple(
            BundledModule(
                path=module.path,
                build_id=module.build_id,
                status=module.status,
                symbols=module.symbols,
                file=member_of(module.path) if member_of(module.path) in members else None,
                debug=member_of(_debug_path(module)) if _debug_file(module) else None,
            )
            for module in modules
        ),
        links=tuple(sorted(_links(modules))),
        sizes={CORE: core.size, **sizes},
    )


def _links(modules: Iterable[CoreModule]) -> set[tuple[str, str]]:
    """Other names of the modules' files: a dump's list of libraries has the names that the loader
    used (``/lib64/ld-linux…``, ``libfoo.so.1``), its mappings the files behind them."""
    paths = {m.path for m in modules if m.file is not None and str(m.file) == m.path}
    found: set[tuple[str, str]] = set()
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        if os.path.islink(name):
            found.add((name, os.path.realpath(name)))
    for folder in sorted({os.path.dirname(path) for path in paths} | {"/usr/lib64"}):
        try:
            with os.scandir(folder) as entries:
                for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False):
                    if entry.is_symlink() and (real := os.path.realpath(entry.path)) in paths:
                        found.add((entry.path, real))
        except OSError:
            continue
    return found


def _left_out(manifest: Manifest) -> list[str]:
    """Modules that reading the dump elsewhere will lack."""
    return [f"{m.path} ({m.status})" for m in manifest.modules if m.file is None]


def _write(
    path: Path, manifest: Manifest, members: Iterable[tuple[str, Path]], say: Progress
) -> None:
    packer = zstandard.ZstdCompressor(level=_LEVEL, threads=-1)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with (
        os.fdopen(handle, "wb") as file,
        packer.stream_writer(file) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as archive,
    ):
        head = encode(manifest)
        _add(archive, NAME, len(head), io.BytesIO(head))
        for name, source in members:
            with source.open("rb") as content:
                size = manifest.sizes[name]
                say(f"{source} ({size >> 10} KiB)")
                _add(archive, name, size, content)


def _add(archive: tarfile.TarFile, name: str, size: int, content: IO[bytes]) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    archive.addfile(member, content)
