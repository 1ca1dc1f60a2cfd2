"""Which modules and functions are Windows' own, or the C and C++ runtime's."""

import re

from workbench.model.facts import Frame

# As a debugger names modules (no extension, "ntdll_77060000" where two are loaded) and as files.
_SYSTEM = re.compile(
    r"^(?:ntdll|kernel32|kernelbase|kernel|wow64\w*|ucrtbase\w*|msvcrt\w*|msvcr\d+\w*|msvcp\w*|vcruntime\w*"
    r"|concrt\w*|user32|win32u|gdi32\w*|verifier|vrfcore|vfbasics|apphelp|combase|ole32|oleaut32|rpcrt4"
    r"|sechost|clr|coreclr|mscorwks|clrjit|mscoreei|mscoree|hostfxr|hostpolicy|ntoskrnl|ntkrnl\w*|nt"
    r"|hal|halmacpi|win32k\w*|ci|clfs|msasn1|faultrep|wer|dbghelp|dbgeng|csrsrv)(?:_[0-9a-f]{4,16})?"
    r"(?:\.(?:dll|exe|sys))?$",
    re.IGNORECASE,
)
_KERNEL = re.compile(
    r"^(?:nt|hal|halmacpi|ntoskrnl|ntkrnl\w*)(?:_[0-9a-f]{4,16})?(?:\.exe|\.dll)?$", re.I
)
# Functions of the runtime that stand in a program's own module when it is linked statically, and
# what enters it.
_RUNTIME = re.compile(
    r"^_*(?:tmainCRTStartup|mainCRTStartup|w?mainCRTStartup|w?WinMainCRTStartup|scrt_common_main\w*|invoke_main"
    r"|CxxThrowException|abort|w?assert|raise|invalid_parameter\w*|invoke_watson|purecall|amsg_exit"
    r"|report_gsfailure|security_check_cookie|report_rangecheckfailure|chkstk|alloca_probe\w*|alldiv|aulldiv"
    r"|CrtDbg\w+|CrtIsValid\w+|free_dbg\w*|malloc_dbg\w*|nh_malloc\w*|heap_alloc\w*|free|free_base|malloc|calloc"
    r"|realloc|operator (?:new|delete)\S*|mem(?:cpy|set|move|cmp)\w*|str(?:len|cpy|cat|cmp|ncpy)\w*"
    r"|wcs(?:len|cpy|cat|cmp)\w*|fastfail|debugbreak|common_assert\w*|VCrtDbgReport\w*|CRT_RTC_\w+|RTC_\w+"
    r"|exit|cexit|terminate|std::terminate|FindAndUnlinkFrame|except_handler\d\w*)$"
)


def is_system_module(module: str | None) -> bool:
    """True for Windows' own libraries and the C, C++ and .NET runtimes'."""
    return module is not None and bool(_SYSTEM.match(_base(module)))


def is_kernel_module(module: str | None) -> bool:
    """True for the kernel itself and its hardware layer."""
    return module is not None and bool(_KERNEL.match(_base(module)))


def is_system_frame(frame: Frame) -> bool:
    """True when a frame runs no code of the application's own."""
    if is_system_module(frame.module):
        return True
    return frame.function is not None and bool(_RUNTIME.match(frame.function))


def _base(module: str) -> str:
    return re.split(r"[\\/]", module)[-1]
