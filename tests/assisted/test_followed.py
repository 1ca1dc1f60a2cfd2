"""Where values go on, in the forms that C, C++ and Rust are written in."""

import pytest

from tests.assisted.test_rivals import _code
from workbench.agents.assisted.against import _around_it
from workbench.agents.assisted.bounds import wholes
from workbench.agents.assisted.code import Code, is_to_come
from workbench.agents.assisted.followed import escapes
from workbench.agents.assisted.members import is_born_with
from workbench.agents.assisted.released import _releasing
from workbench.agents.assisted.returned import _returns_unseen
from workbench.agents.assisted.rivals import (
    _holds,
    is_lent,
    is_open,
    makes_unseen,
    may_release,
    may_set,
)
from workbench.agents.assisted.standing import _goes_along, _leads_on, ends
from workbench.claims.say import say
from workbench.model.facts import Frame
from workbench.model.investigation import Investigation

_C = """\
#define CLEAR(p) ((p) = 0)
#define PASTE(p) (p ## 1 = 0)
#define LOOK(p) ((p) == 0)
typedef struct conn conn_t;
typedef void (*conn_cb)(struct server *srv, conn_t *c, void *arg);
struct node { union { struct { conn_t **items; int n; } list; int one; } u; };
struct conn { char host[20]; struct in *in; char *name; conn_t *next; int count[4]; };
struct timer { conn_cb cb; conn_t *conn; };
static void on_ping(struct server *srv, conn_t *c, void *arg) { c->count[0] = 1; }
static void logmsg(int level, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
}
"""
_CPP = """\
struct Listener { virtual void changed(int line) = 0; };
struct Page : Listener { int id; In *in; void changed(int line) override { id = line; } };
struct Cache {
    Page *get(int id)
    {
        auto it = index_.find(id);
        if (it != index_.end()) {
            lru_.remove(it->second);
            return it->second;
        }
        Page *p = new Page(id);
        index_[id] = p;
        lru_.push_front(p);
        return p;
    }
    void evict()
    {
        Page *old = lru_.back();
        lru_.pop_back();
        index_.erase(old->id);
        delete old;
    }
    std::list<Page *> lru_;
    std::unordered_map<int, Page *> index_;
};
void subscribe(Listener *l) { listeners.push_back(l); }
std::vector<Listener *> listeners;
"""


@pytest.mark.parametrize(
    ("body", "away"),
    [
        ("struct timer t = { on_ping, c }; t.cb(srv, t.conn, 0);", False),
        ("struct timer t; t.cb = lib_ping; t.cb(srv, c, 0);", True),
        ("struct timer t; t.cb = on_ping; t.cb = lib_find(); t.cb(srv, c, 0);", True),
        ("struct timer t; t.cb = on_ping; lib_fill(&t); t.cb(srv, c, 0);", True),
        ("struct timer *t = lib_timers(); t->cb = on_ping; t->cb(srv, c, 0);", True),
        ("conn_t **pp = &c; while (*pp && *pp != c) pp = &(*pp)->next;", False),
        ("struct node *n = n0; n->u.list.items[0] = c;", False),
        ('logmsg(1, "%s", c->name);', False), ('logmsg(1, "%p", c);', False),
        ("lib_log(1, c);", True), ("TAILQ_INSERT_TAIL(&all, c, link);", True),
        ("struct timer t = { 0, c }; lib_start(&t);", True),
        ("CLEAR(c);", False), ("PASTE(c);", True), ("LOOK(c);", False),
    ],
)  # fmt: skip
def test_what_is_called_by_a_pointer_and_what_is_printed_keeps_its_type(
    body: str, away: bool
) -> None:
    code = _code(f"{_C}void run(struct server *srv, conn_t *c, struct node *n0)\n{{ {body} }}", "c")
    assert escapes(code, "conn") is away


@pytest.mark.parametrize(
    ("then", "away"), [("lib_keep(last);", True), ("conn_t *c = last; c->count[0] = 1;", False)]
)
def test_a_variable_of_a_file_is_one_for_all_functions(then: str, away: bool) -> None:
    files = f"static void *last;\nstatic void flush(void) {{ {then} }}\n"
    assert escapes(_code(f"{_C}{files}void run(conn_t *c)\n{{ last = c; }}", "c"), "conn") is away


