"""One cause, as a log's tools report it, and which others could look like it."""

from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.patterns.base import Pattern
from analyzers.patterns.case import Case
from analyzers.patterns.given import look
from analyzers.patterns.reported.advice import advice_for
from analyzers.patterns.reported.case import Reports, cite_line, quote
from analyzers.patterns.reported.frames import is_kernel
from analyzers.patterns.reported.statements import (
    caused,
    details,
    near_null,
    others,
    reported,
    statement,
)
from analyzers.patterns.words import Cites, rejected, settled, still_open
from workbench.model.category import Category as C
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Finding, Frame, Quoted
from workbench.model.hypothesis import Proposal, Rung, Status, Verdict

RIVALS: dict[C, tuple[C, ...]] = {
    C.USE_AFTER_FREE: (C.HEAP_BUFFER_OVERFLOW, C.DATA_RACE),
    C.DOUBLE_FREE: (C.USE_AFTER_FREE, C.HEAP_CORRUPTION),
    C.INVALID_FREE: (C.DOUBLE_FREE, C.HEAP_CORRUPTION),
    C.MISMATCHED_DEALLOCATION: (C.INVALID_FREE,),
    C.HEAP_BUFFER_OVERFLOW: (C.USE_AFTER_FREE,),
    C.HEAP_CORRUPTION: (C.DOUBLE_FREE,),
    C.STACK_BUFFER_OVERFLOW: (C.STACK_OVERFLOW,),
    C.BUFFER_OVERFLOW: (C.HEAP_BUFFER_OVERFLOW,),
    C.OUT_OF_BOUNDS_WRITE: (C.USE_AFTER_FREE,),
    C.OUT_OF_BOUNDS_READ: (C.USE_AFTER_FREE,),
    C.NULL_POINTER_DEREFERENCE: (C.WILD_POINTER,),
    C.NULL_FUNCTION_POINTER_CALL: (C.NULL_POINTER_DEREFERENCE,),
    C.UNINITIALIZED_VALUE: (C.OUT_OF_BOUNDS_READ,),
    C.TYPE_CONFUSION: (C.USE_AFTER_FREE,),
    C.WILD_POINTER: (C.NULL_POINTER_DEREFERENCE, C.USE_AFTER_FREE),
    C.STACK_OVERFLOW: (C.NULL_POINTER_DEREFERENCE,),
    C.BUS_ERROR: (C.NULL_POINTER_DEREFERENCE,),
    C.DIVIDE_BY_ZERO: (C.INTEGER_OVERFLOW,),
    C.INTEGER_OVERFLOW: (C.DIVIDE_BY_ZERO,),
    C.ASSERTION_FAILURE: (C.EXPLICIT_ABORT,),
    C.PANIC: (C.EXPLICIT_ABORT,),
    C.UNCAUGHT_EXCEPTION: (C.EXPLICIT_ABORT,),
    C.OUT_OF_MEMORY: (C.MEMORY_LEAK,),
    C.DATA_RACE: (C.USE_AFTER_FREE,),
    C.DEADLOCK: (C.DATA_RACE,),
}


_RUNGS = {0: Rung.STRUCTURE, 1: Rung.STRUCTURE, 2: Rung.MACHINE, 3: Rung.TEXT}
_STACKS = range(0x7FF000000000, (1 << 47) - 4096)
"""Where stacks lie on x86-64; the last page below 1 << 47 is never mapped (TASK_SIZE_MAX)."""
_PAGE = 4096
"""What walks over the end of a mapping fails at the first byte of a page, the smallest there is."""
_HALF = 1 << 48
"""Where the user's half ends on arm64, which is larger than x86-64's and ignores the upper byte
(Documentation/arch/arm64/memory.rst, tagged-pointers.rst); as far from the top the kernel's begins.
A process has nothing mapped above its half."""
_BY_STACK = (C.WILD_POINTER, C.STACK_OVERFLOW)
_CONFIDENCE = {0: 0.95, 1: 0.92, 2: 0.8, 3: 0.7}
_RESEMBLES = 0.45
_QUOTED = 0.2
_DOUBTS = {
    "": ("{tool} tells what it saw; the cause of that it does not name.",
         "the values that led there"),
    "alone": ("Of a report by {tool} one line is there, which may be text about one.",
              "the rest of the report"),
    "awaited": ("That {tool} tells of the process that was waited for the log does not say.",
                "which process was waited for"),
    "divides": ("The processor refused a division: the divisor is zero, or the quotient does not "
                "fit (the smallest integer by -1).", "the divisor's value"),
    "refused": ("The allocator ended the process when it was to free a block: the pointer was free "
                "already, or none of its own, or the heap is broken.",
                "what the allocator said when it ended the process"),
    "inside": ("The allocator itself failed: what it keeps beside the blocks is damaged, or the "
               "pointer that it was given is none of its own.",
               "the header of that block, and who wrote there"),
    "outlived": ("The process went on after what {tool} says.",
                 "the log up to where the process ended, if it did"),
}  # fmt: skip
_NEAR = 0.65
"""An address close to null that is not null may be a number that was taken for a pointer."""
_MAY_HAVE_LEAKED = (C.OUT_OF_MEMORY, C.MEMORY_LEAK)
_NOT_THE_MEMORY = (C.INTEGER_OVERFLOW, C.OUT_OF_MEMORY)
"""A size that no memory has is none that ran out, whatever functions ended the process."""
_WEAK = frozenset(
    {C.WILD_POINTER, C.EXPLICIT_ABORT, C.BUS_ERROR, C.INFINITE_LOOP, C.EXTERNAL_SIGNAL}
)


