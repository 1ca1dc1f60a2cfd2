"""Functions of the C library that only look at memory, by what they give back."""

import re
from collections.abc import Callable

Byte = Callable[[int], int]

_MOST = 4096
_NAME = re.compile(r"_*(strlen|strcmp|strncmp|memcmp)(?:_(?:avx|avx2|evex|sse)\w*)?")


def pure_name(name: str | None) -> str | None:
    """The name of one of `PURE`, also for a variant that glibc picked for the processor."""
    found = _NAME.fullmatch(name) if name else None
    return found[1] if found is not None else None


def _strlen(byte: Byte, text: int, *_: int) -> int:
    return next((size for size in range(_MOST) if not byte(text + size)), _MOST)


def _compared(byte: Byte, one: int, other: int, most: int, texts: bool) -> int:
    for index in range(min(most, _MOST)):
        first, second = byte(one + index), byte(other + index)
        if first != second:
            return first - second
        if texts and not first:
            return 0
    return 0


def _strcmp(byte: Byte, one: int, other: int, *_: int) -> int:
    return _compared(byte, one, other, _MOST, texts=True)


def _strncmp(byte: Byte, one: int, other: int, most: int) -> int:
    return _compared(byte, one, other, most, texts=True)


def _memcmp(byte: Byte, one: int, other: int, most: int) -> int:
    return _compared(byte, one, other, most, texts=False)


PURE: dict[str, Callable[..., int]] = {
    "strlen": _strlen,
    "strcmp": _strcmp,
    "strncmp": _strncmp,
    "memcmp": _memcmp,
}
"""What each gives back, from a reader of bytes and its arguments (ISO C 7.26)."""
