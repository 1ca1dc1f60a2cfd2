"""Small programs, one cause each, and what an investigation of each must find."""

from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP, Signals

from tests.crashes import build, crash, hang

HERE = Path(__file__).parent
DEBUG = ("-g", "-O0")
SPEED = ("-g", "-O2")
STATIC = ("-g", "-O1", "-static")
STRIPPED = ("-O1", "-s")
STATIC_STRIPPED = ("-O1", "-static", "-s")
THREADS = ("-pthread",)


@dataclass(frozen=True)
class Case:
    """``category`` is the cause, ``also`` what may be said as well as it. ``functions`` are the
    frames that may be named (empty: not looked at, as in a stripped program). ``kind``: crash,
    hang, or sent (a signal from outside)."""

    source: str
    category: str
    functions: frozenset[str]
    flags: tuple[str, ...] = DEBUG
    kind: str = "crash"
    signal: Signals = SIGSEGV
    also: frozenset[str] = field(default=frozenset())

    @property
    def id(self) -> str:
        return f"{self.source}-{''.join(self.flags)}-{self.signal.name}".replace("-pthread", "")

    def make(self) -> tuple[Path, Path]:
        """(executable, core), made once a run."""
        executable = build(HERE / self.source, *self.flags)
        if self.kind == "hang":
            return executable, hang(executable)
        if self.kind == "sent":
            return executable, crash(executable, send=self.signal)
        return executable, crash(executable)


def _case(source: str, category: str, functions: str = "", *flags: str, **more: object) -> Case:
    """One row; words of ``functions`` and of ``also`` are separated by blanks."""
    also = frozenset(str(more.pop("also", "")).split())
    names = frozenset(functions.split())
    return Case(source, category, names, flags or DEBUG, also=also, **more)  # type: ignore[arg-type]


