"""Divisions that the processor refused, with what the debugger shows of their operands."""

import re

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import confirmed, in_place, line_of, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Register, Registers, SourceLine
from workbench.model.hypothesis import Proposal, Rung, Verdict

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


class DividedByZero(OneRound):
    """Integer divide-by-zero, with the operand that is zero where the source shows it."""

    category = Category.DIVIDE_BY_ZERO

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every such exception."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code != _ZERO:
            return None
        return Proposal(
            category=self.category,
            statement="A division by zero.",
            confidence=0.95,
            tests=(),
            citations=of(case.record) + of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the exception itself: the processor refuses nothing else with it."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code != _ZERO:
            return rejected("The exception is another.", of(case.record))
        named = source_divisor(case)
        claims = [
            in_place(case, self.category, case.frame, how="thrown", cites=of(case.record)),
            *([say("told", of(named[1]), how="divides", name=named[0])] if named else []),
            *case.raised(),
            *_instruction(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.96,
            claims,
            reason="The processor raised the exception for a divisor of zero.",
            support=of(case.fault),
            recommendations=(
                "Check the divisor before the division, and decide what the result is without it.",
            ),
        )


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


class QuotientTooLarge(OneRound):
    """Integer overflow of a division: the smallest integer by minus one."""

    category = Category.INTEGER_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every integer overflow that a division raised."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code != _OVERFLOW:
            return None
        return Proposal(
            category=self.category,
            statement="The result of an integer operation does not fit its type.",
            confidence=0.95,
            tests=(),
            citations=of(case.record) + of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the exception; the operands are named where the registers show them."""
        case = WindowsCase(facts)
        if case.record is None or case.record.code != _OVERFLOW:
            return rejected("The exception is another.", of(case.record))
        fault = case.fault
        quotient = fault is not None and fault.mnemonic == "idiv" and fault.quotient_overflow
        claims = [
            in_place(case, self.category, case.frame, how="quotient" if quotient else "result",
                     cites=of(case.record)),
            *_operands(case),
            *case.raised(),
            *_instruction(case),
        ]  # fmt: skip
        return confirmed(
            case,
            Rung.MACHINE,
            0.95,
            claims,
            reason="The processor raised the exception for a result that does not fit.",
            recommendations=("Check the operands' range before the operation, or widen the type.",),
        )


def _operands(case: WindowsCase) -> list[Claim]:
    """The registers that hold dividend and divisor, as printed."""
    fault, registers = case.fault, case.registers(0)
    if fault is None or registers is None or not fault.quotient_overflow:
        return []
    last = (fault.instruction or "").rsplit(",", 1)[-1].split()[-1:]
    wide = {"r" + name[1:]: name for name in ("eax", "ebx", "ecx", "edx", "esi", "edi")}
    return [
        _register(registers, register)
        for register in registers.values
        for name in [wide.get(register.name, register.name)]
        if name in ("eax", "rax") or (last and last[0] in (name, register.name))
    ]
