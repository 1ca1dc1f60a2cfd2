"""What the memory cell was in that a pointer had been read from: an object of some class, or a
place outside of the variable that was indexed."""

import re
from collections.abc import Iterable

from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.demangle import readable
from workbench.targets.probes.explain import Step
from workbench.targets.probes.places import NEAR_NULL, clean, read_some, variable_at
from workbench.targets.probes.type_info import ancestors, type_at

_LARGEST_OBJECT = 1 << 16
_NESTED = re.compile(r"_ZN[VKRO]*(?=\d)")
_NUMBER = re.compile(r"\d{1,3}")
_MOST_PARTS = 16


def cell_lines(core: Dump, steps: list[Step]) -> list[str]:
    """The lines on the nearest load of a slice, where its cell is known."""
    step = next((s for s in steps if s.kind == "load" and s.source is not None), None)
    if step is None or step.source is None or not step.matches:
        return []
    outside = outside_lines(core, step.source, step.parts)
    return outside or _object_lines(core, step)


def outside_lines(core: Dump, cell: int, parts: Iterable[int]) -> list[str]:
    """The line on a cell in no variable, not even that whose address was one of the ``parts`` that
    the cell's address was added up from."""
    for start in parts:
        if start < NEAR_NULL or start == cell:
            continue
        name = variable_at(core, start)
        if name is None or "+" in name:
            continue
        if variable_at(core, cell) is not None:
            return []  # compilers may count from a neighbour's start
        return [
            f"bounds: the cell {cell:#x} is not in the variable {name} at {start:#x}, which was "
            "indexed: it lies in no variable"
        ]
    return []


def _object_lines(core: Dump, step: Step) -> list[str]:
    """The line on a member's cell: a fixed distance from the start of an object that begins with
    its class's table, in front of which its type_info is named (Itanium C++ ABI, 2.5.2)."""
    insn = x86.decode_one(read_some(core, step.at, 16), step.at)
    mem = next((op.mem for op in insn.operands if op.mem is not None), None) if insn else None
    if mem is None or mem.index is not None or mem.base in (None, "rip", "rsp", "rbp"):
        return []
    if not 0 < mem.disp < _LARGEST_OBJECT or step.source is None:
        return []
    start = step.source - mem.disp
    table = core.read_word(start)
    info = core.read_word(table - 8) if table and table > NEAR_NULL else None
    found = type_at(core, info) if info else None
    if found is None or core.region(info or 0) is None:
        return []
    bases = ", ".join(clean(readable(base)) for base in ancestors(core, found.address)) or "none"
    owner = _class_of_method(core, step.at)
    method = f"; a method of class {owner} reads it" if owner is not None else ""
    return [
        f"member: the cell {step.source:#x} lies {mem.disp:#x} bytes into the object at "
        f"{start:#x}, whose table is that of class {clean(found.name)} (bases: {bases}){method}"
    ]


def _class_of_method(core: Dump, pc: int) -> str | None:
    """The class whose method runs at ``pc``, when objects of it begin with a table of their own
    (Itanium C++ ABI, 5.1.3 and 5.1.4): ``_ZN5Label5firstEv`` is one of ``Label``'s if there is a
    ``_ZTV5Label``."""
    found = core.symbolize(pc)
    head = _NESTED.match(found[0]) if found is not None else None
    if found is None or head is None:
        return None
    name, at = found[0], head.end()
    parts: list[str] = []
    while (number := _NUMBER.match(name, at)) is not None and len(parts) < _MOST_PARTS:
        at = number.end() + int(number[0])
        parts.append(name[number.start() : at])
    if len(parts) < 2 or name[at : at + 1] != "E":
        return None
    owner = "".join(parts[:-1])
    owner = f"N{owner}E" if len(parts) > 2 else owner
    return clean(readable(owner)) if core.symbol("", f"_ZTV{owner}") is not None else None
