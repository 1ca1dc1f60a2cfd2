"""What runs before what, functions from end to end, names, and the listings of an output."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.claims.source_texts import TEXTS, listing
from workbench.claims.source import (
    function_extent,
    is_function,
    last_name,
    listings,
    normal,
    precedes,
    same_function,
)


@pytest.mark.parametrize(
    ("language", "first", "second", "texts"),
    [
        ("c", 10, 35, ("q->length=(count)", "memcpy(q->name,tag,sizeof(q->name))")),
        ("c", 9, 12, ("short small=count", "total+=q->items[i]")),
        ("c", 22, 23, ("if(!copy||total>=10)", "free(q->items)")),
        ("c", 23, 24, ("free(q->items)", "q->items=NULL")),
        ("c", 11, 12, ("for(i=0;i<q->length;i++)", "total+=q->items[i]")),
        ("c", 28, 36, ("pthread_mutex_lock(&q->lock)", "copy=realloc(copy,count*2)")),
        ("c", 12, 23, None),  # the loop may not run
        ("c", 24, 26, None),  # another branch
        ("c", 23, 28, None),  # one branch
        ("c", 36, 12, None),  # the other way round
        ("c", 38, 46, None),  # a label lies between
        ("c", 10, 51, None),  # another function
        ("c", 42, 43, None),  # another case
        ("c", 15, 23, None),  # #if 0
        ("c", 18, 23, None),
        ("cpp", 16, 26, ("auto*node=new Node(value)", "delete last")),
        ("cpp", 19, 26, None),
        ("rust", 6, 18, ("self.used=extra as u16", "while a<b")),
        ("rust", 12, 13, ("if self.used>=3", "drop(Box")),
        ("rust", 14, 16, None),
        ("rust", 26, 27, None),
        ("go", 14, 24, ("c.size+=n", "c.last=nil")),
        ("go", 24, 31, None),
        ("c_sharp", 11, 25, None),
        ("c_sharp", 9, 15, ("int small=(int)count", "open=true")),
        ("c", 9, 999, None),
    ],
)
def test_precedes(language: str, first: int, second: int, texts: tuple[str, str] | None) -> None:
    found = precedes(listing(TEXTS[language], language), first, second)
    if texts is None or found is None:
        assert found is texts
        return
    values = found.values
    assert (values["first_text"], str(values["second_text"])[: len(texts[1])]) == texts
    assert (values["first"], values["second"], found.line) == (first, second, first + 2)


def test_precedes_in_a_piece() -> None:
    piece = listing(TEXTS["c"], "c", 22, 30)
    assert precedes(piece, 23, 24) is not None
    assert precedes(piece, 23, 26) is None


@pytest.mark.parametrize(
    ("language", "line", "extent"),
    [
        ("c", 30, (4, 47)), ("c", 4, (4, 47)), ("c", 50, (48, 53)), ("c", 2, None),
        ("cpp", 5, (5, 5)), ("cpp", 22, (13, 30)), ("rust", 16, (3, 30)), ("go", 28, (8, 32)),
        ("c_sharp", 27, (27, 27)),
    ],
)  # fmt: skip
def test_function_extent(language: str, line: int, extent: tuple[int, int] | None) -> None:
    assert function_extent(listing(TEXTS[language], language), line) == extent


def test_a_cut_function_has_no_extent() -> None:
    assert function_extent(listing(TEXTS["c"], "c", 10, 53), 12) is None
    assert function_extent(listing(TEXTS["c"], "c", 1, 40), 12) is None
    assert function_extent(listing(TEXTS["c"], "c", 10, 53), 50) == (48, 53)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [(12, 40, True), (12, 50, False), (50, 51, True), (12, 99, False), (2, 3, False)],
)
def test_same_function(first: int, second: int, same: bool) -> None:
    assert same_function(listing(TEXTS["c"], "c"), first, second) is same
    cut = listing(TEXTS["c"], "c", 10, 52)
    assert same_function(cut, first, second) is (same and first > 9)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (" ( q -> n ) ;", "q->n"),
        ("(a + b) * (c)", "(a+b)*(c)"),
        ("unsigned   char *", "unsigned char*"),
        ("a - -b", "a- -b"),
        ("a/ *p", "a/ *p"),
        ("f( \"a  b\" , 'x' ) // done", "f(\"a  b\",'x')"),
        ("vector<vector<int> >", "vector<vector<int>>"),
        ("&'a mut T", "&'a mut T"),
        ("a /* b */ + 1.5e-3", "a+1.5e-3"),
        ("", ""),
        ("((", "(("),
        ("(;);", ""),
    ],
)
def test_normal(expression: str, wanted: str) -> None:
    assert normal(expression) == wanted


@given(st.text("ab(*)-+/&<>=;,.\"' 1\n[]", max_size=30))
def test_normal_is_settled(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@pytest.mark.parametrize(
    ("shown", "named", "same"),
    [
        ("work", "work", True),
        ("work", "worker", False),
        ("", "anything", True),
        ("net::Queue<T>::push", "net::Queue<int>::push(int const&, std::vector<int>&)", True),
        ("Queue::push", "app::Queue::push", True),
        ("Queue::push", "Stack::push", False),
        ("Table::grow", "demo::Table::grow", True),
        ("Table::grow", "<demo::Table as demo::Grow>::grow", True),
        ("Table::grow", "demo::Table::grow::{{closure}}", True),
        ("Cache.Put", "main.(*Cache).Put", True),
        ("Cache.Put", "main.(*Cache).Put.func1", True),
        ("Cache.Put", "main.(*Store).Put", False),
        ("App.Store.Add", "App.Store.Add(Int64, System.String)", True),
        ("(file)", "main", False),
        ("run", "(anonymous namespace)::run(int)", True),
    ],
)
def test_is_function(shown: str, named: str, same: bool) -> None:
    assert is_function(shown, named) is same


@pytest.mark.parametrize(
    ("path", "name"),
    [("q->len", "len"), ("std::free", "free"), ("v.at<int>", "at"), ("a[3]", ""), ("", "")],
)
def test_last_name(path: str, name: str) -> None:
    assert last_name(path) == name


GDB = "4\tint f(void)\n5\t{\n6\t    x = 1;\n7\t\n8\tin gone.c\n"
ADDRESS = "0x401136 is in f (src/a b.c:6).\n5\t{\n6\t    x = 1;\n"
LLDB = "File: /src/q.cpp:6\n   5   \t{\n-> 6   \t    x = 1;\n   7   \t}\n   12  \ty;\n"
FRAME = "#0  f (n=3) at src/q.rs:9\n9\t    let a = b;\n"


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        (GDB, [(None, None, [(1, 4), (2, 5), (3, 6), (4, 7)])]),
        (ADDRESS, [("c", "src/a b.c", [(2, 5), (3, 6)])]),
        (LLDB, [("cpp", "/src/q.cpp", [(2, 5), (3, 6), (4, 7)]), ("cpp", "/src/q.cpp", [(5, 12)])]),
        (FRAME, [("rust", "src/q.rs", [(2, 9)])]),
        (
            "6\ta;\n7\tb;\n9\td;\n7\tb;\n8\tc;\n",
            [(None, None, [(1, 6), (2, 7), (5, 8)]), (None, None, [(3, 9)])],
        ),
        (
            "6\ta;\n7\tb;\n\n7\tz;\n8\tc;\n",
            [(None, None, [(1, 6), (2, 7)]), (None, None, [(4, 7), (5, 8)])],
        ),
        ("No symbol table is loaded.\n", []),
    ],
)
def test_listings(
    output: str, wanted: list[tuple[str | None, str | None, list[tuple[int, int]]]]
) -> None:
    found = listings(output)
    shape = [(one.language, one.file, [line[:2] for line in one.lines]) for one in found]
    assert shape == wanted
    assert all(not text.startswith(("->", "\t\t")) for one in found for *_, text in one.lines)
