"""What a line of source calls things: questions to the debugger, and the one that is left over."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from workbench.claims.printed import arguments_of
from workbench.claims.rows import Row
from workbench.claims.tokens import TOKEN
from workbench.claims.values import leaves, member, plain_name, scalar
from workbench.model import facts as f
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Value

if TYPE_CHECKING:
    from workbench.claims.book import Book

BRACKETS = r"\[(?:[^\[\]\"']|\[[^\[\]\"']{1,40}\]){1,60}\]"
_STEP = re.compile(rf"\s*(?:->|\.)\s*[A-Za-z_]\w*|{BRACKETS}")
_CHAIN = re.compile(rf"[A-Za-z_]\w*(?:{_STEP.pattern})*")
ENDING = re.compile(rf"{_CHAIN.pattern}$")
CHAIN_STEP = re.compile(r"->|\.|\[")
_CALLED = re.compile(rf"{_CHAIN.pattern}\s*\(")
_OPENS_CAST = re.compile(r"(?:^|[^\w)\]\s]\s*|\b(?:return|case)\s*)\($")
_CAST_OF = re.compile(r"\)\s*(?!and\b|or\b|xor\b)\w")
_TAGGED = re.compile(r"\b(?:struct|union|enum|class)\s+$")
_DECLARED = re.compile(r"(?:\s*[*&]+\s*|\s+)\w+\s*=(?!=)")
"""What stands around a type: no other name in parentheses has a word behind it (C11, 6.5.4), and
none that is multiplied, or has a word behind it, is assigned to."""
_CHARACTER = re.compile(r"'(?:([ -&(-\[\]-~])|\\([abfnrtv0\\'\"]))'")
_ESCAPES = dict(zip("abfnrtv0\\'\"", (7, 8, 12, 10, 13, 9, 11, 0, 92, 39, 34), strict=True))
"""Characters by how C writes them (C11, 6.4.4.4)."""
_TYPE_CAST = re.compile(
    r"(?:(?<=\breturn )|(?<![\w)\]])(?<![\w)\]] ))"
    r"\(\s*[A-Za-z_]\w*(?: +\w+)*[ *]*\)(?=\s*\*[A-Za-z_])|(?<!\w)'[a-z_]\w*"
)
"""Words alone in parentheses, behind no name and in front of a star that stands at another: a cast
of what that star goes through, as C is written, and no factor. And a lifetime of Rust."""
_CAST = r"\((?:(?:unsigned|signed|char|short|int|long|\w+_t)(?: (?=\w))?)+\)"
_NUMBERS = re.compile(rf"(?<![\w)\]]){_CAST}\s*$")
_AS_POINTER = re.compile(r"\(\s*\((?=[^;]*\*)(?:[^()]|\([^()]*\)){1,99}\)\s*$")
_USED = re.compile(r"\)\s*(?:->|\[)")
"""Casts to a number, and to a pointer that is used at once, in front of what is cast."""
_SIMPLE = re.compile(rf"(?:[\w.\[\]+*/%&|^ -]|->|<<|>>|{_CAST})*")
_ADDED = re.compile(rf"({BRACKETS})|\s*[+-](?![+=>-])((?:->|{_CAST}|[^,;()\[\]?:=<>&|])+)")
"""What is added to a pointer: in brackets, or behind a sign."""
DIVIDES = re.compile(r"[/%]")
_CUT = re.compile(r"^\s*[/%|^<>=?:+]|[-+*/%&|^<>=!?:]\s*(?:$|\[)")
"""An expression of which a text was blanked out."""
_HEAD = r"\((?:[^;{}()]|\([^()]*\))*\)(?:[\w\s<>*&-]|:[^;{]*)*\{"
_GENERIC = re.compile(r"(?<!operator)<[^<>]*>")
_DIVISORS = re.compile(r"[/%]\s*\(([^()]*[-+*.>][^()]*)\)")
_KEYWORDS = """
    if else for while do switch case default break continue goto return sizeof static inline extern
    static_cast const_cast reinterpret_cast dynamic_cast struct union enum new delete throw let mut
    unsafe fn as in match use pub impl class template typename using namespace true false NULL
    nullptr
