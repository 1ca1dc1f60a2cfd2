"""What a stack that ends in abort() says of the reason, by the names of its frames."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from analyzers.log import kinds as log_kinds
from analyzers.owners.functions import is_runtime_name
from analyzers.owners.modules import is_platform_library
from analyzers.owners.printed import ASSERTING, is_end, is_own
from workbench.model.category import Category
from workbench.model.facts import Frame

# The first group that any of the innermost frames belongs to.
_REASONS: tuple[tuple[re.Pattern[str], Category], ...] = tuple(
    (re.compile(pattern), category)
    for pattern, category in (
        (r"^(?:__GI_)?__stack_chk_fail", Category.STACK_BUFFER_OVERFLOW),
        # longjmp_chk() refuses a frame that has returned, printf's kin a %n in memory that may be
        # written: of a buffer that is too small neither says anything (glibc, debug/).
        (r"^(?:__GI_)?__(?:chk_fail|fdelt_\w+)|_chk_fail$|"
         r"^__(?!_*(?:longjmp|(?:v?[fd]?w?|v?as|obstack_v?)printf)_)\w+_chk$",
         Category.BUFFER_OVERFLOW),
        # Rust's handler aborts for a guard page's address alone (std/src/sys, stack_overflow.rs)
        (r"\bCheckStackLimit\b|StackOverflowHandler|^std::sys::.*\bstack_overflow::.*signal_handler",
         Category.STACK_OVERFLOW),
        (r"_POINTER_BEING_FREED_WAS_NOT_ALLOCATED", Category.INVALID_FREE),
        (r"^malloc_printerr|^_int_free|^malloc_consolidate|^szone_error|_checksum_botch|"
         r"^(?:tiny|small|medium|large)_\w*botch|^_?malloc_zone_error|^set_list_.{1,20}corrupt",
         Category.HEAP_CORRUPTION),
        (r"^__cxa_pure_virtual|purecall", Category.PURE_VIRTUAL_CALL),
        (r"rust_oom|handle_alloc_error|TerminateBecauseOutOfMemory|OnNoMemory|"
         r"FatalProcessOutOfMemory|OOMKiller|mozalloc_handle_oom|OutOfMemory|OnOutOfMemory|"
         r"mozalloc_abort|fuzzer::Fuzzer::RssLimitCallback|HandleMallocFail|OOM_CRASH|oom_handler",
         Category.OUT_OF_MEMORY),
        (r"^(?:__GI_)?__assert(?:_fail|_perror|_rtn|2|13)?(?:_base)?\b|^_wassert|^_assert\b|"
         r"__glibcxx_assert|__replacement_assert|LogMessage(?:Fatal)?::|CheckError|V8_Fatal|"
         r"V8_Dcheck|g_assertion_message|g_assert|MOZ_Crash|MOZ_ReportAssert|qt_assert|qFatal|"
         r"AssertionFailed|WTFReportAssertion|WTFCrash|llvm_unreachable|__libcpp_verbose_abort|"
         r"CheckFail|ImmediateCrash|NotReachedError|base::internal::CheckHandler|DcheckFail|"
         r"report_fatal_error|AssertionFailure|^ExceptionalCondition$|^OPENSSL_die$|"
         r"^gpr_assertion_failed$|^_dbus_real_assert", Category.ASSERTION_FAILURE),
        (ASSERTING, Category.ASSERTION_FAILURE),
        (r"rust_panic|^std::panicking::(?!(?:r#)?try\b|catch_unwind)|core::panicking|begin_panic|rust_begin_unwind|panic_fmt|"
         r"^runtime\.(?:fatalpanic|gopanic)|panic_cannot_unwind|panic_abort", Category.PANIC),
        (r"__cxa_throw|^objc_exception_throw|^mono_invoke_unhandled_exception_hook|_CxxThrowException|__cxa_rethrow",
         Category.UNCAUGHT_EXCEPTION),
        (r"^std::terminate|__cxxabiv1::__terminate|_objc_terminate|demangling_terminate|"
         r"__clang_call_terminate|__verbose_terminate_handler", Category.STD_TERMINATE),
    )
)  # fmt: skip
_LOOK_AT = 24
_CHECKED = re.compile(r"^__\w+_chk$")
"""A call that the compiler had checked: it aborts where it refuses, and else it is any call."""


# malloc/malloc.c until 2.25: malloc_printerr (action=3, str=0x7f... "double free or corruption");
# lldb prints no address in front of a text.
_STR = re.compile(r"\bstr=(?:[\w@]{1,20}=)?(?:0x[0-9a-f]{1,16} )?\"(?P<words>[^\"\n]{4,120})\"")


def heap_words(frames: Iterable[Frame]) -> str | None:
    """What glibc's malloc gave for the reason when it ended the process, by the argument that the
    debugger prints."""
    for frame in list(frames)[:_LOOK_AT]:
        if frame.function == "malloc_printerr":
            said = _STR.search(frame.args[:400])
            return said["words"] if said is not None else None
    return None


# What gives a block back, or takes one to make it larger (glibc).
_GIVES_BACK = re.compile(r"^(?:__GI_)?(?:__libc_|_int_)?(?:free|cfree|realloc)\b|^_int_free")


def refused(frames: Sequence[Frame]) -> bool:
    """True where the allocator ended the process in a call of free(3) or realloc(3), without words
    that tell more: the pointer was free already, or never malloc's, or the heap is broken."""
    frames = aborting(frames)[:_LOOK_AT]
    words = heap_words(frames)
    if words is not None and log_kinds.of_heap(words) is not None:
        return False
    inside = list(takewhile(_is_of_libc, frames))
    return any(is_end(frame.function or "") for frame in inside) and gives_back(inside)


