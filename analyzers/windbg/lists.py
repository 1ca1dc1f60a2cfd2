"""What the debuggers list: modules (``ModLoad:``, ``lm``), threads (``~``, and the lines above the
stacks of ``~*k``), critical sections (``!locks``, ``!cs``, ``!critsec``), CLR exceptions as a
native debugger announces them, and the process and its system (the banner, ``|``, ``!peb``)."""

import ntpath
import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Document
from analyzers.blocks import Form, fields, read_blocks, read_rows
from analyzers.windbg.text import HEX, Line, plain
from workbench.model.facts import Lock, ManagedException, Module, Process, Thread, Threads

_MODLOAD = re.compile(rf"^ModLoad: (?P<x_base>{HEX}) (?P<x_end>{HEX})\s+(?P<path>\S.*)$")
_ROW = re.compile(
    rf"^(?P<x_base>{HEX}) (?P<x_end>{HEX})\s+(?P<path>\S{{1,128}})(?:\s+[A-Z#\s]{{0,6}})?"
    r"\s*(?:\((?P<symbols>[^()]{3,60})\))?(?:\s+\S.*)?$"
)
_TABLE = Form(
    (re.compile(r"^start\s+end\s+module name", re.IGNORECASE),),
    rows=(_ROW,),
    end=re.compile(rf"^(?!\s|$|ModLoad:|{HEX} {HEX}\s)"),
)
_SYMBOLS = {
    "pdb symbols": "debug-info", "private pdb symbols": "debug-info", "coff symbols": "symbols",
    "codeview symbols": "debug-info", "export symbols": "stripped", "no symbols": "stripped",
}  # fmt: skip
_STATUS = {"mismatched": "mismatched", "deferred": "unverified"}


def read_modules(document: Document, lines: Sequence[Line]) -> list[Module]:
    """Loaded modules with [base, end), each with the line that says so."""
    texts = plain(lines)
    rows = [*read_rows(_MODLOAD, texts), *(r for b in read_blocks(_TABLE, texts) for r in b.rows)]
    found: dict[int, Module] = {}
    for row in sorted(rows, key=lambda row: int(row["line"])):
        path, base, end = row["path"], row["base"], row["end"]
        kind = (row.get("symbols") or "").lower().removesuffix(")")
        if base < end and len(found) < MAX_ITEMS:
            found[base] = Module(
                cite=document.cite(row["line"]),
                name=ntpath.basename(path) or path,
                path=path,
                base=base,
                end=end,
                symbols=_SYMBOLS.get(kind, "unknown"),
                status=_STATUS.get(kind, "found" if "symbols" in row else "unverified"),
            )
    return list(found.values())


# ".  0  Id: 16a4.2be8 Suspend: 0 Teb: 00007ff5`ffc8e000 Unfrozen "name"", and NT 4's
# "  6  id: 16.6d   Teb 7ff68000 Unfrozen". "." is the selected thread, "#" that of the exception.
_THREAD = re.compile(
    r"^(?P<mark>[.#*]?)\s{0,5}(?P<number>\d{1,6})\s+[Ii]d: (?P<pid>[0-9a-fA-F]{1,8})\."
    r"(?P<tid>[0-9a-fA-F]{1,8})\b(?P<rest>.*)$"
)
_NAME = re.compile(r'(?:Unfrozen|Frozen)\s+"([^"]{1,256})"')


def parse_thread(text: str) -> Thread | None:
    """The thread that a line of ``~`` names: debugger's number (decimal) and TID, or None."""
    found = _THREAD.match(text.lstrip() if text[:2] == "  " else text)
    if found is None:
        return None
    name = _NAME.search(found["rest"])
    return Thread(
        number=int(found["number"]),
        thread=int(found["tid"], 16),
        name=name[1] if name else None,
        current=found["mark"] in (".", "*"),
    )


def read_threads(document: Document, lines: Sequence[Line]) -> list[Threads]:
    """One list of all threads that the output names."""
    items: dict[int, Thread] = {}
    for line in lines:
        found = parse_thread(line.text)
        if found is not None and len(items) < MAX_ITEMS:
            items.setdefault(found.number, replace(found, line=line.number))
    if not items:
        return []
    if sum(item.current for item in items.values()) > 1:  # !uniqstack puts a dot on every line
        items = {number: replace(item, current=False) for number, item in items.items()}
    rows = tuple(items.values())
    return [Threads(cite=document.span(rows), items=rows)]


