"""What an origin that a run of the program showed makes of a conclusion."""

import shlex
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.patterns.waitgraph import WaitGraph
from workbench.agents.weight import allowed_confidence
from workbench.claims.chain import SHOWN_BY, way
from workbench.claims.render import fill, step_how, step_place
from workbench.claims.say import Given, say
from workbench.claims.values import number
from workbench.model.category import Category
from workbench.model.claims import Claim, Outcome, Prediction
from workbench.model.critique import Conclusion, Symptom
from workbench.model.events import AnyEvent, HypothesisDecided, PredictionsDecided
from workbench.model.facts import CoreHealth, Frame, Hit, Process, Signal
from workbench.model.hypothesis import HIGH_CONFIDENCE, Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind, OriginStep
from workbench.model.target import TargetKind

_UNLIKELY = 0.05
_SAYS_MORE = {
    **{
        (OriginKind.FREED, one): Category.USE_AFTER_FREE
        for one in (
            Category.WILD_POINTER,
            Category.CORRUPTED_POINTER,
            Category.HEAP_BUFFER_OVERFLOW,
            Category.HEAP_CORRUPTION,
            Category.INVALID_VTABLE,
            Category.NULL_POINTER_DEREFERENCE,
            Category.NULL_FUNCTION_POINTER_CALL,
            Category.PURE_VIRTUAL_CALL,
            Category.WRITE_TO_READ_ONLY_MEMORY,
            Category.MISALIGNED_ACCESS,
            Category.OUT_OF_BOUNDS_READ,
            Category.OUT_OF_BOUNDS_WRITE,
            Category.TYPE_CONFUSION,
            Category.ILLEGAL_INSTRUCTION,
            Category.DIVIDE_BY_ZERO,
            Category.UNCAUGHT_EXCEPTION,
            Category.ASSERTION_FAILURE,
            Category.PANIC,
            Category.UNKNOWN,
        )
    },
    (OriginKind.NEVER_SET, Category.UNKNOWN): Category.UNINITIALIZED_POINTER,
    (OriginKind.NEVER_SET, Category.WILD_POINTER): Category.UNINITIALIZED_POINTER,
    (OriginKind.NEVER_SET, Category.CORRUPTED_POINTER): Category.UNINITIALIZED_POINTER,
    (OriginKind.NEVER_SET, Category.DOUBLE_FREE): Category.UNINITIALIZED_POINTER,
    (OriginKind.NEVER_SET, Category.INVALID_FREE): Category.UNINITIALIZED_POINTER,
    (OriginKind.NEVER_SET, Category.USE_AFTER_FREE): Category.UNINITIALIZED_POINTER,
}
"""By what was observed and what the fault alone showed: the category that says what happened."""
DECIDES = {
    OriginKind.FREED: (Category.USE_AFTER_FREE, Category.WILD_POINTER),
    OriginKind.RELEASED_EARLY: (Category.USE_AFTER_FREE, Category.WILD_POINTER),
    OriginKind.CLEARED: (Category.NULL_POINTER_DEREFERENCE,),
    OriginKind.RETURNED: (Category.NULL_POINTER_DEREFERENCE,),
    OriginKind.NEVER_SET: (Category.UNINITIALIZED_POINTER, Category.WILD_POINTER),
    OriginKind.WRITTEN: (Category.CORRUPTED_POINTER, Category.WILD_POINTER),
    OriginKind.TRUNCATED: (Category.WILD_POINTER,),
    OriginKind.UNMAPPED: (Category.WILD_POINTER,),
}
"""Of the causes that one dump left open, those that such an origin shows, the first that is there:
that an address is no place for the access needs only to be told how it came about."""
_ADVICE = {
    "freed": "Let nothing use or free the memory once {place} has freed it: clear what still "
    "points to it, or free it later.",
    "freed-owner": "Let nothing keep the old address of what {place} frees or moves: keep its "
    "index, or take the address again.",
    "released-early": "Let {place} release it once nobody uses it any more.",
    "left-frame": "Give what lies in the frame of {place} memory that outlives all who use it, or "
    "let the function wait until they are done.",
    "written": "Check what {place} writes, and how far, against the memory that it is meant for, "
    "and who still uses what stood there.",
    "stored": "Check the value at {place} before it is stored, or where it is read.",
    "computed": "Check what {place} computes, and what it computes it from.",
    "truncated": "Keep the value whole on its way to {place}: declare what returns, passes or "
    "holds it as wide as it is.",
    "cleared": "Let {place} clear it once nobody uses it any more, or let its users take that it "
    "may be gone.",
    "taken-out": "Let {place} take it out once nobody looks it up any more, or let who looks it "
    "up take that it may be gone.",
    "never-set": "Set what {place} makes before it is used.",
    "allocated-too-small": "Let {place} allocate what is used, or use what it allocated.",
    "unmapped": "Let nothing use the memory once {place} has unmapped or moved it.",
    "returned": "Handle what {place} returned where it is called, or let it return what can be "
    "used.",
    "called": "Handle at {place} what the function that is called there may return.",
    "passed-wrong": "Check what {place} passes before the call.",
    "locked": "Give the lock that {place} takes back on every way out, and before its thread asks "
    "for it again.",
    "shared": "Copy at {place} what the pointer leads to, too, or let one of the two own it alone.",
    "read-early": "Let {place} read it once it is set.",
    "unchecked": "Let {place} be reached only where the pointer is not null.",
}
"""By what a run showed (`step_how`), what to do; the expert, who saw the fault alone, advised how
to find that. Other kinds of origin leave his advice."""
_AGAIN = (
    "Run the program again to find the line that caused it: `workbench reproduce {name} -- "
    "{command}`{whose}, or R on the screen."
)
_LONGEST_COMMAND = 160
"""Characters of one that a line of advice has room for; the report shows a longer one, too."""
_ENDS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT")
"""Signals whose cause a run may show."""


