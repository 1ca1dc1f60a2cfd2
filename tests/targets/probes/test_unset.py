"""Where the walk back from a pointer ends: at nothing, at a failed allocation, at a bad table."""

import pytest

from tests.crashes import build, crash
from tests.targets.probes.ask import ask
from workbench.model.facts import Fault

NOISE = """
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) long noise(int n) {
    volatile long a[64]; for (int i = 0; i < 64; i++) a[i] = 0x12345678000000L + i * 7919 + n;
    return a[n]; }
"""
CHOSEN = (
    NOISE
    + """
static void real(int x) { }
__attribute__((noinline)) void go(int op) {
    void (*f)(int); switch (op) { case 7: f = real; break; case 8: f = real; } f(op); }
int main(int c, char **v) { noise(c); go(c); return 0; }
"""
)
PARTLY = (
    NOISE
    + """
struct s { char name[16]; long *p; };
__attribute__((noinline)) void init(struct s *s, int n) { if (n > 3) s->p = 0; s->name[0] = n; }
__attribute__((noinline)) long go(int n) { struct s s; init(&s, n); return *s.p; }
int main(int c, char **v) { noise(c); return go(c); }
"""
)
OVERRUN = """
#include <string.h>
__attribute__((noinline)) long go(const char *t) {
    static long k = 4; long *p = &k; char b[8]; strcpy(b, t); return *p + b[0]; }
int main(void) { return go("aaaaaaaaBBBBBBBBCC"); }
"""
FAILED = """
#include <stdlib.h>
struct g { unsigned long w, h; char *cells; };
__attribute__((noinline)) void make(struct g *g, long i) {
    g->cells = malloc(g->w * g->h); g->cells[i] = 1; }
int main(void) { struct g g = {1UL << 31, 1UL << 30, 0}; make(&g, 0); return g.cells[0]; }
"""
TABLE = """
#include <cstring>
struct A { virtual int f() { return n; } int n = 1; char t[24]; };
__attribute__((noinline)) int go(A *a) { return a->f(); }
int main() { A *a = new A; memset((void *)a, 'q', sizeof *a); return go(a); }
"""
SET_BEHIND = """
struct s { long *p; };
__attribute__((noinline)) void put(struct s *s, long v) {
    s->p = (long *)v; __asm__("" ::: "memory"); }
__attribute__((noinline)) long go(long v) {
    static long k; struct s s = {%s}; put(&s, v); return *s.p; }
int main(int c, char **v) { return go(0x70000000L * c); }
"""


def _fault(text: str, *flags: str, lang: str = "c") -> Fault:
    flags = flags or ("-g", "-O0", "-fno-stack-protector")
    executable = build(text, *flags, lang=lang)
    return ask(crash(executable), "@fault", executable).one(Fault)


def test_a_variable_that_its_function_never_sets() -> None:
    fault = _fault(CHOSEN)
    assert fault.unset is not None
    assert fault.unset.value == fault.pc


@pytest.mark.parametrize("text", [PARTLY, OVERRUN], ids=["through its address", "overrun"])
def test_a_variable_that_may_have_been_set_is_not_unset(text: str) -> None:
    assert _fault(text).unset is None


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_failed_allocation_is_found_through_a_field(level: str) -> None:
    fault = _fault(FAILED, "-g", level)
    assert (fault.origin_call, fault.origin_value) == ("malloc", 0)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_an_object_whose_first_word_is_no_table(level: str) -> None:
    fault = _fault(TABLE, "-g", level, lang="cpp")
    assert fault.virtual is not None
    assert fault.virtual.table == 0x7171717171717171


@pytest.mark.parametrize("first", ["0", "&k"], ids=["constant", "register"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_store_of_another_value_is_not_where_it_came_from(level: str, first: str) -> None:
    core = crash(build(SET_BEHIND % first, "-g", level))
    told = [line for line in ask(core, "@fault").text.splitlines() if line.startswith("origin")]
    assert len(told) == 1, told
    assert "was loaded with 0x70000000 from" in told[0]
