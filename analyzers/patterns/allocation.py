"""Allocations that failed and whose result was used all the same."""

from analyzers.names import bare
from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.stated import accessed
from analyzers.patterns.words import confirmed, in_place, line_of, of, rejected, signal_claim
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import FactBook, Fault
from workbench.model.hypothesis import Proposal, Rung, Verdict

_MAPS = frozenset({"mmap", "mmap64", "mremap"})
_NULL = signs.ALLOCATES | {
    "aligned_alloc", "memalign", "valloc", "pvalloc", "reallocarray", "strdup", "strndup",
    "__strdup", "__strndup", "wcsdup", "g_try_malloc", "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_tRKSt9nothrow_t", "xmlMalloc", "sbrk",
}  # fmt: skip
_MAP_FAILED = (1 << 64) - 1


def failed_allocation(case: Case) -> Fault | None:
    """The fault, when its pointer is what a failed allocation had returned: null, or MAP_FAILED of
    mmap(2), perhaps with a field's offset or an index added."""
    fault = case.fault
    if fault is None or fault.origin_call is None or not signs.raised_by_instruction(case):
        return None
    if fault.access not in ("read", "write"):
        return None
    name = bare(fault.origin_call)
    wanted = _MAP_FAILED if name in _MAPS else 0
    if name not in _NULL and name not in _MAPS:
        return None
    if fault.origin_value != wanted or any(load.value != wanted for load in fault.origin):
        return None
    # What was computed on the way leads away from the result; its own steps are what was followed.
    near = fault.operand is not None and (fault.operand - wanted) % (1 << 64)
    return fault if near is not False and (near < NEAR_NULL or fault.base_value == wanted) else None


class UncheckedAllocation(OneRound):
    """The null that was dereferenced is what an allocation returned."""

    category = Category.UNCHECKED_ALLOCATION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the walk back from the pointer ends at an allocation that failed."""
        case = Case(facts)
        fault = failed_allocation(case)
        if fault is None:
            return None
        return Proposal(
            category=self.category,
            statement="An allocation failed, and its result was used without a check.",
            confidence=0.85,
            tests=(*commands.source(case.frame), *commands.variables(case.frame)),
            citations=line_of(fault, fault.origin_line),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the call that returned it."""
        case = Case(facts)
        fault = failed_allocation(case)
        if fault is None or fault.origin_call is None:
            return rejected("The pointer is not what a failed allocation returned.",
                            of(case.fault))  # fmt: skip
        stack = signs.ran_out_of_stack(case)
        if stack is not None:
            return rejected("The thread ran out of stack.", of(stack))
        lines = line_of(fault, fault.origin_line)
        claims = [
            in_place(case, self.category, case.frame),
            say("returned_by", lines, function=fault.origin_call, value=fault.origin_value),
            *accessed(case, fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.93,
            claims,
            reason="The pointer's value is the result of an allocation that failed.",
            support=of(case.memory),
            recommendations=(
                "Check the result of this allocation before it is used, and see why it failed: an "
                "absurd size (an overflow, a negative number), a limit (ulimit -v, a container), "
                "or memory that was used up.",
            ),
        )
