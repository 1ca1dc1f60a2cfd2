"""The findings of a log, and the one that explains it."""

import itertools
import re
from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from analyzers.log.abort import abort_category, aborting, gives_back, refused
from analyzers.names import bare
from analyzers.owners.functions import is_raising
from analyzers.owners.modules import is_platform_library
from analyzers.owners.printed import is_end, is_own, is_reporter, is_start, is_tool, up_to_harness
from analyzers.patterns.case import FAR, Case
from analyzers.patterns.own_end import RAISES
from analyzers.patterns.reported.ends import (
    ENDS_ONCE,
    FOLLOWS,
    WAITED,
    access_of,
    is_apart,
    may_be_awaited,
    role,
    told_again,
    waited,
)
from analyzers.patterns.reported.frames import is_kernel, kernel_frame, own_frame, recurring
from analyzers.patterns.reported.meant import ACCESSES, meant, recursion
from analyzers.patterns.signs import ALLOCATOR
from analyzers.patterns.words import Cites, line_of
from workbench.model.aliases import public
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Finding, Frame, Stack

_ACCESS = ("access", "leak")
_ENDS_AT_THE_FIRST = frozenset({"AddressSanitizer", "HWAddressSanitizer"})
_NO_END = frozenset({"failed to allocate", "internal check"})
_SAYS_NO_MORE = frozenset({Category.EXPLICIT_ABORT.value, Category.MEMORY_LEAK.value})
_NEAR = _SIDE_EFFECT = 3
_BY_SIGNAL = 2
"""The rank of what a handler of a signal tells, and no tool by name."""
_NULL = Category.NULL_POINTER_DEREFERENCE.value
_DEEP = Category.STACK_OVERFLOW.value
_ABORT = frozenset({"glibc", "libstdc++", "libc++abi", "assert"})
"""Whose reports end the process by abort(3)."""
_UNMAPPED = (Category.MISALIGNED_ACCESS.value, Category.WILD_POINTER.value)
"""A misaligned access beside its page fault, whose address is told: alignment raises none."""

_KILLED = frozenset({"oom-kill", "OOMKilled"})
"""How a process ended that ran no code of its own for it, as its supervisor tells."""
_ABORTS_SHOWN = ("glibc", "the debugger")
_FAULTS = frozenset({"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"})
_BY_ABORT = frozenset({Category.EXPLICIT_ABORT.value, Category.HEAP_CORRUPTION.value})
_CALLS_C = re.compile(r"runtime\.(?:asm)?cgocall$")
"""Go's call of C code, which fails in there."""
_DIVIDES = re.compile(r"__aeabi_[il]div0$|__div0$")
"""What ARM's compilers call for a divisor of zero (RTABI 4.3.2): the C library's raises SIGFPE."""
_ABOVE = 6
_NAMELESS = frozenset({"the log", "the crash handler", "the debugger"})
"""Whose stack may be that of an end which somebody else tells."""
_RAISED = frozenset({("SIGTRAP", Category.TRAP.value), ("SIGFPE", Category.DIVIDE_BY_ZERO.value)})
"""What an instruction raises, or raise(3)."""
_INNER = 4  # raise(3) calls pthread_kill(3), and that two of glibc's own
_ZERO = re.compile(r"register: \w+ = 0x0\b|KASAN: null-ptr-deref in range ")  # of @stop


