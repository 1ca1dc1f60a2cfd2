"""What the source calls the operand that failed."""

import pytest
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.patterns import frame_lines, pointed, spoken, typed
from analyzers.patterns.case import Case
from analyzers.registry import analyze
from tests.analyzers.investigation import Inquiry
from tests.analyzers.outputs import GDB
from tests.crashes import build, crash
from tests.samples.case import make
from workbench.claims.expressions import Said, expressions, offsets, within
from workbench.claims.render import headline, sentence
from workbench.evaluate import corpora
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.facts import (
    AnyFact,
    Chunk,
    FactBook,
    Fault,
    Frame,
    Layout,
    Load,
    Signal,
    SourceLine,
)


@pytest.mark.parametrize(
    ("line", "through"),
    [
        ("return *cache.depth->value;", "cache.depth->value"),
        ("sum = count * item->price;", "item"),
        ("*here = 4;", "here"),
    ],
)
def test_a_star_is_a_pointers_where_nothing_can_be_times(line: str, through: str) -> None:
    assert Said(through, "through") in expressions(line)
    assert Said("item->price", "through") not in expressions(line)


@pytest.mark.parametrize(
    ("line", "said", "how"),
    [
        ("used /= (int)number;", "number", "divides"),
        ("used = 7 % (unsigned long)box->used;", "box->used", "divides"),
        ("used += ((struct item *)number)->count;", "number", "through"),
        ("return ((char *) p->at)[2];", "p->at", "through"),
        ("((void (*)(int))number)(2);", "number", "called"),
        ("while ((c = (byte)*here) == (unsigned char)*there)", "here", "through"),
        ("while ((c = (byte)*here) == (unsigned char)*there)", "there", "through"),
        ("return (byte) *here;", "here", "through"),
        ("area = (width + 2)*height;", "height", "other"),
        ("area = f (width)*height;", "height", "other"),
    ],
)
def test_a_cast_is_taken_off(line: str, said: str, how: str) -> None:
    assert Said(said, how) in expressions(line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("char text[64 << 20]; long rows[count + 2];", ["count"]),
        ("return rows[count + 2];", ["rows", "count + 2", "count", "rows[count + 2]"]),
        ("else rows[1] = 2;", ["rows"]),
        ("total = std::min(count, ns::most);", ["min", "count", "most"]),
        ("byte_t *row = at + (size_t)width;", ["at", "width"]),
        ("struct image *one = (struct image *)here;", ["here"]),
        ("return (size_t)count * wide;", ["count", "wide"]),
        ("if (here) area = (width) and high;", ["here", "width", "and", "high"]),
        ("total = count * wide == high;", ["count", "wide", "high"]),
    ],
)
def test_a_declared_array_is_not_indexed(line: str, said: list[str]) -> None:
    assert {one.text for one in expressions(line)} == {*said}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = sum / (it->text[0] - 'p');", ["it->text[0] - 112"]),
        ("x = sum / ('9' - it->kind);", ["57 - it->kind"]),
        (r"x = sum % (it->kind - '\n');", ["it->kind -   10"]),
        ('x = sum / (it->kind - "9"[0]);', []),
        ('x = sum / (it->kind - "9");', []),
        ('x = sum / ("9" + it->kind);', []),
    ],
)
def test_a_character_is_a_number_and_a_text_is_nothing(line: str, said: list[str]) -> None:
    divide = [one.text for one in expressions(line) if one.how == "divides"]
    assert divide == said


@pytest.mark.parametrize(
    ("line", "said", "untold"),
    [
        ("let one: &'a Item = find::<'a>(self.all[at]);", "at", "a"),
        ("left = 1'000 * box->used + 2'000;", "box->used", "000"),
        ("return box->used; /* what one->used", "box->used", "one->used"),
    ],
)
def test_what_no_word_of_a_line_is(line: str, said: str, untold: str) -> None:
    texts = {one.text for one in expressions(line)}
    assert said in texts
    assert untold not in texts


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("session_close.c", "`buffer`"),  # what points into the freed block
        ("plugin_table.cpp", "`shape`"),  # the object of the virtual call
        ("half_built.c", "`job->label`"),
        ("find_user.c", "`request->user`"),
        ("image_fill.c", "`i->data`"),  # where a library's write set out
        ("slots.rs", "`self.last`"),  # the index, where the pointer is right
        ("minus_one.c", "`p->lines[i].start`"),  # where it set out, whose memory ended there
        ("grow_views.cpp", "`&me`"),  # the reference into the freed block
        ("router.rs", "`at`"),  # what the panic's message refuses
        ("detached.rs", "`self.base`"),
        ("append_log.c", "`journal->text`"),  # the block that was written past
        ("callbacks.c", "`device->on_ready`"),  # a field of what the caller's variable points to
    ],
)
def test_the_statements_name_the_operand(target: str, named: str) -> None:
    cases = (*corpora.load("origins"), *corpora.load("programs"))
    case = next(case for case in cases if case.target == target)
    verdicts = Inquiry(*make(case)).conclude().verdicts.values()
    best = max(verdicts, key=lambda verdict: verdict.confidence)
    assert any(claim.text.startswith(f"{named} is ") for claim in best.claims[:3])


def test_what_is_called_again_and_again_is_told_before_the_bounds_of_the_stack() -> None:
    case = next(case for case in corpora.load("programs") if case.target == "tree_depth.c")
    verdict = Inquiry(*make(case)).conclude().verdicts[Category.STACK_OVERFLOW]
    kinds = [claim.kind for claim in verdict.claims]
    again = verdict.claims[kinds.index("repeats")]
    assert kinds.index("repeats") < kinds.index("stack")
    assert again.text.startswith("`depth` is on the stack again and again, ")
    assert "times in thread" in again.text


def test_who_still_borrows_a_cell_is_told() -> None:
    case = next(case for case in corpora.load("programs") if case.target == "borrowed.rs")
    verdicts = Inquiry(*make(case)).conclude().verdicts.values()
    best = max(verdicts, key=lambda verdict: verdict.confidence)
    borrows = [claim.text for claim in best.claims if "still borrows" in claim.text]
    assert borrows == [
        "The variable `history` of `borrowed::book` at `borrowed.rs:13` still borrows it."
    ]


