"""Damage to the heap's own headers whose writer is not known."""

from analyzers.patterns import commands, kept, messages, released, signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, anything, of_fault
from analyzers.patterns.heap_overflow import overrun_heap, suspected
from analyzers.patterns.released import releasing
from analyzers.patterns.signs import in_allocator
from analyzers.patterns.stated import accessed, stopped
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Argument
from workbench.model.hypothesis import Rung

_ABOUT_POINTER = (*messages.PERHAPS_DOUBLE_FREE, *messages.BAD_SIZE, *messages.BAD_POINTER)


def _likely(case: Case) -> float | None:
    """How likely it is, where the allocator complains of its headers or dies of them."""
    if messages.is_double_free(case):
        return 0.2
    if not suspected(case):
        return None
    if messages.says(case, *messages.BAD_POINTER):
        return 0.2
    return 0.45 if in_allocator(case) else 0.6


def _whole(case: Case) -> bool:
    """True where the message is of the pointer, and every heap is whole."""
    sound = bool(case.heaps) and all(heap.broken_at is None for heap in case.heaps)
    return sound and messages.says(case, *_ABOUT_POINTER)


def _released(case: Case) -> Argument | None:
    """What was released, where the damage does not make the call doubtful."""
    argument = released.given(case)
    return None if released.doubted(case, argument) is not None else argument


def _not_ours(case: Case) -> Cites:
    """Why what was released never was the allocator's."""
    argument = _released(case)
    why = released.not_the_allocators(case, argument) if argument is not None else None
    against = [c for claim in why or () for c in claim.citations]
    return (*of(argument), *against) if why is not None else ()


def _freed_before(case: Case) -> Cites:
    argument = _released(case)
    if argument is None or not messages.says(case, *messages.PERHAPS_DOUBLE_FREE):
        return ()
    chunk = case.chunk(argument.value)
    freed = chunk is not None and chunk.offset == 0 and released.is_free(chunk)
    return of(argument) + of(chunk) if freed else ()


def _pointer_refused(case: Case) -> bool:
    refused = messages.says(case, *messages.BAD_POINTER) and signs.broken_heap(case) is None
    return refused and _released(case) is None


def _damage(case: Case, _: object) -> list[Claim]:
    broken = signs.broken_heap(case)
    told = stopped(case) if messages.is_heap(case) else accessed(case, case.fault)
    if broken is None:
        return told
    return [say("headers", of(broken), state="damaged", start=broken.start, chunk=broken.broken_at,
                why=broken.broken, before=broken.before), *kept.owner(case), *told]  # fmt: skip


def _lines(_: Case, cites: Cites) -> Cites:
    return cites


HEAP_CORRUPTION = Cause(
    Category.HEAP_CORRUPTION,
    "The allocator's headers make no sense, and the writer is not known.",
    statement="The heap's own data was overwritten.",
    sign=_likely,
    tests=lambda case, _: (Command("@heap", "whether the heap's headers make sense"),
                           *commands.source(case.frame), *commands.registers(releasing(case))),
    cites=lambda case, _: messages.cites(case) + case.cite(case.frame),
    ask=lambda case: (*(released.ask_for_pointer(case) if released.free_frame(case) else ()),
                      *kept.look(case)),
    findings=(
        Rival(messages.is_double_free,
              "The allocator found the memory on its own list: it was freed twice.",
              lambda case, _: messages.cites(case), Rung.STRUCTURE),
        Open(_whole, "No header of the heap is damaged where it can be walked.", 0.1,
             Rung.STRUCTURE, missing="the writer: a run with -fsanitize=address"),
        Rival(_not_ours, "The pointer that was freed was never the allocator's.", _lines),
        Rival(_freed_before, "The chunk was free already: it was freed twice.", _lines,
              Rung.STRUCTURE),
        Open(_pointer_refused, "The allocator refused the pointer itself; its headers make sense "
             "where they can be read.", 0.2, Rung.TEXT, missing="the pointer that was freed"),
        Rival(signs.stale_link, "A free chunk was written to: nothing ran into its header.",
              lambda _, found: line_of(found[0], found[1].line), Rung.STRUCTURE),
        Rival(overrun_heap, "The writer shows: data runs on from the chunk in front.",
              rung=Rung.STRUCTURE),
        Rival(lambda case: not suspected(case), "The allocator did not complain.",
              lambda case, _: of(case.signal) + of(case.fault)),
        Proof(lambda case: signs.broken_heap(case) or messages.is_heap(case),
              "The allocator's own data makes no sense, and the dump does not show who wrote it.",
              lambda case, _: 0.85 if signs.broken_heap(case) is not None else 0.7, Rung.STRUCTURE,
              told=_damage, support=of_fault, missing="who wrote over the header, and when",
              advice="Build with -fsanitize=address, or run under valgrind: either stops at the "
              "write, not at the later call that trips over it."),
        Open(anything, "The fault is inside the allocator, but its headers make sense where they "
             "can be read.", 0.4, support=of_fault,
             missing=("the allocator's lists", "a run with -fsanitize=address")),
    ),
)  # fmt: skip