def gives_back(frames: Iterable[Frame]) -> bool:
    """True where one of the frames is free(3)'s or realloc(3)'s."""
    return any(_GIVES_BACK.match(frame.function or "") for frame in frames)


def _is_of_libc(frame: Frame) -> bool:
    name = frame.function or ""
    return is_platform_library(frame.module or "") or is_end(name) or is_runtime_name(name)


_SIGNAL, _ABORT = re.compile(r"\bsig(?:no)?=(?:sig(?:no)?@entry=)?(\d{1,2})\b"), "6"
"""Which signal raise(3) and its kin are printed to send."""


def aborting(frames: Sequence[Frame]) -> Sequence[Frame]:
    """The frames that ended the process. Of a stack with a signal's handler those above it: what
    the signal interrupted did something else, unless it was sending itself that signal."""
    handler = next((at for at, frame in enumerate(frames) if frame.signal_handler), None)
    if handler is None:
        return frames
    below = frames[handler + 1 :]
    sent = [frame for frame in below[:3] if is_end(frame.function or "")]
    numbers = {number for frame in sent for number in _SIGNAL.findall(frame.args)}
    return below if sent and numbers <= {_ABORT} else frames[:handler]


def ended_by(
    signal: str | None,
    address: int | None,
    access: str | None,
    pc: int | None,
    frames: Sequence[Frame],
    near: int = _LOOK_AT,
    raised: bool = False,
) -> tuple[Category | None, int]:
    """What a signal with its stack stands for, and its rank: why a process aborted the frames alone
    tell, else the ``near`` innermost ones do, and the numbers of the access."""
    if signal == "SIGABRT":
        return abort_category(frames) or Category.EXPLICIT_ABORT, 3
    near_by = [frame for frame in frames[:near] if not _CHECKED.match(frame.function or "")]
    return abort_category(near_by) or log_kinds.of_access(signal, address, access, pc, raised), 2


def abort_category(frames: Iterable[Frame]) -> Category | None:
    """The category that the innermost frames name, or None."""
    frames = aborting(list(frames))[:_LOOK_AT]
    words = heap_words(frames)
    if words is not None:
        return log_kinds.of_heap(words)
    # What the program's own code was called for says nothing of why that code gave up.
    inner = takewhile(lambda frame: not is_own(frame), frames)
    names = [frame.function for frame in inner if frame.function]
    for pattern, category in _REASONS:
        if any(pattern.search(name) for name in names):
            return category
    return None
