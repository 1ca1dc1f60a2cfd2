"""The listed source of a case, with what its stacks tell of what ran."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from analyzers.patterns.case import NEAR_NULL
from workbench.agents.assisted.lines import Line, Use
from workbench.agents.assisted.once import once
from workbench.agents.assisted.sources import Sources, sources_of
from workbench.claims.chain import same_function
from workbench.claims.printed import arguments_of
from workbench.claims.render import last_part, sentence
from workbench.claims.source import SourceText, function_extent, is_certain, normal, precedes
from workbench.claims.source.held import is_mended, is_some
from workbench.claims.source.macros import directives
from workbench.claims.source.shapes import plain_callee
from workbench.claims.source.spots import has, spots, storage
from workbench.claims.source.text import CPP, RUST, C, class_of, last_name, words
from workbench.claims.values import NULL, number
from workbench.model.claims import Arg, Claim
from workbench.model.facts import Fault, Stack
from workbench.model.investigation import Investigation

MOST = 2000
"""So many lines of a file are listed."""
_NAMES = re.compile(r"[A-Za-z_]\w*")
_EITHER = re.compile(r"[^?]+\?([^?:]+):([^?:]+)")
_SOME = re.compile(r"&(?:(?P<array>\w+)\[[^\[\]]*\]|\w+)(?:\.\w+)*|\"[^\"]*\"|'(?!\\x?0+')[^']*'")
_ELEMENT = re.compile(r"&((\w+)->(?:\w+\.)*\w+)\[[^\[\]]*\](?:\.\w+)*")
_MADE = re.compile(r"(?:std::)?make_(?:unique|shared)<[\w:]+>(?=\()")
_CAST = re.compile(r"^\([\w ]+\*+\)")
_UNNAMED = words("main drop begin end next deref deref_mut index index_mut fmt clone eq cmp")
"""Functions that run without being named: by a range-based for, an operator, a macro of Rust; of C
the first one alone."""
_ATTRIBUTES = words("constructor destructor cleanup section used ifunc")
_HEADER = (".h", ".hh", ".hpp", ".hxx", ".h++")
_UNWRAPS = re.compile(r"core::option::(?:unwrap|expect)_failed")
"""Where Rust's library ends a process for a None (library/core/src/option.rs)."""
_WEIGHS = words("sizeof offsetof typeof __typeof __typeof__ typeof_unqual decltype alignof "
                "_Alignof noexcept")  # fmt: skip
_GET = ".get()"
"""What a smart pointer gives is what one goes through by it (C++23, unique.ptr)."""
_SETJMP = words("setjmp _setjmp __sigsetjmp sigsetjmp getcontext")
"""Functions of C's library to which control may come back (POSIX)."""
PLACE = {"assigns": "target expression", "frees": "expression", "returns": "expression",
         "allocates": "target", "converts": "target", "calls": "callee",
         "under_lock": "lock"}  # fmt: skip
WRITES = frozenset({"assigns", "frees", "allocates", "converts", "never_sets"})
"""Links of which code has to read who else may have done it."""


def _is_from(link: Claim, line: int) -> bool:
    """True for one of the lines that a statement is of."""
    at, to = link.get("at"), link.get("to")
    return isinstance(at, int) and isinstance(to, int) and at <= line <= to


