"""Commands that may tell what the evidence does not: a few, each through the command policy."""

from collections.abc import Iterator
from contextlib import suppress

from analyzers.patterns.managed import commands
from workbench.agents.chat import freed
from workbench.agents.chat.asked import Asked, read
from workbench.agents.chat.counts import locks_wanted
from workbench.agents.chat.members import symbols, wanted
from workbench.agents.chat.stated import SIGNAL
from workbench.agents.chat.talk import Talk
from workbench.agents.chat.topics import frames_listed, known_names
from workbench.agents.chat.values import Answer, each_frame, expressions, looking_up
from workbench.agents.looking import commands as commands_of
from workbench.agents.ports import Ports, texts_of
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
    for place in frames_listed(asked, ports.state):
        for command in commands_of(ports.state, *place):
            await ports.ask(command)
    for command in symbols(asked, ports.state):
        await ports.ask(command)
    for _ in range(2):  # what a pointer leads to is known once its type was printed
        texts = await texts_of(ports)
        talk = Talk(ports.state, asked, texts.__getitem__)
        for expression in wanted(talk):
            await _look_up(ports, asked, expression)
        for command in freed.probes(talk):
            await ports.ask(command)


async def _look_up(ports: Ports, asked: Asked, expression: str) -> None:
    steps = looking_up(expression, asked, ports.state)
    answer: Answer | None = None
    with suppress(StopIteration):
        while True:
            item = await ports.ask(steps.send(answer))
            answer = (item, await ports.text(item.id)) if item is not None else None


def looks(asked: Asked, unnamed: tuple[str, ...], state: Investigation) -> tuple[Command, ...]:
    """What to ask the debugger for, in its own words. ``unnamed`` are the things that the question
    names and no line of the evidence holds."""
    return tuple(dict.fromkeys(spelt(state, _looks(asked, unnamed, state))))[:MOST]


_LOCKS = frozenset({"lock", "deadlock", "hold"})
_OF_THE_RUNTIME = (
    (frozenset({"threadpool", "cpu", "queue"}), commands.POOL),
    (_LOCKS, commands.SYNC_BLOCKS),
    (frozenset({"heap", "leak", "object"}), commands.HEAP),
    (frozenset({"finalizer", "finalize"}), commands.FINALIZERS),
)


def _looks(asked: Asked, unnamed: tuple[str, ...], state: Investigation) -> Iterator[Command]:
    for at in (f"{address:#x}" for address in asked.addresses):
        if at in unnamed:
            yield question(
                f"info symbol {at}",
                "what lies at the address",
                lldb=f"image lookup --address {at}",
                cdb=f"ln {at}",
            )
            yield question(
                f"x/4gx {at}",
                "the memory at the address",
                cdb=f"dq {at} L4",
                lldb=f"memory read --format x --size 8 --count 4 {at}",
            )
            yield Command(f"@heap {at}", "whether the address lies in the heap")
    shown = {n for stack in state.facts.all(Stack) for n in (stack.thread, stack.number)}
    items = [item for threads in state.facts.all(Threads) for item in threads.items]
    listed = {n: item.number for item in items for n in (item.number, item.thread)}
    for thread in (one for one in asked.threads if one in listed and one not in shown):
        number = listed[thread]
        yield question(
            f"thread apply {number} bt {_FRAMES}",
            f"what thread {thread} is doing",
            lldb=f"thread backtrace --count {_FRAMES} {number}",
            cdb=f"~{number}kn 0n{_FRAMES}",
        )
    if set(asked.registers) & set(unnamed):
        what = "the current thread's registers"
        yield question("info registers", what, lldb="register read", cdb="r")
    for name in (one for one in asked.names if one in unnamed and not SIGNAL.fullmatch(one)):
        if name.replace("::", "_").isidentifier():
            yield question(
                f"info line {name}",
                f"what {name} is",
                cdb=f"x *!{name}",
                lldb=f"image lookup --verbose --name {name}",
            )
    if asked.words & _LOCKS and state.facts.first(Wait) is None:
        yield Command("@locks", "what each thread waits for, and who holds it")
    if "module" in asked.words:
        yield Command("@modules", "which modules were mapped, and their symbols")
    if state.target is not None and (state.target.runtime or state.host in ("dotnet-dump", "cdb")):
        yield from (command for words, command in _OF_THE_RUNTIME if asked.words & words)
