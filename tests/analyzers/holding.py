"""Whether the lines that a fact cites hold what the fact says."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from analyzers.base import Document
from workbench.model.citation import Citation
from workbench.model.facts.base import Fact

_NUMBER = re.compile(r"(?:0[xX])?[0-9a-fA-F]+(?:`[0-9a-fA-F]+)?")
# Words of ours for what the lines say in theirs, and numbers that are counted.
OURS = frozenset(
    {
        *(
            "access",
            "arch",
            "category",
            "counted",
            "detail",
            "doubt",
            "dumped",
            "guard",
            "held",
            "index",
        ),
        *("kind", "operand_region", "operand_size", "os", "perms", "platform", "rank", "region"),
        *("role", "signal", "state", "status", "symbols", "title", "tool", "trust"),
    }
)
# What is counted or added up, and what is zero where the lines name none: a selected
# thread and frame, the start of a file, a pointer that is called NULL.
ADDED = frozenset({"Heap.free", "HeapTypes.bytes", "StackGroup.count", "StackGroups.total",
                   "StackObject.frame"})  # fmt: skip
ZERO = frozenset(
    {
        "Finding.address",
        "Locals.frame",
        "Printed.frame",
        "Region.offset",
        "Registers.frame",
        "Registers.thread",
    }
)
# What stands somewhere else in the output, or in the command: the heading above, the thread that
# was selected. The lines that are cited are those that this is said of.
ELSEWHERE = frozenset(
    {
        *("Argument.at", "Argument.function", "ExceptionRecord.address", "Finding.address"),
        *("Finding.process", "Layout.expression", "Layout.frame", "Locals.frame"),
        *("Registers.frame", "Typed.expression", "Typed.frame"),
        *("Finding.thread", "Frame.address", "Lock.address", "Lock.name"),
        *(
            "Locals.function",
            "Printed.expression",
            "Process.threads",
            "Registers.thread",
            "Role.thread",
        ),
        *("Signal.thread", "SourceLine.file", "Stack.name", "Stack.thread"),
        *("Stack.number", "StackObjects.thread", "Wait.thread"),
    }
)


def unheld(fact: Fact, document: Document) -> list[str]:
    """What a fact says that its lines do not: empty for a fact that holds."""
    lines = document.text.split("\n")
    if fact.cite.evidence != document.id:
        return [f"{fact.cite} is no part of {document.id}"]
    first, last = fact.cite.first, fact.cite.last
    cited = range(first, last + 1) if first or last else range(1, len(lines) + 1)
    return list(_Held(document, lines).missing(fact, [cited]))


class _Held:
    def __init__(self, document: Document, lines: list[str]) -> None:
        self._document = document
        self._lines = lines

    def missing(self, struct: msgspec.Struct, cited: list[range]) -> Iterator[str]:
        """``cited`` are the lines of the fact; a part of it may name its own as well."""
        name = type(struct).__name__
        spans = [*cited, *own_lines(struct)]
        for span in spans:
            if not 1 <= span.start < span.stop <= len(self._lines) + 1:
                yield f"{name} lies in lines {span.start}-{span.stop - 1} of {len(self._lines)}"
                return
        notes = [span for note in getattr(struct, "notes", ()) for span in own_lines(note)]
        for field in msgspec.structs.fields(struct):
            said = getattr(struct, field.name)
            if field.name in OURS or is_line(struct, field.name) or said == field.default:
                continue
            place = f"{name}.{field.name}"
            if place in ADDED or (place in ZERO and said == 0):
                continue
            text = self._text([*spans, *notes])
            if place in ELSEWHERE:
                text = f"{self._document.command}\n{self._document.text}"
            way = place == "LayoutField.name"  # of a nested one
            for value in said.split(".") if way else _flat(said):
                if isinstance(value, msgspec.Struct):
                    yield from self.missing(value, spans)
                elif place == "Finding.place":
                    file, _, number = str(value).rpartition(":")  # also of "file(12)"
                    if not (stands(file, text) and stands(number, text)):
                        yield f"{place} = {value!r}"
                elif place == "Variable.value" and self._document.host == "lldb":  # of many lines
                    if not all(stands(part, text) for part in re.split(r"[{}, =]+", str(value))):
                        yield f"{place} = {value!r}"
                elif not stands(value, text):
                    yield f"{place} = {value!r}"

    def _text(self, spans: list[range]) -> str:
        return "\n".join(
            line
            for span in dict.fromkeys(spans)
            for line in self._lines[span.start - 1 : span.stop - 1]
        )


def _flat(value: object) -> Iterator[object]:
    for item in value if isinstance(value, tuple) else (value,):
        if item is not None and not isinstance(item, Citation | bool):
            yield item


def is_line(struct: msgspec.Struct, field: str) -> bool:
    """True for the number of a line of the output; a frame has the line of its source, too."""
    kind = type(struct).__name__
    if field == "line":
        return kind not in ("Frame", "SourceLine")
    if field == "last":
        return kind == "Role"
    return field in ("line_no", "file_lines") or (
        field.endswith("_line") and field != "command_line"
    )


def own_lines(struct: msgspec.Struct) -> Iterator[range]:
    """The lines that a part of a fact names itself."""
    for field in struct.__struct_fields__:
        value = getattr(struct, field)
        if field == "file_lines" and value is not None:
            yield range(value[0], value[1] + 1)
        elif is_line(struct, field) and field not in ("last", "file_lines") and value:
            last = getattr(struct, "last", 0) if type(struct).__name__ == "Role" else 0
            yield range(value, max(value, last) + 1)


def stands(value: object, text: str) -> bool:
    """True when a number stands in a text in either base, or a text does but for its spaces."""
    if isinstance(value, int):
        return abs(value) in numbers(text)
    if isinstance(value, str):
        return squeezed(value) in squeezed(text)
    return True


@lru_cache(64)
def numbers(text: str) -> set[int]:
    """Every number in a text, read as decimal and as hexadecimal."""
    if not text.isascii():  # digits of any script
        text = "".join(str(unicodedata.digit(c, c)) if c.isdecimal() else c for c in text)
    found = set()
    for match in _NUMBER.finditer(text):
        digits = match[0].replace("`", "")
        found.add(int(digits, 16))
        if digits.isdigit():
            found.add(int(digits[-4000:]))
    return found


@lru_cache(64)
def squeezed(text: str) -> str:
    """A text without its spaces and line ends, and without what no report quotes."""
    return "".join(c for c in text if c.isprintable() and not c.isspace())
