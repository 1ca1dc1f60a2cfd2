"""Threads that compute, in snapshots: which of them can be shown to go on for ever."""

import subprocess
from pathlib import Path

import pytest

from tests.crashes import build, gdbs, hang
from tests.soak import part
from tests.targets.probes.ask import Answer, ask
from workbench.model.facts import Loop, Wait
from workbench.targets.identify import open_core
from workbench.targets.probes.loop import look
from workbench.targets.probes.stepping import Stepper

HEAD = """\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
"""
FLAG = "int flag; int main(void) { while (!__atomic_load_n(&flag, 0)) ; return 0; }"
COUNTS = "int main(void) { volatile long n = 0; for (;;) n++; }"
# They may work for whoever reads what they write.
WORKS = "volatile long n; int main(void) { for (;;) n++; }"
INNER = """\
volatile long n;
__attribute__((noinline)) long next(long x) { return x * 3 + n++; }
int main(void) { long x = 1; for (;;) x = next(x); }
"""
NODES = """\
struct node { struct node *next; char name[99]; };
static struct node *find(struct node *at, const char *name) {
    while (at && strcmp(at->name, name)) at = at->next;
    return at; }
int main(int c, char **v) {
    struct node *one = calloc(1, sizeof *one), *two = calloc(1, sizeof *two);
    one->next = two; two->next = one; strcpy(one->name, "one");
    strcpy(two->name, c > 1 ? v[1] : "two");
    return find(one, "none") != 0; }
"""
SEARCH = """\
int main(int c, char **v) { int rows[64], low = 0, high = 63;
    for (int i = 0; i < 64; i++) rows[i] = i * c;
    while (low < high) { int middle = (low + high) / 2;
        if (rows[middle] <= 62) low = middle; else high = middle - 1; }
    return low; }
"""
SPIN = """\
pthread_spinlock_t lock;
int main(void) { pthread_spin_init(&lock, 0); pthread_spin_lock(&lock);
    pthread_spin_lock(&lock); return 0; }
"""
LONG = """\
int main(void) { for (volatile unsigned long i = 0; i < 1ul << 60; i++) ; return 0; }
"""
WIDTHS = """\
unsigned char width[256] = {['a'] = 1};
int main(int c, char **v) { unsigned long total = c; const char *s = "a b";
    for (int i = 0; i < 3; i += width[(unsigned char)s[i]]) total = total * 3 + s[i];
    return total; }
"""
ENOUGH = WIDTHS.replace("s[i];", "s[i], c = total > 1ul << 63 ? 9 : c;").replace(
    "< 3", "< 3 - c / 9"
)
TURNS = """\
volatile long flag = 1;
int main(void) { unsigned long total = 1;
    while (flag) { total = (total << 5 | total >> 59) * 6364136223846793005ul + 1;
        __asm__ volatile("" : "+r"(total)); }
    return total; }
"""
RING = """\
struct node { struct node *next; long v; };
static __attribute__((noinline)) long length(struct node *n, long most) { long k = 0, sum = 0;
    while (n && (most == 0 || k < most)) { k++; sum += n->v; n = n->next; }
    return k + sum; }
int main(int c, char **v) { struct node one = {0, c}, two = {&one, 2}, three = {&two, 3};
    one.next = &three; return length(&three, MOST); }
"""
LISTED, BOUNDED = RING.replace("MOST", "0"), RING.replace("MOST", "1l << 60")
ASKS = "int main(void) { while (getppid() > 0) ; return 0; }"
FLOATS = "int main(void) { volatile double x = 1; while (x > 0) x = x * 0.5 + 1; }"

PROVED = (
    (FLAG, "round", "flag"), (COUNTS, "closed", None),
    (SEARCH, "round", None), (SPIN, "round", "lock"), (WIDTHS, "round", None),
    (TURNS, "round", "flag"), (LISTED, "round", None),
)  # fmt: skip
OPEN = (LONG, ASKS, FLOATS, ENOUGH, WORKS, INNER, BOUNDED)


def computes(pid: int) -> bool:
    """True once a program has used processor time of its own: it is in its loop."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(after_name[11]) > 5  # utime, proc(5)


def test_a_loop_that_compares_texts_is_proved() -> None:
    """strcmp(3) is told by its name, and its vectors are not looked at."""
    assert looked_at(NODES, "-O1").one(Loop).kind == "round"


def looked_at(body: str, *flags: str) -> Answer:
    core = hang(build(HEAD + body, "-pthread", *flags), until=computes)
    (wait,) = ask(core, "@locks").all(Wait)
    return ask(core, f"@loop {wait.thread}")


@pytest.mark.soak
@pytest.mark.parametrize("flags", [("-O0", "-g"), ("-O2", "-static", "-s")])
@pytest.mark.parametrize(("body", "kind", "name"), part(PROVED))
def test_an_endless_loop_is_proved(
    flags: tuple[str, ...], body: str, kind: str, name: str | None
) -> None:
    answer = looked_at(body, *flags)
    loop = answer.one(Loop)
    assert loop.kind in (kind, "round" if "-O0" in flags else kind), answer.text
    if name is not None and "-s" not in flags:
        assert name in [read.name for read in loop.reads], answer.text


CALLS = """\
volatile long sum;
static __attribute__((noinline)) long part(long x) { volatile long s = x & 1;
    for (int i = 0; i < 3; i++) s = i; return s; }
