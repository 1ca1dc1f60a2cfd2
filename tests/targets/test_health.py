"""What @health says of real cores that lack something."""

import shutil
import subprocess
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.crashes import build, crash
from tests.targets.programs import THREADED
from tests.targets.synthetic import PAGE, FakeCore, Load
from workbench.model.facts import CoreHealth
from workbench.targets.identify import open_core
from workbench.targets.reader import DumpReader

LEFT_OUT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv) {
    char *own = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(own, 1, 1 << 20);
    if (argc > 1) {
        FILE *filter = fopen("/proc/self/coredump_filter", "w");
        fprintf(filter, "0");
        fclose(filter);
    } else madvise(own, 1 << 20, MADV_DONTDUMP);
    abort();
}
"""


def health(path: Path, exe: Path | None = None, sysroot: Path | None = None) -> CoreHealth:
    with open_core(path, exe, sysroot) as core:
        text = DumpReader(core).answer("@health")
    found = analyze(Document("E1", "@health", "dump", text)).facts[0]
    assert isinstance(found, CoreHealth)
    assert len(found.caps) >= len(found.remedies) >= min(1, len(found.caps))
    return found


def test_a_whole_core_with_its_files_has_no_cap(dynamic_core: Path, dynamic_exe: Path) -> None:
    found = health(dynamic_core)
    assert (found.ceiling, found.caps) == (1.0, ())
    assert (found.executable, found.executable_matches) == (str(dynamic_exe), True)


def test_the_wrong_executable(dynamic_core: Path, dynamic_exe: Path, tmp_path: Path) -> None:
    other = build(THREADED.replace("0x2a", "0x2b"), "-g", "-pthread")
    found = health(dynamic_core, other)
    assert (found.executable, found.executable_matches) == (str(other), False)
    assert found.ceiling == 0.5
    assert "is not the executable that crashed: build id" in found.caps[0]
    assert f"Leave --exe off: {dynamic_exe} is the very build that crashed" in found.remedies
    alone = tmp_path / "core"
    shutil.copy(dynamic_core, alone)
    assert any("--exe PATH" in remedy for remedy in health(alone, other, tmp_path).remedies)


def test_no_files_at_all(dynamic_core: Path, tmp_path: Path) -> None:
    found = health(dynamic_core, None, tmp_path)
    assert (found.executable, found.executable_matches) == (None, None)
    assert found.ceiling == 0.6
    assert any("libc.so.6" in cap and "libraries" in cap for cap in found.caps)
    assert any("--sysroot DIR" in remedy for remedy in found.remedies)


def test_another_library_than_the_one_loaded(dynamic_core: Path, tmp_path: Path) -> None:
    with open_core(dynamic_core) as core:
        for module in core.modules:
            if module.file is not None:
                copy = tmp_path.joinpath(*Path(module.path).parts[1:])
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(module.file, copy)
        libc = next(module for module in core.modules if module.name == "libc.so.6")
        shutil.copy(build("int unused;", "-shared", "-fPIC"), tmp_path / libc.path[1:])
    found = health(dynamic_core, None, tmp_path)
    assert found.executable_matches is True
    assert found.ceiling == 0.7
    assert found.caps == ("1 library here is not the one that was loaded: libc.so.6",)


def test_a_stripped_program() -> None:
    found = health(crash(build(THREADED, "-pthread", "-s")))
    assert found.ceiling == 0.8
    assert "stripped" in found.caps[0]


@pytest.mark.parametrize(
    ("flag", "told"), [("--strip-all", "stripped"), ("--strip-debug", "no debug")]
)
def test_a_worse_copy_given_as_the_program(tmp_path: Path, flag: str, told: str) -> None:
    full = build(THREADED, "-g", "-pthread")
    copy = tmp_path / "copy"
    subprocess.run(["objcopy", flag, full, copy], check=True)
    found = health(crash(full), copy)
    assert told in found.caps[0]
    assert f"the executable {copy} " in found.caps[0]
    assert found.remedies[0] == f"Leave --exe off: {full} is the very build that crashed"


def test_a_program_without_a_build_id() -> None:
    found = health(crash(build(THREADED, "-g", "-pthread", "-Wl,--build-id=none")))
    assert found.executable_matches is None
    assert found.executable is not None
    assert found.ceiling == 0.8
    assert "nothing proves" in found.caps[0]


@pytest.mark.parametrize("stripped_is_there", [True, False])
def test_a_debug_file_given_as_the_program(tmp_path: Path, stripped_is_there: bool) -> None:
    full = build(THREADED, "-g", "-pthread", "-DSPLIT")
    debug, exe = tmp_path / "program.debug", tmp_path / "program"
    subprocess.run(["objcopy", "--only-keep-debug", full, debug], check=True)
    subprocess.run(["objcopy", "--strip-all", full, exe], check=True)
    core_path = crash(exe)
    assert health(core_path).ceiling == 0.8
    if not stripped_is_there:
        exe.unlink()
    assert health(core_path, debug).ceiling == 1.0
    with open_core(core_path, debug) as core:
        pc = core.threads[0].pc or 0
        symbol = core.symbolize(pc)
        assert symbol is not None
        assert symbol[0] == "touch"
        code = core.read(pc, 8)
        # The debug file holds no code: what stands at those offsets is something else.
        assert (code is not None) == stripped_is_there
        assert core.program is not None
        assert core.program.file == (exe if stripped_is_there else debug)


def test_memory_that_the_program_kept_out() -> None:
    found = health(crash(build(LEFT_OUT, "-g"), via="kernel"))
    assert found.ceiling == 0.9
    assert found.missing_bytes == 1 << 20
    assert "never written (zeros), or kept out with MADV_DONTDUMP" in found.caps[0]
    assert not any("coredump_filter" in text for text in found.caps + found.remedies)
    assert not found.truncated


def test_memory_behind_a_mapped_file_is_not_its_zeros(tmp_path: Path) -> None:
    (tmp_path / "pool").write_bytes(bytes(PAGE))
    source = """#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int c, char **v) {
    char *at = mmap(0, 64 * 4096, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mmap(at, 4096, 3, MAP_PRIVATE | MAP_FIXED, open(v[1], O_RDONLY), 0);
    char *own = mmap(at + 4096, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memset(own, 1, 4096);
    madvise(own, 4096, MADV_DONTDUMP);
    abort();
}"""
    found = health(crash(build(source, "-g"), str(tmp_path / "pool"), via="kernel"))
    assert (found.ceiling, found.missing_bytes) == (0.9, 4096)


def test_zeros_that_nobody_wrote_are_no_loss() -> None:
    found = health(crash(build("#include <stdlib.h>\nlong zeros[1 << 20];\n"
                               "int main(int c, char **v) { if (c > 9) zeros[c] = 1; abort(); }",
                               "-g"), via="kernel"))  # fmt: skip
    assert (found.ceiling, found.missing_bytes) == (1.0, 0)


def test_a_filter_that_leaves_the_stack_out() -> None:
    found = health(crash(build(LEFT_OUT, "-g"), "all", via="kernel"))
    assert found.ceiling == 0.4
    assert any("stack of thread" in cap for cap in found.caps)
    assert found.remedies[0].startswith("Run echo 0x7f > /proc/self/coredump_filter")
    assert not found.truncated


def test_shared_file_memory_is_no_loss(tmp_path: Path) -> None:
    stack = Load(0x70000000, PAGE, 6, bytes(PAGE))
    fake = FakeCore(loads=[Load(0x10000000, PAGE, 6), stack])
    registers = [0] * 27
    registers[19] = 0x70000100
    fake.thread(3, registers).files([(0x10000000, 0x10001000, 0, b"/dev/shm/cache")])
    path = tmp_path / "core"
    path.write_bytes(fake.build())
    with open_core(path) as core:
        text = DumpReader(core).answer("@health")
    assert f"writable file memory not in the dump: {PAGE} bytes" in text
    assert f"memory: {PAGE} bytes dumped, 0 bytes missing" in text
