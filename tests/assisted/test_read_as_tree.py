"""What lines, one by one, would tell otherwise: an expression over two, a comment, a text."""

import pytest

from workbench.agents.assisted.code import Code
from workbench.agents.assisted.lines import jumps
from workbench.agents.assisted.marks import comes_back
from workbench.agents.assisted.returned import _returns_unseen
from workbench.agents.assisted.rivals import _is_given_to_type, first_values, is_lent, makes_unseen
from workbench.agents.assisted.standing import _defined
from workbench.claims.source import SourceText
from workbench.claims.source.rows import numbers_of
from workbench.claims.source.spots import casts_pointer, constructors, divisors, spots
from workbench.model.investigation import Investigation


def _code(language: str, shown: str) -> Code:
    lines = tuple((at, at, line) for at, line in enumerate(shown.splitlines(), 1))
    return Code(Investigation(), [SourceText(language, f"a.{language}", lines)])


@pytest.mark.parametrize(
    ("shown", "named"),
    [
        ("static int\nof(int n)\n{ return n; }", False),
        ("static int of(int n) { return n; }\n/* static, as of\n (see of) is */", False),
        ("int of(int n) { return n; } // static int of(int n)", True),
        ('static int of(int n) { return n; }\nconst char *name = "of(1)";', False),
        ("static int of(int n) { return n; }\nint (*by)(int) =\n    of;", True),
    ],
)
def test_a_function_that_only_its_file_names(shown: str, named: bool) -> None:
    assert _code("c", shown).is_named("of") is named


def test_what_is_declared_over_two_lines() -> None:
    code = _code("c", "struct s { unsigned a\n: 3; int b; };\nstatic int\nall\n[3];\nint *one;")
    line = code.of_kind("declares")[0]
    assert [code.is_bits(line, place) for place in ("s->a", "s->b")] == [False, False]
    code = _code("c", "struct s { unsigned a : 3 /* b : 2 */; int b; };\nvoid f(struct s *s)\n"
                      "{ int all[3]; int *one; s->a = 1; }")  # fmt: skip
    line = code.of_kind("assigns")[0]
    assert [code.is_bits(line, place) for place in ("s->a", "s->b")] == [True, False]
    assert [code.is_array(line, name) for name in ("all", "one")] == [True, False]


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ('#define SAY(x) log("x = %d", x)\nint f() { return 1; } /* SAY(1) */', {}),
        ("#define ONE 1\n#define TWO (ONE + ONE)\nint f() { return TWO; }",
         {"ONE": "1", "TWO": "ONE+ONE"}),
        ("#define SET(p) p##_a \\\n    = 1\nint f() { SET(b); }", {"SET": "p##_a=1"}),
    ],
)  # fmt: skip
def test_the_macros_that_are_used(shown: str, told: dict[str, str]) -> None:
    assert _code("c", shown).macros == told


def test_jumps_are_statements() -> None:
    shown = 'int f(int n) {\nagain:\n  say("goto again");\n  // goto again;\n  if (n--)\n'
    assert jumps(_code("c", f"{shown}    goto\n      again;\n}}").texts[0]) == ((2, 6),)
    assert jumps(_code("c", f"{shown}    n = 0;\n}}").texts[0]) == ()


@pytest.mark.parametrize(
    ("language", "shown", "back"),
    [
        ("cpp", 'void f() { say("catch"); } // catch (...)', True),
        ("cpp", "void f() { try { g(); }\ncatch\n(...) { } }", False),
        ("cpp", "void f() { catch_up(); }", True),
        ("rust", "fn f() { std::panic::catch_unwind(g); }", False),
    ],
)
def test_what_catches(language: str, shown: str, back: bool) -> None:
    assert comes_back(_code(language, shown)) is back


@pytest.mark.parametrize(
    ("shown", "unseen"),
    [
        ("struct A { n: u8 } // Default", False),
        ("fn f() -> A { A { n: 1,\n    ..\n    other } }", True),
        ("#[derive(Default)] struct A { n: u8 }", True),
        ('fn f() { println!("default ..x"); }', False),
    ],
)
def test_what_makes_an_object_unseen(shown: str, unseen: bool) -> None:
    assert makes_unseen(_code("rust", shown)) is unseen


@pytest.mark.parametrize(
    ("body", "lent"),
    [
        ("grow(&mut\n self.kept);", True),
        ("grow(&self.kept); // &mut self.kept", False),
        ("self.kept\n.replace(one);", True),
        ("let A { kept, .. } = self;", True),
        ("std::mem::take(&mut self.other);", True),
        ("self.kept.len();", False),
    ],
)
def test_a_member_that_is_lent(body: str, lent: bool) -> None:
    code = _code("rust", f"struct A {{ kept: Vec<u8> }}\nimpl A {{ fn f(&mut self) {{ {body} }} }}")
    assert is_lent(code, "kept") is lent


@pytest.mark.parametrize(
    ("rest", "given"),
    [
        ("", ["0"]),
        ("void f() { A a =\n{ 3 }; }", []),
        ("void f() { A a{3}; }", []),
        ("void f() { B b{3}; }", ["0"]),
        ("struct C { int m; C() : m{3} {} };", ["0"]),
        ("A f() { return\n {3}; }", []),
        ("// return {3}", ["0"]),
    ],
)
def test_the_value_that_a_member_begins_with(rest: str, given: list[str]) -> None:
    code = _code("cpp", f"struct A {{\n    int left = 0;\n}};\n{rest}")
    assert [one.of("expression") for one in first_values(code, "A", "left")] == given


