"""``@heap [ADDR ...]``: glibc's heaps walked from their first chunks, and what given addresses,
or the pointers of the fault, are in them."""

from collections import Counter

from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.demangle import readable
from workbench.targets.probes.locks import call_of
from workbench.targets.probes.malloc.heaps import Heap
from workbench.targets.probes.malloc.lists import FreeChunks, heaps_of
from workbench.targets.probes.malloc.memory import run_across
from workbench.targets.probes.malloc.referred import unreferred
from workbench.targets.probes.malloc.walk import FLAGS, IS_MMAPPED
from workbench.targets.probes.places import NEAR_NULL, place, symbol_at, thread_of, variable_at
from workbench.targets.probes.stack import bounds_of
from workbench.targets.probes.suspects import FREED, suspects

_RULES = "glibc malloc/malloc.c, 2.26 to 2.42"
_MAX_SHOWN = 256
_MAX_FAULTS = 16
_FIELD = 0x100  # farther members of a structure are rare
_MAX_STORED = 4


def probe(core: Dump, args: list[str]) -> str:
    """Every heap's summary, then each address."""
    if core.bits != 64:
        return f"heap not decoded on {core.arch}\n"
    heaps, free = heaps_of(core)
    lines = [f"rules: {_RULES}"]
    if not heaps:
        lines.append("no heap of glibc found in the dump")
    for heap in heaps[:_MAX_SHOWN]:
        lines += _heap_lines(core, heap, free)
    if free.tcaches:
        links = "hidden as (position >> 12) ^ pointer" if free.mangled else "plain pointers"
        lines.append(f"links of tcache and fastbins are {links}")
    lines += [f"list fault: {fault}" for fault in free.faults[:_MAX_FAULTS]]
    wanted = _asked(args)
    if wanted is not None:
        for address in wanted:
            lines += address_lines(core, heaps, free, address, "asked for")
            if core.region(address) is None:
                lines += _stored_lines(core, heaps, free, address)
    else:
        lines += _suspect_lines(core, heaps, free)
    return "\n".join(lines) + "\n"


def _asked(args: list[str]) -> list[int] | None:
    if not args:
        return None
    found = []
    for word in args[:_MAX_SHOWN]:
        try:
            value = int(word, 0)
        except ValueError:
            continue
        if 0 <= value < 1 << 64:
            found.append(value)
    return found


def _suspect_lines(core: Dump, heaps: list[Heap], free: FreeChunks) -> list[str]:
    """The fault's pointers: those in a heap in full, a poisoned one as such, and for a wild one
    where in the heaps it is stored."""
    lines: list[str] = []
    for part, address in suspects(core):
        poison = poison_of(address)
        if poison is not None:
            lines.append(f"value {address:#x} ({part}) looks like poison {poison}")
        elif heap_of(heaps, address) is not None or part.endswith(FREED):
            lines += address_lines(core, heaps, free, address, part)
        elif part.startswith("base register") and core.region(address) is None:
            lines += _stored_lines(core, heaps, free, address)
    return lines


def _stored_lines(core: Dump, heaps: list[Heap], free: FreeChunks, value: int) -> list[str]:
    """The chunks in which a wild pointer is stored: it may have been read from there."""
    lines: list[str] = []
    cells = _stored_at(heaps, value)
    for cell in cells:
        lines += address_lines(core, heaps, free, cell, f"where {value:#x} is stored")
    return lines if cells else _link_lines(core, heaps, free, value)


def _link_lines(core: Dump, heaps: list[Heap], free: FreeChunks, value: int) -> list[str]:
    """The freed chunk whose link to the next one is this pointer less a field's offset: the link
    stands where the first member of what was freed had stood, and was taken for it. A block in use
    keeps the link of when it was free until its first word is set: where one has such a word, the
    pointer may be that, which was never set."""

    def is_link(start: int) -> bool:
        link = core.read_word(start + 16)
        return link is not None and link >= NEAR_NULL and 0 < value - link < _FIELD

    freed = next(filter(is_link, free.by_start), None)
    others = (at for heap in heaps for at in heap.walk.starts if at not in free.by_start)
    if freed is None or any(map(is_link, others)):
        return []
    link = core.read_word(freed + 16) or 0
    return address_lines(core, heaps, free, freed + 16, f"where {link:#x} is stored")


def _stored_at(heaps: list[Heap], value: int) -> list[int]:
    """The first places in the heaps where a word is stored."""
    found: list[int] = []
    raw = value.to_bytes(8, "little")
    for heap in heaps if value >= NEAR_NULL else ():
        at = heap.span.data.find(raw)
        while at >= 0 and len(found) < _MAX_STORED:
            if at % 8 == 0 and heap.walk.find(heap.span.start + at) is not None:
                found.append(heap.span.start + at)
            at = heap.span.data.find(raw, at + 1)
    return found


