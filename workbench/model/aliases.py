"""Names under which the C library has one function (include/libc-symbols.h, malloc/malloc.c)."""

import re

_ALLOCATOR = frozenset({"malloc", "free", "calloc", "realloc", "memalign", "valloc", "pvalloc"})
_PREFIX = re.compile(r"^(?:__GI_)?(?:_{2,3})?(?=[a-z])")


def public(name: str) -> str:
    """A function's public name, without the version of its symbol: glibc's debug symbols call
    ``malloc`` ``__GI___libc_malloc``, and ``cfree`` is the old name of ``free``."""
    name = name.split("@", 1)[0].removeprefix("__GI_")
    short = name.removeprefix("__libc_")
    if short == "cfree":
        return "free"
    return short if short in _ALLOCATOR else name


def alike(one: str, other: str) -> bool:
    """True for two names of one function: ``__GI_`` or ``___`` stand in front of the library's
    own."""
    return one == other or _PREFIX.sub("", one) == _PREFIX.sub("", other)