_TIMERS = """\
struct job { void (*run)(void *arg, int at); void *arg; struct job *next; };
static void on_close(void *arg, int at) { struct conn *c = arg; c->count[0] = at; }
static void start(struct job *j) { j->run(j->arg, 1); }
static void put(struct job *j, void (*run)(void *, int), void *arg) { j->run = run; j->arg = arg; }
"""


@pytest.mark.parametrize(
    ("more", "away"),
    [
        ("put(j, on_close, c);", False), ("put(j, on_close, c); lib_wait(j);", True),
        ("put(j, on_close, c); put(j, on_close, name);", True),
        ("put(j, on_close, c); j->arg = lib_next();", True),
        ("put(j, on_close, c); lib_fill(&j->arg);", True),
        ("put(j, on_close, c); lib_keep(j->arg);", True),
        ("put(j, on_close, c); lib_later(on_close);", True),
        ("put(j, lib_close, c);", True), ("put(j, on_close, c); char *p = j->arg;", True),
    ],
)  # fmt: skip
def test_a_callbacks_argument_is_what_it_was_given(more: str, away: bool) -> None:
    text = more.replace("; ", ";\n")
    run = f"void run(struct job *j, conn_t *c, char *name)\n{{\n{text}\n}}"
    assert escapes(_code(_C + _TIMERS + run, "c"), "conn") is away


def test_what_prints_its_arguments_does_nothing_else() -> None:
    run = 'void run(conn_t *c) { logmsg(1, "%p", c); }'
    for also in "", "keep(ap);", "lib_log(&ap);", "box.list = ap;":
        text = _C.replace("vfprintf(stderr, fmt, ap);", f"vfprintf(stderr, fmt, ap); {also}")
        assert escapes(_code(text + run, "c"), "conn") is bool(also)


@pytest.mark.parametrize(
    ("body", "sets"),
    [
        ("strncpy(c->host, name, 28);", True), ("strncpy(c->host, name, sizeof(c->host));", False),
        ("strncpy(c->host, name, 20);", False), ("strcpy(c->host, name);", True),
        ("memset(&c->count, 0, 40);", True), ("memset(&c->count, 0, sizeof c->count);", False),
        ("c->count[i] = 0;", True), ("c->count[i & 3] = 0;", False), ("c->count[3] = 0;", False),
        ("if (i < 4) c->count[i] = 0;", False), ("c->count[4] = 0;", True),
        ("c->count[-1] = 0;", True), ("c->count[i % 64] = 0;", True), ("c->count[i]++;", True),
        ("c->count[i + (name[0] & 1)] = 0;", True), ("c->count[i % 4] = 0;", False),
        ("memcpy(&c->host[i], name, sizeof c->host);", True), ("wipe(c->count, i);", True),
        ("memset(c->host + 4, 0, sizeof c->host);", True), ("look(c->count, i);", False),
        ('sscanf(name, "%s", c->host);', True), ('sscanf(name, "%d", &i);', False),
        ('sscanf(name, "%d %19s", &i, c->host);', False), ('scanf("%*s %19[^,]", c->host);', False),
        ('sscanf(name, "%20s", c->host);', True), ('sscanf(name, "%19s%s", name, c->host);', True),
        ("int *p = c->count; p[i] = 0;", True), ("int *p = c->count; i = p[0];", False),
        ("for (i = 0; i < 4; i++) c->count[i] = 0;", False),
        ("for (i = 0; i < n; i++) c->count[i] = 0;", True),
        ("for (i = 0; i <= 4; i++) c->count[i] = 0;", True),
        ("while (*name && i < 4) c->count[i++] = 0;", False),
        ("while (*name || i < 4) c->count[i++] = 0;", True),
        ("do { c->count[i++] = 0; } while (i < 4);", True),
        ("while (i < 4) { i += 3; c->count[i] = 0; }", True),
        ("if (s < 4) c->count[s] = 0;", True), ("c->count[s % 4] = 0;", True),
        ("if (s >= 0 && s < 4) c->count[s] = 0;", False), ("c->count[1 + i % 4] = 0;", True),
        ("for (int k = 0; k < 4; k++) c->count[k] = 0;", False),
        ("for (int k = s; k < 4; k++) c->count[k] = 0;", True),
        ("if (i < c->count_used) c->count[i] = 0;", True), ("*(c->count + i) = 0;", True),
        ("strftime(c->host, i, name, NULL);", True), ("i = atoi(c->host);", False),
        ("fread(c->host, sizeof c->host, i, stdin);", True),
        ("fread(c->host, 1, sizeof c->host, stdin);", False),
        ('sprintf(c->host, "%s%zu", name, sizeof c->host);', True),
        ("struct iovec v = {c->host, 64};", True), ("int *to[] = {c->count};", True),
        ("int *p = c->count;p[i] = 0;", True), ("int *p = i ? c->count : 0; *p++ = 0;", True),
        ("}\nchar *host(conn_t *c)\n{ return c->host;", True),
        ("}\nconst char *host(conn_t *c)\n{ return c->host;", False),
        ("strcpy((char *)host(c), name);\n}\nconst char *host(conn_t *c)\n{ return c->host;", True),
        ("const char *host = c->host; strcpy((char *)host, name);", True),
        ("const char *host = c->host; i = host[0] + strlen(host);", False),
        ("put(c->count);", True),
    ],
)  # fmt: skip
def test_a_store_that_may_leave_its_array_writes_the_object(body: str, sets: bool) -> None:
    helpers = ("static void wipe(int *at, int n) { for (int i = 0; i < n; i++) at[i] = 0; }\n"
               "static int look(int *at, int n) { return at[0] + n; }\n")  # fmt: skip
    lines = body.replace("; ", ";\n")
    run = f"void run(conn_t *c, const char *name, unsigned i, int s)\n{{\n{lines}\n}}"
    assert may_set(_code(_C + helpers + run, "c"), "conn", "in") is sets


