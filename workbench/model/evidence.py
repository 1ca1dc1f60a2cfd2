"""Evidence: one numbered, stored output and what asked for it."""

from enum import StrEnum

from msgspec import Struct

from workbench.model.chunks import OverallFindings

RECORDED = "recorded at line "
"""How the intent begins of an output that a file says a command printed."""


PINNED, HIDDEN = "pinned", "hidden"
"""A person's marks on an item."""


class Source(StrEnum):
    """Who asked: the engine through the debugger, the person, or our own reader of the dump."""

    DEBUGGER = "debugger"
    USER = "user"
    FILE = "file"


class Command(Struct, frozen=True):
    """A question to ask of the dump.

    ``text`` is a debugger command, or, when it begins with ``@``, a probe: a question that our
    own reader answers from the dump's bytes (``@notes``, ``@heap 0x4052a0``). ``intent`` says in a
    few words why it is asked. A planned question is spelt for gdb in ``text`` (empty: gdb has no
    such command) and in ``others`` for other debuggers, as pairs of a debugger's name and its
    spelling; only what `spelt` returns is ever run or stored. ``by_model`` marks one that a model
    wrote: it is held to stricter rules, and nothing is read into facts from its answer.
    """

    text: str
    intent: str
    others: tuple[tuple[str, str], ...] = ()
    by_model: bool = False

    def spelt(self, host: str) -> "Command | None":
        """The plain command for one debugger; None where it has no such question."""
        if self.is_probe:
            return self
        text = self.text if host == "gdb" else dict(self.others).get(host, "")
        return Command(text, self.intent, by_model=self.by_model) if text else None

    @property
    def is_probe(self) -> bool:
        """True when our own reader answers, not the debugger."""
        return self.text.startswith("@")


def question(gdb: str, intent: str, *, lldb: str = "", cdb: str = "") -> Command:
    """One question in three spellings; nothing is asked of a debugger that has none."""
    others = (("lldb", lldb), ("cdb", cdb))
    return Command(gdb, intent, tuple(other for other in others if other[1]))


TOLD = ("strace", "ruby", "wine", "xnu", "wer", "msvc", "tests", "mysqld", "redis", "postgres",
        "envoy", "clickhouse", "ceph", "unreal", "mono", "zig", "ice", "cuda", "drmemory", "scudo",
        "fortran", "julia", "r", "php", "perl", "erlang", "ocaml", "qt", "glib", "backward", "bsd",
        "anr", "dart", "ghc", "wasm", "x64dbg", "gin", "user-fault", "embedded", "pascal",
        "dlang", "nim", "ada", "kdump", "sbcl", "oracle", "haiku", "paddle", "abrt",
        "kotlin")  # fmt: skip
"""Hosts of a log's sections that a row of a table reads (analyzers/log/told_table.py)."""


class Section(Struct, frozen=True, kw_only=True):
    """One recorded command of a transcript with what it printed. ``host`` is what printed it,
    ``first_line`` where the output begins in the file (from 1), ``file`` its name where the target
    is a folder of several. ``numbers`` are the lines of the file that each line of the text stands
    in, where they are not counted on from the first: a collector wrote several into one."""

    command: str
    host: str
    text: str
    first_line: int
    file: str = ""
    numbers: tuple[int, ...] = ()

    def line_at(self, offset: int) -> int:
        """The file's line in which a line of the text (from 0) stands."""
        return self.numbers[offset] if offset < len(self.numbers) else self.first_line + offset


class Evidence(Struct, frozen=True, kw_only=True):
    """The ledger's row for one stored output. The text itself stays in the store.

    ``size`` is in bytes and ``lines`` in lines of the stored text (escape sequences removed, line
    ends LF, UTF-8); ``sha256`` and every citation are of that text. ``seconds`` is how long the
    answer took. ``partial`` marks output cut by a time-out, an interrupt or a dead debugger.
    ``host`` is who printed it: a debugger, a tool, ``text`` for what no tool printed.
    """

    id: str
    command: str
    source: Source
    intent: str
    at: str
    sha256: str
    size: int
    lines: int
    call_hash: str
    storage: str = "inline"
    partial: bool = False
    seconds: float = 0.0
    summary: str = ""
    findings: tuple[str, ...] = ()
    overall_findings: OverallFindings | None = None
    host: str = ""
    by_model: bool = False  # a model wrote the command
