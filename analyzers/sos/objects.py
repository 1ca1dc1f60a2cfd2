"""``dumpstackobjects`` and ``dumpasync``: objects on a stack, tasks that have not finished; and
``gcroot``: the chain of objects that keeps one alive, in the words of each version."""

import re

from analyzers.base import Document, hexadecimal
from analyzers.blocks import Form, decimal, read_blocks
from analyzers.sos.text import lines_of
from workbench.model import facts as f

_THREAD = re.compile(r".*?\bOS Thread Id: 0x(?P<x_thread>[0-9a-f]{1,8})\b", re.IGNORECASE)
_HEADER = re.compile(r"^\s*[ER]?SP/REG\s+(?P<table>Object)\s+Name\s*$", re.IGNORECASE)
_ROW = re.compile(
    r"(?i)^\s*(?:(?P<x_slot>[0-9a-f`]{8,17})|[a-z][a-z0-9]{1,4})\s+(?P<x_address>[0-9a-f`]{8,17})\s+"
    r"(?P<type>\S.*)$"
)
_OBJECTS = Form((_THREAD,), (_HEADER,), (_ROW,), strict=True)
_METHOD = re.compile(r"^\s*Method Name:\s+(\S.*)$")
_IP = re.compile(r"\bip2md\s+(?:0x)?([0-9a-f`]{6,17})\b", re.IGNORECASE)
# Microsoft.Diagnostics.ExtensionCommands/DumpAsyncCommand.cs: STACK N, then its frames, the
# innermost first; with -stats a table of types.
_STACK = re.compile(r"^\s*STACK\s+\d{1,9}\s*$")
_FRAME = re.compile(
    r"(?i)^\s*\.*\s*[0-9a-f]{8,16}\s+[0-9a-f]{8,16}\s+(?:\d+\s+)?\((?P<state>[^()]{0,80})\)\s+(?P<type>\S.*)$"
)
_STATISTIC = re.compile(
    r"(?i)^\s*[0-9a-f]{8,16}\s+(?P<count>[\d,]{1,12})\s+(?:[\d,]{1,18}\s+)?(?P<type>[^\s\d].*)$"
)


def read(document: Document) -> list[f.AnyFact]:
    """`StackObjects` for each thread of the output, `AsyncTasks` for its state machines."""
    found: list[f.AnyFact] = []
    if "/REG" in document.text:
        found += _objects(document)
    if "Method Name:" in document.text:
        found += _methods(document)
    if "STACK" in document.text or "asyn" in document.command.lower():
        found += _tasks(document)
    return found


def _methods(document: Document) -> list[f.AnyFact]:
    asked = _IP.search(document.command)
    if asked is None:
        return []
    for number, line in lines_of(document):
        name = _METHOD.match(line)
        if name is not None:
            address = hexadecimal(asked[1])
            return [f.ManagedMethod(cite=document.cite(number), address=address, name=name[1])]
    return []


def _objects(document: Document) -> list[f.AnyFact]:
    return [
        f.StackObjects(
            cite=block.cite(document),
            thread=block.values["thread"],
            items=tuple(
                f.StackObject(**{**row, "type": row["type"].split("  ")[0]}) for row in block.rows
            ),
        )
        for block in read_blocks(_OBJECTS, lines_of(document))
        if block.rows and "table" in block.where
    ]


def _tasks(document: Document) -> list[f.AnyFact]:
    items: list[str] = []
    count = first = last = 0
    wanted = False
    statistics = "-stat" in document.command
    for number, line in lines_of(document):
        frame = _FRAME.match(line)
        row = _STATISTIC.match(line) if statistics and frame is None else None
        if _STACK.match(line):
            count, wanted = count + 1, True
        elif frame is not None and wanted:
            wanted = False
            kind = frame["type"].partition(" @ ")[0].strip()
            items.append(f"{kind[:200]} ({frame['state']})")
        elif row is not None:
            count += decimal(row["count"])
            items.append(f"{decimal(row['count'])} {row['type'].strip()[:200]}")
        else:
            continue
        first, last = first or number, number
    if not count:
        return []
    return [f.AsyncTasks(cite=document.cite(first, last), items=tuple(items[:50]), count=count)]


_MOST = 1000
# "    -> 02a7b6c12f48     System.Collections.Generic.List<Order> (static variable: Cache.All)"
_STEP = re.compile(r"^\s*->\s*(?P<address>[0-9a-f`]{8,17})\s+(?P<type>\S.*)$", re.IGNORECASE)
_STATIC = re.compile(r"\s+\((?P<kind>static variable|dependent handle|thread static)(?:: "
                     r"(?P<name>[^()]{1,400}))?\)$")  # fmt: skip
# Until .NET Framework 3.5: "ESP:12f3d8:Root:01ef2e4c(Shop.Context)->" and "01ef1a18(Cache)->" below
# it; the last one has no arrow.
_OLD_STEP = re.compile(
    r"(?i)^\s*(?:(?P<root>\S.{0,200}?):Root:)?\s*(?P<address>[0-9a-f`]{8,17})\s*"
    r"\((?P<type>[^\s()][^\n]{0,2000}?)\)(?P<more>->)?\s*$"
)
_TARGET = re.compile(r"\bgcroot\s+(?:-\S+\s+)*(?:0x)?([0-9a-f`]{6,17})\b", re.IGNORECASE)


def read_roots(document: Document) -> list[f.AnyFact]:
    """One `GcRoots` with the first chain of the output."""
    text = document.text
    if "->" not in text:
        return []
    if ":Root:" in text:
        return _old(document)
    if "Found " in text or "GCRoot" in text or "gcroot" in document.command:
        return _new(document)
    return []


def _new(document: Document) -> list[f.AnyFact]:
    steps: list[f.RootStep] = []
    root, before, first, closed = "", "", 0, False
    for number, line in lines_of(document):
        step = _STEP.match(line)
        if step is not None and not closed and len(steps) < _MOST:
            if not steps:
                root, first = before, max(1, number - 1)
            steps.append(_step(step, number))
        elif steps and line.strip():
            closed = True
        elif line.strip():
            before = line.strip()[:200]
    return _fact(document, steps, root, first)


def _step(match: re.Match[str], number: int) -> f.RootStep:
    kind = match["type"].strip()
    said = _STATIC.search(kind)
    return f.RootStep(
        address=hexadecimal(match["address"]),
        type=kind[: said.start()] if said is not None else kind,
        static=said["name"] if said is not None else None,
        line=number,
    )


def _old(document: Document) -> list[f.AnyFact]:
    steps: list[f.RootStep] = []
    root, first = "", 0
    for number, line in lines_of(document):
        step = _OLD_STEP.match(line)
        if step is None or (not steps and not step["root"]):
            continue
        if not steps:
            root, first = step["root"].strip()[:200], number
        address, kind = hexadecimal(step["address"]), step["type"].strip()
        steps.append(f.RootStep(address=address, type=kind, line=number))
        if not step["more"] or len(steps) >= _MOST:
            break
    return _fact(document, steps, root, first)


def _fact(document: Document, steps: list[f.RootStep], root: str, first: int) -> list[f.AnyFact]:
    if not steps:
        return []
    target = _TARGET.search(document.command)
    return [
        f.GcRoots(
            cite=document.cite(first, steps[-1].line),
            target=hexadecimal(target[1]) if target else steps[-1].address,
            steps=tuple(steps),
            root=root,
        )
    ]
