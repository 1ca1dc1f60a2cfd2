"""Who else may have written, and under what a line runs, as the listed source has it."""

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from workbench.agents.assisted.bounds import wholes
from workbench.agents.assisted.code import Code, is_call, is_to_come
from workbench.agents.assisted.dump import Dump
from workbench.agents.assisted.followed import is_taken
from workbench.agents.assisted.left import _is_address, may_jump, may_release_such
from workbench.agents.assisted.marks import beside, fixed_of, makers
from workbench.agents.assisted.members import set_behind
from workbench.agents.assisted.neighbours import brings_nothing, fits
from workbench.agents.assisted.proof import _set_again
from workbench.agents.assisted.released import _lasts, _releasing
from workbench.agents.assisted.returned import _set_by_another
from workbench.agents.assisted.rivals import (
    _holds,
    first_values,
    is_followed,
    leading,
    may_fill,
    may_release,
    may_set,
)
from workbench.agents.assisted.rooms import begins_again, was_then
from workbench.agents.assisted.standing import _is_given_back, is_its_own
from workbench.claims.say import say
from workbench.claims.source import SourceText
from workbench.claims.source.held import guards
from workbench.model.facts import Frame
from workbench.model.investigation import Investigation

_C = """\
struct ring { int *cells; int n; int room; struct peer *peer; int fd; };
static void push(struct ring *r, int v)
{
    if (r->n < r->room && r->fd != 3)
        r->cells[r->n++] = v;
    else
        r->fd = 0;
}
static void bulk(struct ring *r, const int *src, int k)
{
    int *out = r->cells + r->n;
    for (int i = 0; i < k; i++)
        out[i] = src[i];
}
static struct peer **slot(struct ring *r) { return &r->peer; }
"""
_CALLED = """\
#define DROP(s) ((s)->in = 0)
#define PASTE(s) (s ## 1 = 0)
struct in { int len; };
struct ses { struct in *in; int *cells; void (*close)(struct ses *); struct two *two; };
static void reset(struct ses *s, int error)
{
    if (error)
        s->in = 0;
    if (!s->in)
        s->in = 0;
}
static void start(struct ses *s) { s->in = &pool; s->cells[0] = 1; }
static void begin(struct ses *s, int error) { reset(s, error); }
"""
_CPP = """\
struct In { int len; };
struct Ses { In *in; };
static void prune(In *&it, int n) { if (n) it = nullptr; }
static int look(In *it) { return it->len; }
static int read(Ses &s, In *spare)
{
    In *it = s.in;
    prune(it, 5);
    std::swap(spare, s.in);
    return look(s.in);
}
"""


def _code(text: str, language: str) -> Code:
    lines = tuple((at, at, line) for at, line in enumerate(text.split("\n"), 1))
    return Code(Investigation(), [SourceText(language, f"a.{language}", lines)])


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        (5, [("r->fd", "!=", "3"), ("r->n", "<", "r->room")]), (7, []), (11, []),
        (13, [("i", "<", "k")]), (23, [("error", "!=", "0")]), (25, [("s->in", "==", "0")]),
    ],
)  # fmt: skip
def test_a_line_runs_where_what_guards_it_holds(line: int, asked: list[tuple[str, ...]]) -> None:
    assert list(guards(_code(_C + _CALLED, "c").texts[0], line)) == asked


@pytest.mark.parametrize(
    ("before", "inside", "guarded"),
    [
        ("goto in;", "in:", False), ("goto out;", "in: if (n) goto in;", True),
        ("goto *table[n];", "in:", False), ("switch (n) { case 0:", "case 4:", False),
        ("", "switch (k) { case 4:", True), ("", "", True),
    ],
)  # fmt: skip
def test_a_jump_goes_past_a_condition(before: str, inside: str, guarded: bool) -> None:
    ends = "}" * (before + inside).count("{")
    text = f"void f(struct s *s, int n, int k)\n{{\n {before}\n if (s->mode == 3) {{\n {inside}\n"
    text += f" s->in = 0;\n }}{ends}\nout:\n n = 0;\n}}"
    asked = [("s->mode", "==", "3")] if guarded else []
    assert list(guards(_code(text, "c").texts[0], 6)) == asked


@pytest.mark.parametrize(
    ("body", "undone"),
    [
        ("begin(s, 1);\n start(s);", True),
        ("begin(s, 1);\n s->in = &pool;", True),
        ("start(s);\n begin(s, 1);", False),
        ("begin(s, 1);\n start(other);", False),
        ("begin(s, 1);\n start(s);\n begin(s, 1);", False),
    ],
)
def test_what_was_cleared_is_set_by_a_call_that_follows(body: str, undone: bool) -> None:
    code = _code(f"{_CALLED}void run(struct ses *s, struct ses *other)\n{{\n {body}\n}}", "c")
    setting = [one for one in code.stores("ses", "in") if one.of("expression") == "&pool"]
    assert is_followed(code, "reset", setting) is undone


