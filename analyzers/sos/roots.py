"""``gcroot``: the chain of objects that keeps one alive, in the words of each version."""

import re

from analyzers.base import Document
from analyzers.blocks import decimal, hexadecimal
from analyzers.sos.text import lines_of
from workbench.model.facts import AnyFact, GcRoots, RootStep

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
_ROOTS = re.compile(r"^\s*Found\s+([\d,]{1,12})\s+(?:unique\s+)?roots?", re.IGNORECASE)
_TARGET = re.compile(r"\bgcroot\s+(?:-\S+\s+)*(?:0x)?([0-9a-f`]{6,17})\b", re.IGNORECASE)


def read(document: Document) -> list[AnyFact]:
    """One `GcRoots` with the first chain of the output."""
    text = document.text
    if "->" not in text:
        return []
    if ":Root:" in text:
        return _old(document)
    if "Found " in text or "GCRoot" in text or "gcroot" in document.command:
        return _new(document)
    return []


def _new(document: Document) -> list[AnyFact]:
    steps: list[RootStep] = []
    root, before, unique, first, closed = "", "", 0, 0, False
    for number, line in lines_of(document):
        step, count = _STEP.match(line), _ROOTS.match(line)
        if count is not None:
            unique = decimal(count[1])
        if step is not None and not closed and len(steps) < _MOST:
            if not steps:
                root, first = before, max(1, number - 1)
            steps.append(_step(step, number))
        elif steps and line.strip():
            closed = True
        elif line.strip():
            before = line.strip()[:200]
    return _fact(document, steps, root, unique, first)


def _step(match: re.Match[str], number: int) -> RootStep:
    kind = match["type"].strip()
    said = _STATIC.search(kind)
    return RootStep(
        address=hexadecimal(match["address"]),
        type=kind[: said.start()] if said is not None else kind,
        static=said["name"] if said is not None else None,
        line=number,
    )


def _old(document: Document) -> list[AnyFact]:
    steps: list[RootStep] = []
    root, first = "", 0
    for number, line in lines_of(document):
        step = _OLD_STEP.match(line)
        if step is None or (not steps and not step["root"]):
            continue
        if not steps:
            root, first = step["root"].strip()[:200], number
        address, kind = hexadecimal(step["address"]), step["type"].strip()
        steps.append(RootStep(address=address, type=kind, line=number))
        if not step["more"] or len(steps) >= _MOST:
            break
    return _fact(document, steps, root, 0, first)


def _fact(
    document: Document, steps: list[RootStep], root: str, unique: int, first: int
) -> list[AnyFact]:
    if not steps:
        return []
    target = _TARGET.search(document.command)
    return [
        GcRoots(
            cite=document.cite(first, steps[-1].line),
            target=hexadecimal(target[1]) if target else steps[-1].address,
            steps=tuple(steps),
            root=root,
            unique=unique,
        )
    ]
