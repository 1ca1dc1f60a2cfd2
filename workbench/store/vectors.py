"""Vectors of texts as SQLite compares them, and several rankings as one.

The distance is sqlite-vec's; where this Python loads no extensions into SQLite (a build without
them), the same function is ours.
"""

import math
import sqlite3
import struct
from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def packed(vector: Sequence[float]) -> bytes:
    """As sqlite-vec reads a vector: 32-bit floats in the machine's order."""
    return struct.pack(f"{len(vector)}f", *vector)


def teach(connection: sqlite3.Connection) -> None:
    """Give a connection ``vec_distance_cosine``."""
    try:
        import sqlite_vec

        connection.enable_load_extension(True)
        try:
            sqlite_vec.load(connection)
        finally:
            connection.enable_load_extension(False)
    except (ImportError, AttributeError, sqlite3.Error):
        connection.create_function("vec_distance_cosine", 2, _distance, deterministic=True)


def _distance(one: bytes, other: bytes) -> float:
    """1 minus the cosine of the angle between two vectors of one length; 1 where one is zero."""
    a = struct.unpack(f"{len(one) // 4}f", one)
    b = struct.unpack(f"{len(other) // 4}f", other)
    size = math.hypot(*a) * math.hypot(*b)
    if not size or len(a) != len(b):
        return 1.0
    return 1.0 - math.fsum(x * y for x, y in zip(a, b, strict=True)) / size


def merged(rankings: Sequence[Sequence[T]], limit: int) -> list[T]:
    """Several rankings as one, by reciprocal rank (Cormack et al. 2009, k = 60)."""
    score: dict[T, float] = {}
    for ranking in rankings:
        for place, one in enumerate(ranking):
            score[one] = score.get(one, 0.0) + 1 / (60 + place)
    return sorted(score, key=lambda one: -score[one])[:limit]
