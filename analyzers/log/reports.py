"""Reports that quote gdb or systemd's own unwinder: ``coredumpctl info`` and apport's files."""

import re

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.gdb.stacks import read as read_stacks
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import ended_by
from analyzers.log.stacks import read_roles, trace
from analyzers.log.text import analysis_of, lines_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import Finding, Note, Stack

_KEYED = re.compile(r"^\s{0,20}(?P<key>[A-Z][\w ()/-]{1,30}): (?P<value>\S.{0,2000})$")
_SIGNAL = re.compile(r"^(?P<number>\d{1,3})(?: \((?P<name>[A-Z]{2,8})\))?")
_TRACE = re.compile(r"^\s{0,24}Stack trace of thread (?P<tid>\d{1,10}):")
_SEGV = re.compile(
    r"^\s{0,4}(?P<operand>source|"
    r"destination) \"(?P<text>[^\"]{1,80})\" \((?P<address>0x[0-9a-f]{1,16})\) not located"
)
_REASON = re.compile(r"^SegvReason: (?P<words>.{1,200})$")
_ASSERTION = re.compile(
    r"^AssertionMessage: (?P<message>\S.{0,600})$|"
    r"^\s*(?P<said>\S{1,200}: Assertion .{1,400} failed\.?)$"
)
_NOTE = re.compile(
    r"^(?:SegvReason: |Title: |\s{0,4}(?:Segfault happened at|PC \(|source \"|destination \"))"
)


def read(document: Document) -> Analysis:
    """The first crash that the text describes."""
    lines = list(lines_of(document))
    keys: dict[str, tuple[int, str]] = {}
    for number, line in lines[:20_000]:
        match = _KEYED.match(line)
        if match is not None:
            keys.setdefault(match["key"].strip(), (number, match["value"].strip()))
    stacks = _stacks(document, lines)
    finding = _finding(document, lines, keys, stacks)
    return analysis_of(document, [finding] if finding else [], stacks)


def _stacks(document: Document, lines: list[tuple[int, str]]) -> list[Stack]:
    """The stacks that systemd printed, one a thread, else those of gdb."""
    found: list[Stack] = []
    for role in read_roles(lines):
        trace = _TRACE.match(role.title) or _TRACE.match(" " + role.title)
        if trace is not None:
            found.append(
                Stack(
                    cite=document.cite(role.line, role.last),
                    thread=small(trace["tid"]),
                    frames=role.frames,
                    current=not found,
                )
            )
    if found:
        return found
    text = "\n".join(line[1:] if line.startswith(" #") else line for _, line in lines)
    read = read_stacks(Document(document.id, "thread apply all bt", "gdb", text))
    stacks = [fact for fact in read.facts if isinstance(fact, Stack)]
    return stacks or [
        Stack(cite=document.cite(role.line, role.last), frames=role.frames, current=at == 0)
        for at, role in enumerate(read_roles(lines)[:1])
    ]


def _finding(
    document: Document,
    lines: list[tuple[int, str]],
    keys: dict[str, tuple[int, str]],
    stacks: list[Stack],
) -> Finding | None:
    said = keys.get("Signal")
    match = _SIGNAL.match(said[1]) if said else None
    name = log_kinds.NUMBERS.get(int(match["number"])) if match else None
    frames = stacks[0].frames if stacks else ()
    asserted = next((n for n, t in lines[:20_000] if _ASSERTION.match(t)), None)
    address, access, line = _segv(lines)
    number = asserted or (said[0] if said else 1)
    if asserted is None and name is None and not frames:
        return None
    pc = frames[0].address if frames else None
    category, rank = ended_by(name, address, access, pc, frames, 4)
    if asserted is not None:
        category, rank = Category.ASSERTION_FAILURE, 1
    words = next((text for n, text in lines if n == number), "")
    stack = stacks[0] if stacks else None
    pid = keys.get("PID")
    thread = stack.thread if stack else None
    role = trace("access", "stack", frames[0].line_no, frames, thread) if frames else None
    notes = [Note(text=sentence(t), line=n) for n, t in lines[:20_000] if _NOTE.match(t)]
    tool = "systemd-coredump" if document.host == "coredumpctl" else "apport"
    return Finding(
        cite=document.cite(number),
        tool=tool,
        kind=name or "crash",
        message=sentence(words),
        line=number,
        rank=rank,
        category=category,
        access=access,
        access_line=line,
        address=address,
        signal=name,
        process=small(pid[1].split(" ")[0]) if pid else None,
        thread=thread,
        stacks=(role,) if role else (),
        notes=tuple(note for note in notes[:6] if note.line != number),
    )


def _segv(lines: list[tuple[int, str]]) -> tuple[int | None, str | None, int]:
    """What apport's own analysis of a segfault says (apport/parse_segv.py)."""
    for number, line in lines[:20_000]:
        found = _SEGV.match(line)
        if found is not None:
            access = "read" if found["operand"] == "source" else "write"
            return hexadecimal(found["address"]), access, number
    for number, line in lines[:20_000]:
        found = _REASON.match(line)
        if found is not None and "NULL" in found["words"]:
            return 0, {"reading": "read", "writing": "write"}.get(found["words"][:7]), number
    return None, None, 0
