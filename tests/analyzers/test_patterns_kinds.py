"""Kinds of crashes whose nearest explanation is wrong: what is said of them, at several levels of
optimisation, on real cores."""

from dataclasses import dataclass

import pytest

from tests.analyzers.investigation import Inquiry
from tests.crashes import build, crash, crash_emulated
from tests.soak import SOAK, part
from workbench.model.category import Category
from workbench.model.hypothesis import Status

LEVELS = ("-O0", "-O1", "-O2")
KEPT = "__attribute__((noinline, noclone))"
C = f"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define KEPT {KEPT}
"""


@dataclass(frozen=True)
class Kind:
    """``causes`` may be confirmed, one of them must be unless there is none; ``never`` may not be,
    nor ``rejected`` be rejected. ``words`` stand in what is claimed, of whatever verdict,
    ``unsaid`` do not; ``frame`` is the confirmed one's function."""

    name: str
    source: str
    causes: str = ""
    never: str = ""
    words: str = ""
    unsaid: str = ""
    rejected: str = ""
    frame: str = ""
    flags: tuple[str, ...] = ()
    lang: str = "c"
    levels: tuple[str, ...] = LEVELS


# A block that was freed and given out again: what is called is a member of its next owner.
REUSED = """
static int defaults[4] = {1, 2, 3, 4};
struct plugin { int id; void (*stop)(struct plugin *); char name[16]; };
struct view { long rows; int *config; char title[16]; };
static struct plugin *active; struct view *view;
static void quiet(struct plugin *p) { p->id = 0; }
int main(void) { active = malloc(sizeof *active); active->stop = quiet; free(active);
  view = malloc(sizeof *view); view->config = defaults; active->stop(active); return 0; }
"""

# Ends the main thread, whatever that does, from another one.
WATCHDOG = """
#include <signal.h>
pthread_t watched; volatile unsigned beats;
void *watch(void *unused) { for (unsigned seen = beats;; seen = beats) { usleep(100000);
  if (seen == beats) pthread_kill(watched, SIGABRT); } }
void start(void) { pthread_t t; watched = pthread_self(); pthread_create(&t, 0, watch, 0); }
"""

