"""Text out of a dump is data: shown on one line, bounded, its control characters as escapes."""

from workbench.model.text import printable

_LIMIT = 4096


def one_line(text: str, limit: int = _LIMIT) -> str:
    """`printable` text of one line, cut after ``limit`` characters with ``…``."""
    return printable(text[:limit]) + ("…" if len(text) > limit else "")
