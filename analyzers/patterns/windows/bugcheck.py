"""Bug checks of Windows' kernel: the stop code, what its arguments mean, who is on the stack."""

from analyzers.fast_fails import CODES
from analyzers.owners.modules import is_kernel_module
from analyzers.owners.passing import is_irrelevant
from analyzers.patterns.case import NEAR_NULL
from analyzers.patterns.cause import Proof
from analyzers.patterns.windows.case import WindowsCase, WindowsCause
from analyzers.patterns.words import line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import BugCheck, Frame

# Stop codes by the cause that they prove (bugcodes.h; Microsoft's "Bug check code reference"). A
# code that is not here says that the kernel stopped, and no more.
_CATEGORIES: dict[int, Category] = {
    0x19: Category.HEAP_CORRUPTION, 0xC5: Category.HEAP_CORRUPTION,
    0x13A: Category.HEAP_CORRUPTION, 0x50: Category.WILD_POINTER,
    0xF7: Category.STACK_BUFFER_OVERFLOW, 0x133: Category.HIGH_CPU,
    0xE2: Category.EXTERNAL_SIGNAL, 0xBE: Category.WRITE_TO_READ_ONLY_MEMORY,
    0x4D: Category.OUT_OF_MEMORY, 0xCE: Category.WILD_POINTER,
    0xD5: Category.USE_AFTER_FREE, 0xCC: Category.USE_AFTER_FREE, 0xCD: Category.OUT_OF_BOUNDS_READ,
    0xD6: Category.OUT_OF_BOUNDS_READ, 0x2B: Category.STACK_OVERFLOW,
    0xFC: Category.WILD_POINTER,
}  # fmt: skip
# Past the end of an allocation: the second argument says whether it was read or written.
_PAST_THE_END = frozenset({0xCD, 0xD6})
_HANDLING = ("KeBugCheck", "KiBugCheck", "KiPageFault", "MmAccessFault", "Mi", "DbgBreakPoint")
_IRQL = frozenset({0xA, 0xD1})
_EXCEPTION = frozenset({0x1E, 0x3B, 0x7E, 0x8E, 0x1000007E, 0x1000008E})
_REFERENCED = 0x50
# Codes of an exception that a bug check's first argument holds.
_BREAK = 0x80000003
_EXCEPTIONS = {
    0xC0000094: Category.DIVIDE_BY_ZERO, 0xC0000095: Category.INTEGER_OVERFLOW,
    0xC000001D: Category.ILLEGAL_INSTRUCTION, _BREAK: Category.TRAP,
    0xC00000FD: Category.STACK_OVERFLOW,
}  # fmt: skip
_CHECKED = 0x139
# DRIVER_VERIFIER_DETECTED_VIOLATION by its first argument.
_VERIFIER = 0xC4
_VIOLATIONS = {
    0x62: Category.MEMORY_LEAK, 0x1001: Category.DEADLOCK, 0x13: Category.DOUBLE_FREE,
    0x14: Category.DOUBLE_FREE, 0x10: Category.INVALID_FREE,
}  # fmt: skip
# BAD_POOL_CALLER by its first argument: others are no damage (a wrong IRQL, a tag).
_POOL_CALLER = 0xC2
_POOL_CALLS = {
    **dict.fromkeys((1, 2, 4), Category.HEAP_CORRUPTION),
    **dict.fromkeys((6, 7), Category.DOUBLE_FREE),
    **dict.fromkeys((0x40, 0x41, 0x42, 0x43, 0x44, 0x46, 0x47, 0x48, 0x50), Category.INVALID_FREE),
}
_TRAPS = {0: Category.DIVIDE_BY_ZERO, 6: Category.ILLEGAL_INSTRUCTION}  # 8 may be the hardware's
_BY_FIRST = {_CHECKED: CODES, _VERIFIER: _VIOLATIONS, _POOL_CALLER: _POOL_CALLS, 0x7F: _TRAPS}
_LONGEST = 300
_OPERATIONS = {0: "read", 1: "write", 2: "write", 8: "execute", 10: "execute", 0x10: "execute"}
_EXECUTES = 8
# What 1 stood for where a page that is not there was touched, until x64 got bits of its own.
_OLD_WRITE = "1 = write"


# Their first argument is the address that was accessed.
_ACCESSES = _IRQL | _PAST_THE_END | {_REFERENCED, 0xBE, 0xCC, 0xCE, 0xD5}


def referenced(bug: BugCheck) -> int | None:
    """The address whose access stopped the kernel, where the stop code says one."""
    return bug.arguments[0].value if bug.code in _ACCESSES and bug.arguments else None


