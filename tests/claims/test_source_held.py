"""What has to hold where a line runs: conditions around it, and those in front that leave."""

import pytest

from workbench.claims.source import SourceText
from workbench.claims.source.changed import NOTHING, Known
from workbench.claims.source.held import guards, held, is_mended, is_some

MARK = "/* here */"


def _text(body: str) -> tuple[SourceText, int]:
    lines = f"int run(struct s *p, struct s *x, int i, int n)\n{{\n{body}\n}}".replace(
        "; ", ";\n"
    ).split("\n")
    text = SourceText("c", "run.c", tuple((at, at, line) for at, line in enumerate(lines, 1)))
    return text, next(at for at, line in enumerate(lines, 1) if MARK in line)


@pytest.mark.parametrize(
    ("body", "known"),
    [
        (f"if (p == NULL) return 0; {MARK} keep(p);", True),
        (f"if (!p || n == 0) return 0; {MARK} keep(p);", True),
        (f"if (!p && n == 0) return 0; {MARK} keep(p);", False),
        (f"if (p == NULL) abort(); {MARK} keep(p);", True),
        (f"if (p == NULL) log(n); {MARK} keep(p);", False),
        (f"if (p->n == n)\n{MARK} return p;", True),
        (f"if (i && p->n != n) return 0; {MARK} keep(p);", False),
        (f"if (i || p->n != n) return 0; {MARK} keep(p);", True),
        (f"if (p == NULL) return 0; p = find(n); {MARK} keep(p);", False),
        (f"if (p == NULL) return 0; fill(&p); {MARK} keep(p);", False),
        (f"if (p != NULL)\n{{ {MARK} keep(p); }}", True),
        (f"if (p != NULL) p->n++; {MARK} keep(p);", False),
        (f"if (p == NULL) n = 1;\nelse\n{{ {MARK} keep(p); }}", True),
        (f"if (p == NULL) goto out; i++; out:\n{MARK} keep(p);", False),
        (f"for (p = all; p; p = p->next)\n{{ if (p->n == n)\n{MARK} return p; }}", True),
        (f"while (p)\n{{ p = p->next; {MARK} keep(p); }}", False),
        (f"while ((p = next(n)) != NULL)\n{{ {MARK} keep(p); }}", True),
        (f"do\n{{ {MARK} keep(p); }}\nwhile (p);", False),
        (f"if (p == NULL) return 0; ADVANCE(p); {MARK} keep(p);", False),
        (f"if (p == NULL) return 0; *q = 0; {MARK} keep(p);", False),
        (f"if (p == NULL) return 0; char *s = find(n); {MARK} keep(p);", True),
        (f"if (p == NULL) return 0; char *s = *q = 0; {MARK} keep(p);", False),
        (f"if (p == NULL) return 0; char *s = next(&p); {MARK} keep(p);", False),
        (f"if (p == NULL) return 0; p->n = 3; {MARK} keep(p);", True),
        (f"if (p) p->n++; keep(p); {MARK}".replace("; keep", ";keep"), False),
        (f"if (p) p->n++;else keep(p); {MARK}", False),
        (f"if (p != NULL && (p = find(n)) != q)\n{{ {MARK} keep(p); }}", False),
        (f"if (p == NULL) return 0; if ((p = find(n)) != q)\n{{ {MARK} keep(p); }}", False),
        (f"if (p == NULL || next(&p) == 0) return 0; {MARK} keep(p);", False),
        (f"if (p == NULL) return 0; snprintf(p, n, q); {MARK} keep(p);", True),
        (f"if (p == NULL) return 0; snprintf(p, n, q); p = find(n); {MARK} keep(p);", False),
        (f"if (*p == NULL) return 0; snprintf(p, n, q); {MARK} keep(p);", False),
        (f"p->n = n; i++; {MARK} keep(p);", True),
        (f"p->x->n = n; {MARK} keep(p);", True),
        (f"p->n = n; p = find(n); {MARK} keep(p);", False),
        (f"p->n = n; out:\n{MARK} keep(p);", False),
        (f"if (n) p->n = n; {MARK} keep(p);", False),
        (f"fill(&p); p->n = n; next(&p); {MARK} keep(p);", False),
        (f"p->n[i] = n; {MARK} keep(p);", False),
        (f"pp->n = n; {MARK} keep(p);", False),
    ],
)
def test_a_value_is_known_not_to_be_null(body: str, known: bool) -> None:
    assert is_some(*_text(body), "p", NOTHING) is known


