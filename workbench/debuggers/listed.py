"""Source lines that a debugger printed: kept back where their file is no source file.

Debug information names any file as a program's source. What is asked for by the tool or by a model
stands in evidence, reports and requests, so that it must be no private file of this machine.
"""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from itertools import pairwise

from workbench.debuggers.protocol import Output
from workbench.model.listing import is_source, listed_line, named_file
from workbench.model.text import counted, printable


async def sources_only(
    output: Output, ask: Callable[[str], Awaitable[str]], command: str, located: re.Pattern[str]
) -> Output:
    """The output; without the lines of a listing where these may be of several files, or where the
    file's resolved path ends as no source does. ``command`` makes the debugger tell the path
    (absolute), which is ``located``'s group, else the listing's own head does."""
    large = output.path is not None
    found = await asyncio.to_thread(_parted, output) if large else _parted(output)
    if found is None:
        return output
    lines, kept = found
    named = {file for line in kept if (file := named_file(line)) is not None}
    headed = any(
        above.endswith(":") and listed_line(above) is None and listed_line(below) is not None
        for above, below in pairwise(lines)
    )  # `disassemble /s` puts each file's name above its lines
    several = headed or len(named) > 1
    listing = re.match(r"File: (/.+?)(?::\d{1,9})*$", lines[0])  # lldb
    path = listing or located.search(await ask(command))
    if not several and path is not None and _is_source_file(path[1]):
        return output
    name = printable(path[1]) if path is not None and not several else "several files"
    said = counted(len(lines) - len(kept), "line")
    kept = [*kept[:-1], f"({said} of {name} kept back: no source file)", ""]
    text = "\n".join(kept)
    return output._replace(text=text, path=None, size=len(text.encode()), sha256="", lines=0)


def _parted(output: Output) -> tuple[list[str], list[str]] | None:
    """The lines, and those that are no line of a listing; None where there is none of these."""
    text = output.read()
    lines = text.split("\n") if "\t" in text else []
    kept = [line for line in lines if listed_line(line) is None]
    return (lines, kept) if len(kept) < len(lines) else None


def _is_source_file(path: str) -> bool:
    """True where name and resolved path end as source does that is compiled: a file of Python's is
    as often one of settings. A hidden folder says nothing here: a program may be built in one."""
    parts = [os.path.split(one) for one in (path, os.path.realpath(path))]
    return all(
        is_source(os.path.join(folder.replace("/.", "/"), name))
        and not name.lower().endswith(".py")
        for folder, name in parts
    )
