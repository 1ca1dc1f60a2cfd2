"""Amounts that nothing measures, guesses of which nothing speaks, the system and the program."""

import pytest
from msgspec.structs import replace

from tests.chat.conftest import GDB_LOG, POOL_LOG, Asker, spoken
from workbench.agents.chat.asked import read
from workbench.agents.chat.beside import of_the_environment
from workbench.agents.chat.causes import categories_in
from workbench.agents.chat.meant import threads_meant
from workbench.agents.chat.values import Shown, looking_up, swept, uncalled
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import FactBook, Frame, Process, Stack
from workbench.model.investigation import Investigation

NOTES = {1: "core: Linux x86_64, 64-bit", 2: "process: 70", 3: "command line: ./till --float 2"}
PROCESS = Process(
    pid=70, command_line="./till", executable=None, arch="x86_64", os="Linux", threads=(70, 71),
    snapshot=False, cite=Citation("E2", 1, 3),
)  # fmt: skip


def _state() -> Investigation:
    return Investigation(facts=FactBook([PROCESS]))


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("Which OS was it?", {1}),
        ("was it Linux or Windows?", {1}),
        ("what was the command line?", {3}),
        ("what is the pid?", {2}),
        ("why did it fail?", set()),
    ],
)
def test_the_system_and_the_program(question: str, lines: set[int]) -> None:
    talk = spoken(read(question), _state(), lambda _, number: NOTES.get(number, ""))
    told = of_the_environment(talk)
    assert {claim.citations[0].first for claim in told} == lines


def test_the_main_thread_is_the_one_with_the_process_id() -> None:
    assert threads_meant(read("what does the main thread do?"), _state()).threads == (70,)
    assert threads_meant(read("what does thread 71 do?"), _state()).threads == (71,)
    assert threads_meant(read("what does it do?"), _state()).threads == ()
    assert threads_meant(read("what does main wait for?"), _state()).threads == (70,)


def test_threads_by_the_plural_of_what_they_run() -> None:
    frame = Frame(index=1, function="packer", line_no=3)
    stack = Stack(number=2, thread=71, name=None, frames=(frame,), cite=Citation("E2", 3, 3))
    state = Investigation(facts=FactBook([PROCESS, stack]))
    for question in ("what are the packers waiting for?", "what does the packer wait for?"):
        assert threads_meant(read(question), state).threads == (71,)
    assert threads_meant(read("what are the printers waiting for?"), state).threads == ()


async def test_an_amount_that_nothing_measures_is_said_to_be(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    reply = (await session.ask_question("CPU was 20 %, why is it slow?")).reply
    assert reply is not None
    assert 'No line that was found measures this: "CPU was 20 %".' in reply.unknown


async def test_one_that_is_measured_is_not(to_ask: Asker) -> None:
    reply = (await (await to_ask(POOL_LOG)).ask_question("CPU was 98 %, why is it slow?")).reply
    assert reply is not None
    assert not any("measures" in text for text in reply.unknown)


async def test_a_guess_of_which_nothing_speaks_gets_what_was_concluded(to_ask: Asker) -> None:
    reply = (await (await to_ask(GDB_LOG)).ask_question("It was a network outage, right?")).reply
    assert reply is not None
    assert any("close_drawer" in claim.text for claim in reply.held)
    assert any('evidence: "network", "outage".' in text for text in reply.unknown)
    assert not reply.answers


def test_causes_in_other_words() -> None:
    assert categories_in("the heap was exhausted, right?") == {Category.OUT_OF_MEMORY}
    assert Category.OUT_OF_BOUNDS_READ in categories_in("an index out of bounds")
    assert categories_in("is there a lock cycle?") == {Category.DEADLOCK}


@pytest.mark.parametrize(
    ("question", "system", "call"),
    [
        ("is os empty?", False, ""),
        ("what is os.size()?", False, "`os.size()`"),
        ("what OS is it?", True, ""),
        ("what is rows.size()?", False, ""),
    ],
)
def test_a_variable_comes_before_the_system(question: str, system: bool, call: str) -> None:
    cite = Citation("E1", 1, 1)
    main = Frame(index=0, function="main", args="os=...", file="a.cc", line=3, line_no=1)
    process = Process(pid=1, command_line=None, executable=None, arch="x86_64", os="linux",
                      threads=(1,), snapshot=False, cite=cite)  # fmt: skip
    stack = Stack(number=1, thread=1, name=None, frames=(main,), current=True, cite=cite)
    state = Investigation(facts=FactBook([process, stack]))
    asked = read(question, {"os"})
    told = of_the_environment(spoken(asked, state, lambda _, n: f"system: {n}"))
    assert bool(list(told)) is system
    assert [call in text for text in uncalled(asked, state)] == ([True] if call else [])


@pytest.mark.parametrize(
    ("kinds", "frame"),
    [
        (("void (void)", "int"), 1),  # libc's `index`, and a variable
        (("void (*)(struct job *)", "int"), 0),
        (("fn ()", "usize"), 1),
        (("*mut fn ()", "usize"), 0),
        (("int (&)(int)", "int"), 0),
        (("int (Options::*)(int)", "int"), 0),
        (("func(string)", "int"), 0),
    ],
)
def test_a_function_of_that_name_is_no_variable(kinds: tuple[str, ...], frame: int) -> None:
    text = "\n".join(f"#{at}  0x5{at} in run () at a.c:{at}\ntype = {kind}"
                     for at, kind in enumerate(kinds))  # fmt: skip
    found = swept("index", read("what is index?"), _state(), text)
    assert f"level {frame} " in next(iter(found)).text


def _looked_up(expression: str, answers: dict[str, str]) -> Shown | None:
    """What comes of an expression in gdb where each command prints as ``answers`` say."""
    item = Evidence(
        id="E3", command="", source=Source.DEBUGGER, intent="", at="", sha256="", size=1, lines=2,
        call_hash="", host="gdb",
    )  # fmt: skip
    state = Investigation(facts=FactBook([PROCESS]), evidence={"E3": item})
    steps = looking_up(expression, read("what is c?"), state)
    answer = None
    try:
        while True:
            command = steps.send(answer).text
            state.evidence["E3"] = item = replace(item, command=command)
            answer = (item, answers[command]) if command in answers else None
    except StopIteration as end:
        found: Shown | None = end.value
        return found


@pytest.mark.parametrize("expression", ["c", "sizeof(c)"])
@pytest.mark.parametrize(("type", "value"), [("Config", "72"), ("const number", "")])
def test_a_library_s_variable_is_none_of_the_program_s(
    expression: str, type: str, value: str
) -> None:
    found = _looked_up(expression, {
        "frame apply 24 -s whatis c": "#0  0x1 in size () from libstdc++.so.6\n"
                                      "type = const number\n"
                                      f"#1  0x2 in main () at a.cpp:9\ntype = {type}",
        "info variables -q -n ^c$": "File ../sysdeps/ieee754/dbl-64/uatan.h:\n"
                                    "26:\tstatic const number c;",
        f"frame apply level 0 -q print {expression}": "$1 = 8",
        f"frame apply level 1 -q print {expression}": "$1 = 72",
    })  # fmt: skip
    assert found is not None
    assert found.value == value


def test_what_was_asserted_asks_for_the_assertion() -> None:
    assert read("what was asserted?").words == read("what was the assertion?").words
