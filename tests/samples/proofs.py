"""Programs whose cause the code and the words of the dump prove where a look at the pointer alone
would stop at a wider one."""

from tests.samples.case import DEBUG, SPEED, THREADS, case

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
