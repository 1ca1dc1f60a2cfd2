"""A line that could have done it is no origin while another one could have as well."""

import re
from typing import Any, NamedTuple

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted, statement
from tests.crashes import build, crash
from workbench.agents.assisted.against import not_run
from workbench.agents.assisted.code import Code
from workbench.agents.assisted.elsewhere import elsewhere
from workbench.agents.model_choice import unproved
from workbench.claims.source import SourceText
from workbench.llm.port import Question
from workbench.model.category import Category
from workbench.model.claims import Arg, Claim
from workbench.model.investigation import Investigation
from workbench.model.limits import Limits

NULL = """\
#include <stdlib.h>
struct log {{ struct item *head; int used; }};
struct item {{ int id; struct item *next; }};
struct cache {{ struct item *head; int count; }};
static void log_clear(struct log *l)
{{
    l->head = NULL;
}}
static void evict(struct cache *c)
{{
    struct item *old = c->head;
    c->head = {made};
    free(old);
}}
static int first(struct cache *c)
{{
    return c->head->id;
}}
int main(int argc, char **argv)
{{
    struct log l;
    if (argc > 5)
        log_clear(&l);
    struct cache c;
    c.head = calloc(1, sizeof *c.head);
    c.count = argc;
    evict(&c);
    return first(&c);
}}
"""
FREED = """\
#include <stdlib.h>
struct conn {{ long *buf; struct conn *peer; }};
static void shut(struct conn *c)
{{
    free(c->peer);
}}
static void drop(struct conn *c)
{{
    struct conn *mine = c->peer;
    free(mine);
}}
static long size(struct conn *c)
{{
    struct conn *p = c->peer;
    return *p->buf;
}}
int main(int argc, char **argv)
{{
    struct conn *a = calloc(1, sizeof *a);
    a->peer = calloc(1, sizeof *a);
    if (argc > 5)
        shut(a);
    drop(a);
    long *again = calloc(1, sizeof *a);
    *again = 0x41414141;
    return (int)size(a);
}}
"""


class Lie(NamedTuple):
    """A program, and a chain of statements that are true to a line that never ran."""

    source: str
    category: str
    chain: tuple[dict[str, Any], ...]
    origin: dict[str, Any]
    predicted: tuple[str, dict[str, Any]]


def of_null(made: str) -> Lie:
    return Lie(
        NULL.format(made=made),
        "null-pointer-dereference",
        (
            statement("access", access="read", address="0x0"),
            statement("frame", index=0, function="first", line=17),
            statement("returns", function="first", expression="c->head->id", at=17),
            statement("assigns", function="log_clear", target="l->head", expression="NULL", at=7),
        ),
        {"kind": "cleared", "function": "log_clear", "file": "program.c", "line": 7},
        ("print c->count", statement("value", expression="c->count", function="first", value=1)),
    )


