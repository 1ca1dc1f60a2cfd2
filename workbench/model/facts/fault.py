"""Facts about the faulting instruction and the registers."""

from msgspec import Struct

from workbench.model.facts.base import Fact
from workbench.model.facts.stacks import Frame


class Load(Struct, frozen=True, kw_only=True):
    """One step of where a value came from: ``register`` was loaded with ``value`` from memory at
    ``source`` by the instruction at ``at``, as ``line`` says. ``own`` is True where that
    counts from the stack or frame pointer: a variable of the function itself. ``freed_by`` is a
    call behind it that may have freed what it was loaded from. ``below`` is how many bytes
    ``source`` lies below the pointer that the instruction took it from. ``led`` is the pointer that
    an index was added to for ``source``, where that is known. ``skipped`` is True for a variable of
    the function where one way to the load passes no store to it."""

    at: int
    register: str
    source: int
    value: int | None
    line: int = 0
    own: bool = False
    freed_by: str | None = None
    below: int = 0
    led: int | None = None
    skipped: bool = False


class DataRun(Struct, frozen=True, kw_only=True):
    """One run of the same kind of data (a filler, a text, a series of numbers), [start, end),
    that covers ``cell``; ``what`` names it, ``line`` says so."""

    start: int
    end: int
    cell: int
    what: str
    line: int = 0


class Unset(Struct, frozen=True, kw_only=True):
    """A value that the function at ``function`` used and never set: what was left in the stack's
    ``cell``, or in a register where that is None. ``line`` says so."""

    cell: int | None
    value: int
    function: int
    line: int = 0


class VirtualCall(Struct, frozen=True, kw_only=True):
    """A virtual call whose ``object`` has as its first word ``table``, which lies where no table of
    virtual functions can; ``where`` says what is there, ``line`` is the line of all this."""

    object: int
    table: int
    where: str
    line: int = 0


class Outside(Struct, frozen=True, kw_only=True):
    """The ``cell`` that a pointer was read from is not in ``variable``, at ``start``, which was
    indexed; ``line`` says so."""

    cell: int
    variable: str
    start: int
    line: int = 0


class Member(Struct, frozen=True, kw_only=True):
    """The ``cell`` that a pointer was read from is a member of the ``object`` of class ``kind`` by
    its table, ``offset`` bytes into it; ``bases`` are the classes that it derives from.
    ``method_of`` is the class whose method read it, where that has a table of its own."""

    cell: int
    object: int
    offset: int
    kind: str
    bases: tuple[str, ...] = ()
    method_of: str | None = None
    line: int = 0


class Taint(Struct, frozen=True, kw_only=True):
    """What the value that could not be read decides about: ``kind`` call | branch | return | store
    of the instruction at ``at``. ``line`` says so."""

    kind: str
    at: int
    line: int = 0


class Spelled(Struct, frozen=True, kw_only=True):
    """The bytes of the bad pointer ``value`` are the characters ``text``, as ``line`` says. The
    same word stands in other memory at ``cell``, in the data ``run`` from ``start`` to ``end``.
    ``cell`` is None where it was found nowhere or at several places: one of those is then what was
    copied. ``places`` are all of them, as (cell, start, end)."""

    value: int
    text: str
    line: int = 0
    cell: int | None = None
    run: str = ""
    start: int = 0
    end: int = 0
    places: tuple[tuple[int, int, int], ...] = ()


class Returned(Struct, frozen=True):
    """What a walk back ended at: the function, its result (None where it is not known any more)
    and the line that says so."""

    function: str
    value: int | None
    line: int


class Left(Struct, frozen=True):
    """A function that went on by a jump in place of a call, and has no frame: ``frame`` is at that
    jump, where it is known; ``back`` the return address of the call that went there."""

    frame: Frame
    back: int


