"""How cdb is started: no shell, no script, symbols only from where the person says."""

import re
import secrets
from pathlib import Path

from workbench.debuggers.cdb.find import environment
from workbench.debuggers.echo_marks import EchoScanner, mark_line
from workbench.debuggers.launch import Launch
from workbench.debuggers.marks import Kind
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import Recipe

# What cdb asks with: "eax 00000001 :" of an r without a value, "00401000 " of an assembler's line.
_QUESTION = re.compile(rb"(?:^|\n)(?:[\w.]+ )?[0-9a-f`]{8,17}[ :-]{1,3}$|\? $|\(y/n\)\s*$")


def cdb_launch(program: Program, recipe: Recipe, folder: Path) -> Launch:
    """cdb on a recipe; ``folder`` is private, and the only place where it keeps symbols.

    ``-noshell`` takes `.shell` away for the whole session, ``-netsyms:no`` the network,
    ``-snul`` the search of all modules for a name without one.
    """
    nonce = secrets.token_hex(16)
    argv = [str(program.path), *program.options, "-noshell", "-snul", "-netsyms:no", "-lines"]
    argv += ["-y", symbol_path(recipe, folder)]
    if recipe.source_dirs:
        argv += ["-srcpath", ";".join(str(place.absolute()) for place in recipe.source_dirs)]
    images = [place for place in (recipe.sysroot, _folder_of(recipe.executable)) if place]
    if images:
        argv += ["-i", ";".join(str(place.absolute()) for place in images)]
    if recipe.core is not None:
        argv += ["-z", str(recipe.core.absolute())]
    prompt = mark_line(Kind.PROMPT, nonce)
    return Launch(
        name="cdb",
        argv=argv,
        environment=environment(program),
        nonce=nonce,
        set_up=prompt,
        repair=b"",
        echo=lambda id: mark_line(Kind.ECHO, nonce, id) + prompt,
        question=_QUESTION,
        after=prompt,
        scanner=lambda: EchoScanner(nonce),
    )


def symbol_path(recipe: Recipe, folder: Path) -> str:
    """Where symbols are looked for: beside the program, and in the crashed machine's files."""
    places = [_folder_of(recipe.executable), recipe.sysroot]
    found = [str(place.absolute()) for place in places if place is not None]
    return ";".join(found) or str(folder)


def _folder_of(executable: Path | None) -> Path | None:
    return executable.parent if executable is not None else None
