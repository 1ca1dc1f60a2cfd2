"""Whose a module is, by its file's name or by where it is installed."""

import re
from functools import cache

# What ntdll's kin export and what Microsoft's C and C++ runtimes are called: no program's own.
_WINDOWS = (
    r"ntdll|kernel32|kernelbase|ucrtbase\w*|msvcrt\w*|msvcr\d+\w*|msvcp\d+\w*|vcruntime\w*|concrt\w*"
    r"|wow64\w*|user32|win32u|gdi32\w*"
)
# Windows' services around them, .NET's native side, and the kernel with its parts.
_MORE_OF_WINDOWS = (
    r"kernel|msvcp\w*|verifier|vrfcore|vfbasics|apphelp|combase|ole32|oleaut32|rpcrt4|sechost"
    r"|clr|coreclr|mscorwks|clrjit|mscoreei|mscoree|hostfxr|hostpolicy|ntoskrnl|ntkrnl\w*|nt"
    r"|hal|halmacpi|win32k\w*|ci|clfs|msasn1|faultrep|wer|dbghelp|dbgeng|csrsrv"
)
# What WinDbg's !analyze names where no module is to blame (debugger.chm, "!analyze": SYMBOL_NAME).
_PLACEHOLDERS = (
    r"(?:heap|stack|memory|code|pool|page)_corruption|hardware\w*|unknown(?:_\w+)?|invalid_\w+"
    r"|analysisinconclusive|missing_\w+"
)
# As a debugger names a module of which two are loaded: ntdll_77060000.
_SECOND = r"(?:_[0-9a-f]{4,16})?"

# The C and C++ runtimes' sonames (glibc, musl, GCC, LLVM), the sanitizers', .NET's, the loader.
_LIBRARY = re.compile(
    r"^(?:lib(?:c|m|rt|dl|pthread|stdc\+\+|supc\+\+|gcc_s|c\+\+|c\+\+abi|unwind|(?:hw)?asan|[lut]san|ubsan|resolv"
    r"|coreclr|clrjit|hostfxr|hostpolicy|mscordaccore|mscordbi|coreclrtraceptprovider)"
    r"(?:-[\d.]+)?\.so(?:\.[\d.]+)*|ld(?:-linux[\w-]*|-musl[\w-]*|-[\d.]+)?\.so(?:\.[\d.]+)*"
    r"|linux-(?:vdso|gate)\.so\.\d+|\[?vdso\]?|\[vsyscall\])$"
)
# What is not a program's own on Windows and macOS, by where it is installed or by its name.
_INSTALLED = re.compile(
    r"(?i:.*[\\/](?:system32|syswow64|sysarm32|winsxs)[\\/]"
    rf"|(?:.*[\\/])?(?:{_WINDOWS})(?:\.dll)?$)|/System/Library/|/usr/lib/(?!.*\.so)"
)


@cache
def _windows() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)^(?:{_WINDOWS}|{_MORE_OF_WINDOWS}|{_PLACEHOLDERS}){_SECOND}(?:\.(?:dll|exe|sys))?$"
    )


@cache
def _kernel() -> re.Pattern[str]:
    names = r"nt|hal|halmacpi|ntoskrnl|ntkrnl\w*|mach_kernel"
    return re.compile(rf"^(?:{names}){_SECOND}(?:\.exe|\.dll)?$", re.I)


@cache
def _platform() -> re.Pattern[str]:
    """macOS' libSystem and its friends, Android's bionic and runtime, Java's virtual machine and
    the sanitizers' own libraries, which a log names with and without their folders."""
    return re.compile(
        r"(?i)(?:^|[/\\])(?:lib(?:system_\w+|dyld)\.dylib|libswift\w*\.(?:dylib|so)|libc\+\+\S*|"
        r"libdispatch\.dylib|"
        r"dyld\w*|libobjc\.A?\.?dylib|(?:com\.apple\.)?(?:CoreFoundation|Foundation|AppKit|"
        r"UIKit(?:Core)?|GraphicsServices|HIToolbox|QuartzCore|SwiftUI(?:Core)?|CFNetwork)|"
        r"libart\.so|linker(?:64)?|libutils\.so|liblog\.so|libbase\.so|"
        r"\[?vdso\]?|libjvm\.(?:so|dylib)|linux-gate\S*|\S*clang_rt\.asan\S*|libclang_rt\S*)$"
    )


@cache
def _framework() -> re.Pattern[str]:
    """.NET's assemblies, as SOS and dotnet-dump name them, and what a managed thread starts in."""
    return re.compile(
        r"(?i)^(?:System(?:\.[\w.]+)?|Microsoft(?:\.[\w.]+)?|mscorlib|netstandard|WindowsBase"
        r"|Presentation\w+|libcoreclr\.so|coreclr|clr|libc\.so.*)(?:_ni)?(?:\.(?:ni\.)?dll)?$"
    )


def is_runtime_library(path: str | None) -> bool:
    """True for the C and C++ runtime's libraries and the loader, and for what Windows and macOS
    bring along."""
    if path is None:
        return False
    return bool(_LIBRARY.match(path.rsplit("/", 1)[-1]) or _INSTALLED.match(path))


def is_platform_library(path: str) -> bool:
    """True for what a platform brings along besides, as a log names it."""
    return is_runtime_library(path) or bool(_platform().search(path))


def is_system_module(module: str | None) -> bool:
    """True for Windows' own libraries and the C, C++ and .NET runtimes', as a debugger names them
    (no folder, no extension) or as files."""
    return module is not None and bool(_windows().match(_base(module)))


def is_kernel_module(module: str | None) -> bool:
    """True for Windows' kernel itself and its hardware layer, and for macOS' kernel."""
    return module is not None and bool(_kernel().match(_base(module)))


def is_framework_module(module: str) -> bool:
    """True for .NET's own assemblies and its native runtime."""
    return bool(_framework().match(_base(module)))


def _base(module: str) -> str:
    return re.split(r"[\\/]", module)[-1]
