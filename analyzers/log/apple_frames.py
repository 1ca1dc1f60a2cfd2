"""The stacks of Apple's crash reports, and of reporters that print theirs the same way."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS
from analyzers.log.frames import frame_by
from analyzers.log.stacks import trace
from workbench.model.facts import Frame, Role

_FRAME = re.compile(
    r"^ {0,4}(?P<index>\d{1,5})\s{1,6}(?P<module>\S.{0,120}?)\s{1,60}"
    r"(?P<address>0x[0-9a-fA-F]{4,16}|0{16,18})\s{1,20}(?P<rest>\S.{0,3000})$"
)
_SYMBOL = re.compile(
    r"^(?P<function>.{1,2900}?) \+ \d{1,20}(?: "
    r"\((?P<file>[^():]{1,300}):(?P<line>\d{1,9})\))?$"
)
# "0x5f000 + 30888 (-[Till count] + 8)": where the image begins, the offset in it, and the symbol.
_IN_IMAGE = re.compile(
    r"^0x[0-9a-f]{1,16} \+ \d{1,20} \((?P<function>.{1,2900}?)(?: \+ \d{1,20})?\)$"
)
# "0x18ce27000 + 37224 // pthread_mutex_lock": symbolicated on the device
_BEHIND = re.compile(r"^0x[0-9a-f]{1,16} \+ \d{1,20}\s{1,20}// (?P<function>\S.{0,2900})$")
# atos: "count (in Till) (till.m:12)", "count (in Till) + 128"
_ATOS = re.compile(
    r"^(?P<function>.{1,2900}?) \(in [^()]{1,200}\)(?: \+ \d{1,20}| "
    r"\((?P<file>[^():]{1,300}):(?P<line>\d{1,9})\))?$"
)
_PLACED = re.compile(r"^(?P<function>.{1,2900}?) \((?P<file>[^():]{1,300}):(?P<line>\d{1,9})\)$")
_NO_NAME = re.compile(
    r"0x[0-9a-f]+|0|\?{2,3}|<redacted>|\(null\)|_mh_execute_header|__mh_execute_header"
)
_THREAD = re.compile(
    r"^Thread (?P<number>\d{1,6})(?P<crashed> Crashed)?:{1,2}(?: (?P<name>\S.{0,200}))?"
)
_MOST_STACKS = 400
# 0x103b53000 - 0x103b53fff +till (0) <12B0A94B> /Users/ann/till
_IMAGE = re.compile(
    r"^\s{0,20}0x[0-9a-f]{1,16} - +0x[0-9a-f]{1,16} \+?(?P<name>\S{1,200}) .{0,300}?"
    r"(?P<path>/\S.*)$"
)


def of_the_system(path: str) -> bool:
    """True for an image that macOS or iOS brought along, on a device or in a simulator."""
    return bool(re.match(r"(?:/.*/RuntimeRoot)?/(?:System/|usr/lib/)", path))


def system_images(lines: Iterable[tuple[int, str]], program: str | None) -> frozenset[str]:
    """The names of the system's images in the list of a report, without the program itself."""
    found = (m for _, line in lines if " - " in line[:48] and (m := _IMAGE.match(line[:1000])))
    return frozenset(m["name"] for m in found if of_the_system(m["path"])) - {program or ""}


def frame_of(line: str, number: int) -> Frame | None:
    """One line of a thread's stack."""
    match = _FRAME.match(line)
    if match is None:
        return None
    rest = match["rest"].strip().removesuffix(" +")  # a mail broke the line here
    tried = (_BEHIND, _IN_IMAGE, _ATOS, _SYMBOL, _PLACED)
    said = next((m.groupdict() for pattern in tried if (m := pattern.match(rest))), {})
    name, module = said.get("function") or rest, match["module"].strip()
    known = {
        "function": "" if _NO_NAME.fullmatch(name) else name,
        "module": "" if module == "???" else module,
    }
    return frame_by({**match.groupdict(), **said, **known}, 0, number)


def threads_of(
    lines: list[tuple[int, str]], program: str | None = None
) -> tuple[list[Role], int | None]:
    """The stacks, the crashed thread's first, and its number; frames under no thread's line are one
    stack. ``program`` is the process's name, whose image is never the system's."""
    system = system_images(lines, program)
    roles: list[Role] = []
    crashed: int | None = None
    now: tuple[int, str, int, bool, str | None] | None = None
    frames: list[Frame] = []
    total = 0

    def close() -> None:
        nonlocal crashed
        if now is not None and frames and len(roles) < _MOST_STACKS:
            number, title, thread, is_crashed, name = now
            if is_crashed:
                crashed = thread
            kind = "access" if is_crashed else "other"
            role = trace(kind, title, number, frames, thread, name)
            roles.insert(0, role) if is_crashed else roles.append(role)
        frames.clear()

    for number, line in lines:
        header = _THREAD.match(line)
        if header is not None and " name:" not in line:
            close()
            now = (number, line, int(header["number"]), bool(header["crashed"]), header["name"])
            continue
        frame = frame_of(line, number)
        if now is None and frame is not None and frame.index == 0 and not roles:
            now = (number, line, 0, True, None)
        if now is None:
            continue
        if frame is not None and total < MAX_ITEMS:
            frames.append(replace(frame, system=frame.module in system))
            total += 1
        elif not line.strip():
            close()
            now = None
    close()
    return roles, crashed