class Code(Sources):
    """The listed source of a case, with what its stacks and its fault tell of it."""

    def __init__(
        self, state: Investigation, texts: Sequence[SourceText], unlisted: Sequence[str] = ()
    ) -> None:
        vars(self).update(vars(sources_of(tuple(texts))))
        self.unlisted = tuple(unlisted)
        self.away: set[str] = set()  # structs that are known to escape; not to; that are asked for
        self.kept_in: set[str] = set()
        self.asked, self.found = set[str](), dict[tuple[object, ...], Any]()
        self.jumps_far = any(plain_callee(one.of("callee")) in _SETJMP for one in self.lines)
        self.runs_unnamed = any("__attribute__" in line for text in texts
                                for _, _, line in text.lines)  # fmt: skip
        self.runs_unnamed |= has(texts, "attribute_declaration") and has(texts, *_ATTRIBUTES)
        self.frames = [
            frame
            for stack in state.facts.all(Stack)
            for frame in stack.frames[:1000]
            if frame.function is not None and frame.line is not None
        ]
        fault = next(iter(state.facts.all(Fault)), None)
        itself = fault is not None and fault.origin_value == fault.base_value
        self.returned = fault.origin_call if fault is not None and itself else None
        shown = (fault.operand, fault.divisor) if fault is not None else ()
        self.unwrapped = any(_UNWRAPS.fullmatch(one.function or "") for one in self.frames)
        self.null = self.unwrapped or 0 in shown[1:] or (
            any(one is not None and one < NEAR_NULL for one in shown[:1]))  # fmt: skip

    @once
    def kept(self, link: Claim) -> list[Line]:
        """The lines that a statement of source is of."""
        at, names = link.get("at"), PLACE.get(link.kind, "").split()
        found = [
            line
            for line in (self.lines if link.kind == "never_sets" else self.of_kind(link.kind))
            if same_function(line.function, str(link.get("function")))
            and (
                at is None
                or at == line.at
                or (link.kind == "under_lock" and line.has(at))
                or (link.kind == "never_sets" and _is_from(link, line.at))
            )
            and all(
                line.of(name) == normal(str(link.get(name))).lstrip("&" * (name == "lock"))
                for name in names
            )
        ]
        if link.kind != "calls" or link.get("expression") is None:
            return found
        passed = str(link.get("index")), normal(str(link.get("expression")))
        given = [line for line in found if (line.of("index"), line.of("expression")) == passed]
        return [line for line in found if any(map(line.is_at, given))]

    def placed(self, claim: Claim) -> Claim:
        """A statement of source that holds with its function as the source has it, and the number
        of its line, where it is of one line."""
        lines = self.kept(claim) if claim.holds and claim.kind in PLACE else []
        of, at = {line.function for line in lines}, {(line.file, line.at) for line in lines}
        named = {arg.name: arg for arg in claim.args}
        scopes = {(frame.function or "").partition("::")[0] for frame in self.frames}
        said = str(claim.get("function"))
        if len(of) == 1 and said not in of and said.partition("::")[0] not in scopes:
            named["function"] = replace(named["function"], value=of.pop())
        if len(at) == 1 and not claim.get("at"):
            named["at"] = Arg("at", at.pop()[1], claim.citations[:1])
        if tuple(named.values()) == claim.args:
            return claim
        made = replace(claim, args=tuple(named.values()))
        return replace(made, text=sentence(made))

    def file_of(self, claim: Claim) -> str | None:
        """The file of a statement's line; None where several have such a line or none is told."""
        found = {line.file for line in self.kept(claim)}
        return found.pop() or None if len(found) == 1 else None

    @once
    def unread(self) -> tuple[str, ...]:
        """``file:line`` of where each listing of a file stops that may go on; files of the program
        that are not listed, and functions that its own files declare in C, call and do not have: a
        file without debug information, which reaches what is global."""
        last: dict[str, int] = {}
        for text in self.texts:
            name, at = last_part(text.file or ""), text.lines[-1][1] if text.lines else 0
            last[name] = max(at, last.get(name, 0))
        parts = {last_part(name[1:-1]) for text in self.texts for _, told in directives(text)
                 for name in told[1:] if told[0] == "include" and name[:1] == '"'
                 and not name[:-1].endswith(_HEADER)}  # fmt: skip
        known = self.functions | self.results.keys() | self.macros.keys()
        called = {one.of("callee") for one in self.of_kind("calls")}
        declared = {one.of("name") for one in self.of_kind("prototypes") if one.text.language == C}
        return (
            *(f"{name}:{at}" for name, at in last.items() if at >= MOST), *self.unlisted,
            *sorted(parts - last.keys()), *sorted(called & declared - known),
            *(at for text in self.texts for at in _spliced(text)),
        )  # fmt: skip

    @once
    def is_named(self, function: str) -> bool:
        """True for a function that a stack shows, that another line names than the one where it
        stands, or that runs without being named."""
        name = last_part(function.rpartition("::")[2])
        plain = all(text.language == C for text in self.texts)
        return (
            name in (_UNNAMED if not plain else ("main",))
            or self.runs_unnamed
            or not self._is_static(function)
            or not name.isidentifier()
            or bool(self.where(function))
            or len(self.named(name)) > 1
        )

    @once
    def _is_static(self, function: str) -> bool:
        """True unless what is not listed may name a function of C or C++: no method, or static."""
        of, _, name = function.rpartition("::")
        mine = [text for text in self.texts if text.language in (None, C, CPP)]
        pasted = any("##" in body for body in self.macros.values())
        return not mine or (
            not pasted
            and (bool(of) or any("static" in by for text in mine for _, by in storage(text, name)))
        )

    @once
    def is_called_alone(self, function: str) -> bool:
        """True for a function that is named where it stands, and where it is called."""
        calls = {(one.file, one.at) for one in self.calls(function)}
        return len(self.named(function)) == len(calls) + 1

    @once
    def where(self, function: str) -> list[int]:
        """The lines at which stacks show a function."""
        return [
            frame.line
            for frame in self.frames
            if frame.line is not None and same_function(frame.function or "", function)
        ]

    @once
    def parameters(self, function: str) -> list[str]:
        """The names of a function's parameters, by a stack or by what is listed of it."""
        for frame in self.frames:
            if same_function(frame.function or "", function) and frame.args:
                return [
                    name for name, _ in arguments_of(frame.args) if name not in ("this", "self")
                ]
        declared = self.of_kind("declares", function)
        return [line.of("name") for line in declared if "parameter" in line.row.values]

    def places(self, function: str, names: set[str]) -> list[int]:
        """The places from 1 of parameters of these names, of each function of that name."""
        found: dict[object, list[str]] = {}
        for line in self.of_kind("declares", function):
            if "parameter" not in line.row.values:
                continue
            where = line.file, function_extent(line.text, line.at)
            found.setdefault(where, []).append(line.of("name"))
        of = [self.parameters(function)] if len(found) < 2 else list(found.values())
        return sorted({at for own in of for at, name in enumerate(own, 1) if name in names})

    def is_call(self, line: Line, expression: str, function: str) -> bool:
        """True for an expression of a line that is a call of the function, and of no other of that
        last name: by a pointer that an object has, of a class that is not known or that others
        derive from, of a library's."""
        name, owners, own = last_name(function), self.owners, class_of(function)
        head = re.match(rf"(.*?)(->|\.|::|){re.escape(name)}\(", expression)
        if head is None or not is_call(expression, function):
            return False
        others = {class_of(other.function) for other in self.lines
                  if last_name(other.function) == name} - {own, ""}  # fmt: skip
        on, by = head[1], head[2]
        if by in ("->", "."):
            of = owners.points_to(on, line.function) or next(
                (owners.bare(one) for one in self.types(line, on)), "")  # fmt: skip
        else:
            of = on if by else class_of(line.function) if own else ""
        related = own and (own == of or own in owners.bases(of))
        return (
            (of, name) not in owners.members
            and bool(related or (not own and (not by or by == "::")) or of == "Self")
            and not any(of in owners.bases(one) or one in owners.bases(of) for one in others)
            and (not others or bool(own))
        )

    @once
    def given(self, function: str, name: str) -> list[str]:
        """What each call gives a function for a parameter; nothing where its own lines set it, or
        where it may be called by another name."""
        return [one.of("expression") for one in self._given(function, name)]

    @once
    def _given(self, function: str, name: str) -> list[Line]:
        places = [at for at, one in enumerate(self.parameters(function), 1) if one == name]
        calls = self.calls(function)
        if not places or not self.is_called_alone(function) or (
            any(one.of("target") == name for one in self.of_kind("assigns", function))
            or self.is_handed_out(function, name)
        ):  # fmt: skip
            return []
        given = [self.passed(call).get(places[0]) for call in calls]
        return [one for one in given if one] if all(given) else []

    @once
    def kept_by(self, function: str, struct: str) -> list[tuple[str, str]]:
        """What a function sets members of a struct to, and those."""
        return [
            (one.of("expression"), field)
            for one in self.of_kind("assigns", function) if one.of("operator") == "="
            for of, field in [self.member_of(one)]
            if of == struct and field
        ]  # fmt: skip

    @once
    def is_handed_out(self, function: str, name: str) -> bool:
        """True where a variable's address goes on, or a reference of C++ is made of it."""
        return any(
            self._may_set(use, name)
            for use in self.uses
            if same_function(use.line.function, function)
        )

    def _may_set(self, use: Use, name: str) -> bool:
        """True where a variable's address goes on, or a reference of C++ is made of it."""
        if use.of("path") == name and use.of("form") == "given":
            taken = self.declared(last_name(use.of("into")), int(use.line.row.values["index"]))
            return any(type_[-1:] == "&" and type_[:5] != "const" for _, _, type_ in taken)
        return use.of("path") == f"&{name}"

    @once
    def runs_once(self, line: Line, depth: int = 4) -> bool:
        """True for a line of ``main`` that nothing repeats, and of a function that is named at one
        such line alone."""
        if self.loop(line, line.at):
            return False
        calls = self.calls(line.function)
        alone = depth > 0 and len({(one.file, one.at) for one in calls}) == 1
        alone = alone and not self.is_doubled(calls[0])
        return line.function == "main" or (
            alone and len(self.named(line.function)) == 2 and self.runs_once(calls[0], depth - 1)
        )

    def is_undone(self, other: Line, mine: Line, used: Sequence[int]) -> bool:
        """True for a line of the same function that comes behind the use, or that the other one
        always overwrites before it."""
        return bool(used) and other.text == mine.text and all(
            not self.loop(other, use)
            and (other.at > use or (
                other.at < mine.at and mine.is_before(use)))
            for use in used
        )  # fmt: skip

    def may_be(self, line: Line, expression: str) -> bool:
        """Whether an expression may have the value that failed, as far as that is null or not."""
        text = normal(expression)
        if text in NULL or not self.null:
            return (text in NULL) is self.null
        if not text and line.of("operator") == "++":
            return False
        if number(text) is not None or self._is_some(line, text) or self.gives_some(line):
            return False
        made = _MADE.match(text) if line.text.language == CPP else None
        if (made and _ends_with(text, made.end())) or self._is_of_maker(line, text):
            return False  # it throws where there is no memory, or was gone through
        if arms := _EITHER.fullmatch(text):
            return any(self.may_be(line, one) for one in arms.groups())
        if self._is_given_some(line.function, text):
            return False
        return not (
            is_some(line.text, line.at, text.removesuffix(_GET), self.known)
            or is_mended(line.text, line.at, line.of("target"), self.known)
        )

    def _is_given_some(self, function: str, name: str) -> bool:
        """True for a parameter that each call gives what is no null pointer, by itself or in a
        variable that one line has set to such before."""
        given = self._given(function, name)
        return bool(given) and all(
            self._is_some(one, text) or self._is_of_maker(one, text) or self._was_set(one, text)
            for one in given for text in [one.of("expression")]
        )  # fmt: skip

    def _was_set(self, line: Line, name: str) -> bool:
        """True for a variable that its function has set once, whatever it did, before a line, to
        what is no null pointer: a null pointer that fails behind it came from elsewhere."""
        sets = self.sets(line.function, name)
        return (
            len(sets) == 1
            and name not in self.parameters(line.function)
            and self.owners.is_local(name, line.function)
            and not self.is_handed_out(line.function, name)
            and sets[0].text == line.text
            and precedes(line.text, sets[0].at, line.at) is not None
            and not self.may_be(sets[0], sets[0].of("expression"))
        )

    def _is_some(self, line: Line, text: str) -> bool:
        """True for a text, a listed function, a reference of Rust, a variable of Rust that is made
        of one and cannot change, the address of a variable or of a part of one."""
        if text in self.functions - self.macros.keys() and not self.types(line, text):
            return True
        if line.text.language == RUST and text.isidentifier():
            return self._is_let_some(line, text)
        shown = _SOME.fullmatch(text)
        return (line.text.language == RUST and (text[:1] == "&" or is_call(text, "Some"))) or (
            shown is not None and (not shown["array"] or self.is_array(line, shown["array"]))
        ) or self._is_of_read(line, text)  # fmt: skip

    def _is_of_maker(self, line: Line, text: str) -> bool:
        """True for a call of a function of C or C++ that always returns a variable which it set
        once, and went through since, or another place that is: no null pointer comes from there."""
        name = text.partition("(")[0]
        backs = self.of_kind("returns", name) if name in self.functions else ()
        return (
            line.text.language in (C, CPP)
            and bool(backs)
            and self.is_call(line, text, name)
            and all(
                self._is_gone_through(back)
                or ("(" not in (given := back.of("expression")) and not self.may_be(back, given))
                for back in backs
            )
        )

    @once
    def _is_gone_through(self, back: Line) -> bool:
        """True where a function went through the variable that it returns since it set it."""
        own = back.of("expression")
        sets = self.sets(back.function, own)
        return (
            own not in NULL
            and self.owners.is_local(own, back.function)
            and len(sets) == (own not in self.parameters(back.function))
            and not self.is_handed_out(back.function, own)
            and not has([back.text], "goto", "asm", "__asm__", "__asm")
            and any(
                use.line.text == back.text
                and use.line.function == back.function
                and re.match(rf"{own}(?:->|\[)", use.of("path"))
                and not is_weighed(use)
                and is_certain(use.line.text, use.line.at)
                and back.is_behind(use.line.at)
                and all(precedes(back.text, one.at, use.line.at) is not None for one in sets)
                for use in self.uses
            )
        )

    def _is_of_read(self, line: Line, text: str) -> bool:
        """True for the address of an element of an array in an object of which a member was used
        before: there is one."""
        part = _ELEMENT.fullmatch(text) if line.text.language in (C, CPP) else None
        types = self.types(line, part[1]) if part else []
        return part is not None and bool(types) and all(one[-1:] == "]" for one in types) and any(
            use.line.text == line.text and use.of("path").startswith(f"{part[2]}->")
            and use.line.at < line.at
            and line.is_behind(use.line.at)
            for use in self.uses
        )  # fmt: skip

    def _is_let_some(self, line: Line, name: str) -> bool:
        """True for a variable of Rust that cannot change, and is made of what is not None; nothing
        between there and the line, or a second time in it, names one so: a pattern may."""
        first, _ = function_extent(line.text, line.at) or (0, 0)
        named = [spot for spot in spots(line.text, name)
                 if spot.node.type == "identifier" and first < spot.at <= line.at]  # fmt: skip
        let = [spot.node.parent for spot in named[-2:-1]]
        made = [one for one in self._of("assigns", line)
                if one.of("target") == name
                and [spot.at for spot in named[-2:]] == [one.at, line.at]]  # fmt: skip
        return bool(made) and line.is_behind(made[0].at) and all(
            one is not None and one.type == "let_declaration" and not any(
                part.type == "mutable_specifier" for part in one.children)
            for one in let
        ) and all(self._is_some(one, one.of("expression")) for one in made)  # fmt: skip

    def gives_some(self, line: Line) -> bool:
        """True for an allocation of a size that is small whatever the data: it fails of no size."""
        return any(
            other.is_at(line) and other.of("target") == line.of("target")
            and is_new(line.of("expression"), other.of("callee"))
            and not _NAMES.search(re.sub(r"sizeof(?:\([^()]*\)|(?:->|[*\w.])+)", "", size))
            for other in self._of("allocates", line)
            for size in [f"{other.of('size')} {other.of('count')}"]
        )  # fmt: skip