@pytest.mark.parametrize(
    ("call", "may"),
    [
        ("DROP(s)", False), ("PASTE(s)", True), ("lib_expire(&s->in)", True),
        ("lib_put((struct other *)s)", True),
        ("s->close(s)", True), ("start(s)", False), ("free(s)", False), ("log(s->cells)", False),
        ('printf("%p", s)', False),
    ],
)  # fmt: skip
def test_what_is_not_listed_may_do_anything_with_what_it_is_given(call: str, may: bool) -> None:
    code = _code(f"{_CALLED}void run(struct ses *s) {{ {call}; }}", "c")
    assert may_set(code, "ses", "in") is may


@pytest.mark.parametrize(
    ("body", "fills"),
    [
        ("struct pair *p = (struct pair *)(s->cells + 1); p->a = 5;", True),
        ("lib_fill(s->cells + 1, 5);", True), ("FILL(s, 5);", True), ("printf(s->cells);", False),
        ("s->cur = s->cells + 1;", False), ("s->cur = s->cells + 1; *s->cur = 5;", True),
        ("s->cur = s->cells + 1; s->cur[2] = 5;", True), ("lib_fill(s->cur = s->cells, 5);", True),
        ("s->cur = s->cells + 1; int *at = s->cur; *at = 5;", True),
        ("struct view v = { s->cells + 1, 3 };", True),
        ("return s->cells + 1;", True), ("int *to = s->cells; return to;", True),
        ("int first = s->cells[0]; return first;", False), ("*(s->cells + 1) = 5;", True),
        ("1[s->cells] = 5;", True), ("int *to = s->cells; int first = to[1];", False),
        ("int *to = s->cells; *to++ = 5;", True),
    ],
)  # fmt: skip
def test_an_array_is_filled_by_members_and_by_what_is_not_followed(body: str, fills: bool) -> None:
    code = _code(f"{_CALLED}void run(struct ses *s) {{ {body} }}", "c")
    (store,) = (one for one in code.of_kind("assigns") if one.of("target") == "s->cells[0]")
    assert may_fill(code, store, ("ses", "cells")) is fills


@pytest.mark.parametrize(
    ("body", "sets"),
    [
        ("*(void **)((char *)s + 8) = 0;", True), ("return (char *)s;", True),
        ("unsigned char *p = (unsigned char *)s; p[0] = 0;", True), ("links_drop(s);", True),
        ("s->two->one = *s;", True), ("int first = *(int *)s;", False),
        ("struct ses *t = s;", False), ("struct ses t = *s;", False),
        ('__asm__("movq $0, %0" : "=m"(s->in));', True), ("struct ses *t = pool_get();", True),
        ("struct ses *t = malloc(8);", False), ("struct ses *t = (struct ses *)malloc(8);", False),
        ("void *any = lookup(); s = any;", True),
        ("odd struct ses *t = calloc(1, 8); s = t;", True),
        ("struct ses *all[] = { s };", False), ("struct two t = { *s };", False),
        ("struct ses *all[] = { s }; lib_put(all);", True),
        ("void *all[] = { s }; lib_put(all);", True),
        ("struct link *all[] = { (struct link *)s };", True),
        ("struct box all[2] = {{ s, 1 }, { s, 2 }};", False),
        ("struct box all[2] = {{ s, 1 }}; lib_put(all);", True),
        ("struct bag all[2] = {{ 1, s }};", True), ("struct bag one = { 1, { s } };", True),
        ("struct ses *t; t = 1 ? s : 0;", False), ("return s;", True),
    ],
)  # fmt: skip
def test_a_struct_is_written_as_another_type_and_as_a_whole(body: str, sets: bool) -> None:
    code = _code(f"{_CALLED}struct link {{ void *to; }}; struct two {{ struct ses one; }};\n"
                 "struct box { struct ses *held; int n; };\n"
                 "struct bag { int n; struct link *to; };\n"
                 "static void links_drop(void *head) { struct link *l = head; l->to = 0; }\n"
                 f"void *run(struct ses *s)\n{{ {body} }}", "c")  # fmt: skip
    assert may_set(code, "ses", "in") is sets


@pytest.mark.parametrize(
    ("other", "may"),
    [
        ("struct obj *o", True), ("void *o", True), ("char *o", True), ("struct peer *o", True),
        ("struct in *o", False), ("long *o", False),
        ("int n)\n{ char *o = malloc(n); use(*o);\n", False),
        ("int n)\n{ char *o = malloc(n); keep(o);\n", True),
        ("struct text *t)\n{ free(t->own); long *o = 0;\n", False),
        ("struct text *t)\n{ free(t->kept); long *o = 0;\n", True),
    ],
)  # fmt: skip
def test_another_line_may_release_a_block_whose_type_may_be_its(other: str, may: bool) -> None:
    code = _code(f"{_CALLED}struct obj {{ int refs; }}; struct peer {{ struct obj o; }};\n"
                 "struct conn { struct peer *peer; }; struct text { char *own, *kept; };\n"
                 "char *dup(int n)\n{ char *c = malloc(n); return c; }\n"
                 "void own(struct text *t, char *c) { t->own = dup(8); t->kept = c; }\n"
                 "void shut(struct conn *c) { free(c->peer); }\n"
                 f"void drop({other}{' ' if '{' in other else ') {'} free(o); }}", "c")  # fmt: skip
    mine, *_ = code.of_kind("frees")
    found = {one.function for one in _releasing(code, mine)}
    assert found == ({"shut", "drop"} if may else {"shut"})


