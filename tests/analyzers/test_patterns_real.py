"""Each cause on a real core: named once, with its frame, and every claim held by its lines."""

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from analyzers.names import bare
from tests.analyzers.investigation import Inquiry
from tests.crashes import build, crash, hang
from tests.soak import SOAK, part
from workbench.model.category import Category
from workbench.model.facts import Fault, Signal

C = """
#define _GNU_SOURCE
#include <assert.h>
#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#define KEPT __attribute__((noinline))
"""


@dataclass(frozen=True)
class Row:
    """A program, its flags, and what must be confirmed, in which function."""

    name: str
    category: str
    function: str | None
    source: str
    flags: tuple[str, ...] = ("-g", "-O0")
    lang: str = "c"
    hangs: bool = False


AGAIN = "static void again(int s) {{ signal(s, SIG_DFL); {send}; }}\n"


def c(name: str, category: str, function: str | None, source: str, *flags: str) -> Row:
    return Row(name, category, function, C + source, flags or ("-g", "-O0"))


def cpp(name: str, category: str, function: str | None, source: str, *flags: str) -> Row:
    return Row(name, category, function, source, flags or ("-g", "-O0"), "cpp")


def stuck(name: str, category: str, function: str | None, source: str, *flags: str) -> Row:
    return Row(name, category, function, C + source, (*flags, "-g", "-pthread"), hangs=True)


MOVED = """#include <memory>
#include <vector>
struct n {{ long a, b; std::shared_ptr<std::vector<int>> p; }};
int zot(std::vector<n> &v) {{
    auto it = v.begin() + {at};
    v.push_back(n());
    it->p->push_back(1);
    return it->a;
}}
int main() {{
    std::vector<n> v(2);
    v[{at}].p = std::make_shared<std::vector<int>>();
    return zot(v);
}}
"""

