"""A hand-typed session without the line that says why the program stopped."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C

TYPED = """\
(gdb) bt
#0  0x000055d0c0de1242 in price (item=0x0, count=1) at till.c:8
#1  0x000055d0c0de12e5 in main (argc=1, argv=0x7ffc00) at till.c:19
(gdb) p $_siginfo._sifields._sigfault.si_addr
$1 = (void *) {address}
(gdb) quit
"""


def test_an_address_near_null_is_enough_to_propose(tmp_path: Path) -> None:
    read = read_text(tmp_path, TYPED.replace("{address}", "0x18"))
    assert read.category is C.NULL_POINTER_DEREFERENCE
    assert read.function == "price"
    assert "0x18" in read.cause
    assert read.cause.startswith("A pointer close to null")
    assert read.verdict is not None
    assert read.verdict.confidence <= 0.65
    assert "close to null" in read.verdict.reason


@pytest.mark.parametrize("address", ["0x3e8000012ab", "0x55d0c0de1242", "<optimized out>"])
def test_any_other_address_alone_proves_nothing(tmp_path: Path, address: str) -> None:
    assert read_text(tmp_path, TYPED.replace("{address}", address)).category is None


@pytest.mark.parametrize(
    ("address", "category"), [("0x7fffff7feefc", None), ("0x123456789018", C.WILD_POINTER)]
)
def test_an_address_where_stacks_lie_may_be_a_stack_that_ran_out(
    tmp_path: Path, address: str, category: C | None
) -> None:
    read = read_text(
        tmp_path,
        "(lldb) run\n* thread #1, name = 'till', stop reason = signal SIGSEGV: invalid address "
        f"(fault address: {address})\n    frame #0: 0x00005555555551a2 till`down(n=9) at a.c:1:41"
        "\n(lldb) quit\n",
    )
    assert read.category is category
