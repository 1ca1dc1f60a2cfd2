"""@fault: the instruction at the exception, what it touched, and how that fits the record.

The instruction is read by the probe that reads cores; what the exception's record says of the
access stands beside it, and decides where the instruction is not in the dump.
"""

import re

from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.exception import Record, data_address
from workbench.targets.probes import fault
from workbench.targets.probes.places import place

_FIRST = ("thread ", "pc ", "stack pointer ")
_ACCESS = re.compile(r"access (read|write|execute) at (0x[0-9a-f]+)(.*)")


def answer(dump: MinidumpFile, words: list[str]) -> str:
    """The report on the thread of the exception, or on thread ``words[0]``."""
    text = fault.probe(dump, words)
    # The signal that stands for the exception there is none of this dump's.
    lines = [line for line in text.splitlines() if not line.startswith(("signal ", "no signal"))]
    record = dump.record
    if record is None or not dump.crashed or lines[:1] != [f"thread {record.thread}"]:
        return "\n".join([*lines, ""])
    said = _said(dump, record)
    lines = _by_record(dump, record, lines)
    at = next((n for n, line in enumerate(lines) if not line.startswith(_FIRST)), len(lines))
    return "\n".join([*lines[:at], *said, *lines[at:], ""])


def _said(dump: MinidumpFile, record: Record) -> list[str]:
    """What the record says of the exception."""
    lines = [f"exception {record.code:#x} {record.name}"]
    if record.detail is not None:
        lines.append(f"fast fail {record.detail}")
    if record.data is None:
        return lines
    if data_address(record) is None:
        return [
            *lines,
            f"exception says: {record.access or 'access'} of {record.data:#x}, which Windows gives "
            "for an address that the processor refuses; the operand tells which",
        ]
    return [
        *lines,
        f"exception says: {record.access or 'access'} of {record.data:#x}, "
        f"{place(dump, record.data)}",
    ]


def _by_record(dump: MinidumpFile, record: Record, lines: list[str]) -> list[str]:
    """The lines, their access as the record says it where the two differ."""
    data, how = data_address(record), record.access
    if how is None or (data is None and any(_ACCESS.fullmatch(line) for line in lines)):
        return lines  # of an address that the processor refuses Windows says "read" whatever it was
    found: list[str] = []
    stated = False
    for line in lines:
        match = _ACCESS.fullmatch(line)
        if match is None and line.startswith("access none"):
            continue
        if match is not None:
            stated = True
            if how in ("read", "write") and match[1] in ("read", "write"):
                line = f"access {how} at {match[2]}{match[3]}"
        found.append(line)
    if not stated and data is not None:
        found.append(f"access {how} at {data:#x}: {place(dump, data)}")
    return found
