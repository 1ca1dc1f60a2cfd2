"""The source of a case, as the debugger lists it."""

import re
from collections.abc import Sequence

from workbench.agents.assisted.code import MOST, Code, code_like
from workbench.agents.assisted.tools_look import read_all, whole
from workbench.agents.looking import program_frame
from workbench.agents.ports import Ports
from workbench.claims.listed import texts_of
from workbench.claims.render import last_part
from workbench.claims.source import SourceText, language_of
from workbench.model.evidence import Command
from workbench.model.facts import Stack
from workbench.model.origin import Origin

_MOST_FILES = 24
_PLAIN = re.compile(r"[\w./+-]+")


async def code_of(ports: Ports, origin: Origin | None) -> Code:
    """The source of a case: the files of the program's frame, of the origin, and what lies in the
    folder of either are listed whole."""
    failed = program_frame(ports.state)
    named = [last_part(one.file) for one in (failed, origin) if one is not None and one.file]
    files = list(dict.fromkeys((*named, *await _beside(ports, named))))
    for file in files[:_MOST_FILES]:
        command = whole(ports.state, file, MOST)
        if command is not None:
            await ports.ask(command)
    book = await read_all(ports)
    texts = [text for name in book.evidence for text in texts_of(book, name)]
    return code_like(ports.state, _whole(texts), files[_MOST_FILES:])


def _whole(texts: Sequence[SourceText]) -> list[SourceText]:
    """The listings but those of which a longer one of the file has each line: where a function is
    cut off, what comes before what in it is not told, which the longer one tells."""
    shown: dict[str, list[set[tuple[int, str]]]] = {}
    kept = set[int]()
    for nth, text in sorted(enumerate(texts), key=lambda one: -len(one[1].lines)):
        lines = {(at, line) for _, at, line in text.lines}
        longer = shown.setdefault(last_part(text.file or ""), [])
        if not (text.file and any(lines <= other for other in longer)):
            longer.append(lines)
            kept.add(nth)
    return [text for nth, text in enumerate(texts) if nth in kept]


async def _beside(ports: Ports, named: Sequence[str]) -> list[str]:
    """The names of the source files of the program that lie where one does, or beside or below."""
    asked = [f"-basename -- ^{re.escape(one)}$" for one in named if _PLAIN.fullmatch(one)]
    stands = {frame.file for stack in ports.state.facts.all(Stack) for frame in stack.frames[:1000]
              if frame.file and not frame.system}  # fmt: skip
    there = {last_part(path) for path in stands}  # of others of that name only where none is known
    folders = {path.rpartition("/")[0] for path in await _sources(ports, asked)
               if path in stands or last_part(path) not in there}  # fmt: skip
    tops = {one if one.startswith("/usr") else "/".join(one.split("/")[:3]) for one in folders}
    below = [f"-dirname -- ^{re.escape(one)}" for one in sorted(tops) if _PLAIN.fullmatch(one)]
    return [last_part(path) for path in await _sources(ports, below)]


async def _sources(ports: Ports, asked: Sequence[str]) -> list[str]:
    """The paths of source files that gdb knows."""
    found: list[str] = []
    for one in asked if ports.state.host == "gdb" else ():
        item = await ports.ask(Command(f"info sources {one}", "the files of the program"))
        text = await ports.text(item.id) if item is not None else ""
        found += [path for path in re.split(r",\s+|\n", text) if language_of(path)]
    return found
