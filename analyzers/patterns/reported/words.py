"""What a finding is in sentences, each with the lines that say it."""

from analyzers.patterns.reported.case import (
    Reports,
    cite_frame,
    cite_line,
    fault_frame,
    place_of,
    quote,
    role,
)
from analyzers.patterns.reported.frames import own_frame
from analyzers.patterns.reported.meant import below, overwritten
from analyzers.patterns.words import claim
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import Finding

_SENTENCES = {
    Category.USE_AFTER_FREE: "Memory was used after it had been freed.",
    Category.DOUBLE_FREE: "Memory was freed twice.",
    Category.INVALID_FREE: "A pointer was freed that no allocation had returned.",
    Category.MISMATCHED_DEALLOCATION: "Memory was released by another family of functions than it "
    "was allocated by.",
    Category.HEAP_BUFFER_OVERFLOW: "An access went out of the bounds of a heap block.",
    Category.HEAP_CORRUPTION: "The heap's own data was overwritten.",
    Category.STACK_BUFFER_OVERFLOW: "An access left the bounds of a buffer on the stack.",
    Category.BUFFER_OVERFLOW: "An access went out of the bounds of a buffer.",
    Category.OUT_OF_BOUNDS_WRITE: "A write went out of bounds.",
    Category.OUT_OF_BOUNDS_READ: "A read went out of bounds.",
    Category.NULL_POINTER_DEREFERENCE: "A null pointer was dereferenced.",
    Category.NULL_FUNCTION_POINTER_CALL: "A null function pointer was called.",
    Category.UNINITIALIZED_VALUE: "A value was used that had never been set.",
    Category.TYPE_CONFUSION: "An object was used as something that it is not.",
    Category.MISALIGNED_ACCESS: "An access was not aligned as its type needs.",
    Category.WILD_POINTER: "A pointer to nowhere was dereferenced.",
    Category.STACK_OVERFLOW: "A thread ran out of stack.",
    Category.BUS_ERROR: "An access raised a bus error.",
    Category.DIVIDE_BY_ZERO: "A number was divided by zero.",
    Category.INTEGER_OVERFLOW: "An integer calculation went out of its type's range.",
    Category.ILLEGAL_INSTRUCTION: "An illegal instruction was run.",
    Category.TRAP: "The program ran into a trap instruction.",
    Category.ASSERTION_FAILURE: "A check of the program's own failed.",
    Category.PANIC: "The program panicked.",
    Category.PURE_VIRTUAL_CALL: "A pure virtual function was called.",
    Category.UNCAUGHT_EXCEPTION: "An exception was thrown that nobody caught.",
    Category.STD_TERMINATE: "The C++ runtime terminated the program.",
    Category.EXPLICIT_ABORT: "The program ended itself.",
    Category.OUT_OF_MEMORY: "More memory was asked for than could be had.",
    Category.MEMORY_LEAK: "Memory was allocated and never freed.",
    Category.DEADLOCK: "Threads wait, or can wait, for each other's locks.",
    Category.EXTERNAL_SIGNAL: "A signal was sent to the process.",
    Category.LIBRARY_LOAD_FAILURE: "A library could not be loaded.",
    Category.INFINITE_LOOP: "The program did not come to an end in time.",
    Category.BLOCKED_ON_IO: "A task waited without end.",
    Category.UNINITIALIZED_POINTER: "A pointer was used that had never been set.",
    Category.CORRUPTED_POINTER: "A pointer was used that had been overwritten.",
    Category.WRITE_TO_READ_ONLY_MEMORY: "Read-only data was written to.",
    Category.MISSING_METHOD: "A method was called that does not exist.",
    Category.VERSION_MISMATCH: "Parts of different versions were put together.",
    Category.DATA_RACE: "Two threads used the same memory at once.",
}
_VERBS = {"read": "reading", "write": "writing", "execute": "running code"}

_MOST_OTHERS = 5


def _asleep(finding: Finding | None) -> bool:
    """True for Go's runtime saying that no goroutine is left to run (runtime/proc.go, checkdead):
    they wait for channels as well as for locks."""
    return finding is not None and finding.tool == "Go" and "are asleep" in finding.message


def statement(category: Category, finding: Finding | None = None) -> str:
    """A hypothesis in one sentence; ``finding`` is what was reported of it, if anything."""
    if _asleep(finding) and category is Category.DEADLOCK:
        return "Every goroutine waits and none can go on."
    return _SENTENCES.get(category, f"The cause is {category.value.replace('-', ' ')}.")


def cause(reports: Reports, finding: Finding, category: Category) -> Claim:
    """The cause, with where it is and what the tool says of it."""
    frame, cites = fault_frame(reports, finding)
    where = place_of(frame, cites, finding.tool)
    text = statement(category).rstrip(".")
    if _asleep(finding):
        text = "Every goroutine waits and none can go on"
    inside = f" in {where.text}" if where.cites else ""
    more = ""
    known = cite_line(finding, finding.line)
    if finding.access in _VERBS and finding.access_line:
        more = f", when {_VERBS[finding.access]}"
        if finding.size is not None:
            more += f" {finding.size} {'byte' if finding.size == 1 else 'bytes'}"
        if finding.address is not None:
            more += f" at {finding.address:#x}"
        known += cite_line(finding, finding.access_line)
    said = quote(finding.message)
    return claim(f"{text}{inside}{more}: {finding.tool} says {said}.", known, where.cites)


