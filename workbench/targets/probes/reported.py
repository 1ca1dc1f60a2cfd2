"""``@reported``: what the C library and the loader last reported, as they still hold it.

errno is a word of each thread's own data. On x86-64 ``__errno_location`` adds its distance, which
stands in a word of libc's or, in a static program, in the code itself, to the thread pointer
(csu/errno-loc.c, tls.h). What dlerror(3) is to give back is a block on the heap: the message and,
behind its zero, the object that it is about (elf/dl-exception.c); once it was asked for, the block
holds both as one text (dlfcn/dlerror.c).
"""

import errno
import os
import re

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.callees import callee_name
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.code import code_around
from workbench.targets.probes.instruction import MASK
from workbench.targets.probes.malloc.heaps import HEAP_MAX
from workbench.targets.probes.places import crashing_thread, place, read_some, text_of

_ENDED_BY_ITSELF = (4, 5, 6)  # SIGILL, SIGTRAP, SIGABRT
_LIBRARIES = ("libc.so", "libc-", "libstdc++", "libpthread", "ld-linux")
_CALLERS, _FUNCTIONS, _LARGEST_CODE = 12, 3, 2000
_ALLOCATES = frozenset(
    {"malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign",
     "mmap", "mmap64", "mremap", "strdup", "strndup", "_Znwm", "_Znam",
     "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t"}
)  # fmt: skip
_LARGEST_ERRNO = 4095  # MAX_ERRNO, include/linux/err.h
_MAX_SCANNED = 64 << 20
_MOST = 8
_LONGEST = 600
_ALIGNED = 16
# Of elf/dl-load.c, dl-lookup.c, dl-version.c and dl-reloc.c, which are not translated by default.
_SAYINGS = re.compile(
    rb"cannot open shared object file|undefined symbol: |' not found \(required by |"
    rb"invalid ELF header|file too short|wrong ELF class: |only ET_DYN and ET_EXEC can be loaded|"
    rb"cannot allocate memory in static TLS block|symbol lookup error|has no dynamic section"
)
_OBJECT = re.compile(rb"[\x21-\x7e][\x20-\x7e]{0,%d}(?=\0)" % _LONGEST)
_TEXT = re.compile(rb"[\x20-\x7e]{8,%d}" % _LONGEST)


def probe(core: Dump, args: list[str]) -> str:
    """One line for the ended thread's errno, one a message; or that there is neither."""
    lines = _errno_lines(core) + _asking_lines(core) + _loader_lines(core)
    return "\n".join(lines or ["neither errno nor a message of the loader was found"]) + "\n"


def _errno_lines(core: Dump) -> list[str]:
    thread = crashing_thread(core)
    distance = _errno_distance(core)
    if thread is None or thread.fs_base is None or distance is None:
        return []
    at = (thread.fs_base + distance) & MASK
    number = core.number(at, 4)
    if number is None or number > _LARGEST_ERRNO:
        return []
    if number == 0:
        return [f"thread {thread.tid}: errno at {at:#x} is 0"]
    name = errno.errorcode.get(number, "no known error")
    return [f"thread {thread.tid}: errno at {at:#x} is {number} ({name}): {os.strerror(number)}"]


def _errno_distance(core: Dump) -> int | None:
    """From the thread pointer to errno, as ``__errno_location`` computes it."""
    if core.arch != "x86_64":
        return None
    for module in ("libc.so", "libc-", ""):
        function = core.symbol(module, "__errno_location")
        if function is not None:
            return _distance_in(core, function)
    return None


def _distance_in(core: Dump, function: int) -> int | None:
    for insn in x86.decode(read_some(core, function, 32), function, 4):
        if insn.is_return:
            return None
        if insn.mnemonic != "mov" or len(insn.operands) != 2 or insn.operands[0].reg != "rax":
            continue
        source = insn.operands[1]
        if source.imm is not None:
            return source.imm
        if source.mem is not None and source.mem.base == "rip":
            cell = insn.effective(source.mem, {})
            return core.read_word(cell) if cell is not None else None
    return None


def _asking_lines(core: Dump) -> list[str]:
    """The allocation that the code which led to abort() asks for: one of the innermost functions
    outside of the C library calls the allocator."""
    thread = crashing_thread(core)
    if thread is None or thread.signal not in _ENDED_BY_ITSELF or core.arch != "x86_64":
        return []
    looked = 0
    for caller in callers_of_thread(core, thread, _CALLERS):
        module = core.module_at(caller.call.address)
        if module is None or module.name.startswith(_LIBRARIES):
            continue
        found = _allocates(core, caller.call.address)
        if found is not None:
            return [found]
        looked += 1
        if looked >= _FUNCTIONS:
            break
    return []


def _allocates(core: Dump, pc: int) -> str | None:
    code = code_around(core, pc)
    for index, item in enumerate(code.instructions.outlines[:_LARGEST_CODE] if code else ()):
        if code is None or not item.mnemonic.endswith("call"):
            continue
        name = callee_name(core, code.instructions[index])
        if name in _ALLOCATES:
            return (
                f"the function at {code.start:#x} ({place(core, code.start)}), which led to the "
                f"end, asks for memory by {name} at {item.address:#x}"
            )
    return None


def _loader_lines(core: Dump) -> list[str]:
    lines: list[str] = []
    left = _MAX_SCANNED
    for region in core.regions:
        arena = region.kind == "anonymous" and region.start % HEAP_MAX == 0
        if left <= 0 or len(lines) >= _MOST or "w" not in region.perms:
            continue
        if region.kind != "heap" and not arena:
            continue
        size = min(region.end - region.start, left)
        left -= size
        lines += _messages(read_some(core, region.start, size), region.start)
    return lines[:_MOST]


def _messages(raw: bytes, start: int) -> list[str]:
    """The messages in a heap: texts that begin where a block's memory does."""
    lines = []
    for found in _SAYINGS.finditer(raw):
        begin = raw.rfind(b"\0", max(0, found.start() - _LONGEST), found.start()) + 1
        text = _TEXT.match(raw, begin)
        if begin % _ALIGNED or text is None or raw[text.end() : text.end() + 1] != b"\0":
            continue
        raw_form = _SAYINGS.match(text[0]) or text[0].startswith(b"version `")
        about = _OBJECT.match(raw, text.end() + 1) if raw_form else None
        whose = f" about {text_of(about[0])}" if about else ""
        lines.append(f"loader message at {start + begin:#x}: {text_of(text[0])}{whose}")
        if len(lines) >= _MOST:
            break
    return lines
