"""The signal behind a stack whose innermost frames are those of a crash handler."""

import re

from workbench.targets.plain import one_line

# A handler's own frame, and what gdb prints between it and the code that it interrupted.
_HANDLER = re.compile(
    r"^#\d{1,5} {1,3}[^\"\n]{0,400}?\((?:[^()\"\n]{0,200}, )?"
    r"(?:sig|signo|signum|signal|signal_number)=(?P<number>\d{1,2})[,)]"
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
_TOP = 3
_ANY_FRAME = re.compile(r"^#\d{1,5} {1,3}(?:(?P<pc>0x[0-9a-fA-F]{1,16}) in )?\S")
SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}


class Handled:
    """The signal that a crash handler of the program's was called for, where gdb came later: the
    innermost frames are the handler's, and the crash is the frame below ``<signal handler
    called>`` (gdb/stack.c, print_frame_info)."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[str, int]] = {}
        self._handler: tuple[str, str, int] | None = None
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
        """Replace what the frame of the waiting handler said."""
        if self.found:
            said.pop("frame", None)
            said.update(self.found)
