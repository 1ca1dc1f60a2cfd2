"""A ring of waiting threads in one sentence: which function waits for which lock."""

from analyzers.patterns.case import Case
from analyzers.patterns.words import Cites, line_of, name_of, of
from workbench.model.citation import Citation
from workbench.model.facts import LockCycle

_MOST = 3
"""A ring of more threads is not told in one sentence."""


def who_for_what(case: Case, cycle: LockCycle) -> tuple[str, Cites]:
    """`` : `post` waits for the lock `accounts`, …`` and the lines that name them: the functions
    that wait and the variables of the locks; nothing where a thread has neither."""
    if len(cycle.threads) > _MOST:
        return "", ()
    parts: list[str] = []
    cites: list[Citation] = []
    for thread, lock in zip(cycle.threads, cycle.locks, strict=False):
        frame, wait = case.frame_of(case.stack_of(thread)), case.waits.get(thread)
        named = wait is not None and wait.name is not None and wait.address == lock
        function = name_of(frame.function) if frame is not None and frame.function else ""
        name = f"the lock `{(wait.name or '').replace('`', chr(39))}`" if wait and named else ""
        if wait is not None and wait.kind == "join":
            name = f"the end of thread {wait.owner}"
        if not function and not name:
            return "", ()
        parts.append(f"{function or f'thread {thread}'} waits{f' for {name}' if name else ''}")
        cites += [*of(wait), *case.cite(frame)]
        if wait is not None and named:
            cites += line_of(wait, wait.name_line)
    return f": {', '.join(parts)}", tuple(cites)
