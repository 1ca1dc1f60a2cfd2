"""What the expressions of a line of source are now, in the objects that a dump holds."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from workbench.agents.assisted.claims import hold
from workbench.agents.assisted.code import Code, is_ahead
from workbench.agents.assisted.lines import Line
from workbench.agents.looking import value_of
from workbench.agents.ports import Ports, spelt
from workbench.claims.chain import same_function
from workbench.claims.say import say
from workbench.claims.source import normal
from workbench.claims.source.names import bits_of
from workbench.claims.source.text import class_of, words
from workbench.claims.values import number
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Chunk, Frame, Locals, Stack

_VALUE = re.compile(r"\$\d+ = (?:\((?:[^()]|\([^()]*\))*\) )?(-?0x[0-9a-f]+|-?\d+)(?![\w.])")
_NONE = re.compile(r"\$\d+ = ((?:\w+::)*Option<.*>::None)$", re.M)
"""How gdb prints what Rust has in place of null."""
_ENUMERATOR = re.compile(r"\$\d+ = (?:\w+::)*[A-Za-z_]\w*$", re.M)
_PATH = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[[^\[\]]*\])*")
_NAME = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)((?:(?:->|\.)[A-Za-z_]\w*)*)(?![\w(]|::)")
_TYPED = re.compile(r"&?(?:mut )?(?:\w+::)*(\w+) \{")
"""How gdb prints a struct of Rust."""
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_OPERATED = re.compile(r"(?<![\w.>:])(?P<this>this->)?(?P<name>[A-Za-z_]\w*)"
                       r"(?P<index>\[[^\[\]]*\])?(?P<arrow>->)?")  # fmt: skip
_GETS = re.compile(r"(?<![\w.>])(?:[A-Za-z_]\w*(?:->|\.))+(?P<method>[A-Za-z_]\w*)\(\)")
_VECTOR = re.compile(r"(?:const )?(?:std::)?vector<(.*)>&?")
_SMART = re.compile(r"(?:const )?(?:std::)?(?:unique|shared)_ptr<([\w:]+)>&?")
_SMART_SHOWN = re.compile(
    r"\$\d+ = (?:std::(?:unique|shared)_ptr<|\{_M_t = \{<std::__uniq_ptr_impl<"
    r"|\{<std::__shared_ptr<)"
)
"""How gdb prints a smart pointer of libstdc++, with its printers and without: what it leads to
comes first in it."""
ELEMENTS = ("", ".buf.inner.ptr.pointer.pointer", "._M_impl._M_start")
"""Where a pointer, Rust's Vec and libstdc++'s vector keep their elements."""
_SIZE = re.compile(r"\bsizeof\b")
"""To gdb it is an int (eval.c, evaluate_subexp_for_sizeof_base), of which a product loses bits."""
_OF_FIRST = ("", ".as_mut_ptr()", ".as_ptr()", ".data()")
"""What of an array is its address: itself, or what Rust's and C++'s containers give."""
_FAILED = words("access fault_address transfer loaded unset virtual_call member outside data "
                "update headers role finding raised")  # fmt: skip
"""Statements of what failed, whose addresses the machine or a tool has named."""
_WORD = re.compile(r"(?<![\w.>\"'])[A-Za-z_]\w*(?![\w\"']|\s*\()")
_DEEPEST = 4
"""Macros that stand for others."""
LEAST = 0x10000
"""Smaller numbers are no addresses."""
_MOST = 12
"""Objects that are tried."""
_WHERE = {"heap-buffer-overflow": ("heap", "anonymous"), "stack-buffer-overflow": ("stack",)}
"""Of what kind the mapping is that an overflow damages (`Region`)."""


def _spelt(value: int) -> int | str:
    """A number as it is written: of what may be an address in hexadecimal."""
    return f"{value:#x}" if value > 0xFFFFFFFF else value


class Found(NamedTuple):
    """A number that the dump has for an expression in a frame, and how it is printed where that is
    no number."""

    frame: Frame
    expression: str
    value: int
    shown: str = ""


class Place(NamedTuple):
    """Where a function's expressions have values: in its own frame, or in another one in an object
    that is reached through ``base`` (``router->``), with its parameters ``given`` as there; of the
    thread that failed unless ``thread`` is another."""

    frame: Frame
    base: str = ""
    given: tuple[tuple[str, str], ...] = ()
    thread: int | None = None


class Dump:
    """What the debugger tells of the values of a chain's objects."""

    def __init__(
        self, ports: Ports, chain: Sequence[Claim], code: Code, category: Category | None
    ) -> None:
        self.ports, self.chain, self.code, self.category = ports, chain, code, category
        case = ports.state.facts.once(Case)
        self.frames = [f for f in (case.stack.frames[:1000] if case.stack else ())
                       if f.function and f.line and case.is_ours(f)]  # fmt: skip
        values = (number(str(arg.value)) for link in chain if link.kind in _FAILED
                  for arg in link.args)  # fmt: skip
        self.cells = {value for value in values if value is not None and value >= LEAST}

    async def value(self, place: Place, expression: str | None) -> Found | None:
        """The number that an expression is in a place's frame; None where none is printed."""
        state, text = self.ports.state, expression or ""
        asked: tuple[Command, ...] = commands.value(place.frame, text)
        if place.thread is not None:
            asked = (value_of(state, place.thread, place.frame.index, text),)
        for command in spelt(state, asked) if expression else ():
            shown = await self._told(command)
            if none := _NONE.match(shown):
                return Found(place.frame, text, 0, none[1])
            if found := _VALUE.match(shown):
                return Found(place.frame, text, int(found[1], 0))
            if _ENUMERATOR.match(shown) and not text.startswith("("):
                return await self.value(place, f"(long)({text})")
            if _SMART_SHOWN.match(shown) and not text.startswith("*"):
                return await self.value(place, f"*(void **)&({text})")
        plain = self._by_members(text, place.frame.function or "")
        return await self.value(place, plain) if plain else None

    async def shown(self, place: Place, expression: str) -> str:
        """What the debugger prints for an expression in a place's frame."""
        asked = spelt(self.ports.state, commands.value(place.frame, expression))
        return "\n".join([await self._told(command) for command in asked])

    async def _told(self, command: Command) -> str:
        item = await self.ports.ask(command)
        return await self.ports.text(item.id) if item is not None else ""

    def _by_members(self, text: str, function: str) -> str | None:
        """An expression of C++ in which an operator of a variable's or a member's own, of a vector
        or a smart pointer, is what it does (libstdc++), and a method that does nothing but return a
        member that member: gdb calls none in a dump."""
        owners, declared = self.code.owners, self.code.of_kind("declares")
        for call in _GETS.finditer(text):
            if made := self._gets(call["method"]):
                return text[: call.start("method")] + made + text[call.end() :]
        for head in _OPERATED.finditer(text):
            name = head["name"]
            own = class_of(function) if head["this"] or not owners.is_local(name, function) else ""
            type_ = next(
                (
                    owners.meant(one.of("type"))
                    for one in declared
                    if one.of("name") == name
                    and (one.of("of") == own if own else one.function == function)
                ),
                "",
            )
            made, index = f"{head['this'] or ''}{name}", head["index"]
            if index and (vector := _VECTOR.fullmatch(type_)):
                made, type_, index = f"{made}._M_impl._M_start{index}", vector[1], ""
            if head["arrow"] and not index and (smart := _SMART.fullmatch(type_)):
                made = f"(*({smart[1]} **)&{made})"
            if made not in head[0]:
                return text[: head.start()] + made + (head["arrow"] or "") + text[head.end() :]
        return None

    def _gets(self, method: str) -> str:
        """The member that the only listed method of a name returns, which does nothing else."""
        own = self.code.of_function(method)
        made = {(class_of(one.function), one.of("expression")) for one in own}
        alone = len(made) == 1 and all(one.row.kind == "returns" for one in own)
        return own[0].of("expression") if alone and made <= self.code.owners.members.keys() else ""

    async def of(self, place: Place, expression: str, line: Line) -> Found | None:
        """The number that an expression of a line is at a place, with what its macros stand for: a
        debugger knows none of those."""
        for _ in range(_DEEPEST):
            given, expression = expression, _WORD.sub(self._constant, expression)
            if given == expression:
                break
        made = self.there(expression, line, place)
        return await self.value(place, _SIZE.sub("(unsigned long)sizeof", made) if made else None)

    def _constant(self, name: re.Match[str]) -> str:
        made = self.code.constants.get(name[0])
        return name[0] if made is None else made if made.isdigit() else f"({made})"

    async def first(self, place: Place, array: str, line: Line) -> Found | None:
        """Where an array begins, by its name or by what its function sets to its address."""
        for name in self.names(array, line):
            if found := await self.of(place, name, line):
                return found
        return None

    def names(self, array: str, line: Line) -> list[str]:
        """An array, and what its function sets to its address."""
        names = [array]
        for name in names:
            names += [one.of("target") for one in self.code.of_kind("assigns", line.function)
                      if one.of("expression") in [f"{name}{end}" for end in _OF_FIRST]
                      and one.of("target") not in names]  # fmt: skip
        return names

    def counters(self, line: Line) -> list[str]:
        """The integer members of a line's struct that its function sets."""
        struct, owners = self.struct(line), self.code.owners
        set_there = (owners.cell(one.of("target"), one.function)
                     for one in self.code.of_kind("assigns", line.function))  # fmt: skip
        return [
            name
            for of, name in dict.fromkeys(set_there)
            if of == struct
            and not any(
                one.of("type").endswith(("*", "&", "]"))
                and (one.of("of"), one.of("name")) == (of, name)
                for one in self.code.of_kind("declares")
            )
            and bits_of(owners.members.get((of, name), ""), line.text.language or "")
        ]

    async def chunk(self, address: int) -> Chunk | None:
        """The chunk of the heap that an address lies in."""
        await self.ports.ask(Command(f"@heap {address:#x}", "the memory that a pointer leads to"))
        found = (one for one in self.ports.state.facts.all(Chunk) if one.address == address)
        return next(found, None)

    @staticmethod
    def end(chunk: Chunk) -> int:
        """Where a chunk's memory ends: with the first word of the one behind it (malloc.c)."""
        header = chunk.address - chunk.offset - chunk.start
        return chunk.start + chunk.size + header // 2

    async def said(self, *found: Found) -> tuple[Claim, ...]:
        """Statements of values; none unless each is held by the line that says it."""
        stated = [
            replace(say("value", expression=one.expression, function=one.frame.function,
                        value=one.shown or _spelt(one.value)), by="model")
            for one in found
        ]  # fmt: skip
        held = await hold(self.ports, stated)
        return tuple(replace(o, by="expert") for o in held) if all(o.holds for o in held) else ()

    def standing(self, line: Line) -> Iterator[tuple[Stack, Frame]]:
        """The frames of any thread that stand in a row's lines."""
        for stack in self.ports.state.facts.all(Stack):
            for frame in stack.frames[:1000]:
                if line.has(frame.line) and same_function(line.function, frame.function or ""):
                    yield stack, frame

    def live(self, function: str) -> Frame | None:
        """The only frame of a function on the stack that failed."""
        found = [f for f in self.frames if same_function(f.function or "", function)]
        return found[0] if len(found) == 1 else None

    def damaged(self, first: int, end: int) -> bool:
        """True where something that the chain names lies there, in memory of its category."""
        case, where = self.ports.state.facts.once(Case), _WHERE.get(self.category or "")
        found = [case.region(cell) for cell in self.cells if first <= cell < end]
        return bool(found) and (
            where is None or any(one is not None and one.kind in where for one in found)
        )

    def places(self, line: Line) -> list[Place]:
        """The frame of the line's function; else its calls by those that are on the stack, and
        objects of its struct that the chain, or a variable of a frame, leads to."""
        own, struct = self.live(line.function), self.struct(line)
        if own is not None:
            return [Place(own)]
        found = list(self.calls(line.function))
        for link in self.chain[:-1] if struct else ():
            frame = self.live(str(link.get("function")))
            if frame is None:
                continue
            for name in ("expression", "target", "callee", "arguments"):
                expression = normal(str(link.get(name) or ""))
                found += [Place(frame, base) for base in self._bases(expression, frame, struct)]
        for frame in self.frames if struct else ():
            found += [Place(frame, base) for base in self._near(frame, struct)]
            if struct in self.code.owners.bases(class_of(frame.function or "")):
                rust = (frame.file or "").endswith(".rs")
                found.append(Place(frame, "self." if rust else "this->"))
        tried = {(place.frame.index, *place[1:]): place for place in reversed(found)}
        return list(reversed(tried.values()))[:_MOST]

    def struct(self, line: Line) -> str:
        """The struct whose member a line sets or reads, or whose method it stands in; "" where none
        is known."""
        owners, of = self.code.owners, class_of(line.function)
        target = (line.of("target") or line.of("expression")).lstrip("&*").partition("[")[0]
        found = owners.cell(target, line.function)[0]
        return found or (of if of in owners.structs else "")

    def _bases(self, expression: str, frame: Frame, struct: str) -> Iterator[str]:
        """What an object of the struct is reached through in an expression."""
        for found in _PATH.finditer(expression):
            for end in re.finditer(r"->|\.", found[0]):
                if self._is_of(found[0][: end.start()], frame.function or "", struct):
                    yield found[0][: end.end()]
        field = re.search(r"(?:->|\.)([A-Za-z_]\w*)$", expression)
        if field and self.code.owners.holders(field[1]) == {struct}:
            yield expression.lstrip("&")[: -len(field[1])]

    def _is_of(self, expression: str, function: str, struct: str) -> bool:
        owners = self.code.owners
        of = class_of(function) if expression in ("this", "self") else None
        return struct in owners.bases(of or owners.points_to(expression, function) or "")

    def _near(self, frame: Frame, struct: str) -> Iterator[str]:
        """What variables of a frame, or members of theirs, lead to an object of the struct."""
        owners, function = self.code.owners, frame.function or ""
        declared = [line.of("name") for line in self.code.of_kind("declares", function)]
        names = {name: owners.points_to(name, function) for name in declared}
        names |= {
            one.name: found[1]
            for held in self.ports.state.facts.all(Locals)
            for one in held.variables
            if held.frame == frame.index and (found := _TYPED.match(one.value))
        }
        step = "." if (frame.file or "").endswith(".rs") else "->"
        for name, of in names.items():
            if of == struct:
                yield f"{name}{step}"
            for (owner, field), type_ in owners.members.items():
                if owner == of and type_ == struct:
                    yield f"{name}{step}{field}{step}"

    def calls(self, function: str) -> Iterator[Place]:
        """The calls of a function by those that are on the stack: what they pass by the names of
        its parameters, but for those that it sets again, and the object that they make or are
        called on."""
        names = self.code.parameters(function)
        again = {one.of("target") for one in self.code.of_kind("assigns", function)}
        for call in self.code.calls(function):
            frame, made = self.live(call.function), self.code.made_by(call)
            on = re.match(r".*(?:->|\.)", call.of("callee"))
            passed = self.code.passed(call)
            given = tuple((name, passed[at].of("expression")) for at, name in enumerate(names, 1)
                          if at in passed and name not in again)  # fmt: skip
            if frame is not None and not is_ahead(self.code, call):
                yield Place(frame, f"{made}->" if made else on[0] if on else "", given)

    def there(self, expression: str, line: Line, place: Place) -> str | None:
        """A line's expression as it is written at a place; None where a part of it is gone."""
        if place.frame is self.live(line.function):
            return expression
        struct, owners, of = self.struct(line), self.code.owners, class_of(line.function)
        known, gone = dict(place.given), False
        for kept, field in self.code.kept_by(line.function, struct) if place.base else ():
            known.setdefault(kept, place.base + field)

        def seen(found: re.Match[str]) -> str:
            nonlocal gone
            name, rest = found[1], found[2]
            if rest and place.base and self._is_of(name, line.function, struct):
                return place.base + re.sub(r"^(?:->|\.)", "", rest)
            if name in known:
                return f"({known[name]}){rest}"
            gone |= owners.is_local(name, line.function) or name in ("this", "self")
            return place.base + name + rest if (of, name) in owners.members else name + rest

        text = _NAME.sub(seen, _TEXT.sub('""', expression)).replace("strlen(", "$_strlen(")
        return None if gone or '""' in text else text
