"""Whose a frame of a log is: its names are all that is left, and they may be of any world.

Beyond the C library and the runtimes that `functions` knows, logs show the tools that report
(compiler-rt, Valgrind, libFuzzer), the runtimes of Go, Java, .NET, Node, Swift and Android, and the
libraries by which large programs check, allocate and end themselves (Chromium's base, V8, WebKit,
Mozilla's mozalloc, Abseil, GLib, Qt, LLVM, HotSpot, PHP): their namespaces and exported names.
"""

import re
from collections.abc import Sequence
from functools import cache

from analyzers.names import bare
from analyzers.owners.functions import (
    is_intrinsic,
    is_library_namespace,
    is_raising,
    is_runtime_name,
)
from analyzers.owners.kernel import is_kernel_reporting
from analyzers.owners.modules import is_platform_library
from analyzers.owners.sources import (
    DOTNET,
    is_logger_source,
    is_printed_library_source,
    is_tool_source,
)
from workbench.model.facts import Frame


@cache
def _tools() -> re.Pattern[str]:
    """The tools' own code and the interceptors that stand in front of the C library's functions."""
    return re.compile(
        r"^(?:_*(?:asan|hwasan|lsan|msan|tsan|ubsan|sanitizer|dfsan|interceptor|interception)(?:_|$)"
        r"|__(?:memprof|scudo)|__kasan|kasan_|kmsan_|kcsan_|kfence_"
        r"|fuzzer::|LLVMFuzzer(?:RunDriver|Initialize)|gwp_asan::|scudo::|_?replacement_"
        r"|\(below main\)|~?(?:StubRoutines|RuntimeStub|\w*Blob)\b"
        r"|__?afl_|afl_|HonggfuzzMain|HonggfuzzRun\w*|ExecuteFilesOnyByOne"
        r"|(?:testing|fuzztest|centipede|Catch|doctest|boost::unit_test|benchmark)::"
        r"|(?:\w+ )?FuzzedDataProvider::)|^\S{1,60} _[alhtm]san_rtl_$"
    )


WRITTEN_DOWN = True
"""What is compiled here stands in the source (`workbench.kept_patterns`)."""

ASSERTING = r"(?i:^(?:[\w:]*(?:::|_))?(?:on_?|handle_?|do_?)?assert(?:ion)?_?fail(?:ed|ure|s)?)$"
"""What a program calls the function that its own assertions end in."""


@cache
def _reports() -> re.Pattern[str]:
    """What writes a message, fails a check or ends a process for whoever called it, by its whole
    name: the libraries' exported or documented functions."""
    return re.compile(
        r"^(?:begin_panic\w*|base::internal::(?:Check|Notreached|NotReached)|logging::(?:Log|Check)\w*|"
        r"blink::ReportOOM\w*|base::(?:TerminateBecause\w*|ImmediateCrash|internal::CheckHandler)|"
        r"base::(?:internal::|\(anonymous namespace\)::)?OnNoMemory\w*|"
        r"WTF(?:Crash\w*|ReportAssertion\w*|ReportBacktrace)|CrashReporter\w*|google::(?:Log|Dump|"
        r"Fail)\w*(?:::~?\w+)?|"
        r"absl::\w*(?:Log|log_internal|lts_\w+::log_internal)\w*|(?:absl::)?(?:\w+::)?log_internal::[\w:~]*|"
        r"LogMessage\w*|g_(?:assert\w*|log\w*|error|return_if_fail_warning)|_g_log_\w+|"
        # Qt's qlogging.cpp and qassert.cpp
        r"qFatal|qt_(?:assert|message|check_pointer)\w*|QMessageLogger::\w+|qTerminate|qBadAlloc|"
        # Boost.Assert, Poco, folly, spdlog, gRPC, TensorFlow, PyTorch, Arrow, OpenCV, OpenSSL
        r"boost::(?:assertion_failed\w*|throw_exception)|Poco::Bugcheck::\w+|folly::detail::\w*Fail\w*|"
        r"spdlog::\S+|(?:grpc_core::)?(?:gpr_log\w*|gpr_assertion_failed|grpc_core::Crash)|"
        r"(?:tsl|tensorflow)::internal::(?:Log|Check)\w*(?:::~?\w+)?|c10::detail::torch\w*Fail|"
        r"arrow::(?:util|internal)::\w*Log\w*(?:::~?\w+)?|cv::error|OPENSSL_die|OpenSSLDie|"
        r"_dbus_(?:abort|real_assert\w*)|log_assert_failed\w*|"
        # the interpreters: CPython's Python/pylifecycle.c, Ruby's error.c, PostgreSQL's elog.c
        r"_?Py_FatalError\w*|fatal_error(?:_exit)?|faulthandler_\w+|rb_(?:bug|assert_failure)\w*|"
        r"ExceptionalCondition|errfinish|elog_finish|"
        r"_d_(?:array_?bounds|assert|throw|unittest)\w*|on(?:InvalidMemoryOperation|OutOfMemory|"
        r"Range|Array(?:Index|Slice)|Assert|Unicode|Finalize)\w*Error\w*|"  # druntime
        r"v8::api_internal::\w+|v8::base::(?:OS::Abort|FatalOOM|debug::\w+)|V8_\w+|v8::Utils::\w*Fail\w*|"
        r"v8::internal::V8::FatalProcess\w*|v8::internal::(?:__RT_impl_)?Runtime_Abort\w*|"
        r"v8::internal::Isolate::PushStackTraceAndDie|blink::ReportV8FatalError|node::Abort|"
        r"MOZ_(?:Crash\w*|Report\w*|RELEASE_ASSERT\w*)|mozalloc_(?:abort|handle_oom)|"
        r"mozilla::detail::InvalidArrayIndex_CRASH|"
        r"abort_message|demangling_terminate_handler|_objc_\w+|objc_exception_throw|"
        r"(?:art::)?(?:Runtime|Thread)::(?:Abort|Dump)\w*|android::(?:base|CallStack)::\w*|"
        r"Throw[A-Z]\w*(?:Exception|Error)|"  # Kotlin/Native's runtime
        r"dart::(?:Profiler::DumpStackTrace|(?:Assert|DynamicAssertionHelper)::Fail)|"
        r"llvm::(?:sys::\w+|report_\w+|llvm_unreachable_internal)|"
        r"VMError::\w+|report_(?:vm_\w+|fatal\w*|java_out_of_memory|should_not_\w+))$|" + ASSERTING
    )


