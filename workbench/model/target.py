"""What is investigated, and with which settings."""

import shlex
from enum import StrEnum
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

# How long a model may go on: the guards of an investigation with a model.
LARGE = 64_000
"""Tokens of a window from which on one conversation holds a usual crash."""
_SOME = 32_000
_MOST_TOLD = 200_000


def path_of(text: str | None) -> Path | None:
    """The path that a setting or a target names, if it names one."""
    return Path(text) if text else None


class Limits(Struct, frozen=True, kw_only=True):
    """Where the tool loop and the passes around it end; the numbers are the contract's, ``tokens``
    and ``seconds`` (of waiting for models, a person's time at a gate left out) ours.

    ``meta_calls`` counts what asks nothing of the dump (scores, remarks, checkpoints), which
    ``tool_calls`` leaves out. ``piece_calls`` are pieces of large outputs. ``excerpt`` (an
    answer of a tool), ``told`` (of the case, in one call) and ``conversation`` (what is kept of it)
    are in characters.
    """

    iterations: int = 30
    tool_calls: int = 100
    calls_an_iteration: int = 40
    idle_iterations: int = 4
    meta_calls: int = 200
    checkpoint_every: int = 4
    tokens: int = 1_000_000
    seconds: float = 1800.0
    reading_calls: int = 6
    piece_calls: int = 12
    critic_rounds: int = 2
    excerpt: int = 2048
    told: int = 8000
    conversation: int = 48_000

    def within(self, window: int | None) -> "Limits":
        """What is shown to a model of so many tokens of context, None where that is not known.
        Of addresses and code a token is two characters or a little more: the case has about half
        of the window, the conversation the other. What a person set otherwise stays."""
        usual = Limits()
        if window is None or window < _SOME:
            return self
        large = {
            "excerpt": 32_768 if window >= LARGE else 16_384,
            "told": min(_MOST_TOLD, window),
            "conversation": window,
        }
        return replace(
            self, **{k: v for k, v in large.items() if getattr(self, k) == getattr(usual, k)}
        )


DEBUGGERS = ("gdb", "lldb", "cdb", "dotnet-dump")
"""Whose commands and outputs are known."""


class TargetKind(StrEnum):
    """What kind of file a target is."""

    ELF_CORE = "elf-core"
    MACHO_CORE = "macho-core"
    MINIDUMP = "minidump"
    TRANSCRIPT = "transcript"
    DOCUMENTS = "documents"  # a folder of texts


class Target(Struct, frozen=True, kw_only=True):
    """A dump that was recognised. ``size`` in bytes; ``executable`` is the program file to use, or
    None when none was found; ``thread_count`` from the dump's notes. ``runtime`` is ``coreclr``
    where .NET's runtime is mapped (``clr``: .NET Framework's), ``runtime_path`` is its library
    on this machine, known by its build id. ``dialect`` is whose commands a transcript holds: gdb |
    lldb | cdb | dotnet-dump | log (none's). ``files`` is None unless a file of this machine lies
    where a mapped one did and is another: then the mapped paths with the files that are right, None
    for that. ``left_out`` is where the process had memory of its own that the dump has not."""

    path: str
    kind: TargetKind
    size: int
    arch: str
    os: str
    executable: str | None = None
    recorded_executable: str | None = None
    pid: int | None = None
    signal: str | None = None
    thread_count: int = 0
    runtime: str | None = None
    runtime_path: str | None = None
    dialect: str | None = None
    files: tuple[tuple[str, str | None], ...] | None = None
    left_out: tuple[tuple[int, int], ...] = ()

    @property
    def recorded(self) -> bool:
        """True for texts, which answer only what they hold."""
        return self.kind in (TargetKind.TRANSCRIPT, TargetKind.DOCUMENTS)


MODELS_SHARE = 0.75
"""Of a run's ``timeout``, what may be waited for models: what the experts found is tested after."""


class Options(Struct, frozen=True, kw_only=True):
    """What the person asked for. ``timeout`` bounds the whole run, ``command_timeout`` a command,
    both in seconds. An output over ``storage_threshold`` bytes lies in a file beside the database;
    where no analyzer reads it, it is read in pieces of ``chunk_size`` characters. The session keeps
    them, so that a resume uses the same recipe."""

    executable: str | None = None
    sysroot: str | None = None
    debugger: str = "auto"
    issue: str | None = None
    timeout: float | None = None
    command_timeout: float = 120.0
    storage_threshold: int = 10_000
    chunk_size: int = 8_000
    source_dirs: tuple[str, ...] = ()
    sos: str | None = None  # the SOS plugin, where it does not lie beside the runtime
    clr_path: str | None = None  # the folder of the .NET runtime that the process ran on
    approve_all: bool = False
    watches: tuple[str, ...] = ()  # expressions that are evaluated in the blamed frame
    security: bool = False
    limits: Limits = Limits()
    sessions_dir: str | None = None  # where the person wants sessions kept, when not the default

    @property
    def kept_in(self) -> str:
        """The option that a command on a session needs where the person keeps them elsewhere, with
        a space before it."""
        return f" --sessions-dir {shlex.quote(self.sessions_dir)}" if self.sessions_dir else ""

    @property
    def model_seconds(self) -> float:
        """Seconds that the run may wait for models."""
        if self.timeout is None:
            return self.limits.seconds
        return min(self.limits.seconds, MODELS_SHARE * self.timeout)
