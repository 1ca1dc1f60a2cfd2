"""How a process ended itself or came to a limit: abort(), std::terminate(), signals."""

from typing import NamedTuple

from analyzers.patterns.case import Case
from analyzers.patterns.frames import module_path
from workbench.model.facts import Frame, Wait
from workbench.model.facts.waiting import SENDERS


class Aborted(NamedTuple):
    """How the process aborted itself: the frame of abort() or raise(), and who called it."""

    frame: Frame
    caller: Frame | None


LIMITS = {"SIGXCPU": "processor-time", "SIGXFSZ": "file-size"}
"""What the kernel sends when a limit is reached (setrlimit(2)), and which limit it is."""
RAISES = ("raise", "gsignal", "kill", "__kill", "pthread_kill",
          "__pthread_kill", "tgkill", "sigqueue")  # fmt: skip
"""Functions by which a process sends itself a signal."""


_SI_TIMER = -2  # include/uapi/asm-generic/siginfo.h


def out_of_time(case: Case) -> bool:
    """True where the kernel ended the process at its limit of processor time (setrlimit(2))."""
    return case.signal is not None and case.signal.name == "SIGXCPU" and at_limit(case)


def at_limit(case: Case) -> bool:
    """True where the kernel sent the signal at a limit of the process (setrlimit(2)): in its own
    name for processor time, in the process's for the size of a file."""
    signal = case.signal
    if signal is None or signal.name not in LIMITS or case.calls(*RAISES) is not None:
        return False
    return case.own_signal or (signal.code or 0) > 0


def timed(case: Case) -> bool:
    """True where a timer of the process's own sent the signal (timer_create(2), SI_TIMER)."""
    return case.signal is not None and case.signal.code == _SI_TIMER


def self_sent(case: Case) -> bool:
    """True when the process sent itself the signal that ended it, of its own will."""
    return timed(case) or (case.own_signal and not case.resent and not at_limit(case))


def sent_earlier(case: Case) -> Wait | None:
    """What the thread did that got the signal from its own process, where it was in no call that
    sends one: another thread sent it, as a watchdog does, or it had been blocked."""
    wait = case.waits.get(case.thread) if case.thread is not None else None
    if wait is None or wait.syscall in SENDERS or wait.beneath or case.handled is not None:
        return None
    return wait if self_sent(case) and case.calls("abort", *RAISES) is None else None


def aborted(case: Case) -> Aborted | None:
    """The innermost abort() of the faulting stack and the first frame outside of it."""
    frame = case.calls("abort")
    if frame is None:
        return None
    return Aborted(frame, next((f for f in case.frames if f.index > frame.index), None))


_TERMINATE = ("std::terminate", "__cxxabiv1::__terminate", "__cxa_call_terminate",
              "__clang_call_terminate", "__gnu_cxx::__verbose_terminate_handler")  # fmt: skip


def terminated(case: Case) -> Frame | None:
    """The frame of std::terminate() on the faulting stack: by name, or, where the C++ library has
    no symbols, its frame that called abort()."""
    named = case.calls(*_TERMINATE)
    if named is not None:
        return named
    gone = aborted(case)
    if gone is None or gone.caller is None or gone.caller.function is not None:
        return None
    path = module_path(gone.caller, case.memory)
    name = path.rsplit("/", 1)[-1] if path else ""
    return gone.caller if name.startswith(("libstdc++.so", "libc++abi.so")) else None
