"""Programs whose cause the code and the words of the dump prove where a look at the pointer alone
would stop at a wider one."""

from signal import SIGBUS

from tests.samples.case import DEBUG, SPEED, STRIPPED, THREADS, case

UNSET = (
    case("unset_handler.c", "uninitialized-pointer", "dispatch main", wider="wild-pointer",
         severity="SegFaultOnPc", signature="dispatch"),
    case("stale_field.c", "uninitialized-pointer", "peer_id", wider="wild-pointer",
         severity="SourceAv"),
)  # fmt: skip

TABLES = (
    case("relabel.cpp", "invalid-vtable", "total", wider="corrupted-pointer wild-pointer",
         severity="CallAvTainted"),
    case("relabel.cpp", "invalid-vtable", "total main", *SPEED,
         wider="corrupted-pointer wild-pointer", severity="CallAv"),
)  # fmt: skip

FAILED = (
    case("big_grid.c", "unchecked-allocation", "make", wider="null-pointer-dereference",
         severity="DestAvNearNull"),
    case("big_grid.c", "unchecked-allocation", "make", *SPEED, wider="null-pointer-dereference",
         severity="DestAvNearNull"),
)  # fmt: skip

GIVEN_BACK = (
    case("page_cache.c", "use-after-free", "at", wider="wild-pointer"),
    case("page_cache.c", "use-after-free", "at main", *SPEED, wider="wild-pointer"),
)  # fmt: skip

WAITING = (
    case("wait_holding.c", "deadlock", "consume produce", *DEBUG, *THREADS, kind="hang",
         wider="missed-wakeup",
         signature="hang | pthread_cond_wait | consume, hang | pthread_mutex_lock | produce"),
    case("once_again.cpp", "deadlock", "table", *DEBUG, *THREADS, kind="hang",
         wider="missed-wakeup", lacks="signature"),
)  # fmt: skip

BESIDE = (
    case("scores.c", "out-of-bounds-write", "record", wider="wild-pointer", severity="DestAv"),
    case("scores.c", "out-of-bounds-write", "record main", *SPEED, wider="wild-pointer",
         severity="DestAv"),
    case("scores.c", "out-of-bounds-write", "record", *STRIPPED, wider="wild-pointer",
         severity="DestAv"),
    case("unset_index.c", "uninitialized-value", "price_of", wider="out-of-bounds-read",
         severity="SourceAv"),
    # a frame pointer that is no address: the stack segment's fault is a bus error
    case("saved_frame.c", "stack-buffer-overflow", "main", "-g", "-O0", "-fno-stack-protector",
         signal=SIGBUS, wider="corrupted-pointer wild-pointer bus-error", open=True,
         severity="SourceAv"),
    case("opcode.c", "out-of-bounds-read", "run", wider="null-function-pointer-call",
         severity="SegFaultOnPcNearNull"),
    case("opcode.c", "out-of-bounds-read", "run", *SPEED, wider="null-function-pointer-call",
         severity="SegFaultOnPcNearNull"),
    # without symbols nothing says where the table ends
    case("opcode.c", "out-of-bounds-read", "run", *STRIPPED, open=True,
         wider="null-function-pointer-call", severity="SegFaultOnPcNearNull"),
    case("page_end.c", "out-of-bounds-read", "measure", wider="wild-pointer",
         severity="SourceAv", signature="strlen | measure"),
    case("page_end.c", "out-of-bounds-read", "measure", *SPEED, wider="wild-pointer",
         severity="SourceAv", signature="strlen | measure"),
    case("odd_field.c", "misaligned-access", "store", signal=SIGBUS, wider="bus-error",
         severity="DestAv"),
    case("odd_field.c", "misaligned-access", "store", *STRIPPED, signal=SIGBUS,
         wider="bus-error", severity="DestAv"),
    # the stack was not aligned when the C library was called
    case("odd_stack.c", "misaligned-access", "show", severity="DestAv",
         signature="snprintf | show"),
)  # fmt: skip

OTHER_TYPE = (
    # a number where a pointer belongs: the bits tell, the union's tag is in the source
    case("variant.c", "type-confusion", "width", wider="wild-pointer", open=True,
         severity="SourceAv", signature="strlen | width"),
    case("variant.c", "type-confusion", "width main", *SPEED, wider="wild-pointer", open=True,
         severity="SourceAv", signature="strlen | width, strlen | main"),
    case("caption.cpp", "type-confusion", "Label::first", wider="wild-pointer",
         severity="SourceAv"),
    case("caption.cpp", "type-confusion", "Label::first", *SPEED, wider="wild-pointer",
         open=True, severity="SourceAv"),
)  # fmt: skip