KINDS = (
    # A namespace of the program's that a crate of Rust's is called like.
    Kind(
        "null-in-namespace-core",
        C
        + """
namespace core { struct Engine { int rows; KEPT int step(int by) { return rows += by; } }; }
KEPT int run(core::Engine *e) { return e->step(2) + 1; }
int main(int c, char **v) { return run(c > 9 ? (core::Engine *)v : 0); }
""",
        "null-pointer-dereference",
        frame="core::Engine::step",
        lang="cpp",
        levels=("-O0",),
    ),
    Kind(
        "calls-anothers-data", C + REUSED, never="wild-pointer", words="`defaults`", levels=("-O0",)
    ),
    Kind(
        "watched-pause",
        C
        + WATCHDOG
        + """
KEPT int serve(void) { sigset_t none; sigemptyset(&none); sigsuspend(&none); return 1; }
int main() { start(); return serve(); }
""",
        never="explicit-abort",
        levels=("-O1",),
    ),
    Kind(
        "watched-loop",
        C
        + WATCHDOG
        + """
struct entry { int key; struct entry *next; };
KEPT int find(struct entry *e, int key) { for (; e; e = e->next) if (e->key == key) return 1;
  return 0; }
int main() { struct entry b = {2, 0}, a = {1, &b}; start(); b.next = &a; return find(&a, 9); }
""",
        "infinite-loop",
        frame="find",
        levels=("-O0", "-O1"),
    ),
    Kind(
        "watched-lock",
        C
        + WATCHDOG
        + """
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
KEPT int add(int n) { pthread_mutex_lock(&lock); return n + 1; }
int main() { start(); return add(add(1)); }
""",
        "deadlock",
        frame="add",
        levels=("-O1",),
    ),
    Kind(
        "watched-work",
        C
        + WATCHDOG
        + """
KEPT unsigned work(unsigned n) { unsigned s = 1; while (n--) s = s * 33 ^ n; return s; }
int main() { start(); unsigned s = 0; for (;;) s += work(4000000000u + s % 7); }
""",
        never="explicit-abort external-signal",
        levels=("-O0",),
    ),
    Kind(
        "owner-of-no-link",
        C
        + """
struct link { struct link *next; };
struct job { long state; char name[24]; struct link link; };
struct link *queue;
KEPT struct job *first(void) { return (struct job *)((char *)queue - 32); }
KEPT int start(void) { struct job *j = first(); queue = j->link.next; return ++j->state; }
int main() { return start(); }
""",
        "null-pointer-dereference",
        frame="start",
        levels=("-O1", "-O2"),
    ),
    Kind(
        "calls-data",
        C
        + """
struct state { int hits; char label[20]; } total = {1, "total"}, unset;
struct step { const char *name; void *run; } steps[] = {{"total", &total}, {"unset", &unset}};
KEPT int run(struct step *s, int v) { int r = ((int (*)(int))s->run)(v); puts(s->name); return r; }
int main(int c, char **v) { return run(&steps[c > 1], 4); }
""",
        "wild-pointer",
        words="`total`",
        frame="run",
    ),
    # what a destructor is given is not what it frees
    Kind(
        "tail-jump",
        C
        + """
struct box { long tag; char *data; };
KEPT void destroy(struct box *b) { char *p = b->data; b->tag = 0; free(p); }
int main() { static struct box on_stack; struct box *b = &on_stack;
  b->data = malloc(2000); char *next = malloc(24); (void)next;
  memset(b->data + 2008, 0x5b, 8); destroy(b); puts("unreached"); return 0; }
""",
        "heap-corruption heap-buffer-overflow",
        never="invalid-free double-free",
    ),
    Kind(
        "minus-one",
        C
        + """
struct row { long a, b, c, d; };
KEPT struct row *find(long n) { return n > 3 ? (struct row *)malloc(32) : (struct row *)-1L; }
KEPT long sum(struct row *r) { return r->d + 1; }
int main(int n, char **v) { struct row *r = find(n); return sum(r); }
""",
        never="null-pointer-dereference",
    ),
    Kind(
        "amount",
        C
        + """
struct order { long amount; long *lines; }; struct order book[2] = {{7, 0}, {31234, 0}};
KEPT long total(struct order *o) { long *p = *(long **)&o->amount; return p[2]; }
int main(int n, char **v) { return total(&book[n]); }
""",
        never="null-pointer-dereference",
        words="number",
    ),
    Kind(
        "member-of-null",
        C
        + """
struct node { char head[200]; struct node *next; char name[32]; };
KEPT struct node *last(struct node *n) { return n ? n->next : 0; }
KEPT int show(struct node *n) { char *s = n->name; return s[1] + s[3]; }
int main(int n, char **v) { return show(last(n > 5 ? (struct node *)v : 0)); }
""",
        "null-pointer-dereference",
        frame="show",
    ),
    Kind(
        "own-assert",
        C
        + """
KEPT void ut_failed(const char *what, const char *file, int line) {
  fprintf(stderr, "%s:%d: %s", file, line, what); fflush(stderr); abort(); }
#define MUST(c) ((c) ? (void)0 : ut_failed(#c, __FILE__, __LINE__))
KEPT int depth(int n) { MUST(n < 1); return n * 2; }
int main(int n, char **v) { return depth(n); }
""",
        "explicit-abort",
        words="n < 1",
        frame="depth",
    ),
    Kind(
        "own-assert-named",
        C
        + """
KEPT void check_assertion_failed(const char *expression) { puts(expression); abort(); }
KEPT int pop(int n) { if (n > 0) check_assertion_failed("stack->used > 0"); return n; }
int main(int n, char **v) { return pop(n); }
""",
        "assertion-failure",
        words="stack->used > 0",
        frame="pop",
    ),
    Kind(
        "fatal",
        C
        + """
KEPT void app_fatal(int code, const char *format, ...) { fputs(format, stderr); abort(); }
KEPT int load(const char *p) { if (!p) app_fatal(3, "no table for %s", p); return *p; }
int main(int n, char **v) { return load(n > 4 ? v[0] : 0); }
""",
        "explicit-abort",
        words="no table for",
        frame="load",
    ),
    # the bytes of the bad pointer stand in a free chunk too; the cell that was read is in use
    Kind(
        "copy-elsewhere",
        C
        + """
struct item { long tag; long *data; };
KEPT long use(struct item *i) { return i->data[1]; }
int main() { long bad = 0x6b6b12345678; struct item *a = malloc(64), *b = malloc(64);
  memset(a, 0, 64); memset(b, 0, 64); ((long *)b)[4] = bad; free(b);
  a->data = (long *)bad; return use(a); }
""",
        never="use-after-free",
        rejected="use-after-free",
    ),
    Kind(
        "handed-out-again",
        C
        + """
struct item { long tag; long *data; };
KEPT long use(struct item *i) { return i->data[1]; }
int main() { struct item *a = malloc(48); a->data = &a->tag; free(a);
  char *text = malloc(48); memset(text, 7, 48); text[13] = 0x11; return use(a); }
""",
        rejected="use-after-free",
    ),
    Kind(
        "freed-list-entry",
        C
        + """
struct entry { struct entry *next; int value; };
int main() { struct entry *head = 0; int sum = 0;
  for (int i = 0; i < 4; i++) { struct entry *e = malloc(40); e->next = head; head = e; }
  for (struct entry *e = head; e; e = e->next) { sum += e->value; free(e); }
  return sum; }
""",
        "use-after-free",
    ),
    Kind(
        "ring-of-calls",
        C
        + """
int depth_of(int *p, int n); int inner(int *p, int n);
KEPT int outer(int *p, int n) { int a[8]; a[n & 7] = n; return inner(a, n + 1) + a[1]; }
KEPT int middle(int *p, int n) { int a[4]; a[n & 3] = n; return outer(a, n + 1) + a[1]; }
KEPT int inner(int *p, int n) { int a[6]; a[n % 6] = n; return middle(a, n + 1) + a[2]; }
KEPT int begin(int n) { return outer(&n, n) + 1; }
int main(int n, char **v) { printf("%d", n); return begin(n); }
""",
        "stack-overflow",
        words="`begin`",
    ),
    # what is left of many earlier calls stands on the stack more often than the recursion itself
    Kind(
        "leftovers",
        C
        + """
KEPT long leaf(long *p) { return p[0] + 1; }
KEPT void touch(long *p) { p[0] = leaf(p); }
KEPT long descend(long n) { long room[300]; for (int i = 0; i < 300; i++) room[i] = (long)touch;
  for (int i = 0; i < 3; i++) touch(room + i); return descend(n + room[2]) + room[1]; }
int main(int n, char **v) { return descend(n); }
""",
        "stack-overflow",
        words="`descend`",
        frame="descend",
    ),
    Kind(
        "function-for-data",
        C
        + """
static void setup(void) { puts("x"); }
struct table { void *first; long *cells; } table = { 0, (long *)setup };
KEPT void store(struct table *t, long v) { t->cells[0] = v; }
int main(int n, char **v) { store(&table, n); setup(); return 0; }
""",
        "write-to-read-only-memory",
        words="function `setup`",
        frame="store",
    ),
    Kind(
        "field-of-a-field",
        C
        + """
struct info { int count; int *lines; }; struct fn { char name[32]; struct info *info; };
struct proto { struct fn *f; int pc; };
KEPT int changed(const struct proto *p, int pc) { int n = p->pc + pc;
  return p->f->info->lines[n] + 1; }
int main(int c, char **v) { struct info i = { 3, c > 5 ? (int *)v : 0 };
  struct fn f = { "f", &i }; struct proto p = { &f, 2 }; return changed(&p, c); }
""",
        "null-pointer-dereference",
        words="`p->f->info->lines` is",
    ),
    Kind(
        "divisor",
        C
        + """
struct tally { long sum, rows; }; struct tally seen = {70, 0};
KEPT long mean(struct tally *t) { long scaled = t->sum * 3;
  return scaled / t->rows; }
int main() { return mean(&seen); }
""",
        "divide-by-zero",
        words="`t->rows` is 0",
    ),
    Kind(
        "callback",
        C
        + """
struct ops { int (*open)(int); int (*close)(int); }; struct ops table = { atoi, 0 };
KEPT int leave(struct ops *o, int n) {
  int r = o->close(n) + 1;
  return r; }
int main(int n, char **v) { return leave(&table, n); }
""",
        "null-function-pointer-call",
        words="`o->close` is",
        levels=("-O0", "-O1"),  # the call's own argument takes the register of `o`
    ),
    Kind(
        "given-to-the-library",
        C
        + """
struct user { int id; const char *mail; }; struct user one = { 4, 0 };
KEPT int measure(struct user *u) {
  return strlen(u->mail) + u->id; }
int main() { return measure(&one); }
""",
        "null-pointer-dereference",
        words="`u->mail` is",
    ),
    Kind(
        "two-alike",
        C
        + """
struct pair { int *left, *right; }; struct pair none;
KEPT int sum(struct pair *p) {
  return *p->left + *p->right; }
int main() { return sum(&none); }
""",
        "null-pointer-dereference",
        unsaid="`p` is",
    ),
    Kind(
        "aligned-sum",
        "#include <emmintrin.h>\n"
        + C
        + """
KEPT double sum(double *p, int n) { __m128d s = _mm_setzero_pd();
  for (int i = 0; i < n; i += 2) s = _mm_add_pd(s, _mm_load_pd(p + i));
  double r[2]; _mm_storeu_pd(r, s); return r[0] + r[1]; }
int main(int c, char **v) { char *raw = malloc(200); return sum((double *)(raw + 8 * c), 8) > 1; }
""",
        "misaligned-access",
        frame="sum",
        levels=("-O1", "-O2"),  # the access is that of an inline function of the header at -O0
    ),
    Kind(
        "copy-to-a-bad-place",
        C
        + """
struct sink { char *to; long used; }; struct sink out = { (char *)0x6f2073720a657463, 5 };
KEPT void add(struct sink *s, const char *text, long n) { memcpy(s->to + s->used, text, n); }
int main(int n, char **v) { add(&out, "abcdef", n); return 0; }
""",
        never="out-of-bounds-write out-of-bounds-read",
    ),
    Kind(
        "place-and-words",
        C
        + """
KEPT void fatal_error(const char *file, int line, const char *message) {
  fprintf(stderr, "%s:%d %s", file, line, message); fflush(0); abort(); }
struct ring { unsigned head, tail, size; };
KEPT void push(struct ring *r) {
  if (r->head - r->tail >= r->size) fatal_error("ring.c", 7, "the ring is full"); r->head++; }
int main() { struct ring r = {0, 0, 3}; for (int i = 0; i < 9; i++) push(&r); return 0; }
""",
        "explicit-abort",
        words="the ring is full",
        frame="push",
    ),
    Kind(
        "one-huge-frame",
        C
        + """
KEPT long fill(long n) { char room[n]; room[0] = 1; memset(room, 3, n > 100 ? 100 : n);
  return room[5]; }
int main(int n, char **v) { return fill(n * 900000000L); }
""",
        "stack-overflow",
        frame="fill",
    ),
    Kind(
        "huge-frame-behind-calls-that-repeat",
        C
        + """
KEPT long fill(long n) { char room[n]; room[0] = 1; memset(room, 3, n > 100 ? 100 : n);
  return room[5]; }
KEPT long fact(long k, long n) { long a[4]; a[k & 3] = k;
  return k ? fact(k - 1, n) + a[1] : fill(n); }
int main(int n, char **v) { return fact(40, n * 60000000L); }
""",
        "stack-overflow",
        frame="fill",
    ),
    # what calls of a loop have left stands there again and again, and is no recursion
    Kind(
        "a-block-of-the-stack-each-time",
        C
        + """
struct line { struct line *next; char text[200]; };
KEPT int collect(int n) { struct line *all = 0;
  for (int i = 0; i < n; i++) { struct line *one = __builtin_alloca(sizeof *one); one->next = all;
    snprintf(one->text, 200, "line %d", i); all = one; }
  return all->text[5]; }
int main(int n, char **v) { return collect(n * 90000); }
""",
        "stack-overflow",
        unsaid="again and again",
        frame="collect",
        levels=("-O0",),
    ),
    Kind(
        "result-that-another-call-was-given",
        C
        + """
struct item { int v, w; }; struct item items[8];
KEPT struct item *lookup(int id) { return id < 0 ? NULL : items + id; }
KEPT void prune(struct item **slot) { if (!(*slot)->w) *slot = NULL; }
KEPT int use(int id) { struct item *it = lookup(id); prune(&it); return it->v; }
int main(int n, char **v) { return use(n); }
""",
        "null-pointer-dereference",
        unsaid="returned",
    ),
    Kind(
        "member-of-what-another-call-was-given",
        C
        + """
struct item { int v, w; }; struct item items[8]; struct seen { long n; struct item *it; };
KEPT struct item *lookup(int id) { return id < 0 ? NULL : items + id; }
KEPT void prune(struct seen *seen) { if (!seen->it->w) seen->it = NULL; }
KEPT int use(int id) { struct seen seen = {id, 0}; seen.it = lookup(id); prune(&seen);
  return seen.it->v; }
int main(int n, char **v) { return use(n); }
""",
        "null-pointer-dereference",
        unsaid="returned",
    ),
    Kind(
        "inlined-helper",
        C
        + """
typedef struct obj { long refs; void *type; } obj;
static inline __attribute__((always_inline)) void take(obj *o) { o->refs++; }
KEPT obj *lookup(int n) { return n > 5 ? malloc(16) : 0; }
KEPT obj *make(int n) { obj *item = lookup(n);
  take(item);
  return item; }
int main(int n, char **v) { return make(n) != 0; }
""",
        "null-pointer-dereference",
        words="`make` called `take`",
    ),
    Kind(
        "queue-of-two-threads",
        C
        + """
struct queue { char pad[64]; long **slots; long n; };
volatile int over;
KEPT void shut(struct queue *q) { free(q->slots); free(q);
  for (over = 1;;) sleep(1); }
KEPT long pull(struct queue *q, long *none) { while (!over) usleep(1000);
  long r = *none; return r + q->n; }
void *worker(void *q) { return (void *)pull(q, 0); }
int main() { struct queue *q = malloc(sizeof *q); q->slots = malloc(80); q->n = 0; pthread_t t;
  pthread_create(&t, 0, worker, q); shut(q); return 0; }
""",
        words="`q`",
        flags=("-pthread",),
        levels=("-O0",),
    ),
    # what was posted lay in a function of another thread's, which sleeps in a later call
    Kind(
        "called-through-what-another-thread-left",
        C
        + """
struct job { int id; int (*done)(int); }; struct job *volatile box;
int ok(int n) { return n; }
KEPT void post(int id) { struct job j = {id, ok}; box = &j; }
KEPT void fill(void) { volatile char pad[256]; for (int i = 0; i < 256; i++) pad[i] = 0x5a; }
void *poster(void *p) { post(1); fill(); sleep(100); return p; }
KEPT int handle(struct job *j) { return j->done(j->id) + 1; }
int main(void) { pthread_t t; pthread_create(&t, 0, poster, 0); usleep(100000);
  return handle(box); }
""",
        "use-after-free",
        words="`sleep`",
        frame="handle",
        flags=("-pthread",),
        levels=("-O0",),
    ),
)


