"""What to do next about a cause that a tool reported."""

from typing import NamedTuple

from workbench.model.category import Category as C
from workbench.model.facts import Finding

_ADVICE: dict[C, tuple[str, ...]] = {
    C.USE_AFTER_FREE: ("Follow who owns the object: the stack that freed it and the one that used "
                       "it must agree on one owner.",),
    C.DOUBLE_FREE: ("Let one owner free the block, and clear the pointer where it is released.",),
    C.INVALID_FREE: ("Free only what an allocation returned, and by the pointer that it "
                     "returned.",),
    C.MISMATCHED_DEALLOCATION: ("Release memory by the family that allocated it: new with delete, "
                                "new[] with delete[], malloc with free.",),
    C.HEAP_BUFFER_OVERFLOW: ("Compare the index or length at the access with the size at the "
                             "allocation.",),
    C.STACK_BUFFER_OVERFLOW: ("Bound what is written to the local buffer by its size.",),
    C.BUFFER_OVERFLOW: ("Bound the access by the size of the buffer.",),
    C.NULL_POINTER_DEREFERENCE: ("Find out why the pointer is null there: a failed lookup or "
                                 "allocation, a field that was never set.",),
    C.UNINITIALIZED_VALUE: ("Set the value on every path that leads to its use.",),
    C.STACK_OVERFLOW: ("Bound the recursion, or move large locals to the heap.",),
    C.ASSERTION_FAILURE: ("Read the condition that failed and follow where its values were set.",),
    C.PANIC: ("Handle the case that the message names before it gets there.",),
    C.UNCAUGHT_EXCEPTION: ("Catch it where it can be handled, or keep it from being thrown.",),
    C.OUT_OF_MEMORY: ("Check the size that was asked for: one that came out of the input must be "
                      "bounded.",),
    C.MEMORY_LEAK: ("Free the block on every path out of the function that owns it.",),
    C.DATA_RACE: ("Guard both accesses by the same lock, or make the variable atomic.",),
    C.DEADLOCK: ("Take the locks in the same order everywhere.",),
    C.DIVIDE_BY_ZERO: ("Check the divisor before the division.",),
    C.INTEGER_OVERFLOW: ("Check the range before the calculation, or use a wider type.",),
    C.TYPE_CONFUSION: ("Check the object's type before the cast.",),
}  # fmt: skip


class Wording(NamedTuple):
    """What a tool's own words make of a category: how its cause is told, and what to do."""

    category: C
    tool: str
    words: str
    how: str
    advice: tuple[str, ...]


_UNUSED = (
    "Find out why the pointer is null there: the language defines no object at null, also "
    "where only an address is computed.",
)
_CHECKED = _ADVICE[C.ASSERTION_FAILURE]
WORDINGS = (
    # compiler-rt, lib/ubsan/ubsan_handlers.cpp, TypeCheckKinds: of these nothing need be accessed.
    *(Wording(C.NULL_POINTER_DEREFERENCE, "UndefinedBehaviorSanitizer", words, "recorded", _UNUSED)
      for words in ("member access within null", "reference binding to null",
                    "member call on null")),
    # runtime/proc.go, checkdead: no goroutine is left to run, for channels as well as for locks.
    Wording(C.DEADLOCK, "Go", "are asleep", "asleep",
            ("Find who should send on, or close, each channel that a goroutine waits for, or "
             "unlock what it waits for: each goroutine's state stands in brackets behind its "
             "number.",)),
    # src/hotspot/share/utilities/vmError.cpp: its own guarantee(), fatal() and asserts
    Wording(C.ASSERTION_FAILURE, "Java", "Internal Error (", "vm",
            ("Look for the file and the line of the check among the Java VM's known bugs, and try "
             "its newest release; run JNI code with -Xcheck:jni.",)),
    *(Wording(C.ASSERTION_FAILURE, tool, "", how, _CHECKED)
      for tool, how in (("the kernel", "kernel"), ("GHC's runtime", "runtime"),
                        ("the Dart VM", "runtime"))),
    # mm/oom_kill.c, __oom_kill_process; mm/memcontrol.c, mem_cgroup_out_of_memory
    Wording(C.OUT_OF_MEMORY, "the kernel", "Memory cgroup out of memory", "group",
            ("Compare what the killed process held (anon-rss in the line) with the limit of its "
             "control group (memory.max, a container's memory limit): where it grows without an "
             "end it is a leak; else raise that limit.",)),
    Wording(C.OUT_OF_MEMORY, "the kernel", "Kill", "killer",
            ("Compare what the killed process held (anon-rss in the line) with what it may need: "
             "where that grows without an end it is a leak; else raise the limit of its group, "
             "or the machine's memory.",)),
)  # fmt: skip


def wording(category: C, finding: Finding | None) -> Wording | None:
    """The row that a finding of a category is told by; None for most."""
    if finding is None:
        return None
    told = (category, finding.tool)
    return next((w for w in WORDINGS if w[:2] == told and w.words in finding.message), None)


def advice_for(category: C, finding: Finding | None = None) -> tuple[str, ...]:
    """Recommendations; none where nothing general helps."""
    row = wording(category, finding)
    return row.advice if row is not None else _ADVICE.get(category, ())
