"""What the source calls the operand that failed: `p->next` is null, the divisor `count` is 0.

The expressions of the line at fault are only questions to the debugger, which knows where each one
is at this instruction. One is named where it alone has the value that the fault is about.
"""

import re
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import cells, commands, dangling, kept, objects, pointed, signs, typed
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.frame_lines import INTEGER, given_to, in_line, line_of, own_line
from workbench.claims.expressions import (
    CHAIN_STEP,
    DIVIDES,
    UNTOLD,
    Said,
    astray,
    called,
    expressions,
    left_over,
    offsets,
    told,
    unknown,
    used,
    without_texts,
)
from workbench.claims.printed import arguments_of
from workbench.claims.say import at, say
from workbench.claims.values import scalar
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, Printed

_MOST = 6
_NUMBER = re.compile(r"(?:\(.{1,400}\) )?(-?\d{1,20}|0x[0-9a-f]{1,16}|NULL|nullptr)(?: |$)")
_WORD = 1 << 64
_FAR = 1 << 28
_LARGEST = 1 << 12  # bytes of an element
_PAGE, _PRECISION = 1 << 12, 12
"""What else a number counts, and the members of an element, take less than that part of it."""

_ARRAY = re.compile(r"\"|'|\{(?!\w+ = |<)")
"""How an array is printed: what a function is given of it is its address."""
_ADDRESS = re.compile(r"(?<!\w)0x[0-9a-f]{5,16}\b")
Cites = tuple[Citation, ...]


def look(case: Case) -> tuple[Command, ...]:
    """Asks for the values of the expressions of the line that failed, and of the one that a
    function was inlined into."""
    if case.fault is None or not case.faulted or not _wanted(case):
        return ()
    asked: list[Command] = [*_whose(case)]
    for frame in _frames(case):
        line = line_of(case, frame)
        if line is None:
            asked += commands.source(in_line(case, frame))
        found = expressions(line.text) if line is not None else ()
        ways = (*_ways(case, frame), *(("index",) if _led_to(case) else ()))
        gone = called(line.text) if line is not None and case.fault.access != "execute" else ()
        said_so = [each for each in found if each.how in ways][:_MOST]
        for said in (each for each in said_so if each.text not in gone):
            asked += commands.value(frame, pointed.stored(case, frame, said.text))
    asked += pointed.look(case)
    asked += commands.heap(*pointers(case))
    if not any(claim.kind == "value" for claim in named(case)):
        own, line = case.frame, own_line(case)
        if own is not None and line is not None:
            for name in sorted(unknown(line.text, told(case.facts, own)))[:_MOST]:
                asked += commands.value(own, name)
        asked += typed.look(case, line)
        asked += [ask for claim in _left_over(case) for ask in typed.look_held(case, claim)]
        asked += cells.look(case, _wanted(case), _gone_through(case))
    return tuple(asked)


def _whose(case: Case) -> tuple[Command, ...]:
    """Asks whose code it is that reads at a null which is in no register: gcc puts the path where
    a result is null behind its function, with nothing left of the call that gave it
    (-fisolate-erroneous-paths-dereference)."""
    top, fault = case.top, case.fault
    if top is None or fault is None or not top.inlined or fault.base_register is not None:
        return ()
    if fault.operand is None or fault.operand >= NEAR_NULL:
        return ()
    return (Command(f"frame apply level {top.index} maint info blocks", "whose code this is"),)


def look_given(case: Case) -> tuple[Command, ...]:
    """Asks for the values of what the line at fault may have given to a function."""
    line = own_line(case)
    found = expressions(line.text) if line is not None else ()
    gone = called(line.text) if line is not None else set()  # a function, or who gives its table
    said = [one.text for one in found if one.how in ("through", "other") and one.text not in gone]
    said = [*dict.fromkeys(said)][:_MOST]
    held = told(case.facts, case.frame) if case.frame is not None else {}
    said += [f"&{text}" for text in said if _ARRAY.match(held.get(text, ""))]
    return tuple(ask for text in said for ask in commands.value(case.frame, text))


