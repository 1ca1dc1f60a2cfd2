"""What a finding is in statements, each argument with the line that says it."""

import re

from msgspec.structs import replace

from analyzers.owners.functions import is_runtime_name
from analyzers.owners.passing import is_irrelevant
from analyzers.patterns.case import FAR
from analyzers.patterns.reported.advice import wording
from analyzers.patterns.reported.case import Reports, cite_frame, cite_line, quote
from analyzers.patterns.reported.ends import role
from analyzers.patterns.reported.frames import own_frame
from analyzers.patterns.reported.meant import below, overwritten
from analyzers.patterns.words import Cites, placed
from analyzers.signature.normal import normal
from workbench.claims.printed import arguments_of
from workbench.claims.render import of_cause
from workbench.claims.say import at, cause, say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Finding, Frame, Role

_NUMBER = re.compile(r"(?:0x[0-9a-f]{1,16}|[1-9]\d{0,19})$")
_NAMING = re.compile(r"what\(\): \S|.{1,200} <== Memory access at offset ")
"""A note that names what failed: what an exception says (libstdc++, vterminate.cc), the variable
that an access left (compiler-rt, asan_descriptions.cpp)."""
_UNIT = re.compile(r"^([\w@.:\\-]{1,250}\.(?:service|scope)): ")
_REFUSED = re.compile(r"\b(?:KERN_PROTECTION_FAILURE|SEGV_ACCERR)\b")
_MOST_OTHERS = 5
_ALLOCATORS = frozenset({"JavaScript", "Rust", "libstdc++", "libc++abi", "Go"})
"""Whose programs abort for want of memory, and are not killed."""
_MOST_SLEEPERS = 6
_MOST = 8
_ENDED = frozenset({Category.ASSERTION_FAILURE.value, Category.DEADLOCK.value,
                    Category.HEAP_CORRUPTION.value,
                    Category.EXPLICIT_ABORT.value, Category.PANIC.value,
                    Category.UNCAUGHT_EXCEPTION.value})  # fmt: skip


def near_null(category: Category, finding: Finding) -> bool:
    """True where the log of a debugger has an address close to null and nothing of the access, or
    that address in a register: a number that was taken for a pointer leads there as well."""
    unseen = finding.kind == "si_addr" and finding.access is None
    held = f" = {finding.address or 0:#x} "
    named = any(
        note.text.startswith("register: ") and held in f"{note.text} " for note in finding.notes
    )
    null = category is Category.NULL_POINTER_DEREFERENCE and bool(finding.address)
    return null and (unseen or named)


def _how(category: Category, finding: Finding | None) -> str:
    if finding is not None and near_null(category, finding):
        return "near"
    row = wording(category, finding)
    there = finding is not None and finding.pc is not None and finding.pc == finding.address
    if category is Category.WILD_POINTER and there:
        return "code"  # the call failed, not what its caller's line does with memory
    if category is Category.WILD_POINTER and finding is not None and _is_refused(finding):
        return "refused"
    return row.how if row is not None else "tool"


def _is_refused(finding: Finding) -> bool:
    """True where the system says that something is mapped there (mach/kern_return.h,
    sigaction(2))."""
    texts = (finding.message, *(note.text for note in finding.notes))
    return any(_REFUSED.search(text) for text in texts)


def statement(category: Category, finding: Finding | None = None) -> str:
    """A hypothesis in one sentence; ``finding`` is what was reported of it, if anything."""
    return of_cause(category.value, _how(category, finding))


def caused(reports: Reports, finding: Finding, category: Category) -> list[Claim]:
    """The cause, with where it is, and what the tool says of it."""
    frame, cites = reports.fault_frame(finding)
    if frame is not None and frame.module and frame.offset is not None:
        frame = replace(frame, address=None)  # which is another one in each run
    first = cause(
        category.value,
        frame,
        cites or cite_line(finding, finding.line),
        how=_how(category, finding),
    )
    return [first, *_operand(finding, category, frame, cites), _said(finding, whole=True)]