GUARDS = """
use std::cell::{RefCell, RefMut};
struct Held<'a>(RefMut<'a, [i32; 2]>);
impl<'a> Held<'a> { #[inline(never)] fn end(self) -> i32 { self.0[0] } }
fn main() {
    let cell = RefCell::new([4, 5]);
    let guard = cell.borrow_mut();
    %s
    println!("{}", cell.borrow().len());
}
"""


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('println!("{}", guard.len());', ["guard"]),
        ("drop(guard); std::mem::forget(cell.borrow_mut());", []),
        (
            "drop(guard); let own = Held(cell.borrow_mut()); own.end();"
            "std::mem::forget(cell.borrow_mut());",
            [],
        ),
        ("let one = RefMut::map(guard, |all| &mut all[0]);", ["one"]),
    ],
)
def test_what_a_guard_was_moved_from_borrows_nothing(line: str, named: list[str]) -> None:
    executable = build(GUARDS % line, "-g", "-Cpanic=abort", lang="rs")
    verdict = Inquiry(executable, crash(executable)).conclude().verdicts[Category.PANIC]
    borrows = [claim for claim in verdict.claims if "still borrows" in claim.text]
    assert [claim.get("name") for claim in borrows] == named


@pytest.mark.parametrize(
    ("line", "ways"),
    [
        ("sum += p->rec->fields[i].width;", ["p>rec", "p->rec>fields", "p->rec->fields>width"]),
        ("t->slots[h % t->size]->hits++;", ["t>slots", "t->slots[]>hits"]),
        ("return find(id, &t)->peer->id;", ["find()>peer", "find()->peer>id"]),
        ("n = box.inner.size;", []),  # nothing is reached through a pointer
        ("p->run(p->arg);", ["p>arg"]),
        ("unsafe { (*(*self.last).next).value }", ["self.last>next", "self.last->next>value"]),
    ],
)
def test_members_are_reached_through_pointers(line: str, ways: list[str]) -> None:
    assert ways == [f"{way.spelled}>{way.member}" for way in typed.ways(line)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{<std::__shared_ptr<Box, 2>> = {_M_ptr = 0x0, _M_refcount = {_M_pi = 0x0}}, }", "p"),
        ("{_M_t = {_M_t = {_M_head_impl = 0x0}}}", "p"),
        ("{_M_impl = {_M_start = 0x0, _M_finish = 0x0, _M_end_of_storage = 0x0}}",
         "p._M_impl._M_start"),
        ("{_M_t = {_M_impl = {_M_header = {_M_color = 0, _M_parent = 0x0, _M_left = 0x0}}}}",
         "p._M_t._M_impl._M_header._M_parent"),
    ],
)  # fmt: skip
def test_an_empty_container_is_no_null_pointer(value: str, said: str) -> None:
    way, null = pointed.held(value)
    reached = pointed.reached("p", way, (Citation("E1", 1, 1),))
    assert null == "0x0"
    assert reached is not None
    assert (reached.shown or reached.value) == said


def test_rust_writes_a_members_name_in_front_of_its_type() -> None:
    command = "frame apply level 0 -q ptype /o *at"
    (layout,) = analyze(Document("E1", command, "gdb", GDB[command])).facts
    assert isinstance(layout, Layout)
    assert [(one.name, one.offset, one.size) for one in layout.fields] == [
        ("next", 0, 8),
        ("value", 8, 4),
    ]


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("p[(size_t)y * im->w + x] = colour;", {"im->w": ("read",)}),
        ("a->n = b->n;", {"a->n": ("write",), "b->n": ("read",)}),
        ("a->n = a->n + 1;", {"a->n": ("write", "read")}),
        ("if (a->n == ++b->n) c->sum += 1;",
         {"a->n": ("read",), "b->n": ("read", "write"), "c->sum": ("read", "write")}),
        ("a->to->at.x = 2;", {"a->to": ("read",), "a->to->at": ("write",)}),
        ("load(&a->n);", {"a->n": ("read", "write")}),
    ],
)  # fmt: skip
def test_a_line_reads_or_writes_what_it_names(line: str, does: dict[str, tuple[str, ...]]) -> None:
    assert does == {f"{way.spelled}->{way.member}": way.does for way in typed.ways(line)}


_GONE = """
#include <stdlib.h>
struct field { int kind, width, column; };
struct record { long id; int flags, count; struct field *fields; };
struct page { struct record *rec; struct page *next; };
#define KIND(record, i) ((record)->fields[i].kind)
static int total(const struct page *p) {
    int sum = 0;
    for (int i = 0; i < p->rec->count; i++)
        sum += p->rec->fields[i].width;
    return sum;
}
static int kinds(const struct page *p) {
    int sum = 0;
    for (int i = 0; i < p->rec->count; i++) sum += KIND(p->rec, i);
    return sum;
}
static struct record *made(long n) __attribute__((noinline, noipa));
static struct record *made(long n) { return n > 9 ? malloc(9) : NULL; }
static __attribute__((noinline)) int apart(const struct record *from, const struct record *to) {
    return from->count - to->count;
}
static __attribute__((noinline)) int cost(const struct record *own, long n) {
    struct record *to = made(n);
    return n * own->count * apart(own, to) * own->flags;
}
static __attribute__((noinline)) int far(const struct record *own, const struct record *at, int n) {
    struct record *to = made(n);
    return own->count > 0 && apart(at, to);
}
int main(int argc, char **argv) {
    struct page a = {calloc(1, sizeof(struct record)), 0};
    a.rec->count = 1;
    if (argc > 3)
        return argc > 4 ? far(a.rec, a.rec, argc) : cost(a.rec, argc);
    if (argc == 2)
        return made(argc)->fields != 0;
    a.rec->count = 3;
    return argc > 1 ? kinds(&a) : total(&a);
}
"""


@pytest.mark.parametrize(
    ("arguments", "named", "member"),
    [
        ((), "p->rec->fields", "width"),
        (("1",), "made()", "fields"),
        (tuple("123"), "to", "count"),  # which `apart` would read, and the caller read for it
        (tuple("1234"), "to", "count"),
    ],
)
def test_a_pointer_that_is_nowhere_is_named_by_type_and_offset(
    arguments: tuple[str, ...], named: str, member: str
) -> None:
    exe = build(_GONE, "-g", "-O2")
    (verdict, *_) = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed().values()
    claim = verdict.claims[1]
    assert (claim.kind, claim.get("expression"), claim.get("value")) == ("operand", named, 0)
    assert claim.get("member") == member


def test_nothing_is_named_by_type_beside_a_macro_that_may_reach_through_anything() -> None:
    exe = build(_GONE, "-g", "-O2")
    (verdict, *_) = Inquiry(exe, crash(exe, "1", "2")).conclude().confirmed().values()
    assert not {"operand", "value"} & {claim.kind for claim in verdict.claims}


_TWO_AT_ONCE = """
#include <stdlib.h>
struct page { long **first; long count; };
long sum;
__attribute__((noinline)) static void add(struct page *volatile *at) {
    struct page *p = *at;
    sum += p->count;
    sum += **p->first;
}
int main(void) {
    struct page *p = calloc(1, sizeof *p), *volatile at = p;
    p->first = calloc(1, sizeof *p->first);
    add(&at);
    return 0;
}
"""