@pytest.mark.parametrize(
    ("given", "behind"), [("&pool", ["last"]), ("make()", []), ("other->to", [])]
)
def test_a_parameter_is_what_every_call_gives(given: str, behind: list[str]) -> None:
    code = _code("struct in { int len; };\nstruct ses { struct in *to; void *last; };\n"
                 "static void take(struct ses *s, struct in *to) { s->to = to;\n s->last = s; }\n"
                 f"void run(struct ses *s, struct ses *other)\n{{ take(s, {given}); }}",
                 "c")  # fmt: skip
    code.null = True
    assert [*set_behind(code, "ses", "to")] == behind


@pytest.mark.parametrize(
    ("expression", "whole"),
    [
        ("find(&t,id(3))", True), ("t->find(3)", True), ("after(find(3))", False),
        ("find(3)?a:b(2)", False), ("find(3)+b(2)", False), ("refind(3)", False),
    ],
)  # fmt: skip
def test_a_call_hands_its_result_on_where_nothing_is_around_it(
    expression: str, whole: bool
) -> None:
    assert is_call(expression, "find") is whole


@pytest.mark.parametrize(
    ("expression", "array"),
    [
        ("r->cells+r->n", "r->cells"), ("(char*)r->cells", "r->cells"), ("&a[n]", "a"),
        ("v.data()", "v"), ("a[n]", ""), ("&a[n%16]", ""),
    ],
)  # fmt: skip
def test_a_pointer_may_lead_into_an_array(expression: str, array: str) -> None:
    assert leading(expression) == array


def test_a_pointer_that_was_set_into_an_array_fills_it() -> None:
    code = _code(_C, "c")
    (push,) = (
        one for one in code.of_kind("assigns", "push") if one.at == 5 and "[" in one.of("target")
    )
    assert may_fill(code, push, ("ring", "cells"))
    assert may_set(code, "ring", "peer")


@pytest.mark.parametrize(
    ("body", "sets"),
    [
        ("In *&slot = s.to; slot = nullptr;", True), ("auto &[to, n] = s; to = nullptr;", True),
        ("for (auto m : {&Ses::to}) s.*m = nullptr;", True),
        ("auto it = s.to; it->len = 0;", False), ("Ses t(s);", False),
        ("auto leave = [&]() -> Ses & { return s; };", True),
        ("In *it = s.to; it->len = 0;", False), ("const Ses &one = s; int n = one.to->len;", False),
    ],
)  # fmt: skip
def test_a_reference_is_another_name_of_a_member(body: str, sets: bool) -> None:
    types = "struct In { int len; };\nstruct Ses { In *to; int n; };\n"
    code = _code(f"{types}void run(Ses &s)\n{{ {body} }}", "cpp")
    assert may_set(code, "Ses", "to") is sets


def test_a_reference_hands_a_variable_out() -> None:
    code = _code(_CPP, "cpp")
    assert is_taken(code, ("read", "it"))
    assert is_taken(code, ("Ses", "in"))
    assert not is_taken(code, ("look", "it"))


@pytest.mark.parametrize(
    ("body", "handed"),
    [
        ("struct item **at = &it; *at = (*at)->next;", True), ("NEXT(it);", True),
        ("keep(it); use(&other); it->v = 1;", False),
    ],
)  # fmt: skip
def test_a_variable_that_others_may_set(body: str, handed: bool) -> None:
    source = "static void keep(struct item *it) { it->n++; }\n"
    source += f"static int run(void)\n{{ struct item *it = find(); {body} return it->v; }}"
    assert is_taken(_code(source, "c"), ("run", "it")) is handed


