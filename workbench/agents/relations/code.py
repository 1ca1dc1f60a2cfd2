"""What a sentence says of the program's code: where a function stands, who calls whom."""

import re
from itertools import pairwise

from workbench.agents.known import Known, bare, file_name
from workbench.agents.relations.parts import (
    AT_PLACE,
    PLACE,
    Answer,
    Relation,
    among,
    cased,
    hexadecimal,
    named,
    names,
    number,
)
from workbench.model.facts import Fault, Finding, Module, Stack, StackShape

_NEAR = 12
_MOST_FRAMES = 1000


_USES = re.compile(
    r"\b(?:calls?|called|calling|invokes?|invoked|reads?|reading|accesses|accessed|dereferences|"
    r"dereferenced|uses|used|sets|stores|loads|frees|freed)\s+(?:the\s+)?$"
)
_NAME = re.compile(r"[\w:~<>, ]+(?:\(\))?")


def _place(match: re.Match[str], known: Known) -> Answer:
    function = named(match, "name")
    place = (file_name(match["file"]), int(match["line"]))
    name = bare(function)
    if match["name"] is None and name not in known.functions:
        return None  # a word like any other: "`main` is at a.c:4"
    if _USES.search(match.string[: match.start()]) or not _NAME.fullmatch(function):
        return None  # what is done there, by another function
    places = known.places.get(name, set())
    if place in places:
        return None
    there = known.functions_at.get(place)
    if there is not None:
        if any(_alike(name, other) for other in there):
            return None
        return f"{place[0]}:{place[1]} is in {' or '.join(sorted(there))}, not in {name}"
    if places and place not in known.sources:
        shown = " or ".join(f"{file}:{line}" for file, line in sorted(places)[:4])
        return f"{name} stands at {shown}, not at {place[0]}:{place[1]}"
    return None


def _alike(name: str, other: str) -> bool:
    return name == other or (len(name) > 3 and name in other) or (len(other) > 3 and other in name)


def _address(match: re.Match[str], known: Known) -> Answer:
    """Code at an address is in a function, or in a module."""
    address, name = number(match, "value"), bare(named(match, "name"))
    region = known.region(address)
    module = file_name(region.path) if region is not None and region.path else None
    said = file_name(named(match, "name"))
    if module is not None and module == said:
        return None
    if module != said and any(file_name(m.name) == said for m in known.facts.all(Module)):
        return f"{address:#x} is not in {said}"
    of = [f for f, addresses in known.addresses.items() if address in addresses]
    if of:
        if any(_alike(name, function) for function in of):
            return None
        if name in known.functions or known.register(name):
            return f"{address:#x} is in {' or '.join(sorted(of))}, not in {name}"
        return None
    there = {known.region(other) for other in known.addresses.get(name, ())}
    if there and region is not None and region not in there:
        paths = {other.path for other in there if other is not None}
        if region.path not in paths:
            return f"{address:#x} is in {module or region.kind}, not in {name}"
    if module is not None and known.register(name):
        return f"{address:#x} is in {module}, not in {name}"
    return None


def _calls(match: re.Match[str], known: Known) -> Answer:
    caller, callee = bare(named(match, "caller")), bare(named(match, "callee"))
    if caller == callee or not {caller, callee} <= known.functions:
        return None
    pairs = {pair for stack in known.stacks for pair in pairwise(stack)}
    if (callee, caller) in pairs:
        return True
    if not any(caller in stack and callee in stack for stack in known.stacks):
        return None
    if any(
        caller in stack[n + 1 : n + 1 + _NEAR]
        for stack in known.stacks
        for n, function in enumerate(stack[:_MOST_FRAMES])
        if function == callee
    ):
        return None  # frames of a runtime between them are seldom named
    if (caller, callee) in pairs:
        return f"{callee} is the caller of {caller}"
    through = re.search(r"\b(?:through|indirect|eventual|in the end|finally|turn)", match.string)
    return None if through else f"{caller} does not call {callee} itself on any stack"


