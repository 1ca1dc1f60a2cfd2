"""Does a sentence call the end of the program by a name that nothing proves?"""

import re
from collections.abc import Sequence

from workbench.agents.polarity import affirmed
from workbench.model.category import Category
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation

C = Category

_OVERFLOWS = frozenset(
    {
        C.HEAP_BUFFER_OVERFLOW,
        C.STACK_BUFFER_OVERFLOW,
        C.BUFFER_OVERFLOW,
        C.OUT_OF_BOUNDS_WRITE,
        C.OUT_OF_BOUNDS_READ,
        C.HEAP_CORRUPTION,
    }
)
_NULLS = frozenset(
    {C.NULL_POINTER_DEREFERENCE, C.NULL_FUNCTION_POINTER_CALL, C.UNCHECKED_ALLOCATION}
)
_FREES = frozenset({C.USE_AFTER_FREE, C.DOUBLE_FREE})
_UNSET = frozenset({C.UNINITIALIZED_POINTER, C.UNINITIALIZED_VALUE})
_LOCKS = frozenset({C.DEADLOCK})

NAMES: tuple[tuple[str, frozenset[Category]], ...] = (
    (r"use[- ]after[- ]free|dangling|already freed|freed (?:memory|object|block|chunk)", _FREES),
    (
        r"double[- ]free\w*|freed twice|free[sd]? (?:it )?(?:again|twice)",
        frozenset({C.DOUBLE_FREE}),
    ),
    (r"(?:invalid|bad|wild)[- ]free", frozenset({C.INVALID_FREE})),
    (r"buffer[- ]over(?:flow|run|read)\w*|out[- ]of[- ]bounds|overr[ua]ns?", _OVERFLOWS),
    (r"overwr(?:ites?|iting|itten|ote)", _OVERFLOWS | {C.CORRUPTED_POINTER}),
    (
        r"corrupt(?:s|ed|ion|ing)?",
        _OVERFLOWS | {C.CORRUPTED_POINTER, C.INVALID_VTABLE, C.TYPE_CONFUSION, C.DOUBLE_FREE},
    ),
    (r"null(?:ptr)?[- ](?:pointer|dereference\w*|function)|nullptr", _NULLS),
    (r"uninitiali[sz]ed|never (?:set|initiali[sz]ed)", _UNSET),
    (
        r"stack[- ](?:overflow\w*|exhaust\w+)|(?:infinite|endless|unbounded|runaway) recursion",
        frozenset({C.STACK_OVERFLOW}),
    ),
    (r"dead[- ]?lock\w*", _LOCKS),
    (r"(?:data |thread )?rac(?:e|es|y|ing)(?: condition)?", frozenset({C.DATA_RACE})),
    (r"starv\w+", frozenset({C.THREAD_STARVATION})),
    (r"(?:infinite|endless|busy)[- ]loop\w*|live[- ]?lock\w*", frozenset({C.INFINITE_LOOP})),
    (r"leak(?:s|ed|ing|age)?", frozenset({C.MEMORY_LEAK, C.OUT_OF_MEMORY})),
    (
        r"out[- ]of[- ]memory|oom|memory exhaust\w+|exhausted memory",
        frozenset({C.OUT_OF_MEMORY, C.UNCHECKED_ALLOCATION, C.MEMORY_LEAK}),
    ),
    (r"(?:divi\w+|division) by zero|zero[- ]divi\w+", frozenset({C.DIVIDE_BY_ZERO})),
    (r"integer[- ](?:overflow|underflow|wrap)\w*", frozenset({C.INTEGER_OVERFLOW})),
    (r"assert(?:ion)?s? (?:fail\w*|violat\w*)|failed assert\w*", frozenset({C.ASSERTION_FAILURE})),
    (r"pure[- ]virtual", frozenset({C.PURE_VIRTUAL_CALL})),
    (r"type[- ]confusion", frozenset({C.TYPE_CONFUSION})),
    (r"(?:un)?aligned|misalign\w+", frozenset({C.MISALIGNED_ACCESS})),
    (r"missed wake-?up|lost wake-?up", frozenset({C.MISSED_WAKEUP})),
    (r"(?:un)?caught exception|unhandled exception", frozenset({C.UNCAUGHT_EXCEPTION})),
    (
        r"exploit\w*|attack\w*|malicious|malware|hack\w*|backdoor|sabotage|inject(?:ed|ion)|"
        r"bit[- ]?flip|cosmic|(?:faulty|bad|defective) (?:ram|hardware|disk|cpu)|hardware (?:fault|"
        r"failure|defect|error)|compiler (?:bug|error)|kernel (?:bug|panic)|driver (?:bug|fault)|"
        r"misconfigur\w+|user error",
        frozenset(),
    ),
)
"""Words for causes, and the categories that bear them out."""

_PATTERNS = tuple(
    (re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE), categories)
    for words, categories in NAMES
)


def wrong_cause(text: str, state: Investigation, lines: Sequence[str]) -> str | None:
    """The first name of a cause that neither a proved hypothesis, an expert's held sentence nor
    a cited line bears out, as a sentence; None when there is none. A cause may be denied where the
    experts have rejected it."""
    said = affirmed(text)
    proved, rejected = _decided(state)
    conclusion = state.conclusion
    held = [
        claim.text
        for claim in (conclusion.claims if conclusion is not None else ())
        if claim.by != "model" and claim.status == "held"
    ]
    for pattern, categories in _PATTERNS:
        match = pattern.search(said.text)
        if match is None:
            continue
        if said.denies(match.start() - 12, match.end()):
            if not categories & rejected:
                return f'nothing in the evidence rules out "{match[0]}"'
        elif not categories & proved and not any(pattern.search(line) for line in (*lines, *held)):
            return f'"{match[0]}" is said neither by an expert nor by a line that it cites'
    return None


def _decided(state: Investigation) -> tuple[set[Category], set[Category]]:
    """The categories that experts proved, and those that they rejected by evidence."""
    hypotheses = state.hypotheses.values()
    proved = {h.category for h in hypotheses if h.status is Status.CONFIRMED}
    rejected = {
        h.category
        for h in hypotheses
        if h.status is Status.REJECTED and h.verdict is not None and h.verdict.contradicting
    }
    return proved, rejected - proved
