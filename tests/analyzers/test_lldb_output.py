"""lldb's output, as its versions print it, read into the same facts as gdb's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import Document
from analyzers.lldb.frames import parse_frame
from analyzers.patterns import commands
from analyzers.registry import analyze
from tests.soak import examples
from workbench.claims.printed import printed_expression
from workbench.claims.values import leaves, scalar
from workbench.model.facts import (
    AnyFact,
    Frame,
    Locals,
    Printed,
    Registers,
    SourceLine,
    Stack,
    StackGroups,
    Threads,
    Typed,
)

FRAMES = [
    # What lldb makes of "<lambda(auto&)>::operator()<int>(int&)", and of "struct {...} &&".
    (
        "    frame #6: 0x01 cc`operator(__closure=0x00007ffc, x=0x55a4)<int> at cc.cpp:9:3",
        Frame(
            index=6,
            function="operator()",
            file="cc.cpp",
            line=9,
            module="cc",
            address=1,
            args="__closure=0x00007ffc, x=0x55a4",
        ),
    ),
    (
        "    frame #10: 0x1 cc`std::__invoke<main()::<lambda()> >(__fn=0x55a4) &&) at invoke.h:96",
        Frame(
            index=10,
            function="std::__invoke<main()::<lambda()> >",
            file="invoke.h",
            line=96,
            module="cc",
            address=1,
            args="__fn=0x55a4",
        ),
    ),
    (
        "  * frame #0: 0x0000558e755e8150 prog`inner(count=1, node=0x0000000000000000) "
        "at /src/prog.c:7:84",
        Frame(
            index=0,
            function="inner",
            file="/src/prog.c",
            line=7,
            module="prog",
            address=0x558E755E8150,
            args="count=1, node=0x0000000000000000",
        ),
    ),
    (
        "     frame #2: 0x00007efdd682224a libc.so.6`___lldb_unnamed_symbol_271d0 + 122",
        Frame(index=2, module="libc.so.6", address=0x7EFDD682224A, trust="unwound"),
    ),
    (
        "    frame #3: 0x00007efdd6822305 libc.so.6`__libc_start_main + 133",
        Frame(index=3, function="__libc_start_main", module="libc.so.6", address=0x7EFDD6822305),
    ),
    ("    frame #4: 0x0000000000000000", Frame(index=4, address=0, trust="unwound")),
    (
        "    frame #5: 0x00007ffff7f0 app",
        Frame(index=5, address=0x7FFFF7F0, module="app", trust="unwound"),
    ),
    (
        "    frame #1: 0x0000555555555189 app`main [inlined] total(items=0x0, n=3) "
        "at a.c:3:10 [opt]",
        Frame(
            index=1,
            function="total",
            file="a.c",
            line=3,
            module="app",
            address=0x555555555189,
            args="items=0x0, n=3",
            inlined=True,
        ),
    ),
    (
        "    frame #1: 0x0000555555555189 app`total(n=3) at a.c:3:10 [opt] [inlined]",
        Frame(
            index=1,
            function="total",
            file="a.c",
            line=3,
            module="app",
            address=0x555555555189,
            args="n=3",
            inlined=True,
        ),
    ),
    (
        "frame #8: 0x10 a`std::function<int (int)>::operator()(this=0x00007ffc, __args#0=3) const "
        "at /usr/include/c++/12/bits/std_function.h:591:9",
        Frame(
            index=8,
            function="std::function<int (int)>::operator()",
            file="/usr/include/c++/12/bits/std_function.h",
            line=591,
            module="a",
            address=0x10,
            args="this=0x00007ffc, __args#0=3",
        ),
    ),
    (
        'frame #0: 0x10 a`say(text="x) at b.c:3", n=1) at /src/say.c:12',
        Frame(
            index=0,
            function="say",
            file="/src/say.c",
            line=12,
            module="a",
            address=0x10,
            args='text="x) at b.c:3", n=1',
        ),
    ),
    (
        "frame #9: 0x20 a`std::__invoke_impl<int, main()::<lambda(int)>&>((null)=1, __f=0x1) "
        "at i.h:61:36",
        Frame(
            index=9,
            function="std::__invoke_impl<int, main()::<lambda(int)>&>",
            file="i.h",
            line=61,
            module="a",
            address=0x20,
            args="(null)=1, __f=0x1",
        ),
    ),
    (
        "frame #7: 0x30 libc.so.6`__libc_start_call_main(main=(a`main at a.cpp:9:11), argc=1) "
        "at sysdeps/nptl/libc_start_call_main.h:58:16",
        Frame(
            index=7,
            function="__libc_start_call_main",
            file="sysdeps/nptl/libc_start_call_main.h",
            line=58,
            module="libc.so.6",
            address=0x30,
            args="main=(a`main at a.cpp:9:11), argc=1",
        ),
    ),
    (
        "frame #6: 0x30 a`rs::lookup::hef39be06e2647911(map=0x1, id=2) at /src/rs.rs:3:82",
        Frame(
            index=6,
            function="rs::lookup",
            file="/src/rs.rs",
            line=3,
            module="a",
            address=0x30,
            args="map=0x1, id=2",
        ),
    ),
    (
        "    frame #1: 0x00007f0 libc.so.6`__restore_rt",
        Frame(
            index=1,
            function="__restore_rt",
            module="libc.so.6",
            address=0x7F0,
            signal_handler=True,
        ),
    ),
    (
        "    frame #2: 0x0000 libstdc++.so.6`std::terminate() + 55",
        Frame(index=2, function="std::terminate()", module="libstdc++.so.6", address=0),
    ),
    (
        "    frame #4: 0x01 a`Till::total(this=0x02, n=0) + 808 at till.cc:561",
        Frame(
            index=4,
            function="Till::total",
            file="till.cc",
            line=561,
            module="a",
            address=1,
            args="this=0x02, n=0",
        ),
    ),
    (
        "    frame #3: 0x01 a`::measure(shape=0x02) at s.cpp:16:5 [artificial]",
        Frame(
            index=3,
            function="measure",
            file="s.cpp",
            line=16,
            module="a",
            address=1,
            args="shape=0x02",
        ),
    ),
]


def facts(command: str, text: str) -> list[AnyFact]:
    return list(analyze(Document("E1", command, "lldb", text)).facts)


@pytest.mark.parametrize(("line", "expected"), FRAMES, ids=[line[:60] for line, _ in FRAMES])
def test_frame(line: str, expected: Frame) -> None:
    assert parse_frame(line) == expected


THREADS = """\
* thread #1: tid = 2883, name = 'prog', stop reason = SIGSEGV: address not mapped
  * frame #0: 0x0000000000000010 prog`inner(count=1) at /src/prog.c:7:84
    frame #1: 0x0000000000000020 prog`main at /src/prog.c:8:78
  thread #2: tid = 2884, name = 'worker', stop reason = signal 0
    frame #0: 0x0000000000000030 libc.so.6`__futex_abstimed_wait_common + 12
