"""Folders like BugsC++: each bug is a folder with a build script (``build.sh``), the failing input
(``command``: one line, the program built and its arguments) and the fix (``*.patch``). The function
that the fix changes is the origin."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from workbench.evaluate.schema import Case, Expected, Make, Manifest, Origin

_FILE = re.compile(r"^\+\+\+ (?:b/)?(?P<file>\S+)")
# git writes a hunk's function behind the second pair of @ (gitattributes(5), funcname)
_HUNK = re.compile(r"^@@ -(?P<line>\d+)\S* \+\S+ @@ ?(?P<head>.*)")
_NAME = re.compile(r"(?P<name>[\w:~]+)\s*\(")


def suite(folder: Path) -> Manifest | None:
    """None unless a folder below has a build script, a command and a fix."""
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
        id=bug.name, target=f"{bug.name}/build.sh", executable=program, make=make, batch="bugs",
        component="origins", expected=Expected(origins=tuple(origins), severity_known=False),
    )  # fmt: skip


def origins_of(fix: Path) -> Iterator[Origin]:
    """Each function that a patch changes, with its file; tests are not the fix."""
    file, seen = "", set()
    for line in fix.read_text(encoding="utf-8", errors="replace").splitlines():
        if named := _FILE.match(line):
            file = named["file"]
        hunk = _HUNK.match(line)
        name = _NAME.search(hunk["head"]) if hunk else None
        if name and not re.search(r"(^|/)tests?/", file) and (file, name["name"]) not in seen:
            seen.add((file, name["name"]))
            yield Origin(function=name["name"], file=file)
