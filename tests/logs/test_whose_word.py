"""Statements that a log's words do not carry: whose frame, whose stack, whose address it was."""

from pathlib import Path

import pytest

from tests.logs.reading import Read, read_text
from workbench.model.category import Category as C

_ABORT = (
    "#0  0x00001502ad21a52f in raise () from /lib64/libc.so.6\n"
    "#1  0x00001502ad1ede65 in abort () from /lib64/libc.so.6\n"
    "#2  0x00001502ad25b727 in __libc_message () from /lib64/libc.so.6\n"
    "#3  0x00001502ad262a2c in malloc_printerr () from /lib64/libc.so.6\n"
)
_FREED = f"{_ABORT}#4  0x00001502ad26470d in _int_free () from /lib64/libc.so.6\n"
_TILL = "#5  0x0000000000402e7b in count (d=0x5) at till.c:5\n"
_STOP = "Program terminated with signal SIGABRT, Aborted.\n"
_COREDUMP = (
    "           PID: 2150 (till)\n        Signal: 6 (ABRT)\n"
    "                Stack trace of thread 2150:\n"
    "                #0  0x00007feab049f26c n/a (libc.so.6 + 0x8926c)\n"
    "                #1  0x00007feab044fa08 raise (libc.so.6 + 0x39a08)\n"
    "                #2  0x00007feab0438538 abort (libc.so.6 + 0x22538)\n"
    "                #3  0x00007feab04392db n/a (libc.so.6 + 0x232db)\n"
    "                #4  0x00007feab04adcb3 {} (libc.so.6 + 0x97cb3)\n"
    "                #5  0x000055a5a0001234 count (till + 0x1234)\n"
)


@pytest.mark.parametrize(
    "text",
    [f"(gdb) bt\n{_FREED}{_TILL}", f"{_STOP}{_FREED}{_TILL}", _COREDUMP.format("__libc_free")],
)
def test_what_free_found_is_not_told_by_its_stack(tmp_path: Path, text: str) -> None:
    read = read_text(tmp_path, text)
    assert read.category is None
    assert [found.category for found in read.findings if found.category]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        (f"double free or corruption (fasttop)\n(gdb) bt\n{_FREED}{_TILL}", C.DOUBLE_FREE),
        (f"(gdb) bt\n{_ABORT}#4  0x00001502ad26470d in _int_malloc () from /lib64/libc.so.6\n"
         f"{_TILL}", C.HEAP_CORRUPTION),
        (_COREDUMP.format("n/a"), C.EXPLICIT_ABORT),
    ],
)  # fmt: skip
def test_what_the_allocator_says_or_breaks_on_is_told(
    tmp_path: Path, text: str, category: C
) -> None:
    assert read_text(tmp_path, text).category is category


def test_a_frame_whose_name_was_cut_away_is_none(tmp_path: Path) -> None:
    read = read_text(tmp_path, f"(gdb) bt\n{_ABORT}#4  0x0000150\n")
    assert all(f.function != "0x0000150" for s in _frames(read) for f in s)


def _frames(read: Read) -> list[tuple]:
    from workbench.model.facts import Stack

    return [stack.frames for stack in read.facts.all(Stack)]


_CHROMIUM = (
    "Received signal 11 SEGV_MAPERR 000000000000\n"
    "#0 0x7f5f5acc9d07 <unknown>\n#1 0x7f5f48ecffe0 <unknown>\n#2 0x7f5f6012f39c <unknown>\n"
    "  r8: 00000000beeddead  r9: 00000000beeddead r10: 000009af72c938f0 r11: 00000000beeddead\n"
    "  ip: 00007f5f6012f39c efl: 0000000000010246 cgf: 002b000000000033 erf: 0000000000000004\n"
    "[end of stack trace]\n"
)


def test_the_place_is_the_instruction_that_the_registers_name(tmp_path: Path) -> None:
    read = read_text(tmp_path, _CHROMIUM)
    assert read.verdict is not None
    assert read.verdict.frame is not None
    assert read.verdict.frame.address == 0x7F5F6012F39C


def test_a_handler_in_camel_case_is_one(tmp_path: Path) -> None:
    named = _CHROMIUM.replace("000000000000\n", "000000000010\n", 1)
    named = named.replace("#0 0x7f5f5acc9d07 <unknown>",
                          "#0 0x7f5f5acc9d07 base::debug::StackDumpSignalHandler()")  # fmt: skip
    named = named.replace("#2 0x7f5f6012f39c <unknown>", "#2 0x7f5f6012f39c Till::count()")
    read = read_text(tmp_path, named.partition("  r8:")[0])
    assert [f.function for f in read.findings[0].stacks[0].frames] == ["Till::count()"]


def test_what_two_threads_waited_by_is_not_the_other_access(tmp_path: Path) -> None:
    text = (
        "WARNING: ThreadSanitizer: data race (pid=19947)\n"
        "  Write of size 8 at 0x7b3400000340 by thread T1:\n    #0 count till.c:313 (till+0x15)\n\n"
        "  Previous read of size 8 at 0x7b3400000340 by thread T17:\n"
        "    [failed to restore the stack]\n\n"
        "  As if synchronized via sleep:\n    #0 sleep a.cpp:344 (libtsan.so.2+0x61f80)\n"
        "    #1 nap till.c:1658 (till+0x1d9b8)\n"
    )
    read = read_text(tmp_path, text)
    assert read.category is C.DATA_RACE
    assert read.verdict is not None
    assert "nap" not in str(read.verdict.claims)


