"""A recursion that is a library's own is the caller's that went into it."""

from analyzers.base import Document
from analyzers.patterns.stack_overflow import STACK_OVERFLOW
from analyzers.registry import analyze
from tests.claims.holding import unproved
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Process, Signal
from workbench.model.hypothesis import Status

_STACK = """\
thread 41
stack 0x7ffc00000000-0x7ffc00800000: 8388608 bytes, of the first thread
stack pointer 0x7ffc00000000: 0 bytes above the stack's lowest mapped address
below the stack: unmapped
fault address 0x7ffbfffffff8: outside this stack, unmapped
stack overflow: the access at 0x7ffbfffffff8 lies 8 bytes below the stack's lowest mapped address \
0x7ffc00000000
recursion: return address 0x55babed24966 stands 65491 times on the stack, every 0x80 bytes: \
core::ptr::drop_in_place<shop::Step> in shop at offset 0x15966
recursion entered: from return address 0x55babed24a10: core::mem::drop<shop::Step> in shop at \
offset 0x15a10
recursion entered: from return address 0x55babed25c93: shop::clear in shop at offset 0x16c93
"""
_FRAMES = "".join(
    f"#{n}  0x000055babed24966 in core::ptr::drop_in_place<shop::Step> () at "
    "/rustc/59807616e1fa/library/core/src/ptr/mod.rs:805\n"
    for n in range(20)
)


def test_the_caller_that_went_into_the_recursion_is_named() -> None:
    facts = FactBook([
        Process(cite=Citation("E1", 1), pid=41, command_line=None, executable="/srv/shop",
                arch="x86_64", os="Linux", threads=(41,), snapshot=False),
        Signal(cite=Citation("E1", 2), number=11, name="SIGSEGV", thread=41),
        *analyze(Document("E2", "@stack", "dump", _STACK)).facts,
        *analyze(Document("E3", "bt 64", "gdb", _FRAMES)).facts,
    ])  # fmt: skip
    verdict = STACK_OVERFLOW.evaluate(facts)
    assert verdict.status is Status.CONFIRMED
    assert not unproved(verdict.claims[:2], facts, {"E2": _STACK, "E3": _FRAMES})
    assert verdict.claims[0].text == ("`shop::clear` went into a recursion that ran out of stack.")
    assert verdict.claims[1].text.endswith(
        "is `core::ptr::drop_in_place<shop::Step>` at `mod.rs:805`."
    )