def _operand(
    finding: Finding, category: Category, frame: Frame | None, cites: Cites
) -> list[Claim]:
    """What the operand is called, where the frame's own line prints it as an argument. One that is
    not null is another frame's of that name, where a null was dereferenced."""
    given = dict(arguments_of(frame.args)) if frame is not None else {}
    value = given.get(finding.operand or "")
    null = category is Category.NULL_POINTER_DEREFERENCE
    if value is None or (null and _NUMBER.match(value) and int(value, 0) >= FAR):
        return []
    return [say("value", cites, expression=finding.operand, value=value)]


def reported(reports: Reports, finding: Finding) -> list[Claim]:
    """What a tool says of something that names no cause, or that was outlived, and where."""
    frame, cites = reports.fault_frame(finding)
    where = placed(frame, cites) if frame is not None else {}
    outlived = [say("told", cite_line(finding, finding.line), how="outlived")]
    return [
        _said(finding),
        *([say("frame", cites, **where)] if where else []),
        *(outlived if finding.ends is False else []),
    ]


def unexplained(facts: FactBook) -> list[Claim]:
    """What the log's first tool says of the end, where it is the sign of no cause that is known."""
    first = facts.first(Finding)
    return [] if first is None else reported(facts.once(Reports), first)


def _said(finding: Finding, whole: bool = False) -> Claim:
    """What a tool says; with ``whole`` also what it tells of the access."""
    line = cite_line(finding, finding.line)
    access = cite_line(finding, finding.access_line) if whole and finding.access_line else ()
    given = {
        name: at(getattr(finding, field), access)
        for name, field in (("direction", "access"), ("size", "size"), ("address", "address"))
    }
    message = at(finding.message, line, quote(finding.message))
    return say("finding", line, tool=finding.tool, message=message, **(given if access else {}))


def others(reports: Reports, finding: Finding) -> list[Claim]:
    """The other failures that the log holds, each with its line: what another report says, or what
    the same tool says of something else."""
    told = {finding.message}
    found = []
    for other in reports.all:
        alike = (other.cite.evidence, other.category) == (finding.cite.evidence, finding.category)
        if other.message in told or alike:
            continue
        if other.category is None and not _of_another_unit(other, finding):
            continue  # the end that the failure led to
        if _is_its_end(reports, finding, other):
            continue
        told.add(other.message)
        found.append(_quoted("another", other, other.message, other.line))
    return found[:_MOST_OTHERS]


def _is_its_end(reports: Reports, finding: Finding, other: Finding) -> bool:
    """True for what only says, behind a report, how a process ended: by the signal that was
    reported, or by abort(3) where the report ends in it."""
    no_memory = finding.category == Category.OUT_OF_MEMORY.value and finding.tool in _ALLOCATORS
    aborts = finding.category in _ENDED or finding.tool == "glibc" or no_memory
    is_abort = aborts and other.category == Category.EXPLICIT_ABORT.value
    same = other.signal is not None and (other.signal, other.address) == (finding.signal, None)
    if any(role.frames for role in other.stacks):
        return is_abort and other in reports.behind(finding)
    return (is_abort or same) and reports.all.index(other) > reports.all.index(finding)


def _of_another_unit(one: Finding, other: Finding) -> bool:
    """True where systemd names two units."""
    units = [_UNIT.match(finding.message) for finding in (one, other)]
    return all(units) and len({unit[1] for unit in units if unit}) > 1


def _quoted(lead: str, finding: Finding, text: str, line: int) -> Claim:
    cites = cite_line(finding, line)
    return say("quote", cites, lead=lead, text=at(text, cites, quote(text)))


