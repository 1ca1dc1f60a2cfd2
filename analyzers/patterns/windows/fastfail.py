"""``__fastfail`` (c0000409): the program, the compiler's checks or ntdll ended it at once."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import confirmed, in_frame, in_place, inconclusive, of, rejected
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict

FAST_FAIL = frozenset({0xC0000409, 0xC0000602})  # STATUS_STACK_BUFFER_OVERRUN, _FAIL_FAST_EXCEPTION
_COOKIE = ("report_gsfailure", "security_check_cookie", "GSHandlerCheck", "report_securityfailure",
           "GSHandlerCheckCommon")  # fmt: skip
_ABORT = ("abort", "terminate", "invoke_watson", "invalid_parameter_noinfo_noreturn", "FatalExit",
          "std::terminate", "_std_terminate", "RaiseFailFastException")  # fmt: skip
_TERMINATE = ("terminate", "std::terminate", "std_terminate", "FrameUnwindToEmptyState")
# FAST_FAIL_* of winnt.h: the cause that each code proves.
CODES: dict[int, Category] = {
    0: Category.STACK_BUFFER_OVERFLOW,
    1: Category.INVALID_VTABLE,
    2: Category.STACK_BUFFER_OVERFLOW,
    3: Category.CORRUPTED_POINTER,
    4: Category.CORRUPTED_POINTER,
    5: Category.EXPLICIT_ABORT,
    6: Category.EXPLICIT_ABORT,
    7: Category.EXPLICIT_ABORT,
    8: Category.OUT_OF_BOUNDS_WRITE,
    10: Category.CORRUPTED_POINTER,
    11: Category.WRITE_TO_READ_ONLY_MEMORY,
    14: Category.USE_AFTER_FREE,
    18: Category.CORRUPTED_POINTER,
    24: Category.CORRUPTED_POINTER,
    25: Category.EXPLICIT_ABORT,
    50: Category.HEAP_CORRUPTION,
    57: Category.CORRUPTED_POINTER,
}


def subcode(case: WindowsCase) -> int | None:
    """The fast fail's code, None where it is not recorded."""
    record = case.record
    if record is None or record.code not in FAST_FAIL or not record.parameters:
        return None
    return record.parameters[0]


def category_of(case: WindowsCase) -> Category | None:
    """The cause that a fast fail stands for; None when the exception is none."""
    if case.record is None or case.record.code not in FAST_FAIL:
        return None
    if case.calls_any(_COOKIE) is not None:
        return Category.STACK_BUFFER_OVERFLOW
    code = subcode(case)
    if code in (None, 7) and case.calls_any(_TERMINATE) is not None:
        return Category.STD_TERMINATE
    if code in CODES:
        return CODES[code]
    return Category.EXPLICIT_ABORT if case.calls_any(_ABORT) is not None or code else None


class FastFail(OneRound):
    """One cause that a fast fail may stand for; one instance each."""

    def __init__(self, category: Category) -> None:
        self.category = category

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the fast fail's code, or the stack, stands for this cause."""
        case = WindowsCase(facts)
        if category_of(case) is not self.category or case.bugcheck is not None:
            return None
        return Proposal(
            category=self.category,
            statement=_STATEMENTS.get(self.category, "The process ended itself at once."),
            confidence=0.9,
            tests=(),
            citations=of(case.record),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the code, where it is recorded."""
        case = WindowsCase(facts)
        if category_of(case) is not self.category:
            return rejected("The exception is another.", of(case.record))
        code = subcode(case)
        called = case.calls_any((*_COOKIE, *_TERMINATE, *_ABORT))
        how = f"fast-fail-{code}" if CODES.get(-1 if code is None else code) is self.category else (
            "fast-fail")  # fmt: skip
        claims = [in_place(case, self.category, case.frame, how=how, cites=of(case.record))]
        if code is not None:
            told = at(code, (), f"{code:#x}")
            claims.append(say("told", of(case.record), how="fast-fail", number=told))
        claims += in_frame(case.stack, called)
        if case.message is not None:
            claims.append(say("message", of(case.message), text=case.message.text))
        claims += case.raised()
        if code is None and called is None:
            return inconclusive(
                case,
                "A fast fail without its code.",
                ("the exception's first parameter, which says why",),
                confidence=0.4,
                supporting=of(case.record),
                claims=claims,
            )
        return confirmed(
            case,
            Rung.MACHINE,
            0.88,
            claims,
            reason="The fast fail's code or the function that raised it says why.",
            support=of(case.fault),
            missing=("what wrote over it",) if self.category in _WRITTEN else (),
            recommendations=_ADVICE.get(
                self.category, ("Find what the program printed before it ended itself.",)
            ),
        )


_WRITTEN = frozenset(
    {Category.STACK_BUFFER_OVERFLOW, Category.CORRUPTED_POINTER, Category.HEAP_CORRUPTION}
)
_STATEMENTS = {
    Category.STACK_BUFFER_OVERFLOW: "A buffer on the stack was overrun.",
    Category.INVALID_VTABLE: "An object's virtual table is not one.",
    Category.CORRUPTED_POINTER: "A pointer was overwritten, and a check found it.",
    Category.EXPLICIT_ABORT: "The program ended itself.",
    Category.STD_TERMINATE: "std::terminate() ended the program: an exception got away.",
    Category.HEAP_CORRUPTION: "The heap's data was overwritten.",
    Category.OUT_OF_BOUNDS_WRITE: "An index was out of bounds, and a check found it.",
    Category.USE_AFTER_FREE: "A reference count was wrong.",
}
_ADVICE = {
    Category.STACK_BUFFER_OVERFLOW: (
        "Look at the arrays of this function and at what is copied into them; build with "
        "/fsanitize=address and run the same path.",
    ),
    Category.HEAP_CORRUPTION: ("Turn page heap on (gflags /p /enable) and run it again.",),
}
FAST_FAILS = tuple(FastFail(category) for category in _STATEMENTS)
