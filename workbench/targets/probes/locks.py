"""``@locks``: what every thread waits for, who holds it, and rings of threads that wait for each
other."""

from workbench.model.facts import rings
from workbench.targets.dump import Dump
from workbench.targets.probes.futex import Waited, waited_for
from workbench.targets.probes.places import clean, variable_at
from workbench.targets.probes.syscalls import Call, call_of, known

_MAX_THREADS = 20_000
_MAX_NAMED = 64
"""So many locks are looked up by name: each is one look through the symbols of a module."""


def probe(core: Dump, args: list[str]) -> str:
    """One line a thread, then the locks that are waited for, then the rings."""
    if not known(core.arch):
        return f"system calls not decoded on {core.arch}\n"
    threads = core.threads[:_MAX_THREADS]
    waits: dict[int, Waited] = {}
    lines = [f"{len(core.threads)} threads"]
    for thread in threads:
        call = call_of(core, thread)
        if call is not None and call.kind == "futex":
            waited = waited_for(core, thread, call.arguments)
            waits[thread.tid] = waited
            lines.append(f"thread {thread.tid}: {_waiting(core, waited)}")
        else:
            lines.append(f"thread {thread.tid}: {_elsewhere(call)}")
    lines += _names(core, waits)
    lines += _holders(waits)
    lines += _rings(waits)
    if threads and len(waits) == len(core.threads):
        lines.append("every thread waits for another thread of this process: none can go on")
    return "\n".join(lines) + "\n"


def _waiting(core: Dump, waited: Waited) -> str:
    words = [f"waits for {waited.kind} {waited.address:#x} in futex"]
    if waited.owner is not None:
        word = "thread to end" if waited.kind == "join" else "owner"
        alive = any(thread.tid == waited.owner for thread in core.threads)
        whose = "a thread of this process" if alive else "not a thread of this process any more"
        words.append(f"{word} {waited.owner} ({whose})")
    if waited.recursive is not None:
        words.append("recursive" if waited.recursive else "not recursive")
    words += [clean(text) for text in (waited.words, waited.note) if text]
    return "; ".join(words)


def _elsewhere(call: Call | None) -> str:
    if call is None:
        return "running, in no system call"
    if call.descriptor is not None:
        return f"{call.kind} in {call.name}; file descriptor {call.descriptor}"
    if call.child is not None:
        return f"{call.kind} in {call.name}; process {call.child}"
    return f"{call.kind} in {call.name}"


def _names(core: Dump, waits: dict[int, Waited]) -> list[str]:
    """The variables that hold the locks, where a symbol names them."""
    found = []
    for address in list(dict.fromkeys(w.address for w in waits.values()))[:_MAX_NAMED]:
        name = variable_at(core, address)
        if name is not None:
            found.append(f"address {address:#x} lies in the variable {name}")
    return found


def _holders(waits: dict[int, Waited]) -> list[str]:
    waiting: dict[tuple[str, int, int], list[int]] = {}
    for tid, waited in waits.items():
        if waited.owner is not None and waited.kind != "join":
            waiting.setdefault((waited.kind, waited.address, waited.owner), []).append(tid)
    lines = []
    for (kind, address, owner), tids in waiting.items():
        shown = ", ".join(str(tid) for tid in tids[:64])
        lines.append(f"{kind} {address:#x} is held by thread {owner}, waited for by {shown}")
    return lines


def _rings(waits: dict[int, Waited]) -> list[str]:
    found = rings({tid: waited.owner for tid, waited in waits.items()})
    return [_ring(ring, waits) for ring in found]


def _ring(ring: tuple[int, ...], waits: dict[int, Waited]) -> str:
    if len(ring) == 1:
        waited = waits[ring[0]]
        return (
            f"cycle: thread {ring[0]} waits for {waited.kind} {waited.address:#x} held by thread "
            f"{ring[0]} (itself)"
        )
    parts = []
    for tid in ring:
        waited = waits[tid]
        held = "the end of" if waited.kind == "join" else "held by"
        parts.append(
            f"thread {tid} waits for {waited.kind} {waited.address:#x} {held} thread {waited.owner}"
        )
    return "cycle: " + "; ".join(parts)
