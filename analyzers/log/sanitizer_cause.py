"""Which category a sanitizer's report stands for, and how much it explains."""

import re
from collections.abc import Iterable

from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category
from analyzers.log.kinds import Kind
from analyzers.log.text import hex_value
from workbench.model.category import Category
from workbench.model.facts import Frame, Role

_CAUSE = re.compile(r"^\s{0,4}(?:Potential )?Cause: (?P<kind>[\w -]{3,60})")
# What a fuzzer or a leak checker says at the end; anything else in the log explains more.
_SIDE_EFFECTS = (Category.MEMORY_LEAK, Category.EXPLICIT_ABORT, Category.INFINITE_LOOP)
# The tool's own allocator, and what a program calls to give memory back.
_ALLOCATOR = re.compile(r"(?:^|[ :])__(?:asan|hwasan|sanitizer|lsan|tsan|msan)::")
_FREE = re.compile(
    r"^(?:__interceptor_|wrap_)?(?:c?free|realloc|operator delete.{0,60})(?:\.\w+)*$"
)


def category_of(
    kind: str,
    rest: str,
    signal: str | None,
    address: int | None,
    access: str | None,
    pc: re.Match[str] | None,
    roles: tuple[Role, ...],
    lines: list[tuple[int, str]],
) -> tuple[Kind | None, int]:
    """What a sanitizer's report stands for, and its rank."""
    cause = next((m for _, text in lines[:80] if (m := _CAUSE.match(text))), None)
    if cause is not None:
        known = log_kinds.named(cause["kind"].replace(" ", "-").lower())
        if known is not None:
            return known, 0
    if signal and kind != "stack-overflow":
        reached, rank = _reached(kind, signal, address, access, pc, roles)
        return (Kind(reached) if reached is not None else None), rank
    known = log_kinds.named(f"{kind} {rest}" if kind in ("attempting", "") else kind, access)
    if known is None or not known.sure:
        known = log_kinds.named(rest, access)
    if known is None and kind.startswith("deadly signal"):
        ended = abort_category(roles[0].frames) if roles else None
        return (Kind(ended) if ended is not None else None), 3
    if kind.startswith("unknown-crash"):
        reached = log_kinds.of_access("SIGSEGV", address, access, None)
        return (Kind(reached) if reached is not None else None), 2
    if kind.startswith("tag-mismatch"):
        freed = any(role.role == "free" for role in roles)
        return Kind(Category.USE_AFTER_FREE if freed else Category.HEAP_BUFFER_OVERFLOW, freed), 1
    return known, 3 if known is not None and known.category in _SIDE_EFFECTS else 0


def _reached(
    kind: str,
    signal: str,
    address: int | None,
    access: str | None,
    pc: re.Match[str] | None,
    roles: tuple[Role, ...],
) -> tuple[Category | None, int]:
    """What a signal's address and stack prove."""
    stack = roles[0].frames if roles else ()
    if kind == "int-divide-by-zero":
        return Category.DIVIDE_BY_ZERO, 0
    if signal == "SIGABRT":
        return abort_category(stack) or Category.EXPLICIT_ABORT, 3
    if _frees(stack):
        return Category.INVALID_FREE, 1
    by_stack = abort_category(stack)
    if by_stack is not None:
        return by_stack, 2
    where = hex_value(pc[1]) if pc else None
    return log_kinds.of_access(signal, address, access, where), 2


def _frees(frames: Iterable[Frame]) -> bool:
    """True for an access that the tool's allocator made while it freed a pointer: no block of its
    own stands there."""
    for frame in list(frames)[:12]:
        name = frame.function or ""
        if _FREE.match(name):
            return frame.index > 0
        if not _ALLOCATOR.search(name):
            return False
    return False