# "CritSec winsrv!_ScrollBufferLock at 5ffa9f9c", "CritSec ntdll!LdrpLoaderLock+0 at 7c97e178";
# "Critical section   = 0x00007ff6`1234 (app!g_lock+0x0)", "Cs at 0x7c97e178".
_SECTION = re.compile(
    rf"^\s*(?:CritSec (?P<name>\S.{{0,300}}?)? ?at (?P<x_address>{HEX})\b"
    rf"|(?:Critical section\s*=|Cs at)\s+(?P<x_address_>{HEX})"
    r"(?:\s+\((?P<name_>[^()]{1,300})\))?)"
)
# kd: "Resource @ nwrdr!_Lock (0xfc664ee0)    Exclusively owned", "Resource @ 0x80e97620 Shared 1".
_RESOURCE = re.compile(
    rf"^\s*Resource @ (?:(?P<name>\S{{1,300}}!\S{{1,300}}) \((?P<x_address>{HEX})\)"
    rf"|(?P<x_address_>{HEX}))"
    r"(?:\s+(?P<locked>Exclusively owned|Shared \d{1,6} owning threads))?"
)
_FIELDS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^\s*OwningThread\s*=?\s+(?P<x_owner>{HEX})\b",
        rf"^\s*RecursionCount\s*=?\s+(?P<x_entered>{HEX})\b",
        rf"^\s*LockCount\s*=?\s+{HEX}\b",
        rf"^\s*WaitingThreads\s*=?\s+(?P<x_waiting>{HEX})\b",
        rf"^\s*(?:WaiterWoken|LockSemaphore)\s*=?\s+{HEX}\b",
        r"^\s*(?:NOT LOCKED\b|(?P<locked>\*\*\* Locked|LOCKED\b))",
        r".*?[Ww]aiting threads\s*[=:]?\s+(?P<d_waiting>\d{1,6})\b",
    )
)
_OWNER = re.compile(rf"^\s*Threads?:? =? ?(?P<x_owner>(?!(?:0x)?[0`]+\b){HEX})(?:-\d{{1,4}}|,)")
_WAITERS = re.compile(r"^\s*NumberOf\w+Waiters = (?P<d_waiting>\d{1,6})\b")
_FORMS = {
    "critical-section": Form((_SECTION,), _FIELDS, end=_RESOURCE),
    "resource": Form((_RESOURCE,), (_WAITERS,), (_OWNER,), end=_SECTION, most=1),
}


def read_locks(document: Document, lines: Sequence[Line]) -> list[Lock]:
    """Every critical section and resource that is shown, each with its own lines."""
    found: list[Lock] = []
    for kind, form in _FORMS.items():
        for block in read_blocks(form, plain(lines)):
            said = block.rows[0] if block.rows else {}
            owner = said.get("owner") or block.values.get("owner") or None
            found.append(
                Lock(
                    cite=document.cite(block.first, block.last),
                    kind=kind,
                    address=block.values["address"],
                    name=_clean(block.values["name"]),
                    locked=bool(block.values.get("locked") or owner),
                    owner=owner,
                    entered=block.values.get("entered"),
                    waiting=block.values.get("waiting"),
                )
            )
    return sorted(found, key=lambda fact: fact.cite.first)[:MAX_ITEMS]


def _clean(name: str | None) -> str | None:
    """The symbol without an offset of nothing."""
    return re.sub(r"\+(?:0x)?0+$", "", (name or "").strip()) or None


_TYPE = re.compile(r"^\s*CLR exception type: (?P<type>[\w.+`<>\[\],]{3,300})\s*$")
_QUOTED = re.compile(r'^\s+"(?P<message>.{0,1000})"\s*$')
_SECOND = "second chance"
_MOST = 200


def read_managed(document: Document, lines: Sequence[Line]) -> list[ManagedException]:
    """Managed exceptions, each with its type and, where it stands there, message and stack. One
    that came as a second chance is uncaught."""
    found: list[ManagedException] = []
    second = False
    event = 0
    for at, line in enumerate(lines):
        if " - code e0434352 " in line.text or " - code e0434f4d " in line.text:
            second, event = _SECOND in line.text, line.number
        kind = _TYPE.match(line.text)
        if kind is not None:
            quoted = _QUOTED.match(lines[at + 1].text) if at + 1 < len(lines) else None
            found.append(
                ManagedException(
                    cite=document.cite(event or line.number, line.number + (quoted is not None)),
                    type=kind["type"],
                    message=quoted["message"] if quoted else None,
                    uncaught=True if second else None,
                )
            )
            if len(found) >= _MOST:
                break
    return found


_SYSTEM = re.compile(
    r"^(?P<os>Windows (?:\S+ ){0,4}(?:Kernel )?Version \S.*?)\s*"
    r"(?:\(\d+ procs\) )?(?:Free|Checked)?\s*"
    r"(?P<arch>x86|x64|AMD64|ARM64|ARM|IA64|amd64|arm64)?(?: compatible)?\s*$"
)
_COMMAND_LINE = re.compile(
    r"^(?:CommandLine: (?P<command_line>\S.*)|\s+CommandLine:\s+'(?P<command_line_>[^']+)')$"
)
_IMAGE = re.compile(r"^(?:PROCESS_NAME:\s+|\s+ImageFile:\s+')(?P<executable>[^'\s].*?)'?$")
_EVENT = re.compile(r"^\((?P<x_pid>[0-9a-fA-F]{1,8})\.[0-9a-fA-F]{1,8}\): ")
_PATTERNS = (_SYSTEM, _COMMAND_LINE, _IMAGE, _EVENT)
_LONGEST = {"command_line": 2000, "executable": 260, "os": 200}
_ARCHES = {"x86": "i386", "x64": "x86_64", "amd64": "x86_64", "arm64": "aarch64", "arm": "arm"}


def read_process(document: Document, lines: Sequence[Line], wide: bool | None) -> list[Process]:
    """The process, when the output names its system, program or PID. ``wide`` tells 64-bit from
    32-bit where only registers or addresses do."""
    values: dict[str, Any] = {}
    said: list[int] = []
    for line in lines:
        found = next((m for p in _PATTERNS if (m := p.match(line.text)) is not None), None)
        if found is not None and not (found.re is _EVENT and "pid" in values):
            values |= {name: value for name, value in fields(found).items() if value is not None}
            said.append(line.number)
    if not said:
        return []
    arch = _ARCHES.get(values.pop("arch", "").lower())
    if arch is None and wide is not None:
        arch = "x86_64" if wide else "i386"
    for name, longest in _LONGEST.items():
        if name in values:
            values[name] = values[name][:longest]
    cite = document.cite(min(said), max(said))
    return [Process(cite=cite, arch=arch or "unknown", **{"os": "windows", **values})]
