"""``@exception``: C++ exceptions in flight, found by the word that marks each one.

``_Unwind_Exception.exception_class`` is ``GNUCC++\0`` in libstdc++ and ``CLNGC++\0`` in libc++abi
(a dependent one ends in 1); in front of it stands ``__cxa_exception`` (libsupc++/unwind-cxx.h,
cxa_exception.h), whose last fields lie at the same distances in both, and behind it the object.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.code import code_around, names_text
from workbench.targets.probes.demangle import readable
from workbench.targets.probes.malloc.lists import FreeChunks, heaps_of
from workbench.targets.probes.places import clean, crashing_thread
from workbench.targets.probes.stack_scan import CodeMap, return_slots, words_at
from workbench.targets.probes.transfer import call_ending_at
from workbench.targets.probes.type_info import TypeInfo, message_of, type_at

# The class word as it stands in memory of a little-endian machine, without its last letter.
_MARKS = (b"++CCUNG", b"++CGNLC")
_TYPE, _COUNT, _LANDING, _OBJECT = -80, -40, -16, 32
_HEADER = -80
_MAX_SCANNED = 1 << 31
_MAX_FOUND = 64
_MAX_TRIED = 20_000
_TLS_REACH = 0x4000


@dataclass(frozen=True)
class Thrown:
    """One exception: ``mark`` is the address of its class word, ``handlers`` handlerCount,
    ``landing`` the landing pad of the handler that was chosen, zero when none was."""

    mark: int
    type: TypeInfo
    object: int
    handlers: int
    landing: int
    freed: bool


def state_of(thrown: Thrown, terminating: bool) -> str:
    """``uncaught``, ``caught``, or ``thrown again`` where that cannot be told.

    A landing pad is set only when a handler was found. Terminating itself counts as a handler
    (``__cxa_begin_catch`` before ``std::terminate``), and libstdc++'s verbose handler throws the
    exception again to learn its type, so neither handlerCount nor the landing pad says "caught"
    while the process terminates.
    """
    if thrown.landing == 0 or thrown.handlers < 0 or terminating:
        return "uncaught"
    return "thrown again" if thrown.handlers > 1 else "caught"


def probe(core: Dump, args: list[str]) -> str:
    """Up to three lines an exception, those that a thread has in hand first."""
    if core.bits != 64 or not core.little_endian:
        return f"exceptions not decoded on {core.arch}\n"
    found = exceptions(core)
    live = [thrown for thrown in found if not thrown.freed]
    if not live:
        seen = f", {len(found)} in freed memory" if found else ""
        return f"no C++ exception object in flight{seen}\n"
    thread = crashing_thread(core)
    dying = thread.tid if thread is not None and is_terminating(core, thread) else None
    lines: list[str] = []
    for thrown in _once_each(core, live):
        lines += _lines(core, thrown, dying)
    return "\n".join(lines) + "\n"


def _once_each(core: Dump, live: list[Thrown]) -> list[Thrown]:
    """One entry an object: a dependent exception (``std::rethrow_exception``) shares that of the
    primary one. Those that a thread has in hand come first."""
    best: dict[int, Thrown] = {}
    for thrown in live:
        known = best.get(thrown.object)
        if known is None or _held_by(core, known) is None:
            best[thrown.object] = thrown
    return sorted(best.values(), key=lambda thrown: _held_by(core, thrown) is None)


def _lines(core: Dump, thrown: Thrown, dying: int | None) -> list[str]:
    owner, others = _held_by(core, thrown) or (None, 0)
    whose = f", thread {owner}" if owner is not None else ""
    if others:
        whose += f", others on their way there: {others}"
    state = state_of(thrown, dying is not None and owner in (None, dying))
    lines = [
        f"exception object {thrown.object:#x}: type {clean(thrown.type.name)} (mangled "
        f"{clean(thrown.type.mangled)}), {state}, handler count {thrown.handlers}{whose}"
    ]
    if thrown.type.bases:
        bases = ", ".join(readable(base.name) for base in thrown.type.bases)
        lines.append(f"exception object {thrown.object:#x} derives from: {clean(bases)}")
    message = message_of(core, thrown.type, thrown.object)
    if message is not None:
        lines.append(f"exception object {thrown.object:#x} message: {clean(message)}")
    return lines


def exceptions(core: Dump) -> list[Thrown]:
    """Every exception object whose type can be read, freed ones marked."""
    found: list[Thrown] = []
    free: FreeChunks | None = None
    ranges: list[tuple[int, int]] = []
    for mark in islice(_marks(core), _MAX_TRIED):
        if free is None:
            heaps, free = heaps_of(core)
            for heap in heaps:
                for start in free.by_start:
                    index = heap.walk.find(start)
                    if index is not None:
                        ranges.append((start, start + (heap.walk.sizes[index] & ~7)))
        thrown = _thrown(core, mark, ranges)
        if thrown is not None:
            found.append(thrown)
            if len(found) >= _MAX_FOUND:
                break
    return found


def _thrown(core: Dump, mark: int, freed: list[tuple[int, int]]) -> Thrown | None:
    kind = core.read(mark, 1)
    first = core.read_word(mark + _TYPE)
    counts = core.read(mark + _COUNT, 4)
    landing = core.read_word(mark + _LANDING)
    if kind is None or first is None or counts is None or landing is None:
        return None
    target = mark + _OBJECT
    if kind == b"\x01":  # a dependent one: its first word is the object of the primary
        target = first
        again = core.read_word(target - _OBJECT + _TYPE)
        if again is None:
            return None
        first = again
    info = type_at(core, first)
    if info is None:
        return None
    (handlers,) = struct.unpack("<i", counts)
    if abs(handlers) > 1 << 16:
        return None
    gone = any(start <= mark < end for start, end in freed)
    return Thrown(mark, info, target, handlers, landing, gone)


def _marks(core: Dump) -> Iterator[int]:
    """Addresses of class words in writable memory that no file backs."""
    left = _MAX_SCANNED
    for region in core.regions:
        if "w" not in region.perms or region.kind in ("file", "stack", "vdso") or left <= 0:
            continue
        block = 1 << 24
        for start in range(region.start, min(region.end, region.start + left), block):
            size = min(block + 8, region.end - start)
            raw = core.read(start, size) or b""
            left -= len(raw)
            for mark in _MARKS:
                at = raw.find(mark)
                while at >= 0:
                    if at >= 1 and (start + at - 1) % 8 == 0 and raw[at - 1] in (0, 1):
                        yield start + at - 1
                    at = raw.find(mark, at + 1)


def _held_by(core: Dump, thrown: Thrown) -> tuple[int, int] | None:
    """The thread whose ``__cxa_eh_globals.caughtExceptions`` is this one: a word of its
    thread-local data holds the header's address; and ``uncaughtExceptions`` behind it, the number
    of those that the thread has thrown and no handler has begun (Itanium C++ ABI, 2.2.2)."""
    wanted = struct.pack("<Q", thrown.mark + _HEADER)
    for thread in core.threads:
        base = thread.fs_base
        if not base:
            continue
        for page in range(base & ~0xFFF, (base & ~0xFFF) - _TLS_REACH, -0x1000):
            raw = core.read(page, 0x1000)
            if raw is None:
                break
            at = raw.find(wanted)
            if at % 8 == 0:
                (others,) = struct.unpack("<I", raw[at + 8 : at + 12].ljust(4, b"\0"))
                return thread.tid, others if others < _MAX_FOUND else 0
    return None


_REACH = 0x1000
_SLOTS = 16
_HALVES = 4
_SIGABRT = 6
_NAMES = ("_ZSt9terminatev", "_ZN10__cxxabiv111__terminate", "__verbose_terminate_handler")
_RUNTIMES = ("libstdc++.so", "libc++abi.so")
_SAYS = (b"terminate called ", b"  what():  ")


def is_terminating(core: Dump, thread: CoreThread) -> bool:
    """True when a return address near the stack pointer lies in one of libstdc++'s functions for
    terminating. Without symbols its verbose handler is known by what it prints, "terminate called
    after throwing an instance of" and "what():"."""
    if thread.signal != _SIGABRT or thread.sp is None or core.arch != "x86_64":
        return False
    start = thread.sp & ~7
    code = CodeMap(core)
    for slot in return_slots(code, words_at(core, start, start + _REACH), _SLOTS):
        module = core.module_at(slot.address)
        if module is not None and module.name.startswith(_RUNTIMES):
            return True  # a C++ runtime calls abort(3) for nothing else
        found = core.symbolize(slot.address - 1)
        if found is not None:
            if any(name in found[0] for name in _NAMES):
                return True
        elif _mentions(core, slot.address):
            return True
    return False


def _mentions(core: Dump, address: int) -> bool:
    """Whether the function that an address is returned to in names one of the texts. Compilers
    move the rare half of a function elsewhere, so what it jumps to is looked at as well."""
    call = call_ending_at(core, address)
    function = code_around(core, call.address) if call is not None else None
    if function is None:
        return False
    halves = [function]
    for item in function.instructions.outlines:
        if item.target is not None and item.target not in function.at and len(halves) < _HALVES:
            other = code_around(core, item.target)
            if other is not None:
                halves.append(other)
    return any(names_text(core, half, _SAYS) for half in halves)
