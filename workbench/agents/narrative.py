"""What the process was doing, told from what its threads wait for: verified by the facts that it
is made of."""

from collections.abc import Iterator

from analyzers.patterns.stuck import waiting
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.facts import Process, Signal, Wait
from workbench.model.investigation import Investigation
from workbench.model.report_conclusion import Narrative

_MOST = 5


def narrative(state: Investigation) -> Narrative:
    """The number of threads and what the first of those wait for that did not end the process;
    empty where no such wait is known, and for a single thread."""
    told = list(_told(state))
    if len(told) < 2:
        return Narrative(description=None, confidence=None)
    text = " ".join(f"{c.text} [{', '.join(map(str, c.citations))}]" for c in told)
    return Narrative(description=text, confidence=1.0)


def _told(state: Investigation) -> Iterator[Claim]:
    process = state.facts.first(Process)
    if process is not None and process.threads:
        cite = process.cite
        yield say("count", (cite,), what="threads", count=len(process.threads))
    if process is not None and len(process.threads) == 1:
        return
    signal = state.facts.first(Signal)
    outside = (
        process is not None
        and signal is not None
        and (signal.sender_pid not in (None, process.pid))
    )  # another process sent it: no thread raised it
    raised = None if signal is None or outside else signal.thread
    waits = {wait.thread: wait for wait in state.facts.all(Wait) if wait.thread != raised}
    for wait in list(waits.values())[:_MOST]:
        if wait.kind == "running":
            yield say("thread", (wait.cite,), state="computes", thread=wait.thread)
        else:
            yield waiting(wait)