@pytest.mark.parametrize(
    ("call", "known"),
    [("strlen(p->name)", True), ("fill(p)", False), ("snprintf(p->name, 8, q)", False),
     ("snprintf(p->text, 8, q)", True), ("time(p->name)", False)],
)  # fmt: skip
def test_a_value_is_known_until_a_call_may_write_it(call: str, known: bool) -> None:
    body = f"if (p->name[0] == 0) return 0; {call}; {MARK} keep(p);"
    assert is_some(*_text(body), "p->name[0]", NOTHING) is known


@pytest.mark.parametrize(
    ("body", "known"),
    [
        (f"if (i < n)\n{MARK} a[i] = 0;", True), (f"if (i >= n) return 0; {MARK} a[i] = 0;", True),
        (f"if (n > i)\n{MARK} a[i] = 0;", True), (f"if (i >= n) log(i); {MARK} a[i] = 0;", False),
        (f"if (i >= n) i = n - 1; {MARK} a[i] = 0;", True),
        (f"if (i >= n) i = n; {MARK} a[i] = 0;", False),
        (f"if (i >= n) return 0; i += 2; {MARK} a[i] = 0;", False),
        (f"while (*p && i < n)\n{MARK} a[i++] = 0;", True),
        (f"while (*p || i < n)\n{MARK} a[i++] = 0;", False),
        (f"while (i < n) {{ i += 3;a[i] = 0; }} {MARK}", False),
        (f"if (i > n) i = n - 1; {MARK} a[i] = 0;", False),
        (f"if (p && i >= n) i = n - 1; {MARK} a[i] = 0;", False),
        (f"if (i >= n) i -= n - 1; {MARK} a[i] = 0;", False),
        (f"if (i >= n) return 0; i = (i + 1) % 8; {MARK} a[i] = 0;", False),
    ],
)  # fmt: skip
def test_an_index_is_known_to_be_below_a_bound(body: str, known: bool) -> None:
    assert (("i", "<", "n") in held(*_text(body), NOTHING)) is known


@pytest.mark.parametrize(
    ("body", "mended"),
    [
        (f"p->x = find(n); {MARK}\nif (p->x == NULL) abort();", True),
        (f"p->x = find(n); {MARK}\nif (p->x == NULL) p->x = &none;", True),
        (f"p->x = find(n); {MARK}\nif (p->x == NULL) return 0;", False),
        (f"x = find(n); {MARK}\nif (x == NULL) return 0;", True),
        (f"x = find(n); {MARK}\nif (x == NULL) log(n);", False),
        (f"x = find(n); {MARK}\nif (x != NULL) abort();", False),
        (f"p->x = find(n); {MARK}\nif (p->x == NULL) {{ if (n) p->x = &none; }}", False),
        (f"p->x = find(n); {MARK}\nif (n) return p;\nif (p->x == NULL) p->x = &none;", False),
        (f"p->x = find(n); {MARK}\np = p->next;\nif (p->x == NULL) p->x = &none;", False),
    ],
)
def test_what_is_set_to_null_is_set_again_or_ends_it(body: str, mended: bool) -> None:
    text, line = _text(body.replace(f"; {MARK}", f";{MARK}"))
    assert is_mended(text, line, "p->x" if "p->x" in body else "x", NOTHING) is mended


