"""Finds the piece of memory that holds an address, among pieces in order that do not overlap."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Protocol, TypeVar

START = attrgetter("start")
"""The key by which pieces are in order."""


class Span(Protocol):
    """[start, end) of memory."""

    @property
    def start(self) -> int:
        """Its first address."""

    @property
    def end(self) -> int:
        """The address behind its last."""


_S = TypeVar("_S", bound=Span)


def index_at(pieces: Sequence[Span], address: int) -> int | None:
    """The index of the piece that holds an address."""
    index = bisect_right(pieces, address, key=START) - 1
    return index if index >= 0 and address < pieces[index].end else None


def piece_at(pieces: Sequence[_S], address: int) -> _S | None:
    """The piece that holds an address."""
    index = index_at(pieces, address)
    return pieces[index] if index is not None else None
