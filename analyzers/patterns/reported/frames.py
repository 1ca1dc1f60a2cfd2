"""Which frame of a stack in a log is the program's own, not a tool's or a library's."""

import re
from collections.abc import Iterable

from analyzers.patterns.names import bare, is_library_namespace, is_runtime_library, is_runtime_name
from workbench.model.facts import Frame

# The tools' own code and the interceptors that stand in front of the C library's functions.
_TOOLS = re.compile(
    r"^(?:_*(?:asan|hwasan|lsan|msan|tsan|ubsan|sanitizer|dfsan|interceptor|interception)(?:_|$)"
    r"|__(?:memprof|scudo)|__kasan|kasan_|kmsan_|kcsan_|kfence_"
    r"|fuzzer::|LLVMFuzzer(?:RunDriver|Initialize)|gwp_asan::|scudo::|_?replacement_)"
    r"|^\S{1,60} _[alhtm]san_rtl_$"
)
# Interceptors of macOS and of the linker's --wrap; a program has names like wrap_text too.
_WRAPPER = re.compile(r"_*wrap_(?P<wrapped>\w+)")
_TOOL_FILE = re.compile(
    r"compiler-rt/lib/|sanitizer_common|/lib(?:asan|tsan|msan|ubsan|lsan|hwasan|clang_rt)|"
    r"vg_replace|"
    r"/libfuzzer/|/libFuzzer/|lib/fuzzer/|asan_malloc|hg_intercepts|drd_"
)
# The kernel's machinery that reports, allocates or ends, by name alone. A program may have such
# names: a source file with a full path is not the kernel's, which is built with relative ones.
_KERNEL = re.compile(
    r"^(?:dump_backtrace|show_stack|dump_stack|dump_stack_lvl|__dump_stack|print_report|"
    r"print_address_description|check_memory_region\w*|end_report|report_\w{0,20}access|"
    r"kmem_cache_alloc\w*|kmem_cache_free\w*|__?kmalloc\w*|kfree\w*|krealloc|kzalloc|slab_\w+|"
    r"save_stack\w*|set_track|stack_trace_save|do_slab_free|slab_free\w*|__?warn\w*|report_bug|"
    r"panic|oops_\w+|die|no_context|__?do_page_fault|page_fault\w*|exc_\w+|asm_\w+|do_trap\w*|"
    r"do_error_trap|do_general_protection|general_protection|invalid_op|el1_\w+|el0_\w+|"
    r"do_mem_abort|do_translation_fault|__do_kernel_fault|die_kernel_fault|entry_SYSCALL\w*|"
    r"do_syscall_64|ret_from_fork\w*|handle_bug|fixup_bug\w*)$"
)
# Machinery of runtimes and libraries that reports, allocates or ends a process, by name alone.
_MACHINERY = re.compile(
    r"^(?:memcpy|memmove|memset|memcmp|strcpy|strlen|str\w*cmp|strncpy|"
    r"rust_panic\w*|rust_begin_unwind|rust_oom|"
    r"__rust_\w+|__rg_\w+|_rdl_oom|begin_panic\w*|"
    r"base::internal::(?:Check|Notreached|NotReached)|logging::(?:Log|Check)\w*|"
    r"blink::ReportOOM\w*|base::(?:TerminateBecause\w*|ImmediateCrash|internal::OnNoMemory\w*)|"
    r"WTF(?:Crash\w*|ReportAssertion\w*|ReportBacktrace)|CrashReporter\w*|google::(?:Log|Dump|"
    r"Fail)\w*|"
    r"absl::\w*(?:Log|log_internal|lts_\w+::log_internal)\w*|(?:absl::)?(?:\w+::)?log_internal::|"
    r"LogMessage\w*|g_(?:assert\w*|log\w*|malloc\w*|free|realloc\w*|error|slice\w*)|qFatal|"
    r"qt_assert\w*|qt_message\w*|"
    r"v8::base::(?:OS::Abort|debug::\w+)|V8_\w+|v8::Utils::\w*Fail\w*|"
    r"v8::internal::V8::FatalProcess\w*|"
    r"MOZ_(?:Crash\w*|Report\w*|RELEASE_ASSERT\w*)|mozalloc_\w+|moz_x?(?:malloc|calloc|realloc|"
    r"free|memalign)|mozilla::detail::InvalidArrayIndex_CRASH|"
    r"abort_message|demangling_terminate_handler|_objc_\w+|objc_exception_throw|_Unwind_\w+|"
    r"(?:art::)?(?:Runtime|Thread)::(?:Abort|Dump)\w*|android::(?:base|CallStack)::\w*|"
    r"__android_log_assert|"
    r"xmalloc|xrealloc|xcalloc|php_\w*malloc|_emalloc\w*|_efree\w*|"
    r"llvm::(?:sys::\w+|report_\w+|llvm_unreachable_internal)|"
    r"VMError::\w+|report_(?:vm_\w+|fatal\w*|java_out_of_memory|should_not_\w+)|"
    r"_dispatch_\w+|_?pthread_\w+|thread_start|mach_msg\w*)$"
)
_ENDS = re.compile(
    r"(?:\b|__GI_|__)(?:abort(?:_with_\w+)?|raise|gsignal|pthread_kill\w*|kill|tgkill|"
    r"rt_sigqueueinfo)\b|Abort|^VMError::|^report_(?:vm_|fatal|java_out_of_memory)"
)
_PREFIXES = re.compile(
    r"^(?:(?:core|std|alloc|_?rayon_core|backtrace|panic_unwind|test)::|__rustc|"
    r"rust_(?:eh|panic|begin|oom|start|drop)|"
    r"runtime\.|syscall\.|testing\.|internal/|reflect\.|sync\.|os/signal\.|"
    r"java\.|javax\.|jdk\.|sun\.|com\.sun\.|scala\.|kotlin\.|dalvik\.|android\.(?:os|app|view)\.|"
    r"com\.android\.internal\.|"
    r"com\.code_intelligence\.jazzer\.|org\.junit\.|System\.|Microsoft\.|MS\.|Internal\.|"
    r"node:|swift_|_swift_|Swift\.|logging::|base::debug::|absl::\w*log|google::Log|"
    r"v8::base::debug::|mozilla::detail::Invalid)"
)
_LIBRARY_FILES = re.compile(
    r"libc\+\+/|libcxx/|/include/c\+\+/|libstdc\+\+|bits/|/rustc/|^library/(?:std|core|alloc)|"
    r"/lib/rustlib/|/src/lib(?:std|core|alloc|panic\w*)/|^src/lib(?:std|core|alloc|panic\w*)/|"
    r"/src/runtime/|glibc|/sysdeps/|libpthread|/nptl/|third_party/llvm|usr/include|/toolchain|"
    r"/build-llvm/|<frozen|node:internal|/site-packages/(?:pluggy|_pytest)|"
    r"/cargo/registry/src/[^/]*/(?:backtrace|rayon-core)"
)
_SYSTEM_MODULES = re.compile(
    r"(?:^|[/\\])(?:libsystem_\w+\.dylib|libc\+\+\S*|libdispatch\.dylib|dyld\w*|"
    r"libobjc\.A?\.?dylib|CoreFoundation|"
    r"libc\.so|libart\.so|linker(?:64)?|libutils\.so|liblog\.so|libbase\.so|libm\.so|"
    r"ntdll(?:\.dll)?|kernel32(?:\.dll)?|KERNELBASE(?:\.dll)?|ucrtbased?(?:\.dll)?|"
    r"msvcrt(?:\.dll)?|vcruntime\d+\w*(?:\.dll)?|"
    r"\[?vdso\]?|libjvm\.(?:so|dylib)|linux-gate\S*|\S*clang_rt\.asan\S*|libclang_rt\S*)$",
    re.IGNORECASE,
)