# Levels of `make soak` alone: each branch of analyzers, targets and claims that a kind takes there
# is taken by another row, or of test_patterns_real or test_spoken (measured with coverage.py's
# branches); of each kind one level is left. A new kind has all of its levels.
SHARED = {
    "watched-loop": "-O1", "owner-of-no-link": "-O2", "calls-data": "-O1 -O2",
    "tail-jump": "-O1", "minus-one": "-O1 -O2", "amount": "-O1 -O2", "member-of-null": "-O2",
    "own-assert": "-O1 -O2", "own-assert-named": "-O1 -O2", "fatal": "-O1 -O2",
    "copy-elsewhere": "-O1 -O2", "handed-out-again": "-O1 -O2", "freed-list-entry": "-O0 -O1",
    "ring-of-calls": "-O0 -O1", "leftovers": "-O1 -O2", "function-for-data": "-O1 -O2",
    "field-of-a-field": "-O1", "divisor": "-O1", "callback": "-O0",
    "given-to-the-library": "-O1 -O2", "two-alike": "-O0 -O1", "aligned-sum": "-O1",
    "copy-to-a-bad-place": "-O0 -O1", "place-and-words": "-O1 -O2",
    "one-huge-frame": "-O1 -O2", "huge-frame-behind-calls-that-repeat": "-O1 -O2",
    "result-that-another-call-was-given": "-O1 -O2",
    "member-of-what-another-call-was-given": "-O0 -O1", "inlined-helper": "-O0 -O1",
}  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "level"),
    part((kind, level) for kind in KINDS for level in kind.levels
         if SOAK or level not in SHARED.get(kind.name, "")),
    ids=lambda it: getattr(it, "name", it),
)  # fmt: skip
def test_the_nearest_explanation_is_not_taken(kind: Kind, level: str) -> None:
    executable = build(kind.source, "-g", level, *kind.flags, lang=kind.lang)
    inquiry = Inquiry(executable, crash(executable)).conclude()
    assert inquiry.loose() == []
    confirmed = {category.value: verdict for category, verdict in inquiry.confirmed().items()}
    wanted = set(kind.causes.split())
    assert not wanted or wanted & set(confirmed), confirmed
    assert not set(kind.never.split()) & set(confirmed), confirmed
    for category in kind.rejected.split():
        found = inquiry.verdicts.get(Category(category))
        assert found is None or found.status is not Status.REJECTED
    said = "\n".join(
        claim.text for verdict in inquiry.verdicts.values() for claim in verdict.claims
    )
    assert kind.words in said
    assert not kind.unsaid or kind.unsaid not in said
    if kind.frame:
        frame = next(verdict.frame for name, verdict in confirmed.items() if name in wanted)
        assert frame is not None
        assert frame.function in (kind.frame, "main")