class Reports:
    """A reading of a log's findings."""

    def __init__(self, facts: FactBook) -> None:
        self.facts = facts
        self.case = facts.once(Case)

    @cached_property
    def all(self) -> list[Finding]:
        """Every finding, in the log's order."""
        found = self.facts.all(Finding)
        order = dict.fromkeys(f.cite.evidence for f in found)
        at = {evidence: number for number, evidence in enumerate(order)}
        return sorted(found, key=lambda f: (at[f.cite.evidence], f.cite.first))

    @cached_property
    def primary(self) -> Finding | None:
        """The finding that explains the others: of those that the process did not outlive a named
        defect before an end that the program chose, that before a failed access, one with its
        address first; the first of a rank, for later ones may follow from it."""
        ranked = sorted(self._known, key=lambda f: (f.rank, _goes_nowhere(f)))
        return next((f for f in ranked if not self.outlived(f)), next(iter(ranked), None))

    @cached_property
    def _known(self) -> list[Finding]:
        return [f for f in map(self._weighed, self.all) if f.category is not None]

    def outlived(self, finding: Finding) -> bool:
        """True for a report after which the process went on, or may have, and died of something
        else, elsewhere; for one of another process than the one whose end stands behind it; and for
        an exception behind a fault of its runtime, or of the process that it names as the one that
        it waited for."""
        at = next((at for at, f in enumerate(self._known) if f.cite == finding.cite), 0)
        later = self._known[at + 1 :]
        ends = [f for f in later if f.ends and f.rank < _SIDE_EFFECT]
        if any(is_apart(finding, f) for f in ends if self._is_awaited(f) is not False):
            return True
        faults = {f.tool for f in self._known[:at] if f.signal in _FAULTS} & ENDS_ONCE
        if finding.category in FOLLOWS and (
            finding.tool in faults or waited(finding, self._known[:at], later)
        ):
            return True
        if finding.tool in _ABORT:
            return any(self._is_anothers(finding, other) for other in later)
        if finding.ends and finding.signal is None and finding.tool not in _ENDS_AT_THE_FIRST:
            ends = [f for f in later if f.tool == finding.tool and f.signal in _FAULTS]
            return any(self._is_anothers(finding, other) for other in ends)
        return finding.ends is False or (
            finding.ends is None
            and any(
                other.category not in _SAYS_NO_MORE
                and (other.signal, other.category) != ("SIGABRT", finding.category)
                and (
                    (other.address and (finding.category, other.category) == _UNMAPPED)
                    or not self._same_place(finding, access_of(other))
                )
                for other in ends
                if not told_again(other, ends)
            )
        )

    def _is_anothers(self, finding: Finding, end: Finding) -> bool:
        """True for an end to which a report that ends by no fault did not lead."""
        if end.signal in _FAULTS or end.tool in _ENDS_AT_THE_FIRST:
            return not self._same_place(finding, self.frames_of(end))
        frames = self.frames_of(end) if (finding.tool, end.tool) == _ABORTS_SHOWN else ()
        ends = [is_end(frame.function or "") for frame in frames]
        caller = next((f for f, is_its in zip(frames, ends, strict=True) if not is_its), None)
        return any(ends) and caller is not None and is_own(caller)

    def fault_frame(self, finding: Finding) -> tuple[Frame | None, Cites]:
        """The program's frame at fault, and its line: the innermost own one of the access, else
        what the message names, else of any stack that the same log shows."""
        placed = _at_place(self, finding)
        if placed is not None:
            return placed
        for stack in (role(finding, *_ACCESS), *(role(finding, r) for r in ("lock", "other"))):
            frame = None
            if stack is not None:
                frames = recurring(stack.frames) if finding.category == _DEEP else stack.frames
                frame = kernel_frame(finding.tool, frames) or own_frame(frames)
            nameless = frame is not None and frame.function is None and finding.place is not None
            if frame is not None and not nameless:
                return frame, cite_frame(finding, frame)
            if stack is not None and stack.role == "access" and not finding.function:
                break
        named = finding.named
        if named is not None:
            return named, cite_line(finding, finding.place_line or finding.line)
        for other in self.behind(finding):
            stack = role(other, *_ACCESS)
            frames = stack.frames if stack is not None else ()
            frame = kernel_frame(other.tool, frames) or own_frame(frames)
            if frame is not None:
                return frame, cite_frame(other, frame)
        listed = self.listed
        ended = finding.tool not in _ABORT or (listed is not None and _aborted(listed))
        outside = is_kernel(finding.tool) or finding.kind in _KILLED
        theirs = listed is not None and self._is_of_another(listed, finding)
        if listed is not None and ended and not (outside or theirs):
            frame = own_frame(listed.frames)
            if frame is not None:
                return frame, line_of(listed, frame.line_no)
        any_stack = role(finding, *_ACCESS)
        frames = any_stack.frames if any_stack is not None else ()
        left = (f for f in up_to_harness(frames) if not is_tool(f) and not _only_passes(f))
        first = next(left, None)
        if first is None or is_end(first.function or ""):
            return None, ()
        if first.function is None and first.module and is_platform_library(first.module):
            return None, ()
        return first, cite_frame(finding, first)

    def _same_place(self, finding: Finding, frames: Sequence[Frame]) -> bool:
        """True where another stack begins in the function, or on the line, of a report; where
        library code was inlined, behind that."""
        mine, name = own_frame(access_of(finding)), _short(finding.place)
        for frame in [*frames[:_NEAR], *[one for one in frames if is_own(one)][:1]]:
            if name is not None and _short(f"{frame.file}:{frame.line}") == name:
                return True
            if mine is not None and frame.function and frame.function == mine.function:
                return True
        return False

    @cached_property
    def contradiction(self) -> Finding | None:
        """Another report of the same process by a tool that ends a process at its first one: one
        of the two was not printed by it, or it was told to go on."""
        first = self.primary
        if first is None or first.process is None or first.tool not in _ENDS_AT_THE_FIRST:
            return None
        return next(
            (
                other
                for other in self.all
                if (other.tool, other.process) == (first.tool, first.process)
                and other.category not in (None, first.category)
                and other.kind not in _NO_END
            ),
            None,
        )

    def _weighed(self, finding: Finding) -> Finding:
        """SIGABRT says that somebody sent it: the stack tells whether the program did, and why. So
        it tells of a failed access what it was: one under thousands of calls of the same few
        functions ran out of stack, one in a function that crashes on purpose is a failed check;
        SIGTRAP or SIGFPE out of raise(3) is no instruction's. An address far from null need not be
        null's: only a register that is null tells."""
        if self._is_awaited(finding) is None:
            finding = replace(finding, sure=False, doubt="awaited")
        unplaced = finding.signal in ("SIGSEGV", "SIGBUS") and finding.rank == _BY_SIGNAL
        if finding.category is None and unplaced and finding.tool != "the debugger":
            finding = replace(finding, category=Category.WILD_POINTER)  # as far as it is told
        if finding.ends is False or self._faulted_later(finding):
            return replace(finding, sure=False, ends=False)
        if finding.category == _NULL and (finding.address or 0) >= FAR:
            zero = any(_ZERO.match(note.text) for note in finding.notes)  # mm/kasan/report.c
            return finding if zero else replace(finding, sure=False)
        if finding.rank >= 2 and finding.category in ACCESSES:
            frames = self.frames_of(finding)
            found = meant(self.facts, finding, frames)
            if found is not None:
                return replace(finding, category=found.value)
            if _goes_nowhere(finding) and recursion(self.facts) is not None:
                return replace(finding, category=Category.STACK_OVERFLOW, sure=False)
            inner = public(bare(frames[0].function or "")) if frames else ""
            if inner in ALLOCATOR:
                heap, sure = Category.HEAP_CORRUPTION.value, _allocates(inner, frames)
                return replace(finding, category=heap, sure=sure, doubt="" if sure else "inside")
            return finding
        if finding.category == Category.EXTERNAL_SIGNAL.value and finding.rank >= 2:
            frames = self.frames_of(finding)[:_INNER]
            raised = any(public(bare(frame.function or "")) in RAISES for frame in frames)
            return replace(finding, category=Category.EXPLICIT_ABORT) if raised else finding
        if (finding.signal, finding.category) in _RAISED:
            frames = self.frames_of(finding)
            sent = any(is_end(frame.function or "") for frame in frames[:2])
            sent = sent and not any(_DIVIDES.match(f.function or "") for f in frames[:_ABOVE])
            return replace(finding, category=Category.EXPLICIT_ABORT) if sent else finding
        if (
            finding.signal in ("SIGABRT", None)  # journald's line of a core has none
            and finding.rank >= 2
            and refused(self.frames_of(finding))
            and finding.category in _BY_ABORT
        ):
            heap = Category.HEAP_CORRUPTION.value
            return replace(finding, category=heap, sure=False, doubt="refused")
        if finding.signal != "SIGABRT" or finding.category != Category.EXPLICIT_ABORT.value:
            return finding
        frames = self.frames_of(finding)
        why = abort_category(frames)
        if why is not None:
            return replace(finding, category=why.value)
        own = aborting(frames)
        if len(own) < len(frames) and own[:1] == frames[:1]:
            return replace(finding, category=None)  # a handler ended it: for which signal?
        ended = any(is_end(frame.function or "") for frame in frames[:12])
        return finding if ended or finding.rank < 2 else replace(finding, category=None)

    @cached_property
    def _waits(self) -> list[tuple[int, Finding, re.Match[str]]]:
        told = ((at, f, WAITED.search(f.message)) for at, f in enumerate(self.all))
        return [(at, f, match) for at, f, match in told if match is not None and not match["pid"]]

    def _is_awaited(self, finding: Finding) -> bool | None:
        """Whether the kernel's word of an end is of the process that a later report waited for;
        None where it may be, and may be another program's. True where nobody waited."""
        if not self._waits or not is_kernel(finding.tool):
            return True
        place = next((at for at, f in enumerate(self.all) if f.cite == finding.cite), 0)
        later = next(((f, told) for at, f, told in self._waits if at > place), None)
        return later is None or may_be_awaited(*later, finding)

    def _faulted_later(self, finding: Finding) -> bool:
        """True for an exception or a panic that need not have ended its process, and did not: it
        is what that says of another one's end, or who waited for it tells of a fault, which
        neither ends with."""
        if finding.ends is not None or finding.category not in FOLLOWS:
            return False
        if WAITED.search(finding.message):
            return True
        at = self.all.index(finding)
        ends = (f for f in self.all[at + 1 :] if f.category is None)
        return any(f.ends and f.signal in _FAULTS for f in ends)

    @cached_property
    def listed(self) -> Stack | None:
        """The debugger's listing of the thread that crashed: the one with a signal's handler, else
        the current one, else the only one; the fullest that begins at its innermost frame."""
        whole = [s for s in self.facts.all(Stack) if s.frames and s.frames[0].index == 0]
        handled = [s for s in whole if any(frame.signal_handler for frame in s.frames)]
        current = [s for s in whole if s.current]
        unnamed = [s for s in whole if s.thread is None and s.number is None]
        only = whole if len(whole) == 1 else []
        found = handled or current or unnamed or only
        stops = {f.pc for f in self.all if f.tool == "the debugger" and f.pc is not None}
        # Of a log that holds several stops: the stack of the one that is told.
        found = [s for s in found if s.frames[0].address in stops] or found
        return max(found, key=lambda stack: len(stack.frames), default=None)

    def frames_of(self, finding: Finding) -> tuple[Frame, ...]:
        """The stack of a finding, else the one that the debugger lists of the thread that ended."""
        stack = role(finding, *_ACCESS)
        if stack is not None:
            return stack.frames
        listed = self.listed
        if listed is None or self._is_of_another(listed, finding):
            return ()
        return listed.frames

    def _is_of_another(self, stack: Stack, finding: Finding) -> bool:
        """True for a stack that another tool's report has for its own."""
        where = stack.cite.evidence
        return where != finding.cite.evidence and any(
            other.cite.evidence == where and other.stacks and other.tool not in _NAMELESS
            for other in self.all
            if other.tool != finding.tool
        )

    def behind(self, finding: Finding) -> list[Finding]:
        """The reports that tell of the end to which a report without a stack led: those behind it
        of a signal, or of the same cause, and a kernel's panic behind its fault. The stacks of any
        other are another failure's."""
        at = next((at for at, other in enumerate(self.all) if other.cite == finding.cite), -1)
        kernel = is_kernel(finding.tool)
        return [
            other
            for other in self.all[at + 1 :]
            if is_kernel(other.tool) is kernel
            and not (other.category is None and other.tool.endswith("Sanitizer"))  # of its own
            and (
                other.category in (None, finding.category)
                or (kernel and (finding.kind, other.category) == ("fault", Category.PANIC))
                or (not kernel and (other.signal is not None or other.kind == "stack"))
            )
        ]

    @property
    def category(self) -> Category | None:
        """The primary finding's category."""
        return Category(self.primary.category) if self.primary and self.primary.category else None

    def of(self, category: Category) -> Finding | None:
        """The first finding of a category."""
        return next((f for f in self.all if f.category == category.value), None)


