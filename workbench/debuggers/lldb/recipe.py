"""How lldb is started: nothing that came with the dump is run, nothing is asked of the network."""

import re
import secrets
from pathlib import Path

from workbench.debuggers.launch import Launch
from workbench.debuggers.marks import Kind, mark
from workbench.debuggers.plain_path import plain_path
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import Recipe

# What lldb and its Python ask with: "> " of a body, "12 " of an expression over several lines,
# indented Python, ">>> ", "[Y/n] ".
_QUESTION = re.compile(rb"(?:^|\n)(?:[ ]*>+ ?|[ ]*\d+ | {4})$|\.\.\. $|\[(?:Y/n|y/N)\] ?$")

# With the thread's id, which lldb leaves out of a backtrace, and the whole path of a source file.
_THREAD = (
    "thread #${thread.index}: tid = ${thread.id%tid}{, name = '${thread.name}'}"
    "{, stop reason = ${ansi.fg.red}${thread.stop-reason}${ansi.normal}}\\n"
)
_FRAME_OLD = (
    "frame #${frame.index}: ${ansi.fg.cyan}${frame.pc}${ansi.normal}"
    "{ ${module.file.basename}`{${function.name-with-args}"
    "{${frame.no-debug}${function.pc-offset}}}}"
    "{ at ${ansi.fg.cyan}${line.file.fullpath}${ansi.normal}:${ansi.fg.yellow}${line.number}"
    "${ansi.normal}{:${line.column}}}"
    "{${function.is-optimized} [opt]}{${frame.is-artificial} [artificial]}\\n"
)
# lldb 14 writes what a function was inlined into before its name instead.
_FRAME = _FRAME_OLD.replace(" [opt]}", " [opt]}{${function.is-inlined} [inlined]}")
_FORMATS = (
    f'settings set thread-stop-format "{_THREAD}"',
    f'settings set frame-format "{_FRAME_OLD}"',
    f'settings set frame-format "{_FRAME}"',
)

# Where distributions put debug information (gdb's debug-file-directory); the wheel's lldb does not
# look there by itself.
_DEBUG_FILES = "/usr/lib/debug"

# Before anything is loaded. A setting that an older lldb does not have is an error line that is
# printed before the dump is loaded and so never seen.
_SAFE = (
    "settings set auto-confirm true",
    "settings set interpreter.prompt-on-quit false",
    "settings set interpreter.save-session-on-quit false",
    "settings clear plugin.symbol-locator.debuginfod.server-urls",
    "settings set symbols.enable-external-lookup false",
    "settings set symbols.enable-background-lookup false",
    "settings set symbols.auto-download off",
    "settings set symbols.enable-lldb-index-cache false",
    "settings set target.load-script-from-symbol-file false",
    "settings set target.load-cwd-lldbinit false",
    "settings set target.auto-import-clang-modules false",
    "settings set plugin.jit-loader.gdb.enable off",
    "settings set show-statusline false",
    "settings set show-progress false",
    "settings set show-autosuggestion false",
    "settings set use-external-editor false",
    "settings set use-color true",
    "settings set stop-show-column none",
    *_FORMATS,
)


EMPTIED = ("target delete --all", "settings clear target.debug-file-search-paths")
"""What leaves lldb as it was before a dump was loaded without a root or folders of sources."""


def settled(nonce: str) -> tuple[str, ...]:
    """The settings that framing and reading rest on, set again after the user's commands."""
    return (
        f"settings set prompt {_prompt(nonce)}",
        "settings set auto-confirm true",
        "settings set show-statusline false",
        "settings set show-progress false",
        *_FORMATS,
    )


def lldb_launch(program: Program, recipe: Recipe, folder: Path) -> Launch:
    """lldb on a recipe. ``folder`` is private; a path that lldb might read as more than a path is
    reached through a symbolic link in it.

    The settings are sent to its terminal: on the command line each would be echoed. Until the
    last of them the prompt carries no mark.
    """
    nonce = secrets.token_hex(16)
    lines = ['settings set prompt "(lldb) "', *_SAFE, *_places(recipe, folder)]
    return Launch(
        name="lldb",
        argv=[str(program.path), *program.options, "--no-lldbinit"],
        environment=program.environment(),
        nonce=nonce,
        set_up="".join(f"{line}\n" for line in lines).encode() + _set_prompt(nonce),
        load=_load(recipe, folder),
        repair=_set_prompt(nonce),
        # Every prompt carries the id from then on, which does no harm.
        echo=lambda id: _set_prompt(nonce, id),
        leave=b"quit()\nDONE\n",
        question=_QUESTION,
        sizeless=True,
    )


def _set_prompt(nonce: str, id: str = "") -> bytes:
    return f"settings set prompt {_prompt(nonce, id)}\n".encode()


def _prompt(nonce: str, id: str = "") -> str:
    """The prompt as lldb's settings take it: what it echoes of them is no mark."""
    marks = (mark(Kind.ECHO, nonce, id) if id else b"") + mark(Kind.PROMPT, nonce)
    return '"' + marks.decode().replace("\x1b", "\\033").replace("\x07", "\\007") + '"'


def _places(recipe: Recipe, folder: Path) -> list[str]:
    """Where libraries, separate debug files (by build id) and sources are looked for."""
    lines = [f"settings append target.debug-file-search-paths {_DEBUG_FILES}"]
    if recipe.sysroot is not None:
        root = plain_path(recipe.sysroot, folder, "sysroot")
        lines.append(
            f"settings insert-before target.debug-file-search-paths 0 {root}{_DEBUG_FILES}"
        )
        if recipe.core is not None and _is_elf(recipe.core):
            # target create has a --sysroot that cores do not look at.
            lines.append(f"platform select --sysroot {root} remote-linux")
        else:
            lines.append(f"settings append target.exec-search-paths {root}")
    # The whole recorded path below the folder; `lldb_sources` finds files by their names.
    lines += [
        f"settings append target.source-map / {plain_path(directory, folder, f'source{number}')}"
        for number, directory in enumerate(recipe.source_dirs[:1])
    ]
    return lines


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _load(recipe: Recipe, folder: Path) -> bytes:
    """The line that loads the dump."""
    words = ["target create"]
    if recipe.core is not None:
        words.append(f"--core {plain_path(recipe.core, folder, 'core')}")
    if recipe.executable is not None:
        words.append(plain_path(recipe.executable, folder, "executable"))
    # With neither there is nothing to load, and a line that prints nothing brings the prompt.
    return (
        " ".join(words) if len(words) > 1 else "settings set auto-confirm true"
    ).encode() + b"\n"
