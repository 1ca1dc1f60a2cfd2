"""What may be sent to lldb unasked, by its own grammar."""

import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.debuggers.talk import ask
from tests.soak import examples
from workbench.debuggers.lldb.commands import ALIASES, SUBCOMMANDS, first_words, meant
from workbench.debuggers.lldb.debugger import LldbDebugger
from workbench.debuggers.lldb.reading import ASKED, READING
from workbench.debuggers.policy import Answer, check

HERE = Path(__file__)
# "-s <size> ( --size <size> )"
_OPTION = re.compile(r"^ +-(\w)[^(\n]* \( --([\w-]+)( [<=][^)]*|=\[[^)]*)? \)", re.MULTILINE)
ACCEPTED = HERE.with_name("lldb_accepted.txt").read_text().splitlines()
FORBIDDEN = HERE.with_name("lldb_forbidden.txt").read_text().splitlines()


def test_accepts_what_people_read_with() -> None:
    judged = {command: check(command, "lldb") for command in ACCEPTED}
    assert {c: one for c, one in judged.items() if one.answer is not Answer.ACCEPT} == {}


def test_forbids_what_runs_or_writes() -> None:
    judged = {command: check(command, "lldb") for command in FORBIDDEN}
    assert {c for c, one in judged.items() if one.answer is not Answer.FORBID} <= {"b"}


@pytest.mark.parametrize(
    "command",
    ["p victim", "print x.value", "frame diagnose", "settings show", "nosuch", "nosuch 3",
     "platform status", "memory read arr+1", "thread exception", "source list 3",
     r'image lookup -r -n "a\.b"', "list foo bar", "register read 'rax"],
)  # fmt: skip
def test_asks_about_the_rest(command: str) -> None:
    assert check(command, "lldb").answer is Answer.ASK


@pytest.mark.parametrize("command", ["", "  ", "# bt", "bt\nshell id", "bt\x00", "a" * 5000])
def test_forbids_what_is_not_one_line(command: str) -> None:
    assert check(command, "lldb").answer is Answer.FORBID


def _without(names: frozenset[str]) -> list[str]:
    """Full names of all commands, without those."""
    leaves = [
        f"{parent} {name}".strip()
        for parent, children in SUBCOMMANDS.items()
        for name in children
        if f"{parent} {name}".strip() not in SUBCOMMANDS
    ]
    return sorted(set(leaves) - names)


_FORBIDDEN_LEAVES = _without(frozenset(READING) | ASKED)
_FORBIDDEN_WORDS = sorted(
    word
    for word, name in ALIASES.items()
    if name not in READING and name not in ASKED and name not in SUBCOMMANDS
    and name not in {"_regexp-bt", "_regexp-list", "_regexp-up", "_regexp-down"}
)  # fmt: skip


@settings(max_examples=examples(800), deadline=None)
@given(
    st.sampled_from(_FORBIDDEN_LEAVES),
    st.lists(st.integers(0, 12), min_size=4, max_size=4),
    st.sampled_from(
        ["", "thread select 1; ", "frame select 0; ", "thread select 1; frame select 2;"]
    ),
    st.sampled_from([" ", "  ", "\t"]),
    st.sampled_from(["", " -o x", " 1", " --help", " -- id", " `1`", "/x 1"]),
)
def test_no_spelling_of_a_forbidden_command_passes(
    name: str, cuts: list[int], before: str, space: str, after: str
) -> None:
    words = [word[: len(word) - cut] or word for word, cut in zip(name.split(), cuts, strict=False)]
    line = before + space.join(words) + after
    full = {one for one, _ in meant(space.join(words))}
    if name in full:
        assert check(line, "lldb").answer is not Answer.ACCEPT
    assert check(before + name + after, "lldb").answer is Answer.FORBID


@given(st.sampled_from(_FORBIDDEN_WORDS), st.text("ax1 =()`-/;'\"", max_size=12))
def test_no_forbidden_alias_passes(word: str, rest: str) -> None:
    assert not check(f"{word} {rest}", "lldb").accepted


@settings(max_examples=examples(600), deadline=None)
@given(
    st.sampled_from(
        ["frame variable", "v", "fr v", "target variable", "ta va", "v -f x", "var -a"]
    ),
    st.text("()[]{}<>=+-*&'\"\\$ax1, :!.|`", max_size=24),
)
def test_no_variable_is_assigned_or_called(command: str, text: str) -> None:
    if check(f"{command} {text}", "lldb").accepted:
        assert not re.search(r"[=(`|{!]|\+\+", text)


@settings(max_examples=examples(600), deadline=None)
@given(
    st.sampled_from(["x/4gx", "memory read", "x", "memory region", "disassemble -s", "di -a",
                     "image lookup -a", "image lookup --address=", "source list -a", "mem re"]),
    st.text("()[]{}<>=+-*&'\"\\$ax1, :!.|`", max_size=24),
)  # fmt: skip
def test_no_address_writes_or_calls(command: str, text: str) -> None:
    decision = check(f"{command} {text}", "lldb")
    if decision.accepted:
        # What stands behind the address of an image names files.
        address = shlex.split(text)[:1] if command.startswith("image") else text
        assert not re.search(r"[=(`|{!\[]|\+\+", "".join(address))
        assert not re.search(r"(?:^|\s)-\w*[ob]", text)


@settings(max_examples=examples(500), deadline=None)
@given(st.text(max_size=80))
def test_judges_any_text(text: str) -> None:
    assert check(text, "lldb").answer in Answer
    if any(ord(one) < 32 and one != "\t" for one in text):
        assert not check(text, "lldb").accepted


async def test_every_command_of_the_real_lldb_is_known(lldb_debugger: LldbDebugger) -> None:
    shown = await ask(lldb_debugger, "help -h", "user")
    words = set(re.findall(r"^  ([\w-]+) +-- ", shown, re.MULTILINE))
    assert len(words) > 80
    unknown = {word for word in words if not first_words(word)}
    assert not unknown
    for parent, children in SUBCOMMANDS.items():
        if not parent:
            continue
        shown = await ask(lldb_debugger, f"help {parent}", "user")
        if f"Syntax: {parent} <subcommand>" not in shown:
            continue  # another version's
        real = set(re.findall(r"^      ([\w-]+) +-- ", shown, re.MULTILINE))
        assert real <= children, parent


async def test_options_mean_to_lldb_what_they_mean_to_us(lldb_debugger: LldbDebugger) -> None:
    """A letter that is allowed here is never the short form of an option that is not."""
    for name, reading in READING.items():
        shown = await ask(lldb_debugger, f"help {name}", "user")
        for letter, long, value in _OPTION.findall(shown):
            if letter in reading.options:
                assert long in reading.options, (name, letter, long)
                # A value that may be left out stands in the same word.
                takes = bool(value) and not value.startswith("=[")
                assert takes == bool(reading.options[letter]), (name, letter, long)
