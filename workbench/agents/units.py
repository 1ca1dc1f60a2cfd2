"""Units: "32 kilobytes" does not stand where the lines say 32 bytes."""

import re
from collections.abc import Iterator

UNITS = {
    "b": ("bytes", 1), "byte": ("bytes", 1), "bytes": ("bytes", 1),
    "k": ("bytes", 1 << 10), "kb": ("bytes", 1 << 10), "kib": ("bytes", 1 << 10),
    "kilobyte": ("bytes", 1 << 10), "kilobytes": ("bytes", 1 << 10), "kbytes": ("bytes", 1 << 10),
    "m": ("bytes", 1 << 20), "mb": ("bytes", 1 << 20), "mib": ("bytes", 1 << 20),
    "megabyte": ("bytes", 1 << 20), "megabytes": ("bytes", 1 << 20),
    "g": ("bytes", 1 << 30), "gb": ("bytes", 1 << 30), "gib": ("bytes", 1 << 30),
    "gigabyte": ("bytes", 1 << 30), "gigabytes": ("bytes", 1 << 30),
    "bit": ("bits", 1), "bits": ("bits", 1),
    "ns": ("seconds", 1), "us": ("seconds", 10**3), "µs": ("seconds", 10**3),
    "ms": ("seconds", 10**6), "milliseconds": ("seconds", 10**6),
    "s": ("seconds", 10**9), "sec": ("seconds", 10**9), "second": ("seconds", 10**9),
    "seconds": ("seconds", 10**9), "minute": ("seconds", 60 * 10**9),
    "minutes": ("seconds", 60 * 10**9), "hour": ("seconds", 3600 * 10**9),
    "hours": ("seconds", 3600 * 10**9), "day": ("seconds", 86400 * 10**9),
    "days": ("seconds", 86400 * 10**9),
    "%": ("percent", 1), "percent": ("percent", 1),
}  # fmt: skip
"""What a unit measures, and how much of the smallest one it is."""
_LONG = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
_AMOUNT = re.compile(
    rf"(?<![\w.])(?P<number>0x[0-9a-f]+|\d[\d,]*)[\s-]?(?P<unit>{_LONG})(?![\w%])", re.IGNORECASE
)


def wrong_unit(text: str, lines: str) -> str | None:
    """The first amount of a sentence that the lines give in another unit only, or whose unit they
    do not know; None when there is none."""
    for number, value, unit in _amounts(text):
        if not _given(number, value, unit, lines):
            return f"{number} {unit} stands in none of the cited lines with that unit"
    return None


def _amounts(text: str) -> Iterator[tuple[str, int, str]]:
    for match in _AMOUNT.finditer(text):
        digits = match["number"].replace(",", "").lower()
        if match["number"][:2].lower() != "0x" and len(digits) > 18:
            continue
        value = int(digits, 16) if digits.startswith("0x") else int(digits)
        yield match["number"], value, match["unit"].lower()


def _given(number: str, value: int, unit: str, lines: str) -> bool:
    family, scale = UNITS[unit]
    wanted = value * scale
    others = False
    for _, other, name in _amounts(lines):
        kind, factor = UNITS[name]
        if kind == family and abs(other * factor - wanted) * 20 <= wanted:
            return True
        others = others or other == value
    plain = re.search(rf"(?<![\w.])(?:0x0*{value:x}|{value}|{value:,})(?![\w.]|\s?(?:{_LONG})\b)",
                      lines, re.IGNORECASE)  # fmt: skip
    if family in ("bytes", "bits") and scale == 1:
        return plain is not None or not others
    if family == "bytes":  # a size in bytes without the word, rounded
        sizes = (int(found) for found in re.findall(r"(?<![\w.])\d{4,18}(?![\w.])", lines))
        return any(abs(size - wanted) * 20 <= wanted for size in sizes)
    return family == "seconds" and scale == 10**9 and plain is not None