def advised(state: Investigation) -> tuple[str, ...]:
    """What to do: first to run the program again, where that may show the origin and was not done,
    and the program here is not another one, then what the conclusion advises."""
    conclusion, target, signal = state.conclusion, state.target, state.facts.first(Signal)
    if conclusion is None:
        return ()
    health = state.facts.last(CoreHealth)
    again = (
        target is not None
        and (target.kind, target.arch, target.runtime) == (TargetKind.ELF_CORE, "x86_64", None)
        and ((signal and signal.name) in _ENDS or conclusion.category is Category.DEADLOCK)
        and conclusion.origin is None
        and not (health and health.executable_matches is False)
        and all(item.host != "run" for item in state.evidence.values())
    )
    command = shlex.join(words_of(state)) if target is not None and target.executable else ""
    shown = 0 < len(command) <= _LONGEST_COMMAND and command.isprintable() and "`" not in command
    told = fill(_AGAIN, {
        "name": f"{state.session_id or 'SESSION'}{state.options.kept_in}",
        "command": command if shown else "COMMAND",
        "whose": " (its arguments as the dump names them)" if shown and " " in command else "",
    })  # fmt: skip
    return (*((told,) if again else ()), *conclusion.recommendations)


def words_of(state: Investigation) -> list[str]:
    """The command line of the dead process, which the dump names; none where it names no program.
    A line that was not found on the stack is noted without quotation marks."""
    process, target = state.facts.first(Process), state.target
    given = target.executable if target is not None else None
    given = given or (process.executable if process is not None else None)
    line = process.command_line if process is not None else None
    try:
        words = shlex.split(line or "")
    except ValueError:  # cut in the middle of a quotation
        words = (line or "").split()
    return [given, *words[1:]] if given is not None else words


def left_open(state: Investigation, origin: Origin) -> Hypothesis | None:
    """The hypothesis that the dump left open and that the origin decides; where the dump decided
    for another, only one that says more than that."""
    found, old = _decided(state, origin, Status.INCONCLUSIVE), state.conclusion
    if found is None or old is None or old.hypothesis is None:
        return found
    return found if _SAYS_MORE.get((origin.kind, old.category)) is found.category else None


def _decided(state: Investigation, origin: Origin, status: Status) -> Hypothesis | None:
    by = {h.category: h for h in state.hypotheses.values() if h.status is status}
    return next((by[one] for one in DECIDES.get(origin.kind, ()) if one in by), None)


