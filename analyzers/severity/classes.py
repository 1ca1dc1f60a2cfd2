"""CASR's classes with their levels (ispras/casr: docs/classes.md, execution_class.rs)."""

import re

EXPLOITABLE = "EXPLOITABLE"
PROBABLY = "PROBABLY_EXPLOITABLE"
NOT = "NOT_EXPLOITABLE"
UNDEFINED = "UNDEFINED"

_EXPLOITABLE = """
    SegFaultOnPc ReturnAv BranchAv CallAv DestAv BranchAvTainted CallAvTainted DestAvTainted
    heap-buffer-overflow(write) global-buffer-overflow(write) stack-use-after-scope(write)
    stack-use-after-return(write) stack-buffer-overflow(write) stack-buffer-underflow(write)
    heap-use-after-free(write) container-overflow(write) param-overlap
    dynamic-stack-buffer-overflow(write)
"""
_PROBABLY = """
    BadInstruction SegFaultOnPcNearNull BranchAvNearNull CallAvNearNull HeapError StackGuard
    DestAvNearNull heap-buffer-overflow global-buffer-overflow stack-use-after-scope
    use-after-poison stack-use-after-return stack-buffer-overflow stack-buffer-underflow
    heap-use-after-free container-overflow negative-size-param calloc-overflow
    reallocarray-overflow pvalloc-overflow overwrites-const-input dynamic-stack-buffer-overflow
"""
_NOT = """
    SourceAv AbortSignal TrapSignal AccessViolation SourceAvNearNull SafeFunctionCheck FPE
    StackOverflow double-free bad-free alloc-dealloc-mismatch unknown-crash
    heap-buffer-overflow(read) global-buffer-overflow(read) stack-use-after-scope(read)
    stack-use-after-return(read) stack-buffer-overflow(read) stack-buffer-underflow(read)
    heap-use-after-free(read) container-overflow(read) initialization-order-fiasco
    new-delete-type-mismatch bad-malloc_usable_size odr-violation memory-leaks
    invalid-allocation-alignment invalid-aligned-alloc-alignment invalid-posix-memalign-alignment
    allocation-size-too-big out-of-memory timeout
    dynamic-stack-buffer-overflow(read) use-of-uninitialized-value
"""

# What an instruction transfers control with, by its mnemonic (x86, Arm, AArch64, RISC-V).
_TRANSFERS = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"ret[a-z]*$", "ReturnAv"),
        (r"l?call|bl(?:r|x|ra[ab]z?)?$|jalr?$", "CallAv"),
        (r"l?j[a-z]+$|br(?:aa|ab)?$|b\.|bx?$", "BranchAv"),
    )
)


def transfer_class(mnemonic: str, *, near: bool) -> str | None:
    """The class of a transfer of control that failed; None for any other instruction."""
    name = next((name for pattern, name in _TRANSFERS if pattern.match(mnemonic)), None)
    return f"{name}NearNull" if near and name not in (None, "ReturnAv") else name


LEVELS: dict[str, str] = {
    **dict.fromkeys(_EXPLOITABLE.split(), EXPLOITABLE),
    **dict.fromkeys(_PROBABLY.split(), PROBABLY),
    **dict.fromkeys([*_NOT.split(), "fuzz target exited"], NOT),
    "Undefined": UNDEFINED,
}
