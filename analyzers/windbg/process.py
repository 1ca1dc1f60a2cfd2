"""Which process and system a log is of: the banner, ``|``, ``!peb``, ``PROCESS_NAME``."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import Line
from workbench.model.facts import Process

_SYSTEM = re.compile(
    r"^(?P<system>Windows (?:\S+ ){0,4}(?:Kernel )?Version \S.*?)\s*"
    r"(?:\(\d+ procs\) )?(?:Free|Checked)?\s*"
    r"(?P<arch>x86|x64|AMD64|ARM64|ARM|IA64|amd64|arm64)?(?: compatible)?\s*$"
)
_COMMAND_LINE = re.compile(
    r"^(?:CommandLine: (?P<banner>\S.*)|\s+CommandLine:\s+'(?P<peb>[^']+)')$"
)
_IMAGE = re.compile(r"^(?:PROCESS_NAME:\s+|\s+ImageFile:\s+')(?P<name>[^'\s].*?)'?$")
_EVENT = re.compile(r"^\((?P<pid>[0-9a-fA-F]{1,8})\.[0-9a-fA-F]{1,8}\): ")
_ARCHES = {"x86": "i386", "x64": "x86_64", "amd64": "x86_64", "arm64": "aarch64", "arm": "arm"}


def read_process(document: Document, lines: Sequence[Line], wide: bool | None) -> list[Process]:
    """The process, when the output names its system, program or PID. ``wide`` tells 64-bit from
    32-bit where only registers or addresses do."""
    system = arch = command = name = None
    pid: int | None = None
    said: list[int] = []
    for line in lines:
        if found := _SYSTEM.match(line.text):
            system, arch = found["system"].strip(), found["arch"] or arch
        elif found := _COMMAND_LINE.match(line.text):
            command = (found["banner"] or found["peb"]).strip()
        elif found := _IMAGE.match(line.text):
            name = found["name"].strip()
        elif pid is None and (found := _EVENT.match(line.text)):
            pid = int(found["pid"], 16)
        else:
            continue
        said.append(line.number)
    if not said:
        return []
    kind = _ARCHES.get((arch or "").lower())
    if kind is None and wide is not None:
        kind = "x86_64" if wide else "i386"
    return [
        Process(
            cite=document.cite(min(said), max(said)),
            pid=pid,
            command_line=command[:2000] if command else None,
            executable=name[:260] if name else None,
            arch=kind or "unknown",
            os=system[:200] if system else "windows",
        )
    ]
