"""Facts about the dump as a file, its process and its memory."""

from msgspec import Struct

from workbench.model.facts.base import Fact


class CoreHealth(Fact, frozen=True, kw_only=True, tag="core-health"):
    """How far the dump itself can be trusted. ``caps`` are reasons that limit confidence to
    ``ceiling`` (0..1); ``remedies`` say what would lift them."""

    truncated: bool
    executable: str | None
    executable_matches: bool | None
    dumped_bytes: int
    missing_bytes: int
    ceiling: float = 1.0
    caps: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()


class Module(Fact, frozen=True, kw_only=True, tag="module"):
    """A mapped executable or library, [base, end); both are equal where its size is not told.
    ``status``: found | mismatched | missing | unverified; ``symbols``: debug-info | symbols |
    stripped | unknown; ``version`` and ``debug_file`` (a PDB) as Windows' modules record them."""

    name: str
    path: str
    base: int
    end: int
    build_id: str | None = None
    status: str = "unverified"
    symbols: str = "unknown"
    version: str | None = None
    debug_file: str | None = None


class Process(Fact, frozen=True, kw_only=True, tag="process"):
    """The dumped process. ``snapshot`` is True when no signal or exception ended it (gcore,
    createdump). ``system`` is the system with its version, ``processor`` the dump's own word for
    it, ``bits`` how wide its words are, where the dump records them."""

    pid: int | None = None
    command_line: str | None = None
    executable: str | None = None
    arch: str
    os: str
    threads: tuple[int, ...] = ()
    snapshot: bool = False
    system: str | None = None
    processor: str | None = None
    bits: int | None = None


class Signal(Fact, frozen=True, kw_only=True, tag="signal"):
    """The signal that ended the process (sigaction(2), siginfo_t). ``thread`` is its TID.
    ``fault_address`` is si_addr where the code defines it; ``sender_pid`` where si_code <= 0."""

    thread: int
    number: int
    name: str
    code: int | None = None
    code_name: str | None = None
    fault_address: int | None = None
    sender_pid: int | None = None
    sender_uid: int | None = None


class Handled(Fact, frozen=True, kw_only=True, tag="handled"):
    """A signal that a handler of the process had caught before the one that ended it: ``first`` is
    what the context on the stack tells of it, ``context`` where that lies (sigreturn(2))."""

    first: Signal
    context: int


class ExceptionRecord(Fact, frozen=True, kw_only=True, tag="exception-record"):
    """The exception that ended a process on Windows or macOS, or that a debugger or a log names.

    ``platform``: windows | macos | linux | other. ``code`` is the exception's number (NTSTATUS;
    Mach exception type), ``name`` its name. ``address`` is that of the instruction, ``access``
    read | write | execute where the record says it, ``fault_address`` the data address of that
    access. ``parameters`` are the record's further words. ``recorded`` is the record's own address
    field, which is the instruction's on Windows only. ``chance``: first | second, where a debugger
    announced it: at the first, no handler of the program had been asked yet.
    """

    platform: str
    code: int
    name: str | None = None
    thread: int | None = None
    address: int | None = None
    access: str | None = None
    fault_address: int | None = None
    parameters: tuple[int, ...] = ()
    flags: int = 0
    recorded: int | None = None
    chance: str | None = None


class Region(Struct, frozen=True, kw_only=True):
    """One mapping, [start, end). ``kind``: file | stack | heap | anonymous | vdso | none.
    ``thread`` is the TID whose stack pointer lies in it, for stacks. ``line`` is its line."""

    start: int
    end: int
    perms: str
    path: str | None
    offset: int
    kind: str
    thread: int | None
    dumped: bool
    line: int = 0


class Memory(Fact, frozen=True, kw_only=True, tag="memory"):
    """All mappings in address order."""

    regions: tuple[Region, ...]

    def region(self, address: int) -> Region | None:
        """The mapping that holds an address, or None: unmapped."""
        for region in self.regions:
            if region.start <= address < region.end:
                return region
        return None


DumpFact = CoreHealth | Module | Process | Signal | Handled | Memory | ExceptionRecord