ROWS = (
    *(c(f"null-behind-the-function{level}", "null-pointer-dereference", "zot",
        "struct n { char *name; double uses; }; struct n all[4]; int used;\n"
        "static struct n *find(const char *s) { for (int i = 0; i < used; i++)\n"
        "  if (!strcmp(all[i].name, s)) return all + i;\n return NULL; }\n"
        "KEPT int zot(const char *s) {\n struct n *at = find(s);\n return at->uses * 9 / used; }\n"
        "int main(int n, char **v) { all[used++].name = v[0];\n"
        " return zot(\"none\") + !!find(\"b\"); }",
        "-g", level) for level in ("-O0", "-O2")),
    c("null-in-library", "null-pointer-dereference", "zot",
      "KEPT int zot(const char *s) { return strlen(s) + 1; }\n"
      "int main(int n, char **v) { return zot(n > 5 ? v[0] : 0); }"),
    c("null-negative-offset", "null-pointer-dereference", "zot",
      "KEPT int zot(char *p) { return p[-8]; }\nint main() { return zot(0); }"),
    c("null-call", "null-function-pointer-call", "zot",
      "typedef int (*F)(int); KEPT int zot(F *t) { return t[1](4) + 1; }\n"
      "int main() { F t[2] = {0, 0}; return zot(t); }"),
    c("stale-field", "use-after-free", "zot",
      "struct n { struct n *x; char *s; }; KEPT int zot(struct n *a) { return a->s[0]; }\n"
      "int main() { struct n *a = malloc(16); a->s = \"hi\"; free(a); return zot(a); }"),
    c("link-of-the-freed", "use-after-free", "zot",
      "KEPT void zot(char *s) { char *t = malloc(3000); strcpy(t, s); puts(t); }\n"
      "int main(int n, char **v) { char *s = malloc(2000), *kept = malloc(99); free(s);\n"
      " memcpy(s, \"text\", 5); zot(v[n - 1]); free(kept); }", "-g", "-O0"),
    c("length-of-the-freed", "use-after-free", "zot",
      "struct t { long holders; unsigned size; char data[16]; }; KEPT int zot(struct t *t) {\n"
      " char *end = t->data + t->size * 4096L; int s = 0;\n"
      " for (long at = -(long)t->size; at; at++) s += end[at];\n"
      " return s; }\n"
      "int main() { struct t *t = calloc(1, sizeof *t); free(t); return zot(t); }", "-g", "-O0"),
    c("stale-loop", "use-after-free", "main",
      "struct n { struct n *x; int v; };\n"
      "int main() { struct n *h = 0, *p; int s = 0; for (int i = 0; i < 5; i++) {\n"
      " struct n *a = malloc(600); a->x = h; h = a; }\n"
      " for (p = h; p; p = p->x) { s += p->v; free(p); } return s; }"),
    *(c(f"stale-count{level}", "use-after-free", "zot",
        "struct n { long k[4]; volatile int n; char s[8][16]; };\n"
        "KEPT int zot(struct n *a, char *k) { int i, r = 0;\n"
        "for (i = 0; i < a->n; i++) r += !strcmp(a->s[i], k);\nreturn r; }\n"
        "int main(int n, char **v) { struct n *a = calloc(1, sizeof *a); a->n = 1 << 30; free(a);\n"
        " return zot(a, v[0]); }", "-g", level) for level in ("-O0", "-O1")),
    c("read-across-the-end", "out-of-bounds-read", "zot",
      "static char in[64];\nKEPT long zot(char *p, long n) {\n long r = 0;\n"
      " for (long i = 0; i < n; i++) r += *(long *)(p + i * 8);\n return r; }\n"
      "int main() { return zot(in + 4, 1 << 20); }", "-g", "-O1", "-static"),
    c("twice-large", "double-free", "main",
      "int main() { char *p = malloc(3000), *q = malloc(3000); free(p); free(p); return !q; }"),
    c("null-of-size-zero", "null-pointer-dereference", "zot",
      "KEPT int zot(int *p, int n) { p = realloc(p, n * sizeof *p); return p[0] = 7; }\n"
      "int main(int n, char **v) { return zot(malloc(8), n - 1); }"),
    c("free-of-stack", "invalid-free", "main",
      "int main(int n, char **v) { char b[64]; char *p = n > 3 ? malloc(9) : b + 16;\n"
      " strcpy(p, \"x\"); free(p); }"),
    c("free-of-stack-beside-what-is-free", "invalid-free", "main",
      "struct n { struct n *x; int v; }; KEPT void drop(struct n *a) { free(a->x); free(a); }\n"
      "int main() { struct n *a = calloc(1, 24); a->x = calloc(1, 24); a->v = 1;\n"
      " long b[99] = {0}; b[9] = 0x2025; char *p = a->v ? (char *)(b + 10) : 0;\n"
      " if (a->v) { drop(a); free(p); a->v = 1; } return b[3]; }"),
    c("free-of-interior", "invalid-free", "main",
      "int main() { char *p = malloc(100); p += 32; free(p); }"),
    c("free-of-nothing", "invalid-free", "main",
      "int main() { free((void *)0x1234560); }"),
    cpp("delete-of-array", "mismatched-deallocation", "main",
        "struct T { int a; ~T() { a = 0; } }; int main() { T *t = new T[5]; delete t; }"),
    *(c(f"read-before-the-free{level}", "null-pointer-dereference", "drop",
        "struct n { char name[24]; struct n *next, *prev; };\n"
        f"KEPT struct n *after(struct n *n) {{ return n->next; }}\n"
        f"KEPT void drop(struct n *n) {{\n struct n *next = {read};\n struct n *prev = n->prev;\n"
        " free(n);\n next->prev = prev;\n if (prev) prev->next = next; }\n"
        "int main() { struct n *a = calloc(1, sizeof *a); drop(a); return a == 0; }", "-g", level)
      for level, read in (("-O0", "n->next"), ("-O1", "n->next"), ("-O0", "after(n)"))),
    c("passed-before-the-free", "null-pointer-dereference", "drop",
      "struct n { char name[24]; struct n *next, *prev; };\n"
      "KEPT void drop(struct n *n, struct n *next) { free(n);\n next->prev = 0; }\n"
      "int main() { struct n *a = calloc(1, sizeof *a); drop(a, a->next); }"),
    cpp("virtual-of-the-freed", "use-after-free", "notify",
        "#include <memory>\n#include <vector>\n"
        "struct O { virtual ~O() = default; virtual void on(int) = 0; };\n"
        "struct P : O { int n = 0; void on(int v) override { n += v; } };\n"
        "__attribute__((noinline)) void notify(std::vector<O *> &a) { for (O *o : a) o->on(1); }\n"
        "int main() { std::vector<O *> a;\n"
        " { auto p = std::make_shared<P>(); a.push_back(p.get()); notify(a); } notify(a); }"),
    c("cleared-behind-the-allocation", "null-pointer-dereference", "main",
      "struct o { long id; char *note; };\n"
      "KEPT void reset(struct o *o) { memset(o, 0, sizeof *o); }\n"
      "int main() { struct o *a = calloc(1, sizeof *a); a->note = strdup(\"x\"); reset(a);\n"
      " return strlen(a->note); }"),
    cpp("member-of-the-freed", "use-after-free", "P::tick",
        "#include <memory>\n#include <vector>\n"
        "struct P { char name[40]; std::unique_ptr<std::vector<int>> seen;\n"
        " P() : seen(new std::vector<int>) {} void tick(int v) { seen->push_back(v); } };\n"
        "int main() { P *p = new P; p->tick(1); delete p; p->tick(2); }"),
    c("far-element-by-a-call", "out-of-bounds-read", "sum",
      "struct b { long *v, n; }; KEPT long *at(struct b *b, long i) { return b->v + i; }\n"
      "KEPT long sum(struct b *b) { long s = 0;\n for (long i = 0; i < 9; i++)\n"
      "  s += *at(b, i * 1000000);\n return s; }\n"
      "int main() { struct b b = {calloc(40, 8), 40}; return sum(&b); }"),
    *(c(f"length-below-zero-allocated{level}", "unchecked-allocation", "text",
        "KEPT char *text(const char *at, int n) { char *s = malloc(n + 1); memcpy(s, at, n);\n"
        " s[n] = 0; return s; }\n"
        "int main(int c, char **v) { return text(v[0], -16 * c)[0]; }", "-g", level)
      for level in ("-O0", "-O2")),
    c("memory-of-sbrk", "unchecked-allocation", "use",
      "#include <unistd.h>\nstruct h { int n, m; };\nKEPT int use(struct h *p) { return p->m; }\n"
      "int main() { struct h *p = sbrk(1L << 46); return use(p); }"),
    c("null-and-masked-index", "null-pointer-dereference", "fill",
      "struct conn { int fd; char *buf; size_t used; };\n"
      "KEPT void fill(struct conn *c) { memcpy(c->buf + c->used % 64, \"data\", 4); }\n"
      "int main() { struct conn c = {3, 0, 0x102c}; fill(&c); }"),
    c("divisor-in-brackets", "divide-by-zero", "add",
      "struct hist { int lo, hi, bins; };\n"
      "KEPT int add(struct hist *h, int v) { return (v - h->lo) / ((h->hi - h->lo) / h->bins); }\n"
      "int main() { struct hist h = {0, 10, 16}; return add(&h, 3); }"),
    *(c(f"size-below-product{level}", "out-of-bounds-write", "fill",
        "struct img { unsigned w, h; char *px; };\n"
        "KEPT void fill(struct img *i, int v) { for (unsigned y = 0; y < i->h; y++)\n"
        " for (unsigned x = 0; x < i->w; x++)\n"
        "  memcpy(i->px + ((size_t)y * i->w + x) * 4, &v, 4); }\n"
        "int main() { struct img i = {65536, 16385}; unsigned bytes = i.w * i.h * 4;\n"
        " i.px = malloc(bytes); fill(&i, 0xff00ff); return i.px[0]; }", "-g", level)
      for level in ("-O0", "-O2")),
    c("index-by-cdqe", "out-of-bounds-write", "main",
      "static int n[64];\nstatic int slot(const char *k) { int h = 0;\n"
      " while (*k) h = h * 131 + *k++; return h % 64 * 100000; }\n"
      "int main() { const char *k[] = {\"a\", \"ab\", \"a long key\", \"another long key\"};\n"
      " for (int i = 0; i < 4; i++) n[slot(k[i])]++; return n[1]; }", "-g", "-O2"),
    *(cpp(f"rows-for-columns{level}", "heap-buffer-overflow", None,
          "#include <vector>\nstruct M { int r, c; std::vector<double> d;\n"
          " M(int r, int c) : r(r), c(c), d(r * c) {}\n"
          " double &at(int i, int j) { return d[i * c + j]; } };\n"
          "__attribute__((noinline)) void turn(M &m, M &t) { for (int i = 0; i < m.r; i++)\n"
          " for (int j = 0; j < m.c; j++) t.at(i, j) = m.at(i, j); }\n"
          "int main() { M m(400, 3), t(3, 400); turn(m, t); return t.at(1, 2); }", "-g", level)
      for level in ("-O0", "-O2")),
    c("header-overrun", "heap-buffer-overflow", "main",
      "int main() { char *a = malloc(24), *b = malloc(24); memset(a, 65, 60); free(b); }"),
    c("header-of-another-arena", "heap-buffer-overflow", "done",  # code is no chunk that was given
      "#include <sys/personality.h>\nstruct list { char *first, *second; };\n"
      "KEPT void fill(char *to, int n) { memset(to, 0x75, n); }\n"
      "KEPT int done(struct list *l, int (*by)(void)) {\n"
      " register int (*kept)(void) __asm__(\"r15\") = by;\n"
      " __asm__ volatile(\"\" : \"+r\"(kept)); free(l->second);\n"
      " __asm__ volatile(\"\" : \"+r\"(kept)); return kept(); }\n"
      "__attribute__((noipa, aligned(16))) int by_name(void) { return 1; }\n"
      "int main(int n, char **v) { if (!(personality(-1) & ADDR_NO_RANDOMIZE)) {\n"
      " personality(ADDR_NO_RANDOMIZE); execv(\"/proc/self/exe\", v); }\n"
      " struct list l = {malloc(40), malloc(40)}; fill(l.first, 52);\n"
      " return done(&l, by_name) + n; }", "-g", "-O1"),
    c("off-the-heap", "heap-buffer-overflow", "main",
      "int main() { int *a = malloc(100); for (int i = 0;; i++) a[i] = i; }"),
    c("fortified", "stack-buffer-overflow", "zot",
      "KEPT void zot(char *s) { char b[8]; strcpy(b, s); puts(b); }\n"
      "int main(int n, char **v) { zot(n > 3 ? v[0] : \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"); }",
      "-g", "-O2", "-D_FORTIFY_SOURCE=2"),
    c("fortified-third-argument", "stack-buffer-overflow", "target",
      "#include <fcntl.h>\n#include <unistd.h>\nKEPT int target(const char *path, unsigned n) {\n"
      " char b[8]; return readlinkat(AT_FDCWD, path, b, n) + b[0]; }\n"
      "int main(int n, char **v) { return target(strdup(\"/proc/self/exe\"), 100 * n); }",
      "-g", "-O2", "-D_FORTIFY_SOURCE=2"),
    c("fortified-longjmp", "explicit-abort", "back",
      "#include <setjmp.h>\nstatic jmp_buf j; volatile int k;\n"
      "KEPT int save(void) { volatile char pad[200]; pad[3] = 1; return setjmp(j) - pad[3]; }\n"
      "KEPT void back(void) { k++; longjmp(j, 1); }\n"
      "int main() { save(); back(); return k; }", "-g", "-O2", "-D_FORTIFY_SOURCE=2"),
    *(c(f"over-the-guard{level}", "stack-overflow", "work",
        "void *work(void *a) { char line[256 * 1024]; memset(line, 0, sizeof line);\n"
        " strcpy(line, a); puts(line); return 0; }\n"
        "int main() { pthread_t t; pthread_attr_t at; pthread_attr_init(&at);\n"
        " pthread_attr_setstacksize(&at, 16384); pthread_create(&t, &at, work, \"hi\");\n"
        " pthread_join(t, 0); }", "-g", level, "-pthread") for level in ("-O0", "-O2")),
    c("off-the-stack", "stack-buffer-overflow", "main",
      "int main() { int b[4]; for (volatile int i = 0;; i++) b[i] = i; }",
      "-g", "-O0", "-fno-stack-protector"),
    c("smashed-under-a-call", "stack-buffer-overflow", "symbol",
      "struct u { long *text; int depth; }; static void join(char *into, int *at, int n) {\n"
      " while (n--) { into[(*at)++] = ','; into[(*at)++] = '_'; } }\n"
      "KEPT long first(struct u *u, char *name) { return *u->text + *name; }\n"
      "KEPT long symbol(struct u *u, int n) { char name[64]; int at = 0; join(name, &at, n);\n"
      " return first(u, name); }\n"
      "KEPT long unit(int n) { long t = 5; struct u u = {&t, 0}; return symbol(&u, n); }\n"
      "int main(int n, char **v) { char room[999]; memset(room, n, 999);\n"
      " return unit(n * 150) + room[n]; }", "-g", "-O0", "-fno-stack-protector"),
    c("far-index-read", "out-of-bounds-read", "main",
      "int g[10]; int main(int n, char **v) { return g[n * 50000000]; }"),
    c("far-index-write", "out-of-bounds-write", "main",
      "int main(int n, char **v) { int g[10]; g[n * -50000000] = 4; return g[2]; }"),
    c("far-element-from-memory", "out-of-bounds-read", "zot",
      "struct g { long w, h; }; KEPT long zot(struct g **all, long i) {\n"
      " struct g *a = &(*all)[i]; return a->w + a->h; }\n"
      "int main(int n, char **v) { struct g *a = calloc(96, 16); return zot(&a, n * -99999); }",
      "-g", "-O2"),
    c("far-back-in-a-loop", "out-of-bounds-read", "zot",
      "KEPT long zot(char **out, long far, int n) { char *from = *out - far; long sum = 0;\n"
      " while (n--) sum += *from++; return sum; }\n"
      "int main(int n, char **v) { char *p = malloc(64); return zot(&p, n * 999999, 9); }"),
    c("text-as-pointer", "corrupted-pointer", "main",
      "struct s { char b[8]; char *p; }; int main() { struct s x; x.p = \"ok\";\n"
      " strcpy(x.b, \"AAAAAAAAAAAAAAA\"); return *x.p; }", "-g", "-O0", "-fno-stack-protector"),
    c("wild", "wild-pointer", "main", "int main() { int *p = (int *)0x7123456789a0; return *p; }"),
    c("literal", "write-to-read-only-memory", "main",
      "int main() { char *s = \"abc\"; s[0] = 'x'; return s[1]; }"),
    c("literal-by-copy", "write-to-read-only-memory", "main",
      "int main(int n, char **v) { memcpy((char *)\"abc\", v[0], n + 2); }",
      "-g", "-O0", "-fno-builtin"),
    *(c(f"{name}-into-read-only", "out-of-bounds-write", "main",
        "static char source[1 << 17], guarded[3 << 16] __attribute__((aligned(65536)));\n"
        "int main(int n, char **v) { memset(source, 'a', sizeof source - 1);\n"
        " char *own = guarded + 1024; volatile long negative = -36 * n;\n"
        f" mprotect(guarded + 65536, 65536, PROT_READ); {call}; return own[2]; }}",
        "-g", "-O0", "-fno-builtin")
      for name, call in (("negative-copy", "memcpy(guarded + 131088, v[0], negative)"),
                         ("long-copy", "memcpy(own, source, 70000 + n)"),
                         ("negative-fill", "memset(own, 0, negative)"),
                         ("string", "strcpy(own, source)"),
                         ("appended", "strcat(own, source)"))),
    c("truncated", "truncated-mapping", "main",
      "int main() { FILE *t = tmpfile(); int f = fileno(t); ftruncate(f, 8192);\n"
      " char *p = mmap(0, 8192, 3, MAP_SHARED, f, 0); ftruncate(f, 0); return p[100]; }"),
    c("misaligned", "misaligned-access", "main",
      "#include <emmintrin.h>\nint main() { char b[64]; _mm_store_si128(\n"
      " (__m128i *)(((unsigned long)b & ~15ul) + 17), _mm_set1_epi8(3)); return b[20]; }"),
    c("smallest-by-minus-one", "integer-overflow", "main",
      "int main(int n, char **v) { volatile long a = LONG_MIN, b = -n; return a % b; }"),
    c("checked-sum", "integer-overflow", "main",
      "int main(int n, char **v) { volatile int a = INT_MAX; return a + n; }", "-g", "-ftrapv"),
    c("undefined-instruction", "illegal-instruction", "zot",
      "KEPT void zot() { __builtin_trap(); }\nint main() { zot(); }"),
    c("privileged-instruction", "illegal-instruction", "main", "int main() { __asm__(\"hlt\"); }"),
    *(c(f"privileged-{name}", "illegal-instruction", "main",
        f"int main() {{ {before} __asm__ volatile(\"{code}\" ::: \"rax\", \"rcx\", \"rdx\"); }}")
      for name, code, before in (
          ("register", "mov %%cr0, %%rax", ""), ("counter", "rdpmc", ""), ("task", "ltr %%ax", ""),
          ("clock", "rdtsc", "prctl(PR_SET_TSC, PR_TSC_SIGSEGV);"))),
    c("state-area", "misaligned-access", "main",
      "int main() { static char area[576] __attribute__((aligned(64)));\n"
      " __asm__ volatile(\"fxsave %0\" : \"=m\"(*(char(*)[512])(area + 8))); return area[9]; }"),
    *(c(f"unmasked-{name}", "unknown", "zot",
        f"KEPT {of} zot({of} a, double b) {{ return {what}; }}\n"
        f"int main() {{ feenableexcept(FE_INVALID | FE_OVERFLOW); return zot(0, {b}) > 2; }}",
        "-g", "-O0", "-lm")
      for name, of, what, b in (("quotient", "double", "a / b", "0"), ("cast", "int", "b", "1e300"),
                                ("product", "double", "b * b + a", "1e300"))),
    c("call-of-a-block", "wild-pointer", "main",
      "int main() { void (*a)(int) = malloc(64); memset(a, 0x90, 9); a(3); return 0; }"),
    c("breakpoint", "trap", "main", "int main() { __asm__(\"int3\"); }"),
    c("breakpoint-of-a-logger", "trap", "main",
      "KEPT void g_logv() { __asm__(\"int3; nop\"); }\nint main() { g_logv(); return 0; }", "-O0"),
    c("self-sent", "explicit-abort", "zot", "KEPT void zot() { raise(SIGSEGV); }\n"
      "int main() { zot(); return 0; }"),
    c("null-raised-again", "null-pointer-dereference", "zot", AGAIN.format(send="raise(s)") +
      "KEPT int zot(int *p) { return *p; }\n"
      "int main() { signal(SIGSEGV, again); return zot(0); }"),
    c("division-sent-again", "divide-by-zero", "main", AGAIN.format(send="kill(getpid(), s)") +
      "int main() { signal(SIGFPE, again); volatile int n = 0; return 7 / n; }"),
    cpp("pure-virtual", "pure-virtual-call", "B::call",
        "struct B { B() { call(); } void call() { f(); } virtual int f() = 0; };\n"
        "struct C : B { int f() override { return 1; } }; int main() { C c; }"),
    cpp("library-assertion", "assertion-failure", None,
        "#include <vector>\nint main(int n, char **v) { std::vector<int> x(3); return x[n + 5]; }",
        "-g", "-D_GLIBCXX_ASSERTIONS"),
    cpp("reference-into-what-grew", "use-after-free", "zot",
      "#include <map>\n#include <memory>\n#include <string>\n#include <vector>\n"
      "std::map<std::string, int> m; struct n { long a, b; std::unique_ptr<std::string> p; };\n"
      "__attribute__((noinline)) int zot(const n &r, std::vector<n> &v) {\n"
      " v.push_back({1, 2, std::make_unique<std::string>(\"b\")});\n"
      " return m[*r.p] += r.a; }\n"
      "int main() { std::vector<n> v; v.push_back({1, 2, std::make_unique<std::string>(\"a\")});\n"
      " return zot(v[0], v); }"),
    cpp("iterator-into-what-grew", "use-after-free", "zot", MOVED.format(at=0)),
    cpp("joinable-while-unwinding", "std-terminate", "main",
        "#include <stdexcept>\n#include <thread>\nint main() { try {\n"
        " std::thread t([] { for (;;) ; }); throw std::length_error(\"many\");\n"
        "} catch (std::exception &) { } }", "-g", "-pthread"),
    cpp("terminate-handler", "uncaught-exception", "root",
        "#include <cstdlib>\n#include <exception>\n#include <stdexcept>\n"
        "static void last_words() { abort(); }\n"
        "int root(int n) { if (n < 3) throw std::domain_error(\"low\"); return n; }\n"
        "int main(int n, char **v) { std::set_terminate(last_words); return root(n); }"),
    cpp("rethrow-of-nothing", "std-terminate", "main", "int main() { throw; }"),
    cpp("joinable", "std-terminate", "main",
        "#include <thread>\nint main() { std::thread t([] { for (;;) ; }); }", "-g", "-pthread"),
    cpp("rethrown", "uncaught-exception", "main",
        "#include <stdexcept>\nint main() {\n"
        " try { throw std::out_of_range(\"r\"); } catch (std::exception &e) { throw; } }"),
    stuck("owner-gone", "deadlock", "main",
          "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
          "void *w(void *x) { pthread_mutex_lock(&a); return 0; }\n"
          "int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0);\n"
          " pthread_mutex_lock(&a); }"),
    stuck("join-under-lock", "deadlock", None,
          "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
          "void *w(void *x) { pthread_mutex_lock(&a); return 0; }\n"
          "int main() { pthread_t t; pthread_mutex_lock(&a); pthread_create(&t, 0, w, 0);\n"
          " pthread_join(t, 0); }"),
    stuck("reader-asks-to-write", "deadlock", "renew",
          "pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;\n"
          "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
          "volatile int held;\n"
          "void *w(void *x) { while (!held) usleep(1000); pthread_mutex_lock(&a); return 0; }\n"
          "KEPT void renew(void) { pthread_rwlock_wrlock(&r); }\n"
          "void *v(void *x) { pthread_mutex_lock(&a); pthread_rwlock_rdlock(&r); held = 1;\n"
          " renew(); }\n"
          "int main() { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, v, 0);\n"
          " pthread_join(t, 0); }"),
    stuck("nobody-signals", "missed-wakeup", "main",
          "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
          "pthread_cond_t k = PTHREAD_COND_INITIALIZER;\n"
          "int main() { pthread_mutex_lock(&a); pthread_cond_wait(&k, &a); }"),
)  # fmt: skip


