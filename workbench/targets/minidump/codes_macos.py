"""Names of Mach exceptions and of their codes (``mach/exception_types.h``, ``mach/kern_return.h``,
``mach/i386/exception.h``, ``mach/arm/exception.h``)."""

SIMULATED, FROM_NSEXCEPTION = 0x43507378, 0x43506E78
"""Crashpad's own: a dump without a crash, and an uncaught NSException (``mach_extensions.h``)."""
BAD_ACCESS, BAD_INSTRUCTION, ARITHMETIC, SOFTWARE, BREAKPOINT, CRASH = 1, 2, 3, 5, 6, 10
RESOURCE, GUARD = 11, 12

_TYPES = {
    BAD_ACCESS: "EXC_BAD_ACCESS", BAD_INSTRUCTION: "EXC_BAD_INSTRUCTION",
    ARITHMETIC: "EXC_ARITHMETIC", 4: "EXC_EMULATION", SOFTWARE: "EXC_SOFTWARE",
    BREAKPOINT: "EXC_BREAKPOINT", 7: "EXC_SYSCALL", 8: "EXC_MACH_SYSCALL", 9: "EXC_RPC_ALERT",
    CRASH: "EXC_CRASH", RESOURCE: "EXC_RESOURCE", GUARD: "EXC_GUARD", 13: "EXC_CORPSE_NOTIFY",
    SIMULATED: "SIMULATED", FROM_NSEXCEPTION: "NSEXCEPTION",
}  # fmt: skip
_KERN = {
    1: "KERN_INVALID_ADDRESS", 2: "KERN_PROTECTION_FAILURE", 5: "KERN_FAILURE", 8: "KERN_NO_ACCESS",
    9: "KERN_MEMORY_FAILURE", 10: "KERN_MEMORY_ERROR", 50: "KERN_CODESIGN_ERROR",
}  # fmt: skip
_X86 = {
    BAD_ACCESS: {13: "EXC_I386_GPFLT"},
    BAD_INSTRUCTION: {
        1: "EXC_I386_INVOP", 10: "EXC_I386_INVTSSFLT", 11: "EXC_I386_SEGNPFLT",
        12: "EXC_I386_STKFLT", 13: "EXC_I386_GPFLT", 17: "EXC_I386_ALIGNFLT",
    },
    ARITHMETIC: {
        1: "EXC_I386_DIV", 2: "EXC_I386_INTO", 3: "EXC_I386_NOEXT", 4: "EXC_I386_EXTOVR",
        5: "EXC_I386_EXTERR", 6: "EXC_I386_EMERR", 7: "EXC_I386_BOUND", 8: "EXC_I386_SSEEXTERR",
    },
    BREAKPOINT: {1: "EXC_I386_SGL", 2: "EXC_I386_BPT"},
}  # fmt: skip
_ARM = {
    BAD_ACCESS: {
        0x101: "EXC_ARM_DA_ALIGN", 0x102: "EXC_ARM_DA_DEBUG", 0x103: "EXC_ARM_SP_ALIGN",
        0x104: "EXC_ARM_SWP", 0x105: "EXC_ARM_PAC_FAIL",
    },
    BAD_INSTRUCTION: {1: "EXC_ARM_UNDEFINED"},
    ARITHMETIC: {
        1: "EXC_ARM_FP_IO", 2: "EXC_ARM_FP_DZ", 3: "EXC_ARM_FP_OF", 4: "EXC_ARM_FP_UF",
        5: "EXC_ARM_FP_IX", 6: "EXC_ARM_FP_ID",
    },
    BREAKPOINT: {1: "EXC_ARM_BREAKPOINT"},
}  # fmt: skip
_SOFTWARE = {
    0x10000: "SIGSYS", 0x10001: "SIGPIPE", 0x10002: "SIGABRT", 0x10003: "EXC_SOFT_SIGNAL",
    0xDEADC0DE: "UNCAUGHT_NS_EXCEPTION",
}  # fmt: skip


def is_nsexception(code: int, sub: int) -> bool:
    """True for an Objective-C exception that nobody caught, by Crashpad or by Breakpad."""
    return code == FROM_NSEXCEPTION or (code == SOFTWARE and sub == 0xDEADC0DE)


def name(code: int) -> str | None:
    """``EXC_BAD_ACCESS``, or None."""
    return _TYPES.get(code)


def code_name(code: int, sub: int, arch: str) -> str | None:
    """The name of an exception's code: ``KERN_INVALID_ADDRESS``."""
    if code == SOFTWARE:
        return _SOFTWARE.get(sub)
    if code == BAD_ACCESS and sub in _KERN:
        return _KERN[sub]
    table = _ARM if arch in ("aarch64", "arm") else _X86
    return table.get(code, {}).get(sub)
