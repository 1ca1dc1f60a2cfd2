"""gdb's text as facts: hand-written shapes, hostile text, and real gdbs on a real core."""
# ruff: noqa: E501  (lines of gdb stand here as gdb prints them)

import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.base import Analysis, Document
from analyzers.gdb.frames import parse_frame
from analyzers.registry import analyze
from tests.analyzers.outputs import GDB
from tests.crashes import build, crash, gdbs
from workbench.model.facts import (
    Frame,
    Locals,
    Place,
    Printed,
    Registers,
    SourceLine,
    Stack,
    StackGroups,
    Threads,
)
from workbench.model.gdb_commands import bare_command, selected_level

COMMANDS = (
    "bt 64",
    "bt full",
    "thread apply all bt 32",
    "info threads",
    "info registers",
    "frame apply level 3 -q info locals",
    "list a.c:5",
    "frame function f",
    "x/3i $pc",
)


def gdb_says(text: str, command: str = "bt 64") -> Analysis:
    return analyze(Document("E7", command, "gdb", text))


def only_stack(text: str, command: str = "bt 64") -> Stack:
    (stack,) = (fact for fact in gdb_says(text, command).facts if isinstance(fact, Stack))
    return stack


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "#0  0x000000000040113a in foo (p=0x0) at /tmp/a b/x.c:5",
            Frame(index=0, function="foo", file="/tmp/a b/x.c", line=5, address=0x40113A, args="p=0x0"),
        ),
        ("#1  main () at x.c:9", Frame(index=1, function="main", file="x.c", line=9)),
        ("#2  <signal handler called>", Frame(index=2, signal_handler=True)),
        (
            "#12 0x00007ffff7df0d90 in ?? () from /lib/x86_64-linux-gnu/libc.so.6",
            Frame(index=12, address=0x7FFFF7DF0D90, module="/lib/x86_64-linux-gnu/libc.so.6", trust="unwound"),
        ),
        ("#3  0x0000000000000000 in ?? ()", Frame(index=3, address=0, trust="unwound")),
        (
            "#4  0x1 in std::function<int (int)>::operator()(int) const (this=0x7f, __args#0=0) at f.h:591",
            Frame(
                index=4, function="std::function<int (int)>::operator()(int) const",
                file="f.h", line=591, address=1, args="this=0x7f, __args#0=0",
            ),
        ),
        (
            "#5  0x2 in main::{lambda(int)#1}::operator()(int) const (__closure=0x1, x=3) at a.cpp:3",
            Frame(
                index=5, function="main::{lambda(int)#1}::operator()(int) const",
                file="a.cpp", line=3, address=2, args="__closure=0x1, x=3",
            ),
        ),
        (
            "#6  0x3 in foo(int, (anonymous namespace)::T<bool>*) ()",
            Frame(index=6, function="foo(int, (anonymous namespace)::T<bool>*)", address=3),
        ),
        (
            '#7  0x4 in say (s=0x5 "a) at b.c:4 (x=1") at c.c:8',
            Frame(index=7, function="say", file="c.c", line=8, address=4, args='s=0x5 "a) at b.c:4 (x=1"'),
        ),
        (
            "#8  0x5 in operator<< <int> (o=..., x=@0x1: 3) at o.h:2",
            Frame(index=8, function="operator<< <int>", file="o.h", line=2, address=5, args="o=..., x=@0x1: 3"),
        ),
        (
            "#9  0x6 in core::panicking::panic_fmt (fmt=...) at library/core/src/panicking.rs:72",
            Frame(
                index=9, function="core::panicking::panic_fmt",
                file="library/core/src/panicking.rs", line=72, address=6, args="fmt=...",
            ),
        ),
        (
            "#10 0x7 in <alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index (self=0x1, index=9)",
            Frame(
                index=10, function="<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index",
                address=7, args="self=0x1, index=9",
            ),
        ),
        (
            "#13 0x9 in core::ops::FnOnce::call_once<std::thread::{closure_env#1}<r::main, u32>, ()> () at f.rs:250",
            Frame(
                index=13, function="core::ops::FnOnce::call_once<std::thread::{closure_env#1}<r::main, u32>, ()>",
                file="f.rs", line=250, address=9,
            ),
        ),
        (
            "#14 0xa in A::operator-> (this=0x6) at w.c:3",
            Frame(index=14, function="A::operator->", file="w.c", line=3, address=10, args="this=0x6"),
        ),
        ("#11 0x8 in f (...)", Frame(index=11, function="f", address=8, args="...")),
    ],
)  # fmt: skip
def test_a_backtrace_line_gives_its_frame(line: str, expected: Frame) -> None:
    assert parse_frame(line) == expected


