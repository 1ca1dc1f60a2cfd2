"""Function names as gdb prints them: their bare form, and whether the runtime owns them."""

import re

from workbench.model.facts import Frame

_OPERATOR = re.compile(r"operator(<<=?|>>=?|<=>|<=?|>=?|->\*?|\(\))")
_WORDS = {"<": "lt", ">": "gt", "=": "eq", "-": "minus", "*": "star", "(": "call", ")": ""}
_QUALIFIERS = re.compile(r"(?:\s*(?:const|volatile|&|&&|\[clone [^\]]*\]))+$")
_VERSION = re.compile(r"(?:@@?[A-Z]\w*[\w.]*|\.(?:part|cold|constprop|isra|lto_priv)(?:\.\d+)*)+$")
_LONGEST = 8192


def bare(function: str) -> str:
    """A name without return type, templates' arguments, parameters and clone suffixes.

    ``void std::__invoke_impl<void, F>(F&&)`` becomes ``std::__invoke_impl``,
    ``T::f(int) const`` becomes ``T::f``, ``foo.part.0`` becomes ``foo``.
    """
    text = _OPERATOR.sub(
        lambda m: "operator" + "".join(_WORDS[c] for c in m[1]), function[:_LONGEST]
    )
    text = text.replace("(anonymous namespace)", "{anonymous}")
    kept: list[str] = []
    depth = 0
    for char in text:
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(char)
    text = _VERSION.sub("", _QUALIFIERS.sub("", "".join(kept).strip()))
    if text.startswith("operator "):
        return text
    head, space, tail = text.rpartition(" ")
    if space and not head.endswith("operator"):
        return tail or head
    return text


_LIBRARY = re.compile(
    r"^(?:lib(?:c|m|rt|dl|pthread|stdc\+\+|supc\+\+|gcc_s|c\+\+|c\+\+abi|unwind|asan|ubsan|tsan|resolv"
    r"|coreclr|clrjit|hostfxr|hostpolicy|mscordaccore|mscordbi|coreclrtraceptprovider)"
    r"(?:-[\d.]+)?\.so(?:\.[\d.]+)*|ld(?:-linux[\w-]*|-musl[\w-]*|-[\d.]+)?\.so(?:\.[\d.]+)*"
    r"|linux-(?:vdso|gate)\.so\.\d+|\[?vdso\]?|\[vsyscall\])$"
)


# What is not a program's own on Windows and macOS, by where it is installed or by its name.
_SYSTEM = re.compile(
    r"(?i:.*[\\/](?:system32|syswow64|sysarm32|winsxs)[\\/]|(?:.*[\\/])?(?:ntdll|kernel32|kernelbase"
    r"|ucrtbase\w*|msvcrt\w*|msvcr\d+\w*|msvcp\d+\w*|vcruntime\w*|concrt\w*|wow64\w*|user32|win32u"
    r"|gdi32\w*)(?:\.dll)?$)|/System/Library/|/usr/lib/(?!.*\.so)"
)


def is_runtime_library(path: str | None) -> bool:
    """True for the C and C++ runtime's libraries and the loader, and for what Windows and macOS
    bring along."""
    if path is None:
        return False
    return bool(_LIBRARY.match(path.rsplit("/", 1)[-1]) or _SYSTEM.match(path))


_LIBRARY_SOURCE = re.compile(r"/libstdc\+\+-v3/|^/rustc/|^library/(?:core|std|alloc|panic\w*)/")
# Relative, as distributions build glibc; a program may have folders of the same names.
_GLIBC_SOURCE = re.compile(
    r"^\.\.?/(?:sysdeps|nptl|malloc|stdlib|debug|assert|string|libio|stdio-common|csu|signal|io"
    r"|posix|misc|elf|setjmp|socket|time|wcsmbs|math|dlfcn|ports|htl|support|iconv|locale|rt"
    r"|inet|resolv|libgcc|gcc)/"
)


def is_runtime_source(frame: Frame) -> bool:
    """True when a frame's source file is glibc's, libstdc++'s, libgcc's or Rust's own.

    Headers tell nothing: what is inlined from them shows under the name of the function that it
    was inlined into. Nor do glibc's folders by themselves, unless the function has its name too.
    """
    if frame.file is None:
        return False
    if _LIBRARY_SOURCE.search(frame.file):
        return True
    return bool(_GLIBC_SOURCE.match(frame.file)) and is_runtime_name(frame.function or "")


_HEADER = re.compile(r"^/usr/(?:local/)?(?:include|lib)/|/include/c\+\+/\d")


def is_header(file: str) -> bool:
    """True for the system's headers."""
    return bool(_HEADER.search(file))


