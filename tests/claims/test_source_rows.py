"""What each language's source states, and what it does not."""

import pytest

from tests.claims.source_texts import TEXTS, C, listing, states
from workbench.claims.source import FILE_SCOPE, Row, SourceText, rows, writers


def _is(target: str, expression: str, operator: str = "=") -> dict[str, object]:
    return {"target": target, "operator": operator, "expression": expression}


def _typed(name: str, type_: str, size: str = "", of: str = "") -> dict[str, object]:
    return {"name": name, "type": type_, "size": size, "of": of}


def _passed(callee: str, index: int, expression: str) -> dict[str, object]:
    return {"callee": callee, "index": index, "expression": expression}


def _cast(expression: str, from_type: str, type_: str) -> dict[str, object]:
    return {"expression": expression, "from_type": from_type, "type": type_}


def _narrows(target: str, from_type: str, type_: str) -> dict[str, object]:
    return {"target": target, "from_type": from_type, "type": type_}


def _compared(left: str, operator: str, right: str) -> dict[str, object]:
    return {"left": left, "operator": operator, "right": right}


PUSH, GROW, PUT, ADD = "net::Queue<T>::push", "Table::grow", "Cache.Put", "App.Store.Add"
TRUE = {
    "c": [
        ("declares", FILE_SCOPE, 2, _typed("length", "int", of="queue")),
        ("declares", FILE_SCOPE, 2, _typed("name", "char", "16", of="queue")),
        ("declares", FILE_SCOPE, 3, _typed("used", "int")),
        ("declares", "take", 4, _typed("q", "struct queue*")),
        ("declares", "take", 4, _typed("tag", "char", "4")),
        ("declares", "take", 8, _typed("text", "const char*")),
        ("assigns", "take", 6, _is("total", "0")),
        ("allocates", "take", 7, {"target": "copy", "callee": "malloc",
                                  "size": "count*sizeof(*copy)"}),
        ("sizeof", "take", 7, {"operand": "*copy"}),
        ("converts", "take", 7, _cast("malloc(count*sizeof(*copy))", "", "char*")),
        ("converts", "take", 9, _narrows("small", "size_t", "short") | {"bits": 16}),
        ("assigns", "take", 10, _is("q->length", "count")),
        ("converts", "take", 10, _narrows("q->length", "size_t", "int")),
        ("loops", "take", 11, {"condition": "i<q->length", "to": 13}),
        ("assigns", "take", 11, _is("i", "", "++")),
        ("assigns", "take", 12, _is("total", "q->items[i]", "+=")),
        ("compares", "take", 22, _compared("copy", "==", "0")),
        ("compares", "take", 22, _compared("total", ">=", "10")),
        ("frees", "take", 23, {"callee": "free", "expression": "q->items"}),
        ("assigns", "take", 24, _is("q->items", "NULL")),
        ("assigns", "take", 26, _is("q->length", "", "--")),
        ("under_lock", "take", 28, {"lock": "q->lock", "at": 29, "to": 29}),
        ("under_lock", "take", 28, {"lock": "q->lock", "at": 32, "to": 33}),
        ("returns", "take", 31, {"expression": "-1"}),
        ("calls", "take", 35, {"callee": "memcpy", "arguments": "q->name,tag,sizeof(q->name)"}),
        ("calls", "take", 35, _passed("memcpy", 2, "tag")),
        ("frees", "take", 36, {"callee": "realloc", "expression": "copy"}),
        ("allocates", "take", 36, {"target": "copy", "size": "count*2", "to": 36}),
        ("assigns", "take", 36, _is("copy", "realloc(copy,count*2)") | {"to": 37}),
        ("assigns", "take", 38, _is("q->items", "calloc(count,8)")),
        ("assigns", "take", 38, _is("copy", "calloc(count,8)")),
        ("allocates", "take", 38, {"target": "copy", "count": "count", "size": "8"}),
        ("calls", "take", 42, {"callee": "take", "arguments": "q,1,tag"}),
        ("loops", "take", 45, {"condition": "i", "to": 45}),
        ("converts", "take", 45, _narrows("total", "int", "unsigned char")),
        ("returns", "take", 46, {"expression": "total"}),
        ("assigns", "put", 50, _is("fresh.length", "3")),
        ("assigns", "put", 51, _is("*q", "fresh")),
    ],
    "cpp": [
        ("assigns", "net::Buffer::Buffer", 4, _is("data_", "new char[size]")),
        ("allocates", "net::Buffer::Buffer", 4, {"target": "data_", "callee": "new[]",
                                                 "count": "size", "type": "char"}),
        ("frees", "net::Buffer::~Buffer", 5, {"callee": "delete[]", "expression": "data_"}),
        ("returns", "net::Buffer::length", 6, {"expression": "size_"}),
        ("declares", FILE_SCOPE, 8, _typed("data_", "char*", of="Buffer")),
        ("declares", PUSH, 14, _typed("value", "const T&")),
        ("under_lock", PUSH, 15, {"lock": "mutex_", "at": 16, "to": 29}),
        ("declares", PUSH, 15, _typed("guard", "std::lock_guard<std::mutex>")),
        ("allocates", PUSH, 16, {"target": "node", "callee": "new", "type": "Node"}),
        ("calls", PUSH, 16, _passed("Node", 1, "value")),
        ("assigns", PUSH, 17, _is("this->tail_", "node")),
        ("loops", PUSH, 18, {"condition": "out", "to": 20}),
        ("converts", PUSH, 19, _cast("value", "const T&", "uint16_t")),
        ("assigns", PUSH, 22, _is("seen_", "x")),
        ("assigns", PUSH, 25, _is("last", "find(3)")),
        ("frees", PUSH, 26, {"callee": "delete", "expression": "last"}),
        ("converts", PUSH, 28, _narrows("n", "size_t", "uint8_t")),
        ("under_lock", "Pool::run", 32, {"lock": "m_", "at": 33, "to": 33}),
        ("calls", "Pool::run", 36, {"callee": "head_.reset", "name": "reset"}),
    ],
    "rust": [
        ("declares", FILE_SCOPE, 1, _typed("used", "u16", of="Table")),
        ("declares", FILE_SCOPE, 1, _typed("mark", "[u8;4]", "4", of="Table")),
        ("declares", GROW, 3, _typed("extra", "usize")),
        ("allocates", GROW, 5, {"target": "next", "callee": "Vec::with_capacity",
                                "count": "extra*2"}),
        ("assigns", GROW, 6, _is("self.used", "extra as u16")),
        ("converts", GROW, 6, _narrows("extra", "usize", "u16")),
        ("assigns", GROW, 7, _is("self.used", "1", "+=")),
        ("under_lock", GROW, 8, {"lock": "self.lock", "at": 9, "to": 9}),
        ("frees", GROW, 10, {"callee": "drop", "expression": "held"}),
        ("assigns", GROW, 11, _is("a", "pair(1,2)")),
        ("compares", GROW, 12, _compared("self.used", ">=", "3")),
        ("frees", GROW, 13, {"callee": "Box::from_raw", "expression": "self.raw"}),
        ("assigns", GROW, 15, _is("Some(x)", "self.rows.pop()")),
        ("returns", GROW, 16, {"expression": "Some(x)"}),
        ("loops", GROW, 18, {"condition": "a<b", "to": 20}),
        ("loops", GROW, 21, {"condition": "&self.rows", "to": 23}),
        ("calls", GROW, 22, {"callee": "println!"}),
        ("allocates", GROW, 24, {"target": "list", "callee": "vec!", "count": "extra"}),
        ("assigns", GROW, 26, _is("self.mark[0]", "1")),
        ("calls", GROW, 27, {"callee": "self.reset", "name": "reset"}),
        ("returns", GROW, 29, {"expression": "None"}),
        ("assigns", "make", 33, _is(".used", "n as u16")),
    ],
    "go": [
        ("declares", FILE_SCOPE, 4, _typed("size", "int", of="Cache")),
        ("declares", FILE_SCOPE, 5, _typed("mark", "[16]byte", "16", of="Cache")),
        ("declares", PUT, 8, _typed("n", "int")),
        ("under_lock", PUT, 9, {"lock": "c.mu", "at": 10, "to": 31}),
        ("assigns", PUT, 11, _is("entry.size", "n")),
        ("allocates", PUT, 11, {"target": "entry", "callee": "&", "type": "Entry"}),
        ("allocates", PUT, 12, {"target": "rows", "callee": "make", "count": "n",
                                "type": "[]byte"}),
        ("assigns", PUT, 13, _is("right", "split(key)")),
        ("assigns", PUT, 14, _is("c.size", "n", "+=")),
        ("converts", PUT, 15, _narrows("n", "int", "int16")),
        ("declares", PUT, 15, _typed("small", "int16")),
        ("assigns", PUT, 16, _is("c.hits", "", "++")),
        ("loops", PUT, 17, {"condition": "i<n", "to": 19}),
        ("loops", PUT, 20, {"condition": "rows", "to": 22}),
        ("calls", PUT, 21, _passed("use", 1, "row")),
        ("compares", PUT, 23, _compared("n", ">", "3")),
        ("assigns", PUT, 24, _is("c.last", "nil")),
        ("returns", PUT, 25, {"expression": "old,nil"}),
        ("assigns", PUT, 28, _is("c.later", "n")),
        ("frees", PUT, 30, {"callee": "C.free", "expression": "c.raw"}),
    ],
    "c_sharp": [
        ("declares", FILE_SCOPE, 3, _typed("size", "int", of="Store")),
        ("declares", FILE_SCOPE, 5, _typed("Total", "int", of="Store")),
        ("assigns", "App.Store.Store", 6, _is("this.size", "size")),
        ("declares", ADD, 7, _typed("count", "long")),
        ("allocates", ADD, 8, {"target": "item", "callee": "new", "type": "Item"}),
        ("assigns", ADD, 8, _is("item.Weight", "3")),
        ("converts", ADD, 9, _narrows("count", "long", "int")),
        ("under_lock", ADD, 10, {"lock": "gate", "at": 11, "to": 11}),
        ("assigns", ADD, 11, _is("total", "small", "+=")),
        ("under_lock", ADD, 13, {"lock": "door", "at": 14, "to": 15}),
        ("loops", ADD, 17, {"condition": "items", "to": 19}),
        ("frees", ADD, 18, {"callee": "each.Dispose", "expression": "each"}),
        ("compares", ADD, 20, _compared("item", "is", "null")),
        ("compares", ADD, 20, _compared("count", ">=", "3")),
        ("allocates", ADD, 22, {"target": "raw", "size": "small*2"}),
        ("frees", ADD, 23, {"callee": "Marshal.FreeHGlobal", "expression": "raw"}),
        ("calls", ADD, 24, _passed("Log", 2, "item")),
        ("returns", ADD, 25, {"expression": "small"}),
        ("returns", "App.Store.Twice", 27, {"expression": "size*2"}),
    ],
}  # fmt: skip
ABSENT = {
    "c": [
        ("assigns", "take", 6, _is("total", "7")),  # a comment
        ("frees", "take", 6, {"expression": "q"}),
        ("assigns", "take", 8, _is("q->length", "9")),  # a string
        ("frees", "take", 15, {"expression": "q->name"}),  # #if 0
        ("assigns", "take", 18, _is("q->items", "NULL")),  # compiled, or not
        ("assigns", "take", 20, _is("q->items", "text")),
        ("assigns", "take", 10, _is("length", "count")),  # another target
        ("assigns", "put", 24, _is("q->items", "NULL")),  # another function
        ("frees", "take", 24, {"expression": "q->items"}),  # another line
        ("compares", "take", 22, _compared("copy", "!=", "0")),
        ("under_lock", "take", 28, {"at": 29, "to": 33}),
        ("frees", "put", 52, {"expression": "q"}),  # a function of the program
        ("calls", "take", 35, _passed("memcpy", 1, "tag")),
    ],
    "cpp": [
        ("returns", PUSH, 23, {"expression": ""}),  # of a lambda
        ("frees", "Pool::run", 37, {"expression": "this"}),
        ("assigns", "Pool::run", 37, _is("jobs_", "3")),
        ("frees", "Pool::run", 37, {"expression": "head_"}),
        ("calls", PUSH, 19, {"callee": "static_cast<uint16_t>"}),
    ],
    "rust": [
        ("assigns", GROW, 7, _is("self.rows", "next")),
        ("frees", GROW, 22, {"expression": "self"}),
        ("returns", GROW, 16, {"expression": "x"}),
        ("returns", GROW, 30, {}),
    ],
    "go": [
        ("assigns", PUT, 14, _is("c.size", "0")),
        ("assigns", PUT, 21, _is("c.last", "nil")),
        ("calls", PUT, 15, {"callee": "int16"}),
    ],
    "c_sharp": [
        ("assigns", ADD, 9, _is("small", "4")),
        ("assigns", ADD, 24, _is("total", "0")),
        ("assigns", ADD, 8, _is("Weight", "3")),
    ],
}