@pytest.mark.parametrize(
    ("body", "again"),
    [
        ("", False), ("; e = all->first", True), (", e = all->first", True),
        ("; struct item *last = all->first", False), ("; last = find(all); reset()", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "scope",
    [
        "static struct item *last; static struct item *spare; void reset() { last = spare; }",
        "struct all { void reset() { last = s; } struct item *s = 0, *last = 0; int run(); };",
    ],
)
def test_a_variable_is_set_again_by_who_shares_it(scope: str, body: str, again: bool) -> None:
    """A line may have several assignments, and others may set what no function declares itself."""
    own, of = "last" if "last = f" in body else "e", "all::" if scope[:6] == "struct" else ""
    source = f"{scope}\nint {of}run() {{\n struct item *e = find(all){body};\n"
    code = _code(f"{source} return {own}->v;\n}}", "cpp")
    code.null, code.frames = True, [Frame(index=0, address=0, function=f"{of}run", line=4)]
    link = say("assigns", function=f"{of}run", target=own, expression="find(all)")
    assert (_set_again(code, link) or _set_by_another(code, link)) is again


def test_a_nested_function_sets_the_variables_around_it() -> None:
    source = (
        "int run(void)\n{\n struct item *e = find();\n void fix(void) { NAME = 0; }\n fix();\n}"
    )
    for name, taken in (("e", True), ("errno", False)):
        assert is_taken(_code(source.replace("NAME", name), "c"), ("run", "e")) is taken


@pytest.mark.parametrize(
    ("freed", "more", "lasts"),
    [
        ("b", "", True), ("last", "", False), ("b->data", "", True),
        ("b->data", "void g(struct buf *b) { b->data = 0; }", True),
        ("b->data", "void g(struct buf *b, char *s) { b->data = s; }", False),
        ("b->data", "void g(struct buf *b, struct buf *c) { *b = *c; }", False),
        ("b->rows[n]", "", False), ("b->next->data", "", False),
    ],
)  # fmt: skip
def test_what_a_path_led_to_may_be_another_block_now(freed: str, more: str, lasts: bool) -> None:
    source = (
        "struct buf { char *data; struct buf *next; char *rows[4]; };\nstatic struct buf *last;\n"
    )
    source += "struct buf *made(void)\n{ struct buf *b = malloc(sizeof *b); b->data = malloc(8);\n"
    source += " return b; }\n"
    source += f"void drop(struct buf *b, int n)\n{{ free({freed}); }}\n{more}\n"
    code = _code(source, "c")
    assert _lasts(code, code.of_kind("frees", "drop")[0]) is lasts


def test_what_a_function_sets_again_is_not_what_its_call_gave() -> None:
    lines = "void f(struct in *a, struct in *b)\n{\n a = b;\n a->len = 0;\n}\n"
    code = _code(_CALLED + lines + "int main(void)\n{\n f(one, two);\n}", "c")
    ports: Any = SimpleNamespace(state=Investigation())
    dump = Dump(ports, [], code, None)
    dump.frames = [Frame(index=0, address=0, function="main", line=22)]
    assert [place.given for place in dump.calls("f")] == [(("b", "two"),)]


@pytest.mark.parametrize(("of", "sets"), [("union", True), ("struct", False)])
def test_a_union_has_one_place_for_all_its_members(of: str, sets: bool) -> None:
    code = _code(f"struct ses {{ {of} {{ struct in *in; void *raw; }}; int n; }};", "c")
    assert may_set(code, "ses", "in") is sets


def test_control_may_come_back_to_a_line_that_calls_setjmp() -> None:
    lines = "void f(void) { n = 0; }\nint main(void)\n{\n if (SET(back)) use();\n f();\n}"
    for name, comes in (("setjmp", False), ("other", True)):
        code = _code(lines.replace("SET", name), "c")
        code.frames = [Frame(index=0, address=0, function="main", line=4)]
        assert is_to_come(code, code.of_kind("assigns", "f")[0]) is comes


@pytest.mark.parametrize(
    ("kept", "outlives"),
    [("c.peer = &mut *b;", True), ("c.peer = b.as_mut_ptr();", True),
     ("c.peer = Box::into_raw(b);", False), ("let n = &mut *b;", False)],
)  # fmt: skip
def test_the_memory_of_a_variable_of_rust_ends_with_it(kept: str, outlives: bool) -> None:
    code = _code(
        f"fn used(c: &mut Conn) {{ let mut b = Box::new(Peer {{ n: 0 }}); {kept} }}\n"
        "struct Peer { n: i32 }\nstruct Conn { peer: *mut Peer }\n"
        "fn shut(c: &mut Conn) { unsafe { drop(Box::from_raw(c.peer)); } }", "rust"
    )  # fmt: skip
    free = next(one for one in code.of_kind("frees", "shut") if one.of("expression") == "c.peer")
    assert may_release(code, free) is outlives


@pytest.mark.parametrize(
    ("method", "body", "moves"),
    [
        ("", "", False),
        ("const std::vector<Node> &all() const { return nodes_; }", "", False),
        ("const std::vector<Node> &all() const { return nodes_; }",
         "const_cast<std::vector<Node> &>(g.all()).resize(9);", True),
        ("std::vector<Node> *all() { return &nodes_; }", "g.all()->resize(9);", True),
        ("void more() { auto &list = nodes_; list.resize(9); }", "", True),
        ("void take(std::vector<Node> &&from) { nodes_ = std::move(from); }", "", True),
        ("", "Graph other; g = std::move(other);", True),
        ("", "{ Graph other; keep(other.at(0)); }", True),
        ("", "auto other = std::make_unique<Graph>(); other.reset();", True),
        ("", "std::vector<Graph> all(2); all.pop_back();", True),
        ("using Graphs = std::deque<Graph>;", "Graph::Graphs all; all.clear();", True),
        ("", "{ auto other = g; keep(other.at(0)); }", True),
    ],
)  # fmt: skip
def test_an_array_s_elements_move_by_more_than_what_is_called_on_it(
    method: str, body: str, moves: bool
) -> None:
    code = _code(
        f"struct Node {{ int id; }};\nclass Graph {{\npublic:\n{method}\n"
        "void add(Node one) { nodes_.push_back(one); }\nNode *at(int n) { return &nodes_[n]; }\n"
        "std::vector<Node> nodes_;\n};\nvoid keep(Node *one) { kept->id = one->id; }\n"
        f"int main()\n{{\nGraph g;\n{body}\nreturn kept->id;\n}}\n", "cpp"
    )  # fmt: skip
    code.frames = [Frame(index=0, address=0, function="main", line=13)]
    mine = next(one for one in code.of_kind("frees") if one.of("callee") == "nodes_.push_back")
    assert may_release(code, mine) is moves


@pytest.mark.parametrize(
    ("more", "then"),
    [
        ("", True),
        ("void grow(struct ring *r) { r->room = 16; }", False),
        ("struct ring *other(void) { struct ring *r = malloc(sizeof *r); r->room = 4; return r; }",
         True),
    ],
)  # fmt: skip
def test_a_bound_that_another_line_has_set_since_is_not_what_it_was(more: str, then: bool) -> None:
    code = _code(
        "struct ring { int room; int cells[8]; };\n"
        "struct ring *made(void) { struct ring *r = malloc(sizeof *r); r->room = 8; return r; }\n"
        "void fill(struct ring *r)\n{ for (int i = 0; i < r->room; i++) r->cells[i] = i; }\n"
        f"{more}\n", "c"
    )  # fmt: skip
    store = next(one for one in code.of_kind("assigns", "fill") if "[" in one.of("target"))
    ports: Any = SimpleNamespace(state=Investigation())
    assert was_then(Dump(ports, [], code, None), store, "r->room") is then


_ONCE = """\
static void set(struct conn *c, int fd) { c->fd = fd; }
static void shut(struct conn *c) { free(c->peer); }
int main(void)
{
    set(c, 1);
again:
    use(c);
    shut(c);
    if (more(c))
        goto again;
    set(c, 2);
}
"""


def test_a_jump_back_repeats_what_lies_between() -> None:
    code = _code(_ONCE, "c")
    (free,) = code.of_kind("frees")
    (first, *_, last) = code.calls("set")
    assert code.loop(code.calls("shut")[0], 7)
    assert not code.runs_once(free)
    assert not code.runs_once(code.of_kind("assigns", "set")[0])  # called twice
    assert code.runs_once(first)
    assert code.runs_once(last)


_COPIES = """\
static void label(struct rec *r, const char *s)
{
    r->len = (int)strlen(s);
    memcpy(r->name, s, r->len);
}
static void mark(struct rec *r, const char *s) { memcpy(r->name, s, r->room); }
static void note(struct rec *r, const char *s) { strcpy(r->name, s); }
static void more(struct rec *r, const char *s) { strcat(r->name, s); }
static void gain(struct rec *r, const char *s, int k)
{
    r->name[k] = r->name[k] * k;
    r->name[k] = s[k] * k;
}
int main(void) { label(r, "abc"); mark(r, "abc"); note(r, "abc"); more(r, "abc"); }
"""


@pytest.mark.parametrize(
    ("function", "room", "short"),
    [("label", 8, True), ("label", 3, False), ("mark", 8, False), ("note", 8, True),
     ("more", 8, False)],
)  # fmt: skip
def test_a_text_of_the_source_fits_where_no_more_of_it_is_copied(
    function: str, room: int, short: bool
) -> None:
    code = _code(_COPIES, "c")
    (into,) = (one for one in code.of_kind("calls", function) if one.of("expression") == "r->name")
    assert fits(code, into, room) is short


def test_a_change_in_place_brings_nothing_there() -> None:
    code = _code(_COPIES, "c")
    own, other = (one for one in code.of_kind("assigns", "gain"))
    cell = (None, "name")
    assert brings_nothing(code, own, cell)
    assert not brings_nothing(code, other, cell)


@pytest.mark.parametrize(
    ("body", "back"),
    [
        ("lock(&s->l);\n n++;\n unlock(&s->l);", [True]),
        ("if (n)\n return;\n lock(&s->l);\n if (n > 2)\n return;\n unlock(&s->l);", [True]),
        ("if (n) {\n lock(&s->l);\n n++;\n }\n work();\n if (n)\n unlock(&s->l);", [False]),
        ("lock(&s->l);\n n++;", [False]),
        ("lock(&s->l);\n n++;\n unlock(&s->other);", [False]),
    ],
)
def test_a_lock_that_is_given_back_where_its_lines_end(body: str, back: list[bool]) -> None:
    body = re.sub(r"(un)?lock\(", r"pthread_mutex_\1lock(", body)
    code = _code(f"void run(struct s *s, int n)\n{{\n {body}\n}}", "c")
    assert [_is_given_back(code, one) for one in code.of_kind("under_lock")] == back


@pytest.mark.parametrize(
    ("behind", "most"),
    [
        ("r->at++;\n if (r->at > ROOM)\n r->at = 0;", "ROOM"),
        ("r->at++;\n if (r->at >= ROOM)\n r->at = 0;", "ROOM-1"),
        ("r->at++;\n if (r->at == r->room) {\n r->at = 0;\n }", "r->room-1"),
        ("r->at++;\n if (r->at > ROOM && r->on)\n r->at = 0;", ""),
        ("r->at++;\n if (r->at > ROOM)\n r->at = 1;", ""),
        ("r->at += 2;\n if (r->at > ROOM)\n r->at = 0;", ""),
        ("if (v)\n r->at++;\n if (r->at > ROOM)\n r->at = 0;", ""),
        ("r->at++;\n if (r->on > ROOM)\n r->at = 0;", ""),
        ("r->at++;\n take(&r->at);\n if (r->at > ROOM)\n r->at = 0;", ""),
        ("r->at++;\n if (r->at > ROOM)\n r->at = 0;\n}\nvoid set(struct r *r)\n{\n r->at = 9;", ""),
    ],
)
def test_what_a_counter_gets_to_that_begins_again(behind: str, most: str) -> None:
    code = _code("struct r { unsigned at; int on, room; int of[9]; };\n"
                 "void put(struct r *r, int v)\n{\n r->of[r->at] = v;\n"
                 f" {behind}\n}}", "c")  # fmt: skip
    store = next(one for one in code.of_kind("assigns") if one.of("expression") == "v")
    assert begins_again(cast(Dump, SimpleNamespace(code=code)), "r->at", store) == most


@pytest.mark.parametrize(
    ("rest", "first"),
    [
        ("Limits *make() { return new Limits; }", ["3"]),
        ("Limits make() { return {7}; }", []), ("void f() { Limits l{7}; }", []),
        ("void f() { g({7}); }", []), ("Limits make() { return {}; }", ["3"]),
    ],
)  # fmt: skip
def test_what_each_object_of_a_class_begins_with(rest: str, first: list[str]) -> None:
    code = _code(f"struct Limits {{\n    int most = 3;\n}};\n{rest}", "cpp")
    assert [one.of("expression") for one in first_values(code, "Limits", "most")] == first


_MAKERS = """\
struct in *made(int n)
{
    struct in *i = malloc(n);
    i->len = n;
    return i;
}
struct in *sized(void)
{
    struct in *i = malloc(N);
    int n = sizeof i->len;
    return i;
}
struct in *asked(int n)
{
    struct in *i = malloc(n);
    if (i)
        i->len = n;
    return i;
}
struct in *found(struct in *all)
{
    struct in *i = find(all);
    if (i->len)
        return NULL;
    return i;
}
struct in *lent(struct in *all)
{
    struct in *i = find(all);
    i->len = 0;
    drop(&i);
    return i;
}
struct in *held(struct in *all)
{
    all->len = 0;
    return all;
}
"""


@pytest.mark.parametrize(
    ("made", "may"),
    [
        ("find(all, n)", True), ("&table[2].in", False), ("&all->first", True), ("&pool", False),
        ("calloc(1, sizeof *pool)", False), ("n ? find(all, n) : calloc(1, sizeof *pool)", True),
        ("&table[n] < table + 4 ? &table[n] : NULL", True), ("take(calloc(1, 8))", True),
        ("'\\0'", True), ("'\\x00'", True), ("'0'", False), ("made(8)", False), ("sized()", True),
        ("asked(8)", True), ("found(all)", True), ("lent(all)", True), ("held(all)", False),
        ("other(made(8))", True),
    ],
)  # fmt: skip
def test_what_may_be_null(made: str, may: bool) -> None:
    source = "static struct in pool, table[4];\nvoid run(struct ses *s, struct in *all, int n)\n"
    code = _code(f"{_CALLED}{_MAKERS}{source}{{\n s->in = {made};\n}}", "c")
    code.null = True
    line = next(one for one in code.stores("ses", "in") if one.function == "run")
    assert code.may_be(line, line.of("expression")) is may


@pytest.mark.parametrize(
    ("head", "named"),
    [
        ("static void probe(void)", False), ("void probe(void)", True),
        ("__attribute__((constructor)) static void probe(void)", True),
    ],
)  # fmt: skip
def test_a_function_runs_that_nothing_names(head: str, named: bool) -> None:
    assert _code(f"{head} {{ }}\nint main(void) {{ }}", "c").is_named("probe") is named


def test_a_function_of_the_program_never_returns() -> None:
    code = _code(
        "void die(int n) {\n log(n);\n exit(n);\n}\nvoid say(int n) { if (n) exit(n); }", "c"
    )
    assert code.known.ends == {"die"}


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("for (unsigned i = n; i >= 0; i--) log(i);", True),
        ("int lo = 0, hi = 9; while (lo < hi) { int m = (lo + hi) / 2; lo = m; }", True),
        ("while (n > 0) n -= 0;", True), ("int now = 0; while (now < n) now += 0;", False),
        ("int step = size_of(s); int at = 0; while (at < 9) at += step;", False),
        ("int at = 0; while (s->cells[at]) at = (at + 1) % 8;", False),
        ("int step = 1, at = 0; size_of(&step); while (at < 9) at += step;", False),
    ],
)  # fmt: skip
def test_a_loop_is_wrong_by_itself(body: str, own: bool) -> None:
    code = _code(f"{_CALLED}void run(struct ses *s, int n)\n{{\n {body}\n}}", "c")
    loop = next(one for one in code.of_kind("loops") if one.function == "run")
    assert is_its_own(code, loop, int(loop.row.values["to"])) is own


