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
from analyzers.patterns.spoken import expressions, named
from workbench.agents.assisted.claims import hold
from workbench.agents.assisted.code import NULL, WRITES, Code, has_run
from workbench.agents.ports import Ports
from workbench.claims.chain import linked, same_function, shared
from workbench.claims.render import last_part
from workbench.claims.say import say
from workbench.claims.source import normal
from workbench.claims.source.text import CPP, RUST, C
from workbench.claims.values import number
from workbench.model.category import Category
from workbench.model.claims import Arg, Claim, Outcome
from workbench.model.facts import Fault, SourceLine, Stack
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_OVERFLOWS = (Category.HEAP_BUFFER_OVERFLOW, Category.STACK_BUFFER_OVERFLOW,
              Category.BUFFER_OVERFLOW, Category.OUT_OF_BOUNDS_WRITE,
              Category.HEAP_CORRUPTION)  # fmt: skip
_EXPRESSIONS = ("target", "expression", "left", "right", "arguments", "name")
_BASE = re.compile(r"[(*&]*([A-Za-z_]\w*)")
_COPY = re.compile(r"[A-Za-z_][\w.:>\[\]-]*")
_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")


async def against(
    ports: Ports,
    origin: Origin,
    category: Category | None,
    chain: Sequence[Claim],
    code: Code,
) -> tuple[str, ...]:
    """All that is said against a chain; empty where nothing is."""
    state = ports.state
    found = [
        *_other_structs(chain, code),
        *_other_operand(chain, state),
        *_other_parameter(chain, code, state),
        *_other_caller(chain, state),
        *_other_return(origin, chain, state),
        *await _other_value(ports, chain, code),
        *_other_place(chain, category, code),
        *_not_changed(chain, code),
        *not_run(chain[-1], code),
    ]
    last = chain[-1]
    left = chain[-2] if len(chain) > 1 else last
    if (
        origin.kind is OriginKind.PASSED
        and same_function(str(left.get("function")), str(last.get("callee")))
        and _COPY.fullmatch(passed := normal(str(last.get("expression"))))
        and passed not in NULL
    ):
        found.append(f"the call hands {passed} on: another line made it what it is")
    function = str(last.get("function"))
    if last.kind == "returns" and not same_function(str(left.get("callee")), function) and not (
        re.search(rf"\b{re.escape(function.rpartition('::')[2])}\(", str(left.get("expression")))
    ):  # fmt: skip
        found.append(f"it does not come to what {function} returns by a call of it")
    target = replace(last, args=tuple(arg for arg in last.args if arg.name != "expression"))
    if last.kind == "assigns" and left is not last and not linked(left, target):
        found.append("it comes to what the origin's line reads, and not to what that sets")
    index = left.get("index")
    if last.kind == "frees" and left.kind == "calls" and isinstance(index, int):
        inner, released = str(left.get("callee")), normal(str(last.get("expression")))
        taken = code.parameters(inner)[index - 1 :][:1]
        if taken and same_function(str(last.get("function")), inner) and taken[0] != released and (
            released.startswith((f"{taken[0]}->", f"{taken[0]}."))
        ):  # fmt: skip
            found.append(f"{inner} is given {taken[0]}, and {released} is another block")
    if last.kind == "never_sets" and not _makes(code, last):
        found.append(f"{last.get('function')} does not make the object, and need not set it")
    return tuple(dict.fromkeys(found))


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
    yield from (
        f"the listing ends at {one}: what follows may have done it" for one in code.unread()
    )


def _other_structs(chain: Sequence[Claim], code: Code) -> Iterator[str]:
    """Where nothing but the name of a field links two statements, and it is of two structs."""
    for left, right in itertools.pairwise(chain):
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


def _other_place(chain: Sequence[Claim], category: Category | None, code: Code) -> Iterator[str]:
    """Where a chain comes to a store that should not have been there, and goes on by what was
    written."""
    for store, right in itertools.pairwise(chain[1:]):
        target = str(store.get("target"))
        rest = replace(store, args=tuple(arg for arg in store.args if arg.name != "expression"))
        if (
            category in _OVERFLOWS
            and store.kind == "assigns"
            and target.endswith("]")
            and not (linked(rest, right) and _gives(code, store, right, normal(target)))
        ):
            yield f"it goes on by what {target} was set to, and not by where that is"


