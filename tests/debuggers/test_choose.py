"""The best debugger that is installed opens a target, and says why it is that one."""

from pathlib import Path

import pytest

from workbench.debuggers import choose as choosing
from workbench.debuggers.choose import Choice, choose, make
from workbench.debuggers.protocol import DebuggerUnavailable, Recipe
from workbench.model.target import Target, TargetKind


def target(kind: TargetKind, **more: str) -> Target:
    return Target(path="/d", kind=kind, size=1, arch="x86_64", os="linux", **more)  # type: ignore[arg-type]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Backends that are not installed."""
    gone: list[str] = []
    found = choosing._missing
    monkeypatch.setattr(
        choosing, "_missing", lambda name: f"no {name} here" if name in gone else found(name)
    )
    return gone


def test_an_elf_core_is_gdbs_and_then_lldbs(without: list[str]) -> None:
    core = target(TargetKind.ELF_CORE)
    assert choose(core, "auto", {}) == Choice("gdb", "gdb reads ELF cores best")
    without.append("gdb")
    assert choose(core, "auto", {}) == Choice("lldb", "lldb reads ELF cores; no gdb here")
    without.append("lldb")
    assert choose(core, "auto", {}) == Choice("none", "no gdb here; no lldb here")


def test_a_minidump_is_lldbs_and_a_log_is_replayed() -> None:
    assert choose(target(TargetKind.MINIDUMP), "auto", {}).name == "lldb"
    assert choose(target(TargetKind.MACHO_CORE), "auto", {}).name == "lldb"
    assert choose(target(TargetKind.TRANSCRIPT), "auto", {}).name == "replay"


def test_what_is_named_is_taken_and_fails_by_name(without: list[str]) -> None:
    without.append("gdb")
    core = target(TargetKind.ELF_CORE)
    assert choose(core, "gdb", {}).name == "gdb"
    assert choose(core, "auto", {"gdb": Path("/mine")}).name == "gdb"


async def test_one_that_is_missing_says_so_when_it_starts() -> None:
    debugger = make(Recipe(core=Path("/d"), debugger="gdb"), {"gdb": Path("/nonexistent/gdb")})
    assert debugger is not None
    with pytest.raises(DebuggerUnavailable, match="no gdb at"):
        await debugger.start()
    assert make(Recipe(core=Path("/d"), debugger="none"), {}) is None
