"""What a failed access of the kernel went to, by the report's words, else by its machine state."""

import re

from analyzers.base import hexadecimal
from analyzers.log import kinds as log_kinds
from analyzers.log.kernel_words import NON_CANONICAL, NULL, SANITIZER
from workbench.model.category import Category as C

ACCESS = (
    re.compile(
        r"^\s*(?P<access>Read|Write|Free) (?:of (?:size (?P<size>\d{1,12}) )?)?(?:at )?(?:addr )?"
        r"(?P<address>(?:0x)?[0-9a-f]{8,16})?\s?by task"
    ),
    re.compile(
        r"^\s*(?P<access>read|write|race) (?:\(marked\) )?to (?P<address>0x[0-9a-f]{8,16}) of "
        r"(?P<size>\d{1,9}) bytes by"
    ),
    re.compile(r"#PF: (?:supervisor|user) (?P<access>read|write|instruction)(?: fetch)?"),
)
"""What the lines behind a report's first one say of the access."""
_NULL_RANGE = re.compile(
    r"^KASAN: (?P<kind>null-ptr-deref|probably user-memory-access|"
    r"maybe wild-memory-access) in range"
)
# x86: the bytes around the instruction, itself in angle brackets (arch/x86/kernel/dumpstack.c).
_CODE = re.compile(
    r"^Code: (?:[0-9a-f]{2} ){0,64}<(?P<first>[0-9a-f]{2})>(?P<rest>(?: [0-9a-f]{2}){0,32})"
)
_AT_NULL = re.compile(r"^(?:PC is at|pc :) 0x0+$|\bRIP: [0-9a-f]{4}:(?:0x0+|\[<0+>\])(?=\s|$)")
_REGISTER = re.compile(r"\b(?P<name>R[A-Z][A-Z]|R\d\d): (?P<value>[0-9a-f]{16})\b")
_SHADOW = 0xDFFFFC0000000000
"""Where KASAN's shadow of address 0 lies on x86-64 (KASAN_SHADOW_OFFSET, arch/x86/Kconfig); a byte
of it stands for eight bytes."""
_TOP = 1 << 64
_LONGEST = 16


def address_of(line: str) -> int | None:
    """The address that a report's first line names."""
    for pattern in (SANITIZER, NULL, NON_CANONICAL):
        match = pattern.search(line)
        given = match.groupdict() if match is not None else {}
        if text := given.get("address") or given.get("at"):
            return 0 if text == "null" else hexadecimal(text)
    return None


def by_address(block: list[tuple[int, str]], address: int | None, access: str | None) -> C | None:
    """A bad access of the kernel by where it went; KASAN says what a protection fault was, else the
    instruction and the registers do."""
    for _, line in block[:6]:
        known = _NULL_RANGE.match(line)
        if known is not None:
            null = known["kind"] == "null-ptr-deref"
            return C.NULL_POINTER_DEREFERENCE if null else C.WILD_POINTER
    text = block[0][1]
    if "write to read-only memory" in text:
        return C.WRITE_TO_READ_ONLY_MEMORY
    if "external abort" in text:  # the address is mapped; what lies there did not answer
        return C.BUS_ERROR
    if address is None and "NULL pointer" not in text:
        decoded = decoded_address(block)
        if decoded is not None and decoded < log_kinds.NEAR_NULL:
            return C.NULL_POINTER_DEREFERENCE
        return C.WILD_POINTER
    if address is not None and 0 <= address - _SHADOW < log_kinds.NEAR_NULL >> 3:
        return C.NULL_POINTER_DEREFERENCE
    jumped = access == "execute" or (address == 0 and any(_AT_NULL.search(t) for _, t in block))
    if jumped and (address or 0) < log_kinds.NO_CODE:
        return C.NULL_FUNCTION_POINTER_CALL
    if "NULL pointer" in text or (address is not None and address < log_kinds.NEAR_NULL):
        return C.NULL_POINTER_DEREFERENCE
    return C.WILD_POINTER


def decoded_address(block: list[tuple[int, str]]) -> int | None:
    """Where the faulting instruction went, by its bytes and the registers: what a protection fault
    itself does not say. KASAN's look into its shadow stands for the access that it guards."""
    code = next((m for _, text in block if (m := _CODE.match(text.strip()))), None)
    if code is None:
        return None
    registers: dict[str, int] = {}
    for _, text in block:
        for found in _REGISTER.finditer(text):
            registers.setdefault(found["name"].lower(), int(found["value"], 16))
        if len(registers) >= 17:
            break
    data = bytes.fromhex(code["first"] + code["rest"].replace(" ", ""))[:_LONGEST]
    address = _operand(data, registers)
    if address is None:
        return None
    return (address - _SHADOW) << 3 if 0 <= address - _SHADOW < 1 << 45 else address


def _operand(data: bytes, registers: dict[str, int]) -> int | None:
    """The address of the one memory operand of an x86-64 instruction."""
    import capstone

    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    instruction = next(decoder.disasm(data, 0, 1), None)
    if instruction is None or instruction.mnemonic.startswith("lea"):
        return None
    for operand in instruction.operands:
        if operand.type != capstone.x86.X86_OP_MEM:
            continue
        total = operand.mem.disp
        for number, scale in ((operand.mem.base, 1), (operand.mem.index, operand.mem.scale)):
            if not number:
                continue
            value = registers.get(_padded(instruction.reg_name(number)))
            if value is None:
                return None
            total += value * scale
        return int(total % _TOP)
    return None


def _padded(name: str) -> str:
    """A register as the kernel names it: ``r8`` is ``r08``."""
    return f"r0{name[1:]}" if len(name) == 2 and name[1:].isdigit() else name
