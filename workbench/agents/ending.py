"""What ended the process: a signal, an exception, or nothing."""

from analyzers.patterns.case import fullest
from workbench.model.facts import ExceptionRecord, FactBook, Process, Signal


def ended_by(facts: FactBook) -> ExceptionRecord | None:
    """The exception that ended the process; None where a signal did, or nothing."""
    process = facts.first(Process)
    if facts.first(Signal) is not None or (process is not None and process.snapshot):
        return None
    return fullest(facts)


def crashed_thread(facts: FactBook) -> int | None:
    """The thread whose signal or exception ended the process."""
    signal, record = facts.first(Signal), ended_by(facts)
    if signal is not None:
        return signal.thread
    if record is None or record.thread is not None:
        return record.thread if record is not None else None
    # A log may tell the code and the thread in one place and the instruction in another.
    same = [r.thread for r in facts.all(ExceptionRecord) if r.code == record.code and r.thread]
    return same[-1] if same else None
