"""One line of a stack in a log: text in, a `Frame` out.

The forms are those of sanitizers' symbolizers, glibc's backtrace(3), Chromium, Boost, glog, Swift,
systemd-coredump, FreeBSD's kernel, Android's debuggerd; the readers of other tools know their own.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from analyzers.base import hexadecimal
from analyzers.gdb.frames import parse_frame
from analyzers.log.text import MAX_LINE, address_of, small
from workbench.model.aliases import unmangled
from workbench.model.facts import Frame

_NUMBERED = re.compile(
    r"^\s{0,16}#\s?(\d{1,5})[:.]?\s+(?=\S)(?![A-Za-z]\w{2,8} {1,8}cov: \d)"  # libFuzzer's progress
)
_ADDRESS = re.compile(r"^(0x[0-9a-fA-F]{1,16}|[0-9a-fA-F]{4,16})(?=\s|$)")
# FreeBSD's kernel (stack_print): "at vpanic+0x186"
_IN = re.compile(r"^\s*(?:in(?:\s+|$)|at (?=[A-Za-z_][\w.]{0,200}\+0x[0-9a-f]{1,8}$))?")
_BUILD_ID = re.compile(r"\s*\(BuildId: [0-9a-fA-F]{1,64}\)\s*$")
# (module+0x12), (module:x86_64+0x12), [module+0x12], (<unknown module>)
_MODULE = re.compile(
    r"\s*[(\[](?P<module>[^()\[\]]{1,400}?)(?::[\w-]{2,16})?\+"
    r"(?P<offset>0x[0-9a-fA-F]{1,16})[)\]]\s*$"
)
# Envoy, behind the name: f() [0x55d0]
_ADDRESS_BEHIND = re.compile(r"(?<=\S) \[(?P<address>0x[0-9a-fA-F]{4,16})\]$")
_UNKNOWN_MODULE = re.compile(r"\s*\(<unknown module>\)\s*$")
_DISCRIMINATOR = re.compile(r"\s*\(discriminator \d{1,6}\)$")
_PLACE = re.compile(r"^(?P<file>.+?)(?::(?P<line>\d{1,9}))(?::\d{1,9})?(?:(?:,| <).{0,200})?$")
_FILE = re.compile(r"^(?:/|\.{1,2}/|[A-Za-z]:[\\/]|[\w.+@~-]{1,80}[/\\]|<null>|\?\?:)")
_SOURCE = re.compile(r"^[\w.+@~-]{1,120}\.\w{1,8}:\d{1,9}")
_BRACKET_PLACE = re.compile(r"\s\[(?P<place>[^\[\]]{1,400}:\d{1,9}(?::\d{1,9})?)\]$")
# Android: #00 pc 0000000000051e14  /system/lib64/libc.so (abort+163); the Play Console has 0x
_ANDROID = re.compile(
    r"^pc (?:0x)?(?P<pc>[0-9a-fA-F]{4,16})\s+(?P<path>\S.*?)(?: \(offset 0x[0-9a-fA-F]{1,16}\))?"
    r"(?: ?\((?P<function>(?![0-9a-f]{32}\)).{1,1000}?)\))?"
    r"(?: (?:\(|\[\w[\w-]{1,30}::)[0-9a-f]{32}[\])])?$"  # OpenHarmony; Bugly
)
# systemd-coredump: #0  0x00007f00 raise (libc.so.6 + 0x3a8)
_COREDUMP = re.compile(
    r"^(?P<function>\S.{0,1000}?) \((?P<module>[^()]{1,200}) \+ (?P<offset>0x[0-9a-fA-F]{1,16})\)$"
)
# backtrace(3): ./prog(main+0x45)[0x55d0] · /lib/libc.so.6(+0x7a36f) [0x7f00] · ./prog() [0x4005]
_GLIBC = re.compile(
    r"^\s{0,16}(?:\d{1,4}(?:[ :]|\. ) {0,3}|"  # Godot from 4.7 on; ClickHouse
    r"(?:\[[\w.-]{1,64}:\d{1,9}\] )?(?:\[ ?\d{1,4}\] )?(?:[0-9a-f]{4,16} "
    r"\([^()]{1,100}\+[0-9a-f]{1,16}\) - )?)"
    r"(?P<module>[\w./+@~ -]{1,300}?)\((?P<symbol>.{0,3000}?)\)\s?"
    r"\[(?P<address>0x[0-9a-fA-F]{1,16})\]"
    r"(?: \((?P<place>[^()]{1,400})\)| (?P<place_>[\w./+@~-]{1,300}:\d{1,7}))?$"  # Godot's; Ruby's
)
_GLIBC_BARE = re.compile(
    r"^\s{0,16}(?P<module>[/.][\w./+@~-]{1,300})\s?\[(?P<address>0x[0-9a-fA-F]{4,16})\]$"
)
# backtrace(3) on macOS, in a program's own words or Open MPI's: [ 1] 0   till  0x000000010cc f + 26
# qBittorrent's on Windows: #  8 till.exe  0x00007ff6 f(a)[ a.cpp : 12 ]
_DARWIN = re.compile(
    r"^\s{0,8}(?:\[[\w.-]{1,64}:\d{1,9}\] )?(?:\[ ?\d{1,4}\] )?(?:# {0,3})?(?P<index>\d{1,4}) {1,4}"
    r"(?P<module>\S.{0,80}?) {2,40}(?P<address>0x[0-9a-f]{8,16}) (?P<function>\S.{0,2000}?)"
    r"(?: \+ (?P<behind>\d+)|(?<=\))(?:\[ (?P<file>\S.{0,300}?) : (?P<line>\d{1,7}) \])?)$"
)
_LARGEST = 0x10000
"""What lies so far behind a name is no part of that function: dladdr(3) knows exported ones alone,
and names the nearest."""
# Godot where it has source: [2] OS::crash(String const&) (/a/os.cpp:1186)
_PLACED = re.compile(
    r"^\s{0,4}\[(?P<index>\d{1,4})\] (?P<function>[A-Za-z_~].{0,2000}?) "
    r"\((?P<file>/[^()]{1,300}):(?P<line>\d{1,7})\)$"
)
# Ruby, addr2line.c, of what was inlined: no address stands in between.
_RUBY = re.compile(
    r"^(?P<module>/[\w./+@~-]{1,300})\((?P<function>[^()\s]{1,200})\) "
    r"(?:\(null\)|(?P<file>/[^\s:()]{1,300})):(?P<line>\d{1,7})$"
)
# glog and abseil: @ 0x7f8a1 (unknown) / @     0x55d0 f(); of a PC that it cannot tell, glog has 0.
# Abseil's failure handler has the frame's size before the function.
_AT = re.compile(
    r"^(?!\s{0,16}PC: @\s{1,20}0x0 \(unknown\))\s{0,16}(?:PC: )?@\s{1,20}"
    r"(?P<address>0x[0-9a-fA-F]{1,16})\b\s*(?:(?:\d{1,9}|\(unknown\)) {2})?"
    r"(?P<function>\S.{0,2000})?$"
)
# boost::stacktrace:  0# f at /a/b.c:12  ·  1# 0x00 in ./prog
_BOOST = re.compile(r"^\s{0,8}(?P<index>\d{1,4})# (?P<rest>\S.{0,2000})$")
# Chromium on Windows (base/debug/stack_trace_win.cc): f [0x61C20814+20] (base\a.cc:215)
_CHROMIUM = re.compile(
    r"^\s{1,8}(?P<function>\S.{0,2000}?) \[(?P<address>0x[0-9A-F]{4,16})\+\d{1,10}\]"
    r"(?: \((?P<file>[^()]{1,300}):(?P<line>\d{1,9})\))?$"
)
# Swift (stdlib/public/Backtracing/Backtrace.swift): 2 [inlined] f(_:) + 12 in app at /a/b.swift:3:1
_SWIFT = re.compile(
    r"^ {0,3}(?P<index>\d{1,4}) {1,32}(?:\[(?:inlined|system|async|ra|thunk)\] {1,24}){0,4}"
    r"(?:(?P<address>0x[0-9a-f]{4,16}) )?"
    r"(?:\[(?:inlined|system|async|ra|thunk)\] ){0,4}(?P<function>[^\s\[].{0,1000}?)"
    r"(?: \+ \d{1,9} in (?P<module>\S{1,200})| in (?P<module_>\S{1,200})(?= at ))"
    r"(?: at (?:(?P<file>/[^:]{1,300}):(?P<line>\d{1,9})(?::\d{1,9})?"
    r"|(?P<file_><compiler-generated>)))?$"
)
# mongod from 4.4 on (util/stacktrace_posix.cpp): {..."attr":{"frame":{"a":"7F..","s":..,"C":..}}}
_MONGOD = re.compile(
    r'^\{.{0,400}"attr":\{"frame":\{"a":"(?P<address>[0-9A-F]{4,16})"(?:[^{}]{0,2000}?'
    r'"(?:C|s)":"(?P<function>[^"]{1,2000})"(?!.{0,2000}"C":))?'
)
# Crystal, src/exception/call_stack.cr: [0x10d6da9d7] name +39 · name at /a/b.cr:3:1
_CRYSTAL = re.compile(
    r"^\[(?:(?P<address>0x[0-9a-f]{1,16})|\d{6,20})\] (?:\?\?\?|(?P<function>\S.{0,1000}?)"
    r"(?: \+\d{1,9}(?: in (?P<module>\S{1,300}))?| at (?P<file>[^:]{1,300}):(?P<line>\d{1,9}):\d+)"
    r"(?: \(\d{1,9} times\))?)$"
)
# UCX, ucs/debug/debug.c:  0 0x000000000001fce0 f()  /a/b.c:483, or b.c:0 where no line is known
_UCX = re.compile(
    r"^ {0,3}(?P<index>\d{1,3}) {1,2}(?P<address>0x[0-9a-f]{16}) "
    r"(?P<function>[^\s(]\S{0,1000}?)\(\)"
    r"(?: {1,4}(?:[^\s:/]{0,200}:0|(?P<file>/[^\s:]{1,300}):(?P<line>\d{1,7})))?$"
)
# FRRouting, lib/log.c (zlog_backtrace): name+0x14  pc  sp  module (mapped at 0x7f00)
_FRR = re.compile(
    r"^(?P<function>[A-Za-z_]\w{0,200})\+0x[0-9a-f]{1,8} +(?P<address>[0-9a-f]{6,16}) +"
    r"[0-9a-f]{6,16} (?P<module>/\S{1,300}) \(mapped at 0x[0-9a-f]{6,16}\)$"
)
# PETSc until 3.16: the line is where the function begins.
_PETSC = re.compile(
    r"^(?:\[\d{1,6}\] )?(?P<function>[A-Za-z_]\w{1,100}) line \d{1,7} (?P<file>/\S{1,300})$"
)
_SYMBOL_OFFSET = re.compile(r"^(?P<name>.*?)\+(?:0x)?[0-9a-fA-F]{1,16}$")
_SUFFIX = re.compile(r"\+0x(?:0x)?[0-9a-fA-F]{1,16}$| at \S{1,300}:\?+$|\s+https?://\S.*$")
# What stands where a function's name would: the file of the code, or its address.
_FILE_OF_CODE = re.compile(
    r"(?i)^(?:/[^\s()]{1,400}|[\w.+@-]{1,120}\.(?:so(?:\.\d{1,5})*|dll|exe|dylib|sys|node))$"
)
_VALUE = re.compile(r"^0x[0-9a-fA-F]{0,16}$")  # it may be cut
# gdb/stack.c, print_frame_info: what it prints in place of a function that the program has not.
_MARKER = re.compile(
    r"^<(?P<signal>signal handler called)>$|^<(?:function called from gdb|frame type.{0,40})>"
)
NO_NAMES = frozenset(
    {"", "??", "<null>", "<unknown>", "<no info>", "(unknown)", "{main}",
     "n/a", "???", "[unknown]", "<unknown symbol>", "UnknownFunction",
     "(function-name not available)", "(Missing)"}
)  # fmt: skip


def frame_by(
    groups: re.Match[str] | Mapping[str, str | None], index: int, line_no: int, **more: Any
) -> Frame:
    """The frame that the groups of a pattern tell: ``function``, ``file``, ``line``, ``module``,
    ``address`` and ``offset`` (hexadecimal), and its own ``index``, each of which may stand in a
    second place with a ``_`` behind; ``more`` says otherwise."""
    told = groups.groupdict() if isinstance(groups, re.Match) else groups
    said = {name.rstrip("_"): text for name, text in told.items() if text}
    name = unmangled(said.get("function", "").strip())
    known = name not in NO_NAMES and not _VALUE.match(name)
    values = {
        "index": int(said["index"][:6]) if "index" in said else index,
        "function": name if known else None,
        "file": said.get("file"),
        "line": small(said.get("line")),
        "module": said.get("module"),
        "address": address_of(said["address"]) if "address" in said else None,
        "offset": hexadecimal(said["offset"]) if "offset" in said else None,
        "trust": "symbols" if known else "unwound",
        "line_no": line_no,
    }
    return Frame(**{**values, **more})


def numbered_frame(text: str, line_no: int = 0) -> Frame | None:
    """A frame that begins with ``#N``, whoever printed it; None when the line is none."""
    text = text[:MAX_LINE].rstrip()
    start = _NUMBERED.match(text)
    if start is None:
        return None
    index = int(start[1])
    rest = _DISCRIMINATOR.sub("", text[start.end() :])
    rest = _BUILD_ID.sub("", rest).rstrip()
    android = _ANDROID.match(rest)
    if android is not None:
        return _android(index, android, line_no)
    if rest.startswith(("/", "./")) and _GLIBC.match(rest):
        return loose_frame(rest, index, line_no)
    address = _ADDRESS.match(rest)
    if address is not None:
        rest = rest[address.end() :]
    value = hexadecimal(address[1]) if address else None
    rest = rest.replace(" \u2022 ", " ", 1)  # Fuchsia's symbolizer, in front of the place
    rest = rest[_IN.match(rest).end() :]  # type: ignore[union-attr]  # it matches always
    if " (" in rest and _is_gdb(rest):
        return parse_frame(f"#{index}  {rest}", line_no)
    core = _COREDUMP.match(rest)
    if core is not None:
        return _frame(
            index,
            core["function"],
            line_no,
            address=value,
            module=core["module"],
            offset=hexadecimal(core["offset"]),
        )
    module = offset = None
    found = _MODULE.search(rest[-900:])
    if found is not None:
        module, offset = found["module"].strip(), hexadecimal(found["offset"])
        rest = rest[: len(rest) - len(found[0])]
    behind = _ADDRESS_BEHIND.search(rest) if value is None else None
    if behind is not None:
        value, rest = hexadecimal(behind["address"]), rest[: behind.start()]
    rest = _UNKNOWN_MODULE.sub("", rest).strip()
    function, file, line = split_place(rest)
    return _frame(
        index, function, line_no, address=value, module=module, offset=offset, file=file, line=line
    )