def code_like(state: Investigation, texts: Sequence[SourceText], unlisted: Sequence[str]) -> Code:
    """The code of a case; the one before where it has the same source, stacks and fault: most of
    what one answer asks of it was asked by the last."""
    shown = tuple(texts), tuple(unlisted), state.facts.all(Stack), state.facts.all(Fault)
    if not _LAST or _LAST[0][0] != shown:
        _LAST[:] = [(shown, Code(state, texts, unlisted))]
    return _LAST[0][1]


_LAST: list[tuple[object, Code]] = []


def _spliced(text: SourceText) -> Iterator[str]:
    """Where a line of C goes on behind a backslash, which no row is read of."""
    directive = text.language not in (C, CPP)
    for _, at, line in text.lines:
        directive = directive or line.lstrip()[:1] == "#"
        if line.rstrip()[-1:] == "\\" and not directive:
            yield f"{last_part(text.file or '')}:{at}"
        if text.language in (C, CPP) and line.rstrip()[-1:] != "\\":
            directive = False


def is_weighed(use: Use) -> bool:
    """True on a line that asks for a size or a type: nothing is gone through for that."""
    return use.line.names(*_WEIGHS)


def is_call(expression: str, function: str) -> bool:
    """True for an expression that is a call of the function, and nothing else around it."""
    head = re.match(rf"[\w:.>-]*\b{re.escape(last_name(function))}(?=\()", expression)
    return head is not None and _ends_with(expression, head.end())


