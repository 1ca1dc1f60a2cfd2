"""Who waits for whom, on hung programs: snapshots by gdb and cores of a signal."""

import re
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.crashes import build, crash, hang
from tests.targets.probes.ask import ask
from workbench.model.facts import LockCycle, Wait
from workbench.targets.dump import Dump
from workbench.targets.probes.futex import Waited, has_come

# Each thread waits there for as many as are to hold their first lock.
MEET = """
#include <pthread.h>
#include <unistd.h>
static int here;
static void meet(int all) { __atomic_add_fetch(&here, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&here, __ATOMIC_SEQ_CST) < all) usleep(1000); }
"""
RING = (
    MEET
    + """
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *f(void *x) { pthread_mutex_lock(&b); meet(2); pthread_mutex_lock(&a); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&a);
    meet(2); pthread_mutex_lock(&b); pthread_join(t, 0); return 0; }
"""
)
TRIANGLE = (
    MEET
    + """
#include <mutex>
#include <thread>
std::mutex a, b, c;
void f(std::mutex &x, std::mutex &y) { std::lock_guard<std::mutex> l(x);
    meet(3);
    std::lock_guard<std::mutex> m(y); }
int main() { std::thread t1(f, std::ref(a), std::ref(b)), t2(f, std::ref(b), std::ref(c)),
    t3(f, std::ref(c), std::ref(a)); t1.join(); t2.join(); t3.join(); }
"""
)
TABLE = (
    MEET
    + """
#include <stdlib.h>
pthread_mutex_t m[4];
void *f(void *x) { long i = (long)x; pthread_mutex_lock(&m[i]); meet(4);
    pthread_mutex_lock(&m[(i + 1) % 4]); return 0; }
int main(void) { pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_mutex_init(&m[i], 0);
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, f, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return 0; }
"""
)
ITSELF = """
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
int main(void) { pthread_mutex_lock(&a); pthread_mutex_lock(&a); return 0; }
"""
JOINED = """
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
void *f(void *x) { pthread_mutex_lock(&a); return 0; }
int main(void) { pthread_t t; pthread_mutex_lock(&a); pthread_create(&t, 0, f, 0);
    pthread_join(t, 0); return 0; }
"""
ABANDONED = """
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
void *f(void *x) { pthread_mutex_lock(&a); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);
    pthread_mutex_lock(&a); return 0; }
"""
INHERITING = (
    "#define _GNU_SOURCE"
    + MEET
    + """
pthread_mutex_t a, b;
void *f(void *x) { pthread_mutex_lock(&b); meet(2); pthread_mutex_lock(&a); return 0; }
int main(void) { pthread_mutexattr_t k; pthread_mutexattr_init(&k);
    pthread_mutexattr_setprotocol(&k, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&a, &k); pthread_mutex_init(&b, &k);
    pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&a); meet(2);
    pthread_mutex_lock(&b); return 0; }
"""
)
EVERY_KIND = """
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
sem_t s;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t ba;
void *f0(void *x) { pthread_mutex_lock(&a); pthread_cond_wait(&c, &a); return 0; }
void *f1(void *x) { sem_wait(&s); return 0; }
void *f2(void *x) { pthread_rwlock_rdlock(&rw); return 0; }
void *f3(void *x) { pthread_rwlock_wrlock(&rw); return 0; }
void *f4(void *x) { pthread_barrier_wait(&ba); return 0; }
void *f5(void *x) { char b; int p[2]; pipe(p); read(p[0], &b, 1); return 0; }
void *f6(void *x) { sleep(1000); return 0; }
/* malloc's links of a free chunk stand where a mutex was, and it is locked with waiters. */
pthread_mutex_t gone = {{2, 32715, 1738480832, 32715}};
void *f7(void *x) { pthread_mutex_lock(&gone); return 0; }
void *(*fs[])(void *) = {f0, f1, f2, f3, f4, f5, f6, f7};
int main(void) { pthread_t t[8]; sem_init(&s, 0, 0); pthread_barrier_init(&ba, 0, 2);
    pthread_rwlock_wrlock(&rw);
    for (int i = 0; i < 8; i++) pthread_create(t + i, 0, fs[i], 0);
    for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
    return 0; }
"""
# A pair as the waiter of a condition variable has it, on stacks of threads that wait in none; one
# of them runs within a once-only call, and waits for something else.
BESIDE = """
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>
struct { char before[64]; int word; } own;
struct { char before[64]; sem_t sem; } empty;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
void w0(void) { void *volatile pair[] = {own.before + 24, &m};
    syscall(SYS_futex, &own.word, FUTEX_WAIT_PRIVATE, 0, 0, 0, pair[1] == 0); }
void *f0(void *x) { pthread_once(&once, w0); return x; }
void *f1(void *x) { void *volatile pair[] = {empty.before + 24, &m}; sem_wait(&empty.sem);
    return pair[1]; }
int main(void) { pthread_t t; pthread_create(&t, 0, f0, 0); f1(0); return 0; }
"""
# A lock of the program's own, as futex(2) wants one that survives its holder: the word is a TID.
OWNED = """
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
int word;
void *f0(void *x) { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, word, 0, 0, 0); return x; }
int main(void) { pthread_t t; word = syscall(SYS_gettid); pthread_create(&t, 0, f0, 0);
    return pthread_join(t, 0); }
"""
FLAGS = (("-O0",), ("-O2", "-static", "-s"))


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("how", ["snapshot", "signal"])
def test_ring_of_two(flags: tuple[str, ...], how: str) -> None:
    exe = build(RING, "-pthread", *flags)
    core = hang(exe) if how == "snapshot" else crash(exe, send=signal.SIGABRT)
    answer = ask(core, "@locks")
    first, second = answer.all(Wait)
    assert (first.kind, second.kind) == ("mutex", "mutex")
    assert (first.owner, second.owner) == (second.thread, first.thread)
    assert first.recursive is False
    cycle = answer.one(LockCycle)
    assert set(cycle.threads) == {first.thread, second.thread}
    assert set(cycle.locks) == {first.address, second.address}


