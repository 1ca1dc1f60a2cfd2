"""What a model's explanation adds to the expert's conclusion.

Its verified statements stand beside the expert's. Its cause is chosen where its chain holds from
what failed back to an origin that the last link shows, of a category that such an origin is the
root of, the values or the stacks of the dump are those that this kind of origin leaves, and nothing
that it foretold came false: then the conclusion names the origin, with a confidence of at most
`WITH_CHAIN` (`WITHOUT_PREDICTION` where it foretold nothing), and what the expert
proved is the symptom. What evidence or a person has rejected stays so."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.patterns.case import NEAR_NULL
from workbench.agents.looking import program_frame
from workbench.claims.chain import ENDS, FAULT, SHOWN_BY, breaks, same_function, shows, words
from workbench.claims.render import last_part
from workbench.model.assisted_events import Explanation
from workbench.model.category import Category
from workbench.model.claims import Claim, Outcome
from workbench.model.critique import Conclusion, Symptom
from workbench.model.facts import Frame, Stack
from workbench.model.hypothesis import Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_BOUNDS = ("headers", "element finding converts loops allocates data outside")
_OUTSIDE = words("heap-buffer-overflow stack-buffer-overflow buffer-overflow out-of-bounds-write "
                 "out-of-bounds-read")  # fmt: skip
_SHOWS = {
    **dict.fromkeys((OriginKind.WRITTEN, OriginKind.COMPUTED, OriginKind.TOO_SMALL), _OUTSIDE),
    **dict.fromkeys((OriginKind.FREED, OriginKind.RELEASED_EARLY, OriginKind.UNMAPPED),
                    words("use-after-free")),
}  # fmt: skip
"""What a proof of an origin of a kind shows by itself: where the damage lies, what was given back.
"""
_ASKED = {
    **dict.fromkeys(words("freed released-early"), "the block that failed has to be free or given "
                    "out again, and no other listed line may release such an object; name the "
                    "pointer to it by a `value` in a frame"),
    "written": "the element that the line writes last has to lie behind its array and to be the "
               "cell that failed; name that cell by a `value` of its address",
    "computed": "what the line makes has to be an index outside of the array that it is used on, "
                "or a quotient that is 0 and the divisor",
    "truncated": "in an object that a frame leads to, the target has to have the expression's "
                 "value without its upper bits; name the object by a `value`",
    "allocated-too-small": "the block has to be asked for with fewer bytes than its elements take, "
                           "and the cell that failed to lie behind it; name both by a `value`",
    "passed-wrong": "the callee has to have that constant in the place that failed, or to have "
                    "asked for fewer bytes than the elements take",
    "unmapped": "the address that failed has to lie in what was unmapped, by one line alone",
    "cleared": "the member that was read has to be null and to have been set before, and no other "
               "line may clear it; name the object by a `value`",
    "never-set": "of the functions that make such objects this one alone may leave the member, and "
                 "no other line may set it; of a variable state the line that declares it, of a "
                 "member that some way through the function leaves the one that allocates",
    "returned": "what failed has to be what a variable or member has that the call is stored in, "
                "and no other line may return it",
    "locked": "a thread of the ring has to stand in a line that runs with the lock held",
    "looped": "the thread that goes round has to stand in that loop",
    "recursed": "the frames that repeat have to stand in that call",
}  # fmt: skip
"""What code looks for where an origin of a kind is to be proved, as a model is told."""
_SHOWN: dict[str, tuple[str, str]] = {
    **dict.fromkeys(_OUTSIDE, _BOUNDS),
    "use-after-free": ("freed finding", ""),
    **dict.fromkeys(words("double-free invalid-free mismatched-deallocation"),
                    ("finding", "message freed argument frees")),
    **dict.fromkeys(words("uninitialized-pointer uninitialized-value"),
                    ("never_sets unset", "")),
    "integer-overflow": ("", "converts computed"),
    "unchecked-allocation": ("allocates", ""),
    "infinite-loop": ("loop loops", ""),
    "data-race": ("", "threads"),
    "type-confusion": ("member virtual_call", "declares converts"),
    "null-pointer-dereference": ("", "near-null"),
    "null-function-pointer-call": ("", "near-null"),
    "divide-by-zero": ("", "divides"),
}  # fmt: skip
"""Of a category what shows it by itself, and what else is enough where nothing is proved."""
_SYMPTOMS = words("null-pointer-dereference null-function-pointer-call invalid-vtable "
                  "misaligned-access write-to-read-only-memory corrupted-pointer wild-pointer "
                  "heap-corruption out-of-bounds-read bus-error divide-by-zero "
                  "illegal-instruction trap assertion-failure panic uncaught-exception "
                  "std-terminate explicit-abort")  # fmt: skip
"""What says only what failed, where another one may be the root: any other that is proved is it."""
_BEGINS = {
    **dict.fromkeys(words("deadlock missed-wakeup thread-starvation"), words("waits")),
    **dict.fromkeys(words("infinite-loop high-cpu"), words("loop")),
    **dict.fromkeys(words("double-free invalid-free mismatched-deallocation"),
                    words("message finding raised headers")),
    "stack-overflow": words("repeats access fault_address stack"),
    "assertion-failure": words("message"),
    **dict.fromkeys(words("explicit-abort panic uncaught-exception std-terminate"), ENDS),
    "data-race": words("waits loop access fault_address finding"),
}  # fmt: skip
"""What a chain to the root of a category begins with; of others with none of `_NO_ACCESS`."""
_NO_ACCESS = words("waits loop repeats signal")
_IN_USE = frozenset({"in-use", "in use", "header", "None"})
_ELEMENT = re.compile(r"\(*[^&]*&[^&]*\[.+\]")


def unproved(
    category: Category, chain: Sequence[Claim], state: Investigation, kind: OriginKind | None = None
) -> list[str]:
    """Why the chain does not show the category; empty where it does. ``kind`` is that of an origin
    that is proved."""
    proved = {
        one.category
        for one in state.hypotheses.values()
        if one.proposed_by == "expert" and one.status is Status.CONFIRMED
        and one.verdict is not None and not one.verdict.by_chain
    }  # fmt: skip
    roots = {one for one in proved if one.value not in _SYMPTOMS}
    if category in (roots or proved) or (
        not roots and kind is not None and category.value in _SHOWS.get(kind, ())
    ):  # fmt: skip
        return []
    alone, beside = (words(text) for text in _SHOWN.get(category.value, ("", "")))
    marks = {mark for claim in chain for mark in _marks(claim)}
    if len({claim.get("thread") for claim in chain} - {None}) > 1:
        marks.add("threads")
    if not roots and marks & (alone if proved else alone | beside):
        return []
    if proved:
        known = ", ".join(sorted(proved))
        return [f"category: {known} is proved, and no statement of the chain shows {category}"]
    return [f"category: no statement of the chain shows {category}"]


def _marks(claim: Claim) -> set[str]:
    """What a statement shows: its kind, and what its arguments make of it."""
    found = {claim.kind}
    address = claim.get("address")
    if claim.kind == "chunk" and str(claim.get("state")) not in _IN_USE:
        found.add("freed")
    if claim.kind == "value" and _ELEMENT.fullmatch(str(claim.get("expression"))):
        found.add("element")
    if claim.kind == "access":
        found |= {"divides"} if claim.get("divisor") is not None else set()
        found |= {"near-null"} if isinstance(address, int) and address < NEAR_NULL else set()
    return found


WITH_CHAIN, WITHOUT_PREDICTION = 0.8, 0.5
_GOES_ON = (OriginKind.LOOPED, OriginKind.RECURSED, OriginKind.LOCKED)
"""What a line is still at when the process ends there."""


def explained_by(conclusion: Conclusion, state: Investigation) -> Conclusion:
    """The expert's conclusion with what a model's explanation may add to it."""
    explanation = state.assisted.explanation
    if explanation is None:
        return conclusion
    known = {claim.text for claim in conclusion.claims}
    said = (*explanation.claims, *explanation.proof)
    more = tuple(claim for claim in said if claim.text not in known)
    joined = replace(conclusion, claims=(*conclusion.claims, *more))
    chosen = state.hypotheses.get(explanation.hypothesis or "")
    if chosen is None or lacking(explanation, state):
        return joined
    return _with_origin(joined, explanation, chosen, state)


def chain_of(explanation: Explanation) -> tuple[Claim, ...]:
    """The statements that it names as its chain."""
    return tuple(explanation.claims[at - 1] for at in explanation.chain)


def lacking(explanation: Explanation, state: Investigation) -> list[str]:
    """All that keeps an explanation's origin from being the cause, each in a line that tells how it
    is mended; empty where nothing does."""
    chain, origin = chain_of(explanation), explanation.origin
    broken = breaks(chain, met=bool(explanation.proof))
    found = [f"chain, link {one.link + 1}: {one.reason}" for one in broken]
    found += [f"chain: {reason}" for reason in explanation.against]
    if origin is None:
        return [*found, "origin: none is named by one of the kinds, with its function"]
    row = SHOWN_BY.get(origin.kind.value)
    if row is None:
        return [*found, f"origin: {origin.kind.value} is none of the kinds"]
    if chain:
        found += _of_the_last(origin, chain[-1])
        if not explanation.proof:
            found.append(f"origin: no value of the dump shows it: {_ASKED[origin.kind.value]}")
        failed = program_frame(state)
        again = explanation.proof and explanation.category is Category.DOUBLE_FREE
        if failed is not None and origin.kind not in _GOES_ON and not again and (
            _is_at(chain[-1], failed)
        ):  # fmt: skip
            found.append("origin: its line is the one that failed, and had not done its work")
    chosen = state.hypotheses.get(explanation.hypothesis or "")
    named = explanation.category or (chosen.category if chosen is not None else None)
    if named is None or named.value not in row.categories:
        allowed = ", ".join(sorted(row.categories))
        found.append(f"category: {origin.kind.value} is the root of {allowed}")
    elif chain and not _begins(named, chain[0]):
        begins = ", ".join(sorted(_BEGINS.get(named.value, FAULT - _NO_ACCESS)))
        found.append(f"category: {chain[0].kind} is no symptom of {named}: begin with {begins}")
    else:
        found += unproved(named, chain, state, origin.kind if explanation.proof else None)
    if chosen is None or named is not chosen.category:
        found.append("hypothesis: there is none of that category")
    elif chosen.status is Status.REJECTED:
        found.append(f"hypothesis: {chosen.id} is rejected: {chosen.reason}")
    else:
        found += [
            f"prediction: `{one.command}` {one.claim.status}: {one.claim.reason}"
            for one in chosen.predictions
            if one.outcome is Outcome.REFUTED
        ]
    return found


def _begins(category: Category, first: Claim) -> bool:
    kinds = _BEGINS.get(category.value)
    return first.kind in kinds if kinds else first.kind not in _NO_ACCESS


def _is_at(last: Claim, frame: Frame) -> bool:
    function = last.get("function")
    return (
        isinstance(function, str)
        and last.get("at") == frame.line
        and same_function(function, frame.function or "")
    )


def _of_the_last(origin: Origin, last: Claim) -> list[str]:
    """What the chain's last link does not show of the origin: its kind, function and line."""
    row, found = SHOWN_BY[origin.kind.value], []
    if not shows(origin.kind.value, last):
        more = f" of one of {', '.join(sorted(row.callees))}" if row.callees else ""
        kinds = ", ".join(sorted(row.kinds))
        found.append(f"origin: {origin.kind.value} is shown by a last link of {kinds}{more}")
    function, line = last.get("function"), _line_of(last)
    if not isinstance(function, str) or not same_function(function, origin.function or ""):
        found.append(f"origin: its function is not that of the last link, {function or 'none'}")
    elif line is not None and origin.line not in (None, line, last.get("at")):
        found.append(f"origin: its line is not that of the last link, {line}")
    return found


