"""Causes outside of the faulting instruction: memory that ran out or piled up, libraries and
functions that were not found, memory of another type, threads at the same data."""

from pathlib import Path

import pytest

from analyzers.patterns.loader import category_of
from tests.analyzers.investigation import Inquiry
from tests.crashes import build, crash, hang
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.facts import LoaderMessage
from workbench.model.hypothesis import Status

GIVES_UP = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
__attribute__((noinline)) char *must(size_t n) {
    char *p = malloc(n); if (!p) { fputs("no memory\\n", stderr); abort(); } return p; }
int main(int c, char **v) {
    struct rlimit room = {80 << 20, 80 << 20}; setrlimit(RLIMIT_AS, &room);
    if (c > 1) return must(1UL << 60)[0];
    for (int i = 0;; i++) must(3000)[7] = i; }
"""
KEEPS = """
#include <stdlib.h>
#include <unistd.h>
struct reading { struct reading *older; double value[11]; } *newest;
int main(void) {
    for (int i = 0; i < 120000; i++) {
        struct reading *one = malloc(sizeof *one); one->older = newest; newest = one; }
    for (;;) pause(); }
"""
LOSES = KEEPS.replace("newest = one;", "newest = 0;")
KEEPS_OBJECTS = """
#include <unistd.h>
#include <vector>
struct Event { virtual ~Event() {} long at[12] = {}; };
std::vector<Event *> seen;
int main() { for (int i = 0; i < 120000; i++) seen.push_back(new Event); for (;;) pause(); }
"""
LOOKS_UP = """
#include <dlfcn.h>
__attribute__((noinline)) int draw(const char *name) {
    int (*shape)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, name); return shape(3) + 1; }
int main(void) { return draw("draw_hexagon"); }
"""
WRONG_CLASS = """
struct Shape { virtual ~Shape() {} long id = 7; };
struct Label { virtual ~Label() {} };
struct Circle : Shape { long radius = 5; };
struct Text : Label { long pad[1] = {1}; const char *words = "text";
    __attribute__((noinline)) int first() { return words[0]; } };
int main() { Text text; Circle *c = new Circle; c->radius = 0x123456789abc - !text.first();
    return reinterpret_cast<Text *>(static_cast<Shape *>(c))->first(); }
"""
HOLDS_ONE = """
#include <cstdio>
struct Shape { virtual ~Shape() {} long id = 7; };
struct Side : virtual Shape { long length = 3; };
struct Box : Side { const char *label = (const char *)0x123456789abc;
    __attribute__((noinline)) int first() { return label[0]; } };
struct Drawer { Box box; const char *label = (const char *)0x123456789abc;
    __attribute__((noinline)) int first() { return label[0]; } };
