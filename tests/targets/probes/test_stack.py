"""Stacks as memory: overflows, smashed return slots, recursion."""

import time

import pytest

from tests.targets.probes.ask import BUILDS, ask, crashed
from tests.targets.probes.test_fault import SMASHED
from workbench.model.facts import StackShape

RECURSION = """
int g(int);
__attribute__((noinline)) int f(int n) { volatile char b[100]; b[0] = n; return g(n + 1) + b[0]; }
__attribute__((noinline)) int g(int n) { return f(n + 2) + 1; }
int main(int c, char **v) { return f(c); }
"""
IN_THREAD = """
#include <pthread.h>
__attribute__((noinline)) int f(int n) {
    volatile char b[200]; b[n % 200] = n; int r = f(n + 1); return r + b[3]; }
void *w(void *x) { return (void *)(long)f(1); }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); }
"""
HUGE_FRAME = """
#include <string.h>
__attribute__((noinline)) int f(int n) { char b[n]; memset(b, n, n); return b[n / 2]; }
int main(int c, char **v) { return f(c * 20000000); }
"""


@pytest.mark.parametrize("flags", BUILDS)
def test_recursion(flags: tuple[str, ...]) -> None:
    core = crashed(RECURSION, *flags)
    started = time.process_time()
    shape = ask(core, "@stack").one(StackShape)
    assert time.process_time() - started < 6  # a tenth of it here
    assert shape.overflowed
    assert shape.main
    assert shape.guard == "unmapped"
    assert len(shape.recursion) >= 2
    assert shape.recursion[0].count > 10_000
    if "-s" not in flags:
        assert {repeat.function for repeat in shape.recursion[:2]} == {"f", "g"}


def test_who_went_into_a_recursion_of_many_is_none_of_its_members() -> None:
    """Of the addresses that come again only the first few are listed."""
    members = "".join(
        f"__attribute__((noinline)) static int f{number}(int n)"
        f" {{ return f{(number + 1) % 14}(n + 1) + {number}; }}\n"
        for number in range(13, 0, -1)
    )
    source = f"""static int f0(int n);
{members}__attribute__((noinline)) static int f0(int n) {{ return n < 0 ? n : f1(n + 1) + 1; }}
__attribute__((noinline)) static int begin(int n) {{ return f0(n) + 2; }}
int main(int count, char **words) {{ return begin(count) + (words == 0); }}"""
    (shape,) = ask(crashed(source, "-O0"), "@stack").all(StackShape)
    assert len(shape.recursion) == 8
    assert shape.entered is not None
    assert (shape.entered.function, shape.outer[0].function) == ("begin", "main")


def test_recursion_in_a_thread_meets_the_guard() -> None:
    shape = ask(crashed(IN_THREAD, "-O0", "-pthread"), "@stack").one(StackShape)
    assert (shape.overflowed, shape.main, shape.guard) == (True, False, "no-access")
    assert shape.recursion[0].function == "f"


def test_one_huge_frame() -> None:
    shape = ask(crashed(HUGE_FRAME, "-O0"), "@stack").one(StackShape)
    assert shape.overflowed
    assert shape.recursion == ()
    assert shape.guard_distance is not None
    assert shape.guard_distance < -10_000_000


@pytest.mark.parametrize("flags", BUILDS)
def test_smashed(flags: tuple[str, ...]) -> None:
    answer = ask(crashed(SMASHED, *flags, "-fno-stack-protector"), "@stack")
    shape = answer.one(StackShape)
    assert (shape.smashed, shape.smash_word) == (True, 0x4141414141414141)
    assert not shape.overflowed
    assert "the bytes 41, repeated," in answer.text


def test_healthy_stack() -> None:
    core = crashed("int main(void) { return *(volatile int *)0; }", "-O0")
    shape = ask(core, "@stack").one(StackShape)
    assert (shape.overflowed, shape.smashed, shape.recursion) == (False, False, ())
    assert shape.scanned
    assert {frame.trust for frame in shape.scanned} == {"scan"}
    assert ask(core, "@stack 1").text == "no such thread in the dump\n"


OVERSHOT = """
#include <pthread.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
static char *below;
__attribute__((noinline)) static void *big(void *n) {
    char room[60000]; memset(room, 1, *(int *)n); return (void *)(long)room[9]; }
int main(void) {
    pthread_attr_t how; pthread_t it; int n = 60000; size_t size = PTHREAD_STACK_MIN + 8192;
    char *all = mmap(0, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *stack = all + (1 << 19);
    mprotect(stack, size, PROT_READ | PROT_WRITE);
    mprotect(stack - 65536, 32768, PROT_READ | PROT_WRITE);
    pthread_attr_init(&how); pthread_attr_setstack(&how, stack, size);
    pthread_create(&it, &how, big, &n); pthread_join(it, 0); return 0; }
"""


SWITCHED = """
#include <sys/mman.h>
static void work(void) { for (;;) ; }
int main(void) {
    char *stack = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(stack, 65536);
    __asm__ volatile("mov %0, %%rsp; xor %%ebp, %%ebp; call *%1" ::"r"(stack + 65520), "r"(work));
    return 0; }
"""


def test_a_stack_pointer_that_was_set_below_what_is_no_stack() -> None:
    """As a switch to a coroutine whose memory is gone leaves it: the loader's data lies above."""
    answer = ask(crashed(SWITCHED, "-g", "-O0"), "@stack")
    assert answer.one(StackShape).start is None, answer.text
    assert ", in no stack" in answer.text


def test_a_frame_that_steps_over_the_guard() -> None:
    """The stack pointer is in a mapping beneath; the frames lead back into the stack."""
    for build in (("-g", "-O0", "-pthread"), ("-O1", "-s", "-pthread")):
        (shape,) = ask(crashed(OVERSHOT, *build), "@stack").all(StackShape)
        assert shape.overflowed
        assert shape.main is False
        assert shape.guard_distance is not None
        assert shape.guard_distance < 0
