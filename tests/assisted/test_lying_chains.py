"""Chains of true statements that lead to what is not the reason: each is refused for its own."""

from typing import Any, NamedTuple

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted, statement
from tests.crashes import build, crash
from workbench.agents.assisted.answers import Explained
from workbench.agents.assisted.explaining import explanation_of
from workbench.agents.model_choice import lacking
from workbench.model.facts import Fault

SOURCE = """\
#include <stdlib.h>
#include <string.h>
struct part { struct part *next; int id; char *text; };
struct shelf { struct part *first; struct part *spare; int count; };
struct crate { struct part *part; int weight; };
static struct shelf S;
static struct crate A, B;
static struct part *spare(struct shelf *s)
{
    if (s->count < 100) return NULL;
    return s->spare;
}
static struct part *find(struct shelf *s, int id)
{
    for (struct part *p = s->first; p; p = p->next)
        if (p->id == id) return p;
    return NULL;
}
static int show(struct part *p)
{
    return p->id + p->text[0];
}
static int overwritten(int id)
{
    struct part *p = spare(&S);
    if (p) return 1;
    p = find(&S, id);
    return show(p);
}
static int branched(int id)
{
    struct part *p;
    if (id > 100)
        p = spare(&S);
    else
        p = find(&S, id);
    return show(p);
}
static void strip(struct part *p)
{
    char *old = p->text;
    p->text = NULL;
    free(old);
}
static struct part *copied(const struct part *from)
{
    struct part *p = malloc(sizeof *p);
    p->id = from->id;
    return p;
}
static void label(struct part *p, const char *text)
{
    memcpy(p->text, text, strlen(text));
}
static void shed(struct part *p)
{
    free(p->text);
}
static int stripped(void)
{
    shed(S.first->next);
    label(copied(S.first)->next ? S.first : S.first, "nails");
    strip(find(&S, 0));
    struct part *p = find(&S, 0);
    return show(p);
}
static void part_end(struct part *p)
{
    free(p);
}
static void crate_end(struct crate *c)
{
    c->weight = 0;
    free(c->part);
}
static int look(struct crate *c)
{
    return c->part->text[0];
}
static int dropped(void)
{
    A.part = S.first;
    B.part = S.first->next;
    crate_end(&B);
    part_end(S.first);
    long *again = malloc(sizeof(struct part));
    again[2] = 0x4141414141414141;
    return look(&A);
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 4; i++) {
        struct part *p = malloc(sizeof *p);
        p->next = S.first;
        p->id = i;
        p->text = malloc(8);
        memcpy(p->text, "screws", 7);
        S.first = p;
        S.count++;
    }
    switch (atoi(argv[1])) {
    case 1: return overwritten(17);
    case 2: return branched(17);
    case 3: return stripped();
    case 4: return dropped();
    }
    return argc;
}
"""
LOOKED = "frame apply level 1 -q print id"
UNSHOWN = "no value of the dump shows it"
NULLED, STALE = "null-pointer-dereference", "use-after-free"


def line(text: str, after: int = 0) -> int:
    """The number of the first line behind ``after`` that has this text."""
    rows = SOURCE.split("\n")
    return next(at for at, row in enumerate(rows, 1) if at > after and text in row)


class Told(NamedTuple):
    """A chain from the frame back, what it is told as, and a part of the reason against it (""
    where it is true)."""

    chain: str
    category: str
    origin: str
    why: str


FAILS, LOOKS = line("p->text[0]"), line("c->part->text[0]")
FOUND = line("return NULL", line("*find("))
_SPARE = f"returns; function=spare; expression=NULL; at={line('return NULL')}"
_SHOWN = "calls; function={0}; callee=show; index=1; expression=p; at={1}"
OVER, BRANCH, STRIP = (line(f"int {name}(") for name in ("overwritten", "branched", "stripped"))
SHOWS = [_SHOWN.format(name, line("show(p)", at)) for name, at in
         (("overwritten", OVER), ("branched", BRANCH), ("stripped", STRIP))]  # fmt: skip
