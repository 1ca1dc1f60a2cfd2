"""A managed exception that nobody caught."""

from analyzers.log.managed import category_of
from analyzers.patterns.cause import Cause, Open, Proof, Rival
from analyzers.patterns.exceptions import CATCH
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.frames import application
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import Cites, of, shown
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, InnerException, ManagedException, Stack
from workbench.model.hypothesis import Rung

_PLAIN = Category.UNCAUGHT_EXCEPTION
_STATEMENTS = {
    _PLAIN: "A managed exception was thrown that nobody caught.",
    Category.MISSING_METHOD: "A method was called that the loaded assembly does not have.",
    Category.VERSION_MISMATCH: "An assembly was found that is not the one which was wanted.",
    Category.LIBRARY_LOAD_FAILURE: "A library could not be loaded.",
    Category.OUT_OF_MEMORY: "The runtime had no memory left for an allocation.",
    Category.DIVIDE_BY_ZERO: "A number was divided by zero.",
}
_ADVICE = {
    _PLAIN: CATCH,
    Category.MISSING_METHOD: "Deploy the version of the assembly that the caller was compiled "
    "against.",
    Category.VERSION_MISMATCH: "Deploy the version that is wanted, built for this processor, or "
    "redirect the binding.",
    Category.LIBRARY_LOAD_FAILURE: "Deploy the library beside the program, and what that library "
    "needs itself.",
    Category.OUT_OF_MEMORY: "See what fills the managed heap (dumpheap -stat) and what limit the "
    "process has.",
    Category.DIVIDE_BY_ZERO: "Check the divisor before this line.",
}
# What the runtime itself throws around what a task, a called method or a static constructor threw
# (.NET API reference, each class's remarks): the frames of the program are inside.
_CARRIERS = frozenset(
    {"System.AggregateException", "System.Reflection.TargetInvocationException",
     "System.TypeInitializationException"}
)  # fmt: skip


def cause_of(found: ManagedException) -> Category:
    """What an exception stands for: by its own type, else by the innermost that it wraps."""
    inner = found.inner[-1] if found.inner else None
    category = category_of(found.type, found.message or "")
    if category is _PLAIN and inner is not None:
        category = category_of(inner.type, inner.message or "")
    return category if category in _STATEMENTS else _PLAIN


def thrown(case: ManagedCase) -> ManagedException | None:
    """The exception that ended the process: one that is said to be uncaught, else the fullest
    description of the last one."""
    # The runtime throws this one itself when the program ends on purpose (FailFast).
    own = "System.ExecutionEngineException"
    found = [e for e in case.facts.all(ManagedException) if e.type != own]
    if not found:
        return None
    last = next((e for e in reversed(found) if e.uncaught), found[-1])
    same = [e for e in found if e.type == last.type and last.address in (None, e.address)]
    same = same or [last]
    return max(same, key=lambda e: (bool(e.frames), sum(i.message is not None for i in e.inner)))


def is_fatal(case: ManagedCase, found: ManagedException) -> bool:
    """True when an exception ended the process, as far as the facts show."""
    if found.uncaught or _said_uncaught(case):
        return True
    if case.process is not None and case.process.snapshot:
        return False
    return case.died or (_raising(case) and not WindowsCase(case.facts).first_chance)


def _said_uncaught(case: ManagedCase) -> bool:
    return any(e.uncaught for e in case.facts.all(ManagedException))


def _raising(case: ManagedCase) -> bool:
    """True when a thread stands in the runtime's own raising of an exception."""
    names = ("RaiseTheExceptionInternalOnly", "RaiseException", "IL_Throw", "RhThrowEx")
    return any(
        any(name in (frame.function or "") for name in names)
        for stack in case.facts.all(Stack)
        for frame in stack.frames[:8]
    )


def _rows(case: ManagedCase, found: ManagedException) -> Cites:
    return tuple(
        c
        for tid, item in case.managed.items()
        if item.exception_address is not None and item.exception_address == found.address
        for c in (*case.cite_row(tid), *case.cite_thread(tid))
    )


def throwing_frame(case: ManagedCase, found: ManagedException) -> tuple[Frame | None, Cites]:
    """The application's frame that threw: by the exception's own stack, for one that only carries
    another by that one's, else by that of its thread, and the line that shows it."""
    carried = _carried(found)
    frame = application(carried.frames if carried else ()) or application(found.frames)
    if frame is not None:
        return frame, case.cite_frame(found, frame)
    for tid, item in case.managed.items():
        if item.exception_address and item.exception_address == found.address:
            frame = case.application_frame(tid)
            if frame is not None:
                return frame, case.cite_frame(case.managed_stacks[tid], frame)
    return None, ()


def _frame(case: ManagedCase, found: ManagedException) -> Frame | None:
    return throwing_frame(case, found)[0]


def _line(case: ManagedCase, found: ManagedException) -> Cites:
    return throwing_frame(case, found)[1] or of(found)


