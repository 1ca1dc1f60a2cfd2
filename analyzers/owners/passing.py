"""Which functions say nothing of a crash, and which only pass it on: what its signature leaves out.

Names are as `analyzers.signature.normal` gives them. A name of a list need not be a library's: what
waits for a lock says nothing of why, whoever wrote it. The lists follow the sources that the
comments name; how they are used is Socorro's (siggen: irrelevant and prefix signatures).
"""

import re

# Never part of a signature: the machinery that ends a process, unwinds, or starts a thread.
_IRRELEVANT = (
    # glibc: signal delivery, abort, assert, fortify, the stack protector, malloc's checks
    r"(?:raise|gsignal|abort|kill|tgkill|pthread_kill(?:_implementation|_internal)?|restore_rt)$",
    r"(?:assert(?:_fail|_perror_fail|_fail_base)?|libc_message(?:_impl)?|message|libc_fatal)$",
    r"(?:fortify_fail(?:_abort)?|chk_fail|stack_chk_fail(?:_local)?)$",
    r"(?:malloc_printerr|munmap_chunk|int_free(?:_\w+)?|int_malloc|int_realloc|unlink_chunk"
    r"|malloc_consolidate|tcache_\w+|sysmalloc|malloc_assert|arena_for_chunk|heap_for_ptr)$",
    # C++: throwing and terminating (Itanium C++ ABI, libstdc++, libc++abi)
    r"(?:_Unwind_\w+|_?unwind_\w+|gxx_personality_\w+|cxa_\w+|cxxabiv1::\w+|__cxxabiv1::.*)",
    r"(?:std::(?:__)?terminate|std::unexpected|gnu_cxx::__verbose_terminate_handler"
    r"|abort_message|demangling_terminate_handler)$",
    r"(?:std::__throw_\w+|std::rethrow_exception|std::__glibcxx_assert_fail)$",
    # Rust: panicking and its trampolines (library/std/src/panicking.rs, core/src/panicking.rs)
    r"(?:rust_begin_unwind|rust_panic\w*|__?rust_start_panic|rust_oom|rg_oom|rust_drop_panic"
    r"|rust_abort)$",
    r"(?:panic_abort|panic_unwind|rustc)::_*rust_\w+(?:::.*)?$|panic_(?:abort|unwind)::.*",
    r"(?:std|core)::(?:panicking|panic)::.*",
    r"core::(?:option|result)::(?:unwrap_failed|expect_failed|expect_none_failed)$",
    r"core::slice::index::slice_\w+_fail\w*$",
    r"(?:std|alloc)::(?:sys_common|sys|rt|alloc)::.*(?:backtrace|lang_start|handle_alloc_error).*",
    r"std::sys::\w*::?.*abort_internal$|std::sys::.*\bstack_overflow::.*",
    r"(?:std::process::abort|std::alloc::rust_oom|alloc::alloc::handle_alloc_error)$",
    r"core::ops::function::.*call_once.*|std::panic::catch_unwind|std::thread::.*",
    r"std::rt::.*|lang_start.*",
    r"(?:panic_abort|panic_unwind|rustc|std_detect)::.*",
    # Windows: dispatching an exception, failing fast, the C runtime's end
    r"(?:KiUserExceptionDispatch\w*|Rtl(?:DispatchException|RaiseException|RaiseStatus|FailFast2?"
    r"|ReportCriticalFailure|ReportFatalFailure|p?LogHeapFailure|pHeapHandleError|UnwindEx"
    r"|ProcessFlsData|pExecuteHandlerForException)|ExecuteHandler2?|RaiseException"
    r"|_?CxxThrowException|_?CxxFrameHandler\d?|UnhandledExceptionFilter|DebugBreak|DbgBreakPoint)$",
    r"(?:_?invoke_watson|_?invalid_parameter\w*|_?report_gsfailure|_?report_securityfailure"
    r"|_?report_rangecheckfailure|_?security_check_cookie|terminate|_?purecall|_?abort"
    r"|VerifierStopMessage\w*|AVrf\w+)$",
    r"(?:NtWaitFor\w+|ZwWaitFor\w+|NtDelayExecution|NtRaiseHardError|WaitForSingleObjectEx?)$",
    r"(?:BaseThreadInitThunk|RtlUserThreadStart|_?scrt_common_main\w*|invoke_main"
    r"|mainCRTStartup|wmainCRTStartup|WinMainCRTStartup)$",
    # .NET: throwing, async plumbing, the pool
    r"System\.(?:ThrowHelper|Runtime\.ExceptionServices|Runtime\.CompilerServices"
    r"|Threading\.ExecutionContext|Threading\.ThreadPool\w*|Threading\.Tasks\.Task\.(?:Execute|Inner"
    r"|Throw|Run)|Threading\.ThreadHelper|Threading\.Thread\.Start).*",
    r"(?:DispatchManagedException|IL_Throw\w*|IL_Rethrow|RaiseTheException\w*|CallDescrWorker\w*"
    r"|MethodDescCallSite.*|ThePreStub|RunMain.*|coreclr_execute_assembly)$",
    # Go: what ends a program or begins a panic (runtime/panic.go, signal_unix.go, type checks)
    r"runtime\.(?:throw|fatal|fatalthrow|fatalpanic|fatalsignal|dopanic\w*|gopanic|goPanic\w+"
    r"|panic\w*|sigpanic\w*|raise\w*|crash|dieFromSignal|morestack\w*|newstack"
    r"|concurrentMap\w+)(?:\.\w+)*$|internal/runtime/maps\.fatal$|panic$",
    # sanitizers' own frames
    r"(?:asan|tsan|msan|ubsan|lsan|hwasan|sanitizer|interception)_?\w*(?:::.*)?$",
    r"(?:__)?(?:asan|tsan|msan|ubsan|lsan|hwasan|sanitizer|interception)(?:::|_).*",
    # macOS
    r"(?:objc_exception_throw|_?objc_terminate.*|CFRunLoop\w*|_pthread_(?:start|body)|thread_start)$",
    # where a thread begins
    r"(?:_start|libc_start_main\w*|libc_start_call_main|start_main\w*|start_call_main|start_thread"
    r"|clone\d?|_?dl_start_user|rt_sigreturn|call_init|libc_csu_init)$",
    r"<signal handler called>|\?\?$|0x[0-9a-f]+$",
)