int main(int c, char **v) { Box b; Drawer d; return c > 1 ? b.first() : d.first(); }
"""
BESIDE = """
int one(int n) { return n; } int two(int n) { return n + 1; }
int (*choices[3])(int) = {one, two, one};
char room[4096];
__attribute__((noinline)) int choose(unsigned n) { return choices[n](4) + 1; }
int main(int c, char **v) { return choose(c + 2); }
"""


FILLS = """
#include <sys/resource.h>
#include <vector>
std::vector<char *> blocks;
int main() {
    rlimit limit = {48 << 20, 48 << 20};
    setrlimit(RLIMIT_AS, &limit);
    for (;;) blocks.push_back(new char[32000]());
}
"""
DROPS = """
#include <stdlib.h>
struct slot { long id; char *text; };
__attribute__((noipa)) static void drop(struct slot *slot) { free(slot->text); }
int main(int c, char **v) { struct slot s = {1, (char *)(0x40404040400 + 16L * c)}; drop(&s); }
"""


def test_a_full_heap_is_told_beside_the_exception() -> None:
    program = build(FILLS, "-g", "-O1", lang="cpp")
    verdict = Inquiry(program, crash(program)).conclude().confirmed()[Category.UNCAUGHT_EXCEPTION]
    assert any("chunks of size 0x7d10 take" in claim.text for claim in verdict.claims)


def test_a_pointer_is_known_though_the_call_jumped_on_to_free() -> None:
    program = build(DROPS, "-g", "-O2")
    verdict = Inquiry(program, crash(program)).conclude().confirmed()[Category.INVALID_FREE]
    said = [claim.text for claim in verdict.claims]
    assert "The call of `free` was given 0x40404040410." in said


@pytest.mark.parametrize("flags", [("-g", "-O0"), ("-O1", "-s")])
def test_errno_and_a_full_heap_tell_that_memory_ran_out(flags: tuple[str, ...]) -> None:
    program = build(GIVES_UP, *flags)
    inquiry = Inquiry(program, crash(program)).conclude()
    assert inquiry.loose() == []
    assert list(inquiry.confirmed()) == [Category.OUT_OF_MEMORY]
    said = " ".join(claim.text for claim in inquiry.confirmed()[Category.OUT_OF_MEMORY].claims)
    assert "12 (`ENOMEM`)" in said
    assert "0xbd0" in said or "0xbc0" in said


def test_one_absurd_request_is_no_lack_of_memory() -> None:
    program = build(GIVES_UP, "-g", "-O0")
    inquiry = Inquiry(program, crash(program, "large")).conclude()
    assert inquiry.loose() == []
    assert list(inquiry.confirmed()) == [Category.EXPLICIT_ABORT]


@pytest.mark.parametrize(
    ("source", "lang", "kind", "lost"),
    [
        (KEEPS, "c", None, False),
        (KEEPS_OBJECTS, "cpp", "Event", False),
        (LOSES, "c", None, True),
    ],
)
def test_chunks_of_one_size_fill_the_heap(
    source: str, lang: str, kind: str | None, lost: bool
) -> None:
    program = build(source, "-g", "-O0", lang=lang)
    inquiry = Inquiry(program, hang(program)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.verdicts[Category.MEMORY_LEAK]
    assert (verdict.status is Status.CONFIRMED) == lost
    assert bool(verdict.missing) != lost
    said = " ".join(claim.text for claim in verdict.claims)
    assert "120000 chunks of size 0x70" in said
    assert (f"`{kind}`" in said) == (kind is not None)


def test_the_loader_says_which_function_was_not_found() -> None:
    program = build(LOOKS_UP, "-g", "-O0")
    inquiry = Inquiry(program, crash(program)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.confirmed()[Category.MISSING_METHOD]
    assert any("draw_hexagon" in claim.text for claim in verdict.claims)
    assert any("`dlsym` returned" in claim.text for claim in verdict.claims)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("libfoo.so.2: cannot open shared object file: No such file or directory",
         Category.LIBRARY_LOAD_FAILURE),
        ("libfoo.so: invalid ELF header", Category.LIBRARY_LOAD_FAILURE),
        ("undefined symbol: draw", Category.MISSING_METHOD),
        ("./app: undefined symbol: draw, version V_2", Category.VERSION_MISMATCH),
        ("libz.so: version `ZLIB_9' not found (required by ./app)", Category.VERSION_MISMATCH),
    ],
)  # fmt: skip
def test_what_the_loader_failed_at(text: str, category: Category) -> None:
    assert category_of(LoaderMessage(cite=Citation("E1", 1, 1), text=text)) is category


def test_a_method_of_another_class() -> None:
    program = build(WRONG_CLASS, "-g", "-O0", lang="cpp")
    inquiry = Inquiry(program, crash(program)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.confirmed()[Category.TYPE_CONFUSION]
    assert verdict.frame is not None
    assert (verdict.frame.function or "").startswith("Text::first")
    assert any("`Circle`" in claim.text for claim in verdict.claims)


@pytest.mark.parametrize("arguments", [(), ("base",)])
def test_an_object_that_holds_or_derives_from_another(arguments: tuple[str, ...]) -> None:
    """What begins with an object begins with its table; a virtual base has methods too."""
    program = build(HOLDS_ONE, "-g", "-O0", lang="cpp")
    inquiry = Inquiry(program, crash(program, *arguments)).conclude()
    assert inquiry.loose() == []
    assert Category.TYPE_CONFUSION not in inquiry.confirmed()


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_pointer_from_beside_the_array(level: str) -> None:
    program = build(BESIDE, "-g", level)
    inquiry = Inquiry(program, crash(program)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.confirmed()[Category.OUT_OF_BOUNDS_READ]
    assert any("`choices`" in claim.text for claim in verdict.claims)


MAPPED = """
#include <sys/mman.h>
struct place { int id, parent; char name[24]; };
struct place *first, *held;
__attribute__((noinline)) void shrink(char *map) {
    first = (struct place *)map;
    held = (struct place *)(map + 4096) + 1;
    munmap(map + 4096, 4096); }