def _carried(found: ManagedException) -> InnerException | None:
    """The exception that others carry; None where none does."""
    carried = None
    outer = found.type
    for inner in found.inner:
        if outer not in _CARRIERS:
            break
        outer, carried = inner.type, inner
    return carried


def _details(case: ManagedCase, found: ManagedException) -> list[Claim]:
    code = found.hresult
    number = None if code is None else at(code, (), f"{code:#010x}")
    given = {"message": found.message, "hresult": number}
    claims = [say("exception", of(found), type=found.type, **given)]
    inner = [
        say("exception", of(found), outer=found.type, type=inner.type, message=inner.message)
        for inner in found.inner[:4]
    ]
    carried = _carried(found)
    # What threw in the frame goes first: the outer one was thrown elsewhere.
    claims = [c for c in inner if carried and c.get("type") == carried.type] + claims
    claims += [c for c in inner if c not in claims]
    for tid, item in case.managed.items():
        if item.exception_address is not None and item.exception_address == found.address:
            name = item.exception
            claims.append(say("thread", case.cite_row(tid), thread=shown(tid), exception=name))
    return claims


def _rows_with_one(case: ManagedCase) -> list[int]:
    """The threads that have an exception of the program's own."""
    own = "System.ExecutionEngineException"
    return [
        t for t, item in case.managed.items() if item.exception_address and item.exception != own
    ]


def _alive(case: ManagedCase) -> bool:
    return case.process is not None and case.process.snapshot


def _fatal(case: ManagedCase) -> ManagedException | None:
    found = thrown(case)
    return found if found is not None and is_fatal(case, found) else None


def _likely(case: ManagedCase, _: object) -> float:
    return 0.94 if case.died or _said_uncaught(case) else 0.3 if _alive(case) else 0.7


def _printed(case: ManagedCase, _: object) -> tuple[Command, ...]:
    found = [case.managed[tid].exception_address or 0 for tid in _rows_with_one(case)[:3]]
    return (*map(commands.exception, found), commands.EXCEPTION, commands.STACKS)


def _cites(case: ManagedCase, _: object) -> Cites:
    rows = _rows_with_one(case)[:3]
    return of(thrown(case)) or tuple(c for tid in rows for c in case.cite_row(tid))


def _inside(case: ManagedCase) -> tuple[Command, ...]:
    """Asks for the exceptions inside it that were only named."""
    found = thrown(case)
    inner = [i for i in (found.inner if found is not None else ()) if i.message is None]
    return tuple(commands.exception(i.address) for i in inner if i.address is not None)[:3]


def _unnamed(_: ManagedCase, found: ManagedException) -> tuple[str, ...]:
    named = all(inner.message is not None for inner in found.inner)
    return () if named else ("the message of the wrapped exception",)


def _managed(category: Category) -> Cause[ManagedException | list[int]]:
    """An exception that ended the process, with the stack on which it was thrown, where its type
    stands for this cause."""

    def suspected(case: ManagedCase) -> ManagedException | list[int] | None:
        found = thrown(case)
        if found is not None:
            return found if cause_of(found) is category else None
        return _rows_with_one(case) if case.died and category is _PLAIN else None

    def another(case: ManagedCase) -> ManagedException | None:
        found = thrown(case)
        return found if found is not None and cause_of(found) is not category else None

    return Cause(
        category,
        "A managed exception that nobody caught.",
        statement=_STATEMENTS[category],
        sign=suspected,
        prior=_likely,
        tests=_printed,
        cites=_cites,
        ask=_inside,
        view=ManagedCase,
        findings=(
            Rival(another, "The exception stands for another cause."),
            Rival(lambda case: thrown(case) if _alive(case) and not _said_uncaught(case) else None,
                  "The process was alive when the dump was made: the exception is one that was "
                  "handled.", lambda case, found: of(case.process) + of(found), Rung.STRUCTURE),
            Proof(_fatal, "A managed exception object is in flight and nobody caught it.", 0.95,
                  Rung.STRUCTURE, "thrown", _details,
                  lambda case, found: [*_rows(case, found), *of(case.process)], frame=_frame,
                  lines=_line, missing=_unnamed, advice=_ADVICE[category]),
            Open(thrown, "An exception was thrown; that it ended the process is not shown.", 0.6,
                 Rung.STRUCTURE, "raised" if category is _PLAIN else "thrown", _details,
                 lambda _, found: of(found), frame=_frame, lines=_line,
                 missing="how the process ended"),
        ),
        absent="No managed exception was found.",
        unseen=lambda case: [c for tid in list(case.managed)[:4] for c in case.cite_row(tid)],
        rung=Rung.STRUCTURE,
    )  # fmt: skip


MANAGED_THROWN = tuple(map(_managed, _STATEMENTS))
"""The plain cause, and those that the type of an exception stands for."""
