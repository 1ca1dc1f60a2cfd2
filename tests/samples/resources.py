"""Programs that run out of memory or keep it, that miss a library, or that never come to rest."""

from signal import SIGABRT

from tests.samples.case import DEBUG, RUST, RUST_SPEED, SPEED, STRIPPED, THREADS, case

MEMORY = (
    case("must_have.c", "out-of-memory", "must", signal=SIGABRT, wider="explicit-abort",
         severity="AbortSignal"),
    case("must_have.c", "out-of-memory", "must main", *SPEED, signal=SIGABRT,
         wider="explicit-abort", severity="AbortSignal"),
    case("must_have.c", "out-of-memory", "must", *STRIPPED, signal=SIGABRT,
         wider="explicit-abort", severity="AbortSignal"),
    case("hoard.cpp", "uncaught-exception", "remember", signal=SIGABRT, also="out-of-memory",
         signature="operator new | remember, std::__cxx11::basic_string::basic_string | remember"),
    case("hoard.cpp", "uncaught-exception", "remember main", *SPEED, signal=SIGABRT,
         also="out-of-memory",
         signature="std::__cxx11::basic_string::basic_string | remember, operator new | remember"),
    case("hoard_words.rs", "out-of-memory", "hoard_words::hoard", *RUST, signal=SIGABRT,
         wider="explicit-abort", severity="AbortSignal",
         signature="alloc::vec::Vec::reserve_exact | hoard_words::hoard"),
    case("hoard_words.rs", "out-of-memory", "hoard_words::hoard", *RUST_SPEED, signal=SIGABRT,
         wider="explicit-abort", severity="AbortSignal",
         signature="alloc::vec::Vec::reserve_exact | hoard_words::hoard"),
    # what fills the heap is seen, that it grows is not
    case("readings.c", "memory-leak", "", kind="hang", open=True),
    case("readings.c", "memory-leak", "", *STRIPPED, kind="hang", open=True),
    case("event_log.cpp", "memory-leak", "", kind="hang", open=True),
    case("event_log.cpp", "memory-leak", "", *SPEED, kind="hang", open=True),
)  # fmt: skip

LIBRARIES = (
    # the loader's message is there; that abort() followed from it is in the source alone
    case("codec.c", "library-load-failure", "need", signal=SIGABRT, wider="explicit-abort",
         open=True, severity="AbortSignal"),
    case("codec.c", "library-load-failure", "need main", *SPEED, signal=SIGABRT,
         wider="explicit-abort", open=True, severity="AbortSignal"),
    case("find_shape.c", "missing-method", "draw", also="null-function-pointer-call",
         severity="SegFaultOnPcNearNull"),
    case("find_shape.c", "missing-method", "draw", *STRIPPED, also="null-function-pointer-call",
         severity="SegFaultOnPcNearNull"),
    case("new_clock.c", "version-mismatch", "read_clock", also="null-function-pointer-call",
         severity="SegFaultOnPcNearNull"),
    case("new_clock.c", "version-mismatch", "read_clock", *SPEED,
         also="null-function-pointer-call", severity="SegFaultOnPcNearNull"),
)  # fmt: skip

PROCESSORS = (
    case("mixers.c", "high-cpu", "mix", *DEBUG, *THREADS, kind="hang", until="mixing", open=True,
         wider="infinite-loop", lacks="signature"),
    # one moment shows the null, not who put it there
    case("shared_slot.c", "data-race", "take", *DEBUG, *THREADS, open=True,
         wider="null-pointer-dereference", severity="SourceAvNearNull"),
    case("shared_slot.c", "data-race", "take", *SPEED, *THREADS, open=True,
         wider="null-pointer-dereference", severity="SourceAvNearNull"),
)  # fmt: skip