def _cases(table: dict[str, list[tuple[str, str, int, dict[str, object]]]]) -> list[object]:
    return [
        pytest.param(language, *row, id=f"{language}-{row[2]}-{row[0]}")
        for language, found in table.items()
        for row in found
    ]


@pytest.mark.parametrize(("language", "kind", "function", "at", "values"), _cases(TRUE))
def test_source_states(
    language: str, kind: str, function: str, at: int, values: dict[str, object]
) -> None:
    assert states(language, kind, function, at, values)


@pytest.mark.parametrize(("language", "kind", "function", "at", "values"), _cases(ABSENT))
def test_source_does_not_state(
    language: str, kind: str, function: str, at: int, values: dict[str, object]
) -> None:
    assert not states(language, kind, function, at, values)


def _written(field: str, language: str, text: str | None = None) -> list[tuple[str, int]]:
    found: list[Row] = writers(field, listing(text or TEXTS[language], language))
    return [(row.kind, row.line - 2) for row in found]


@pytest.mark.parametrize(
    ("language", "field", "lines"),
    [
        ("c", "items", [("frees", 23), ("assigns", 24), ("assigns", 38), ("assigns", 38),
                        ("assigns", 50)]),
        ("c", "name", [("calls", 35)]),
        ("c", "copy", []),  # a local of the function
        ("cpp", "data_", [("assigns", 4), ("frees", 5)]),
        ("cpp", "tail_", [("assigns", 17)]),
        ("rust", "raw", [("frees", 13), ("assigns", 14)]),
        ("go", "last", [("assigns", 24)]),
        ("c_sharp", "total", [("assigns", 11)]),
    ],
)  # fmt: skip
def test_writers_of_a_member(language: str, field: str, lines: list[tuple[str, int]]) -> None:
    assert _written(field, language) == lines


