"""CASR's classes, on real crashes and on what makes them hard to tell."""

import json
import signal
from pathlib import Path

import pytest

from analyzers.severity import class_of_finding, severity
from analyzers.severity.classes import LEVELS
from tests.crashes import build, crash
from tests.forking import workbench
from tests.soak import part
from workbench.model.citation import Citation, parse_citations
from workbench.model.facts import FactBook, Finding, Frame, Note, Role

STACK_WRITE = (
    "static long deep(long n) { volatile char big[1 << 14]; big[1] = n;"
    " return deep(n + 1) + big[1]; } int main(void) { return deep(0); }"
)
ASM = """
int main(int n, char **v) {{
    char *far = (char *)(n * 0x123456789aL);
    __asm__ volatile("{}" : : "r"(far) : "rcx", "rdx", "memory"); return 0; }}
"""
CASES = {
    "read-near-null": ("int main(int n, char **v) { return *(volatile int *)(long)(n - 1); }",
                       "SourceAvNearNull"),
    "write-near-null": ("int main(int n, char **v) { *(volatile int *)(long)(n + 7) = 1; }",
                        "DestAvNearNull"),
    "read": ("int main(int n, char **v) { return *(volatile int *)(n * 0x123456789aL); }",
             "SourceAv"),
    "write": ("int main(int n, char **v) { *(volatile int *)(n * 0x123456789aL) = 1; }", "DestAv"),
    # SI_KERNEL with si_addr 0: only the operand tells that it is not null
    "non-canonical": ("int main(int n, char **v) { *(volatile int *)(n * 0x4142434445464748L) = 1;"
                      " }",
                      "DestAv"),
    "jump-to-null": ("int main(int n, char **v) { ((void (*)(void))(long)(n - 1))(); }",
                     "SegFaultOnPcNearNull"),
    "jump-to-data": ("char data[64]; int main(void) { ((void (*)(void))data)(); }", "SegFaultOnPc"),
    # the instruction is a plain store, not a call or push: the guard page tells
    "overflow-by-store": (STACK_WRITE, "StackOverflow"),
    # what cannot be read is called, jumped to, written through
    "read-then-call": ("int main(int n, char **v) { int (*t[2])(void) = {0, 0};"
                       " return t[n * 100000000L](); }", "CallAvTainted"),
    "read-then-jump": (ASM.format("mov (%0), %%rcx; add $8, %%rcx; jmp *%%rcx"), "BranchAvTainted"),
    "read-then-jump-by-table": (ASM.format("movslq (%0), %%rcx; jmp *(%0,%%rcx,8)"),
                                "BranchAvTainted"),
    "read-then-write": ("int main(int n, char **v) { long *t[2] = {0, 0};"
                        " *t[n * 100000000L] = n; return 0; }", "DestAvTainted"),
    "read-then-return": (ASM.format("mov (%0), %%rsp; ret"), "ReturnAv"),
    "read-then-leave-it": (ASM.format("mov (%0), %%rcx; xor %%ecx, %%ecx; mov %%rcx, (%%rcx)"),
                           "SourceAv"),
    "read-then-read": (ASM.format("mov (%0), %%rcx; mov (%%rcx), %%edx; cmp %%edx, %%ecx"),
                       "SourceAv"),
    # behind a branch is another basic block: CASR looks no farther
    "read-then-branch": (ASM.format("mov (%0), %%rcx; test %%rcx, %%rcx; je 1f; call *%%rcx; 1:"),
                         "SourceAv"),
    # The kernel had no room for a handler's frame: the jump where it stood did not fail.
    "handler-without-a-stack": (
        "#include <signal.h>\n#include <sys/mman.h>\n#include <sys/time.h>\nstatic void h(int s) {}"
        "int main(void) { void *m = mmap(0, 65536, 3, 34, -1, 0); stack_t s = {m, 0, 65536};"
        " sigaltstack(&s, 0); struct sigaction a = {.sa_handler = h, .sa_flags = SA_ONSTACK};"
        " sigaction(SIGALRM, &a, 0); munmap(m, 65536);"
        " struct itimerval t = {.it_value = {0, 100000}}; setitimer(0, &t, 0); for (;;); }",
        "AccessViolation"),
    "divide": ("int main(int n, char **v) { return 7 / (n - 1); }", "FPE"),
    "illegal": ('int main(void) { __asm__ volatile("ud2"); }', "BadInstruction"),
    "trap": ('int main(void) { __asm__ volatile("int3"); }', "TrapSignal"),
    "abort": ("void abort(void); int main(void) { abort(); }", "AbortSignal"),
    "double-free": ("#include <stdlib.h>\nint main() { char *p = malloc(9); free(p); free(p); }",
                    "HeapError"),
    "invalid-free": ("#include <stdlib.h>\nint main(void) { char *p = malloc(64); free(p + 8); }",
                     "HeapError"),
}  # fmt: skip


