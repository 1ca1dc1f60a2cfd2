"""One program built one way, and what an investigation of it must find."""

from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGSEGV, Signals

from tests.crashes import build, crash, crash_emulated, hang

HERE = Path(__file__).parent
DEBUG = ("-g", "-O0")
SPEED = ("-g", "-O2")
STATIC = ("-g", "-O1", "-static")
STRIPPED = ("-O1", "-s")
STATIC_STRIPPED = ("-O1", "-static", "-s")
THREADS = ("-pthread",)
# A panic ends the process, as in a service that wants a core of it.
RUST = ("-g", "-Cpanic=abort")
RUST_SPEED = ("-g", "-Cpanic=abort", "-Copt-level=2")
_STRIPPING = ("-s", "-Cstrip=symbols")

# What the end of each cause is by CASR's classes, where the cause settles it.
_SEVERITIES = {
    "null-pointer-dereference": "SourceAvNearNull",
    "null-function-pointer-call": "SegFaultOnPcNearNull",
    "double-free": "HeapError",
    "invalid-free": "HeapError",
    "mismatched-deallocation": "HeapError",
    "heap-corruption": "HeapError",
    "stack-overflow": "StackOverflow",
    "divide-by-zero": "FPE",
    "integer-overflow": "FPE",
    "assertion-failure": "AbortSignal",
    "explicit-abort": "AbortSignal",
    "uncaught-exception": "AbortSignal",
    "std-terminate": "AbortSignal",
    "panic": "AbortSignal",
    "pure-virtual-call": "AbortSignal",
    "illegal-instruction": "BadInstruction",
    "trap": "TrapSignal",
    "external-signal": "Undefined",
    "write-to-read-only-memory": "DestAv",
    "use-after-free": "SourceAv",
    "wild-pointer": "SourceAv",
    "truncated-mapping": "SourceAv",
}


@dataclass(frozen=True)
class Case:
    """``category`` is the cause, ``also`` what is as true; ``wider`` is true but says less. With
    ``open`` one core cannot tell the cause: a wider category or none is then the right answer.

    ``functions`` may be named as the frame; in a stripped program its module and offset must lead
    to one of them. ``severity`` is CASR's class (None: nothing ended the process), ``signature``
    the expected text with a stripped frame's function in the place of ``module@offset``.
    ``lacks``: parts (frame, severity, signature) that are known not to be found; they count as
    missing, and do not fail the tests. ``kind``: crash, hang, or sent (a signal from outside).
    ``machine``: "" is this one.
    """

    source: str
    category: str
    functions: frozenset[str]
    flags: tuple[str, ...] = DEBUG
    kind: str = "crash"
    signal: Signals = SIGSEGV
    also: frozenset[str] = field(default=frozenset())
    wider: frozenset[str] = field(default=frozenset())
    open: bool = False
    severity: str | None = None
    signature: frozenset[str] = field(default=frozenset())
    lacks: frozenset[str] = field(default=frozenset())
    machine: str = ""
    until: str | None = None

    @property
    def id(self) -> str:
        """Unique among all cases, and a word for pytest's ``-k``."""
        flags = "".join(self.flags).replace("-pthread", "")
        machine = f"-{self.machine}" if self.machine else ""
        return f"{self.source}-{flags}-{self.signal.name}{machine}"

    @property
    def build(self) -> str:
        """How it is made, in a word."""
        if self.source.endswith(".rs"):
            return "rust"
        if self.machine:
            return self.machine
        static = "static " if "-static" in self.flags else ""
        return static + ("stripped" if self.stripped else "" if static else self.flags[1])

    @property
    def stripped(self) -> bool:
        """True when the program keeps no symbols."""
        return any(flag in _STRIPPING for flag in self.flags)

    def make(self) -> tuple[Path, Path]:
        """(executable, core), made once a run."""
        executable = self._built(*self.flags)
        if self.kind == "hang":
            return executable, hang(executable, until=self.until)
        if self.kind == "sent":
            return executable, crash(executable, send=self.signal)
        if self.machine == "aarch64":
            return executable, crash_emulated(executable, self.machine)
        return executable, crash(executable)

    def with_symbols(self) -> Path:
        """The same program with its symbols: they lie where the stripped one has its code."""
        return self._built(*(flag for flag in self.flags if flag not in _STRIPPING))

    def _built(self, *flags: str) -> Path:
        return build(HERE / self.source, *flags, machine=self.machine)


def case(source: str, category: str, functions: str, *flags: str, **more: object) -> Case:
    """One row. Words of ``functions``, ``also`` and ``wider`` are separated by blanks, signatures
    that are as good as each other by commas; without one the functions themselves are it. Severity
    is by the cause unless it is said."""
    words = {key: frozenset(str(more.pop(key, "")).split()) for key in ("also", "wider", "lacks")}
    names = frozenset(functions.split())
    said = [text.strip() for text in str(more.pop("signature", "")).split(",") if text.strip()]
    ends = more.get("kind") != "hang"
    severity = more.pop("severity", _SEVERITIES.get(category) if ends else None)
    return Case(source, category, names, flags or DEBUG, severity=severity,  # type: ignore[arg-type]
                signature=frozenset(said) or names, **words, **more)  # type: ignore[arg-type]  # fmt: skip
