"""A debugger's process that loads the dump while everything that speaks with it is imported.

A debugger needs longer to load a dump than this package to be imported: whoever is about to open a
dump starts the process first. Imports neither asyncio, nor msgspec, which takes a quarter of gdb's
own start, nor the debuggers' own modules.
"""

import contextlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from workbench.debuggers.launch import Launch, spawn
from workbench.debuggers.matched import matched
from workbench.debuggers.private_folder import PrivateFolder
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import DebuggerUnavailable, Recipe
from workbench.debuggers.pty import Child

# Of those that wait for our lines without harm: the module and the function that make a launch.
_LAUNCHES = {"gdb": ("gdb.recipe", "gdb_launch"), "lldb": ("lldb.recipe", "lldb_launch")}


class HeadStart:
    """A process that nobody reads yet, and what it was started with; ``launch.set_up`` is what it
    has still to be sent. Whoever takes it sets ``taken`` and closes all of it; until then `give_up`
    does."""

    def __init__(
        self, program: Program, launch: Launch, folder: PrivateFolder, child: Child
    ) -> None:
        self.program, self.launch, self.folder, self.child = program, launch, folder, child
        self.taken = False

    def give_up(self) -> None:
        """End it, unless it was taken."""
        if self.taken:
            return
        self.taken = True
        self.child.kill()
        self.child.reap()
        self.child.hang_up()
        self.folder.remove()


def head_start(
    recipe: Recipe, program: Program, waiting: HeadStart | None = None
) -> HeadStart | None:
    """The process for a recipe, from the main thread (see `pty.spawn`); ``waiting`` is one without
    a dump, where there is one. None where there is no such start, or it fails: starting the
    debugger in order then says why."""
    if recipe.debugger not in _LAUNCHES or recipe.core is None or not recipe.core.is_file():
        return None
    try:
        if recipe.debugger != "gdb":
            return launched(recipe, program, waiting)
        return _loading(waiting or launched(Recipe(core=None), program), recipe)
    except (DebuggerUnavailable, OSError):
        return None


def launched(recipe: Recipe, program: Program, waiting: HeadStart | None = None) -> HeadStart:
    """The process, which was sent nothing, or the one that waits. Raises `DebuggerUnavailable` and
    `OSError`."""
    module, function = _LAUNCHES[recipe.debugger]
    make: Callable[[Program, Recipe, Path], Launch] = getattr(
        import_module(f"workbench.debuggers.{module}"), function
    )
    folder = PrivateFolder(sweep=False) if waiting is None else waiting.folder
    try:
        own = matched(recipe, folder.path, stubs=recipe.debugger == "lldb")
        launch = make(program, own, folder.path)
        size = (recipe.rows, recipe.cols)
        child = spawn(launch, size) if waiting is None else waiting.child
    except BaseException:
        if waiting is not None:
            waiting.give_up()
        folder.remove()
        raise
    return HeadStart(program, launch, folder, child)


def _loading(gdb: HeadStart, recipe: Recipe) -> HeadStart:
    """gdb, told what to load."""
    from workbench.debuggers.gdb.recipe import gdb_loading

    try:
        own = matched(recipe, gdb.folder.path)
        lines = gdb_loading(gdb.launch.nonce, own, gdb.folder.path)
        with contextlib.suppress(BlockingIOError):  # what it does not take now is sent later
            lines = lines[gdb.child.write(lines) :]
    except BaseException:
        gdb.give_up()
        raise
    gdb.launch = gdb.launch._replace(set_up=lines)
    return gdb
