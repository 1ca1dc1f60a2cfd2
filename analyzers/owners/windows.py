"""Whose a frame is on Windows: by its module; by name where the runtime is linked statically."""

import re
from functools import cache

from analyzers.owners.modules import is_system_module
from workbench.model.facts import Frame


@cache
def _runtime() -> re.Pattern[str]:
    """Functions of Microsoft's C and C++ runtime (vcruntime, ucrt, their debug versions) that stand
    in a program's own module when they are linked statically, and what enters it."""
    return re.compile(
        r"^_*(?:tmainCRTStartup|mainCRTStartup|w?mainCRTStartup|w?WinMainCRTStartup"
        r"|scrt_common_main\w*|invoke_main"
        r"|CxxThrowException|abort|w?assert|raise|invalid_parameter\w*|invoke_watson|purecall"
        r"|amsg_exit|report_gsfailure|security_check_cookie|report_rangecheckfailure|chkstk"
        r"|alloca_probe\w*|alldiv|aulldiv"
        r"|CrtDbg\w+|CrtIsValid\w+|free_dbg\w*|malloc_dbg\w*|nh_malloc\w*|heap_alloc\w*|free"
        r"|free_base|malloc|calloc|realloc|operator (?:new|delete)\S*|mem(?:cpy|set|move|cmp)\w*"
        r"|str(?:len|cpy|cat|cmp|ncpy)\w*|wcs(?:len|cpy|cat|cmp)\w*|fastfail|debugbreak"
        r"|common_assert\w*|VCrtDbgReport\w*|CRT_RTC_\w+|RTC_\w+|failwithmessage"
        r"|MemoryProtection::CMemoryProtector::\w+"  # MSHTML's, which frees later
        r"|exit|cexit|terminate|std::terminate|FindAndUnlinkFrame|except_handler\d\w*)$"
    )


def is_system_frame(frame: Frame) -> bool:
    """True when a frame runs no code of the application's own."""
    if is_system_module(frame.module):
        return True
    return frame.function is not None and bool(_runtime().match(frame.function))
