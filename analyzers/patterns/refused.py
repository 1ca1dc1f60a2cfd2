"""Calls that _FORTIFY_SOURCE checks: which one refused, where it was to write, and the cause where
that is not known to be on a stack."""

from analyzers.patterns import commands, messages
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Proof, Rival, at_frame
from analyzers.patterns.stated import passed, stopped
from analyzers.patterns.words import in_frame
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import Argument, Frame
from workbench.model.hypothesis import Rung

ADVICE = (
    "Bound every copy into this function's arrays by their size (snprintf, strlcpy, an explicit "
    "length), and check indexes that come from outside.",
    "Build with -fsanitize=address and run the same path: it stops at the write itself.",
)
DESCRIPTOR_ADVICE = (
    "A descriptor below zero or of FD_SETSIZE (1024) or more was put into an fd_set: use poll() or "
    "epoll, or check it before FD_SET; see whether descriptors leak.",
)
_FILLS = {
    **dict.fromkeys(("read", "recv", "recvfrom", "pread", "pread64", "readlink", "realpath",
                     "confstr", "getgroups", "ttyname_r", "ptsname_r"), "rsi"),
    "readlinkat": "rdx",
}  # fmt: skip
"""Which argument of a checked function is its destination, where that is not the first one (glibc,
debug/)."""


def checked_call(case: Case) -> Frame | None:
    """The outermost checked function on the stack, such as __strcpy_chk."""
    found = None
    for frame in case.frames[:16]:
        if frame.function is not None and frame.function.endswith("_chk"):
            found = frame
    return found


def destination(case: Case) -> Argument | None:
    """Where the refused call was to write."""
    frame = checked_call(case)
    name = (frame.function or "") if frame is not None else ""
    register = _FILLS.get(name.strip("_").removesuffix("_chk"), "rdi")
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


def _refusal(case: Case) -> Frame | None:
    return checked_call(case) or _ended(case)


def _ended(case: Case) -> Frame | None:
    """What ends a process for a destination that is too small; __fortify_fail() alone does it for a
    longjmp() into a frame that has returned as well (glibc, debug/)."""
    return case.calls("__chk_fail", "__fdelt_chk", "__fdelt_warn")


def _refused(case: Case) -> bool:
    """True where a fortified function refused, and no canary changed."""
    refused = fortified(case) or _ended(case) is not None
    smashed = messages.says(case, messages.STACK_SMASHING) or canary_frame(case) is not None
    return refused and not smashed


def _target(case: Case) -> Argument | None:
    return None if descriptor(case) else destination(case)


def on_stack(case: Case, argument: Argument | None) -> Argument | None:
    """The destination, where it lies on a stack."""
    region = case.region(argument.value) if argument is not None else None
    on_it = argument is not None and argument.region == "stack"
    return argument if on_it or (region is not None and region.kind == "stack") else None


def _in_heap(case: Case) -> Argument | None:
    argument = _target(case)
    return argument if argument is not None and is_heap(case, argument) else None


def _ask(case: Case) -> tuple[Command, ...]:
    if destination(case) is None and not descriptor(case):
        return commands.call(case, case.listed)
    return ()


BUFFER_OVERFLOW = Cause(
    Category.BUFFER_OVERFLOW,
    "A fortified function refused, and the destination is not known to be on the stack.",
    statement=lambda case, _: "A descriptor does not fit into an fd_set."
    if descriptor(case) else "A copy is larger than its destination.",
    sign=_refused,
    prior=0.6,
    tests=lambda case, _: (*at_frame(case), *commands.registers(case.listed)),
    cites=lambda case, _: messages.cites(case) + case.cite(case.frame),
    ask=_ask,
    findings=(
        Rival(lambda case: on_stack(case, _target(case)),
              "The destination lies on a stack, which is a narrower cause."),
        Rival(_in_heap, "The destination lies in the heap, which is a narrower cause."),
        Proof(lambda case: fortified(case) or _refusal(case),
              lambda case, _: "A fortified macro compared the descriptor with FD_SETSIZE."
              if descriptor(case)
              else "A fortified function compared the length with its destination's size.",
              rung=Rung.STRUCTURE, how=lambda case, _: "descriptor" if descriptor(case) else "",
              told=lambda case, _: [
                  *(stopped(case) if fortified(case) else in_frame(case.stack, _refusal(case))),
                  *passed(_target(case), region=True),
              ], support=lambda case, _: case.cite(_refusal(case)),
              advice=lambda case, _: DESCRIPTOR_ADVICE if descriptor(case) else ADVICE),
    ),
    absent="No fortified function refused.",
    unseen=messages.cites,
)  # fmt: skip
