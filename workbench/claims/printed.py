"""Rows of what a debugger printed: values, words of memory, symbols, and lines as they stand."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.claims.rows import Row, overlaps
from workbench.claims.several import row_of, threaded
from workbench.claims.tokens import unaccented
from workbench.claims.values import HOLDS, in_one_line, member
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Value
from workbench.model.evidence import Evidence
from workbench.model.facts import Locals, ManagedMethod, Stack
from workbench.model.gdb_commands import (
    bare_command,
    runs_in_several,
    selected_level,
    without_error,
)

if TYPE_CHECKING:
    from workbench.claims.book import Book

_PRINTED = re.compile(r"\$\d+ = (?P<value>.+)")
_NAMED = r"[\w$&*:.\[\]>-]+ = "
_LLDB_PRINTED = re.compile(  # a type may hold brackets of its own
    rf"\((?P<type>[^=]+?(?=\) {_NAMED})|[^=]+?)\) (?:{_NAMED})?(?P<value>.+)"
)
_PRINT = re.compile(r"^(?:p|print|output|call|inspect|expr(?:ession)?|v|frame variable)(?:/\w+)?\s+"
                    r"(?:--\s+)?(?P<expression>.+)$")  # fmt: skip
_THREAD = re.compile(r"\bthread\s+apply\s+(\d{1,9})\s")
_WORDS = re.compile(r"^(?P<at>0x[0-9a-f]+)(?: <[^>]*>)?:\s+(?P<words>(?:0x[0-9a-f]+\s*)+)$")
_SYMBOL = re.compile(r"^(?P<name>[^\s+]+)(?: \+ (?P<offset>\d+))? in section (?P<section>\S+)")
_POINTED = re.compile(r"(?P<at>0x[0-9a-f]{1,16}) <(?P<name>[^<>+]+)(?:\+\d+)?>")
_TYPED = re.compile(r"[A-Za-z_]\w{3,}|0x[0-9a-f]+|\d{3,}")
_VERB = re.compile(r"^(?:(?:info|show|thread|frame|image|target)\s+)?\S+")
_LISTED = re.compile(r"\d+\t")
_BELOW = re.compile(r"(?P<indent>[ \t]{1,16})(?P<name>[A-Za-z_]\w{0,200}) = (?P<value>.+)$")
_NO_ROW = re.compile(r"\s*#\d|Thread |\S+ = |\(gdb\)")
_MOST_BELOW = 200
_ARGUMENT = re.compile(r"(?:^|, )(?P<name>[A-Za-z_]\w*)=")


def _arguments(book: "Book", near: tuple[Citation, ...]) -> Iterator[Row]:
    for stack in book.stacks(near):
        for frame in stack.frames:
            for name, value in arguments_of(frame.args):
                values: dict[str, Value] = {"expression": name, "value": value}
                if frame.function:
                    values["function"] = frame.function
                yield row_of(threaded(values, stack), stack, frame)


def _texts(book: "Book", near: tuple[Citation, ...]) -> Iterator[tuple[Evidence, int, str]]:
    cited = near or tuple(Citation(name) for name in book.evidence)
    for citation in cited:
        item = book.evidence.get(citation.evidence)
        if item is not None:
            for number_, line in book.cited(citation):
                yield item, number_, line


def _value(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    wanted = str(claim.get("expression") or "")
    for item, number_, line in _texts(book, near):
        expression = printed_expression(item.command)
        match = _PRINTED.fullmatch(line.strip()) or (
            _LLDB_PRINTED.fullmatch(line.strip()) if expression else None
        )
        if expression is None or match is None:
            continue
        value = without_error(match["value"])
        if value.endswith("{"):
            value = in_one_line([value, *book.lines(item.id)[number_:]])
        if path := _path(expression, wanted):
            value = member(value, path) or ""
            expression = wanted
        if value:
            cite = Citation(item.id, number_, number_)
            yield _placed(book, Row({"expression": expression, "value": value}, cite, cite))
    yield from _arguments(book, near)
    yield from _variables(book, wanted, near)
    yield from _below_frames(book, wanted, near)


def _variables(book: "Book", wanted: str, near: tuple[Citation, ...]) -> Iterator[Row]:
    """Locals and arguments of the frame that their command selects; a name with a path reads a
    member out of a printed structure."""
    root = re.match(r"[A-Za-z_]\w*", wanted)
    for facts in book.books(near):
        for listed in facts.all(Locals):
            if near and not any(overlaps(listed.cite, c) for c in near):
                continue
            for variable in listed.variables:
                name, value, line = variable.name, variable.value, variable.line
                cite = Citation(listed.cite.evidence, line, line)
                if root is not None and name == root[0] and wanted != name:
                    # The fact keeps the beginning of a long value; the lines have all of it.
                    whole = _line(book, cite.evidence, line).partition(" = ")[2]
                    if whole.endswith("{"):
                        whole = in_one_line([whole, *book.lines(cite.evidence)[line:]])
                    name, value = wanted, member(whole, wanted[root.end() :]) or ""
                values: dict[str, Value] = {"expression": name, "value": value}
                if listed.function:
                    values["function"] = listed.function
                if value:
                    yield _placed(book, Row(values, cite, listed.cite))


def _below_frames(book: "Book", wanted: str, near: tuple[Citation, ...]) -> Iterator[Row]:
    """Variables at cited lines that ``bt full`` prints below their frames."""
    for cite in near:
        above = [
            (frame.line_no, stack, frame)
            for stack in book.facts.all(Stack)
            if stack.cite.evidence == cite.evidence
            for frame in stack.frames
            if 0 <= cite.first - frame.line_no <= _MOST_BELOW
        ]
        at, stack, frame = max(above, key=lambda one: one[0], default=(0, None, None))
        if stack is None or frame is None or not at:
            continue
        for number_, name, value in below(book.lines(cite.evidence), at):
            if number_ == cite.first and wanted.startswith(name):
                path = wanted.removeprefix(name)
                found = member(value, path) if path else value
                values: dict[str, Value] = {"expression": wanted, "value": found or ""}
                if frame.function:
                    values["function"] = frame.function
                line = Citation(cite.evidence, number_, number_)
                if found:
                    yield Row(threaded(values, stack), line, line)


def below(lines: Sequence[str], frame: int) -> Iterator[tuple[int, str, str]]:
    """The variables that gdb's ``bt full`` prints below a frame's line (from 1): line, name and
    value of each; what is indented further is a member of one."""
    indent = ""
    for number_ in range(frame + 1, min(len(lines), frame + _MOST_BELOW) + 1):
        line = lines[number_ - 1]
        if not line.strip() or _NO_ROW.match(line):
            return
        match = _BELOW.match(line)
        if match is not None:
            indent = indent or match["indent"]
            if match["indent"] == indent:
                yield number_, match["name"], match["value"].strip()


def _placed(book: "Book", row: Row) -> Row:
    """A printed value with the function of the frame that its command selects; without
    ``thread apply`` the engine's commands run in the thread of the case."""
    command = book.evidence[row.line.evidence].command
    level, thread = selected_level(command) or 0, _THREAD.search(command)
    if "function" in row.values:
        return row
    for stack in book.facts.all(Stack):
        if stack.number == int(thread[1]) if thread else _is_selected(book, stack):
            for frame in stack.frames:
                if frame.index == level and frame.function:
                    values = {**row.values, "function": frame.function}
                    return row._replace(values=threaded(values, stack) if thread else values)
    return row


