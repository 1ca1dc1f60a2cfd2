"""Lines with what macros stand for in the place of their names."""

import time

import pytest

from workbench.claims.source import SourceText, rows
from workbench.claims.source.macros import expanded, macros


def _text(lines: str, name: str = "a.c") -> SourceText:
    numbered = tuple((at, at, line) for at, line in enumerate(lines.split("\n"), 1))
    return SourceText("c", name, numbered)


@pytest.mark.parametrize(
    ("defined", "line", "shown"),
    [
        ("FREE(p) do { free(p); (p) = NULL; } while (0)", "FREE(s->x);",
         "{ free ( s->x ) ; s->x = NULL ; }"),
        ("FREE(p) do { free(p); (p) = NULL; } while (0)", "if (a) FREE(s->x); else b();",
         "if (a) { free ( s->x ) ; s->x = NULL ; } else b();"),
        ("DROP(l, n) ((l)->first = (n)->next)", "DROP(&t->all, n);",
         "( t->all . first = n -> next );"),
        ("EACH(v, l) for ((v) = (l)->first; (v); (v) = (v)->next)", "EACH(n, l) use(n);",
         "for ( n = l -> first ; n ; n = n -> next ) use(n);"),
        ("unlikely(x) __builtin_expect(!!(x), 0)", "if (unlikely(p == NULL)) return;",
         "if (( p == NULL )) return;"),
        ("LOG(f, ...) fprintf(stderr, f, ##__VA_ARGS__)", 'LOG("x");', 'fprintf ( stderr , "x" );'),
        ("LOG(f, ...) fprintf(stderr, f, ##__VA_ARGS__)", 'LOG("%d", n);',
         'fprintf ( stderr , "%d" , n );'),
        ('MUST(c) do { if (!(c)) die(#c); } while (0)', "MUST(p);", '{ if ( ! p ) die ( "" ) ; }'),
        ("PASTE(n) n ## _drop(n)", "PASTE(x);", "PASTE(x);"),
        ("TWO(a, b) a + b", "TWO(1);", "TWO(1);"),
        ("LAST(l) ({ l->last; })", "LAST(l);", "LAST(l);"),
        ("MOST 16", "x = MOST;", "x = MOST;"), ("DISPOSE free", "DISPOSE(p);", "free(p);"),
        ("COLOUR color", "s->COLOUR = 1;", "s->COLOUR = 1;"),
        ("FREE(p) free(p)", 'puts("FREE(p)"); // FREE(p)', 'puts("FREE(p)"); // FREE(p)'),
    ],
)  # fmt: skip
def test_what_a_line_stands_for(defined: str, line: str, shown: str) -> None:
    text = _text(f"#define {defined}\n{line}")
    assert " ".join(expanded(text, (text,)).lines[1][2].split()) == shown


@pytest.mark.parametrize(
    "defined",
    [
        "#define DROP(p) free(p)\n#define DROP(p) keep(p)", "#define DROP(p) free(p)\n#undef DROP",
        "/*\n#define DROP(p) free(p)\n*/", "#define DROP(p) goto out",
        "#ifdef FAST\n#define DROP(p) free(p)\n#endif", "#if 0\n#define DROP(p) free(p)\n#endif",
        "#define DROP(p) free(p)\nstatic void DROP(struct s *p) { }",
    ],
)  # fmt: skip
def test_what_is_defined_in_several_ways_or_in_none_is_nothing(defined: str) -> None:
    assert "DROP" not in macros((_text(defined),))


def test_a_macro_of_another_listing_states_what_it_does() -> None:
    header = _text("#define RELEASE(p) \\\n    do { /* both */ \\\n free(p); } while (0)", "a.h")
    text = _text("static void f(struct s *o)\n{\n    RELEASE(o->in);\n}")
    stated = [(row.kind, row.values["at"], row.values["expression"])
              for row in rows(text, (text, header)) if row.kind == "frees"]  # fmt: skip
    assert stated == [("frees", 3, "o->in")]


def test_lists_of_queue_are_told_by_their_links() -> None:
    text = _text(
        "#include <sys/queue.h>\nstruct c { TAILQ_ENTRY(c) link; };\nTAILQ_HEAD(cs, c);\n"
        "void f(struct cs *all, struct c *o)\n{\n    TAILQ_REMOVE(all, o, link);\n}"
    )
    targets = {row.values["target"] for row in rows(text) if row.kind == "assigns"}
    assert {"all->tqh_first", "all->tqh_first->link.tqe_next"} <= targets


def test_a_macro_holds_from_its_line_on_in_its_own_file() -> None:
    defined = "#define DROP(p) free(p)"
    above = _text(f"DROP(x);\n{defined}\nDROP(x);")
    assert [line for _, _, line in expanded(above, (above,)).lines][::2] == [
        "DROP(x);",
        "free ( x );",
    ]
    other, header = (
        _text(defined, "b.c"),
        _text(f"#ifndef B_H\n#define B_H\n{defined}\n#endif", "b.h"),
    )
    used = _text("DROP(x);")
    assert expanded(used, (used, other)) == used
    assert expanded(used, (used, header)).lines[0][2] == "free ( x );"


def test_a_cast_is_no_call() -> None:
    text = _text("#define CAST(T, x) ((T)(x))\ny = CAST(size, n);")
    assert expanded(text, (text,)).lines[1][2] == "y = ( ( size ) ( n ) );"


def test_macros_within_macros_and_many_of_them_take_no_time() -> None:
    each = "\n".join(f"#define {a}() {(b + '() ') * 95}" for a, b in ("AB", "BC", "CD"))
    one = _text(f"{each}\n#define D() x\n{'A() ' * 95}")
    header = _text("\n".join(f"#define M{i}(p) (p)->a{i}" for i in range(2000)), "m.h")
    many = _text("M1(p) = 0;\n" * 2000)
    began = time.process_time()
    assert len(expanded(one, (one,)).lines[-1][2]) < 2000
    assert expanded(many, (many, header)).lines[0][2] == "p->a1 = 0;".replace("->", " -> ", 1)
    assert time.process_time() - began < 5
