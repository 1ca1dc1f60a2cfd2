"""The faulting instruction of each processor: real code of compilers, registers as at a crash.

Each case is (architecture, code, registers, expected lines); the code was made by GCC 12 from
``it->next->id``, ``it->id = 5``, ``it->done(it)`` and the like, or is an assembler's.
"""

import random
import struct
from pathlib import Path

import pytest

from tests.targets.synthetic import PAGE, FakeCore, Load
from workbench.targets.core import CoreFile
from workbench.targets.identify import open_core
from workbench.targets.notes import NT_SIGINFO
from workbench.targets.reader import DumpReader
from workbench.targets.registers import layout

R, W, X = 4, 2, 1
CODE, DATA, STACK = 0x400000, 0x500000, 0x7FFF0000
# machine, bits, byte order, size of pr_reg in words
MACHINES = {
    "aarch64": (183, 64, "<", 34),
    "riscv64": (243, 64, "<", 32),
    "ppc64le": (21, 64, "<", 48),
    "s390x": (22, 64, ">", 27),
    "arm": (40, 32, "<", 18),
    "i386": (3, 32, "<", 17),
    "x86_64": (62, 64, "<", 27),
}
NAMES = {
    "aarch64": ("pc", "sp", "x30"),
    "riscv64": ("pc", "sp", "ra"),
    "ppc64le": ("pc", "r1", "lr"),
    "s390x": ("pswa", "r15", "r14"),
    "arm": ("pc", "sp", "lr"),
    "i386": ("eip", "esp", ""),
    "x86_64": ("rip", "rsp", ""),
}