# Rows of `make soak` alone: each branch of analyzers, targets and claims that one of these takes is
# taken by another row, or of test_patterns_kinds or test_spoken (measured with coverage.py's
# branches); each category keeps a row. A new row is never one.
SHARED = {
    "null-behind-the-function-O2", "null-in-library", "null-negative-offset", "stale-field",
    "stale-loop", "stale-count-O0", "cleared-behind-the-allocation", "far-element-by-a-call",
    "null-and-masked-index", "size-below-product-O2", "far-index-read", "far-index-write",
    "far-element-from-memory", "literal", "long-copy-into-read-only",
    "negative-fill-into-read-only", "string-into-read-only", "appended-into-read-only",
    "privileged-instruction", "privileged-task", "privileged-counter", "unmasked-cast",
    "breakpoint", "null-raised-again", "reference-into-what-grew",
    "joinable",
}  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize(
    "row",
    part((row for row in ROWS if SOAK or row.name not in SHARED), every=4),
    ids=lambda row: row.name,
)
def test_the_cause_is_named_and_nothing_else(row: Row) -> None:
    executable = build(row.source, *row.flags, lang=row.lang)
    core = hang(executable) if row.hangs else crash(executable)
    inquiry = Inquiry(executable, core).conclude()
    assert inquiry.loose() == []
    confirmed = inquiry.confirmed()
    assert list(confirmed) == [Category(row.category)]
    verdict = confirmed[Category(row.category)]
    assert verdict.claims
    assert verdict.recommendations
    if row.function is not None:
        assert verdict.frame is not None
        assert bare(verdict.frame.function or "") == row.function


