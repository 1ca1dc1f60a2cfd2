"""How patterns speak: statements of places and ends, and verdicts held to what they cite."""

from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.owners.functions import is_library_namespace, is_runtime_name
from analyzers.owners.sources import is_cxx_header
from analyzers.patterns import in_line, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.given import came_from
from workbench.claims.say import Given, at, cause, say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Arg, Claim
from workbench.model.facts import ExceptionRecord, Frame, ManagedException, Signal, Stack
from workbench.model.hypothesis import (
    HIGH_CONFIDENCE,
    ITEMS_FOR_HIGH,
    UPPER_RUNGS,
    Rung,
    Status,
    Verdict,
)

Cites = tuple[Citation, ...]


def in_place(
    case: Case, category: Category, frame: Frame | None, /, how: str = "",
    cites: Iterable[Citation] = (), **given: Given,
) -> Claim:  # fmt: skip
    """What a cause does in a frame: the first statement of a verdict. Its words are the row of
    ``category`` and ``how`` in `workbench.claims.texts.CAUSES`. ``cites`` are the lines of a frame
    that is in no stack, or what tells the cause where no frame does."""
    lines = case.cite(frame) or tuple(cites) or of(case.fault)
    if not lines and case.ending is not None:
        lines = of(case.ending.fact)
    return cause(category.value, _own_place(frame), lines, how=how, **given)


def _own_place(frame: Frame | None) -> Frame | None:
    """A frame without the line of a C++ library's header, where that is not its function's: what
    was inlined there has no frame of its own, and the function's own line is not known."""
    if frame is None or not frame.function or not is_cxx_header(frame.file or ""):
        return frame
    theirs = is_library_namespace(frame.function, frame.file) or is_runtime_name(frame.function)
    return frame if theirs else replace(frame, file=None, line=None, file_lines=None)


def in_frame(
    stack: Stack | ManagedException | None, frame: Frame | None, *cites: Iterable[Citation]
) -> list[Claim]:
    """That a thread is in a frame, by the stack that shows it, or by an exception's own one."""
    if stack is None or frame is None:
        return []
    who = {"thread": shown(stack.thread)}
    if isinstance(stack, Stack) and stack.thread is None:
        who["number"] = at(stack.number, ())
    lines = [*line_of(stack, frame.line_no), *(c for group in cites for c in group)]
    who["index"] = at(frame.index, lines)
    return [say("frame", lines, **who, **placed(frame, lines))]


def placed(frame: Frame, cites: Iterable[Citation]) -> dict[str, Arg]:
    """The arguments that name a frame."""
    return {arg.name: arg for arg in cause("", _own_place(frame), cites).args if arg.cites}


def shown(thread: int | None, cites: Iterable[Citation] = ()) -> Arg | None:
    """A TID as Windows and SOS write it: in hexadecimal."""
    return None if thread is None else at(thread, cites, shown=f"{thread:#x}")


def of(fact: object) -> Cites:
    """The citation of a fact, or none for None."""
    cite = getattr(fact, "cite", None)
    return (cite,) if isinstance(cite, Citation) else ()


def line_of(fact: object, line: int) -> Cites:
    """One line of a fact's evidence; the whole fact where the line is not known."""
    cite = getattr(fact, "cite", None)
    if not isinstance(cite, Citation):
        return ()
    return (Citation(cite.evidence, line, line),) if line else (cite,)


def raised(record: ExceptionRecord) -> Claim:
    """An exception of Windows: its name, code, place and thread, as far as its record tells."""
    code, thread = at(record.code, (), f"{record.code:#010x}"), shown(record.thread)
    given = {"code": code, "thread": thread, "address": at(record.address, ())}
    return say("raised", of(record), name=record.name, **given)


