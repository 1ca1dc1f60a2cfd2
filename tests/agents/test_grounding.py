"""A claim holds exactly when everything that it states stands in the lines that it cites."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.agents.cases import TEXTS, claim, evidence
from workbench.agents.checking import worded
from workbench.agents.grounding import Reason, check_claim, extract, grounded
from workbench.agents.tokens import Kind
from workbench.model.citation import Citation

LINES = [
    "#0  0x0000000000401196 in conn_drop (c=0x4052a0) at src/ring.c:42",
    'Line 77 of "pool.c" starts at address 0x401230 <worker+22>.',
    "00400000-00401000 r-xp 16 bytes, offset -0x10",
    "=> 0x401196:\tmov    0x10(%rax),%rdx",
    "ns::Pool::take (this=0x0) glibc 2.36",
    "free(): double free detected in tcache 2",
    "[Current thread is 3 (LWP 4711)] 7ffff7dd1b20",
]


def fails(text: str, lines: list[str] = LINES) -> list[str]:
    return [failure.token for failure in grounded(claim(text, "E1"), lines)]


@pytest.mark.parametrize(
    "text",
    [
        "`conn_drop` at ring.c:42 got 0x4052a0.",
        "pc was 4198806",
        "pc was 0x401196, or 0x00401196",
        "the mapping begins at 0x400000",
        "it is 0x10 bytes long",
        "`mov 0x10(%rax),%rdx` reads through %rax",
        "conn_drop() and ns::Pool::take failed",
        "Pool::take() failed",
        '"double free detected" was the message',
        "pool.c:77 is where `worker` is",
        "thread 4711 and handle 0x7ffff7dd1b20",
        "the offset was -16",
        "`0x4052a0 + 0x10 = 0x4052b0`",
        "it wrote at 0x4052a0 + 16 = 0x4052b0",
        "0x4052b0 = 0x4052a0 + 16",
        "0x4052a0 - 0x401196 = 0x410a",
        "glibc 2.36 was used",
        "don't trust the thread's own word",
        "two of them were there, the rest were not",
        "2 threads: 3 and 4711",
        "",
    ],
)
def test_a_claim_holds(text: str) -> None:
    assert fails(text) == []


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("the value was 0x100", "0x100"),
        ("the value was 0x1", "0x1"),
        ("the value was 0x17", "0x17"),
        ("pc was 0x401197", "0x401197"),
        ("`conn_dro` ran", "conn_dro"),
        ("`onn_drop` ran", "onn_drop"),
        ("conn_dropped ran", "conn_dropped"),
        ("ring.c:43 is where it was", "ring.c:43"),
        ("ring.c:4 is where it was", "ring.c:4"),
        ("ring.c:0 is where it was", "ring.c:0"),
        ("pool.c:42 is where it was", "pool.c:42"),
        ('it said "double free"d "corruption"', "corruption"),
        ("SIGSEGV ended it", "SIGSEGV"),
        ("version 2.3 of it", "2.3"),
        ("-42 was there", "-42"),
        ("thread 12 was there", "12"),
        ("0x4052a0 + 0x10 = 0x4052c0", "0x4052c0"),
        ("0x99 + 0x98 = 0x131", "0x99"),
        ("3 threads: 3 and 4711, 9 of them", "9"),
        ("5 threads: 3 and 4711", "5"),
        ("`r8` was bad", "r8"),
        ("r8 was bad", "r8"),
        ("x86 it is", "x86"),
        ("1,234 bytes", "1,234"),
    ],
)
def test_a_claim_fails_by_one_token(text: str, token: str) -> None:
    assert token in fails(text)


def test_bare_digits_are_not_hexadecimal() -> None:
    assert fails("0x10 of them", ["10 of them"]) == ["0x10"]
    assert fails("0x4012 of them", ["4012 of them"]) == ["0x4012"]
    assert fails("0x40a1 was there", ["line 40a1 here"]) == []


def test_a_number_may_count_the_lines_that_show_a_symbol() -> None:
    lines = [f"#{n}  in descend (depth={n}) at t.c:9" for n in range(100, 124)]
    assert fails("`descend` fills 24 frames", lines) == []
    assert fails("`descend` fills 25 frames", lines) == ["25"]
    assert fails("24 of the 24 frames are `descend`", lines) == []


def test_citations_are_not_numbers_and_must_lead_somewhere() -> None:
    items = {"E1": evidence("E1", TEXTS["E1"], "@notes")}
    assert check_claim(claim("It stands there (E1:1-2).", "E1:1"), items, TEXTS.__getitem__) == []
    for citation, reason in (
        ("E9", Reason.NO_ITEM),
        ("E1:3", Reason.NO_LINES),
        ("E1:2-9", Reason.NO_LINES),
        ("E1:2-1", Reason.NO_LINES),
    ):
        failures = check_claim(claim("It is so.", citation), items, TEXTS.__getitem__)
        assert [failure.reason for failure in failures] == [reason]
    inline = check_claim(claim("It is so (E7:1).", "E1:1"), items, TEXTS.__getitem__)
    assert [failure.reason for failure in inline] == [Reason.NO_ITEM]


def test_a_claim_that_cites_nothing_fails() -> None:
    items = {"E1": evidence("E1", TEXTS["E1"], "@notes")}
    for text in ("It is a use after free.", "0x4052b0 was freed", "`conn_drop` did it"):
        failures = check_claim(worded(text, ()), items, TEXTS.__getitem__)
        assert {failure.reason for failure in failures} == {Reason.NO_CITATION}


def test_a_text_that_cannot_be_read_is_a_failure_not_an_error() -> None:
    items = {"E1": evidence("E1", TEXTS["E1"], "@notes")}
    nothing: dict[str, str] = {}
    failures = check_claim(claim("It is so.", "E1:1"), items, nothing.__getitem__)
    assert [failure.reason for failure in failures] == [Reason.NO_ITEM]


def test_tokens_in_order_of_appearance() -> None:
    kinds = [(t.kind, t.text) for t in extract('`a b` 0x1f, "q", x_y at f.c:3; $rip (E3:4) 7')]
    assert kinds == [
        (Kind.SYMBOL, "a b"),
        (Kind.NUMBER, "0x1f"),
        (Kind.QUOTE, "q"),
        (Kind.SYMBOL, "x_y"),
        (Kind.PLACE, "f.c:3"),
        (Kind.SYMBOL, "rip"),
        (Kind.NUMBER, "7"),
    ]


words = st.one_of(
    st.integers(0, 2**64 - 1).map(str),
    st.integers(0, 2**64 - 1).map(hex),
    st.from_regex(r"[a-z]{1,8}_[a-z]{1,8}", fullmatch=True),
    st.from_regex(r"`[a-z]{2,8}->[a-z]{2,8}`", fullmatch=True),
    st.from_regex(r"[a-z]{2,8}\.c:[1-9][0-9]{0,3}", fullmatch=True),
    st.from_regex(r"\"[a-z ]{1,20}[a-z]\"", fullmatch=True),
)


@given(st.lists(words, min_size=1, max_size=8))
def test_what_is_copied_from_the_cited_lines_holds(tokens: list[str]) -> None:
    lines = [token.strip('`"') for token in tokens]
    assert grounded(claim(" and ".join(tokens), "E1"), lines) == []


@given(st.integers(0, 2**64 - 1), st.booleans())
def test_the_other_base_holds(value: int, as_hex: bool) -> None:
    line, text = (str(value), hex(value)) if as_hex else (f"{value:#018x}", str(value))
    assert grounded(claim(f"it was {text}", "E1"), [f"x = {line};"]) == []


@given(
    st.lists(st.integers(0, 2**48), min_size=1, max_size=6), st.data(), st.sampled_from([str, hex])
)
def test_changing_any_digit_fails(values: list[int], data: st.DataObject, show: object) -> None:
    assert callable(show)
    shown = show(data.draw(st.sampled_from(values)))
    start = 2 if shown.startswith("0x") else 0
    place = data.draw(st.integers(start, len(shown) - 1))
    digit = data.draw(st.sampled_from("0123456789abcdef" if start else "0123456789"))
    changed = shown[:place] + digit + shown[place + 1 :]
    assume(int(changed, 0 if start else 10) not in values)
    lines = [f"value {value:#x} here" for value in values]
    assert fails(f"it was {shown}", lines) == []
    assert fails(f"it was {changed}", lines) == [changed]


@given(st.text(max_size=400), st.lists(st.text(max_size=80), max_size=4))
def test_no_text_makes_it_raise(text: str, lines: list[str]) -> None:
    grounded(claim(text, "E1"), lines)
    grounded(worded(text, ()), lines)


MARKS = ["0x", "0x1", "E1", ":", "-", "=", "+", "`", '"', "'", "(", ")", ",", "10", "0", " "]
MARKS += ["a_b", "3 of 4 frames", "9" * 50, "\u00b2", "\u0663", "\u2212"]


@given(st.lists(st.sampled_from(MARKS), max_size=40))
def test_no_mixture_of_marks_makes_it_raise(parts: list[str]) -> None:
    grounded(claim("".join(parts), "E1"), ["0x1 a_b"])


def test_long_hostile_claims_are_read_in_linear_time() -> None:
    for text in ("a" * 100_000, "1 + " * 20_000, "x." * 50_000, "1 a: " * 20_000, "`" * 50_000):
        grounded(claim(text, "E1"), ["nothing"])


def test_a_backtick_in_a_name_does_not_silence_its_cause() -> None:
    said = worded("The fault is in `do'it`.", (Citation("E1", 1),))
    assert grounded(said, ["#0  do`it () at a.c:1"]) == []


@pytest.mark.parametrize(
    "text",
    [
        "The owner is 0xdeadbeef + 0x0 = 0xdeadbeef.",
        "It is 0xdeadbeef - 0xdeadbeef = 0x0.",
        "It is 0x0 = 0xdeadbeef - 0xdeadbeef.",
        "0xdeadbeef = 0xdeadbeef + 0.",
    ],
)
def test_an_equation_launders_no_number(text: str) -> None:
    said = worded(text, (Citation("E1", 1),))
    assert grounded(said, ["si_addr: 0x0, 0 frames"]) != []