def test_language_by_what_parses() -> None:
    unnamed = SourceText(None, None, listing(TEXTS["rust"], None).lines)
    assert rows(unnamed) == rows(listing(TEXTS["rust"], "rust"))
    assert not rows(listing(C, "fortran"))
    assert not rows(SourceText("c", None, ()))


@pytest.mark.parametrize(
    ("language", "text", "freed"),
    [
        ("cpp", "struct C {\n  std::list<Row> rows_;\n  std::vector<int> counts_;\n"
         "  std::unique_ptr<Row> row_;\n  void f(Row *row) {\n    rows_.pop_back();\n"
         "    counts_.pop_back();\n    row_ = make();\n    row_.reset();\n"
         "    row = next();\n  }\n};",
         {("rows_.pop_back", "rows_"), ("=", "row_"), ("row_.reset", "row_")}),
        ("rust", "struct T { all: Vec<Box<Row>>, ids: Vec<u32> }\nimpl T {\n"
         "  fn f(&mut self, kept: Vec<u32>) {\n    self.all.truncate(0);\n    self.ids.clear();\n"
         "    self.ids = kept;\n  }\n}",
         {("self.all.truncate", "self.all"), ("=", "self.ids")}),
    ],
)  # fmt: skip
def test_what_owns_memory_gives_it_back(
    language: str, text: str, freed: set[tuple[str, str]]
) -> None:
    found = [row.values for row in rows(listing(text, language)) if row.kind == "frees"]
    assert {(row["callee"], row["expression"]) for row in found} == freed


