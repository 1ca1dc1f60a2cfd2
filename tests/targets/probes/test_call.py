"""Arguments of calls, recovered from the frames of the callers."""

from pathlib import Path

import pytest

from tests.targets.probes.ask import BUILDS, Answer, ask, crashed
from workbench.model.facts import Argument, Fault
from workbench.targets.identify import open_core
from workbench.targets.probes.cfi import callers_of_thread

OF_THE_STACK = """
#include <stdlib.h>
int main(int c, char **v) { char b[64]; char *p = malloc(30); p = b + 8; free(p); return 0; }
"""
INTERIOR = """
#include <stdlib.h>
__attribute__((noinline)) void drop(char *p) { free(p); __asm__ volatile(""); }
int main(int c, char **v) { char *p = malloc(300); drop(p + 16 * c); return 0; }
"""


def _calls(core: Path) -> Answer:
    """The answers for each call in progress of the first thread, as its frames tell it."""
    with open_core(core) as opened:
        calls = [
            f"@call pc={caller.call.end:#x} sp={caller.registers['rsp']:#x} "
            + " ".join(f"{name}={value:#x}" for name, value in caller.registers.items())
            for caller in callers_of_thread(opened, opened.threads[0], 24)
        ]
    answers = [ask(core, call) for call in calls]
    return Answer(
        "".join(one.text for one in answers), tuple(f for one in answers for f in one.facts)
    )


@pytest.mark.parametrize("flags", BUILDS)
def test_pointer_of_the_stack_given_to_free(flags: tuple[str, ...]) -> None:
    answer = _calls(crashed(OF_THE_STACK, *flags))
    passed = [
        fact
        for fact in answer.all(Argument)
        if fact.register == "rdi" and fact.region == "stack" and fact.function in (None, "free")
    ]
    assert passed, answer.text
    if "-s" not in flags:
        assert passed[0].function == "free"


@pytest.mark.parametrize("stripped", [False, True])
def test_a_call_to_what_has_no_name_tells_none(stripped: bool) -> None:
    source = """__attribute__((noinline)) static int *find(long n) { return n > 9 ? (int *)n : 0; }
int main(int c, char **v) { return *find(c); }"""
    answer = ask(crashed(source, "-O0", *(("-s",) if stripped else ())), "@fault")
    (fault,) = answer.all(Fault)
    assert fault.origin_call == (None if stripped else "find")
    assert "returned by a call at" in answer.text if stripped else "to find" in answer.text


@pytest.mark.parametrize("then", [
    "p = p->next", "p += 1 << 20", "struct item **at = &p; *at = (*at)->next",
    "struct item *its[2] = {find(), find()}; for (int i = 0; i < 2; i++) its[i] = its[i]->next; "
    "return its[p == &one]->next != 0",
    "struct { long n; struct item *it; } s = {1, find()}; char *c = (char *)&s; "
    "for (unsigned i = 8; i < sizeof s; i++) c[i] = 0; return s.it->next != 0",
    "static jmp_buf b; struct item *volatile it = find(); if (setjmp(b)) return it->next != 0; "
    "it = 0; longjmp(b, 1)",
    "if (p) renew(&p)", "last = find(); if (p) renew(&last); return last->next != 0",
    "static struct { struct item *it; } s; s.it = p; for (int i = 0; i < 2; i++) if (p && i) "
    "renew(&s.it); return s.it->next != 0",
])  # fmt: skip
def test_what_was_made_of_a_result_was_not_returned(then: str) -> None:
    """The variable that held the result holds something else by now."""
    source = f"""#include <setjmp.h>
struct item {{ struct item *next; }} one, *last;
__attribute__((noinline)) static struct item *find(void) {{ return &one; }}
void renew(struct item **at) {{ *at = (*at)->next; }}
int main(void) {{ struct item *p = find(); {then}; return p->next != 0; }}"""
    answer = ask(crashed(source, "-O0"), "@fault")
    (fault,) = answer.all(Fault)
    assert "0x" in answer.text
    assert fault.origin_call is None


