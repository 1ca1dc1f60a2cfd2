"""gdb's and lldb's lists of memory, modules, values and locks: the same facts from either."""

import subprocess
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.analyzers.outputs import GDB, LLDB
from tests.crashes import build, crash, gdbs
from workbench.model.facts import AnyFact, Locals, Lock, Memory, Module


def facts(command: str, text: str | None = None, host: str = "gdb") -> tuple[AnyFact, ...]:
    answers = GDB if host == "gdb" else LLDB
    return analyze(Document("E2", command, host, answers[command] if text is None else text)).facts


def test_the_members_of_a_value_are_no_variables() -> None:
    (found,) = facts("info locals")
    assert isinstance(found, Locals)
    assert [(v.name, v.value, v.line) for v in found.variables] == [
        ("mine", "{", 1),
        ("rows", "{{", 8),
        ("ret", "0", 13),
    ]


def test_the_writer_holds_an_rwlock() -> None:
    (lock,) = facts("p gate")
    assert isinstance(lock, Lock)
    assert (lock.owner, lock.name, str(lock.cite)) == (13540, "gate", "E2:7")
    read = GDB["p gate"].replace("13540", "0").replace("futex = 3", "futex = 0")
    assert facts("p gate", read) == ()
    printer = (
        "$1 = {Status = Acquired (Write), Shared = No, Prefers = Readers, Writer ID = 13540}\n"
    )
    (lock,) = facts("p gate", printer)
    assert isinstance(lock, Lock)
    assert lock.owner == 13540


def test_mappings_of_a_process_are_memory_and_modules() -> None:
    *modules, memory = facts("info proc mappings")
    assert isinstance(memory, Memory)
    assert [(r.kind, r.perms, r.line) for r in memory.regions] == [
        ("file", "r--", 5), ("file", "r-x", 6), ("heap", "rw-", 7), ("anonymous", "rw-", 8),
        ("file", "r--", 9), ("file", "r-x", 10), ("file", "r--", 11), ("vdso", "r-x", 12),
        ("stack", "rw-", 13),
    ]  # fmt: skip
    assert [(m.name, m.base, m.end, str(m.cite)) for m in modules if isinstance(m, Module)] == [
        ("till", 0x555555554000, 0x555555556000, "E2:5-6"),
        ("libc.so.6", 0x7FFFF7DD4000, 0x7FFFF7F50000, "E2:9-10"),
    ]


def test_a_list_of_files_alone_is_no_map_of_the_memory() -> None:
    text = "".join(
        line.replace("  r--p ", "").replace("  r-xp ", "") + "\n"
        for line in GDB["info proc mappings"].split("\n")
        if "/" in line
    )
    found = facts("info proc mappings", text)
    assert [m.name for m in found if isinstance(m, Module)] == ["libc.so.6"]
    assert not any(isinstance(fact, Memory) for fact in found)


def test_libraries_whose_whole_range_is_told() -> None:
    found = [
        (m.name, m.status, m.symbols) for m in facts("info sharedlibrary") if isinstance(m, Module)
    ]
    assert found == [
        ("libc.so.6", "unverified", "debug-info"),
        ("ld-linux-x86-64.so.2", "unverified", "symbols"),
        ("libcoin.so", "missing", "unknown"),
    ]
    said = analyze(Document("E2", "info sharedlibrary", "gdb", GDB["info sharedlibrary"]))
    assert said.summary == "3 modules, 1 not found"
    assert said.findings == ("/srv/till/libcoin.so was not found [E2:4]",)


def test_lldbs_regions_and_images() -> None:
    *modules, memory = facts("memory region --all", host="lldb")
    assert isinstance(memory, Memory)
    assert [region.kind for region in memory.regions] == [
        "file",
        "file",
        "anonymous",
        "vdso",
        "stack",
    ]
    assert [m.path for m in modules if isinstance(m, Module)] == ["/srv/till/till"]
    images = [m for m in facts("image list", host="lldb") if isinstance(m, Module)]
    assert [(m.name, m.base, m.end - m.base) for m in images] == [
        ("till", 0x563201E87000, 0), ("[vdso]", 0x7F311CFB3000, 0),
        ("linux-vdso.so.1", 0x7F311CFB3000, 0), ("libc.so.6", 0x7F311CDBF000, 0),
    ]  # fmt: skip
    assert images[0].build_id == "E72FF5E4-0255-C3C5-7183-B3435FA1D119-6B7A0C7C"


PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct coin { int worth; struct { int year; char mint[4]; } struck; };
pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static void *reader(void *x) { pthread_rwlock_rdlock(&gate); return x; }
int main(void) {
  struct coin coin = {5, {1990, "abc"}};
  pthread_t thread;
  pthread_rwlock_wrlock(&gate);
  pthread_create(&thread, NULL, reader, &coin);
  sleep(1);
  abort();
}
"""
COMMANDS = ("p gate", "info proc mappings", "info sharedlibrary", "bt full")


@pytest.mark.parametrize("gdb", gdbs(), ids=str)
def test_real_gdbs_tables(gdb: Path) -> None:
    executable = build(PROGRAM, "-g", "-O0", "-pthread")
    said = subprocess.run(
        [str(gdb), "-nx", "-q", "-batch", "-iex", "set auto-load no", "-iex",
         "set debuginfod enabled off", "-ex", "set width 0", "-ex", "set style enabled off",
         "-ex", "set print pretty on",
         *(word for command in COMMANDS for word in ("-ex", r"echo @@@\n", "-ex", command)),
         str(executable), str(crash(executable))],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    outputs = dict(zip(COMMANDS, said.split("@@@\n")[1:], strict=True))
    (lock,) = facts("p gate", outputs["p gate"])
    assert isinstance(lock, Lock)
    assert lock.name == "gate"
    modules = {m.name: m for m in facts("info proc mappings", outputs["info proc mappings"])
               if isinstance(m, Module)}  # fmt: skip
    assert executable.name in modules
    assert any(name.startswith("libc.") for name in modules)
    for module in facts("info sharedlibrary", outputs["info sharedlibrary"]):
        assert isinstance(module, Module)
        assert modules[module.name].base == module.base
    (variables,) = (
        fact
        for fact in facts("bt full", outputs["bt full"])
        if isinstance(fact, Locals) and fact.function == "main"
    )
    assert {variable.name for variable in variables.variables} == {"coin", "thread"}