@pytest.mark.parametrize("line", ["", "#", "# 0", "#x  main ()", "#3  ", "warning: #0  main ()"])
def test_other_lines_are_no_frames(line: str) -> None:
    assert parse_frame(line) is None


def test_threads_are_told_apart_by_their_headers() -> None:
    text = (
        '\nThread 2 (Thread 0x7f00 (LWP 6110) "pool (1)"):\n'
        "warning: Unexpected size of section\n"
        "#0  0x10 in a () at a.c:1\n"
        "#1  b () at a.c:2\n"
        "(More stack frames follow...)\n"
        "\nThread 1 (LWP 6109):\n"
        "#0  0x20 in c ()\n"
        "Backtrace stopped: previous frame identical to this frame (corrupt stack?)\n"
    )
    analysis = gdb_says(text, "thread apply all bt 2")
    second, first, groups = analysis.facts
    assert isinstance(second, Stack)
    assert isinstance(first, Stack)
    assert isinstance(groups, StackGroups)
    assert [(group.numbers, group.threads, group.line) for group in groups.items] == [
        ((2,), (6110,), 2),
        ((1,), (6109,), 8),
    ]
    assert (second.number, second.thread, second.name) == (2, 6110, "pool (1)")
    assert (second.complete, second.corrupt, str(second.cite)) == (False, False, "E7:2-6")
    assert second.frames[0].inlined
    assert not second.frames[1].inlined
    assert (first.number, first.thread, first.corrupt, first.complete) == (1, 6109, True, True)
    assert str(first.cite) == "E7:8-10"
    assert analysis.summary == "Stacks of 2 threads"
    assert analysis.findings == ("Unwinding stopped early [E7:8-10]",)


def test_a_plain_backtrace_is_the_selected_threads() -> None:
    assert only_stack("#0  0x1 in f () at a.c:1\n").current


def test_frames_that_gdb_folded_are_whole() -> None:
    text = (
        "#0  0x1 in f (level=8, log=0x19, \n"
        '    fmt=0x52 "delete (event") at src/log.c:168\n'
        "        local = 3\n"
        "#1  till::g(int) (this=0x7)\n"
        "    at src/till.cc:31\n"
        "        x = 1\n"
        "#2  0x3 in h () from /lib/librows.so\n"
        "    not the stack's\n"
    )
    frames = only_stack(text, "bt full").frames
    assert [(f.function, f.file, f.line, f.line_no, f.file_lines) for f in frames] == [
        ("f", "src/log.c", 168, 1, (1, 2)),
        ("till::g(int)", "src/till.cc", 31, 4, (4, 5)),
        ("h", None, None, 7, None),
    ]


def test_a_handler_in_the_stack_is_a_finding() -> None:
    assert (
        "signal handler" in gdb_says("#0  0x1 in h ()\n#1  <signal handler called>\n").findings[0]
    )


def test_registers_of_each_frame() -> None:
    text = "rax            0x8                 8\nrip            0x40  0x40 <f+4>\neflags  0x246  [ ZF ]\n"
    (fact,) = gdb_says(text, "frame apply level 3 -q info registers").facts
    assert isinstance(fact, Registers)
    assert (fact.frame, fact.get("rip"), fact.get("eflags"), fact.get("rbx")) == (
        3,
        0x40,
        0x246,
        None,
    )
    assert [register.line for register in fact.values] == [1, 2, 3]


def test_variables_with_and_without_a_frame_line() -> None:
    (fact,) = gdb_says("$3 = 24\n", "frame apply level 0 -q print (long)y * m->w + (int)x").facts
    assert isinstance(fact, Printed)
    assert (fact.expression, fact.value) == ("(long)y * m->w + (int)x", "24")
    long = gdb_says(f"$4 = {{text = {'x' * 99}}}\n", "print *message")
    assert long.summary.endswith("xxx…")
    (fact,) = gdb_says("p = 0x10\ns = {a = 1}\n", "frame apply level 1 -q info locals").facts
    assert isinstance(fact, Locals)
    assert [(v.name, v.value) for v in fact.variables] == [("p", "0x10"), ("s", "{a = 1}")]
    text = "s = {a = 0x10 <error: Cannot access memory at address 0x10>, b = 2}\n"
    (fact,) = gdb_says(text, "info locals").facts
    assert isinstance(fact, Locals)
    assert [v.value for v in fact.variables] == ["{a = 0x10, b = 2}"]
    (fact,) = gdb_says(
        "#0  f () at a.c:3\nNo locals.\n#1  0x1 in g ()\n        q = 3\n", "bt full"
    ).facts[1:]
    assert isinstance(fact, Locals)
    assert fact.function == "g"


