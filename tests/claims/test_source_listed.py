"""Source as real debuggers list it, and what reading it loads."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analyzers.patterns.waitgraph import inferred_waits
from tests.claims.holding import evidence_of
from tests.claims.source_texts import C
from tests.crashes import build, gdbs, lldbs
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.listed import printed_type
from workbench.claims.say import say
from workbench.claims.source import SourceText, function_extent, listings, rows
from workbench.claims.source.locks import leaves
from workbench.claims.source.order import is_bare_branch
from workbench.claims.source.text import RUST
from workbench.claims.source.unset import unset
from workbench.model.facts import FactBook

PROGRAM = """\
#include <stdlib.h>
struct item { int count; char *text; };
static int clear(struct item *item, size_t count)
{
\titem->count = count;   /* item->count = 9; */
\tif (item->count > 3) {
\t\tfree(item->text);
\t\titem->text = NULL;
\t}
\treturn item->count;
}
int main(void) { struct item one = {0}; return clear(&one, 2); }
"""
GDB = ("-nx", "-batch", "-ex", "list clear", "-ex", "list 9,12")
LLDB = ("--no-lldbinit", "-b", "-o", "source list -n clear", "-o", "source list -l 9 -c 4")
DEBUGGERS = [(path, GDB) for path in gdbs()] + [(path, LLDB) for path in lldbs()]


@pytest.mark.parametrize(("debugger", "commands"), DEBUGGERS, ids=lambda it: Path(it).name
                         if isinstance(it, Path) else "")  # fmt: skip
def test_a_listing_is_read_where_it_stands(debugger: Path, commands: tuple[str, ...]) -> None:
    program = build(PROGRAM, "-g")
    done = subprocess.run(
        [debugger, *commands, program], capture_output=True, text=True, check=True
    )
    output = done.stdout.split("\n")
    found = [one._replace(language="c") for one in listings(done.stdout)]
    assert found
    freed = [row for one in found for row in rows(one) if row.kind == "frees"]
    assert {row.values["expression"] for row in freed} == {"item->text"}
    assert {row.values["at"] for row in freed} == {7}
    assert all("free(item->text);" in output[row.line - 1] for row in freed)
    said = [row.values for one in found for row in rows(one) if row.kind == "assigns"]
    assert {value["expression"] for value in said if value["target"] == "item->count"} == {"count"}
    assert (3, 11) in {function_extent(one, 7) for one in found}


LOADED = """
import sys
import workbench.claims.source as source
before = [name for name in sys.modules if name.startswith("tree_sitter_")]
lines = tuple(enumerate(sys.stdin.read().split("\\n"), 1))
source.rows(source.SourceText("c", None, tuple((n, n, text) for n, text in lines)))
print(before, sorted(name for name in sys.modules if name.startswith("tree_sitter_")))
"""


def test_one_grammar_is_loaded_when_its_listing_is_read() -> None:
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, input=C, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[] ['tree_sitter_c', 'tree_sitter_c._binding']")


TYPES = """\
namespace road {
struct Base { int number; };
class Lane : public Base {
public:
    Lane(int, char *);
    long pass(int) { return sum; }
private:
    char *gate; struct { int x; } in; long sum;
};
}
int main() { road::Lane lane(1, nullptr); return (int)lane.pass(1); }
"""


@pytest.mark.parametrize("how", ["ptype", "ptype /o"])
@pytest.mark.parametrize("gdb", gdbs(), ids=str)
def test_a_type_that_gdb_prints_declares_its_members(gdb: Path, how: str) -> None:
    program = build(TYPES.replace("lane(1, nullptr)", "lane{1, nullptr}").replace(
        "Lane(int, char *);", "Lane(int n, char *g) : gate(g) { number = n; }"), "-g", lang="cpp"
    )  # fmt: skip
    done = subprocess.run(
        [gdb, "-nx", "-batch", "-ex", f"{how} road::Lane", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (text,) = printed_type(f"{how} road::Lane", done.stdout)
    found = [row for row in rows(text) if row.kind == "declares"]
    members = {(row.values["of"], row.values["name"], row.values["type"]) for row in found}
    assert {("Lane", "gate", "char*"), ("Lane", "sum", "long")} <= members
    lines = done.stdout.split("\n")
    assert all(str(row.values["name"]) in lines[row.line - 1] for row in found)
    assert not printed_type("ptype int", "type = int")


def test_a_literal_sets_its_members_by_their_names_alone() -> None:
    lines = (
        "fn new(len: usize) -> Grid {",
        "    let ptr = find();",
        "    Grid { len, ptr, n: 3 }",
        "}",
    )
    text = SourceText(RUST, "a.rs", tuple((at, at, line) for at, line in enumerate(lines, 1)))
    found = [row.values for row in rows(text) if row.kind == "assigns" and row.values["at"] == 3]
    assert [(row["target"], row["expression"]) for row in found] == [
        (".len", "len"), (".ptr", "ptr"), (".n", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "given", "file", "holds"),
    [
        (
            "assigns",
            {"function": "clear", "target": "item->text", "expression": "NULL"},
            "one.c",
            True,
        ),
        (
            "assigns",
            {"function": "Ghost::clear", "target": "item->text", "expression": "NULL"},
            "one.c",
            False,
        ),
        (
            "assigns",
            {"function": "Ghost::clear", "target": "item->text", "expression": "NULL"},
            "one.cpp",
            False,
        ),
        (
            "assigns",
            {"function": "item::clear", "target": "item->text", "expression": "NULL"},
            "one.cpp",
            True,
        ),
        (
            "never_sets",
            {"function": "main", "target": "one.text", "at": 12, "to": 12},
            "one.c",
            True,
        ),
        (
            "never_sets",
            {"function": "main", "target": "one.cause", "at": 12, "to": 12},
            "one.c",
            False,
        ),
        (
            "never_sets",
            {"function": "main", "target": "one.text<script>", "at": 12, "to": 12},
            "one.c",
            False,
        ),
    ],
)
def test_a_scope_and_a_member_have_to_be_known(
    kind: str, given: dict[str, Any], file: str, holds: bool
) -> None:
    text = "\n".join(f"{at}\t{line}" for at, line in enumerate(PROGRAM.split("\n"), 1))
    evidence = evidence_of({"E1": text})
    evidence["E1"] = replace(evidence["E1"], command=f"list {file}:1,20")
    book = Book(FactBook(), evidence, {"E1": text}.__getitem__, inferred_waits)
    assert check([say(kind, **given)], book)[0].holds is holds
    if kind == "never_sets":  # a model may leave the lines of the function to code
        args = {name: it for name, it in given.items() if name not in ("at", "to")}
        whole = check([replace(say(kind, **args), by="model")], book)[0]
        assert (whole.holds, whole.get("at"), whole.by) == (holds, 12 if holds else None, "model")


@pytest.mark.parametrize(
    ("body", "lines", "bare"),
    [
        ("if (k) {\n n = 1;\n} else {\n b->style = k;\n}", (4, 4), True),
        ("if (k)\n b->style = k;\nelse\n n = 1;", (6, 6), True),
        ("if (k) {\n n = 1;\n n = 2;\n} else {\n b->style = k;\n}", (4, 4), False),
        ("if (k)\n b->style = k;\nelse if (n)\n n = 1;\nelse\n b->style = n;", (6, 6), True),
        ("if (k)\n b->style = k;\nelse if (n)\n n = 1;\nelse\n n = 2;", (6, 6), False),
        ("if (k)\n b->style = k;\nelse if (n)\n n = 1;", (6, 6), False),
        ("if (k)\n b->style = k;\nn = 1;", (5, 5), False),
        ("if (k) {\n n = 1;\n} else {\n if (n)\n b->style = k;\n}", (4, 4), False),
        ("if (n) {\n if (k)\n n = 1;\n else\n b->style = k;\n}", (5, 5), False),
        ("if (k) {\n n = 1;\n} else {\n b->style = k;\n}\nb->style = n;", (4, 4), False),
    ],
)
def test_a_branch_that_leaves_a_member(body: str, lines: tuple[int, int], bare: bool) -> None:
    source = f"void make(struct box *b, struct style *k, int n)\n{{\n{body}\n}}"
    shown = tuple((at, at, line) for at, line in enumerate(source.split("\n"), 1))
    text = SourceText("c", "a.c", shown)
    stores = frozenset(at for at, _, line in shown if "->style" in line)
    assert is_bare_branch(text, *lines, stores) is bare
    left = [row.values["at"] for row in unset(text, "b->style", (text,), lines)]
    assert left == [lines[0]]  # no line there sets it


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("return;", {"return_statement"}),
        ("if (n)\n goto out;", {"goto_statement"}),
        ("if (n)\n continue;", {"continue_statement"}),
        ("while (n) { n--; continue; }", set()),
        ("switch (n) {\n case 1:\n break;\n }", set()),
        ("if (n)\n break;", {"break_statement"}),
    ],
)
def test_how_control_leaves_what_runs_under_a_lock(body: str, how: set[str]) -> None:
    head, tail = "void run(int n)\n{\nfor (;;) {\n lock(&l);", "unlock(&l);\n}\nout:\n return;\n}"
    source = f"{head}\n{body}\n{tail}"
    shown = tuple((at, at, line) for at, line in enumerate(source.split("\n"), 1))
    assert leaves(SourceText("c", "a.c", shown), 5, 5 + body.count("\n")) == how


def test_a_member_is_left_unset_only_where_nothing_else_may_set_it() -> None:
    source = """
