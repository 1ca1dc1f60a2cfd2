"""What the faulting instruction did, on real cores, with and without optimisation and symbols."""

import pytest

from analyzers.patterns.null import NULL_FUNCTION_POINTER_CALL
from tests.targets.probes.ask import BUILDS, ask, crashed
from workbench.model.facts import FactBook, Fault
from workbench.targets.probes.touched import alignment_of

NULL_FIELD = """
#include <stdlib.h>
struct a { int x; struct a *n; };
__attribute__((noinline)) int f(struct a *p) { return p->n->x; }
int main(int c, char **v) { struct a *p = calloc(1, sizeof *p); return f(p); }
"""
BAD_CALL = """
#include <stdlib.h>
struct s { long a; void (*cb)(int); };
__attribute__((noinline)) void go(struct s *p) { p->cb(3); __asm__ volatile(""); }
int main(int c, char **v) {
    struct s *p = malloc(sizeof *p); p->cb = (void (*)(int))0x12345678abcULL; go(p); return 0; }
"""
CALL_BY_NUMBERED_REGISTER = """
int main(void) {
    __asm__ volatile("push $0; push $0; pop %%rax; mov %%rsp, %%r12; call *(%%r12)"
                     ::: "rax", "r12");
    return 0; }
"""
TAIL_JUMP = """
struct ops { int (*open)(int); int (*close)(int); };
struct ops o;
__attribute__((noinline)) int go(int c) { return o.close(c); }
int main(int c, char **v) { return go(c) + 1; }
"""
SMASHED = """
#include <string.h>
__attribute__((noinline)) void f(int n) {
    char b[16]; memset(b, 'A', n); __asm__ volatile("" :: "r"(b) : "memory"); }
int main(int c, char **v) { f(c * 200); return 0; }
"""
RETURNED = """
__attribute__((noinline)) void f(unsigned long *p) { p[-1] = 0x123456789000; }
int main(void) { unsigned long x[4];
    __asm__ volatile("movabs $0x123456789000, %%rax; push %%rax; ret" ::: "rax"); return 0; }
"""
LITERAL = """
#include <ctype.h>
__attribute__((noinline)) void up(char *s) { for (; *s; s++) *s = toupper(*s); }
int main(void) { char *s = "hello"; up(s); return 0; }
"""
WILD_CALL = """
#include <stdlib.h>
int main(int c, char **v) { void (*f)(void) = (void (*)(void))(0x4141414141414141UL * c);
    f(); __asm__ volatile(""); return 0; }
"""
MISALIGNED = """
#include <emmintrin.h>
#include <stdlib.h>
int main(int c, char **v) { char *p = malloc(64); __m128i *q = (__m128i *)(p + c);
    _mm_store_si128(q, _mm_set1_epi32(c)); return p[3]; }
"""
FAR_INDEX = """
int t[16]; volatile int k = 90000000;
int main(int c, char **v) { int i = k * c; return t[i]; }
"""
UNCHECKED = """
#include <stdlib.h>
int main(int c, char **v) { char *p = malloc((size_t)c << 46); p[10] = 'x'; return p[c + 9]; }
"""
PASSED_ON = """
#include <string.h>
#include <stdlib.h>
__attribute__((noinline)) char *get(int n) { return n > 4 ? malloc(3) : 0; }
int main(int c, char **v) { char b[64]; memcpy(b, get(c), c + 40); return strlen(b); }
"""


@pytest.mark.parametrize("flags", BUILDS)
def test_null_field_and_the_cell_it_came_from(flags: tuple[str, ...]) -> None:
    fault = ask(crashed(NULL_FIELD, *flags), "@fault").one(Fault)
    assert (fault.access, fault.operand, fault.operand_region) == ("read", 0, "near-null")
    assert (fault.base_value, fault.operand_size) == (0, 4)
    assert fault.origin[0].value == 0
    assert fault.origin[0].source % 16 == 8  # p->n of a block that malloc aligned


