"""What an Apple crash report stands for, whichever form it has."""

import re
from collections.abc import Sequence

from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category
from workbench.model.category import Category
from workbench.model.facts import Frame, Role

MACH = {"EXC_BAD_ACCESS": "SIGSEGV", "EXC_BAD_INSTRUCTION": "SIGILL", "EXC_BREAKPOINT": "SIGTRAP",
        "EXC_ARITHMETIC": "SIGFPE", "EXC_CRASH": "SIGABRT"}  # fmt: skip
"""The signals that stand for Mach exceptions."""
ADDRESS = re.compile(r"(?:\bat |address ?= ?|^KERN_[A-Z_]+:? )(0x[0-9a-fA-F]{1,16})\b")
_SAID: tuple[tuple[str, Category], ...] = (
    (r"watchdog transgression: .*exhausted CPU time allowance", Category.HIGH_CPU),
    (r"has been deallocated|message sent to deallocated instance", Category.USE_AFTER_FREE),
    (r"main thread deadlocked", Category.DEADLOCK),
    (r"Assertion failed|assertion failed", Category.ASSERTION_FAILURE),
    (r"uncaught exception|Terminating app due to uncaught|"
     r"crashing? due to uncaught", Category.UNCAUGHT_EXCEPTION),
    (r"pointer being freed was not allocated", Category.INVALID_FREE),
    # In the words of libmalloc and libobjc: what else is corrupted is the program's own.
    (r"\bmalloc: .*double free|[Dd]ouble free (?:for ptr|of object) 0x", Category.DOUBLE_FREE),
    (r"Incorrect checksum for freed|[Hh]eap corruption detected|memory corruption of free block|"
     r"Corruption of (?:tiny|small|medium|free) |\bmalloc: .*corrupt|"
     r"autorelease pool page \S+ corrupted", Category.HEAP_CORRUPTION),
    (r"stack buffer overflow|stack_chk_fail|stack smashing", Category.STACK_BUFFER_OVERFLOW),
    (r"detected buffer overflow", Category.BUFFER_OVERFLOW),
    (r"Fatal error: ", Category.PANIC),
    (r"Library not loaded: |[Ss]ymbol not found: ", Category.LIBRARY_LOAD_FAILURE),
    (r"Library (?:not loaded|missing)|[Ss]ymbol not found|"
     r"image not found", Category.LIBRARY_LOAD_FAILURE),
    (r"Thread stack size exceeded", Category.STACK_OVERFLOW),
    # A library of the system stops what used it wrongly (libdispatch, DISPATCH_CLIENT_CRASH).
    (r"\bBUG IN (?:CLIENT OF )?LIB\w+: |\bAPI MISUSE: ", Category.ASSERTION_FAILURE),
)  # fmt: skip
RESOURCES = {"CPU": Category.HIGH_CPU, "MEMORY": Category.OUT_OF_MEMORY}
"""What EXC_RESOURCE limits (osfmk/kern/exc_resource.h), where the cause is the limit itself."""
_GUARD = re.compile(r"-{2,3}> +stack guard", re.IGNORECASE)
_DEEP = ((32, 1), (100, 4))
"""So many frames of so few functions at the top of a stack are a recursion that did not end."""


_MOST = 500
"""Apple lists 511 frames of a stack at most, or says how many it left out."""
WATCHDOG = re.compile(r"(?i)\b(?:0x)?8badf00d\b|watchdog transgression")
"""SpringBoard's: an application did not answer in time."""


def reason_in(lines: Sequence[str]) -> tuple[int, Category] | None:
    """What the application's own words, or those of the system that ended it, stand for, and which
    line says it: of several the one that explains the others."""
    for pattern, category in _SAID:
        for at, line in enumerate(lines):
            its_own = "Fatal error: " not in line  # Swift's, behind which the program's words stand
            if re.search(pattern, line) and (its_own or category is Category.PANIC):
                return at, category
    return None


def is_guard(region: str) -> bool:
    """True for words on the memory around the access that point at a stack's guard."""
    return bool(_GUARD.search(region))


def cause_of(
    name: str, signal: str | None, address: int | None, pc: int | None, role: Role | None
) -> tuple[Category | None, int]:
    """Category and rank of an exception by its name, its address and the stack of its thread."""
    frames = role.frames if role is not None else ()
    if signal == "SIGABRT":
        return abort_category(frames) or Category.EXPLICIT_ABORT, 3
    if name == "EXC_CRASH" or signal == "SIGKILL":
        return None, 3  # a signal that was sent: by who ended it, or for code that is not signed
    shown = "SIGSEGV" if name == "EXC_BAD_ACCESS" else signal
    category = log_kinds.of_access(shown, address, None, pc, raised=name in MACH)
    if category is Category.WILD_POINTER and _recurses(frames):
        return Category.STACK_OVERFLOW, 2
    return category, 2


def _recurses(frames: tuple[Frame, ...]) -> bool:
    """True for a recursion that is not seen to begin: one whose first call is listed, with all that
    came of it, is not that deep."""
    names = [frame.function or frame.address for frame in frames]
    whole = bool(frames) and frames[-1].index < len(frames) < _MOST
    rounds = [set(names[:deep]) for deep, few in _DEEP if len(names) >= deep
              and len(set(names[:deep])) <= few]  # fmt: skip
    return any(not whole or names[-1] in round_ for round_ in rounds)