def _heap_lines(core: Dump, heap: Heap, free: FreeChunks) -> list[str]:
    found = heap.walk
    counts = {"tcache": 0, "fastbin": 0, "unsorted": 0, "bin": 0}
    for start in found.starts:
        freed = free.by_start.get(start)
        if freed is not None:
            counts[freed.state] += 1
    total = len(found.starts)
    used = total - sum(counts.values()) - (1 if found.top is not None else 0)
    name = "main heap" if heap.main else "arena heap"
    top = f"top {found.top:#x}" if found.top is not None else "top not reached"
    lines = [
        f"{name} {heap.first:#x}-{heap.end:#x}: {total} chunks, {used} in use, "
        f"{counts['tcache']} free in tcache, {counts['fastbin']} in fastbins, "
        f"{counts['unsorted']} unsorted, {counts['bin']} in bins, {top}"
    ]
    lines += census_lines(core, heap, free)
    if found.cut:
        lines.append(f"heap {heap.first:#x}: the walk was cut short, memory or time ended")
    if found.broken is None:
        if found.top is not None and not found.cut:
            lines.append(f"heap {heap.first:#x} is consistent up to its top")
        return lines
    return lines + _broken_lines(heap, free)


def _broken_lines(heap: Heap, free: FreeChunks) -> list[str]:
    broken = heap.walk.broken
    if broken is None:
        return []
    lines = [
        f"heap {heap.first:#x} is broken at {broken.at:#x}: prev_size {broken.prev_size:#x}, size "
        f"{broken.size:#x}: {broken.why}"
    ]
    if broken.before is not None:
        index = heap.walk.find(broken.before)
        if index is not None:
            size = heap.walk.sizes[index]
            lines.append(
                f"chunk before the broken header: {broken.before:#x} size {size & ~FLAGS:#x}, "
                f"{state_of(heap, free, index)}, memory from {broken.before + 16:#x}"
            )
    run = run_across(heap.span, broken.at)
    raw = heap.span.bytes_at(broken.at - 16, 32).hex(" ")
    lines.append(f"bytes from {broken.at - 16:#x}: {raw}")
    if run is not None:
        inside = broken.before is not None and run.start >= broken.before + 16
        where = f", which begins in the memory of chunk {broken.before:#x}" if inside else ""
        lines.append(
            f"overrun: {run.what} from {run.start:#x} to {run.end:#x} runs across the header at "
            f"{broken.at:#x}{where}"
        )
    if heap.walk.resumed is not None:
        lines.append(f"chunks make sense again from {heap.walk.resumed:#x} on")
    return lines


def heap_of(heaps: list[Heap], address: int) -> Heap | None:
    """The heap that holds an address."""
    return next((heap for heap in heaps if heap.first <= address < heap.end), None)


def state_of(heap: Heap, free: FreeChunks, index: int) -> str:
    """``in-use``, ``tcache of thread 12``, ``bin``, ``top``."""
    start = heap.walk.starts[index]
    if start == heap.walk.top:
        return "top"
    freed = free.by_start.get(start)
    if freed is None:
        return "in-use" if heap.walk.in_use(index) else "bin"
    return f"{freed.state} of thread {freed.thread}" if freed.thread is not None else freed.state


def address_lines(
    core: Dump, heaps: list[Heap], free: FreeChunks, address: int, part: str
) -> list[str]:
    """What an address is to the heaps."""
    heap = heap_of(heaps, address)
    if heap is None:
        return _outside(core, address, part)
    index = heap.walk.holder(address)
    if index is None:
        broken = heap.walk.broken
        where = f"behind the broken header at {broken.at:#x}" if broken else "in no known chunk"
        return [f"address {address:#x} ({part}): in heap {heap.first:#x}, {where}"]
    starts, sizes = heap.walk.starts, heap.walk.sizes
    start, size = starts[index], sizes[index] & ~FLAGS
    offset = address - start - 16
    state = "header" if offset < 0 else state_of(heap, free, index)
    shown = f"offset {offset:#x} in its memory" if offset >= 0 else f"offset -{-offset:#x}"
    lines = [
        f"address {address:#x} ({part}): chunk {start:#x} size {size:#x} in heap {heap.first:#x}, "
        f"state {state}, {shown}"
    ]
    if offset < 0:
        lines.append(f"chunk {start:#x} itself is {state_of(heap, free, index)}")
    words = " ".join(f"{word:#x}" for word in heap.span.words(start + 16, 4))
    lines.append(f"chunk {start:#x} memory from {start + 16:#x}: {words}")
    fill = fill_of(heap.span.bytes_at(start + 32, min(size - 32, 4096)))
    if fill is not None:
        lines.append(f"chunk {start:#x} is filled with the byte {fill:#x} from {start + 32:#x} on")
    return lines + _neighbours(heap, free, index)