def _returns(reports: Reports, finding: Finding) -> list[Claim]:
    """The text that stands where the stack's return addresses stood."""
    lost = overwritten(reports.frames_of(finding))[:3]
    if not lost or reports.listed is None or lost[0].address is None:
        return []
    evidence = reports.listed.cite.evidence
    cites = tuple(Citation(evidence, frame.line_no, frame.line_no) for frame in lost)
    return [
        say("repeats", cites, address=lost[0].address),
        say("told", cites, how="text-value", number=lost[0].address),
    ]


def _no_stack_left(reports: Reports, finding: Finding) -> list[Claim]:
    """Where the stack ends and the stack pointer is."""
    end = below(reports.facts, finding)
    if end is None:
        return []
    mapped = (Citation(end.mapped_in, end.region.line, end.region.line),)
    shown = (Citation(end.shown_in, end.pointer.line, end.pointer.line),)
    start, kind = at(end.region.start, mapped), end.region.kind
    return [
        say("mapped", mapped, address=start, start=start, end=end.region.end, kind=kind),
        say("register", shown, register=end.pointer.name, value=end.pointer.value),
    ]


def _sleepers(finding: Finding) -> list[Claim]:
    """What each goroutine waits for, in Go's words, and where."""
    found = []
    for stack in [s for s in finding.stacks if s.frames and s.line][:_MOST_SLEEPERS]:
        frame = own_frame(stack.frames) or stack.frames[0]
        cites = cite_frame(finding, frame)
        found += [
            _quoted("goroutine", finding, stack.title.rstrip(": "), stack.line),
            say("frame", cites, index=frame.index, **placed(frame, cites)),
        ]
    return found


def _at_role(finding: Finding, stack: Role, frame: Frame) -> list[Claim]:
    cites: Cites = cite_frame(finding, frame)
    where = placed(frame, cites)
    return [say("role", cites, role=stack.role, **where)] if where else []


def _other_lock(reports: Reports, finding: Finding) -> Role | None:
    """Where another lock of the ring was taken than in the frame that the cause names."""
    first, _ = reports.fault_frame(finding)
    place = (first.function, first.line) if first is not None else None
    owned = ((stack, own_frame(stack.frames)) for stack in finding.stacks if stack.role == "lock")
    others = (stack for stack, own in owned if own and (own.function, own.line) != place)
    return next(others, None) if place is not None else None


def details(reports: Reports, finding: Finding) -> list[Claim]:
    """Where the memory came from, who else touched it, and what else the report notes."""
    asleep = _how(Category.DEADLOCK, finding) == "asleep"
    found = _sleepers(finding) if asleep else []
    if finding.category == Category.STACK_BUFFER_OVERFLOW.value:
        found += _returns(reports, finding)
    if finding.category == Category.STACK_OVERFLOW.value:
        found += _no_stack_left(reports, finding)
    for name in ("access", "free", "alloc", "other", "create", "lock"):
        stack = (_other_lock(reports, finding) if name == "lock" else None) or role(finding, name)
        if stack is None or (name == "other" and finding.category != Category.DATA_RACE.value):
            continue
        own, top = own_frame(stack.frames), stack.frames[0]
        if own is None and name in ("free", "alloc"):
            continue  # an allocator's frames are those of any program
        frame = own or top
        # The cause says it; and what ended itself made no access.
        named = name == "access" and (
            frame is top or finding.signal == "SIGABRT" or finding.category in _ENDED
        )
        if not named:
            ends = top.function is None or is_irrelevant(normal(top))
            ends = ends or (name in ("free", "alloc") and is_runtime_name(top.function or ""))
            ends = ends or name == "lock"  # whatever takes it is no place
            called = _at_role(finding, stack, top) if top is not frame and not ends else []
            found += [*called, *_at_role(finding, stack, frame)]
    naming = [note for note in finding.notes if _NAMING.match(note.text)][:1]
    told = [_quoted("names", finding, note.text, note.line) for note in naming]
    notes = [note for note in finding.notes if note not in naming][: max(_MOST - len(found), 0)]
    return told + found + [_quoted("adds", finding, note.text, note.line) for note in notes]
