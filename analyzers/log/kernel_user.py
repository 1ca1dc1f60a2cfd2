"""A line that the kernel writes for a user program (arch/x86/mm/fault.c, traps.c)."""

import re

from analyzers.base import Document
from analyzers.log import kinds as log_kinds
from analyzers.log.kernel_words import SEGFAULT, TRAP
from analyzers.log.stacks import trace
from analyzers.log.text import hex_value, sentence, small
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame

_PRESENT, _WRITE, _EXECUTE = 1, 2, 16  # enum x86_pf_error_code
_RED_ZONE, _PAGE = 128, 4096
"""How far below its stack pointer a function writes (System V ABI, 3.2.2); a page is probed."""


def user_match(line: str) -> re.Match[str] | None:
    """The segfault or trap that a line tells of, or None."""
    return SEGFAULT.search(line) or TRAP.search(line)


def user_finding(document: Document, number: int, line: str, match: re.Match[str]) -> Finding:
    """The program's failed access or trap."""
    groups = match.groupdict()
    pc = hex_value(match["ip"])
    trap = groups.get("trap")
    access = None
    address = None
    sure = True
    if trap is None:
        address, error = hex_value(match["address"]), hex_value(match["error"])
        access = "execute" if error & _EXECUTE else "write" if error & _WRITE else "read"
        signal = "SIGSEGV"
        category = log_kinds.of_access(signal, address, access, pc)
        # Nothing is mapped where the stack pointer leads: the stack ran out, or it was overwritten.
        at_stack = -_RED_ZONE <= address - hex_value(match["sp"]) < _PAGE
        if category is C.WILD_POINTER and at_stack and error & (_WRITE | _PRESENT) == _WRITE:
            category, sure = C.STACK_OVERFLOW, False
    else:
        signal, category = {
            "divide error": ("SIGFPE", C.DIVIDE_BY_ZERO),
            "invalid opcode": ("SIGILL", C.ILLEGAL_INSTRUCTION),
            "int3": ("SIGTRAP", C.TRAP),
        }.get(trap, ("SIGSEGV", C.WILD_POINTER))
        sure = trap != "divide error"  # the quotient's overflow raises it too (Intel SDM, #DE)
    base = groups.get("base")
    frame = Frame(index=0, module=groups.get("module"), address=pc, trust="unwound",
                  offset=pc - hex_value(base) if base else None, line_no=number)  # fmt: skip
    role = trace("access", line, number, (frame,))
    return Finding(
        cite=document.cite(number), tool="the kernel", kind=trap or "segfault",
        message=sentence(line), line=number, category=category.value if category else None, rank=2,
        access=access, address=address, pc=pc, signal=signal, process=small(match["pid"]),
        stacks=(role,), sure=sure)  # fmt: skip