@cache
def _machinery() -> re.Pattern[str]:
    """What allocates, compares, waits or starts a thread for whoever called it."""
    return re.compile(
        r"^(?:str\w*cmp|rust_oom|handle_alloc_error|_w?assert|_purecall|_CxxThrowException|"
        r"malloc_zone_error|set_list_\w+_botch|partition_alloc::\S+|_rdl_oom|mozalloc_\w+|moz_x?(?:malloc|calloc|realloc|free|memalign)|"
        # Apple's libsystem_malloc
        r"(?:szone|nanov?2?)_\w+|(?:tiny|small|medium|large)_free_(?:list_\w+|no_lock)|"
        r"(?:tiny|small|medium|large)_malloc_\w+|free_(?:tiny|small|medium|large)|"
        r"g_(?:malloc\w*|free|realloc\w*|slice\w*)|"
        r"xmalloc|xrealloc|xcalloc|php_\w*malloc|_emalloc\w*|_efree\w*|"
        r"_dispatch_\w+|_pthread_\w+|thread_start|mach_msg\w*)$"
    )


def is_report(function: str) -> bool:
    """True for what reports a failure, or ends the process, for whoever called it."""
    return bool(_reports().match(bare(function)) or _reports().match(function))


@cache
def _reserved() -> re.Pattern[str]:
    """What a runtime or a library keeps for itself, by how its names begin."""
    return re.compile(
        r"^(?:std::|__rustc|rust_(?:eh|panic|begin|oom|start|drop)|os/signal\.|"
        r"java\.|javax\.|jdk\.|sun\.|com\.sun\.|scala\.|kotlin\.|dalvik\.|android\.(?:os|app|view)\.|"
        r"com\.android\.internal\.|com\.code_intelligence\.jazzer\.|org\.junit\.|"
        r"node:|mono_(?!main$)|xamarin_|swift_|_swift_|Swift\.|absl::\w*log|google::Log|"
        r"v8::base::debug::|mozilla::detail::Invalid"
        r"|(?:closure #\d|function signature spec|generic spec)[^\n]{1,2000} (?:in|of) Swift\._)"
    )


@cache
def _words() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Words by which names of a library begin and those of a program may, and what the library's
    sources are called: of Rust, Go, .NET (the reference sources, corefx, WPF), Chromium, WebKit."""
    rows = (
        (r"(?:core|alloc|_?rayon_core|backtrace|panic_unwind|test)::", r"\.rs$"),
        (r"(?:runtime|syscall|testing|reflect|sync)\.|internal/", r"\.(?:go|s)$"),
        (r"(?:System|Microsoft)\.", r"\.(?:cs|vb|fs|il)$"),
        (r"(?:MS|Internal)\.", DOTNET),
        (
            r"logging::|base::debug::",
            r"(?:^|(?:^|[/\\])base[/\\])(?:debug[/\\])?(?:logging|check|notreached|immediate_crash|"
            r"stack_trace|debugger|alias|dump_without_crashing)\w*\.(?:cc|h)$",
        ),
        (
            r"org\.(?:springframework|hibernate|postgresql|mariadb|jboss|wildfly|eclipse\.jetty|slf4j|"
            r"codehaus|apache\.(?:catalina|coyote|tomcat|http|commons|logging|log4j|ibatis|jasper))\.|"
            r"com\.(?:zaxxer\.hikari|mysql|fasterxml\.jackson|google\.(?:common|gson)|sun|microsoft\."
            r"sqlserver|mchange)\.|io\.(?:netty|undertow|micrometer|reactivex)\.|reactor\.|okhttp3\.|"
            r"oracle\.jdbc\.|ch\.qos\.logback\.|net\.sf\.cglib\.|clojure\.|groovy\.",
            r"\.(?:java|kt|scala|groovy|clj)$",
        ),
        (r"WTF::", r"(?i:(?:^|[/\\])wtf[/\\])|^[^/\\]+$"),
    )
    return tuple((re.compile(names), re.compile(sources)) for names, sources in rows)


def _is_in_namespace(name: str, file: str) -> bool | None:
    """Whether a library's own namespace holds a function; False where the word is one but the
    source beside it is the program's, None where no namespace tells."""
    if _reserved().match(name):
        return True
    row = next((sources for names, sources in _words() if names.match(name)), None)
    return None if row is None else not file or bool(row.search(file))