class Reported(Pattern):
    """Proposes when a finding names this category, and as the rival of one that does."""

    def __init__(self, category: C) -> None:
        self.category = category

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the log reports this cause, or one that looks like it."""
        if facts.first(Finding) is None:
            return self._quoted(facts)
        reports = facts.once(Reports)
        primary, main = reports.primary, reports.category
        if primary is None or main is None:
            return None
        mine = primary if main is self.category else reports.of(self.category)
        if mine is None and self.category not in RIVALS.get(main, ()):
            return None
        sure = _CONFIDENCE[primary.rank] if primary.sure else _RESEMBLES
        confidence = sure if mine is primary else 0.3 if mine else 0.12
        shown = mine or primary
        return Proposal(
            category=self.category,
            statement=statement(self.category, mine),
            confidence=confidence,
            tests=(),
            citations=cite_line(shown, shown.line),
        )

    def _quoted(self, facts: FactBook) -> Proposal | None:
        cites, said = self._quotations(facts), statement(self.category)
        proposal = Proposal(
            category=self.category, statement=said, confidence=_QUOTED, tests=(), citations=cites
        )
        return proposal if cites else None

    def _quotations(self, facts: FactBook) -> Cites:
        """The lines that name this cause in reports that a message quotes."""
        return tuple(f.cite for f in facts.all(Quoted) if f.category == self.category.value)

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """What the line at fault calls the values that failed."""
        return look(facts.once(Case))

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the finding that explains the log; another one stays open."""
        reports = facts.once(Reports)
        primary, main = reports.primary, reports.category
        if primary is None and (cites := self._quotations(facts)):
            why = "A message quotes the report; that this process printed it the log does not say."
            return _open(reports, why, "what the process itself printed", cites, confidence=_QUOTED)
        if primary is None or main is None:
            missing = "a report of a sanitizer, a runtime or a debugger"
            return _open(reports, "The log reports nothing of this kind.", missing)
        frame, cites = reports.fault_frame(primary)
        line, said = cite_line(primary, primary.line), quote(primary.message)
        if not primary.sure:
            doubt, missing = _DOUBTS["outlived" if primary.ends is False else primary.doubt]
            doubt, sure = (
                doubt.format(tool=primary.tool),
                _RESEMBLES if main is self.category else 0.12,
            )
            told = reported(reports, primary)
            return _open(reports, doubt, missing, (*line, *cites), told, frame, sure)
        lacks = unplaced(primary)
        null = self.category is C.NULL_POINTER_DEREFERENCE and primary.address is None
        if null and (refused := _refused(primary)):
            why = "The processor refused the address itself; null would have been a page fault."
            return rejected(why, cite_line(primary, refused))
        if lacks is not None and (primary.address is None or self.category in _BY_STACK):
            told = reported(reports, primary)
            return _open(reports, *lacks, cites, told, frame, rung=Rung.MACHINE)
        if main is self.category and reports.contradiction is not None:
            other = quote(reports.contradiction.message)
            why = f"The log holds another report of the same process: {other}."
            missing = "the log of one run, without text that quotes another report"
            return _open(reports, why, missing, line, caused(reports, primary, main))
        if main is self.category:
            return _confirmed(reports, primary, main)
        mine = reports.of(self.category)
        if mine is None and main is C.HEAP_CORRUPTION and primary.signal == "SIGABRT":
            why = "The allocator ended the process; a broken heap may come from this."
            return _open(reports, why, "what the allocator said when it ended the process", line)
        if mine is None and (main, self.category) == _MAY_HAVE_LEAKED:
            why = "Memory that ran out may have leaked: the report does not say who kept it."
            return _open(reports, why, "the process's memory over time, or its core", line)
        if mine is None:
            why = f"{primary.tool} says what happened: {said}."
            return rejected(why, line, rung=_RUNGS[primary.rank])
        why = f"The log reports this too, but the process ended with {said}."
        if None not in (mine.process, primary.process) and mine.process != primary.process:
            why = "The log reports this too, of another process."
        elif mine.ends or not primary.ends:
            why = f"The log reports this too, but {said} explains more and may have caused it."
        told, line = caused(reports, mine, self.category), cite_line(mine, mine.line)
        return _open(reports, why, "a run without the other error", line, told)


