"""What the line of a frame does, where nothing that has a value names what failed: the call that
is in progress, what is given back, else the line itself."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analyzers.names import bare, common
from analyzers.patterns import destroyed, frame_lines, pointed, spoken
from analyzers.patterns.case import Case
from workbench.claims.expressions import DIVIDES, called, without_texts
from workbench.claims.say import at, say
from workbench.model.aliases import public
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Argument, Fault, Frame, RustPanic, SourceLine
from workbench.model.listing import is_source

if TYPE_CHECKING:
    from workbench.claims.source import Row

_ELSEWHERE = frozenset({
    Category.HEAP_CORRUPTION, Category.HEAP_BUFFER_OVERFLOW, Category.STACK_BUFFER_OVERFLOW,
    Category.BUFFER_OVERFLOW, Category.EXTERNAL_SIGNAL, Category.MEMORY_LEAK, Category.UNKNOWN,
})  # fmt: skip
"""Causes whose place is where they were noticed: its line names nothing that failed."""
_SAYS = frozenset({"value", "operand", "typed", "assigns", "calls", "frees", "quote", "finding"})
_NAMED = frozenset({"waits", "owns", "loop", "symbol"})
_INNER = 4
_CALL = 8
"""Bytes of a call, of the longest at most (x86-64: with a displacement and prefixes)."""
_LONGEST = 100
_ARITHMETIC = re.compile(r"\s*(?:<<|>>|[-+*/%])\s*(?=[\w(&*])")
_BINDS = {"<<": 1, ">>": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3}
"""How tightly Rust's operators bind (The Rust Reference, expressions)."""
_ATTEMPTS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/",
             "calculate the remainder": "%", "shift left": "<<", "shift right": ">>"}  # fmt: skip
"""What a panic says was attempted (rustc_middle, AssertKind)."""
_GIVEN_TYPES = re.compile(r"::<[^<>;()]*(?:<[^<>;()]*>[^<>;()]*)*>")
"""What Rust calls a function's generic arguments in an expression: sum::<u32>()."""
_MIRRORED = str.maketrans("()[]", ")(][")
_TYPE = re.compile(r"(?:class|struct|union|enum|template)\b[^;()=]*\{")
"""A definition of a type, which a compiler's own members are told to be in."""
_BLOCKS = re.compile(r"[{}]|\b(?:else|do)\b")


def told(case: Case, claims: Sequence[Claim], frame: Frame | None) -> list[Claim]:
    """What the line of the frame does; nothing where one of the statements names it, or the frame
    is not where it went wrong."""
    frame = frame if frame is not None else case.frame
    line = _line(case, frame) if frame is not None else None
    if frame is None or line is None or claims[0].get("category") in _ELSEWHERE:
        return []
    says = _SAYS
    if claims[0].get("category") == Category.ASSERTION_FAILURE:
        says |= {"message"}  # which has the condition
    if any(each.kind in says or (each.kind in _NAMED and each.get("name")) for each in claims):
        return []
    gave = {bare(str(each.get("function"))) for each in claims if each.kind == "returned_by"}
    if gave & called(line.text):
        return []
    owned = destroyed.named(case, frame)
    if owned or frame.line not in (None, line.line):
        return owned  # no line is quoted but the one that is named
    return _call(case, frame, line) or (_quoted(case, line) if _may(case, frame, line) else [])


def look(case: Case) -> tuple[Command, ...]:
    """Asks for the line of the call that returned what failed, where no variable is known to have
    it."""
    if owned := destroyed.look(case):
        return owned
    fault = _given_back(case)
    if fault is not None and case.frame is not None and is_source(case.frame.file):
        return (Command(f"list *{fault.origin_at:#x}", "the line of the call that returned it"),)
    jumped = _jumped(case)
    return (Command(f"list *{jumped:#x}", "the line that went there"),) if jumped else ()


def _jumped(case: Case) -> int | None:
    """Where the program jumped on to what failed, in place of a call: its frame is gone."""
    if case.left is not None:
        return case.left.address
    fault = case.fault
    left = fault is not None and fault.running is not None and fault.transfer == "jump"
    return fault.transfer_from if fault is not None and left else None


def _line(case: Case, frame: Frame) -> SourceLine | None:
    """The line that a frame is in, by the address of its jump where no stack has the frame."""
    if frame.line is not None or (at := _jumped(case)) is None:
        return frame_lines.line_of(case, frame)
    return next((line for line in case.facts.all(SourceLine) if line.address == at), None)