@pytest.mark.parametrize(("lang", "source"), [
    # The link of a recycled block, whose page another free block shares.
    ("c",
     C + "struct n { struct n *x; long v; };\nint main() { long s = 0; char *t = malloc(16);\n"
    "char *o = malloc(16); free(t); struct n *p = malloc(16); p->v = 3; free(o);\n"
    "while (p) { s += p->v; p = p->x; } return s; }"),
    # The same, read before the function itself released it.
    ("c", C + "struct n { struct n *x; void (*f)(int); long v; };\n"
     "KEPT void zot(struct n *p) { struct n *x = p->x; free(p); if (x) x->f(3); }\n"
     "int main() { struct n *a = malloc(24), *b = malloc(24); free(b); free(a);\n"
     " a = malloc(24); a->v = 3; zot(a); return 0; }"),
    # A number of a union that is called.
    ("c", C + "union u { long port; int (*call)(void); };\n"
     "KEPT int zot(union u *a) { return a->call() + 1; }\n"
     "int main() { union u a = {8080}; return zot(&a); }"),
    # Another array's own data, in front of the table that an index leads out of.
    ("c", C + "typedef void (*F)(char); static void plain(char c) { putchar(c); }\n"
     "static char before[4096] = \"A\"; static F table[128];\n"
     "int main() { memset(before, 'Q', 4096); for (int i = 0; i < 128; i++) table[i] = plain;\n"
     " for (const char *s = \"caf\\xc3\"; *s; s++) table[(int)*s](*s); return before[3]; }"),
    ("c", C + "typedef int (*op)(int); static int inc(int n) { return n + 1; }\n"
     "static struct { op ops[4]; char title[32]; } vm = {{inc, inc, inc}, \"calculator of it\"};\n"
     "int main() { unsigned char code[] = {1, 2, 6, 0}; int n = 3;\n"
     " for (unsigned char *c = code; *c; c++) n = vm.ops[*c - 1](n); return n; }"),
    # A saved frame pointer that a callee wrote over with zeros is no null pointer of its caller's.
    ("c", C + "KEPT int reset(int n) { char b[32]; memset(b, 0, n); return b[3]; }\n"
     "KEPT int total(int k) { int n = k; reset(40); return n + k; }\n"
     "int main(int n, char **v) { printf(\"%d\", total(n)); return 0; }"),
    # A table of functions that the program calls ops is no class's.
    ("cpp", "#include <cstdlib>\n#include <cstring>\nstruct Dev;\n"
     "struct Ops { int (*open)(Dev *), (*close)(Dev *); }; struct Dev { Ops *ops; int fd; };\n"
     "int zot(Dev *d) { return d->ops->open(d); }\n"
     "int main() { Dev d{new Ops, 3}; delete d.ops; char *t = (char *)malloc(16);\n"
     " memcpy(t, \"abcdefghijklmno\", 16); return zot(&d) + t[0]; }"),
    # A coroutine goes on through the first word of its frame.
    ("cpp", "#include <coroutine>\n#include <cstring>\nstruct Gen { struct promise_type {\n"
     " Gen get_return_object() {\n"
     "  return {std::coroutine_handle<promise_type>::from_promise(*this)}; }\n"
     " std::suspend_always initial_suspend() { return {}; }\n"
     " std::suspend_always final_suspend() noexcept { return {}; }\n"
     " void return_void() {} void unhandled_exception() {} };\n"
     " std::coroutine_handle<promise_type> h; void next() { h.resume(); } };\n"
     "Gen job() { co_return; }\n"
     "int main() { Gen g = job(); memset(g.h.address(), 'k', 16); g.next(); }"),
], ids=["kept-link", "link-of-the-released", "called-number", "another-array", "another-member",
        "frame-pointer", "own-table", "coroutine"])  # fmt: skip
