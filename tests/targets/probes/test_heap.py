"""glibc's heap walked on real cores."""

import pytest

from tests.crashes import build, hang
from tests.targets.probes.ask import BUILDS, ask, crashed
from workbench.model.facts import Chunk, Fault, GivenBack, Heap
from workbench.targets.dump import Dump
from workbench.targets.identify import open_core
from workbench.targets.probes.heap import poison_of, probe
from workbench.targets.probes.malloc import heaps

STALE = """
#include <stdio.h>
#include <stdlib.h>
struct n { struct n *next; char *name; long z[5]; };
__attribute__((noinline)) void show(struct n *a) { printf("%s\\n", a->next->name); }
int main(int c, char **v) {
    struct n *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b; b->next = 0; b->name = "x"; free(b); free(a); show(a); return 0; }
"""
IN_THREAD = """
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
struct n { struct n *next; long v[10]; };
void *w(void *x) { struct n *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b; free(b); free(a); struct n *q = a->next; printf("%ld\\n", q->v[2]); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); }
"""
FREED_IN_THREAD = """
#include <pthread.h>
#include <stdlib.h>
void *volatile kept[8];
void *w(void *x) {
    kept[0] = malloc(3000); kept[1] = malloc(10); kept[2] = malloc(5000); kept[3] = malloc(10);
    free(kept[0]); free(kept[2]); kept[4] = malloc(1000); abort(); }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); }
"""
STALE_LIST = """
#include <stdlib.h>
struct n { int v; struct n *next; };
struct n *head;
__attribute__((noinline)) void add(int v) {
    struct n *x = malloc(sizeof *x); x->v = v; x->next = head; head = x; }
__attribute__((noinline)) void clear(void) { for (struct n *p = head; p; p = p->next) free(p); }
int main(void) { for (int i = 0; i < 5; i++) add(i); clear(); return 0; }
"""
OVERRUN = """
#include <stdlib.h>
#include <string.h>
int main(int c, char **v) { char *p = malloc(24), *q = malloc(1500), *r = malloc(20);
    __asm__ volatile("" :: "r"(r)); FILL; __asm__ volatile("" ::: "memory");
    free(q); free(p); free(r); r = malloc(5000); return r == 0; }
"""
MANY_STATES = """
#include <stdlib.h>
void *volatile p[12]; void *volatile small, *volatile large, *volatile sorted, *volatile kept;
int main(void) {
    for (int i = 0; i < 9; i++) p[i] = malloc(24);
    sorted = malloc(2000); kept = malloc(10); large = malloc(3000); small = malloc(10);
    free(sorted); kept = malloc(9000); free(large);
    for (int i = 0; i < 9; i++) free(p[i]);
    abort(); }
"""


@pytest.mark.parametrize("flags", BUILDS)
def test_origin_lies_in_a_chunk_that_tcache_holds(flags: tuple[str, ...]) -> None:
    core = crashed(STALE, *flags)
    cells = {load.source for load in ask(core, "@fault").one(Fault).origin}
    answer = ask(core, "@heap")
    freed = [chunk for chunk in answer.all(Chunk) if chunk.state == "tcache"]
    assert freed
    assert cells & {chunk.address for chunk in freed}, answer.text
    assert {chunk.size for chunk in freed} == {0x40}
    assert all(chunk.thread is not None for chunk in freed)
    heap = answer.all(Heap)[0]
    assert heap.broken_at is None
    assert 1 <= heap.free <= 2  # an optimiser may drop the second block
    assert heap.list_faults == ()


def test_a_freed_chunk_of_a_threads_heap_has_lost_its_flag() -> None:
    answer = ask(crashed(FREED_IN_THREAD, "-pthread"), "@heap")
    heaps = answer.all(Heap)
    assert len(heaps) >= 1
    assert all(heap.broken_at is None for heap in heaps), answer.text
    assert any(heap.free for heap in heaps)