def interrupted(case: Case, stack: Stack | None) -> list[Claim]:
    """The program's code that a signal had interrupted whose handler is on a stack."""
    handler = next((f for f in stack.frames if f.signal_handler), None) if stack else None
    if stack is None or handler is None:
        return []
    rest = [f for f in stack.frames if f.index > handler.index]
    frame = case.frame_of(replace(stack, frames=tuple(rest)))
    if frame is None or not frame.function:
        return []
    return [say("told", case.cite(frame), how="interrupted", name=frame.function)]


def end_claims(case: Case) -> list[Claim]:
    """The code that was interrupted where a signal's handler failed, then the end."""
    return [*(interrupted(case, case.stack) if case.faulted else ()), *signal_claim(case)]


def signal_claim(case: Case) -> list[Claim]:
    """The signal or exception that ended the process, by its name."""
    ending, handled = case.ending, case.handled
    if ending is None:
        return []
    fact = ending.fact
    if isinstance(fact, ExceptionRecord) and (fact.platform == "windows" or not fact.name):
        return [raised(fact)]
    if handled is None:
        return [say("signal", of(fact), name=fact.name)]
    last = case.facts.first(Signal)
    first = say("told", of(handled), how="handled", name=ending.name)
    return [first, *([say("signal", of(last), name=last.name)] if last is not None else [])]


def settled(case: Case, said: Verdict) -> Verdict:
    """A verdict as far as what it cites and the dump's health allow. Of one that confirms, claims
    without a line to cite are left out; where none is left it stays open."""
    proves, claims, supporting = said.status is Status.CONFIRMED, said.claims, said.supporting
    # What fills the heap was not allocated where a thread happens to stand now.
    placed = not claims or claims[0].get("category") != Category.MEMORY_LEAK
    if proves and not (claims := tuple(each for each in claims if each.citations)):
        reason, missing = said.reason, ("lines of evidence to cite",)
        return settled(case, still_open(reason, missing, rung=said.rung))
    claims, confidence = _with_names(case, claims, said.frame), said.confidence
    if proves:
        supporting = (*(c for each in claims for c in each.citations), *supporting)
        if len({c.evidence for c in supporting}) < ITEMS_FOR_HIGH or said.rung not in UPPER_RUNGS:
            confidence = min(confidence, HIGH_CONFIDENCE)
    return replace(
        said,
        confidence=round(min(confidence, case.ceiling), 2),
        supporting=tuple(dict.fromkeys(supporting)),
        contradicting=tuple(dict.fromkeys(said.contradicting)),
        claims=claims,
        frame=_own_place(said.frame or ((case.frame or case.left) if placed else None)),
    )


def still_open(
    reason: str, missing: tuple[str, ...], confidence: float = 0.3, rung: Rung = Rung.STACK
) -> Verdict:
    """An open verdict; ``missing`` says what would decide it."""
    return Verdict(
        status=Status.INCONCLUSIVE, confidence=confidence, rung=rung, reason=reason, missing=missing
    )


def rejected(
    reason: str, contradicting: Iterable[Citation], *, rung: Rung = Rung.MACHINE
) -> Verdict:
    """A rejected verdict; what speaks against it is cited. Without a line to cite it stays open."""
    against = tuple(dict.fromkeys(contradicting))
    return Verdict(
        status=Status.REJECTED if against else Status.INCONCLUSIVE, confidence=0.05,
        rung=rung if against else Rung.TEXT, reason=reason, contradicting=against,
        missing=() if against else ("the facts that would speak for or against it",))  # fmt: skip


def _with_names(case: Case, claims: tuple[Claim, ...], frame: Frame | None) -> tuple[Claim, ...]:
    """What the source calls the operand, and what the caller that gave it does, stand behind the
    first statement, of the frame at fault."""
    if not claims:
        return claims
    if frame is None or frame == case.frame:
        given = came_from(case)
        said = () if given is None or given.said is None else (given.said,)
        claims = (
            claims[0],
            *dict.fromkeys((*spoken.named(case), *said, *in_line.taken(case), *claims[1:])),
        )
    return (claims[0], *in_line.told(case, claims, _own_place(frame or case.frame)), *claims[1:])