@pytest.mark.parametrize(
    ("sets", "inside"),
    [
        ("r->at = 0;\n r->at = (r->at + 1) % 8;", True), ("r->at = (r->at + 1) % 8;", False),
        ("r->at = 0;\n r->at = (r->at + 1) % 9;", False), ("r->at = 0;\n r->at++;", False),
        ("r->at = 0;\n r->at = (n + 1) % 8;", False),
    ],
)  # fmt: skip
def test_an_index_goes_round(sets: str, inside: bool) -> None:
    head = (
        "struct ring { int cells[8]; int at; struct in *in; };\nvoid run(struct ring *r, int n)\n"
    )
    code = _code(f"{_CALLED}{head}{{\n r->cells[r->at] = 1;\n {sets}\n}}", "c")
    assert bool(list(wholes(code, "ring", "in"))) is not inside


@pytest.mark.parametrize(
    ("member", "value", "fixed"),
    [
        ("int state", "3", 3), ("int shown : 1", "1", None), ("bool shown", "2", 1),
        ("int state", "CLOSED", "CLOSED"), ("int state", "n", None), ("bool shown", "false", 0),
        ("volatile bool shown", "2", 1),
    ],
)  # fmt: skip
def test_what_a_member_keeps_of_a_constant(
    member: str, value: str, fixed: int | str | None
) -> None:
    name = member.partition(" :")[0].split()[-1]
    code = _code(f"struct box {{\n {member};\n}};\nvoid f(struct box *b, int n)\n"
                 f"{{\n b->{name} = {value};\n}}", "c")  # fmt: skip
    store = code.stores("box", name)[0]
    assert fixed_of(code, store) == fixed
    kept = _holds(code, store, f"b->{name}", {7})
    assert kept is (" : " not in member)


