"""The commands that a report cites, as a script for the bare debugger."""

import shlex

from workbench.debuggers.policy import check
from workbench.engine.upkeep import cited_ids
from workbench.model.evidence import Evidence, Source
from workbench.model.investigation import Investigation
from workbench.model.text import printable

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
