"""Words of another system: Windows or managed-runtime terms in a native ELF core."""

import re

from workbench.model.facts import Module
from workbench.model.investigation import Investigation
from workbench.model.target import TargetKind

_WINDOWS = re.compile(
    r"\b(?:HRESULT|NTSTATUS|access violation|structured exception(?: handling)?|SEH|WinDbg|"
    r"ntdll|kernel32|kernelbase|user32|Win32|0xc00000[0-9a-f]{2}|\w+\.dll|CRITICAL_SECTION|"
    r"WaitForSingleObject|minidump)\b",
    re.IGNORECASE,
)
_MANAGED = re.compile(
    r"\.NET\b|\b(?:CLR|CoreCLR|managed (?:heap|exception|thread|object|code)|AppDomain|"
    r"NullReferenceException|System\.\w+Exception|finali[sz]er(?: thread| queue)?|"
    r"Large Object Heap|LOH|gen(?:eration)? ?[012] (?:heap|collection))\b"
)
_MACH = re.compile(r"\b(?:EXC_BAD_ACCESS|EXC_BREAKPOINT|dyld|Mach-O|Mach exception)\b")

_EVERYWHERE = re.compile(r"\bHRESULT\b|[\w.`'+<>]+\.dll\b", re.IGNORECASE)
_RUNTIME = re.compile(r"coreclr|mono|clrjit|hostfxr|libjvm", re.IGNORECASE)
_WINE = re.compile(r"wine|ntdll|kernel32", re.IGNORECASE)


def foreign_term(text: str, state: Investigation) -> str | None:
    """Why a sentence cannot be about this dump, or None.

    Managed terms are in order when the process has a managed runtime mapped, Windows terms when
    it runs under Wine.
    """
    if state.target is None or state.target.kind is not TargetKind.ELF_CORE:
        return None
    names = [module.name for module in state.facts.all(Module)]
    if state.target.runtime is not None:  # .NET speaks of HRESULTs and assemblies anywhere
        text = _EVERYWHERE.sub(" ", text)
    checks = (
        (_WINDOWS, _WINE, "Windows"),
        (_MANAGED, _RUNTIME, "a managed runtime"),
        (_MACH, None, "macOS"),
    )
    for term, excuse, system in checks:
        match = term.search(text)
        if match is None:
            continue
        if excuse is None or not any(excuse.search(name) for name in names):
            return f'"{match[0]}" belongs to {system}; this is a native ELF core without it'
    return None
