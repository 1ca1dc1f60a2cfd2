"""The lines of ``@notes`` that only minidumps have: the exception's record and thread names."""

import re

from analyzers.base import Document
from analyzers.dump import text as dump_text
from analyzers.dump.exception import split_types
from workbench.model.facts import CxxException, ExceptionRecord, Thread, Threads

_EXCEPTION = re.compile(r"(0x[0-9a-f]{1,8}) (\S.{0,100}) in thread ([0-9]{1,10})")
_ACCESS = re.compile(r"(read|write|execute|touched) at (0x[0-9a-f]{1,16})")
_WORDS = re.compile(r"0x[0-9a-f]{1,16}(?: 0x[0-9a-f]{1,16}){0,14}")
_NAMED = re.compile(
    r"thread ([0-9]{1,10}):(?: pc 0x[0-9a-f]{1,16} sp 0x[0-9a-f]{1,16})? name (.{1,200})"
)
_PC = re.compile(r"thread ([0-9]{1,10}): pc (0x[0-9a-f]{1,16}) sp .*")
_KEYS = ("platform", "flags", "address", "address as recorded", "access", "parameters")


def record(
    document: Document, keys: dict[str, tuple[int, str]]
) -> tuple[ExceptionRecord, str | None] | None:
    """The exception's record, and what its fast-fail code is called; None where there is none."""
    if "exception" not in keys:
        return None
    first, text = keys["exception"]
    match = _EXCEPTION.fullmatch(text)
    if match is None:
        return None
    said = [first]
    found = dict.fromkeys(_KEYS, "")
    for key in _KEYS:
        number, value = keys.get(f"exception {key}", (0, ""))
        if first < number <= first + len(_KEYS):
            said.append(number)
            found[key] = value
    number, fast_fail = keys.get("fast fail", (0, ""))
    if number == max(said) + 1:
        said.append(number)
    else:
        fast_fail = ""
    access = _ACCESS.fullmatch(found["access"])
    how = access[1] if access is not None else None
    words = found["parameters"]
    thread = int(match[3])
    recorded = dump_text.address(found["address"])
    windows = found["platform"] == "windows"
    fact = ExceptionRecord(
        cite=document.cite(first, max(said)),
        platform=found["platform"] or "other",
        code=int(match[1], 16),
        name=match[2],
        thread=thread,
        address=recorded if windows else _pc(document, thread),
        access=how if how != "touched" else None,
        fault_address=int(access[2], 16) if access is not None else None,
        parameters=tuple(int(w, 16) for w in words.split()) if _WORDS.fullmatch(words) else (),
        flags=dump_text.address(found["flags"]) or 0,
        recorded=dump_text.address(found["address as recorded"]) or recorded,
    )
    return fact, fast_fail or None


def uncaught(document: Document, keys: dict[str, tuple[int, str]]) -> CxxException | None:
    """An exception of a language that ended the process, as an annotation names it."""
    if "uncaught exception" not in keys:
        return None
    first, name = keys["uncaught exception"]
    last, message = keys.get("uncaught exception message", (first, ""))
    end, bases = keys.get("uncaught exception derives from", (first, ""))
    last = max(last, end)
    at = dump_text.address(keys.get("exception address", (0, ""))[1])
    return CxxException(
        cite=document.cite(first, last if last <= first + 2 else first),
        type=name,
        message=message or None,
        address=at or 0,
        uncaught=True,
        bases=tuple(split_types(bases)) if bases else (),
    )


def _pc(document: Document, thread: int) -> int | None:
    for _, line in dump_text.lines(document):
        match = _PC.fullmatch(line)
        if match is not None and int(match[1]) == thread:
            return int(match[2], 16)
    return None


def thread_names(document: Document, current: int | None) -> Threads | None:
    """The threads with the names that the dump records; None where it names none."""
    items: list[Thread] = []
    first = last = 0
    named = False
    for number, line in dump_text.lines(document):
        match = _NAMED.fullmatch(line)
        if match is None and not re.fullmatch(r"thread [0-9]{1,10}:(?: pc .*)?", line):
            continue
        thread = int(line.split(":", 1)[0].removeprefix("thread "))
        items.append(
            Thread(
                number=len(items) + 1,
                thread=thread,
                name=match[2] if match is not None else None,
                current=thread == current,
                line=number,
            )
        )
        named = named or match is not None
        first, last = first or number, number
    return Threads(cite=document.cite(first, last), items=tuple(items)) if named else None
