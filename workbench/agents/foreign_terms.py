"""Words of another system: Windows or managed terms in a native ELF core, Linux signals in a
Windows dump, registers of another processor, a kernel's words in a program's dump."""

import re
from collections.abc import Iterator

from workbench.model.facts import BugCheck, Finding, Module, Process
from workbench.model.investigation import Investigation
from workbench.model.target import TargetKind

_WINDOWS = re.compile(
    r"\b(?:HRESULT|NTSTATUS|access violation|structured exception(?: handling)?|SEH|WinDbg|"
    r"ntdll|kernel32|kernelbase|user32|Win32|0xc00000[0-9a-f]{2}|\w+\.dll|CRITICAL_SECTION|"
    r"WaitForSingleObject|minidump|VirtualAlloc|HeapAlloc|page heap|Application Verifier)\b",
    re.IGNORECASE,
)
_MANAGED = re.compile(
    r"\.NET\b|\b(?:CLR|CoreCLR|managed (?:heap|exception|thread|object|code)|AppDomain|"
    r"NullReferenceException|System\.\w+Exception|finali[sz]er(?: thread| queue)?|"
    r"[Gg]arbage collector|Large Object Heap|LOH|gen(?:eration)? ?[012] (?:heap|collection))\b"
)
_MACH = re.compile(r"\b(?:EXC_BAD_ACCESS|EXC_BREAKPOINT|dyld|Mach-O|Mach exception)\b")
_LINUX = re.compile(
    r"\b(?:SIG(?:SEGV|ABRT|BUS|FPE|ILL|KILL|TERM|TRAP|QUIT)|glibc|tcache|fastbins?|ptmalloc|futex|"
    r"malloc_printerr|ld-linux|libc\.so\.6|OOM killer|core dump file|pthread_\w+)\b"
)
_GLIBC = re.compile(r"\b(?:glibc|tcache|fastbins?|ptmalloc|malloc_printerr|libc\.so\.6)\b")
_KERNEL = re.compile(
    r"\b(?:kernel (?:panic|oops|bug)|blue screen|BSOD|bug ?check|IRQL\w*|interrupt handler)\b",
    re.IGNORECASE,
)
_X86 = re.compile(r"(?<![\w:.])[er](?:ax|bx|cx|dx|si|di|bp|sp|ip)(?![\w(:])")
_ARM64 = re.compile(r"(?<![\w:.])[xw](?:[12]?\d|30)(?![\w(:])")

_EVERYWHERE = re.compile(r"\bHRESULT\b|[\w.`'+<>]+\.dll\b", re.IGNORECASE)
_RUNTIME = re.compile(r"coreclr|mono|clrjit|hostfxr|libjvm", re.IGNORECASE)
_WINE = re.compile(r"wine|ntdll|kernel32", re.IGNORECASE)
_POSIX_ON_WINDOWS = re.compile(r"cygwin|msys|pthread", re.IGNORECASE)
_MUSL = re.compile(r"ld-musl|libc\.musl", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")

_Rule = tuple[re.Pattern[str], re.Pattern[str] | None, str]


def foreign_term(text: str, state: Investigation) -> str | None:
    """Why a sentence cannot be about this dump, or None.

    Managed terms are in order when the process has a managed runtime mapped, Windows terms when
    it runs under Wine. What a sentence quotes is not its own word.
    """
    target = state.target
    if target is None or target.recorded:
        return None
    text = _QUOTED.sub(" ", text)
    if target.runtime is not None:  # .NET speaks of HRESULTs and assemblies anywhere
        text = _EVERYWHERE.sub(" ", text)
    names = [module.name for module in state.facts.all(Module)]
    for term, excuse, system in _rules(state, names):
        match = term.search(text)
        if match is None:
            continue
        if excuse is None or not any(excuse.search(name) for name in names):
            return f'"{match[0]}" belongs to {system}; this is {_what(state)} without it'
    return None


def _rules(state: Investigation, names: list[str]) -> Iterator[_Rule]:
    """Terms, the modules that excuse them, and whose they are."""
    target, process = state.target, state.facts.first(Process)
    if target is None:
        return
    system = (process.os if process is not None else target.os).lower()
    if target.kind is TargetKind.ELF_CORE:
        yield _WINDOWS, _WINE, "Windows"
        yield _MANAGED, _RUNTIME, "a managed runtime"
        yield _MACH, None, "macOS"
    elif system.startswith("windows"):
        yield _LINUX, _POSIX_ON_WINDOWS, "Linux"
        yield _MACH, None, "macOS"
    elif target.kind is TargetKind.MACHO_CORE:
        yield _WINDOWS, _WINE, "Windows"
        yield _GLIBC, None, "glibc"
    if any(_MUSL.search(name) for name in names):
        yield _GLIBC, None, "glibc"
    if state.facts.first(BugCheck) is None and state.facts.first(Finding) is None:
        yield _KERNEL, None, "a kernel's dump"
    arch = (process.arch if process is not None else target.arch).lower()
    if arch.startswith(("aarch64", "arm", "riscv", "ppc", "s390", "mips")):
        yield _X86, None, "x86 processors"
    elif arch in ("x86_64", "amd64", "i386", "i686", "x86"):
        yield _ARM64, None, "Arm processors"


def _what(state: Investigation) -> str:
    kind = state.target.kind if state.target is not None else None
    if kind is TargetKind.ELF_CORE:
        return "a native ELF core"
    process = state.facts.first(Process)
    return f"a dump of a program on {process.os}" if process is not None else "a program's dump"