def may_be_root(state: Investigation, origin: Origin) -> bool:
    """Whether that which the dump proves can have begun there: memory that is used after it was
    freed was given back (or its pointer never set), what ended in std::terminate() without an
    exception is told by no value, and of a read from outside neither who stored what lies there
    nor the reading line itself is a cause."""
    proved = state.conclusion
    if proved is None or proved.hypothesis is None:
        return True
    if proved.category is Category.USE_AFTER_FREE and origin.kind is not OriginKind.NEVER_SET:
        row = SHOWN_BY.get(origin.kind.value)
        return row is not None and proved.category.value in row.categories
    if proved.category is not Category.OUT_OF_BOUNDS_READ:
        return proved.category is not Category.STD_TERMINATE
    used = next((step for step in origin.steps if step.kind is OriginKind.USED), None)
    if used is None or origin.kind not in (OriginKind.WRITTEN, OriginKind.COMPUTED):
        return True
    same = (origin.function, origin.line) == (used.function, used.line)
    read = number(origin.new)
    return not same and (read is None or read != used.address)


def shown_by(origin: Origin, hypothesis: Hypothesis) -> Verdict:
    """The verdict of a run that showed what a dump had left open."""
    told = hypothesis.verdict
    return Verdict(
        status=Status.CONFIRMED, confidence=HIGH_CONFIDENCE, rung=Rung.STRUCTURE,
        reason="A run of the program showed it.",
        supporting=tuple(dict.fromkeys((*origin.evidence, *(told.supporting if told else ())))),
        claims=told.claims if told else (), frame=told.frame if told else None)  # fmt: skip


def connected(state: Investigation, origin: Origin) -> tuple[Claim, ...]:
    """Statements from the fault of a run to the origin, over where the way back came by and what
    was observed there; empty where what the evidence holds does not connect the two."""
    hits = state.facts.all(Hit)
    passed = [hit for hit in hits if hit.role in ("read", "used")]
    goals = _claims(hits, origin, passed)
    between = [_claim(hit, hit.frames[0] if hit.frames else None) for hit in passed]
    between += [claim for step in origin.steps for claim in _claims(hits, step, passed)]
    ends = {hit.into for hit in hits}
    for fault in (hit for hit in hits if hit.signal):
        for frame in (one for one in fault.frames if one.address in ends):
            start = _claim(fault, frame, signal=fault.signal, address=frame.address)
            for goal in goals:
                if found := way(start, goal, between):
                    return found
    return ()


def _claims(hits: Sequence[Hit], step: OriginStep, passed: Sequence[Hit]) -> list[Claim]:
    """What a step states of its hit, of a block also which place on the way lies in it."""
    hit = next((one for one in hits if one.cite in step.evidence), None)
    if hit is None:
        return []
    where = (step.function, step.line)
    frame = next((one for one in hit.frames if (one.function, one.line) == where), None)
    cells = (one.cell for one in passed if one.cell and hit.role != "write")
    held = dict.fromkeys(one for one in cells if one != hit.cell and hit.holds(one))
    return [_claim(hit, frame), *(_claim(hit, frame, inside=one) for one in held)]


def _claim(hit: Hit, frame: Frame | None, **more: Given) -> Claim:
    given = {name: getattr(hit, name) for name in ("role", "cell", "into", "old", "new")}
    if hit.role != "write":
        given["size"] = hit.size
    place = {name: getattr(frame, name, None) for name in ("function", "file", "line")}
    return say("role", (hit.cite,), **given, **place, **more)


_SHOWS = {
    **dict.fromkeys((Category.USE_AFTER_FREE, Category.DOUBLE_FREE), "freed"),
    **dict.fromkeys((Category.UNINITIALIZED_POINTER, Category.UNINITIALIZED_VALUE), "unwritten"),
}
"""By category: what the runs for a fault show if it is so, of a block that lies on the way to it,
or of the cell that is the origin's."""


