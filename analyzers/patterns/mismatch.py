"""Memory released by another operator than the one that allocates it."""

from analyzers.patterns import commands, messages
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof
from analyzers.patterns.released import ask_for_pointer, died_in_free, given, releasing
from analyzers.patterns.stated import inside, passed
from analyzers.patterns.words import Cites, of
from workbench.model.category import Category
from workbench.model.facts import Argument
from workbench.model.hypothesis import Rung


def mismatch(case: Case, argument: Argument) -> str | None:
    """What was allocated, an ``array`` or a ``single`` object, where delete is of the other, by
    the eight bytes of an array's count in front of its first element (Itanium C++ ABI, 2.7); None
    where they agree."""
    chunk = case.chunk(argument.value)
    called = _delete(case, argument)
    if chunk is None or called is None:
        return None
    is_array = called.startswith("_Zda") or "[]" in called
    if chunk.offset == 8 and not is_array:
        return "array"
    if chunk.offset == -8 and is_array:
        return "single"
    return None


def _delete(case: Case, argument: Argument) -> str | None:
    """The name of the operator delete that the program called, or None."""
    name = argument.function or ""
    if name.startswith(("_Zdl", "_Zda", "operator delete")):
        return name
    names = [
        f.function
        for f in case.frames[:24]
        if f.function and f.function.startswith("operator delete")
    ]
    return names[-1] if names else None


def _is_cpp(case: Case) -> bool:
    """True when the program is C++ by its libraries, its sources or its frames."""
    if any((f.function or "").startswith("operator delete") for f in case.frames):
        return True
    if any((f.file or "").endswith((".cpp", ".cc", ".cxx", ".C", ".hpp")) for f in case.frames):
        return True
    paths = [region.path or "" for region in case.regions]
    return any("/libstdc++.so" in path or "/libc++.so" in path for path in paths)


def _suspected(case: Case) -> bool:
    refused = messages.says(case, *messages.BAD_POINTER, *messages.BAD_SIZE)
    return (refused or died_in_free(case)) and _is_cpp(case)


def _off_by_count(case: Case) -> Argument | None:
    argument = given(case)
    return argument if argument is not None and mismatch(case, argument) is not None else None


def _given_and_chunk(case: Case) -> Cites:
    argument = given(case)
    return of(argument) + of(case.chunk(argument.value) if argument is not None else None)


MISMATCHED_DEALLOCATION = Cause(
    Category.MISMATCHED_DEALLOCATION,
    "new[] against delete, or new against delete[].",
    statement="Memory was released by another operator than the one that allocates it.",
    sign=_suspected,
    prior=0.5,
    tests=lambda case, _: (*commands.source(case.frame), *commands.registers(releasing(case))),
    cites=lambda case, _: messages.cites(case) + case.cite(case.frame),
    ask=ask_for_pointer,
    findings=(
        Open(lambda case: given(case) is None, "The pointer that was freed could not be recovered.",
             0.2, missing="the caller's registers"),
        Proof(_off_by_count, "The pointer is off by exactly the array's count.",
              rung=Rung.STRUCTURE, how=lambda case, argument: mismatch(case, argument) or "",
              told=lambda case, argument: [*inside(case, argument.value, offset=True),
                                           *passed(argument)],
              support=lambda case, _: messages.cites(case),
              advice="Release new[] with delete[], and new with delete."),
    ),
    absent="The pointer is not off by an array's count.",
    unseen=_given_and_chunk,
)  # fmt: skip
