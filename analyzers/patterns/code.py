"""Instructions that the processor does not run, and traps that the program set itself."""

import re

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, of_end_and_fault, of_ending
from analyzers.patterns.ending import Kind
from analyzers.patterns.words import of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import ExceptionRecord, Fault, Signal

# Instructions that only the kernel may run, and gates that it keeps to itself, raise SIGSEGV (Intel
# SDM volume 3, 5.9, volume 2, #GP(0)); so do those that it can keep to itself: the counters
# (prctl(2), PR_SET_TSC) and cpuid (arch_prctl(2)).
_PRIVILEGED = re.compile(
    r"(?:hlt|cli|sti|in|out|int|(?:ins|outs)[bwd]|l[gil]dt|ltr|lmsw|clts|(?:wb(?:no)?)?invd"
    r"|invlpg|invpcid|(?:rd|wr)msr|rd(?:pmc|tscp?)|cpuid|swapgs|sys(?:ret|exit)q?|xsetbv)$"
    r"|mov \w*\b[cd]r\d|mov \w+, [cd]r\d"
)


_REFUSED = (Kind.ILLEGAL, Kind.PRIVILEGED)


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
    if fault is None or fault.access != "none":
        return False
    return any(_PRIVILEGED.match(text) for text in (fault.mnemonic, fault.instruction) if text)


def _on_windows(case: Case) -> bool:
    fact = case.ending.fact if case.ending is not None else None
    return isinstance(fact, ExceptionRecord) and fact.platform == "windows"


def _refused(case: Case) -> bool:
    """True where the processor refused an instruction."""
    return case.ended(*_REFUSED) or _privileged(case)


def _trapped(case: Case) -> bool:
    """True for a breakpoint that an instruction raised. On Windows assertions raise the same: an
    expert of its own tells them apart."""
    return case.ended(Kind.TRAP) and not _on_windows(case) and case.faulted


def _stepped(case: Case) -> bool:
    """True where the processor was told to stop: by the trap flag, a debug register, a counter."""
    fact = case.ending.fact if case.ending is not None else None
    return isinstance(fact, Signal) and fact.code_name in _STOPS


_STOPS = ("TRAP_TRACE", "TRAP_BRANCH", "TRAP_HWBKPT", "TRAP_PERF")
_UNDEFINED = ("ud2", "ud1", "ud0")
"""Instructions that are there to be refused (Intel SDM volume 2, "UD")."""
_UNREACHABLE = (
    "Compilers put this instruction where a program must not get to: __builtin_trap(), "
    "__builtin_unreachable(), or undefined behaviour."
)
_TRAPS = (
    "Look for __builtin_debugtrap(), an inline int3, or a sanitizer's or assertion's trap on this "
    "line."
)
_STRAYED = "Check how this code came to run: a build for another processor, or a jump into data."


def _at_code(case: Case, _: object) -> tuple[Command, ...]:
    here = commands.code(case.fault.pc if case.fault else None)
    return (*here, *commands.source(case.frame), *commands.siginfo())


ILLEGAL_INSTRUCTION = Cause(
    Category.ILLEGAL_INSTRUCTION,
    "SIGILL and its kin, or an instruction that only the kernel may run.",
    statement="The processor refused an instruction.",
    sign=lambda case: case.faulted and _refused(case),
    prior=0.85,
    tests=_at_code,
    cites=of_end_and_fault,
    findings=(
        Proof(lambda case: case.fault if _refused(case) else None,
              "What ended the process and the instruction agree.", 0.92,
              how=lambda _, fault: "unreachable" if fault.mnemonic in _UNDEFINED else "",
              told=lambda _, fault: ran(fault),
              advice=lambda _, fault: _UNREACHABLE if fault.mnemonic in _UNDEFINED else _STRAYED),
        Open(_refused, "The instruction is not known.", missing="the code at the fault",
             support=of_ending),
    ),
    absent="The process ended otherwise.",
    unseen=of_ending,
)  # fmt: skip

TRAP = Cause(
    Category.TRAP,
    "A breakpoint instruction: SIGTRAP, EXCEPTION_BREAKPOINT, EXC_BREAKPOINT.",
    statement="The program ran into a breakpoint of its own.",
    sign=_trapped,
    prior=0.85,
    tests=_at_code,
    cites=of_end_and_fault,
    findings=(
        Proof(lambda case: case.ended(Kind.TRAP),
              lambda case, _: "A breakpoint instruction ended the process." if not _stepped(case)
              else "A trap of the processor ended the process, of no instruction.",
              0.88, how=lambda case, _: "stepped" if _stepped(case) else "",
              told=lambda case, _: ran(case.fault),
              advice=lambda case, _: _TRAPS if not _stepped(case) else
              "Find who set the trap flag or a debug register: inline assembly, a debugger that "
              "left, perf_event_open(2)."),
    ),
    absent="The process ended otherwise.",
    unseen=of_ending,
)  # fmt: skip
