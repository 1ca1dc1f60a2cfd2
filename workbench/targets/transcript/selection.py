"""Whose registers and instruction a log prints: those of the frame that stopped, or another's.

gdb restores a caller's registers when its frame is selected, and its ``$pc`` is then where the call
returns to (gdb manual, "Registers" and "Frames"). What is printed so is no value of the stop.
"""

import re
from collections.abc import Iterable

from workbench.model.evidence import Section

_NUMBERED = re.compile(
    r"^[ \t*]{0,12}(?:frame )?#(?P<number>\d{1,6})(?::|\s)\s{0,4}(?P<pc>0x[0-9a-fA-F]{1,16})?"
)
_THREAD = re.compile(r"^Thread \d{1,9} \(")
_QUIET = re.compile(r"(?:select-frame|up-sil\w*|down-sil\w*)\s+(?P<number>\d{1,6})?")
# gdb takes any unambiguous beginning of a command, and these letters for themselves.
_SELECTS = re.compile(
    r"(?:f|fr|fra|fram|frame|up|dow|down|t|thr|thre|threa|thread|inferior|task)(?:\s|$)"
    r"(?!\s{0,4}(?:apply|app|name|find|list|info|variable|backtrace|return|step|until|plan)\b)"
)
_APPLIES = re.compile(r"(?:frame|thread|f|t|taas|tfaas|faas)\b(?:\s+(?:apply|app|a)\b|\s*$|\s+-)")


class Selection:
    """Follows which frame is selected, by what is typed and by the frame that is printed then."""

    def __init__(self) -> None:
        self._asked = self._every = False
        self._last: int | None = None
        self.run_on()

    def begin(self, section: Section) -> None:
        """Take the command of a section."""
        command = section.command.strip()
        quiet = _QUIET.match(command)
        if quiet is not None:
            self.here = quiet["number"] == "0"
        self._every = _APPLIES.match(command) is not None and "apply" in command
        self._asked = not self._every and _SELECTS.match(command) is not None
        self._last = None

    def run_on(self) -> None:
        """The program stops anew: its innermost frame is selected."""
        self.here = True
        """True while what is printed is that of the frame that stopped, as far as shown."""
        self.stopped: int | None = None
        """Where that frame stands."""

    def take(self, line: str) -> None:
        """Take one line of the output."""
        if _THREAD.match(line):
            self._every = True  # the stacks of all threads
        found = _NUMBERED.match(line)
        if found is None:
            return
        number, pc = int(found["number"]), int(found["pc"], 16) if found["pc"] else None
        alone = number and self._last != number - 1  # a backtrace counts on from its first
        self._last = number
        if self._every:
            return
        if self._asked or alone:
            self._asked = False
            known = pc is None or self.stopped in (None, pc)
            self.here = number == 0 and known
        if number == 0 and self.here and self.stopped is None:
            self.stopped = pc

    def is_of(self, pc: int | None) -> bool:
        """True where what is printed with this program counter, or with none, is the stop's."""
        if pc is None:
            return self.here and not self._every
        return self.here if self.stopped is None else pc == self.stopped


class Listing:
    """The registers of one listing, and the lines of the log that print them. ``here`` is True
    where the frame that stopped was selected, as far as shown."""

    def __init__(self, here: bool = True) -> None:
        self.here = here
        self.values: dict[str, int] = {}
        self.lines: dict[str, int] = {}

    @property
    def pointer(self) -> str | None:
        """The program counter's name in it."""
        return next((name for name in ("rip", "eip", "pc") if name in self.values), None)


def take_register(listings: list[Listing], name: str, value: int, line: int, here: bool) -> None:
    """Add a printed register to the last listing; one that it has already begins another."""
    last = listings[-1] if listings else None
    if last is None or name in last.values or last.here != here:
        last = Listing(here)
        listings.append(last)
    last.values[name], last.lines[name] = value, line


def chosen(listings: Iterable[Listing], selection: Selection) -> Listing:
    """The first listing that is of the frame that stopped: by its program counter, else by what
    was selected."""
    for each in listings:
        pc = each.values[each.pointer] if each.pointer is not None else None
        if pc == selection.stopped if pc and selection.stopped else each.here:
            return each
    return Listing()
