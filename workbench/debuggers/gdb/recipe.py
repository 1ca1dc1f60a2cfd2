"""How gdb is started: nothing that came with the dump is run, nothing waits for a key."""

import os
import re
from pathlib import Path

from workbench.debuggers.launch import Launch
from workbench.debuggers.marks import Kind, mark_escaped
from workbench.debuggers.plain_path import plain_path
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import Recipe

# What gdb and its Python ask with: a sub-prompt, "(y or n)", "--Type <RET> for more--".
_QUESTION = re.compile(rb"(?:^|\n)[ ]*>+ ?$|\.\.\. $|\((?:y or n|\[y\] or n|y or \[n\])\) $|--$")

# Before anything is loaded. A setting that an older gdb does not have is an error line that is
# printed before the opening mark and so never seen.
_MOST_RANGES = 200
_SAFE = (
    "set auto-load no",
    "set auto-load safe-path /nonexistent",
    "set auto-load scripts-directory /nonexistent",
    "set debuginfod enabled off",
    "set debuginfod urls",
    "set may-call-functions off",
    "set startup-with-shell off",
    # gdb expands the macros of a program's own debug information in every expression, so that
    # `p conn` may be `p $_shell("…")`: the function is taken away before anything is loaded. A gdb
    # without Python has no $_shell that runs outside its own command.
    'python exec("import gdb\\nclass _Off(gdb.Function):\\n def invoke(self, *_): '
    "raise gdb.GdbError('not here')\\n_Off('_shell')\")",
    "set confirm off",
    "set pagination off",
    "set width 0",
    "set height 0",
    "set history save off",
    "set editing off",
    "set complaints 0",
    # Where gdb finds a fault of its own it ends, and is started again: no question, no core file.
    "maint set internal-error quit yes",
    "maint set internal-error corefile no",
    "maint set internal-warning quit no",
    "maint set internal-warning corefile no",
    "maint set demangler-warning quit no",
    # The dump names the files that its source lines come from: loading quotes none.
    "set print frame-info location",
    "set print finish off",
    "set style sources off",
    "set style emoji off",
    "set style error-prefix",
    "set style warning-prefix",
)


def writing(allowed: bool) -> tuple[str, ...]:
    """What lets gdb write to a process, breakpoints included, or keeps it from that (manual,
    "Observer Mode")."""
    value = "on" if allowed else "off"
    return (f"set may-write-memory {value}", f"set may-write-registers {value}")


EMPTIED = (
    "core-file",
    "unset tdesc filename",  # it keeps the machine of the dump, and takes no program of another
    "file",
    'python [gdb.set_convenience_variable(one, None) for one in ("_", "__")]',
    "set print frame-info location",
)
"""What leaves gdb as it was before a dump was loaded without a root or folders of sources."""

LOADED = "set print frame-info auto"
"""What ends the loading's reserve about source lines."""


def settled(nonce: str) -> tuple[str, ...]:
    """The settings that framing rests on, set again after the user's commands."""
    return (
        f"set prompt {mark_escaped(Kind.PROMPT, nonce)}",
        "set annotate 0",
        "set editing off",
        "set confirm off",
        "set pagination off",
        "set width 0",
        "set height 0",
        "set logging enabled off",
        "set style emoji off",
    )


def gdb_launch(gdb: Program, recipe: Recipe, folder: Path) -> Launch:
    """gdb on a recipe, and how its prompt is marked. ``folder`` is private."""
    nonce = os.urandom(16).hex()
    return Launch(
        name="gdb",
        argv=_arguments(gdb, folder),
        environment=gdb.environment(),
        nonce=nonce,
        set_up=gdb_loading(nonce, recipe, folder),
        repair=(
            b"set editing off\nset annotate 0\npython gdb.prompt_hook = None\n" + _set_prompt(nonce)
        ),
        echo=lambda id: f"echo {mark_escaped(Kind.ECHO, nonce, id)}\n".encode(),
        question=_QUESTION,
    )


def _arguments(gdb: Program, folder: Path) -> list[str]:
    """The command line, which is the same for every dump. Until it is loaded there is no prompt to
    be seen."""
    settings = [*_SAFE, *writing(False), "set prompt"]
    # Should somebody turn saving on: gdb renames a temporary file over this one when it ends,
    # which must be neither a device nor a file in the folder we were called from.
    settings.append(f"set history filename {folder / 'history'}")
    argv = [str(gdb.path), *gdb.options, "-nx", "-nh", "-q"]
    for setting in settings:
        argv += ["-iex", setting]
    return argv


def gdb_loading(nonce: str, recipe: Recipe, folder: Path) -> bytes:
    """The lines that load a dump, for its terminal: gdb's own start takes a third of the time that
    a dump does, and needs not wait for us to know which. ``folder`` is private; paths that gdb
    might read as more than a path are reached through a symbolic link in it."""
    lines = []
    if recipe.sysroot is not None:
        lines.append(f"set sysroot {plain_path(recipe.sysroot, folder, 'sysroot')}")
    # gdb puts each before those it has.
    for number, directory in reversed(list(enumerate(recipe.source_dirs))):
        lines.append(f"directory {plain_path(directory, folder, f'source{number}')}")
    lines.append(f"echo {mark_escaped(Kind.OPENING, nonce)}")
    if recipe.executable is not None:
        lines.append(f"file {plain_path(recipe.executable, folder, 'executable')}")
    if recipe.core is not None:
        lines.append(f"core-file {plain_path(recipe.core, folder, 'core')}")
    # gdb reads zeros where a core has a segment without its bytes (corelow.c, no_contents_cb).
    if recipe.left_out:
        lines.append("set mem inaccessible-by-default off")
    lines += [f"mem {start:#x} {end:#x} wo" for start, end in recipe.left_out[:_MOST_RANGES]]
    return "".join(f"{line}\n" for line in lines).encode() + _set_prompt(nonce)


def _set_prompt(nonce: str) -> bytes:
    return f"set prompt {mark_escaped(Kind.PROMPT, nonce)}\n".encode()
