"""The backward slice itself, over code that is made here."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.crashes import build, crash
from workbench.targets.identify import open_core
from workbench.targets.probes import slicer, x86
from workbench.targets.probes.code import Instructions, _linked, code_around
from workbench.targets.probes.explain import explain
from workbench.targets.probes.history import history
from workbench.targets.probes.places import crashing_thread

_NOTHING: Any = None
"""The dump of code that jumps to no value."""


def test_a_long_way_back_is_undone_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a way asks for registers at its own place: all steps behind it are known."""
    undone: list[int] = []

    def counted(insn: Any, register: str, value: int, undo: Any = slicer._undo) -> int | None:
        undone.append(insn.address)
        return undo(insn, register, value)  # type: ignore[no-any-return]

    monkeypatch.setattr(slicer, "_undo", counted)
    store, count = bytes.fromhex("48894308"), 300  # mov qword ptr [rbx + 8], rax
    found = (bytes.fromhex("4883c310") + store) * count  # add rbx, 16
    code = _linked(_NOTHING, Instructions(found, 0x1000, x86.outline(found, 0x1000)), exact=True)
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
    code = _linked(_NOTHING, Instructions(found, 0x1000, x86.outline(found, 0x1000)), exact=True)
    core: Any = SimpleNamespace(
        region=lambda _: None, number=lambda *_: 0, symbolize=lambda _: None
    )
    held = {"rbx": 0x9000, "r12": 0, "r13": 0}
    steps = explain(slicer.Slicer(core, code, 3, held), "r13")

    assert (0x9050 in [step.source for step in steps]) is is_array


_LONG = """
#include <stdio.h>
#define SAY(n) if (kind == n) printf("%d %d %d %d\\n", n, kind, kind + n, kind * n);
#define MORE(n) SAY(n) SAY(n + 1) SAY(n + 2) SAY(n + 3) SAY(n + 4) SAY(n + 5) SAY(n + 6)
__attribute__((noinline)) int walk(int *kinds, int kind)
{
    if (!kinds)
        *(volatile int *)8 = kind;
    MORE(10) MORE(20) MORE(30) MORE(40) MORE(50) MORE(60)
    return kinds ? *kinds : 0;
}
int main(int count, char **words) { (void)words; return walk(count > 1 ? &count : 0, count); }
"""


def test_a_function_without_unwinding_records_ends_where_its_symbol_does() -> None:
    """A jump back from behind what is looked at is a way to the fault like any other."""
    path = build(_LONG, "-O1", "-fno-asynchronous-unwind-tables")
    with open_core(crash(path), path) as core:
        thread = crashing_thread(core)
        code = code_around(core, (thread and thread.pc) or 0)
        assert code is not None
        assert code.instructions.outlines[-1].address - code.start > 0x400
        assert core.symbol_size(code.start) == code.instructions[-1].end - code.start


_CASES = """
int table[16];
__attribute__((noinline)) int other(int kind, long at) { return kind + (int)at; }
__attribute__((noinline)) int look(int kind, long at)
{
    switch (kind) {
    case 0: return other(4, at) + 9;
    case 1: at = other(3, at); /* fall through */
    case 2: return table[at];
    case 3: return other(7, at + 2) * 3;
    case 4: return other(5, 2) / 5;
    case 5: return other(1, at) - 6;
    }
    return 0;
}
int main(int count, char **words) { (void)words; return look(count + 1, 4000000000L * count); }
"""


@pytest.mark.parametrize("flags", [(), ("-no-pie", "-fno-pie")], ids=["distances", "addresses"])
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_what_a_switch_jumps_to_is_reached_from_its_jump(
    flags: tuple[str, ...], level: str
) -> None:
    """The case in front, which falls through, is one of two ways: neither alone set the index."""
    path = build(_CASES, level, *flags)
    with open_core(crash(path), path) as core:
        thread = crashing_thread(core)
        pc = (thread and thread.pc) or 0
        code = code_around(core, pc)
        assert code is not None
        (mem,) = [one.mem for one in code.instructions[code.at[pc]].operands if one.mem]
        asked = slicer.Slicer(core, code, code.at[pc], {})
        assert len(list(asked.definitions(mem.index or ""))) > 1


@pytest.mark.parametrize(
    ("other", "told"), [("488b6d10", []), ("bd07000000", ["constant"])], ids=["loaded", "set"]
)
def test_of_two_ways_to_null_one_is_told_where_the_other_gives_something_else(
    other: str, told: list[str]
) -> None:
    """A walk's ``p = p->next`` gives null as often as ``p = 0`` before its loop."""
    skipped = bytes([0x74, len(bytes.fromhex(other))])  # je
    found = bytes.fromhex("bd0000000085c0") + skipped + bytes.fromhex(other + "488b4518")
    # mov ebp, 0; test eax, eax; je L; mov rbp, [rbp + 0x10] or mov ebp, 7; L: mov rax, [rbp + 0x18]
    core: Any = SimpleNamespace(
        region=lambda _: None, number=lambda *_: None, symbolize=lambda _: None
    )
    code = _linked(core, Instructions(found, 0x1000, x86.outline(found, 0x1000)), exact=True)
    steps = explain(slicer.Slicer(core, code, 4, {"rbp": 0}), "rbp")

    assert [step.kind for step in steps] == told


_KEPT_OVER_A_CALL = """
__asm__(".text\\n.type less, @function\\nless:\\n.cfi_startproc\\n"
        "sub $1, %edi\\nmov %edi, %eax\\nret\\n.cfi_endproc\\n.size less, .-less\\n"
        ".type more, @function\\nmore:\\n.cfi_startproc\\nmov $9, %{}\\nret\\n.cfi_endproc\\n"
        ".size more, .-more\\n"
        ".globl use\\n.type use, @function\\nuse:\\n.cfi_startproc\\nmov %rsi, %rdx\\ncall less\\n"
        "call more\\nmov (%rdx), %rax\\nret\\n.cfi_endproc\\n.size use, .-use\\n");
long use(long by, long *at);
int main(int c, char **v) {{ return use(c, (long *)(long)(c << 4)); }}
"""


@pytest.mark.parametrize(("sets", "kinds"), [("ecx", ["copy", "argument"]), ("dx", ["call"])])
def test_a_register_that_the_called_functions_leave_alone(sets: str, kinds: list[str]) -> None:
    """A compiler that sees both keeps a value there over the call (gcc -O2, -fipa-ra)."""
    with open_core(crash(build(_KEPT_OVER_A_CALL.format(sets), "-O1"))) as core:
        thread = crashing_thread(core)
        assert thread is not None
        assert thread.pc is not None
        code = code_around(core, thread.pc)
        assert code is not None
        asked = slicer.Slicer(core, code, code.at[thread.pc], thread.registers)
        assert [step.kind for step in explain(asked, "rdx")] == kinds


_SAME = """
int *same(int *given) { return given; }
int main(int count, char **words) { (void)words; return *same((int *)(long)(0x770000000 + count)); }
"""


def test_a_function_that_gives_back_what_it_was_given_copied_it() -> None:
    with open_core(crash(build(_SAME, "-g", "-O0"))) as core:
        thread = crashing_thread(core)
        assert thread is not None
        assert thread.pc is not None
        steps = history(core, thread.pc, "rax", thread.registers)
    assert "call" not in [step.kind for step in steps]
