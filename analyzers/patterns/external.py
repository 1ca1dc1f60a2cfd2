"""Signals that came from outside: another process, the terminal, a limit of the kernel's."""

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.busy import looks_ahead
from analyzers.patterns.case import Case
from analyzers.patterns.stated import on_stack
from analyzers.patterns.stuck import endless, nothing_ends
from analyzers.patterns.words import confirmed, in_place, inconclusive, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import FactBook, Signal
from workbench.model.hypothesis import Proposal, Rung, Verdict

# signal(7): what no instruction of the program raises.
_NEVER_RAISED = frozenset(
    {"SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU",
     "SIGXFSZ", "SIGUSR1", "SIGUSR2", "SIGPWR", "SIGIO", "SIGPOLL", "SIGKILL", "SIGSTKFLT"}
)  # fmt: skip


class ExternalSignal(OneRound):
    """The sender recorded with the signal is another process, or the kernel on its own account."""

    category = Category.EXTERNAL_SIGNAL

    def propose(self, facts: FactBook) -> Proposal | None:
        """When no instruction raised the signal."""
        case = Case(facts)
        signal = case.signal
        if signal is None or case.snapshot:
            return None
        sent = (signal.code is not None and signal.code <= 0) or _filtered(signal)
        if case.resent:
            return None
        if not sent and signal.name not in _NEVER_RAISED:
            return None
        own = signs.self_sent(case)
        if own and signal.name == "SIGABRT" and signs.aborted(case) is not None:
            return None
        return Proposal(
            category=self.category,
            statement="The signal came from outside of the program.",
            confidence=0.15 if own else 0.6 if case.cycles else 0.9,
            tests=(*commands.siginfo(), *commands.source(case.frame), *looks_ahead(case)),
            citations=of(signal),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Decided by the sender."""
        case = Case(facts)
        signal = case.signal
        if signal is None:
            return inconclusive(case, "No signal is recorded.", ("the signal's record",))
        if _filtered(signal):
            return _refused(case, signal)
        if signal.code is not None and signal.code > 0 and signal.name not in _NEVER_RAISED:
            return rejected("An instruction of the program raised the signal.", of(signal))
        if signs.self_sent(case) or case.resent:
            return rejected("The process sent itself the signal.", of(signal))
        if case.cycles:
            return rejected(
                "The signal only ended a process whose threads were waiting for each other.",
                [c for cycle in case.cycles for c in of(cycle)],
                rung=Rung.STRUCTURE,
            )
        proved = endless(case)
        if proved is not None and nothing_ends(case, *proved):
            return rejected(
                "The signal only ended a process whose thread was in a loop without an end.",
                of(proved[1]),
            )
        if signal.sender_pid is None and signal.name not in _NEVER_RAISED:
            return inconclusive(case, "The signal's record names no sender.", ("who sent it",))
        claims = [in_place(case, self.category, case.frame, cites=of(signal))]
        if signal.sender_pid is not None and (signal.code is None or signal.code <= 0):
            claims.append(say("signal", of(signal), pid=signal.sender_pid))
        claims.append(say("signal", of(signal), name=signal.name))
        return confirmed(
            case,
            Rung.MACHINE,
            0.92,
            claims,
            reason="The signal's record names a sender outside of the process.",
            support=[*of(case.process), *of(case.fault)],
            recommendations=(
                "Ask who sent the signal: a supervisor's time-out, an operator, a limit. The "
                "program itself shows no fault here.",
            ),
        )


def _filtered(signal: Signal) -> bool:
    """True where a seccomp filter of the kernel ended the process for a system call (seccomp(2),
    SECCOMP_RET_KILL_PROCESS)."""
    return signal.name == "SIGSYS" and signal.code_name == "SYS_SECCOMP"


def _refused(case: Case, signal: Signal) -> Verdict:
    inner = case.stack.frames[0] if case.stack is not None and case.stack.frames else None
    claims = [
        in_place(case, Category.EXTERNAL_SIGNAL, case.frame, how="filter", cites=of(signal)),
        *on_stack(case, inner if inner is not None and inner.function else None),
        say("signal", of(signal), name=signal.name, code_name=signal.code_name),
    ]
    return confirmed(
        case,
        Rung.MACHINE,
        0.85,
        claims,
        reason="The signal's code says that a seccomp filter refused a system call.",
        support=of(case.process),
        recommendations=(
            "Compare the sandbox's list of system calls with what this line needs: allow the call "
            "there, or do without it here. A newer C library may use another call than before.",
        ),
    )