@pytest.mark.parametrize("flags", BUILDS)
def test_call_to_a_bad_address_names_the_call(flags: tuple[str, ...]) -> None:
    answer = ask(crashed(BAD_CALL, *flags), "@fault")
    fault = answer.one(Fault)
    assert (fault.access, fault.operand) == ("execute", 0x12345678ABC)
    assert fault.transfer == "call"
    assert fault.transfer_from is not None
    assert 0x12345678ABC in [load.value for load in fault.origin], answer.text


# main itself leaves by a jump, to a function that leaves by one: libc's call of main is below.
TWO_JUMPS = """
int first(int n) { return n; }
int (*volatile table[2])(int) = {first, 0};
__attribute__((noinline)) int go(int n) { table[0](n); return table[1](n); }
int main(int c, char **v) { return go(c); }
"""
# What was called jumps on, and its code is not in the dump.
NO_CODE = """
#include <string.h>
#include <sys/mman.h>
int (*volatile called)(int);
int main(int c, char **v) {
  called = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy((void *)called, "\\x31\\xc0\\xff\\xe0", 4);  // xor eax, eax; jmp rax
  madvise((void *)called, 4096, MADV_DONTDUMP);
  return called(c) + 1;
}
"""


# What led to the call has changed since: the register that it went by says it.
CHAINED = """
typedef int (*handler)(int);
static handler hook;
static int mine(int n) { return n + 1; }
__attribute__((noinline)) int install(handler now) {
  handler before = hook; hook = now; return before(7) + 1; }
int main(int c, char **v) { return install(mine) + c; }
"""
# Either jump may have gone there.
TWO_WAYS = """
typedef struct o { int (*a)(struct o *); int (*b)(struct o *); int n; } o;
static o zero;
__attribute__((noinline)) int go_a(o *x) { x->n = 1; return x->a(x); }
__attribute__((noinline)) int go_b(o *x) { x->n = 2; return x->b(x); }
__attribute__((noinline)) int go(o *x, int k) { if (k < 5) return go_a(x); return go_b(x); }
int main(int c, char **v) { return go(&zero, c) + 1; }
"""


@pytest.mark.parametrize(
    ("source", "function"), [(NO_CODE, "main"), (CHAINED, "install"), (TWO_WAYS, "main")]
)
def test_a_null_pointer_was_called_by_whom_is_known_or_not(source: str, function: str) -> None:
    answer = ask(crashed(source, "-O2"), "@fault")
    fault = answer.one(Fault)
    how = "jump" if function == "main" else "call"
    assert (fault.access, fault.operand, fault.transfer) == ("execute", 0, how), answer.text
    assert fault.running is None or fault.running.function is None
    facts = FactBook([*answer.facts, *ask(crashed(source, "-O2"), "@notes").facts])
    frame = NULL_FUNCTION_POINTER_CALL.evaluate(facts).frame
    assert frame is None or function != "main"
    assert (fault.transfer_from is None) is (function == "main"), answer.text


@pytest.mark.parametrize("source", [TAIL_JUMP, TWO_JUMPS])
def test_tail_jump_through_a_null_pointer(source: str) -> None:
    core = crashed(source, "-O2")
    answer = ask(core, "@fault")
    fault = answer.one(Fault)
    assert (fault.access, fault.operand, fault.transfer) == ("execute", 0, "jump")
    assert fault.origin[0].value == 0
    facts = FactBook([*answer.facts, *ask(core, "@notes").facts])
    verdict = NULL_FUNCTION_POINTER_CALL.evaluate(facts)
    assert verdict.frame is not None
    assert verdict.frame.function == "go"  # it is on no stack


@pytest.mark.parametrize("flags", BUILDS)
def test_return_to_text(flags: tuple[str, ...]) -> None:
    fault = ask(crashed(SMASHED, *flags, "-fno-stack-protector"), "@fault").one(Fault)
    assert (fault.access, fault.transfer) == ("execute", "return")
    assert (fault.operand, fault.mnemonic) == (0x4141414141414141, "ret")


