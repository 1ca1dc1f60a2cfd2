"""The class of what a sanitizer or another tool reports: CASR names most after the tool's words."""

from analyzers.patterns.case import NEAR_NULL
from analyzers.severity.classes import LEVELS
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
    if finding.kind in ("SEGV", "BUS", "SIGSEGV", "SIGBUS") or finding.signal is not None:
        return _access(finding)
    return None


def _access(finding: Finding) -> str:
    """A failed access, as CASR sorts ASan's SEGV."""
    if finding.access not in ("read", "write"):
        return "AccessViolation"
    name = "DestAv" if finding.access == "write" else "SourceAv"
    near = finding.address is not None and finding.address < NEAR_NULL
    return f"{name}NearNull" if near else name