# Interceptors of macOS and of the linker's --wrap; a program has names like wrap_text too.
_WRAPPER = re.compile(r"_*wrap_(?P<wrapped>\w+)")
_ENDS = re.compile(
    r"(?:\b|__GI_|__)(?:abort(?:_with_\w+)?|raise|gsignal|pthread_kill\w*|kill|tgkill|"
    r"rt_sigqueueinfo)\b|Abort|^VMError::|^report_(?:vm_|fatal|java_out_of_memory)"
)


@cache
def _harness() -> re.Pattern[str]:
    """What calls into the code under test: nothing that called it is the program's."""
    return re.compile(
        r"^(?:fuzzer::(?:Fuzzer::(?:ExecuteCallback|RunOne|MutateAndTestOne|Loop|ReadAndExecute)|"
        r"RunOneTest|FuzzerDriver)|testing::Test(?:::|Info|Suite)|fuzztest::internal::\w*Fuzzer|"
        r"__afl_(?:manual|start)|HonggfuzzRunOneInput|Catch::(?:TestInvoker|RunContext))"
    )


_ENTRIES = frozenset({"main", "wmain", "_main", "WinMain", "wWinMain", "__libc_start_main"})


def is_entry(function: str) -> bool:
    """True for where a program is entered, which every stack of it has."""
    return bare(function) in _ENTRIES


_STARTS = re.compile(
    r"^\.?(?:_?_?start|_?_?libc_start_\w+|start_thread|(?:__)?clone3?|thread_start|_?start_c|"
    r"BaseThreadInitThunk|_?_?RtlUserThreadStart|\w*mainCRTStartup|invoke_main|"
    r"__scrt_common_main\w*|_pthread_(?:start|body)|lang_start\w*)$"
)


def is_start(function: str) -> bool:
    """True for what starts a process or a thread, before any code of the program's."""
    return bool(_STARTS.match(bare(function)))


def is_reporter(frame: Frame) -> bool:
    """True for what writes a log's line for whoever called it."""
    reports = re.match(r"^(?:logging|google|absl)::(?:\w+::)*(?:Log|Check)", frame.function or "")
    return bool(reports) or is_logger_source(frame.file or "")


def up_to_harness(frames: Sequence[Frame]) -> Sequence[Frame]:
    """The frames above a test's or a fuzzer's harness; all where none called."""
    harness = (at for at, f in enumerate(frames) if f.function and _harness().match(f.function))
    return frames[: next(harness, len(frames))]


def is_end(function: str) -> bool:
    """True for a function by which a program ends itself, whatever led there."""
    return bool(_ENDS.search(function))


def is_tool(frame: Frame) -> bool:
    """True for a frame of the tool that reports."""
    name = frame.function or ""
    return bool(_tools().match(name)) or _is_wrapper(name) or is_tool_source(frame.file or "")


def is_own(frame: Frame) -> bool:
    """True when a frame runs the program's own code, as far as its names tell."""
    if frame.signal_handler or frame.system:
        return False
    module = frame.module
    if module and is_platform_library(module):
        return False
    if frame.function is None:
        return module is not None
    return not is_tool(frame) and not _is_machinery(frame.function, frame.file or "")


_SCRIPTS = (".py", ".rb", ".js", ".mjs", ".ts", ".tsx", ".php", ".lua", ".pl", ".erl", ".ex")


# What pip writes to start an installed program has no function of its own.
_STUB = re.compile(r"[/\\](?:s?bin|Scripts)[/\\][\w-]+$")


def _is_machinery(name: str, file: str) -> bool:
    short = bare(name)
    if name == "<module>" and _STUB.search(file):
        return True
    if file.endswith(_SCRIPTS):  # its functions may be called as those of C are
        return bool(_is_in_namespace(name, file)) or is_printed_library_source(file)
    known = _is_in_namespace(name, file)
    if known is not None:
        return known
    # The kernel is built with relative paths: a source with a full one is not its own.
    if not file.startswith("/") and (is_kernel_reporting(short) or is_kernel_reporting(name)):
        return True
    if is_raising(name) or is_report(name) or _machinery().match(short) or _machinery().match(name):
        return True
    if is_logger_source(file) or is_printed_library_source(file) or is_library_namespace(name):
        return True
    return is_runtime_name(name) or is_intrinsic(name)


def _is_wrapper(name: str) -> bool:
    found = _WRAPPER.fullmatch(name)
    return found is not None and (
        is_runtime_name(found["wrapped"]) or found["wrapped"].startswith("dispatch_")
    )
