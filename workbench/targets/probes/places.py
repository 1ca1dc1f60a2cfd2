"""What an address is: its region, its symbol, in words that every probe uses alike."""

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.demangle import function

PAGE = 4096
NEAR_NULL = 0x10000
"""Below this an address is a null pointer with an offset (CONTRACT: near-null 64 KiB)."""


def canonical(core: Dump, address: int) -> bool:
    """False for an address that the processor itself refuses: on x86-64 bits 47 to 63 must agree
    (Intel SDM volume 1, 3.3.7.1). Five-level paging is taken for granted only where the dump
    itself maps such addresses."""
    if core.arch != "x86_64":
        return True
    top = address >> 47
    return top in (0, 0x1FFFF) or core.region(address) is not None


def kind_of(core: Dump, address: int) -> str:
    """A region's kind, or ``none`` for one that was mapped without permissions, or ``unmapped``,
    ``near-null``, ``non-canonical``."""
    region = core.region(address)
    if region is not None:
        return region.kind
    if not canonical(core, address):
        return "non-canonical"
    return "near-null" if address < NEAR_NULL else "unmapped"


def executable(core: Dump, address: int) -> bool:
    """True when code may run there, or when the dump does not say that it may not."""
    region = core.region(address)
    return region is not None and region.perms[2] in "x?"


def symbol_at(core: Dump, address: int) -> str | None:
    """``main+0x10`` or ``main``, or None without a symbol."""
    found = core.symbolize(address)
    if found is None:
        return None
    name, offset = function(found[0].split("@", 1)[0]), found[1]
    return f"{name}+{offset:#x}" if offset else name


def variable_at(core: Dump, address: int) -> str | None:
    """``accounts`` or ``table+0x28``: the variable of a module that holds an address, or None.
    What begins as zeros lies behind the file's mapping, in memory without a name."""
    for module in core.modules:
        if module.base > address:
            break
        value = address - module.bias
        if not any(s.vaddr <= value < s.vaddr + s.memsz for s in module.segments):
            continue
        for image in module.images:
            found = image.object_at(value)
            if found is not None:
                name = clean(function(found[0].split("@", 1)[0]))
                return f"{name}+{found[1]:#x}" if found[1] else name
    return None


def place(core: Dump, address: int) -> str:
    """One phrase on an address: ``stack of thread 12 rw-p``, ``file libc.so.6 r-xp, puts+0x1a``."""
    region = core.region(address)
    if region is None:
        kind = kind_of(core, address)
        return "near null, unmapped" if kind == "near-null" else kind
    words = [region.kind]
    if region.kind == "stack" and region.thread is not None:
        words.append(f"of thread {region.thread}")
    if region.kind == "file" and region.path:
        words.append(clean(region.path.rsplit("/", 1)[-1]))
    words.append(region.perms)
    symbol = symbol_at(core, address) if region.perms[2] in "x?" else None
    return " ".join(words) + (f", {clean(symbol)}" if symbol else "")


def target_place(core: Dump, address: int) -> str:
    """As `place` says, of what control went to: with the variable where that is data."""
    name = None if executable(core, address) else variable_at(core, address)
    return place(core, address) + (f", {name}" if name is not None else "")


def clean(text: str) -> str:
    """Text out of a dump, safe to stand in a line: control characters become dots."""
    return "".join(c if c.isprintable() else "." for c in text)


def text_of(raw: bytes) -> str:
    """Bytes out of a dump as one line of text."""
    return clean(raw.decode("utf-8", "replace"))


def crashing_thread(core: Dump) -> CoreThread | None:
    """The thread that the signal hit: the kernel writes it first (fs/binfmt_elf.c); a core of gdb
    marks it by its signal."""
    threads = core.threads
    for thread in threads:
        if thread.signal:
            return thread
    return threads[0] if threads else None


def asked_thread(core: Dump, args: list[str]) -> CoreThread | None:
    """The thread that a probe's words name, without any the crashing one."""
    named = args[0] if args else ""
    return thread_of(core, int(named)) if named.isdigit() else crashing_thread(core)


def thread_of(core: Dump, tid: int) -> CoreThread | None:
    """The thread with this id."""
    return next((thread for thread in core.threads if thread.tid == tid), None)


def read_some(core: Dump, address: int, size: int) -> bytes:
    """As many of ``size`` bytes from ``address`` as are there in one run, perhaps none."""
    whole = core.read(address, size) if size > 0 else None
    if whole is not None:
        return whole
    parts = []
    at, end = address, address + max(size, 0)
    while at < end:
        step = min(PAGE - at % PAGE, end - at)
        part = core.read(at, step)
        if part is None:
            break
        parts.append(part)
        at += step
    return b"".join(parts)


def where(core: Dump, address: int, *, is_return: bool = True) -> str:
    """``main in prog at offset 0x115a``; the module's name can be followed to ``@modules``. A
    function may end with the call that is to return to ``address``."""
    module = core.module_at(address)
    named = symbol_at(core, address - 1 if is_return else address)
    name = clean(named.rsplit("+", 1)[0]) if named else "no symbol"
    if module is None:
        return name
    return f"{name} in {clean(module.name)} at offset {address - module.base:#x}"