@pytest.mark.parametrize(
    ("line", "converted"),
    [
        ("h->length = colon - line;", [("colon-line", "ptrdiff_t", 8)]),
        ("h->length += 1;", [("h->length+1", "int", 8)]),
        ("h->length++;", [("h->length+1", "int", 8)]),
        ("h->length -= n;", [("h->length-n", "size_t", 8)]), ("h->length |= 1;", []),
        ("h->total += h->length;", []), ("h->total -= n;", [("h->total-n", "size_t", 32)]),
        ("h->text += n;", []),
        ("h->total -= n - 1;", [("h->total-(n-1)", "size_t", 32)]),
        ("h->total *= n + 1;", [("h->total*(n+1)", "size_t", 32)]),
    ],
)  # fmt: skip
def test_what_a_sum_or_a_distance_loses(line: str, converted: list[tuple[str, str, int]]) -> None:
    text = "struct h { uint8_t length; int total; char *text; };\nstruct i { int length; };\n"
    text += f"void f(struct h *h, const char *line, const char *colon, size_t n)\n{{\n  {line}\n}}"
    found = [row.values for row in rows(listing(text, "c")) if row.kind == "converts"]
    assert [(row["expression"], row["from_type"], row["bits"]) for row in found] == converted


def test_what_a_neighbour_declares_is_not_kept() -> None:
    """A listing that was read beside another says alone what it said."""
    alone = listing("void f(struct s *p, long n) { p->b = n; int i = (int)p->n; }", "c")
    beside = listing("struct s { long n; char b; };", "c")
    told = [[row.values["from_type"] for row in found if row.kind in ("casts", "converts")]
            for found in (rows(alone, (alone, beside)), rows(alone))]  # fmt: skip
    assert told == [["long", "long", "long"], [""]]
