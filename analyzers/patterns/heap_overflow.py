"""Heap memory that was written past its end, as headers and the fault's address show it."""

from analyzers.patterns import commands, kept, messages, signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, anything, at_frame, of_fault
from analyzers.patterns.refused import destination, fortified, is_heap
from analyzers.patterns.signs import in_allocator
from analyzers.patterns.stated import accessed, passed, stopped
from analyzers.patterns.words import of
from analyzers.patterns.written import across_header
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Argument, Fault, Heap, Region
from workbench.model.hypothesis import Rung


def suspected(case: Case) -> bool:
    """True when the allocator itself complains of its headers, or dies of them."""
    if messages.is_heap(case) and not messages.says(case, *messages.DOUBLE_FREE):
        return True
    return in_allocator(case)


def overrun_heap(case: Case) -> Heap | None:
    """The heap in which a chunk's data runs on over the next header, or None."""
    return next((h for h in case.heaps if h.broken_at is not None and h.overrun), None)


def off_the_end(case: Case, kind: str) -> tuple[Fault, Region] | None:
    """The fault and the mapping of a kind right below the address that was touched, be it nothing
    or memory that no access is allowed to: an access that walked off its end."""
    fault = case.fault
    if fault is None or fault.access not in ("read", "write") or fault.operand is None:
        return None
    reached = case.reached(fault) or 0
    there = case.region(reached)
    if there is not None and not there.perms.startswith("---"):
        return None
    if not case.faulted:
        return None
    for region in case.regions:
        if region.kind == kind and 0 <= reached - region.end < 64:
            return fault, region
    return None


def bounds_of(case: Case, region: Region) -> list[Claim]:
    """Where a mapping begins and ends."""
    cites = case.cite_region(region)
    return [
        say("mapped", cites, address=region.start, start=region.start, end=region.end,
            kind=region.kind)
    ]  # fmt: skip


_BOUND = "Bound the loop or the copy by the size of the memory that it fills."
_SANITIZE = "what was written, and from where: a run with -fsanitize=address"


_REACH = 1 << 20
"""An access that steps over a heap ends within so many bytes of it."""


def _walked(case: Case) -> tuple[Fault, Region] | None:
    walked = off_the_end(case, "heap")
    return walked if walked is not None and walked[0].access == "write" else None


def beyond(case: Case) -> Heap | None:
    """The heap with a damaged header behind which, in no memory, a write of the program's own ended
    that began at that heap's chunk in front of the damage or leads on from it."""
    heap, fault = signs.broken_heap(case), case.fault
    if heap is None or heap.before is None or fault is None or fault.operand is None:
        return None
    if fault.access != "write" or not case.faulted or case.region(fault.operand) is not None:
        return None
    return heap if heap.end <= fault.operand < heap.end + _REACH else None


def ran_over(case: Case) -> Heap | None:
    """The heap that was written past a chunk's end, where a small number that nothing shows to have
    been null was used as a pointer: what a block's neighbours hold is no longer what was kept."""
    fault = signs.near_null_access(case)
    unsure = fault is not None and signs.supposed_null(fault)
    return overrun_heap(case) if unsure else None


def _refused(case: Case) -> Argument | None:
    argument = destination(case) if fortified(case) else None
    return argument if argument is not None and is_heap(case, argument) else None


def _likely(case: Case) -> float | None:
    """How likely it is, where headers are damaged or a write ends where the heap ends."""
    if beyond(case) is not None:
        return 0.85
    if overrun_heap(case) is not None or _walked(case):
        if any(found(case) for found in (suspected, _walked, across_header, fortified, ran_over)):
            return 0.85
        return None
    if not (suspected(case) or across_header(case) or fortified(case)):
        return None
    return 0.25 if in_allocator(case) else 0.45


def _ask(case: Case) -> tuple[Command, ...]:
    """Where a refused call was to write, or the memory around the damage."""
    if fortified(case):
        argument = destination(case)
        if argument is None:
            return commands.call(case, case.listed)
        return commands.heap(argument.value) if is_heap(case, argument) else ()
    broken = signs.broken_heap(case)
    if broken is None or broken.broken_at is None:
        return ()
    around = commands.words(
        case, broken.before or broken.broken_at, "the bytes around the damage", 16
    )
    return (*around, *kept.look(case))


HEAP_BUFFER_OVERFLOW = Cause(
    Category.HEAP_BUFFER_OVERFLOW,
    "The bytes of a chunk run on over the next chunk's header, or a write runs off the heap.",
    statement="A write ran past the end of its heap memory.",
    sign=_likely,
    tests=lambda case, _: (
        Command("@heap", "whether a chunk's data runs on over the next header"), *at_frame(case),
        *commands.registers(case.listed if fortified(case) else None)),
    cites=lambda case, _: messages.cites(case) + of(case.fault),
    ask=_ask,
    findings=(
        Proof(_walked, "The write ran through the heap to its end.", 0.88, advice=_BOUND,
              told=lambda case, walked: [*accessed(case, walked[0]), *bounds_of(case, walked[1])]),
        Proof(beyond, "A header of the heap is overwritten, and the write that failed ended behind "
              "that heap.", 0.88,
              told=lambda case, heap: [
                  *accessed(case, case.fault),
                  say("headers", of(heap), state="damaged", start=heap.start, chunk=heap.broken_at,
                      why=heap.broken, before=heap.before),
              ], support=of_fault, advice=_BOUND),
        Proof(
            overrun_heap,
            "The data of one chunk runs on over the header of the next.",
            0.9,
            Rung.STRUCTURE,
            "noticed",
            lambda case, heap: [
                say("headers", of(heap), state="overrun", start=heap.start, chunk=heap.broken_at,
                    before=heap.before),
                *kept.owner(case),
                *stopped(case),
            ],
            of_fault,
            advice=(
                "Find who writes to the chunk in front of the damage: its size against the length "
                "of what is copied into it.",
                "Build with -fsanitize=address and run the same path: it stops at the write.",
            ),
        ),
        Proof(_refused, "A fortified function refused to write past heap memory.", 0.9,
              Rung.STRUCTURE, "refused",
              lambda case, argument: [*passed(argument, region=True), *stopped(case)],
              lambda case, argument: of(case.chunk(argument.value)) + of(case.process),
              advice="Bound the copy by the size that was allocated."),
        Open(signs.broken_heap, "Headers are damaged, but nothing shows that the data in front of "
             "them did it.", 0.35, Rung.STRUCTURE, missing=_SANITIZE,
             support=lambda case, broken: of(broken) + messages.cites(case)),
        Open(lambda case: case.heaps, "No header of the heap is damaged: a write past a block may "
             "have hit data only.", 0.1, Rung.STRUCTURE, missing=_SANITIZE),
        Open(anything, "The heap could not be walked.", 0.35, Rung.TEXT, missing=_SANITIZE,
             support=lambda case, _: messages.cites(case)),
    ),
)  # fmt: skip
