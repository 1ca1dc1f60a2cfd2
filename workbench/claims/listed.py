"""Statements of source: the rows of what the debugger listed."""

import re
from collections.abc import Iterator, Sequence

from workbench.claims.book import Book
from workbench.claims.kinds import KINDS
from workbench.claims.rows import Row
from workbench.claims.source import (
    FILE_SCOPE,
    SourceText,
    function_extent,
    is_function,
    language_of,
    last_name,
    listings,
    normal,
    precedes,
    rows_of,
    same_function,
)
from workbench.claims.source.spots import has
from workbench.claims.source.text import CPP, C
from workbench.claims.source.unset import unset
from workbench.claims.values import number
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import SourceLine, Stack

_LISTS = re.compile(r"(?:^|\s)(?:list|lis|li|l|frame|f|source list|frame select|up|down)(?:\s|$)")
_TYPE = re.compile(
    r"^(?P<layout>/\* offset +\| +size \*/ +)?type = (?P<kind>struct|class|union) (?:\w+::)*"
    r"(?P<rest>\w+ (?:: [^{]+)?\{)$",
    re.MULTILINE,
)
"""The head of what gdb's ``ptype`` prints of a type of C or C++."""
_OF_FILE = re.compile(r"(?:^|\s)(?:l|li|lis|list) (?P<file>[\w./+-]+\.\w+):\d+|-f (?P<lldb>\S+)")
_STORED = re.compile(r"^(?:(?:static|constexpr|extern|inline|register|thread_local)\s+)+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_PLACE = re.compile(r"(?:->|::|[\w.&*()\[\]])+")
_IS_IN = re.compile(
    r"^0x[0-9a-fA-F]+ is in (?P<function>.+?) \(.+:(?P<line>\d+)\)\.$", re.MULTILINE
)


def source_rows(book: Book, claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    """The rows of one kind in the cited listings, or in all of them."""
    columns = KINDS[claim.kind].columns
    said = [name for name in ("index", "arguments") if claim.get(name) is not None]
    beside = _all(book)
    for name in dict.fromkeys(c.evidence for c in near) if near else tuple(book.evidence):
        for source in texts_of(book, name):
            if claim.kind == "never_sets":
                target = str(claim.get("target") or "")
                path, field = _PLACE.fullmatch(normal(target)), last_name(normal(target))
                known = bool(path and _WORD.fullmatch(field)) and _is_listed(book, field)
                ends = [number(str(claim.get(name) or "")) for name in ("at", "to")]
                within = (ends[0], ends[1]) if ends[0] and ends[1] else None
                stated = list(unset(source, target, beside, within)) if known else []
            elif claim.kind == "precedes":
                first, second = number(claim.get("first") or ""), number(claim.get("second") or "")
                pairs = ((first, second), (second, first)) if first and second else ()
                stated = [row for one, two in pairs if (row := precedes(source, one, two))]
            else:
                stated = [row for row in rows_of(claim.kind, source, beside)
                          if all(name in row.values for name in said)]  # fmt: skip
            for row in stated:
                values = {name: value for name, value in row.values.items() if value != ""}
                function = str(values.get("function", "") or "")
                if not function:
                    function = _function_at(book, source, name, int(values["at"]))
                if function and function != FILE_SCOPE:
                    values["function"] = function
                    _as_named(values, claim, source, book)
                else:
                    values.pop("function", None)
                _as_stated(values, claim)
                cite = Citation(name, row.line, row.line)
                yield Row({n: v for n, v in values.items() if n in columns}, cite, cite)


def _all(book: Book) -> tuple[SourceText, ...]:
    return tuple(source for name in book.evidence for source in texts_of(book, name))


def printed_type(command: str, text: str) -> list[SourceText]:
    """A type as gdb prints it, in the lines of a declaration: its header may hold no code, and then
    no debugger lists it."""
    head = _TYPE.search(text)
    if head is None:
        return []
    lines = text[head.start() :].rstrip().split("\n")
    lines[0], lines[-1] = f"{head['kind']} {head['rest']}", f"{lines[-1]};"
    first = text.count("\n", 0, head.start()) + 1
    numbered = tuple((at, at, line) for at, line in enumerate(lines, first))
    return [SourceText(CPP, command, numbered)]


def texts_of(book: Book, evidence: str) -> Sequence[SourceText]:
    """The listings of one item, and the type that it prints; none of any other item."""
    item = book.evidence.get(evidence)
    if item is None:
        return []
    if evidence not in book.listings:
        book.listings[evidence] = _texts_of(book, evidence, item.command)
    return book.listings[evidence]


def _texts_of(book: Book, evidence: str, command: str) -> Sequence[SourceText]:
    if command.startswith("ptype "):
        return printed_type(command, book.text(evidence))
    if not _LISTS.search(command):
        return []
    found = listings(book.text(evidence))
    if all(source.file for source in found):
        return found
    files = {
        fact.line: fact.file
        for fact in book.facts.all(SourceLine)
        if fact.cite.evidence == evidence and fact.file
    }
    listed = _OF_FILE.search(command)
    asked = (listed["file"] or listed["lldb"]) if listed else None
    named = [(source, files.get(source.lines[0][1], asked)) for source in found]
    return [
        source._replace(file=file, language=language_of(file))
        if file and not source.file
        else source
        for source, file in named
    ]


def _as_named(values: dict[str, int | str], claim: Claim, source: SourceText, book: Book) -> None:
    """A listing shows a function without what is in front of its name: the fuller name that a
    statement gives is the same where it ends so, and a listing or a stack knows what it is in."""
    named = claim.get("function")
    if not isinstance(named, str) or not is_function(str(values["function"]), named):
        return
    before = set(_WORD.findall(named)) - set(_WORD.findall(str(values["function"])))
    known = {word for stack in book.facts.all(Stack) for frame in stack.frames[:1000]
             for word in _WORD.findall(frame.function or "")} if before else set()  # fmt: skip
    if source.language != C and all(one in known or _is_listed(book, one) for one in before):
        values["function"] = named


def _is_listed(book: Book, word: str) -> bool:
    """True for a word of any listing."""
    return has(_all(book), word)


def _as_stated(values: dict[str, int | str], claim: Claim) -> None:
    """A line within what a lock guards is one of its lines, and a lock may be said by its address;
    how a variable is stored is no part of its type."""
    at, type_ = number(claim.get("at") or ""), str(claim.get("type") or "")
    if claim.kind == "under_lock":
        lock = normal(str(claim.get("lock") or ""))
        values["lock"] = lock if lock.lstrip("&") == values["lock"] else values["lock"]
        if at and int(values["at"]) <= at <= int(values["to"]):
            values["at"] = at
    elif claim.kind == "declares" and normal(_STORED.sub("", type_)) == values.get("type"):
        values["type"] = type_


def _function_at(book: Book, source: SourceText, evidence: str, at: int) -> str:
    """The function around a line whose head the listing does not show: what the debugger says that
    another line of it is in, or the frame whose line is another of it."""
    said = _IS_IN.search(book.text(evidence))
    if said is not None and same_function(source, at, int(said["line"])):
        return said["function"]
    for stack in book.facts.all(Stack):
        for frame in stack.frames[:64]:
            if frame.line and frame.function and source.file and frame.file and (
                frame.file.endswith(source.file) or source.file.endswith(frame.file)
            ) and same_function(source, at, frame.line):  # fmt: skip
                return frame.function
    return ""


__all__ = ["function_extent", "source_rows", "texts_of"]
