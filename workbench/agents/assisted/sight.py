"""What a model with room is told first: the frames of the program, each with its whole function,
its variables, the types that it declares with their offsets, and where its pointers lead."""

import re
from collections.abc import Iterator

from workbench.agents import looking
from workbench.agents.assisted.numbered import numbered
from workbench.agents.assisted.tools_look import function_of, read_all
from workbench.agents.ports import Ports
from workbench.claims.listed import texts_of
from workbench.claims.source import is_function, rows
from workbench.debuggers.policy import check
from workbench.llm.contents import contents_in
from workbench.llm.fences import Fenced, as_data
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Locals, Wait
from workbench.model.investigation import Investigation

MOST_FRAMES = 6
MOST_THREADS = 4
MOST_TYPES = 8
MOST_POINTERS = 8
_SHARE = 12_000
"""Characters of one function, at most."""
_TYPE = re.compile(r"(?:const )?(?P<type>(?:(?:struct|class|union) )?[A-Za-z_][\w:]{0,80})[\s*&]*")
_BUILTIN = re.compile(
    r"(?:unsigned|signed|char|short|int|long|float|double|bool|void|auto|(?:s?size|u?int\d*)_t)\b"
)
_POINTER = re.compile(r"(?:\([^()]*\) )?(?P<at>0x[0-9a-f]{6,16})\b")
_HEAP = "where a pointer in sight leads"
_LAYOUT = "a type in sight, with offsets and sizes"


async def collect(ports: Ports) -> None:
    """Ask for all of it, once; the ledger has what was asked before."""
    state = ports.state
    if not state.has_room or state.target is None or state.target.recorded:
        return
    frames = list(frames_in_sight(state))
    for thread, frame in frames:
        for command in looking.commands(state, thread, frame.index):
            await ports.ask(command)
        if frame.file and frame.line:
            await function_of(ports, frame.file, frame.line, 1)
    asked = [Command(f"@heap {at}", _HEAP) for at in _pointers(state)]
    if state.host == "gdb":
        asked += [Command(f"ptype /o {name}", _LAYOUT) for name in await _types(ports, frames)]
    for command in asked:
        if command.is_probe or check(command.text, state.host).accepted:
            await ports.ask(command)


async def shown(ports: Ports, size: int) -> Fenced:
    """As much of it as there is, in about so many characters: nearest to the end first."""
    state = ports.state
    parts: list[str] = []
    left = size
    listed = [(one.command, one.id) for one in state.evidence.values()]
    for thread, frame in frames_in_sight(state):
        texts: list[tuple[str, str]] = []
        if frame.file and frame.line:
            result = await function_of(ports, frame.file, frame.line, min(left, _SHARE), ask=False)
            texts += [(result.text, name) for name in result.evidence]
        wanted = {one.text for one in looking.commands(state, thread, frame.index)}
        texts += [
            (numbered(name, await ports.text(name), most=min(left, _SHARE // 4)), name)
            for command, name in listed
            if command in wanted and not command.startswith("list")
        ]
        for text, name in texts:
            label = f"thread {thread} #{frame.index} {frame.function or ''} {name}"
            left = _add(parts, as_data(text, label[:80], contents_in(state.evidence[name])), left)
    for item in state.evidence.values():
        if item.intent in (_HEAP, _LAYOUT):
            text = numbered(item.id, await ports.text(item.id), most=min(max(left, 0), _SHARE // 4))
            label = f"{item.id} {item.command}"[:80]
            left = _add(parts, as_data(text, label, contents_in(item)), left)
    return Fenced("\n".join(parts))


def _add(parts: list[str], text: str, left: int) -> int:
    if len(text) > left:
        return left
    parts.append(text)
    return left - len(text) - 1


def frames_in_sight(state: Investigation) -> Iterator[tuple[int | None, Frame]]:
    """The program's innermost frames of the thread that ended, and of those that wait."""
    waiting = [fact.thread for fact in state.facts.all(Wait) if fact.address is not None]
    for thread in list(dict.fromkeys((looking.first_thread(state), *waiting)))[:MOST_THREADS]:
        own = [one.frame for one in looking.shown_frames(state, thread) if one.own]
        for frame in own[:MOST_FRAMES]:
            yield thread, frame


def _pointers(state: Investigation) -> list[str]:
    values = (v.value for fact in state.facts.all(Locals) for v in fact.variables)
    found = (match["at"] for value in values if (match := _POINTER.match(value)))
    return list(dict.fromkeys(found))[:MOST_POINTERS]


async def _types(ports: Ports, frames: list[tuple[int | None, Frame]]) -> list[str]:
    """The types of what the functions in sight declare."""
    book = await read_all(ports)
    names = [frame.function for _, frame in frames if frame.function]
    found = (
        match["type"]
        for item in book.evidence
        for source in texts_of(book, item)
        for row in rows(source)
        if row.kind == "declares"
        and (row.values["of"] or any(is_function(str(row.values["function"]), n) for n in names))
        and (match := _TYPE.fullmatch(str(row.values["type"])))
        and not _BUILTIN.match(match["type"])
    )
    return list(dict.fromkeys(found))[:MOST_TYPES]
