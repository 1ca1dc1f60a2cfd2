"""Whose a source file is, by its path as the compiler wrote it down."""

import re
from functools import cache

_LIBRARY = re.compile(
    r"/libstdc\+\+-v3/|^/rustc/|^library/(?:core|std|alloc|panic\w*)/"
    # glibc's folders for a system and its standards, in which there is no other source's file
    r"|^(?:\.\./)?sysdeps/(?:unix/sysv|posix|nptl|generic|ieee754|x86(?:_64)?|i386|aarch64)/"
)
# Relative, as distributions build glibc (eglibc in full), also without the "./"; a program may
# have folders of the same names.
_GLIBC = re.compile(
    r"^(?:(?:\.\.?|/.{1,200}/e?glibc-\d[\w.]*)/)?(?:sysdeps|nptl|malloc|stdlib|debug|assert|string|libio|stdio-common|csu|signal|io"
    r"|posix|misc|elf|setjmp|socket|time|wcsmbs|math|dlfcn|ports|htl|support|iconv|locale|rt"
    r"|inet|intl|resolv|libgcc|gcc)/"
    # as Debian's build names them, and no program's makefile
    r"|^\.\.?/(?:argp|catgets|crypt|ctype|dirent|gmon|grp|gshadow|hesiod|login|nscd|nss|pwd|resource"
    r"|shadow|sunrpc|sysvipc|termios|wctype)/"
)
_CXX_HEADER = re.compile(r"/include/c\+\+/")
_HEADER = re.compile(r"^/usr/(?:local/)?(?:include|lib)/|/include/c\+\+/\d")


@cache
def _printed() -> re.Pattern[str]:
    """What logs show besides: libc++ and LLVM's toolchains, Rust's crates that unwind, Go's
    runtime, Swift's and Node's, Python's library and what is installed into it."""
    return re.compile(
        r"libc\+\+/|libcxx/|/include/c\+\+/|libstdc\+\+|bits/|/rustc/|^library/(?:std|core|alloc)|"
        r"/lib/rustlib/|/src/lib(?:std|core|alloc|panic\w*)/|^src/lib(?:std|core|alloc|panic\w*)/|"
        r"/src/runtime/|glibc|/sysdeps/|libpthread|/nptl/|^(?:\.\.?/)?(?:libio|stdio-common|wcsmbs)/|"
        r"third_party/llvm|usr/include|/toolchain|"
        # Node's lib before version 16, which names a program's files by their whole path
        r"^(?:internal/[\w/-]+|_(?:http|stream|tls)_\w+|child_process|cluster|dgram|dns|events|fs|"
        r"module|net|stream|timers|tls|vm|zlib)\.js$|"
        r"/build-llvm/|<frozen|^<compiler-generated>|^Swift/\w+\.swift|node:internal|"
        # GOROOT/src: no package of GOPATH is called like one of these (cmd/go, help gopath)
        r"/go[\d.]*(?:/libexec)?/src/(?:archive|bufio|bytes|compress|container|context|crypto|database|"
        r"encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|math|mime|"
        r"net|os|path|plugin|reflect|regexp|slices|sort|strconv|strings|sync|syscall|testing|text|time|"
        r"unicode|unique)/|"
        r"[/\\](?:site|dist)-packages[/\\]|/lib(?:64)?/python\d[\d.]*/|"
        r"[/\\](?:Python\d{2,3}(?:-32)?|(?:ana|mini)conda\d?(?:[/\\]envs[/\\][^/\\]+)?)[/\\][Ll]ib[/\\]|"
        r"[/\\]nim(?:-[\d.]+)?[/\\](?:lib[/\\])?(?:core|pure|std|system)\b[\w/\\]*\.nim$|"
        r"^(?:dart:|package:flutter/)|^(?:fatal|system)\.nim$|(?:^|[/\\])lib[/\\](?:zig[/\\])?std[/\\][\w/\\]+\.zig$|"
        r"/julialang/|^\./[\w/]+\.jl$|/buildworker/worker/package_\w+/build/|"  # Julia's own
        r"/cargo/registry/src/[^/]*/(?:backtrace|rayon-core)"
    )


@cache
def _tool() -> re.Pattern[str]:
    """compiler-rt's, GCC's libsanitizer's, Valgrind's, Dr. Memory's and libFuzzer's own files."""
    return re.compile(
        r"compiler-rt/lib/|sanitizer_common|/lib(?:asan|tsan|msan|ubsan|lsan|hwasan|clang_rt)|"
        r"vg_replace|"
        r"drmemory[\w.\\/-]*[\\/](?:alloc_)?replace\.c$|"
        r"/libfuzzer/|/libFuzzer/|(?:lib|include)/fuzzer/|asan_malloc|hg_intercepts|drd_|"
        r"[/\\](?:afl|aflpp|AFLplusplus|honggfuzz|fuzztest|centipede|googletest)[/\\]"
    )


def is_library_source(file: str) -> bool:
    """True for libstdc++'s and Rust's own sources, wherever they were compiled."""
    return bool(_LIBRARY.search(file))


def is_glibc_folder(file: str) -> bool:
    """True for a path as glibc's own; by itself it tells nothing, for a program may have it too."""
    return bool(_GLIBC.match(file))


def is_header(file: str) -> bool:
    """True for the system's headers."""
    return bool(_HEADER.search(file))


def is_cxx_header(file: str) -> bool:
    """True for the headers of a C++ library, which define what is in its namespaces alone."""
    return bool(_CXX_HEADER.search(file))


def is_printed_library_source(file: str) -> bool:
    """True for a library's source in a log, where a header that is named is not the program's."""
    return bool(_printed().search(file))


DOTNET = r"^/_/|[/\\](?:_work|ndp|dd|wpf|coreclr|corefx|corert)[/\\]|^[^/\\]+$"
"""Where the sources of .NET lie as its builds write them down; a name without a folder tells
nothing against it."""

# Chromium's, glog's and V8's sources that report for whoever called them.
_LOGGER = re.compile(
    r"(?:^|[/\\])(?:(?:base|src|glog|log|internal)[/\\](?:logging|check|log_message)|logging)\.(?:cc|h)$"
)


def is_logger_source(file: str) -> bool:
    """True for a source that only writes what others report."""
    return bool(_LOGGER.search(file))


def is_tool_source(file: str) -> bool:
    """True for a source of the tool that wrote the log."""
    return bool(_tool().search(file))
