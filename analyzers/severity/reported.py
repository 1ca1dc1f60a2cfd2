"""The class of what a sanitizer or another tool reports: CASR names most after the tool's words."""

from analyzers.patterns.case import NEAR_NULL
from analyzers.severity.classes import LEVELS, transfer_class
from workbench.model.facts import Finding

_WITH_ACCESS = frozenset(name.removesuffix("(read)") for name in LEVELS if name.endswith("(read)"))
# Words of valgrind, KASAN and AddressSanitizer that CASR knows by another name.
_SAME = {
    "attempting double-free": "double-free",
    "attempting free on address which was not malloc()-ed": "bad-free",
    "slab-out-of-bounds": "heap-buffer-overflow",
    "slab-use-after-free": "heap-use-after-free",
    "use-after-free": "heap-use-after-free",
    "global-out-of-bounds": "global-buffer-overflow",
    "stack-out-of-bounds": "stack-buffer-overflow",
    "memcpy-param-overlap": "param-overlap",
    "strcpy-param-overlap": "param-overlap",
    "stack-overflow": "StackOverflow",
    "FPE": "FPE",
    "ILL": "BadInstruction",
    "ABRT": "AbortSignal",
    "TRAP": "TrapSignal",
}
_BY_CATEGORY = {
    "double-free": "double-free",
    "invalid-free": "bad-free",
    "mismatched-deallocation": "alloc-dealloc-mismatch",
    "memory-leak": "memory-leaks",
    "out-of-memory": "out-of-memory",
    "stack-overflow": "StackOverflow",
    "divide-by-zero": "FPE",
    "illegal-instruction": "BadInstruction",
    "assertion-failure": "AbortSignal",
    "panic": "AbortSignal",
    "explicit-abort": "AbortSignal",
    "heap-corruption": "HeapError",
    "null-function-pointer-call": "SegFaultOnPcNearNull",
}
# What a signal other than of a failed access stands for (CASR, gdb's side); none is of a defect
# where it was sent from outside.
_BY_SIGNAL = {
    "SIGABRT": "AbortSignal", "SIGTRAP": "TrapSignal", "SIGILL": "BadInstruction",
    "SIGSYS": "BadInstruction", "SIGFPE": "FPE",
}  # fmt: skip
_SHOWN = "instruction: "
"""How the reader of a debugger's stop writes down the instruction that it stopped at."""
_PREFIXES = frozenset({"bnd", "notrack", "data16", "rex.W", "addr32"})


def class_of_finding(finding: Finding) -> str | None:
    """The class, or None where CASR has none for such a report."""
    kind = _SAME.get(finding.kind, finding.kind)
    if kind in _WITH_ACCESS:
        access = f"({finding.access})" if finding.access in ("read", "write") else ""
        return f"{kind}{access}"
    if kind in LEVELS:
        return kind
    if finding.category in ("heap-buffer-overflow", "stack-buffer-overflow", "use-after-free"):
        name = (
            f"heap-{finding.category}" if finding.category == "use-after-free" else finding.category
        )
        access = f"({finding.access})" if finding.access in ("read", "write") else ""
        return f"{name}{access}"
    if finding.category in _BY_CATEGORY:
        return _BY_CATEGORY[finding.category]
    signal = finding.signal or {"SEGV": "SIGSEGV", "BUS": "SIGBUS"}.get(finding.kind, finding.kind)
    return _access(finding) if signal in ("SIGSEGV", "SIGBUS") else _BY_SIGNAL.get(signal)


def _access(finding: Finding) -> str:
    """A failed access, as CASR sorts ASan's SEGV: what control went to, or would have gone to,
    before what was read."""
    near = finding.address is not None and finding.address < NEAR_NULL
    if finding.pc is not None and finding.pc == finding.address:
        return "SegFaultOnPcNearNull" if near else "SegFaultOnPc"
    shown = (n.text.removeprefix(_SHOWN) for n in finding.notes if n.text.startswith(_SHOWN))
    words = [word for word in next(shown, "").split() if word not in _PREFIXES]
    moved = transfer_class(words[0], near=near) if words else None
    if moved is not None:
        return moved
    if finding.access not in ("read", "write"):
        return "AccessViolation"
    name = "DestAv" if finding.access == "write" else "SourceAv"
    return f"{name}NearNull" if near else name