def is_end(function: str) -> bool:
    """True for a function by which a program ends itself, whatever led there."""
    return bool(_ENDS.search(function))


def is_tool(frame: Frame) -> bool:
    """True for a frame of the tool that reports."""
    name = frame.function or ""
    return bool(_TOOLS.match(name) or _is_wrapper(name) or _TOOL_FILE.search(frame.file or ""))


def is_own(frame: Frame) -> bool:
    """True when a frame runs the program's own code, as far as its names tell."""
    if frame.signal_handler:
        return False
    module = frame.module
    if module and (is_runtime_library(module) or _SYSTEM_MODULES.search(module)):
        return False
    if frame.function is None:
        return module is not None
    file = frame.file or ""
    name = frame.function
    if is_tool(frame):
        return False
    short = bare(name)
    if not file.startswith("/") and (_KERNEL.match(short) or _KERNEL.match(name)):
        return False
    if _MACHINERY.match(short) or _MACHINERY.match(name) or _PREFIXES.match(name):
        return False
    if _LIBRARY_FILES.search(file) or is_library_namespace(name):
        return False
    return not is_runtime_name(name)


_KERNEL_TOOLS = frozenset({"the kernel", "KASAN", "KMSAN", "KCSAN", "KFENCE", "UBSAN"})


def is_kernel(tool: str) -> bool:
    """True for what the kernel itself reports: two of its reports need have nothing in common."""
    return tool in _KERNEL_TOOLS


def kernel_frame(tool: str, frames: Iterable[Frame]) -> Frame | None:
    """The frame that a kernel's own report is about: its reader left out what only reports, and
    names that a C library reserves are the kernel's own. None for other tools."""
    if not is_kernel(tool):
        return None
    return next((f for f in frames if f.function and not _KERNEL.match(f.function)), None)


def _is_wrapper(name: str) -> bool:
    found = _WRAPPER.fullmatch(name)
    return found is not None and (
        is_runtime_name(found["wrapped"]) or found["wrapped"].startswith("dispatch_")
    )


def own_frame(frames: Iterable[Frame]) -> Frame | None:
    """The innermost frame of the program's own code; one with a name before one without. Where a
    signal's handler waits or ends the process, the crash is what it interrupted."""
    listed = list(frames)
    handler = next((at for at, frame in enumerate(listed) if frame.signal_handler), None)
    if handler is not None and not is_own(listed[0]):
        listed = listed[handler + 1 :] or listed
    known = [frame for frame in listed if is_own(frame)]
    return next((frame for frame in known if frame.function), known[0] if known else None)
