"""The read-only policy for cdb: what people read with passes, whatever runs or writes does not."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.soak import examples
from workbench.debuggers.cdb.policy import (
    ASKED_DOT,
    EXTENSIONS,
    FORBIDDEN,
    FORBIDDEN_EXTENSIONS,
    READING,
    READING_DOT,
)
from workbench.debuggers.policy import Answer, check

ACCEPTED = Path(__file__).with_name("cdb_accepted.txt").read_text().splitlines()
FORBIDDEN_LINES = Path(__file__).with_name("cdb_forbidden.txt").read_text().splitlines()
# What may stand before a command and leaves it what it is.
WRAPPERS = ("", " ", "\t", "k;", "k ; ", ";;", "~*e ", "~* e ", "~3e ", "~.e ~*e ", "~*", "~#",
            "~~[1a4]e ", "r;~*e ")  # fmt: skip


def test_accepts_what_people_read_with() -> None:
    judged = {command: check(command, "cdb") for command in ACCEPTED}
    assert {command: one for command, one in judged.items() if not one.accepted} == {}


def test_forbids_what_runs_or_writes() -> None:
    judged = {command: check(command, "cdb") for command in FORBIDDEN_LINES}
    assert {c: one for c, one in judged.items() if one.answer is not Answer.FORBID} == {}


@pytest.mark.parametrize(
    "command",
    [
        ".cxr 0x1234", ".thread ffffe001", ".trap ffffe001", ".effmach x86", ".lines",
        "!look 1", "!process 0 17 /p", "?? object.method()", "* a remark", ".sleep 1",
        "!heap -b alloc", "ln (f)(3) foo(3)", ".frame /c 3",
    ],
)  # fmt: skip
def test_asks_where_nobody_can_tell(command: str) -> None:
    assert check(command, "cdb").answer is Answer.ASK, check(command, "cdb").reason


@settings(max_examples=examples(400), deadline=None)
@given(
    st.sampled_from(FORBIDDEN_LINES), st.sampled_from(WRAPPERS), st.sampled_from(("", " ", ";k"))
)
def test_no_wrapper_lets_a_forbidden_command_through(line: str, wrap: str, tail: str) -> None:
    assert not check(f"{wrap}{line}{tail}", "cdb").accepted


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from(FORBIDDEN_LINES), st.randoms(use_true_random=False))
def test_case_makes_no_difference(line: str, random: object) -> None:
    choice = getattr(random, "choice")  # noqa: B009 - hypothesis' own type is private
    spelt = "".join(choice((char.lower(), char.upper())) for char in line)
    assert not check(spelt, "cdb").accepted


@settings(max_examples=examples(500), deadline=None)
@given(
    st.text(alphabet=st.sampled_from(list("erdkbgptfm.!~*|;$<>@(){}\"'= 0123[]abcshlowd?xj")),
            max_size=24)
)  # fmt: skip
def test_what_passes_begins_with_a_command_that_reads(text: str) -> None:
    if not check(text, "cdb").accepted:
        return
    assert not any(mark in text for mark in ("$<", "$>", "{"))
    for part in text.split(";"):
        bare = part.strip(" \t~*.#|0123456789[]").lower()
        assert not bare.startswith(("eb ", "ed ", "g ", "q", ".shell", "bp", "f ", "m "))


@settings(max_examples=examples(300), deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_answered(text: str) -> None:
    assert check(text, "cdb").answer in Answer


def test_no_word_is_both_read_and_forbidden() -> None:
    assert not READING & FORBIDDEN
    assert not READING_DOT & (FORBIDDEN | ASKED_DOT)
    assert not EXTENSIONS & FORBIDDEN_EXTENSIONS


@pytest.mark.parametrize(
    "line",
    [
        '!address -c:".shell calc"', "!address -c:.reboot", "~*e !address -c:.kill", "!evil.help",
        "!mimilib.analyze", "!chkimg -f nt", "!chkimg -mmw out.img nt", "!analyze -c",
        "!analyze -c -load file", "?? --i", "? @@c++(--i)", "dd @@(--i)", "dx --i", "!session -s 1",
        "r eax 5", "~0 r eax 5",
    ],
)  # fmt: skip
def test_what_reads_by_another_name_writes(line: str) -> None:
    assert check(line, "cdb").answer is Answer.FORBID


@pytest.mark.parametrize(
    "line",
    [
        "!address -summary", "!address 0x1000", "!analyze -v", "!analyze -v -hang",
        "!ext.analyze -v",
        "!sos.clrstack", "!chkimg nt", "r", "r eax, ebx", "r @$t0", "r xmm0:uq", "? 1--1", "~*k",
    ],
)  # fmt: skip
def test_what_reads_still_does(line: str) -> None:
    assert check(line, "cdb").answer is Answer.ACCEPT


def test_a_quoted_text_of_an_extension_is_asked_about() -> None:
    assert check('!poolfind x -x ".shell calc"', "cdb").answer is Answer.ASK