"""
_TYPE_WORDS = "int char long short unsigned signed const void float double bool auto volatile"
_TYPES = frozenset(_TYPE_WORDS.split())
_RESERVED = frozenset(_KEYWORDS.split()) | _TYPES
_WORD_BEFORE = re.compile(r"([A-Za-z_]\w*)\s+$")
_NO_TYPES = (_RESERVED - _TYPES) | {"and", "or", "not", "co_return", "co_await", "co_yield", "move"}
UNTOLD = re.compile(r"\.\.\.$|(?:^|[ {=])<(?:optimized out|synthetic pointer|unavailable|error |"
                     r"variable not |no location|could not |parent failed )")  # fmt: skip
"""What gdb and lldb print in place of a value that they do not know."""
_OFFSETS = re.compile(r"(?P<base>.+)\.(?:get_unchecked(?:_mut)?|(?:wrapping_)?(?:add|sub|offset))$")
"""Rust's accesses that nothing checks, by a distance in elements (std: slice, pointer)."""
_GIVEN = re.compile(r"\(([^()]+)\)")
_DEREFERENCED = re.compile(rf"\(\s*\*\s*(?:const\s+|mut\s+)?{_CHAIN.pattern}\s*\)")
_TWICE = re.compile(rf"\(\s*\*\s*({_CHAIN.pattern})\s*\)((?:->[A-Za-z_]\w*)*)\s*(?:->|\[)")
_HIDDEN = re.compile(rf"\)\s*(?:->|\.|\[)|\*\s*[*(]|\*\s*{_CHAIN.pattern}\s*\(")
"""What goes through more than the names of a line of C tell: a call's result, a computed pointer, a
pointer to a pointer."""
_NAME = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*(?!\w|\s*::)")
"""A name that is no member's and no namespace's."""
_POINTER = re.compile(r"(?P<type>[A-Za-z_][\w:<>, ]{0,200}(?:\*|\* const))(?: ?\(.*\))?$")
_STEPPED = re.compile(rf"(?:\+\+|--)\s*({_CHAIN.pattern})|({_CHAIN.pattern})\s*(?:\+\+|--)")
_FRAME_REGISTERS = frozenset({"rsp", "esp", "sp", "rbp", "ebp", "x29", "s0"})
_REACH = 1 << 12
"""Bytes of a structure."""
_REFERS = re.compile(r"\boperator ?(?:\[\]|\*)$")
"""What gives a reference (C++, [sequence.reqmts]): where an element lies, and not what it holds."""
_METHOD = re.compile(rf"({_CHAIN.pattern})\s*->\s*\w+\s*\(")
_TABLE = "->_vptr"
"""The table that a virtual call goes through, for which the source has no name."""
_ROOT = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)\s*\.")
_CLOSURE = "__closure"
"""The object of a lambda (gcc/cp/lambda.cc), which its source reads without a word."""


class Said(NamedTuple):
    """An expression of the line: ``how`` it is used there: through | called | divides | index |
    other."""

    text: str
    how: str


@lru_cache(256)  # each expert asks of the same few lines
def expressions(line: str) -> tuple[Said, ...]:
    """The expressions of a line of source, those that something is reached through first; of what
    it only reads or gives the longest first, which is all of an argument."""
    found = dict.fromkeys(_expressions(without_texts(line)))
    order = ("through", "called", "divides", "index", "other")
    seen: dict[str, Said] = {}
    for said in sorted(
        found, key=lambda said: (order.index(said.how), -len(said.text) * (said.how == "other"))
    ):
        if _SIMPLE.fullmatch(said.text):
            seen.setdefault(said.text, said)
    return tuple(seen.values())


def without_texts(line: str) -> str:
    """The line with blanks in place of its texts, its comments, its lifetimes and its casts of what
    a star goes through; of a character its code."""
    line = TOKEN.sub(_blank, line)
    return _TYPE_CAST.sub(lambda match: " " * len(match[0]), line)