@pytest.mark.parametrize("text", ["$1 = 47\n", "type = int\n"])
@pytest.mark.parametrize(
    "where", ["thread apply all -q", "frame apply level 2-4 -q", "frame apply 3", "faas"]
)
def test_what_several_frames_printed_is_of_none(text: str, where: str) -> None:
    asked = "print count" if text[0] == "$" else "whatis count"
    assert gdb_says(text, f"frame apply level 2 -q {asked}").facts[0].frame == 2
    assert not gdb_says(text, f"{where} {asked}").facts


def test_source_lines_know_their_file() -> None:
    fact = gdb_says("4\tint x;\n5\t  *p = 1;\n", "list src/a.c:5").facts[1]
    assert isinstance(fact, SourceLine)
    assert (fact.file, fact.line, fact.text) == ("src/a.c", 5, "  *p = 1;")
    fact = gdb_says("#1  0x1 in f () at b.c:9\n9\t  g();\n", "frame function f").facts[0]
    assert isinstance(fact, SourceLine)
    assert (fact.file, fact.line) == ("b.c", 9)


def test_prefixes_do_not_hide_the_command() -> None:
    assert bare_command("thread apply all -q  bt 8") == "bt 8"
    assert bare_command("thread apply 3 1 bt") == "bt"
    assert (
        bare_command("with style enabled off -- frame apply level 2 -q info locals")
        == "info locals"
    )
    assert (
        bare_command("thread apply 2 -q frame apply level 4 -q info registers") == "info registers"
    )
    assert selected_level("frame apply level 2 -q info locals") == 2
    assert selected_level("frame apply level 2-4 info locals") is None


def test_an_unknown_command_still_gets_a_summary() -> None:
    analysis = analyze(Document("E1", "p $x", "gdb", "\n\n$1 = \x1b[31m5\n"))
    assert (analysis.summary, analysis.facts) == ("$1 = [31m5", ())
    assert analyze(Document("E1", "p $x", "gdb", "")).summary == "No output"
    assert analyze(Document("E1", "@unheard of", "dump", "x\ny")).summary == "x"


LINES = st.one_of(
    st.text(max_size=60),
    st.from_regex(r"#\d{1,3}  (0x[0-9a-f]{1,20} in )?[\w:<>() ]{0,30} \([^\n]{0,20}\)( at [^\n]{1,9}:\d+)?"),
    st.from_regex(r"Thread \d{1,12} \([^\n]{0,30}\)?:?"),
    st.from_regex(r"[* ] \d+ +Thread 0x[0-9a-f]+ \(LWP \d+\)[^\n]*"),
    st.from_regex(r"r[a-z]{1,3} +0x[0-9a-f]{1,40} [^\n]*"),
    st.from_regex(r"\w{1,9} = [^\n]{0,20}"),
    st.from_regex(r"\d{1,12}\t[^\n]*"),
)  # fmt: skip


@given(st.sampled_from(COMMANDS), st.lists(LINES, max_size=30).map("\n".join))
def test_no_text_breaks_a_reader(command: str, text: str) -> None:
    analysis = gdb_says(text, command)
    assert "\n" not in analysis.summary
    lines = text.count("\n") + 1
    for fact in analysis.facts:
        assert 1 <= fact.cite.first <= fact.cite.last <= lines
        if isinstance(fact, Stack):
            assert all(fact.cite.first <= f.line_no <= fact.cite.last for f in fact.frames)


@pytest.mark.parametrize(
    "line", ["#1 " + "(" * 30000, "#1 0x1 in a" + " (b" * 9000, "#1 f (" + "a@entry" * 4000, "a" * 30000]
)  # fmt: skip
def test_one_long_line_is_cheap(line: str) -> None:
    began = time.process_time()
    for command in COMMANDS:
        gdb_says(line, command)
    assert time.process_time() - began < 1


