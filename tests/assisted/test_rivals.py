"""Who else may have released or overwritten something, by the listed source alone."""

import pytest

from workbench.agents.assisted.code import Code, Line
from workbench.agents.assisted.rivals import (
    is_handed_out,
    may_fill,
    may_overwrite,
    may_release,
    may_set,
)
from workbench.claims.source import SourceText
from workbench.model.investigation import Investigation

HEAD = """\
struct obj { int refs; };
struct peer { struct obj base; long *stats; };
struct conn { struct peer *peer; int fd; };
static void quit(struct conn *c) { free(c->peer); }
"""
CLEARS = """\
struct in { int len; };
struct ses { struct in *in; int open; };
static void reset(struct ses *s) { s->in = NULL; }
"""


def listed(head: str, body: str, language: str = "c") -> Code:
    lines = tuple((at, at, line) for at, line in enumerate((head + body).splitlines(), 1))
    return Code(Investigation(), [SourceText(language, f"a.{language}", lines)])


def first(code: Code, kind: str) -> Line:
    return code.of_kind(kind, "quit" if kind == "frees" else "reset")[0]


@pytest.mark.parametrize(
    ("body", "may"),
    [
        ("", False),
        ("void shut(struct conn *c) { drop(c->peer); }", True),
        ("void shut(struct conn *c) { c->ops.destroy(c->peer); }", True),
        ("void unref(struct obj *o) { if (!--o->refs) free(o); }\n"
         "void shut(struct conn *c) { unref(&c->peer->base); }", True),
        ("void last(struct peer *p) { free(p); }\nvoid pass(struct peer *p) { last(p); }\n"
         "void shut(struct conn *c) { pass(c->peer); }", True),
        ("long sum(struct peer *p) { return *p->stats; }\n"
         "void show(struct conn *c) { sum(c->peer); }", False),
        ("void show(struct conn *c) { printf(\"%p\", c->peer); log_fd(c->fd); }", False),
        ("void make(struct conn *c) { c->peer = calloc(1, sizeof *c->peer); }", False),
    ],
)  # fmt: skip
def test_who_is_given_it_may_release_it(body: str, may: bool) -> None:
    code = listed(HEAD, body)
    assert may_release(code, first(code, "frees")) is may


@pytest.mark.parametrize(
    ("member", "may"),
    [("std::unique_ptr<peer> spare;", True), ("std::vector<peer> all;", True),
     ("std::vector<peer *> seen;", False), ("std::list<peer>::iterator at;", False)],
)  # fmt: skip
def test_what_owns_such_objects_may_release_one(member: str, may: bool) -> None:
    body = f"struct peer {{ long n; }};\nstruct conn {{ peer *last; {member} }};\n"
    code = listed(body, "static void quit(conn *c) { delete c->last; }\n", "cpp")
    assert may_release(code, first(code, "frees")) is may


@pytest.mark.parametrize(
    ("member", "may"), [("all: Vec<Box<Peer>>", True), ("seen: Vec<*mut Peer>", False)]
)
def test_what_owns_such_objects_in_rust(member: str, may: bool) -> None:
    body = f"struct Peer {{ n: u8 }}\nstruct Conn {{ peer: *mut Peer, {member} }}\n"
    code = listed(body, "fn quit(c: &mut Conn) { let _ = Box::from_raw(c.peer); }\n", "rust")
    assert may_release(code, first(code, "frees")) is may


@pytest.mark.parametrize(
    ("other", "may"),
    [("all.push_back(one);", False), ("return all.size();", False), ("all.remove_if(old);", True),
     ("auto gone = std::move(all);", True)],
)  # fmt: skip
def test_a_container_is_no_rival_of_its_own_release(other: str, may: bool) -> None:
    body = "struct peer { long n; };\nstruct conn {\n  std::list<peer> all;\n"
    body += f"  int x() {{ {other} }}\n"
    code = listed(body, "  void quit() { all.pop_back(); }\n};\n", "cpp")
    assert may_release(code, first(code, "frees")) is may


@pytest.mark.parametrize(
    ("body", "may"),
    [
        ("", False),
        ("void resume(struct ses *s, void *image) { memcpy(s, image, sizeof *s); }", True),
        ("void load(struct ses *s, int fd) { read(fd, s, sizeof *s); }", True),
        ("void park(struct ses *s, struct ses *to) { *s = *to; }", True),
        ("struct all { struct ses *of; };\n"
         "void wipe(struct all *a, int n) { memset(a->of, 0, n * sizeof *a->of); }", True),
        ("void init(struct ses *s, struct in *in) {\n memset(s, 0, sizeof *s);\n s->in = in;\n}",
         False),
        ("void name(struct ses *s, char *t) { strcpy(t, \"x\"); s->open = 1; }", False),
    ],
)  # fmt: skip
def test_who_writes_a_whole_object_may_clear_its_members(body: str, may: bool) -> None:
    code = listed(CLEARS, body)
    assert may_overwrite(code, first(code, "assigns"), "ses") is may


@pytest.mark.parametrize(
    ("body", "may"),
    [
        ("", False),
        ("void shut(struct ses *s) { memset(&s->in, 0, sizeof s->in); }", True),
        ("void load(struct ses *s, void *image) { memcpy(s, image, sizeof *s); }", True),
        ("void show(struct ses *s) { print(s->in, &s->open); }", False),
    ],
)  # fmt: skip
def test_who_may_set_a_member_without_naming_it_in_a_store(body: str, may: bool) -> None:
    assert may_set(listed(CLEARS, body), "ses", "in") is may


def test_a_variable_whose_address_is_given_away() -> None:
    code = listed("", "int use(int id) { struct in *it = get(id); prune(&it); return it->len; }")
    assert is_handed_out(code, "use", "it")
    assert not is_handed_out(code, "use", "id")


@pytest.mark.parametrize(
    ("body", "may"),
    [
        ("", False),
        ("void add(struct rec *r, char *t) { char *to = r->name; while (*t) *to++ = *t++; }", True),
        ("void put(char *to, char c) { to[9] = c; }\n"
         "void add(struct rec *r) { put(r->name, 'a'); }", True),
        ("void end(char *to) { *to = 0; }\nvoid on(char *at) { end(at); }\n"
         "void add(struct rec *r) { on(&r->name[0]); }", True),
        ("int sum(char *of) { int n = 0; n += *of; return n; }\n"
         "void show(struct rec *r) { sum(r->name); }", False),
        ("void other(struct rec *r, char c) { char *to = r->note; *to = c; }", False),
    ],
)  # fmt: skip
def test_who_writes_through_what_it_has_of_an_array(body: str, may: bool) -> None:
    head = "struct rec { char name[8]; char *note; };\n"
    code = listed(head, f"void reset(struct rec *r, char c) {{ r->name[0] = c; }}\n{body}\n")
    assert may_fill(code, first(code, "assigns"), "r->name") is may
