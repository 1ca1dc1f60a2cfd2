"""Is a thread inside ``std::terminate``?"""

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.code import code_around
from workbench.targets.probes.named import names_text
from workbench.targets.probes.stack_scan import CodeMap, return_slots, words_at
from workbench.targets.probes.transfer import call_ending_at

_REACH = 0x1000
_SLOTS = 16
_HALVES = 4
_SIGABRT = 6
_NAMES = ("_ZSt9terminatev", "_ZN10__cxxabiv111__terminate", "__verbose_terminate_handler")
_RUNTIMES = ("libstdc++.so", "libc++abi.so")
_SAYS = (b"terminate called ", b"  what():  ")


def is_terminating(core: Dump, thread: CoreThread) -> bool:
    """True when a return address near the stack pointer lies in one of libstdc++'s functions for
    terminating. Without symbols its verbose handler is known by what it prints, "terminate called
    after throwing an instance of" and "what():"."""
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


def _mentions(core: Dump, address: int) -> bool:
    """Whether the function that an address is returned to in names one of the texts. Compilers
    move the rare half of a function elsewhere, so what it jumps to is looked at as well."""
    call = call_ending_at(core, address)
    function = code_around(core, call.address) if call is not None else None
    if function is None:
        return False
    halves = [function]
    for item in function.instructions.outlines:
        if item.target is not None and item.target not in function.at and len(halves) < _HALVES:
            other = code_around(core, item.target)
            if other is not None:
                halves.append(other)
    return any(names_text(core, half, _SAYS) for half in halves)
