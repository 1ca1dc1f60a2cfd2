"""What the reader says of real cores, held against gdb and the executables."""

import re
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crashes import build, crash, kernel_writes_cores
from tests.targets.programs import THREADED
from workbench.targets.core import CoreFile
from workbench.targets.identify import open_core

CORES = ["dynamic_core", "static_core", "static_pie_core"]


def gdb(path: Path, exe: Path, core: Path, *commands: str) -> str:
    asked = [word for command in commands for word in ("-ex", command)]
    safe = ["-nx", "-batch", "-iex", "set auto-load no", "-iex", "set debuginfod enabled off"]
    made = subprocess.run(
        [str(path), *safe, *asked, str(exe), str(core)], capture_output=True, text=True, timeout=60
    )
    return made.stdout


def test_says_what_crashed(core: CoreFile, dynamic_exe: Path) -> None:
    assert (core.arch, core.bits, core.little_endian) == ("x86_64", 64, True)
    assert core.recorded_executable == str(dynamic_exe)
    assert core.command_line == str(dynamic_exe)
    assert core.pid == core.threads[0].tid
    assert len(core.threads) == 4
    assert not core.snapshot
    assert not core.truncated
    assert core.siginfo is not None
    assert (core.siginfo.name, core.siginfo.code_name) == ("SIGSEGV", "SEGV_MAPERR")
    assert core.siginfo.address == 0x10


@pytest.mark.parametrize("name", CORES)
def test_registers_and_symbols_agree_with_gdb(
    name: str, request: pytest.FixtureRequest, gdb_path: Path
) -> None:
    path = request.getfixturevalue(name)
    with open_core(path) as core:
        exe = Path(str(core.program.file)) if core.program else Path()
        text = gdb(gdb_path, exe, path, "info registers", "p &answer", "x/i $pc")
        shown = dict(re.findall(r"^(\w+) +(0x[0-9a-f]+)", text, re.M))
        ours = core.threads[0].registers
        other = {key for key in shown if int(shown[key], 16) != ours.get(key, -1)}
        assert other <= {f"k{number}" for number in range(8)}  # where the processor has AVX-512
        assert {"rip", "rsp", "rbp", "r15", "eflags", "fs_base"} <= shown.keys()
        answer = re.search(r"(0x[0-9a-f]+) <answer>", text)
        assert answer is not None
        assert core.symbol("", "answer") == int(answer[1], 16)
        place = re.search(r"=> 0x[0-9a-f]+ <(\w+)\+(\d+)>", text)
        assert place is not None
        assert core.symbolize(core.threads[0].pc or 0) == (place[1], int(place[2]))
        assert {core.symbolize(t.pc or 0) for t in core.threads[1:]}.isdisjoint({None})


@pytest.mark.parametrize("name", CORES)
def test_reads_memory(name: str, request: pytest.FixtureRequest) -> None:
    with open_core(request.getfixturevalue(name)) as core:
        answer = core.symbol("", "answer")
        motto = core.symbol("", "motto")
        kept = core.symbol("", "kept")
        assert answer is not None
        assert motto is not None
        assert kept is not None
        assert core.read(answer, 4) == b"\x2a\0\0\0"
        # A constant lies in pages that the kernel does not dump: the executable has them.
        assert core.read_dumped(motto, 15) is None or not kernel_writes_cores()
        assert core.read_cstring(motto) == b"read only words"
        heap = core.read_word(kept)
        assert heap is not None
        assert core.read_cstring(heap) == b"kept on the heap"
        assert core.read_cstring(heap, 4) == b"kept"
        region = core.region(heap)
        assert region is not None
        assert region.kind == "heap"
        assert core.read(heap, 1 << 29) is None
        assert core.read(0, 1) is None
        assert core.read(heap, 0) == b""
        assert core.read(-1, 1) is None
        assert core.read((1 << 64) - 4, 8) is None


@pytest.mark.parametrize("name", CORES)
def test_every_stack_and_heap_is_known(name: str, request: pytest.FixtureRequest) -> None:
    with open_core(request.getfixturevalue(name)) as core:
        regions = core.regions
        assert all(a.end <= b.start for a, b in pairwise(regions))
        stacks = {region.thread for region in regions if region.kind == "stack"}
        assert stacks == {thread.tid for thread in core.threads}
        for thread in core.threads:
            region = core.region(thread.sp or 0)
            assert region is not None
            assert (region.kind, region.thread) == ("stack", thread.tid)
        assert sum(region.kind == "heap" for region in regions) == 4
        assert all(r.perms == "---" for r in regions if r.kind == "none")
        assert any(r.kind == "none" for r in regions)
        assert any(r.kind == "vdso" for r in regions)
        assert core.region(0) is None


def test_modules_are_found_by_build_id(core: CoreFile, dynamic_exe: Path) -> None:
    names = {module.name: module for module in core.modules}
    assert {dynamic_exe.name, "libc.so.6", "[vdso]"} <= names.keys()
    program = names[dynamic_exe.name]
    assert program is core.program
    assert (program.status, program.symbols, program.file) == ("found", "debug-info", dynamic_exe)
    noted = subprocess.run(["readelf", "-n", dynamic_exe], capture_output=True, text=True).stdout
    assert f"Build ID: {program.build_id}" in noted
    assert names["libc.so.6"].status == "found"
    assert core.symbol("libc.so", "malloc") is not None
    assert core.module_at(program.base) is program
    assert core.module_at(program.base - 1) is None
    assert core.symbol("no such module", "main") is None


