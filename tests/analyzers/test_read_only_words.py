"""A write that memory refuses names the file, and what of it lies there."""

import pytest
from msgspec.structs import replace

from analyzers.patterns.mapping import WRITE_TO_READ_ONLY_MEMORY
from tests.analyzers.test_patterns import PROCESS, STACK, cite, fault, region, signal
from workbench.model.facts import FactBook, Memory, Region

CODE = "/srv/bin/teller"


def file(start: int, perms: str, path: str, line: int) -> Region:
    return Region(start=start, end=start + 0x1000, perms=perms, path=path, offset=0, kind="file",
                  thread=None, dumped=True, line=line)  # fmt: skip


MEMORY = Memory(
    cite=cite(6, 1, 4),
    regions=(
        file(0x7000, "r-x", CODE, 1),
        file(0x8000, "r--", CODE, 2),
        file(0x9000, "r--", "/var/lib/rates.db", 3),
        region(0xA000, 0xB000, "anonymous", "r--", 4),
    ),
)


@pytest.mark.parametrize(
    ("address", "how", "said"),
    [
        (0x7010, "code", "0x7010 is in a mapped file, mapped r-x from `teller`."),
        (0x8010, "data", "0x8010 is in a mapped file, mapped r-- from `teller`."),
        (0x9010, "file", "0x9010 is in a mapped file, mapped r-- from `rates.db`."),
        (0xA010, "", "0xa010 is in anonymous memory, mapped r--."),
    ],
)
def test_what_refuses_the_write_is_named(address: int, how: str, said: str) -> None:
    facts = FactBook([PROCESS, STACK, MEMORY, signal(), fault("write", address)])
    verdict = WRITE_TO_READ_ONLY_MEMORY.evaluate(facts)
    assert verdict.claims[0].get("how") == how
    assert verdict.claims[2].text == said


@pytest.mark.parametrize(("pointer", "status"), [(0x8080, "inconclusive"), (0x90000, "confirmed")])
def test_where_the_stack_pointer_has_come_to_a_stack_may_have_ended(
    pointer: int, status: str
) -> None:
    """One of a signal's handler (sigaltstack(2)), which is an array of the program's."""
    found = replace(fault("write", 0x8010), stack_pointer=pointer)
    facts = FactBook([PROCESS, STACK, MEMORY, signal(), found])
    assert WRITE_TO_READ_ONLY_MEMORY.evaluate(facts).status.value == status
