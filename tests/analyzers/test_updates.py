"""A value that is read to be changed in place: an access out of bounds is then a write as well."""

import pytest
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.patterns.bounds import OUT_OF_BOUNDS_READ, OUT_OF_BOUNDS_WRITE
from analyzers.registry import analyze
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Memory, Region, Signal
from workbench.model.hypothesis import Status
from workbench.targets.probes.demangle import function

FAULT = """\
thread 7
pc 0x401146: file run r-x, bump+0x1d
stack pointer 0x7ffe1d48a650: stack of thread 7 rw-
signal 11 SIGSEGV raised by an instruction
instruction mov edx, dword ptr [rcx + rax]
mnemonic mov
operand [rcx + rax] = 0x15b5a060: read of 4 bytes, unmapped
access read at 0x15b5a060 through [rcx + rax]
base register rcx = 0x404060: file run rw-
index register rax = 0x15756000: unmapped
"""
UPDATE = "update: 0x40114b would go on to write to 0x15b5a060\n"


@pytest.mark.parametrize(("more", "writes", "below"), [
    ("", False, ()), (UPDATE, True, ()), (UPDATE, True, ("heap",)),  # ended where a heap does
])  # fmt: skip
def test_what_is_written_back(more: str, writes: bool, below: tuple[str, ...]) -> None:
    region = Region(
        start=0x404000, end=0x405000, offset=0, perms="rw-", kind="file", path="/run",
        thread=None, dumped=True, line=2,
    )  # fmt: skip
    regions = (region, *(replace(region, start=0x15B50000, end=0x15B5A060, kind=kind, line=3)
                         for kind in below))  # fmt: skip
    cite = Citation("E1", 1, 9)
    signal = Signal(cite=cite, thread=7, number=11, name="SIGSEGV", code=1,
                    code_name="SEGV_MAPERR", fault_address=0x15B5A060, sender_pid=None,
                    sender_uid=None)  # fmt: skip
    fault = analyze(Document("E4", "@fault", "dump", FAULT + more)).facts
    facts = FactBook([signal, Memory(cite=cite, regions=regions), *fault])
    written, read = OUT_OF_BOUNDS_WRITE.evaluate(facts), OUT_OF_BOUNDS_READ.evaluate(facts)
    assert (written.status is Status.CONFIRMED) is writes
    assert (read.status is Status.CONFIRMED) is not writes
    if writes:
        assert written.claims[0].get("how") == "update"
        (stored,) = (claim for claim in written.claims if claim.kind == "update")
        assert (stored.get("address"), stored.get("at")) == (0x15B5A060, 0x40114B)


OPERATOR = """\
thread 7
pc 0x401146: file run r-x, put+0x1d
stack pointer 0x7ffe1d48a650: stack of thread 7 rw-
signal 11 SIGSEGV raised by an instruction
instruction mov dword ptr [rax], edx
mnemonic mov
operand [rax] = 0x15b5a060: write of 4 bytes, unmapped
access write at 0x15b5a060 through [rax]
base register rax = 0x15b5a060: unmapped
origin 1: rax = 0x15b5a060 was returned by the call to NAME at 0x401141
"""


@pytest.mark.parametrize(
    ("name", "indexes"),
    [
        ("_ZNSt6vectorIiSaIiEEixEm", True),
        ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm", True),
        ("_ZNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEixEm", True),
        ("_ZNSt5arrayIlLm8EEixEm", True),
        ("_ZNSt3mapIiiSt4lessIiESaISt4pairIKiiEEEixERS3_", False),
        ("find", False),
    ],
)
def test_an_element_that_an_index_operator_gave(name: str, indexes: bool) -> None:
    cite = Citation("E1", 1, 9)
    signal = Signal(cite=cite, thread=7, number=11, name="SIGSEGV", code=1,
                    code_name="SEGV_MAPERR", fault_address=0x15B5A060, sender_pid=None,
                    sender_uid=None)  # fmt: skip
    told = OPERATOR.replace("NAME", function(name))
    fault = analyze(Document("E4", "@fault", "dump", told)).facts
    verdict = OUT_OF_BOUNDS_WRITE.evaluate(
        FactBook([signal, Memory(cite=cite, regions=()), *fault])
    )
    assert (verdict.status is Status.CONFIRMED) is indexes
    if indexes:
        assert verdict.claims[0].get("how") == "element"
        gave = verdict.claims[1]
        assert gave.kind == "returned_by"
        assert (gave.get("function"), gave.get("value")) == (function(name), 0x15B5A060)
