"""Logs that the real tools print, here and now, of programs whose fault is known."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.logs import programs
from tests.logs.programs import build, output_of
from tests.logs.reading import read_log, read_text
from workbench.agents import experts
from workbench.model.category import Category as C


@pytest.mark.parametrize(
    ("name", "source", "flag", "category", "function", "said"),
    [
        ("uaf", programs.USE_AFTER_FREE, "address", C.USE_AFTER_FREE, "order_total",
         "a read of 4 bytes at 0x"),
        ("row", programs.HEAP_OVERFLOW, "address", C.HEAP_BUFFER_OVERFLOW, "fill_row",
         "a write of 4 bytes at 0x"),
        ("page", programs.DOUBLE_FREE, "address", C.DOUBLE_FREE, "close_page", "double-free"),
        ("node", programs.NULL_READ, "address", C.NULL_POINTER_DEREFERENCE, "node_value", "0x10"),
        ("label", programs.LEAK, "address", C.MEMORY_LEAK, "make_label", "memory leaks"),
        ("price", programs.UNDEFINED, "undefined", C.INTEGER_OVERFLOW, None, "2147483647 * 2"),
        ("hits", programs.RACE, "thread", C.DATA_RACE, "count_hit", "data race"),
    ],
)  # fmt: skip
def test_sanitizers(
    tmp_path: Path, name: str, source: str, flag: str, category: C, function: str | None, said: str
) -> None:
    program = build(tmp_path, name, source, f"-fsanitize={flag}")
    log = tmp_path / "log.txt"
    log.write_text(output_of(program), encoding="utf-8")
    read = read_log(log)
    assert read.category is category
    assert read.function == function
    assert said in read.cause
    assert f"{name}.c" in read.cause


def test_the_stacks_of_a_report_have_their_roles(tmp_path: Path) -> None:
    program = build(tmp_path, "uaf", programs.USE_AFTER_FREE, "-fsanitize=address")
    read = read_text(tmp_path, output_of(program))
    stacks = {role.role: role.frames for role in read.findings[0].stacks}
    assert [frame.function for frame in stacks["access"][:2]] == ["order_total", "main"]
    assert stacks["free"][1].function == "drop_order"
    assert stacks["alloc"][1].function == "make_order"
    assert read.verdict is not None
    told = " ".join(claim.text for claim in read.verdict.claims)
    assert "The memory was freed in `drop_order`" in told
    assert "__interceptor" not in told
    assert "in `make_order` at `uaf.c:5`" in told


def test_a_report_in_the_middle_of_a_ci_log_loses_nothing(tmp_path: Path) -> None:
    program = build(tmp_path, "uaf", programs.USE_AFTER_FREE, "-fsanitize=address")
    lines = ["building", *output_of(program).splitlines(), "##[error]Process completed with 1"]
    stamped = "".join(f"2025-11-02T10:03:{i:02}.1234567Z \x1b[31m{x}\x1b[0m\r\n"
                      for i, x in enumerate(lines))  # fmt: skip
    read = read_text(tmp_path, stamped)
    assert read.category is C.USE_AFTER_FREE
    assert read.function == "order_total"


def test_valgrind(tmp_path: Path) -> None:
    program = build(tmp_path, "page", programs.DOUBLE_FREE)
    read = read_text(tmp_path, output_of("valgrind", program))
    assert read.category is C.DOUBLE_FREE
    assert read.function == "close_page"
    program = build(tmp_path, "row", programs.HEAP_OVERFLOW)
    read = read_text(tmp_path, output_of("valgrind", program))
    assert read.category is C.HEAP_BUFFER_OVERFLOW
    assert (read.function, read.findings[0].access) == ("fill_row", "write")


def test_glibc_says_why_it_aborts(tmp_path: Path) -> None:
    read = read_text(tmp_path, output_of(build(tmp_path, "page", programs.DOUBLE_FREE)))
    assert read.category is C.DOUBLE_FREE
    read = read_text(tmp_path, output_of(build(tmp_path, "depth", programs.ASSERTION)))
    assert read.category is C.ASSERTION_FAILURE
    assert read.function == "check_depth"
    assert "depth.c:3" in read.cause


def test_python_says_where_it_crashed(tmp_path: Path) -> None:
    script = tmp_path / "shop.py"
    script.write_text(
        "import faulthandler\nfaulthandler.enable()\n"
        "def read_price():\n    faulthandler._sigsegv()\n"
        "def main():\n    read_price()\nmain()\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    read = read_text(tmp_path, done.stderr)
    assert read.findings[0].signal == "SIGSEGV"
    frame = experts.verdict(C.WILD_POINTER, read.facts).frame
    assert frame is not None
    assert frame.function == "read_price"
    script.write_text("def total(of):\n    return of['x']\n\ntotal({})\n", encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    read = read_text(tmp_path, done.stderr)
    assert (read.category, read.function) == (C.UNCAUGHT_EXCEPTION, "total")
    assert "KeyError: 'x'" in read.cause


def test_gdb_with_and_without_its_prompts(tmp_path: Path) -> None:
    program = build(tmp_path, "node", programs.NULL_READ)
    commands = ["run", "bt", "info registers", "x/i $pc"]
    gdb = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off"]
    bare = output_of(*gdb, *(part for c in commands for part in ("-ex", c)), str(program))
    read = read_text(tmp_path, bare)
    assert read.category is C.NULL_POINTER_DEREFERENCE
    assert read.function == "node_value"
    assert "`it` is 0x0" in read.cause
    assert read.verdict is not None
    assert any("a read at 0x10" in claim.text for claim in read.verdict.claims)
    typed = subprocess.run(
        ["gdb", "-nx", "-q", "-iex", "set debuginfod enabled off", program],
        input="".join(f"{c}\n" for c in [*commands, "kill", "quit"]),
        capture_output=True, text=True, check=False, timeout=60,
    ).stdout  # fmt: skip
    assert "(gdb) " in typed
    read = read_text(tmp_path, typed)
    assert read.category is C.NULL_POINTER_DEREFERENCE
    assert read.function == "node_value"