def category_of(case: WindowsCase) -> Category | None:
    """The cause that a bug check stands for, as far as that is known; None without one."""
    bug = case.bugcheck
    if bug is None:
        return None
    words = [argument.value for argument in bug.arguments]
    if bug.code in _IRQL and words:  # else it may be memory that is paged out
        if words[0] < NEAR_NULL and words[2:3] and words[2] & _EXECUTES:
            return Category.NULL_FUNCTION_POINTER_CALL
        return Category.NULL_POINTER_DEREFERENCE if words[0] < NEAR_NULL else Category.UNKNOWN
    if bug.code == _REFERENCED and words and words[0] < NEAR_NULL:
        return Category.NULL_POINTER_DEREFERENCE
    if not words and (bug.code in _IRQL or bug.code == _REFERENCED):
        return _accessed(case)
    if bug.code in _EXCEPTION:
        code = words[0] if words else case.record.code if case.record is not None else 0
        if not words and code == _BREAK:
            return Category.UNKNOWN  # the kernel's own, into the debugger (KeBugCheck2)
        return _EXCEPTIONS.get(code & 0xFFFFFFFF, _accessed(case))
    if bug.code in _BY_FIRST and words:
        return _BY_FIRST[bug.code].get(words[0], Category.UNKNOWN)
    if bug.code in _PAST_THE_END and words[1:2] in ([1], [2]):
        return Category.OUT_OF_BOUNDS_WRITE
    return _CATEGORIES.get(bug.code, Category.UNKNOWN)


def _accessed(case: WindowsCase) -> Category:
    """What an access violation in the kernel touched, when the log shows it."""
    fault = case.fault
    if fault is None or fault.operand is None:
        return Category.UNKNOWN
    return Category.NULL_POINTER_DEREFERENCE if fault.operand < NEAR_NULL else Category.WILD_POINTER


def _decoded(bug: BugCheck) -> list[Claim]:
    """What the arguments mean together, for the codes of a bad access or an exception."""
    words = [at(a.value, line_of(bug, a.line), f"{a.value:#x}") for a in bug.arguments]
    values = [argument.value for argument in bug.arguments]
    if bug.code == _REFERENCED and len(words) >= 3:
        unknown = values[1] == 1 and _OLD_WRITE not in (bug.arguments[1].meaning or "")
        how = "kernel-access" if unknown else _operation(values[1])
        given = {"address": words[2] if values[2] else None}
    elif bug.code in _IRQL and len(words) >= 4:
        how, given = (
            _operation(values[2]),
            {"count": words[1] if values[1] > 9 else at(values[1], ()), "address": words[3]},
        )
    elif bug.code in _EXCEPTION and len(words) >= 2:
        how, given = "kernel-exception", {"address": words[1]}
    else:
        return []
    return [say("told", of(bug), how=how, number=words[0], **given)]


def _operation(word: int) -> str:
    return f"kernel-{_OPERATIONS.get(word, 'access')}"


def _arguments(bug: BugCheck) -> list[Claim]:
    """What the debugger says that each argument means."""
    return [
        say(
            "bugcheck",
            line_of(bug, one.line),
            code=bug.code,
            argument=one.value,
            meaning=one.meaning,
        )
        for one in bug.arguments[:4]
        if one.meaning and "reserved" not in one.meaning.lower()
    ]


def _driver(case: WindowsCase) -> Frame | None:
    """The innermost frame outside of the kernel itself."""
    for frame in case.frames:
        if is_kernel_module(frame.module) or is_irrelevant((frame.function or "").lstrip("_")):
            continue  # the driver's own check of its stack
        if frame.function or frame.module:
            return frame
    for frame in case.frames:
        if frame.function and not frame.function.startswith(_HANDLING):
            return frame
    return None


_KNOWN = dict.fromkeys((
    *_CATEGORIES.values(), *_EXCEPTIONS.values(), *_VIOLATIONS.values(),
    *_POOL_CALLS.values(), *CODES.values(),
    Category.NULL_POINTER_DEREFERENCE,
    Category.NULL_FUNCTION_POINTER_CALL,
    Category.OUT_OF_BOUNDS_WRITE,
    Category.UNKNOWN,
))  # fmt: skip


def _told(case: WindowsCase, bug: BugCheck) -> list[Claim]:
    says = bug.says if 0 < len(bug.says) <= _LONGEST else None
    stop = say("bugcheck", of(bug), code=bug.code, name=bug.name, says=says)
    return [*_decoded(bug), stop, *_arguments(bug)]


def _stop(category: Category) -> WindowsCause[BugCheck]:
    """The cause that a bug check may stand for, by its code and arguments."""

    def stands(case: WindowsCase) -> BugCheck | None:
        return case.bugcheck if category_of(case) is category else None

    return WindowsCause(
        category,
        "A stop code of the kernel that stands for this cause.",
        statement="Windows' kernel stopped the system.",
        sign=stands,
        prior=0.9,
        findings=(
            Proof(
                stands,
                "The kernel recorded the stop code and its arguments.",
                0.8 if category is not Category.UNKNOWN else 0.6,
                how="kernel",
                told=_told,
                frame=lambda case, _: _driver(case),
                missing=lambda case, _: (
                    () if _driver(case) is not None else "the stack, and the driver on it"
                ),
                advice=lambda case, _: (
                    "Look at the driver on the stack, and run it under Driver Verifier."
                    if _driver(case) is not None
                    else "Get the stack of the stop (kv after .trap or .cxr), and the driver on it."
                ),
            ),
        ),
        absent="The stop code stands for another cause.",
        unseen=lambda case: of(case.bugcheck),
    )


KERNEL_STOPS = tuple(_stop(category) for category in _KNOWN)
