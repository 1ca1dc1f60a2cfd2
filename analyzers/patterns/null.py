"""Null pointers: data that is read or written through one, and code that is called through one."""

from analyzers.patterns import commands, signs
from analyzers.patterns.allocation import failed_allocation
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.spoken import named
from analyzers.patterns.stated import accessed, loaded
from analyzers.patterns.uninitialized import never_set
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict

_FAR = 4096
"""Members farther into an object are rare: without more, such a number need not be null."""


class NullPointerDereference(OneRound):
    """The operand of the faulting instruction, computed from the registers, lies below 64 KiB."""

    category = Category.NULL_POINTER_DEREFERENCE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When data was touched near null."""
        case = Case(facts)
        fault = signs.near_null_access(case)
        if fault is None:
            return None
        return Proposal(
            category=self.category,
            statement="A null pointer was dereferenced.",
            confidence=0.7 if not in_allocator(case) else 0.1,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.heap(*signs.addresses(case))),
            citations=of(fault) + case.cite(case.frame),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the operand, unless the null came out of freed memory."""
        case = Case(facts)
        fault = signs.near_null_access(case)
        if fault is None:
            return _not_null(case)
        freed = signs.freed(case)
        if freed is not None:
            return rejected(
                "The null was read out of memory that the allocator holds as free: the pointer is "
                "stale, not merely null.",
                freed.cites,
                rung=Rung.STRUCTURE,
            )
        stack = signs.ran_out_of_stack(case)
        if stack is not None:
            return rejected("The thread ran out of stack.", of(stack))
        unchecked = failed_allocation(case)
        if unchecked is not None:
            return rejected(
                "The null is what a failed allocation returned.",
                line_of(unchecked, unchecked.origin_line),
            )
        unset = never_set(case)
        if unset is not None:
            return rejected("The pointer had never been set.", line_of(fault, unset.line))
        if in_allocator(case):
            return rejected(
                "The null was met inside the allocator: its data or its argument is bad.",
                of(fault) + (case.cite(case.stack.frames[0]) if case.stack is not None else ()),
            )
        unsure = signs.supposed_null(fault) or _formats_a_number(case)
        if unsure and (fault.base_value or 0) >= _FAR:
            return inconclusive(
                case,
                "A number far from null was used as a pointer, and what it was made from is not "
                "known.",
                ("where the number came from",),
                supporting=of(fault),
            )
        claims = [
            in_place(case, self.category, case.frame, how="near" if unsure else _how(case)),
            *accessed(case, fault),
            *loaded(fault),
            *_passed_to_library(case),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.93 if not unsure else 0.65,
            claims,
            reason="The operand of the faulting instruction is a null pointer"
            f"{' with an offset' if fault.operand else ''}."
            if not unsure
            else "What was taken as a pointer is a small number: null with an offset, or no "
            "pointer at all.",
            recommendations=_advice(case),
        )


def _how(case: Case) -> str:
    """Whether the frame that is named dereferences the null itself, or a function of a library that
    it called; and whether its own line gave the null away."""
    frame, stack = case.frame, case.stack
    if frame is None or stack is None or not stack.frames:
        return ""
    if frame.index <= stack.frames[0].index or frame.inlined:
        return ""
    return "passed" if any(claim.kind == "value" for claim in named(case)) else "called"


def _passed_to_library(case: Case) -> list[Claim]:
    frame, stack = case.frame, case.stack
    if frame is None or stack is None or frame.index == 0 or not stack.frames:
        return []
    top = stack.frames[0]
    if top.function is None or top.index >= frame.index:
        return []
    caller = stack.frames[1]
    if caller.function is None or caller.index != 1:
        return []
    cites = case.cite(caller)
    return [say("caller", cites, function=top.function, caller=caller.function)]


_FORMATS = (
    "printf", "fprintf", "sprintf", "snprintf", "dprintf", "asprintf", "vprintf", "vfprintf",
    "vsprintf", "vsnprintf", "vdprintf", "vasprintf", "__vfprintf_internal", "vfprintf_internal",
)  # fmt: skip


def _formats_a_number(case: Case) -> bool:
    """True where a format's argument is a small number: an integer that stands for %s, or a member
    of an object that is not there."""
    base = case.fault.base_value if case.fault is not None else None
    return bool(base) and case.calls(*_FORMATS) is not None


def _advice(case: Case) -> tuple[str, ...]:
    frame = case.frame
    if _formats_a_number(case) and frame is not None and frame.function:
        return (
            f"Compare the conversions of the format in {frame.function} with its arguments: an "
            "integer given for %s is read as a pointer, and -Wformat or the attribute format finds "
            "it.",
            "Where the types agree, a member of a null object was given: check that object.",
        )
    name = frame.function if frame and frame.function else "the faulting function"
    return (
        f"Find out in {name} why the pointer is null here: a failed allocation or lookup, a field "
        "that was never set, or one that was cleared too early.",
        "Check the result at its source, and give the error a path of its own rather than a guard "
        "at the crash alone.",
    )


def _not_null(case: Case) -> Verdict:
    fault = case.fault
    if fault is None:
        return inconclusive(
            case,
            "The faulting instruction is not known.",
            ("the code and registers at the fault",),
        )
    number = signs.small_number(case)
    if number is not None:
        return rejected("What was used as a pointer is a number that was never null.", of(number))
    if fault.operand is not None:
        return rejected("The address that was touched is not near null.", of(fault))
    return rejected("The fault is no access to data near null.", of(fault))


class NullFunctionPointerCall(OneRound):
    """Control went to an address below 64 KiB by a call."""

    category = Category.NULL_FUNCTION_POINTER_CALL

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the program counter is near null."""
        case = Case(facts)
        fault = signs.near_null_jump(case)
        if fault is None:
            return None
        return Proposal(
            category=self.category,
            statement="A null function pointer was called.",
            confidence=0.7 if fault.transfer != "return" else 0.2,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.code(fault.transfer_from), *commands.heap(*signs.addresses(case))),
            citations=of(fault) + case.cite(case.frame),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by a call to an address near null, unless freed memory gave the pointer."""
        case = Case(facts)
        fault = signs.near_null_jump(case)
        if fault is None:
            return rejected("The program counter is not near null.", of(case.fault))
        freed = signs.freed(case)
        if freed is not None:
            return rejected(
                "The function pointer was read out of memory that the allocator holds as free.",
                freed.cites,
                rung=Rung.STRUCTURE,
            )
        if fault.transfer == "return":
            return rejected("Control got there by a return, not by a call.", of(fault))
        if fault.transfer != "call":
            return inconclusive(
                case,
                "The program counter is near null, but how it got there cannot be told.",
                ("the call instruction or the return address on the stack",),
                confidence=0.5,
                rung=Rung.MACHINE,
                supporting=of(fault),
            )
        claims = [
            in_place(case, self.category, case.frame),
            say("transfer", of(fault), pc=fault.pc, transfer="call", from_=fault.transfer_from),
            *loaded(fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.93,
            claims,
            reason="A call instruction transferred control to a null address.",
            recommendations=(
                "Find where this function pointer is set, and make sure that it is set before the "
                "call or checked by it.",
            ),
        )