"""


def test_stacks_of_all_threads() -> None:
    first, second, groups = facts("thread backtrace --count 2 all", THREADS)
    assert isinstance(groups, StackGroups)
    assert [group.count for group in groups.items] == [1, 1]
    assert isinstance(first, Stack)
    assert isinstance(second, Stack)
    assert (first.number, first.thread, first.name, first.current) == (1, 2883, "prog", True)
    assert (second.number, second.thread, second.name, second.current) == (2, 2884, "worker", False)
    assert [frame.line_no for frame in first.frames] == [2, 3]
    assert (first.cite.first, first.cite.last) == (1, 3)
    assert not first.complete
    assert second.complete


def test_stack_of_a_saved_log_has_no_thread_ids() -> None:
    text = "(lldb) bt\n* thread #3, name = 'a b', stop reason = signal SIGABRT\n"
    text += "  * frame #0: 0x10 libc.so.6`raise + 203\n    frame #1: 0x20 app`die at a.c:3\n"
    (stack,) = facts("bt", text)
    assert isinstance(stack, Stack)
    assert (stack.number, stack.thread, stack.name) == (3, None, "a b")
    assert [frame.function for frame in stack.frames] == ["raise", "die"]
    assert stack.frames[1].line_no == 4


def test_thread_list() -> None:
    text = "Process 2883 stopped\n* thread #1: tid = 2883, 0x10 a`f(x=1) at a.c:3, name = 'main'\n"
    text += "  thread #2: tid = 0x0b44, 0x20 b`g\n"
    (threads,) = facts("thread list", text)
    assert isinstance(threads, Threads)
    assert [(t.number, t.thread, t.name, t.current, t.line) for t in threads.items] == [
        (1, 2883, "main", True, 2),
        (2, 0xB44, None, False, 3),
    ]


def test_registers_of_the_selected_frame() -> None:
    text = "General Purpose Registers:\n       rax = 0x0000000000000000\n"
    text += "       rip = 0x0000558e755e8150  prog`inner + 23 at prog.c:7:84\n"
    text += "      xmm0 = {0x00 0x01}\n20 registers were unavailable.\n"
    (registers,) = facts("frame select 2; register read", text)
    assert isinstance(registers, Registers)
    assert registers.frame == 2
    assert [(r.name, r.value, r.line) for r in registers.values] == [
        ("rax", 0, 2),
        ("rip", 0x558E755E8150, 3),
    ]
    assert facts("thread select 2; frame select 0; register read", text) == []


def test_variables() -> None:
    text = '(int) argc = 1\n(char[20]) buf = "hello\\0"\n(void (*)(int)) f = 0x10 (a`g at a.c:3)\n'
    text += "(node) n = {\n  value = 3\n  next = NULL\n}\n"
    text += "(Rc<dyn Fn<(&Bus, i32), Output=()> >) g = 0x20\n"
    values, *types = facts("frame select 1; frame variable --no-args", text)
    assert isinstance(values, Locals)
    assert [(v.name, v.value, v.line) for v in values.variables] == [
        ("argc", "1", 1),
        ("buf", '"hello\\0"', 2),
        ("f", "0x10 (a`g at a.c:3)", 3),
        ("n", "{value = 3, next = NULL}", 4),
        ("g", "0x20", 8),
    ]
    assert (values.cite.first, values.cite.last) == (1, 8)
    assert [(t.frame, t.expression, t.type) for t in types if isinstance(t, Typed)] == [
        (1, "argc", "int"), (1, "buf", "char[20]"), (1, "f", "void (*)(int)"), (1, "n", "node"),
        (1, "g", "Rc<dyn Fn<(&Bus, i32), Output=()> >"),
    ]  # fmt: skip


def test_source_of_a_frame() -> None:
    text = "frame #1: 0x10 prog`main(argc=1) at /src/prog.c:8:78\n"
    text += "   7   \tint a;\n-> 8   \treturn f(a); /* 9\t*/\n   9   \t}\n"
    found = facts("frame select 1", text)
    assert [(f.file, f.line, f.text, f.cite.first) for f in found if isinstance(f, SourceLine)] == [
        ("/src/prog.c", 7, "int a;", 2),
        ("/src/prog.c", 8, "return f(a); /* 9\t*/", 3),
        ("/src/prog.c", 9, "}", 4),
    ]
    listed = "/out/prog`inner + 19 at /src/prog.c:7:84\n-> 7   \tx\n"
    (line,) = facts("source list --address 0x10", listed)
    assert isinstance(line, SourceLine)
    assert line.file == "/src/prog.c"


def test_text_without_commands_is_read_as_a_whole() -> None:
    text = THREADS + "(int) argc = 1\n       rax = 0x0000000000000007\n"
    kinds = {type(fact) for fact in facts("(opening)", text)}
    assert kinds == {Stack, StackGroups, Threads, Locals, Typed, Registers}


def test_thousands_of_frames() -> None:
    line = "    frame #{}: 0x0000000000000010 a`walk(depth={}) at a.c:3:1\n"
    text = "* thread #1: tid = 1\n" + "".join(line.format(n, n) for n in range(30_000))
    (stack,) = facts("bt", text)
    assert isinstance(stack, Stack)
    assert len(stack.frames) == 20_000


_PIECES = st.sampled_from(
    ["frame #", "thread #1", "* ", ": tid = ", "0x10", "99999999999", " a`", "f(", "x=1", ")",
     " at ", "a.c", ":3", " [inlined] ", " [opt]", " + ", "\n", " = ", "(int) ", "rax", "->",
     "   7   \t", "`", "\x00", "\udcff", "é", "___lldb_unnamed_symbol", "name = '", "'",
     "::h0123456789abcdef"]
)  # fmt: skip
_COMMANDS = st.sampled_from(
    ["bt", "thread list", "register read", "frame variable", "frame select 1", "source list",
     "(opening)", "image list", "frame select 99999999999; bt", "thread backtrace --count 9 all"]
)  # fmt: skip


@settings(max_examples=examples(500), deadline=None)
@given(_COMMANDS, st.one_of(st.lists(_PIECES, max_size=60).map("".join), st.text(max_size=200)))
def test_any_text_is_read(command: str, text: str) -> None:
    analysis = analyze(Document("E1", command, "lldb", text))
    last = text.count("\n") + 1
    for fact in analysis.facts:
        assert 1 <= fact.cite.first <= fact.cite.last <= last
        if isinstance(fact, Stack):
            assert all(1 <= frame.line_no <= last for frame in fact.frames)


def test_a_long_line_is_read_in_linear_time() -> None:
    for piece in ("(", "f(x=", " [inlined] ", " at a:1", "`", " [opt]", "::", ".cold"):
        parse_frame("frame #0: 0x10 a`" + piece * 8000)
        facts("frame variable", "(" + piece * 8000 + ") x = 1")


def test_an_expression_that_was_asked_for_is_printed() -> None:
    text = "frame #1: 0x01 shop`total(box=0x05) at shop.c:9:3\n"
    text += "(room *) badge->home = 0x0000000000000000\n"
    found = analyze(
        Document("E7", "frame select 1; frame variable badge->home", "lldb", text)
    ).facts
    (printed,) = [fact for fact in found if isinstance(fact, Printed)]
    assert (printed.frame, printed.expression) == (1, "badge->home")
    assert (printed.value, printed.cite.first) == ("0x0000000000000000", 2)


def test_a_member_of_rust_is_read_however_lldb_has_to_be_asked() -> None:
    text = "error: member reference type 'View *' is a pointer\n\n(char *) v->e->name = 0x00\n"
    frame = Frame(index=1, function="at", module=None, file="a.rs", line=3)
    ((_, command),) = commands.value(frame, "v.e.name")[0].others
    (printed,) = facts(command, text)
    assert isinstance(printed, Printed)
    assert (printed.expression, printed.value, printed.cite.first) == ("v.e.name", "0x00", 3)
    assert printed_expression(command) == "v.e.name"


def test_an_elements_address_is_read() -> None:
    (printed,) = facts("frame variable &c->ops[6]", "(handler **) &[6] = 0x00d0\n")
    assert isinstance(printed, Printed)
    assert (printed.expression, printed.value) == ("&c->ops[6]", "0x00d0")


def test_a_structure_over_several_lines_is_read_as_one() -> None:
    text = '(Op[2]) ::ops = {\n  [0] = {\n    name = 0x0010 "add"\n    run = nullptr\n  }\n'
    text += "  [1] = {\n    name = NULL\n    run = 0x0020\n  }\n}\n"
    (fact,) = analyze(Document("E7", "frame select 1; frame variable ops", "lldb", text)).facts
    assert isinstance(fact, Printed)
    assert [(way, scalar(value)) for way, value in leaves(fact.value)] == [
        ("[0].name", 16),
        ("[0].run", 0),
        ("[1].name", 0),
        ("[1].run", 32),
    ]


def test_a_function_has_the_pc_of_the_one_that_it_was_inlined_into() -> None:
    text = "  * frame #0: 0x20 a`find(this=0x0)\n    frame #1: 0x20 a`get()\n"
    text += "    frame #2: 0x30 a`walk()\n    frame #3: 0x30 a`walk()\n"
    (stack,) = analyze(Document("E7", "thread backtrace", "lldb", text)).facts
    assert isinstance(stack, Stack)
    assert [frame.inlined for frame in stack.frames] == [True, False, False, False]


_ROW = "    frame #{}: 0x00005600451dc6{} app`{} at {}\n"


@pytest.mark.parametrize(
    ("rows", "functions"),
    [
        (  # what has a name that lldb 14 cannot read gets that of the function around it
            [("ac", "app::main", "traits.rs:472"),
             ("94", "app::main [inlined] str::index", "traits.rs:63"),
             ("94", "app::main", "app.rs:7"), ("94", "app::main", "app.rs:29")],
            [None, "str::index", None, "app::main"],
        ),
        (
            [("ac", "app::main [inlined] borrow", "c.rs:1224"), ("94", "app::main", "app.rs:15"),
             ("94", "app::main", "app.rs:31")],
            ["borrow", None, "app::main"],
        ),
        (  # a recursion
            [("ac", "app::eval", "app.rs:13"), ("94", "app::eval", "app.rs:17"),
             ("94", "app::eval", "app.rs:17"), ("70", "app::main", "app.rs:40")],
            ["app::eval", "app::eval", "app::eval", "app::main"],
        ),
        (  # from a function that was inlined
            [("ac", "app::eval", "app.rs:13"), ("94", "app::eval [inlined] each", "app.rs:17"),
             ("94", "app::eval", "app.rs:15")],
            ["app::eval", "each", "app::eval"],
        ),
    ],
)  # fmt: skip
def test_the_name_of_the_function_around_is_that_of_one_frame(
    rows: list[tuple[str, str, str]], functions: list[str | None]
) -> None:
    text = "* thread #1\n" + "".join(_ROW.format(at, *row) for at, row in enumerate(rows))
    (stack,) = analyze(Document("E1", "bt", "lldb", text)).facts
    assert isinstance(stack, Stack)
    assert [frame.function for frame in stack.frames] == functions
    assert [frame.inlined for frame in stack.frames if frame.function is None] == [
        True for name in functions if name is None
    ]