@pytest.mark.parametrize(
    ("made", "new"),
    [
        ("calloc(1, sizeof *b)", True), ("pool;\n if (!b)\n b = calloc(1, sizeof *b)", False),
        ("pool ? pool : calloc(1, sizeof *b)", False),
        ("NULL, *old = pool;\n if (old)\n return old;\n b = calloc(1, sizeof *b)", False),
    ],
)  # fmt: skip
def test_what_comes_from_a_pool_is_not_new(made: str, new: bool) -> None:
    code = _code("struct box { int n; };\nstatic struct box *pool;\nstruct box *box_new(void)\n"
                 f"{{\n struct box *b = {made};\n return b;\n}}", "c")  # fmt: skip
    assert bool(makers(code, "box")) is new


@pytest.mark.parametrize(
    ("between", "together"),
    [("", True), ("free(b->x);", True), ("changed(b);", False), ("b = b->next;", False)],
)
def test_two_members_are_set_together(between: str, together: bool) -> None:
    head = "struct box { int n, m; char *x; struct box *next; };\nvoid f(struct box *b)\n"
    code = _code(f"{head}{{\n b->n = 0;\n {between}\n b->m = 1;\n}}", "c")
    assert bool([name for name, _ in beside(code, code.stores("box", "n")[0])]) is together


