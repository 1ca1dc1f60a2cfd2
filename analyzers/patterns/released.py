"""What was given back to the allocator: by which call, which pointer, and whose it was."""

from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands, dangling, destroyed, signs, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.ending import MEMORY
from analyzers.patterns.stated import inside, mapped
from analyzers.patterns.words import Cites, line_of
from workbench.model.aliases import public
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Argument, Chunk, Fault, Frame, Heap, Region, Register

_PAGE, _MAPPED_AT = 4096, 16
_LONGEST_CALL = 16

_MANGLED = (f"_Zd{of}Pv{size}" for of in "la" for size in (
    "", "m", "St11align_val_t", "mSt11align_val_t"))  # fmt: skip
FREES = ("free", "realloc", "operator delete", "operator delete[]", *_MANGLED)
"""Functions that give memory back, by their plain and their mangled names."""


ADVICE = (
    "Find both calls that free this memory; give it one owner, and set the pointer to null where "
    "it is freed.",
    "Build with -fsanitize=address and run the same path: it names both calls.",
)


def free_frame(case: Case) -> Frame | None:
    """The outermost frame of the innermost release on the faulting stack: operator delete where
    it called free()."""
    found: Frame | None = None
    for frame in case.frames[:24]:
        if frame.function and public(bare(frame.function)) in FREES:
            found = frame
        elif found is not None:
            break
    return found


def releasing(case: Case) -> Frame | None:
    """The frame that called for the release: the application's, or one of a library that the
    application called; the application's where no release has a name."""
    release = free_frame(case)
    if release is None:
        return case.listed
    return next((f for f in case.frames if f.index == release.index + 1), case.listed)


def given(case: Case) -> Argument | None:
    """The pointer that the program gave to free(), recovered from the caller; of a call whose
    target has another name it is none: that function jumped on to free() with what it liked."""
    named = signs.passed_pointer(case, *FREES)
    if named is not None:
        return named
    caller = releasing(case)
    other = signs.passed_pointer(case)
    if other is None or other.function or caller is None or caller.address is None:
        return None
    # The call instruction stands right in front of the return address.
    return other if 0 < caller.address - other.at <= _LONGEST_CALL else None


def doubted(case: Case, argument: Argument | None) -> Heap | None:
    """The damaged heap that ranks above an argument of a call which no name tells to be free()."""
    return signs.broken_heap(case) if argument is not None and not argument.function else None


def ask_for_pointer(case: Case) -> tuple[Command, ...]:
    """The next commands that recover the pointer and tell where it lies, and its name."""
    argument = given(case)
    if argument is None:
        return commands.call(case, releasing(case))
    return (*commands.heap(argument.value), *spoken.look_given(case), *destroyed.look(case))


def is_free(chunk: Chunk | None) -> bool:
    """True when a chunk is free; what was freed before may lie inside a larger one by now."""
    if chunk is None or chunk.offset < 0:
        return False
    return chunk.state in dangling.FREE_STATES or chunk.state == "top"


def died_in_free(case: Case) -> bool:
    """True when the fault is inside a release that the application called."""
    if not case.ended(*MEMORY):
        return False
    release = free_frame(case)
    return release is not None and case.listed is not None and release.index < case.listed.index


def not_the_allocators(case: Case, argument: Argument) -> list[Claim] | None:
    """Why a pointer cannot be malloc's, beside where the argument is said to lie; None when it may
    be."""
    chunk = case.chunk(argument.value)
    if chunk is not None and is_free(chunk):
        return None
    if chunk is not None and chunk.offset != 0:
        return inside(case, argument.value, offset=True)
    region = case.region(argument.value)
    known = {argument.region, region.kind if region is not None else ""}
    if known & {"stack", "file"}:
        return mapped(case, argument.value)
    if argument.region in ("unmapped", "near-null", "non-canonical") and argument.value:
        return mapped(case, argument.value) if not was_mapped(argument) else None
    walked = any(heap.start <= argument.value < heap.end for heap in case.heaps)
    looked = chunk is None and bool(case.heaps) and region is not None
    anonymous = region is not None and region.kind == "anonymous"
    # A mapping of malloc()'s own begins with its chunk's header (malloc.c, sysmalloc_mmap).
    if looked and not walked and anonymous and argument.value % _PAGE != _MAPPED_AT:
        return mapped(case, argument.value)
    return None


_ARENA_HEAP = 1 << 26  # HEAP_MAX_SIZE of 64-bit glibc (malloc/arena.c)


class Sought(NamedTuple):
    """A chunk whose arena the allocator looked for where no heap is."""

    fault: Fault
    register: Register
    region: Region
    cites: Cites


def arena_sought(case: Case) -> Sought | None:
    """What was released, when the release died at the beginning of 64 MiB of address space without
    a heap: a chunk whose size says "of another arena" is looked up there (malloc/arena.c,
    heap_for_ptr). The chunk's address is in a register still, and lies in memory that no arena
    has. None where one may be the heap's own, whose header is damaged then; code is no chunk."""
    fault, registers = case.fault, case.registers(0)
    if fault is None or fault.operand is None or registers is None or not died_in_free(case):
        return None
    if fault.access != "read" or fault.operand % _ARENA_HEAP or not fault.operand:
        return None
    near = [(one, case.region(one.value)) for one in registers.values
            if 0 < one.value - fault.operand < _ARENA_HEAP and not one.value % _MAPPED_AT
            and one.name != "rsp"]  # fmt: skip
    if any(region is not None and region.kind == "heap" for _, region in near):
        return None
    for register, region in near:
        if region and region.kind in ("stack", "file") and "x" not in region.perms:
            line = line_of(registers, register.line)
            return Sought(fault, register, region, line + case.cite_region(region))
    return None


def was_mapped(argument: Argument) -> bool:
    """True for an address that looks like a large block which malloc() had mapped on its own and
    which free() has unmapped: two words behind the beginning of a page (sysmalloc_mmap)."""
    return argument.value % _PAGE == _MAPPED_AT and argument.value >> 40 == 0x7F