def reported(reports: Reports, finding: Finding) -> Claim:
    """What a tool says of something that names no cause, and where."""
    frame, cites = fault_frame(reports, finding)
    where = place_of(frame, cites, finding.tool)
    inside = f" of {where.text}" if where.cites else ""
    text = f"{finding.tool} says{inside} {quote(finding.message)}."
    return claim(text, cite_line(finding, finding.line), where.cites)


def others(reports: Reports, finding: Finding) -> list[Claim]:
    """The other failures that the log holds, each with its line: what another report says, or what
    the same tool says of something else."""
    told = {finding.message}
    found = []
    for other in reports.all:
        alike = (other.cite.evidence, other.category) == (finding.cite.evidence, finding.category)
        if other.message in told or other.category is None or alike:
            continue
        told.add(other.message)
        text = f"The log holds another failure: {other.tool} says {quote(other.message)}."
        found.append(claim(text, cite_line(other, other.line)))
    return found[:_MOST_OTHERS]


def failed(reports: Reports, finding: Finding) -> Claim:
    """A failed access of which nothing else is known than where it was made."""
    frame, cites = fault_frame(reports, finding)
    where = place_of(frame, cites, finding.tool)
    inside = f" in {where.text}" if where.cites else ""
    text = f"A memory access failed{inside}: {finding.tool} says {quote(finding.message)}."
    return claim(text, cite_line(finding, finding.line), where.cites)


def _returns(reports: Reports, finding: Finding) -> list[Claim]:
    """The text that stands where the stack's return addresses stood."""
    lost = overwritten(reports.frames_of(finding))[:3]
    if not lost or reports.listed is None or lost[0].address is None:
        return []
    evidence = reports.listed.cite.evidence
    cites = tuple(Citation(evidence, frame.line_no, frame.line_no) for frame in lost)
    return [claim(f"The stack returns to {lost[0].address:#x} over and over: a text.", cites)]


def _no_stack_left(reports: Reports, finding: Finding) -> list[Claim]:
    """Where the stack ends and the stack pointer is."""
    end = below(reports.facts, finding)
    if end is None:
        return []
    text = (
        f"The stack begins at {end.region.start:#x}; the stack pointer is {end.pointer.value:#x}."
    )
    mapped = Citation(end.mapped_in, end.region.line, end.region.line)
    shown = Citation(end.shown_in, end.pointer.line, end.pointer.line)
    return [claim(text, (mapped,), (shown,))]


_ENDED = frozenset(
    category.value
    for category in (
        Category.ASSERTION_FAILURE,
        Category.DEADLOCK,
        Category.EXPLICIT_ABORT,
        Category.PANIC,
        Category.UNCAUGHT_EXCEPTION,
    )
)


def _sleepers(finding: Finding) -> list[Claim]:
    """What each goroutine waits for, in Go's words."""
    found = []
    for stack in [s for s in finding.stacks if s.frames and s.line][:6]:
        frame = own_frame(stack.frames) or stack.frames[0]
        where = place_of(frame, cite_frame(finding, frame), finding.tool)
        inside = f" in {where.text}" if where.cites else ""
        state = quote(stack.title.rstrip(": "))
        known = cite_line(finding, stack.line)
        found.append(claim(f"Go shows {state}{inside}.", known, where.cites))
    return found


def details(reports: Reports, finding: Finding) -> list[Claim]:
    """Where the memory came from, who else touched it, and what else the report notes."""
    found: list[Claim] = _sleepers(finding) if _asleep(finding) else []
    if finding.category == Category.STACK_BUFFER_OVERFLOW.value:
        found += _returns(reports, finding)
    if finding.category == Category.STACK_OVERFLOW.value:
        found += _no_stack_left(reports, finding)
    for names, verb in (
        (("access",), "The access was made"),
        (("free",), "The memory had been freed"),
        (("alloc",), "The memory had been allocated"),
        (("other",), "The other access was made"),
        (("create",), "It began"),
        (("lock",), "A lock was taken"),
    ):
        stack = role(finding, *names)
        if stack is None or (stack.role == "other" and finding.category not in ("data-race",)):
            continue
        frame = own_frame(stack.frames) or stack.frames[0]
        where = place_of(frame, cite_frame(finding, frame), finding.tool)
        # The cause says it; and what ended itself made no access.
        named = stack.role == "access" and (
            frame is stack.frames[0] or finding.signal == "SIGABRT" or finding.category in _ENDED
        )
        if not where.cites or named:
            continue
        top = stack.frames[0]
        inner = place_of(top, cite_frame(finding, top), finding.tool) if top is not frame else None
        by = f" by {inner.text}" if inner is not None and top.function else ""
        cites = inner.cites if inner is not None else ()
        found.append(claim(f"{verb}{by} in {where.text}.", where.cites, cites))
    for note in finding.notes:
        if len(found) >= 8:
            break
        found.append(claim(f"The report adds {quote(note.text)}.", cite_line(finding, note.line)))
    return found
