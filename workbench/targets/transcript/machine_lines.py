"""Lines of a log that show the machine where it stopped: an instruction, a register.

gdb's and lldb's own, and those of gdb's front ends, which print a context at each stop: PEDA
(peda.py, dumpregs and dumpcode), pwndbg (commands/context.py), GEF (gef.py, ContextCommand).
Of a stack whose innermost frames are those of a crash handler, the signal behind it.
"""

import re
from typing import NamedTuple

from workbench.targets.plain import one_line

_NAMES = (
    r"[re]?[a-ds]x|[re]?[sd]i|[re]?[sb]p|[re]ip|r\d{1,2}|x\d{1,2}|w\d{1,2}|fp|lr|pc"
    # i386's 16-bit halves, as gdb's own listing never prints them but a typed command may
    r"|[a-ds][ip]|ip"
)
_INSTRUCTION = re.compile(
    r"^(?:=>|->)\s{1,4}(?P<pc>0x[0-9a-fA-F]{1,16})(?P<where>(?: "
    r"?<[^\n]{0,2000}?>)?):\s*(?P<text>\S.{0,300})$"
)
_LATE = re.compile(
    r"^(?:=>|->)\s{1,4}(?P<pc>0x[0-9a-fA-F]{1,16}).{0,3000}?>:\s+(?P<text>\S.{0,300})$"
)
# "=> 0x401136 <main+4>: mov ...", "► 0x401136 <main+4>  mov ...", "→ 0x401136 <main+4>  mov ..."
_ARROW = re.compile(
    r"^\s{0,8}(?:►|→|=>)\s{1,6}(?P<pc>0x[0-9a-fA-F]{1,16})(?: {0,2}<[^\n<>]{1,400}>)?(?::|\s)"
    r"\s{0,20}(?P<text>[a-z]\S{0,15}(?:\s.{0,300})?)$"
)
# A line of "x/i" or "disassemble" at which no arrow points.
_LISTED = re.compile(
    r"^(?: {3})?(?P<pc>0x[0-9a-fA-F]{1,16})(?: <[^\n<>]{1,400}>)?:\s{1,8}"
    r"(?P<text>[a-z][a-z0-9.]{1,15}(?:\s.{0,300})?)$"
)
_REGISTER = re.compile(
    rf"^\s{{0,12}}(?P<name>{_NAMES})(?:\s{{1,20}}|\s*=\s*)0x(?P<value>[0-9a-fA-F]{{1,16}})\b"
)
# "EAX: 0x41 ('A')", "R8 : 0x0", " RAX  0x41", "*RAX  0x41", "$rax   : 0x41"
_SHOWN = re.compile(
    rf"(?i)^[ *]{{0,2}}\$?(?P<name>{_NAMES})(?: {{0,6}}: {{0,2}}| {{1,6}})"
    r"0x(?P<value>[0-9a-f]{1,16})\b"
)
# What a program's stack holds where a "ret" goes, as pwndbg and GEF print it behind the word.
_RETURNS = re.compile(r"^ret[qnl]?\b[^<]{0,40}<(?P<target>0x[0-9a-fA-F]{1,16})>")
_REMARK = re.compile(r"\s+<-{2,}")  # a person's arrow behind it
_WIDE = re.compile(r"\br(?:[a-ds]x|[sd]i|[sb]p|ip|8|9|1[0-5])\b")


class Instruction(NamedTuple):
    """Where it stands and what it is, as printed."""

    pc: str
    text: str


def instruction_of(line: str) -> Instruction | None:
    """The instruction that a line points its arrow at."""
    found = _INSTRUCTION.match(line) or _LATE.match(line) or _ARROW.match(line)
    return Instruction(found["pc"], _REMARK.split(found["text"])[0]) if found is not None else None


def listed(line: str) -> Instruction | None:
    """The instruction of a line of a disassembly that points at none."""
    found = _LISTED.match(line)
    return Instruction(found["pc"], _REMARK.split(found["text"])[0]) if found is not None else None


