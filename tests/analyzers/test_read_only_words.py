"""A write that memory refuses names the file, and what of it lies there."""

import pytest

from analyzers.patterns.mapping import WriteToReadOnlyMemory
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
    ("address", "words"),
    [
        (0x7010, "lies in the code of `teller`."),
        (0x8010, "lies in the read-only data of `teller`."),
        (0x9010, "lies in the file `rates.db`, mapped for reading alone."),
        (0xA010, "lies in anonymous memory that may be read but not written."),
    ],
)
def test_what_refuses_the_write_is_named(address: int, words: str) -> None:
    facts = FactBook([PROCESS, STACK, MEMORY, signal(), fault("write", address)])
    verdict = WriteToReadOnlyMemory().evaluate(facts)
    assert verdict.claims[0].text.endswith(words)