def test_a_member_at_the_beginning_is_not_named_beside_what_it_points_to() -> None:
    exe = build(_TWO_AT_ONCE, "-g", "-O2")
    (verdict, *_) = Inquiry(exe, crash(exe)).conclude().confirmed().values()
    assert "operand" not in [claim.kind for claim in verdict.claims]


_PASSED = """
#define COUNT(of) ((of)->count)
struct cart { int count; struct cart *gift; };
#ifdef __OPTIMIZE__
static int total(struct cart *c) { return c->count; }
#else
static int total(struct cart *c) { return COUNT(c); }
#endif
static int gifts(struct cart *c) { struct cart *g = c->gift; return g->count; }
int main(int argc, char **argv) {
    struct cart mine = { 2, 0 };
    return argc > 1 ? total(mine.gift) : gifts(&mine);
}
"""


@pytest.mark.parametrize(
    ("arguments", "level", "asked"),
    [
        (("x",), "-O0", "Find out in main where `mine.gift` comes from, and why it is null"),
        ((), "-O0", "Find out in gifts why"),
        (("x",), "-O2", "Find out in total, or in main, which called it, why"),
    ],
)
def test_a_null_argument_is_looked_for_in_the_caller_too(
    arguments: tuple[str, ...], level: str, asked: str
) -> None:
    exe = build(_PASSED, "-g", level, "-fno-inline")
    (verdict, *_) = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed().values()
    assert verdict.recommendations[0].startswith(asked)


@pytest.mark.parametrize(
    ("arguments", "given"),
    [(("x",), "`mine.gift` in `main` is (struct cart *) 0x0."), ((), None)],
)
def test_a_null_argument_is_followed_to_what_the_caller_gave(
    arguments: tuple[str, ...], given: str | None
) -> None:
    exe = build(_PASSED, "-g", "-O0")
    (verdict, *_) = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed().values()
    said = [claim.text for claim in verdict.claims if " in `main` is" in claim.text]
    assert said == ([given] if given else [])


_OWNED = """
#include <memory>
struct motor { int kw; int power() const { return kw; } };
struct car { std::unique_ptr<motor> engine; };
static int power(const car &c) { return c.engine->power(); }
int main() { car sold; return power(sold); }
"""


def test_a_null_smart_pointer_is_looked_for_by_its_own_name() -> None:
    exe = build(_OWNED, "-g", "-O0", lang="cpp")
    (verdict, *_) = Inquiry(exe, crash(exe)).conclude().confirmed().values()
    assert "in power where `c.engine` comes from," in verdict.recommendations[0]


_PACKED = """
#include <stdlib.h>
#include <string.h>
struct msg { unsigned short size; char *body; };
static struct msg *pack(const char *text, size_t len) {
    struct msg *m = malloc(sizeof *m);
    m->size = len + 8;
    m->body = malloc(m->size);
    memcpy(m->body, text, len);
    return m;
}
int main(void) {
    char *text = calloc(1, 65530);
    memset(text, 'x', 65530);
    struct msg *one = pack(text, 65530), *two = pack(text, 50);
    return one->body == two->body;
}
"""


def test_what_a_variable_held_before_its_declaration_ran_is_no_owner() -> None:
    exe = build(_PACKED, "-g", "-O0")
    (verdict, *_) = Inquiry(exe, crash(exe)).conclude().confirmed().values()
    assert [one.text[:13] for one in verdict.claims if "->body` " in one.text] == ["`one->body` i"]