def given(case: Case, value: int) -> list[Claim]:
    """What the line at fault calls a pointer that it gave to a function, where one expression alone
    has that value; a number that is as large is none."""
    found = _named(case, case.frame, {value}, ("through", "other")) if case.frame else []
    found = [claim for claim in found if pointed.POINTS.match(str(claim.get("value")))]
    return found or objects.named(case, value)


def is_gone_through(case: Case, value: int) -> bool:
    """Whether the line at fault calls or goes through an expression of that value."""
    return bool(case.frame and _named(case, case.frame, {value}, ("called", "through")))


def operand(case: Case) -> str | None:
    """What the line at fault must call the operand, before a debugger is asked: the only expression
    of it that is used so, and no argument, whose value the stack's listing tells. A value that was
    loaded from the stack is a variable's own, any other one a member's or an element's: none of
    code so optimised that arguments are lost, where a variable is at times told a step late."""
    frame, fault = case.frame, case.fault
    line = line_of(case, frame) if frame is not None else None
    if frame is None or fault is None or line is None or frame.inlined:
        return None
    found = [said for said in expressions(line.text) if said.how in _ways(case, frame)]
    if fault.divisor is not None and len(DIVIDES.findall(without_texts(line.text))) != 1:
        return None  # the other divisor is no expression that can be asked for
    if fault.access != "execute":  # what is called is read, if at all, through what stands before
        found = [said for said in found if said.text not in called(line.text)]
    if fault.divisor is None:
        cell = case.region(fault.origin[0].source) if fault.origin else None
        if cell is None:
            return None
        plain = fault.origin[0].own
        found = [said for said in found if (CHAIN_STEP.search(said.text) is None) is plain]
    if len(found) != 1 or f"{found[0].text}=" in frame.args:
        return None
    lost = any(UNTOLD.search(value) for _, value in arguments_of(frame.args))
    return found[0].text if not lost or CHAIN_STEP.search(found[0].text) is None else None


def named(case: Case) -> list[Claim]:
    """What the operand that failed is called, where one expression alone has its value; for a
    function that was inlined also who called it, and with what."""
    return case.facts.once(_all_named)


def _all_named(facts: FactBook) -> list[Claim]:
    case = facts.once(Case)
    led = led_away(case)
    index = _index(case) or ([led.said] if led is not None else [])
    found = list(index)
    for frame in _frames(case):
        inner = case.frame
        adjoin = inner is not None and frame.index == inner.index + 1  # no library's lie between
        if inner is not None and adjoin and inner.function and frame.function:
            cites = (*case.cite(inner), *case.cite(frame))
            found.append(say("caller", cites, function=inner.function, caller=frame.function))
        found += _named(case, frame, _wanted(case)) if not index and not _came_back(case) else []
    if not index and not any(claim.kind == "value" for claim in found):
        wanted, line = _wanted(case), own_line(case)
        found += (
            kept.named(case, line)
            or pointed.field(case, wanted, {*re.findall(r"\w+", line.text)} if line else set())
            or _set_out(case)
            or typed.named(case, line)
            or pointed.referred(case, wanted - _right(case), line.text if line is not None else "")
            or cells.named(case, wanted, _gone_through(case))
            or _left_over(case)
            or _begins(case)
            or _null_object(case)
            or _in_macro(case)
        )
    return sorted(found, key=lambda claim: claim.kind == "caller")


def _came_back(case: Case) -> bool:
    """True where a call on the line, an operator's too, gave back the null itself: another null
    that the line goes through is not it, for all that it has a name."""
    fault, line = case.fault, own_line(case)
    name = bare(fault.origin_call or "").rsplit("::", 1)[-1] if fault is not None else ""
    if fault is None or line is None or fault.origin or fault.origin_value != 0:
        return False
    return (
        name.startswith("operator")
        or re.search(rf"\b{re.escape(name)}\s*\(", line.text) is not None
    )


def _right(case: Case) -> set[int | None]:
    """The pointer that an index led the access away from, which is right."""
    fault = case.fault
    led = fault is not None and astray(fault, case.memory)
    return {fault.base_value} if fault and led and not _is_free(case, fault.base_value) else set()


