"""``report_get``: the canonical report by path, a page at a time."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.agents.assisted.arguments import ReportGet
from workbench.agents.assisted.context import numbered, short, whole_lines
from workbench.agents.assisted.results import ERROR, NEW, Result
from workbench.agents.ports import Ports

PAGE = 10
_LINES = 24
_LINE = re.compile(r"[1-9]\d{0,8}(?:-\d{1,9})?")
_STEP = re.compile(r"([A-Za-z_]\w*)|\[(\d{1,6})\]|(\d{1,6})")


async def report_get(ports: Ports, asked: ReportGet) -> Result:
    """A part of the report as JSON, or the numbered lines of an evidence item."""
    path = asked.path.removeprefix("evidence.").removeprefix("evidence/")
    name, _, line = path.partition(":")
    if name in ports.state.evidence:
        first = int(line.partition("-")[0]) if _LINE.fullmatch(line) else 1
        return await _lines(ports, name, asked, first)

    most = ports.state.shown.excerpt

    whole = msgspec.to_builtins(await ports.build_report())
    part = _at(whole, asked.path)
    if part is None:
        return Result(f"there is nothing at {asked.path!r} in the report, or it is null", ERROR)
    if isinstance(part, Mapping):
        chosen = {k: v for k, v in part.items() if not asked.fields or k in asked.fields}
        return Result(_shown({key: _brief(value) for key, value in chosen.items()}, most))
    if not isinstance(part, Sequence) or isinstance(part, str):
        return Result(_shown(part, most))
    items = [item for item in part if asked.filter.lower() in json.dumps(item).lower()]
    pages = max(1, -(-len(items) // PAGE))
    first = (asked.page - 1) * PAGE
    rows = [_fields(item, asked.fields) for item in items[first : first + PAGE]]
    if not rows:
        return Result(f"{len(items)} items, {pages} pages: none on page {asked.page}", ERROR)
    return Result(f"page {asked.page} of {pages}, {len(items)} items\n{_shown(rows, most)}")


async def _lines(ports: Ports, name: str, asked: ReportGet, line: int) -> Result:
    """A page of a text is so many lines from ``line`` on, of a filtered one those that hold the
    words."""
    text = await ports.text(name)
    most = ports.state.shown.excerpt
    if asked.filter:
        lines = text.split("\n")
        hits = [n for n, line in enumerate(lines, 1) if asked.filter.lower() in line.lower()]
        rows = hits[(asked.page - 1) * _LINES :][:_LINES]
        shown = "\n".join(f"{name}:{n}| {short(lines[n - 1])}" for n in rows)
        text = whole_lines(f"{len(hits)} lines hold it\n{shown}", most)
        return Result(text, NEW if rows else ERROR, (name,) if rows else ())
    first = line + (asked.page - 1) * _LINES
    if first > ports.state.evidence[name].lines:
        return Result(f"{name} has {ports.state.evidence[name].lines} lines", ERROR)
    return Result(numbered(name, text, first, most), evidence=(name,))


def _at(whole: Any, path: str) -> Any:
    part = whole
    for match in _STEP.finditer(path):
        key, *numbers = match.groups()
        index = next((number for number in numbers if number), None)
        if key is not None and isinstance(part, Mapping):
            part = part.get(key)
        elif index is not None and isinstance(part, list | tuple) and int(index) < len(part):
            part = part[int(index)]
        else:
            return None
    return part


def _fields(item: Any, fields: Sequence[str]) -> Any:
    if not isinstance(item, Mapping):
        return item
    return {k: _brief(v) for k, v in item.items() if not fields or k in fields}


def _brief(value: Any) -> Any:
    if isinstance(value, Mapping) and len(value) > 4:
        return f"{{{len(value)} keys}}"
    if isinstance(value, list | tuple) and len(value) > 4:
        return f"[{len(value)} items]"
    return value[:300] if isinstance(value, str) else value


def _shown(value: Any, most: int) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= most else text[:most] + " … cut: ask for fewer fields"
