"""Numbers in text, whichever base they are written in."""

import re

_HEX = re.compile(r"(?<![\w.])0[xX]([0-9a-fA-F`]{1,33})(?!\w)")
_BARE_HEX = re.compile(
    r"(?<![\w.])(?=[0-9a-fA-F`]*[a-fA-F])([0-9a-fA-F]{4,16}(?:`[0-9a-fA-F]{8})?)(?!\w)"
)
_DECIMAL = re.compile(r"(?<![\w.])(\d{1,20})(?![\w.]*[a-zA-Z_])")
_ZEROS = re.compile(r"(?<![\w.])(0[0-9]{7,15})(?!\w)")


def numbers(text: str) -> set[int]:
    """Every number that a text writes: hexadecimal with or without ``0x``, decimal."""
    found = {int(match[1].replace("`", "") or "0", 16) for match in _HEX.finditer(text)}
    found |= {int(match[1].replace("`", ""), 16) for match in _BARE_HEX.finditer(text)}
    found |= {int(match[1], 16) for match in _ZEROS.finditer(text)}
    return found | {int(match[1]) for match in _DECIMAL.finditer(text)}


def as_number(value: object) -> int | None:
    """A manifest's number: an int, ``0x…`` or decimal digits; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            return int(value.replace("`", "").strip(), 0)
        except ValueError:
            return None
    return None
