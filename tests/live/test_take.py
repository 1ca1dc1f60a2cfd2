"""Cores of processes of our own, opened by our reader, by gdb, and as a whole triage."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crashes import build, gdbs
from workbench.live.take import take_core
from workbench.targets.errors import TargetError
from workbench.targets.identify import identify, open_core

RING = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *one(void *p) {
    pthread_mutex_lock(&left); pthread_barrier_wait(&both); pthread_mutex_lock(&right); return p;
}
static void *two(void *p) {
    pthread_mutex_lock(&right); pthread_barrier_wait(&both); pthread_mutex_lock(&left); return p;
}
static volatile long counter;
int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&both, 0, 2);
    char *text = malloc(64 << 20);
    memset(text, 'w', 64 << 20);
    strcpy(text, "a text that the core must hold");
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    while (left.__data.__lock != 2 || right.__data.__lock != 2) usleep(1000); /* waited for */
    printf("%p\\n", (void *)text); fflush(stdout);
    for (;;) { counter++; if (counter % 1000000 == 0) { putchar('.'); fflush(stdout); } }
}
"""


@contextmanager
def running(*flags: str) -> Iterator[tuple[subprocess.Popen[bytes], int, Path]]:
    program = build(RING, "-g", "-O0", *flags)
    process = subprocess.Popen([program], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        text = int(process.stdout.readline(), 16)
        assert process.stdout.read(1) == b"."
        yield process, text, program
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_the_core_is_whole_and_the_process_goes_on(tmp_path: Path) -> None:
    with running() as (process, text, program):
        taken = take_core(process.pid, tmp_path / "core")
        assert process.stdout is not None
        process.stdout.read1(1 << 20)
        assert process.stdout.read(1) == b"."  # it counts on
        state = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        assert state == "R"
    assert taken.threads == 3
    assert taken.path.stat().st_mode & 0o777 == 0o600
    target = identify(taken.path)
    assert target.thread_count == 3
    assert target.signal is None
    assert target.executable == str(program)
    assert target.pid == process.pid
    with open_core(taken.path) as core:
        assert core.snapshot
        assert not core.truncated
        assert core.read_cstring(text) == b"a text that the core must hold"
        assert core.read(text + (63 << 20), 4) == b"wwww"
        assert [m.status for m in core.modules] == ["found"] * len(core.modules)


@pytest.mark.parametrize("gdb", gdbs(), ids=str)
def test_gdb_reads_it(gdb: Path, tmp_path: Path) -> None:
    with running() as (process, _, program):
        core = take_core(process.pid, tmp_path / "core").path
    command = [gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", program, core]
    done = subprocess.run(
        [*command, "-ex", "thread apply all bt", "-ex", "p counter > 0"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "one (p=" in done.stdout
    assert "two (p=" in done.stdout
    assert "$1 = 1" in done.stdout


def test_triage_of_a_pid_names_the_ring(tmp_path: Path) -> None:
    with running() as (process, _, _):
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "triage", "--pid", str(process.pid)],
            cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.poll() is None
    assert done.returncode == 0, done.stderr
    assert "(CWE-833)" in done.stdout
    assert "the process stood still for" in done.stderr


def test_the_copy_is_all_that_it_waits_for(tmp_path: Path) -> None:
    with running() as (process, _, _):
        begun = time.monotonic()
        taken = take_core(process.pid, tmp_path / "core")
        whole = time.monotonic() - begun
    assert 0 < taken.stopped <= whole
    assert taken.stopped < 5


def test_what_cannot_be_taken_is_one_line(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    for pid in (ended.pid, 2**22 + 1, os.getpid()):
        with pytest.raises(TargetError):
            take_core(pid, tmp_path / "core")
        assert not (tmp_path / "core").exists()
    ended.wait()


def test_one_that_is_traced_already_names_its_tracer(tmp_path: Path) -> None:
    gdb = gdbs()[-1]
    with running() as (process, _, _):
        command = [gdb, "-nx", "-q", "-p", str(process.pid), "-iex", "set debuginfod enabled off"]
        other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            status = Path(f"/proc/{process.pid}/status")
            until = time.monotonic() + 60
            while "TracerPid:\t0" in status.read_text() and time.monotonic() < until:
                time.sleep(0.05)
            with pytest.raises(TargetError, match=f"process {other.pid} traces it"):
                take_core(process.pid, tmp_path / "core")
        finally:
            other.kill()
            other.communicate()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "core").write_text("mine")
    with running() as (process, _, _), pytest.raises(FileExistsError):
        take_core(process.pid, tmp_path / "core")
    assert (tmp_path / "core").read_text() == "mine"