_RETURNED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
struct log { FILE *file; };
struct user { int id; struct user *boss; };
static struct user all[2] = {{1, 0}, {2, &all[0]}};
static __attribute__((noipa)) struct user *find(int id) {
    for (int i = 0; i < 2; i++) if (all[i].id == id) return &all[i];
    return NULL;
}
static void note(struct log *log, const char *text) { fprintf(log->file, "%s", text); }
static int boss(int id) { struct user *found = find(id); return found->boss->id; }
static int field(struct user *user) { return user->boss->id; }
static int both(struct user *user) { return find(7)->id + user->id; }
static int table[8];
static __attribute__((noipa)) int slot(int n) { return n > 3 ? -500000000 : n; }
static __attribute__((noipa)) int share(int n) { return n > 3 ? 0 : n; }
static int sold(int n) { int at = slot(n); return table[at]; }
static int each(int n) { int by = share(n); return 100 / by; }
static __attribute__((noipa)) int *room(long n) { return mmap(0, n, 3, MAP_PRIVATE, -1, 0); }
static int first(long n) { int *own = room(n); return *own; }
int main(int argc, char **argv) {
    if (argc > 5) return argc > 6 ? both(NULL) : first(argc);
    if (argc > 3) return argc > 4 ? each(argc) : sold(argc);
    struct log log = {0};
    if (argc < 2) { log.file = fopen("/nowhere/at/all", "a"); note(&log, "x"); return 0; }
    return argc < 3 ? boss(7) : field(find(1));
}
"""


_CLEARED = """
#include <stdlib.h>
#include <string.h>
struct image { int w, h, depth; unsigned char *pixels; };
__attribute__((noinline)) void clear(struct image *im, int value) {
    for (size_t y = 0; y < (size_t)im->h; y++)
        memset(im->pixels + y * im->w * im->depth, value, (size_t)im->w * im->depth);
}
int main(void) {
    struct image *im = calloc(1, sizeof *im);
    im->w = im->h = 2000000; im->depth = 8;
    clear(im, 255);
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_was_added_to_a_null_pointer_is_not_told_for_it(level: str) -> None:
    exe = build(_CLEARED, "-g", level)
    (verdict, *_) = Inquiry(exe, crash(exe)).conclude().confirmed().values()
    assert verdict.claims[1].get("expression") == "im->pixels"


@pytest.mark.parametrize(
    ("arguments", "level", "said"),
    [
        ((), "-O2", 'text);", and `fopen` returned 0x0.'),  # by way of a function of the library
        (("x",), "-O0", ", and `find` returned 0x0."),  # by way of a variable
        (("x", "y"), "-O0", "is (struct user *) 0x0."),  # a member that is null was not returned
        (("x", "y", "z"), "-O0", "`at` is -500000000, and `slot` returned 0xe2329b00."),
        (("x", "y", "z", "0"), "-O2", ", and `share` returned 0x0."),
        (("x", "y", "z", "0", "1"), "-O0", "f, `room` returned 0xffffffffffffffff, and the"),
        (tuple("xyz012"), "-O0", "`find(7)` is 0x0, in `rax`"),  # another null has a name
    ],
)
def test_the_call_that_returned_what_failed_is_told(
    arguments: tuple[str, ...], level: str, said: str
) -> None:
    exe = build(_RETURNED, "-g", level)
    (verdict, *_) = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed().values()
    claims = [replace(claim, status=Outcome.VERIFIED) for claim in verdict.claims]
    assert said in headline(claims)
    if len(arguments) < 3:
        returned = said.partition("`")[2].partition("`")[0]
        asked = f"why {returned} returned null" if returned else "why the pointer is null here"
        assert asked in verdict.recommendations[0]


_SCANNED = """
#include <stdlib.h>
#include <string.h>
struct part { unsigned from, to; };
__attribute__((noinline)) static unsigned width(const char *text, unsigned size) {
    unsigned at = 0;
    while (at < size && text[at] != '#')
        at++;
    return at;
}
int main(int argc, char **argv) {
    struct part part = { 5, argc > 1 ? 9 : 3 };
    char *text = memset(malloc(100), 'a', 100);
    return width(text + part.from, part.to - part.from) == (argv == NULL);
}
"""


def test_a_bound_past_the_end_of_what_is_read_is_told() -> None:
    exe = build(_SCANNED, "-g", "-O0")
    verdict = Inquiry(exe, crash(exe)).conclude().confirmed()[Category.OUT_OF_BOUNDS_READ]
    claims = [replace(claim, status=Outcome.VERIFIED) for claim in verdict.claims]
    assert "`size` is 4294967294" in headline(claims)


_MEMBER = """
#include <string>
namespace db {
struct Row { int id; std::string name; };
template <class A, class B> struct Table {
    __attribute__((noipa)) B *find(A id) { static B row; return id == 1 ? &row : nullptr; }
};
}
int main(int argc, char **) { db::Table<int, db::Row> t; return t.find(argc + 3)->name.c_str()[0]; }
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_member_of_a_null_object_is_handed_on(level: str) -> None:
    """What the method gave follows from the distance that was added to it."""
    exe = build(_MEMBER, "-g", level, lang="cpp")
    inquiry = Inquiry(exe, crash(exe)).conclude()
    ((category, verdict),) = inquiry.confirmed().items()
    assert category is Category.NULL_POINTER_DEREFERENCE
    claims = [replace(claim, status=Outcome.VERIFIED) for claim in verdict.claims]
    assert "`db::Table<int, db::Row>::find` returned 0x0" in headline(claims)
    assert not any(one.endswith((".c_str", "t.find")) for one in inquiry.asked)  # no data


_COPIED = """
#include <cstdlib>
#include <vector>
struct Buffer {
    char *data;
    explicit Buffer(int size) : data((char *)malloc(size)) {}
    ~Buffer() { free(data); }
};
static __attribute__((noinline)) int count(std::vector<Buffer> given) { return (int)given.size(); }
int main() {
    std::vector<Buffer> mine;
    mine.emplace_back(100);
    return count(mine);
}
"""


def test_who_called_what_was_inlined_is_told_of_neighbours_alone() -> None:
    """Between the destructor and main stand the library's own functions."""
    exe = build(_COPIED, "-g", "-O2", lang="cpp")
    verdict = Inquiry(exe, crash(exe)).conclude().confirmed()[Category.DOUBLE_FREE]
    assert not [claim for claim in verdict.claims if claim.kind == "caller"]


_FORMATTED = """
#include <stdarg.h>
#include <stdio.h>
struct reply { int code; char *reason; };
static void show(char *out, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsprintf(out, format, list);
    va_end(list);
}
static void report(struct reply *reply, char *line) {
    show(line, "%d %s", reply->code, reply->code);
}
static void greet(struct reply **none, char *line) {
    show(line, "%s", &(*none)->code);
}
int main(int argc, char **argv) {
    char line[100];
    struct reply reply = { 404, "gone" }, *none = (struct reply *) 400;
    if (argc > 1)
        report(&reply, line);
    greet(&none, line);
    return 0;
}
"""


_PASSED_ON = """
#include <stdarg.h>
#include <stdio.h>
struct user { long id; char name[16]; };
static char line[99];
static __attribute__((noinline)) void show(int level, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (level)
        puts(line);
}
static void greet(const struct user *user) { show(1, "%s %s", user->id, user->name); }
int main(void) { struct user user = { 404, "ann" }; greet(&user); return 0; }
"""


_REUSED = """
struct node { long id; struct node *next; };
__attribute__((noinline)) static long last(const struct node *n) {
    long id = 0;
    for (; n; n = n->next) id = n->id;
    return id;
}
int main(void) { struct node n = { 1, (struct node *)3000 }; return last(&n); }
"""


def test_a_number_that_a_variable_was_set_to_out_of_memory_is_no_null_pointer() -> None:
    exe = build(_REUSED, "-g", "-O2")
    assert Category.NULL_POINTER_DEREFERENCE not in Inquiry(exe, crash(exe)).conclude().confirmed()


@pytest.mark.parametrize(
    ("source", "level", "arguments", "said"),
    [
        (_FORMATTED, "-O0", ("x",), "`reply->code` in `report` is 404."),
        (_FORMATTED, "-O0", (), None),
        (_PASSED_ON, "-O2", (), "`user->id` in `greet` is 404."),
    ],
)
def test_a_number_in_the_place_of_a_pointer_is_no_null_pointer(
    source: str, level: str, arguments: tuple[str, ...], said: str | None
) -> None:
    exe = build(source, "-g", level)
    confirmed = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed()
    found = confirmed.get(Category.WILD_POINTER)
    assert (found.claims[1].text if found is not None else None) == said


_FIRST = """
#include <stdlib.h>
union value { long number; const char *text; };
static char at(const union value *v, unsigned long n) { return v->text[n]; }
static char of(const union value *v, int y, int x) { return v->text[y * 4 + x]; }
static long all(const union value *v, unsigned long n) {
    long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += v->text[i];
    return sum;
}
int main(int argc, char **argv) {
    union value v = { .number = argc == 4 ? 65 : argc > 1 ? 0 : 7654321 };
    unsigned long n = 0;
    if (argc == 6) {
        long *one = malloc(24);
        union value *kept = malloc(24);
        for (long i = 0; i < 5; i++)
            one[i] = 0x13579bdf2468ace + i * 0x1111111;
        return at(kept, n);
    }
    if (argc > 3)
        return all(&v, argc);
    if (argc > 2)
        return of(&v, n, n);
    return at(&v, n);
}
"""


@pytest.mark.parametrize(
    ("arguments", "category", "value"),
    [((), Category.WILD_POINTER, "0x74cbb1"), (("1",), Category.NULL_POINTER_DEREFERENCE, "0x0")],
)
def test_a_pointer_is_not_taken_for_its_index_of_zero(
    arguments: tuple[str, ...], category: Category, value: str
) -> None:
    exe = build(_FIRST, "-g", "-O0", "-no-pie")
    inquiry = Inquiry(exe, crash(exe, *arguments)).conclude()
    assert inquiry.verdicts[category].claims[1].text.startswith(f"`v->text` is {value}")
    fault = inquiry.facts.first(Fault)
    assert fault is not None
    assert not fault.origin  # either of the two that were added was the pointer


@pytest.mark.parametrize(
    ("arguments", "category", "value"),
    [
        ("abc", Category.WILD_POINTER, "0x41, `v->number` is 65"),
        ("abcd", Category.NULL_POINTER_DEREFERENCE, "0x0"),
    ],
)
def test_a_small_number_is_not_taken_for_the_index_that_is_counted(
    arguments: str, category: Category, value: str
) -> None:
    exe = build(_FIRST, "-g", "-O0", "-no-pie")
    verdict = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed()[category]
    claims = [replace(claim, status=Outcome.VERIFIED) for claim in verdict.claims]
    assert f"`v->text` is {value}" in headline(claims)


def test_what_ran_over_a_header_into_a_union_is_no_number_that_it_holds() -> None:
    exe = build(_FIRST, "-g", "-O0", "-no-pie")
    confirmed = Inquiry(exe, crash(exe, *"abcde")).conclude().confirmed()
    assert Category.WILD_POINTER not in confirmed


def test_a_widened_number_is_not_taken_for_the_pointer() -> None:
    exe = build(_FIRST, "-g", "-O0", "-no-pie")
    inquiry = Inquiry(exe, crash(exe, "1", "2")).conclude()
    (verdict,) = inquiry.confirmed().values()
    fault = inquiry.facts.first(Fault)
    assert fault is not None
    assert [(load.value, load.own) for load in fault.origin[:1]] == [(0, False)]
    assert verdict.claims[1].text.startswith("`v->text` is 0x0")


_HELD = """
#include <memory>
#include <vector>
struct cell { int *text; };
struct task { int number; };
struct held : std::vector<cell> { const cell &operator[](int) const { return front(); } };
struct sheet {
    std::vector<std::vector<cell>> rows;
    std::vector<int> order;
    std::vector<std::unique_ptr<task>> best;
    held own;
};
__attribute__((noinline)) static int at(const sheet &s, int r, int c) {
    return *s.rows[s.order[r]][c].text;
}
__attribute__((noinline)) static int own(const sheet &s, int i) { return *s.own[i].text; }
__attribute__((noinline)) static int sum(const sheet &s) {
    int all = 0;
    for (const auto &each : s.best)
        if (each->number > all)
            all = each->number;
    return all;
}
int main(int argc, char **) {
    sheet s;
    s.rows.resize(2, std::vector<cell>(2));
    s.order = {1, 0};
    s.best.resize(2);
    s.own.resize(2);
    return argc > 2 ? own(s, 1) : argc > 1 ? sum(s) : at(s, 0, 1);
}
"""


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((), ["s.rows[s.order[r]][c].text"]), (("1",), ["each"]), (("1", "2"), [])],
)
def test_what_the_library_holds_is_named_without_a_call(
    arguments: tuple[str, ...], named: list[str]
) -> None:
    exe = build(_HELD, "-g", "-O2", lang="cpp")
    (verdict,) = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed().values()
    said = [claim for claim in verdict.claims if claim.kind in ("value", "operand")]
    assert [claim.get("expression") for claim in said] == named


