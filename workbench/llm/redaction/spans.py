"""Where in a text something private stands."""

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """Characters ``start`` to ``end`` of a text; ``kind`` is secret | email | ip | user | home |
    host | env | text."""

    start: int
    end: int
    kind: str


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap made one of the kind of the longest: what hangs over
    is private too."""
    out: list[Span] = []
    longest = 0
    for span in sorted(spans):
        if out and span.start < out[-1].end:
            last = out[-1]
            length = span.end - span.start
            kind = span.kind if length > longest else last.kind
            longest = max(longest, length)
            out[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            out.append(span)
            longest = span.end - span.start
    return out
