"""The steps of a slice as lines of text."""

import re
from collections.abc import Iterable, Sequence

from workbench.model.aliases import public
from workbench.targets.dump import Dump
from workbench.targets.probes import x86
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.demangle import function, readable
from workbench.targets.probes.explain import Step
from workbench.targets.probes.instruction import MASK, Instruction
from workbench.targets.probes.malloc.memory import Span, run_over
from workbench.targets.probes.places import NEAR_NULL, clean, place, variable_at
from workbench.targets.probes.type_info import type_at
from workbench.targets.probes.x86 import FAMILY

INDEXED = "indexed: "
_REACH, _WORD = 4096, 8
_ALLOCATES = ("malloc", "calloc", "realloc", "strdup", "_Znwm", "_Znam", "operator new",
              "operator new[]")  # fmt: skip
_ADDRESSES = 1 << 32
"""Smaller numbers are counts; memory is mapped above."""


def origin_lines(core: Dump, steps: list[Step], title: str) -> list[str]:
    """``title 1: …`` and so on, nearest first; empty when nothing is known."""
    return [f"{title} {number}: {step_text(core, s)}" for number, s in enumerate(steps, 1)]


def kept_alone(steps: list[Step]) -> list[Step]:
    """The steps; of a walk back that ends at malloc() with what that never returns (malloc(3):
    "suitably aligned for any type"), those in front of a register which calls were to give back as
    it was (System V ABI): one of them did not."""
    last = steps[-1] if steps else None
    name = public(function(last.detail)) if last is not None and last.kind == "call" else ""
    if last is None or name not in _ALLOCATES or not (last.value or 0) % _WORD:
        return steps
    held = (at for at, step in enumerate(steps) if step.register not in x86.CALLER_SAVED)
    return steps[: next(held, len(steps) - 1)]


def run_lines(core: Dump, steps: list[Step]) -> list[str]:
    """The data that covers the cell which the wild pointer was read from: where a pointer belongs
    and a text or a filler stands, something was written over it."""
    for step in steps:
        if step.kind == "load" and step.source is not None and step.value is not None:
            region = core.region(step.source)
            if step.value < NEAR_NULL or region is None or core.region(step.value) is not None:
                return []
            low = max(region.start, step.source - _REACH)
            run = run_over(Span(core, low, min(region.end, step.source + _REACH)), step.source)
            if run is None or (run.width == _WORD and step.value >= _ADDRESSES):
                return []  # pointers into one array differ by as much, too
            for start in mapped(core, step.parts):
                if not run.start <= start <= step.source:  # out of the array, to another's own
                    said = f"the data there, from {run.start:#x} on, did not come through the array"
                    return [f"{INDEXED}an index led from {start:#x} to {step.source:#x}: {said}"]
            return [
                f"run: {run.what} from {run.start:#x} to {run.end:#x} covers the cell "
                f"{step.source:#x}"
            ]
    return []


def root_lines(base: int, steps: list[Step]) -> list[str]:
    """What a base register near null was made from, or the constant that any other was, or the null
    that a number of elements was added to: the value that the walk back ends at, before it would
    go on to the way to that value's cell. Nothing where the walk ends at arithmetic."""
    root: Step | None = None
    indexed = False
    for at, step in enumerate(steps):
        indexed |= step.indexed
        returned = step.kind == "call" and at + 1 < len(steps)  # the walk goes on in there
        if returned or step.kind in ("computed", "copy", "store", "argument"):
            root = step if step.kind == "argument" else None
            continue
        root = step
        behind = steps[at + 1] if at + 1 < len(steps) else None
        stored = behind is not None and behind.kind in ("store", "constant")
        if step.kind != "load" or not (stored and behind and behind.source == step.source):
            break
    if root is None or root.value is None or not root.matches:
        return []
    small = base < NEAR_NULL or base > MASK - NEAR_NULL or (indexed and not root.value)
    if root.kind != "constant" and (not small or (root.value and root.kind != "load")):
        return []  # a member of a null object may have been passed
    return [f"root: {base:#x} was made from {root.value:#x} by the {root.kind} at {root.at:#x}"]


def step_text(core: Dump, step: Step) -> str:
    """One step in words, its addresses in it."""
    by = f"by {step.text} at {step.at:#x}"
    value = "an unknown value" if step.value is None else f"{step.value:#x}"
    changed = "" if step.matches else ", which is not the value that was used: it changed since"
    match step.kind:
        case "load" if step.source is None:
            return f"{step.register} was loaded with {value} from an address no longer known {by}"
        case "load":
            where = f"{step.source or 0:#x} ({place(core, step.source or 0)})"
            if not step.matches:
                return (
                    f"{step.register} was loaded {by} from {where}; that now holds {value}{changed}"
                )
            late = f", before the call to {clean(step.freed)}" if step.freed else ""
            past = "; on one way nothing of the function is stored there" if step.skipped else ""
            return f"{step.register} was loaded with {value} from {where} {by}{late}{past}"
        case "store":
            return f"{value} was stored to {step.source or 0:#x} from {step.register} {by}"
        case "constant" if step.source is not None:
            return f"the constant {value} was stored to {step.source:#x} {by}"
        case "constant":
            return f"{step.register} was set to the constant {value} {by}"
        case "copy":
            return f"{step.register} = {value} was copied {by}"
        case "call":
            call = f"the call to {clean(function(step.detail))}" if step.detail else "a call"
            return f"{step.register} = {value} was returned by {call} at {step.at:#x}"
        case "unset" if step.source is not None:
            return (
                f"{value} at {step.source:#x} was never set: no instruction of the function at "
                f"{step.at:#x} ({place(core, step.at)}) stores there"
            )
        case "unset":
            return (
                f"{step.register} = {value} was never set by the function at {step.at:#x} "
                f"({place(core, step.at)})"
            )
        case "argument":
            called = ""
            if step.source is not None:
                called = f" by the call at {step.source:#x} ({place(core, step.source)})"
            return (
                f"{step.register} = {value} was passed in as argument {step.detail} of the "
                f"function at {step.at:#x}{called}"
            )
        case _:
            other = f", where {step.detail}" if step.detail else ""
            return f"{step.register} was computed as {value} {by}{other}"


