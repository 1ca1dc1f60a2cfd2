"""What the process was doing, told from what its threads wait for: verified by the facts that it
is made of."""

from analyzers.patterns.stuck import waiting
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.facts import Process, Signal, Wait
from workbench.model.investigation import Investigation
from workbench.model.report_conclusion import Narrative
from workbench.model.text import counted

_MOST = 5


def narrative(state: Investigation) -> Narrative:
    """The number of threads and what the first of those wait for that did not end the process,
    before all for a lock that somebody holds, and how many are left out; empty where no such wait
    is known, and for a single thread."""
    process, waits = state.facts.first(Process), _waits(state)
    if not waits or (process is not None and len(process.threads) == 1):
        return Narrative(description=None, confidence=None)
    told = [_doing(wait) for wait in waits[:_MOST]]
    if process is not None and process.threads:
        count = say("count", (process.cite,), what="threads", count=len(process.threads))
        told = [count, *told]
    if len(told) < 2:
        return Narrative(description=None, confidence=None)
    text = " ".join(f"{c.text} [{', '.join(map(str, c.citations))}]" for c in told)
    if left := len(waits[_MOST:]):
        text += f" What {counted(left, 'more thread')} did is in the list of threads."
    return Narrative(description=text, confidence=1.0)


def _doing(wait: Wait) -> Claim:
    if wait.kind == "running":
        return say("thread", (wait.cite,), state="computes", thread=wait.thread)
    return waiting(wait)


def _waits(state: Investigation) -> list[Wait]:
    """One for each thread that did not end the process."""
    process, signal = state.facts.first(Process), state.facts.first(Signal)
    outside = (
        process is not None
        and signal is not None
        and (signal.sender_pid not in (None, process.pid))
    )  # another process sent it: no thread raised it
    raised = None if signal is None or outside else signal.thread
    waits = {wait.thread: wait for wait in state.facts.all(Wait) if wait.thread != raised}
    return sorted(waits.values(), key=lambda one: one.kind == "join" or one.owner is None)
