"""BugsC++, and folders like it: each bug is a folder with a build script (``build.sh``), the
failing input (``command``: one line, the program built and its arguments) and the fix
(``*.patch``). The function that the fix changes is the origin.

BugsC++'s own layout is ``taxonomy/PROJECT/meta.json`` with ``patch/NNNN-buggy.patch``, which takes
the fix back. It builds in a container of its own: what a bug leaves there is looked for beside its
project.
"""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from workbench.evaluate.schema import Case, Expected, Make, Manifest, Origin

_FILE = re.compile(r"^\+\+\+ (?:b/)?(?P<file>\S+)")
# git writes a hunk's function behind the second pair of @ (gitattributes(5), funcname)
_HUNK = re.compile(r"^@@ -(?P<line>\d+)(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@ ?(?P<head>.*)")
_NAME = re.compile(r"(?P<name>[\w:~]+)\s*\(")
# A function's first line with its name: at the margin, and no declaration
_BEGINS = re.compile(r"(?:[A-Za-z_][\w:<>,*& ]*[ *&])?(?P<name>[A-Za-z_][\w:~]*)\s*\([^;]*$")


def suite(folder: Path) -> Manifest | None:
    """None unless a folder below has a build script, a command and a fix, or it is BugsC++."""
    projects = (*folder.glob("*/meta.json"), *folder.glob("bugscpp/taxonomy/*/meta.json"))
    if cases := tuple(case for meta in sorted(projects) for case in _defects(folder, meta)):
        return Manifest(name="bugscpp", source="github.com/Suresoft-GLaDOS/bugscpp", cases=cases)
    bugs = [
        script.parent
        for script in sorted(folder.glob("*/build.sh"))
        if (script.parent / "command").is_file() and any(script.parent.glob("*.patch"))
    ]
    cases = tuple(_case(bug) for bug in bugs)
    return Manifest(name=folder.name, cases=cases) if cases else None


def _case(bug: Path) -> Case:
    program, *arguments = shlex.split((bug / "command").read_text(encoding="utf-8"))
    origins = [one for fix in sorted(bug.glob("*.patch")) for one in origins_of(fix)]
    make = Make(command=("sh", "./build.sh"), arguments=tuple(arguments))
    return Case(
        id=bug.name,
        target=f"{bug.name}/build.sh",
        executable=program,
        make=make,
        batch="bugs",
        component="origins",
        expected=Expected(origins=tuple(origins)),
    )


def _defects(folder: Path, meta: Path) -> Iterator[Case]:
    """The defects of one project; none for another tool's ``meta.json``."""
    try:
        told = json.loads(meta.read_bytes())
        rows = [(int(row["id"]), str(row["hash"])) for row in told["defects"]]
        url = str(told["info"]["url"])
    except (OSError, ValueError, LookupError, TypeError):
        return
    place = meta.parent.relative_to(folder)
    for id, fix in rows:
        patches = meta.parent.glob(f"patch/{id:04}-buggy.patch")
        origins = tuple(one for patch in patches for one in origins_of(patch))
        yield Case(
            id=f"{place.name}-{id}",
            batch=place.name,
            component="origins",
            target=f"{place}/core.{id}",
            executable=f"{place}/program.{id}",
            expected=Expected(origins=origins),
            note=f"BugsC++ builds it in Docker, from {url} at {fix} with its buggy.patch: what its "
            "failing test leaves belongs there",
        )


def origins_of(fix: Path) -> Iterator[Origin]:
    """Each function that a patch changes, with its file; tests are not the fix. The last one that
    begins above a change counts: in the hunk, by its head, or in the source where that is there
    (the head may be a label, or the function before)."""
    file, name, seen, old, new = "", "", set(), 0, 0
    for line in fix.read_text(encoding="utf-8", errors="replace").splitlines():
        if old > 0 or new > 0:  # in a hunk
            old, new = old - (line[:1] != "+"), new - (line[:1] != "-")
            if begun := _BEGINS.match(line[1:]):
                name = begun["name"]
            elif line[:1] in ("+", "-") and name and (file, name) not in seen:
                seen.add((file, name))
                if not re.search(r"(^|/)tests?/", file):
                    yield Origin(function=name, file=file)
        elif named := _FILE.match(line):
            file = named["file"]
        elif hunk := _HUNK.match(line):
            old, new = (int(hunk[side] or 1) for side in ("old", "new"))
            head = _NAME.search(hunk["head"])
            name = head["name"] if head else _above(fix.parent, file, int(hunk["line"]))


def _above(bug: Path, file: str, line: int) -> str:
    """The function that begins last above a line, in a source that may not be there."""
    source = (bug / file).resolve()
    if not (source.is_relative_to(bug.resolve()) and source.is_file()):
        return ""
    above = source.read_text(encoding="utf-8", errors="replace").splitlines()[:line]
    return next((n["name"] for one in reversed(above) if (n := _BEGINS.match(one))), "")
