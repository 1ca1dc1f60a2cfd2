"""Data in place of an address: what allocators write into memory that is free or was never set, and
a return address that was overwritten."""

from typing import NamedTuple

from analyzers.patterns import signs
from analyzers.patterns.cause import Proof, of_fault
from analyzers.patterns.windows.case import ACCESS_VIOLATION, WindowsCase, WindowsCause
from analyzers.patterns.words import in_frame, line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import Bucket, Fault, Frame, Register, Registers

_RETURNS = frozenset({"ret", "retn", "retf", "iret", "iretq"})


def _faulted(case: WindowsCase) -> Fault | None:
    """The fault, when control was to return, or went, where no code is."""
    fault, record = case.fault, case.record
    if fault is None or record is None or record.code != ACCESS_VIOLATION:
        return None
    if fault.mnemonic in _RETURNS:
        return fault
    if fault.access == "execute" and _is_data(fault.pc) and _on_stack(case, fault.pc):
        return fault
    return None


def _is_data(value: int | None) -> bool:
    """True for four or eight bytes of text, or of one byte repeated."""
    return signs.text_in(value) is not None or signs.repeated_byte(value) is not None


def _on_stack(case: WindowsCase, value: int) -> list[Frame]:
    """Frames whose return address is data, as the stack's listing shows it."""
    return [f for f in case.frames if f.function is None and f.address and _is_data(f.address)]


def _shown(case: WindowsCase, fault: Fault) -> list[Claim]:
    returns = fault.mnemonic in _RETURNS and fault.instruction
    ran = say("access", of(fault), pc=fault.pc, instruction=fault.instruction)
    went = say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand)
    return [
        *(c for frame in _on_stack(case, fault.pc)[:1] for c in in_frame(case.stack, frame)),
        *([ran] if returns else [went] if fault.operand is not None else []),
        *case.raised(),
    ]


SMASHED_RETURN = WindowsCause(
    Category.STACK_BUFFER_OVERFLOW,
    "A return address that was overwritten with data.",
    statement="A return address on the stack was overwritten.",
    sign=_faulted,
    prior=0.9,
    findings=(
        Proof(_faulted, "Control was to go where only overwritten data leads.",
              lambda case, fault: 0.85 if _on_stack(case, fault.pc) else 0.75,
              how=lambda _, fault: "return" if fault.mnemonic in _RETURNS else "data", told=_shown,
              missing="which buffer was overrun",
              advice="Look at the arrays of this function and at what is copied into them."),
    ),
    absent="No return went astray.",
    unseen=of_fault,
)  # fmt: skip


_FIELD = 0x10000
"""A field's offset, or an alignment, may have been added to the pattern."""


_CHUNK = 1 << 20
_WHOLE_BYTES = (0, 2, 4, 6, 8)
_FREED, _UNSET = Category.USE_AFTER_FREE, Category.UNINITIALIZED_POINTER
_BEYOND = Category.OUT_OF_BOUNDS_READ
_FILLS = {
    **dict.fromkeys((0xFEEEFEEE, 0xDDDDDDDD, 0xF0F0F0F0, 0xE5E5E5E5, 0x5A5A5A5A), _FREED),
    **dict.fromkeys((0x2B2B2B2B, 0x4B4B4B4B, 0x49494949, 0xEFEFEFEF), _FREED),
    **dict.fromkeys((0xCDCDCDCD, 0xCCCCCCCC, 0xBAADF00D, 0xC0C0C0C0, 0xE4E4E4E4), _UNSET),
    **dict.fromkeys((0xA5A5A5A5, 0x4D4D4D4D, 0x2F2F2F2F), _UNSET),
    **dict.fromkeys((0xABABABAB, 0xFDFDFDFD), _BEYOND),
}
"""A pattern's 32 bits, and what its use as a pointer proves. Who writes it is told by the texts of
statements."""


class Seen(NamedTuple):
    """A pattern in the fault: the value that holds it, the register, and where that is said."""

    pattern: int
    value: int
    register: Register | None
    registers: Registers | None