def _on_stack(match: re.Match[str], known: Known) -> Answer:
    if bare(named(match, "name")) not in known.functions:
        return None
    return True if match["where"] != "heap" else "functions are on no heap"


def _was_called(match: re.Match[str], known: Known) -> Answer:
    return True if bare(named(match, "name")) in known.functions else None


def _returned(match: re.Match[str], known: Known) -> Answer:
    name = bare(named(match, "name"))
    if any(name in stack for stack in known.ended_in or known.stacks):
        return f"{name} has not returned: it stands on the stack"
    return None


def _at_fault(match: re.Match[str], known: Known) -> Answer:
    """The innermost function with source text of the stack that ended the process."""
    name = bare(named(match, "name"))
    first = (next((f for f in stack if f in known.places), None) for stack in known.ended_in)
    return True if name in first else None


def _crash_place(match: re.Match[str], known: Known) -> Answer:
    """The end came at a line: that of the innermost frame with source text."""
    threads = {
        known.signal.thread if known.signal else None,
        *(f.thread for f in known.facts.all(Fault)),
    }
    ended = [s for s in known.facts.all(Stack) if s.current or s.thread in threads - {None}]
    first = [next((f for f in stack.frames if f.file and f.line), None) for stack in ended]
    places = {(file_name(f.file), f.line) for f in first if f is not None and f.file}
    if not places or (file_name(match["file"]), int(match["line"])) in places:
        return True if places else None
    return f"it ended at {' or '.join(f'{file}:{line}' for file, line in sorted(places))}"


def _without_symbols(match: re.Match[str], known: Known) -> Answer:
    name = bare(named(match, "name"))
    return f"{name} has debug information" if name in known.places else None


def _frame(match: re.Match[str], known: Known) -> Answer:
    """Frame #N is a function."""
    name, index = bare(named(match, "name")), int(match["index"])
    there = {bare(frame.function) for frame in known.frames if frame.index == index}
    if name not in known.functions or not there:
        return None
    if any(_alike(name, other) for other in there):
        return True
    return f"{name} is not frame {index}: {' or '.join(sorted(there)[:3])} is"


def _frame_at(match: re.Match[str], known: Known) -> Answer:
    addresses = known.addresses.get(bare(named(match, "name")), set())
    return among(number(match, "value"), addresses, "its frames are at")


def _holds(match: re.Match[str], known: Known) -> Answer:
    """A function is no register and no variable."""
    name = named(match, "name")
    if known.register(name) or name in known.variables or bare(name) not in known.functions:
        return None
    return f"{name} is a function, not a register or a variable"


def _overwritten(match: re.Match[str], known: Known) -> Answer:
    shapes = known.facts.all(StackShape)
    fault = known.fault
    returned = fault is not None and fault.access == "execute" and fault.transfer == "return"
    if match["kind"] == "heap":
        return "return addresses stand on a stack"
    return True if returned or any(shape.smashed for shape in shapes) else None


def _fault_in(match: re.Match[str], known: Known) -> Answer:
    """The fault is in a function: it is on the stack of the thread that ended the process."""
    name = bare(named(match, "name"))
    if not known.ended_in or name not in known.functions or known.facts.first(Finding):
        return None
    if not any(name in stack for stack in known.ended_in):
        return f"{name} is not on the stack of the thread that ended the process"
    first = {stack[0] for stack in known.ended_in if stack}
    return True if name in first else None


def _ran_out(match: re.Match[str], known: Known) -> Answer:
    """Who runs out of stack is the innermost function, or one that recurs."""
    name = bare(named(match, "name"))
    for stack in known.ended_in:
        if name in stack and name not in stack[:3] and stack.count(name) < 2:
            return f"{name} is not what ran out of stack: {stack[0]} was running"
    return None