@pytest.mark.parametrize("flag", ["-s", "-Wl,--strip-debug"])
def test_a_stripped_program_says_so(flag: str) -> None:
    with open_core(crash(build(THREADED, "-pthread", flag))) as core:
        assert core.program is not None
        assert core.program.symbols == ("stripped" if flag == "-s" else "symbols")
        assert (core.symbol("", "answer") is None) == (flag == "-s")


def test_the_heap_without_randomisation_touches_the_program() -> None:
    with open_core(crash(build(THREADED, "-g", "-pthread"), via="gdb")) as core:
        kept = core.symbol("", "kept")
        assert kept is not None
        region = core.region(core.read_word(kept) or 0)
        assert region is not None
        assert region.kind == "heap"
        assert core.by_debugger
        assert not core.snapshot
        assert core.signal == 11


def test_an_overflowed_stack_pointer_still_names_its_stack() -> None:
    source = (
        "int main(int c, char **v) {"
        " volatile char a[9999]; a[0] = c; return main(a[0], v) + a[1]; }"
    )
    with open_core(crash(build(source, "-O0"))) as core:
        tid = core.threads[0].tid
        stacks = [region for region in core.regions if region.kind == "stack"]
        assert [region.thread for region in stacks] == [tid]
        assert stacks[0].end - stacks[0].start > 4 << 20


def test_a_program_that_is_built_again_meanwhile_is_not_read(tmp_path: Path) -> None:
    exe = tmp_path / "program"
    exe.write_bytes(build(THREADED, "-g", "-pthread").read_bytes())
    exe.chmod(0o755)
    with open_core(crash(exe)) as core:
        motto = core.symbol("", "motto")
        assert motto is not None
        assert core.read(motto, 4) == b"read"
        with exe.open("r+b") as file:  # cut in place, as cp over it does
            file.truncate(100)
        assert core.read(motto, 4) is None
        exe.unlink()
        assert core.read(motto, 4) is None


def test_a_dump_that_is_cut_meanwhile_is_missing_data(dynamic_core: Path, tmp_path: Path) -> None:
    path = tmp_path / "core"
    path.write_bytes(dynamic_core.read_bytes())
    with open_core(path) as core:
        sp = core.threads[0].sp or 0
        assert core.read_word(sp) is not None
        with path.open("r+b") as file:
            file.truncate(5000)
        assert core.read_word(sp) is None
        assert core.read_cstring(sp) is None
        assert len(core.regions) > 10


@pytest.mark.parametrize("flags", [(), ("-static", "-no-pie")])
def test_a_long_command_line_is_whole(flags: tuple[str, ...]) -> None:
    exe = build("int main(void) { *(volatile int *)8 = 1; }", *flags)
    arguments = [f"--option-{n}=a value\twith \u00e9" for n in range(30)]
    with open_core(crash(exe, *arguments)) as core:
        assert core.command_line == shlex.join([str(exe), *arguments])
    with open_core(crash(exe, "x" * 3000, "y" * 3000)) as core:
        assert core.command_line is not None
        assert len(core.command_line) == 4096
    with open_core(crash(exe, "7", "", "short")) as core:
        assert core.command_line is not None
        assert core.command_line.endswith(" 7 '' short")


BORROWED = """
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <unistd.h>
char *kept;
static void handler(int number) { abort(); }
int main(int count, char **words) {
    int fixed = personality(~0u) & ADDR_NO_RANDOMIZE;
    if (FIXED && !fixed && personality(ADDR_NO_RANDOMIZE) >= 0) execv("/proc/self/exe", words);
    kept = malloc(65536);
    stack_t own = {kept, 0, 65536};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&own, 0);
    sigaction(SIGSEGV, &action, 0);
    *(volatile int *)8 = 1;
}
"""


@pytest.mark.parametrize("fixed", ["-DFIXED=0", "-DFIXED=1"])
@pytest.mark.parametrize("flags", [(), ("-static", "-no-pie"), ("-static-pie",)])
def test_a_stack_from_malloc_leaves_the_heap_a_heap(flags: tuple[str, ...], fixed: str) -> None:
    """With addresses at random, and without."""
    with open_core(crash(build(BORROWED, "-g", fixed, *flags))) as core:
        assert core.signal == 6
        kept = core.read_word(core.symbol("", "kept") or 0)
        region = core.region(kept or 0)
        assert region is not None
        assert region.kind == "heap"
        assert region.thread == core.threads[0].tid
        assert sum(r.kind == "stack" for r in core.regions) == 1


def test_a_stack_pointer_far_below_the_first_stack_still_names_it() -> None:
    source = (
        "#include <string.h>\nint main(void) {"
        " char big[16 << 20]; memset(big + 64, 1, 1024); return big[70]; }"
    )
    with open_core(crash(build(source, "-O0", "-fno-stack-clash-protection"))) as core:
        sp = core.threads[0].sp or 0
        assert core.region(sp) is None
        (stack,) = (region for region in core.regions if region.kind == "stack")
        assert stack.thread == core.threads[0].tid
        assert stack.start - sp > 8 << 20