def test_what_has_another_reading_is_left_open(lang: str, source: str) -> None:
    flags = ("-std=c++20",) if lang == "cpp" else ("-fno-stack-protector",)
    executable = build(source, "-g", "-O0", *flags, lang=lang)
    assert Inquiry(executable, crash(executable)).conclude().confirmed() == {}


@pytest.mark.parametrize(
    ("source", "category"),
    [
        ("volatile int z; int main() { for (;;) z++; }", Category.INFINITE_LOOP),
        ("#include <poll.h>\nint main() { int p[2]; pipe(p); struct pollfd f = {p[0], POLLIN, 0};"
         " return poll(&f, 1, -1); }", Category.BLOCKED_ON_IO),
    ],
)  # fmt: skip
def test_one_look_at_a_living_process_proves_nothing(source: str, category: Category) -> None:
    executable = build("#include <unistd.h>\n" + source, "-g")
    core = settled(executable, category)
    inquiry = Inquiry(executable, core).conclude()
    assert not inquiry.confirmed()
    assert inquiry.loose() == []
    verdict = inquiry.verdicts[category]
    assert verdict.frame is not None
    assert verdict.frame.function == "main"
    assert verdict.missing


@pytest.mark.parametrize(
    ("source", "category"),
    [
        ("volatile int z; int main() { while (!z) ; }", Category.INFINITE_LOOP),
        ("int main() { int p[2]; char b; pipe(p); return read(p[0], &b, 1); }",
         Category.BLOCKED_ON_IO),
    ],
)  # fmt: skip
def test_what_cannot_go_on_is_shown_by_one_look(source: str, category: Category) -> None:
    executable = build("#include <unistd.h>\n" + source, "-g")
    inquiry = Inquiry(executable, settled(executable, category)).conclude()
    assert list(inquiry.confirmed()) == [category]
    assert inquiry.loose() == []


