"""Signals that came from outside: another process, the terminal, a limit of the kernel's."""

from analyzers.patterns import commands, own_end
from analyzers.patterns.busy import looks_ahead
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, of_ending, of_process
from analyzers.patterns.ending import NEVER_RAISED
from analyzers.patterns.stated import on_stack
from analyzers.patterns.stuck import HELD, without_end
from analyzers.patterns.words import of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Signal
from workbench.model.hypothesis import Rung


def _filtered(signal: Signal) -> bool:
    """True where a seccomp filter of the kernel ended the process for a system call (seccomp(2),
    SECCOMP_RET_KILL_PROCESS)."""
    return signal.name == "SIGSYS" and signal.code_name == "SYS_SECCOMP"


def _came_from_outside(case: Case) -> float | None:
    """How likely somebody else sent it, where no instruction raised it."""
    signal = case.signal
    if signal is None or case.snapshot or case.resent:
        return None
    sent = (signal.code is not None and signal.code <= 0) or _filtered(signal)
    if not sent and signal.name not in NEVER_RAISED:
        return None
    own = own_end.self_sent(case)
    if own and signal.name == "SIGABRT" and own_end.aborted(case) is not None:
        return None
    return 0.15 if own else 0.6 if case.cycles else 0.9


_ON_LIMITS = {
    "SIGXFSZ": "Look at how long the file that was written here has become, and raise the limit "
    "(`ulimit -f`, LimitFSIZE=) if it may be; where SIGXFSZ is ignored, write(2) fails with EFBIG.",
    "SIGXCPU": "Look at what the thread computes here: whether it comes to an end, and how long it "
    "may take. If it may, raise the limit (`ulimit -t`, LimitCPU=).",
}


def _raised(case: Case) -> Signal | None:
    signal = case.signal
    raised = signal is not None and signal.code is not None and signal.code > 0
    return signal if raised and signal is not None and signal.name not in NEVER_RAISED else None


def _nameless(case: Case) -> bool:
    signal = case.signal
    return signal is not None and signal.sender_pid is None and signal.name not in NEVER_RAISED


def _who(_: Case, signal: Signal) -> str:
    """What the signal's record says of its sender (sigaction(2), si_code)."""
    if signal.sender_pid is not None:
        return "The signal's record names a sender outside of the process."
    if (signal.code or 0) > 0:
        return "The kernel sent the signal: at a key, a hang-up or an alarm that had run out."
    return "No instruction raises this signal (signal(7)): it was sent."


def _sent(case: Case, signal: Signal) -> list[Claim]:
    by = signal.sender_pid is not None and (signal.code is None or signal.code <= 0)
    pid = [say("signal", of(signal), pid=signal.sender_pid)] if by else []
    return [*pid, say("signal", of(signal), name=signal.name)]


def _call(case: Case, signal: Signal) -> list[Claim]:
    frames = on_stack(case, case.top if case.top is not None and case.top.function else None)
    return [*frames, say("signal", of(signal), name=signal.name, code_name=signal.code_name)]


EXTERNAL_SIGNAL = Cause(
    Category.EXTERNAL_SIGNAL,
    "The sender recorded with the signal is another process, or the kernel on its own account.",
    statement="The signal came from outside of the program.",
    sign=_came_from_outside,
    tests=lambda case, _: (*commands.siginfo(), *commands.source(case.frame), *looks_ahead(case)),
    cites=of_ending,
    signal=False,
    findings=(
        Open(lambda case: case.signal is None, "No signal is recorded.",
             missing="the signal's record"),
        Proof(lambda case: case.signal if case.signal and _filtered(case.signal) else None,
              "The signal's code says that a seccomp filter refused a system call.", how="filter",
              told=_call, support=of_process,
              advice="Compare the sandbox's list of system calls with what this line needs: allow "
              "the call there, or do without it here. A newer C library may use another call than "
              "before."),
        Rival(_raised, "An instruction of the program raised the signal."),
        Rival(lambda case: own_end.self_sent(case) or case.resent,
              "The process sent itself the signal.", of_ending),
        Rival(lambda case: case.cycles,
              "The signal only ended a process whose threads were waiting for each other.",
              lambda _, cycles: [c for cycle in cycles for c in of(cycle)], Rung.STRUCTURE),
        HELD,
        Rival(without_end, "The signal only ended a process whose thread was in a loop without an "
              "end."),
        Proof(lambda case: case.signal if own_end.at_limit(case) else None,
              "The kernel ends a process by this signal at a limit that it has reached.", 0.9,
              how=lambda case, signal: own_end.LIMITS[signal.name],
              told=lambda case, signal: [say("signal", of(signal), name=signal.name)],
              support=of_process, advice=lambda _, signal: _ON_LIMITS[signal.name]),
        Open(_nameless, "The signal's record names no sender.", missing="who sent it"),
        Proof(lambda case: case.signal, _who, 0.92, told=_sent,
              support=lambda case, _: of(case.process) + of(case.fault),
              advice="Ask who sent the signal: a supervisor's time-out, an operator, a limit. "
              "Whether the program still got on, its stacks and a second dump show."),
    ),
)  # fmt: skip