def test_a_text_brings_no_zeros_behind_its_array() -> None:
    run = "void run(conn_t *c, const char *name)\n{ strcpy(c->host, name); }"
    code = _code(_C + run, "c")
    assert [len([*wholes(code, "conn", zeros=zeros)]) for zeros in (False, True)] == [1, 0]


@pytest.mark.parametrize(
    ("more", "away"),
    [
        ("void add(Page *p) { subscribe(p); }", False),
        ("void add(Page *p) { lib_keep(p); }", True),
        ("void add(Listener *l) { lib_keep(l); }", True),
        ("void add(Listener *l) { Page *p = static_cast<Page *>(l); }", True),
        ("void add(Page *p) { bus.on([p](int n) { p->id = n; }); }", False),
        ("void add(Page *p) { bus.on([p] { lib_keep(p); }); }", True),
        ("void add(Page *p) { bus.on([&p] { step(); }); }", True),
        ("void add() { auto p = std::make_unique<Page>(1); }", False),
        ("Page *one(Cache &c) { if (Page *p = c.get(1)) return p; return nullptr; }", False),
        ("void add(Page *p) { if (Page *q = p) lib_keep(q); }", True),
        ("bool has(Cache &c, Page *p) { return std::find(c.lru_.begin(), c.lru_.end(), p) != e; }",
         False),
    ],
)  # fmt: skip
def test_an_object_is_what_its_class_derives_from(more: str, away: bool) -> None:
    assert escapes(_code(_CPP + more, "cpp"), "Page") is away


def test_containers_of_pointers_own_none_of_what_these_lead_to() -> None:
    code = _code(_CPP, "cpp")
    mine = next(one for one in code.of_kind("frees") if one.of("expression") == "old")
    assert not may_release(code, mine)
    assert [one.at for one in _releasing(code, mine)] == [mine.at]


def test_a_member_is_of_the_class_that_declares_it() -> None:
    classes = "struct Base { In *in; };\nstruct Ses : Base { int n; };\n"
    drop, start = "void drop(Base *b) { b->in = nullptr; }\n", "void start(Ses *s) { s->in = &a; }"
    code = _code(classes + drop + start, "cpp")
    assert [one.at for one in code.stores("Base", "in")] == [3, 4]


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        ("    TAILQ_FOREACH(c, &all, link) {\n        use(c);\n    }", True),
        ("    list_for_each(c, all)\n        use(c);", True),
        ("    FOREVER {\n        use(c);\n    }", True),
        ("    if (c)\n        end(c);\n    else {\n        use(c);\n    }", False),
        ("    step(c);\n    use(c);", False), ("    if (c) {\n        use(c);\n    }", False),
    ],
)  # fmt: skip
def test_what_stands_under_a_macro_may_run_again(body: str, loops: bool) -> None:
    code = _code(f"int main(void)\n{{\n{body}\n    end(c);\n}}", "c")
    (used,) = (one for one in code.calls("use"))
    assert code.loop(used, used.at) is loops