def _blank(text: re.Match[str]) -> str:
    if text.lastgroup not in ("comment", "text"):
        return text[0]
    one = _CHARACTER.fullmatch(text[0])
    code = str(ord(one[1]) if one[1] else _ESCAPES[one[2]]) if one is not None else ""
    return code.rjust(len(text[0]))


def within(line: str, frame: f.Frame) -> str:
    """What a line has of a function's body: all, but where the function is all on one line."""
    name = _without_arguments(plain_name(frame.function or "")).rpartition("::")[2]
    head = re.search(rf"\b{re.escape(name)}\s*{_HEAD}", without_texts(line)) if name else None
    return line[head.end() :] if head is not None else line


def _without_arguments(name: str) -> str:
    """A function's name without those of templates and generics."""
    while name != (name := _GENERIC.sub("", name)):
        pass
    return name


def _expressions(line: str) -> Iterator[Said]:
    for match in _CHAIN.finditer(line):
        root = re.match(r"\w+", match[0])
        if root is None or root[0] in _RESERVED or line.startswith("::", match.end()):
            continue
        ends = [step.start() for step in _STEP.finditer(match[0], root.end())]
        if match[0][root.end() :].lstrip().startswith("[") and _declares(line[: match.start()]):
            for count in re.findall(BRACKETS, match[0]):  # which is no index
                yield from _expressions(count[1:-1])
            continue
        for end in ends:
            if match[0][end:].lstrip()[:1] != ".":
                yield Said(match[0][:end].strip(), "through")
            elif end > root.end() or match[0][end:]:
                yield Said(match[0][:end].strip(), "other")
        for index in (each[1:-1].strip() for each in re.findall(BRACKETS, match[0])):
            if not index.isdigit() and not _CUT.search(index):
                yield Said(index, "index")
                yield from _expressions(index)
        before, behind = line[: match.start()].rstrip()[-120:], line[match.end() :].lstrip()
        if cast := _AS_POINTER.search(before):
            if _USED.match(behind) is not None:
                yield Said(match[0], "through")
            before, behind = before[: cast.start()].rstrip(), behind.removeprefix(")").lstrip()
        before = _NUMBERS.sub("", before).rstrip()
        times = re.search(r"[\w)\]]\s*\*$", before) is not None and not _keyword_before(before)
        pointed = before.endswith("*") and not times
        if behind[:1] == "(" and (offset := _OFFSETS.fullmatch(match[0])) is not None:
            yield Said(offset["base"], "through")
            yield from (Said(given[1], "index") for given in (_GIVEN.match(behind),) if given)
        elif pointed or (behind[:1] == "(" and ends):
            yield Said(match[0], "through")
        elif behind[:1] == "(":
            yield Said(match[0], "called")
        elif before.endswith(("/", "%", "/=", "%=")):
            yield Said(match[0], "divides")
        elif not re.match(r"=(?!=)", behind) and not _is_type(line, match):
            yield Said(match[0], "other")
    for each in _DIVISORS.findall(line):
        if not _CUT.search(each):
            yield Said(each.strip(), "divides")


def _is_type(line: str, name: re.Match[str]) -> bool:
    """True for a name that is a cast's or a declaration's type: no debugger prints its value."""
    before, behind = line[: name.start()], line[name.end() :]
    cast = _OPENS_CAST.search(before[-120:]) is not None and _CAST_OF.match(behind) is not None
    return cast or _TAGGED.search(before[-120:]) is not None or _DECLARED.match(behind) is not None


def _declares(before: str) -> bool:
    """True where the word that a name stands behind is its type."""
    word = _WORD_BEFORE.search(before[-120:])
    return word is not None and word[1] not in _NO_TYPES


def _keyword_before(text: str) -> bool:
    """True where a star stands behind a word such as ``return``, which nothing can be times; behind
    a type it declares a pointer."""
    found = re.search(r"(\w+)\s*\*$", text)
    return found is not None and found[1] in _RESERVED - _TYPES