def test_a_lock_whose_word_is_its_owner() -> None:
    waits = ask(hang(build(OWNED, "-pthread")), "@locks").all(Wait)
    (held,) = (wait for wait in waits if wait.kind == "mutex")
    assert held.owner in {wait.thread for wait in waits} - {held.thread}


def test_ring_of_three() -> None:
    answer = ask(hang(build(TRIANGLE, "-O2", "-pthread", lang="cpp")), "@locks")
    assert len(answer.one(LockCycle).threads) == 3
    joining = [wait for wait in answer.all(Wait) if wait.kind == "join"]
    assert len(joining) == 1
    assert joining[0].owner in answer.one(LockCycle).threads


@pytest.mark.parametrize("flags", FLAGS)
def test_ring_through_a_table_of_mutexes(flags: tuple[str, ...]) -> None:
    answer = ask(hang(build(TABLE, "-pthread", *flags)), "@locks")
    assert "condition" not in answer.text
    assert len(set(answer.one(LockCycle).locks)) == 4


@pytest.mark.parametrize("flags", FLAGS)
def test_waiting_for_what_it_holds_itself(flags: tuple[str, ...]) -> None:
    answer = ask(hang(build(ITSELF, "-pthread", *flags)), "@locks")
    wait = answer.one(Wait)
    assert wait.owner == wait.thread
    assert answer.one(LockCycle).threads == (wait.thread,)
    assert answer.one(LockCycle).locks == (wait.address,)


@pytest.mark.parametrize("flags", FLAGS)
def test_joining_the_thread_that_waits_for_the_joiner(flags: tuple[str, ...]) -> None:
    answer = ask(hang(build(JOINED, "-pthread", *flags)), "@locks")
    kinds = {wait.kind: wait for wait in answer.all(Wait)}
    assert kinds["join"].owner == kinds["mutex"].thread
    assert kinds["mutex"].owner == kinds["join"].thread
    assert len(answer.one(LockCycle).threads) == 2


# The head of an NT_PRSTATUS note (elf(5)), then what stands before pr_pid in `struct elf_prstatus`.
PRSTATUS = re.compile(rb"\x05\0\0\0\x50\x01\0\0\x01\0\0\0CORE\0{4}.{32}", re.DOTALL)


@pytest.mark.parametrize("flags", FLAGS)
def test_threads_that_know_themselves_by_the_ids_of_another_namespace(
    flags: tuple[str, ...], tmp_path: Path
) -> None:
    core = bytearray(hang(build(JOINED, "-pthread", *flags)).read_bytes())
    for note in [*PRSTATUS.finditer(core)]:
        tid = int.from_bytes(core[note.end() : note.end() + 4], "little")
        core[note.end() : note.end() + 4] = (tid + 1_000_000).to_bytes(4, "little")
    (tmp_path / "core").write_bytes(core)
    answer = ask(tmp_path / "core", "@locks")
    cycle = answer.one(LockCycle)
    assert {wait.owner for wait in answer.all(Wait)} == set(cycle.threads)
    assert len(cycle.threads) == 2
    assert all(tid > 1_000_000 for tid in cycle.threads)
    assert "in its PID namespace" in answer.text


