"""What is done with what has a name, at each place of a listing that has it."""

import pytest

from workbench.claims.source import SourceText
from workbench.claims.source.spots import has, names, spots


def _listed(language: str, shown: str) -> SourceText:
    lines = tuple((at, at, line) for at, line in enumerate(shown.splitlines(), 1))
    return SourceText(language, "a", lines)


def _in(language: str, body: str) -> SourceText:
    head = {"rust": "fn f(&mut self)", "cpp": "void f()"}[language]
    return _listed(language, f"{head}\n{{\n{body}\n}}")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("self.kept.push(Some(one));", [("used", ("push()",), "")]),
        ("self\n.kept\n.iter() // self.kept.clear()\n.count();",
         [("used", ("iter()", "count()"), "")]),
        ('log("kept.clear()"); /* self.kept.pop(); */ self.kept[at] = None;',
         [("set", ("[]",), "")]),
        ("self.kept[at].left -= 1;", [("set", ("[]", ".left"), "")]),
        ("for one in &self.kept { one.show(); }", [("over", (), "&")]),
        ("for one in\n&mut self.kept\n{ one.end(); }", [("over", (), "&mut")]),
        ("grow(&mut self.kept);", [("used", (), "&mut")]),
        ('println!("{}", self.kept.len());', [("used", ("len()",), "")]),
        ("assert!(matches!(self.kept.get(0), Some(_)));", [("used", ("get()",), "")]),
        ("let other = vec![self.kept.len(); 3];", [("named", (), "")]),
        ("one.map(|kept| kept + 1);", [("bound", (), ""), ("used", (), "")]),
        ("match one { Some(kept) if kept > 1 => 0, _ => 1 };",
         [("bound", (), ""), ("used", (), "")]),
        ("kept(3);", [("used", ("()",), "")]),
    ],
)  # fmt: skip
def test_what_rust_does_with_a_name(body: str, told: list[object]) -> None:
    found = spots(_in("rust", body), "kept")
    assert [(one.sort, one.steps, one.lent) for one in found] == told


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("kept[k] =\n    std::make_unique<X>();", [("set", ("[]",), "std::make_unique<X>()")]),
        ("kept.emplace(k,\n std::make_unique<X>()); // kept.reset()",
         [("used", ("emplace()",), "")]),
        ("auto &one = it->kept;", [("led", (), "")]),
        ("for (const auto &one : kept) show(one);", [("over", (), "")]),
        ("auto all = [&] { return kept.size(); };", [("used", ("size()",), "")]),
    ],
)  # fmt: skip
def test_what_cpp_does_with_a_name(body: str, told: list[object]) -> None:
    found = spots(_in("cpp", body), "kept")
    assert [(one.sort, one.steps, one.value) for one in found] == told


def test_a_line_that_is_too_long_is_not_read() -> None:
    shown = _listed("rust", "fn f() {\n" + "f();" * 2000 + "\n}")
    assert names(shown) is None
    assert has([shown], "unsafe")


def test_no_word_of_a_text_or_a_comment_is_one() -> None:
    shown = _in("cpp", 'say("goto catch"); /* catch\n goto */ f();\n#define RUN goto end')
    assert not has([shown], "catch", "catch_clause")
    assert has([shown], "goto")