RETURNS = f"returns; function=show; expression=p->id + p->text[0]; at={FAILS}"
TOLD = {
    1: (
        Told(f"{SHOWS[0]} | assigns; function=overwritten; target=p; expression=spare(&S); "
             f"at={OVER + 2} | calls; function=overwritten; callee=spare; arguments=&S; "
             f"at={OVER + 2} | {_SPARE}", NULLED, "returned spare", UNSHOWN),
        Told(f"{SHOWS[0]} | assigns; function=overwritten; target=p; expression=find(&S, id) | "
             f"calls; function=overwritten; callee=find; arguments=&S, id; at={OVER + 4} | "
             "returned_by; function=find; value=0x0", NULLED, "returned find", ""),
        Told(f"{SHOWS[1].replace('branched', 'overwritten')}", NULLED, "passed-wrong overwritten",
             "is refuted"),
    ),
    2: (
        Told(f"{SHOWS[1]} | assigns; function=branched; target=p; expression=spare(&S) | calls; "
             f"function=branched; callee=spare; arguments=&S; at={BRANCH + 4} | {_SPARE}", NULLED,
             "returned spare", UNSHOWN),
    ),
    3: (
        Told(f"{RETURNS} | assigns; function=strip; target=p->text; expression=NULL; "
             f"at={line('p->text = NULL')}", NULLED, "cleared strip",
             UNSHOWN),
        Told(f"{SHOWS[2]} | assigns; function=stripped; target=p; expression=find(&S, 0) | "
             f"calls; function=stripped; callee=find; arguments=&S, 0; at={STRIP + 4} | "
             f"returns; function=find; expression=NULL; at={FOUND}", NULLED,
             "returned find", "p of stripped is not 0"),
        Told(f"{RETURNS} | assigns; function=main; target=p->id; expression=i; "
             f"at={line('p->id = i')}", "wild-pointer", "computed main", "something else"),
        Told(f"{RETURNS} | compares; function=find; left=p->id; operator===; right=id; "
             f"at={line('p->id == id')}", "out-of-bounds-read", "computed find", "something else"),
        Told(f"{RETURNS} | assigns; function=strip; target=p->text; expression=NULL; "
             f"at={line('p->text = NULL')}", "uninitialized-pointer", "cleared strip",
             "category"),
        Told(SHOWS[2], "type-confusion", "passed-wrong stripped", "is proved"),
        Told(SHOWS[2], NULLED, "passed-wrong stripped", "p of stripped is not 0"),
        Told(f"{RETURNS} | calls; function=shed; callee=free; index=1; expression=p->text; "
             f"at={line('free(p->text)')}", NULLED, "passed-wrong shed", UNSHOWN),
        Told(f"{RETURNS} | frees; function=shed; expression=p->text; at={line('free(p->text)')}",
             STALE, "freed shed", "is proved"),
        Told(f"{RETURNS} | never_sets; function=find; target=p->text; at={line('*find(')}; "
             f"to={line('return NULL', line('*find(')) + 1}", NULLED, "never-set find",
             UNSHOWN),
        Told(f"{RETURNS} | never_sets; function=copied; target=p->text; at={line('*copied(')}; "
             f"to={line('return p;', line('*copied(')) + 1}", NULLED, "never-set copied",
             UNSHOWN),
        Told(f"{RETURNS} | calls; function=label; callee=memcpy; index=1; expression=p->text; "
             f"at={line('memcpy(p->text, text')}", "out-of-bounds-read", "written label",
             UNSHOWN),
    ),
    4: (
        Told(f"returns; function=look; expression=c->part->text[0]; at={LOOKS} | frees; "
             f"function=crate_end; expression=c->part; at={line('free(c->part)')}", STALE,
             "freed crate_end", UNSHOWN),
    ),
}  # fmt: skip


def answer(told: Told, thread: int, address: int, at: int, function: str) -> dict[str, Any]:
    """The answer of a model, behind the fault and its frame."""
    kind, named = told.origin.split()
    rows = [row.split("; ") for row in told.chain.split(" | ")]
    stated = [
        statement("access", thread=thread, access="read", address=address),
        statement("frame", thread=thread, index=0, function=function, line=at),
        *(statement(kind, **dict(arg.split("=", 1) for arg in args)) for kind, *args in rows),
    ]
    return {
        "category": told.category,
        "confidence": 1.0,
        "statements": stated,
        "chain": [*range(1, len(stated) + 1)],
        "origin": {"kind": kind, "function": named, "file": "program.c"},
        "explanation": "It began there.",
    }


@pytest.mark.parametrize("case", TOLD)
async def test_each_lie_is_refused_for_its_reason(investigate: Investigate, case: int) -> None:
    executable = build(SOURCE, "-g", "-O0")
    looks = [("exec", {"command": one}) for one in ("list program.c:1,120", LOOKED)]
    model = Scripted({"investigate": [looks, "done"]}, window=200_000)
    session = await investigate(model, core=(executable, crash(executable, str(case))))
    fault = session.state.facts.all(Fault)[0]
    at, function = (LOOKS, "look") if case == 4 else (FAILS, "show")
    for told in TOLD[case]:
        said = answer(told, fault.thread, fault.operand or 0, at, function)
        explanation = await explanation_of(session, Explained.model_validate(said), "m")
        found = [one for one in lacking(explanation, session.state) if "prediction" not in one]
        if told.why:
            assert any(told.why in one for one in found), (told, found)
        else:
            assert not found, told
            shown = statement("value", expression="id", function="overwritten", value=18)
            said["predictions"] = [{"command": LOOKED, "statement": shown}]  # it is 17, as was seen
            explanation = await explanation_of(session, Explained.model_validate(said), "m")
            assert any("prediction" in one for one in lacking(explanation, session.state))
