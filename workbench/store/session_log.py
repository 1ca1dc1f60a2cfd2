"""``session.log``: one line a command, gate and phase, for ``tail -f`` and ``grep``."""

from workbench.model import events
from workbench.model.assisted_events import LoopEnded, PassEnded, ToolUsed
from workbench.model.journal import Recorded


def log_line(row: Recorded) -> str | None:
    """The line for one event, or None for events that have none. Control characters of a command
    are shown escaped, so that a log is safe to print."""
    match row.event:
        case events.EvidenceRecorded(evidence=item):
            partial = " partial" if item.partial else ""
            text = (
                f"{item.id} {item.source} {item.size} B {item.lines} lines{partial}: {item.command}"
            )
        case events.CommandFailed():
            text = f"refused: {row.event.command.text} ({row.event.reason})"
        case events.GateOpened():
            text = f"gate {row.event.id} {row.event.kind}: {' '.join(row.event.subjects)}"
        case events.GateAnswered():
            text = f"gate {row.event.id} answered {row.event.answer} by {row.event.by}"
        case events.PhaseEntered():
            text = f"phase {row.event.phase}"
        case PassEnded():
            failed = f": {row.event.failed}" if row.event.failed else ""
            text = f"model, {row.event.name}, {row.event.seconds:.1f} s{failed}"
        case ToolUsed(use=use):
            text = f"model, {use.tool} {use.arguments}: {use.outcome}"
        case LoopEnded():
            text = f"model, end of the tools: {row.event.reason}"
        case events.Stopped():
            text = f"stopped: {row.event.by} {row.event.reason}".rstrip()
        case _:
            return None
    safe = text.encode("unicode_escape").decode("ascii")
    return f"{row.at:%Y-%m-%dT%H:%M:%S.%f}Z {safe}\n"