@pytest.mark.parametrize("flags", BUILDS)
def test_heap_of_a_thread(flags: tuple[str, ...]) -> None:
    answer = ask(crashed(IN_THREAD, "-pthread", *flags), "@heap")
    chunk = answer.all(Chunk)[0]
    assert (chunk.state, chunk.size, chunk.offset) == ("tcache", 0x60, 0)
    assert any(heap.start <= chunk.start < heap.end for heap in answer.all(Heap))
    assert chunk.heap >> 26 == chunk.start >> 26  # heaps of arenas are aligned to 64 MiB


@pytest.mark.parametrize("flags", BUILDS)
def test_wild_pointer_is_found_in_the_freed_chunk_it_was_copied_from(
    flags: tuple[str, ...],
) -> None:
    answer = ask(crashed(STALE_LIST, *flags), "@heap")
    holding = [chunk for chunk in answer.all(Chunk) if chunk.holds is not None]
    assert [chunk.state for chunk in holding] == ["tcache"], answer.text


@pytest.mark.parametrize("flags", BUILDS)
@pytest.mark.parametrize(
    ("fill", "told"),
    [
        ("memset(p, 'x', c * 60)", "the bytes 78, repeated,"),
        ('strcpy(p, "a rather long name that will not fit in there")', "text ("),
        ("for (int i = 0; i < 16 * c; i++) ((int *)p)[i] = i * 3", "that grow by 3"),
    ],
)
def test_overrun_into_the_next_header(flags: tuple[str, ...], fill: str, told: str) -> None:
    answer = ask(crashed(OVERRUN.replace("FILL", fill), *flags), "@heap")
    heap = answer.all(Heap)[0]
    assert heap.broken_at is not None
    assert heap.before == heap.broken_at - 0x20
    assert heap.overrun
    assert told in answer.text


def test_top_that_was_written_over() -> None:
    program = """
#include <stdlib.h>
#include <string.h>
int main(int c, char **v) { char *p = malloc(40); memset(p, -1, 40 + 24 * c);
    char *q = malloc(100000); q[0] = 1; return q[0]; }
"""
    heap = ask(crashed(program, "-O0"), "@heap").one(Heap)
    assert heap.broken_at is not None
    assert heap.overrun


def test_states_of_chunks() -> None:
    core = crashed(MANY_STATES, "-O0", "-no-pie", "-static")
    with open_core(core) as opened:
        read = {
            name: opened.read_word(opened.symbol("", name) or 0)
            for name in ("small", "large", "sorted", "kept")
        }
        first = opened.symbol("", "p") or 0
        blocks = [opened.read_word(first + 8 * index) or 0 for index in range(9)]
    asked = [*blocks, *(read[name] or 0 for name in ("small", "large", "sorted", "kept"))]
    answer = ask(core, "@heap " + " ".join(f"{address:#x}" for address in asked))
    states = [chunk.state for chunk in answer.all(Chunk)]
    assert states[:9] == ["tcache"] * 7 + ["fastbin"] * 2
    assert states[9:] == ["in-use", "unsorted", "bin", "in-use"], answer.text
    assert all(chunk.offset == 0 for chunk in answer.all(Chunk))


def test_freed_argument_and_what_is_no_chunk() -> None:
    program = """
#include <stdlib.h>
int main(int c, char **v) { char b[64]; char *p = malloc(30); p = b + 8; free(p); return 0; }
"""
    answer = ask(crashed(program, "-O0"), "@heap")
    assert "given to be freed): in no heap: stack" in answer.text


def test_what_a_stack_has_taken_back() -> None:
    """Nothing of the program's lives below its stack pointer, nor in a frame of the C library."""
    core = crashed("#include <stdlib.h>\nint main(void) { char b[999]; abort(); }", "-O0")
    with open_core(core) as opened:
        sp = opened.threads[0].sp or 0
    answer = ask(core, f"@heap {sp - 0x200:#x} {sp:#x} {sp + 0x400:#x}")
    below, inside = answer.all(GivenBack)
    assert (below.address, below.below, below.function) == (sp - 0x200, 0x200, None)
    assert (inside.address, inside.below) == (sp, None), answer.text
    assert inside.function, answer.text