def _is_gdb(rest: str) -> bool:
    """True for what only gdb prints: named arguments, `` at FILE`` or `` from LIBRARY``."""
    return bool(re.search(r" \((?:\w{1,80}(?:@entry)?=|\)(?: at | from |$))", rest[:4000])) or (
        ") at " in rest or ") from /" in rest
    )


def split_place(text: str) -> tuple[str, str | None, int | None]:
    """``f(int) /a/b.c:3:1`` as name, file and line. Spaces inside of a name's parentheses and
    templates are the name's."""
    bracket = _BRACKET_PLACE.search(text)
    if bracket is not None:
        place = _PLACE.match(bracket["place"])
        if place is not None:
            return text[: bracket.start()].strip(), place["file"], int(place["line"])
    depth = 0
    for at, char in enumerate(text):
        if char in "(<[{":
            depth += 1
        elif char in ")>]}":
            depth = max(0, depth - 1)
        elif char == " " and (depth == 0 or text[at + 1 : at + 2] == "/"):
            tail = text[at + 1 :]
            if _FILE.match(tail) or _SOURCE.match(tail):
                place = _PLACE.match(tail)
                if place is not None and place["file"] not in ("??", "<null>"):
                    return text[:at].strip(), place["file"], int(place["line"])
                file = None if tail.startswith(("<null>", "??")) else tail
                return text[:at].strip(), file, None
    whole = _PLACE.match(text) if _FILE.match(text) else None
    if whole is not None:
        return "", whole["file"], int(whole["line"])
    return text.strip(), None, None