class Fault(Fact, frozen=True, kw_only=True, tag="fault"):
    """The faulting instruction and what it touched.

    ``access``: read | write | execute | none. ``operand`` is the effective address computed from
    the registers (not si_addr), ``base_register``/``base_value`` its base. ``divisor`` is the
    divisor's value of a division. ``origin`` walks back where the base register's value came from,
    nearest first. For ``execute``: ``transfer`` says how control got to pc: call | jump |
    return | unknown, ``transfer_from`` the address of that instruction.
    ``operand_region`` is a region's kind, or unmapped | near-null | non-canonical;
    ``alignment`` is what a mapped operand's address had to be a multiple of and is not;
    ``operand_symbol`` the function whose code the operand lies in, ``f`` or ``f+0x8``, or the
    variable that control went to.
    ``origin_call`` is the function whose result the walk ends at; it returned the base value
    itself only when every load on the way has that value.
    ``run`` is data that covers the cell which a wild pointer was read from.
    ``origin_value`` is what that function returned, ``origin_line`` the line of it, ``origin_at``
    where it was called.
    ``index_call`` and ``divisor_call`` are the ends of the index's and the divisor's walks.
    ``unset`` and ``index_unset`` are where the base's and the index's walks end at nothing.
    ``quotient_overflow`` is True when a division's quotient does not fit (INT_MIN / -1).
    ``running`` is the frame at ``pc``, or at the jump that went there in place of a call, by the
    symbols that the dump's files have; None where that lies in no file. ``taint`` is what a failed
    read's value goes on to decide about; ``updated_at`` the instruction that would have written it
    back, ``updated_line`` the line of it.
    ``spelled`` is the bad pointer's value read as characters. ``root`` is the value that a base
    near null was made from: zero for a member or an element of a null object; of any
    other base the constant. ``passed_line`` says that the base itself was passed in by the caller.
    ``computed_line`` is the first line of the walk where the base was computed before it had been
    loaded, ``stepped_line`` one where an instruction computed it again: a loop. ``loaded_far`` is
    True where the base was loaded through a pointer, by an address that is not known any more.
    ``index_root`` is the number that the index was multiplied from; None where it was made of what
    is not known, and 0 where it is as it was loaded.
    ``left`` are the functions that went on by a jump to what runs now.
    """

    thread: int
    pc: int
    instruction: str | None
    mnemonic: str | None
    access: str
    operand: int | None = None
    operand_size: int | None = None
    operand_region: str | None = None
    base_register: str | None = None
    base_value: int | None = None
    divisor: int | None = None
    origin: tuple[Load, ...] = ()
    transfer: str | None = None
    transfer_from: int | None = None
    stack_pointer: int | None = None
    index_register: str | None = None
    index_value: int | None = None
    quotient_overflow: bool = False
    origin_call: str | None = None
    run: DataRun | None = None
    origin_value: int | None = None
    origin_line: int = 0
    origin_at: int | None = None
    index_call: Returned | None = None
    divisor_call: Returned | None = None
    unset: Unset | None = None
    index_unset: Unset | None = None
    virtual: VirtualCall | None = None
    running: Frame | None = None
    updated_at: int | None = None
    updated_line: int = 0
    taint: Taint | None = None
    outside: Outside | None = None
    member: Member | None = None
    spelled: Spelled | None = None
    operand_symbol: str | None = None
    alignment: int | None = None
    root: int | None = None
    passed_line: int = 0
    computed_line: int = 0
    stepped_line: int = 0
    loaded_far: bool = False
    left: tuple[Left, ...] = ()
    index_root: int | None = 0


class Register(Struct, frozen=True):
    """A register and the line that shows it."""

    name: str
    value: int
    line: int = 0


class Registers(Fact, frozen=True, kw_only=True, tag="registers"):
    """Registers of one frame of one thread."""

    thread: int
    frame: int
    values: tuple[Register, ...]

    def get(self, name: str) -> int | None:
        """The value of a register, or None when it was not printed."""
        for register in self.values:
            if register.name == name:
                return register.value
        return None


class Hit(Fact, frozen=True, kw_only=True, tag="hit"):
    """What a run of the program under the debugger showed, one event of it.

    ``role``: write | rewrite | point | born | freed | realloc | munmap … | locked | unlocked are of
    a watch; ``fault`` is how the run ended, by ``signal``; by ``read`` and ``used`` the way back
    from ``into`` (a cell or an instruction) comes; a block on it that was never freed is ``kept``.
    ``cell`` is the address of the cell, block,
    pages, lock or instruction.
    """

    role: str
    cell: int | None = None
    size: int | None = None
    old: int | None = None
    new: int | None = None
    into: int | None = None
    signal: str | None = None
    frames: tuple[Frame, ...] = ()

    def holds(self, address: int) -> bool:
        """True for what lies in the block, the pages or the cell."""
        return self.cell is not None and 0 <= address - self.cell < (self.size or 1)


FaultFact = Fault | Registers | Hit
