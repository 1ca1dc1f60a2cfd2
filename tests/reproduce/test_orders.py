"""A fault of two threads and chance is found where its thread is held while the others run."""

from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.reproduce.finding import find
from tests.soak import SOAK
from workbench.model.origin import OriginKind
from workbench.reproduce.orders import holds_in
from workbench.reproduce.program import program_of
from workbench.reproduce.runs import Wanted

SHARED = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct job { char *name; long left; void (*done)(struct job *); };
static struct job *volatile current;
static volatile int stop, rounds, slow, looking;
static void finished(struct job *one) { one->name = NULL; }
static void look(void) { looking = 1; while (slow && !stop) usleep(100); }
static void work(void)
{
%s
    rounds++;
}
static void *worker(void *unused)
{
    while (!stop) { work(); usleep(500); }
    return unused;
}
static void retire(struct job *old)
{
    current = NULL;
%s
}
int main(int count, char **words)
{
    pthread_t id;
    slow = count > 1;
    struct job *one = current = calloc(1, sizeof *one);
    one->left = 3;
    one->done = finished;
    pthread_create(&id, NULL, worker, NULL);
    while (!looking || (!slow && rounds < %d)) usleep(100);
    retire(one);
    stop = 1;
    pthread_join(id, NULL);
    return 0;
}
"""
COPIED = "struct job *one = current; look(); if (one && one->left) one->done(one);"
READ_AGAIN = "if (current) { look(); current->left++; }"
STALE, NOTHING = "memset(old, 0x5a, sizeof *old); free(old);", "(void)old;"


CASES = [
    (COPIED, STALE, 0, "-O0", OriginKind.FREED),
    (READ_AGAIN, NOTHING, 0, "-O1", OriginKind.CLEARED),
    (READ_AGAIN, NOTHING, 2, "-O0", OriginKind.CLEARED),  # it waits for the one that is held
]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("use", "release", "rounds", "optimised", "kind"), CASES if SOAK else CASES[:2]
)
async def test_the_order_that_fails_is_forced(
    use: str, release: str, rounds: int, optimised: str, kind: OriginKind
) -> None:
    """By chance it comes once in some ten thousand runs."""
    path = build(SHARED % (use, release, rounds), "-g", optimised, "-pthread")
    holds = holds_in(crash(path, "slow"), path, "SIGSEGV")
    assert holds
    wanted = Wanted(signal="SIGSEGV", function="work", holds=holds)
    found = await find(program_of([str(path)], path.parent, None, [], 10, 20.0), wanted)
    assert found.origin is not None, found.said
    assert (found.origin.kind, found.origin.function) == (kind, "retire")
    assert (found.origin.forced, found.origin.chain != ()) == (True, True)
    assert found.runs <= 10
    heads = [line for line in found.texts[0].splitlines() if " order at " in line]
    assert [head.split()[1] for head in heads[:2]] == ["held", "let"]
    assert found.texts[-1].splitlines()[-1] == "the program exited with 0"  # the other order


LOCKED = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int *volatile shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int looks;
static int use(void) { pthread_mutex_lock(&lock); int got = *shared; looks++;
    pthread_mutex_unlock(&lock); return got; }
static void *other(void *unused) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (looks < 3) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
    return unused;
}
int main(int count, char **words) {
    static int number;
    pthread_t ids[2];
    shared = count > 1 ? NULL : &number;
    for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, other, NULL);
    for (int i = 0; i < 5; i++) use();
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    return words == NULL;
}
"""


async def test_nothing_hangs_by_what_is_held() -> None:
    """It holds a lock that the others wait for, and they block every signal."""
    path = build(LOCKED, "-g", "-O0", "-pthread")
    holds = holds_in(crash(path, "null"), path, "SIGSEGV")
    wanted = Wanted(signal="SIGSEGV", holds=holds)
    found = await find(program_of([str(path)], path.parent, None, [], 4, 20.0), wanted)
    assert not found.reproduced
    assert found.differed == ["exited with 0"] * 4


def test_one_thread_is_not_held(tmp_path: Path) -> None:
    path = build("int main(int n, char **w) { return **(int **)(long)(n - 1); }", "-g", "-O0")
    assert holds_in(crash(path), path, "SIGSEGV") == ()
    assert holds_in(tmp_path / "none", path, "SIGSEGV") == ()