def test_a_function_on_one_line_is_read_without_its_head() -> None:
    line = "__attribute__((noinline)) static int f(struct job *j) { return j->done->code; }"
    frame = Frame(index=0, function="f", module=None)
    assert within(line, frame) == " return j->done->code; }"
    assert within("    if (f(j)) {", frame) == "    if (f(j)) {"


_TEXTS = """
#include <string.h>
__attribute__((noinline)) static int both(const char *text) {
    char name[16] = "short";
    int n = 0;
    if (text[0] == 'b') {
        char whole[16];
        strcpy(whole, text);
        n = whole[1];
        name[15] = 0;
    } else
        strcpy(name, text);
    return n + name[0];
}
int main(int argc, char **argv) { return both(argv[1]); }
"""


@pytest.mark.parametrize(
    ("text", "named"),
    [("a-text-too-long" * 5, ["name"]), ("by-another-one" * 5, [])],
)
def test_an_array_is_named_where_it_was_filled_to_its_end(text: str, named: list[str]) -> None:
    exe = build(_TEXTS, "-g", "-O0", "-fstack-protector-all", "-U_FORTIFY_SOURCE")
    verdict = Inquiry(exe, crash(exe, text)).conclude().confirmed()[Category.STACK_BUFFER_OVERFLOW]
    assert [c.get("expression") for c in verdict.claims if c.kind == "value"] == named


_HANDED = """
#include <stdlib.h>
struct owner { char pad[64]; long quota; };
struct job { int id; struct owner *owner; };
__attribute__((noinline)) static long take(struct owner *owner) { return owner->quota--; }
__attribute__((noinline)) static long handle(struct job *job) {
    long left = take(job->owner);
    return left + job->id;
}
int main(void) { return handle(calloc(1, sizeof(struct job))); }
"""


_DIVIDES = """
#include <stdlib.h>
struct table { unsigned n; void **b; };
__attribute__((noinline)) static struct table *made(int n) {
    struct table *t = calloc(1, sizeof *t);
    t->n = n / 4;
    return t;
}
__attribute__((noinline)) static void *get(struct table *t, unsigned k) { return t->b[k % t->n]; }
int main(int argc, char **argv) { return get(made(argc), 77) != 0; }
"""


def test_a_divisor_in_an_index_is_named_and_not_the_call_that_made_its_object() -> None:
    program = build(_DIVIDES, "-g", "-O0")
    (verdict,) = Inquiry(program, crash(program)).conclude().confirmed().values()
    assert [c.get("expression") for c in verdict.claims if c.kind == "value"] == ["t->n"]
    assert not [claim for claim in verdict.claims if claim.kind == "returned_by"]


