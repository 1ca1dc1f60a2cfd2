"""The addresses that a function's instructions name: texts, tables, places in its own source."""

from collections.abc import Iterator

from workbench.targets.dump import Dump
from workbench.targets.probes.code import Code


def named_by(function: Code) -> Iterator[tuple[int, int]]:
    """(index of the instruction, address) for each address that a ``lea`` or ``mov`` holds, in
    the order of the instructions."""
    for index, item in enumerate(function.instructions.outlines):
        if item.mnemonic not in ("lea", "mov") or "0x" not in item.operands:
            continue
        insn = function.instructions[index]
        for operand in insn.operands:
            target = operand.imm
            if operand.mem is not None and operand.mem.base == "rip":
                target = insn.effective(operand.mem, {}, {})
            if target and target > 0:
                yield index, target


def names_text(core: Dump, function: Code, texts: tuple[bytes, ...]) -> bytes | None:
    """The first of some texts that the function names by its beginning."""
    longest = max(len(text) for text in texts)
    for _, target in named_by(function):
        raw = core.read(target, longest) or b""
        found = next((text for text in texts if raw.startswith(text)), None)
        if found is not None:
            return found
    return None