def seen(case: WindowsCase) -> Seen | None:
    """The fill pattern that the faulting pointer holds, exactly or with a field's offset; or that
    a register holds where ``!analyze`` names the pattern."""
    fault = case.fault
    if fault is None or case.record is None or case.record.code != ACCESS_VIOLATION:
        return None
    for value in (fault.base_value, fault.operand, fault.index_value):
        pattern = _fill_of(value)
        if pattern is not None and value is not None:
            return Seen(pattern, value, *_register(case, value))
    texts = [bucket.text for bucket in case.facts.all(Bucket)]
    named = [(p, None) for text in texts for p in _FILLS if f"FILL_PATTERN_{p:08x}" in text]
    # A pointer to the head of a chunk is made of one into it: the operand lies near the pattern.
    led = [(p, fault.operand) for p in _FILLS if (fault.operand or 0) >= _FIELD]
    held = (_holding(case, pattern, near) for pattern, near in (*named, *led))
    return next((found for found in held if found is not None), None)


def _holding(case: WindowsCase, pattern: int, near: int | None) -> Seen | None:
    """The register of the exception that holds a pattern, near an address when one is given."""
    mask = f"{pattern:08x}"
    for registers in case.facts.all(Registers):
        for register in registers.values:
            close = near is None or (register.value ^ near) < _CHUNK
            # Whole bytes: the half-bytes of 0xfefefefe read as 0xefefefef from the second one on.
            if close and f"{register.value:016x}".find(mask) in _WHOLE_BYTES:
                return Seen(pattern, register.value, register, registers)
    return None


def _fill_of(value: int | None) -> int | None:
    if value is None or value < _FIELD:
        return None
    near = (p for p in _FILLS if any(abs(value - w) < _FIELD for w in (p, p << 32 | p)))
    return next(near, None)


def _register(case: WindowsCase, value: int) -> tuple[Register | None, Registers | None]:
    shown = ((one, all_) for all_ in case.facts.all(Registers) for one in all_.values)
    return next(((one, all_) for one, all_ in shown if one.value == value), (None, None))


def _held(case: WindowsCase, found: Seen) -> list[Claim]:
    """The pattern, the register that holds it, the access and the exception."""
    register, value = found.register, found.value
    holds = of(case.fault) if register is None else line_of(found.registers, register.line)
    number = at(value, holds, f"{value:#x}")
    told = [say("told", holds, how=f"{found.pattern:#x}", number=number)]
    if register is not None:
        told.append(say("register", holds, register=register.name, value=value))
    fault = case.fault
    if fault is not None and fault.operand is not None:
        told.append(
            say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand)
        )
    return [*told, *case.raised()]


def _named(case: WindowsCase, _: object) -> list[Citation]:
    return [c for b in case.facts.all(Bucket) if "FILL_PATTERN" in b.text for c in of(b)]


def _pattern(category: Category, statement: str) -> WindowsCause[Seen]:
    """The cause that a fill pattern stands for, without high confidence: the value is what the
    allocator leaves behind."""

    def held(case: WindowsCase) -> Seen | None:
        found = seen(case)
        return found if found is not None and _FILLS[found.pattern] is category else None

    freed = category is _FREED
    return WindowsCause(
        category,
        "The pointer of an access violation holds what an allocator fills memory with.",
        statement=statement,
        sign=held,
        prior=0.9,
        cites=of_fault,
        findings=(
            Proof(held, "The pointer's value is what an allocator fills such memory with.", 0.75,
                  how="fill", told=_held, support=_named,
                  missing="who freed the memory, and who still held the pointer" if freed else (),
                  advice="Follow the pointer to where it was read from, and see who frees that "
                  "memory."
                  if freed
                  else "Set the pointer where it is declared, and on every path to this line."),
        ),
        absent="The pointer holds no such pattern.",
        unseen=of_fault,
    )  # fmt: skip


FILL_PATTERNS = (
    _pattern(_FREED, "The pointer was read out of freed memory."),
    _pattern(_UNSET, "The pointer was never set."),
    _pattern(_BEYOND, "The pointer was read from beyond a block's end."),
)
