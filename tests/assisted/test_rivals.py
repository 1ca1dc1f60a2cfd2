"""Who else may have written, and under what a line runs, as the listed source has it."""

import pytest

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.rivals import by_reference, is_handed_out, leading, may_fill, may_set
from workbench.claims.source import SourceText, guards
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
    ("line", "held"),
    [(5, [("r->fd", "!=", "3"), ("r->n", "<", "r->room")]), (7, []), (11, [])],
)
def test_a_line_runs_where_what_guards_it_holds(line: int, held: list[tuple[str, ...]]) -> None:
    assert guards(_code(_C, "c").texts[0], line) == held


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
    assert may_fill(code, push, "r->cells")
    assert may_set(code, "ring", "peer")


def test_a_reference_hands_a_variable_out() -> None:
    code = _code(_CPP, "cpp")
    given = {(one.of("callee"), one.of("expression")): by_reference(code, one)
             for one in code.of_kind("calls") if "index" in one.row.values}  # fmt: skip
    assert given[("prune", "it")]
    assert given[("std::swap", "s.in")]
    assert not given[("look", "s.in")]
    assert is_handed_out(code, "read", "it")