def loose_frame(text: str, index: int, line_no: int = 0) -> Frame | None:
    """A frame without ``#N``: backtrace(3), glog's ``@``, Boost's ``0#``. ``index`` is used where
    the line has no number of its own."""
    text = text[:MAX_LINE].rstrip()
    for pattern in (_GLIBC, _GLIBC_BARE):
        found = pattern.match(text)
        if found is not None:
            symbol = found.groupdict().get("symbol") or ""
            name = _SYMBOL_OFFSET.match(symbol)
            return _frame(
                index,
                name["name"] if name else symbol,
                line_no,
                address=hexadecimal(found["address"]),
                module=found["module"].strip(),
                **_at(found),
            )
    at = _AT.match(text)
    if at is not None:
        function, file, line = split_place(at["function"] or "")
        return _frame(
            index, function, line_no, address=hexadecimal(at["address"]), file=file, line=line
        )
    for pattern in (_SWIFT, _MONGOD, _CRYSTAL, _UCX, _FRR, _PETSC, _DARWIN, _PLACED, _RUBY):
        found = pattern.match(text)
        if found is not None:
            far = int(found.groupdict().get("behind") or 0) >= _LARGEST
            return frame_by(
                {**found.groupdict(), **({"function": ""} if far else {})}, index, line_no
            )
    chromium = _CHROMIUM.match(text)
    if chromium is not None:
        return _frame(
            index,
            chromium["function"],
            line_no,
            address=hexadecimal(chromium["address"]),
            file=chromium["file"],
            line=small(chromium["line"]),
        )
    boost = _BOOST.match(text)
    if boost is None:
        return None
    rest, _, where = boost["rest"].rpartition(" at ")
    place = _PLACE.match(where) if rest else None
    if place is not None:
        return _frame(
            int(boost["index"]), rest, line_no, file=place["file"], line=int(place["line"])
        )
    named, _, module = boost["rest"].partition(" in ")
    address = _ADDRESS.match(named)
    return _frame(
        int(boost["index"]),
        "" if address else named,
        line_no,
        module=module or None,
        address=hexadecimal(address[1]) if address else None,
    )