_RUST = """\
struct Mesh { scale: *const u64 }
struct Scene { nodes: Vec<Box<Mesh>> }
struct Camera { target: *mut Mesh }
impl Scene { fn cull(&mut self, id: usize) {
        self.nodes.remove(id);
} }
impl Camera { fn release(&mut self) {
        unsafe { drop(Box::from_raw(self.target)) };
} }
"""


def test_owners_of_rust_release_what_they_own() -> None:
    found = {one.at: may_release(_rust(), one) for one in _rust().of_kind("frees")
             if one.of("expression") in ("self.nodes", "self.target")}  # fmt: skip
    assert found == {5: False, 8: True}


def _rust(more: str = "") -> Code:
    return _code(_RUST + more, "rust")


@pytest.mark.parametrize(
    ("more", "lent"),
    [
        ("fn run(c: &Camera) { show(c.target); }", False),
        ("fn run(c: &mut Camera) { let slot = &mut c.target; fill(slot); }", True),
        ("fn run(c: &mut Camera) { mem::take(&mut c.other); }", True),
        ("fn run(c: &mut Camera) { fill(&mut c.target.x); }", False),
        ("fn run(c: &mut Camera) { let Camera { target, .. } = c; *target = other; }", True),
        ("fn run(c: &mut Camera) { match c { Camera { target: at, .. } => keep(at) } }", True),
        ('extern "C" { fn lib_wipe(c: *mut Camera); }', True),
        ("fn run(c: &Camera) { keep(Camera { target: c.target }); }", False),
        ("impl Wipe for Option<u8> { fn wipe(&mut self) { *self = None; } }", True),
        ("fn run(n: &mut usize) { *n = 4; }", False),
        ("fn run(c: &mut Camera) {\n let Camera {\n target, ..\n } = c;\n target.take();\n}", True),
        ("fn run() {\n let mut spare = made();\n spare.take();\n}", False),
        ("macro_rules! wipe {\n ($c:expr, $($f:ident),*) => { $( $c.$f = None; )* };\n}", True),
        ("macro_rules! say {\n ($c:expr) => { println!(\"{}\", $c) };\n}", False),
    ],
)  # fmt: skip
def test_a_member_of_rust_that_a_reference_may_change(more: str, lent: bool) -> None:
    assert is_lent(_rust(more), "target") is lent


@pytest.mark.parametrize(
    ("method", "lent"),
    [
        ("as_mut()", False),
        ("insert(at)", False),
        ("take_if(|_| true)", True),
        ("take()", False),
        ("clone_from(&spare.target)", True),
    ],
)
def test_what_may_make_an_option_none(method: str, lent: bool) -> None:
    code = _rust(f"fn run(c: &mut Camera) {{ keep(c.target.{method}); }}")
    assert is_lent(code, "target", option=True) is lent
    stores = [one.of("expression") for one in code.stores(None, "target") if one.function == "run"]
    assert stores == (["None"] if method == "take()" else [])


@pytest.mark.parametrize(
    ("body", "may"),
    [
        ("let s = Some(4);\n C { s }", False), ("let mut s = Some(4);\n C { s }", True),
        ("let s = Some(4);\n let s = x;\n C { s }", True), ("let s;\n s = x;\n C { s }", True),
        ("let s = Some(4);\n match x {\n Some(s) =>\n C { s }\n}", True),
        ("let s = Some(4);\n x.map(|s| C { s })", True),
    ],
)  # fmt: skip
def test_a_variable_of_rust_that_is_not_none(body: str, may: bool) -> None:
    text = "struct C { s: Option<u32> }\nfn a(x: Option<Option<u32>>) -> C {\n"
    code = _code(f"{text}{body}\n}}", "rust")
    code.null = True
    (*_, store) = code.stores("C", "s")
    assert code.may_be(store, store.of("expression")) is may


@pytest.mark.parametrize(
    ("head", "unseen"), [("#[derive(Default)]", True), ("#[derive(Clone)]", False)]
)
def test_objects_of_rust_that_no_literal_makes(head: str, unseen: bool) -> None:
    assert makes_unseen(_rust(f"{head}\nstruct Lens {{ hood: Option<u8> }}")) is unseen


@pytest.mark.parametrize(
    ("call", "given"), [("drop(s, 0);", ["0"]), ("drop(s, 0); set(&force);", ["0"])]
)
def test_a_parameter_that_is_handed_out_by_its_address_has_any_value(
    call: str, given: list[str]
) -> None:
    inside = "set(&force); " if "set" in call else ""
    code = _code(f"static void drop(struct ses *s, int force)\n{{ {inside}free(s); }}\n"
                 f"int main(void)\n{{ {call} }}", "c")  # fmt: skip
    assert code.given("drop", "force") == ([] if inside else given)


