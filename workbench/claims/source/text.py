"""A piece of a source file as a debugger printed it, and what is said of it."""

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from workbench.claims.tokens import TOKEN

C, CPP, RUST, GO, C_SHARP = "c", "cpp", "rust", "go", "c_sharp"
_SUFFIXES = {
    C: ".c .h .i",
    CPP: ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tcc .ii .cu .cuh",
    RUST: ".rs",
    GO: ".go",
    C_SHARP: ".cs",
}
_LANGUAGES = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
FILE_SCOPE = "(file)"
"""The function of what stands in none: it is never the name of one."""


def words(text: str) -> frozenset[str]:
    """A table of words."""
    return frozenset(text.split())


class SourceText(NamedTuple):
    """One contiguous listing, possibly cut at both ends. ``lines`` are (line of the evidence, line
    of the source file, text)."""

    language: str | None
    file: str | None
    lines: tuple[tuple[int, int, str], ...]

    def __hash__(self) -> int:
        """Of a few of its words: what is worked out once for a listing is looked for a thousand
        times, and a tuple reckons its hash anew each time, over all lines."""
        return hash((self.file, len(self.lines), self.lines[:1]))

    def lists(self, file: str | None, line: int | None) -> bool:
        """True where it has that line of the source file."""
        mine, other = (re.split(r"[/\\]", name or "")[-1] for name in (self.file, file))
        return mine == other != "" and any(at == line for _, at, _ in self.lines)


class Row(NamedTuple):
    """One statement of the source. ``line`` is the evidence's; ``at`` and ``to`` among the values
    are the source's first and last. A function "" is one whose head the listing does not show."""

    kind: str
    values: dict[str, int | str]
    line: int


def language_of(file: str | None) -> str | None:
    """By the file's suffix; a header is taken for C, which the parser tries before C++."""
    name = (file or "").replace("\\", "/")
    suffix = PurePosixPath(name).suffix
    return CPP if suffix == ".C" else _LANGUAGES.get(suffix.lower())


@lru_cache(maxsize=4096)
def _fuse(one: str, other: str) -> bool:
    """True for two signs that are another one when nothing parts them. Two closing angle brackets
    are not told from a shift: C++ writes both alike."""
    found = TOKEN.match(one + other)
    return found is None or (found[0] != one and {one[0], other[0]} != {">"})


@lru_cache(maxsize=16384)
def normal(expression: str) -> str:
    """An expression or a type with the blanks between its tokens gone where they part nothing, and
    without comments, a semicolon at its end, and parentheses around all of it."""
    if expression.isidentifier():
        return expression
    tokens = [
        (str(m.lastgroup), m[0]) for m in TOKEN.finditer(expression) if m.lastgroup != "comment"
    ]
    while tokens:
        if tokens[-1][1] == ";":
            tokens.pop()
        elif len(tokens) > 1 and tokens[0][1] == "(" and _closed_by(tokens) == len(tokens) - 1:
            tokens = tokens[1:-1]
        else:
            break
    parts: list[str] = []
    before = ("", "")
    for token in tokens:
        if (
            before[0] == token[0] == "word"
            or (before[0] == token[0] == "mark" and _fuse(before[1], token[1]))
            or (before[1] == "." and token[1][0].isdigit())
        ):
            parts.append(" ")
        parts.append(token[1])
        before = token
    return "".join(parts)


def _closed_by(tokens: list[tuple[str, str]]) -> int:
    """Which token closes the parenthesis that the first one opens; -1: none."""
    depth = 0
    for index, (_, token) in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if not depth:
            return index
    return -1


def class_of(function: str) -> str:
    """What a method is of; "" of a function."""
    return function.rpartition("::")[0].rpartition("::")[2]


@lru_cache(maxsize=16384)
def last_name(expression: str) -> str:
    """``len`` of ``q->len``, ``free`` of ``std::free``: the last name of a normal expression that
    is a path; "" of any other."""
    end = expression.rstrip(")") if expression.endswith("()") else expression
    match = re.search(r"([^\W\d]\w*)(?:::)?(?:<.*>)?$", end, re.DOTALL)
    return match[1] if match else ""


def is_function(shown: str, named: str) -> bool:
    """True unless a row's function is another than the one that a debugger names: its parameters,
    template arguments and what it has in front of the shown name do not count."""
    if not shown or shown == named:
        return True
    one, other = _path(shown), _path(named)
    both = min(len(one), len(other))
    return bool(both) and one[-both:] == other[-both:]


@lru_cache(maxsize=4096)
def _path(function: str) -> tuple[str, ...]:
    """The names of a path: ``main.(*Queue).Push`` and ``<q::Queue<T> as Sink>::push`` too."""
    depth, kept = 0, []
    text = re.sub(r"^<(?:&(?:mut )?)?(.*?) as .*?>(?=::)", r"\1", function)
    text = re.sub(r"^<(.*)>(?=::)", r"\1", text)
    text = text.replace("(anonymous namespace)::", "").replace("(*", "").replace(").", ".")
    text = re.sub(r"operator\s*(?:<<|>>|->|<|>|\(\))", "operator", text).replace("::{", ".{")
    for sign in re.sub(r"\[abi:\w+\]", "", text):
        if sign == "(" and not depth:
            break
        depth += (sign == "<") - (sign == ">")
        if not depth and sign not in "<>":
            kept.append(sign)
    names = [name for name in re.split(r"::|\.", "".join(kept).strip()) if name]
    while len(names) > 1 and (names[-1].startswith("{") or re.fullmatch(r"func\d+|\d+", names[-1])):
        names.pop()  # a closure's own name
    if names:
        names[-1] = names[-1].split()[-1] if names[-1].strip() else names[-1]
        names[0] = names[0].split()[-1]
    return tuple(names)
