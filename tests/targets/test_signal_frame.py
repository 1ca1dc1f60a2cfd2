"""The signal that a handler caught before another one ended the process."""

import struct
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crashes import build, crash, crash_emulated
from tests.targets.probes.ask import ask
from tests.targets.synthetic import PAGE, FakeCore, Load
from workbench.model.facts import Fault, Handled, Signal

PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void said(int n) { char text[200]; snprintf(text, 200, "signal %d", n); write(1, text, 9); }
#ifndef END
#define END abort()
#endif
#ifdef OLD
static void handler(int n) { said(n); END; }
#else
static void handler(int n, siginfo_t *info, void *context) { said(n); END; }
#endif
#ifdef FAULT
__attribute__((noinline)) int work(volatile int *p, int zero) { FAULT; return zero + 4; }
#else
__attribute__((noinline)) int work(volatile int *p, int zero) { return p[3] + zero; }
#endif
static void *run(void *none) {
  stack_t other = { .ss_sp = malloc(65536), .ss_size = 65536 };
  if (ALTERNATE) sigaltstack(&other, 0);
  work((volatile int *)(uintptr_t)ADDRESS, 0); return 0; }
int main() {
  struct sigaction a; memset(&a, 0, sizeof a);
#ifdef OLD
  a.sa_handler = handler;
#else
  a.sa_sigaction = handler; a.sa_flags = SA_SIGINFO | SA_NODEFER;
#endif
  if (ALTERNATE) a.sa_flags |= SA_ONSTACK;
  int caught[] = {SIGSEGV, SIGFPE, SIGILL, ALSO};
  for (int i = 0; i < 4; i++) sigaction(caught[i], &a, 0);
  pthread_t t; if (THREADS) { pthread_create(&t, 0, run, 0); pthread_join(t, 0); }
  run(0); return 0; }
"""


@dataclass(frozen=True)
class Row:
    """A way to catch and end; ``first`` and ``last`` signals, the fault address."""

    defines: str
    first: str
    last: str
    address: int | None = None


AGAIN = "-DEND=signal(n,SIG_DFL),raise(n)"
BY_KILL = "-DEND=signal(n,SIG_DFL),kill(getpid(),n)"
ROWS = (
    Row("-DADDRESS=0x30", "SIGSEGV", "SIGABRT", 0x3C),
    Row("-DADDRESS=0x30 -DOLD", "SIGSEGV", "SIGABRT", 0x3C),
    Row(f"-DADDRESS=0x7770 -DALTERNATE=1 {BY_KILL}", "SIGSEGV", "SIGSEGV", 0x777C),
    Row("-DADDRESS=0x7770 -DALTERNATE=1 -DOLD", "SIGSEGV", "SIGABRT", 0x777C),
    Row("-DADDRESS=0 -DTHREADS=1 -DALTERNATE=1", "SIGSEGV", "SIGABRT", 0xC),
    Row("-DADDRESS=0 -DFAULT=exit(7/zero)", "SIGFPE", "SIGABRT"),
    Row("-DADDRESS=0 -DFAULT=exit(7/zero) -DOLD", "SIGFPE", "SIGABRT"),
    Row("-DADDRESS=0 -DFAULT=__builtin_trap()", "SIGILL", "SIGABRT"),
    Row(f"-DADDRESS=0 -DFAULT=abort() -DALSO=SIGABRT {AGAIN}", "SIGABRT", "SIGABRT"),
    # Out of stack: the pointer lies below what is mapped for it.
    Row(
        "-DADDRESS=0 -DALTERNATE=1 -DFAULT=char(b)[4096];b[zero&7]=zero;zero=b[work(p,b[3]+1)&7]",
        "SIGSEGV",
        "SIGABRT",
    ),
    Row("-DADDRESS=0x10 -DEND=_exit(raise(SIGTRAP))", "SIGSEGV", "SIGTRAP", 0x1C),
)


def flags(row: Row, *more: str) -> list[str]:
    given = [*row.defines.split(), *more]
    named = {word.split("=")[0] for word in given}
    others = ("-DALTERNATE=0", "-DTHREADS=0", "-DALSO=SIGSEGV")
    return [*given, *(word for word in others if word.split("=")[0] not in named)]


def check(core: Path, executable: Path, row: Row) -> None:
    notes = ask(core, "@notes", executable)
    first = notes.one(Handled).first
    assert (first.name, notes.one(Signal).name) == (row.first, row.last)
    if row.address is not None:
        assert first.fault_address == row.address
        fault = ask(core, "@fault", executable).one(Fault)
        assert (fault.access, fault.operand) == ("read", row.address)
        assert fault.running is not None
        assert fault.running.function == "work"


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.defines)
def test_the_caught_signal_of_this_machine(row: Row, level: str) -> None:
    executable = build(PROGRAM, "-g", level, "-pthread", *flags(row))
    check(crash(executable), executable, row)


@pytest.mark.parametrize("row", [ROWS[0], ROWS[1], ROWS[2], ROWS[5]], ids=lambda row: row.defines)
def test_the_caught_signal_of_i386(row: Row) -> None:
    executable = build(PROGRAM, "-g", "-O1", "-static", *flags(row), machine="i386")
    check(crash(executable), executable, row)


@pytest.mark.parametrize("row", [ROWS[0], ROWS[2]], ids=lambda row: row.defines)
def test_the_caught_signal_of_aarch64(row: Row) -> None:
    executable = build(PROGRAM, "-g", "-O1", "-static", *flags(row), machine="aarch64")
    check(crash_emulated(executable, "aarch64"), executable, row)


QUIET = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <setjmp.h>
static jmp_buf out;
static void on_alarm(int n) { *(volatile int *)8 = 1; }
static void give_up(int n) { abort(); }
static volatile unsigned sum = 7, by = 3;
static void on_fault(int n) { siglongjmp(out, 1); }
static void on_trap(int n) {}
__attribute__((noinline)) static int big(int n) { volatile char room[20000]; room[n] = 1; abort(); }
int main(int c, char **v) {
#ifdef ALARM
  signal(SIGALRM, ALARM); raise(SIGALRM);
#elif defined BUSY
  signal(SIGALRM, BUSY); ualarm(20000, 0); for (;;) sum = sum / by + 77;
#elif defined ASLEEP
  signal(SIGALRM, ASLEEP); ualarm(20000, 0); for (;;) pause();
#elif defined TRAPPED
  signal(SIGTRAP, on_trap); __asm__("int3"); signal(SIGALRM, TRAPPED); ualarm(20000, 0);
  for (;;) sum += by;
#elif defined RECOVERED
  signal(SIGSEGV, on_fault); if (!sigsetjmp(out, 1)) *(volatile int *)16 = 1;
  signal(SIGSEGV, SIG_DFL); signal(SIGALRM, RECOVERED); ualarm(20000, 0); for (;;) sum += by;
#else
  signal(SIGSEGV, on_fault); if (!sigsetjmp(out, 1)) *(volatile int *)16 = 1;
  signal(SIGSEGV, SIG_DFL); return big(c);
#endif
}
"""