def foretold(state: Investigation, origin: Origin) -> dict[str, tuple[Claim, ...]]:
    """By hypothesis that the dump left open, and that such an origin is not the root of: what the
    runs have to show if it is so."""
    hits = state.facts.all(Hit)
    passed = [hit.cell for hit in hits if hit.role in ("read", "used") and hit.cell]
    blocks = [hit for hit in hits if hit.role == "kept"
              or (hit.role == "freed" and any(map(hit.holds, passed)))]  # fmt: skip
    wrote = [hit for hit in hits if hit.cite in origin.evidence and hit.role == "write"]
    of = {"freed": blocks, "unwritten": wrote if origin.chain else []}
    row = SHOWN_BY.get(origin.kind.value)
    return {
        one.id: tuple(say("role", (hit.cite,), role=_SHOWS[one.category], cell=hit.cell)
                      for hit in of[_SHOWS[one.category]])
        for one in state.hypotheses.values()
        if one.status is Status.INCONCLUSIVE and one.category in _SHOWS
        and (row is None or one.category.value not in row.categories)
    }  # fmt: skip


def decided_by(found: Sequence[Claim], hypothesis: Hypothesis) -> tuple[AnyEvent, ...]:
    """The predictions with their outcomes; where all that are known came false, the verdict."""
    predictions = [
        Prediction(claim=claim, command="(run)", known=int(cite.evidence[1:]) - 1,
                   outcome=claim.status, evidence=str(cite))
        for claim in found for cite in claim.citations[:1]
    ]  # fmt: skip
    if not predictions:
        return ()
    all_of = (*hypothesis.predictions, *predictions)
    events: tuple[AnyEvent, ...] = (PredictionsDecided(id=hypothesis.id, predictions=all_of),)
    false = [claim for claim in found if claim.status is Outcome.REFUTED]
    if not false or any(claim.holds for claim in found):
        return events
    told = hypothesis.verdict
    verdict = Verdict(
        status=Status.REJECTED, confidence=_UNLIKELY, rung=Rung.STRUCTURE,
        reason="Its prediction of the runs came false.", supporting=told.supporting if told else (),
        contradicting=tuple(dict.fromkeys(c for claim in false for c in claim.citations)),
    )  # fmt: skip
    return (*events, HypothesisDecided(id=hypothesis.id, verdict=verdict))


def led_to(state: Investigation, old: Conclusion, origin: Origin) -> Conclusion:
    """The conclusion with its origin: the category is that of what was observed, and what the fault
    itself shows stays as the symptom. Of a case that was open the hypothesis which the origin
    confirmed is chosen; it keeps what was known."""
    decided = _decided(state, origin, Status.CONFIRMED)
    symptom = old.symptom or Symptom(
        category=old.category,
        frame=old.frame,
        claims=tuple(claim.id for claim in old.claims if claim.by == "expert" and claim.holds),
    )
    maker = next((one for one in origin.stack if one.function == origin.function), None)
    # Its line says more than where the function stood: a declaration's, where nothing ran.
    frame = replace(maker, line=origin.line or maker.line) if maker is not None else old.frame
    again = symptom.category is Category.UNKNOWN and old.hypothesis is not None
    category = old.category if again else symptom.category  # what runs before these had shown
    category = _SAYS_MORE.get((origin.kind, category), category)
    known = {claim.text for claim in old.claims}
    more = [claim for claim in origin.chain if claim.text not in known]
    claims = (*old.claims, *(replace(claim, id=f"C{at}") for at, claim in
                             enumerate(more, len(old.claims) + 1)))  # fmt: skip
    ids = {claim.text: claim.id for claim in claims}
    chain = tuple(ids[claim.text] for claim in origin.chain)
    new = replace(old, origin=origin, symptom=symptom, frame=frame, claims=claims, chain=chain)
    if old.hypothesis is None:
        if decided is not None:
            category = _SAYS_MORE.get((origin.kind, decided.category), decided.category)
            new = replace(new, hypothesis=decided.id)
        sure = min(HIGH_CONFIDENCE, allowed_confidence(state, new))
        new = replace(new, confidence=sure)
    elif decided is not None and decided.category is category:
        new = replace(new, hypothesis=decided.id)
    # Of a ring the expert knows more: what took the locks in which order is in its words.
    ring = origin.kind is OriginKind.LOCKED and state.facts.once(WaitGraph).cycles
    advice = _ADVICE.get(step_how(origin)) if not ring else None
    told = (fill(advice, {"place": step_place(origin)}),) if advice else new.recommendations
    missing = () if advice or category is not symptom.category else new.missing
    return replace(new, category=category, recommendations=told, missing=missing)