_ON = """
#include <stdlib.h>
__attribute__((noinline)) static const char *get(int n) { return n > 9 ? "7" : NULL; }
int main(int argc, char **argv) {
    int timeout = atoi(get(argc));
    return timeout;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_an_argument_is_followed_through_a_function_that_only_jumps_on(level: str) -> None:
    program = build(_ON, "-g", level)
    (verdict,) = Inquiry(program, crash(program)).conclude().confirmed().values()
    assert [c.get("function") for c in verdict.claims if c.kind == "returned_by"] == ["get"]


def test_the_headline_says_what_the_caller_gave() -> None:
    program = build(_HANDED, "-g", "-O1")
    verdicts = Inquiry(program, crash(program)).conclude().verdicts.values()
    best = max(verdicts, key=lambda verdict: verdict.confidence)
    told = headline([replace(claim, status=Outcome.VERIFIED) for claim in best.claims])
    assert "`owner` is " in told
    assert "`job->owner` in `handle` is " in told


_DATA = """
#include <stdio.h>
struct state { int hits; char label[20]; } total = {1, "total"}, rest;
struct step { const char *name; void *run; } steps[] = {{"total", &total}, {"rest", &rest}};
__attribute__((noinline)) static int run(struct step *step, int value) {
    int (*go)(int) = (int (*)(int))step->run;
    int made = go(value);
    return made + puts(step->name);
}
int main(int argc, char **argv) { return run(&steps[argc - 1], 4); }
"""
_REFERENCE = """
#include <string>
size_t length(const std::string &text) { return text.size(); }
int main() { std::string *missing = nullptr; return length(*missing); }
"""
_STALE = """
struct Part { virtual ~Part() = default; int size = 1; };
struct Button : Part { int presses = 0; };
struct Window {
    Part *focused = nullptr;
    __attribute__((noinline)) int key() {
        if (auto *button = dynamic_cast<Button *>(focused))
            return button->presses++;
        return 0;
    }
};
int main() {
    Window window;
    window.focused = new Button;
    delete window.focused;
    return window.key();
}
"""


@pytest.mark.parametrize(
    ("source", "lang", "level", "name"),
    [
        (_DATA, "c", "-O0", "go"),
        (_DATA, "c", "-O1", "step->run"),  # `go` is nowhere then
        (_REFERENCE, "cpp", "-O0", "&text"),
        (_STALE, "cpp", "-O0", "focused"),
        (_STALE, "cpp", "-O1", "focused"),
    ],
)
def test_what_a_call_was_given_or_went_to_is_named(
    source: str, lang: str, level: str, name: str
) -> None:
    program = build(source, "-g", level, lang=lang)
    verdicts = Inquiry(program, crash(program)).conclude().verdicts.values()
    verdict = max(verdicts, key=lambda verdict: verdict.confidence)
    assert [c.get("expression") for c in verdict.claims if c.kind == "value"] == [name]


@pytest.mark.parametrize(
    ("text", "function", "args", "name", "asked"),
    [
        ("    if (lookup(t, (void *)id) == 3)", "lookup", "t=0x1, id=3", "id", ["id"]),
        ("    } else if (put(&x, y[2])) {", "put", "p=0x1, n=3", "n", ["y[2]"]),
        ("    n += cache_.get(name, p->q);", "Cache::get", "this=0x1, name=0x2, q=3", "this",
         ["cache_"]),
        ("    call(f(a, b), show(\"x,y)\", q->n));", "show", "t=0x1, n=3", "n", ["q->n"]),
        ("    let x = take(&mut a, b.c)?;", "m::take", "a=1, b=2", "b", ["b.c"]),
        ("    show(q,", "show", "p=0x1, n=3", "p", None),
        ("    show(p) + show(q);", "show", "p=0x1", "p", None),
    ],
)  # fmt: skip
def test_the_argument_at_a_parameters_place_is_asked_for(
    text: str, function: str, args: str, name: str, asked: list[str] | None
) -> None:
    file = "a.rs" if " let " in text else "a.cpp"
    line = SourceLine(cite=Citation("E1", 1, 1), line=5, text=text, file=file)
    callee = Frame(index=0, function=function, args=args, file=file)
    assert next(frame_lines.given_to(line, callee, name), None) == asked


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("return m->bits[(long)y * m->stride + x];",
         [("m->bits", "(long)y * m->stride + x"), ("m->bits", "x")]),
        ("return s->rows[r].cells[c] + s->width;",  # added to what no pointer is
         [("s->rows", "r"), ("s->rows[r].cells", "c"), ("s->rows[r].cells[c]", "s->width")]),
        ("memchr(a->all + one * a->stride + y * y, '+', n);", [("a->all", "a->stride")]),
        ("*(p - 4 * n + (size_t)k) = a == b;", [("p", "n"), ("p", "k"), ("n", "k")]),
        ("p->count++; q -= n;", []),
        ("unsafe { *self.buf.add(at) = v; }", [("self.buf", "at")]),
    ],
)  # fmt: skip
def test_what_is_added_to_a_pointer(text: str, added: list[tuple[str, str]]) -> None:
    """Of a product nothing tells which factor is wrong, where no other one is right."""
    assert list(offsets(text, {"one": "1", "y": "3000"})) == added


_TREE = """
#include <string.h>
struct menu { struct menu *entries[2]; struct menu *up; int size; };
struct walk { struct menu *at; int sum; };
static int widest(struct menu *m);
static int width(struct menu *m) { return m->size + widest(m); }
static int widest(struct menu *m) { return m->entries[0] ? width(m->entries[0]) : 0; }
static int descend(struct walk *w) { w->at = w->at->entries[0]; return 1 + descend(w); }
static int swap(struct menu *m, struct menu *n, int depth) { return swap(n, m, depth + 1) + 1; }
int main(int argc, char **argv) {
    struct menu a = {{0}, 0, 1}, b = {{&a}, 0, 2};
    struct walk w = {&a, 0};
    a.entries[0] = &b;
    if (argc > 1)
        return strcmp(argv[1], "swap") ? descend(&w) : swap(&a, &b, 0);
    return width(&a);
}
"""


@pytest.mark.parametrize(
    ("arguments", "round_"), [((), ["m"]), (("descend",), []), (("swap",), [])]
)
def test_a_recursion_in_a_cycle_of_its_data_is_told_so(
    arguments: tuple[str, ...], round_: list[str]
) -> None:
    exe = build(_TREE, "-g", "-O0")
    (verdict, *_) = Inquiry(exe, crash(exe, *arguments)).conclude().confirmed().values()
    told = [claim for claim in verdict.claims if claim.get("how") == "goes-round"]
    assert [claim.get("name") for claim in told] == round_
    assert all("comes to the same arguments, where `m` of `wid" in claim.text for claim in told)


@pytest.mark.parametrize(
    ("blocks", "named"),
    [
        ((0x5000,), "`kept` is (struct node *) 0x5010."),
        ((0x5000, 0x6000), "`read` is 0x9e2c7459ab30406a."),  # which of them, is not known
    ],
)
def test_what_leads_into_the_block_that_a_word_was_read_in(
    blocks: tuple[int, ...], named: str
) -> None:
    cite, key = Citation("E1", 1, 1), 0x9E2C7459AB30406A
    fault = Fault(cite=cite, thread=7, pc=0x401136, instruction="mov eax, [rax]", mnemonic="mov",
                  access="read", operand=key, base_register="rax", base_value=key)  # fmt: skip
    facts: list[AnyFact] = [fault, Signal(cite=cite, number=11, name="SIGSEGV", thread=7)]
    facts += [Chunk(cite=cite, address=at + 16, start=at, size=48, state="tcache", offset=0,
                    heap=0x5000, holds=key) for at in blocks]  # fmt: skip
    level = "frame apply level 0 -q "
    for command, text in {
        "bt 64": "#0  0x0000000000401136 in sum () at sum.c:5\n",
        f"{level}info locals": f"kept = (struct node *) 0x5010\nread = {key:#x}\n",
        f"{level}frame": "#0  0x401136 in sum () at sum.c:5\n5\t    return read->weight;\n",
        f"{level}print read": f"$1 = {key:#x}\n",
    }.items():
        facts += analyze(Document(f"E{len(facts)}", command, "gdb", text)).facts
    assert named in [claim.text for claim in spoken.named(Case(FactBook(facts)))]


def test_what_a_variable_holds_is_named_that_a_librarys_round_went_on_from() -> None:
    cite, given = Citation("E1", 1, 1), 0x7878787878787878
    fault = Fault(cite=cite, thread=7, pc=0x401136, instruction="movdqu xmm2, [r10 - 0x40]",
                  mnemonic="movdqu", access="read", operand=given, base_register="r10",
                  base_value=given + 64)  # fmt: skip
    facts: list[AnyFact] = [fault, Signal(cite=cite, number=11, name="SIGSEGV", thread=7)]
    level, into = "frame apply level 1 -q ", "/rustc/59807/library/core/src/str/count.rs:82"
    for command, text in {
        "bt 64": f"#0  core::str::count::do_count_chars () at {into}\n#1  t::main () at t.rs:10\n",
        f"{level}info locals": f"w = String {{vec: Vec {{ptr: {given:#x}, len: 7}}}}\nn = 3\n",
        f"{level}frame": "#1  t::main () at t.rs:10\n10\t    n += w.chars().count();\n",
    }.items():  # fmt: skip
        facts += analyze(Document(f"E{len(facts)}", command, "gdb", text)).facts
    named = [claim.text for claim in spoken.named(Case(FactBook(facts)))]
    assert named == [f"`w.vec.ptr` is {given:#x}."]


def test_the_table_of_an_object_on_the_stack_that_is_none_is_named() -> None:
    cite, word, table, at = Citation("E1", 1, 1), 0x756C617620676E69, 0x5010, 0x7FFC9A0
    loads = (
        Load(at=0x401136, register="rip", source=table + 16, value=word, line=2, own=False),
        Load(at=0x401131, register="rax", source=at, value=table, line=3, own=True),
    )
    fault = Fault(cite=cite, thread=7, pc=0x401136, instruction="call qword ptr [rax + 0x10]",
                  mnemonic="call", access="execute", operand=word, base_register="rax",
                  base_value=table, origin=loads)  # fmt: skip
    facts: list[AnyFact] = [fault, Signal(cite=cite, number=11, name="SIGSEGV", thread=7)]
    level = "frame apply level 0 -q print "
    for command, text in {
        "bt 64": "#0  0x401136 in Printer::print (this=0x7ffc980) at printer.h:89\n",
        f"{level}*this": f"$1 = {{source_ = {at:#x}, flags_ = 1}}\n",
        f"{level}*this->source_": f"$2 = {{_vptr.node = {table:#x}}}\n",
    }.items():
        facts += analyze(Document(f"E{len(facts)}", command, "gdb", text)).facts
    named = [claim.text for claim in spoken.named(Case(FactBook(facts)))]
    assert named == [f"`this->source_->_vptr.node` is {table:#x}."]


@pytest.mark.parametrize(("words", "said"), [({"top", "name"}, ["top->name"]), (set(), [])])
def test_of_two_ways_to_one_field_the_line_tells_which(words: set[str], said: list[str]) -> None:
    cite, word = Citation("E1", 1, 1), 0x9E2C7459AB30406A
    facts: list[AnyFact] = [Signal(cite=cite, number=11, name="SIGSEGV", thread=7)]
    for command, text in {
        "bt 64": "#0  0x0000000000401136 in show (pool=0x5010) at pool.c:7\n",
        "frame apply level 0 -q print *top": f"$1 = {{name = {word:#x}}}\n",
        "frame apply level 0 -q print *pool->best": f"$2 = {{name = {word:#x}}}\n",
    }.items():
        facts += analyze(Document(f"E{len(facts)}", command, "gdb", text)).facts
    found = pointed.field(Case(FactBook(facts)), {word}, words)
    assert [claim.get("expression") for claim in found] == said


_IN_LINE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char *text; long count; };
struct list { struct item items[2]; };
__attribute__((noipa)) static void clear(struct list *list) {
    for (int i = 0; i < 2; i++)
        free(list->items[i].text);
}
__attribute__((noipa)) static long number(char *line) {
    strtok(line, ",");
    char *rest = strtok(NULL, ",");
    return atol(rest) + 1;
}
struct wage { long id; int percent; };
struct job { long id; int hours; };
__attribute__((noinline)) static const struct wage *wage_of(int kind) {
    static struct wage all[2] = {{1, 30}, {2, 50}};
    return kind < 2 ? &all[kind] : NULL;
}
__attribute__((noinline)) static int paid(const struct wage *wage, int hours) {
    return wage->percent * hours;  // optimised, it is given the percentage alone
}
__attribute__((noipa)) static int pay(const struct job *job, int kind) {
    const struct wage *wage = wage_of(kind);
    return job->hours * paid(wage, kind);
}
int main(int c, char **v) {
    struct job job = {1, 8};
    if (c == 3) return pay(&job, c);
    struct list list = {{{malloc(40), 1}, {0, 2}}};
    struct item *items = list.items;
    char line[] = "seven";
    items[1].text = c > 1 ? malloc(8) : items[0].text;
    printf("%p\\n", items[1].text);
    if (c == 1) clear(&list);
    return number(line) > 0;
}
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "free already: `clear` frees `list->items[i].text`, and the runtime said"),
        (("x",), '`rest` is set to `strtok(NULL,",")` in line 13, and `strtok` returned 0x0.'),
        (("x", "y"), "`wage` is 0x0, in `rax`: its `percent` is 8 bytes from there"),  # not `job`
    ],
)
def test_where_nothing_has_a_value_the_source_says_what_was_given(
    arguments: tuple[str, ...], said: str
) -> None:
    exe = build(_IN_LINE, "-g", "-O2", "-D_FORTIFY_SOURCE=0")
    inquiry = Inquiry(exe, crash(exe, *arguments)).conclude()
    assert inquiry.loose() == []
    (verdict, *_) = inquiry.confirmed().values()
    claims = [replace(claim, status=Outcome.VERIFIED) for claim in verdict.claims]
    assert said in headline(claims)


_NUMBERS = """
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct field { int type; union { unsigned int number; char *text; }; };
struct row { int n; struct field fields[4]; };
__attribute__((noipa)) static long width(const struct row *row) {
    long all = 0;
    for (int i = 0; i < row->n; i++)
        all += strlen(row->fields[i].text);
    return all;
}
__attribute__((noipa)) static long longest(const char *first, ...) {
    va_list rest;
    va_start(rest, first);
    unsigned long most = strlen(first);
    for (const char *one; (one = va_arg(rest, const char *)) != NULL;)
        if (strlen(one) > most) most = strlen(one);
    va_end(rest);
    return most;
}
__attribute__((noipa)) static long label(const char *name, long port) {
    return longest(name, port, "tcp", NULL);
}
__attribute__((noipa)) static int show(int n) { return printf("port %s\\n", n); }
int main(int c, char **v) {
    if (c == 4) return show(70);
    struct row row = {3, {{1, .text = "one"}, {0, .number = 9000123}}};
    if (c == 1) return width(&row);
    return c == 2 ? label(v[0], 70000) : longest(v[0], "udp", 8080, NULL);
}
"""


@pytest.mark.parametrize(
    ("arguments", "level", "said"),
    [
        ((), "-O0", "`row->fields[i].text` is 0x8954bb, `row->fields[i].number` is 9000123,"),
        (("x",), "-O0", "gives a number where a pointer belongs: `port` in `label` is 70000"),
        (("x",), "-O2", "gives a number where a pointer belongs: `port` in `label` is 70000"),
        (("x", "y"), "-O2", "belongs: `main` passes `8080` as argument 3 of `longest`"),
        (("x", "y", "z"), "-O0", "gives a number where a pointer belongs: `n` is 70."),
    ],
)
def test_a_number_that_is_read_as_a_pointer_is_told(
    arguments: tuple[str, ...], level: str, said: str
) -> None:
    exe = build(_NUMBERS, "-g", level)
    inquiry = Inquiry(exe, crash(exe, *arguments)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.confirmed()[Category.WILD_POINTER]
    claims = [replace(claim, status=Outcome.VERIFIED) for claim in verdict.claims]
    assert said in headline(claims)


def test_an_access_by_the_frames_own_pointer_has_no_name() -> None:
    exe = build("#include <string.h>\n__attribute__((noinline)) int load(int n) {"
                " char b[64 << 20]; memset(b, n, sizeof b); return b[n]; }\n"
                "int main(int c, char **v) { return load(c); }", "-g", "-O0")  # fmt: skip
    (verdict,) = Inquiry(exe, crash(exe)).conclude().confirmed().values()
    assert "operand" not in {claim.kind for claim in verdict.claims}


_IN_FRONT = """
#include <stdlib.h>
#include <string.h>
struct sym { const char *name; int len; };
struct scope { struct sym **syms; int used; };
struct row { int *cells; int n; };
struct grid { struct row *rows; int h, w; };
static int find(struct scope *s, const char *name) {
    for (int i = 0; i < s->used; i++) if (!strcmp(s->syms[i]->name, name)) return i;
    return -1;
}
static int width(const struct sym *sym) { return sym->len * 2; }
static int layout(struct scope *s, const char *name) {
    int at = find(s, name);
    return width(s->syms[at]);
}
static int around(struct grid *g, int y, int x) {
    int n = 0;
    for (int dy = -1; dy <= 1; dy++) n += g->rows[y + dy].cells[x];
    return n;
}
static int widest(struct scope *s) {
    int most = 0;
    for (int i = 0; i <= s->used; i++) most |= width(s->syms[i]);
    return most;
}
int main(int n, char **v) {
    struct grid g = {calloc(6, sizeof(struct row)), 5, 5};
    struct scope s = {calloc(8, sizeof(struct sym *)), 0};
    if (n == 3) return s.syms[s.used++] = calloc(1, sizeof(struct sym)), widest(&s);
    return n > 1 ? around(&g, 0, 1) : layout(&s, "b");
}
"""


@pytest.mark.parametrize(
    ("arguments", "category", "said"),
    [
        ((), Category.OUT_OF_BOUNDS_READ,
         "`s->syms[at]` in `layout` is (struct sym *) 0x51. `at` in `layout` is -1."),
        (("x",), Category.OUT_OF_BOUNDS_READ,
         "`g->rows[y + dy].cells` is (int *) 0x0. `y + dy` is -1."),
        (("x", "y"), Category.NULL_POINTER_DEREFERENCE,
         "`s->syms[i]` in `widest` is (struct sym *) 0x0. `i` in `widest` is 1. "
         "`s->used` in `widest` is 1."),
    ],
)  # fmt: skip
def test_the_index_that_led_to_a_bad_pointer_is_told(
    arguments: tuple[str, ...], category: Category, said: str
) -> None:
    exe = build(_IN_FRONT, "-g")
    inquiry = Inquiry(exe, crash(exe, *arguments)).conclude()
    assert inquiry.loose() == []
    confirmed = inquiry.confirmed()
    assert list(confirmed) == [category]
    assert said in " ".join(map(sentence, confirmed[category].claims))


_DESTROYED = """
#include <string>
#include <thread>
#include <variant>
#include <vector>
#include <unistd.h>
class Crew {
public:
    __attribute__((noinline)) Crew(int n) : sizes(n, n) {
        for (int i = 0; i < n; i++) workers.emplace_back([] { sleep(9); });
    }
    std::vector<int> sizes;
    std::string name = "crew";
    std::vector<std::thread> workers;
};
__attribute__((noipa)) static void run(int n) {
    Crew crew(n);
    if (crew.sizes.size() == 2) usleep(1000);
}
__attribute__((noipa)) static long size(const std::variant<int, long> &kept) {
    return std::get<long>(kept);
}
int main(int c, char **) {
    if (c > 1) return size(c);
    run(2);
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_a_compilers_own_destructor_destroys_has_a_name(level: str) -> None:
    exe = build(_DESTROYED, "-g", level, "-pthread", lang="cpp")
    inquiry = Inquiry(exe, crash(exe)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.confirmed()[Category.STD_TERMINATE]
    assert verdict.claims[1].text.startswith("`workers` is of type `std::vector<std::thread")


def test_a_templates_call_is_told_by_its_name() -> None:
    exe = build(_DESTROYED, "-g", "-O2", "-pthread", lang="cpp")
    inquiry = Inquiry(exe, crash(exe, "x")).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.confirmed()[Category.UNCAUGHT_EXCEPTION]
    assert verdict.claims[1].text == "`size` calls `std::get<long>` with `kept`."
