"""How bad a crash is: CASR's class for it, its level, and the chain of reasons.

The class follows from the faulting instruction, its operand and the mappings, from the message that
the C library left, or from what a sanitizer says. Where CASR goes by a name on the stack or by the
kind of instruction, the message, the operand and the guard page decide here.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from analyzers.names import bare
from analyzers.patterns import messages, own_end, reports_of, signs
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.ending import Ending, Kind
from analyzers.severity.classes import LEVELS, transfer_class
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Fault, Finding, Frame, Taint


class Severity(Struct, frozen=True, kw_only=True):
    """``name`` is the class, ``level`` EXPLOITABLE | PROBABLY_EXPLOITABLE | NOT_EXPLOITABLE |
    UNDEFINED; each of ``reasons`` ends in the citation of what it rests on."""

    name: str
    level: str
    reasons: tuple[str, ...]


class _Chain:
    """Collects the reasons on the way to a class."""

    def __init__(self) -> None:
        self._reasons: list[str] = []

    def because(self, text: str, *cites: Citation) -> None:
        where = f" ({', '.join(str(cite) for cite in cites)})" if cites else ""
        self._reasons.append(f"{text}{where}")

    def is_(self, name: str) -> Severity:
        return Severity(name=name, level=LEVELS[name], reasons=tuple(self._reasons))


def severity(facts: FactBook) -> Severity | None:
    """The severity of what ended the process; None where nothing did."""
    case, chain = facts.once(Case), _Chain()
    findings = [found for found in facts.all(Finding) if class_of_finding(found) is not None]
    if findings:
        first = min(findings, key=lambda found: found.rank)
        name = class_of_finding(first)
        if name is not None:
            cite = Citation(first.cite.evidence, first.line, first.line)
            chain.because(f"{first.tool} reports {first.kind}", cite)
            return (
                _by_aborter(case, chain, reports_of(facts).frames_of(first))
                if name == "AbortSignal"
                else chain.is_(name)
            )
    if case.ending is None or case.snapshot:
        return None
    return _of_ending(case, case.ending, chain)


def _of_ending(case: Case, ending: Ending, chain: _Chain) -> Severity:
    chain.because(f"the process was ended by {ending.name}", ending.fact.cite)
    if ending.sent and ending.kind is not Kind.ABORT:
        if not own_end.at_limit(case):
            chain.because("it was sent; no instruction raised it", ending.fact.cite)
        return chain.is_("Undefined")
    if shape := signs.ran_out_of_stack(case):
        chain.because("the stack pointer or the access lies in the guard of the stack", shape.cite)
        return chain.is_("StackOverflow")
    lost = signs.lost_stack(case)
    if lost is not None:
        where = f"the stack pointer {lost.stack_pointer:#x} lies in no stack"
        chain.because(f"{where}: a frame had stepped over its end", lost.cite)
        return chain.is_("StackOverflow")
    if ending.kind is Kind.ABORT:
        return _of_abort(case, chain)
    if ending.kind in (Kind.ACCESS, Kind.PAGING, Kind.MISALIGNED):
        return _of_access(case, ending, chain)
    return chain.is_(_BY_KIND.get(ending.kind, "Undefined"))


_BY_KIND = {
    Kind.STACK: "StackOverflow", Kind.TRAP: "TrapSignal", Kind.ILLEGAL: "BadInstruction",
    Kind.PRIVILEGED: "BadInstruction", Kind.ARITHMETIC: "FPE", Kind.DIVISION: "FPE",
    Kind.FLOAT_DIVISION: "FPE", Kind.OVERFLOW: "FPE", Kind.FLOATING: "FPE",
}  # fmt: skip


def _of_abort(case: Case, chain: _Chain) -> Severity:
    """By the message of the C library; by the function that aborted only where there is none."""
    if handler := signs.guard_was_told(case):
        chain.because("the runtime's handler of stack overflows ended it", *case.cite(handler))
        return chain.is_("StackOverflow")
    if messages.says(case, messages.STACK_SMASHING):
        return _said(case, chain, "StackGuard")
    if messages.says(case, *messages.FORTIFY):
        return _said(case, chain, "SafeFunctionCheck")
    if messages.is_heap(case):
        return _said(case, chain, "HeapError")
    if case.message is not None:
        return _said(case, chain, "AbortSignal")
    return _by_aborter(case, chain, case.frames)


def _by_aborter(case: Case, chain: _Chain, frames: Sequence[Frame]) -> Severity:
    for functions, name in _ABORTERS:
        frame = next((f for f in frames[:12] if bare(f.function or "") in functions), None)
        if frame is not None:
            chain.because(f"{frame.function} stands on the stack", *case.cite(frame))
            return chain.is_(name)
    return chain.is_("AbortSignal")


_ABORTERS = (
    (("__stack_chk_fail", "__report_gsfailure"), "StackGuard"),
    (("__chk_fail", "__fortify_fail"), "SafeFunctionCheck"),
    (("malloc_printerr", "RtlpHeapHandleError", "RtlpLogHeapFailure"), "HeapError"),
)


def _said(case: Case, chain: _Chain, name: str) -> Severity:
    if case.message is not None:
        chain.because(f"its message is {messages.quoted(case.message.text)}", case.message.cite)
    return chain.is_(name)


def _of_access(case: Case, ending: Ending, chain: _Chain) -> Severity:
    fault = case.fault
    if fault is None:
        chain.because("the faulting instruction is not known")
        return chain.is_("AccessViolation")
    if fault.access == "execute" and not _runs_code(case, fault):
        chain.because(f"control went to {fault.pc:#x}, where no code may run", fault.cite)
        return chain.is_("SegFaultOnPcNearNull" if fault.pc < NEAR_NULL else "SegFaultOnPc")
    return _of_operand(case, fault, ending, chain)


def _runs_code(case: Case, fault: Fault) -> bool:
    """True when the instruction pointer stands in code: a branch fails before it is taken."""
    region = case.region(fault.pc)
    return region is not None and region.perms[2:3] == "x"


def _of_operand(case: Case, fault: Fault, ending: Ending, chain: _Chain) -> Severity:
    """By what the instruction does with its operand, and by where the operand lies."""
    touched = fault.operand if fault.operand is not None else ending.address
    near = signs.near_null_access(case) is not None
    near = near or (touched is not None and touched < NEAR_NULL)
    mnemonic = (fault.mnemonic or "").split(" ")[-1]
    if fault.instruction:
        chain.because(f"the faulting instruction is {fault.instruction}", fault.cite)
    if touched is not None:
        chain.because(f"its operand is {touched:#x}" + (", near null" if near else ""), fault.cite)
    moved = transfer_class(mnemonic, near=near)
    if moved is not None and touched is None and _DIRECT.search(fault.instruction or ""):
        chain.because("its target is its own: the jump is not what failed", fault.cite)
        return chain.is_("AccessViolation")
    if moved is not None:
        chain.because("it transfers control", fault.cite)
        return chain.is_(moved)
    if fault.access in ("read", "write"):
        chain.because(f"it {fault.access}s there", fault.cite)
        if fault.access == "read" and fault.taint is not None and not near:
            return _of_taint(fault, fault.taint, chain)
    return chain.is_(_named(fault.access, near))


_DIRECT = re.compile(r"^(?:bnd |notrack )*j[a-z]+ (?:0x)?[0-9a-f]+$")
"""A jump that touches no memory and leaves none to be read for it: where it stands, the kernel had
something else to refuse (arch/x86/kernel/signal.c: no room for a handler's frame)."""


def _named(access: str | None, near: bool) -> str:
    """The class of an access by data."""
    name = {"write": "DestAv", "read": "SourceAv"}.get(access or "")
    return "AccessViolation" if name is None else f"{name}NearNull" if near else name


def _of_taint(fault: Fault, taint: Taint, chain: _Chain) -> Severity:
    """Who chooses what is read chooses where the write or the control goes that follows."""
    what, name = _TAINTED[taint.kind]
    line = Citation(fault.cite.evidence, taint.line, taint.line)
    chain.because(f"what it would have read {what} of the instruction at {taint.at:#x}", line)
    return chain.is_(name)


_TAINTED = {
    "call": ("is the target", "CallAvTainted"),
    "branch": ("is the target", "BranchAvTainted"),
    "store": ("leads to the destination", "DestAvTainted"),
    "return": ("is the stack", "ReturnAv"),
}


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
    "heap-buffer-overflow": "heap-buffer-overflow",
    "stack-buffer-overflow": "stack-buffer-overflow", "use-after-free": "heap-use-after-free",
    "double-free": "double-free", "invalid-free": "bad-free",
    "mismatched-deallocation": "alloc-dealloc-mismatch", "memory-leak": "memory-leaks",
    "out-of-memory": "out-of-memory", "stack-overflow": "StackOverflow", "divide-by-zero": "FPE",
    "illegal-instruction": "BadInstruction", "assertion-failure": "AbortSignal",
    "panic": "AbortSignal", "explicit-abort": "AbortSignal", "heap-corruption": "HeapError",
    "null-function-pointer-call": "SegFaultOnPcNearNull",
}  # fmt: skip
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
    if finding.ends is None and finding.category == "assertion-failure":
        return None  # a check that only warns
    kind = _SAME.get(finding.kind, finding.kind)
    if kind not in _WITH_ACCESS and kind not in LEVELS:
        kind = _BY_CATEGORY.get(finding.category or "", kind)
    if kind in _WITH_ACCESS and finding.access in ("read", "write"):
        return f"{kind}({finding.access})"
    if kind in LEVELS or kind in _WITH_ACCESS:
        return kind
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
    return _named(finding.access, near) if moved is None else moved
