"""The backward slice itself, over code that is made here."""

from typing import Any

import pytest

from workbench.targets.probes import slicer, x86
from workbench.targets.probes.code import Instructions, _linked


def test_a_long_way_back_is_undone_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a way asks for registers at its own place: all steps behind it are known."""
    undone: list[int] = []

    def counted(insn: Any, register: str, value: int, undo: Any = slicer._undo) -> int | None:
        undone.append(insn.address)
        return undo(insn, register, value)  # type: ignore[no-any-return]

    monkeypatch.setattr(slicer, "_undo", counted)
    store, count = bytes.fromhex("48894308"), 300  # mov qword ptr [rbx + 8], rax
    found = (bytes.fromhex("4883c310") + store) * count  # add rbx, 16
    code = _linked(Instructions(found, 0x1000, x86.outline(found, 0x1000)), exact=True)
    last = len(code.instructions) - 1
    asked = slicer.Slicer(Any, code, last, {"rbx": 0x9000})  # type: ignore[arg-type]
    at = 2 * count // 3 * 2 + 1
    cell = 0x9000 - 16 * ((last - at) // 2) + 8
    ways, unset = slicer.last_stores(asked, cell, (last, None), 0)
    assert ([way[0] for way in ways], unset) == ([at], False)
    assert len(undone) <= last
