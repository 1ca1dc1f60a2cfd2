"""Cores of a small program on both processors, built once."""

import struct

from tests.targets.macho.build import (
    ARM,
    DYLINKER,
    PAGE,
    PROGRAM,
    X86,
    FakeMachCore,
    Piece,
    arm_thread,
    dyld_infos,
    image,
    x86_thread,
)

BASE, DYLD, STACK = 0x100000000, 0x200000000, 0x16FDFE000
READ_ITEM, MAIN = BASE + 0x800, BASE + 0x840
# read_item: p = p->next; return p->id. main: calls it.
_X86_CODE = bytes.fromhex("488b4708 8b00 c3").ljust(0x40, b"\x90") + (
    bytes.fromhex("554889e5 e8") + struct.pack("<i", 0x800 - 0x849) + bytes.fromhex("5dc3")
)
_ARM_CODE = bytes.fromhex("000440f9 000040b9 c0035fd6").ljust(0x40, b"\0") + bytes.fromhex(
    "fd7bbfa9 fd030091 eeffff97 fd7bc1a8 c0035fd6"
)
_SYMBOLS = {"read_item": READ_ITEM, "main": MAIN}


def pieces(cpu: int, dyld: bool = True) -> list[Piece]:
    """The program's memory: its image, dyld with its list, and a stack of two pages."""
    code = _X86_CODE if cpu == X86 else _ARM_CODE
    data = bytes(0x100) + struct.pack("<QQ", 7, 0)
    found = image(cpu, PROGRAM, BASE, code, symbols=_SYMBOLS, name=b"/usr/lib/dyld", data=data)
    if dyld:
        at = DYLD + PAGE
        paths = [(BASE, at + 0x200), (DYLD, at + 0x240)]
        infos, array = dyld_infos(at + 0x100, paths, DYLD)
        held = infos.ljust(0x100, b"\0") + array.ljust(0x100, b"\0")
        held += b"/Users/me/app\0".ljust(0x40, b"\0") + b"/usr/lib/dyld\0"
        found += image(
            cpu, DYLINKER, DYLD, b"\0\0\0\0", uuid=b"D" * 16, data=held, infos_at=at,
            symbols={"dyld_all_image_infos": at}, name=b"/usr/lib/dyld",
        )  # fmt: skip
    stack = bytearray(2 * PAGE)
    frame = (BASE + 0x849, STACK + PAGE + 16, 0) if cpu == X86 else (STACK + PAGE + 32, MAIN, 0)
    struct.pack_into("<QQQ", stack, PAGE, *frame)
    return [*found, Piece(STACK, bytes(stack))]


def null_read(cpu: int) -> FakeMachCore:
    """read_item was given an item whose next is null; a second thread waits."""
    sp = STACK + PAGE
    if cpu == X86:
        first = x86_thread(
            {"rip": READ_ITEM + 4, "rdi": BASE + PAGE + 0x100, "rsp": sp, "rbp": sp + 8,
             "cs": 0x2B, "eflags": 0x246},
            (14, 4, 0),
        )  # fmt: skip
        second = x86_thread({"rip": DYLD + 0x800, "rsp": sp + 0x800, "cs": 0x2B}, (133, 0, 0))
    else:
        first = arm_thread(
            {"pc": READ_ITEM + 4, "x0": 0, "x30": MAIN + 12, "x29": sp, "sp": sp},
            0, 0x24 << 26 | 1 << 25 | 0x06,
        )  # fmt: skip
        second = arm_thread({"pc": DYLD + 0x800, "sp": sp + 0x800}, 0, 0x15 << 26)
    return FakeMachCore(cpu, pieces(cpu), [second, first])


__all__ = ["ARM", "X86", "null_read", "pieces"]
