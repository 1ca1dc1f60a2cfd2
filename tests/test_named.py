"""The variable or member that failed is named from the core alone, by gdb and by lldb."""

import json
from pathlib import Path

import pytest

from tests.crashes import build, crash, lldbs, needed
from tests.samples.case import triage
from tests.soak import part

_SOURCE = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
struct Op { const char *name; int (*run)(int); int cost; };
static int twice(int n) { return 2 * n; }
Op ops[] = {{"twice", twice, 1}, {"none", twice, 0}, {"halve", 0, 3}, {0, 0, 0}};
__attribute__((noipa)) int run(const char *code) { return 1 + ops[*code & 3].run(1); }

template <class T> struct Ring {
    T *slots; size_t size, head;
    T &front() { return slots[head]; }
};
struct Device { const char *name; struct { int id; Ring<double> ring; } channels[4]; };
__attribute__((noipa)) double oldest(Device *device, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += device->channels[i].ring.front();
    return sum;
}

struct Index {
    int keys[64]; int used;
    int find(int key) const { int i = used; while (i && keys[i - 1] != key) i--; return i; }
};
struct Store {
    std::unique_ptr<Index> index;
    __attribute__((noipa)) int get(int key) const { return index->find(key); }
};

struct Shape { virtual int area() { return 1; } virtual ~Shape() {} long size; };
__attribute__((noipa)) int area_of(Shape *shape) { return shape->area() + 1; }

struct Theme { long id; struct Font { int size; char face[8]; } *font; };
struct Window { Theme *themes; int current; } window;
__attribute__((noipa)) void face(const char *name) {
    strcpy(window.themes[window.current].font->face, name);
    window.current++;
}

struct Page { struct { int id; union { long number; const char *label; } is; } items[4]; };
__attribute__((noipa)) void show(const Page *page, int n) {
    for (int i = 0; i < n; i++)
        printf("%d: %s\\n", page->items[i].id, page->items[i].is.label);
}

struct Team { const Op *members[4]; int n; };
__attribute__((noipa)) size_t longest(const Team *team) {
    size_t found = 0;
    for (auto at = team->members; at < team->members + team->n; at++)
        found += strlen((*at)->name);
    return found;
}

struct Cards { size_t size; Op **slots; };
__attribute__((noipa)) size_t hash(const char *name) { return *name; }
__attribute__((noipa)) int cost(const Cards *cards, const char *name) {
    return cards->slots[hash(name) % cards->size]->cost;
}

struct Garage { std::vector<Op> ops; };
__attribute__((noipa)) int dearest(const std::shared_ptr<Garage> &all, size_t at) {
    return all->ops[at].cost;
}

struct Label { int size; };
struct Row { int id; Label *head, *foot; };
static inline int sizes(const Row *row) {
    return row->head->size + row->foot->size;
}
__attribute__((noipa)) int extent(Row **rows, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += sizes(rows[i]);
    return sum;
}
static inline int heights(const Row *row) { return row->head->size * row->foot->size; }
__attribute__((noipa)) int height(const Row *row, const Label *spare) {
    return heights(row) + (row->id > 9 ? spare->size : 0);
}

__attribute__((noipa)) int price(const std::map<long, Row *> &all, long id) {
    auto it = all.find(id);
    if (it == all.end())
        return 0;
    return it->second->foot->size;
}

__attribute__((noipa)) void drop(Cards *cards) {
    cards->size = hash("");
    free(cards->slots); free(cards);
}

struct Queue { int *items; unsigned tail; };
__attribute__((noipa)) void push(Queue *queue, int item) {
    queue->items[queue->tail] = item;
    queue->tail++;
}

__attribute__((noipa)) size_t words(const Op *op) {
    char *volatile rest = nullptr, *copy = strdup(op->name);
    return strlen(copy) + (rest != nullptr);
}

__attribute__((noipa)) int apart(const Row *rows, const int *at) {
    const Row &left = rows[at[0]], &right = rows[at[1]];
    return left.id - right.id;
}

struct Token { int kind; const char *text; };
class Parser {
    std::vector<Token> tokens; size_t at = 0;
    const Token &peek() const { return tokens[at]; }
    bool accept(const char *word) { return !strcmp(peek().text, word) && ++at; }
public:
    explicit Parser(std::vector<Token> t) : tokens(std::move(t)) {}
    __attribute__((noipa)) int statement() { return accept("let") ? accept("x") : 2; }
};

