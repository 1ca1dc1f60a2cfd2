"""What a tool or a runtime itself says went wrong, as a log keeps it."""

from msgspec import Struct

from workbench.model.facts.base import Fact
from workbench.model.facts.stacks import Frame


class Note(Struct, frozen=True, kw_only=True):
    """One more line of a report that tells something, as it stands there."""

    text: str
    line: int


class Role(Struct, frozen=True, kw_only=True):
    """One of a report's stacks. ``role``: access | free | alloc | other | lock | create | leak |
    sync (what two threads may have waited by) | thread (of which the tool says nothing more);
    ``title`` is the line above it, ``thread`` the tool's own number or id of the thread."""

    role: str
    title: str
    line: int
    last: int
    frames: tuple[Frame, ...] = ()
    thread: int | None = None
    name: str | None = None


class Finding(Fact, frozen=True, kw_only=True, tag="finding"):
    """One report of a sanitizer, valgrind, a kernel, a language runtime or the C library.

    ``tool`` is who says it, ``kind`` the sort of error in the tool's words, ``category`` the
    contract's category for it (None where the words alone do not tell). ``message`` is the
    sentence that stands in ``line``. ``rank`` orders findings of one log: 0 for a defect that is
    named, 1 for an end that the program chose, 2 for an access that failed, 3 for a side effect.
    Not ``sure``: the words tell what was seen and the category is what that resembles most, which
    concludes nothing; ``doubt`` says why the report itself may be none: ``alone``, one line where
    its tool prints many. ``ends``: whether the process ended with it; None where its kind need not
    end one (a checker's report, a thread's panic), False where it went on (recovered, logged).
    ``access``: read | write | execute. ``address`` is the data address, ``size`` of the access in
    bytes, ``pc`` the instruction, ``operand`` what the source calls the value that failed,
    ``stack`` where the thread's stack begins and ends.
    """

    tool: str
    kind: str
    message: str
    line: int
    category: str | None = None
    rank: int = 1
    sure: bool = True
    doubt: str = ""
    ends: bool | None = True
    access: str | None = None
    access_line: int = 0
    address: int | None = None
    size: int | None = None
    pc: int | None = None
    signal: str | None = None
    thread: int | None = None
    process: int | None = None
    place: str | None = None  # file:line that the message itself names
    place_line: int = 0  # where the place stands, when not in the message's line
    function: str | None = None  # the function that the message itself names
    stacks: tuple[Role, ...] = ()
    notes: tuple[Note, ...] = ()
    stack: tuple[int, int] | None = None
    operand: str | None = None

    @property
    def named(self) -> Frame | None:
        """The function and the line that the message itself names, as a frame; None without."""
        if self.function is None and self.place is None:
            return None
        file, _, line = (self.place or "").rpartition(":")
        known = line.isdecimal() and bool(file)
        return Frame(
            index=0, function=self.function, file=file if known else self.place,
            line=int(line[:9]) if known else None, line_no=self.place_line or self.line,
        )  # fmt: skip


class Quoted(Fact, frozen=True, kw_only=True, tag="quoted"):
    """A report in another message's text: that the process printed it is not known, so that
    nothing in it is a fact of the process. ``category`` is the defect that it names."""

    category: str
