"""What each system's module needs, and that nobody is sent to what does not help there."""

import pytest

from workbench.model.citation import Citation
from workbench.model.facts import Module
from workbench.model.symbols import module_state


def _todo(system: str, *, status: str = "missing", symbols: str = "unknown") -> str:
    windows = system.startswith("Windows")
    module = Module(
        cite=Citation("E1", 1, 1), name="till", base=0x1000, end=0x2000, build_id="0a0b",
        path="C:\\app\\till.dll" if windows else "/srv/libtill.so",
        debug_file="D:\\build\\till.pdb" if windows else None,
        status=status, symbols=symbols,
    )  # fmt: skip
    return module_state(module, system).todo


@pytest.mark.parametrize(
    ("system", "said", "never"),
    [
        ("linux", "workbench collect", "PDB"),
        ("Linux", "workbench collect", "PDB"),
        ("Windows NT", "put till.pdb in", "collect"),
        ("macos", "--sysroot DIR", "collect"),
        ("iOS", "--sysroot DIR", "collect"),
    ],
)
def test_a_module_that_is_missing(system: str, said: str, never: str) -> None:
    assert said in _todo(system)
    assert never not in _todo(system)


def test_a_module_without_lines() -> None:
    assert "dSYM of UUID 0a0b" in _todo("macOS", status="found", symbols="symbols")
    assert "/usr/lib/debug" in _todo("linux", status="found", symbols="stripped")
    assert _todo("Windows NT", status="found", symbols="debug-info") == ""