LIES = {
    "another struct's": of_null("old->next"),
    "another null": of_null("NULL"),
    "another free": Lie(
        FREED.format(),
        "use-after-free",
        (
            statement("access", access="read", address="0x41414141"),
            statement("loaded", value="0x41414141", source="CELL"),
            statement("value", expression="p", function="size", value="CELL"),
            statement("assigns", function="size", target="p", expression="c->peer"),
            statement("frees", function="shut", expression="c->peer", at=5),
        ),
        {"kind": "freed", "function": "shut", "file": "program.c", "line": 5},
        ("print c->peer->peer",
         statement("value", expression="c->peer->peer", function="size", value="0x0")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
async def test_a_line_that_never_ran_is_no_origin(investigate: Investigate, name: str) -> None:
    lie = LIES[name]

    def concluded(asked: Question[Any]) -> Any:
        told = "\n".join(message.content for message in asked.messages)
        thread = re.search(r"thread (\d+)", told)
        cell = re.search(r"was loaded with 0x[0-9a-f]+ from (0x[0-9a-f]+)", told)
        said = {
            "category": lie.category,
            "confidence": 0.95,
            "statements": [*lie.chain],
            "chain": [*range(1, len(lie.chain) + 1)],
            "origin": lie.origin,
            "predictions": [{"command": lie.predicted[0], "statement": lie.predicted[1]}],
            "explanation": "It began there.",
        }
        for one in said["statements"]:
            for arg in one["args"]:
                if arg["value"] == "CELL":
                    arg["value"] = cell[1] if cell else "0x0"
            if one["kind"] in ("access", "frame") and thread is not None:
                one["args"] = [a for a in one["args"] if a["name"] != "thread"]
                one["args"].append({"name": "thread", "value": thread[1]})
        return [("analysis_complete", said)]

    model = Scripted(
        {"investigate": [[("exec", {"command": "list program.c:1,40"})], concluded]},
        window=200_000,
    )
    executable = build(lie.source, "-g", "-O0")
    session = await investigate(model, Limits(iterations=6), core=(executable, crash(executable)))
    ai = (await session.build_report()).analysis.ai_analysis
    assert ai.origin is None
    assert lie.origin["function"] not in (ai.root_cause or "")
    explanation = session.state.assisted.explanation
    assert explanation is not None
    assert explanation.elsewhere or explanation.against
    said = ai.explanation
    assert said is not None
    assert said.origin is not None
    assert said.origin.function == lie.origin["function"]
    assert said.confidence == 0.5
    assert said.not_shown


def listed(*lines: str, language: str = "c") -> Code:
    numbered = tuple((at, at, line) for at, line in enumerate(lines, 1))
    return Code(Investigation(), [SourceText(language, f"program.{language}", numbered)])


@pytest.mark.parametrize(
    ("callers", "runs"),
    [
        ([], False),
        (["static void reset_all(void);"], False),
        (["static void start(void) { reset(cache); }"], True),
        (["static void (*const all[])(struct cache *) = { reset };"], True),
    ],
)
def test_a_function_that_nothing_names_did_nothing(callers: list[str], runs: bool) -> None:
    code = listed("static void reset(struct cache *c)", "{", "    c->head = NULL;", "}", *callers)
    last = Claim("assigns", (Arg("function", "reset", ()), Arg("target", "c->head", ()),
                             Arg("expression", "NULL", ()), Arg("at", 3, ())))  # fmt: skip
    assert code.kept(last)
    assert [*not_run(last, code)] == ([] if runs else ["nothing that is listed calls reset"])


def test_what_is_not_listed_may_have_done_it() -> None:
    source = "static void reset(struct cache *c)", "{", "    c->head = NULL;", "}", "reset(c);"
    last = Claim("assigns", (Arg("function", "reset", ()), Arg("target", "c->head", ()),
                             Arg("expression", "NULL", ()), Arg("at", 3, ())))  # fmt: skip
    whole, cut = listed(*source), listed(*source, *[""] * 1995)
    assert [*not_run(last, whole)] == []
    assert any("program.c:2000" in told for told in not_run(last, cut))


def test_no_chain_shows_a_category_that_has_no_row() -> None:
    chain = (Claim("assigns"), Claim("frees"))
    assert unproved(Category.DEADLOCK, chain, Investigation())
    assert not unproved(Category.USE_AFTER_FREE, chain, Investigation())


WIPED = """\
#include <string.h>
struct conf { char *name; struct conf *next; int level; };
struct set { struct conf *all; int count; };
union view { struct conf conf; long first; };
struct op { char **where; long value; };
static void apply(struct op *op) { *op->where = 0; }
static char **slot_of(struct conf *c) { return &c->name; }
static struct conf *head;
static struct conf *blank;
static void (*hook)(void *, int, unsigned long);
#define WIPE(p) ((p)->name = 0)
#define CLEAR head->name = 0
#define HIGHER(a, b) ((a) > (b) ? (a) : (b))
static void zero(void *p, unsigned long n) { char *q = p; while (n--) *q++ = 0; }
static void conf_reset(struct conf *c)
{
    c->name = NULL;
}
static void wipe(struct conf *c, struct set *s)
{
    MAY
}
static int show(struct conf *c)
{
    printf("%d %s", HIGHER(c->level, 3), c->name);
    return c->level + c->name[0];
}
int main(int argc, char **argv)
{
    struct conf *c = malloc(sizeof *c);
    c->name = strdup("x");
    head = c;
    wipe(head, NULL);
    if (argc > 5) conf_reset(head);
    return show(head);
}
"""
MAY = [
    "memset(c, 0, sizeof *c);", "__builtin_memset(c, 0, sizeof *c);", "*c = *blank;", "CLEAR;",
    "*c = (struct conf){0};", "memmove(c, blank, sizeof *c);", "hook(c, 0, sizeof *c);",
    "WIPE(c);", "((char **)c)[0] = 0;", "*(char **)((char *)c + 0) = 0;", "tidy(s);", "tidy(c);",
    "char **slot = &c->name; *slot = 0;", "char *q = (char *)c; q[0] = 0;", "head[0] = *blank;",
    "unsigned long a = (unsigned long)c; memset((void *)a, 0, 8);",
    "__sync_lock_release(&c->name);", "((struct set *)c)->all = 0;",
    "__atomic_store_n(&c->name, 0, 5);", "asm(\"movq $0, (%0)\" :: \"r\"(c));", "free(c);",
    "c[0].name = 0;", "(*c).name = 0;", "struct conf *d = c; d->name = 0;",
    "sscanf(\"0\", \"%p\", &c->name);", "read(0, c, sizeof *c);", "s->all->name = 0;",
    "*s->all = *blank;", "void *v = c; bzero(v, 24);", "(c->level ? hook : hook)(c, 0, 8);",
]  # fmt: skip
MAY += [
    "struct op op = {&c->name, 0}; apply(&op);", "union view *v = (union view *)c; v->first = 0;",
    "*slot_of(c) = 0;", "char **slots[] = {&c->name}; *slots[0] = 0;", "close(c);",
    "*(unsigned long *)&c->name &= 0;", "(&*c)->name = 0;", "swap(c, blank);",
    "struct conf *conf = c; tidy(conf);", "struct conf *q; memcpy(&q, &c, sizeof q); q->name = 0;",
    "c = realloc(c, 4096); c->name = 0;", "tidy(0), memset(c, 0, 8);",
]  # fmt: skip
NOT = ["printf(\"%s\", c->name);", "c->level = 0;", "c->next = 0;", "c = 0;", "free(c->name);",
       "char b[8]; memset(b, 0, sizeof b); b[0] = 0;", "int n = strlen(c->name); n = 0;",
       "s->count = 0;", "note(\"wiped\");", "c->name = \"none\";", "s = 0;"]  # fmt: skip


FREES = """\
typedef struct { long *p; int n; } box_t; typedef struct crate { box_t *box; } crate;
static box_t *all;
static void (*release)(void *) = free;
#define RELEASE(p) free(p)
void drop(box_t *b);
static void each(void (*does)(void *), void *what) { does(what); }
static void box_end(box_t *b)
{
    free(b->p);
}
static void end(box_t *b, crate *c, struct lot *l)
{
    MAY
}
static long look(box_t *b)
{
    return *b->p;
}
int main(int argc, char **argv)
{
    all = calloc(1, sizeof *all);
    all->p = malloc(64);
    end(all, NULL, NULL);
    if (argc > 5) box_end(all);
    return look(all);
}
"""
MAY_FREE = [
    "free(b->p);", "release(b->p);", "RELEASE(b->p);", "drop(b);", "drop(c->box);",
    "crate_drop(c);", "box_t *d = c->box; drop(d);", "each(free, b->p);", "xfree(b->p);",
    "long *q = b->p; free(q);", "free((char *)b->p + 0);",
    "realloc(b->p, 4096);", "(release)(b->p);", "lot_drop(l);", "free(&b->p[0]);",
    "void *v = b; list_free(v);", "munmap(b->p, 64);", "((void (*)(void *))release)(b->p);",
]  # fmt: skip
NOT_FREE = ["b->n = 0;", "printf(\"%ld\", *b->p);", "note(\"x\");", "memset(b->p, 0, 8);",
            "b = 0;", "long n = *b->p; use(n);"]  # fmt: skip

CLASS = """\
struct conf { char *name; conf *next; int level; };
static conf *head;
static void zero(char *&p) { p = nullptr; }
static void conf_reset(conf *c)
{
    c->name = NULL;
}
static void wipe(conf *c)
{
    MAY
}
static int show(conf *c)
{
    return c->level + c->name[0];
}
int main(int argc, char **argv)
{
    conf *c = new conf{};
    c->name = strdup("x");
    head = c;
    wipe(head);
    if (argc > 5) conf_reset(head);
    return show(head);
}
"""
MAY_BE = [
    "*c = {};", "*c = conf{};", "zero(c->name);", "std::exchange(c->name, nullptr);",
    "auto f = [&] { c->name = nullptr; }; f();", "new (c) conf{};", "c->clear();", "c->~conf();",
    "std::fill_n(reinterpret_cast<char *>(c), sizeof *c, 0);", "auto &r = *c; r.name = nullptr;",
    "auto &n = c->name; n = nullptr;", "conf &r = *c; r = conf();", "tidy(*c);",
    "auto p = &c->name; *p = nullptr;", "std::apply(zero, std::tie(c->name));",
    # by operators, constructors and destructors, which may be the program's
    "std::cin >> *c;", "input >> c->name;", "*c += *head;", "c->next->operator++();", "delete c;",
    "Reset guard(c);", "Reset guard{c};", "auto r = std::make_unique<Reset>(c);",
    "std::thread t(tidy, c);", "std::jthread(tidy, c).join();",
]  # fmt: skip
NOT_BE = [
    "c->level = 0;", 'std::printf("%s", c->name);', "conf *d = c; d = nullptr;", "c->level += 2;",
    "std::cout << c->level << 1;", "std::string text(c->name);", "c->level = c->level << 2;",
    "std::lock_guard<std::mutex> held(all);",
]  # fmt: skip


def stated(kind: str, **args: str | int) -> Claim:
    return Claim(kind, tuple(Arg(name, value, ()) for name, value in args.items()))


OF_RUST = """\
struct Conf { name: *mut u8, level: u32 }
fn conf_reset(c: &mut Conf) {
    c.name = null_mut();
}
fn wipe(c: &mut Conf, other: *mut u8) {
    MAY
}
fn show(c: &Conf) -> u32 {
    return c.level + read(c.name);
}
fn main() {
    let mut c = made();
    wipe(&mut c, null_mut());
    conf_reset(&mut c);
    show(&c);
}
"""
MAY_RUST = [
    "*c = Conf { name: other, level: 0 };", "std::mem::swap(&mut c.name, &mut other);",
    "std::ptr::write(&mut c.name, other);", "let p = &mut c.name; *p = other;",
    "c.name.clear();", "tidy(&mut *c);",
]  # fmt: skip
NOT_RUST = ["c.level = 0;", 'println!("{}", c.level);']

CLEARED = (
    stated("returns", function="show", expression="c->level + c->name[0]"),
    stated("assigns", function="conf_reset", target="c->name", expression="NULL"),
)
CLEARED_RUST = (
    stated("returns", function="show", expression="c.level + read(c.name)"),
    stated("assigns", function="conf_reset", target="c.name", expression="null_mut()"),
)
FREED_BY = (
    stated("returns", function="look", expression="*b->p"),
    stated("frees", function="box_end", expression="b->p"),
)


@pytest.mark.parametrize(
    ("source", "chain", "what", "alone"),
    [
        *(pytest.param(WIPED, CLEARED, what, what in NOT, id=what) for what in (*MAY, *NOT)),
        *(
            pytest.param(CLASS, CLEARED, what, what in NOT_BE, id=what)
            for what in (*MAY_BE, *NOT_BE)
        ),
        *(
            pytest.param(OF_RUST, CLEARED_RUST, what, what in NOT_RUST, id=what)
            for what in (*MAY_RUST, *NOT_RUST)
        ),
        *(
            pytest.param(FREES, FREED_BY, what, what in NOT_FREE, id=what)
            for what in (*MAY_FREE, *NOT_FREE)
        ),
    ],
)
def test_what_may_have_done_it_too(
    source: str, chain: tuple[Claim, ...], what: str, alone: bool
) -> None:
    language = {CLASS: "cpp", OF_RUST: "rust"}.get(source, "c")
    code = listed(*source.replace("MAY", what).split("\n"), language=language)
    code.null = source is not FREES
    assert (elsewhere(code, chain) == ()) is alone