def settled(executable: Path, category: Category) -> Path:
    """The snapshot of a program that waits, or that has computed for a while."""
    return hang(executable, until=None if category is Category.BLOCKED_ON_IO else computes)


def computes(pid: int) -> bool:
    """True once a program has used processor time: it is past its start."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(after_name[11]) > 5  # utime, proc(5)


def test_a_signal_from_outside_leaves_the_handler_that_waits_for_its_own_lock() -> None:
    """The handler is in the middle of its work: no fault brought it there."""
    executable = build(C + "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
                       "void again(int s) { pthread_mutex_lock(&a); }\n"
                       "int main() { signal(SIGUSR1, again); pthread_mutex_lock(&a);\n"
                       " raise(SIGUSR1); }", "-g", "-pthread")  # fmt: skip
    confirmed = Inquiry(executable, crash(executable, send=signal.SIGABRT)).conclude().confirmed()
    verdict = confirmed[Category.DEADLOCK]
    assert verdict.frame is not None
    assert verdict.frame.function == "again"


@pytest.mark.parametrize(("flags", "then", "function"), [
    ("SA_RESTART", "", "put"), ("0", "", "put"), ("0", "pthread_mutex_unlock(&a);", None),
])  # fmt: skip
def test_a_handler_that_aborts_ran_while_its_thread_waited(
    flags: str, then: str, function: str | None
) -> None:
    """As the alarm of a watchdog does; a lock that was given back by then holds nobody up."""
    executable = build(C + "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
                       f"void late(int s) {{ {then} abort(); }}\n"
                       "KEPT void put(void) { pthread_mutex_lock(&a); }\n"
                       "int main() { struct sigaction s = {.sa_handler = late,\n"
                       f" .sa_flags = {flags}}}; sigaction(SIGALRM, &s, 0); alarm(1);\n"
                       " pthread_mutex_lock(&a); put(); }", "-g", "-pthread")  # fmt: skip
    verdict = Inquiry(executable, crash(executable)).conclude().confirmed().get(Category.DEADLOCK)
    frame = verdict.frame if verdict is not None else None
    assert (frame.function if frame is not None else None) == function


def test_the_trap_flag_stops_at_no_trap_instruction() -> None:
    executable = build(C + 'int main() { __asm__("pushf; orl $0x100, (%rsp); popf");\n'
                       " return getpid(); }", "-g")  # fmt: skip
    confirmed = Inquiry(executable, crash(executable)).conclude().confirmed()
    cause = next(one for one in confirmed[Category.TRAP].claims if one.kind == "cause")
    assert cause.get("how") == "stepped"


def test_pointers_that_differ_by_as_much_are_no_data_written_over_one() -> None:
    executable = build(C + "struct x { char *base, *entry[16]; };\n"
                       "KEPT int use(struct x *x) { return x->entry[3][0]; }\n"
                       "int main() { struct x x = {mmap(0, 8192, 3, MAP_PRIVATE | 32, -1, 0)};\n"
                       " for (int i = 0; i < 16; i++) x.entry[i] = x.base + i * 8;\n"
                       " munmap(x.base, 8192); return use(&x); }", "-g")  # fmt: skip
    assert not Inquiry(executable, crash(executable)).conclude().confirmed()


@pytest.mark.parametrize(
    ("file", "use", "cause"),
    [
        ('open("pool", O_RDWR | O_CREAT, 0600)', "return *page", Category.TRUNCATED_MAPPING),
        ('open("pool", O_RDWR | O_CREAT, 0600)', "*page = 1", Category.BUS_ERROR),
        ('memfd_create("pool", 0)', "return *page", Category.BUS_ERROR),
    ],
)
def test_the_file_system_of_a_page_may_have_no_room(file: str, use: str, cause: Category) -> None:
    """A full one raises the same signal: for what is written, and for what is read of memory."""
    executable = build(C + f"#include <fcntl.h>\nint main() {{ int fd = {file};\n"
                       " ftruncate(fd, 4096);\n"
                       " volatile char *page = mmap(0, 8192, 3, MAP_SHARED, fd, 0);\n"
                       f" page += 4096; {use}; }}", "-g")  # fmt: skip
    assert [*Inquiry(executable, crash(executable)).conclude().confirmed()] == [cause]


_LEFT = (
    C
    + """