def _neighbours(heap: Heap, free: FreeChunks, index: int) -> list[str]:
    parts = []
    for name, at in (("before", index - 1), ("behind", index + 1)):
        if 0 <= at < len(heap.walk.starts):
            size = heap.walk.sizes[at] & ~FLAGS
            parts.append(
                f"{name} it {heap.walk.starts[at]:#x} size {size:#x} {state_of(heap, free, at)}"
            )
    return [f"chunk {heap.walk.starts[index]:#x} neighbours: {'; '.join(parts)}"] if parts else []


def _outside(core: Dump, address: int, part: str) -> list[str]:
    """A mapping of its own begins with its chunk's header: size in whole pages, IS_MMAPPED."""
    region = core.region(address)
    if region is not None and region.kind in ("anonymous", "heap") and "w" in region.perms:
        for start in (address - 16 & ~0xFFF, region.start):
            size = core.read_word(start + 8)
            length = (size or 0) & ~FLAGS
            if (
                size is not None
                and size & FLAGS == IS_MMAPPED
                and length
                and (length % 0x1000 == 0)
                and start + length <= region.end
                and address < start + length
            ):
                return [
                    f"address {address:#x} ({part}): chunk {start:#x} size {length:#x} in heap "
                    f"{start:#x}, state in-use, offset {address - start - 16:#x} in its memory",
                    f"chunk {start:#x} is a mapping of its own",
                ]
    return [
        f"address {address:#x} ({part}): in no heap: {place(core, address)}"
        f"{_given_back(core, address)}"
    ]


_OUTERMOST, _MOST_FRAMES = 8, 256
_BEGINS = frozenset(
    {"_start", "__libc_start_main", "__libc_start_main_impl", "start_thread",
     "clone", "__clone", "clone3", "__clone3"}
)  # fmt: skip
"""The functions of glibc and of its start files that a thread's own stack begins in."""


def _given_back(core: Dump, address: int) -> str:
    """Why no object of the program's can be alive at a place on a thread's own stack: it lies below
    the stack pointer, or in the frame of a function of the C library that its thread waits in
    (clock_nanosleep), which gives nobody a pointer to its variables."""
    region = core.region(address)
    thread = thread_of(core, region.thread) if region is not None and region.thread else None
    bounds = bounds_of(core, thread) if thread is not None else None
    if bounds is None or thread is None or thread.sp is None or core.region(thread.sp) != region:
        return ""
    # struct pthread stands at the end of a thread's stack (nptl/allocatestack.c). A stack pointer
    # in any other memory is that of a coroutine, beside which anything may lie.
    if not (bounds.main or bounds.start <= (thread.fs_base or 0) < bounds.end):
        return ""
    if address < thread.sp:
        # A coroutine's stack, or a signal handler's alternate one, may be an array of a function
        # in progress: from there no frame leads up to the thread's first, or only down past it.
        frames = callers_of_thread(core, thread, _MOST_FRAMES)
        names = ((symbol_at(core, one.call.address) or "").partition("+")[0] for one in frames)
        if _BEGINS.isdisjoint(names):
            return ""
        return f", {thread.sp - address:#x} below its stack pointer"
    pc = thread.pc or 0
    # Only in a call that waits: qsort() gives the program's own function elements in its frame.
    for caller in callers_of_thread(core, thread, _OUTERMOST) if call_of(core, thread) else ():
        here = core.region(pc)
        library = (here.path or "").rsplit("/", 1)[-1] if here is not None else ""
        name = (symbol_at(core, pc) or "").partition("+")[0]
        if not name or not library.startswith(("libc.so", "libc-", "libpthread")):
            return ""
        if address < caller.registers["rsp"]:
            return f", in the frame of {name}"
        pc = caller.call.address
    return ""


# What allocators and tools write over memory that is free or not yet set. Weaker evidence than the
# lists: a program may hold such a value itself. Sources: Microsoft's debug heap (0xcd, 0xdd,
# 0xfeeefeee, 0xbaadf00d, 0xabababab), jemalloc's junk filling (0xa5 on allocation, 0x5a on free),
# OpenBSD's malloc (0xdb, 0xdf on free), the customary 0xdeadbeef.
_BYTES = {
    0x5A: "freed memory", 0xDD: "freed memory", 0xDF: "freed memory",
    0xCD: "memory never written", 0xA5: "memory never written", 0xDB: "memory never written",
    0xAB: "a guard behind a block",
}  # fmt: skip
_HALVES = {
    0xDEADBEEF: "freed memory",
    0xFEEEFEEE: "freed memory",
    0xBAADF00D: "memory never written",
}