EACH = tuple(Reported(category) for category in C if category is not C.UNKNOWN)


def _refused(finding: Finding) -> int:
    """The line that says that an access broke x86's own rules (Intel SDM volume 3, 6.15, #GP),
    as one through no canonical address does; 0 without one. Page 0 can be addressed."""
    if "EXC_I386_GPFLT" in finding.message:
        return finding.line
    return next((note.line for note in finding.notes if "EXC_I386_GPFLT" in note.text), 0)


def unplaced(finding: Finding) -> tuple[str, str] | None:
    """Why a failed access is no wild pointer yet, and what would tell; None for one that is.

    Without an address it may have been null, freed, past an end or wild. An address where stacks
    lie (x86-64: right below 1 << 47, arch/x86/include/asm/page_64_types.h) may be that of a stack
    that ran out, one where a page begins that of what ran over the end of a mapping.
    """
    if finding.category != C.WILD_POINTER.value or finding.rank <= 1:
        return None
    if finding.address is None:
        return (
            "A memory access failed; at which address the log does not say.",
            "the address that was accessed (si_addr), and the instruction that did",
        )
    kernel = is_kernel(finding.tool) and finding.signal is None
    placed = finding.address % (1 << 56) < _HALF
    placed |= kernel and finding.address >= (1 << 64) - _HALF
    if placed and finding.address % _PAGE == 0:
        return (
            "A memory access failed where a page begins: the pointer was wild, or led over an end.",
            "what was mapped below the address, and the instruction that accessed it",
        )
    if finding.address in _STACKS and finding.stack is None:
        return (
            "A memory access failed where stacks lie: the pointer was wild, or a stack ran out.",
            "the stack pointer, and how deep the stack is",
        )
    return None


def _open(
    reports: Reports,
    why: str,
    missing: str,
    cites: Cites = (),
    told: Iterable[Claim] = (),
    frame: Frame | None = None,
    confidence: float = 0.3,
    rung: Rung = Rung.STACK,
) -> Verdict:
    open = still_open(why, (missing,), confidence, rung)
    return settled(
        reports.case, replace(open, supporting=tuple(cites), claims=tuple(told), frame=frame)
    )


def _confirmed(reports: Reports, finding: Finding, category: C) -> Verdict:
    frame, cites = reports.fault_frame(finding)
    weak, near = category in _WEAK, near_null(category, finding)
    reason = f"{finding.tool} reports it."
    if near:
        reason = "The address is close to null; whether its pointer was null the log does not say."
    verdict = settled(
        reports.case,
        Verdict(
            status=Status.CONFIRMED,
            rung=_RUNGS[finding.rank],
            confidence=min(_CONFIDENCE[finding.rank], 0.6 if weak else 1, _NEAR if near else 1),
            claims=(
                *caused(reports, finding, category),
                *details(reports, finding),
                *others(reports, finding),
            ),
            reason=reason,
            frame=frame,
            supporting=tuple(cites),
            recommendations=advice_for(category, finding),
            missing=("the core, to see more than the log recorded",) if weak else (),
        ),
    )
    lost = frame is None and (reports.frames_of(finding) or reports.listed is not None)
    return replace(verdict, frame=None) if lost else verdict


def overruled(facts: FactBook, category: C) -> Verdict | None:
    """Why a cause that was read out of the end of a process loses to the reason that a tool or the
    program itself gave for it; None where no such reason stands in the log."""
    if facts.first(Finding) is None:
        return None
    reports = facts.once(Reports)
    primary, main = reports.primary, reports.category
    if primary is None or main is None or main is category or primary.rank > 1:
        return None
    if (main, category) == _MAY_HAVE_LEAKED:
        return None
    if not primary.sure and (main, category) != _NOT_THE_MEMORY:
        return None
    mine = reports.of(category)
    if primary.sure and mine is not None and not reports.outlived(mine):
        return None
    said = quote(primary.message)
    return rejected(
        f"{primary.tool} says what happened: {said}.",
        cite_line(primary, primary.line),
        rung=Rung.STRUCTURE,
    )
