"""Instructions that the processor does not run, and traps that the program set itself."""

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import ExceptionRecord, FactBook, Fault
from workbench.model.hypothesis import Proposal, Rung, Verdict

# Instructions that only the kernel may run, and gates that it keeps to itself, raise SIGSEGV (Intel
# SDM volume 2, #GP(0)).
_PRIVILEGED = frozenset(
    {"hlt", "cli", "sti", "in", "out", "int", "insb", "insd", "outsb", "outsd", "lgdt", "lidt",
     "invd", "wbinvd", "rdmsr", "wrmsr", "swapgs", "clts"}
)  # fmt: skip


_REFUSED = (Kind.ILLEGAL, Kind.PRIVILEGED)


class IllegalInstruction(OneRound):
    """SIGILL and its kin, or an instruction that only the kernel may run."""

    category = Category.ILLEGAL_INSTRUCTION

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every SIGILL that an instruction raised, and for privileged instructions."""
        case = Case(facts)
        if case.ending is None or not signs.raised_by_instruction(case):
            return None
        if not case.ended(*_REFUSED) and not _privileged(case):
            return None
        return Proposal(
            category=self.category,
            statement="The processor refused an instruction.",
            confidence=0.85,
            tests=(*commands.code(case.fault.pc if case.fault else None),
                   *commands.source(case.frame), *commands.siginfo()),
            citations=of(case.ending.fact) + of(case.fault),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the signal or exception and the instruction at the program counter."""
        case = Case(facts)
        ending, fault = case.ending, case.fault
        if ending is None:
            return rejected("Nothing ended the process.", of(case.process))
        if not case.ended(*_REFUSED) and not _privileged(case):
            return rejected("The process ended otherwise.", of(ending.fact))
        if fault is None:
            return inconclusive(case, "The instruction is not known.", ("the code at the fault",),
                                supporting=of(ending.fact))  # fmt: skip
        claims = [
            in_place(case, self.category, case.frame),
            *ran(fault),
            *signal_claim(case),
        ]
        trap = fault.mnemonic in ("ud2", "ud1", "ud0")
        return confirmed(
            case,
            Rung.MACHINE,
            0.92,
            claims,
            reason="What ended the process and the instruction agree.",
            recommendations=(
                (
                    "Compilers put this instruction where a program must not get to: "
                    "__builtin_trap(), __builtin_unreachable(), or undefined behaviour.",
                )
                if trap
                else (
                    "Check how this code came to run: a build for another processor, or a jump "
                    "into data.",
                )
            ),
        )


def ran(fault: Fault | None) -> list[Claim]:
    """The instruction at fault; its address alone where its bytes are not known."""
    if fault is None:
        return []
    if not fault.instruction:
        return [say("told", of(fault), how="at", address=fault.pc)]
    return [say("access", of(fault), pc=fault.pc, instruction=fault.instruction)]


def _privileged(case: Case) -> bool:
    """True where the processor refused what it would run for the kernel: that is a failed access,
    for an ``int 3`` that ended in a breakpoint was run."""
    fault = case.fault
    if not case.ended(Kind.ACCESS):
        return False
    return fault is not None and fault.mnemonic in _PRIVILEGED and fault.access == "none"


def _on_windows(case: Case) -> bool:
    fact = case.ending.fact if case.ending is not None else None
    return isinstance(fact, ExceptionRecord) and fact.platform == "windows"


class Trap(OneRound):
    """A breakpoint instruction: SIGTRAP, EXCEPTION_BREAKPOINT, EXC_BREAKPOINT."""

    category = Category.TRAP

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every SIGTRAP that an instruction raised. On Windows assertions raise the same: an
        expert of its own tells them apart."""
        case = Case(facts)
        if case.ending is None or not case.ended(Kind.TRAP) or _on_windows(case):
            return None
        if not signs.raised_by_instruction(case):
            return None
        return Proposal(
            category=self.category,
            statement="The program ran into a breakpoint of its own.",
            confidence=0.85,
            tests=(*commands.code(case.fault.pc if case.fault else None),
                   *commands.source(case.frame), *commands.siginfo()),
            citations=of(case.ending.fact) + of(case.fault),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the signal or exception."""
        case = Case(facts)
        ending = case.ending
        if ending is None:
            return rejected("Nothing ended the process.", of(case.process))
        if not case.ended(Kind.TRAP):
            return rejected("The process ended otherwise.", of(ending.fact))
        claims = [
            in_place(case, self.category, case.frame, cites=of(ending.fact)),
            *ran(case.fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.88,
            claims,
            reason="A breakpoint instruction ended the process.",
            recommendations=(
                "Look for __builtin_debugtrap(), an inline int3, or a sanitizer's or assertion's "
                "trap on this line.",
            ),
        )
