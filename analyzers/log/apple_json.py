"""The JSON of .ips files: a line about the report, then the report (since iOS 15 and macOS 12)."""

import json
import re
from contextlib import suppress
from typing import Any

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.log.apple_cause import ADDRESS, MACH, WATCHDOG, cause_of, is_guard, reason_in
from analyzers.log.apple_frames import of_the_system
from analyzers.log.text import analysis_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import Finding, Frame, Role

_OF_MEMORY = re.compile(
    r"per-process-limit|page-?shortage|highwater|thrashing|idle-exit|jettisoned"
)
_COUNTERS = ("pc", "rip", "eip")


def body_of(text: str) -> tuple[dict[str, Any], int] | None:
    """The report and the line (from 1) that it begins at; None for what is no report in JSON."""
    for part, first in ((text.partition("\n")[2], 2), (text, 1)):
        try:
            report = json.loads(part)
        except (ValueError, RecursionError):
            continue
        known = isinstance(report, dict) and ("threads" in report or "largestProcess" in report)
        if known or (isinstance(report, dict) and _panicked(report)):
            return report, first
    return None


def parts_of(text: str) -> tuple[dict[str, Any], int] | None:
    """What is left of a report whose beginning or end was cut away: the members that have a line of
    their own each."""
    report: dict[str, Any] = {}
    for line in text.split("\n")[:4000]:
        with suppress(ValueError, RecursionError):
            report = {**json.loads(f"{{{line.strip().rstrip(',')}}}"), **report}
    return (report, 1) if isinstance(report.get("exception"), dict) else None


def _panicked(report: dict[str, Any]) -> str | None:
    """What the kernel said when it panicked, if that is what the report is of."""
    for key in ("panicString", "string"):
        words = report.get(key)
        if isinstance(words, str) and words.startswith("panic("):
            return words
    return None


def read_json(document: Document, report: dict[str, Any], first: int) -> Analysis:
    """One `Finding` with the stack of the thread that faulted."""
    lines = document.numbered()
    panic = _panicked(report)
    if panic is not None:
        return analysis_of(document, [_panic(document, panic, lines, first)])
    if "largestProcess" in report:
        return analysis_of(document, _jettisoned(document, report, lines, first))
    exception = report.get("exception")
    exception = exception if isinstance(exception, dict) else {}
    name = str(exception.get("type") or "crash")[:60]
    signal = str(exception.get("signal") or "") or MACH.get(name)
    subtype = str(exception.get("subtype") or "")[:400]
    where = ADDRESS.search(subtype)
    address = hexadecimal(where[1]) if where and signal != "SIGABRT" else None
    thread = _thread(report)
    role = _role(report, thread, lines, first)
    category, rank = cause_of(name, signal, address, _counter(thread), role)
    words = [report.get("asi"), report.get("termination"), exception.get("message")]
    said = reason_in([json.dumps(words)[:8000]])
    if said is not None:
        category, rank = said[1], 1
    elif is_guard(str(report.get("vmRegionInfo") or report.get("vmregioninfo") or "")[:8000]):
        category, rank = Category.STACK_OVERFLOW, 1
    elif category is Category.EXPLICIT_ABORT and report.get("lastExceptionBacktrace"):
        category, rank = Category.UNCAUGHT_EXCEPTION, 1
    line = _line_with(lines, f'"{name}"', first)
    late = WATCHDOG.search(json.dumps(report.get("termination"))[:8000])
    message = subtype if subtype and subtype in lines[line - 1][1] else name
    finding = Finding(
        cite=document.cite(line),
        tool="Apple's crash reporter",
        kind="watchdog" if late else name,
        message=sentence(message),
        line=line,
        rank=rank,
        category=category,
        address=address,
        signal=signal or None,
        thread=small(str(report.get("faultingThread"))),
        stacks=(role,) if role is not None else (),
    )
    return analysis_of(document, [finding])


