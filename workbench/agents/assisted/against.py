"""What the dump and the listed source say against a chain whose statements are all true.

A chain has to lead on from the operand that failed and not from its neighbours on that line; a
field is one of one struct; what a call on a stack passes is the callee's parameter of that place;
and a constant that is said to have been handed on is the value that the dump has.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from analyzers.patterns.case import Case
from workbench.agents.assisted.carried import failed_place
from workbench.agents.assisted.claims import hold
from workbench.agents.assisted.code import WRITES, Code, has_run
from workbench.agents.ports import Ports
from workbench.claims.chain import linked, same_function, shared
from workbench.claims.expressions import expressions
from workbench.claims.render import last_part
from workbench.claims.say import say
from workbench.claims.source import normal
from workbench.claims.source.shapes import member
from workbench.claims.source.text import CPP, RUST, C
from workbench.claims.values import NULL, number
from workbench.model.claims import Arg, Claim, Outcome
from workbench.model.facts import SourceLine
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_EXPRESSIONS = ("target", "expression", "left", "right", "arguments", "name")
_BASE = re.compile(r"[(*&]*([A-Za-z_]\w*)")
_COPY = re.compile(r"[A-Za-z_][\w.:>\[\]-]*")


async def against(
    ports: Ports, origin: Origin, chain: Sequence[Claim], code: Code
) -> tuple[str, ...]:
    """All that is said against a chain; empty where nothing is."""
    state = ports.state
    found = [
        *_other_structs(chain, code),
        *_other_operand(chain, state),
        *_other_parameter(chain, code, state),
        *await _other_value(ports, chain, code),
        *not_run(chain[-1], code),
        *_around_it(chain),
    ]
    left, last = (chain[-2] if len(chain) > 1 else chain[-1]), chain[-1]
    if (
        origin.kind is OriginKind.PASSED
        and same_function(str(left.get("function")), str(last.get("callee")))
        and _COPY.fullmatch(passed := normal(str(last.get("expression"))))
        and passed not in NULL
    ):
        found.append(f"the call hands {passed} on: another line made it what it is")
    return tuple(dict.fromkeys(found))


def _around_it(chain: Sequence[Claim]) -> Iterator[str]:
    """Where a chain goes from the address of a member to the release of what that member led to:
    the block that the address lies in is another one."""
    for left, right in itertools.pairwise(chain):
        place = normal(str(left.get("expression")))
        freed = member(normal(str(right.get("expression"))))
        if left.kind == "value" and right.kind == "frees" and place[:1] == "&" and (
            freed and member(place) == freed
        ):  # fmt: skip
            yield f"{place} lies in the block that failed, which {freed} did not lead to"


def not_run(last: Claim, code: Code) -> Iterator[str]:
    """Where nothing shows that the last line ran, nor that no unlisted one did so instead."""
    mine = code.kept(last)
    if not mine:
        return
    language = mine[0].text.language
    if last.kind in WRITES and language not in (C, CPP, RUST):
        yield f"what else may have done it is not read in {language or 'this language'}"
    if not has_run(code, mine) and not any(code.is_named(line.function) for line in mine):
        yield f"nothing that is listed calls {last.get('function')}"
    yield from (f"what is not listed may have done it: {one}" for one in code.unread())


def _other_structs(chain: Sequence[Claim], code: Code) -> Iterator[str]:
    """Where nothing but the name of a field links two statements, and it is of two structs, or of
    a variable."""
    for left, right in itertools.pairwise(chain):
        both = shared(left, right)
        bare = {end[1] for end in both if isinstance(end, tuple) and str(end[0]).endswith("::")}
        own = {str(name) for name in bare
               if any(code.owners.is_local(str(name), str(one.get("function")))
                      for one in (left, right))}  # fmt: skip
        if own and not linked(left, right, frozenset(own)):
            yield f"{min(own)} is a variable of one of the functions: they are not the same"
        fields = {end for end in shared(left, right) if isinstance(end, str)}
        wrong = {
            field: owners
            for field in fields
            if len(owners := {_owner(left, field, code), _owner(right, field, code)} - {None}) > 1
        }
        if wrong and not linked(left, right, frozenset(wrong)):
            field, owners = next(iter(wrong.items()))
            of = " and one of ".join(sorted(map(str, owners)))
            yield f"{field} is one of {of}: they are not the same"


def _owner(claim: Claim, field: str, code: Code) -> str | None:
    """The struct of a field in a statement; None where it is not known or not one."""
    path = re.compile(rf"[A-Za-z_(*&][\w.>\[\]()*-]*?(?:->|\.){re.escape(field)}\b")
    found = {
        code.owners.owner(match[0], str(claim.get("function")))
        for name in _EXPRESSIONS
        for match in path.finditer(normal(str(claim.get(name) or "")))
    }
    return found.pop() if len(found) == 1 else None


def _other_operand(chain: Sequence[Claim], state: Investigation) -> Iterator[str]:
    """Where a chain goes on from the failing line by something that did not fail there."""
    at = _first_frame(chain)
    shown = chain[1 if at is None else at + 1 :][:1]
    if shown and shown[0].kind == "value" and number(str(shown[0].get("value"))) == 0:
        held = normal(str(shown[0].get("expression"))).removeprefix("this->")
        failed, sure = _operands(state, shown[0])
        if sure and held not in (normal(one).removeprefix("this->") for one in failed):
            yield f"{failed[0]} is what failed, and not {held}"
    if at is None:
        return
    frame, (failed, sure) = chain[at], _operands(state, chain[at])
    here = list(itertools.takewhile(partial(_is_on, frame), chain[at + 1 :]))
    behind = chain[at + 1 + len(here) :][:1]
    if not failed or not behind:
        return
    made = _as_values(frame, failed)
    if not sure:
        made += [link for link in here if link.kind == "calls"]
    if not any(linked(one, behind[0]) for one in made):
        yield f"it goes on from the failing line by something else than {' or '.join(failed)}"


def _first_frame(chain: Sequence[Claim]) -> int | None:
    """The place of the frame that failed, where a chain names it."""
    return next(
        (at for at, link in enumerate(chain) if link.kind == "frame" and link.get("index") == 0),
        None,
    )


def _is_on(frame: Claim, link: Claim) -> bool:
    return link.get("at") == frame.get("line") and same_function(
        str(link.get("function")), str(frame.get("function"))
    )


def _as_values(frame: Claim, failed: Sequence[str]) -> list[Claim]:
    return [say("value", function=str(frame.get("function")), expression=one) for one in failed]


def _operands(state: Investigation, frame: Claim) -> tuple[tuple[str, ...], bool]:
    """What failed on the line of a frame, and whether code found it: else what the line reaches
    something through, divides by or indexes with."""
    case = state.facts.once(Case)
    if case.fault is None:
        return (), False
    own = [place for place in (failed_place(case)[0],) if place]
    file = last_part(str(frame.get("file") or ""))
    shown = next((line.text for line in case.facts.all(SourceLine)
                  if line.line == frame.get("line")
                  and (not file or last_part(line.file or "") in ("", file))), None)  # fmt: skip
    if own and (shown is None or own[0].removeprefix("this->") in normal(shown)):
        return tuple(own), True
    found = expressions(shown) if shown is not None else ()
    there = [one.text for one in found if one.how != "other"] or [one.text for one in found]
    return (*there, *own), bool(own and not there)  # else what leads there from elsewhere


def _other_parameter(chain: Sequence[Claim], code: Code, state: Investigation) -> Iterator[str]:
    """Where a chain comes out of a function by another parameter than it goes on with."""
    frame = _first_frame(chain)
    for at, (left, call) in enumerate(itertools.pairwise(chain)):
        callee = str(call.get("callee"))
        if call.kind != "calls" or not same_function(str(left.get("function")), callee):
            continue
        if frame is not None and (at == frame or _is_on(chain[frame], left)):
            inner = _operands(state, chain[frame])[0]
        else:
            inner = tuple(str(left.get(name)) for name in _EXPRESSIONS if left.get(name))
        names = {found[1] for one in inner for found in [_BASE.match(normal(one))] if found}
        taken = code.parameters(callee)
        places = code.places(callee, names)
        given = {call.get("index"): str(call.get("expression"))}
        if call.get("index") is None:
            rows = [line.row.values for line in code.kept(call)]
            given = {row["index"]: str(row["expression"]) for row in rows if "index" in row}
        if not names or not taken or not (call.get("index") or call.get("arguments")):
            continue
        if at != frame and not places:
            continue  # it may have come out by what is returned
        handed = [given[place] for place in places if place in given]
        rest = [a for a in call.args if a.name not in ("arguments", "expression", "index")]
        follows = chain[at + 2 : at + 3]
        if not handed:
            yield f"the call of {callee} does not give {' or '.join(sorted(names))}"
        elif follows and not any(
            linked(replace(call, args=(*rest, Arg("expression", one.strip()))), follows[0])
            for one in handed
        ):
            yield f"it goes on from the call of {callee} by another argument"


async def _other_value(ports: Ports, chain: Sequence[Claim], code: Code) -> list[str]:
    """Where a chain hands a constant on by variables that the dump has with another value."""
    last = chain[-1]
    given = normal(str(last.get("value" if last.kind == "returned_by" else "expression")))
    value = 0 if given in NULL - {"{}"} else number(given)
    if last.kind not in ("returns", "assigns", "returned_by"):
        value = 0 if code.null and last.kind == "calls" and _is_running(code, last) else None
    places: list[tuple[str, str]] = []
    if value is None:
        return []
    for link, inner in itertools.pairwise([*reversed(chain), last]):
        if link.kind == "returns" or (
            link.kind == "calls"
            and not same_function(str(inner.get("function")), str(link.get("callee")))
        ):
            continue  # its result is what the link before it has
        if link.kind == "assigns" and any(
            one.at in code.where(one.function) for one in code.kept(link)
        ):
            continue  # it has not been set yet
        place = normal(str(link.get("target" if link.kind == "assigns" else "expression")))
        made = normal(str(link.get("expression")))
        copied = link is last or made.endswith(")") or _COPY.fullmatch(made)
        if (
            link.kind not in ("assigns", "calls", "value")
            or not copied
            or not _COPY.fullmatch(place)
        ):
            break
        places.append((str(link.get("function")), place))
    said = [
        replace(say("value", function=function, expression=place, value=value), by="model")
        for function, place in places
    ]
    return [
        f"{one.get('expression')} of {one.get('function')} is not {value}: {one.reason}"
        for one in await hold(ports, said)
        if one.status is Outcome.REFUTED
    ]


def _is_running(code: Code, call: Claim) -> bool:
    return any(same_function(f.function or "", str(call.get("callee"))) for f in code.frames)
