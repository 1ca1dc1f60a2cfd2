"""Names of one function: the C library's (include/libc-symbols.h, malloc/malloc.c), Rust's."""

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


# rustc_symbol_mangling/src/legacy.rs, sanitize: what no linker's name may hold, and what stands in
# front of a part that would not begin as a name; lldb prints it so.
_DOLLARS = {"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ","}
_DOLLAR = re.compile(r"\$(?:(?P<name>SP|BP|RF|LT|GT|LP|RP|C)|u(?P<code>[0-9a-f]{2,5}))\$")
_GUARD = re.compile(r"(?:^|(?<=::))_(?=\$)")
_LONGEST = 8192


_CRATE = re.compile(r"(?<=\w)\[[0-9a-f]{8,16}\](?=::)")


def uncrated(function: str) -> str:
    """A name of Rust's v0 mangling without what tells a crate from others of its name
    (``core[c1f1a4ba060b9bfa]::fmt::write``), which a source does not have."""
    return _CRATE.sub("", function) if "]::" in function else function


_LEGACY = re.compile(r"_ZN(?P<parts>\d[\w.$]{1,4000}?)17h[0-9a-f]{16}E(?:\.llvm\.\d{1,20})?")
_PART = re.compile(r"[1-9]\d{0,3}")


def unmangled(function: str) -> str:
    """A symbol of Rust's legacy mangling as its source spells it, without its hash:
    ``_ZN4core9panicking5panic17h0123456789abcdefE`` is ``core::panicking::panic``. Any other name
    comes back as it is."""
    symbol = _LEGACY.fullmatch(function) if function.startswith("_ZN") else None
    if symbol is None:
        return function
    text, at, parts = symbol["parts"], 0, list[str]()
    while length := _PART.match(text, at):
        at = length.end() + int(length[0])
        parts.append(text[length.end() : at])
    return undollared("::".join(parts)) if at == len(text) else function


def undollared(function: str) -> str:
    """A name of Rust's legacy mangling as its source spells it: ``_$LT$T$u20$as$u20$U$GT$::drop``
    is ``<T as U>::drop``. Any other name comes back as it is."""
    if "$" not in function or not _DOLLAR.search(function[:_LONGEST]):
        return function
    text = _DOLLAR.sub(
        lambda m: _DOLLARS[m["name"]] if m["name"] else chr(int(m["code"], 16)),
        _GUARD.sub("", function[:_LONGEST]),
    )
    return text.replace("..", "::")