MACHINES = """
struct wide { int a[40]; int b; };
__attribute__((noinline)) int get(struct wide *p) { int *q = &p->b; return *q; }
__attribute__((noinline)) int fixed(void) { volatile int *q = (int *)0x12340; return *q; }
int main(int c, char **v) { return FIXED ? fixed() : get(0); }
"""


@pytest.mark.parametrize("machine", ["i386", "aarch64"])
@pytest.mark.parametrize(("fixed", "cause"), [
    (0, "null-pointer-dereference"), (1, "wild-pointer"),
])  # fmt: skip
def test_other_machines_follow_sums_and_constants(machine: str, fixed: int, cause: str) -> None:
    executable = build(MACHINES, "-g", "-O0", "-static", f"-DFIXED={fixed}", machine=machine)
    core = crash(executable) if machine == "i386" else crash_emulated(executable, machine)
    assert [c.value for c in Inquiry(executable, core).conclude().confirmed()] == [cause]


THROUGH_FREED = """
#include <stdlib.h>
#include <string.h>
struct text { char *bytes; };
struct page { long number, kind; struct text *title; };
struct page *pages[4];
__attribute__((noinline)) int size(int at) { return (int)strlen(pages[at]->title->bytes); }
int main(void) {
    pages[2] = calloc(1, sizeof *pages[2]);
    pages[2]->title = calloc(1, sizeof *pages[2]->title);
    free(pages[2]);
    return size(2);
}
"""


def test_a_null_that_was_reached_through_freed_memory_is_not_the_cause() -> None:
    program = build(THROUGH_FREED, "-g", "-O0", "-static", machine="aarch64")
    inquiry = Inquiry(program, crash_emulated(program, "aarch64")).conclude()
    ((category, verdict),) = inquiry.confirmed().items()
    assert category is Category.USE_AFTER_FREE
    named = [claim.get("expression") for claim in verdict.claims if claim.kind == "value"]
    assert named == ["pages[at]->title->bytes", "pages[at]"]
