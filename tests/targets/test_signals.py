"""Signals as the kernel and the debuggers really record them."""

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.registry import analyze
from tests.crashes import build, crash, gdbs, hang
from tests.targets.programs import THREADED, one_liner
from workbench.model.facts import Process, Signal
from workbench.targets import siginfo
from workbench.targets.core import CoreFile
from workbench.targets.identify import open_core
from workbench.targets.reader import DumpReader

EXPECTED = {
    "null": ("SIGSEGV", "SEGV_MAPERR"),
    "readonly": ("SIGSEGV", "SEGV_ACCERR"),
    "non_canonical": ("SIGSEGV", "SI_KERNEL"),
    "divide": ("SIGFPE", "FPE_INTDIV"),
    "illegal": ("SIGILL", "ILL_ILLOPN"),
    "breakpoint": ("SIGTRAP", "SI_KERNEL"),
    "abort": ("SIGABRT", "SI_TKILL"),
    "kill": ("SIGQUIT", "SI_USER"),
    "queue": ("SIGXCPU", "SI_QUEUE"),
    "bus": ("SIGBUS", "BUS_ADRERR"),
}


def facts(core: CoreFile) -> tuple[Process, Signal | None, str]:
    text = DumpReader(core).answer("@notes")
    found = analyze(Document("E1", "@notes", "dump", text)).facts
    process = next(fact for fact in found if isinstance(fact, Process))
    return process, next((fact for fact in found if isinstance(fact, Signal)), None), text


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("via", ["auto", "gdb"])
def test_a_real_signal(name: str, via: str) -> None:
    with open_core(crash(build(one_liner(name), "-g"), via=via)) as core:
        process, found, text = facts(core)
        assert found is not None
        assert not process.snapshot
        assert (found.name, found.code_name) == EXPECTED[name]
        assert found.thread == core.threads[0].tid
        lines = text.split("\n")[found.cite.first - 1 : found.cite.last]
        assert lines[0].startswith("signal: ")
        assert all(line.startswith(("si_", "sender: ")) for line in lines[1:])
        sent = name in ("abort", "kill", "queue")
        assert found.sender_pid == (core.pid if sent else None)
        assert found.sender_uid == (os.getuid() if sent else None)
        given = name not in ("non_canonical", "breakpoint") and not sent
        assert (found.fault_address is not None) == given
        if name == "null":
            assert found.fault_address == 0
        if name in ("divide", "illegal"):
            assert found.fault_address == core.threads[0].pc
        if name == "breakpoint":
            assert "\nmnemonic int3\n" in DumpReader(core).answer("@fault")
        if name == "non_canonical":
            assert "si_addr: not given" in text


def test_a_signal_from_outside_names_its_sender() -> None:
    exe = build(THREADED, "-g", "-pthread")
    with open_core(crash(exe, "wait", send=signal.SIGTERM, via="gdb")) as core:
        _, found, _ = facts(core)
        assert found is not None
        assert (found.name, found.code_name) == ("SIGTERM", "SI_USER")
        assert found.sender_pid not in (None, core.pid)
        assert found.fault_address is None


def test_a_snapshot_has_no_signal() -> None:
    with open_core(hang(build(THREADED, "-g", "-pthread"), "wait")) as core:
        process, found, text = facts(core)
        assert process.snapshot
        assert found is None
        assert set(process.threads) == {thread.tid for thread in core.threads}
        assert len(process.threads) == 4
        assert "signal:" not in text
        assert all(r.perms == "---" for r in core.regions if r.kind == "none")
        assert any(r.kind == "none" for r in core.regions)
        code = core.region(core.symbol("", "main") or 0)
        assert code is not None
        assert code.perms == "r-x"


@pytest.mark.parametrize("gdb", gdbs(), ids=lambda path: path.parent.name + path.name)
def test_every_gdb_writes_a_snapshot_that_is_seen(gdb: Path, tmp_path: Path) -> None:
    exe = build(THREADED, "-g", "-pthread")
    safe = [gdb, "-nx", "-batch", "-iex", "set auto-load no", "-iex", "set debuginfod enabled off"]
    waiting = [sys.executable, "-c", f"import os; os.execv({str(exe)!r}, ['x', 'wait'])"]
    with subprocess.Popen(waiting) as process:
        try:
            ask = ["-ex", f"generate-core-file {tmp_path / 'attached'}"]
            while b"python" in Path(f"/proc/{process.pid}/comm").read_bytes():
                pass
            subprocess.run([*safe, "-p", str(process.pid), *ask], capture_output=True, timeout=60)
        finally:
            process.kill()
    ask = ["-ex", "break touch", "-ex", "run", "-ex", f"generate-core-file {tmp_path / 'stopped'}"]
    subprocess.run([*safe, *ask, exe], capture_output=True, timeout=60)
    for name in ("attached", "stopped"):
        with open_core(tmp_path / name) as core:
            process_fact, found, _ = facts(core)
            assert process_fact.snapshot, name
            assert found is None
            assert core.by_debugger


def test_code_names() -> None:
    assert siginfo.code_name(11, 1) == "SEGV_MAPERR"
    assert siginfo.code_name(11, 99) is None
    assert siginfo.code_name(15, -6) == "SI_TKILL"
    assert siginfo.code_name(5, 6) == "TRAP_PERF"
    assert siginfo.name(34) == "SIGRTMIN"
    assert siginfo.name(36) == "SIGRTMIN+2"
    assert siginfo.name(99) == "signal 99"
    for number in range(1, 32):
        assert siginfo.name(number) in (signal.Signals(number).name, "SIGIO")


def test_siginfo_of_32_bits_and_big_endian() -> None:
    narrow = struct.pack("<iiiI", 11, 0, 1, 0xBFFF0000) + bytes(112)
    found = siginfo.decode(narrow, "<", wide=False)
    assert found is not None
    assert (found.name, found.code_name, found.address) == ("SIGSEGV", "SEGV_MAPERR", 0xBFFF0000)
    wide = struct.pack(">iiiiQ", 7, 0, 2, 0, 0x1000) + bytes(104)
    found = siginfo.decode(wide, ">", wide=True)
    assert found is not None
    assert (found.name, found.code_name, found.address) == ("SIGBUS", "BUS_ADRERR", 0x1000)
    assert siginfo.decode(b"\0" * 15, "<", wide=True) is None


def test_mips_has_the_code_before_the_error() -> None:
    raw = struct.pack("<iiiiQ", 11, 1, 0, 0, 0x18).ljust(128, b"\0")
    found = siginfo.decode(raw, "<", True, "mips64")
    assert found is not None
    assert (found.code_name, found.errno, found.address) == ("SEGV_MAPERR", 0, 0x18)
    other = siginfo.decode(raw, "<", True, "x86_64")
    assert other is not None
    assert (other.code, other.errno) == (0, 1)
