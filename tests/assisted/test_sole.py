"""The dump leaves one line for a null member only where no other could have made it so."""

import pytest

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.elsewhere import elsewhere
from workbench.agents.assisted.sole import set_behind
from workbench.claims.say import say
from workbench.claims.source import SourceText
from workbench.model.investigation import Investigation

PROGRAM = """\
#include <stdlib.h>
#include <string.h>
struct row { int id; };
struct table {
    struct row *rows;
    int count;
    char name[8];
};
static int fits(int wanted)
{
    return wanted < 9;
}
static int load(struct table *t, int wanted)
{
    struct row *fresh = malloc(8 * sizeof *fresh);
    if (fresh == NULL)
        return 0;
    free(t->rows);
    t->rows = NULL;
    if (!fits(wanted))
        return 0;
    t->rows = fresh;
    t->count = wanted;
    return 1;
}
static void other(struct table *t, struct table *u, char **argv)
{
    free(argv[9]);
}
static int first(struct table *t)
{
    return t->rows->id;
}
int main(int argc, char **argv)
{
    static struct table t;
    load(&t, 5);
    load(&t, argc + 9);
    other(&t, &t, argv);
    return first(&t);
}
"""
SET, COUNT = "    t->rows = fresh;\n", "    t->count = wanted;\n"
OTHER, MADE = "    free(argv[9]);\n", "static struct table t;"
BOTH = SET + COUNT
"""Edits after which the dump may have a count and no rows for another reason."""
OTHERS = {
    "another null": (OTHER, "    t->rows = NULL;\n"),
    "another null by an alias": (OTHER, "    struct table *mine = t;\n    mine->rows = 0;\n"),
    "another null by a pointer": (OTHER, "    struct row **at = &t->rows;\n    *at = NULL;\n"),
    "cleared as a whole": (OTHER, "    memset(t, 0, sizeof(struct row *));\n"),
    "copied as a whole": (OTHER, "    *t = *u;\n"),
    "overrun from its name": (OTHER, "    strcpy(t->name, argv[1]);\n"),
    "overrun by its elements": (OTHER, "    t->name[atoi(argv[1])] = 0;\n"),
    "swapped": (OTHER, "    struct row *r = t->rows;\n    t->rows = u->rows;\n    u->rows = r;\n"),
    "given away": (OTHER, "    unlisted(t);\n"),
    "read as a number": (OTHER, "    strtol(argv[1], (char **)&t->rows, 10);\n"),
    "told where a thread ended": (OTHER, "    pthread_join(atol(argv[1]), (void **)&t->rows);\n"),
    "printed into": (OTHER, '    printf("%s%n", argv[1], &t->count);\n'),
    "written by a write of the program's": (OTHER, "    write(t, 3);\n"),
    "given to a thread": (OTHER, "    pthread_create(0, 0, unlisted, t);\n"),
    "called by a pointer": (OTHER, "    ((void (*)(struct table *))argv)(t);\n"),
    "assembly": (OTHER, '    asm("movq $0, (%0)" : : "r"(t));\n'),
    "counted elsewhere": (OTHER, "    t->count = 5;\n"),
    "counted up elsewhere": (OTHER, "    t->count++;\n"),
    "counted through a pointer": (OTHER, "    int *n = &t->count;\n    *n = 5;\n"),
    "counted by a call": (OTHER, "    unlisted(&t->count);\n"),
    "counted by a macro": (OTHER, "    COUNT(t);\n#define COUNT(t) (t)->count = 5\n"),
    "counted first": (BOTH, COUNT + "    if (!fits(wanted + 1))\n        return 0;\n" + SET),
    "set at times": (SET, "    if (wanted > 3)\n        t->rows = fresh;\n"),
    "set at times on one line": (SET, "    if (wanted > 3) t->rows = fresh;\n"),
    "set at times by a choice": (SET, "    wanted > 3 && (t->rows = fresh);\n"),
    "jumped over": (BOTH, f"    if (wanted > 3)\n        goto on;\n{SET}on:\n{COUNT}"),
    "set to what may be null": ("    if (fresh == NULL)\n        return 0;\n", ""),
    "set in another": (COUNT, "    t = t + 1;\n" + COUNT),
    "set in one of two": (COUNT, "    other(0, t++, 0);\n" + COUNT),
    "set through another": (SET, "    struct table *u = t + 1;\n    u->rows = fresh;\n"),
    "counted from the start": (MADE, "static struct table t = {.count = 5};"),
    "counted from the start by its place": (MADE, "static struct table t = {0, 5};"),
    "of a stack": (MADE, "struct table t;"),
    "of a heap": (MADE, "struct table t = *(struct table *)malloc(sizeof t);"),
    "of a heap by a pointer": (OTHER, "    struct table *v = malloc(99);\n    load(v, 5);\n"),
    "of a heap without a type": (OTHER, "    void *v = malloc(64);\n    load(v, 5);\n"),
    "of another file": (MADE, "extern struct table t;"),
    "part of another": ("static int fits", "struct two { struct table one; };\nstatic int fits"),
    "in a union": ("    int count;\n", "    union { int count; float part; };\n"),
}


def code_of(program: str, file: str = "t.c") -> Code:
    lines = tuple((at, at, text) for at, text in enumerate(program.split("\n"), 1))
    code = Code(Investigation(), [SourceText("c", file, lines)])
    code.null = True
    return code


def left_alone(program: str, file: str = "t.c") -> list[str]:
    """The members by which nothing but the null of ``load`` is left for ``rows``."""
    code = code_of(program, file)
    at = program[: program.index("t->rows = NULL")].count("\n") + 1
    link = say("assigns", function="load", target="t->rows", expression="NULL", at=at)
    (line,) = code.kept(link)
    return [] if elsewhere(code, [link]) else list(set_behind(code, "table", "rows", line))


def test_one_line_is_left() -> None:
    assert left_alone(PROGRAM) == ["count"]
    assert left_alone(PROGRAM.replace(MADE, "static struct table t = {.name = {0}};")) == ["count"]
    assert left_alone(PROGRAM, "t.h") == []


@pytest.mark.parametrize("other", OTHERS)
def test_no_line_is_left_where_another_may_have(other: str) -> None:
    old, new = OTHERS[other]
    assert PROGRAM.count(old) == 1
    assert left_alone(PROGRAM.replace(old, new)) == []
