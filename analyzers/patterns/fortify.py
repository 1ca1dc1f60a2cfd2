"""Calls that _FORTIFY_SOURCE checks: which one refused, and where it was to write."""

from analyzers.patterns import messages
from analyzers.patterns.case import Case
from workbench.model.facts import Argument, Frame

ADVICE = (
    "Bound every copy into this function's arrays by their size (snprintf, strlcpy, an explicit "
    "length), and check indexes that come from outside.",
    "Build with -fsanitize=address and run the same path: it stops at the write itself.",
)
DESCRIPTOR_ADVICE = (
    "A descriptor below zero or of FD_SETSIZE (1024) or more was put into an fd_set: use poll() or "
    "epoll, or check it before FD_SET; see whether descriptors leak.",
)
_SECOND = ("read", "recv", "recvfrom", "pread", "pread64", "readlinkat", "readlink", "getcwd")


def checked_call(case: Case) -> Frame | None:
    """The outermost checked function on the stack, such as __strcpy_chk."""
    found = None
    for frame in case.stack.frames[:16] if case.stack is not None else ():
        if frame.function is not None and frame.function.endswith("_chk"):
            found = frame
    return found


def destination(case: Case) -> Argument | None:
    """Where the refused call was to write: the first argument, the second of read() and its kin."""
    frame = checked_call(case)
    name = (frame.function or "") if frame is not None else ""
    second = any(name.strip("_").removesuffix("_chk") == word for word in _SECOND[:-1])
    register = "rsi" if second else "rdi"
    found = [a for a in reversed(case.facts.all(Argument)) if a.register == register]
    return found[0] if found else None


def descriptor(case: Case) -> bool:
    """True where FD_SET and its kin refused a descriptor (glibc, debug/fdelt_chk.c)."""
    frame = case.calls("__fdelt_chk", "__fdelt_warn")
    return frame is not None or messages.says(case, messages.DESCRIPTOR)


def is_heap(case: Case, argument: Argument) -> bool:
    """True when the destination lies in a heap."""
    region = case.region(argument.value)
    return argument.region == "heap" or (region is not None and region.kind == "heap")


def fortified(case: Case) -> bool:
    """True for the message of a checked call that refused."""
    return messages.says(case, *messages.FORTIFY)


def canary_frame(case: Case) -> Frame | None:
    """The frame that found a function's guard word changed."""
    return case.calls("__stack_chk_fail", "__stack_chk_fail_local")
