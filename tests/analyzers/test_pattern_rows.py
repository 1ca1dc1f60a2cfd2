"""Rows of the causes that no program of the corpora decides: without any of them another reason is
given, most often for a cause that is none."""

import pytest
from msgspec.structs import replace

from tests.analyzers.test_patterns import (
    CHUNK,
    FRAME,
    HEAP,
    MEMORY,
    NULL,
    PROCESS,
    STACK,
    cite,
    fault,
    signal,
    verdict,
)
from workbench.model.facts import (
    AbortMessage,
    AnyFact,
    Argument,
    CxxException,
    FactBook,
    Frame,
    ListFault,
    Load,
    LoaderMessage,
    LockCycle,
    Stack,
    StackShape,
    Unset,
    VirtualCall,
    Wait,
)

ABORTED = signal("SIGABRT", 6, -6, 7)
SHAPE = StackShape(cite=cite(8, 1, 4), thread=7, start=0x7FFF0000, end=0x7FFFF000, guard="unmapped",
                   pointer=0x7FFF8000, guard_distance=0x8000)  # fmt: skip
OUT_OF_STACK = replace(SHAPE, overflowed=True, pointer=0x7FFEFFF0, guard_distance=-16)
BROKEN = replace(HEAP, broken_at=0x500200, before=0x5001F0, broken="size 0x0")
STALE_LIST = replace(HEAP, list_faults=(ListFault(line=3, text="a link to 0x7", chunk=0x500100),))
OUT_OF_FREED = replace(
    NULL, origin=(Load(at=0x400008, register="rax", source=0x500100, value=0, line=6),)
)
NOWHERE = replace(fault("execute", operand=0), pc=0)
DIVIDED = fault("none", operand=0, divisor=3, mnemonic="idiv", instruction="idiv ecx")
WAITS = Wait(cite=cite(9), thread=7, kind="rwlock", address=0x500100, syscall="futex", detail="")
READS = replace(WAITS, kind="io", address=None, syscall="read")
RUNS = replace(WAITS, thread=8, kind="running", address=None, syscall=None)
THROWN = CxxException(cite=cite(9), type="std::bad_alloc", message=None, address=0x500100,
                      uncaught=True, bases=())  # fmt: skip
NEVER_SET = Unset(value=9, function=0x400000, cell=0x7FFF1000, line=6)
INDEXED = fault("write", operand=0x600800, base_register="rax", base_value=0x500100,
                index_register="rdx", index_value=0x100700)  # fmt: skip
DATA = fault(operand=0x4141414141414149, base_register="rax", base_value=0x4141414141414141)
OF_TABLE = VirtualCall(object=0x500100, table=0x4141414141414141, where="non-canonical", line=5)
RING = LockCycle(cite=cite(9), threads=(7, 8), locks=(1, 2))
NOT_FOUND = LoaderMessage(cite=cite(9), about=None,
                          text="libx.so: cannot open shared object file: No such file")  # fmt: skip
NAMELESS = replace(STACK, frames=(Frame(index=0, address=0x400010, line_no=1),))


def called(*functions: str) -> Stack:
    """The program's function behind those of libraries that it called, the outermost first."""
    inner = tuple(
        Frame(index=at, function=name, module="libc.so.6", address=0x7F00, line_no=at + 1)
        for at, name in enumerate(reversed(functions))
    )
    mine = replace(FRAME, index=len(inner), line_no=len(inner) + 1)
    return replace(STACK, cite=cite(7, 1, len(inner) + 1), frames=(*inner, mine))


def given(value: int, region: str) -> Argument:
    return Argument(cite=cite(9), function="free", register="rdi", value=value, region=region,
                    at=0x40000C)  # fmt: skip


def said(text: str) -> AbortMessage:
    return AbortMessage(cite=cite(8), text=text)


CHECKED, RELEASED = called("__memcpy_chk"), called("free")
IN_HEAP, ON_STACK = given(0x500100, "heap"), given(0x7FFF0010, "stack")
PERHAPS_TWICE = said("double free or corruption (!prev)")
BAD_LINK = said("malloc(): unaligned tcache chunk detected")
REFUSED = said("*** buffer overflow detected ***: terminated")