def poison_of(value: int) -> str | None:
    """What a word's pattern stands for, or None. A small offset from the pattern still counts."""
    if value < 0x10000:
        return None
    for shift in (0, 32):
        half = value >> shift & 0xFFFFFFFF
        for known, what in _HALVES.items():
            if 0 <= half - known <= 0x1000:
                return f"{known:#x}: {what}"
    top = value >> 56
    if top in _BYTES and all((value >> at & 0xFF) == top for at in range(16, 64, 8)):
        return f"{top:#x} repeated: {_BYTES[top]}"
    return None


def fill_of(memory: bytes) -> int | None:
    """The byte that fills memory, other than zero; None when it is not one byte throughout."""
    if len(memory) < 8 or memory[0] == 0 or memory.count(memory[0]) != len(memory):
        return None
    return memory[0]


_LEAST = 1000
_SAMPLES = 3
_MUCH, _LOOKED_FOR = 8 << 20, 8
_TABLE = "_ZTV"


def census_lines(core: Dump, heap: Heap, free: FreeChunks) -> list[str]:
    """The line on the size that takes most of a heap's memory, where that is many chunks."""
    counts: Counter[int] = Counter()
    for size, count in Counter(heap.walk.sizes).items():
        counts[size & ~FLAGS] += count
    if heap.walk.top is not None:
        counts[heap.walk.sizes[-1] & ~FLAGS] -= 1
    if not counts:
        return []
    size = max(counts, key=lambda each: each * counts[each])
    freed = [start for start in free.by_start if _size_of(heap, start) == size]
    used = counts[size] - len(freed)
    if used < _LEAST:
        return []
    taken = sum(each * count for each, count in counts.items())
    line = (
        f"most of heap {heap.first:#x}: {used} chunks of size {size:#x} in use, {used * size} of "
        f"{taken} bytes"
    )
    mine = _spread(heap, size, set(freed))
    told = _beginning_lines(core, heap, mine)
    return [line, *told, *_unreferred_lines(core, heap, mine, used * size)]


def _size_of(heap: Heap, start: int) -> int | None:
    index = heap.walk.find(start)
    if index is None or heap.walk.starts[index] != start:
        return None
    return heap.walk.sizes[index] & ~FLAGS


def _spread(heap: Heap, size: int, freed: set[int]) -> list[int]:
    """Where in the walk some chunks of a size stand that are in use, spread over the heap."""
    sizes, starts = heap.walk.sizes, heap.walk.starts
    some = range(0, len(starts), max(1, len(starts) // 512))
    return [i for i in some if sizes[i] & ~FLAGS == size and starts[i] not in freed]


def _picked(mine: list[int], count: int) -> list[int]:
    return [mine[len(mine) * n // (count + 1)] for n in range(1, count + 1)] if mine else []


def _beginning_lines(core: Dump, heap: Heap, mine: list[int]) -> list[str]:
    """The class of a few of them, where each begins with the table of the same one (Itanium C++
    ABI, 2.5: the table's symbol, two words in)."""
    starts, picked = heap.walk.starts, _picked(mine, _SAMPLES)
    words = {heap.span.word(starts[i] + 16) for i in picked}
    word = words.pop() if len(words) == 1 else None
    name = variable_at(core, word) if word else None
    if not word or name is None or not name.startswith(_TABLE):
        return []
    kind = readable(name.removeprefix(_TABLE).split("+", 1)[0])
    where = starts[picked[0]] + 16
    return [f"they begin with {word:#x}, as at {where:#x}: the table of class {kind}"]


def _unreferred_lines(core: Dump, heap: Heap, mine: list[int], taken: int) -> list[str]:
    """Whether anything points to a few of them, in a dump of a process that no signal ended."""
    if taken < _MUCH or not getattr(core, "snapshot", False):
        return []
    starts, sizes = heap.walk.starts, heap.walk.sizes
    picked = [(starts[i], sizes[i] & ~FLAGS) for i in sorted(set(_picked(mine, _LOOKED_FOR)))]
    # Memory of a chunk begins 16 bytes in, and ends where the next one's size stands.
    ranges = [(start + 16, start + size + 8) for start, size in picked]
    none = unreferred(core, ranges) if len(ranges) == _LOOKED_FOR else None
    if none is None:
        return []
    return [f"of {len(ranges)} of them, spread over the heap, nothing points to {none}"]
