"""A Linux minidump of a real crash: the modules' files are on this machine."""

from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.targets.minidump import builder
from tests.targets.minidump.builder import Dump
from tests.targets.minidump.test_reading import opened
from workbench.targets.errors import TargetError
from workbench.targets.identify import identify, open_core
from workbench.targets.minidump import open_minidump

PROGRAM = """
#include <stdio.h>
struct node { volatile long value; struct node *volatile next; };
__attribute__((noinline)) long sum(struct node *n) {
    long total = 0;
    for (int i = 0; i < 3; i++) { total += n->value; n = n->next; }
    return total;
}
__attribute__((noinline)) long walk(struct node *n) {
    long total = sum(n);
    printf("%ld", total);
    return total;
}
int main(void) { struct node a = {1, 0}; return (int)walk(&a); }
"""


@pytest.fixture(scope="module")
def crashed() -> tuple[Path, bytes]:
    """The program and what Breakpad would have written of its crash."""
    program = build(PROGRAM, "-g", "-O1")
    with open_core(crash(program), program) as core:
        thread = core.threads[0]
        assert thread.sp is not None
        names = builder.AMD64_REGISTERS
        context = builder.amd64(**{n: v for n, v in thread.registers.items() if n in names})
        stack = core.region(thread.sp)
        assert stack is not None
        start = thread.sp & ~0xFFF
        raw = core.read_dumped(start, stack.end - start)
        assert raw is not None
        dump = Dump(platform=builder.LINUX)
        dump.thread(thread.tid, context, (start, raw))
        for module in core.modules:
            identity = builder.elf_id(bytes.fromhex(module.build_id or ""))
            dump.module(module.base, module.end - module.base, module.path, record=identity)
        dump.exception(thread.tid, 11, 0, flags=1, context=context)
        lines = [
            f"{r.start:x}-{r.end:x} {r.perms}p {r.offset:08x} 00:00 0 {r.path or ''}"
            for r in core.regions
        ]
        dump.stream(0x47670009, "\n".join(lines).encode())
    return program, dump.build()


def test_the_files_are_found_by_build_id(tmp_path: Path, crashed: tuple[Path, bytes]) -> None:
    program, raw = crashed
    path = tmp_path / "crash.dmp"
    path.write_bytes(raw)
    assert identify(path).executable == str(program)
    text = opened(tmp_path, raw).answer("@health")
    assert "executable match: yes, build id" in text
    assert " found debug-info " in text


def test_functions_have_names_and_the_code_can_be_read(
    tmp_path: Path, crashed: tuple[Path, bytes]
) -> None:
    reader = opened(tmp_path, crashed[1])
    frames = [line for line in reader.answer("@stack").splitlines() if line.startswith("frame ")]
    names = [line.split(": ", 2)[2].split(" in ")[0] for line in frames]
    assert names[:3] == ["sum", "walk", "main"]
    fault = reader.answer("@fault")
    assert "access read at 0x0" in fault
    assert "origin 1: " in fault


def test_another_build_is_not_the_programs_own(tmp_path: Path, crashed: tuple[Path, bytes]) -> None:
    other = build(PROGRAM.replace("1, 0", "2, 0"), "-g", "-O1")
    path = tmp_path / "crash.dmp"
    path.write_bytes(crashed[1])
    reader = open_minidump(path, other)
    text = reader.answer("@health")
    assert "executable match: no, build id" in text
    assert "cap: 0.70 1 module here is not the one that was loaded" in text
    assert reader.dump.program is not None
    assert reader.dump.program.images == []


@pytest.mark.parametrize("option", ["executable", "sysroot"])
def test_what_is_named_has_to_be_there(
    tmp_path: Path, crashed: tuple[Path, bytes], option: str
) -> None:
    path = tmp_path / "crash.dmp"
    path.write_bytes(crashed[1])
    with pytest.raises(TargetError, match="no such"):
        identify(path, **{option: tmp_path / "nothing"})