_NAMESPACE = re.compile(
    # Mangled where a debugger gave up on the name's length: std, its abbreviations, __gnu_cxx.
    r"^_Z(?:N[VKRO]*)?(?:S[tabsiod]|9__gnu_cxx)"
    r"|^(?:non-virtual thunk to )?<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__gnu_debug"
    r"|rust_\w+|panic_\w+)::"
)
_RESERVED = re.compile(
    r"^(?:__|_IO_|_int_|_dl|_nl_|_nss_|_res_|_i18n_|_obstack_|_Unwind|_Jv_|_longjmp|_setjmp|_getopt|_fini|_init$|_start$|_mid_memalign|_exit$|_quicksort"
    r"|_itoa|_fitoa|_Fork|operator new|operator delete"
    r"|rust_begin_unwind|rust_panic|rust_eh|lang_start)"
)
# sysmalloc and friends are static functions of glibc's malloc/malloc.c; the rest is exported.
_FUNCTION_NAMES = """
    abort raise gsignal kill killpg tgkill tkill sigqueue pthread_kill
    malloc free cfree calloc realloc reallocarray memalign aligned_alloc posix_memalign valloc
    pvalloc malloc_printerr malloc_consolidate sysmalloc systrim unlink_chunk tcache_get tcache_put
    munmap_chunk mremap_chunk heap_trim arena_get2
    checked_request2size ptmalloc_init malloc_usable_size
    memcpy memmove memset memcmp mempcpy memchr memrchr rawmemchr bcopy bzero bcmp memccpy memmem
    strlen strnlen strcpy strncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr
    strrchr
    strchrnul strstr strcasestr strdup strndup strtok strtok_r strspn strcspn strpbrk strsep stpcpy
    stpncpy strcoll strxfrm strerror strtol strtoul strtoll strtoull strtod strtof atoi atol atoll
    atof
    wcslen wcscpy wcscat wcscmp wmemcpy wmemset
    printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf dprintf vdprintf asprintf
    vasprintf puts fputs putc fputc putchar fwrite fread fgets fgetc getc getchar getline getdelim
    gets ungetc scanf fscanf sscanf vfscanf vsscanf fopen fclose fflush fseek ftell rewind setvbuf
    fopen64 fdopen freopen perror outstring_func printf_positional buffered_vfprintf
    read write open openat close poll ppoll select pselect recv recvfrom recvmsg send sendto sendmsg
    accept accept4 connect bind listen epoll_wait epoll_pwait ioctl fcntl readv writev pread pwrite
    nanosleep clock_nanosleep sleep usleep pause sigsuspend sigwait sigtimedwait sigwaitinfo wait
    wait3 wait4 waitpid waitid futex syscall msgrcv msgsnd semop semtimedop mq_receive mq_send
    qsort qsort_r bsearch msort_with_tmp getenv setenv exit on_exit atexit system popen
    start_thread clone clone3 fork vfork execve longjmp siglongjmp setjmp sigsetjmp
    pthread_cond_wait lll_lock_wait futex_wait __futex_wait call_init time clock_gettime
    sem_wait sem_timedwait do_system do_lookup_x call_fini getaddrinfo mktime localtime
    localtime_r gmtime strftime mmap munmap mprotect brk sbrk regcomp regexec glob iconv getopt
    getopt_long inet_ntop inet_pton backtrace err errx error warn warnx lseek fileno fseeko ftello
    frame_dummy register_tm_clones deregister_tm_clones
    thrd_join mtx_lock cnd_wait dlopen dlsym dlclose
    _chkstk _alloca_probe _alloca_probe_16 _alldiv _aulldiv
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_FAMILIES = re.compile(
    r"^(?:pthread_|futex_|lll_|do_futex_wait|futex_abstimed|unwind_|uw_|read_encoded|sem_|cnd_|mtx_"
    r"|call_once$|elf_|dl_iterate|alloc_perturb|sys(?:malloc|trim)|tcache_|unlink_chunk"
    r"|(?:mem|str|wcs|wmem|stp)\w*_(?:avx|sse|evex|erms|unaligned|generic|ifunc)\w*$|\w+_chk$)"
)


def is_library_namespace(function: str) -> bool:
    """True for members of the standard libraries' namespaces, wherever instantiated."""
    return bool(_NAMESPACE.match(bare(function)))


_INTRINSIC = re.compile(r"^_mm(?:256|512)?_")


def is_intrinsic(function: str) -> bool:
    """True for what stands for one instruction; compilers give some the caller's own file."""
    return bool(_INTRINSIC.match(function))


def is_runtime_name(function: str) -> bool:
    """True for functions of the C library, the C++ and Rust runtimes and their templates.

    By name alone, which is all that a statically linked program leaves.
    """
    name = bare(function)
    if _NAMESPACE.match(name) or _RESERVED.match(name):
        return True
    return name in _FUNCTIONS or bool(_FAMILIES.match(name))