def made(
    tmp_path: Path,
    arch: str,
    code: str,
    registers: dict[str, int],
    signal: int = 11,
    address: int | None = None,
    stack: bytes = b"",
) -> CoreFile:
    machine, bits, order, count = MACHINES[arch]
    known = layout(arch)
    assert known is not None
    values = [0] * count
    pc, sp, _ = NAMES[arch]
    for name, value in {pc: CODE, sp: STACK + PAGE // 2, **registers}.items():
        values[known.names.index(name)] = value
    word = "Q" if bits == 64 else "I"
    data = struct.pack(f"{order}4{word}", DATA + 64, 0, 0x4141414141414141 >> (64 - bits), CODE)
    loads = [
        Load(CODE, PAGE, R | X, bytes.fromhex(code).ljust(PAGE, b"\0")),
        Load(DATA, PAGE, R | W, data.ljust(PAGE, b"\0")),
        Load(DATA + PAGE, PAGE, R, bytes(PAGE)),
        Load(STACK, PAGE, R | W, bytes(PAGE // 2) + stack.ljust(PAGE // 2, b"\0")),
    ]
    fake = FakeCore(machine, bits, order, loads).thread(77, values, signal)
    if address is not None:
        head = struct.pack(
            order + ("iiii" if bits == 64 else "iii"), *(signal, 0, 1, 0)[: 4 - (bits == 32)]
        )
        fake.note(NT_SIGINFO, (head + struct.pack(order + word, address)).ljust(128, b"\0"))
    path = tmp_path / f"core.{arch}"
    path.write_bytes(fake.build())
    return open_core(path)


CASES = [
    # ldr x0, [x0, #8]; ldr w0, [x0]
    ("aarch64", "000440f9 000040b9", {"pc": CODE + 4, "x0": 0}, 11,
     ["instruction ldr w0, [x0]", "access read at 0x0 through [x0]", "base register x0 = 0x0"]),
    ("aarch64", "a1000052 010000b9", {"pc": CODE + 4, "x0": DATA + PAGE}, 11,
     ["operand [x0] = 0x501000: write of 4 bytes, anonymous r--", "access write at 0x501000"]),
    ("aarch64", "207862f8", {"x1": DATA, "x2": 0x10000000}, 11,
     ["operand [x1 + x2*8] = 0x80500000: read of 8 bytes", "index register x2 = 0x10000000"]),
    ("aarch64", "fd7bbea9", {"sp": STACK + 8}, 11,
     ["operand [sp - 0x20] = 0x7ffeffe8: write of 16 bytes, unmapped"]),
    ("aarch64", "2074 0bd5".replace(" ", ""), {"x0": 0x12345}, 11,
     ["instruction dc zva, x0", "operand [x0] = 0x12340: write of 64 bytes"]),
    ("aarch64", "2000e0f8", {"x1": DATA + 1}, 7,
     ["access write at 0x500001 through [x1]",
      "misaligned: ldaddal wants an address that is a multiple of 8"]),
    ("riscv64", "2fa5b500", {"a1": DATA + 2}, 7,
     ["misaligned: amoadd.w wants an address that is a multiple of 4"]),
    ("arm", "d000c2e1", {"r2": DATA + 2}, 7,
     ["misaligned: ldrd wants an address that is a multiple of 4"]),
    ("arm", "d000c2e1", {"r2": DATA + 4}, 7, ["access none"]),
    ("aarch64", "007d20d4", {}, 5, ["instruction brk #0x3e8", "access none"]),
    ("aarch64", "00000000", {}, 4, ["instruction udf #0"]),
    # ldr x1, [x0]; add x1, x1, #8; blr x1
    ("aarch64", "010040f9 21200091 20003fd6", {"x0": 0x12345678}, 11,
     ["taint call: the value that could not be read reaches x1 of blr x1 at 0x400008"]),
    # ldr x1, [x0]; str w2, [x1, #4]
    ("aarch64", "010040f9 220400b9", {"x0": 0x12345678}, 11,
     ["taint store: the value that could not be read reaches x1 of str w2, [x1, #4]"]),
    # ldr r3, [r0]; bx r3  (T32)
    ("arm", "0368 1847", {"r0": 0x12345678, "cpsr": 0x30}, 11,
     ["taint branch: the value that could not be read reaches r3 of bx r3"]),
    # ld a5, 0(a0); jalr a5
    ("riscv64", "1c61 8297", {"a0": 0x12345678}, 11, ["taint call: ", " reaches a5 of "]),
    # mov edx, [eax]; call [edx+4]
    ("i386", "8b10 ff5204", {"eax": 0x12345678}, 11,
     ["taint call: the value that could not be read reaches edx of call dword ptr [edx + 4]"]),
    # ld r9, 0(r3); std r4, 0(r9)
    ("ppc64le", "000023e9 000089f8", {"r3": 0x12345678}, 11,
     ["taint store: the value that could not be read reaches r9 of std r4, 0(r9)"]),
    # lg %r1, 0(%r2); stg %r3, 8(%r1)
    ("s390x", "e31020000004 e33010080024", {"r2": 0x12345678}, 11,
     ["taint store: ", " reaches r1 of "]),
    # ld a5, 8(a0); lw a0, 0(a5)
    ("riscv64", "1c65 8843", {"pc": CODE + 2, "a5": 0, "a0": DATA}, 11,
     ["instruction c.lw a0, 0(a5)", "access read at 0x0 through [a5]"]),
    ("riscv64", "23b0e5fe", {"a1": 0x20, "a4": 5}, 11,
     ["operand [a1 - 0x20] = 0x0: write of 8 bytes, near null"]),
    ("riscv64", "2fa5b500", {"a1": 0}, 11,
     ["operand [a1] = 0x0: read and write of 4 bytes", "access read at 0x0"]),
    ("riscv64", "0290", {}, 5, ["instruction c.ebreak"]),
    # ld r9, 8(r3); lwz r3, 0(r9)
    ("ppc64le", "080023e9 00006980", {"pc": CODE + 4, "r3": DATA, "r9": 0}, 11,
     ["instruction lwz r3, 0(r9)", "access read at 0x0 through [r9]",
      "origin 1: r9 was loaded with 0x0 from 0x500008"]),
    ("ppc64le", "2e28647c", {"r4": 0x10, "r5": 0x20}, 11,
     ["operand [r4 + r5] = 0x30: read of 4 bytes, near null"]),
    ("ppc64le", "e1ff21f8", {"r1": STACK + 8}, 11,
     ["operand [r1 - 0x20] = 0x7ffeffe8: write of 8 bytes, unmapped"]),
    # lg %r1, 8(%r2); l %r1, 0(%r1)
    ("s390x", "e31020080004 58101000", {"pswa": CODE + 6, "r2": DATA, "r1": 0}, 11,
     ["instruction l %r1, 0(%r1)", "access read at 0x0 through [r1]"]),
    ("s390x", "e54c20000005", {"r2": DATA + PAGE}, 11,
     ["instruction mvhi 0(%r2), 5", "access write at 0x501000"]),
    ("s390x", "d20710002000", {"r1": DATA, "r2": 0x40}, 11,
     ["operand [r2] = 0x40: read of 8 bytes", "access read at 0x40",
      "operand [r1] = 0x500000: write of 8 bytes"]),
    ("s390x", "e31230080004", {"r2": 0x10, "r3": 0x20}, 11, ["operand [r3 + r2 + 0x8] = 0x38"]),
    ("s390x", "b90d0043", {"pswa": CODE + 4, "r3": 0}, 8,
     ["pc 0x400000:", "divisor r3 = 0x0 (8 bytes, dsgr)", "division by zero"]),
    ("s390x", "0001", {"pswa": CODE + 2}, 4, ["no instruction can be decoded at 0x400000"]),
    # ldr r3, [r0, #4]; ldr r0, [r3]  (T32)
    ("arm", "4368 1868", {"pc": CODE + 2, "r0": DATA, "r3": 0, "cpsr": 0x30}, 11,
     ["instruction ldr r0, [r3]", "access read at 0x0 through [r3]"]),
    ("arm", "022191e7", {"r1": DATA, "r2": 0x1000000}, 11, ["= 0x4500000: read of 4 bytes"]),
    ("arm", "10402de9", {"sp": STACK + 4}, 11,
     ["implicit operand [sp - 0x8] = 0x7ffefffc: write of 8 bytes, unmapped"]),
    # mov eax, [edi+4]; mov eax, [eax]
    ("i386", "8b4704 8b00", {"eip": CODE + 3, "edi": DATA, "eax": 0}, 11,
     ["instruction mov eax, dword ptr [eax]", "access read at 0x0 through [eax]"]),
    ("i386", "c70005000000", {"eax": DATA + PAGE}, 11, ["access write at 0x501000"]),
    ("i386", "8b0488", {"eax": DATA, "ecx": 0x1000000}, 11,
     ["operand [eax + ecx*4] = 0x4500000: read of 4 bytes", "decimal 16777216"]),
    ("i386", "f7f9", {"ecx": 0}, 8, ["divisor ecx = 0x0 (4 bytes, idiv)", "division by zero"]),
    ("i386", "f7f9", {"ecx": 0xFFFFFFFF, "eax": 0x80000000, "edx": 0xFFFFFFFF}, 8,
     ["quotient overflow"]),
    ("i386", "f77104", {"ecx": DATA}, 8,  # div dword ptr [ecx + 4]
     ["divisor memory = 0x0 (4 bytes, div)", "division by zero"]),
    ("i386", "0f0b", {}, 4, ["instruction ud2"]),
    ("i386", "a4", {"esi": 0, "edi": DATA}, 11, ["access read at 0x0"]),
    ("i386", "830001", {"eax": 8}, 11, ["access write at 0x8"]),  # add dword ptr [eax], 1
    ("x86_64", "830001", {"rax": 8}, 11, ["access write at 0x8"]),
    ("x86_64", "c00804", {"rax": DATA + PAGE}, 11, ["access write at 0x501000"]),  # ror [rax], 4
    ("x86_64", "db10", {"rax": DATA + PAGE}, 11, ["access write at 0x501000"]),  # fist [rax]
    ("x86_64", "c9", {"rbp": 0x10}, 11, ["access read at 0x10 through [rbp]"]),  # leave
    # mov rsp, [rax]; ret
    ("x86_64", "488b20 c3", {"rax": 0x12345678}, 11,
     ["taint return: the value that could not be read reaches rsp of ret"]),
]  # fmt: skip


@pytest.mark.parametrize(("arch", "code", "registers", "signal", "expected"), CASES)
def test_what_an_instruction_touched(
    tmp_path: Path,
    arch: str,
    code: str,
    registers: dict[str, int],
    signal: int,
    expected: list[str],
) -> None:
    with made(tmp_path, arch, code, registers, signal) as core:
        text = DumpReader(core).answer("@fault")
    for part in expected:
        assert part in text, text


# A call through a register of CODE + 0x10 on, and the registers right behind it.
CALLS = [
    ("aarch64", "20003fd6", "x1", 4),
    ("riscv64", "8297", "a5", 2),
    ("ppc64le", "2104804e", "ctr", 4),
    ("s390x", "0de1", "r1", 2),
    ("arm", "33ff2fe1", "r3", 4),
]


@pytest.mark.parametrize(("arch", "call", "register", "size"), CALLS)
@pytest.mark.parametrize("goal", [0, 0x12345678])
def test_a_call_to_where_no_code_is(
    tmp_path: Path, arch: str, call: str, register: str, size: int, goal: int
) -> None:
    pc, _, link = NAMES[arch]
    back = CODE + 16 + size
    code = "00" * 16 + call
    with made(tmp_path, arch, code, {pc: goal, link: back, register: goal}) as core:
        text = DumpReader(core).answer("@fault")
        assert f"access execute at {goal:#x}" in text
        assert f"transfer call: the return address {back:#x} in {link}" in text
        assert f"at {CODE + 16:#x} (" in text
        assert f"base register {register} = {goal:#x}" in text
        assert "smashed" not in DumpReader(core).answer("@stack")


def test_a_call_on_i386_pushes(tmp_path: Path) -> None:
    code = "00" * 16 + "ff5704"  # call dword ptr [edi + 4]
    stack = struct.pack("<I", CODE + 19)
    with made(tmp_path, "i386", code, {"eip": 0, "edi": DATA}, stack=stack) as core:
        text = DumpReader(core).answer("@fault")
        assert "transfer call: the return address 0x400013" in text
        assert "target cell [edi + 0x4] = 0x500004 (anonymous rw-) holds 0x0" in text


@pytest.mark.parametrize("arch", ["aarch64", "riscv64", "ppc64le", "s390x"])
def test_a_return_to_an_overwritten_address(tmp_path: Path, arch: str) -> None:
    pc, sp, link = NAMES[arch]
    bad = 0x4343434343434340
    order = MACHINES[arch][2]
    stack = b"ABCDEFGH" * 5 + struct.pack(order + "Q", bad) + b"IJKLMNOP" * 8
    at = {"ppc64le": STACK + PAGE // 2 + 24}.get(arch, STACK + PAGE // 2 + 64)
    with made(tmp_path, arch, "00", {pc: bad, link: bad, sp: at}, stack=stack) as core:
        assert "transfer return" in DumpReader(core).answer("@fault")
        text = DumpReader(core).answer("@stack")
        slot = STACK + PAGE // 2 + 40
        assert f"smashed: the return slot {slot:#x} holds {bad:#x}" in text
        assert "runs across the return slot" in text


def test_a_frame_that_power_cannot_have(tmp_path: Path) -> None:
    """stdu moves the stack pointer only if the store works."""
    near = {"r1": STACK + PAGE // 2, "r0": -0x100000 & (1 << 64) - 1}
    with made(tmp_path, "ppc64le", "6a01217c", near) as core:
        assert "stack overflow: the access at" in DumpReader(core).answer("@stack")


def test_siginfo_tells_the_operand(tmp_path: Path) -> None:
    """Of two operands that are both refused the one at si_addr."""
    registers = {"r1": 0x10, "r2": 0x40}
    with made(tmp_path, "s390x", "d20710002000", registers, address=0x10) as core:
        assert "access write at 0x10" in DumpReader(core).answer("@fault")


@pytest.mark.parametrize(
    ("arch", "code", "size", "number", "names"),
    [
        ("aarch64", "010000d4", 4, 131, {"x8"}),
        ("riscv64", "73000000", 4, 131, {"a7"}),
        ("ppc64le", "02000044", 4, 250, {"r0"}),
        ("s390x", "0af1", 2, 0, {"r1"}),
        ("arm", "00df", 2, 268, {"r7"}),
        ("i386", "cd80", 2, 270, {"orig_eax"}),
    ],
)
def test_a_signal_that_the_thread_sent(
    tmp_path: Path, arch: str, code: str, size: int, number: int, names: set[str]
) -> None:
    registers = {NAMES[arch][0]: CODE + size} | dict.fromkeys(names, number)
    with made(tmp_path, arch, code, registers, signal=6) as core:
        text = DumpReader(core).answer("@notes")
        assert "si_code: -6 SI_TKILL (not recorded; the thread stands in tgkill" in text
        assert "it was sent" in DumpReader(core).answer("@fault")


@pytest.mark.parametrize("arch", sorted(MACHINES))
def test_random_code_and_registers(tmp_path: Path, arch: str) -> None:
    """Any bytes and any registers end in an answer."""
    source = random.Random(arch)
    known = layout(arch)
    assert known is not None
    bits = MACHINES[arch][1]
    pc = NAMES[arch][0]
    for _ in range(30):
        registers = {
            name: source.choice((0, 8, DATA, DATA + 2, CODE, STACK + 8, source.getrandbits(bits)))
            for name in known.names
        }
        registers[pc] = source.choice((CODE + 0x40, CODE + 0x41, 0, registers[pc]))
        code = source.randbytes(256).hex()
        signal = source.choice((0, 4, 5, 7, 8, 11))
        stack = source.randbytes(256)
        with made(tmp_path, arch, code, registers, signal, stack=stack) as core:
            for name in ("@fault", "@stack"):
                text = DumpReader(core).answer(name)
                assert all(line.isprintable() for line in text.split("\n")), text


def test_an_instruction_that_the_dump_left_out_was_fetched(tmp_path: Path) -> None:
    """A debugger's core may hold no code: only where the fault is at pc itself is none there."""
    code = {"pc": 0x10000130}
    with made(tmp_path, "ppc64le", "00", code, address=0) as core:
        assert "access execute" not in DumpReader(core).answer("@fault")
    with made(tmp_path, "ppc64le", "00", code, address=0x10000130) as core:
        assert "access execute at 0x10000130" in DumpReader(core).answer("@fault")
