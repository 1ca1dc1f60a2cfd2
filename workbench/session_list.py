"""The list of sessions as text and as JSON."""

from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from workbench.model.text import json_escaped, printable
from workbench.store.catalog import SessionRow


def as_json(rows: Sequence[SessionRow]) -> str:
    """An array of objects, keys as in the contract."""
    text = msgspec.json.format(msgspec.json.encode(list(rows)), indent=2).decode()
    return json_escaped(text)


def as_text(rows: Sequence[SessionRow]) -> str:
    """One line a session, its columns aligned; a hint when there is none."""
    if not rows:
        return "No sessions yet: `workbench open CORE` starts one, `workbench demo` shows how."
    cells = [("SESSION", "TARGET", "SIGNAL", "STATUS", "CAUSE", "CONFIDENCE")]
    cells += [
        (
            row.session_id,
            PurePath(row.target).name,
            row.signal or "-",
            f"open ({row.phase})" if row.status == "open" else row.status,
            row.category or "-",
            "-" if row.confidence is None else f"{row.confidence:.2f}",
        )
        for row in rows
    ]
    widths = [max(len(printable(cell)) for cell in column) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            printable(cell).ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in cells
    )
