"""What stands in an archive: its first member, which also says that it is one of ours."""

import msgspec
from msgspec import Struct

NAME = "workbench-bundle.json"
CORE = "core"
ROOT = "root"
FORMAT = 1


class BundledModule(Struct, frozen=True, kw_only=True, rename="camel"):
    """A mapped file. ``file`` and ``debug`` are the archive's members, None where this machine
    had none; ``status`` and ``symbols`` as the probe @modules has them."""

    path: str
    build_id: str | None
    status: str
    symbols: str
    file: str | None = None
    debug: str | None = None


class Manifest(Struct, frozen=True, kw_only=True, rename="camel"):
    """``executable`` is the recorded path of the program; ``links`` are pairs of an absolute path
    and the absolute path that it stood for on that machine; ``sizes`` the members' bytes."""

    format: int
    workbench_version: str
    created_at: str
    arch: str
    core_name: str
    executable: str | None
    modules: tuple[BundledModule, ...]
    links: tuple[tuple[str, str], ...] = ()
    sizes: dict[str, int] = {}


def encode(manifest: Manifest) -> bytes:
    """As indented JSON, for people too."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2)


def decode(data: bytes) -> Manifest:
    """Raises `ValueError` for anything else."""
    manifest = msgspec.json.decode(data, type=Manifest)
    if manifest.format != FORMAT:
        raise ValueError(f"format {manifest.format} is not known")
    return manifest


def member_of(path: str) -> str:
    """The member for a recorded absolute path: below the root folder, out of which it cannot
    climb."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return "/".join([ROOT, *parts])
