"""Messages of runtimes and libraries: which line says what, and the stack that follows it.

A `Rule` knows one sentence. Its pattern may name groups: ``file`` and ``line`` or ``function`` of
where it happened, ``address`` (hexadecimal), ``message`` where the sentence is not the whole line.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from analyzers.base import Document
from analyzers.log.frames import loose_frame, numbered_frame
from analyzers.log.kinds import Kind
from analyzers.log.stacks import Parse, read_roles
from analyzers.log.text import MAX_FINDINGS, hex_value, lines_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import Finding, Frame, Note, Role

Decide = Callable[[re.Match[str], str], Category | Kind | None]


class Rule(NamedTuple):
    """One sentence: ``tool`` says it, ``kind`` names it; ``category`` may be decided by its words.
    ``next_line`` is set where the message itself stands in the line below."""

    pattern: re.Pattern[str]
    tool: str
    kind: str
    category: Category | Kind | Decide | None
    rank: int = 1
    signal: str | None = None
    next_line: re.Pattern[str] | None = None


def rule(
    pattern: str,
    tool: str,
    kind: str,
    category: Category | Kind | Decide | None,
    rank: int = 1,
    signal: str | None = None,
    next_line: str | None = None,
) -> Rule:
    """A rule whose pattern is searched for in each line."""
    below = re.compile(next_line) if next_line else None
    return Rule(re.compile(pattern), tool, kind, category, rank, signal, below)


class Loose:
    """Frames with or without numbers; the ones without are counted."""

    def __init__(self) -> None:
        self.index = -1

    def __call__(self, line: str, number: int) -> Frame | None:
        """The frame of a line, or None."""
        frame = numbered_frame(line, number)
        if frame is not None:
            self.index = frame.index
            return frame
        frame = loose_frame(line, self.index + 1, number)
        if frame is None:
            if line.strip() and not line[0].isspace():
                self.index = -1
            return None
        self.index = frame.index
        return frame


def findings_of(
    document: Document,
    rules: Sequence[Rule],
    parse: Callable[[], Parse] = Loose,
    notes: re.Pattern[str] | None = None,
) -> list[Finding]:
    """One finding for each line that a rule knows, with the stacks up to the next one."""
    lines = list(lines_of(document))
    starts: list[tuple[int, Rule, re.Match[str]]] = []
    told = -1
    for at, (_, line) in enumerate(lines):
        if len(starts) >= MAX_FINDINGS:
            break
        if at <= told:
            continue
        for each in rules:
            match = each.pattern.search(line)
            if match is not None:
                starts.append((at, each, match))
                told = _message_line(lines, at, each)
                break
    found = []
    for place, (at, each, match) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        found.append(_finding(document, lines[at:end], each, match, parse(), notes))
    return found


def _message_line(lines: list[tuple[int, str]], at: int, each: Rule) -> int:
    """Where the message of a rule stands that has it in a line below; -1 where it does not."""
    if each.next_line is None:
        return -1
    for below in range(at + 1, min(at + 4, len(lines))):
        if each.next_line.search(lines[below][1]):
            return below
    return -1


def _finding(
    document: Document,
    block: list[tuple[int, str]],
    each: Rule,
    match: re.Match[str],
    parse: Parse,
    notes: re.Pattern[str] | None,
) -> Finding:
    number, line = block[0]
    groups = match.groupdict()
    message, message_line = groups.get("message") or line, number
    if each.next_line is not None:
        for below, text in block[1:4]:
            said = each.next_line.search(text)
            if said is not None:
                message, message_line = said["message"], below
                groups = {**said.groupdict(), **{k: v for k, v in groups.items() if v}}
                break
    given = each.category(match, message) if callable(each.category) else each.category
    kind = given if isinstance(given, Kind) else Kind(given) if given is not None else None
    roles = tuple(_first_is_access(role, at) for at, role in enumerate(read_roles(block, parse)))
    place = (
        f"{groups['file']}:{groups['line']}" if groups.get("file") and groups.get("line") else None
    )
    address = groups.get("address")
    known = tuple(
        Note(text=sentence(text), line=below)
        for below, text in block[1:400]
        if below != message_line and notes is not None and notes.search(text)
    )
    return Finding(
        cite=document.cite(number, block[-1][0]), tool=each.tool, kind=each.kind,
        message=sentence(message), line=message_line,
        category=kind.category.value if kind is not None else None, rank=each.rank,
        sure=kind is None or kind.sure,
        address=hex_value(address) if address else None, signal=each.signal,
        thread=small(groups.get("thread")), process=small(groups.get("process")),
        place=place or groups.get("file"), place_line=number if message_line != number else 0,
        function=groups.get("function"), stacks=roles,
        notes=known[:12],
    )  # fmt: skip


def _first_is_access(role: Role, at: int) -> Role:
    if at or role.role not in ("other", "create"):
        return role
    return Role(role="access", title=role.title, line=role.line, last=role.last,
                frames=role.frames, thread=role.thread, name=role.name)  # fmt: skip