# What the memory cell was in that a pointer had been read from: an object of some class, or a
# place outside of the variable that was indexed.
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
    for start in mapped(core, parts):
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


def mapped(core: Dump, parts: Iterable[int]) -> list[int]:
    """The parts of an indexed cell's address that are addresses themselves: where its array is."""
    return [part for part in parts if part >= NEAR_NULL and core.region(part) is not None]


def _object_lines(core: Dump, step: Step) -> list[str]:
    """The line on a member's cell: a fixed distance from the start of an object that begins with
    its class's table, in front of which its type_info is named (Itanium C++ ABI, 2.5.2)."""
    insn = insn_at(core, step.at)
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
    bases = ", ".join(clean(readable(base.name)) for base in found.bases) or "none"
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


# The virtual call that a fault lies in: the object's first word is the address of its class's
# table, the call's target a word of that table (Itanium C++ ABI, 2.5).
_FIRST_WORD = re.compile(r"mov \w+, qword ptr \[\w+\]")
_RUNTIMES = ("libstdc++", "libc++")
_AHEAD = 16


def call_lines(
    core: Dump, pc: int, steps: Sequence[Step], loaded: bool, given: Iterable[int | None] = ()
) -> list[str]:
    """The line on a virtual call, where the fault at ``pc`` is one: at the load of the table's word
    or, when ``loaded``, at the call of it. ``steps`` lead back from the register that was used. At
    the call the object is the first argument that is ``given``, or the second, behind the place of
    a result."""
    left = list(steps)
    if loaded:
        if not left or left[0].kind != "load":
            return []
        left = left[1:]
    elif not _called_next(core, pc):
        return []
    while left and left[0].kind == "computed" and left[0].text.startswith("add "):
        left = left[1:]
    first = left[0] if left else None
    if first is None or first.kind != "load" or not first.matches or first.source is None:
        return []
    if not first.value or not _FIRST_WORD.fullmatch(first.text) or not _is_cxx(core, first.at):
        return []
    if given and first.source not in given:
        return []
    region = core.region(first.value)
    if region is not None and region.path and "w" not in region.perms:
        return []  # where tables lie: it may be one
    place_of = place(core, first.source)
    return [
        f"virtual call: the object at {first.source:#x} ({place_of}) has its table "
        f"at {first.value:#x}: {place(core, first.value)}"
    ]


def _is_cxx(core: Dump, pc: int) -> bool:
    symbol = core.symbolize(pc)
    if symbol is not None:
        if symbol[0].startswith("_Z"):
            return True
        if symbol[0] != "main":
            return False
    return any(name in module.name for module in core.modules for name in _RUNTIMES)


def _called_next(core: Dump, pc: int) -> bool:
    """True when the word that the instruction at ``pc`` loads is what is called next."""
    code = code_around(core, pc)
    if code is None or pc not in code.at:
        return False
    at = code.at[pc]
    insn = code.instructions[at]
    if _goes_through(insn, None):
        return True
    if insn.mnemonic != "mov" or len(insn.operands) != 2 or insn.operands[1].mem is None:
        return False
    register = FAMILY.get(insn.operands[0].reg or "")
    if register is None or insn.operands[0].size != 8:
        return False
    ways = [at + 1]
    for _ in range(_AHEAD):
        if not ways:
            break
        index = ways.pop(0)
        if index >= len(code.instructions):
            continue
        later = code.instructions[index]
        if _goes_through(later, register):
            return True
        if later.is_call or later.is_return or register in later.writes:
            continue
        if later.is_jump and later.target in code.at:  # a guess at the class, made by the compiler
            ways.append(code.at[later.target])
        if code.instructions.outlines[index].falls_through:
            ways.append(index + 1)
    return False


def _goes_through(insn: Instruction, register: str | None) -> bool:
    """True for a call or jump through a register, or through memory where none is named."""
    if not (insn.is_call or insn.is_jump) or insn.target is not None or not insn.operands:
        return False
    operand = insn.operands[0]
    if register is None:
        return operand.mem is not None and operand.mem.base not in ("rip", "rsp", "rbp", None)
    return operand.reg is not None and FAMILY.get(operand.reg) == register