def test_what_may_be_compiled_instead_counts() -> None:
    code = _code(
        "struct box { int n, m; };\nvoid f(struct box *b)\n{\n#ifdef FAST\n b->n = 1;\n"
        "#elif SLOW\n b->n = 2;\n#else\n b->n = 3;\n#endif\n b->m = 4;\n}\n"
        "#ifdef HEAP\n#define drop(b) free(b)\n#else\n"
        "void drop(struct box *b) { b->n = 5; }\n#endif",
        "c",
    )
    assert {one.at for one in code.stores("box", "n")} >= {7, 9, 16}
    assert {one.at for one in code.stores("box", "m")} == {11}


@pytest.mark.parametrize(
    ("line", "unread"),
    [
        ('#include "table.inc"', ("table.inc",)), ('#include "table.h"', ()),
        ("void tick(void);\nvoid run(void) { tick(); }", ("tick",)),
        ("static void tick(void);\nvoid run(void) { tick(); }\nvoid tick(void) {}", ()),
        ("b->\\\n n = 1;", ("a.c:1",)), ("#define A \\\n 1", ()),
    ],
)  # fmt: skip
def test_what_is_not_read_is_told(line: str, unread: tuple[str, ...]) -> None:
    assert _code(line, "c").unread() == unread


@pytest.mark.parametrize(
    ("body", "is_one"),
    [
        ("t->token = strdup(text);", True), ("t->token = NULL;", True),
        ("char *made = copy(text);\n t->token = made;", True), ("t->token = text;", False),
        ("char *made;\n if (*text)\n made = copy(text);\n t->token = made;", False),
        ("t->token = *(char **)copy(text);", False), ("t->token = t->name;", False),
        ("t->token = copy(text) + 4;", False), ("t->token = kept(text);", False),
    ],
)  # fmt: skip
def test_what_is_the_address_of_something(body: str, is_one: bool) -> None:
    head = (
        "struct tok { char *token; char *name; };\nstatic char *kept(char *text) { return text; }\n"
    )
    head += "static char *copy(const char *text)\n{\n char *made = malloc(9);\n return made;\n}\n"
    code = _code(f"{head}void set(struct tok *t, char *text)\n{{\n {body}\n}}", "c")
    (store,) = code.stores("tok", "token")
    assert _is_address(code, store, store.of("expression")) is is_one