KEPT void before(void) { char left[656]; memset(left, 'x', 656); __asm__("" :: "r"(left)); }
KEPT int find(int n, int **out) { static int one; if (n > 5) *out = &one; return 0; }
"""
)


@pytest.mark.parametrize(
    ("use", "causes"),
    [
        ("int *p; return *p;", [Category.UNINITIALIZED_POINTER]),
        ("int *p, room[9]; if (n > 5) p = room; return *p;", []),
        ("int *p; find(n, &p); return *p;", []),
        ("struct { char b[24]; int *p; } s; s.p = &n; memset(s.b, 'x', 31 + n); return *s.p;",
         [Category.CORRUPTED_POINTER]),
    ],
)  # fmt: skip
def test_what_an_earlier_call_left_was_written_over_nothing(
    use: str, causes: list[Category]
) -> None:
    """A variable holds it that is not set on each way: to be overwritten it has to be set first."""
    executable = build(f"{_LEFT}KEPT int pick(int n) {{ {use} }}\n"
                       "int main(int n, char **v) { before(); return pick(n); }",
                       "-g", "-O0", "-fno-stack-protector")  # fmt: skip
    assert [*Inquiry(executable, crash(executable)).conclude().confirmed()] == causes


def test_the_lower_half_of_a_result_is_no_block_that_was_freed() -> None:
    executable = build(C + "KEPT int use(int h) { return *(int *)(long)h; }\n"
                       "int main() { return use((int)(long)calloc(1, 400000)); }",
                       "-g", "-O2")  # fmt: skip
    confirmed = Inquiry(executable, crash(executable)).conclude().confirmed()
    assert Category.USE_AFTER_FREE not in confirmed


@pytest.mark.parametrize(
    "body",
    [
        # held by another process, in memory of both
        "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_setpshared(&a, 1);\n"
        " pthread_mutex_t *m = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n"
        " pthread_mutex_init(m, &a); if (fork() == 0) { prctl(PR_SET_PDEATHSIG, SIGKILL);\n"
        " pthread_mutex_lock(m); alarm(30); pause(); }\n"
        " while (pthread_mutex_trylock(m) == 0) pthread_mutex_unlock(m); pthread_mutex_lock(m);",
        # posted by a signal's handler
        "sem_init(&wake, 0, 0); signal(SIGHUP, post); for (;;) sem_wait(&wake);",
    ],
)
def test_who_ends_a_wait_may_be_no_thread_of_the_process(body: str) -> None:
    executable = build(C + "#include <semaphore.h>\n#include <sys/prctl.h>\nsem_t wake;\n"
                       "void post(int s) { sem_post(&wake); }\n"
                       f"int main() {{ {body} }}", "-g", "-pthread")  # fmt: skip
    confirmed = Inquiry(executable, hang(executable)).conclude().confirmed()
    assert not {Category.DEADLOCK, Category.MISSED_WAKEUP} & {*confirmed}


def test_a_timer_only_ended_what_stood_still() -> None:
    executable = build(C + "#include <time.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                       "int main() { struct sigevent e = {.sigev_signo = SIGABRT}; timer_t t;\n"
                       " timer_create(CLOCK_MONOTONIC, &e, &t);\n"
                       " struct itimerspec s = {.it_value = {0, 200000000}};\n"
                       " timer_settime(t, 0, &s, 0); pthread_mutex_lock(&m);\n"
                       " pthread_mutex_lock(&m); }", "-g", "-pthread")  # fmt: skip
    assert [*Inquiry(executable, crash(executable)).conclude().confirmed()] == [Category.DEADLOCK]


@pytest.mark.parametrize("then", ["ret", "push %%rax"])
def test_a_stack_pointer_that_was_set_to_nothing_is_neither_null_nor_a_large_frame(
    then: str,
) -> None:
    executable = build(C + "KEPT void go(long sp) { __asm__ volatile(\"mov %0, %%rsp\\n\"\n"
                       f' "{then}" :: "r"(sp) : "memory"); }}\n'
                       "int main(int c, char **v) { go(63 + c); }", "-g", "-O0")  # fmt: skip
    assert not Inquiry(executable, crash(executable)).conclude().confirmed()


def test_a_stack_fault_is_no_bus_error() -> None:
    executable = build('int main() { __asm__ volatile("movabs $0x4242424242424242, %rbp\\n"'
                       ' "mov (%rbp), %rax"); }', "-g")  # fmt: skip
    inquiry = Inquiry(executable, crash(executable)).conclude()
    assert "SIGBUS" in {one.name for one in inquiry.facts.all(Signal)}
    assert Category.BUS_ERROR not in inquiry.confirmed()


def test_an_element_of_a_container_tells_the_operator_and_the_array() -> None:
    """Of one whose own pointer was written over none is outside."""
    executable = build("#include <cstring>\n#include <vector>\n"
                       "int main(int c, char **) { std::vector<long> v(9);\n"
                       " if (c > 1) memset(&v, 'z', sizeof v);\n"
                       " return v[c * 900000]; }", "-g", "-O0", lang="cpp")  # fmt: skip
    (verdict,) = Inquiry(executable, crash(executable)).conclude().confirmed().values()
    assert "an element outside of its container" in verdict.claims[0].text
    assert {"returned_by", "loaded"} <= {claim.kind for claim in verdict.claims}
    overwritten = Inquiry(executable, crash(executable, "data")).conclude()
    assert Category.OUT_OF_BOUNDS_READ not in overwritten.confirmed()
    kept = build("#include <vector>\nstruct P { long x[8]; };\n"
                 "static std::vector<P> v(40000); static void grow() { v.resize(400000); }\n"
                 "int main() { P &p = v[39999]; grow(); p.x[3] = 7; return p.x[3]; }",
                 "-g", "-O0", lang="cpp")  # fmt: skip
    assert not Inquiry(kept, crash(kept)).conclude().confirmed()  # its elements moved since


def test_a_program_may_have_folders_named_as_glibcs(tmp_path: Path) -> None:
    """gcc keeps a relative path as it was given, and so does glibc's build."""
    (tmp_path / "io").mkdir()
    source = tmp_path / "io" / "table.c"
    source.write_text("int lookup(int *t) { return *t; }\nint main() { return lookup(0); }\n")
    executable = tmp_path / "table"
    subprocess.run(["gcc", "-g", "-o", str(executable), "./io/table.c"], cwd=tmp_path, check=True)
    verdict = Inquiry(executable, crash(executable)).conclude().confirmed()
    frame = verdict[Category.NULL_POINTER_DEREFERENCE].frame
    assert frame is not None
    assert frame.function == "lookup"


HIDDEN = """#include <sys/mman.h>
struct peer { long id; struct peer *next; };
struct conn { long fd; struct peer *peer; };
__attribute__((noinline)) long sum(struct conn *c) { return c->peer->id; }
int main() {
    struct conn *c = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    c->fd = 3; c->peer = (struct peer *)0x4141414141414141;
    madvise(c, 4096, MADV_DONTDUMP);
    return sum(c);
}"""


def test_a_word_that_the_dump_has_not_is_no_access_that_set_out_elsewhere() -> None:
    executable = build(HIDDEN, "-g", "-O0")
    inquiry = Inquiry(executable, crash(executable, via="kernel")).conclude()
    assert not inquiry.confirmed()
    (fault,) = inquiry.facts.all(Fault)
    assert (fault.origin[0].value, fault.origin[0].register) == (None, "rax")


def test_a_pointer_into_a_free_block_may_have_left_another_one() -> None:
    executable = build(MOVED.format(at=1), "-g", lang="cpp")
    inquiry = Inquiry(executable, crash(executable)).conclude()
    assert not inquiry.confirmed()
    assert inquiry.loose() == []
    assert "into a free block" in inquiry.verdicts[Category.USE_AFTER_FREE].reason


def test_of_two_exceptions_in_flight_none_is_said_to_be_the_uncaught_one() -> None:
    executable = build("#include <iostream>\n#include <stdexcept>\n#include <string>\n"
                       "#include <vector>\nstruct pool { std::string s; std::vector<int> w;\n"
                       " pool() : s(\"one\"), w(4) {} ~pool() { w.resize(std::stoi(s)); } };\n"
                       "int main() { try { pool p; throw std::runtime_error(\"outer\"); }\n"
                       " catch (std::exception &e) { std::cout << e.what(); } }",
                       "-g", "-O1", lang="cpp")  # fmt: skip
    inquiry = Inquiry(executable, crash(executable)).conclude()
    verdict = inquiry.confirmed()[Category.UNCAUGHT_EXCEPTION]
    told = {claim.get("message") for claim in verdict.claims if claim.kind == "exception"}
    assert {"stoi", "outer"} <= told
    assert inquiry.loose() == []
    assert verdict.missing