def _index(case: Case) -> list[Claim]:
    """The index that led the access away from a pointer which is right."""
    frame, fault = case.frame, case.fault
    if frame is None or fault is None or fault.index_value is None or not _right(case):
        return []
    return _named(case, frame, {fault.index_value}, ("index", "other")) or _left_over(case)


def pointers(case: Case) -> list[int]:
    """What the operand that failed is called points to, and what that is reached through, as far as
    those are addresses, or objects that are no more than one, as iterators are; where nothing has
    a name, all that the line goes through."""
    line = own_line(case)
    said = [claim for claim in named(case) if claim.kind == "value"]
    names = [str(claim.get("expression")) for claim in said]
    if not said and line is not None:
        names = [f"{each.text}->" for each in expressions(line.text) if each.how == "through"]
    on_way = [
        pointed.held(one.value)[1]
        for one in case.facts.all(Printed)
        if case.frame is not None and one.frame == case.frame.index
        and any(CHAIN_STEP.match(name.removeprefix(one.expression)) for name in names)
    ]  # fmt: skip
    texts = [*(str(claim.get("value")) for claim in said), *on_way]
    found = [printed_number(text, "through") for text in texts if pointed.POINTS.match(text)]
    return [value for value in found if value is not None and value >= NEAR_NULL]


def _gone_through(case: Case) -> list[str]:
    """The members and elements that the line at fault goes through."""
    line = own_line(case)
    found = expressions(line.text) if line is not None else ()
    return [said.text for said in found if said.how == "through" and CHAIN_STEP.search(said.text)]


def _begins(case: Case) -> list[Claim]:
    """The bad word as the table of virtual functions of what a pointer of the line leads to, where
    the debugger shows it so, else that pointer: the source has no name for the table, and no
    library is given one."""
    fault = case.fault
    called = fault is not None and fault.access == "execute"  # a word of that table
    load = fault.origin[called] if fault is not None and fault.origin[called:] else None
    if case.frame is None or fault is None or load is None or case.calls_out:
        return []
    if load.value not in ({fault.base_value} if called else _wanted(case)):
        return []
    if (case.frame.file or "").endswith((".c", ".rs")):  # whose objects begin with members
        return []
    found = _named(case, case.frame, {load.source})
    if load.value:  # a null is no table
        found = found or pointed.field(case, {load.source}, set())
    return pointed.table(case, case.frame, found, load.value) or found


def _null_object(case: Case) -> list[Claim]:
    """The null that the line at fault goes through, where what was accessed is a member's address
    near null, by its size alone."""
    fault = signs.near_null_access(case)
    near = fault is not None and signs.supposed_null(fault)
    return _named(case, case.frame, {0}, ("through",)) if near and case.frame is not None else []


def _in_macro(case: Case) -> list[Claim]:
    """The bad word that the function read from a variable of its own, where the line gives the only
    one that has it to what goes through it out of sight: a macro."""
    load = case.fault.origin[0] if case.fault is not None and case.fault.origin else None
    if case.frame is None or load is None or not load.own or case.calls_out:
        return []
    values = [text for text, _ in pointed.known(case, case.frame).values()]
    same = [text for text in values if pointed.POINTS.match(text) and scalar(text) == load.value]
    return _named(case, case.frame, {load.value or 0}, ("other",)) if len(same) == 1 else []


def _left_over(case: Case) -> list[Claim]:
    """What the line of the failed access leaves over, where the debugger knows all else of it."""
    frame, fault, line = case.frame, case.fault, own_line(case)
    if frame is None or fault is None or line is None or not case.runs_here(frame):
        return []
    if fault.base_register in ("rsp", "rip"):
        return []
    if fault.access not in ("read", "write") and fault.divisor is None:
        return []
    how, register, value = used(fault, case.memory)
    text = left_over(line.text, frame, told(case.facts, frame), fault, how)
    if not typed.may_hold(case, line, text, how, value):
        return []
    if not text or value is None:
        return []
    shown = at(value, (), str(_signed(value))) if how == "index" else value
    return [say("operand", (fault.cite,), expression=at(text, (line.cite,)), register=register,
                value=shown)]  # fmt: skip


class Led(NamedTuple):
    """The number of the line's that led the access away from ``start``, to which it is added."""

    said: Claim
    start: int