@pytest.mark.parametrize(
    ("declared", "may"),
    [
        ("struct tok *p", True), ("void *p", True), ("char *p", False), ("struct other *p", False),
        ("struct box *p", True),
    ],
)  # fmt: skip
def test_what_may_release_an_object(declared: str, may: bool) -> None:
    code = _code("struct tok { char *token; };\nstruct box { struct tok first; };\nstruct other "
                 f"{{ int n; }};\nvoid drop({declared})\n{{\n free(p);\n}}", "c")  # fmt: skip
    (line,) = code.of_kind("frees")
    assert may_release_such(code, line, "tok") is may


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ('"localhost"', False),
        ('"a name of seventeen"', True),
        ("name", True),
        ('"ein Name übrig"', False),
        ('"ääääääää"', True),
    ],  # of bytes, and not of letters
)
def test_a_text_of_the_source_that_fits_leaves_nothing(text: str, over: bool) -> None:
    code = _code("struct tok { char host[16]; char *token; };\nvoid set(struct tok *t, char *name)"
                 f"\n{{\n strcpy(t->host, {text});\n}}", "c")  # fmt: skip
    assert bool(list(wholes(code, "tok", "token"))) is over


_SCREEN = """\
struct Widget {
  explicit Widget(int n) : n_(n) {}
  virtual ~Widget() {}
  int n() const { return n_; }
  int n_;
};
struct Label : public Widget { explicit Label(int width) : Widget(width) {} };
struct Screen {
  void add(std::unique_ptr<Widget> widget)
  {
    ADD
  }
  void close(int n)
  {
    for (auto at = widgets_.begin(); at != widgets_.end(); ++at)
      if ((*at)->n() == n) {
        widgets_.erase(at);
        return;
      }
  }
  std::vector<std::unique_ptr<Widget>> widgets_;
};
void show(Screen &screen) { SHOW }
"""


@pytest.mark.parametrize(
    ("add", "show", "released"),
    [
        ("widgets_.push_back(std::move(widget));", "", False),
        ("if (open)\n widgets_.push_back(std::move(widget));", "", True),
        ("if (!open)\n return;\n widgets_.push_back(std::move(widget));", "", True),
        ("keep(widget.get());", "", True),
        ("widgets_.emplace(id, std::move(widget));", "", True),  # a map may have that key
        ("widgets_.push_back(std::move(widget));", "auto one = std::make_unique<Label>(3);", True),
        ("widgets_.push_back(std::move(widget));", "auto it = std::move(screen.widgets_);", True),
        ("widgets_.push_back(std::move(widget));", "std::unique_ptr<Label> one;", True),
    ],
)  # fmt: skip
def test_who_else_owns_what_a_container_releases(add: str, show: str, released: bool) -> None:
    code = _code(_SCREEN.replace("ADD", add).replace("SHOW", show), "cpp")
    line = next(one for one in code.of_kind("frees") if "erase" in one.of("callee"))
    assert may_release(code, line) is released


@pytest.mark.parametrize(
    ("body", "jumps"),
    [
        ("for (int i = 0; i < n; i++) all->cells[i] = 1;", False), ("all->cells[3] = n;", False),
        ("all->cells[all->used++] = n;", False), ("all->cells[n % 8] = n;", False),
        ("all->cells[n] = 1;", True), ("for (int i = 0; i < 9; i += 3) all->cells[i] = 1;", True),
        ("int at = other();\n  all->cells[at] = 1;", True), ("*(all->cells + n) = 1;", True),
        ("memcpy(&all->cells[n], all, 8);", True), ("strcpy(all->text + n, word);", True),
        ("int i = 0;\n  next(&i);\n  all->cells[i] = 1;", True),
        ("((long *)all)[-3] = 1;", True), ("memset(all->text - 20, n, 20);", True),
        ("long *at = all->cells;\n  at--;\n  *at = n;", True),
    ],
)  # fmt: skip
def test_a_store_that_leaves_what_is_between_as_it_was(body: str, jumps: bool) -> None:
    source = ("struct all { long cells[8]; int used; char text[8]; };\n"
              f"void put(struct all *all, int n, const char *word)\n{{\n  {body}\n}}\n"
              "void begin(struct all *all)\n{\n  all->used = 0;\n}")  # fmt: skip
    assert may_jump(_code(source, "c")) is jumps