def _is_selected(book: "Book", stack: Stack) -> bool:
    """True for the stack of the thread in which commands run that name none."""
    command = book.evidence[stack.cite.evidence].command
    return stack.current or command.split()[:1] == ["bt"]


def _line(book: "Book", evidence: str, number_: int) -> str:
    lines = book.lines(evidence)
    return lines[number_ - 1] if 0 < number_ <= len(lines) else ""


def _memory(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    for item, number_, line in _texts(book, near):
        match = _WORDS.match(line.strip())
        if match is None:
            continue
        words = match["words"].split()
        width = max((len(word) - 2) // 2 for word in words)
        at = int(match["at"], 16)
        for index, word in enumerate(words):
            cite = Citation(item.id, number_, number_)
            yield Row({"address": at + index * width, "value": int(word, 16)}, cite, cite)


def _symbol(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    for item, number_, line in _texts(book, near):
        cite = Citation(item.id, number_, number_)
        match = _SYMBOL.match(line)
        asked = re.fullmatch(r"info symbol (0x[0-9a-fA-F]+)", item.command.strip())
        if match is not None and asked is not None and not match["offset"]:
            yield Row({"address": int(asked[1], 16), "name": match["name"]}, cite, cite)
        for found in _POINTED.finditer(line):
            yield Row({"address": int(found["at"], 16), "name": found["name"]}, cite, cite)
    for method in book.facts.all(ManagedMethod):
        yield Row({"address": method.address, "name": method.name}, method.cite, method.cite)


def _quote(book: "Book", claim: Claim, near: tuple[Citation, ...]) -> Iterator[Row]:
    text = str(claim.get("text") or "")
    wanted = " ".join(unaccented(text).split())
    for item, number_, line in _texts(book, near):
        cite = Citation(item.id, number_, number_)
        said = " ".join(unaccented(line).split())
        if item.by_model and not _LISTED.match(line) and _repeats(said, item.command):
            continue
        yield Row({"text": text if wanted and wanted in said else said}, cite, cite)


def _repeats(said: str, command: str) -> bool:
    """True for a line that says a name or a number of the command that gave it: words of whoever
    typed it, as an error has them and a heading."""
    given = _TYPED.findall(_VERB.sub("", bare_command(command)))
    return not {*_TYPED.findall(said)}.isdisjoint(given)


def arguments_of(text: str) -> Iterator[tuple[str, str]]:
    """Name and value of each argument that a frame's line prints: ``a=1, b=b@entry=0x10``."""
    starts = list(_ARGUMENT.finditer(text))
    for at, match in enumerate(starts, 1):
        value = text[match.end() : starts[at].start() if at < len(starts) else len(text)]
        name, entry, rest = value.partition("@entry=")
        yield match["name"], rest if entry and name == match["name"] else value


_OF_VEC = re.compile(r"\(\*\(\(([\w.]+?)\.buf\.[\w.]*\bpointer as \*mut .+?\) \+ (\d{1,9})\)\)")
"""An element of Rust's Vec by the library's own members: gdb subscripts none."""


def printed_expression(command: str) -> str | None:
    """The expression that a command prints, as the source writes it, without the selection in front
    of it; None for a command that prints none, or one in each of several frames or threads."""
    match = _PRINT.match(bare_command(command)) if not runs_in_several(command) else None
    if match is None:
        return None
    return _OF_VEC.sub(r"\1[\2]", HOLDS.sub("", match["expression"].strip()))


def _path(printed: str, wanted: str) -> str:
    """The way from a printed expression to a wanted one in it: ``.used`` from ``table`` to
    ``table.used``, from ``*queue`` to ``queue->used``, ``(*queue).used`` or Rust's ``queue.used``;
    empty where none."""
    ways = [(printed, "")]
    if printed.startswith("*"):
        ways += [(f"({printed})", ""), (f"{printed[1:]}->", "."), (f"{printed[1:]}.", ".")]
    return next((step + wanted[len(w) :] for w, step in ways if wanted.startswith(w)), "")


ROWS = {"value": _value, "memory": _memory, "symbol": _symbol, "quote": _quote}
"""By kind."""
