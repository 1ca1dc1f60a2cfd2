"""Sentences that say why something cannot be told, and how to find out."""

from collections.abc import Iterator

from workbench.agents.chat.beyond import Beyond, is_recorded
from workbench.model.facts import Chunk, Process
from workbench.model.investigation import Investigation


def sentence(one: Beyond, state: Investigation) -> Iterator[str]:
    """What cannot be told and why, then how to find out."""
    this = "this log" if is_recorded(state) else "one dump"
    match one.kind:
        case "who":
            yield from _who(one, state, this)
        case "when":
            yield (
                f"{this[0].upper()}{this[1:]} does not tell when that was: it is the state at one "
                "moment, and no line that was found carries a time of it."
                if this == "one dump"
                else "No line that was kept of this log tells when that was."
            )
            yield (
                "To find out: the lines of the log around the report, where it has times."
                if this == "this log"
                else "To find out: the service manager's or the program's own log with its "
                "times, and the date of the dump's file."
            )
        case "moment":
            reason = (
                "no stack of it is recorded"
                if this == "this log"
                else "memory keeps no time of it, and no record of who did it"
            )
            yield f"When it was {_DONE_TO.get(one.verb, one.verb)} is not in {this}: {reason}."
            yield f"To find out: {_tools(state)}."
        case "first":
            yield (
                f"Which was first does not stand in {this}: it shows who holds and who waits "
                "at one moment, and no order in which the locks were taken."
            )
            yield (
                "To find out: a log line at each lock, or the same run under a tool that keeps "
                "the order (ThreadSanitizer, valgrind --tool=helgrind, rr, a trace of the lock "
                "events)."
            )
        case "elsewhere":
            yield (
                f"Why it is so there and not elsewhere does not stand in {this}: it shows one run, "
                "and none that went otherwise to compare it with."
            )
            yield (
                "To find out: what differs between the two (version and build, settings, "
                "input, load, memory and cores), and a dump or log of the place where it goes well."
            )
        case "long":
            yield (
                f"How long it has been so does not stand in {this}: it shows one moment. To "
                "find out: a second dump some seconds later, or a log with times."
            )
        case "often":
            yield (
                f"How often it happens does not stand in {this}: it shows one time. To find "
                "out: further dumps or logs (`workbench batch` puts equal ones together, "
                "`workbench sessions` lists those that were looked at)."
            )
        case "became":
            yield (
                f"How it came to be so does not stand in {this}, which shows the values at the end "
                f"and none before. To find out: {_tools(state)}."
            )
        case _:
            yield (
                f"What would happen otherwise does not stand in {this}: it shows what did happen. "
                "Trying it would tell."
            )


def _who(one: Beyond, state: Investigation, this: str) -> Iterator[str]:
    verb = one.verb.lower()
    if verb == "sent the signal":
        yield f"Who sent it does not stand in {this}."
        yield "To find out: the system's log (dmesg, journalctl), or auditd for kill(2)."
        return
    freed = verb.startswith(("free", "delet", "releas"))
    free = any(chunk.state not in ("in-use", "top", "header") for chunk in state.facts.all(Chunk))
    if this == "this log":
        yield f"Who {_past(verb)} it does not stand in this log: no stack of it is recorded."
    elif freed and free:
        yield (
            "Who freed it cannot be told from a dump: the allocator marks a chunk as free and "
            "keeps no record of who freed it."
        )
    else:
        yield f"Who {_past(verb)} it cannot be told from a dump: memory keeps no record of that."
    yield f"To find out: {_tools(state)}."


_PAST = {
    "free": "freed", "frees": "freed", "delete": "deleted", "deletes": "deleted",
    "release": "released", "writes": "wrote", "overwrites": "overwrote",
    "overwritten": "overwrote", "corrupt": "corrupted", "corrupts": "corrupted",
    "allocate": "allocated", "allocates": "allocated",
}  # fmt: skip


_DONE_TO = {
    "free": "freed", "allocate": "allocated", "deallocate": "deallocated", "corrupt": "corrupted",
    "overwrote": "overwritten", "overwrite": "overwritten",
}  # fmt: skip


def _past(verb: str) -> str:
    return _PAST.get(verb, verb)


def _tools(state: Investigation) -> str:
    """What records the history of memory, on the system in question."""
    process = state.facts.first(Process)
    system = f"{process.os if process else ''} {state.target.os if state.target else ''}".lower()
    managed = state.target is not None and state.target.runtime is not None
    if managed or state.host == "dotnet-dump":
        return (
            "a log line or a data breakpoint where it is set, or a trace of the same run "
            "(dotnet-trace; on Windows Time Travel Debugging)"
        )
    if "windows" in system:
        return (
            "the same run under Time Travel Debugging, with page heap (gflags /p /enable), or "
            "under AddressSanitizer"
        )
    if "mac" in system or "ios" in system or "darwin" in system:
        return (
            "the same run under AddressSanitizer, with MallocStackLogging=1, or a watchpoint in "
            "lldb (watchpoint set expression)"
        )
    return (
        "the same run under AddressSanitizer or valgrind, which keep the stacks of each malloc and "
        "free; rr (record, then reverse-continue from a watchpoint); or a hardware watchpoint"
    )
