"""The tools that ask the dump: through the policy, into the ledger, or not at all."""

import re

from workbench.agents.assisted.arguments import Exec, Inspect, ThreadStack
from workbench.agents.assisted.context import numbered, whole_lines
from workbench.agents.assisted.hypotheses import INTENT
from workbench.agents.assisted.results import ERROR, NEW, REFUSED, REPEATED, Result
from workbench.agents.ports import Ports
from workbench.model.evidence import Command, Evidence
from workbench.model.facts import Stack

_WORDS = 8
_READS = 4
_SHORT = 12
_POINTER = re.compile(r"0x[0-9a-f]{5,16}\b")


async def run(ports: Ports, asked: Exec) -> Result:
    """``exec``: one command. Refused stays refused; what is not known to only read is a gate."""
    text = asked.command.strip().strip("`").strip()
    return await _ask(ports, text, INTENT)


async def inspect(ports: Ports, asked: Inspect) -> Result:
    """Words of memory, and of what they point to."""
    first = int(asked.address, 16)
    waiting, outcome = [first], ERROR
    parts: list[str] = []
    items: list[str] = []
    seen = set[int]()
    for _ in range(asked.depth):
        level, waiting = waiting[:_READS], []
        for address in level:
            if address in seen:
                continue
            seen.add(address)
            text = memory_command(ports.state.host, address)
            if text is None:
                return Result("this debugger's commands for memory are not known: use exec", ERROR)
            result = await _ask(ports, text, f"memory at {address:#x}", share=_READS)
            parts.append(result.text)
            items += result.evidence
            if result.outcome in (NEW, REPEATED) and outcome != NEW:
                outcome = result.outcome
            waiting += [int(word, 16) for word in _POINTER.findall(result.text.partition("|")[2])]
    shown = whole_lines("\n".join(parts), ports.state.options.limits.excerpt)
    return Result(shown, outcome, tuple(items))


def memory_command(host: str, address: int) -> str | None:
    """How a debugger shows a few words of memory; None where that is not known."""
    match host:
        case "gdb":
            return f"x/{_WORDS}ga {address:#x}"
        case "lldb":
            return f"memory read --format A --size 8 --count {_WORDS} {address:#x}"
        case "cdb":
            return f"dps {address:#x} L{_WORDS}"
        case "dotnet-dump":
            return f"dumpobj {address:x}"
        case _:
            return None


async def thread_stack(ports: Ports, asked: ThreadStack) -> Result:
    """The lines of a stack that is in evidence already, else the debugger's answer."""
    for stack in ports.state.facts.all(Stack):
        if asked.thread in (stack.number, stack.thread) and stack.frames:
            cite = stack.cite
            text = await ports.text(cite.evidence)
            lines = text.split("\n")[: cite.last] if cite.last else text.split("\n")
            shown = numbered(
                cite.evidence, "\n".join(lines), cite.first or 1, ports.state.options.limits.excerpt
            )
            return Result(shown, evidence=(cite.evidence,))
    text = {
        "gdb": f"thread apply {asked.thread} bt 32",
        "lldb": f"thread backtrace --count 32 {asked.thread}",
        "cdb": f"~{asked.thread}kn 0n32",
    }.get(ports.state.host, "")
    if not text:
        return Result(f"no stack of thread {asked.thread} is in evidence", ERROR)
    return await _ask(ports, text, f"the stack of thread {asked.thread}")


async def _ask(ports: Ports, text: str, intent: str, share: int = 1) -> Result:
    command = Command(text, intent, by_model=True)
    before = set(ports.state.evidence)
    item = await ports.ask(command)
    if item is None:
        reason = ports.state.failure_of(command) or "nothing could run it"
        refused = reason.startswith(("forbidden", "not approved"))
        return Result(f"not run: {reason}", REFUSED if refused else ERROR)
    known = item.id in before
    head = f"{_head(item)}{' (from the ledger: it was asked before)' if known else ''}"
    most = ports.state.options.limits.excerpt // share - len(head) - 1
    shown = numbered(item.id, await ports.text(item.id), most=most)
    # What the engine asked before is new to a model that reads it for the first time.
    read = any(item.id in use.evidence for use in ports.state.assisted.uses)
    return Result(f"{head}\n{shown}", REPEATED if read else NEW, (item.id,))


def _head(item: Evidence) -> str:
    lines = "1 line" if item.lines == 1 else f"{item.lines} lines"
    # A short output's summary is its first line once more.
    told = "" if item.lines <= _SHORT else f": {item.summary}"
    return f"{item.id}, {lines}{', partial' if item.partial else ''}{told}"