@pytest.mark.parametrize(
    ("place", "between", "known"),
    [
        ("l->spare", "log(n);", False), ("l->spare", "strcmp(a, b);", True),
        ("pop(q)", "", False), ("t->slots[i]", "i++;", False), ("t->slots[i]", "n++;", True),
        ("l->spare", "other->spare = 0;", False),
    ],
)  # fmt: skip
def test_what_lies_in_memory_is_known_until_a_call(place: str, between: str, known: bool) -> None:
    body = f"if ({place} == NULL) return 0; {between}\n{MARK} keep({place});"
    assert is_some(*_text(body), place, NOTHING) is known


def test_many_conditions_in_front_of_a_line_are_each_read_once() -> None:
    """Held against each other they would take longer than anybody waits."""
    tests = "\n".join(f"if (p->a{at} == 0) return 0;" for at in range(2000))
    assert ("p->a5", "!=", "0") in held(*_text(f"{tests}\n{MARK} p->n = 0;"), NOTHING)


@pytest.mark.parametrize(
    ("body", "asked", "still"),
    [
        ("if p.is_none() || n > 4 {\n return 0;\n}\nMARK p.take();", [("n", "<=", "4")], True),
        ("while n < 4 {\nMARK n += 1;\n}", [("n", "<", "4")], True),
        ("if n > 4 {\n n = 4;\n}\nMARK keep(n);", [("n", "<=", "4")], True),
        ("if n > 4 {\n panic();\n} else {\nMARK keep(n);\n}", [("n", "<=", "4")], True),
        ("if n > 4 {\n return 0;\n}\nlet n = next();\nMARK keep(n);", [("n", "<=", "4")], False),
        ("if n > 4 {\n return 0;\n}\nadd(&mut n);\nMARK keep(n);", [("n", "<=", "4")], False),
    ],
)
def test_conditions_of_rust_are_read_as_those_of_c(
    body: str, asked: list[tuple[str, ...]], still: bool
) -> None:
    lines = f"fn run(p: &mut P, n: usize)\n{{\n{body}\n}}".split("\n")
    text = SourceText("rust", "run.rs", tuple((at, at, line) for at, line in enumerate(lines, 1)))
    line = next(at for at, one in enumerate(lines, 1) if "MARK" in one)
    text = text._replace(lines=tuple((a, b, c.replace("MARK ", "")) for a, b, c in text.lines))
    assert [one for one in guards(text, line) if "(" not in one[0]] == asked
    assert bool([one for one in held(text, line, NOTHING) if one in asked]) is still


@pytest.mark.parametrize(
    ("body", "own", "known"),
    [
        (f'if (p == NULL) err("none"); {MARK} keep(p);', (), True),
        (f'if (p == NULL) err("none"); {MARK} keep(p);', ("err",), False),
        (f"if (p == NULL) die(1); {MARK} keep(p);", ("die",), True),
        (f"if (p == NULL) return 0; strcmp(a, b); {MARK} keep(p);", ("strcmp",), True),
        (f"if (all == NULL) return 0; strcmp(a, b); {MARK} keep(all);", (), True),
        (f"if (all == NULL) return 0; strcmp(a, b); {MARK} keep(all);", ("strcmp",), False),
        (f"if (all == NULL) return 0; load(p); {MARK} keep(all);", (), False),
        (f"watch(&x); if (x == NULL) return 0; poll(); {MARK} keep(x);", (), False),
        (f"if (p == NULL)\n#ifdef STRICT\nreturn 0;\n#endif\n;\n{MARK} keep(p);", (), False),
    ],
)
def test_what_a_name_is_decides_what_holds(body: str, own: tuple[str, ...], known: bool) -> None:
    name = body.partition("keep(")[2].partition(")")[0]
    listed = Known(frozenset(own), frozenset({"die"} & set(own)))
    assert is_some(*_text(body), name, listed) is known


def test_a_null_that_is_only_logged_is_not_mended() -> None:
    text, line = _text(f"p->x = find(n);{MARK}\nif (p->x == NULL) warn(p->x);")
    assert not is_mended(text, line, "p->x", NOTHING)