def _at(found: re.Match[str]) -> dict[str, Any]:
    groups = found.groupdict()
    place = _PLACE.match(groups.get("place") or groups.get("place_") or "")
    known = place is not None and place["file"] != "??"
    return {"file": place["file"], "line": int(place["line"])} if place and known else {}


def _android(index: int, found: re.Match[str], line_no: int) -> Frame:
    function = found["function"] or ""
    if function.startswith("BuildId:"):
        function = ""
    offset = _SYMBOL_OFFSET.match(function)
    name = offset["name"] if offset else function
    path, at = found["path"].strip(), hexadecimal(found["pc"])
    if path in NO_NAMES:
        return _frame(index, name, line_no, address=at)
    return _frame(index, name, line_no, module=path, offset=at)


def _frame(index: int, function: str, line_no: int, **more: Any) -> Frame:
    name = _SUFFIX.sub("", function.strip()).removesuffix("() at")  # PETSc's, of each frame
    if name.startswith("n/a ("):
        name = ""  # the end of coredumpctl's line is cut off
    if _FILE_OF_CODE.match(name):
        more["module"], name = more.get("module") or name, ""
    name, marker = unmangled(name), _MARKER.match(name)
    known = name not in NO_NAMES and not _VALUE.match(name) and marker is None
    signal = marker is not None and bool(marker["signal"])
    return Frame(
        index=index,
        signal_handler=signal,
        function=name if known else None,
        trust="symbols" if known else "unwound",
        line_no=line_no,
        **more,
    )


def any_frame(line: str, index: int, number: int) -> Frame | None:
    """A frame with its own number or, without one, with ``index``."""
    return numbered_frame(line, number) or loose_frame(line, index, number)


class Loose:
    """Frames with or without numbers; the ones without are counted. ``read`` is given a line, the
    index that the next frame without a number has, and the line's number."""

    def __init__(self, read: Callable[[str, int, int], Frame | None] = any_frame) -> None:
        self._read, self._index = read, -1

    def __call__(self, line: str, number: int) -> Frame | None:
        """The frame of a line, or None."""
        frame = self._read(line, self._index + 1, number)
        if frame is not None:
            self._index = frame.index
        elif line.strip() and not line[0].isspace():
            self._index = -1
        return frame
