"""Cores whose code is not there: what the signal's record alone allows, and no more."""

import struct
from pathlib import Path

import pytest

from analyzers.base import Document
from analyzers.patterns.null import NULL_FUNCTION_POINTER_CALL
from analyzers.patterns.unseen import UNSEEN_NULL_POINTER, UNSEEN_WILD_POINTER
from analyzers.registry import analyze
from tests.targets.synthetic import PAGE, FakeCore, Load
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Status
from workbench.targets.identify import open_core
from workbench.targets.notes import NT_SIGINFO
from workbench.targets.reader import DumpReader

R, W, X = 4, 2, 1
CODE, STACK = 0x400000, 0x7FFF0000


def book(path: Path, address: int, code: int = 1, pc: int = CODE + 0x100) -> FactBook:
    """The facts of a core without code: only a stack, registers and siginfo."""
    stack = struct.pack("<Q", CODE + 0x200).ljust(PAGE // 2, b"\0")
    loads = [Load(CODE, PAGE, R | X), Load(STACK, PAGE, R | W, bytes(PAGE // 2) + stack)]
    values = [0] * 27
    values[16], values[19], values[15] = pc, STACK + PAGE // 2, (1 << 64) - 1
    fake = FakeCore(loads=loads).thread(7, values, 11)
    info = struct.pack("<iiiiQ", 11, 0, code, 0, address).ljust(128, b"\0")
    path.write_bytes(fake.note(NT_SIGINFO, info).build())
    facts = FactBook()
    with open_core(path) as core:
        for number, probe in enumerate(("@health", "@notes", "@mappings", "@fault", "@stack"), 1):
            text = DumpReader(core).answer(probe)
            facts.add(analyze(Document(f"E{number}", probe, "dump", text)).facts)
    return facts


@pytest.mark.parametrize("address", [0, 0x10, 0xFFFF])
def test_an_address_near_null(tmp_path: Path, address: int) -> None:
    facts = book(tmp_path / "core", address)
    assert UNSEEN_WILD_POINTER.propose(facts) is None
    proposal = UNSEEN_NULL_POINTER.propose(facts)
    assert proposal is not None
    verdict = UNSEEN_NULL_POINTER.evaluate(facts)
    assert verdict.status is Status.CONFIRMED
    assert verdict.confidence <= 0.6
    assert verdict.claims[1].get("address") == address
    assert "--exe" in verdict.missing[0]


@pytest.mark.parametrize(
    ("address", "code", "told"), [(0, 128, "SI_KERNEL"), (0x5000000, 1, "0x5000000")]
)
def test_no_pointer_is_wild_for_what_is_not_known(
    tmp_path: Path, address: int, code: int, told: str
) -> None:
    facts = book(tmp_path / "core", address, code=code)
    assert UNSEEN_NULL_POINTER.propose(facts) is None
    verdict = UNSEEN_WILD_POINTER.evaluate(facts)
    assert verdict.status is Status.INCONCLUSIVE
    assert told in verdict.claims[1].text


def test_mapped_memory_says_nothing(tmp_path: Path) -> None:
    verdict = UNSEEN_WILD_POINTER.evaluate(book(tmp_path / "core", CODE + 8))
    assert verdict.status is Status.INCONCLUSIVE


def test_a_null_call_from_code_that_is_not_there(tmp_path: Path) -> None:
    facts = book(tmp_path / "core", 0, pc=0)
    assert UNSEEN_NULL_POINTER.propose(facts) is None
    verdict = NULL_FUNCTION_POINTER_CALL.evaluate(facts)
    assert verdict.status is Status.CONFIRMED
    assert verdict.confidence <= 0.6
