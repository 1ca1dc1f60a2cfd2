"""What was asked in which order and what came of it: intent, command, size, findings by piece,
of code and of a model that read it."""

from typing import Any

from workbench.model.investigation import Investigation
from workbench.store.session_store import SessionStore


async def trail_of(store: SessionStore, state: Investigation) -> list[dict[str, Any]]:
    """One object an evidence item, in order; ``chunks`` of a large one that was read in pieces.
    Raises `StoreError`."""
    pieces = await store.chunks()
    return [
        {
            "id": item.id,
            "intent": item.intent,
            "command": item.command,
            "source": item.source.value,
            "time": item.at,
            "size": item.size,
            "lines": item.lines,
            "summary": item.summary,
            "findings": list(item.findings),
            "chunks": pieces.get(item.id, []),
            "readings": [
                {
                    "first_line": piece.first,
                    "last_line": piece.last,
                    "findings": list(piece.findings),
                    "root_cause": piece.root_cause,
                }
                for piece in state.assisted.pieces.get(item.id, ())
            ],
            "overallFindings": (
                {
                    "summary": item.overall_findings.summary,
                    "rootCause": item.overall_findings.root_cause,
                }
                if item.overall_findings is not None
                else None
            ),
        }
        for item in state.evidence.values()
    ]
