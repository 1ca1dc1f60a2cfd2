"""Which process and system a log is of: the banner, ``|``, ``!peb``, ``PROCESS_NAME``."""

import re
from collections.abc import Sequence
from typing import Any

from analyzers.base import Document
from analyzers.blocks import fields
from analyzers.windbg.text import Line
from workbench.model.facts import Process

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