def offsets(line: str, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each pointer of a line with each number that is added to it: what stands in brackets, and
    every term of a sum. A factor is one where the others are constants or 1 by their values, else
    nothing tells which of them is wrong."""
    for chain in _CHAIN.finditer(text := without_texts(line)):
        if _declares(text[: chain.start()]):
            continue
        moved, given = _OFFSETS.fullmatch(chain[0]), _GIVEN.match(text, chain.end())
        if moved is not None and given is not None:
            yield moved["base"], given[1]
        ends = [step.start() for step in _STEP.finditer(chain[0])]
        for end in (*ends, len(chain[0])):
            if (added := _ADDED.match(text, chain.start() + end)) is None:
                continue
            pointer, index = chain[0][:end], (added[1] or "")[1:-1].strip()
            terms = re.split(r"\+|-(?!>)", re.sub(_CAST, "", index or added[2]))
            found = [index] if index else []
            for factors in ([one.strip() for one in term.split("*")] for term in terms):
                wrong = [one for one in factors if not one.isdigit() and values.get(one) != "1"]
                found += wrong if len(wrong) == 1 else []
            yield from ((pointer, each) for each in dict.fromkeys(found) if each)


def called(line: str) -> set[str]:
    """What a line calls."""
    return {text.rstrip("( ") for text in _CALLED.findall(line)}


def told(facts: f.FactBook, frame: f.Frame) -> dict[str, str]:
    """What a debugger told of a frame's arguments, variables and other expressions."""
    found = dict(arguments_of(frame.args))
    for listed in facts.all(f.Locals):
        if listed.frame == frame.index:
            found |= {one.name: one.value for one in listed.variables}
    found |= {one.expression: one.value for one in facts.all(f.Printed) if one.frame == frame.index}
    return found


def unknown(line: str, told_of: Iterable[str]) -> set[str]:
    """The names of a line that a debugger has told nothing of, not even that their values are lost:
    they may be macros, which stand for anything."""
    known = {name[0] for each in told_of if (name := re.search(r"[A-Za-z_]\w*", each)) is not None}
    line = without_texts(line)
    names = {one[0] for one in _NAME.finditer(line) if not _is_type(line, one)}
    return names - known - _RESERVED


def left_over(
    text: str, frame: f.Frame, values: Mapping[str, str], fault: f.Fault, how: str
) -> str:
    """The only expression of the line of the failed access that this can have gone through, or
    have had for its index, by ``how``: of each other one the debugger knows the value. Empty where
    several are left, or the line may go through what it does not name. An element's address
    (``&p[i]``), where no register had the index any more."""
    line, rust = without_texts(within(text, frame)), (frame.file or "").endswith(".rs")
    if not rust and (_HIDDEN.search(_DEREFERENCED.sub("", line)) or unknown(line, values)):
        return ""
    if how == "divides" and len(DIVIDES.findall(line)) != 1:
        return ""
    if how == "through" and _in_its_frame(fault):
        return ""
    if how == "through" and not fault.origin and _REFERS.search(fault.origin_call or ""):
        return ""
    if how == "through" and given_on(line, values, fault.base_value):
        return ""
    known = {  # of a pointer, the text behind it may be cut
        name for name, value in values.items()
        if scalar(value) is not None or not UNTOLD.search(value)
    }  # fmt: skip
    # What a debugger's own view of an iterator shows is reached through it: `it->second`.
    known |= {
        said.text for said in _expressions(line) for root in known
        if said.text.startswith(f"{root}->") and "{" in values[root]
        and member(values[root], said.text[len(root) :].replace("->", "."))
    }  # fmt: skip
    gone = called(line)
    found = {said.text for said in _expressions(line) if said.how == how and said.text not in gone}
    if how == "through":
        for each, rest in _TWICE.findall(line):
            ends = [step.start() for step in re.finditer("->", f"{rest}->")][1:]
            found |= {f"*{each}", *(f"(*{each}){rest[:end]}" for end in ends)}
    if how == "through" and not (rust or (frame.file or "").endswith(".c")):  # may be references
        found |= {root for root in _ROOT.findall(line) if f"&{root}" not in known}
        found |= {"this"} & dict(arguments_of(frame.args)).keys()
        found |= {f"{on}{_TABLE}" for on in _METHOD.findall(line) if scalar(values.get(on, ""))}
    load = fault.origin[0] if fault.origin else None
    far = not load.own if load is not None and load.source else fault.loaded_far
    if how == "through" and far and _CLOSURE not in values:  # read in an object
        found = {e for e in found if CHAIN_STEP.search(e) or e[0] == "*"}
    if (
        how == "through"
        and fault.base_value
        and any(e in known and scalar(values[e]) == fault.base_value for e in found)
    ):  # what is known to hold the bad address failed itself: no guard but for null is usual
        return ""
    stepped = {name for pair in _STEPPED.findall(line) for name in pair}  # since it was used
    if (
        how == "through" and fault.origin_value == 0 and not load
    ):  # which of the nulls, is not known
        known -= {e for e in known if 0 in {scalar(v) for _, v in leaves(values[e])}}
    found = {e for e in found if (e not in known or e in stepped) and not e.isdigit()}
    if how == "through" and len(found) > 1:
        found = {
            e for e in found if _leads(e, {n: v for n, v in values.items() if n in known}, fault)
        }
    if len(found) != 1 or next(iter(found)).endswith(_TABLE):
        return ""
    only = found.pop()
    if not rust and _is_object(only, line):
        return ""
    element = re.search(rf"(?<![\w.>]){re.escape(only)}\[(?!\d+\])[^\[\]]*\]", line)
    if element is None or how != "through" or not used(fault, None)[2] or fault.index_register:
        return only
    return f"&{element[0]}"  # the index was added before


def _in_its_frame(fault: f.Fault) -> bool:
    """True for an access by the frame's own pointer, which the source has no name for."""
    if fault.base_register not in _FRAME_REGISTERS or fault.stack_pointer is None:
        return False
    return fault.stack_pointer <= (fault.operand or 0) <= (fault.base_value or 0)


def _is_object(expression: str, line: str) -> bool:
    """True where a line takes elements of what it shows to be no pointer, by a method or a member
    of it: the pointer is one of the object's own."""
    name = rf"(?<![\w.>]){re.escape(expression)}"
    return all(re.search(rf"{name}\s*{sign}", line) for sign in (r"\[", r"\.\s*[A-Za-z_]"))


def _leads(expression: str, known: Mapping[str, str], fault: f.Fault) -> bool:
    """True where the way of an expression from the one pointer of what is known in it has as many
    steps as there were loads from there on."""
    starts = (name for name in known if expression.startswith((f"{name}->", f"{name}.")))
    start = max(starts, key=len, default="")
    held, rest = known.get(start, ""), expression[len(start) :]
    if "{" in held:  # an iterator or a smart pointer of the library's
        way, held = next(iter(leaves(held)), ("", ""))
        held = held if way.startswith("._") and len([*leaves(known[start])]) == 1 else ""
    at = scalar(held)
    reads = [at is not None and 0 <= load.source - at < _REACH for load in fault.origin]
    return "[" not in rest and any(reads) and reads.index(True) + 1 == rest.count("->")


def pointer_type(text: str) -> str | None:
    """A type that is a pointer to something, or the result's of a function that gives one."""
    found = _POINTER.match(text)
    return found["type"].removesuffix(" const") if found is not None else None


def displacement(fault: f.Fault) -> int | None:
    """How far from its base an access is; None where an index is added to it."""
    if fault.operand is None or fault.base_value is None or fault.index_register is not None:
        return None
    return (fault.operand - fault.base_value) % (1 << 64)


def laid(facts: f.FactBook, layout: f.Layout) -> Iterator[str]:
    """What the source calls the pointer that a layout was asked for: ``p->rec``."""
    if not layout.expression.startswith("*(("):
        yield layout.expression[1:]
    for one in facts.all(f.Typed):
        pointer = pointer_type(one.type)
        begin = f"*(({pointer}) 0)"
        if one.frame == layout.frame and pointer and layout.expression.startswith(begin):
            rest = layout.expression[len(begin) :].replace("[0]", "[]")
            yield f"{one.expression}{'()' if one.type.endswith(')') else ''}{rest}"


def given_on(line: str, values: Mapping[str, str], value: int | None) -> list[str]:
    """What a line gives to a function as it is, and has a value: gcc and LLVM read a member in the
    caller where the callee needs no more of the object (-fipa-sra, argpromotion), so that its name
    stands nowhere in the line that accesses it."""
    names = [said.text for said in expressions(line) if said.how == "other"]
    return [
        name for name in names
        if value is not None and scalar(values.get(name, "")) == value
        and re.search(rf"[(,]\s*{re.escape(name)}\s*[,)]", line)
    ]  # fmt: skip


def elsewhere(frame: f.Frame | None, values: Mapping[str, str], expression: str, base: int) -> bool:
    """True where a debugger shows another value for a pointer than the base of an access has: for
    one that a parameter leads to which gdb shows to be what the function was entered with, as
    another variable may be told a step late."""
    root = re.split(r"\W", expression)[0]
    known = frame is not None and f"{root}={root}@entry=" in frame.args
    return known and scalar(values.get(expression, "")) not in (None, base)


def astray(fault: f.Fault, memory: f.Memory | None) -> bool:
    """Whether an index led the access away from a pointer that is right."""
    base = fault.base_value
    right = memory is not None and base is not None and memory.region(base) is not None
    return right and bool(fault.index_value)


def used(fault: f.Fault, memory: f.Memory | None) -> tuple[str, str | None, int | None]:
    """How the line uses what failed, and its value with the register that holds it, if one does."""
    if astray(fault, memory):
        held = fault.index_register if fault.index_root == 0 else None
        return "index", held, fault.index_value if held is not None else fault.index_root
    if fault.divisor is not None:
        return "divides", None, fault.divisor
    folded = fault.base_register is None and 0 <= (fault.operand or -1) < _REACH
    if folded or (fault.root == 0 and fault.base_value):  # a member's offset or an index was added
        return "through", None, 0
    return "through", fault.base_register, fault.base_value


def _operand(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    fault = book.facts.first(f.Fault)
    for layout in book.facts.all(f.Layout) if fault is not None else ():
        frame = next((one for stack in book.facts.all(f.Stack) for one in stack.frames
                      if fault is not None and stack.thread in (None, fault.thread)
                      and one.index == layout.frame), None)  # fmt: skip
        values_of = told(book.facts, frame) if frame is not None else {}
        for expression in laid(book.facts, layout):
            for one in layout.fields:
                distance = displacement(fault) if fault is not None else None
                if fault is None or not one.lies_at(distance, layout.size):
                    continue
                if elsewhere(frame, values_of, expression, fault.base_value or 0):
                    continue
                values: dict[str, Value] = {
                    "expression": expression,
                    "member": one.name,
                    "offset": distance or 0,
                }
                held = {"register": fault.base_register, "value": fault.base_value}
                values |= {name: value for name, value in held.items() if value is not None}
                yield Row(values, Citation(layout.cite.evidence, one.line, one.line), layout.cite)
    for load in fault.origin[:1] if fault is not None else ():  # what lies at its cell
        for at in book.facts.all(f.Printed):
            if at.expression[0] == "&" and scalar(at.value) == load.source and load.value == 0:
                yield Row({"expression": at.expression[1:], "value": 0}, at.cite, at.cite)
    yield from _left_over(book, fault) if fault is not None else ()


def _left_over(book: "Book", fault: f.Fault) -> Iterator[Row]:
    """What the line of the failed access leaves over."""
    how, register, value = used(fault, book.regions)
    if value is None:
        return
    for stack in book.facts.all(f.Stack):
        own = next((at for at, one in enumerate(stack.frames) if not one.inlined), 0)
        frames = stack.frames[: own + 1] if stack.thread in (None, fault.thread) else ()
        for line, frame in product(book.facts.all(f.SourceLine), frames):
            if line.line != frame.line:
                continue
            if text := left_over(line.text, frame, told(book.facts, frame), fault, how):
                values: dict[str, Value] = {"expression": text, "value": value}
                if register is not None:
                    values["register"] = register
                yield Row(values, line.cite, line.cite)


ROWS = {"operand": _operand}
"""By kind."""
