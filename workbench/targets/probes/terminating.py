"""Is a thread inside ``std::terminate``?"""

from typing import TYPE_CHECKING

from workbench.targets.probes.code import Code, code_around
from workbench.targets.probes.stack_scan import CodeMap, return_slots, words_at

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile
    from workbench.targets.notes import CoreThread

_REACH = 0x1000
_SLOTS = 16
_HALVES = 4
_SIGABRT = 6
_NAMES = ("_ZSt9terminatev", "_ZN10__cxxabiv111__terminate", "__verbose_terminate_handler")
_RUNTIMES = ("libstdc++.so", "libc++abi.so")
_SAYS = b"terminate called "


def is_terminating(core: "CoreFile", thread: "CoreThread") -> bool:
    """True when a return address near the stack pointer lies in one of libstdc++'s functions for
    terminating. Without symbols its verbose handler is known by the text that it prints,
    "terminate called after throwing an instance of"."""
    if thread.signal != _SIGABRT or thread.sp is None or core.arch != "x86_64":
        return False
    start = thread.sp & ~7
    code = CodeMap(core)
    for slot in return_slots(code, words_at(core, start, start + _REACH), _SLOTS):
        module = core.module_at(slot.address)
        if module is not None and module.name.startswith(_RUNTIMES):
            return True  # a C++ runtime calls abort(3) for nothing else
        found = core.symbolize(slot.address - 1)
        if found is not None:
            if any(name in found[0] for name in _NAMES):
                return True
        elif _mentions(core, slot.address):
            return True
    return False


def _mentions(core: "CoreFile", address: int) -> bool:
    """Whether the function around an address names the text. Compilers move the rare half of a
    function elsewhere, so what it jumps to outside of itself is looked at as well."""
    function = code_around(core, address)
    if function is None:
        return False
    halves = [function]
    for insn in function.instructions:
        if insn.is_jump and insn.target is not None and insn.target not in function.at:
            other = code_around(core, insn.target) if len(halves) < _HALVES else None
            if other is not None:
                halves.append(other)
    return any(_names_text(core, half) for half in halves)


def _names_text(core: "CoreFile", function: Code) -> bool:
    for insn in function.instructions:
        if insn.mnemonic not in ("lea", "mov"):
            continue
        for operand in insn.operands:
            target = operand.imm
            if operand.mem is not None and operand.mem.base == "rip":
                target = insn.effective(operand.mem, {}, {})
            if target and core.read(target, len(_SAYS)) == _SAYS:
                return True
    return False