def register_of(line: str) -> tuple[str, int] | None:
    """The register that a line prints, its name in small letters."""
    found = _REGISTER.match(line) or _SHOWN.match(line)
    return (found["name"].lower(), int(found["value"], 16)) if found is not None else None


def returns_to(instruction: str) -> int | None:
    """Where a ``ret`` goes that a front end printed with its target."""
    found = _RETURNS.match(instruction)
    return int(found["target"], 16) if found is not None else None


def names_wide(text: str) -> bool:
    """True for an instruction with a register of x86-64 in it."""
    return _WIDE.search(text) is not None


# A handler's own frame, and what gdb prints between it and the code that it interrupted.
_HANDLER = re.compile(
    r"^#\d{1,5} {1,3}[^\"\n]{0,400}?\((?:[^()\"\n]{0,200}, )?"
    r"(?:sig|signo|signum|signal|signal_number|postgres_signal_arg)=(?P<number>\d{1,2})[,)]"
)
# One that is called as its signal is, where its argument was optimised away.
_NAMED = re.compile(
    r"^#\d{1,5} {1,3}(?:0x[0-9a-f]{1,16} in )?_?(?P<name>sig(?:ill|bus|fpe|segv))(?:_?handler)? \("
)
_INTERRUPTED = re.compile(r"^#\d{1,5} {1,3}<signal handler called>")
# What abort(3) ends in, at the top of a stack.
_SENDS = re.compile(
    r"^#\d{1,5} {1,3}(?:0x[0-9a-f]{1,16} in )?(?:__GI_)?(?:raise|abort|pthread_kill) \("
)
_ABORTS = re.compile(
    r"^#(?P<index>\d{1,5}) {1,3}(?:0x[0-9a-f]{1,16} in )?(?:__GI_)?abort \(\)(?: (?:at|from) |$)"
)
_TOP, _INNERMOST = 3, 8
_ANY_FRAME = re.compile(r"^#\d{1,5} {1,3}(?:(?P<pc>0x[0-9a-fA-F]{1,16}) in )?\S")
SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}


class Handled:
    """The signal that a crash handler of the program's was called for, where gdb came later: the
    innermost frames are the handler's, and the crash is the frame below ``<signal handler
    called>`` (gdb/stack.c, print_frame_info)."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[str, int]] = {}
        self._handler: tuple[str, str, int] | None = None
        self._aborted: dict[str, tuple[str, int]] = {}
        self._next = False
        self._below = 0

    def take(self, line: str, number: int) -> None:
        """Take one frame's line, or KDE's in place of its handler's frames."""
        if line.startswith("["):
            self._below = _TOP
            return
        if self._below:
            self._below -= 1
            if _SENDS.match(line) and not self.found:
                self.found = {
                    "signal": ("SIGABRT", number),
                    "message": (one_line(line, 300), number),
                }
        aborts = _ABORTS.match(line)
        if aborts is not None and int(aborts["index"]) <= _INNERMOST and not self._aborted:
            self._aborted = {"signal": ("SIGABRT", number),
                             "message": (one_line(line, 300), number)}  # fmt: skip
        if self._next:
            frame = _ANY_FRAME.match(line)
            if frame is not None and frame["pc"]:
                self.found["frame"] = (frame["pc"], number)
            self._next = False
        if self._handler is not None and not self.found and _INTERRUPTED.match(line):
            name, text, at = self._handler
            self.found = {"signal": (name, at), "message": (text, at)}
            self._next = True
        handler = _HANDLER.match(line)
        sent = SIGNALS.get(int(handler["number"])) if handler is not None else None
        named = _NAMED.match(line)
        if handler is None and named is not None:
            sent = named["name"].upper()
        self._handler = (sent, one_line(line.strip(), 300), number) if sent is not None else None

    def tell(self, said: dict[str, tuple[str, int]]) -> None:
        """Replace what the frame of the waiting handler said; abort(3) raises its own signal."""
        if self.found:
            said.pop("frame", None)
        said.update(self.found or self._aborted)