__attribute__((noinline)) int up(struct place *at) { return at->parent; }
int main(int argc, char **argv) {
    shrink(mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (argc == 1) return up(held);
    int sum = 0;
    for (struct place *at = first; ; at++) sum += up(at);
    return sum; }
"""


@pytest.mark.parametrize("walks", [False, True])
def test_a_pointer_behind_a_mapping_need_not_have_come_from_it(walks: bool) -> None:
    program = build(MAPPED, "-g", "-O0")
    inquiry = Inquiry(program, crash(program, *["walk"] * walks)).conclude()
    assert (Category.OUT_OF_BOUNDS_READ in inquiry.confirmed()) is walks


def test_two_threads_at_one_thing_stay_open() -> None:
    source = """
#include <pthread.h>
#include <unistd.h>
volatile int there;
__attribute__((noinline)) int step(volatile int *p, int n) {
    if (n) for (there = 1;;) pause();
    while (!there) usleep(1000);
    return *p; }
void *work(void *p) { step(p, 1); return 0; }
int main(void) { int n = 0; pthread_t t; pthread_create(&t, 0, work, &n); return step(0, 0); }
"""
    program = build(source, "-g", "-O0", "-pthread")
    inquiry = Inquiry(program, crash(program)).conclude()
    assert inquiry.loose() == []
    assert list(inquiry.confirmed()) == [Category.NULL_POINTER_DEREFERENCE]
    verdict = inquiry.verdicts[Category.DATA_RACE]
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.missing


def test_threads_in_one_function_at_one_object_are_counted() -> None:
    source = """
#include <pthread.h>
#include <unistd.h>
struct log { int *at; volatile int there; };
__attribute__((noinline)) int put(int *at) { return *at; }
__attribute__((noinline)) int add(struct log *log) {
    if (__sync_fetch_and_add(&log->there, 1) < 2) for (;;) pause();
    return put(log->at) + 1; }
void *work(void *p) { add(p); return 0; }
int main(void) {
    struct log log = {(int *)0x7654321000, 0}; pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, &log);
    return pthread_join(t[0], 0); }
"""
    program = build(source, "-g", "-O0", "-pthread")
    inquiry = Inquiry(program, crash(program)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.verdicts[Category.DATA_RACE]
    assert "There are 3 threads in `add`." in [claim.text for claim in verdict.claims]


def test_many_busy_threads_stay_open() -> None:
    source = """
#include <pthread.h>
volatile long n;
void *work(void *p) { while (n < 1L << 60) n++; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); }
"""
    program = build(source, "-g", "-O0", "-pthread")
    inquiry = Inquiry(program, hang(program, until=both_spin)).conclude()
    assert inquiry.loose() == []
    assert not inquiry.confirmed()
    verdict = inquiry.verdicts[Category.HIGH_CPU]
    assert verdict.missing
    assert verdict.frame is not None
    assert verdict.frame.function == "work"


def both_spin(pid: int) -> bool:
    """True once two threads have used processor time: utime of proc(5)'s stat."""
    stats = [
        task.read_text().rpartition(")")[2] for task in Path(f"/proc/{pid}/task").glob("*/stat")
    ]
    return len(stats) > 1 and all(int(stat.split()[11]) > 5 for stat in stats)