CASES = (
    # null pointers
    _case("orders_total.c", "null-pointer-dereference", "total"),
    _case("orders_total.c", "null-pointer-dereference", "total main", *SPEED),
    _case("orders_total.c", "null-pointer-dereference", "", *STRIPPED),
    _case("set_flag.c", "null-pointer-dereference", "mark"),
    _case("set_flag.c", "null-pointer-dereference", "mark", *STATIC),
    _case("name_length.c", "null-pointer-dereference", "measure"),
    _case("name_length.c", "null-pointer-dereference", "measure", *SPEED),
    _case("handlers.c", "null-function-pointer-call", "fire"),
    _case("handlers.c", "null-function-pointer-call", "fire", *SPEED),
    # freed memory
    _case("queue.c", "use-after-free", "weigh"),
    _case("queue.c", "use-after-free", "weigh", *SPEED),
    _case("queue.c", "use-after-free", "", *STATIC_STRIPPED),
    _case("shapes.cpp", "use-after-free", "measure"),
    _case("frame_buffer.c", "use-after-free", "refresh"),
    _case("cleanup.c", "double-free", "reset", signal=SIGABRT),
    _case("cleanup.c", "double-free", "reset", *STATIC, signal=SIGABRT),
    _case("cleanup.c", "double-free", "", *STRIPPED, signal=SIGABRT),
    _case("pool_release.c", "double-free", "release", signal=SIGABRT),
    _case("skip_header.c", "invalid-free", "discard", signal=SIGABRT),
    _case("scratch.c", "invalid-free", "finish", signal=SIGABRT),
    # overwritten heap
    _case("label.c", "heap-corruption", "done", signal=SIGABRT, also="heap-buffer-overflow"),
    _case("grow.c", "heap-corruption", "extend", signal=SIGABRT, also="heap-buffer-overflow"),
    # overwritten stack
    _case("copy_name.c", "stack-buffer-overflow", "copy", "-g", "-O0", "-fstack-protector-all",
          signal=SIGABRT),
    _case("copy_name.c", "stack-buffer-overflow", "copy", "-g", "-O2", "-D_FORTIFY_SOURCE=2",
          signal=SIGABRT, also="buffer-overflow"),
    _case("copy_name.c", "stack-buffer-overflow", "copy", "-g", "-O0", "-fno-stack-protector"),
    _case("row_fill.c", "stack-buffer-overflow", "fill", "-g", "-O1", "-fno-stack-protector"),
    _case("row_fill.c", "stack-buffer-overflow", "", "-O1", "-s", "-fno-stack-protector"),
    # no more stack
    _case("tree_depth.c", "stack-overflow", "depth"),
    _case("tree_depth.c", "stack-overflow", "depth", *SPEED),
    _case("tree_depth.c", "stack-overflow", "", *STATIC_STRIPPED),
    _case("ping_pong.c", "stack-overflow", "ping pong", *DEBUG, *THREADS),
    _case("big_table.c", "stack-overflow", "sum"),
    # arithmetic
    _case("rate.c", "divide-by-zero", "rate", signal=SIGFPE),
    _case("rate.c", "divide-by-zero", "rate", *SPEED, signal=SIGFPE),
    _case("shard.c", "divide-by-zero", "shard", *DEBUG, *THREADS, signal=SIGFPE),
    _case("scale.c", "integer-overflow", "scale", signal=SIGFPE, also="unknown"),
    # deliberate ends
    _case("insert.c", "assertion-failure", "insert", signal=SIGABRT),
    _case("insert.c", "assertion-failure", "insert", *STATIC, signal=SIGABRT),
    _case("config_check.c", "explicit-abort", "require", signal=SIGABRT),
    _case("config_check.c", "explicit-abort", "", *STRIPPED, signal=SIGABRT),
    _case("load.cpp", "uncaught-exception", "load", signal=SIGABRT),
    _case("load.cpp", "uncaught-exception", "load", *STATIC, signal=SIGABRT),
    _case("stage.cpp", "uncaught-exception", "stage", *DEBUG, *THREADS, signal=SIGABRT),
    _case("lookup.cpp", "uncaught-exception", "lookup", signal=SIGABRT),
    _case("closing.cpp", "uncaught-exception", "flush finish",
          signal=SIGABRT, also="std-terminate"),
    # waiting for each other
    _case("transfer.c", "deadlock", "move", *DEBUG, *THREADS, kind="hang"),
    _case("transfer.c", "deadlock", "move", *SPEED, *THREADS, kind="hang"),
    _case("transfer.c", "deadlock", "", *STATIC_STRIPPED, kind="hang"),
    _case("ring.cpp", "deadlock", "dine", *DEBUG, *THREADS, kind="hang"),
    _case("cache_get.c", "deadlock", "refill", kind="hang"),
    # from outside
    _case("standby.c", "external-signal", "standby", kind="sent", signal=SIGQUIT),
    _case("standby.c", "external-signal", "standby", kind="sent", signal=SIGABRT),
    _case("standby.c", "external-signal", "standby", kind="sent", signal=SIGSEGV),
    # the processor refuses
    _case("parse_step.c", "illegal-instruction", "step", signal=SIGILL, also="trap"),
    _case("parse_step.c", "illegal-instruction", "step main", *SPEED, signal=SIGILL, also="trap"),
    _case("compute.c", "illegal-instruction", "compute", signal=SIGILL),
    _case("breakpoint.c", "trap", "check", signal=SIGTRAP),
    _case("greeting.c", "write-to-read-only-memory", "capitalise"),
    _case("greeting.c", "write-to-read-only-memory", "", *STATIC_STRIPPED),
    _case("table_file.c", "truncated-mapping", "row", signal=SIGBUS, also="bus-error"),
    _case("widgets.cpp", "pure-virtual-call", "Widget::setup setup", signal=SIGABRT),
    # what must not be called by one of the names above
    _case("pick.c", "wild-pointer", "pick", also="corrupted-pointer uninitialized-pointer unknown"),
    _case("reader.c", "blocked-on-io", "next_byte", kind="hang", also="unknown"),
    _case("waiter.c", "missed-wakeup", "await_start", kind="hang", also="unknown"),
)  # fmt: skip