class Matrix {
    int columns; double *data;
public:
    Matrix(int columns, double *data) : columns(columns), data(data) {}
    double operator()(int y, int x) const { return data[y * columns + x]; }
};
__attribute__((noipa)) double dot(const Matrix &a, const Matrix &b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a(0, i) * b(i, 0);
    return sum;
}

struct Style { int margin, padding; };
struct Box { Style *style; int width, n; Box *kids[4]; };
static inline int pad(const Style *style) { return style->margin + 2 * style->padding; }
static inline int outer(const Box *box) { return box->width + pad(box->style); }
__attribute__((noipa, optimize("O3"))) int layout(const Box *root) {
    int width = 0;
    for (int i = 0; i < root->n; i++)
        width = std::max(width, outer(root->kids[i]));
    return width;
}

__attribute__((noipa)) int sell(std::unordered_map<std::string, Row> &all, std::string name) {
    auto found = all.find(name);
    found->second.id -= 1;
    return found->second.id;
}

__attribute__((noipa)) int shout(const char *text) {
    char label[16], *to = label;
    for (const char *c = text; *c; c++)
        *to++ = *c >= 'a' ? *c - 32 : *c;
    *to = 0;
    return printf("%s\\n", label);
}

struct Group { long id, count; };
template <class F> __attribute__((noinline)) void words(const char *text, F each) {
    for (; *text; text++)
        each(std::string_view(text, 1));
}
__attribute__((noipa)) long tally(const char *text, Group *all) {
    Group *current = nullptr;
    words(text, [&](const std::string_view &word) {
        if (word[0] < '9')
            current = word[0] == '1' ? all : nullptr;
        else
            current->count += word.size();
    });
    return all->count;
}

struct Out { long limit, used; };
struct Client { long id; Out *out; char name[32]; };
__attribute__((noipa)) long room(Client *client) {
    Out *out = client->out;
    return out->limit - out->used;
}

struct Image { int stride; char *pixels; int width; };
__attribute__((noipa)) bool ends(const Image *image, int row) {
    return memchr(image->pixels + row * image->stride, image->width, 4) != nullptr;
}

__attribute__((noipa)) long margins(const std::map<std::string, Style *> &styles) {
    long sum = 0;
    for (const auto &[name, style] : styles)
        sum += style->margin * name.size();
    return sum;
}

struct Board { int kind; unsigned char cells[16][16]; } board;
__attribute__((noipa)) void mark(int x, int y) {
    board.cells[y][x] = 1;
}

static struct { int n; struct { int id; FILE *file; } to[2]; } outs = {2, {{1}, {2}}};
__attribute__((noipa)) void print(const char *text) {
    for (int i = 0; i < outs.n; i++)
        fputs(text, outs.to[i].file);
}

struct Sum { long n; __attribute__((noipa)) long add(long x) { return n += x; } };
__attribute__((noipa)) std::function<long(long)> adding(Sum *sum) {
    return [sum](long x) { return sum->add(x) + sum->n; };
}

struct Car { int id; std::shared_ptr<Group> group; long size() const { return group->count; } };
__attribute__((noipa)) long sizes(const std::vector<Car> &cars) {
    long sum = 0;
    for (auto &car : cars)
        sum += car.size();
    return sum;
}

