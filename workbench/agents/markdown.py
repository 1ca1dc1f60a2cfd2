"""Text that came out of a dump, made safe inside Markdown (CommonMark with GitHub's tables)."""

import re
from collections.abc import Iterable, Sequence

from workbench.agents.report.view import one_line, visible

_CODE = re.compile(r"`([^`]+)`")
_SPECIAL = re.compile(r"[\\`*\[\]~|]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|!(?=\[)")
_BLOCK = re.compile(r"(#|[-+=>]|\d+(?=[.)]))")
_LINK = re.compile(r"://|www\.", re.IGNORECASE)


def prose(text: str) -> str:
    """One line of running text; what stands in backticks stays code, all else is literal."""
    line = one_line(text)
    parts: list[str] = []
    end = 0
    for match in _CODE.finditer(line):
        parts += [_literal(line[end : match.start()]), code(match[1])]
        end = match.end()
    parts.append(_literal(line[end:]))
    whole = "".join(parts)
    start = _BLOCK.match(whole)
    if start is None:
        return whole
    digits = start[1] if start[1].isdigit() else ""
    return f"{digits}\\{whole[len(digits) :]}"


def _literal(text: str) -> str:
    escaped = _SPECIAL.sub(lambda m: "\\" + m[0], text)
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;")
    return _LINK.sub(lambda m: m[0].replace(":", "\\:").replace(".", "\\."), escaped)


def code(text: str) -> str:
    """A code span that its content cannot end."""
    line = one_line(text)
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}" if line else "` `"


def block(lines: Iterable[str], language: str = "") -> list[str]:
    """A fenced block that its content cannot end."""
    shown = [visible(line).replace("\n", "\\n") for line in lines]
    fence = "`" * max(3, max((_longest_run(line) for line in shown), default=0) + 1)
    return [fence + language, *shown, fence, ""]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of cells that are Markdown already."""
    lines = [_row(head), _row(["---"] * len(head))]
    lines += [_row(row) for row in rows]
    return [*lines, ""]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in cells) + " |"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def section(title: str, items: Iterable[str], *, numbered: bool = False) -> list[str]:
    """A heading with a list of rendered items; nothing where there are none."""
    rows = [f"{f'{n}.' if numbered else '-'} {item}" for n, item in enumerate(items, 1)]
    return [f"## {title}", "", *rows, ""] if rows else []