def _not_changed(chain: Sequence[Claim], code: Code) -> Iterator[str]:
    """Where a chain follows a call into its function, to a line that neither returns anything nor
    changes what was passed: there what was passed is used, and not made."""
    for left, call, right in zip(chain, chain[1:], chain[2:], strict=False):
        callee, index = str(call.get("callee")), call.get("index")
        inside = [same_function(str(one.get("function")), callee) for one in (left, call, right)]
        if call.kind != "calls" or inside != [False, False, True] or (
            right.kind in ("returns", "returned_by", "never_sets", "declares")
        ):  # fmt: skip
            continue
        taken = code.parameters(callee)
        given = taken[index - 1 : index] if isinstance(index, int) else taken
        names = ("target",) if right.kind in WRITES - {"frees"} else ("expression", "arguments")
        done = ",".join(normal(str(right.get(name))) for name in names if right.get(name))
        bases = {one[0] for one in _NAME.finditer(done) if code.owners.is_local(one[0], callee)}
        if (taken and not bases & set(given)) if bases else not done or isinstance(index, int):
            yield f"{callee} does not change there what it is passed"


def _gives(code: Code, inner: Claim, call: Claim, used: str) -> bool:
    """Unless a call gives its function another parameter than is used there."""
    callee, index = str(call.get("callee")), call.get("index")
    if not isinstance(index, int) or not same_function(str(inner.get("function")), callee):
        return True
    taken = code.parameters(callee)[index - 1 :][:1]
    return not taken or re.search(rf"(?<![\w.>]){re.escape(taken[0])}\b", used) is not None


def _operands(state: Investigation, frame: Claim) -> tuple[tuple[str, ...], bool]:
    """What failed on the line of a frame, and whether code found it: else what the line reaches
    something through, divides by or indexes with."""
    case = Case(state.facts)
    if case.fault is None:
        return (), False
    own = [str(c.get("expression")) for c in named(case) if c.kind in ("value", "operand")]
    if own:
        return tuple(own[:1]), True
    for line in case.facts.all(SourceLine):
        if line.line == frame.get("line") and last_part(line.file or "") in (
            "", last_part(str(frame.get("file") or ""))
        ):  # fmt: skip
            found = expressions(line.text)
            return tuple(one.text for one in found if one.how != "other") or tuple(
                one.text for one in found
            ), False
    return (), False


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
        places = [place for place, name in enumerate(taken, 1) if name in names]
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


def _other_caller(chain: Sequence[Claim], state: Investigation) -> Iterator[str]:
    """Where a stack shows another call of the function that a chain comes out of."""
    for left, call in itertools.pairwise(chain):
        function, at = str(left.get("function")), call.get("at")
        if call.kind != "calls" or not same_function(function, str(call.get("callee"))):
            continue
        above = [
            (str(outer.function), outer.line)
            for stack in state.facts.all(Stack)
            for inner, outer in itertools.pairwise(stack.frames[:1000])
            if same_function(inner.function or "", function)
        ]
        if above and not any(
            at == line or (at is None and same_function(name, str(call.get("function"))))
            for name, line in above
        ):
            yield f"on the stack {above[0][0]}:{above[0][1]} calls {function}"


def _other_return(origin: Origin, chain: Sequence[Claim], state: Investigation) -> Iterator[str]:
    """Where the machine shows which function returned what failed, and a chain names another."""
    fault = next(iter(state.facts.all(Fault)), None)
    if fault is None or fault.origin_call is None or origin.kind is not OriginKind.RETURNED:
        return
    if fault.origin_value == fault.base_value and not any(
        same_function(str(link.get(name)), fault.origin_call)
        for link in chain
        for name in ("callee", "function")
    ):
        yield f"what failed was returned by {fault.origin_call}"


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


def _makes(code: Code, link: Claim) -> bool:
    """True where the function of a statement makes what it is said to leave unset: it allocates or
    declares it, or constructs it."""
    function, target = str(link.get("function")), str(link.get("target"))
    path = re.split(r"::|\.", function)
    base = _BASE.match(normal(target))
    return (
        (len(path) > 1 and path[-1] in (path[-2], "new"))
        or (base is not None and "->" not in target and code.owners.is_local(base[1], function))
        or any(line.row.kind == "allocates" and same_function(line.function, function)
               for line in code.lines)
    )  # fmt: skip
