"""Whose a function is, by its name alone: what the C library and the C++ and Rust runtimes define.

Cautious, for a program may call its own functions what it likes: names that the languages reserve
(ISO C 7.1.3, the namespaces of the standard libraries), names that glibc exports, and the static
functions of its malloc, stdio and startup that stand on stacks.
"""

import re
from functools import cache
from pathlib import Path

from analyzers.names import bare
from analyzers.owners.sources import is_glibc_folder, is_library_source
from workbench.model.aliases import uncrated, undollared
from workbench.model.facts import Frame
from workbench.model.lists import parts_of

_NAMESPACE = re.compile(
    # Mangled where a debugger gave up on the name's length: std, its abbreviations, __gnu_cxx.
    r"^_Z(?:N[VKRO]*)?(?:S[tabsiod]|9__gnu_cxx)"
    # Rust's v0 mangling, whose paths begin with the crate (rustc book, symbol mangling).
    r"|^_R(?:I|N[a-zA-Z]|[MXY](?:s[0-9A-Za-z]*_)?)*C(?:s[0-9A-Za-z]*_)?(?:3std|4core|5alloc|7___rustc|11panic_abort|12panic_unwind)"
    r"|^(?:non-virtual thunk to )?<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__gnu_debug"
    r"|panic_abort|panic_unwind|__rustc)::"
    # Rust before 1.10 names no crate; what it hangs behind a name no function of today's has.
    r"|^(?:panicking|sys|sys_common|rt|option|result|slice|str)::.{1,400}"
    r"::(?:h[0-9a-f]{15,16}\w{3,6}|h\d{16,20}|closure\.\d+)$"
)
# gfortran names a module's procedures __MODULE_MOD_NAME.
_RESERVED = re.compile(
    r"^(?:__(?!\w{1,200}_MOD_)|_IO_|_int_|_dl|_nl_|_nss_|_res_|_i18n_|_obstack_|_Unwind|_Jv_|_longjmp|_setjmp|_getopt|_fini|_init$|_start$|_mid_memalign|_exit$|_quicksort"
    r"|_itoa|_fitoa|_Fork|operator new|operator delete"
    r"|_?rust_begin_unwind|rust_panic|rust_eh|lang_start)"
)
_FUNCTIONS = frozenset(
    name
    for _, lines in parts_of(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"))
    for name in " ".join(lines).split()
)
_FAMILIES = re.compile(
    r"^(?:pthread_|futex_|lll_|do_futex_wait|futex_abstimed|unwind_|uw_|read_encoded|sem_|cnd_|mtx_"
    r"|call_once$|elf_|dl_iterate|alloc_perturb|sys(?:malloc|trim)|tcache_|unlink_chunk"
    r"|(?:mem|str|wcs|wmem|stp)\w*_(?:avx|sse|evex|erms|unaligned|generic|ifunc)\w*$|\w+_chk$)"
)


# "<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<F as core::ops::FnOnce<A>>::call_once"
_IMPLEMENTED = re.compile(
    r"^<(?:[&*\[(]|mut |const |dyn ){0,4}(?:(?:std|core|alloc|hashbrown)::"
    r"|[A-Z]\d? as (?:std|core|alloc)::|usize as core::slice::)"
)


# Rust's crates have words for names that namespaces of other languages have too.
_CRATES = re.compile(r"^<?(?:core|alloc|panic_abort|panic_unwind)::")


# What Rust's own library is linked with (library/Cargo.lock) is no program's.
_OF_CRATE = re.compile(
    r"<?(?!(?:std|core|alloc|panic_\w+|unwind|test|proc_macro|__rustc|rustc_\w+|compiler_builtins"
    r"|hashbrown|gimli|addr2line|miniz_oxide|adler2?|object|memchr|libc|cfg_if)::)[A-Za-z0-9_]+::"
)


def is_library_namespace(function: str, file: str | None = None) -> bool:
    """True for members of the standard libraries' namespaces, wherever instantiated, and for what
    Rust's implement for their own types and for any type. ``file`` is the source that stands
    beside the name, if any: one of another language is none of a crate's."""
    name = undollared(uncrated(function))
    return bool(_IMPLEMENTED.match(name)) or _is_standard(bare(name), file)


def _is_standard(name: str, file: str | None) -> bool:
    foreign = file is not None and not file.endswith(".rs") and _CRATES.match(name)
    return not foreign and bool(_NAMESPACE.match(name))


# Names that nothing but glibc has: with them, glibc until 2.24 shows a source without its folder.
_INTERNAL = re.compile(
    r"^(?:__GI_|__libc_|_int_(?:free|malloc|realloc|memalign)$|__assert_fail|malloc_printerr$"
    r"|malloc_consolidate$|_IO_|__pthread_|_dl_|__nptl_)"
)
# What a linker puts between a call and a function of another file, by gdb's and lldb's names.
_STUB = re.compile(r"@plt$|^symbol stub for: ")
_INTRINSIC = re.compile(r"^_mm(?:256|512)?_")


def is_intrinsic(function: str) -> bool:
    """True for what stands for one instruction; compilers give some the caller's own file."""
    return bool(_INTRINSIC.match(function))


def is_runtime_name(function: str) -> bool:
    """True for functions of the C library, the C++ and Rust runtimes and their templates.

    By name alone, which is all that a statically linked program leaves.
    """
    name = bare(function)
    if _NAMESPACE.match(name) or _RESERVED.match(name) or _STUB.search(function):
        return True
    return name in _FUNCTIONS or bool(_FAMILIES.match(name))


@cache
def _raises() -> re.Pattern[str]:
    return re.compile(
        r"^(?:__exceptionPreprocess|_?objc_exception_\w+|_{2,4}forwarding_\w*|_CF_forwarding_\w+"
        r"|__methodDescriptionForSelector|[+-]\[NSException \w.{0,80}"
        r"|-\[NSObject\(NSObject\) doesNotRecognizeSelector:\]|-\[NSAssertionHandler .{1,200}"
        r"|(?:closure #\d{1,3} in ){0,4}_?(?:assertionFailure|fatalErrorMessage"
        r"|preconditionFailure)\(.*|\$ss\d{2}_(?:assertionFailure|fatalErrorMessage).*)$"
    )


def is_raising(function: str) -> bool:
    """True for what Objective-C and Swift raise an exception or fail a check with, for whoever
    called it (objc4; CoreFoundation's NSException; stdlib/public/core/AssertCommon.swift)."""
    return bool(_raises().match(function))


def is_runtime_source(frame: Frame) -> bool:
    """True when a frame's source file is glibc's, libstdc++'s, libgcc's or Rust's own.

    Headers tell nothing: what is inlined from them shows under the name of the function that it
    was inlined into; nor do Rust's sources under that of another crate's. Nor do glibc's folders by
    themselves, unless the function has its name too.
    """
    if frame.file is None:
        return False
    if is_library_source(frame.file):
        return not (frame.file.endswith(".rs") and _OF_CRATE.match(frame.function or ""))
    if "/" not in frame.file and _INTERNAL.match(frame.function or ""):
        return True
    return is_glibc_folder(frame.file) and is_runtime_name(frame.function or "")
