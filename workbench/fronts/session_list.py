"""The list of sessions as text."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.model.text import columns, human_size, printable
from workbench.store.session_row import SessionRow

_LEFT_OUT = ("size", "evidence", "signature", "confidence", "signal", "target")
"""The columns that a narrow terminal does without, the first one first."""


def as_text(rows: Sequence[SessionRow], base: Path) -> str:
    """One line a session, its columns aligned, as wide as the terminal that it is printed to; a
    hint when there is none in the folder ``base``, which follows the working folder: others may
    stand beside another dump."""
    if not rows:
        return (
            f"No sessions yet in {printable(str(base))} (--sessions-dir DIR: another "
            "folder): `workbench open CORE` starts one, `workbench demo` shows how."
        )
    cells = [
        {
            "session": row.session_id
            + (" (pinned)" if row.pinned else "")
            + (" (made elsewhere)" if row.made_elsewhere else ""),
            "target": row.called,
            "signal": row.signal or "-",
            "state": f"open ({row.phase})" if row.state == "open" else row.state,
            "cause": row.cause or "-",
            "confidence": "-" if row.confidence is None else f"{row.confidence:.2f}",
            "evidence": str(row.evidence_count),
            "size": human_size(row.size_bytes),
            "signature": (row.signature or "-")[:60],
        }
        for row in rows
    ]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return "\n".join(fitting([{name: name.upper() for name in cells[0]}, *cells], width))


def fitting(cells: Sequence[dict[str, str]], width: int | None) -> list[str]:
    """The lines of a table, with a last one that names the columns that ``width`` (characters;
    None: any) has no room for. Each row has the same columns, by their names."""
    shown, out = list(cells[0]), list[str]()
    while True:
        lines = columns([row[name] for name in shown] for row in cells)
        more = [name for name in _LEFT_OUT if name in shown]
        if width is None or max(map(len, lines)) <= width or not more:
            break
        shown.remove(more[0])
        out.append(more[0])
    return [*lines, f"(a wider terminal shows more: {', '.join(out)})"] if out else lines