static __attribute__((noinline)) int never(long at) {
    for (;;) { at = part(at); sum += at; sum ^= 3; sum -= at;
    if (at > 9) return 1; } }
int main(void) { return never(3); }
"""


@pytest.mark.parametrize("flags", [("-O0",), ("-O1",)])
@pytest.mark.parametrize(
    "body", [CALLS, CALLS.replace("if (at > 9) return 1;", "")], ids=["round", "closed"]
)
def test_the_instant_of_the_dump_does_not_choose_the_loop(
    body: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    """The function that never returns has it, whichever one was called just then."""
    places = [
        path for n in range(12) for path in ("-ex", "stepi 5", "-ex", f"gcore {tmp_path}/{n}")
    ]
    command = [gdbs()[0], "-nx", "-batch", "-ex", "tbreak part", "-ex", "run", *places,
               "-ex", "kill", build(HEAD + body, *flags)]  # fmt: skip
    subprocess.run(command, capture_output=True, check=True, timeout=60)
    loops, inside = set(), set()
    for number in range(12):
        with open_core(tmp_path / str(number)) as core:
            thread = core.threads[0]
            inside.add((core.symbolize(thread.pc or 0) or ("", 0))[0])
            found = look(core, thread)
            name, _ = core.symbolize(found.at) or ("", 0)
            loops.add((name, found.code))
    assert inside == {"part", "never"}
    ((function, code),) = loops
    assert function == "never"
    assert code


@pytest.mark.soak
@pytest.mark.parametrize("flags", [("-O0",), ("-O2",)])
@pytest.mark.parametrize("body", part(OPEN))
def test_what_may_end_is_not_called_endless(flags: tuple[str, ...], body: str) -> None:
    answer = looked_at(body, *flags)
    assert [loop.kind for loop in answer.all(Loop)] in ([], ["open"]), answer.text


WORK = """\
volatile int go; volatile unsigned long out; long table[16]; struct { char c; short s; int i; } row;
static unsigned long mix(unsigned long x, long y) {
    unsigned long sum = 0;
    for (int i = 0; i < 16; i++) {
        table[i] = (long)(x >> i) - y * i; row.c = (char)(table[i] + i); row.s = (short)~x;
        row.i = (int)x / (i + 3) - (int)(x % 7) + row.c + row.s;
        sum += (unsigned long)table[i] ^ (unsigned long)(row.i < y ? row.i : -row.i);
        sum = (sum << 7 | sum >> 57) + (row.c > 3) * 5 + (x & 1 ? 11u : 2u);
        if ((unsigned)row.i > 4000000000u) sum ^= 0x55; else if (row.i <= -7) sum -= (char)sum;
        x = x * 6364136223846793005ul + 1442695040888963407ul; y = y / 3 - (y >> 2);
        __atomic_fetch_add(&table[i & 3], 5, 5); long was = table[i & 3];
        __atomic_compare_exchange_n(&table[i & 3], &was, was ^ i, 0, 5, 5);
        sum += (unsigned long)__atomic_exchange_n(&table[i], 3, 5) + (unsigned char)x;
    }
    return sum; }
int main(int c, char **v) { if (c > 1) { printf("%lu", mix(c + 0x9e3779b97f4a7c15ul, -987654321));
        return 0; }
    while (!go) ; out = mix(2 + 0x9e3779b97f4a7c15ul, -987654321); for (;;) ; }
"""


@pytest.mark.parametrize("flags", [("-O0",), ("-O1",), ("-O2", "-fno-tree-vectorize"), ("-Os",)])
def test_what_is_carried_out_on_paper_is_what_the_processor_does(flags: tuple[str, ...]) -> None:
    program = build(HEAD + WORK, *flags)
    told = subprocess.run([program, "x"], capture_output=True, text=True, check=True).stdout
    assert _worked_out(hang(program, until=computes)) == int(told)


def _worked_out(core: Path) -> int:
    with open_core(core) as opened:
        thread = opened.threads[0]
        go, out = opened.symbol("program", "go"), opened.symbol("program", "out")
        assert None not in (thread.pc, go, out)
        step = Stepper(opened, thread.pc or 0, thread.registers)
        step.put(go or 0, 1, 4)
        for _ in range(20_000):
            insn = step.step()
            if insn.is_jump and insn.target == insn.address:
                break
        return step.load(out or 0, 8)
