"""CASR's own tests: cores with the class of severity that each must get."""

import re
from pathlib import Path

from workbench.evaluate.schema import Case, Expected, Manifest

_TEST = re.compile(r"^fn (test_\w+)\(\).*?(?=^fn |\Z)", re.MULTILINE | re.DOTALL)
_PATHS = re.compile(r'abs_path\("(?P<path>tests/[^"]+)"\)')
_CLASS = re.compile(r'assert_eq!\(severity_desc, "(?P<name>\w+)"\)')


def suite(folder: Path) -> Manifest | None:
    """A checkout, or its folder ``casr``; None for any other."""
    for base in (folder, folder / "casr"):
        test = base / "tests" / "tests.rs"
        if test.is_file() and (base / "tests" / "casr_tests").is_dir():
            text = test.read_text(encoding="utf-8")
            prefix = "" if base == folder else "casr/"
            found = (_case(one[0], prefix) for one in _TEST.finditer(text))
            cases = {case.target: case for case in found if case is not None}
            return Manifest(
                name="casr",
                source="github.com/ispras/casr",
                licence="Apache-2.0",
                cases=tuple(cases.values()),
            )
    return None


def _case(test: str, prefix: str) -> Case | None:
    """A test of a core; those of logs, projects and other tools state something else."""
    paths = [one["path"] for one in _PATHS.finditer(test)]
    classes = [one["name"] for one in _CLASS.finditer(test)]
    if len(paths) < 2 or "/core." not in paths[0] or len(classes) != 1:
        return None
    return Case(
        target=prefix + paths[0],
        executable=prefix + paths[1],
        batch="cores",
        expected=Expected(severity=classes[0]),
    )
