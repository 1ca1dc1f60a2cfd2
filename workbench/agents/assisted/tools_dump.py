"""The tools that ask the dump: through the policy, into the ledger, or not at all."""

from workbench.agents.assisted.arguments import Exec, ThreadStack
from workbench.agents.assisted.asking import ask
from workbench.agents.assisted.context import numbered
from workbench.agents.assisted.hypotheses import INTENT
from workbench.agents.assisted.results import ERROR, Result
from workbench.agents.ports import Ports
from workbench.model.facts import Stack


async def run(ports: Ports, asked: Exec) -> Result:
    """``exec``: one command. Refused stays refused; what is not known to only read is a gate."""
    text = asked.command.strip().strip("`").strip()
    return await ask(ports, text, INTENT)


async def thread_stack(ports: Ports, asked: ThreadStack) -> Result:
    """The lines of a stack that is in evidence already, else the debugger's answer."""
    for stack in ports.state.facts.all(Stack):
        if asked.thread in (stack.number, stack.thread) and stack.frames:
            cite = stack.cite
            text = await ports.text(cite.evidence)
            lines = text.split("\n")[: cite.last] if cite.last else text.split("\n")
            shown = numbered(
                cite.evidence, "\n".join(lines), cite.first or 1, ports.state.shown.excerpt
            )
            return Result(shown, evidence=(cite.evidence,))
    text = {
        "gdb": f"thread apply {asked.thread} bt 32",
        "lldb": f"thread backtrace --count 32 {asked.thread}",
        "cdb": f"~{asked.thread}kn 0n32",
    }.get(ports.state.host, "")
    if not text:
        return Result(f"no stack of thread {asked.thread} is in evidence", ERROR)
    return await ask(ports, text, f"the stack of thread {asked.thread}")
