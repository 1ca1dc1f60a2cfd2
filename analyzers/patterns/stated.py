"""Statements that several causes make of a fault."""

from analyzers.patterns.case import Case
from analyzers.patterns.words import of
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.facts import Fault


def accessed(case: Case, fault: Fault | None) -> list[Claim]:
    """What the faulting instruction did: where control went, or what it read or wrote, through
    which register."""
    if fault is None:
        return []
    if fault.access == "execute":
        target = fault.operand if fault.operand is not None else fault.pc
        how = fault.transfer if fault.transfer != "unknown" else None
        went = say("transfer", of(fault), pc=target, transfer=how, from_=fault.transfer_from)
        return [went, *mapped(case, target)]
    if fault.operand is None:
        return []
    near = fault.base_register if fault.base_value is not None else None
    return [
        say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand,
            register=near, value=fault.base_value if near else None)
    ]  # fmt: skip


def mapped(case: Case, address: int) -> list[Claim]:
    """What lies at an address, where the dump knows its mappings."""
    if case.memory is None or not case.memory.regions:
        return []
    region = case.region(address)
    if region is None:
        return [say("unmapped", of(case.memory), address=address)]
    lines = case.cite_region(region)
    return [say("mapped", lines, address=address, kind=region.kind, perms=region.perms)]


def loaded(fault: Fault | None, most: int = 1) -> list[Claim]:
    """Where the base register's value came from, nearest first."""
    return [
        say("loaded", of(fault), register=load.register, value=load.value, source=load.source)
        for load in (fault.origin[:most] if fault is not None else ())
        if load.value is not None
    ]


def copied(fault: Fault) -> list[Claim]:
    """What the bad pointer spells, and where the same word is."""
    spelled = fault.spelled
    if spelled is None:
        return []
    found = [say("spelled", of(fault), value=spelled.value, text=spelled.text)]
    if spelled.cell is not None:
        found.append(say("copied", of(fault), value=spelled.value, cell=spelled.cell,
                         start=spelled.start, end=spelled.end))  # fmt: skip
    return found