def test_parts_of_one_call_run_in_any_order() -> None:
    printed = '    printf("%d %d",\n           hits(v),\n           flush(c));\n'
    code = _code(f"int main(void)\n{{\n{printed}    done(c);\n}}", "c")
    code.frames = [Frame(index=0, address=0, function="main", line=4)]
    assert [is_to_come(code, *code.calls(name)) for name in ("flush", "done")] == [False, True]


@pytest.mark.parametrize(
    ("type_", "values", "holds"),
    [
        ("unsigned", {-1}, False), ("size_t", {-1, 3}, False), ("int", {-1}, True),
        ("uint8_t", {256}, False), ("char", {255}, False), ("const char", {-1, 127}, True),
    ],
)  # fmt: skip
def test_a_number_is_another_one_in_a_type_that_has_none_such(
    type_: str, values: set[int], holds: bool
) -> None:
    code = _code(f"void trim(struct pool *p, {type_} keep)\n{{\n    free(p);\n}}", "c")
    (line,) = code.of_kind("frees")
    assert _holds(code, line, "keep", values) is holds


_BLOCKS = """\
int main()
{
    {
        Ses s(1);
        use(s);
    }
    look();
}
"""


@pytest.mark.parametrize(("at", "stands"), [(5, True), (7, False), (3, False)])
def test_a_destructor_runs_at_the_end_of_its_block(at: int, stands: bool) -> None:
    for text in _BLOCKS, _BLOCKS.replace("use(s);", 'use(s, "{ ");'):
        code = _code(text, "cpp")
        (made,) = code.of_kind("declares", "main")
        assert is_open(made, [at]) is stands


def test_a_block_goes_on_below_a_listing_that_stops_in_it() -> None:
    code = _code(_BLOCKS[: _BLOCKS.index("    }\n    look")], "cpp")
    assert is_open(code.of_kind("declares", "main")[0], [5])


@pytest.mark.parametrize(
    ("body", "born"),
    [
        ("s->in = &pool; return s;", True), ("if (n) s->in = &pool; return s;", False),
        ("s->in = find(n); return s;", False), ("if (n) return s; s->in = &pool; return s;", False),
        ("struct in *i = find(n); if (!i) return 0; s->in = i; return s;", True),
    ],
)  # fmt: skip
def test_what_is_made_begins_with_a_member(body: str, born: bool) -> None:
    parts = "".join(f"    {part};\n" for part in body.split(";")[:-1])
    text = "struct in { int len; };\nstruct ses { struct in *in; int n; };\n"
    text += "static struct ses *start(int n)\n{\n    struct ses *s = calloc(1, sizeof *s);\n"
    code = _code(f"{text}{parts}}}", "c")
    code.null = True
    assert is_born_with(code, "ses", "in") is born


def test_two_listings_of_a_function_have_its_parameters_once() -> None:
    text = _code(_C, "c").texts[0]
    part = text._replace(lines=text.lines[:-1])
    found = Code(Investigation(), [text, part]).declared("logmsg", 3)
    assert not found  # it has two, and further ones without a name


@pytest.mark.parametrize(
    ("shown", "freed", "other"),
    [
        ("&c->in", "c->in", True), ("c->in", "c->in", False), ("&c->in", "c", False),
        ("&c->in", "c->name", False),
    ],
)  # fmt: skip
def test_a_members_address_lies_in_the_block_around_it(shown: str, freed: str, other: bool) -> None:
    links = [say("value", function="run", expression=shown, value=0x5000),
             say("frees", function="drop", expression=freed, at=9)]  # fmt: skip
    assert bool([*_around_it(links)]) is other


@pytest.mark.parametrize("first", ["conn", "ops"])
@pytest.mark.parametrize(("fill", "away"), [("lib_fill(o);", True), ("o->used = own;", False)])
def test_structs_that_lead_to_each_other_are_asked_in_any_order(
    first: str, fill: str, away: bool
) -> None:
    code = _code("struct conn { struct ops *ops; int n; };\n"
                 "struct ops { void (*used)(struct conn *c); struct conn *last; };\n"
                 "static void own(struct conn *c) { c->n = 1; }\n"
                 "void run(struct conn *c, struct ops *o)\n{ o->used = own; c->ops = o; "
                 f"o->last = c; {fill} o->used(c); }}", "c")  # fmt: skip
    other = {"conn": "ops", "ops": "conn"}[first]
    assert [escapes(code, one) for one in (first, other, first)] == [away] * 3


