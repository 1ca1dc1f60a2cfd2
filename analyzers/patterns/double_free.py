"""Memory given back twice."""

from analyzers.patterns import commands, messages, released, signs, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, at_frame, of_fault
from analyzers.patterns.stated import inside, mapped, passed, stopped, whole
from analyzers.patterns.words import of
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Argument
from workbench.model.hypothesis import Rung


def _perhaps(case: Case) -> bool:
    return messages.says(case, *messages.PERHAPS_DOUBLE_FREE)


def _told(case: Case) -> bool:
    return messages.is_double_free(case) or _perhaps(case)


def _suspected(case: Case) -> float | None:
    """How likely it is by what the allocator said, or because a release died."""
    if messages.is_double_free(case):
        return 0.9
    return 0.55 if _perhaps(case) else 0.3 if released.died_in_free(case) else None


def _free_already(case: Case) -> Argument | None:
    """What free() was given, where the walk finds its chunk free."""
    argument = released.given(case)
    return argument if argument and released.is_free(case.chunk(argument.value)) else None


def _unmapped(case: Case) -> Argument | None:
    argument = released.given(case)
    if argument is None or argument.region != "unmapped" or not released.died_in_free(case):
        return None
    return argument if released.was_mapped(argument) else None


def _in_no_heap(case: Case) -> Argument | None:
    argument = released.given(case)
    heap = argument is None or argument.region in ("heap", "anonymous", "unknown")
    return None if heap else argument


def _all_whole(case: Case) -> list[Claim]:
    """That each heap is whole, where the pointer that was freed is not known. A size that reaches
    out of a whole heap ("out") is none of its headers': the pointer may be inside of a block."""
    broken = signs.broken_heap(case) or messages.says(case, "double free or corruption (out)")
    return whole(case) if not broken and released.given(case) is None else []


DOUBLE_FREE = Cause(
    Category.DOUBLE_FREE,
    "The allocator found the chunk on its own list, or the walk finds it there.",
    statement="The same memory was freed twice.",
    sign=_suspected,
    tests=lambda case, _: (*at_frame(case), *commands.registers(released.releasing(case))),
    cites=lambda case, _: messages.cites(case) + case.cite(case.frame),
    ask=released.ask_for_pointer,
    findings=(
        Proof(lambda case: None if _told(case) else _unmapped(case),
              "The address is one where the allocator puts a large block that it maps on its own, "
              "and that block has been unmapped already.", 0.6, how="unmapped",
              told=lambda case, argument: [*passed(argument, region=True),
                                           *mapped(case, argument.value)],
              missing="who unmapped this block: an earlier free(), or munmap()",
              advice=released.ADVICE),
        Rival(lambda case: not _told(case),
              "The allocator found no double free.",
              lambda case, _: messages.cites(case) + of(released.given(case)) + of(case.fault),
              Rung.STRUCTURE),
        Proof(lambda case: messages.is_double_free(case) or _free_already(case),
              "The allocator found the memory on its own list of free chunks.",
              lambda case, _: 0.95 if _free_already(case) else 0.9, Rung.STRUCTURE,
              told=lambda case, _: [
                  *stopped(case),
                  *([*passed(argument), *spoken.given(case, argument.value),
                     *inside(case, argument.value)]
                    if (argument := _free_already(case)) else []),
              ], support=of_fault, advice=released.ADVICE),
        Rival(lambda case: signs.broken_heap(case) if released.given(case) is not None else None,
              "The heap's headers are damaged, which is why the allocator's check failed.",
              rung=Rung.STRUCTURE),
        Rival(_in_no_heap, "The pointer lies in no heap."),
        Proof(_all_whole,
              "The message fits, and the headers that it could blame instead are whole.", 0.7,
              Rung.STRUCTURE, "likely", lambda case, heaps: [*stopped(case), *heaps],
              missing="the pointer that was freed, to find its chunk on a free list",
              advice=released.ADVICE),
        Open(_perhaps, "The allocator's message fits a double free, and damaged headers as well.",
             0.5, Rung.TEXT, support=lambda case, _: messages.cites(case),
             against=lambda case, _: of(case.chunk(argument.value))
             if (argument := released.given(case)) else (),
             missing="the pointer that was freed, and its chunk's state"),
    ),
    absent="The allocator found no double free.",
)  # fmt: skip
