"""Memory given back that was never the allocator's."""

from analyzers.patterns import commands, messages, released, signs, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, at_frame
from analyzers.patterns.mismatch import mismatch
from analyzers.patterns.stated import mapped, passed, stopped, whole
from analyzers.patterns.words import Cites, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Argument, Chunk
from workbench.model.hypothesis import Rung

_OWN_POINTER = (
    "Free only what malloc() returned, by the very pointer that it returned: look for pointers to "
    "arrays, string literals or fields, and for pointers that were moved."
)


def _refused(case: Case) -> bool:
    return messages.says(case, *messages.BAD_POINTER)


def _suspected(case: Case) -> float | None:
    """How likely it is by what free() said, or because it died."""
    if _refused(case):
        return 0.8
    if released.died_in_free(case):
        return 0.5
    sized = messages.says(case, *messages.BAD_SIZE, *messages.PERHAPS_DOUBLE_FREE)
    return 0.4 if sized else None


def _intact(case: Case) -> bool:
    return bool(case.heaps) and signs.broken_heap(case) is None


def _by_message(case: Case) -> bool:
    """True where the message alone tells that the pointer was refused, and not a header."""
    if released.given(case) is not None:
        return False
    sized = messages.says(case, "free(): invalid size", "free(): invalid next size")
    return (_refused(case) and signs.broken_heap(case) is None) or (sized and _intact(case))


def _mine(case: Case) -> Argument | None:
    """What free() was given, where it may be the allocator's."""
    argument = released.given(case)
    return argument if argument and released.not_the_allocators(case, argument) is None else None


def _chunk(case: Case) -> Chunk | None:
    argument = _mine(case)
    return case.chunk(argument.value) if argument is not None else None


def _free_chunk(case: Case) -> Chunk | None:
    chunk = _chunk(case)
    return chunk if released.is_free(chunk) else None


def _begun_chunk(case: Case) -> Chunk | None:
    chunk = _chunk(case)
    return chunk if chunk is not None and chunk.offset == 0 else None


def _mismatched(case: Case) -> Argument | None:
    argument = released.given(case)
    return argument if argument and mismatch(case, argument) is not None else None


def _pointer_and(case: Case, chunk: object) -> Cites:
    return of(released.given(case)) + of(chunk)


def _why(case: Case, argument: Argument) -> list[Claim]:
    why = released.not_the_allocators(case, argument) or []
    name = spoken.given(case, argument.value)
    return [*passed(argument, region=not why), *name, *why, *stopped(case)]


INVALID_FREE = Cause(
    Category.INVALID_FREE,
    "free() was given an address that the allocator never gave out.",
    statement="free() was given an address that malloc() had not returned.",
    sign=_suspected,
    tests=lambda case, _: (*at_frame(case), *commands.registers(released.releasing(case))),
    cites=lambda case, _: messages.cites(case) + case.cite(case.frame),
    ask=released.ask_for_pointer,
    findings=(
        Proof(lambda case: released.arena_sought(case) if released.given(case) is None else None,
              "What was released lies in memory that no arena of the allocator has.",
              told=lambda case, sought: [
                  say("register", sought.cites[:1], frame=0, register=sought.register.name,
                      value=sought.register.value),
                  *mapped(case, sought.register.value),
                  say("told", of(sought.fault), how="arena", address=sought.fault.operand),
              ],
              advice="Free or grow only what malloc() returned: look for a pointer to an array of "
              "its own, which was to be replaced when it became too small."),
        Proof(_by_message, "The allocator refused the pointer.",
              lambda case, _: 0.78 if _intact(case) else 0.65,
              lambda case, _: Rung.STRUCTURE if _intact(case) else Rung.TEXT, "refused",
              lambda case, _: [*stopped(case), *whole(case)],
              missing="the pointer itself, to see where it lies",
              advice="Free only what malloc() returned."),
        Open(lambda case: released.given(case) is None,
             "The pointer that was freed could not be recovered.", 0.3, Rung.TEXT,
             support=lambda case, _: messages.cites(case),
             missing="the caller's registers, or debug information for its variables"),
        Rival(_free_chunk, "The memory was the allocator's, and is free already.", _pointer_and,
              Rung.STRUCTURE),
        Rival(_begun_chunk, "The pointer is one that the allocator gave out.", _pointer_and,
              Rung.STRUCTURE),
        Rival(lambda case: signs.broken_heap(case) if _mine(case) else None,
              "The heap's headers are damaged.", rung=Rung.STRUCTURE),
        Open(_mine, "The pointer lies in a heap, but which chunk it belongs to is not known.", 0.4,
             support=lambda case, argument: of(argument) + messages.cites(case),
             missing="a walk of the heap that holds it"),
        Open(lambda case: released.doubted(case, released.given(case)),
             "The heap's headers are damaged, and what the call passed is not known to be what was "
             "freed.", against=lambda _, damaged: of(damaged),
             missing="the pointer that free() was given"),
        Rival(_mismatched, "The pointer is off by the size of an array's count: new and delete do "
              "not match.", lambda case, argument: of(argument) + of(case.chunk(argument.value))),
        Proof(released.given, "The pointer that was freed is not one that the allocator gave out.",
              0.93, told=_why, advice=_OWN_POINTER),
    ),
)  # fmt: skip