@pytest.mark.parametrize(("cause", "facts", "status", "reason"), [
    ("use-after-free", (ABORTED, BAD_LINK, STALE_LIST), "confirmed", "A free chunk's link to the"),
    ("use-after-free", (signal(), fault(operand=0x900000), OUT_OF_STACK), "rejected", "The thread"),
    ("use-after-free", (signal(), fault(operand=0x5A5A5A5A5A5A5A5A),
                        replace(HEAP, poison="freed memory")), "inconclusive", "The pointer is fi"),
    ("double-free", (ABORTED, PERHAPS_TWICE, BROKEN, IN_HEAP), "rejected", "The heap's headers"),
    ("double-free", (ABORTED, PERHAPS_TWICE, HEAP, ON_STACK), "rejected", "The pointer lies in no"),
    ("double-free", (ABORTED, PERHAPS_TWICE, HEAP), "confirmed", "The message fits"),
    ("invalid-free", (ABORTED, said("free(): invalid pointer"), HEAP, IN_HEAP), "inconclusive",
     "The pointer lies in a heap, but"),
    ("invalid-free", (ABORTED, PERHAPS_TWICE, BROKEN, IN_HEAP), "rejected", "The heap's headers"),
    ("heap-corruption", (ABORTED, BAD_LINK, STALE_LIST), "rejected", "A free chunk was written to"),
    ("heap-buffer-overflow", (signal(), fault("write", operand=0x600800), BROKEN), "confirmed",
     "A header of the heap is overwritten"),
    ("heap-buffer-overflow", (ABORTED, CHECKED, REFUSED, IN_HEAP, HEAP), "confirmed",
     "A fortified function refused"),
    ("stack-buffer-overflow", (signal(), fault("write", operand=0x7FFFF000)), "confirmed",
     "The write ran upwards"),
    ("stack-buffer-overflow", (ABORTED, CHECKED, REFUSED, ON_STACK), "confirmed",
     "A fortified function refused to write past an array"),
    ("stack-buffer-overflow", (signal(), NULL, replace(SHAPE, smashed=True, smash_word=0x4141)),
     "confirmed", "Filler stands"),
    ("stack-buffer-overflow", (signal(), NULL, replace(SHAPE, smashed=True)), "inconclusive",
     "Return addresses on the stack look"),
    ("buffer-overflow", (ABORTED, CHECKED, REFUSED, IN_HEAP, HEAP), "rejected",
     "The destination lies in the heap"),
    ("buffer-overflow", (ABORTED, CHECKED, REFUSED, ON_STACK), "rejected",
     "The destination lies on a stack"),
    ("stack-overflow", (signal(), NULL), "inconclusive", "The stack's bounds"),
    ("out-of-bounds-write", (signal(), fault("write", operand=0x600008)), "rejected",
     "The write ran through its memory"),
    ("null-pointer-dereference", (signal(), NULL, OUT_OF_STACK), "rejected", "The thread ran out"),
    ("null-pointer-dereference", (signal(), replace(NULL, unset=Unset(
        value=0, function=0x400000, cell=0x7FFF1000, line=6))), "rejected", "The pointer had"),
    ("unchecked-allocation", (signal(), NULL, OUT_OF_STACK), "rejected", "The thread ran out"),
    ("null-function-pointer-call", (signal(), NOWHERE), "inconclusive", "The program counter"),
    ("null-function-pointer-call", (signal(), replace(NOWHERE, transfer="return")), "rejected",
     "Control got there by a return"),
    ("null-function-pointer-call", (signal(), HEAP, CHUNK, replace(
        NOWHERE, transfer="call", origin=OUT_OF_FREED.origin)), "rejected", "The pointer came out"),
    *((cause, (signal(), OUT_OF_FREED, HEAP, CHUNK), "rejected", "The pointer came out")
      for cause in ("uninitialized-pointer", "type-confusion", "invalid-vtable")),
    ("bus-error", (signal("SIGBUS", 7, 2), fault(operand=0x500100)), "confirmed", "The memory"),
    ("integer-overflow", (signal("SIGFPE", 8, 1), DIVIDED), "inconclusive", "The divisor is not"),
    ("integer-overflow", (signal("SIGFPE", 8, 1),), "inconclusive", "The operands could"),
    ("illegal-instruction", (signal("SIGILL", 4, 2),), "inconclusive", "The instruction is"),
    ("assertion-failure", (ABORTED, said("malloc.c:2379: sysmalloc: Assertion `x' failed.")),
     "rejected", "The assertion is the allocator's"),
    ("explicit-abort", (signal("SIGUSR1", 10, 0, 7),), "confirmed", "The signal's record names"),
    ("explicit-abort", (NAMELESS, ABORTED), "confirmed", "The process ended itself, and no"),
    ("external-signal", (signal(), NULL), "rejected", "An instruction of the program"),
    ("external-signal", (NULL,), "inconclusive", "No signal is recorded"),
    ("out-of-memory", (signal(), NULL), "rejected", "No allocation is known to have failed"),
    ("out-of-memory", (ABORTED, THROWN), "inconclusive", "An allocation failed; whether"),
    ("deadlock", (signal(), WAITS), "inconclusive", "Threads wait for locks whose owners"),
    ("infinite-loop", (signal(),), "inconclusive", "Every thread is in a system call"),
    ("missed-wakeup", (signal(),), "inconclusive", "No thread waits to be woken"),
    ("blocked-on-io", (signal(),), "inconclusive", "No thread waits for input"),
    ("double-free", (RELEASED, signal(), NULL, given(0x7F0000000010, "unmapped")), "confirmed",
     "The address is one where"),
    ("out-of-bounds-write", (signal(), replace(INDEXED, index_unset=NEVER_SET)), "rejected",
     "The index had"),
    ("out-of-bounds-read", (signal(), replace(INDEXED, access="read", index_unset=NEVER_SET)),
     "rejected", "The index had"),
    ("out-of-bounds-write", (signal(), replace(INDEXED, origin=OUT_OF_FREED.origin), HEAP, CHUNK),
     "rejected", "The pointer came out"),
    ("uninitialized-value", (signal(), replace(INDEXED, access="read", index_unset=NEVER_SET)),
     "confirmed", "No instruction of the function"),
    ("unknown", (replace(signal("SIGFPE", 8, 7), code_name="FPE_FLTINV"),), "confirmed",
     "The signal's code says"),
    ("corrupted-pointer", (signal(), replace(DATA, virtual=OF_TABLE)), "rejected", "The pointer"),
    ("corrupted-pointer", (RELEASED, signal(), DATA), "inconclusive", "The fault is inside"),
    ("wild-pointer", (RELEASED, signal(), DATA), "inconclusive", "The fault is inside"),
    ("null-pointer-dereference", (RELEASED, signal(), NULL), "rejected", "The null was met inside"),
    ("write-to-read-only-memory", (signal(), replace(INDEXED, operand=0x410010)), "rejected",
     "The write began"),
    ("bus-error", (signal("SIGBUS", 7, 1), fault(operand=0x500101, alignment=16)), "rejected",
     "The access is misaligned"),
    ("library-load-failure", (signal(), NOT_FOUND, replace(
        NULL, origin_call="dlopen", origin_value=0, origin_line=6, origin_at=0x400000)),
     "confirmed", "The null pointer is the loader's"),
    ("library-load-failure", (ABORTED, NOT_FOUND), "inconclusive", "The loader failed at"),
    ("std-terminate", (ABORTED, called("__cxa_pure_virtual", "std::terminate()")), "rejected",
     "A pure virtual call"),
    ("pure-virtual-call", (ABORTED, called("__cxa_pure_virtual")), "confirmed", "The handler for"),
    ("external-signal", (signal("SIGTERM", 15, 0, 99), RING), "rejected", "The signal only ended"),
    ("infinite-loop", (RUNS, RING), "rejected", "Threads wait for each other"),
    ("blocked-on-io", (READS, RING), "rejected", "Threads wait for each other"),
    ("blocked-on-io", (READS, RUNS), "rejected", "A thread is computing"),
    ("missed-wakeup", (replace(WAITS, kind="condition"), RING), "rejected", "Threads wait"),
])  # fmt: skip
def test_what_each_row_says(
    cause: str, facts: tuple[AnyFact, ...], status: str, reason: str
) -> None:
    stack = next((one for one in facts if isinstance(one, Stack)), STACK)
    found = verdict(cause, FactBook([PROCESS, MEMORY, stack, *facts]))
    assert found.status == status
    assert found.reason.startswith(reason)
