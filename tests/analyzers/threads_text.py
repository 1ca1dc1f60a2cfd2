"""A listing of every thread of a large process, as gdb and lldb print it."""

from collections.abc import Iterator

KINDS = 40


def gdb_threads(threads: int, frames: int = 50, first: int = 100_000) -> Iterator[str]:
    """``thread apply all bt``, a thread at a time: most threads in one of few places, with
    arguments of their own. Thread N has TID ``first`` + N."""
    for number in range(threads, 0, -1):
        kind = kind_of(number)
        target = f'Thread 0x7f{number:010x} (LWP {first + number}) "pool-{kind}"'
        yield f"\nThread {number} ({target}):\n"
        yield "".join(_gdb_frame(kind, index, number) for index in range(frames))


def kind_of(number: int) -> int:
    """In which of `KINDS` places a thread is: every third in the same."""
    return number % KINDS if number % 3 else 0


def _gdb_frame(kind: int, index: int, number: int) -> str:
    name = f"module_{kind}::step_{index}"
    if index % 7 == 3:
        name = f"ns{kind}::Worker<int, std::allocator<T{kind}> >::operator()(int) const"
    where = f"at ../src/module/file_{index}.cpp:{index * 7 + 10}"
    if index % 4 == 0:
        where = "from /lib/x86_64-linux-gnu/libfoo.so.6"
    own = f"this=0x7f{number * 8191 + index:010x}, n={number}" if index % 3 == 0 else "n=0"
    address = f"0x{0x7F0000000000 + kind * 65536 + index * 64:016x} in " if index % 5 else ""
    return f"#{index:<2} {address}{name} ({own}) {where}\n"


def lldb_threads(threads: int, frames: int = 50, first: int = 100_000) -> Iterator[str]:
    """The same as ``thread backtrace all``."""
    for number in range(1, threads + 1):
        kind = kind_of(number)
        mark = "* " if number == 1 else "  "
        yield f"{mark}thread #{number}: tid = {first + number}, name = 'pool-{kind}'\n"
        yield "".join(
            f"    frame #{index}: 0x{0x7F0000000000 + kind * 65536 + index * 64:016x} "
            f"libfoo.so`module_{kind}::step_{index}(this=0x{number * 8191:x}, n={number}) "
            f"at file_{index}.cpp:{index * 7 + 10}:3\n"
            for index in range(frames)
        )
