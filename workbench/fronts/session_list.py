"""The list of sessions as text."""

from collections.abc import Sequence
from pathlib import Path

from workbench.model.text import columns, human_size, printable
from workbench.store.session_row import SessionRow


def as_text(rows: Sequence[SessionRow], base: Path) -> str:
    """One line a session, its columns aligned; a hint when there is none in the folder ``base``,
    which follows the working folder: others may stand beside another dump."""
    if not rows:
        return (
            f"No sessions yet in {printable(str(base))} (--sessions-dir DIR: another "
            "folder): `workbench open CORE` starts one, `workbench demo` shows how."
        )
    heads = ("session", "target", "signal", "state", "cause", "confidence", "evidence", "size")
    cells = [tuple(map(str.upper, (*heads, "signature")))]
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
            human_size(row.size_bytes),
            (row.signature or "-")[:60],
        )
        for row in rows
    ]
    return "\n".join(columns(cells))
