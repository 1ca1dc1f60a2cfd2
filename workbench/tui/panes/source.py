"""One frame as nodes: the source around its line, coloured by its language, and its variables."""

import re
from collections.abc import Mapping

from msgspec.structs import replace
from textual.content import Content

from workbench.agents.looking import FrameView
from workbench.model.facts import SourceLine
from workbench.model.listing import is_source
from workbench.tui.panes.outline import Node
from workbench.tui.text import one_line, plain, visible

_DIM = "$foreground 60%"
_NOT_READ = "cannot be read:"
_NUMBERED = re.compile(r"^\$\d+ = ")
_UNREADABLE = re.compile(r"^Cannot access memory at address (0x[0-9a-f]+)$")


def source_nodes(view: FrameView, values: Mapping[str, str]) -> list[Node]:
    """The source around the frame's line, else its instructions; ``values`` are texts of items."""
    frame = view.frame
    if view.source:
        width = len(str(view.source[-1].line))
        coloured = _coloured(view.source, frame.file or "")
        return [
            Node.of(
                f"source/{one.line}",
                ("▶ " if one.line == frame.line else "  ", "bold $text-warning"),
                (f"{one.line:>{width}} ", "bold" if one.line == frame.line else _DIM),
                text,
                citation=replace(one.cite, first=one.cite.last),  # without what it was asked by
                wrap=False,
                lit=one.line == frame.line,
            )
            for one, text in zip(view.source, coloured, strict=True)
        ]
    if view.code is not None and view.code.id in values:
        lines = values[view.code.id].rstrip("\n").split("\n")
        return [
            Node(
                f"code/{n}", Content(visible(line).expandtabs(8)), wrap=False, lit="=>" in line[:3]
            )
            for n, line in enumerate(lines)
        ]
    return [Node("source/none", Content.styled(_why_none(view), _DIM))]


def _why_none(view: FrameView) -> str:
    file = one_line(view.frame.file or "")
    if not view.asked:
        return "Enter looks up the source and the variables of this frame."
    if not is_source(view.frame.file):
        return "No line of source is known for this frame."
    return f"{file} is not on this machine, or is not where the debugger looks."


def _coloured(source: tuple[SourceLine, ...], path: str) -> list[Content]:
    """The lines with the colours of their language; imported here: no first paint needs it."""
    from textual.highlight import highlight

    lines = [visible(one.text.replace("\n", " ")).expandtabs(4) for one in source]
    try:
        coloured = highlight("\n".join(lines), path=path).split("\n", allow_blank=True)
    except Exception:  # noqa: BLE001 - a lexer of another package: text without colour then
        coloured = []
    alike = [one.plain for one in coloured] == lines
    return list(coloured) if alike else [Content(line) for line in lines]


def variable_nodes(view: FrameView, values: Mapping[str, str], bad: frozenset[int]) -> list[Node]:
    """Arguments, locals, and what the line's expressions hold, in the words of the source. What
    holds a number of ``bad``, which could not be followed, stands out."""
    rows = [(variable.name, variable.value, cite) for variable, cite in view.variables]
    known = {name for name, _, _ in rows}
    told = [
        (text, _told(values[item.id]), None)
        for text, item in view.values
        if item.id in values and text not in known
    ]
    width = min(24, max((len(name) for name, _, _ in (*rows, *told)), default=0))
    line = next((one.text for one in view.source if one.line == view.frame.line), "")
    named = {*re.findall(r"\w+", line), *(text for text, _, _ in told)}
    nodes = []
    # What the line names comes first: it says what went wrong.
    for name, value, cite in sorted((*told, *rows), key=lambda row: row[0] not in named):
        wrong = any(
            int(word, 16) in bad and (int(word, 16) or name in named)  # null is everywhere
            for word in re.findall(r"\b0x[0-9a-f]{1,16}\b", value)
        )
        nodes.append(
            Node.of(
                f"variable/{name}",
                (f"{one_line(name):<{width}} ", "$text-primary"),
                ("= ", _DIM),
                plain(value, "bold $text-error" if wrong or value.startswith(_NOT_READ) else ""),
                citation=cite,
                wrap=False,
            )
        )
    return nodes


def _told(text: str) -> str:
    """The value that a debugger printed."""
    line = _NUMBERED.sub("", " ".join(text.split()))
    unreadable = _UNREADABLE.match(line)
    return f"{_NOT_READ} {unreadable[1]} is not in the dump" if unreadable else line
