"""The helpers that make cores keep their word on this machine, by either way."""

import re
import signal

import pytest

from tests.analyzers.investigation import ask
from tests.crashes import CrashError, build, crash, hang, kernel_writes_cores

WRITES_NULL = """
#include <stddef.h>
static void set(int *where, int what) { *where = what; }
int main(int argc, char **argv) { set((int *)(size_t)(argc == 1 ? 8 : 16), 7); return 0; }
"""
TWO_SLEEP = """
#include <pthread.h>
#include <unistd.h>
static void *rest(void *unused) { pause(); return unused; }
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, rest, 0);
    pthread_join(other, 0);
    return 0;
}
"""
SPINS = """
#include <stdio.h>
int main(void) { puts("ready"); fflush(stdout); for (volatile long n = 0;; n++) { } }
"""


@pytest.mark.parametrize("via", ["gdb", "auto"])
def test_crash_keeps_signal_and_address(via: str) -> None:
    executable = build(WRITES_NULL, "-g", "-O0")
    said = ask(executable, crash(executable, via=via), "bt 2", "p $_siginfo._sifields._sigfault")
    assert "set (where=0x8, what=7)" in said
    assert "si_addr = 0x8" in said


def test_same_program_is_made_once_and_arguments_count() -> None:
    executable = build(WRITES_NULL, "-g", "-O0")
    assert build(WRITES_NULL, "-g", "-O0") == executable
    assert crash(executable) == crash(executable)
    assert crash(executable, "more") != crash(executable)


def test_program_that_ends_well_is_no_crash() -> None:
    executable = build("int main(void) { return 3; }")
    with pytest.raises(CrashError, match="ended with 3" if kernel_writes_cores() else "no core"):
        crash(executable)


def test_program_that_does_not_compile_says_why() -> None:
    with pytest.raises(CrashError, match="error: "):
        build("int main(void) { return nothing; }")


def test_hang_takes_every_thread_asleep() -> None:
    executable = build(TWO_SLEEP, "-g", "-O0", "-pthread")
    said = ask(executable, hang(executable), "info threads", "thread apply all bt")
    assert "rest (unused" in said
    assert "Program terminated" not in said


def test_hang_waits_for_a_line() -> None:
    executable = build(SPINS, "-g", "-O0")
    assert "main () at" in ask(executable, hang(executable, until="ready"), "bt")


@pytest.mark.parametrize("via", ["gdb", "auto"])
def test_signal_from_outside_names_its_sender(via: str) -> None:
    executable = build(TWO_SLEEP, "-g", "-O0", "-pthread", f"-D{via}")
    before = signal.signal(signal.SIGQUIT, signal.SIG_IGN)  # as in the background of a shell
    try:
        core = crash(executable, send=signal.SIGQUIT, via=via)
    finally:
        signal.signal(signal.SIGQUIT, before)
    said = ask(executable, core, "p $_siginfo.si_signo", "p $_siginfo.si_code")
    assert re.findall(r"\$\d+ = (\d+)", said) == ["3", "0"]