# Part of a signature that goes on with the caller: the problem came from there.
_PREFIX = (
    r"(?:mem|str|stp|wcs|wmem|raw)(?:cpy|move|set|cmp|chr|rchr|ccpy|pcpy|mem|len|nlen|cat|ncpy|ncat"
    r"|ncmp|str|dup|ndup|tok|tok_r|spn|cspn|pbrk|sep|casecmp|ncasecmp|casestr|chrnul|coll|xfrm)"
    r"(?:_chk)?$",
    r"(?:bcopy|bzero|bcmp)$",
    # the compiler's own: intrinsics of its headers, libgcc's arithmetic that traps (-ftrapv) and
    # its divisions of what no register holds
    r"mm\d*_\w+$|(?:add|sub|mul|neg|abs)v[sdt]i[23]$|u?(?:div|mod|divmod)[sdt]i[34]$",
    # what _FORTIFY_SOURCE checks (glibc, debug/)
    r"fdelt_warn$|(?:fdelt|read|pread|recv|recvfrom|p?poll|readlink|getcwd|realpath|gethostname|confstr)_chk$",
    r"(?:malloc|calloc|realloc|reallocarray|free|cfree|memalign|aligned_alloc|posix_memalign)$",
    r"operator (?:new|delete)(?:\[\])?$",
    r"(?:je_|tc_|mi_|rust_|__rust_|__rdl_|__rg_)\w*(?:alloc|free|dealloc|malloc)\w*$",
    r"(?:v?[fs]?n?w?printf|v?as?printf|v?f?s?scanf|vfprintf_internal|vfscanf_internal|printf_\w+"
    r"|vsnprintf_internal|vsprintf_internal|outstring_\w+)(?:_chk|_internal)?$",
    r"(?:f?puts|f?gets|fwrite|fread|fclose|fflush|fopen(?:64)?|IO_\w+|_IO_\w+|getline|getdelim)"
    r"(?:_unlocked)?$",
    r"(?:qsort(?:_r)?|bsearch|msort_with_tmp|exit|run_exit_handlers|atexit|strto\w+|ato[ifl]l?)$",
    r"(?:pthread|gthread|gthrw|sem|new_sem|cnd|mtx|lll|futex|do_futex)_\w+$",
    r"(?:read|write|p?poll|p?select|recv\w*|send\w*|accept4?|connect|epoll_p?wait|nanosleep"
    r"|clock_nanosleep|u?sleep|wait\w*|ioctl|pause|syscall)$",
    r"(?:std|__gnu_cxx|gnu_cxx|__gnu_debug|boost|alloc|core|hashbrown)::.*|_M_\w+$",
    # Qt's containers and pointers check what their callers pass (QtCore)
    r"Q(?:List|Vector|Map|Hash|Set|String|StringView|ByteArray|VarLengthArray|Pointer|SharedPointer"
    r"|ScopedPointer|SharedDataPointer)::.*",
    r"<?(?:alloc|core|std|hashbrown)::.* as .*",
    r"(?:Rtl(?:EnterCriticalSection|p?EnterCriticalSectionContended|pWaitOnCriticalSection"
    r"|AllocateHeap|FreeHeap|ReAllocateHeap|pAllocateHeap\w*|pFreeHeap\w*|SizeHeap|CopyMemory"
    r"|MoveMemory|ZeroMemory)|HeapAlloc|HeapFree|LocalFree|_?(?:free|malloc)_(?:base|dbg))$",
    r"System\.(?:String|Array|Buffer|Span|Collections|Linq|Number|Convert|Enum|Object|Delegate)\W.*",
    r"System\.Threading\.(?:Monitor|SpinWait|WaitHandle|ManualResetEvent|SemaphoreSlim|Thread"
    r"|Tasks)\W.*",
    r"[\w.+-]+\.(?:so|dll|dylib)(?:\.[\d.]+)?(?:@0x[0-9a-f]+)?$",
)
_SAYS_NOTHING, _PASSES_ON = (
    re.compile("|".join(f"(?:{name})" for name in names)) for names in (_IRRELEVANT, _PREFIX)
)


def is_irrelevant(name: str) -> bool:
    """True for a function that says nothing of the cause."""
    return bool(_SAYS_NOTHING.match(name))


def is_prefix(name: str) -> bool:
    """True for a function that only meets the problem of its caller."""
    return bool(_PASSES_ON.match(name))
