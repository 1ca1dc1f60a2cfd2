"""32-bit programs on 64-bit Windows, in a dump that a 64-bit tool wrote.

Such a dump has the registers of the 64-bit layer (wow64cpu.dll). Those of the program stand where
the second TLS slot of the thread's 64-bit TEB points to, behind two 16-bit words (``winternl.h``
and ntdll's symbols: _TEB.TlsSlots, WOW64_TLS_CPURESERVED, _WOW64_CPURESERVED).
"""

from workbench.targets.minidump.contexts import Context, read_context
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.modules import last_part
from workbench.targets.minidump.system import DumpThread

_SLOT = 0x1480 + 8
_HEAD = 4
_SIZE = 716  # WOW64_CONTEXT


def is_wow64(dump: MinidumpFile) -> bool:
    """True when a 64-bit dump is of a 32-bit process."""
    if dump.arch != "x86_64" or dump.system.family != "windows":
        return False
    return any(last_part(module.path).lower() == "wow64.dll" for module in dump.loaded)


def inner_context(dump: MinidumpFile, thread: DumpThread) -> Context | None:
    """The program's own registers of one thread, None where the dump does not hold them."""
    if not thread.teb:
        return None
    at = dump.read_word(thread.teb + _SLOT)
    raw = dump.read(at + _HEAD, _SIZE) if at else None
    context = read_context(raw, "<", "x86") if raw is not None else None
    return context if context is not None and context.cpu == "x86" and context.pc else None
