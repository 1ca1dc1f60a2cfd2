"""Commands that may tell what the evidence does not: a few, each through the command policy."""

from collections.abc import Iterable

from analyzers.patterns.managed import commands
from workbench.agents.chat import freed
from workbench.agents.chat.asked import Asked, read
from workbench.agents.chat.counts import locks_wanted
from workbench.agents.chat.members import symbols, wanted
from workbench.agents.chat.stated import SIGNAL
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.topics import known_names
from workbench.agents.chat.values import (
    arrays,
    each_frame,
    expressions,
    printed,
    sweep,
    swept,
    tries,
)
from workbench.agents.ports import Ports
from workbench.agents.spelling import spelt
from workbench.model.evidence import Command, question
from workbench.model.facts import Stack, Threads, Wait
from workbench.model.investigation import Investigation

MOST = 3
_FRAMES = 32


async def look_up(ports: Ports, question: str) -> None:
    """Ask the debugger for the values of what a question names: expressions, the structures whose
    counts it speaks of, the addresses of locks whose waiters are counted."""
    asked = read(question, known_names(ports.state))
    names = [*expressions(asked), *locks_wanted(asked)]
    for one, expression in ((one, name) for name in names for one in each_frame(asked)):
        await _look_up(ports, one, expression)
    for command in symbols(asked, ports.state):
        await ports.ask(command)
    for _ in range(2):  # what a pointer leads to is known once its type was printed
        texts = {id: await ports.text(id) for id in ports.state.evidence}
        talk = Talk(ports.state, asked, texts.__getitem__)
        for expression in wanted(talk):
            await _look_up(ports, asked, expression)
        for command in freed.probes(talk):
            await ports.ask(command)


async def _look_up(ports: Ports, asked: Asked, expression: str) -> None:
    search = sweep(expression, asked, ports.state)
    if await _prints(ports, tries(expression, asked, ports.state), expression) or not search:
        return
    item = await ports.ask(search)
    text = await ports.text(item.id) if item is not None else ""
    if (found := swept(expression, asked, ports.state, text)) is not None:
        await _prints(ports, [found], expression)


async def _prints(ports: Ports, commands: Iterable[Command], expression: str) -> bool:
    """In one frame after the other, until one knows the name; False where none does."""
    for command in commands:
        item = await ports.ask(command)
        if item is not None:
            one = printed(expression, item, ports.state, await ports.text(item.id))
            if not one.is_absent:
                for array in arrays(one, ports.state):
                    await ports.ask(array)
                return True
    return False


def looks(asked: Asked, unnamed: tuple[str, ...], state: Investigation) -> tuple[Command, ...]:
    """What to ask the debugger for, in its own words. ``unnamed`` are the things that the question
    names and no line of the evidence holds."""
    wanted = [
        *_addresses(asked, unnamed),
        *_threads(asked, state),
        *_registers(asked, unnamed),
        *_names(asked, unnamed),
        *_topics(asked, state),
    ]
    return tuple(dict.fromkeys(spelt(state, wanted)))[:MOST]


def _addresses(asked: Asked, unnamed: tuple[str, ...]) -> list[Command]:
    found = []
    for address in asked.addresses:
        if f"{address:#x}" in unnamed:
            at = f"{address:#x}"
            memory = f"memory read --format x --size 8 --count 4 {at}"
            found += [
                question(f"info symbol {at}", "what lies at the address",
                         lldb=f"image lookup --address {at}", cdb=f"ln {at}"),
                question(f"x/4gx {at}", "the memory at the address",
                         lldb=memory, cdb=f"dq {at} L4"),
                Command(f"@heap {at}", "whether the address lies in the heap"),
            ]  # fmt: skip
    return found


def _threads(asked: Asked, state: Investigation) -> list[Command]:
    shown = {n for stack in state.facts.all(Stack) for n in (stack.thread, stack.number)}
    listed = {
        n: item.number
        for threads in state.facts.all(Threads)
        for item in threads.items
        for n in (item.number, item.thread)
    }
    return [
        question(f"thread apply {listed[thread]} bt {_FRAMES}", f"what thread {thread} is doing",
                 lldb=f"thread backtrace --count {_FRAMES} {listed[thread]}",
                 cdb=f"~{listed[thread]}kn 0n{_FRAMES}")
        for thread in asked.threads
        if thread not in shown and thread in listed
    ]  # fmt: skip


def _registers(asked: Asked, unnamed: tuple[str, ...]) -> list[Command]:
    if not any(register in unnamed for register in asked.registers):
        return []
    what = "the current thread's registers"
    return [question("info registers", what, lldb="register read", cdb="r")]


def _names(asked: Asked, unnamed: tuple[str, ...]) -> list[Command]:
    return [
        question(f"info line {name}", f"what {name} is",
                 lldb=f"image lookup --verbose --name {name}", cdb=f"x *!{name}")
        for name in asked.names
        if name in unnamed and name.replace("::", "_").isidentifier()
        and not SIGNAL.fullmatch(name)
    ]  # fmt: skip


def _topics(asked: Asked, state: Investigation) -> list[Command]:
    found = []
    if asked.words & {"lock", "deadlock", "hold"} and state.facts.first(Wait) is None:
        found.append(Command("@locks", "what each thread waits for, and who holds it"))
    if "module" in asked.words:
        found.append(Command("@modules", "which modules were mapped, and their symbols"))
    if state.target is not None and (state.target.runtime or state.host in ("dotnet-dump", "cdb")):
        if asked.words & {"threadpool", "cpu", "queue"}:
            found.append(commands.POOL)
        if asked.words & {"lock", "deadlock", "hold"}:
            found.append(commands.SYNC_BLOCKS)
        if asked.words & {"heap", "leak", "object"}:
            found.append(commands.HEAP)
        if asked.words & {"finalizer", "finalize"}:
            found.append(commands.FINALIZERS)
    return found
