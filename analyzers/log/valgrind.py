"""valgrind's Memcheck, Helgrind and DRD."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.blocks import Table, first_of
from analyzers.log import kinds as log_kinds
from analyzers.log.frames import frame_by
from analyzers.log.kinds import Kind
from analyzers.log.stacks import read_roles
from analyzers.log.text import analysis_of, blocks_of, lines_of, notes_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import Finding, Frame, Note

_OWN = re.compile(
    r"^[=*-]{2}(?:\d\d(?::\d\d){3}\.\d{3} )?"  # --time-stamp=yes
    r"(?P<pid>\d{1,9})(?::\d{1,4})?[=*-]{2} ?(?:\d\d:\d\d:\d\d\S* ?)?"
)
_FRAME = re.compile(
    r"^ {0,6}(?P<word>at|by) 0x(?P<address>[0-9A-Fa-f]{1,16}): (?P<function>.{1,4000}?)"
    r"(?: \((?:in (?P<module>.{1,400})|(?P<file>[^():]{1,400}):(?P<line>\d{1,9}))\))?$"
)
# coregrind/m_errormgr.c and memcheck/mc_errors.c: how an error's first line begins.
_KINDS: Table[tuple[Category | None, int, bool]] = (
    (r"^Invalid free\(\)", (Category.INVALID_FREE, 0, True)),
    (r"^Mismatched (?:free|new|size|alloc)", (Category.MISMATCHED_DEALLOCATION, 0, True)),
    (r"^Invalid (?:read|write) of size", (None, 0, True)),
    (r"^Jump to the invalid address", (Category.WILD_POINTER, 0, True)),
    (r"^(?:Source and destination overlap|Overlap)", (Category.BUFFER_OVERFLOW, 1, False)),
    (r"^(?:Conditional jump or move depends|Use of uninitialised|Syscall param .*uninitialised|"
     r"Uninitialised byte)", (Category.UNINITIALIZED_VALUE, 1, True)),
    (r"^Syscall param .*unaddressable", (None, 1, True)),
    (r"^Possible data race|^Conflicting (?:load|store)", (Category.DATA_RACE, 0, True)),
    (r"^Thread #\d+: lock order|^Thread #\d+: Attempt to re-lock|^lock order .* violated",
     (Category.DEADLOCK, 0, True)),
    (r"^Thread #\d+: Exiting thread still holds|^Thread #\d+ unlocked", (None, 1, True)),
    (r"^Argument '.*' of function .* has a fishy", (Category.INTEGER_OVERFLOW, 1, False)),
    (r"^(?:realloc|memalign|aligned_alloc|posix_memalign)\(\) with|^Invalid alignment|"
     r"^Illegal (?:memory pool|size)", (None, 1, True)),
    (r"^Process terminating with default action of signal", (None, 2, True)),
    (r"^Stack overflow in|^Can't extend stack", (Category.STACK_OVERFLOW, 0, True)),
    (r"^[\d,]+ (?:\([\d,]+ direct, [\d,]+ indirect\) )?bytes? in [\d,]+ blocks? (?:are|is) "
     r"(?:definitely|indirectly|possibly) lost", (Category.MEMORY_LEAK, 3, True)),
)  # fmt: skip
_ENDED = ("Stack overflow in", "Can't extend stack")
_ADDRESS = re.compile(r"\b[Aa]ddress(?:es)? 0x([0-9A-Fa-f]{1,16})\b")
_RACE = re.compile(r"during (read|write) of size (\d{1,9}) at 0x([0-9A-Fa-f]{1,16})\b")
_DRD = re.compile(
    r"Conflicting (load|store) by thread \d+ at 0x([0-9A-Fa-f]{1,16}) size (\d{1,9})\b"
)
_SIZE = re.compile(r"\bof size (\d{1,9})\b")
# The block began where the pointer points; anywhere else in it no allocation returned it.
_FREED = re.compile(r"\b0 bytes inside a block of size [\d,]+ free'd")
_SIGNAL = re.compile(r"\((SIG[A-Z]+)\)")
_NOTE = re.compile(
    r"^ {0,4}(?:Address 0x|Block was|Access not within|Bad permissions|General Protection|"
    r"Uninitialised value was|Illegal opcode|Integer divide|Invalid memory|Non-existent|"
    r"Required order|This conflicts|Location 0x|Data symbol|Locks held|If you believe)"
)


def read(document: Document) -> Analysis:
    """The errors in their order; each has the lines up to the next one."""
    lines, pid = _own_lines(document)
    blocks = blocks_of(lines, _kind)
    return analysis_of(document, [_finding(document, block, pid) for block in blocks])


def _own_lines(document: Document) -> tuple[list[tuple[int, str]], int | None]:
    """The lines that valgrind wrote, without its prefix; the program writes between them."""
    found: list[tuple[int, str]] = []
    pid: int | None = None
    for number, line in lines_of(document):
        own = _OWN.match(line)
        if own is not None:
            pid = pid if pid is not None else small(own["pid"])
            found.append((number, line[own.end() :]))
    return found, pid


def _kind(text: str) -> tuple[Category | None, int, bool] | None:
    if not text or text.startswith("  "):
        return None
    return first_of(_KINDS, text)


class _Counter:
    """Numbers the frames of each stack."""

    def __init__(self) -> None:
        self.index = 0

    def __call__(self, line: str, number: int) -> Frame | None:
        """The frame of a line, or None."""
        match = _FRAME.match(line)
        if match is None:
            return None
        self.index = 0 if match["word"] == "at" else self.index + 1
        return frame_by(match, self.index, number)


def _finding(document: Document, block: list[tuple[int, str]], pid: int | None) -> Finding:
    number, text = block[0]
    category, rank, sure = _kind(text) or (None, 1, True)
    roles = read_roles(((n, t) for n, t in block), _Counter())
    if roles and roles[0].line == number:
        # The stack right below an error's first line is where it happened, whatever its words; one
        # below a note is not, where the first was cut out.
        roles = (replace(roles[0], role="access"), *roles[1:])
    notes = notes_of(block, _NOTE, 8)
    address, address_line = _address(block)
    access = size = None
    race, drd = _RACE.search(text), _DRD.search(text)
    if race is not None:
        access, size, address = race[1], small(race[2]), hexadecimal(race[3])
    elif drd is not None:
        access = "read" if drd[1] == "load" else "write"
        address, size = hexadecimal(drd[2]), small(drd[3])
    elif text.startswith("Invalid read"):
        access = "read"
    elif text.startswith("Invalid write"):
        access = "write"
    if size is None and (found := _SIZE.search(text)):
        size = small(found[1])
    signal = _SIGNAL.search(text)
    jumped = text.startswith("Jump")  # its target stands on the next line
    if jumped and address is not None and address < log_kinds.NEAR_NULL:
        category = Category.NULL_FUNCTION_POINTER_CALL
    if category is Category.INVALID_FREE and any(_FREED.search(note.text) for note in notes):
        category = Category.DOUBLE_FREE
    kind = Kind(category, sure) if category is not None else None
    if signal is not None:
        reached = log_kinds.of_access(signal[1], address, access, None)
        kind = Kind(reached) if reached is not None else None
    elif "unaddressable" in text or (access is not None and category is None):
        kind = _by_address(notes, address, size)
    return Finding(
        cite=document.cite(number, block[-1][0]),
        tool="valgrind",
        kind=text.split(" of size")[0].split(" in ")[0][:100].strip(),
        message=sentence(text),
        line=number,
        category=kind.category if kind is not None else None,
        rank=rank,
        access=access,
        sure=kind is None or kind.sure,
        ends=True if signal is not None or text.startswith(_ENDED) else None,
        access_line=number if address_line == 0 or race or drd else 0,
        address=address,
        size=size,
        signal=signal[1] if signal else None,
        process=pid,
        stacks=roles,
        notes=notes,
    )


def _address(block: list[tuple[int, str]]) -> tuple[int | None, int]:
    told = ((found, number) for number, text in block if (found := _ADDRESS.search(text)))
    return next(((hexadecimal(found[1]), number) for found, number in told), (None, 0))


# What memcheck knows of a block at or near an address (coregrind/m_addrinfo.c, pp_addrinfo_WRK),
# and what an access there was; the first that fits. ``{...}`` sizes are printed with commas.
_BLOCKS: Table[Kind] = (
    (r"inside a block of size [\d,]+ free'd", Kind(Category.USE_AFTER_FREE)),
    (r"(?:after|before) a block of size [\d,]+ alloc'd", Kind(Category.HEAP_BUFFER_OVERFLOW)),
    (r"(?:after|before) a block of size [\d,]+ free'd", Kind(Category.USE_AFTER_FREE, False)),
    (r"recently re-allocated block|(?:un|client-defined)allocated block|in arena",
     Kind(Category.USE_AFTER_FREE, False)),
    (r"on thread \d+'s stack", Kind(Category.STACK_BUFFER_OVERFLOW, False)),
    (r"bytes (?:after|before) data symbol", Kind(Category.BUFFER_OVERFLOW)),
    (r"data symbol|a block of size [\d,]+ alloc'd", Kind(Category.BUFFER_OVERFLOW, False)),
)  # fmt: skip


# Bytes of a live block in front of the address, and all of them.
_INSIDE = re.compile(r"\b([\d,]{1,20}) bytes inside a block of size ([\d,]{1,20}) alloc'd")


def _by_address(notes: tuple[Note, ...], address: int | None, size: int | None) -> Kind | None:
    """What an invalid access was, by what valgrind knows of the block at its address; None where
    the log has not that line."""
    said = " ".join(note.text for note in notes)
    inside = _INSIDE.search(said)
    if inside is not None and size is not None:
        offset, whole = (int(digits.replace(",", "")) for digits in inside.groups())
        if offset + size > whole:
            return Kind(Category.HEAP_BUFFER_OVERFLOW)
    found = first_of(_BLOCKS, said)
    if found is not None:
        return found
    if address is not None and address < log_kinds.NEAR_NULL:
        return Kind(Category.NULL_POINTER_DEREFERENCE)
    return Kind(Category.WILD_POINTER) if address is not None else None