def cite_line(finding: Finding, line: int) -> Cites:
    """One line of a finding's evidence."""
    return (Citation(finding.cite.evidence, line, line),) if line else ()


def _goes_nowhere(finding: Finding) -> bool:
    """True for a failed access of which nobody tells where it went."""
    return finding.category == Category.WILD_POINTER.value and finding.address is None


_TWO_LINES = frozenset({"Go", "Go's race detector", "Rust"})


def cite_frame(finding: Finding, frame: Frame) -> Cites:
    """The lines of a frame: some runtimes print where it stands in the line below its name."""
    if frame.file_lines is not None:
        first, last = sorted(frame.file_lines)
        return (Citation(finding.cite.evidence, min(first, frame.line_no or first), last),)
    if (
        finding.tool in _TWO_LINES
        and frame.line_no
        and frame.file
        and frame.line_no != finding.line
    ):
        return (Citation(finding.cite.evidence, frame.line_no, frame.line_no + 1),)
    return cite_line(finding, frame.line_no)


def _allocates(inner: str, frames: Sequence[Frame]) -> bool:
    """True for glibc's malloc(3) where no pointer is given to it: its own data alone leads it."""
    own = re.match(r"(?:_int_)?[mc]alloc|unlink_chunk|sysmalloc|tcache_get", inner)
    return own is not None and not gives_back(frames[:6])