def _ends_with(expression: str, start: int) -> bool:
    """True where the brackets that begin at a place end with the expression."""
    depth = 0
    for at, one in enumerate(expression[start:], start):
        depth += (one == "(") - (one == ")")
        if depth == 0:
            return at == len(expression) - 1
    return False


def is_new(expression: str, callee: str) -> bool:
    """True for what is nothing but an allocation."""
    made = _CAST.sub("", expression)
    return is_call(made, callee) or (callee == "new" == made[:3] and "?" not in made)


def has_run(code: Code, mine: Sequence[Line]) -> bool:
    """True for a line that ran before one at which a stack shows its function."""
    return any(
        is_certain(line.text, line.at) and line.is_before(at)
        for line in mine
        for at in code.where(line.function)
    )


@once
def is_to_come(code: Code, line: Line) -> bool:
    """True for a line of ``main`` behind the one where it stands, unless a loop has both; and for
    one of a function that is named at such lines alone."""
    return only_at(code, line, partial(is_ahead, code))


@once
def is_ahead(code: Code, line: Line) -> bool:
    """True for a line behind each at which its function stands, unless a loop has both: it has not
    run in these calls of it. Where what was inlined is shown as a line of the function, nobody
    knows where that stands."""
    at = [] if code.jumps_far else code.where(line.function)
    first, _ = function_extent(line.text, line.at) or (line.at, 0)
    return bool(at) and all(
        first <= now < line.at and not code.loop(line, now) and not code.is_in_one(line, now)
        for now in at
    )


def only_at(code: Code, line: Line, held: Callable[[Line], bool], depth: int = 4) -> bool:
    """Whether it holds for a line of ``main``, which runs once; else for all that name its
    function."""
    if line.function == "main":
        return held(line)
    calls = code.calls(line.function)
    return (
        depth > 0
        and bool(calls)
        and code.is_called_alone(line.function)
        and all(only_at(code, one, held, depth - 1) for one in calls)
    )
