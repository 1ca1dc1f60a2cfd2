"""Lines of an item behind their citations, in a bounded size."""

from collections.abc import Sequence

from workbench.model.text import lines_of, printable

_LINE = 300
_CUT = "\n… cut here: ask for less at a time"
_NOTICE = 40
"""Characters that the notice of a cut takes."""


def numbered(
    identifier: str, text: str, first: int = 1, most: int = 2048, last: int | None = None
) -> str:
    """Lines of an item from ``first`` on, each behind its citation, in ``most`` characters."""
    return numbered_to(identifier, text, first, most, last)[0]


def numbered_to(
    identifier: str, text: str, first: int, most: int, last: int | None = None
) -> tuple[str, int]:
    """`numbered`, and the first line that had no room."""
    lines = lines_of(text)
    first, last = max(1, first), last or len(lines)
    rows = lines[first - 1 : min(last, first + most)]  # each takes a character at least
    return fit(list(enumerate(rows, first)), identifier, most)


def fit(lines: Sequence[tuple[int, str]], identifier: str, most: int) -> tuple[str, int]:
    """Where there are few lines, long ones are shown as far as they have room."""
    found: list[str] = []
    left = most
    widest = max(_LINE, (most - _NOTICE) // max(1, len(lines)) - len(identifier) - 8)
    for number, line in lines:
        row = f"{identifier}:{number}| {short(line, widest)}"
        left -= len(row) + 1
        if left < (_NOTICE if number != lines[-1][0] else 0):
            found.append(f"… {identifier} goes on from line {number}")
            return "\n".join(found), number
        found.append(row)
    return "\n".join(found), lines[-1][0] + 1 if lines else 0


def whole_lines(text: str, most: int) -> str:
    """A text in ``most`` characters, cut where a line ends and with a word that it was."""
    if len(text) <= most:
        return text
    kept = text[: max(0, most - len(_CUT))]
    return kept[: kept.rfind("\n") + 1 or len(kept)].rstrip("\n") + _CUT


def short(line: str, most: int = _LINE) -> str:
    """One line, bounded; a tab of a listing is a blank."""
    shown = printable(line[: most * 2].replace("\t", " "))
    return shown if len(shown) <= most else shown[:most] + "…"
