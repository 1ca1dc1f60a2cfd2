"""What the next commands will show if a cause is the right one: rows of statements about evidence
that does not exist yet. Only what follows from the cause stands here, so that a row which comes
false speaks against it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from analyzers.patterns import commands, dangling, signs
from analyzers.patterns.bounds import read_outside
from analyzers.patterns.case import Case
from analyzers.patterns.released import given
from analyzers.patterns.spoken import operand
from analyzers.patterns.uninitialized import never_set
from workbench.claims.say import deny, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command


class Foretold(NamedTuple):
    """What a command will show."""

    command: Command
    claim: Claim


def _null(case: Case) -> list[Foretold]:
    """The operand has the value of a null pointer."""
    fault = signs.near_null_access(case) or signs.near_null_jump(case)
    # What was made from a null pointer, an element of a null array, is itself not null.
    made = fault is not None and 0 in (fault.base_value, fault.operand)
    return _operand(case, 0) if made else []


def _zero(case: Case) -> list[Foretold]:
    return _operand(case, 0) if case.fault is not None and case.fault.divisor == 0 else []


def _bad_pointer(case: Case) -> list[Foretold]:
    """The operand, and the cell that it was read from, hold what the instruction used."""
    fault = case.fault
    load = fault.origin[0] if fault is not None and fault.origin else None
    if load is None or load.value is None:
        return []
    return [*_operand(case, load.value), *_word(case, load.source, load.value)]


def _unset(case: Case) -> list[Foretold]:
    unset = never_set(case) or (case.fault.index_unset if case.fault is not None else None)
    return (
        _word(case, unset.cell, unset.value) if unset is not None and unset.cell is not None else []
    )


def _outside(case: Case) -> list[Foretold]:
    """What was indexed is the variable that the pointer was read from beside."""
    found = read_outside(case)
    if found is None:
        return []
    claim = say("symbol", address=found.start, name=found.variable)
    return [Foretold(command, claim) for command in commands.symbol(found.start)]


def _given_back(case: Case) -> list[Foretold]:
    """The block that was to be released is not in use."""
    argument = given(case)
    if argument is None:
        return []
    claim = deny(say("chunk", address=argument.value, state="in-use"))
    return [Foretold(command, claim) for command in commands.heap(argument.value)]


def _freed(case: Case) -> list[Foretold]:
    """The first words of the free chunk hold what the pointer was loaded as, where they cover it;
    of a chunk of 64 bits, whose words are as wide as those that are shown."""
    freed = dangling.freed_origin(case)
    if freed is None or freed.value is None:
        return []
    chunk, at = freed.chunk, freed.address - freed.chunk.start
    if at % 8 or not 0 <= at < 32 or chunk.offset != at - 16 or chunk.address != freed.address:
        return []
    claim = say("memory", address=freed.address, value=freed.value)
    return [Foretold(command, claim) for command in commands.words(case, chunk.start, "")]


def _operand(case: Case, value: int) -> list[Foretold]:
    """Not where memory holds another value by now: `*p++ = c` has stored the next one already."""
    expression, loads = operand(case), case.fault.origin if case.fault is not None else ()
    if expression is None or (loads and loads[0].value is None):
        return []
    claim = say("value", expression=expression, value=f"{value:#x}")
    return [Foretold(command, claim) for command in commands.value(case.frame, expression)]


def _word(case: Case, cell: int, value: int) -> list[Foretold]:
    claim = say("memory", address=cell, value=value)
    return [Foretold(command, claim) for command in commands.words(case, cell, "")]


_ROWS: dict[Category, Callable[[Case], Sequence[Foretold]]] = {
    Category.NULL_POINTER_DEREFERENCE: _null, Category.NULL_FUNCTION_POINTER_CALL: _null,
    Category.DIVIDE_BY_ZERO: _zero, Category.CORRUPTED_POINTER: _bad_pointer,
    Category.WILD_POINTER: _bad_pointer, Category.UNINITIALIZED_POINTER: _unset,
    Category.UNINITIALIZED_VALUE: _unset, Category.OUT_OF_BOUNDS_READ: _outside,
    Category.DOUBLE_FREE: _given_back, Category.USE_AFTER_FREE: _freed,
}  # fmt: skip


def foretold(category: Category, case: Case) -> Sequence[Foretold]:
    """What a cause foretells of commands that could be asked now."""
    row = _ROWS.get(category)
    return row(case) if row is not None else ()