_QUOTED = r"`(?P<name>[^`\n]+)`(?P<name_>)"
_HAPPENED = r"(?:is|was|lies|happened|occurred)(?: made)? (?:in|inside|by) "

CODE: tuple[Relation, ...] = (
    (cased(names("name"), AT_PLACE, r" (?:is|was|had been|has been)? ?called\b"), _was_called),
    (cased(names("name"), AT_PLACE, r" (?:had |has )?(?:already )?returned\b(?! to)"), _returned),
    (
        cased(names("name"), AT_PLACE, r" (?:is|was) (?:the (?:function|frame) )?at fault"),
        _at_fault,
    ),
    (
        cased(
            r"\b(?:crash|fault|failure|it) ",
            r"(?:was|is|happened|occurred|crashed|faulted|came|took place)",
            r" (?:in |at |inside )(?:`?[\w:~]+(?:\(\))?`? (?:at |in ))?",
            PLACE,
        ),
        _crash_place,
    ),
    (
        cased(
            r"(?:symbols|debug info(?:rmation)?) (?:of|for) ",
            names("name"),
            r" (?:are|is|were|was) (?:missing|not there|stripped|absent)",
        ),
        _without_symbols,
    ),
    (
        cased(r"return address(?:es)? on the (?P<kind>stack|heap) (?:was|were|be) overwritten"),
        _overwritten,
    ),
    (cased(r"(?:fault|crash|failed access|access|it) ", _HAPPENED, _QUOTED), _fault_in),
    (cased(r"function that returned (?:is|was) ", _QUOTED), _fault_in),
    (cased(names("name"), AT_PLACE, r" (?:ran|runs?) out of "), _ran_out),
    (cased(names("name"), r",? (?:at |\(|in |line )", PLACE), _place),
    (
        cased(
            r"(?<!at[ ])(?<!at[ ]`)", PLACE, r",? (?:in |of |\()(?:the )?(?:function )?", _QUOTED
        ),
        _place,
    ),
    (
        cased(
            r"(?:code|instruction|address|pc) (?:at |is )?",
            hexadecimal("value"),
            r" (?:is |was |lies )?in ",
            _QUOTED,
        ),
        _address,
    ),
    (
        cased(
            names("callee"),
            AT_PLACE,
            r",? (?:(?:which|that) )?(?:is |was |being |get )?called (?:by|from|in) ",
            names("caller"),
        ),
        _calls,
    ),
    (
        cased(
            names("callee"),
            AT_PLACE,
            r",? (?:which|that) ",
            names("caller"),
            AT_PLACE,
            r" (?:had )?(?:called|calls)\b",
        ),
        _calls,
    ),
    (
        cased(
            names("caller"),
            AT_PLACE,
            r" (?:calls|called|call|gave) (?:into )?(?:the function )?",
            r"`(?P<callee>[^`\n]+)`(?P<callee_>)",
        ),
        _calls,
    ),
    (
        cased(
            names("caller"),
            AT_PLACE,
            r" called a pure virtual function: the call (?:went|go) to ",
            names("callee"),
        ),
        _calls,
    ),
    (
        cased(
            names("caller"),
            AT_PLACE,
            r" ended the process(?: itself)? by calling ",
            names("callee"),
        ),
        _calls,
    ),
    (
        cased(
            names("name"),
            AT_PLACE,
            r" (?:is|was|stands) (?:on|in) (?:the|a) (?P<where>stack|heap|",
            r"backtrace)\b",
        ),
        _on_stack,
    ),
    (cased(r"[Ff]rame #?(?P<index>\d{1,6}) (?:is|was|be|=) (?:in )?", names("name")), _frame),
    (cased(r"frame of ", names("name"), r" (?:is|was|be) at ", hexadecimal("value")), _frame_at),
    (cased(names("name"), r" (?:holds?|held|contains?) (?=0x|`0x)"), _holds),
    (cased(names("name"), r" (?:is|was) loaded with (?=0x|`0x)"), _holds),
)