def test_below_a_coroutine_functions_may_be_in_progress() -> None:
    """Those of another one, where their stacks are arrays of main's."""
    core = crashed("""
#include <stdlib.h>
#include <ucontext.h>
int main(void) {
    char room[65536];
    ucontext_t other;
    getcontext(&other);
    other.uc_stack.ss_sp = room; other.uc_stack.ss_size = sizeof room; other.uc_link = 0;
    makecontext(&other, abort, 0);
    return setcontext(&other); }
""")
    with open_core(core) as opened:
        sp = opened.threads[0].sp or 0
    answer = ask(core, f"@heap {sp - 0x4000:#x}")
    assert "in no heap: stack" in answer.text
    assert not answer.all(GivenBack), answer.text


def test_mapping_of_its_own() -> None:
    program = """
#include <stdlib.h>
char *volatile p;
int main(void) { p = malloc(1 << 20); p[5] = 1; *(volatile int *)(p + 4096) = 3;
    __asm__ volatile("mov %0, %%rax; ud2" :: "r"(p) : "rax"); }
"""
    core = crashed(program, "-O0")
    with open_core(core) as opened:
        block = opened.threads[0].registers["rax"]
    chunk = ask(core, f"@heap {block + 100:#x}").one(Chunk)
    assert (chunk.start, chunk.state, chunk.offset) == (block - 16, "in-use", 100)


def test_pointer_to_itself_where_nothing_was_allocated() -> None:
    core = crashed("int main(void) { return *(volatile int *)0; }", "-O0")
    assert ask(core, "@heap").all(Heap) == []
    assert "in no heap: near null" in ask(core, "@heap 0x10 nonsense -4").text


def test_a_heap_is_walked_once_for_all_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    walks, find = list[Dump](), heaps.main_arena
    monkeypatch.setattr(heaps, "main_arena", lambda core: walks.append(core) or find(core))
    with open_core(crashed(MANY_STATES, "-O0")) as core:
        told = {probe(core, []) for _ in range(3)}
        assert (len(told), len(walks)) == (1, 1)
        probe(core, ["0x10"])
        assert len(walks) == 1
    monkeypatch.setattr(heaps, "_MOST_KEPT", 1)  # of a large one nothing stays in memory
    with open_core(crashed(MANY_STATES, "-O0")) as core:
        assert {probe(core, []) for _ in range(2)} == told
        assert len(walks) == 3


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0x5A5A5A5A5A5A5A5A, "0x5a repeated: freed memory"),
        (0xDFDFDFDFDFDFDFE7, "0xdf repeated: freed memory"),
        (0xDEADBEF7, "0xdeadbeef: freed memory"),
        (0x7FFFF7DD18D0, None),
        (0x6B, None),
        (0x6B6B6B6B6B6B6B6B, None),  # Linux's own, of which no program has any
    ],
)
def test_poison(value: int, words: str | None) -> None:
    assert poison_of(value) == words


_PILE = """
#include <stdlib.h>
#include <unistd.h>
struct link { struct link *next; };
struct item { long id; char name[100]; struct link at; };
static struct link *first; static unsigned long *marked;
int main(int argc, char **argv) {
    marked = malloc(100000 * sizeof *marked);
    for (int i = 0; i < 100000; i++) {
        struct item *item = malloc(sizeof *item);
        item->id = i;
        if (argv[1][0] == 'l') { item->at.next = first; first = &item->at; }
        marked[i] = argv[1][0] == 'm' ? (unsigned long)item | 0xfff8UL << 48 : i;
    }
    write(1, "up\\n", 3);
    for (;;) pause(); }
"""


@pytest.mark.parametrize(("kept", "lost"), [("none", 8), ("linked", 0), ("marked", 0)])
def test_what_nothing_points_to_is_lost(kept: str, lost: int) -> None:
    """A pointer into a block holds it, and so does one with a mark in its upper bits."""
    most = ask(hang(build(_PILE), kept, until="up"), "@heap").one(Heap).most
    assert most is not None
    assert (most.looked, most.lost) == (8, lost)