def test_return_that_was_made() -> None:
    fault = ask(crashed(RETURNED, "-O0", "-fcf-protection=none"), "@fault").one(Fault)
    assert (fault.pc, fault.access, fault.transfer) == (0x123456789000, "execute", "return")


@pytest.mark.parametrize("flags", BUILDS)
def test_write_to_a_literal(flags: tuple[str, ...]) -> None:
    fault = ask(crashed(LITERAL, *flags), "@fault").one(Fault)
    assert (fault.access, fault.operand_region) == ("write", "file")


def test_call_through_an_address_that_is_none() -> None:
    fault = ask(crashed(WILD_CALL, "-O0"), "@fault").one(Fault)
    assert (fault.access, fault.operand_region) == ("execute", "non-canonical")
    assert fault.origin[0].value == 0x4141414141414141


@pytest.mark.parametrize(
    ("code", "root"),
    [
        (
            "mov $0x5000, %%esi; lea (, %%rsi, 8), %%rsi; mov 8(%0), %%rax; mov (%%rax), %%rax; "
            "add %%rsi, %%rax; movq $7, 8(%%rax)",
            0,
        ),
        (
            "mov $0x28000, %%esi; movslq %%esi, %%rsi; mov 8(%0), %%rax; mov (%%rax), %%rax; "
            "add %%rsi, %%rax; movq $7, 8(%%rax)",
            None,
        ),  # may be a handle and an offset of zero
        ("mov 8(%0), %%rax; mov (%%rax), %%rax; add %%rsi, %%rax; movq $7, (%%rax)", 0),
        ("mov 8(%0), %%rax; add (%%rax), %%rsi; movq $7, (%%rsi)", 0),
        ("mov (%0), %%rax; add (%%rax), %%rsi; movq $7, 0x70000000(%%rsi)", 3),  # is no null
    ],
)
def test_an_index_that_was_added_to_a_null_array(code: str, root: int | None) -> None:
    source = f"""
    int main(void) {{ long null = 0, valid = 0x5000, *of[] = {{&valid, &null}};
        __asm__ volatile("mov $3, %%esi; shl $3, %%rsi; {code}"
                         :: "r"(of) : "rax", "rsi", "memory"); return null + valid; }}"""
    assert ask(crashed(source, "-O1"), "@fault").one(Fault).root == root


@pytest.mark.parametrize("flags", [("-O0",), ("-O2",)])
def test_misaligned_store(flags: tuple[str, ...]) -> None:
    answer = ask(crashed(MISALIGNED, *flags), "@fault")
    assert answer.one(Fault).access == "write"
    assert "wants an address that is a multiple of 16" in answer.text


@pytest.mark.parametrize(
    ("mnemonic", "size", "multiple"),
    [
        ("movapd", 16, 16), ("addps", 16, 16), ("vmovapd", 32, 32), ("vmovdqa64", 64, 64),
        ("vmovntps", 32, 32), ("vmovntdqa", 32, 32), ("movnti", 8, 1), ("vmovupd", 32, 1),
        ("vaddpd", 32, 1), ("movdqu", 16, 1), ("fxsave", 512, 16), ("xrstor64", 576, 64),
    ],
)  # fmt: skip
def test_what_wants_alignment(mnemonic: str, size: int, multiple: int) -> None:
    assert alignment_of(mnemonic, size) == multiple


@pytest.mark.parametrize("flags", [("-O0",), ("-O2",)])
def test_far_index_is_told_from_its_base(flags: tuple[str, ...]) -> None:
    fault = ask(crashed(FAR_INDEX, *flags), "@fault").one(Fault)
    assert fault.operand_region == "unmapped"
    assert fault.index_value in (90000000, 360000000)


def test_result_of_an_unchecked_call() -> None:
    fault = ask(crashed(UNCHECKED, "-O0"), "@fault").one(Fault)
    assert fault.origin_call == "malloc"
    assert {load.value for load in fault.origin} == {0}


