"""Reads ``@locks``: what every thread waits for, and rings of threads that wait for each other."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import AnyFact, LockCycle, Wait

_WAITS = re.compile(r"thread (\d{1,10}): waits for (\w{1,20}) (0x[0-9a-f]{1,16}) in (\w+)(.*)")
_OWNER = re.compile(r"; (?:owner|thread to end) (\d{1,10}) \(")
_CALL = re.compile(r"thread (\d{1,10}): (io|child|sleep|other) in ([^;]{1,60})(?:; (.*))?")
_RUNNING = re.compile(r"thread (\d{1,10}): running, in no system call")
_STEP = re.compile(
    r"thread (\d{1,10}) waits for \w{1,20} (0x[0-9a-f]{1,16}) (?:held by|the end of)"
    r" thread \d{1,10}(?: \(itself\))?"
)
_NAME = re.compile(r"address (0x[0-9a-f]{1,16}) lies in the variable (\S{1,400})")


class DumpLocks(Settled):
    """The analyzer of ``@locks``."""

    name = "dump-locks"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@locks``."""
        return document.host == "dump" and document.command.split()[:1] == ["@locks"]

    def analyze(self, document: Document) -> Analysis:
        """A `Wait` for each thread and a `LockCycle` for each ring."""
        waits: list[Wait] = []
        cycles: list[LockCycle] = []
        findings: list[str] = []
        names: dict[int, tuple[str, int]] = {}
        for number, line in document.numbered():
            wait = _wait(document, number, line)
            named = _NAME.fullmatch(line)
            if wait is not None:
                waits.append(wait)
            elif named is not None:
                names[int(named[1], 16)] = (named[2], number)
            elif line.startswith("cycle: "):
                steps = [_STEP.fullmatch(part) for part in line[len("cycle: ") :].split("; ")]
                ring = [step for step in steps if step is not None]
                if ring and len(ring) == len(steps):
                    cite = document.cite(number)
                    cycles.append(
                        LockCycle(
                            cite=cite,
                            threads=tuple(int(step[1]) for step in ring),
                            locks=tuple(int(step[2], 16) for step in ring),
                        )
                    )
                    findings.append(f"{line} [{cite}]")
        waits = [_named(wait, names) for wait in waits]
        facts: tuple[AnyFact, ...] = (*waits, *cycles)
        return Analysis(_summary(waits, cycles), facts, tuple(findings))


def _named(wait: Wait, names: dict[int, tuple[str, int]]) -> Wait:
    name, line = names.get(wait.address or 0, (None, 0))
    return wait if name is None else replace(wait, name=name, name_line=line)


def _wait(document: Document, number: int, line: str) -> Wait | None:
    cite = document.cite(number)
    found = _WAITS.fullmatch(line)
    if found is not None:
        rest = found[5]
        owner = _OWNER.search(rest)
        recursive = None
        if "; recursive" in rest or "; not recursive" in rest:
            recursive = "; recursive" in rest
        return Wait(
            cite=cite,
            thread=int(found[1]),
            kind=found[2],
            syscall=found[4],
            address=int(found[3], 16),
            owner=int(owner[1]) if owner is not None else None,
            detail=rest.removeprefix("; "),
            recursive=recursive,
        )
    found = _CALL.fullmatch(line)
    if found is not None:
        return Wait(
            cite=cite, thread=int(found[1]), kind=found[2], syscall=found[3], detail=found[4] or ""
        )
    found = _RUNNING.fullmatch(line)
    return Wait(cite=cite, thread=int(found[1]), kind="running") if found is not None else None


def _summary(waits: list[Wait], cycles: list[LockCycle]) -> str:
    kinds: dict[str, int] = {}
    for wait in waits:
        kinds[wait.kind] = kinds.get(wait.kind, 0) + 1
    if not kinds:
        return "no thread's state was read"
    counted = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    plural = "" if len(cycles) == 1 else "s"
    found = f"{len(cycles)} cycle{plural} of waiting threads" if cycles else "no cycle"
    return f"threads: {counted}; {found}"
