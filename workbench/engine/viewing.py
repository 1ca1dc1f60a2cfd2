"""What a saved session says, without its lock, its debugger or its target: its commands as a
script, its report, and the trail of what was asked."""

import shlex
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from workbench.debuggers.policy import check
from workbench.debuggers.private_folder import PrivateFolder
from workbench.engine.journal import Journal, utc_now
from workbench.engine.reports import Reports
from workbench.engine.upkeep import cited_ids
from workbench.model.evidence import Evidence, Source
from workbench.model.investigation import Investigation
from workbench.model.report import Report
from workbench.model.text import printable
from workbench.store.errors import StoreError
from workbench.store.session_store import SessionStore
from workbench.store.summary import folder_size
from workbench.store.vouching import is_made_here

_COMMENT = {"cdb": "* "}  # gdb, lldb and dotnet-dump: #
_START = {
    "gdb": ("gdb", "-nx", "-iex", "set auto-load no", "-iex", "set pagination off", "-x", "FILE"),
    "lldb": ("lldb", "--no-lldbinit", "-s", "FILE", "-c"),
    "cdb": ("cdb", "-cf", "FILE", "-z"),
    "dotnet-dump": ("dotnet-dump", "analyze"),
}


def script_of(state: Investigation) -> str:
    """Each cited command with what it was asked for; a question that our own reader answered from
    the dump's bytes is a comment. Only commands of the read-only list are given as commands: a
    session may come from elsewhere, and a script is run unseen."""
    host, cited = state.host, cited_ids(state)
    mark = _COMMENT.get(host, "# ")
    lines = [mark + _line(text) for text in _head(state, host)]
    for item in state.evidence.values():
        if item.id in cited:
            lines += _lines(item, host, mark)
    return "\n".join(lines) + "\n"


def _head(state: Investigation, host: str) -> list[str]:
    target = state.target
    if target is None:
        return [f"session {state.session_id}"]
    files = [target.path]
    if host == "gdb" and target.executable is not None:
        files.insert(0, target.executable)
    start = shlex.join([*_START.get(host, (host, "FILE")), *files])
    return [f"session {state.session_id}", f"FILE is this script: {start}"]


def _line(text: str) -> str:
    return printable(" ".join(text.split()))


def _lines(item: Evidence, host: str, mark: str) -> list[str]:
    about = mark + _line(f"{item.id}: {item.intent}")
    command = _line(item.command)
    if item.source is Source.FILE or item.command.startswith("@"):
        return ["", about, f"{mark}{command} (read from the dump's bytes)"]
    if command != item.command or not check(command, host).accepted:
        return ["", about, f"{mark}not on the read-only list: {command}"]
    return ["", about, command]


@asynccontextmanager
async def viewed(folder: Path) -> AsyncIterator[tuple[SessionStore, Investigation]]:
    """The session's store, which takes nothing, and its state. Raises `StoreError`."""
    store = await SessionStore.view(folder, f"session {folder.name} is only read")
    try:
        yield store, (await Journal.load(store)).state
    finally:
        await store.close()


@asynccontextmanager
async def believed(folder: Path) -> AsyncIterator[tuple[SessionStore, Investigation]]:
    """As `viewed`; of a session that nobody here vouches for, what an import of it would say, in a
    copy that is gone afterwards. Where a text of it is damaged it concludes nothing. Raises
    `StoreError`."""
    from workbench.engine.copying import check_texts, take_over, texts_of

    async with viewed(folder) as (store, state), AsyncExitStack() as stack:
        if not is_made_here(folder):
            base = stack.enter_context(PrivateFolder())
            rows = await store.events()
            try:
                check_texts(rows, folder_size(folder), False)
                copied = await take_over(base, rows, await texts_of(store, rows), utc_now())
                store, state = await stack.enter_async_context(viewed(copied))
            except StoreError:
                state.conclusion = state.judgement = None
        yield store, state


async def report_of(folder: Path) -> Report:
    """Its report as it stands. Raises `StoreError`."""
    async with believed(folder) as (store, state):
        return await Reports(Journal(store, state), store.text).build()


async def report_parts(folder: Path) -> tuple[Report, dict[str, str]]:
    """Its report, and the texts that it may quote. Raises `StoreError`."""
    async with believed(folder) as (store, state):
        return await Reports(Journal(store, state), store.text).parts()


async def report_text(folder: Path, format: str) -> str:
    """Its report as ``md``, ``json`` or ``html``, or as a ``script`` for the bare debugger. Raises
    `StoreError`."""
    async with believed(folder) as (store, state):
        if format == "script":
            return script_of(state)
        return await Reports(Journal(store, state), store.text).text(format)


async def trail_of(store: SessionStore, state: Investigation) -> list[dict[str, Any]]:
    """One object an evidence item, in order; ``chunks`` of a large one that was read in pieces.
    Raises `StoreError`."""
    pieces = await store.chunks()
    return [
        {
            "id": item.id,
            "intent": item.intent,
            "command": item.command,
            "source": item.source.value,
            "time": item.at,
            "size": item.size,
            "lines": item.lines,
            "summary": item.summary,
            "findings": list(item.findings),
            "chunks": pieces.get(item.id, []),
            "readings": [
                {
                    "first_line": piece.first,
                    "last_line": piece.last,
                    "findings": list(piece.findings),
                    "root_cause": piece.root_cause,
                }
                for piece in state.assisted.pieces.get(item.id, ())
            ],
            "overallFindings": (
                {
                    "summary": item.overall_findings.summary,
                    "rootCause": item.overall_findings.root_cause,
                }
                if item.overall_findings is not None
                else None
            ),
        }
        for item in state.evidence.values()
    ]
