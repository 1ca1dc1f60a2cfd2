"""Facts about stacks, threads, variables and source lines."""

from msgspec import Struct

from workbench.model.facts.base import Fact


class Frame(Struct, frozen=True, kw_only=True):
    """One frame. ``offset`` is the distance of ``address`` from its module's
    load base. ``trust``: symbols | unwound | scan. ``line_no`` is the line of the evidence text;
    ``file_lines`` the first and last line that name ``file`` and ``line`` where another does.
    ``system``: the report's list of images says that the system brought the module along."""

    index: int
    function: str | None = None
    file: str | None = None
    line: int | None = None
    module: str | None = None
    offset: int | None = None
    address: int | None = None
    args: str = ""
    trust: str = "symbols"
    inlined: bool = False
    signal_handler: bool = False
    line_no: int = 0
    stack_pointer: int | None = None
    file_lines: tuple[int, int] | None = None
    system: bool = False

    @property
    def call(self) -> tuple[str | None, int | None]:
        """The call that it is of, as long as that runs: its function and stack pointer."""
        return self.function, self.stack_pointer


class Stack(Fact, frozen=True, kw_only=True, tag="stack"):
    """One thread's frames, innermost first. ``number`` is the debugger's thread number, ``thread``
    the TID. ``complete`` is False when the listing was cut; ``corrupt`` when unwinding failed.
    ``managed`` when a .NET runtime's own walk listed it, without the native frames."""

    number: int | None = None
    thread: int | None = None
    name: str | None = None
    frames: tuple[Frame, ...]
    current: bool = False
    complete: bool = True
    corrupt: bool = False
    managed: bool = False


class StackGroup(Struct, frozen=True, kw_only=True):
    """``count`` threads with equal stacks: by ``numbers`` of the debugger, and by TID in
    ``threads`` where it prints them. ``line`` is the first of the first such stack."""

    count: int
    numbers: tuple[int, ...]
    threads: tuple[int, ...] = ()
    line: int = 0


class StackGroups(Fact, frozen=True, kw_only=True, tag="stack-groups"):
    """The threads of one listing of all stacks, by equal ones: the same functions at the same
    places in the code, whatever their arguments. ``total`` is how many stacks were listed; of very
    many kinds only the first are items."""

    total: int
    items: tuple[StackGroup, ...]


class Thread(Struct, frozen=True, kw_only=True):
    """One line of the debugger's thread list."""

    number: int
    thread: int
    name: str | None = None
    current: bool = False
    line: int = 0


class Threads(Fact, frozen=True, kw_only=True, tag="threads"):
    """The debugger's thread list."""

    items: tuple[Thread, ...]


class Variable(Struct, frozen=True, kw_only=True):
    """A local or an argument as the debugger printed it."""

    name: str
    value: str
    line: int = 0


class Locals(Fact, frozen=True, kw_only=True, tag="locals"):
    """Locals or arguments of a frame. ``function`` is None where the debugger did not name it,
    ``frame`` the level that the command selected."""

    function: str | None
    variables: tuple[Variable, ...]
    frame: int | None = None


class Printed(Fact, frozen=True, kw_only=True, tag="printed"):
    """The value of an expression in a frame, by its level, as the debugger printed it."""

    frame: int
    expression: str
    value: str


class Typed(Fact, frozen=True, kw_only=True, tag="typed"):
    """The type of an expression in a frame, as the debugger spells it."""

    frame: int
    expression: str
    type: str


class LayoutField(Struct, frozen=True, kw_only=True):
    """A member of a structure: bytes from its start, and how many it takes."""

    name: str
    offset: int
    size: int
    line: int = 0

    def lies_at(self, distance: int | None, each: int) -> bool:
        """True where the member begins that far from a pointer to the structure, or to the first
        of several that take ``each`` bytes (0: one alone)."""
        behind = -1 if distance is None else distance - self.offset
        return behind == 0 or (each > 0 and behind > 0 and behind % each == 0)


class Layout(Fact, frozen=True, kw_only=True, tag="layout"):
    """The members of the structure of ``size`` bytes that an expression is; those of nested ones
    (``in.lock``) stand in front of what holds them."""

    frame: int
    expression: str
    type: str
    size: int
    fields: tuple[LayoutField, ...]


class Repeat(Struct, frozen=True, kw_only=True):
    """A return address that stands ``count`` times on one stack: the mark of recursion."""

    address: int
    count: int
    function: str | None = None
    module: str | None = None
    offset: int | None = None
    line: int = 0


class StackShape(Fact, frozen=True, kw_only=True, tag="stack-shape"):
    """One thread's stack as memory, read without unwinding.

    [start, end) is its mapping, ``pointer`` the stack pointer, ``guard_distance`` how many bytes
    the pointer lies above ``start`` (negative: below it). ``guard``: unmapped | no-access | mapped,
    what lies right below ``start``. ``overflowed`` when the thread ran out of stack: the pointer
    or the faulting access lies in the guard. ``smashed`` when one run of filler covers slots where
    return addresses belong; ``smash_word`` is a word of it. ``recursion`` has the return addresses
    that repeat, most frequent first, ``entered`` the frame that called the outermost of those
    functions, ``outer`` those that called it, innermost first; ``scanned`` the likely return
    addresses near the pointer, nearest first (trust ``scan``), ``below`` those of callees that
    already returned.
    """

    thread: int
    pointer: int
    start: int | None = None
    end: int | None = None
    main: bool | None = None
    guard_distance: int | None = None
    guard: str | None = None
    overflowed: bool = False
    smashed: bool = False
    smash_word: int | None = None
    recursion: tuple[Repeat, ...] = ()
    entered: Frame | None = None
    outer: tuple[Frame, ...] = ()
    scanned: tuple[Frame, ...] = ()
    below: tuple[Frame, ...] = ()


class SourceLine(Fact, frozen=True, kw_only=True, tag="source-line"):
    """A line of source text that the debugger listed; ``address`` is the one around whose line it
    was asked to list, where that is this line."""

    file: str | None
    line: int
    text: str
    address: int | None = None


class Place(Fact, frozen=True, kw_only=True, tag="place"):
    """The ``frame`` whose own code stands at its address, by the ranges of the functions there: the
    debugger lists others, inner ones, that were inlined there with no code at all."""

    frame: Frame


StackFact = (
    Stack
    | StackGroups
    | StackShape
    | Threads
    | Locals
    | Printed
    | SourceLine
    | Typed
    | Layout
    | Place
)