def _jettisoned(
    document: Document, report: dict[str, Any], lines: list[tuple[int, str]], first: int
) -> list[Finding]:
    """The process that was killed for want of memory (a JetsamEvent): the one that has a reason,
    which is another one for files and for space on the disk."""
    listed = report.get("processes")
    killed = [p for p in listed if isinstance(p, dict)] if isinstance(listed, list) else []
    killed = [p for p in killed if _OF_MEMORY.search(str(p.get("reason") or ""))]
    if not killed:
        return []
    line = _line_with(lines, json.dumps(killed[0]["reason"]), first)
    return [
        Finding(
            cite=document.cite(line),
            tool="Apple's crash reporter",
            kind="jetsam",
            message=sentence(lines[line - 1][1]),
            line=line,
            category=Category.OUT_OF_MEMORY,
            process=small(str(killed[0].get("pid"))),
        )
    ]


def _panic(document: Document, panic: str, lines: list[tuple[int, str]], first: int) -> Finding:
    """A panic of the kernel."""
    words = panic.split("\n", 1)[0][:300]
    line = _line_with(lines, words, first)
    return Finding(
        cite=document.cite(line),
        tool="the kernel",
        kind="panic",
        message=sentence(words),
        line=line,
        category=Category.PANIC,
    )


def _thread(report: dict[str, Any]) -> dict[str, Any]:
    """The thread that faulted; empty where none is told."""
    threads, which = report.get("threads"), report.get("faultingThread")
    if not isinstance(threads, list):
        return {}
    found = next((t for t in threads if isinstance(t, dict) and t.get("triggered")), None)
    if found is None and isinstance(which, int) and 0 <= which < len(threads):
        found = threads[which]
    return found if isinstance(found, dict) else {}


def _counter(thread: dict[str, Any]) -> int | None:
    """Where the thread ran, by its registers."""
    state = thread.get("threadState")
    for name in _COUNTERS:
        register = state.get(name) if isinstance(state, dict) else None
        value = register.get("value") if isinstance(register, dict) else None
        if isinstance(value, int) and value >= 0:
            return value
    return None


def _left_out(thread: dict[str, Any]) -> tuple[int, int]:
    """Behind how many frames the rounds of a recursion were left out, and how many frames."""
    told = thread.get("recursionInfoArray")
    first = told[0] if isinstance(told, list) and told and isinstance(told[0], dict) else {}
    begin, end = first.get("hottestElided"), first.get("coldestElided")
    if isinstance(begin, int) and isinstance(end, int) and 0 <= begin <= end:
        return begin, end - begin + 1
    return 0, 0


def _role(
    report: dict[str, Any], thread: dict[str, Any], lines: list[tuple[int, str]], first: int
) -> Role | None:
    images = report.get("usedImages")
    if not isinstance(thread.get("frames"), list):
        return None
    frames: list[Frame] = []
    left_out = _left_out(thread)
    for place, raw in enumerate(thread["frames"][:2000]):
        index = place if place < left_out[0] else place + left_out[1]
        if not isinstance(raw, dict):
            continue
        symbol, image = raw.get("symbol"), raw.get("imageIndex")
        module, system = None, False
        if isinstance(images, list) and isinstance(image, int) and 0 <= image < len(images):
            named = images[image]
            named = named if isinstance(named, dict) else {}
            module = named.get("name")
            system = module != report.get("procName") and of_the_system(str(named.get("path")))
        module = module if isinstance(module, str) and module else None
        function = symbol if isinstance(symbol, str) and symbol else None
        source, line = raw.get("sourceFile"), raw.get("sourceLine")
        at = first
        if function is not None or module is not None:
            at = _line_with(lines, f'"{function or module}"', first)
        frames.append(
            Frame(
                index=index,
                function=function,
                module=module,
                file=source if isinstance(source, str) else None,
                line=line if isinstance(line, int) else None,
                trust="symbols" if function else "unwound",
                line_no=at,
                system=system,
            )
        )
    if not frames:
        return None
    last = max(frame.line_no for frame in frames)
    return Role(role="access", title="faultingThread", line=first, last=last, frames=tuple(frames))


def _line_with(lines: list[tuple[int, str]], words: str, first: int) -> int:
    """The first line that holds a text, from ``first`` on."""
    return next((n for n, line in lines if n >= first and words in line), first)
