"""Divisions that the processor refused, with what the debugger shows of their operands."""

import re

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import Cites, claim, confirmed, line_of, of, rejected
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, SourceLine
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
        where, raised = case.where(), case.raised()
        named = source_divisor(case)
        text = ""
        cites: Cites = ()
        if named is not None:
            text, cites = f", because `{named[0]}` is zero", of(named[1])
        claims = [
            claim(
                f"{where.capital} divides by zero{text}: {raised.text}.",
                where.cites,
                raised.cites,
                cites,
            ),
            *_instruction(case),
        ]
        if named is not None:
            claims.append(claim(f"The line divides by `{named[0]}`.", of(named[1])))
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
    claims = [claim(f"The instruction at {fault.pc:#x} is `{fault.mnemonic}`.", of(fault))]
    last = fault.instruction.rsplit(",", 1)[-1].split()[-1]
    registers = case.registers(0)
    for register in registers.values if registers is not None else ():
        names = (register.name, "e" + register.name[1:] if register.name[:1] == "r" else "")
        if fault.divisor == 0 and last in names:
            text = f"`{register.name}`, which holds the divisor, is {register.value:#x}."
            claims.append(claim(text, line_of(registers, register.line)))
    return claims


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
        where, raised, fault = case.where(), case.raised(), case.fault
        what = "an operation's result does not fit"
        cites: Cites = of(fault)
        if fault is not None and fault.mnemonic == "idiv" and fault.quotient_overflow:
            what = "the smallest integer is divided by minus one, whose quotient does not fit"
        claims = [
            claim(f"Integer overflow in {where.text}: {what}. {_sentence(raised.text)}.",
                  where.cites, raised.cites, cites),
            *_instruction(case),
            *_operands(case),
        ]  # fmt: skip
        return confirmed(
            case,
            Rung.MACHINE,
            0.95,
            claims,
            reason="The processor raised the exception for a result that does not fit.",
            recommendations=("Check the operands' range before the operation, or widen the type.",),
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _operands(case: WindowsCase) -> list[Claim]:
    """The registers that hold dividend and divisor, as printed."""
    fault, registers = case.fault, case.registers(0)
    if fault is None or registers is None or not fault.quotient_overflow:
        return []
    last = (fault.instruction or "").rsplit(",", 1)[-1].split()[-1:]
    wide = {"r" + name[1:]: name for name in ("eax", "ebx", "ecx", "edx", "esi", "edi")}
    said: list[str] = []
    for register in registers.values:
        narrow = wide.get(register.name, register.name)
        role = "the dividend" if narrow in ("eax", "rax") else (
            "the divisor" if last and last[0] in (narrow, register.name) else "")  # fmt: skip
        if role:
            said.append(f"`{register.name}` holds {role} in {register.value:#x}")
    return [claim(f"{' and '.join(said)}.", of(registers))] if said else []