def _led_to(case: Case) -> int:
    """Where the access ended that a number may have led away; 0 for none."""
    at = (case.fault.operand if case.fault is not None and case.faulted else None) or 0
    return at if at >= NEAR_NULL and case.region(at) is None else 0


def led_away(case: Case) -> Led | None:
    """The one number of the line of which the access lies a multiple away from what it is added to,
    memory that is in use: an index, or a part of one, times the size of what it counts."""
    frame, fault, line = case.frame, case.fault, own_line(case)
    if frame is None or line is None or fault is None or not (at := _led_to(case)):
        return None
    known = pointed.members(case, frame) | pointed.known(case, frame)
    fitting: dict[str, tuple[int, Led]] = {}
    for pointer, text in offsets(line.text, {name: value for name, (value, _) in known.items()}):
        (value, cites), (held_at, _) = known.get(text, ("", ())), known.get(pointer, ("", ()))
        found = _ADDRESS.search(held_at)
        start = int(found[0], 16) if found is not None else None
        count = _signed(int(value)) if INTEGER.fullmatch(value) else 0
        if start is None or case.region(start) is None or _is_free(case, start):
            continue
        if abs(count) < _PAGE or (count % _PAGE == 0 and not fault.computed_line):
            continue  # mappings lie that far apart, too
        times = round(far / count) if (far := _signed(at - start)) else 0
        if 1 <= times <= _LARGEST and abs(far - times * count) <= abs(count) >> _PRECISION:
            claim = say("value", cites, expression=text, value=value)
            fitting.setdefault(text, (times, Led(claim, start)))
    fewest = min((times for times, _ in fitting.values()), default=0)
    least = [text for text, (times, _) in fitting.items() if times == fewest]
    one = bool(least) and all(text in least[0] for text in least)  # an index with what is in it
    return fitting[least[0]][1] if one else None


def _set_out(case: Case) -> list[Claim]:
    """The one pointer of a line from which the access can have set out: it points below the access
    and no farther than `_FAR`. In the frame's own line one that an element is taken of, whose
    memory ends where the access failed."""
    frame, fault = case.frame, case.fault
    line = line_of(case, frame) if frame is not None else None
    if frame is None or line is None or fault is None or fault.operand is None:
        return []
    at = fault.operand
    values = {
        value
        for said in expressions(line.text)
        for one in case.facts.all(Printed)
        if one.frame == frame.index
        and one.expression == said.text
        and pointed.POINTS.match(one.value)
        if (value := printed_number(one.value, said.how)) is not None and 0 <= at - value < _FAR
        if frame.index or (f"{said.text}[" in line.text and _runs_out(case, value, at))
    }
    return _named(case, frame, values) if len(values) == 1 and at >= _FAR else []


def _signed(number: int) -> int:
    number %= _WORD
    return number - _WORD if number >> 63 else number


def _runs_out(case: Case, value: int, at: int) -> bool:
    """True where the mapping that a pointer points into ends at an address, which has none."""
    region = case.region(value)
    return region is not None and case.region(at) is None and at - region.end < 64


_ARGUMENT = r"[(,]\s*(?:\([^()]*\)\s*)?{}\s*(?:[,)]|as\b)"
"""A number that a call is given as it is, or in a cast: one beside is no pointer that failed."""


def _named(case: Case, frame: Frame, wanted: set[int], ways: tuple[str, ...] = ()) -> list[Claim]:
    line = line_of(case, frame)
    if line is None or not wanted:
        return []
    known = pointed.known(case, frame)
    fitting = [
        (said, *pointed.held(known[said.text][0]), known[said.text][1])
        for said in (*expressions(line.text), Said("this", "through"))
        if said.how in (ways or _ways(case, frame)) and said.text in known
    ]
    fitting = [
        each for each in fitting
        if (number := printed_number(each[2], each[0].how)) is not None
        and (_leads(case, number) if each[0].how == "index" else number in wanted)
    ]  # fmt: skip
    best = [each for each in fitting if each[0].how == fitting[0][0].how] if fitting else []
    if len(best) > 1:  # a count of as much is no address
        best = [each for each in best if pointed.POINTS.match(each[2])]
    if case.frame is not None and frame is not case.frame:  # the rest is given to nobody
        given = {text for each in given_to(line, case.frame, "this") for text in each}
        if given or len(best) > 1:
            best = [each for each in best if each[0].text in (given or line.text.partition("(")[2])]
    elif not ways and case.calls_out:
        best = [each for each in best if each[0].how != "other" or pointed.POINTS.match(each[2])
                or re.search(_ARGUMENT.format(re.escape(each[0].text)), line.text)]  # fmt: skip
    if len(best) != 1:
        return []
    said, way, value, cites = best[0]
    expression = pointed.reached(said.text, way, (*cites, line.cite))
    outer = frame.function if frame is not case.frame else None
    return [say("value", cites, expression=expression, function=outer, value=value)]


