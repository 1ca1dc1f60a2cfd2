"""Whose frame it is: the program's own, the allocator's, another library's."""

import re
from collections.abc import Sequence

from analyzers.owners.functions import is_library_namespace, is_runtime_name, is_runtime_source
from analyzers.owners.modules import is_runtime_library
from workbench.model.facts import Frame

_ALLOCATOR = re.compile(
    r"^(?:_int_\w+|(?:__libc_|__GI___libc_|__)?(?:malloc|free|calloc|realloc|memalign|cfree)\w*"
    r"|unlink_chunk\w*|malloc_consolidate|sysmalloc\w*|systrim\w*|tcache_\w+|_mid_memalign"
    r"|aligned_alloc|posix_memalign|operator (?:new|delete)\b.*|_Zn[wa]\w*|_Zd[la]\w*"
    r"|munmap_chunk|ptmalloc_init\w*|__rust_(?:alloc|dealloc|realloc)\w*|__rdl_\w+)$"
)


def is_own(frame: Frame) -> bool:
    """The program's, or a library's that is none of the system's. Where the source is known a
    name that the C library has too says nothing."""
    name = frame.function
    if name is None or frame.signal_handler or is_runtime_library(frame.module):
        return False
    if frame.file is None:
        return not is_runtime_name(name)
    system = frame.file.startswith(("/usr/include/", "/usr/lib/", "/rustc/"))
    return not (system or is_library_namespace(name) or is_runtime_source(frame))


def is_nameless(frame: Frame) -> bool:
    """A frame of a program or library without symbols, which may be the program's."""
    return (
        frame.function is None
        and frame.module is not None
        and not (frame.signal_handler or is_runtime_library(frame.module))
    )


def own(frames: Sequence[Frame]) -> Frame | None:
    """The program's frame nearest to what happened, one with a line before one without."""
    found = [frame for frame in frames if is_own(frame)]
    return next((one for one in found if one.line), found[0] if found else None)


def in_allocator(frames: Sequence[Frame]) -> bool:
    """True when the allocator did it, for whichever frame of the program."""
    for frame in frames:
        if _ALLOCATOR.match(frame.function or "") and not (frame.file or "").endswith("/new"):
            return True  # the header's own ones are given the place
        if is_own(frame):
            return False
    return False