@pytest.mark.parametrize(
    ("rest", "given"),
    [
        ("void f() { A a; g(&a); }", False),
        ("std::vector<\n    A> all;", True),
        ("using All = std::map<int, A>;", True),
        ("std::vector<A *> all; // std::vector<A>", False),
    ],
)
def test_a_type_that_is_made_with_a_class(rest: str, given: bool) -> None:
    text = _code("cpp", f"struct A {{ int left; }};\n{rest}").texts[0]
    assert any(map(_is_given_to_type, spots(text, "A"))) is given


@pytest.mark.parametrize(
    ("body", "unseen"),
    [("g()\n    ?\n    .h();", True), ('say("g()?;"); // g()?;', False), ("say!(g()?);", True)],
)
def test_a_function_that_an_operator_leaves(body: str, unseen: bool) -> None:
    code = _code("rust", f"fn f() -> Option<u8> {{\n    let a = 1;\n    {body}\n    Some(a)\n}}")
    assert _returns_unseen(code.of_kind("assigns")[0]) is unseen


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("one", {"static"}),
        ("two", {"static"}),
        ("three", set()),
        ("four", {"thread_local"}),
        ("five", {"extern"}),
        ("six", {"static"}),
    ],
)
def test_what_a_variable_lives_longer_by(name: str, by: set[str]) -> None:
    shown = "int f() {\nint three = 3; static int one, *two = 0;\nthread_local int four;\n"
    shown += "extern int five; // static\n int static (*six)(int);\nreturn one; }"
    code = _code("cpp", shown)
    (line,) = (one for one in code.of_kind("declares") if one.of("name") == name)
    assert line.storage == by


@pytest.mark.parametrize("shown", ["#", "#define", "#define A(\n", "#\\\n\\\n#define \\\nA"])
def test_a_directive_that_is_cut_is_none(shown: str) -> None:
    assert "1" not in _code("c", f"{shown}\nint f() {{ return A; }}").constants.values()


def test_a_listing_that_is_not_read_may_name_anything() -> None:
    code = _code("c", "static int of(int n) { return n; }\nint g() { return of(1); }")
    assert code.is_called_alone("of")
    cut = f"static int of(int n) {{ return n; }}\nint g() {{ return of(1); }}\n// {'-' * 5000}"
    assert not _code("c", cut).is_called_alone("of")


@pytest.mark.parametrize(
    ("line", "by"),
    [
        ("let a = b / self.n as u64; // c / d", {"self.n"}),
        ('say("a / b"); a %= (b.n);', {"b.n"}),
        ("let a = b * c / /* by */ d;", {"d"}),
        ("let a = &b[..c]; /* / d */", set()),
    ],
)
def test_by_what_a_line_divides(line: str, by: set[str]) -> None:
    text = _code("rust", f"fn f(&self) {{\n{line}\n}}").texts[0]
    assert divisors(text, 2) == by


@pytest.mark.parametrize(
    ("body", "casts"),
    [
        ("struct a *b = (struct a *)\n    get(1);", True),
        ("char *b = (char *) (got->name);", True),
        ("int b = (int) get(1); // (char *) got", False),
        ('say("(char *) got"); char *b = (char *) other(got);', False),
    ],
)
def test_what_a_cast_makes_another_pointer_of(body: str, casts: bool) -> None:
    text = _code("c", f"void f(void) {{\n{body}\n}}").texts[0]
    assert casts_pointer(text, {"get", "got"}) is casts


def test_the_heads_of_constructors() -> None:
    shown = "struct S {\n S(int a = (1), int b = {}) : n(a) { }\n S(const S &);\n S() = default;\n"
    shown += "~S() { }\n int n; /* S() { } */\n};\nS::S(\n const S &one)\n : n(1) { }\nS f() {"
    assert constructors(_code("cpp", f"{shown} return S{{}}; }}").texts[0], "S") == {2, 4, 8}


@pytest.mark.parametrize(
    ("shown", "numbers"),
    [
        ("#define A 8 /* as many */\n#define B \\\n (9) // more", {"A", "B"}),
        ("#define A 8\n#define A 8u\n#define B(x) 3\n#define C 12345678901\n// #define D 1", set()),
    ],
)
def test_the_macros_that_are_numbers(shown: str, numbers: set[str]) -> None:
    assert numbers_of(_code("c", f"{shown}\nint f;").texts[0]) == numbers


def test_the_macros_that_are_defined_with_a_word() -> None:
    shown = "#define EACH(a, all) \\\n  /* of */ \\\n  for (a = all; a; a = a->next)\n"
    shown += '#define SAY puts("for while") // for\n#define fort 1\nint f;'
    assert _defined(_code("c", shown), "for", "while") == {"EACH"}


def test_what_is_not_read_may_be_a_constructors_head() -> None:
    printed = "class Hub {\nstd::map<int, S, std::less<int>, <more> > all;\n};"
    assert constructors(_code("cpp", printed).texts[0], "S") == set()
    marked = "struct S {\n S(int a) FAST(1) : n(a) { }\n int n;\n};"
    assert constructors(_code("cpp", marked).texts[0], "S") == {2}