def taken(case: Case) -> list[Claim]:
    """The variable that the source sets to what that call returned, in a function in progress."""
    fault, frame = _given_back(case), case.frame
    if fault is None or frame is None:
        return []
    line = next((x for x in case.facts.all(SourceLine) if x.address == fault.origin_at), None)
    if line is None or not _beside(case, frame, line):
        return []
    call = re.compile(rf"(?:\w+(?:::|\.|->))*{re.escape(_plain(fault.origin_call or ''))}\(")
    found = [
        row.values for row in _stated(case, frame, line)
        if row.kind == "assigns" and row.values["operator"] == "="
        and call.match(str(row.values["expression"]))
    ]  # fmt: skip
    if len(found) != 1:
        return []
    return [say("assigns", (line.cite,), target=found[0]["target"],
                expression=found[0]["expression"], at=line.line)]  # fmt: skip


def _given_back(case: Case) -> Fault | None:
    """The fault, where a call returned what failed and no variable is known to have it."""
    fault = case.fault
    if fault is None or fault.origin_at is None or fault.origin_value not in (0, fault.base_value):
        return None
    return None if any(claim.kind == "value" for claim in spoken.named(case)) else fault


def _beside(case: Case, frame: Frame, line: SourceLine) -> bool:
    """Whether a line is of the frame's function, or of one that it is inlined in: it stands in
    front of the frame's line, with no function's end between them."""
    lines = {one.line: one.text for one in case.facts.all(SourceLine)
             if one.cite.evidence == line.cite.evidence}  # fmt: skip
    own = [each.line for each in pointed.frames(case) if each.line and each.file == frame.file]
    between = (
        [lines.get(at, "}") for at in range(line.line, end)] for end in own if end > line.line
    )
    return any(not any(text.startswith("}") for text in each) for each in between)


def _stated(case: Case, frame: Frame, line: SourceLine) -> "list[Row]":
    """What a line states, as the listing that has it is read."""
    from workbench.claims.source import SourceText, language_of, rows  # seldom needed

    beside = {one.line: one.text for one in case.facts.all(SourceLine)
              if one.cite.evidence == line.cite.evidence}  # fmt: skip
    lines = tuple((at, at, text) for at, text in sorted(beside.items()))
    text = SourceText(language_of(line.file or frame.file), None, lines)
    return [row for row in rows(text) if row.values.get("at") == line.line]


def _may(case: Case, frame: Frame, line: SourceLine) -> bool:
    """Whether the line can do what failed in the frame: optimised code has instructions that are
    told to be of the line before or behind."""
    text, fault = without_texts(line.text), case.fault
    if fault is None or not case.faulted or not case.runs_here(frame):
        return True
    return fault.divisor is None or DIVIDES.search(text) is not None


def _call(case: Case, frame: Frame, line: SourceLine) -> list[Claim]:
    """The one call of the line that led to the frame's callee, by its name."""
    stack = case.holding(frame) or case.stack
    inner = [f for f in stack.frames if f.index < frame.index][::-1][:_INNER] if stack else []
    names = [name for each in inner if each.function and (name := _plain(each.function))
             and re.search(rf"\b{re.escape(name)}\s*(?:<[^;()]*>)?\(", line.text)]  # fmt: skip
    stated = _stated(case, frame, line) if names and frame.function else []
    whole = [row.values for row in stated if row.kind == "calls" and "index" not in row.values]
    panicked = expression_at(*_panicked(case, line))
    for name in names:
        found = [call for call in whole if call["name"] == name]
        if len(found) != 1 or (panicked and not panicked.startswith(str(found[0]["callee"]))):
            continue
        given = found[0]["arguments"] or None
        freed = [row for row in stated if row.kind == "frees"]
        expression = freed[0].values["expression"] if len(freed) == 1 else ""
        # A method may give back what its object owns: a vector's `resize` that throws did not.
        if freed and freed[0].values["callee"] == found[0]["callee"] != f"{expression}.{name}":
            return [say("frees", (line.cite,), function=frame.function, expression=expression)]
        if passed := _passed(case, frame, [row for row in stated if row.kind == "calls"]):
            return [say("calls", (line.cite,), function=frame.function, callee=name,
                        index=int(passed["index"]), expression=passed["expression"])]  # fmt: skip
        return [say("calls", (line.cite,), function=frame.function, callee=found[0]["callee"],
                    arguments=given)]  # fmt: skip
    return []


