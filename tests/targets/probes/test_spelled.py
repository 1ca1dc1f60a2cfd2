"""A pointer that a copied text ran over: its characters, and where the text stands."""

from tests.analyzers.investigation import Inquiry
from tests.crashes import build, crash
from tests.targets.probes.ask import ask
from workbench.model.category import Category
from workbench.model.facts import Fault
from workbench.model.hypothesis import Status

WALK = """
#include <stdlib.h>
struct stop { char name[16]; struct stop *next; int wait; };
__attribute__((noinline)) int total(struct stop *s) {
    int sum = 0; while (s) { sum += s->wait; s = s->next; } return sum; }
int main(void) { struct stop *first = calloc(1, sizeof *first);
    volatile char *to = first->name; const char *from = "Platform nine by the lake";
    while (*from) *to++ = *from++;
    return total(first); }
"""
FILLED = """
int main(int c, char **v) { volatile int *p = (int *)(0x4242424242424242UL * c); return *p; }
"""


def test_the_characters_are_quoted_and_the_heaps_cell_named() -> None:
    program = build(WALK, "-g", "-O0")
    inquiry = Inquiry(program, crash(program)).conclude()
    assert inquiry.loose() == []
    verdict = inquiry.verdicts[Category.CORRUPTED_POINTER]
    assert verdict.status is Status.INCONCLUSIVE  # its block may have been given out again
    assert 'are the characters " the lak"' in " ".join(claim.text for claim in verdict.claims)
    fault = inquiry.facts.first(Fault)
    assert fault is not None
    assert fault.spelled is not None
    assert fault.spelled.cell == fault.spelled.start + 16
    assert f"stands at {fault.spelled.cell:#x}" in " ".join(c.text for c in verdict.claims)


def test_a_filler_that_stands_nowhere_is_only_spelled() -> None:
    fault = ask(crash(build(FILLED, "-O0")), "@fault").one(Fault)
    assert fault.spelled is not None
    assert (fault.spelled.text, fault.spelled.cell) == ("BBBBBBBB", None)