def test_owner_that_is_gone() -> None:
    answer = ask(hang(build(ABANDONED, "-pthread")), "@locks")
    wait = answer.one(Wait)
    assert wait.kind == "mutex"
    assert wait.owner not in (None, wait.thread)
    assert "not a thread of this process any more" in answer.text
    assert answer.all(LockCycle) == []


def test_priority_inheritance() -> None:
    answer = ask(hang(build(INHERITING, "-pthread")), "@locks")
    assert {wait.kind for wait in answer.all(Wait)} == {"mutex"}
    assert len(answer.one(LockCycle).threads) == 2


@pytest.mark.parametrize("flags", FLAGS)
def test_every_kind_of_waiting(flags: tuple[str, ...]) -> None:
    answer = ask(hang(build(EVERY_KIND, "-pthread", *flags)), "@locks")
    kinds = sorted(wait.kind for wait in answer.all(Wait))
    locked = "futex" if "-s" in flags else "mutex"  # only a name tells what such words are
    wanted = f"barrier condition io join {locked} rwlock rwlock semaphore sleep"
    assert kinds == sorted(wanted.split()), answer.text
    unsound = [wait.kind for wait in answer.all(Wait) if not wait.sound]
    assert unsound == [locked] * (locked == "mutex"), answer.text
    main = next(wait.thread for wait in answer.all(Wait) if wait.kind == "join")
    assert {wait.owner for wait in answer.all(Wait) if wait.kind == "rwlock"} == {main}
    assert "used with mutex" in answer.text
    assert answer.all(LockCycle) == []


def test_who_waits_tells_what_for_not_what_lies_beside() -> None:
    answer = ask(hang(build(BESIDE, "-pthread")), "@locks")
    assert sorted(wait.kind for wait in answer.all(Wait)) == ["futex", "semaphore"], answer.text


@pytest.mark.parametrize(
    ("kind", "operation", "wanted", "over"),
    [
        ("future", 128, 0x80000000, True),  # FUTEX_WAIT_PRIVATE
        ("condition", 137, 0, True),  # FUTEX_WAIT_BITSET_PRIVATE
        ("condition", 137, 1, False),
        ("mutex", 128, 2, False),  # taken by another since it was woken
        ("futex", 134, 0, False),  # FUTEX_LOCK_PI_PRIVATE
    ],
)  # fmt: skip
def test_a_wait_whose_word_has_changed_is_over(
    kind: str, operation: int, wanted: int, over: bool
) -> None:
    """As in a snapshot of a thread that was woken and has not run yet."""
    core = cast(Dump, SimpleNamespace(number=lambda _address, _size: 1))
    said = has_come(core, Waited(kind, 0x1000), (0x1000, operation, wanted))
    assert (said is not None) is over


TIMED = """
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
sem_t s;
struct timespec late;
void *f0(void *x) { pthread_mutex_lock(&b); pthread_cond_timedwait(&c, &b, &late); return 0; }
void *f1(void *x) { sem_timedwait(&s, &late); return 0; }
int main(void) { pthread_t t[2]; clock_gettime(CLOCK_REALTIME, &late); late.tv_sec += 3600;
    pthread_create(t, 0, f0, 0); pthread_create(t + 1, 0, f1, 0);
    pthread_mutex_lock(&a); pthread_mutex_timedlock(&a, &late); return 0; }
"""


def test_a_wait_that_was_given_a_time_ends_by_itself() -> None:
    answer = ask(hang(build(TIMED, "-pthread")), "@locks")
    assert [wait.kind for wait in answer.all(Wait)] == ["sleep"] * 3, answer.text
    assert answer.text.count("with a time-out; waits for") == 3
    assert answer.all(LockCycle) == []


def test_running(tmp_path: Path) -> None:
    program = 'int main(void) { for (;;) __asm__ volatile("pause"); }'
    wait = ask(crash(build(program), send=signal.SIGQUIT, until=_runs), "@locks").one(Wait)
    assert (wait.kind, wait.syscall) == ("running", None)


def _runs(pid: int) -> bool:
    spent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])
    return spent >= 3  # ticks of user time, proc(5)
