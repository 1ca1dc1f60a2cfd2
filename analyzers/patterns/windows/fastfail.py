"""``__fastfail`` (c0000409): the program, the compiler's checks or ntdll ended it at once."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import claim, confirmed, inconclusive, of, rejected
from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict

FAST_FAIL = frozenset({0xC0000409, 0xC0000602})  # STATUS_STACK_BUFFER_OVERRUN, _FAIL_FAST_EXCEPTION
_COOKIE = ("report_gsfailure", "security_check_cookie", "GSHandlerCheck", "report_securityfailure",
           "GSHandlerCheckCommon")  # fmt: skip
_ABORT = ("abort", "terminate", "invoke_watson", "invalid_parameter_noinfo_noreturn", "FatalExit",
          "std::terminate", "_std_terminate", "RaiseFailFastException")  # fmt: skip
_TERMINATE = ("terminate", "std::terminate", "std_terminate", "FrameUnwindToEmptyState")
# FAST_FAIL_* of winnt.h: what each code says, and the cause that it proves.
CODES: dict[int, tuple[str, Category]] = {
    0: ("a function's stack cookie was overwritten", Category.STACK_BUFFER_OVERFLOW),
    1: ("an object's virtual table is not one", Category.INVALID_VTABLE),
    2: ("a function's stack cookie was overwritten", Category.STACK_BUFFER_OVERFLOW),
    3: ("a linked list's entry was corrupted", Category.CORRUPTED_POINTER),
    4: ("a stack pointer was wrong", Category.CORRUPTED_POINTER),
    5: ("a function was given an argument that it does not take", Category.EXPLICIT_ABORT),
    6: ("the stack cookie was not set up", Category.EXPLICIT_ABORT),
    7: ("the process was ended on purpose", Category.EXPLICIT_ABORT),
    8: ("a range check failed", Category.OUT_OF_BOUNDS_WRITE),
    10: ("an indirect call went where no function begins", Category.CORRUPTED_POINTER),
    11: ("memory was written that may not be", Category.WRITE_TO_READ_ONLY_MEMORY),
    14: ("a reference count was wrong", Category.USE_AFTER_FREE),
    18: ("a jump buffer was corrupted", Category.CORRUPTED_POINTER),
    24: ("a callee left the stack pointer changed", Category.CORRUPTED_POINTER),
    25: ("the program called abort", Category.EXPLICIT_ABORT),
    50: ("the heap's own data was corrupted", Category.HEAP_CORRUPTION),
    57: ("a return went where it was not called from", Category.CORRUPTED_POINTER),
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
        return CODES[code][1]
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
        code, where, raised = subcode(case), case.where(), case.raised()
        called = case.calls_any((*_COOKIE, *_TERMINATE, *_ABORT))
        said = CODES.get(code if code is not None else -1)
        why = said[0] if said is not None else "the process ended itself at once (fast fail)"
        if self.category is Category.STD_TERMINATE:
            why = "the C++ runtime gave up over an exception that nobody caught"
        if self.category is Category.STACK_BUFFER_OVERFLOW:
            why = "a function's stack cookie was overwritten"
        number = f", fast fail code {code}" if code is not None else ""
        claims = [
            claim(
                f"{where.capital} was running when {why}{number}: {raised.text}.",
                raised.cites,
                where.cites,
                of(case.fault),
            )
        ]
        if called is not None:
            name = case.where(called)
            what = "The check failed" if self.category in _WRITTEN else "The process ended itself"
            claims.append(claim(f"{what} in {name.text}.", name.cites))
        if case.message is not None:
            text = case.message.text.strip()[:160].replace('"', "'")
            claims.append(claim(f"The program printed `{text}`.", of(case.message)))
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