def _line_of(last: Claim) -> int | str | None:
    """The line that did it: of a lock that is held the one that took it."""
    return last.get("taken") or last.get("at")


def _file(named: str | None, last: Claim, state: Investigation) -> str | None:
    """The file that a model names, where a frame or the command of the listing names it too."""
    name = last_part(named or "")
    if not name:
        return None
    frames = (frame for stack in state.facts.all(Stack) for frame in stack.frames[:1000])
    if any(frame.file and last_part(frame.file) == name for frame in frames):
        return name
    listed = (state.evidence[c.evidence].command for c in last.citations)
    return name if any(name in re.split(r"[\s:/]", command) for command in listed) else None


def _with_origin(
    conclusion: Conclusion, explanation: Explanation, chosen: Hypothesis, state: Investigation
) -> Conclusion:
    """The origin is the cause, in a file that the evidence names; what the expert proved is the
    symptom."""
    chain, origin = chain_of(explanation), explanation.origin
    assert origin is not None
    line = _line_of(chain[-1])
    most = WITH_CHAIN if chosen.predictions else WITHOUT_PREDICTION
    return replace(
        conclusion,
        hypothesis=chosen.id,
        category=chosen.category,
        confidence=min(most, explanation.confidence),
        origin=replace(
            origin,
            function=str(chain[-1].get("function")),
            line=line if isinstance(line, int) else origin.line,
            file=_file(origin.file, chain[-1], state),
            evidence=chain[-1].citations,
        ),
        chain=tuple(claim.text for claim in chain),
        symptom=conclusion.symptom
        or Symptom(
            category=conclusion.category,
            frame=conclusion.frame,
            claims=tuple(c.id for c in conclusion.claims if c.by == "expert"),
        ),
    )


def by_its_chain(conclusion: Conclusion, proof: Sequence[Claim]) -> Verdict:
    """The verdict that a chain stands for, with the ``proof`` that the dump's values are."""
    links = [claim for claim in conclusion.claims if claim.id in conclusion.chain]
    cites = tuple(dict.fromkeys(
        c for claim in (*links, *proof) for c in claim.citations
    ))  # fmt: skip
    return Verdict(
        status=Status.CONFIRMED, confidence=conclusion.confidence, rung=Rung.STRUCTURE,
        reason="Its statements lead from what failed to where it began, and the dump shows it.",
        supporting=cites, frame=conclusion.frame, by_chain=True)  # fmt: skip