def _panicked(case: Case, line: SourceLine) -> tuple[str, int, str]:
    """The whole line, the column where a panic says that it was, 0 where none is in it, and the
    operator that its message names."""
    panic = case.facts.last(RustPanic)
    raw = next((each for each in case.facts.all(SourceLine) if each.cite == line.cite), line).text
    if panic is None or panic.line != line.line:
        return raw, 0, ""
    said = (panic.message or "").removeprefix("attempt to ")
    sign = next((sign for words, sign in _ATTEMPTS.items() if said.startswith(f"{words} w")
                 or said.startswith(f"{words} b")), "")  # fmt: skip
    return raw, panic.column or 0, sign


def _passed(case: Case, frame: Frame, rows: "list[Row]") -> dict[str, Any]:
    """The argument that the walk back from the fault says a frame's call gave what failed as: where
    that is a library's function in C, whose arguments all stand in the source."""
    end = frame.address or 0
    given = [one.number for one in case.facts.all(Argument)
             if one.call is not None and 0 < end - one.call <= _CALL]  # fmt: skip
    plain = [row.values for row in rows if row.values["callee"] == row.values["name"]]
    found = [values for values in plain if values.get("index") in given[:1]]
    return found[0] if len(found) == 1 and case.calls_out else {}


def _plain(function: str) -> str:
    """A function as its callers write it, without what it is in and its variant's name."""
    name = common(public(bare(function))).split("<", 1)[0].rsplit("::", 1)[-1]
    return name.lstrip("_") if name.startswith("__") else name


def _quoted(case: Case, line: SourceLine) -> list[Claim]:
    """The line, where it has a name and is short; of a panic of Rust the expression at its
    column."""
    if part := expression_at(*_panicked(case, line)):
        said = at(part, (line.cite,), f"`{part}`")
        return [say("quote", (line.cite,), lead="the expression", text=said)]
    text = line.text.strip()
    while text.endswith("}") and text.count("{") < text.count("}"):
        text = text[:-1].rstrip()  # the function's own
    names = _BLOCKS.sub("", without_texts(text)).strip()
    if not re.search(r"[A-Za-z_]\w*", names) or len(text) > _LONGEST or _TYPE.match(text):
        return []
    return [say("quote", (line.cite,), reads="the line", text=at(text, (line.cite,), f'"{text}"'))]


def expression_at(line: str, column: int, operator: str = "") -> str:
    """The expression that a panic's place begins, or whose method's name or index does (rustc's
    spans): a path with what it is called with, and the other side of an ``operator``, of any where
    none is named. Empty where the line has not all of it."""
    begin, whole = column - 1, line
    line = _GIVEN_TYPES.sub(lambda types: "_" * len(types[0]), without_texts(line))
    if begin < 0 or not re.match(r"[\w(&*\[]", line[begin:]):
        return ""
    method = line[:begin].endswith(".") or line[begin] == "["
    end = _end(line, begin, once=method)
    if not method:
        end = _other_side(line, end, operator)
    if method:
        begin = len(line) - _end(line[::-1].translate(_MIRRORED), len(line) - begin)
    found = whole[begin:end].strip(". ").lstrip("&*!" if method else "")
    return found if len(found) <= _LONGEST and "`" not in found else ""


def _other_side(line: str, end: int, operator: str) -> int:
    """Where the other side of an operator ends, with what binds there more tightly; ``end`` is that
    of the first side's beginning. 0 where none that is named is there."""
    bound = -1
    while (sign := _ARITHMETIC.match(line, end)) and _BINDS[sign[0].strip()] > bound:
        end = _end(line, sign.end())
        bound = _BINDS[sign[0].strip()] if operator in ("", sign[0].strip()) else bound
    return end if not operator or bound >= 0 else 0


def _end(line: str, begin: int, *, once: bool = False) -> int:
    """Where a path ends that begins somewhere, with all that stands in its brackets; ``once``:
    behind the first ones."""
    depth, place = 0, begin
    for place in range(begin, len(line) + 1):
        sign = line[place : place + 1]
        if once and not depth and line[begin:place].endswith((")", "]")):
            break
        depth += (sign != "" and sign in "([") - (sign != "" and sign in ")]")
        if depth < 0 or (not depth and not re.fullmatch(r"[\w.:?!&*)\]]", sign)):
            break
    return place
