"""What Rust's own bounds check was called with is told beside the panic."""

import pytest

from analyzers.base import Document
from analyzers.patterns.language import PANIC, panic_advice
from analyzers.registry import analyze
from tests.claims.holding import unproved
from workbench.model.facts import FactBook

STACK = """\
#0  0x00007f3bb82af472 in __GI_abort () at ./stdlib/abort.c:79
#1  0x0000563b52f7e5fe in std::panicking::rust_panic () at library/std/src/panicking.rs:886
#2  0x0000563b52fa2ddc in core::panicking::panic_fmt () at library/core/src/panicking.rs:80
#3  0x0000563b52fa2bcc in core::panicking::{check} () at library/core/src/panicking.rs:271
#4  0x0000563b52f68653 in {caller} (self=..., index=41) at /rustc/5980/library/core/src/index.rs:19
#5  0x0000563b52f67d3a in jar::take (jars=0x7ffd95c36ac8, n=41) at jar.rs:7
#6  0x0000563b52f67ca6 in jar::main () at jar.rs:12
"""


@pytest.mark.parametrize(
    ("check", "caller", "told"),
    [
        (
            "panic_bounds_check",
            "core::slice::index::index<i32>",
            ["rust_panic", "bounds_check", "is 41"],
        ),
        ("panic_bounds_check", "jar::shelf", ["rust_panic", "bounds_check"]),
        ("panic_nounwind", "core::slice::index::index<i32>", ["rust_panic"]),
    ],
)
def test_a_refused_index_is_told(check: str, caller: str, told: list[str]) -> None:
    text = STACK.format(check=check, caller=caller)
    facts = FactBook(analyze(Document("E1", "bt 64", "gdb", text)).facts)
    verdict = PANIC.evaluate(facts)
    said = [claim.text for claim in verdict.claims[1:]]
    assert len(said) == len(told)
    assert all(part in text for part, text in zip(told, said, strict=True))
    assert unproved(verdict.claims, facts, {"E1": text}) == []


@pytest.mark.parametrize(("refused", "quoted"), [("41", 1), ("9", 0)])
def test_the_message_says_which_index_was_refused(refused: str, quoted: int) -> None:
    text = STACK.format(check="panic_bounds_check", caller="core::slice::index::index<i32>")
    kept = KEPT.replace(
        "no such jar", f"index out of bounds: the len is 3 but the index is {refused}"
    )
    documents = (Document("E1", "bt 64", "gdb", text), Document("E2", "@abort", "dump", kept))
    verdict = PANIC.evaluate(FactBook(f for each in documents for f in analyze(each).facts))
    assert [claim.kind for claim in verdict.claims].count("value") == quoted


KEPT = """\
no abort message: __abort_msg at 0x7f6f246ade60 is 0x0
rust panic: the function at 0x563b52f7e500 (file jar r-x) names the text: failed to initiate panic
rust panic at src/jar.rs:7:9: the call at 0x563b52f67d35 (file jar r-x) passes this location, \
0x563b52fc1448, and returns to 0x563b52f67d3a
rust panic message at 0x560be7f3bda0: no such jar
"""
NAMELESS = """\
#0  0x00007f3bb82af472 in __GI_abort () at ./stdlib/abort.c:79
#1  0x0000563b52f7e5fe in ?? ()
#2  0x0000563b52fa2ddc in ?? ()
#3  0x0000563b52f67d3a in ?? ()
#4  0x0000563b52f67ca6 in ?? ()
"""


