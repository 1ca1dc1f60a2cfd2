"""Exceptions whose code alone says what went wrong (ntstatus.h, delayimp.h); of divisions with what
the debugger shows of their operands, of those of C++ and .NET with what a native debugger sees."""

import re
from collections.abc import Callable

from analyzers.patterns.cause import Open, Proof, of_fault
from analyzers.patterns.exceptions import CATCH
from analyzers.patterns.windows.case import WindowsCase, WindowsCause
from analyzers.patterns.words import in_frame, line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import ExceptionRecord, ManagedException, Register, Registers, SourceLine
from workbench.model.hypothesis import Rung

_ZERO, _OVERFLOW = 0xC0000094, 0xC0000095
# The last division of a line of source: what stands behind "/" or "%", as far as it is one name.
_DIVISION = re.compile(r"[/%]=?\s*(?P<divisor>[A-Za-z_]\w*(?:(?:->|\.)\w+|\[\w+\])*)(?!\s*\()")
_COMMENT = re.compile(r"//.*|/\*.*?\*/")


def source_divisor(case: WindowsCase) -> tuple[str, SourceLine] | None:
    """The name that the faulting line of source divides by, when it has one division."""
    line = case.source_at(case.frame)
    if line is None:
        return None
    found = _DIVISION.findall(_COMMENT.sub("", line.text))
    return (found[0], line) if len(found) == 1 else None


def _instruction(case: WindowsCase) -> list[Claim]:
    fault = case.fault
    if fault is None or not fault.instruction:
        return []
    claims = [say("access", of(fault), pc=fault.pc, instruction=fault.instruction)]
    last = fault.instruction.rsplit(",", 1)[-1].split()[-1]
    registers = case.registers(0)
    for register in registers.values if registers is not None else ():
        names = (register.name, "e" + register.name[1:] if register.name[:1] == "r" else "")
        if fault.divisor == 0 and last in names:
            claims.append(_register(registers, register))
    return claims


def _register(registers: Registers | None, register: Register) -> Claim:
    line = line_of(registers, register.line)
    return say("register", line, register=register.name, value=register.value)


def _divisor(case: WindowsCase, _: object) -> list[Claim]:
    named = source_divisor(case)
    told = [say("told", of(named[1]), how="divides", name=named[0])] if named else []
    return [*told, *case.raised(), *_instruction(case)]


def _quotient(case: WindowsCase, _: object) -> str:
    fault = case.fault
    quotient = fault is not None and fault.mnemonic == "idiv" and fault.quotient_overflow
    return "quotient" if quotient else "result"


def _raised(code: int) -> Callable[[WindowsCase], ExceptionRecord | None]:
    """The sign of an exception of this code."""

    def record(case: WindowsCase) -> ExceptionRecord | None:
        return case.record if case.record is not None and case.record.code == code else None

    return record


def _by_code(
    code: int, category: Category, about: str, statement: str, proof: Proof[ExceptionRecord]
) -> WindowsCause[ExceptionRecord]:
    return WindowsCause(
        category, about, statement=statement, sign=_raised(code), prior=0.95,
        cites=lambda case, record: of(record) + of(case.fault), findings=(proof,))  # fmt: skip


DIVIDED_BY_ZERO = _by_code(
    _ZERO,
    Category.DIVIDE_BY_ZERO,
    "Integer divide-by-zero, with the operand that is zero where the source shows it.",
    "A division by zero.",
    Proof(
        _raised(_ZERO),
        "The processor raised the exception for a divisor of zero.",
        0.96,
        how="thrown",
        told=_divisor,
        support=of_fault,
        advice="Check the divisor before the division, and decide what the result is without it.",
    ),
)
QUOTIENT_TOO_LARGE = _by_code(
    _OVERFLOW,
    Category.INTEGER_OVERFLOW,
    "Integer overflow of a division: the smallest integer by minus one.",
    "The result of an integer operation does not fit its type.",
    Proof(
        _raised(_OVERFLOW),
        "The processor raised the exception for a result that does not fit.",
        0.95,
        how=_quotient,
        told=lambda case, _: [*case.raised(), *_instruction(case)],
        advice="Check the operands' range before the operation, or widen the type.",
    ),
)


