"""The backward slice itself, over code that is made here."""

from types import SimpleNamespace
from typing import Any

import pytest

from workbench.targets.probes import slicer, x86
from workbench.targets.probes.code import Instructions, _linked
from workbench.targets.probes.explain import explain


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


@pytest.mark.parametrize(
    ("start", "is_array"),
    [("41bc00000000", True), ("4531e4", True), ("4c8b6338", False)],
    ids=["counted from nought", "cleared", "loaded"],
)
def test_what_a_loop_counts_on_is_no_pointer(start: str, is_array: bool) -> None:
    """Of two zeros that are added the one that a loop counts from nought is the index."""
    loop = "4d89e5 4c036b50 49894500 4983c410 4d39f4 75ec"
    # L: mov r13, r12; add r13, [rbx + 0x50]; mov [r13], rax; add r12, 16; cmp r12, r14; jne L
    found = bytes.fromhex(start + loop)
    code = _linked(Instructions(found, 0x1000, x86.outline(found, 0x1000)), exact=True)
    core: Any = SimpleNamespace(
        region=lambda _: None, number=lambda *_: 0, symbolize=lambda _: None
    )
    held = {"rbx": 0x9000, "r12": 0, "r13": 0}
    steps = explain(slicer.Slicer(core, code, 3, held), "r13")

    assert (0x9050 in [step.source for step in steps]) is is_array