@pytest.mark.parametrize(
    ("thrown", "category"),
    [
        ("java.lang.StackOverflowError", C.STACK_OVERFLOW),
        ("java.lang.ClassNotFoundException", C.LIBRARY_LOAD_FAILURE),
        ("org.opentest4j.AssertionFailedError", C.ASSERTION_FAILURE),
        # The program's own, whatever they are called.
        ("org.acme.StackOverflowApiException", C.UNCAUGHT_EXCEPTION),
        ("org.acme.OutOfMemoryError", C.UNCAUGHT_EXCEPTION),
        ("edu.school.ClassNotFoundInCatalogException", C.UNCAUGHT_EXCEPTION),
        ("DivideByZeroDiscountException", C.UNCAUGHT_EXCEPTION),
    ],
)
def test_a_type_speaks_for_itself_where_it_is_a_runtimes(
    tmp_path: Path, thrown: str, category: C
) -> None:
    text = f'Exception in thread "main" {thrown}: no\n\tat org.acme.Till.shut(Till.java:7)\n'
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(("block", "category"), [("0x31", C.INVALID_FREE), ("0xb6e75000", None)])
def test_androids_allocator_names_two_causes(
    tmp_path: Path, block: str, category: C | None
) -> None:
    text = (
        "pid: 31733, tid: 31733, name: till  >>> com.acme.till <<<\n"
        "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0xdeadbaad\n"
        f"Abort message: 'invalid address or address of corrupt block {block} passed to dlfree'\n"
        "backtrace:\n    #00 pc 00029158  /system/lib/libc.so (dlfree+1239)\n"
    )
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("member access within null pointer of type 'struct till'", "A null pointer was used in"),
        ("reference binding to null pointer of type 'const int'", "A null pointer was used in"),
        ("load of null pointer of type 'int'", "A null pointer is dereferenced in"),
    ],
)
def test_a_member_of_null_need_not_be_accessed(tmp_path: Path, words: str, said: str) -> None:
    read = read_text(tmp_path, f"/src/till.c:40:12: runtime error: {words}\n")
    assert read.category is C.NULL_POINTER_DEREFERENCE
    assert read.cause.startswith(said)


def test_gos_call_of_c_code_is_no_place(tmp_path: Path) -> None:
    text = (
        "SIGSEGV: segmentation violation\nPC=0x1a1090d0e m=0 sigcode=1 addr=0x20\n"
        "signal arrived during cgo execution\n\n"
        "goroutine 1 gp=0xc000002380 m=0 mp=0x10f7fb860 [syscall]:\n"
        "runtime.cgocall(0x10f6e81a0, 0xc000027a78)\n\t/go/src/runtime/cgocall.go:157 +0x44\n"
    )
    assert read_text(tmp_path, text).function is None
    called = f"{text}main._Cfunc_count(0x0)\n\t_cgo_gotypes.go:64 +0x3c\n"
    assert read_text(tmp_path, called).function == "main._Cfunc_count"


@pytest.mark.parametrize(
    ("code", "category"),
    [("Address not mapped to object.", C.NULL_POINTER_DEREFERENCE), ("Unknown si_code.", None)],
)
@pytest.mark.parametrize("between", ["\n", " "])
def test_an_address_that_comes_without_a_code_is_none(
    tmp_path: Path, code: str, category: C | None, between: str
) -> None:
    front = "2019.05.08 10:59:05.665089 [ 71 ] {} <Error> BaseDaemon: "
    said = f"Address: NULL pointer.\nAccess: read.\n{code}".replace("\n", between)
    text = "".join(
        f"{front}{line}\n"
        for line in ("(version 19.5) (from thread 30) Received signal Segmentation fault (11).",
                     *said.split("\n"), "0. /usr/bin/till(Till::count(int)+0xd5) [0x6f0e525]")
    )  # fmt: skip
    assert read_text(tmp_path, text).category is category


@pytest.mark.parametrize(
    ("address", "category"),
    [("0000000000000000", C.NULL_POINTER_DEREFERENCE), ("000002fc", None)],
)
def test_half_of_an_address_is_none(tmp_path: Path, address: str, category: C | None) -> None:
    text = (
        "Unity.exe caused an Access Violation (0xc0000005)\n  in module Unity.exe at 0033:40196e95."
        f"\n\nRead from location {address} caused an access violation.\n\nContext:\n"
        f"RIP:    0x{address}  RBP: 0x{address}  SegCs: 0x{address[:-2]}33\n"
    ).replace("RIP:    0x0000000000000000", "RIP:    0x0000000140196e95")
    assert read_text(tmp_path, text).category is category


def test_marks_of_inline_code_around_lines_are_none_of_theirs(tmp_path: Path) -> None:
    text = (
        "`Fatal error. System.AccessViolationException: Attempted to read.\n"
        "   at Acme.Till.Count(Int32)\n   at Acme.Till.Main(System.String[])`\n"
    )
    read = read_text(tmp_path, text)
    assert read.findings[0].message == (
        "Fatal error. System.AccessViolationException: Attempted to read."
    )
    assert [f.file for f in read.findings[0].stacks[0].frames] == [None, None]