def test_many_structs_that_lead_to_each_other_are_each_looked_at_once() -> None:
    """By every way through them it would take longer than anybody waits."""
    text = "".join(
        f"struct s{at} {{ int id; {' '.join(f'struct s{to} *p{to};' for to in range(at))} }};\n"
        for at in range(40)
    )
    code = _code(f"{text}static void drop(struct s0 *p) {{ free(p); }}", "c")
    (free,) = code.of_kind("frees")
    assert not may_release(code, free)


def test_a_long_line_of_source_is_read_at_once() -> None:
    long = f"    f(){' ' * 200_000};"
    assert not _code(f"int main(void)\n{{\n{long}\n}}", "c").jumps_far
    assert is_lent(_code("let " * 50_000, "rust"), "target")


@pytest.mark.parametrize(
    ("calls", "given"),
    [
        ("put(b, 1);", ["1"]), ("put(b, 1);\nput(b, 0);", ["1", "0"]),
        ("if (n) put(b, 1); else put(b, 0);", []), ("put(b, n++);", ["n++"]),
    ],
)  # fmt: skip
def test_two_calls_on_a_line_give_what_is_not_known(calls: str, given: list[str]) -> None:
    text = (
        f"static void put(struct blob *b, int hard)\n{{ if (hard)\nfree(b); }}\n{_MAIN}{calls} }}"
    )
    code = _code(text, "c")
    assert code.given("put", "hard") == given
    assert code.runs_once(code.of_kind("frees")[0]) is (len(given) == 1)


_MAIN = "int main(void)\n{ struct blob *b = 0; int n = 0;\n"


@pytest.mark.parametrize(
    ("taken", "given"), [("int &value", []), ("const int &value", ["0"]), ("int value", ["0"])]
)
def test_a_parameter_that_is_handed_on_by_reference_may_change(
    taken: str, given: list[str]
) -> None:
    text = (f"static void at_least({taken}, int least)\n{{ }}\n"
            "static void settle(int level)\n{ at_least(level, 2); }\n"
            "int main()\n{ settle(0); }")  # fmt: skip
    assert _code(text, "cpp").given("settle", "level") == given


def test_a_list_is_unlinked_by_a_pointer_to_a_pointer() -> None:
    text = ("struct track { char *title; struct track *next; };\n"
            "void drop(struct track **at, const char *title)\n{\n"
            "while (*at && strcmp((*at)->title, title) != 0)\nat = &(*at)->next;\n}\n")  # fmt: skip
    assert not escapes(_code(text, "c"), "track")
    assert escapes(_code(text.replace("strcmp((*at)->title", "lib(*at"), "c"), "track")


def test_a_store_through_a_member_sets_what_it_leads_to() -> None:
    code = _code("struct job { int *result; };\nvoid run(struct job *j, int *to)\n"
                 "{\nj->result = to;\n*j->result = 2;\n}", "c")  # fmt: skip
    assert [line.at for line in code.stores("job", "result")] == [4]


@pytest.mark.parametrize(
    ("more", "released"),
    [
        ("", {"drop": "t", "end": "c->peer"}),
        ("void (*hook)(void *) = give;", {"drop": "t", "end": "c->peer", "give": "p"}),
    ],
)
def test_a_call_of_what_releases_its_argument_is_a_release(
    more: str, released: dict[str, str]
) -> None:
    text = ("struct track { int n; }; struct conn { struct track *peer; };\n"
            f"static void give(void *p)\n{{\nif (p)\nfree(p);\n}}\n{more}\n"
            "void drop(struct track *t)\n{\ngive(t);\n}\n"
            "void end(struct conn *c)\n{\ngive(c->peer);\n}\n")  # fmt: skip
    code = _code(text, "c")
    (mine,) = code.of_kind("frees", "drop")
    assert {one.function: one.of("expression") for one in _releasing(code, mine)} == released


