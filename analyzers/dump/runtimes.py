"""Reads what the C library and runtimes left: ``@abort``, ``@exception``, ``@reported``, and the
arguments of calls, ``@call``."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.dump.shapes import read
from workbench.model.facts import (
    AbortMessage,
    AnyFact,
    Argument,
    CxxException,
    LastError,
    LoaderMessage,
    RustPanic,
)
from workbench.model.text import counted

_ABORT = {
    "message": "abort message at {:x}: {text:.*}",
    "more": "abort message continues: {text:.*}",
    "panic": "rust panic: the function at {:x} ({}) names the text: {}",
    "place": "rust panic at {file}:{line:n}:{column:n}: the call at {:x} ({}) passes this "
    "location, {:x}, and returns to {returns_to:x}",
    "words": "rust panic message at {:x}: {message:.*}",
}
_CALL = {
    "call": "call at {at:x}: {to} to {function:an unnamed function|[^\\s,]+}[, in {}]",
    "argument": r"argument {register:\w{2,4}} = {value:x}: {region}",
}
_ANY = re.compile(r"\b(?!rip)r\w+")
"""A call that goes wherever an object or a variable leads; its text stands for the name."""
_EXCEPTION = {
    "object": "exception object {address:x}: type {type} (mangled {mangled:w}), "
    "{state:uncaught|caught|thrown again}, handler count {handlers:-n}[, thread {:n}]"
    "[, others on their way there: {others:n}]",
    "bases": "exception object {address:x} derives from: {bases}",
    "message": "exception object {address:x} message: {message:.*}",
}
_REPORTED = {
    "errno": "thread {thread:n}: errno at {:x} is {number:n} ({name:[^)]{1,40}}): {}",
    "asks": "the function at {:x} ({}), which led to the end, asks for memory by {asks:w} at "
    "{asks_at:x}",
    "loader": r"loader message at {:x}: {text}[ about {about:\S.{0,700}}]",
}


def abort(document: Document) -> Analysis:
    """One `AbortMessage` when glibc kept one, its lines joined by LF; or a `RustPanic`."""
    parts: list[str] = []
    lines: list[int] = []
    panic: RustPanic | None = None
    for name, number, _, fields in read(document, _ABORT):
        if name in ("message", "more"):
            if bool(parts) == (name == "more"):
                parts.append(fields["text"])
                lines.append(number)
        elif name == "panic":
            panic = panic or RustPanic(cite=document.cite(number))
        elif panic is not None:
            place = name == "place"
            if not (panic.place_line if place else panic.message_line):
                panic = replace(panic, **fields, **{f"{name if place else 'message'}_line": number})
    if parts:
        summary = f"abort message: {parts[0]}"
        fact = AbortMessage(cite=document.cite(lines[0], lines[-1]), text="\n".join(parts))
        return Analysis(summary, (fact,), (f"{summary} [{fact.cite}]",))
    if panic is None:
        return Analysis("no abort message")
    summary = "a Rust panic"
    if panic.file is not None:
        summary += f" at {panic.file}:{panic.line}"
    if panic.message is not None:
        summary += f": {panic.message}"
    return Analysis(summary, (panic,), (f"{summary} [{panic.cite}]",))


def call(document: Document) -> Analysis:
    """An `Argument` for each argument register whose value is known."""
    calls: list[tuple[int, str | None, int]] = []
    facts: list[Argument] = []
    for name, number, _, fields in read(document, _CALL):
        if name == "call":
            function = fields["function"]
            if function == "an unnamed function":
                function = fields["to"] if _ANY.search(fields["to"]) else None
            calls.append((fields["at"], function, number))
        elif calls:
            at, function, first = calls[-1]
            where = fields.pop("region")
            region = "near-null" if where.startswith("near null") else where.split()[0].rstrip(",")
            lines = (first, number) if number == first + 1 else (number, number)
            facts.append(
                Argument(
                    cite=document.cite(*lines), function=function, region=region, at=at, **fields
                )
            )
    if not calls:
        return Analysis("no call was read")
    findings = tuple(
        f"{fact.function or 'an unnamed function'} was given {fact.value:#x} ({fact.region}) "
        f"[{fact.cite}]"
        for fact in facts
        if fact.register == "rdi"
    )
    known = f"{len(facts)} arguments recovered"
    at, function, _ = calls[-1]
    what = f"call to {function or 'an unnamed function'} at {at:#x}: {known}"
    if len(calls) > 1:
        what = f"{len(calls)} calls in progress, {known}"
    return Analysis(what, tuple(facts), findings)


def exception(document: Document) -> Analysis:
    """A `CxxException` for each object, in the order of the text."""
    facts: list[CxxException] = []
    states: list[str] = []
    for name, number, _, fields in read(document, _EXCEPTION):
        if name == "object":
            states.append(fields.pop("state"))
            uncaught = {"uncaught": True, "caught": False}.get(states[-1])
            cite, fields["others"] = document.cite(number), fields["others"] or 0
            facts.append(CxxException(cite=cite, message=None, uncaught=uncaught, **fields))
        elif facts and fields["address"] == facts[-1].address:
            if name == "bases":
                fields["bases"] = tuple(split_types(fields["bases"]))
            cite = document.cite(facts[-1].cite.first, number)
            facts[-1] = replace(facts[-1], cite=cite, **fields)
    if not facts:
        return Analysis("no C++ exception in flight")
    told = [
        f"{state} exception of type {fact.type}"
        + (f': "{fact.message}"' if fact.message is not None else "")
        for state, fact in zip(states, facts, strict=True)
    ]
    findings = tuple(f"{text} [{f.cite}]" for text, f in zip(told, facts, strict=True))
    return Analysis(told[0], tuple(facts), findings)


def split_types(text: str) -> list[str]:
    """Types separated by commas, those inside of angle brackets left alone."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth <= 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()]


def reported(document: Document) -> Analysis:
    """A `LastError` where a call had failed, a `LoaderMessage` for each message."""
    error: LastError | None = None
    loader: list[LoaderMessage] = []
    findings: list[str] = []
    for name, number, line, fields in read(document, _REPORTED):
        cite = document.cite(number)
        if name == "asks":
            error = replace(error, asks_line=number, **fields) if error is not None else None
            continue
        if name == "errno":
            error = error or LastError(cite=cite, **fields)
        else:
            loader.append(LoaderMessage(cite=cite, **fields))
        findings.append(f"{line} [{cite}]")
    summary = (
        f"{counted(len(loader), 'dynamic-loader error')}"
        if loader
        else ("no dynamic-loader errors")
    )
    facts: tuple[AnyFact, ...] = tuple(loader)
    if error is not None:
        facts = (error, *facts)
        summary += f"; errno {error.name}"
    return Analysis(summary, facts, tuple(findings))