struct box { struct style *style; int width; };
typedef struct { struct box box; char name[8]; } Shelf;
#define STYLE(b) ((b)->style = &plain)
void whole(struct box *b, struct box *from) { *b = *from; }
void element(struct box *b) { b[1] = b[0]; }
void part(Shelf *s, struct box *from) { s->box = *from; }
void copied(struct box *b, struct box *from) { memcpy(b, from, sizeof *b); }
void read_in(Shelf *s) { fread(&s->box, sizeof s->box, 1, file); }
void named(struct box *b) { STYLE(b); }
void unlisted(struct box *b) { SET_ALL(b); }
void address(struct box *b) { struct style **at = &b->style; *at = &plain; }
void given(struct box *b) { find(&b->style); }
int made_empty(void) { struct box b = {0}; b.width = 2; return b.width; }
void emptied(struct box *b) { memset(b, 0, sizeof *b); }
void pointer(struct box **to, struct box *b) { *to = b; }
void count(struct box *b, int *n) { *n += b->width && b->style; }
void name(Shelf *s) { strcpy(s->name, "top"); }
"""
    lines = tuple((at, at, line) for at, line in enumerate(source.split("\n"), 1))
    text = SourceText("c", "a.c", lines)
    found = [row.values["function"] for row in unset(text, "b->style", (text,))]
    assert found == ["made_empty", "emptied", "pointer", "count"]
    assert [row.values["function"] for row in unset(text, "s->box.style", ())] == ["name"]
    assert [row.values["function"] for row in unset(text, "n", (text,))] == []
    assert "address" not in [row.values["function"] for row in unset(text, "*at", (text,))]
    wholly = [row.values["function"] for row in unset(text, "*b", (text,))]
    assert not {"whole", "element", "made_empty", "named"} & {*wholly}


HELPED = """
struct box { lock_t lock; int width; struct box *next; };
static void box_leave(struct box *b) { pthread_mutex_unlock(&b->lock); }
static void box_end(struct box *b) { b->width = 0; box_leave(b); }
static int box_size(struct box *b)
{
  pthread_mutex_lock(&b->lock);
  int size = b->width;
  pthread_mutex_unlock(&b->lock);
  return size;
}
static void through(struct box *b)
{
  pthread_mutex_lock(&b->lock);
  b->width = 1;
  box_end(b);
  b->width = 2;
}
static void beside(struct box *b, struct box *c)
{
  pthread_mutex_lock(&b->lock);
  b->width = box_size(c);
  b->width = 3;
  pthread_mutex_unlock(&b->lock);
}
static void along(struct box *b)
{
  pthread_mutex_lock(&b->next->lock);
  b->width = 4;
  if (b->width)
    b = b->next;
  b->width = 5;
}
"""


def test_a_lock_is_held_until_a_function_gives_it_back_or_it_is_another() -> None:
    lines = tuple((at, at, line) for at, line in enumerate(HELPED.split("\n"), 1))
    found = [row.values for row in rows(SourceText("c", "a.c", lines)) if row.kind == "under_lock"]
    held = [(row["function"], row["at"], row["to"]) for row in found]
    assert held == [("box_size", 8, 8), ("through", 15, 15), ("beside", 22, 23), ("along", 29, 29)]


def test_a_function_of_a_librarys_name_does_what_its_own_source_says() -> None:
    source = """
static void xfree(struct pool *pool, struct item *item)
{
  pool->freed++;
  free(item);
}
static void kfree(struct heap *heap, void *memory)
{
  heap->count--;
  free(memory);
}
static void g_free(struct item *item) { drop(item); }
static void *xcalloc(struct pool *pool, int id) { return malloc(id); }
static void *xmalloc(size_t size) { return check(malloc(size)); }
static void use(struct pool *pool, struct item *one)
{
  xfree(pool, one);
  kfree(pool, one);
  g_free(one);
  one = xcalloc(pool, 1);
  one = xmalloc(8);
}
"""
    lines = tuple((at, at, line) for at, line in enumerate(source.split("\n"), 1))
    text = SourceText("c", "a.c", lines)
    found = [row for row in rows(text, (text,)) if row.values["function"] == "use"]
    frees = [row.values["expression"] for row in found if row.kind == "frees"]
    allocates = [row.values["callee"] for row in found if row.kind == "allocates"]
    assert (frees, allocates) == (["one", "one"], ["xmalloc"])
