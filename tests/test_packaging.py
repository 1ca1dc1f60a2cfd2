"""What a wheel carries, and that it works where nothing else of the project is."""

import ast
import functools
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("workbench", "analyzers", "prompts")
_distributions = functools.cache(packages_distributions)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    return next(folder.glob("*.whl"))


def test_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == expected
    assert {"workbench/samples/core.zst", "workbench/samples/server.c"} <= names


def test_wheel_works_alone(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(home)
    script = (
        "import json, pathlib, sys, workbench.samples as samples\n"
        "made = samples.demo_files(pathlib.Path(sys.argv[1]))\n"
        "print(json.dumps([samples.__file__, str(made.core), made.core.stat().st_size]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "cache")],
        cwd=tmp_path, check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(home)},
    )  # fmt: skip
    file, core, size = json.loads(done.stdout)
    assert file.startswith(str(home))
    assert Path(core).stat().st_size == size > 0


def test_every_import_is_a_dependency() -> None:
    """An extra that only developers have must not be needed to run."""
    declared, foreign = _declared(), _foreign_imports()
    missing = {
        name: files for name, (providers, files) in foreign.items() if not declared & providers
    }
    assert missing == {}


def test_every_dependency_is_needed() -> None:
    used = set[str]().union(*(providers for providers, _ in _foreign_imports().values()))
    assert _declared() <= used


def test_every_dependency_is_pinned() -> None:
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    pinned = {_normal(name) for name in pins}
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    assert {_normal(re.split(r"[<>=!~; \[]", line)[0]) for line in wanted} <= pinned


def _declared() -> set[str]:
    return {_normal(re.split(r"[<>=!~; \[]", line)[0]) for line in PROJECT["dependencies"]}


@functools.cache
def _foreign_imports() -> dict[str, tuple[set[str], set[str]]]:
    """Each top-level name that our packages import from elsewhere: the distributions that hold it
    and the files that import it."""
    providers = _distributions()
    found: dict[str, tuple[set[str], set[str]]] = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            beside = {one.name for one in [path.parent, *path.parent.iterdir()] if one.is_dir()}
            for name in _imported(path) - sys.stdlib_module_names - set(PACKAGES) - beside:
                holders = {_normal(provider) for provider in providers.get(name, [])}
                found.setdefault(name, (holders, set()))[1].add(str(path.relative_to(ROOT)))
    return found


def _imported(path: Path) -> set[str]:
    names = set()
    tree = ast.parse(path.read_text())
    if "import_module(" in path.read_text():  # a table's rows name what they load
        tables = [node.values for node in ast.walk(tree) if isinstance(node, ast.Dict)]
        strings = {n.value for row in tables for n in row if isinstance(n, ast.Constant)}
        names |= {name for name in _distributions() if name in strings}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
