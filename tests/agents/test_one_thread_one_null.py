"""A second thread of a process that has one, and a null out of a register that holds another
value, are no model's to say."""

import pytest
from msgspec.structs import replace

from tests.agents.cases import cite
from tests.analyzers.test_patterns import PROCESS
from workbench.agents.contradictions import contradiction, unproved_relation
from workbench.agents.known import Known
from workbench.model.facts import FactBook, Register, Registers
from workbench.model.investigation import Investigation

SECOND = "`drain` runs in a second thread."


@pytest.mark.parametrize(("threads", "held"), [((7,), False), ((7, 8), True), ((), True)])
def test_a_second_thread(threads: tuple[int, ...], held: bool) -> None:
    state = Investigation()
    state.facts.add([replace(PROCESS, threads=threads)])
    assert (contradiction(SECOND, state) is None) is held


@pytest.mark.parametrize(
    ("register", "held"), [("rdi", False), ("rax", True), ("register `rdi`", False), ("rbx", True)]
)
def test_a_null_out_of_a_register(register: str, held: bool) -> None:
    values = (Register("rax", 0), Register("rdi", 0xDC3D3A0))
    facts = FactBook([Registers(cite=cite("E6"), thread=7, frame=0, values=values)])
    said = f"The null came from {register}."
    assert (unproved_relation(said, Known(facts)) is None) is held
