"""What the runtime says when it gives up: its own words, and how they are quoted."""

import re
from typing import NamedTuple

from analyzers.names import declared
from analyzers.patterns.case import Case
from analyzers.patterns.words import Cites, of
from workbench.claims.say import say
from workbench.model.claims import Claim

STACK_SMASHING = "stack smashing detected"
DESCRIPTOR = "bit out of range 0 - FD_SETSIZE on fd_set"  # debug/fdelt_chk.c
FORTIFY = ("buffer overflow detected", DESCRIPTOR)
_ASSERTION = re.compile(r"Assertion .* failed|assertion .*failed", re.IGNORECASE)

# malloc/malloc.c, malloc_printerr(): what each message proves.
DOUBLE_FREE = ("free(): double free detected in tcache", "double free or corruption (fasttop)")
PERHAPS_DOUBLE_FREE = (
    "double free or corruption (!prev)",
    "double free or corruption (top)",
    "double free or corruption (out)",
)
BAD_POINTER = (
    "free(): invalid pointer",
    "munmap_chunk(): invalid pointer",
    "realloc(): invalid pointer",
    "mremap_chunk(): invalid pointer",
)
BAD_SIZE = ("free(): invalid size", "realloc(): invalid old size", "free(): invalid next size")
_HEAP = re.compile(
    r"^(?:malloc|free|realloc|calloc|munmap_chunk|mremap_chunk|malloc_consolidate|corrupted|"
    r"double free or corruption|break adjusted|invalid|largebin|unlink|tcache|"
    r"mmap_chunk|sysmalloc|Fatal glibc error: malloc)\b"
)


def text(case: Case) -> str:
    """The message, or an empty text."""
    return case.message.text if case.message is not None else ""


def says(case: Case, *phrases: str) -> bool:
    """True when the message holds one of the phrases."""
    words = text(case)
    return any(phrase in words for phrase in phrases)


def is_double_free(case: Case) -> bool:
    """True for what malloc says of a chunk that it finds among the free ones."""
    return says(case, *DOUBLE_FREE)


def is_assertion(case: Case) -> bool:
    """True for assert(3)'s message."""
    return bool(_ASSERTION.search(text(case)))


# assert/assert.c: "PROGRAM: FILE:LINE: FUNCTION: Assertion `CONDITION' failed."
_ASSERTED = re.compile(
    r"^(?:[^:]*: )?(?P<file>[^:]+):(?P<line>\d{1,9}): (?:(?P<function>.*): )?Assertion `"
)


class Asserted(NamedTuple):
    """Where a failed assertion stands, by its own message."""

    file: str
    line: int
    function: str


def asserted(case: Case) -> Asserted | None:
    """The place that assert(3) names, or None."""
    found = _ASSERTED.match(text(case))
    if found is None or not found["function"]:
        return None
    name = declared(found["function"])
    return Asserted(found["file"], int(found["line"]), name) if name else None


def is_heap(case: Case) -> bool:
    """True for a message of the allocator."""
    words = text(case)
    return bool(_HEAP.match(words)) or "malloc.c" in words.split(": Assertion", 1)[0]


def names_a_cause(case: Case) -> bool:
    """True for a message that one of the other causes is known by; the C library has more, such as
    "longjmp causes uninitialized stack frame" (debug/longjmp_chk.c)."""
    return is_heap(case) or is_assertion(case) or says(case, STACK_SMASHING, *FORTIFY)


def quoted(words: str) -> str:
    """A text in double quotes, cut in front of what would end them. Backticks set off names in a
    claim, so that one inside is written as an apostrophe."""
    words = words.replace("`", "'")
    part = words.split('"', 1)[0] or words.replace('"', "")
    return f'"{" ".join(part.split(chr(10), 1)[0].split(" "))[:300].strip()}"'


def cites(case: Case) -> Cites:
    """The lines of the message."""
    return of(case.message)


def stated(case: Case) -> list[Claim]:
    """The runtime's own words."""
    return [say("message", cites(case), text=text(case))] if case.message is not None else []
