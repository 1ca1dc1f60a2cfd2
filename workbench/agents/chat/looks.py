"""Commands that may tell what the evidence does not: a few, each through the command policy. And
memory that a question says to be freed, which they look at."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

from analyzers.patterns.case import NEAR_NULL
from analyzers.patterns.dangling import FREE_STATES
from analyzers.patterns.managed import commands
from workbench.agents.chat.addresses import asks_of_addresses
from workbench.agents.chat.asked import Asked, read
from workbench.agents.chat.clauses import affirmed, clauses, is_open
from workbench.agents.chat.counts import locks_wanted
from workbench.agents.chat.expressions import LARGE, OF_BLOCK, expressions
from workbench.agents.chat.meant import known_names
from workbench.agents.chat.members import symbols, wanted
from workbench.agents.chat.parts import SIGNAL
from workbench.agents.chat.talk import Talk, Told
from workbench.agents.chat.topics import frames_listed
from workbench.agents.chat.values import Answer, each_frame, looking_up, shown
from workbench.agents.looking import commands as commands_of
from workbench.agents.ports import Ports, spelt, texts_of
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command, question
from workbench.model.facts import Chunk, Fault, Memory, Stack, Threads, Wait
from workbench.model.investigation import Investigation

_FREED = re.compile(
    r"\b(?:freed|deleted|deallocated)\b(?!\s+(?:twice|again|by|in|at|first|before|after)\b)"
    r"|\bin(?:side)?\s+(?:a\s+)?free\b"
    r"|\b(?:is|are|was|were)\s+(?:(?:the|its|that)\s+)?\S+\s+free\W*$",  # not "a double free"
    re.IGNORECASE,
)
_SIZE = re.compile(rf"{OF_BLOCK.pattern}|{LARGE.pattern}")
_WAS_FREED = re.compile(r"(?i)\b(?:freed|frees|deleted|deallocated|released)\b")
_WHERE_TO = re.compile(
    r"(?i)\b(?:which|what)\s+(?:kind\s+of\s+)?(?:section|segment|mapping|region|memory|file)\s+"
    r"(?:is|are|was|does|do|did)\b"
)
_PART_OF = re.compile(
    r"(?i)\b(?:in(?:side)?|to|on)\s+(?:the\s+|an?\s+)?(?:(?P<constant>read[- ]only|constant)"
    r"(?:\s+(?:memory|data|section|segment|page))?|(?P<stack>stack)|(?P<heap>heap))\W*$"
)
_FROM = re.compile(
    r"(?i)\b(?:com(?:e|es|ing)|came|got|gets?|loaded|read|taken|originat\w+)\s+from\b|\bfrom\s+where\b"
)
_ON_THE_WAY = re.compile(r"(?:origin \d+|text): .*")
"""Lines of ``@fault`` that tell where what the instruction used was made."""
_PAST = re.compile(r"\b(?:was|were|been|had|did|got)\b", re.IGNORECASE)
_IT = re.compile(
    r"\b(?:it|this|that|(?:the|its|that)\s+(?:memory|pointer|block|object|chunk))\b", re.IGNORECASE
)


def heap_probes(talk: Talk) -> list[Command]:
    """What tells of the memory that the pointers of a question lead to: freed, or how large."""
    text = talk.asked.text
    if not (_FREED.search(text) or _SIZE.search(text) or asks_of_addresses(text)):
        return []
    found = [at for at in pointers(talk, text) if at >= NEAR_NULL]
    return [Command(f"@heap {at:#x}", "whether the address lies in the heap") for at in found]


def told_of_freed(talk: Talk) -> Iterator[Told]:
    """The chunks of those pointers, where they are said to be freed. That one is in use now tells
    nothing of what was: it may have been given out again."""
    for clause in affirmed(talk.asked.text):
        if _FREED.search(clause) and not is_open(clause):
            for claim in _chunks(talk, clause):
                is_free = claim.get("state") in FREE_STATES
                if is_free or not _PAST.search(clause):
                    yield Told(claim, is_free, clause)


def freed_now(talk: Talk) -> Iterator[Claim]:
    """The chunks of those pointers that are free now, where it is asked who freed them, or when."""
    for clause in affirmed(talk.asked.text):
        if _WAS_FREED.search(clause) and is_open(clause):
            yield from (one for one in _chunks(talk, clause) if one.get("state") in FREE_STATES)


def told_of_blocks(talk: Talk) -> Iterator[Told]:
    """The chunks of those pointers, where their size is asked for, or that of the pointers: who
    asks how large `p` is means what it leads to."""
    for clause in affirmed(talk.asked.text):
        if _SIZE.search(clause) and is_open(clause):
            yield from (Told(one, agrees=True, said=clause) for one in _chunks(talk, clause))


def told_of_regions(talk: Talk) -> Iterator[Told]:
    """The mappings that the pointers of a question lead into, where it is asked which these are, or
    whether that is the stack, the heap, or memory that may not be written."""
    for clause in affirmed(talk.asked.text):
        part = _PART_OF.search(clause) if not is_open(clause) else None
        wanted = pointers(talk, clause) if part or _WHERE_TO.search(clause) else []
        for memory, at in product(talk.state.facts.all(Memory), wanted):
            region = memory.region(at)
            of_it = part.lastgroup if part is not None else None
            if region is None or (of_it in ("stack", "heap") and region.kind == "anonymous"):
                continue  # malloc maps large blocks apart, and who switches stacks those
            fits = of_it is None or (
                region.kind == of_it if of_it != "constant" else "w" not in region.perms
            )
            for claim in talk.quote(f"{at:#x} belongs to", memory.cite.evidence, region.line):
                yield Told(claim, fits, clause)


def _chunks(talk: Talk, clause: str) -> Iterator[Claim]:
    wanted = pointers(talk, clause)
    if not wanted and _IT.search(clause) and (OF_BLOCK.search(clause) or not _SIZE.search(clause)):
        held = [one for one in talk.state.held if one.kind == "chunk"]
        if not _SIZE.search(clause):
            yield from held
        else:  # which the sentences of a conclusion leave out
            wanted = [at for one in held if isinstance(at := one.get("address"), int)]
    for chunk in talk.state.facts.all(Chunk):
        if chunk.address in wanted and chunk.offset >= 0:
            where = {"address": chunk.address, "start": chunk.start}
            where |= {"size": chunk.size} if _SIZE.search(clause) else {}
            yield say("chunk", (chunk.cite,), **where, state=chunk.state, thread=chunk.thread)
            break


def pointers(talk: Talk, clause: str) -> list[int]:
    """The values of the expressions that a clause names, and its addresses."""
    values = (shown(one, talk) for one in expressions(talk.asked) if one in clause)
    numbers = [scalar(one.value) for one in values if one is not None]
    numbers += [at for at in talk.asked.addresses if f"{at:#x}" in clause.lower()]
    return [number for number in numbers if number is not None]


def told_of_sources(talk: Talk) -> Iterator[Told]:
    """Where a value came from on the way to the fault, where that is asked: the lines of the walk
    back that have it."""
    for clause in clauses(talk.asked.text):
        values = {f"{at:#x}" for at in pointers(talk, clause)} if _FROM.search(clause) else set()
        for fault in talk.state.facts.all(Fault) if values else ():
            where = fault.cite.evidence
            for number in range(fault.cite.first, fault.cite.last + 1):
                line = talk.line_of(where, number)
                if _ON_THE_WAY.match(line) and values & set(re.findall(r"0x[0-9a-f]+", line)):
                    for claim in talk.quote("On the way to the fault", where, number):
                        yield Told(claim, True, clause)


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
    for _ in range(3):  # what a pointer leads to is known once its type was printed, then its size
        texts = await texts_of(ports)
        talk = Talk(ports.state, asked, texts.__getitem__)
        for expression in wanted(talk):
            await _look_up(ports, asked, expression)
        for command in heap_probes(talk):
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