int main(int argc, char **argv) {
    double first = 1;
    Device device = {0, {{0, {&first, 1, 0}}, {1, {&first, 1, 0}}}};
    Shape shape, *gone = &shape;
    Page page = {{{1, {0}}, {2, {31337}}}};
    page.items[0].is.label = "one";
    std::string_view what(argv[1]);
    if (what == "call") return run("\\2");
    if (what == "member") return oldest(&device, argc + 1);
    if (what == "owner") return Store().get(argc);
    if (what == "table") { memset((void *)gone, 0, sizeof shape); return area_of(gone); }
    Style plain = {};
    if (what == "binding") return margins({{"b", &plain}, {"c", nullptr}});
    if (what == "lost") mark(argc, 9000000 * argc);
    if (what == "printed") print(argv[1]);
    if (what == "called back") return adding(nullptr)(argc);
    if (what == "shared") return sizes({{1, std::make_shared<Group>()}, {2, nullptr}});
    Cards cards = {4, (Op **)calloc(4, sizeof(Op *))};
    if (what == "slot") return cost(&cards, argv[1]);
    if (what == "again") { free(cards.slots); drop(new Cards(cards)); }
    Queue queue = {(int *)calloc(4, 4), -4u * argc};
    if (what == "index") push(&queue, argc);
    Op none = {0, 0, argc}, bad = {(const char *)0x2000000000, 0, 0};
    if (what == "given") return words(&none);
    Label label = {3};
    Row whole = {1, &label, &label}, half = {2, &label, 0}, *rows[] = {&whole, &half};
    if (what == "inlined") return extent(rows, argc);
    Row none_of = {3, 0, 0};
    if (what == "both") return height(&none_of, 0);
    int at[] = {0, 90000000 * argc};
    if (what == "reference") return apart(&whole, at);
    Parser parser({{1, "let"}, {1, 0}});
    if (what == "at") return parser.statement();
    double ones[] = {1, 1};
    if (what == "operand") return dot({1, ones}, {1, nullptr}, argc);
    Style style = {1, 2};
    Box box[] = {{&style, 1}, {&style, 2}, {0, 3}}, root = {&style, 0, 3, {box, box + 1, box + 2}};
    if (what == "kids") return layout(&root);
    std::unordered_map<std::string, Row> stock = {{"tea", whole}};
    if (what == "end") return sell(stock, argv[1]);
    Group group = {1, 0};
    if (what == "return") return shout("/usr/local/share/games/something/else");
    if (what == "captured") return tally("192a", &group);
    Image image = {0x6000001, (char *)calloc(4, 4), 0x6000001};
    if (what == "stride") return ends(&image, argc - 2);
    if (what == "found") return price({{1, &whole}, {3, &half}}, argc);
    auto *client = new Client();
    strcpy(client->name, "till-1");
    if (what == "array") free(client->name);
    delete client;
    if (what == "freed") return room(client);
    if (what == "empty") return dearest(std::make_shared<Garage>(), argc);
    Team team = {{&ops[0], &bad}, argc};
    if (what == "element") return longest(&team);
    if (what == "inside") { window.themes = new Theme[1](); face(argv[1]); }
    show(&page, argc);
}
"""
_NAMED = {
    "call": "`ops[2].run` is ",
    "member": "`device->channels[2].ring.slots` is ",
    "owner": "`index` in `Store::get` is ",
    "table": "`shape->_vptr.Shape` is 0x0",
    "inside": "`window.themes[window.current].font` is ",
    "slot": "`cards->slots[hash(name) % cards->size]` is ",  # no debugger can say which
    "again": "`cards->slots` is ",
    "index": "`queue->tail` is ",
    "given": "`op->name` is ",
    "element": "`team->members[1]->name` is ",
    "inlined": "`rows[i]->foot` in `extent` is ",
    "both": "`row->head` is ",
    "stride": "reads outside of its memory: `image->stride` is ",
    "reference": "`&right` is ",
    "at": "`this->tokens[1].text` is 0x0",
    "operand": "`b.data` in `dot` is 0x0",
    "kids": "`style` is 0x0",
    "return": '`label` is "/USR/LOCAL/SHARE"',
    "end": "`found` is 0x0",
    "captured": "`current` is 0x0",
    "found": "`it->second->foot` is 0x0",
    "empty": "`all->ops._M_impl._M_start` is 0x0",
    "freed": "`client` is ",
    "array": "`&client->name` is ",
    "argument": "`page->items[i].is.label` is ",
    "binding": "`style` is 0x0",
    "lost": '"board.cells[y][x] = 1;"',  # of which x is known, and right
    "printed": "passes `outs.to[i].file` as argument 2 of `fputs`",
    "called back": "`this` is 0x0, and `sum` in ",
    "shared": "`car.group._M_ptr` is 0x0",
}

_LLDB = {
    "table": "`shape` is ",  # which shows no table
    "reference": "`right` is ",
    "operand": "`b.data` is 0x0",
    "kids": "`root->kids[2]->style` in `layout` is ",
    "empty": "`all->ops` is ",
    "shared": "`car.group` is nullptr",
}


_ASKED = [
    (what, debugger)
    for what in _NAMED
    for debugger in ("gdb", "lldb")
    if debugger == "gdb" or what not in ("slot", "captured", "printed")
]  # lldb prints no function, which may be a macro, and does not tell a captured reference; of a
# library's function it has the one of several names that no caller writes


@pytest.mark.soak
@pytest.mark.parametrize(("what", "debugger"), part(_ASKED, every=3))
def test_what_failed_has_its_name(what: str, debugger: str, tmp_path: Path) -> None:
    if debugger == "lldb":
        needed(lldbs()[0])
    exe = build(_SOURCE, "-g", "-O2", "-std=c++17", lang="cpp")
    done = triage(crash(exe, what, "x"), exe, tmp_path, "--debugger", debugger)
    analysis = json.loads(done.stdout)["analysis"]
    claims = analysis["aiAnalysis"]["claims"]
    told = analysis["aiAnalysis"]["rootCause"] or analysis["summary"]["description"]
    named = _NAMED | _LLDB if debugger == "lldb" else _NAMED
    assert named[what] in told
    assert "spare" not in told  # null as well, and given to nobody
    assert not [claim["text"] for claim in claims if claim["status"] == "refuted"]


_ADDED = """#include <cstdlib>
struct Mark {
    long kind; union { char *text; long *list; } is;
    void take(const Mark &o) { kind = o.kind; is = o.is; }
};
template <class T> struct Pool {
    T *slots; unsigned long used;
    void push(const T &one) { slots[used].take(one); used++; }
};
int main() {
    static Mark mark;
    Pool<Mark> *pool = (Pool<Mark> *)calloc(1, sizeof *pool);
    pool->used = 3;
    pool->push(mark);
}
"""


def test_the_null_that_an_element_was_reckoned_from_is_named(tmp_path: Path) -> None:
    """What an inner function kept of it is a small number."""
    exe = build(_ADDED, "-g", "-O0", lang="cpp")
    analysis = json.loads(triage(crash(exe), exe, tmp_path).stdout)["analysis"]
    assert "`this->slots` in `Pool<Mark>::push` is 0x0" in analysis["summary"]["description"]


_FOUND = """#include <map>
#include <string>
struct Score { int value; };
__attribute__((noinline)) int points(const std::map<std::string, Score *> &all, std::string who) {
    auto it = all.find(who);
    return it->second->value;
}
int main() { return points({{"ann", nullptr}, {"bob", nullptr}}, "bob"); }
"""
_LENT = """
struct Style { width: u32 }
struct Shape<'a, T> { id: T, style: Option<&'a Style> }
impl<'a, T: Copy + Into<u64>> Shape<'a, T> {
    fn ink(&self) -> u64 { let st: &Style = unsafe { std::mem::transmute(self.style) }; \
st.width as u64 * self.id.into() }
}
fn main() { println!("{}", Shape { id: 3u32, style: None }.ink()); }
"""


@pytest.mark.parametrize(
    ("source", "lang", "level", "named"),
    [(_FOUND, "cpp", "-O1", "`it->second` is 0x0"), (_LENT, "rs", "", "`st` is 0x0")],
)
def test_a_line_is_read_as_the_function_that_it_is_of(
    source: str, lang: str, level: str, named: str, tmp_path: Path
) -> None:
    exe = build(source, "-g", *level.split(), lang=lang)
    analysis = json.loads(triage(crash(exe), exe, tmp_path).stdout)["analysis"]
    assert named in str(analysis["aiAnalysis"]["rootCause"])


_HIDDEN = """#include <stdlib.h>
#include <sys/mman.h>
struct peer { long id; struct peer *next; };
struct conn { long fd; struct peer *peer; };
__attribute__((noipa)) long sum(struct conn *c) { return c->peer->next->id; }
int main() {
    struct conn *c = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    c->fd = 3;
    c->peer = calloc(1, sizeof *c->peer);
    madvise(c, 4096, MADV_DONTDUMP);
    return sum(c);
}
"""


@pytest.mark.parametrize("debugger", ["gdb", "lldb"])
def test_memory_that_the_dump_has_not_is_no_zero(debugger: str, tmp_path: Path) -> None:
    exe = build(_HIDDEN, "-g", "-O2")
    done = triage(crash(exe, via="kernel"), exe, tmp_path, "--debugger", debugger)
    analysis = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert analysis["category"] == "null-pointer-dereference"
    assert "`c->peer` is" not in " ".join(claim["text"] for claim in analysis["claims"])


_RUST = """
struct Style { width: u32, dash: u32 }
struct Shape { kind: u8, points: Vec<(i32, i32)>, style: *const Style }
struct Layer { shapes: Vec<Shape> }
impl Layer {
    #[inline(never)]
    fn ink(&self) -> u64 {
        let mut sum = 0;
        for s in &self.shapes {
            let w = unsafe { (*s.style).width + (*s.style).dash } as u64;
            sum += w * s.points.len() as u64 * s.kind as u64;
        }
        sum
    }
}
struct Node { value: i64, next: *mut Node }
struct Ring { head: *mut Node, len: usize }
impl Ring {
    fn push(&mut self, value: i64) {
        let n = Box::into_raw(Box::new(Node { value, next: self.head }));
        if self.head.is_null() { unsafe { (*n).next = n; } }
        self.head = n;
        self.len += 1;
    }
    #[inline(never)]
    fn rotate(&mut self, by: usize) -> i64 {
        let mut cur = self.head;
        for _ in 0..by { cur = unsafe { (*cur).next }; }
        self.head = cur;
        unsafe { (*cur).value }
    }
}
fn main() {
    let mut ring = Ring { head: std::ptr::null_mut(), len: 0 };
    ring.push(1);
    let kept = ring.rotate(1);
    ring.push(kept + ring.len as i64);
    if let Some(by) = std::env::args().nth(1) {
        ring.head = std::ptr::null_mut();
        println!("{}", ring.rotate(by.len()));
    }
    let style = Style { width: 2, dash: std::env::args().count() as u32 };
    let of = |i: i32| if i == 2 { std::ptr::null() } else { &style as *const Style };
    let made = (0..5).map(|i| Shape { kind: i as u8, points: vec![(i, i); 3], style: of(i) });
    println!("{}", Layer { shapes: made.collect() }.ink());
}
"""


@pytest.mark.parametrize(
    ("given", "debugger", "named"),
    [
        ((), "gdb", "::ink` at `program.rs:10`: `s.style` is 0x0"),
        ((), "lldb", "::ink` at `program.rs:10`: "),
        (("four",), "gdb", "::rotate` at `range.rs:"),
        (("four",), "lldb", "::Ring::rotate`: `self.head` is NULL"),
    ],
)
def test_optimised_rust_is_told_by_its_own_function(
    given: tuple[str, ...], debugger: str, named: str, tmp_path: Path
) -> None:
    exe = build(_RUST, "-g", "-O", lang="rs")
    done = triage(crash(exe, *given), exe, tmp_path, "--debugger", debugger)
    analysis = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert analysis["category"] == "null-pointer-dereference"
    assert named in analysis["rootCause"]


_LEFT = """
#include <stdlib.h>
#include <string.h>
struct item { int count; const char *name; };
static int compare(const void *a, const void *b) {
    return strcmp(*(char **)a, *(char **)b); }  // compare
