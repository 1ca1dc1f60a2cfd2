"""What a model with room is told before it asks anything, of real cores."""

import re

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted
from tests.crashes import build, crash
from workbench.model.target import Limits

INLINED = """
#include <stdlib.h>
struct node { int id; struct node *next; };
static inline __attribute__((always_inline)) int step(struct node *n, int times) {
  int sum = 0;
  for (int i = 0; i < times; i++, n = n->next) sum += n->id;
  return sum;
}
struct node *volatile kept;
__attribute__((noinline)) int walk(struct node *head, int times) {
  int sum = step(head, times);
  return sum * 2;
}
int main(int argc, char **argv) {
  struct node *head = malloc(sizeof *head);
  head->id = 1;
  head->next = NULL;
  kept = head;
  return walk(kept, argc + 2) + 1;
}
"""


@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
async def test_functions_variables_types_and_heap(investigate: Investigate, optimised: str) -> None:
    """Of inlined frames and optimised builds too; each line can be cited."""
    executable = build(INLINED, "-g", optimised)
    model = Scripted(window=100_000)
    core = (executable, crash(executable))
    session = await investigate(model, Limits(iterations=1), core=core)
    told = model.said("investigate")[0]
    assert re.search(r"E\d+:\d+\| 4 .*int step\(struct node \*n, int times\)", told)
    assert re.search(r"E\d+:\d+\| 6 .*sum \+= n->id;.*<== here", told)
    assert re.search(r"E\d+:\d+\| 11 .*int sum = step\(head, times\);.*<== here", told)
    assert re.search(r"E\d+:\d+\| 19 .*return walk\(kept, argc \+ 2\) \+ 1;.*<== here", told)
    assert "`ptype /o struct node`" in told
    assert re.search(r"total size \(bytes\):\s+16", told)
    asked = [item.command for item in session.state.evidence.values()]
    # Optimised, nothing in sight keeps a pointer but the one that is null.
    assert any(c.startswith("@heap 0x") for c in asked) is (optimised == "-O0")
    alone = await investigate(None, core=core)
    assert session.state.conclusion is not None
    assert alone.state.conclusion is not None
    assert session.state.conclusion.category == alone.state.conclusion.category


async def test_a_clean_round_of_the_critic_is_not_asked_for_twice(investigate: Investigate) -> None:
    model = Scripted({"criticism": {"questions": []}})
    session = await investigate(model, Limits(iterations=1))
    (only,) = session.state.rounds
    assert all(check.passed for check in only.checks)
    assert model.count("criticism") == 1
