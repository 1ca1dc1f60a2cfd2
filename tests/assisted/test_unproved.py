"""A line that no value of the dump shows to have done it is no origin."""

import re
from typing import Any, NamedTuple

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted, statement
from tests.crashes import build, crash
from workbench.agents.assisted.against import not_run
from workbench.agents.assisted.code import Code
from workbench.agents.model_choice import lacking, unproved
from workbench.claims.source import SourceText
from workbench.llm.port import Question
from workbench.model.assisted_events import Explanation
from workbench.model.category import Category
from workbench.model.claims import Arg, Claim
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind
from workbench.model.target import Limits

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
    assert explanation.against or not explanation.proof
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
    assert unproved(Category.USE_AFTER_FREE, chain, Investigation())
    assert not unproved(Category.USE_AFTER_FREE, chain, Investigation(), OriginKind.FREED)


def test_what_a_chain_to_a_category_begins_with_is_told() -> None:
    origin = Origin(kind=OriginKind.LOCKED, function="transfer", file=None, line=None, evidence=())
    explanation = Explanation(
        hypothesis=None, category=Category.DEADLOCK, confidence=1, claims=(Claim("cycle"),),
        chain=(1,), origin=origin, text="", unseen=(), against=(), proof=(), model="m",
    )  # fmt: skip
    found = lacking(explanation, Investigation())
    assert "category: cycle is no symptom of deadlock: begin with waits" in found
