"""The stacks of a report: runs of frames, each with the line above it that says what it is."""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Document
from analyzers.blocks import first_of
from analyzers.log.frames import numbered_frame
from analyzers.log.text import Lines, sentence, small
from workbench.model.facts import Frame, Role, Stack

Parse = Callable[[str, int], Frame | None]

_ROLES = (
    (r"\bleak of \d|\bleaked\b|are (?:definitely|indirectly|possibly) lost|"
     r"still reachable", "leak"),
    (r"(?i)^INFO: (?:Slab )?Freed in|\bfreed by|deallocated by|^Freed |was freed|free'd$|"
     r"Freed by task|freed here", "free"),
    (r"(?i)^INFO: Allocated in|allocated (?:by|from|here|at)|^Allocated |alloc'd(?: at)?$|"
     r"Allocated by task|was allocated|Location is heap block|"
     r"Uninit(?:iali[sz]ed value)? was created", "alloc"),
    (r"(?i)^\s*Previous (?:atomic )?(?:read|write)|conflicts with a previous|"
     r"previous access", "other"),
    (r"(?i)^\s*Mutex M\d+ (?:is )?(?:previously )?acquired|Required order was|"
     r"Observed .incorrect. order|followed by a later acquisition|lock order", "lock"),
    (r"(?i)created (?:by|at|here)|was created|Last potentially related work", "create"),
    (r"(?i)^\s*As if synchronized", "sync"),
    (r"(?i)was stored", "other"),
)  # fmt: skip
_THREAD = re.compile(r"\b[Tt]hread T?(\d{1,10})\b")
_CREATES = re.compile(r"(?:__interceptor_|___interceptor_)?(?:pthread_create|CreateThread)\b")
"""On top of a stack that a sanitizer keeps of who created a thread, whatever was cut above it."""
_NAMED = re.compile(r"\b[Tt]hread (?:T?\d{1,10}|'[^']{1,64}')(?: \(([^)]{1,64})\))?")


def role_of(title: str, first: bool) -> str:
    """What a stack is, by the line above it; the first one is the access unless it says else."""
    return first_of(_ROLES, title) or ("access" if first else "other")


def read_roles(lines: Lines, parse: Parse = numbered_frame) -> tuple[Role, ...]:
    """Every stack among the lines. A line that is no frame and not empty begins the next one."""
    found: list[Role] = []
    frames: list[Frame] = []
    title, title_line, pending, pending_line = "", 0, "", 0
    total = 0

    def close() -> None:
        if frames:
            found.append(_role(title, title_line, frames, not found))
            frames.clear()

    for number, line in lines:
        frame = parse(line, number)
        if frame is None:
            if line.strip():
                pending, pending_line = line, number
            continue
        if pending:
            if not (frames and _goes_on(frames[-1], frame, pending)):
                close()
                title, title_line = pending, pending_line
            pending = ""
        if total < MAX_ITEMS:
            frames.append(frame)
            total += 1
    close()
    return tuple(found)


def _goes_on(last: Frame, frame: Frame, between: str) -> bool:
    """True for a frame whose number follows: what stood ``between`` was another program's line; and
    for a later one behind the place of the frame before: those without a name were left out."""
    gap = frame.index - last.index
    return gap == 1 or (gap > 1 and between.lstrip().startswith("at "))


def _role(title: str, title_line: int, frames: list[Frame], first: bool) -> Role:
    thread = _THREAD.search(title)
    name = _NAMED.search(title)
    number = small(thread[1]) if thread else (0 if "main thread" in title else None)
    line = title_line or frames[0].line_no
    role = "create" if _creates(frames) else role_of(title, first)
    return trace(role, title, line, frames, number, name[1] if name else None)


def trace(
    role: str,
    title: str,
    line: int,
    frames: Sequence[Frame],
    thread: int | None = None,
    name: str | None = None,
) -> Role:
    """One stack of a report, from the line of its title to that of its last frame."""
    return Role(
        role=role,
        title=sentence(title),
        line=line,
        frames=tuple(frames),
        thread=thread,
        last=frames[-1].line_no if frames else line,
        name=name,
    )


def listed(document: Document, roles: Iterable[Role]) -> list[Stack]:
    """The stacks of a report as those of the process's threads."""
    return [
        Stack(
            cite=document.cite(role.line, role.last),
            number=role.thread,
            name=role.name,
            frames=role.frames,
            current=role.role == "access",
        )
        for role in roles
    ]


def as_access(roles: Iterable[Role]) -> tuple[Role, ...]:
    """The stacks of a report that has its own first: where it happened, unless it says else."""
    return tuple(
        replace(role, role="access")
        if not at and role.role in ("other", "create") and not _creates(role.frames)
        else role
        for at, role in enumerate(roles)
    )


def _creates(frames: Sequence[Frame]) -> bool:
    return bool(frames) and _CREATES.match(frames[0].function or "") is not None
