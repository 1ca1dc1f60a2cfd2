"""The words by which a text names causes."""

import re
from collections.abc import Iterator

from workbench.model.category import Category

_ALIASES = {
    "uaf": Category.USE_AFTER_FREE,
    "null pointer": Category.NULL_POINTER_DEREFERENCE,
    "null dereference": Category.NULL_POINTER_DEREFERENCE,
    "nil pointer": Category.NULL_POINTER_DEREFERENCE,
    "nil dereference": Category.NULL_POINTER_DEREFERENCE,
    "dangling pointer": Category.USE_AFTER_FREE,
    "freed memory": Category.USE_AFTER_FREE,
    "used after it was freed": Category.USE_AFTER_FREE,
    "freed twice": Category.DOUBLE_FREE,
    "infinite recursion": Category.STACK_OVERFLOW,
    "stack overflowed": Category.STACK_OVERFLOW,
    "ran out of stack": Category.STACK_OVERFLOW,
    "divided by zero": Category.DIVIDE_BY_ZERO,
    "deadlocked": Category.DEADLOCK,
    "lock cycle": Category.DEADLOCK,
    "circular wait": Category.DEADLOCK,
    "wait for each other": Category.DEADLOCK,
    "overflowed an integer": Category.INTEGER_OVERFLOW,
    "integer overflowed": Category.INTEGER_OVERFLOW,
    "integer wrapped": Category.INTEGER_OVERFLOW,
    "nullptr": Category.NULL_POINTER_DEREFERENCE,
    **{
        f"{what} {how}": Category.OUT_OF_MEMORY
        for what in ("memory", "heap", "memory was", "heap was", "memory is", "heap is")
        for how in ("exhausted", "full", "exhaustion", "used up")
    },
    "ran out of memory": Category.OUT_OF_MEMORY,
    "run out of memory": Category.OUT_OF_MEMORY,
    "ran out of heap": Category.OUT_OF_MEMORY,
    "oom": Category.OUT_OF_MEMORY,
    "out of bounds": Category.OUT_OF_BOUNDS_READ,
    "buffer overrun": Category.BUFFER_OVERFLOW,
    "race condition": Category.DATA_RACE,
    "division by zero": Category.DIVIDE_BY_ZERO,
    "dead lock": Category.DEADLOCK,
    "leak": Category.MEMORY_LEAK,
    "endless loop": Category.INFINITE_LOOP,
    "assertion": Category.ASSERTION_FAILURE,
}


_BOUNDS = {
    Category.OUT_OF_BOUNDS_READ, Category.OUT_OF_BOUNDS_WRITE, Category.BUFFER_OVERFLOW,
    Category.HEAP_BUFFER_OVERFLOW, Category.STACK_BUFFER_OVERFLOW,
}  # fmt: skip
"""Causes that one word is used for."""


def kin(said: Category, concluded: Category) -> bool:
    """True when one is the other in fewer words."""
    return said in concluded or concluded in said or {said, concluded} <= _BOUNDS


def categories_in(text: str) -> set[Category]:
    """The causes that a text names."""
    return {category for category, _ in _named(text)}


def behind_causes(text: str) -> str:
    """What stands behind the last of the causes that a text names."""
    return min((behind for _, behind in _named(text)), key=len, default="")


def _named(text: str) -> Iterator[tuple[Category, str]]:
    words = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
    named = {c.replace("-", " "): c for c in Category if c is not Category.UNKNOWN}
    for phrase, category in (named | _ALIASES).items():
        _, found, behind = f" {words} ".rpartition(f" {phrase} ")
        if found:
            yield category, behind