def test_pointer_passed_to_a_library_function() -> None:
    answer = ask(crashed(PASSED_ON, "-O0"), "@fault")
    fault = answer.one(Fault)
    assert (fault.access, fault.operand) == ("read", 0)
    assert "passed in as argument 2" in answer.text
    assert fault.origin_call == "get"


@pytest.mark.parametrize(
    ("expression", "divisor", "overflow"),
    [("100 / z", 0, False), ("100 % z", 0, False), ("m / (z - 1)", 0xFFFFFFFF, True)],
)
@pytest.mark.parametrize("flags", BUILDS)
def test_division(flags: tuple[str, ...], expression: str, divisor: int, overflow: bool) -> None:
    program = f"""
#include <limits.h>
int main(int c, char **v) {{ volatile int z = c - 1, m = INT_MIN; return {expression}; }}
"""
    fault = ask(crashed(program, *flags), "@fault").one(Fault)
    assert (fault.mnemonic, fault.access) == ("idiv", "none")
    assert (fault.divisor, fault.quotient_overflow) == (divisor, overflow)


def test_a_sent_signal_is_no_fault() -> None:
    answer = ask(crashed("#include <stdlib.h>\nint main(void) { abort(); }"), "@fault")
    assert answer.one(Fault).access == "none"
    assert "was sent" in answer.text


def test_threads_by_number() -> None:
    core = crashed(NULL_FIELD, "-O0")
    thread = ask(core, "@fault").one(Fault).thread
    assert ask(core, f"@fault {thread}").one(Fault).thread == thread
    assert ask(core, "@fault 1").text == "no such thread in the dump\n"


def test_text_over_a_function_pointer() -> None:
    program = """
#include <string.h>
struct { char name[16]; void (*cb)(int); } g;
void hi(int x) { }
int main(int c, char **v) { g.cb = hi;
    strcpy(g.name, v[0] ? "this name is much too long for it" : ""); g.cb(c); return 0; }
"""
    fault = ask(crashed(program, "-O0"), "@fault").one(Fault)
    assert fault.run is not None
    assert fault.run.cell == fault.origin[0].source == fault.run.start + 16
    assert fault.run.what.startswith("text (")


def test_sum_is_followed_to_its_pointer() -> None:
    program = """
#include <stdlib.h>
int *volatile p;
int main(int c, char **v) { p = calloc(10, 4); int *q = p; long i = c * -9999999L; return q[i]; }
"""
    answer = ask(crashed(program, "-O0"), "@fault")
    assert answer.one(Fault).operand_region == "unmapped"
    assert "was computed as" in answer.text
    sources = [load.value for load in answer.one(Fault).origin]
    assert any(value and value % 16 == 0 for value in sources), answer.text


def test_call_through_a_numbered_register_beside_a_stale_word() -> None:
    """``41 ff 14 24`` ends in ``ff 14 24``, a call by what rsp points to: null by either."""
    answer = ask(crashed(CALL_BY_NUMBERED_REGISTER, "-O1", "-no-pie"), "@fault")
    assert "transfer return" not in answer.text
    assert answer.one(Fault).access == "execute"
    assert "call qword ptr [r12]" in answer.text


COUNTING = """
int counts[64], sum;
__attribute__((noinline)) void count(int *c, unsigned k) { c[k]++; }
__attribute__((noinline)) void add(int *c, unsigned k) { sum += c[k]; }
int main(int c, char **v) { CALLED(counts, c * 90000000u); return counts[1] + sum; }
"""


@pytest.mark.parametrize(("called", "updates"), [("count", True), ("add", False)])
def test_a_read_that_would_be_written_back(called: str, updates: bool) -> None:
    core = crashed(COUNTING.replace("CALLED", called), "-O0")
    fault = ask(core, "@fault").one(Fault)
    assert fault.access == "read"
    assert (fault.updated_at is not None) is updates
    if fault.updated_at is not None:
        assert 0 < fault.updated_at - fault.pc < 64