def _leads(case: Case, value: int) -> bool:
    """True where one of the two registers holds so many elements' bytes, without which the access
    would be in memory."""
    fault, count = case.fault, _signed(value)
    if fault is None or fault.operand is None or not count:
        return False
    far = _signed(fault.index_value or 0)
    outside = [case.region((fault.operand - led) % _WORD) is None
               for led in (fault.base_value or 0, far, 2 * far, 4 * far, 8 * far)]  # fmt: skip
    if value == fault.base_value and not outside[0]:
        return True
    size, rest = divmod(far, count)
    if all(outside[1:]):
        return False
    return not rest and (0 < size <= _LARGEST if abs(count) > 1 else size in (1, 2, 4, 8))


def _frames(case: Case) -> list[Frame]:
    """The frame at fault and, where that is no frame of its own, the one it was inlined into."""
    frame = case.frame
    if frame is None:
        return []
    outer = case.caller_of(frame) if frame.inlined else None
    return [frame] if outer is None else [frame, outer]


def _ways(case: Case, frame: Frame) -> tuple[str, ...]:
    """How the line has to use what failed: a callee was given it as it is."""
    fault = case.fault
    if frame is not case.frame:
        return ("through", "other")
    if fault is not None and fault.divisor is not None:
        return ("divides",)
    if fault is not None and fault.index_value:
        return ("through", "index", "other")
    if fault is not None and fault.access == "execute":
        return ("through", "called")
    rust = (frame.file or "").endswith(".rs")  # whose references are followed without a sign
    if not rust and not case.calls_out:
        return ("through",)
    return ("through", "other")


def _wanted(case: Case) -> set[int]:
    """The values that the fault is about: its divisor; the base of its access or what that was made
    from; the target of its call."""
    fault = case.fault
    if fault is None:
        return set()
    if fault.divisor is not None:
        return {fault.divisor}
    if fault.access == "execute":
        return {fault.operand if fault.operand is not None else fault.pc}
    stale = {load.value for load in fault.origin if _is_free(case, load.value)}
    freed = dangling.freed(case)
    sure = freed is not None and not freed.others  # of several blocks it may have come from each
    if freed is not None and not stale and sure and freed.role in ("source", "link"):
        stale = {freed.address - freed.chunk.offset}  # where its memory begins
    if stale and freed is not None:  # what points into a freed block, and not what was read there
        return {value for value in stale if value is not None}
    if fault.virtual is not None:
        return {fault.virtual.object}
    found = {fault.base_value if fault.base_value is not None else fault.operand}
    if fault.root is not None and fault.base_value != 0:  # a null is what failed, however made
        found = {fault.root}
    found |= {load.value for load in fault.origin[:1]} if fault.root is None else set()
    if case.calls_out and not fault.origin:  # a library's round has gone on from what it was given
        found.add(fault.operand)
    return {value for value in found if value is not None}


def _is_free(case: Case, address: int | None) -> bool:
    chunk = case.chunk(address)
    return chunk is not None and chunk.offset >= 0 and chunk.state not in ("in-use", "header")


def printed_number(text: str, how: str) -> int | None:
    """A printed value; a decimal 0 is no null pointer, whatever else has that value, and lldb's
    view of a container without elements is that of none."""
    if text.startswith("size=0 {"):
        return 0
    found = _NUMBER.match(text)
    if found is None or (found[1] == "0" and how == "other"):
        return None
    return int(found[1], 0) % _WORD if found[1][:1] not in ("N", "n") else 0