def test_ten_thousand_frames_are_fast() -> None:
    text = "".join(f"#{i:<6} 0x{i + 4096:016x} in down (n={i}) at a.c:7\n" for i in range(10_000))
    began = time.process_time()
    assert len(only_stack(text).frames) == 10_000
    assert time.process_time() - began < 1


PROGRAM = """
#include <atomic>
#include <thread>
#include <functional>
#include <chrono>
std::atomic<bool> there;
struct T { int a; virtual int f(int x) { return *(int *)(long)x; } };
template <class F> int call(F f, int n) { int kept = n * 3; return n ? call(f, n - 1) + kept : f(n); }
int main(int c, char **v) {
  std::thread t([] { there = true; for (;;) std::this_thread::sleep_for(std::chrono::seconds(9)); });
  while (!there) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  T *p = new T;
  auto l = [p](int x) { return p->f(x + 8); };
  std::function<int(int)> g = l;
  return call(g, 3);
}
"""


@pytest.mark.parametrize("gdb", gdbs(), ids=str)
def test_real_gdbs_are_read(gdb: object) -> None:
    executable = build(PROGRAM, "-g", "-O0", "-pthread", lang="cpp")
    commands = ("bt 64", "thread apply all bt 32", "info threads", "info registers",
                "frame apply level 6 -q info locals", "frame function main")  # fmt: skip
    said = subprocess.run(
        [str(gdb), "-nx", "-q", "-batch", "-iex", "set auto-load no", "-iex",
         "set debuginfod enabled off", "-ex", "set width 0", "-ex", "set style enabled off",
         *(word for command in commands for word in ("-ex", r"echo @@@\n", "-ex", command)),
         str(executable), str(crash(executable))],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    outputs = said.split("@@@\n")[1:]
    facts = {c: gdb_says(text, c).facts for c, text in zip(commands, outputs, strict=True)}
    (stack,) = facts["bt 64"]
    assert isinstance(stack, Stack)
    names = [frame.function or "" for frame in stack.frames]
    assert names[0] == "T::f"
    assert names[-1] == "main"
    assert sum(name.startswith("call<std::function<int") for name in names) == 4
    assert all(frame.file for frame in stack.frames)
    threads = facts["info threads"][0]
    assert isinstance(threads, Threads)
    tids = {thread.thread for thread in threads.items}
    assert len(tids) == 2
    assert {s.thread for s in facts["thread apply all bt 32"] if isinstance(s, Stack)} == tids
    registers = facts["info registers"][0]
    assert isinstance(registers, Registers)
    assert (registers.get("rip") or 0) > 0x1000
    variables = facts["frame apply level 6 -q info locals"][0]
    assert isinstance(variables, Locals)
    assert variables.variables[0].name == "kept"
    source = facts["frame function main"][0]
    assert isinstance(source, SourceLine)
    assert source.file is not None
    assert "return call(g, 3)" in source.text


def test_a_file_whose_name_has_a_newline_is_no_part_of_the_function() -> None:
    frame = parse_frame('#8  0x00005608a6a0515f in add (n=0x5608a6a06030 "c") at odd')
    assert frame is not None
    assert (frame.function, frame.args, frame.file) == ("add", 'n=0x5608a6a06030 "c"', None)


def test_a_frame_whose_place_gdb_13_cannot_tell() -> None:
    frame = parse_frame("#0  <unavailable> in ?? ()")
    assert frame is not None
    assert (frame.function, frame.address, frame.trust) == (None, None, "unwound")


INNER = """\
    0x401082..0x401089
[(block *) 0x55556a05cd90] 0x401080..0x401379
  inline function: same
  address ranges:
    0x401080..0x401081
"""  # in `find`, which has no code at the pc either


@pytest.mark.parametrize(
    ("ranges", "told"),
    [
        ("    0x401080..0x401081\n", [("count", 1)]),
        ("    0x401080..0x401085\n", []),
        (INNER, [("count", 2)]),
        (INNER.replace("82..", "80.."), [("find", 1)]),
    ],
)
def test_whose_code_stands_where_something_was_inlined_without_any(
    ranges: str, told: list[tuple[str, int]]
) -> None:
    command = "frame apply level 0 maint info blocks"
    text = GDB[command].replace("    0x401080..0x401081\n", ranges)
    found = [fact.frame for fact in analyze(Document("E1", command, "gdb", text)).facts
             if isinstance(fact, Place)]  # fmt: skip
    assert [(frame.function, frame.index) for frame in found] == told
    assert [(frame.line, frame.file_lines) for frame in found] == [(30, (1, 1)) for _ in told]
