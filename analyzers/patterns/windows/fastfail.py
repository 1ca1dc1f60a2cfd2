"""``__fastfail`` (c0000409): the program, the compiler's checks or ntdll ended it at once."""

from analyzers.fast_fails import CODES
from analyzers.patterns.cause import Proof, of_fault
from analyzers.patterns.windows.case import WindowsCase, WindowsCause, of_record
from analyzers.patterns.words import in_frame, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Frame

_BY_CODE = 0xC0000409  # STATUS_STACK_BUFFER_OVERRUN
FATAL_APP_EXIT = 7
FAST_FAIL = frozenset({_BY_CODE, 0xC0000602})  # STATUS_FAIL_FAST_EXCEPTION
_COOKIE = ("report_gsfailure", "security_check_cookie", "GSHandlerCheck", "report_securityfailure",
           "GSHandlerCheckCommon")  # fmt: skip
_ABORT = ("abort", "terminate", "invoke_watson", "invalid_parameter_noinfo_noreturn", "FatalExit",
          "std::terminate", "_std_terminate", "RaiseFailFastException")  # fmt: skip
_TERMINATE = ("terminate", "std::terminate", "std_terminate", "FrameUnwindToEmptyState")
ASSERTS = ("wassert", "assert", "common_assert_to_stderr", "common_assert_to_message_box")
# What the C runtime's own functions have found when they end or stop a program (Microsoft's rtc/,
# purevirt.cpp, assert.cpp, abort.cpp); the first that is on the stack.
_RUNTIME: dict[tuple[str, ...], Category] = {
    ("RTC_StackFailure", "RTC_CheckStackVars", "RTC_CheckStackVars2", "RTC_AllocaFailure"):
        Category.STACK_BUFFER_OVERFLOW,
    ("RTC_UninitUse",): Category.UNINITIALIZED_VALUE,
    ("purecall",): Category.PURE_VIRTUAL_CALL,
    ASSERTS: Category.ASSERTION_FAILURE,
    _TERMINATE: Category.STD_TERMINATE,
    ("abort",): Category.EXPLICIT_ABORT,
}  # fmt: skip


def subcode(case: WindowsCase) -> int | None:
    """The fast fail's code, None where it is not recorded: what RaiseFailFastException() is given
    is the program's own."""
    record = case.record
    if record is None or record.code != _BY_CODE or not record.parameters:
        return None
    return record.parameters[0]


def runtime_check(case: WindowsCase) -> tuple[Frame, Category] | None:
    """The C runtime's function that ended or stopped the program, and what that says; of abort()
    what an assertion printed before it."""
    found = ((case.calls_any(names), category) for names, category in _RUNTIME.items())
    first = next(((frame, category) for frame, category in found if frame is not None), None)
    if first is not None and first[1] is Category.EXPLICIT_ABORT and case.message is not None:
        return first[0], Category.ASSERTION_FAILURE
    return first


def category_of(case: WindowsCase) -> Category | None:
    """The cause that a fast fail stands for; None when the exception is none."""
    if case.record is None or case.record.code not in FAST_FAIL:
        return None
    if case.calls_any(_COOKIE) is not None:
        return Category.STACK_BUFFER_OVERFLOW
    code = subcode(case)
    by_runtime = runtime_check(case)
    if code in (None, FATAL_APP_EXIT) and by_runtime is not None:
        return by_runtime[1]
    if code is not None:
        return CODES.get(code, Category.UNKNOWN)
    return Category.EXPLICIT_ABORT if case.calls_any(_ABORT) is not None else None


_WRITTEN = frozenset(
    {Category.STACK_BUFFER_OVERFLOW, Category.CORRUPTED_POINTER, Category.HEAP_CORRUPTION}
)
_STATEMENTS = {
    Category.STACK_BUFFER_OVERFLOW: "A buffer on the stack was overrun.",
    Category.INVALID_VTABLE: "An object's virtual table is not one.",
    Category.CORRUPTED_POINTER: "A pointer was overwritten, and a check found it.",
    Category.EXPLICIT_ABORT: "The program ended itself.",
    Category.STD_TERMINATE: "std::terminate() ended the program.",
    Category.HEAP_CORRUPTION: "The heap's data was overwritten.",
    Category.OUT_OF_BOUNDS_WRITE: "An index was out of bounds, and a check found it.",
    Category.WILD_POINTER: "An indirect call went to no function that it may call.",
    Category.WRITE_TO_READ_ONLY_MEMORY: "Memory was written that may not be.",
    Category.TYPE_CONFUSION: "An object was cast to a class that it is not.",
    Category.PURE_VIRTUAL_CALL: "A pure virtual function was called.",
    Category.UNKNOWN: "A check of Windows or of its runtime ended the process.",
}
_ADVICE = {
    Category.STACK_BUFFER_OVERFLOW: "Look at the arrays of this function and at what is copied "
    "into them; build with /fsanitize=address and run the same path.",
    Category.HEAP_CORRUPTION: "Turn page heap on (gflags /p /enable) and run it again.",
}


def _called(case: WindowsCase) -> Frame | None:
    by_runtime = runtime_check(case)
    return by_runtime[0] if by_runtime is not None else case.calls_any((*_COOKIE, *_ABORT))


def _told(case: WindowsCase, _: object) -> list[Claim]:
    code = subcode(case)
    number = None if code is None else at(code, (), f"{code:#x}")
    stopped = case.message
    return [
        *([] if code is None else [say("told", of(case.record), how="fast-fail", number=number)]),
        *in_frame(case.stack, _called(case)),
        *([] if stopped is None else [say("message", of(stopped), text=stopped.text)]),
        *case.raised(),
    ]


def _fast_fail(category: Category) -> WindowsCause[Category]:
    """The cause that a fast fail may stand for."""

    def stands(case: WindowsCase) -> Category | None:
        return category if category_of(case) is category else None

    def how(case: WindowsCase, _: object) -> str:
        if category is Category.PURE_VIRTUAL_CALL:
            return ""
        code = subcode(case)
        own = code is not None and CODES.get(code) is category
        return f"fast-fail-{code}" if own else "fast-fail"

    return WindowsCause(
        category,
        "The fast fail's code, or the stack, stands for this cause.",
        statement=_STATEMENTS[category],
        sign=lambda case: stands(case) if case.bugcheck is None else None,
        prior=0.9,
        cites=of_record,
        findings=(
            Proof(stands, "The fast fail's code or the function that raised it says why.",
                  0.88 if category is not Category.UNKNOWN else 0.6,
                  how=how, told=_told, support=of_fault,
                  missing="what wrote over it" if category in _WRITTEN else (),
                  advice=_ADVICE.get(category, "Find what the program printed before it ended "
                                     "itself.")),
        ),)  # fmt: skip


FAST_FAILS = tuple(_fast_fail(category) for category in _STATEMENTS)