_LOAD, _METHOD = Category.LIBRARY_LOAD_FAILURE, Category.MISSING_METHOD
CODES: dict[int, Category] = {
    0xC0000135: _LOAD, 0xC0000142: _LOAD, 0xC000007B: _LOAD, 0xC06D007E: _LOAD, 0xC0000139: _METHOD,
    0xC0000138: _METHOD, 0xC06D007F: _METHOD, 0xC0000017: Category.OUT_OF_MEMORY,
    0xC000012D: Category.OUT_OF_MEMORY, 0xE0000008: Category.OUT_OF_MEMORY,
    0xC0000006: Category.BUS_ERROR, 0xC0000417: Category.EXPLICIT_ABORT,
    0x40000015: Category.EXPLICIT_ABORT, 0xC000001D: Category.ILLEGAL_INSTRUCTION,
    0xC0000096: Category.ILLEGAL_INSTRUCTION, 0xC0000025: Category.UNCAUGHT_EXCEPTION,
}  # fmt: skip


def _named(category: Category) -> WindowsCause[ExceptionRecord]:
    """The cause that an exception's code may state."""

    def stated(case: WindowsCase) -> ExceptionRecord | None:
        record = case.record
        return record if record is not None and CODES.get(record.code) is category else None

    def alone(case: WindowsCase) -> ExceptionRecord | None:
        told = category is Category.ILLEGAL_INSTRUCTION and case.fault is not None
        return None if told else stated(case)  # the instruction says more

    return WindowsCause(
        category,
        "An exception's code that states this cause.",
        statement="The exception's code says what went wrong.",
        sign=alone,
        prior=0.88,
        findings=(
            Proof(
                stated,
                "The exception's code says so.",
                0.8,
                how=lambda _, record: f"{record.code:#010x}",
                told=lambda case, _: case.raised(),
                support=of_fault,
                advice="Find in the frame's arguments what was asked for there.",
            ),
        ),
    )


STATUSES = tuple(_named(category) for category in dict.fromkeys(CODES.values()))


CXX, CLR = 0xE06D7363, frozenset({0xE0434352, 0xE0434F4D})


def managed(case: WindowsCase) -> ManagedException | None:
    """The managed exception that ended the process: uncaught, else the last one that was told."""
    found = case.facts.all(ManagedException)
    return next((e for e in reversed(found) if e.uncaught), found[-1] if found else None)


def _of(found: ManagedException) -> Claim:
    return say("exception", of(found), type=found.type, message=found.message)


def _others(case: WindowsCase, thrown: ManagedException) -> list[Claim]:
    """What was thrown beside it and may lie behind it."""
    found = {e.type: e for e in reversed(case.facts.all(ManagedException)) if e.type != thrown.type}
    return [_of(other) for other in list(found.values())[:3]]


def _thrown(case: WindowsCase) -> ExceptionRecord | None:
    record = case.record
    return record if record is not None and record.code in {CXX, *CLR} else None


def _object(case: WindowsCase, record: ExceptionRecord) -> ManagedException | None:
    return managed(case) if record.code in CLR else None


def _likely(case: WindowsCase, _: object) -> float:
    # What SOS printed of the object has an expert of its own.
    thrown = managed(case)
    return 0.97 if thrown is not None and not thrown.frames and not thrown.inner else 0.9


def _told(case: WindowsCase, record: ExceptionRecord) -> list[Claim]:
    thrown = _object(case, record)
    if thrown is None:
        return case.raised()
    return [
        _of(thrown),
        *in_frame(thrown, thrown.frames[0] if thrown.frames else None),
        *(
            say("exception", of(thrown), outer=thrown.type, type=inner.type)
            for inner in thrown.inner[:3]
        ),
        *_others(case, thrown),
        *case.raised(),
    ]


THROWN = WindowsCause(
    Category.UNCAUGHT_EXCEPTION,
    "A C++ or CLR exception that ended the process.",
    statement="An exception was thrown that nobody caught.",
    sign=_thrown,
    prior=_likely,
    cites=lambda case, record: of(record) + of(managed(case)),
    findings=(
        Open(lambda case: _thrown(case) if case.first_chance else None,
             "A debugger saw the exception thrown; that nobody caught it is not shown.", 0.5,
             Rung.STRUCTURE, "raised", _told, lambda _, record: of(record),
             missing="the second chance of this exception, or how the process ended"),
        Proof(_thrown, "The exception that ended the process is one that a program throws.",
              lambda case, record: 0.75 if _object(case, record) is None else 0.88, Rung.STRUCTURE,
              lambda _, record: "thrown" if record.code == CXX else "clr", _told,
              missing=lambda case, record: ()
              if _object(case, record) else "the exception object's type and message",
              advice=CATCH),
    ),
)  # fmt: skip
