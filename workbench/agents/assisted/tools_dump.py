"""The tools that ask the dump: through the policy, into the ledger, or not at all."""

from workbench.agents.assisted import arguments
from workbench.agents.assisted.numbered import numbered
from workbench.agents.ports import Ports
from workbench.model.evidence import Command, Evidence
from workbench.model.facts import Stack
from workbench.model.text import counted

_SHORT = 12


async def ask(ports: Ports, text: str, intent: str, share: int = 1) -> arguments.Result:
    """Its answer in a ``share`` of the room, or why there is none."""
    command = Command(text, intent, by_model=True)
    before = set(ports.state.evidence)
    item = await ports.ask(command)
    if item is None:
        reason = ports.state.failure_of(command) or "nothing could run it"
        refused = reason.startswith(("forbidden", "not approved"))
        return arguments.Result(
            f"not run: {reason}", arguments.REFUSED if refused else arguments.ERROR
        )
    known = item.id in before
    head = f"{_head(item)}{' (from the ledger: it was asked before)' if known else ''}"
    most = ports.state.shown.excerpt // share - len(head) - 1
    shown = numbered(item.id, await ports.text(item.id), most=most)
    # What the engine asked before is new to a model that reads it for the first time.
    read = any(item.id in use.evidence for use in ports.state.assisted.uses)
    return arguments.Result(
        f"{head}\n{shown}", arguments.REPEATED if read else arguments.NEW, (item.id,)
    )


def _head(item: Evidence) -> str:
    lines = counted(item.lines, "line")
    # A short output's summary is its first line once more.
    told = "" if item.lines <= _SHORT else f": {item.summary}"
    return f"{item.id}, {lines}{', partial' if item.partial else ''}{told}"


async def run(ports: Ports, asked: arguments.Exec) -> arguments.Result:
    """``exec``: one command. Refused stays refused; what is not known to only read is a gate."""
    text = asked.command.strip().strip("`").strip()
    return await ask(ports, text, arguments.INTENT)


async def thread_stack(ports: Ports, asked: arguments.ThreadStack) -> arguments.Result:
    """The lines of a stack that is in evidence already, else the debugger's answer."""
    for stack in ports.state.facts.all(Stack):
        if asked.thread in (stack.number, stack.thread) and stack.frames:
            cite = stack.cite
            text = await ports.text(cite.evidence)
            most = ports.state.shown.excerpt
            shown = numbered(cite.evidence, text, cite.first, most, cite.last)
            return arguments.Result(shown, evidence=(cite.evidence,))
    text = {
        "gdb": f"thread apply {asked.thread} bt 32",
        "lldb": f"thread backtrace --count 32 {asked.thread}",
        "cdb": f"~{asked.thread}kn 0n32",
    }.get(ports.state.host, "")
    if not text:
        return arguments.Result(
            f"no stack of thread {asked.thread} is in evidence", arguments.ERROR
        )
    return await ask(ports, text, f"the stack of thread {asked.thread}")