@pytest.mark.parametrize("stack", [NAMELESS, STACK.format(check="panic_fmt", caller="core::x")])
def test_the_place_and_the_message_that_std_keeps(stack: str) -> None:
    documents = (Document("E1", "bt 64", "gdb", stack), Document("E2", "@abort", "dump", KEPT))
    facts = FactBook(fact for document in documents for fact in analyze(document).facts)
    verdict = PANIC.evaluate(facts)
    assert '"no such jar"' in verdict.claims[1].text
    cited = {c.first for claim in verdict.claims for c in claim.citations if c.evidence == "E2"}
    assert cited == {3, 4}  # not the text that a function names, which was never printed
    assert verdict.frame is not None
    assert verdict.frame.address == 0x563B52F67D3A
    assert verdict.frame.line == 7
    assert unproved(verdict.claims, facts, {"E1": stack, "E2": KEPT}) == []


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        ("        self.cells[y * self.width + x]", 9, "self.cells[y * self.width + x]"),
        ("        self.cells[y * self.width + x]", 19, "self.cells[y * self.width + x]"),
        ("        (name, amount.unwrap()) }", 23, "amount.unwrap()"),
        ('        let v = load("a (b").expect("c d");', 30, 'load("a (b").expect("c d")'),
        ("        left = self.all - self.used.get(0);", 16, "self.all - self.used.get(0)"),
        ("        f(&self.bus.slots.borrow_mut().get(1))", 27, "self.bus.slots.borrow_mut()"),
        ("        v.iter().sum::<u32>() / v.len() as u32", 9, "v.iter().sum::<u32>() / v.len()"),
        (
            "        let n = std::mem::size_of::<Vec<u8>>() - 64;",
            17,
            "std::mem::size_of::<Vec<u8>>() - 64",
        ),
        ('        c.unwrap(); log!("{}", m.unwrap())', 34, "m.unwrap()"),  # another call's line
        ('        panic!("no {}", name)', 9, 'panic!("no {}", name)'),
    ],
)
def test_the_expression_at_a_panics_column_is_told(line: str, column: int, said: str) -> None:
    assert _told(line, column) in (f"The expression: `{said}`", f"The expression: `{said}`.")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("divide by zero", "expression: `a.n * 60 / u32::from(a.step)`"),
        ("multiply with overflow", "expression: `a.n * 60`"),
        ("add with overflow", "expression: `a.n * 60 / u32::from(a.step) + b.n % 2`"),
        ("subtract with overflow", 'line reads "a.n * 60 / u32::from(a.step) + b.n % 2"'),
    ],
)
def test_both_sides_of_the_operator_that_a_panic_names_are_told(message: str, said: str) -> None:
    line = "a.n * 60 / u32::from(a.step) + b.n % 2"
    assert _told(line, 1, f"attempt to {message}") == f"The {said}"


def _told(line: str, column: int, message: str = "no such jar") -> str:
    stack = STACK.format(check="panic_fmt", caller="core::x::unwrap").replace("n=41", "n=...")
    listed = f"#5  0x0000563b52f67d3a in jar::take () at src/jar.rs:7\n7\t{line}\n"
    kept = KEPT.replace("no such jar", message).replace("jar.rs:7:9", f"jar.rs:7:{column}")
    texts = {"E1": stack, "E2": kept, "E3": listed}
    commands = {"E1": "bt 64", "E2": "@abort", "E3": "frame apply level 5 -q frame"}
    documents = [Document(id, commands[id], "dump" if id == "E2" else "gdb", text)
                 for id, text in texts.items()]  # fmt: skip
    facts = FactBook(fact for document in documents for fact in analyze(document).facts)
    told = PANIC.evaluate(facts).claims
    assert unproved(told, facts, texts) == []
    return told[1].text


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("attempt to divide by zero", "divisor"),
        ("attempt to calculate the remainder with a divisor of zero", "divisor"),
        ("attempt to subtract with overflow", "range"),
        ("index out of bounds: the len is 3 but the index is 7", "index"),
        ("range end index 9 out of range for slice of length 4", "index"),
        ("called `Option::unwrap()` on a `None` value", "None"),
        ("already borrowed: BorrowMutError", "RefCell"),
        ("the till is closed", "panicking line"),
        (None, "panicking line"),
    ],
)
def test_what_to_do_fits_the_message(message: str | None, word: str) -> None:
    assert word in panic_advice(message)