@pytest.mark.parametrize(("after", "stopped"), [("", False), ("noexcept", True)])
def test_a_function_that_lets_none_out_is_not_nobody(after: str, stopped: bool) -> None:
    executable = build("#include <stdexcept>\nstruct guard { int n; "
                       "void flush() { if (n) throw std::runtime_error(\"full\"); }\n"
                       f" ~guard() {'' if stopped else 'noexcept(false)'} {{ flush(); }} }};\n"
                       f"void save() {after} {{ guard g{{1}}; }}\n"
                       f"int main() {{ try {{ save(); }} catch ({'...' if stopped else 'int'})"
                       " { } }", "-g", lang="cpp")  # fmt: skip
    verdict = (
        Inquiry(executable, crash(executable)).conclude().confirmed()[Category.UNCAUGHT_EXCEPTION]
    )
    assert ("lets none out" in verdict.claims[0].text) is stopped
    assert ("noexcept" in verdict.recommendations[0]) is stopped


@pytest.mark.parametrize(
    ("source", "said"),
    [("struct c { int port(const std::string &s) noexcept { return std::stoi(s); } };\n"
      "int main() { c a; try { return a.port(\"http\"); } catch (...) {} }",
      "met a function which lets none out"),
     ("struct f { ~f() noexcept(false) { throw std::runtime_error(\"closing\"); } };\n"
      "static void load() { f a; throw std::logic_error(\"header\"); }\n"
      "int main() { try { load(); } catch (std::exception &) {} }",
      "while another one was on its way"),
     # What a future holds is no exception on its way.
     ("struct f { ~f() { throw std::runtime_error(\"closing\"); } };\n"
      "int main() { std::promise<int> p; auto got = p.get_future();\n"
      " p.set_exception(std::make_exception_ptr(std::logic_error(\"kept\")));\n"
      " try { f a; } catch (std::exception &) {} }", "met a function which lets none out"),
     ("int main() { std::future<int> got = std::promise<int>().get_future();\n"
      " return got.get(); }", "that had been stored"),
     ("int main() { try { throw 3; } catch (...) { throw; } }", "that it was handling again"),
     ("static int next(int n);\n"
      "static int first(int n) { static int made = next(n); return made; }\n"
      "static int next(int n) { return n ? first(n - 1) : 1; }\n"
      "int main(int c, char **) { return first(c + 1); }", "an exception that nobody caught"),
     ("static void again() { throw; }\nint main() { again(); }",
      "threw again where no exception was being handled")],
    ids=["noexcept", "unwinding", "kept", "future", "handler", "circle", "nothing"],
)  # fmt: skip
def test_how_an_exception_came_to_end_the_process(source: str, said: str) -> None:
    executable = build("#include <future>\n#include <stdexcept>\n#include <string>\n" + source,
                       "-g", "-O0", "-pthread", lang="cpp")  # fmt: skip
    inquiry = Inquiry(executable, crash(executable)).conclude()
    (verdict,) = inquiry.confirmed().values()
    assert said in verdict.claims[0].text
    assert inquiry.loose() == []


@pytest.mark.parametrize(
    ("then", "said"),
    [("std::thread t([] { for (;;) ; });", "a std::thread that could still be joined"),
     ("std::terminate();", "while an exception was handled")],
)  # fmt: skip
def test_an_exception_that_its_handler_has_is_not_the_uncaught_one(then: str, said: str) -> None:
    executable = build("#include <stdexcept>\n#include <thread>\nint main() {\n"
                       " try { throw std::runtime_error(\"handled\"); }\n"
                       f" catch (std::exception &) {{ {then} }} }}",
                       "-g", "-pthread", lang="cpp")  # fmt: skip
    confirmed = Inquiry(executable, crash(executable)).conclude().confirmed()
    assert [*confirmed] == [Category.STD_TERMINATE]
    assert said in confirmed[Category.STD_TERMINATE].claims[0].text


def test_an_exception_on_its_way_through_a_thread_is_not_said_to_be_absent() -> None:
    executable = build("#include <stdexcept>\n#include <thread>\n"
                       "static void parse(int n) { if (n) throw std::runtime_error(\"empty\"); }\n"
                       "int main(int c, char **) {\n"
                       " try { std::thread t([] { for (;;) ; }); parse(c); t.join(); }\n"
                       " catch (std::exception &) {} }",
                       "-g", "-pthread", lang="cpp")  # fmt: skip
    confirmed = Inquiry(executable, crash(executable)).conclude().confirmed()
    assert [*confirmed] == [Category.STD_TERMINATE]
    said = confirmed[Category.STD_TERMINATE].claims[0].text
    assert "a std::thread that could still be joined was destroyed" in said
    assert "without an exception" not in said


def test_a_lock_that_was_held_at_a_fork_is_not_said_to_be_one_whose_owner_ended() -> None:
    """The owner stands for a thread of the parent: the mutex holds an id below the process's."""
    executable = build(C + "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
                       "int main() { pthread_mutex_lock(&a); a.__data.__owner = 1;\n"
                       " pthread_mutex_lock(&a); }", "-g", "-pthread")  # fmt: skip
    inquiry = Inquiry(executable, hang(executable)).conclude()
    verdict = inquiry.verdicts[Category.DEADLOCK]
    assert not inquiry.confirmed()
    assert inquiry.loose() == []
    assert verdict.confidence <= 0.5
    assert "fork()" in verdict.reason
    assert "pthread_atfork" in verdict.recommendations[0]


def test_a_descriptor_beyond_an_fd_set_is_told_as_that() -> None:
    executable = build("#include <sys/select.h>\nint main(int n, char **v) { fd_set s; FD_ZERO(&s);"
                       " FD_SET(n + 1100, &s); return FD_ISSET(3, &s); }",
                       "-g", "-O2", "-D_FORTIFY_SOURCE=2")  # fmt: skip
    inquiry = Inquiry(executable, crash(executable)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.confirmed()[Category.BUFFER_OVERFLOW]
    assert "fd_set" in verdict.claims[0].text
    assert "poll()" in verdict.recommendations[0]


def test_a_length_below_zero_is_told_as_one() -> None:
    source = (
        "static char out[64];\n"
        "int main(int n, char **v) { memcpy(out, v[0], -8L * n); return out[0]; }"
    )
    executable = build(C + source, "-g", "-O0", "-fno-builtin")
    verdict = (
        Inquiry(executable, crash(executable)).conclude().confirmed()[Category.OUT_OF_BOUNDS_WRITE]
    )
    assert any("held -8 (0xfffffffffffffff8)" in claim.text for claim in verdict.claims)
