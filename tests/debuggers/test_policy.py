"""The read-only policy: what people read with passes, whatever runs or writes does not."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.crashes import gdbs

# ruff: noqa: SIM905 - long tables of words read better as text
from tests.soak import examples
from workbench.debuggers.gdb import commands as gdb_commands
from workbench.debuggers.gdb.debugger import leaves_debugger, moves_selection
from workbench.debuggers.policy import Answer, check

ACCEPTED = Path(__file__).with_name("accepted.txt").read_text().splitlines()
FORBIDDEN = Path(__file__).with_name("forbidden.txt").read_text().splitlines()


def test_accepts_what_people_read_with() -> None:
    judged = {command: check(command) for command in ACCEPTED}
    assert {command: one for command, one in judged.items() if not one.accepted} == {}


def test_forbids_what_runs_or_writes() -> None:
    judged = {command: check(command) for command in FORBIDDEN}
    assert {c: one for c, one in judged.items() if one.answer is not Answer.FORBID} == {}


@pytest.mark.parametrize(
    "command",
    [
        "display x",
        "set print pretty on",
        "p (f)(3)",
        "p f<int>(3)",
        "p static_cast<int>(f<int>(3))",
        "p (id)[a b]",
        "p [a b]",
        "p &{1,2}",
        'p &"abc"',
        "p x'first + f(3) + y'",
        'p $_streq("a\\", f(3), "b")',
        "nosuch",
        "BT",
        "info os processes",
        "info proc 1",
        "with language ada -- p x",
        "p \u00e9",
        "p (",
    ],
)
def test_asks_about_the_rest(command: str) -> None:
    assert check(command).answer is Answer.ASK


@pytest.mark.parametrize(
    "command", ["bt\nshell id", "bt\r", "bt\x00", "bt\x1b", "p 1\x7f", "", " "]
)
def test_forbids_what_is_not_one_line(command: str) -> None:
    assert check(command).answer is Answer.FORBID


def test_other_debuggers_are_asked_about() -> None:
    assert check("bt", "nosuch").answer is Answer.ASK


def _run(gdb: Path, *commands: str) -> str:
    argv = [str(gdb), "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    for command in commands:
        argv += ["-ex", command]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("gdb", gdbs(), ids=str)
def test_every_command_of_the_real_gdb_is_judged(gdb: Path) -> None:
    names = _run(gdb, "set max-completions unlimited", "complete ").split()
    assert len(names) > 150
    for name in names:
        if name not in gdb_commands.READING and name not in gdb_commands.ALIASES:
            assert not check(name).accepted, name
            assert not check(f"{name} 1").accepted, name
    info = _run(gdb, "set max-completions unlimited", "complete info ")
    assert len(info.splitlines()) > 50
    for line in info.splitlines():
        assert check(line).answer in {Answer.ACCEPT, Answer.ASK}


@pytest.mark.parametrize("gdb", gdbs(), ids=str)
def test_abbreviations_mean_to_gdb_what_they_mean_to_us(gdb: Path) -> None:
    prefixes = {name[:end] for name in gdb_commands.READING for end in range(1, len(name) + 1)}
    passing = sorted(
        word
        for word in prefixes | gdb_commands.ALIASES.keys()
        if len(gdb_commands.commands(word)) == 1
        and gdb_commands.commands(word) <= gdb_commands.READING
    )
    asked = []
    for word in passing:
        (meant,) = gdb_commands.commands(word)
        asked += [f"echo \\n@@@{word}\\n", f"help {word}", "echo \\n@@=\\n", f"help {meant}"]
    answers = re.split(r"^@@@", _run(gdb, *asked), flags=re.MULTILINE)[1:]
    assert len(answers) == len(passing) > 100
    for word, answer in zip(passing, answers, strict=True):
        by_word, _, by_name = answer.partition("\n@@=\n")
        # Nothing: ambiguous or unknown to this version, which is an error and runs no command.
        if by_word.strip() != word:
            assert by_word.removeprefix(f"{word}\n").strip() == by_name.strip(), word


_prefixes = st.sampled_from(
    [
        "",
        "server ",
        "thread apply all ",
        "thread apply 1 2-3 -q -s ",
        "thr app all -ascending ",
        "taas ",
        "tfaas -q ",
        "faas ",
        "frame apply all -c ",
        "fr ap 3 ",
        "frame apply level 1-2 -- ",
        "with print pretty on -- ",
        "w print elements 4 -- ",
    ]
)
_bad_commands = st.sampled_from(
    sorted(gdb_commands.FORBIDDEN)
    + [one for one, full in gdb_commands.ALIASES.items() if full in gdb_commands.FORBIDDEN]
)
_bad_expressions = st.sampled_from(
    ['system("id")', "x = 3", "x++", "--x", '$_shell("id")', "(*f)(3)", "o.m()", "x <<= 1",
     "operator+(a, b)", "v<int>=3", "(char *)malloc(3)", "(malloc)(3)", "[o m]", "x := 2",
     "sizeof(int)(3)", "new int", "a['b'](3)"]
)  # fmt: skip
_reading = st.sampled_from(
    "p|print/x|output|x/2gx|ptype|whatis|bt|up|down|frame|info symbol|info frame|list *|"
    "info line *|disassemble|print -pretty --|find 0, +4,|show values|info vtbl|thread".split("|")
)


@settings(max_examples=examples(600), deadline=None)
@given(st.lists(_prefixes, max_size=4), _bad_commands, st.sampled_from(["", " x", " 1", "/x y"]))
def test_no_forbidden_command_passes(prefixes: list[str], command: str, rest: str) -> None:
    assert not check("".join(prefixes) + command + rest).accepted


@pytest.mark.parametrize("rest", ["values [o m]", "val [o m]", "values [o m], 1", "values f(1)"])
def test_an_expression_behind_show_is_read_as_one(rest: str) -> None:
    assert not check(f"show {rest}").accepted
    assert check("show values 3").accepted
    assert check("show print elements").accepted


@pytest.mark.parametrize("command", ["show environment", "show env HOME", "show"])
def test_what_tells_of_this_machine_is_asked_for(command: str) -> None:
    assert check(command).answer is Answer.ASK


@settings(max_examples=examples(600), deadline=None)
@given(
    st.lists(_prefixes, max_size=3),
    _reading,
    st.sampled_from(["", "1 + ", "(", "*", "&x, ", "(char *)", "arr[", "'f.c'::a + ", "$x, "]),
    _bad_expressions,
    st.sampled_from(["", ")", "]", " + 1", "@2", ", 1"]),
)
def test_no_writing_expression_passes(
    prefixes: list[str], command: str, before: str, bad: str, after: str
) -> None:
    assert not check("".join(prefixes) + f"{command} {before}{bad}{after}").accepted


@settings(max_examples=examples(400), deadline=None)
@given(st.text(max_size=80))
def test_judges_any_text(text: str) -> None:
    assert check(text).answer in Answer
    if any(ord(one) < 32 and one != "\t" for one in text):
        assert not check(text).accepted


@settings(max_examples=examples(400), deadline=None)
@given(
    st.sampled_from(["p ", "x/s ", "bt ", "info line "]),
    st.text("()[]{}<>=+-*&'\"\\$ax1, :!", max_size=24),
)
def test_calls_and_writes_in_any_punctuation(command: str, text: str) -> None:
    decision = check(command + text)
    if decision.accepted:
        outside = re.sub(r"'[^']*'|[<>=!]=|\"[^\"]*\"", " ", text)
        assert "=" not in outside
        assert "++" not in outside
        assert re.search(r"\b[ax]\s*\((?!\s*[*&\s]+\))", outside) is None


@pytest.mark.parametrize(
    "command",
    [
        "qui",
        "server kill",
        "taas quit",
        "faas kill",
        "tfaas -q detach",
        "thread apply 1 2 quit",
        "thread apply all -q -s det",
        "thread apply 1+0 quit",
        "frame apply level 1-2 -- quit",
        "fr ap 3 exit",
        "with print pretty on -- q",
        "with print pretty on -- taas thread apply 1 quit",
        "pipe quit | cat",
        "| -d @ kill @ cat",
    ],
)
def test_leaving_is_seen_through_every_prefix(command: str) -> None:
    assert leaves_debugger(command)


@pytest.mark.parametrize(
    "command",
    ["info registers", "taas bt", "thread apply 1 2 p quit", "help quit", "frame 2", "with", ""],
)
def test_staying_is_not_leaving(command: str) -> None:
    assert not leaves_debugger(command)


@given(st.lists(_prefixes, max_size=12), st.sampled_from(["quit", "kill", "detach"]))
def test_leaving_in_any_nesting_ends(prefixes: list[str], command: str) -> None:
    assert leaves_debugger("".join(prefixes) + command) or len(prefixes) > 8


def test_selection_moves_inside_with() -> None:
    assert moves_selection("with print pretty on -- frame 2")
    assert not moves_selection("with print pretty on -- frame apply all p x")