@pytest.mark.parametrize(
    "define",
    ["-DALARM=on_alarm", "-DALARM=give_up", "-DLEFT", "-DBUSY=on_alarm", "-DBUSY=give_up",
     "-DASLEEP=on_alarm", "-DASLEEP=give_up", "-DRECOVERED=on_alarm", "-DRECOVERED=give_up",
     "-DTRAPPED=on_alarm", "-DTRAPPED=give_up"],
)  # fmt: skip
def test_a_handler_of_another_signal_or_one_that_was_left_hides_nothing(define: str) -> None:
    notes = ask(crash(build(QUIET, "-g", "-O1", define)), "@notes")
    assert notes.all(Handled) == []


CODE, STACK = 0x400000, 0x7FFF0000
# machine, bits, order, words of pr_reg; where pc and sp stand in it; from the frame's beginning the
# siginfo, the context, the saved pc, sp and fault address (None: only siginfo has it).
KERNELS = {
    "riscv64": (243, 64, "<", 32, 0, 2, 0, 128, 304, 320, None),
    "loongarch64": (258, 64, "<", 45, 33, 3, 0, 128, 304, 336, None),
    "arm": (40, 32, "<", 18, 15, 13, 0, 128, 220, 212, 228),
    "ppc64le": (21, 64, "<", 48, 32, 1, None, 0, 488, 240, 560),
    "s390x": (22, 64, ">", 27, 1, 17, 168, 296, 344, 472, None),
}


@pytest.mark.parametrize("arch", KERNELS)
def test_the_caught_signal_of_other_machines(tmp_path: Path, arch: str) -> None:
    machine, bits, order, count, pc, sp, info, context, pc_at, sp_at, address_at = KERNELS[arch]
    word = order + ("Q" if bits == 64 else "I")
    frame, top = bytearray(1024), STACK + 0x800
    struct.pack_into(word, frame, pc_at, CODE + 0x40)
    struct.pack_into(word, frame, sp_at, STACK + 0xE00)
    if info is not None:
        struct.pack_into(order + "iii", frame, info, 11, 0, 1)
        struct.pack_into(word, frame, info + (16 if bits == 64 else 12), 0x9990)
    else:
        struct.pack_into(order + "I", frame, context + 200, 11)
        struct.pack_into(word, frame, context + 224, top + 232)
    if address_at is not None:
        struct.pack_into(word, frame, address_at, 0x9990)
    values = [0] * count
    values[pc], values[sp] = CODE, STACK + 0x400
    loads = [
        Load(CODE, PAGE, 5, bytes(PAGE)),
        Load(STACK, PAGE, 6, b"\1" * 0x800 + bytes(frame) + bytes(0x400)),
    ]
    core = tmp_path / "core"
    core.write_bytes(FakeCore(machine, bits, order, loads).thread(7, values, 6).build())
    found = ask(core, "@notes").one(Handled)
    assert found.context == top
    assert (found.first.name, found.first.fault_address) == ("SIGSEGV", 0x9990)
    assert ask(core, "@fault").one(Fault).pc == CODE + 0x40
