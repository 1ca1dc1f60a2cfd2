"""Allocations that failed and whose result was used all the same."""

from analyzers.names import bare
from analyzers.patterns import signs
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.cause import RAN_OUT, Cause, Proof, Rival, of_memory
from analyzers.patterns.stated import accessed
from analyzers.patterns.words import line_of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import Fault

_MAPS = frozenset({"mmap", "mmap64", "mremap"})
_NULL = signs.ALLOCATES | {
    "aligned_alloc", "memalign", "valloc", "pvalloc", "reallocarray", "strdup", "strndup",
    "__strdup", "__strndup", "wcsdup", "g_try_malloc", "xmlMalloc", "sbrk",
}  # fmt: skip
_MAP_FAILED = (1 << 64) - 1


def failed_allocation(case: Case) -> Fault | None:
    """The fault, when its pointer is what a failed allocation had returned: null, or MAP_FAILED of
    mmap(2), perhaps with a field's offset or an index added."""
    fault = case.fault
    if fault is None or fault.origin_call is None or not case.faulted:
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
    beside = near is not False and min(near, (1 << 64) - near) < NEAR_NULL
    return fault if beside or (near is not False and fault.base_value == wanted) else None


UNCHECKED_ALLOCATION = Cause(
    Category.UNCHECKED_ALLOCATION,
    "The null that was dereferenced is what an allocation returned.",
    statement="An allocation failed, and its result was used without a check.",
    sign=failed_allocation,
    prior=0.85,
    cites=lambda _, fault: line_of(fault, fault.origin_line),
    findings=(
        RAN_OUT,
        Proof(
            failed_allocation,
            "The pointer's value is the result of an allocation that failed.",
            0.93,
            told=lambda case, fault: [
                say("returned_by", line_of(fault, fault.origin_line), function=fault.origin_call,
                    value=fault.origin_value),
                *accessed(case, fault),
            ],
            support=of_memory,
            advice="Check the result of this allocation before it is used, and see why it failed: "
            "an absurd size (an overflow, a negative number), a limit (ulimit -v, a container), or "
            "memory that was used up.",
        ),
    ),
    absent="The pointer is not what a failed allocation returned.",
)  # fmt: skip

UNCHECKED = Rival(failed_allocation, "The pointer is what a failed allocation returned.",
                  lambda _, fault: line_of(fault, fault.origin_line))  # fmt: skip