@pytest.mark.parametrize(
    ("body", "is_one"),
    [
        ("free(p);", True), ("if (p)\nfree(p);", True), ("if (!p)\nreturn;\nfree(p);", True),
        ("if (!keep)\nfree(p);", False), ("if (--refs == 0)\nfree(p);", False),
        ("p = swap_in(p);\nfree(p);", False), ("while (keep--)\nfree(p);", False),
    ],
)  # fmt: skip
def test_what_releases_at_times_is_no_release(body: str, is_one: bool) -> None:
    text = f"static void give(void *p, int keep)\n{{\n{body}\n}}\n{_GIVES}"
    code = _code(text, "c")
    assert bool(code.of_kind("frees", "drop")) is is_one
    other = "static void give(void *p, struct lock *l)\n{\nl->n = 0;\n}\n"
    texts = [*code.texts, _code(other, "c").texts[0]._replace(file="lock.c")]
    assert not Code(Investigation(), texts).of_kind("frees", "drop")


_GIVES = "void drop(struct track *t)\n{\ngive(t, 1);\n}\n"


def test_a_wrapper_that_is_called_by_another_name_releases_itself() -> None:
    text = (
        "namespace mem { void drop(void *p)\n{\nstd::free(p);\n} }\n"
        "void end(Track *t)\n{\nmem::drop(t);\n}\nvoid cut(Track *t)\n{\ndelete t;\n}\n"
    )
    code = _code(text, "cpp")
    (mine,) = code.of_kind("frees", "cut")
    assert "mem::drop" in {one.function for one in _releasing(code, mine)}


@pytest.mark.parametrize(
    ("target", "expression", "along"),
    [
        ("t", "t->next", True), ("t", "task_next(t)", True), ("t", "NEXT(t)", True),
        ("at", "&(*at)->next", True), ("i", "next[i]", True),
        ("at", "(at + 1) & table->mask", False),
        ("n", "n / 2", False), ("at", "(at + step) % table->size", False),
    ],
)  # fmt: skip
def test_a_loop_goes_along_data(target: str, expression: str, along: bool) -> None:
    assert _leads_on(target, expression.replace(" ", "")) is along


@pytest.mark.parametrize(
    ("body", "reaches"),
    [
        ("static void one(struct shape *s) { long *at = &s->x; *at = 0; }", False),
        ("static void up(struct shape *s) { long *at = &s->x; at[1] = 0; }", True),
        ("static void up(struct shape *s) { long *at = &s->x; *at++ = 0; }", True),
        ("static void zero(long *at, int n) { for (; n--; at++) *at = 0; }\n"
         "static void up(struct shape *s) { zero(&s->x, 2); }", True),
        ("static void zero(long *at, int n) { while (n--) at[n] = 0; }\n"
         "static void up(struct shape *s) { zero(&s->points[1], 2); }", True),
        ("static void set(long *at) { *at = 0; }\n"
         "static void one(struct shape *s) { set(&s->x); }", False),
    ],
)  # fmt: skip
def test_what_steps_from_a_members_address_reaches_its_neighbours(body: str, reaches: bool) -> None:
    head = "struct shape { long points[2]; long x; struct style *style; };\n"
    assert any(wholes(_code(head + body, "c"), "shape", "style")) is reaches


@pytest.mark.parametrize(
    ("expression", "function", "called"),
    [
        ("find(s, 1)", "find", True),
        ("ops->find(s, 1)", "find", False),  # what the member leads to
        ("page->get(1)", "Page::get", False),  # an object of Sheet may be behind it
        ("desk->get(1)", "Desk::get", True),
        ("get(1)", "Desk::get", False),
    ],
)
def test_whose_function_a_call_is_of(expression: str, function: str, called: bool) -> None:
    code = _code(
        "struct Ops { int (*find)(Ops *, int); };\n"
        "struct Page { virtual int get(int at) { return at; } };\n"
        "struct Sheet : Page { int get(int at) override { return 0; } };\n"
        "struct Desk { int get(int at) { return 1; } };\n"
        "static int find(Ops *s, int at) { return at; }\n"
        "static int run(Ops *ops, Page *page, Desk *desk, Ops *s)\n{\n"
        f"    int got = {expression};\n    return got;\n}}\n",
        "cpp",
    )
    line = next(one for one in code.of_kind("assigns") if one.of("target") == "got")
    assert code.is_call(line, line.of("expression"), function) is called


@pytest.mark.parametrize(
    ("given", "along"),
    [
        ("n - 1", False), ("next", True), ("f->inner", True), ("f", False), ("list[n]", True),
        ("filled", True), ("chosen", True), ("cursor", True), ("half", False),
    ],
)  # fmt: skip
def test_a_recursion_over_data_goes_along_it(given: str, along: bool) -> None:
    code = _code(
        "static int walk(struct folder *f, struct folder **list, int n)\n{\n"
        "    struct folder *next = f->next;\n    int filled, half = n / 2;\n"
        "    next_of(&filled);\n    int chosen = 0;\n    if (list[n])\n        chosen = n;\n"
        f"    return walk({given}, list, n);\n}}\n",
        "c",
    )
    assert _goes_along(code, code.calls("walk")[0]) is along


