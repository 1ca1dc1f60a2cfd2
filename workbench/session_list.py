"""The list of sessions as text and as JSON."""

from collections.abc import Sequence

import msgspec

from workbench.model.text import json_escaped, printable
from workbench.store.session_row import SessionRow


def as_json(rows: Sequence[SessionRow]) -> str:
    """An array of objects, keys as in the contract."""
    text = msgspec.json.format(msgspec.json.encode(list(rows)), indent=2).decode()
    return json_escaped(text)


def size_text(size: int) -> str:
    """Bytes for people, in powers of 1024."""
    amount, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if amount >= 1024:
            amount, unit = amount / 1024, larger
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def as_text(rows: Sequence[SessionRow]) -> str:
    """One line a session, its columns aligned; a hint when there is none."""
    if not rows:
        return "No sessions yet: `workbench open CORE` starts one, `workbench demo` shows how."
    cells: list[tuple[str, ...]] = [
        (
            "SESSION",
            "TARGET",
            "SIGNAL",
            "STATE",
            "CAUSE",
            "CONFIDENCE",
            "EVIDENCE",
            "SIZE",
            "SIGNATURE",
        )
    ]
    cells += [
        (
            row.session_id
            + (" (pinned)" if row.pinned else "")
            + (" (made elsewhere)" if row.made_elsewhere else ""),
            row.called,
            row.signal or "-",
            f"open ({row.phase})" if row.state == "open" else row.state,
            row.cause or "-",
            "-" if row.confidence is None else f"{row.confidence:.2f}",
            str(row.evidence_count),
            size_text(row.size_bytes),
            (row.signature or "-")[:60],
        )
        for row in rows
    ]
    cells = [
        line if (text := "".join(line)).isascii() and text.isprintable() else _shown(line)
        for line in cells
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def _shown(line: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(printable, line))