def seen(tmp_path: Path, core: Path, program: Path) -> dict[str, object]:
    done = workbench("triage", core, "--exe", program, "--format", "json", cwd=tmp_path)
    found: dict[str, object] = json.loads(done.stdout)["analysis"]["summary"]["severity"]
    return found


@pytest.mark.soak
@pytest.mark.parametrize("name", part(CASES))
def test_the_class_of_a_crash(name: str, tmp_path: Path) -> None:
    source, wanted = CASES[name]
    program = build(source, "-g", "-O0")
    found = seen(tmp_path, crash(program), program)
    assert (found["class"], found["level"]) == (wanted, LEVELS[wanted])
    reasons = found["reasons"]
    assert isinstance(reasons, list)
    assert reasons
    assert all(parse_citations(reason) for reason in reasons)


def test_a_signal_from_outside_is_no_class(tmp_path: Path) -> None:
    program = build("#include <unistd.h>\nint main(void) { for (;;) pause(); }", "-g", "-O0")
    found = seen(tmp_path, crash(program, send=signal.SIGSEGV), program)
    assert found["class"] == "Undefined"


def test_nothing_that_ended_is_nothing_to_rate() -> None:
    assert severity(FactBook()) is None


@pytest.mark.parametrize(
    ("kind", "access", "category", "wanted"),
    [
        ("heap-buffer-overflow", "write", "heap-buffer-overflow", "heap-buffer-overflow(write)"),
        ("heap-buffer-overflow", "read", "heap-buffer-overflow", "heap-buffer-overflow(read)"),
        ("heap-use-after-free", None, "use-after-free", "heap-use-after-free"),
        ("slab-use-after-free", "read", "use-after-free", "heap-use-after-free(read)"),
        ("attempting double-free", None, "double-free", "double-free"),
        ("memcpy-param-overlap", None, None, "param-overlap"),
        ("data race", None, "data-race", None),
    ],
)
def test_the_class_of_a_report(
    kind: str, access: str | None, category: str | None, wanted: str | None
) -> None:
    finding = Finding(
        cite=Citation("E1", 1, 9), tool="asan", kind=kind, message=kind, line=2,
        access=access, category=category,
    )  # fmt: skip
    assert class_of_finding(finding) == wanted
    found = severity(FactBook([finding]))
    assert (found.name if found else None) == wanted
    if found:
        assert found.reasons == (f"asan reports {kind} (E1:2)",)


@pytest.mark.parametrize(
    ("signal", "fields", "expected"),
    [
        ("SIGTRAP", {}, "TrapSignal"),
        ("SIGSTOP", {}, None),
        ("SIGKILL", {}, None),
        ("SIGINT", {"address": 8, "access": "write"}, None),
        ("SIGSYS", {}, "BadInstruction"),
        ("SIGSEGV", {}, "AccessViolation"),
        ("SIGSEGV", {"address": 8, "access": "write"}, "DestAvNearNull"),
        ("SIGSEGV", {"address": 8, "access": "read", "shown": "call *0x8(%rax)"}, "CallAvNearNull"),
        ("SIGSEGV", {"address": 1 << 50, "access": "execute", "shown": "notrack jmp *%rax"},
         "BranchAv"),
        ("SIGSEGV", {"address": 1 << 50, "access": "read", "shown": "blr x8"}, "CallAv"),
        ("SIGSEGV", {"address": 1 << 50, "access": "read", "shown": "retq"}, "ReturnAv"),
        ("SIGSEGV", {"address": 1 << 50, "access": "read", "shown": "blsr (%rax),%cx"}, "SourceAv"),
        ("SIGBUS", {"address": 0x7000, "pc": 0x7000, "access": "read"}, "SegFaultOnPcNearNull"),
        ("SIGSEGV", {"address": 1 << 40, "pc": 1 << 40}, "SegFaultOnPc"),
    ],
)  # fmt: skip
def test_a_log_s_signal_and_instruction_decide(
    signal: str, fields: dict[str, int | str], expected: str | None
) -> None:
    shown = fields.pop("shown", None) if (fields := dict(fields)) else None
    notes = (Note(text=f"instruction: {shown} (line 4 of the log)", line=4),) if shown else ()
    found = Finding(
        cite=Citation("E1", 1), tool="the debugger", kind=signal, message="", line=1,
        signal=signal, notes=notes, **fields,  # type: ignore[arg-type]  # the table's own types
    )  # fmt: skip
    assert class_of_finding(found) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [("malloc_printerr", "HeapError"), ("__chk_fail", "SafeFunctionCheck"), ("die", "AbortSignal")],
)
def test_of_a_log_s_abort_the_function_that_aborted_decides(function: str, expected: str) -> None:
    frames = (Frame(index=0, function="abort"), Frame(index=1, function=function))
    found = Finding(
        cite=Citation("E1", 1), tool="the debugger", kind="SIGABRT", message="", line=1,
        signal="SIGABRT", stacks=(Role(role="access", title="", frames=frames, line=2, last=4),),
    )  # fmt: skip
    told = severity(FactBook([found]))
    assert told is not None
    assert told.name == expected
