"""Links that a chain lacks and that code finds itself: each is verified like a stated one."""

import itertools
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzers.patterns.case import Case
from workbench.agents.assisted.claims import hold
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.dump import LEAST
from workbench.agents.ports import Ports
from workbench.claims.chain import same_function, shows
from workbench.claims.kinds import KINDS
from workbench.claims.render import last_part
from workbench.claims.rows import rows
from workbench.claims.say import say
from workbench.claims.source.text import last_name, words
from workbench.claims.values import number
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Stack
from workbench.model.origin import Origin

_MACHINE = ("loaded", "chunk", "data")
"""Kinds of what the machine and the heap say of addresses."""
_LEADING = words("calls assigns returns")
"""Kinds of what else the lines of a chain and of its stacks do."""
_MOST_LEADING = 60
_MOST = 12
"""Frames of a stack, and addresses that are looked up in the heap."""


async def between(
    ports: Ports, links: Sequence[Claim], code: Code
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """Statements that may stand between those of a chain, none of which the chain has: the frames
    that failed and the calls of one by the next, the members that are named, and what the machine
    says of the addresses; and these with what else the lines of both do."""
    for at in list(_addresses(links))[:_MOST]:
        await ports.ask(Command(f"@heap {at:#x}", "the memory that a pointer leads to"))
    facts = ports.state.facts
    near = [
        say(name, (row.line,), **{at: it for at, it in row.values.items() if at in kind.columns})
        for name in _MACHINE for kind in (KINDS[name],) for row in rows(kind, facts)
    ]  # fmt: skip
    for thread, frames in _stacks(ports, links):
        near += [
            say("frame", thread=thread, index=one.index, function=one.function, line=one.line,
                file=last_part(one.file or "") or None)
            for one in frames
        ]  # fmt: skip
        near += _calls(code, frames)
    named = {last_name(str(arg.value)) for link in links for arg in link.args}
    near += [
        say("declares", of=one.of("of"), name=one.of("name"), type=str(one.row.values["type"]))
        for one in code.of_kind("declares") if one.of("of") and one.of("name") in named
    ]  # fmt: skip
    places = [(str(one.get("function")), one.get("line" if one.kind == "frame" else "at"))
              for one in (*links, *near)]  # fmt: skip
    beside = itertools.islice(_at(code, list(dict.fromkeys(places)), _LEADING), _MOST_LEADING)
    known = {link.text for link in links}
    once = {one.text: replace(one, by="model") for one in near if one.text not in known}
    more = {one.text: replace(one, by="model") for one in beside if one.text not in known | {*once}}
    held = await hold(ports, [*once.values(), *more.values()])
    found = [replace(one, by="code") for one in held]
    return (
        tuple(one for one in found[: len(once)] if one.holds),
        tuple(one for one in found if one.holds),
    )


async def goal_of(ports: Ports, origin: Origin, last: Claim, code: Code) -> Claim | None:
    """What else the line of a chain's last link does, where that link shows no origin of the kind:
    the one statement of it that does."""
    if shows(origin.kind.value, last) or not last.holds or last.get("at") is None:
        return None
    found = _at(code, [(str(last.get("function")), last.get("at"))], frozenset(KINDS))
    once = {one.text: replace(one, by="model") for one in found if shows(origin.kind.value, one)}
    held = [one for one in await hold(ports, list(once.values())) if one.holds]
    return replace(code.placed(held[0]), by="code") if len(held) == 1 else None


def _at(code: Code, places: Sequence[tuple[str, object]], kinds: frozenset[str]) -> Iterator[Claim]:
    """What lines of functions do, as statements of some kinds."""
    for one in code.lines:
        if one.row.kind in kinds and any(
            one.at == at and same_function(one.function, function) for function, at in places
        ):
            columns = KINDS[one.row.kind].columns
            yield say(one.row.kind, **{name: it for name, it in one.row.values.items()
                                       if name in columns and it != ""})  # fmt: skip


def _addresses(links: Sequence[Claim]) -> Iterator[int]:
    """The numbers of statements that may be addresses, each once."""
    values = (number(str(arg.value)) for link in links if link.kind in ("loaded", "value")
              for arg in link.args)  # fmt: skip
    yield from dict.fromkeys(one for one in values if one is not None and one >= LEAST)


def _stacks(ports: Ports, links: Sequence[Claim]) -> Iterator[tuple[int | None, list[Frame]]]:
    """The thread that failed, and those that the chain names, with their frames that have lines."""
    case = ports.state.facts.once(Case)
    failed, of = case.stack, case.fault.thread if case.fault is not None else None
    threads = {number(str(link.get("thread"))) for link in links} - {None}
    for stack in ports.state.facts.all(Stack):
        if stack is failed or stack.thread in threads:
            thread = of if stack is failed and of is not None else stack.thread
            yield thread, [one for one in stack.frames[:1000] if one.function and one.line][:_MOST]


def _calls(code: Code, frames: Sequence[Frame]) -> Iterator[Claim]:
    """What each frame passes to the one that it called."""
    for inner, outer in itertools.pairwise(frames):
        for one in code.calls(inner.function or ""):
            if one.at == outer.line and same_function(one.function, outer.function or ""):
                yield from (
                    say("calls", function=one.function, callee=one.of("callee"), index=at,
                        expression=it.of("expression"), at=one.at)
                    for at, it in code.passed(one).items()
                )  # fmt: skip
