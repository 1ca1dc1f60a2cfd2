"""The files of this machine that a Linux dump's modules were loaded from, known by build id."""

from pathlib import Path

from msgspec.structs import replace

from workbench.targets.elf import PF_W, PT_LOAD
from workbench.targets.image import Image, open_image
from workbench.targets.match import Search, first_right, places
from workbench.targets.minidump.modules import DumpModule
from workbench.targets.modules import CoreModule

_MOST = 2_000
_GUID = 16  # bytes of a build id that Breakpad keeps in a PDB's record


def with_files(modules: list[DumpModule], search: Search) -> list[DumpModule]:
    """The modules, each with its file where one is here. The first is the program."""
    return [
        _with_file(module, search, index == 0) if index < _MOST else module
        for index, module in enumerate(modules)
    ]


def _with_file(module: DumpModule, search: Search, is_program: bool) -> DumpModule:
    """The module with its file. One that is merely of the same name is no file of it, unless the
    person said that it is."""
    found = places(module.path, search, is_program)
    given = is_program and search.executable is not None
    image, status = first_right(found[:1] if given else found, lambda path: _judged(module, path))
    if image is None or not (given or status == "found" or search.sysroot is not None):
        return module
    return replace(
        module,
        image=image,
        file=image.path,
        status=status,
        bias=module.base - (image.base_vaddr or 0),
        segments=image.segments,
    )


def _judged(module: DumpModule, path: Path) -> tuple[Image, str] | None:
    image = open_image(path)
    return (image, _status(module, image)) if image is not None else None


def _status(module: DumpModule, image: Image) -> str:
    theirs, ours = module.identity, image.build_id
    if not theirs or not ours:
        return "unverified"
    short = len(theirs) == 2 * _GUID
    same = ours == theirs or (short and ours[: 2 * _GUID].ljust(2 * _GUID, "0") == theirs)
    return "found" if same else "mismatched"


def read_file(module: CoreModule, address: int, size: int) -> bytes | None:
    """``size`` bytes of a module's file as they are mapped at ``address``; None where the segment
    may have been written to, or where the file is not known to be the module's."""
    image = module.image
    if image is None or module.status != "found" or image.is_debug_only:
        return None
    link = address - module.bias
    for segment in image.segments:
        inside = segment.vaddr <= link and link + size <= segment.vaddr + segment.filesz
        if segment.type == PT_LOAD and inside and not segment.flags & PF_W:
            if image.writable_at(link):
                return None
            at = segment.offset + link - segment.vaddr
            raw = image.data[at : at + size]
            return raw if len(raw) == size else None
    return None
