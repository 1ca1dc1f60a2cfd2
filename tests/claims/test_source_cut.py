"""Listings that begin and end anywhere, and what no program is."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.claims.source_texts import TEXTS, holds, listing
from tests.soak import examples
from workbench.claims.source import Row, SourceText, is_function, language_of, listings, rows
from workbench.evaluate.corpora import PROGRAMS

FILES = sorted(path for path in PROGRAMS.iterdir() if path.suffix in (".c", ".cpp", ".rs"))
_OF_ITS_OWN = {"function", "from_type", "of", "to", "at"}
"""What a part of a file may not show, and is compared apart."""


@pytest.mark.parametrize(
    ("language", "text", "kind", "values"),
    [
        ("c", "    x->n = 3;\n    y();\n}\n", "assigns", {"target": "x->n"}),
        ("c", "        f(a,\n          b);\n        g(c);\n", "calls", {"callee": "g"}),
        ("c", "    } else {\n        free(p);\n    }\n    q();\n", "frees", {"expression": "p"}),
        (
            "c",
            "        j = 3;\n        i++;\n    } while (i < n);\n    q();\n",
            "assigns",
            {"target": "j"},
        ),
        ("c", " * words; of a comment\n */\n    x = 1;\n    y = 2;", "assigns", {"target": "x"}),
        ("c", "    if (a) {\n        while (b) {\n            c = d;", "assigns", {"target": "c"}),
        ("c", "    x = 1;\n    FOR_EACH(a, b) {\n        free(a);\n", "frees", {"expression": "a"}),
        ("c", "#endif\n    x = 1;\n    y = 2;\n", "assigns", {"target": "y"}),
        ("c", "    case 3:\n        x = 1;\n        break;\n    }\n", "assigns", {"target": "x"}),
        ("cpp", "    });\n    x = 1;\n    y = 2;\n}\n", "assigns", {"target": "y"}),
        ("cpp", "    run([&](int n) {\n        delete p;\n", "frees", {"expression": "p"}),
        (
            "rust",
            "            1 => a(),\n            2 => { b = 3; }\n",
            "assigns",
            {"target": "b"},
        ),
        ("rust", "        .unwrap();\n    let c = d;\n", "assigns", {"target": "c"}),
        (
            "rust",
            "    } else {\n        drop(a);\n    }\n    b()\n}\n",
            "frees",
            {"expression": "a"},
        ),
        ("rust", "    let t = Table::new(12);\n    y();\n", "calls", {"callee": "Table::new"}),
        ("rust", "    for h in [a, b] {\n        f(h);\n    }\n", "loops", {"each": "h"}),
        ("cpp", "    for (const T &x : xs) {\n        f(x);\n    }\n", "loops", {"each": "x"}),
        ("go", "\t\tx = 1\n\t\ty = 2\n\t}\n\treturn nil\n", "assigns", {"target": "y"}),
        ("go", "\tx := a(\n", "nothing", {}),
        ("c_sharp", "    }\n    public int F() {\n        n = 3;\n", "assigns", {"target": "n"}),
        ("c_sharp", "        catch (E e) {\n            n = 3;\n        }\n", "nothing", {}),
    ],
)
def test_a_piece_states_what_it_holds(
    language: str, text: str, kind: str, values: dict[str, object]
) -> None:
    lines = enumerate(text.rstrip("\n").split("\n"))
    found = rows(SourceText(language, None, tuple((n, n + 40, line) for n, line in lines)))
    said = [row for row in found if row.kind == kind and values.items() <= row.values.items()]
    assert bool(said) == (kind != "nothing")


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("c", "        b < c;\n    x = 1;\n", {"left": "b"}),  # a + \n b < c
        ("c", "    q->\n", {"target": "q"}),
        ("c", "          len = 5;\n    x = 1;\n", {"target": "len"}),  # q-> \n len
        ("c", "    x = 1;\n    y = a +\n", {"expression": "a"}),
        ("c", "    x = 1;\n    y = a\n", {"expression": "a"}),
        ("rust", "    let a = B { c: 1,\n", {"expression": "B{c:1,}"}),
        ("go", "\tx := T{\n\t\ta: 1,\n", {"expression": "T{a:1,}"}),
        ("go", "\tr.GET(1, func(c *C) {\n", {"callee": "r.GET"}),
        ("c", " * free(p);\n * free(q);\n", {"callee": "free"}),
        ("c", "    free(p);\n#else\n    free(q);\n#endif\n", {"callee": "free"}),
        ("c", "    } while (i < n);\n", {"condition": "i<n"}),
        ("go", "\t_ Render = (*String)(nil)\n\t_ Render = (*Data)(nil)\n)\n", {"target": "Render"}),
        ("c", "    free(p); \\\n    free(q)\n\nint x;\n", {"callee": "free"}),
        ("c", "#define F(p) \\\n    free(p)\n\nint x;\n", {"callee": "free"}),
        ("c", "    return prices[index];\n};\n", {"name": "prices"}),
    ],
)
def test_a_cut_statement_is_none(language: str, text: str, wrong: dict[str, object]) -> None:
    lines = enumerate(text.rstrip("\n").split("\n"))
    found = rows(SourceText(language, None, tuple((n, n + 40, line) for n, line in lines)))
    assert not [row for row in found if wrong.items() <= row.values.items()]


def _same(part: Row, whole: Row) -> bool:
    """True where a row of a part says no more than one of the whole."""
    one, other = part.values, whole.values
    if part[::2] != whole[::2] or any(
        key not in other or one[key] != other[key] for key in one if key not in _OF_ITS_OWN
    ):
        return False
    begins = int(one["at"]) >= int(other["at"])
    return (
        is_function(str(one["function"]), str(other["function"]))
        and one.get("from_type", "") in ("", other.get("from_type", ""))
        and (part.kind == "declares" or (begins and int(one["to"]) <= int(other["to"])))
    )


def _extra(whole: list[Row], part: list[Row]) -> list[Row]:
    """Rows of a part that the whole has not. What is declared at a level of which only declarations
    are seen may be a member."""
    return [
        row
        for row in part
        if not any(_same(row, one) for one in whole)
        and not (row.kind == "declares" and row.values["function"] == "")
        and not (row.kind == "returns" and row.values["function"] == "")  # of a closure
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_part_says_no_more_than_the_whole(path: Path) -> None:
    text, language = path.read_text(), language_of(path.name)
    whole = rows(listing(text, language))
    chance = random.Random(path.name)
    last = text.count("\n")
    for _ in range(6):
        first = chance.randint(1, last)
        part = rows(listing(text, language, first, first + chance.choice((0, 4, 9, 9, 29))))
        assert _extra(whole, part) == []


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_no_truncation_raises_or_invents(language: str, data: st.DataObject) -> None:
    text = TEXTS[language]
    first = data.draw(st.integers(0, len(text)))
    piece = text[first : data.draw(st.integers(first, len(text)))]
    rows(listing(piece, language))
    lines = text.count("\n")
    top = data.draw(st.integers(1, lines))
    part = rows(listing(text, language, top, data.draw(st.integers(top, lines))))
    unsure = range(15, 22) if language == "c" else ()  # in conditionals whose heads may be cut
    extra = [r for r in _extra(rows(listing(text, language)), part) if r.line - 2 not in unsure]
    assert extra == []


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.text(max_size=300), st.integers(1, 9))
def test_any_text_is_read(language: str, text: str, first: int) -> None:
    rows(
        SourceText(language, None, tuple((1, first + n, t) for n, t in enumerate(text.split("\n"))))
    )


@pytest.mark.parametrize("language", sorted(TEXTS))
@pytest.mark.parametrize(
    "text",
    [
        "(" * 30_000,
        "{" * 30_000 + "\n",
        "}" * 30_000,
        "x = " + "f(" * 1_900 + ")" * 1_900 + ";",
        "\n".join("if (a) {" for _ in range(3_000)),
        "x = " + "a\n+ " * 6_000 + "b;",
        "a " * 500_000,
        "".join(map(chr, range(1, 3_000))) * 5,
        "\x00" * 4_000,
        "\ud800'\"`/*",
    ],
    ids=[
        "parens",
        "braces",
        "closing",
        "calls",
        "ifs",
        "sum",
        "megabyte",
        "binary",
        "nul",
        "surrogate",
    ],
)
@pytest.mark.timeout(20)
def test_hostile_text_is_read(language: str, text: str) -> None:
    assert len(rows(listing(text, language))) < 10_000
    assert len(rows(listing("x\n" + text, language, 2))) < 10_000


@pytest.mark.timeout(20)
def test_a_hostile_output_is_read() -> None:
    assert len(listings("".join(f"{n}\tx;\n\n" for n in range(1, 60_000, 3)))) == 200
    one = "".join(f"{n}\tx;\n" for n in range(1, 20_000))
    assert len(listings(one * 4)) == 1


def test_a_statement_behind_a_huge_line_stands() -> None:
    text = "void f(void)\n{\n    x = 1;\n    /* " + "a" * 1_000_000 + " */\n    y = 2;\n}\n"
    assert holds(rows(listing(text, "c")), "assigns", "f", 5, {"target": "y"})