def test_what_malloc_never_returns_was_not_returned_by_it() -> None:
    """A call in between gave the register that held it back with another's bytes in it."""
    source = """#include <stdlib.h>
char text[] = "kkkkkkkkkkkkkkkkkkkkkkk";
__attribute__((noinline)) int copy(const char *from) {
    char to[8]; int n = 0;
    for (char c = 1; c; n++) { c = from[n]; to[n] = c; if (rand() < 0) n--; }
    return to[n / 2]; }
int main(void) { int *p = calloc(4, 4); p[1] = copy(text); return p[2]; }"""
    answer = ask(crashed(source, "-O1", "-fno-inline", "-fno-stack-protector"), "@fault")
    (fault,) = answer.all(Fault)
    assert (fault.base_register, (fault.base_value or 0) & 0xFFFF) == ("rbx", 0x6B6B)
    assert fault.origin_call is None


@pytest.mark.parametrize("flags", [("-O0",), ("-O2",)])
def test_origin_through_a_caller(flags: tuple[str, ...]) -> None:
    answer = _calls(crashed(INTERIOR, *flags))
    assert "was returned by the call to malloc" in answer.text
    for fact in answer.all(Argument):  # an optimiser may leave no trace of its value
        if (fact.function, fact.register) == ("free", "rdi"):
            assert (fact.region, fact.value % 16) == ("heap", 0)


def test_a_frame_that_is_given() -> None:
    core = crashed(OF_THE_STACK, "-O2", "-fomit-frame-pointer")
    with open_core(core) as opened:
        calls = list(callers_of_thread(opened, opened.threads[0], 16))
        (wanted,) = [
            caller
            for caller in calls
            if opened.module_at(caller.call.address) is opened.program
            and opened.module_at(caller.call.end) is opened.program
            and caller.call.text.startswith("call 0x")
        ]
    command = f"@call pc={wanted.call.end:#x} sp={wanted.registers['rsp']:#x} r13=junk"
    found = {fact.register: fact for fact in ask(core, command).all(Argument)}
    assert found["rdi"].region == "stack"
    assert found["rdi"].function == "free"


@pytest.mark.parametrize(
    "command", ["@call", "@call pc=0x1", "@call pc=x sp=y", "@call pc=0x1 sp=0x2"]
)
def test_nonsense(command: str) -> None:
    core = crashed(OF_THE_STACK, "-O0")
    assert ask(core, command).facts == ()


THROUGH_A_TABLE = """
__attribute__((noinline)) void fail(int *at) { *at = 1; }
struct table { long first; void (*run)(int *); } table = {1, fail};
void via(struct table *by, int *at);
__asm__(".text\\n.globl via\\n.type via, @function\\nvia:\\n.cfi_startproc\\n"
        "push %r14\\n.cfi_def_cfa_offset 16\\n.cfi_offset 14, -16\\n"
        "mov %rdi, %r14\\nmov %rsi, %rdi\\ncall *8(%r14)\\n"
        "pop %r14\\n.cfi_def_cfa_offset 8\\nret\\n.cfi_endproc\\n.size via, .-via\\n");
int main(int c, char **v) { via(&table, (int *)(long)(c << 4)); return 0; }
"""
DEEP = """
#include <stdlib.h>
__attribute__((noinline)) void last(int **at, int by) { **at = by; }
__attribute__((noinline)) int middle(int *at, int by)
{
    int *kept = at;
    last(&kept, by);
    return *kept;
}
int main(int c, char **v)
{
    int own = c;
    return middle(&own, 2) + middle((int *)(long)(c << 4), 3);
}
"""


def test_a_call_is_read_whole() -> None:
    core = crashed(THROUGH_A_TABLE, "-O1")
    with open_core(core) as opened:
        (call, *_) = callers_of_thread(opened, opened.threads[0], 4)
    assert call.call.text == "call qword ptr [r14 + 8]"


@pytest.mark.parametrize("flags", [("-O0", "-gdwarf-4"), ("-O1", "-gdwarf-5")])
def test_frames_of_a_program_whose_unwinding_records_are_not_loaded(flags: tuple[str, ...]) -> None:
    core = crashed(DEEP, "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", *flags)
    with open_core(core) as opened:
        calls = callers_of_thread(opened, opened.threads[0], 4)
        names = [(opened.symbolize(one.call.address) or ("",))[0] for one in calls]
    assert names[:2] == ["middle", "main"]
