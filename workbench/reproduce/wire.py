"""What is asked of one run, and what it showed: the shapes that `agent.py` reads and writes."""

from msgspec import Struct

from workbench.model.facts import Frame


class Point(Struct, frozen=True):
    """An instruction whose execution is told; ``back`` is the return address that must lie on the
    stack's top (0: any)."""

    name: str
    address: int
    back: int = 0


class Cell(Struct, frozen=True):
    """``size`` bytes (1, 2, 4, 8) whose writes are told; x86 watches four at a time. One whose
    frame is made by the ``nth`` call of a function ``entry`` is watched from there on."""

    name: str
    address: int
    size: int = 8
    entry: Point | None = None
    nth: int = 0
    changes: bool = False  # told of changes alone, in a run that tells reads of others


class Hold(Struct, frozen=True):
    """The instruction at which a thread is held while the others run, at most for ``most`` seconds:
    ``offset`` bytes behind where the program is mapped, or where the line begins that ends at or
    holds what lies before ``address``. The first time, the second, the fourth …, or ``each`` time.
    """

    offset: int = 0
    address: int = 0
    most: float = 1.0
    each: bool = False


class Lookup(Struct, frozen=True, kw_only=True):
    """A container and a key of it (hex), as `inside.lookups` finds and reads them: ``address`` is
    its count's; an element's key lies ``offset`` bytes behind where that begins, a number of
    ``size`` bytes, else a ``text`` whose address and length lie so far behind it."""

    kind: str  # tree | chain | table
    frame: int  # of the stack that asked
    address: int
    key: str
    start: int
    offset: int
    size: int
    text: tuple[int, ...] = ()
    mask: int = 0
    stride: int = 0


class Request(Struct, frozen=True, kw_only=True):
    """One run of the file ``program``. ``arguments`` is the quoted command line behind it,
    redirection included; ``blocks`` are addresses whose heap blocks' birth and death are told,
    ``pages`` addresses whose mapping is, ``locks`` those of locks. A watch with ``most`` hits ends
    all of them."""

    program: str
    arguments: str
    tty: str
    cwd: str
    environment: tuple[tuple[str, str | None], ...]  # None: without it
    wrapper: str
    aslr: bool
    pid_file: str
    result: str
    replay: str = ""  # where a recording's replay waits for gdb; the program is not started
    core: str = ""
    way: tuple[int, ...] = ()  # to the child that is followed (`inside.forks`)
    execs: int = 0  # so many programs take its place before the one that is watched
    scouting: bool = False  # which child fails is to be found: all are held
    anchors: tuple[int, ...] = ()  # of the run whose addresses are meant (`inside.anchors`)
    cells: tuple[Cell, ...] = ()
    points: tuple[Point, ...] = ()
    blocks: tuple[int, ...] = ()
    late: tuple[int, ...] = ()  # words: with the first write of one the telling of blocks begins
    pages: tuple[int, ...] = ()
    locks: tuple[int, ...] = ()
    panics: bool = False  # a panic of Rust's is a failure, whoever catches it
    hold: Hold | None = None  # which thread waits for the others (`inside.holds`)
    until: int = 0  # where this runs, watching ends
    most: int = 50_000
    skip: dict[str, int] = {}  # so many hits of a watch are only counted
    before: dict[str, int] = {}  # what was seen until this hit of a watch is told, too
    reads: bool = False  # reads of the cells are told too, and writes of the value that was there
    lookup: Lookup | None = None  # whether it is held is told at each write of the cell "N"


class Variable(Struct, frozen=True):
    """A local or argument of frame ``frame`` that lies in memory; ``line`` declares it."""

    frame: int
    name: str
    address: int
    size: int
    line: int


class Hit(Struct, frozen=True, kw_only=True):
    """One event of a watch: its ``order`` in the run, ``nth`` of its watch; ``first`` and ``last``
    are lines of the printed text. ``registers`` and ``stack`` (hex, from 128 bytes below rsp on)
    are as they were behind the instruction that wrote, or before the one that a point names. An
    ``access`` is a read, or a write of the value that stood there; the system ``filled`` a cell, in
    a run that tells reads."""

    order: int
    watch: str
    kind: str  # write | access | filled | point | alloc | free | realloc | munmap … | lock | held …
    nth: int
    thread: int
    frames: tuple[Frame, ...]
    first: int = 0
    last: int = 0
    address: int = 0
    size: int = 0
    old: int | None = None
    new: int | None = None
    registers: dict[str, int] = {}
    stack: str = ""
    made: tuple[int, ...] = ()  # indexes of frames that the compiler made
    owned: tuple[int, ...] = ()  # of functions that were given what they destroy, by value
    untyped: tuple[int, ...] = ()  # of functions that know no type of what they take or give
    gives: tuple[int, ...] = ()  # of a birth: of those that know no type of what they give
    words: tuple[int, ...] = ()  # of a block: its first ones
    held: int = -1  # whether the key that is looked up is there: 1, 0; -1 not known
    variables: tuple[Variable, ...] = ()
    """The function's, of the point ``L``, that bounds others; of ``M`` what its pointers are to."""

    @property
    def function(self) -> str:
        """The name of the innermost frame's, which may be a library's."""
        return (self.frames[0].function or "") if self.frames else ""


class Outcome(Struct, frozen=True, kw_only=True):
    """How a run ended: ``ended`` by itself, else stopped by ``signal`` with si_code ``code``."""

    ended: str = ""
    signal: str = ""
    frames: tuple[Frame, ...] = ()
    variables: tuple[Variable, ...] = ()
    registers: dict[str, int] = {}
    threads: int = 0
    code: int | None = None
    address: int | None = None
    core: str = ""
    way: tuple[int, ...] = ()
    execs: int = 0
    anchors: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    totals: dict[str, int] = {}
    events: tuple[Hit, ...] = ()
    looked: tuple[Lookup, ...] = ()  # what the failing statement looked up, and found not

    @property
    def forced(self) -> bool:
        """A thread was held so that others came first."""
        return any(hit.watch == "order" for hit in self.events)

    @property
    def crashed(self) -> bool:
        """A signal ended it, and not our own clock."""
        return bool(self.signal) and self.signal not in ("SIGSTOP", "stopped")

    @property
    def hung(self) -> bool:
        """Our clock stopped it."""
        return self.signal == "SIGSTOP"