def _only_passes(frame: Frame) -> bool:
    """True for what raises, reports or starts for others."""
    name = frame.function or ""
    ends = abort_category((frame,)) is not None or _CALLS_C.match(name) is not None
    return ends or is_raising(name) or is_reporter(frame) or is_start(name)


def _aborted(listed: Stack) -> bool:
    """Whether a listing is that of an abort(3): it names it, or begins in the platform's library
    without symbols."""
    above = list(itertools.takewhile(lambda frame: not is_own(frame), listed.frames))
    named = any(is_end(frame.function or "") for frame in listed.frames)
    return named or (bool(above) and all(is_platform_library(f.module or "") for f in above))


def _at_place(reports: Reports, finding: Finding) -> tuple[Frame, Cites] | None:
    """The program's frame of any stack that runs the line that the message names."""
    name = _short(finding.place)
    for other in reports.all if name is not None else ():
        for stack in other.stacks:
            frame = _running(stack.frames, name, is_kernel(other.tool))
            if frame is not None:
                return frame, cite_frame(other, frame)
    for listed in reports.facts.all(Stack) if name is not None else ():
        frame = _running(listed.frames, name)
        if frame is not None:
            return frame, line_of(listed, frame.line_no)
    return None


def _running(frames: Sequence[Frame], place: str | None, kernel: bool = False) -> Frame | None:
    for frame in frames[:64]:
        if frame.function and frame.line and _short(f"{frame.file}:{frame.line}") == place:
            return frame if kernel or is_own(frame) else None
    return None


def _short(place: str | None) -> str | None:
    """``file:line`` without the folders."""
    if place is None or not place.rpartition(":")[2].isdecimal():
        return None
    return place.replace("\\", "/").rsplit("/", 1)[-1]


def quote(words: str) -> str:
    """A message in double quotes, whole: the marks in it stay as the tool printed them."""
    plain = words.replace("`", "'")[:300].strip()
    return f'"{plain}"'