__attribute__((noipa)) size_t length(const struct item *item) {
    return strlen(item->name); }  // length
__attribute__((noipa)) void cut(char *to, const char *from, long size) {
    memcpy(to, from, size - 5); }  // cut
__attribute__((noipa)) void copy(char *to, const char *from, long size) {
    memcpy(to, from, size); }  // copy
__attribute__((noipa)) const char *find(const struct item *item) { return item->name; }
__attribute__((noipa)) void drop(struct item *item) {
    item->count--; free((void *)item->name); }  // drop
int main(int argc, char **argv) {
    static char to[64];
    struct item item = {argc, 0};
    char *words[] = {"b", "a", 0};
    switch (argv[1][0]) {
    case 'c': qsort(words, 3, sizeof *words, compare); break;
    case 'l': argc += length(&item); break;
    case 'u': cut(to, argv[1], argc + 1); break;
    case 'p': copy(0, argv[1], argc + 1); break;
    case 'd': item.name = (char *)&item; drop(&item); break;
    default: argc += strlen(find(&item)); }  // main
    return argc + to[0] + item.count; }
"""


@pytest.mark.parametrize(
    ("given", "flags", "function", "line"),
    [
        (
            "length",
            ("-g", "-O2"),
            "length",
            'the line reads "return strlen(item->name); }  // length"',
        ),
        ("length", ("-O2", "-static"), "length", ""),
        ("compare", ("-g", "-O2"), "compare", "// compare"),
        ("ut", ("-g", "-O2"), "cut", "// cut"),
        ("put", ("-g", "-O2", "-fno-plt"), "copy", "// copy"),
        ("drop", ("-O2",), "drop", ""),
        ("main", ("-g", "-O2"), "main", ""),
    ],
)
def test_a_function_that_left_by_a_jump_is_blamed(
    given: str, flags: tuple[str, ...], function: str, line: str, tmp_path: Path
) -> None:
    exe = build(_LEFT, *flags)
    done = triage(crash(exe, given), exe, tmp_path)
    analysis = json.loads(done.stdout)["analysis"]["aiAnalysis"]
    assert analysis["frame"]["function"] == function
    assert f"`{function}`" in analysis["rootCause"]
    assert line in analysis["rootCause"]
