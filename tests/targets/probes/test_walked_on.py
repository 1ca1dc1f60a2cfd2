"""The element of a list that was read, where the register that led to it has gone on to the next
one."""

import pytest

from tests.crashes import build, crash
from tests.targets.probes.ask import ask
from workbench.model.facts import Fault
from workbench.targets.identify import open_core

WALK = """
#include <string.h>
struct node { struct node *next; long pad; long *value; };
struct node nodes[8];
long total(struct node *p) {
    long sum = 0, *v;
    __asm__ volatile ("1: mov 16(%%1), %%2; mov (%%1), %%1; add (%%2), %%0; test %%1, %%1; jne 1b"
                      : "+r"(sum), "+r"(p), "=&r"(v) : : "memory");
    return sum; }
int main(void) {
    static long one = 1;
    for (int i = 0; i < 3; i++) nodes[i] = (struct node){&nodes[i + 1], i, &one};
    nodes[1].value = 0; nodes[2].next = 0;
    %s
    return total(nodes); }
"""


@pytest.mark.parametrize(
    ("before", "known"),
    [
        ("", True),
        ("static struct node *last; last = &nodes[2];", True),  # nothing beside it fits
        ("nodes[6] = nodes[1];", False),  # which of the two it was cannot be told
        ("static char room[64]; memcpy(room + 3, &nodes[1], sizeof nodes[1]);"
         '__asm__ volatile ("" : : "r"(room) : "memory");', False),
    ],
)  # fmt: skip
def test_the_element_is_found_by_what_was_read_of_it(before: str, known: bool) -> None:
    core = crash(build(WALK % before, "-O2"))
    told = ask(core, "@fault")
    assert ("from an address no longer known by" in told.text) is not known
    if known:
        origin = told.one(Fault).origin[0]
        assert origin.value == 0
        with open_core(core) as opened:
            nodes = opened.symbol("program", "nodes")
        assert nodes is not None
        assert origin.source == nodes + 24 + 16
