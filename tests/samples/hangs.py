"""Programs that do not get on; their cores are snapshots, which no signal ended."""

from tests.samples.case import DEBUG, RUST, RUST_SPEED, SPEED, STATIC_STRIPPED, THREADS, case

HANGS = (
    case("transfer.c", "deadlock", "move", *DEBUG, *THREADS, kind="hang",
         signature="hang | pthread_mutex_lock | move | pthread_mutex_lock | move"),
    case("transfer.c", "deadlock", "move", *SPEED, *THREADS, kind="hang",
         signature="hang | pthread_mutex_lock | move | pthread_mutex_lock | move"),
    # the locks are found in memory; without symbols nothing says which frame is the program's
    case("transfer.c", "deadlock", "move", *STATIC_STRIPPED, kind="hang",
         lacks="frame signature"),
    case("ring.cpp", "deadlock", "dine", *DEBUG, *THREADS, kind="hang",
         signature="hang | std::mutex::lock | dine, hang | std::lock_guard::lock_guard | dine"),
    case("cache_get.c", "deadlock", "refill", kind="hang",
         signature="hang | pthread_mutex_lock | refill"),
    case("upgrade.c", "deadlock", "insert", kind="hang", wider="missed-wakeup",
         signature="hang | pthread_rwlock_wrlock | insert"),
    case("upgrade.c", "deadlock", "insert", *SPEED, kind="hang", wider="missed-wakeup",
         signature="hang | pthread_rwlock_wrlock | insert"),
    case("listeners.cpp", "deadlock", "Registry::add", *DEBUG, kind="hang",
         signature="hang | std::lock_guard::lock_guard | Registry::add"),
    case("listeners.cpp", "deadlock", "Registry::add", *SPEED, kind="hang",
         signature="hang | std::lock_guard::lock_guard | Registry::add"),
    case("abandoned.c", "deadlock", "read_balance", *DEBUG, *THREADS, kind="hang",
         signature="hang | pthread_mutex_lock | read_balance"),
    case("abandoned.c", "deadlock", "read_balance", *SPEED, *THREADS, kind="hang",
         signature="hang | pthread_mutex_lock | read_balance"),
    case("on_signal.c", "deadlock", "count", kind="hang",
         signature="hang | pthread_mutex_lock | count"),
    case("on_signal.c", "deadlock", "count", *SPEED, kind="hang",
         signature="hang | pthread_mutex_lock | count"),
    case("join_each_other.cpp", "deadlock", "stop", *DEBUG, *THREADS, kind="hang",
         signature="hang | pthread_clockjoin_ex | stop"),
    # optimised, the join is a jump: no frame of the program's own stands on the stack
    case("join_each_other.cpp", "deadlock", "", *SPEED, *THREADS, kind="hang"),
    # a semaphore and Rust's futex lock have no owner that a core could tell
    case("rendezvous.c", "deadlock", "ask answer", *DEBUG, *THREADS, kind="hang", open=True,
         wider="missed-wakeup",
         signature="hang | new_sem_wait_slow64 | ask, hang | new_sem_wait_slow64 | answer"),
    case("relock.rs", "deadlock", "relock::Cache::evict", *RUST, kind="hang", open=True,
         wider="missed-wakeup",
         signature="hang | std::sync::poison::mutex::Mutex::lock | relock::Cache::evict, "
         "hang | std::sync::mutex::Mutex::lock | relock::Cache::evict"),
    case("relock.rs", "deadlock", "relock::Cache::evict", *RUST_SPEED, kind="hang", open=True,
         wider="missed-wakeup",
         signature="hang | std::sync::poison::mutex::Mutex::lock | relock::Cache::evict, "
         "hang | std::sync::mutex::Mutex::lock | relock::Cache::evict"),
    # nobody will wake it, but a later signal would look the same
    case("waiter.c", "missed-wakeup", "await_start", kind="hang", open=True,
         signature="hang | pthread_cond_wait | await_start"),
    case("producer.cpp", "missed-wakeup", "consume", *DEBUG, *THREADS, kind="hang", open=True,
         signature="hang | pthread_cond_wait | consume"),
    case("producer.cpp", "missed-wakeup", "consume", *SPEED, *THREADS, kind="hang", open=True,
         signature="hang | pthread_cond_wait | consume"),
    case("nested_pool.cpp", "thread-starvation", "", *DEBUG, *THREADS, kind="hang",
         open=True, wider="missed-wakeup deadlock"),
    case("nested_pool.cpp", "thread-starvation", "", *SPEED, *THREADS, kind="hang",
         open=True, wider="missed-wakeup deadlock"),
    # a long loop looks like an endless one
    case("search.c", "infinite-loop", "find", kind="hang", until="searching", open=True,
         wider="high-cpu", signature="hang | find"),
    case("search.c", "infinite-loop", "find", *SPEED, kind="hang", until="searching", open=True,
         wider="high-cpu", signature="hang | find"),
    # waiting for a client is what a server does: nothing says that it is wrong
    case("reader.c", "blocked-on-io", "next_byte", kind="hang", open=True,
         signature="hang | read | next_byte"),
    case("serve.c", "blocked-on-io", "next_client", kind="hang", open=True,
         signature="hang | accept | next_client"),
    case("collect_status.c", "blocked-on-io", "report", kind="hang", open=True,
         signature="hang | write | report"),
    case("collect_status.c", "blocked-on-io", "report", *SPEED, kind="hang", open=True,
         signature="hang | write | report"),
)  # fmt: skip
