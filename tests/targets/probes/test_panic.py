"""Rust panics out of real cores, with names and without."""

import pytest

from tests.targets.probes.ask import ask, crashed
from workbench.model.facts import RustPanic

ABORTS = ("-C", "panic=abort")
STRIPPED = (*ABORTS, "-O", "-C", "strip=symbols")
INDEX = """\
#[inline(never)] fn nth(v: &[u32], i: usize) -> u32 {
    v[i]
}
fn main() { let v: Vec<u32> = (0..10).collect();
    println!("{}", nth(&v, std::env::args().count() * 30)); }
"""
MISSING = """\
use std::collections::HashMap;
#[inline(never)] fn size(m: &HashMap<u32, String>) -> usize {
    m.get(&2).expect("the second\\nis gone").len()
}
fn main() { println!("{}", size(&HashMap::new())); }
"""
ABORT = """\
fn main() { if std::env::args().count() > 0 { std::process::abort() } }
"""
OWN_TEXT = """\
struct Shelf { names: Vec<u8>, spans: Vec<(usize, usize)> }
impl Shelf { fn show(&self) {
    for w in &self.spans { println!("{}", String::from_utf8_lossy(&self.names[w.0..w.1])); }
} }
fn main() { let n = std::env::args().count();
    let names = b"the program's own text".to_vec();
    Shelf { names, spans: vec![(0, n), (n * 90, 99)] }.show(); }
"""
NOTHING = """\
use std::collections::HashMap;
struct Profile { name: String, settings: HashMap<String, String> }
impl Profile {
    fn parse(name: &str, text: &str) -> Profile {
        let mut settings = HashMap::new();
        for line in text.lines() {
            if let Some((k, v)) = line.split_once('=') {
                settings.insert(k.trim().to_string(), v.trim().to_string());
            }
        }
        Profile { name: name.to_string(), settings }
    }
    fn number(&self, key: &str) -> u32 {
        let value = self.settings.get(key).unwrap();
        value.parse().expect("a number")
    }
}
fn threads(all: &[Profile]) -> u32 { all.iter().map(|p| p.number("threads")).sum() }
fn main() {
    let all = vec![Profile::parse("dev", "threads=2"), Profile::parse("prod", "thread=16")];
    println!("{}", all[0].name);
    println!("{}", threads(&all));
}
"""
SAID = (
    (OWN_TEXT, 3, "range start index 90 out of range for slice of length 22"),
    (INDEX, 2, "index out of bounds: the len is 10 but the index is 30"),
    (MISSING, 3, "the second"),
)


@pytest.mark.parametrize("flags", [ABORTS, STRIPPED])
@pytest.mark.parametrize(("program", "line", "message"), SAID)
def test_place_and_words(flags: tuple[str, ...], program: str, line: int, message: str) -> None:
    panic = ask(crashed(program, *flags, lang="rs"), "@abort").one(RustPanic)
    assert panic.file is not None
    assert panic.file.endswith("program.rs")
    assert (panic.line, panic.message) == (line, message)
    assert panic.returns_to


def test_no_pointer_with_a_number_behind_it_is_a_message() -> None:
    """A register with a text's address and one with the sum 2 are kept beside each other."""
    core = crashed(NOTHING, *ABORTS, "-C", "opt-level=2", lang="rs")
    panic = ask(core, "@abort").one(RustPanic)
    assert panic.message == "called `Option::unwrap()` on a `None` value"


def test_an_abort_is_no_panic() -> None:
    assert not ask(crashed(ABORT, *STRIPPED, lang="rs"), "@abort").all(RustPanic)


def test_a_c_program_says_nothing_of_rust() -> None:
    core = crashed("#include <stdlib.h>\nint main(void) { abort(); }")
    assert not ask(core, "@abort").all(RustPanic)


def test_a_program_that_maps_itself_keeps_its_code() -> None:
    """A backtrace with symbols maps the whole program a second time, as data."""
    program = """\
struct Row(Vec<u8>);
impl Drop for Row { fn drop(&mut self) { if self.0[3] == 0 { println!("z"); } } }
fn main() { let row = Row(vec![1]); let n: Option<u8> = std::env::args().nth(5).map(|_| 1);
    println!("{}", n.unwrap() + row.0[0]); }
"""
    panic = ask(crashed(program, "-g", lang="rs"), "@abort").one(RustPanic)
    assert panic.message == "panic in a destructor during cleanup"