@pytest.mark.parametrize(
    ("made", "born"),
    [
        ("Link(int id) : id_(id) { open(); }", True),
        ("Link(int id) : id_(id) { if (id) open(); }", False),
        ("Link(int id) : id_(id) { socket_ = new Socket(); }", True),
        ("Link(int id) : id_(id) { open(); }\n  Link() {}", False),  # the other leaves it
        ("Link(int id) : id_(id) { open(); }\n  Link() : id_(1) { this->open(); }", True),
        ("Link(int id) : id_(id) { try_open(); }", False),
        ("", False),
    ],
)
def test_what_a_constructor_calls_sets_a_member(made: str, born: bool) -> None:
    code = _code(
        f"class Link {{\n public:\n  {made}\n"
        "  void open() { socket_ = new Socket(); }\n"
        "  void try_open() { if (id_ > 3) socket_ = new Socket(); }\n"
        " private:\n  int id_;\n  Socket *socket_ = nullptr;\n};\n",
        "cpp",
    )
    code.null = True
    assert is_born_with(code, "Link", "socket_") is born


@pytest.mark.parametrize(
    ("head", "body", "finite"),
    [
        ("for (int i = 0; i < 16; i++)", "s += a[i];", True),
        ("for (int i = 16; i > 0; i--)", "s += a[i];", True),
        ("for (int i = 0; i < 16;)", "s += a[i];", False),
        ("for (int i = 0; i < 16; i--)", "s += a[i];", False),
        ("for (int i = 0; i < n; i++)", "s += a[i];", False),
        ("for (int i = 0; i < 16; i++)", "i = a[i];", False),
        ("for (int i = 0; i < 16; i++)", "next(&i);", False),
        ("while (s < 16)", "s++;", False),  # perhaps not each time round
    ],
)
def test_a_loop_that_counts_to_a_constant_ends(head: str, body: str, finite: bool) -> None:
    text = f"static int sum(int *a, int n)\n{{\n    int s = 0;\n    {head}\n        {body}\n"
    code = _code(f"{text}    return s;\n}}\n", "c")
    (loop,) = code.of_kind("loops")
    assert ends(code, loop, int(loop.row.values["to"])) is finite


def test_each_member_of_one_declaration_begins_with_its_own_value() -> None:
    code = _code("struct Gate {\n    int open = 0, most = 4, *left{nullptr}, last;\n};\n", "cpp")
    begun = {one.of("target"): one.of("expression") for one in code.of_kind("assigns")}
    assert begun == {"open": "0", "most": "4", "left": "{nullptr}"}
    names = [one.of("name") for one in code.of_kind("declares")]
    assert names == ["open", "most", "left", "last"]


@pytest.mark.parametrize(
    ("body", "unseen"),
    [
        ("let at = self.index[id]?;", True),
        ("let at = id + 1;", False),
        ('let at = "is it?";', False),
    ],
)
def test_an_operator_of_rust_may_return(body: str, unseen: bool) -> None:
    text = f"fn find(&self, id: usize) -> Option<u32> {{\n    {body}\n    return None;\n}}\n"
    (line,) = _code(text, "rust").of_kind("returns")
    assert _returns_unseen(line) is unseen


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ("static struct entry *current;", "current"),
        ("static struct entry *current;", "::current"),
        ("namespace state {\nstatic struct entry *current;\n}", "state::current"),
        ("namespace state { static struct entry *current; }\nusing namespace state;", "current"),
    ],
)
def test_a_variable_of_a_namespace_is_one_by_each_name(declared: str, named: str) -> None:
    code = _code(f"{declared}\nstatic void drop()\n{{\n    {named} = nullptr;\n}}\n", "cpp")
    (line,) = code.of_kind("assigns")
    assert code.cell_of(line, line.of("target")) == ("(file)", "current")


def test_a_long_word_behind_a_constructors_name_takes_no_time() -> None:
    text = "class Link {\n  Link(int id) { open(); }\n};\n// Link() " + "a" * 60 + ";\n"
    assert not is_born_with(_code(text, "cpp"), "Link", "socket_")  # else 2 ** 60 ways
