"""A command that a model asks for: through the policy, into the ledger, or not at all."""

from workbench.agents.assisted.context import numbered
from workbench.agents.assisted.results import ERROR, NEW, REFUSED, REPEATED, Result
from workbench.agents.ports import Ports
from workbench.model.evidence import Command, Evidence
from workbench.model.text import counted

_SHORT = 12


async def ask(ports: Ports, text: str, intent: str, share: int = 1) -> Result:
    """Its answer in a ``share`` of the room, or why there is none."""
    command = Command(text, intent, by_model=True)
    before = set(ports.state.evidence)
    item = await ports.ask(command)
    if item is None:
        reason = ports.state.failure_of(command) or "nothing could run it"
        refused = reason.startswith(("forbidden", "not approved"))
        return Result(f"not run: {reason}", REFUSED if refused else ERROR)
    known = item.id in before
    head = f"{_head(item)}{' (from the ledger: it was asked before)' if known else ''}"
    most = ports.state.shown.excerpt // share - len(head) - 1
    shown = numbered(item.id, await ports.text(item.id), most=most)
    # What the engine asked before is new to a model that reads it for the first time.
    read = any(item.id in use.evidence for use in ports.state.assisted.uses)
    return Result(f"{head}\n{shown}", REPEATED if read else NEW, (item.id,))


def _head(item: Evidence) -> str:
    lines = counted(item.lines, "line")
    # A short output's summary is its first line once more.
    told = "" if item.lines <= _SHORT else f": {item.summary}"
    return f"{item.id}, {lines}{', partial' if item.partial else ''}{told}"
