"""What collectors put in front of or around a program's own lines, and how it is taken off.

Three tables: `FRONTS` stand at the beginning of a line, `MARKS` before most lines of a file,
`records.RECORDS` wrap a line's text, or that of several lines, in a format of their own. All are
tried again on what is left, so that they may stand in any order and number.
"""

import html
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from workbench.targets.transcript.decode import LONGEST_LINE
from workbench.targets.transcript.records import told_by

_DAY = r"\d{4}[-/.]\d{2}[-/.]\d{2}"
_TIME = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}(?: UTC)?))?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_UPPER = (r"(?:TRACE|DEBUG|VERBOSE|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|SEVERE|FATAL|CRITICAL|CRIT|"
          r"ALERT|EMERG)")  # fmt: skip
_LEVEL = rf"(?i:{_UPPER})"
_END = r"(?:[ \t]|$)"
_FACILITY = (r"(?:kern|user|daemon|auth\w{0,4}|syslog|cron|local\d)\."
             r"(?:emerg|alert|crit|err|warn(?:ing)?|notice|info|debug)")  # fmt: skip
_CRI = r"std(?:out|err) [FP](?: |$)"  # a record, which tells where a line goes on

FRONTS: tuple[tuple[str, str], ...] = (
    ("an ISO time (GitHub, Azure, docker -t)",
     rf"{_DAY}[T ]{_TIME}{_ZONE}(?: \|(?= \[))?{_END}(?!{_CRI})"),
    ("a time in brackets (Taskcluster, Jenkins, spdlog)",
     rf"\[(?:[a-z]{{2,12}} )?(?:{_DAY}[T ])?{_TIME}{_ZONE}\]{_END}"),
    ("bracketed fields behind a time (SRS, spdlog, Envoy, Elasticsearch)",
     rf"\[{_DAY}[T ]{_TIME}{_ZONE}\](?:\[\d{{1,8}}\])?\[{_LEVEL} {{0,4}}\]"
     rf"(?:\[[\w.-]{{0,60}} {{0,30}}\]){{0,4}}"
     rf"(?: \[[\w./-]{{1,200}}:\d{{1,7}}\])?{_END}"),
    ("Celery", rf"\[{_DAY} {_TIME}: {_UPPER}/[\w.-]{{1,60}}\]{_END}"),
    ("an access log (Apache, werkzeug)",
     rf"\S{{1,255}} \S{{1,80}} \S{{1,80}} \[\d\d/{_MONTH}/\d{{4}}[ :]{_TIME}{_ZONE}\]{_END}"),
    ("uvicorn", r"(?:INFO: {4}|ERROR: {3}|DEBUG: {3}|WARNING: |TRACE: {3}) "),
    ("a short date", rf"\d\d/\d\d/\d\d(?:\d\d)? {_TIME}{_END}"),
    ("syslog, journalctl", rf"[^\W_]{{2,6}}\.? [ \d]\d {_TIME} [\w.-]{{1,64}} "
     rf"(?:{_FACILITY} |{_UPPER} (?=\S{{1,64}}: ))?"
     r"(?:[^\s\[\]:]{1,64}(?:\[\d{1,10}\])?:(?: |$)|(?=\[ {0,8}\d{1,8}\.\d{6}\] ))"),
    ("syslog behind a time: host program[pid]:", r"[\w.-]{1,64} [\w./-]{1,64}\[\d{1,10}\]:(?: |$)"),
    ("Apache", rf"\[[A-Z][a-z]{{2}} {_MONTH} [ \d]\d {_TIME} \d{{4}}\]{_END}"),
    ("PHP's error_log", rf"\[\d\d-{_MONTH}-\d{{4}} {_TIME}(?: [\w/+-]{{1,40}})?\]{_END}"),
    ("ctime (MongoDB before 3)",
     rf"[A-Z][a-z]{{2}} {_MONTH} [ \d]\d {_TIME}(?: \d{{4}})?(?: \[[\w.-]{{1,60}}\])?"
     r"(?:[ \t]|$|(?=\[\d{1,6},\d{1,6}\]<std|<std))"),  # mpirun --timestamp-output
    ("Docker's BuildKit", r"#\d{1,4} \d{1,5}\.\d{1,4} "),
    ("pm2", r"\d{1,3}\|[\w.-]{1,40} {0,20}\| "),
    ("Bazel; vstest", rf"\({_TIME}\){_END}|"
     r"The active test run was aborted\. Reason: Test host process crashed : "),
    ("syslog's structure (RFC 5424)", rf"<\d{{1,3}}>1 {_DAY}T{_TIME}{_ZONE} \S{{1,255}} \S{{1,48}} "
     r"\S{1,128} \S{1,32} (?:-|\[[^\n]{1,400}?\])(?: \ufeff?|$)"),
    ("Ceph's recent events, Rook",
     rf"(?:debug {{0,6}}(?:-?\d{{1,5}}> )?| {{0,6}}-?\d{{1,5}}> )(?={_DAY}[T ]\d)"),
    ("Dr. Memory", r"~~[\w.]{1,12}~~(?: |$)"),
    ("ROS 2: [node-1], [LEVEL] [time] [node]:", rf"\[[a-z][\w.]{{1,60}}-\d{{1,4}}\](?: |$)|"
     rf"\[{_UPPER}\] \[\d{{9,12}}\.\d{{3,9}}\] \[[^\]\n]{{1,80}}\]:(?: |$)"),
    ("Redis",
     rf"(?:\d{{1,8}}:[A-Z]|\[\d{{1,8}}\]) \d\d {_MONTH} (?:\d{{4}} )?{_TIME} [.*#-]{_END}"),
    ("Unreal", r"\[\d{4}(?:\.\d\d){2}-\d\d(?:\.\d\d){2}:\d{3}\]\[ {0,3}\d{1,5}\]"),
    ("ClickHouse without a time", r"<(?:Fatal|Error|Information)> [A-Z]\w{2,40}: "),
    ("Fuchsia", r"\[\d{3,8}\.\d{3,6}\] \d{3,8}[.:]\d{3,8}> |"
     rf"\[\d{{3,8}}\.\d{{3,6}}\](?:\[[^\]\n]{{1,200}}\]){{3,5}} {_UPPER}: ?"),
    ("the kernel's ring buffer",
     r" {0,16}(?:<\d{1,3}>)?\[ {0,8}\d{1,8}\.\d{3,7}\](?:\[ {0,8}[TC]\d{1,8}\])?(?: |$)"),
    ("a syslog priority", r"<\d{1,3}>(?=\S)(?!1 \d{4}-)"),
    ("logcat -v threadtime",
     rf"\d\d-\d\d {_TIME}(?: {{1,6}}\w{{1,16}})?(?: {{1,6}}\d{{1,7}}){{2}} [A-Z] [^:]{{1,40}}: ?"),
    ("logcat -v time", rf"\d\d-\d\d {_TIME}:? [VDIWEFA]/[^(]{{1,40}}\( {{0,6}}\d{{1,7}}\): ?"),
    ("logcat -v brief", r"[VDIWEFA]/[^(\s][^(]{0,40}\( {0,6}\d{1,7}\): ?"),
    ("Android Studio since Electric Eel", rf"(?:(?:\d{{4}}-)?\d\d-\d\d {_TIME} )?"
     r"(?: {0,4}\d{1,7}-\d{1,7} {1,8}\S{1,100} {1,24})?"
     r"[a-z]\w{0,40}(?:\.\w{1,60}){1,12} {2,40}[VDIWEFA] {2}"),
    ("Android Studio",
     rf"(?:\d\d-\d\d {_TIME} )?\d{{1,7}}-\d{{1,7}}/\S{{1,100}} [VDIWEFA]/[^:]{{1,40}}: ?"),
    ("docker-compose, foreman", r"[\w.-]{1,40} {1,20}\| "),
    ("Mozilla's harness",
     rf"{_TIME} {{1,10}}(?:INFO|WARNING|ERROR|DEBUG|CRITICAL) - {{1,4}}(?:[\w() ]{{1,40}} \| )?"),
    ("glog, klog", rf"[IWE]\d{{4,8}} {_TIME} {{1,8}}\d{{1,10}} \S{{1,200}}:\d{{1,7}}\](?: |$)"),
    ("Chromium", r"\[(?:\d{1,10}:){1,2}\d{4}/\d{6}(?:\.\d{1,6})?:(?:INFO|WARNING|ERROR|VERBOSE\d+):"
     r"[^\]\n]{1,200}\](?: |$)"),
    ("Spring Boot", rf"{_UPPER} {{1,4}}\d{{1,10}} --- (?:\[[^\]\n]{{0,60}}\] ){{1,2}}"
     r"\S{1,100} {0,40}: "),
    ("log4j: LEVEL [logger]",
     rf"{_UPPER} {{1,4}}\[(?!\d{{1,8}}(?:\.|\] \d\d [A-Z]))[^\]\n=]{{1,120}}\]"
     rf"(?: \((?!gdb\)|lldb\)|rr\))[^)\n]{{1,100}}\))?(?: [A-Za-z_]\S{{0,119}} -| -|:)?{_END}"),
    ("log4j: [thread] LEVEL logger -",
     rf"\[[^\]\n]{{1,80}}\] {_UPPER} {{1,2}}[A-Za-z_]\S{{0,119}} --?{_END}"),
    ("log4j: LEVEL logger -", rf"{_UPPER} {{1,4}}[A-Za-z_][\w.$:/-]{{0,119}} -{_END}"),
    ("Rust's tracing",
     rf"{_UPPER} {{1,2}}\w{{1,60}}(?:::\w{{1,60}}){{1,8}}(?:\{{[^\n]{{0,200}}?\}})?:{_END}"),
    ("env_logger", rf"\[{_DAY}T{_TIME}Z {_UPPER} {{1,2}}[\w:]{{1,120}}\]{_END}"),
    ("Python's logging", rf"{_UPPER}:[A-Za-z_][\w.]{{0,80}}:(?!\d{{1,7}}:[A-Za-z_]\w{{0,99}}:)"),
    ("loguru", rf"\| {_UPPER} {{0,8}}\| (?:[\w.<>]{{1,100}}:[\w<>]{{1,80}}:\d{{1,7}} -{_END})?"),
    ("spdlog, hclog: [logger] [level]",
     rf"(?:\[[\w .:/#-]{{1,60}}\] )?\[{_LEVEL}\](?: \[[\w.-]{{1,60}}:\d{{1,7}}\])?{_END}"),
    ("Azure", r"##\[(?:error|warning|section|debug|command|group|endgroup)\]"),
    ("zerolog's console", rf"\d{{1,2}}:\d\d[AP]M (?:TRC|DBG|INF|WRN|ERR|FTL|PNC){_END}"),
    ("TeamCity", rf"\[{_TIME}\][WEFi]? ?:[\t ]{{1,4}}(?:\[[^\]\n]{{1,60}}\] )?"),
    ("ESPHome", rf"\[{_TIME}\](?:\[[A-Z]{{1,2}}\]\[[\w.:]{{1,60}}\]: |(?=[A-Za-z]))"),
    ("stderr, by name", r"[\[(<](?:[\w.-]{1,40}[ :/-]{1,2})?std(?:err|out)[\])>]:? ?|"
     r"(?i:std(?:err|out))(?: ?\||:)(?: |$)"),
    ("UCX: [host:pid:number:thread]", r"\[[\w.-]{1,64}:\d{1,9} {0,8}:\d{1,6}:\d{1,9}\] "),
    ("mpirun", r"\[\d{1,6},\d{1,6}\]<std(?:err|out)>:|\[rank\d{1,6}\]: "),
    ("kubectl --prefix", r"\[pod/[\w./-]{1,200}\](?: |$)"),
    ("AWS Lambda", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\t"),
    ("a bare time; a serial monitor's arrow", rf"{_TIME}(?: ?(?:->|[|-])(?= |$))?{_END}"),
    ("a console's prompt", r"(?:[\w.-]{1,64} )?login: ?"),
    ("PETSc", r"\(?\[\d{1,6}\]PETSC ERROR:(?: |$)"),
    ("Xorg", r"\((?:EE|WW|II)\)(?: |$)"),
    ("DebugView", rf"\d{{8}}\t(?:\d{{1,8}}\.\d{{4,9}}|{_TIME}(?: [AP]M)?)\t(?:\[\d{{1,8}}\] )?"),
)  # fmt: skip
# What is a front only behind another one.
BEHIND: tuple[tuple[str, str], ...] = (
    ("Flask: LEVEL in module:", rf"{_UPPER} in \w{{1,60}}:{_END}"),
    ("a level", rf"(?!FATAL (?:EXCEPTION|ERROR)\b)(?:INFO |WARN |{_UPPER}){_END}"),
    ("MongoDB 3 and 4: severity component [context]",
     r"[DIWEF]\d? {1,2}(?:-|[A-Z_]{2,12}) {1,9}\[[\w.-]{1,60}\] |F {1,2}- {1,9}(?=\S)"),
    ("ClickHouse: [ thread ] {query} <level> logger:",
     r"\[ {0,5}\d{1,9} \] (?:\{[\w-]{0,40}\} )?<[A-Z][a-z]{3,10}> [^:\n]{1,80}: "),
    ("Ceph: thread, level", r"[0-9a-f]{12} {1,2}-?\d{1,2} "),
    ("hclog's name", r" ?(?:agent|client|nomad|consul|raft|serf|vault|plugin|provider)"
     r"(?:\.[\w.-]{1,80})?:(?: |$)"),
    ("a logger of log4j",
     r"(?:[a-z][\w$]{0,40}\.){1,10}[A-Z][\w$]{0,60}(?<!Exception)(?<!Error) ?[-:](?: |$)"),
    ("Python: - name - LEVEL -", rf"- \S{{1,80}} - {_UPPER} -{_END}"),
    ("a vendor's printk: task and processor",
     r"\[pid:\d{1,8},cpu\d{1,4},[^\]\n]{1,40}\]|[ -]\(\d{1,3}\)\[\d{1,8}:[^\]\n]{1,40}\]"),
    ("the kernel's host and name", r"[\w.-]{1,64} kernel:(?: |$)"),
    ("syslog's facility.severity (BusyBox, OpenWrt)",
     rf"{_FACILITY} "
     r"[\w./-]{1,64}(?:\[\d{1,10}\])?:(?: |$)"),
    ("logcat with user, process and its name",
     r"\d{1,7}(?: {1,6}\d{1,7}){2} [a-z][\w.]{1,100} [\w-]{1,40}: ?"),
    ("VMware's log of a guest", r"[A-Z][a-z]\(\d\d\) [\w-]{1,40} - Guest: "),
    ("Heroku", r"\w{1,40}\[[a-z][\w.-]{0,40}\]:(?: |$)"),
    ("Cloud Foundry", r"\[[A-Z][A-Z/0-9]{1,40}\] (?:OUT|ERR)(?: |$)"),
    ("Zuul", r"\| [\w.-]{1,60} \|(?: |$)"),
    ("GitLab", r"\d\d[OE][ +]"),
    ("Xcode, NSLog", r"\w[\w .-]{0,59}\[\d{1,8}(?::[0-9a-f]{1,10})?\](?: |$)"),
    ("log show", r"0x[0-9a-f]{1,12} {1,8}\w{1,12} {1,8}0x[0-9a-f]{1,16} {1,20}\d{1,8} {1,6}\d{1,4} "
     r"{1,4}[^:\n]{1,100}:(?: |$)"),
    ("Datadog, serilog", rf"\[{_LEVEL}\]:? ?"),
)  # fmt: skip
# A front only where a line near by has the very same one.
STEADY: tuple[tuple[str, str], ...] = (
    ("ctest -V, srun -l", r"\d{1,6}: "),
    ("Jenkins' branches: [name]; Genode", r"\[[A-Za-z][\w ./>-]{0,40}\] "),
    (
        "syslog without a time: program[pid]:",
        r"[\w./-]{1,64}\[\d{1,10}\]: (?!segfault at |unhandled )",
    ),
    (
        "a harness's name",
        r"(?!(?:ERROR|WARNING|FATAL|PANIC|SUMMARY|BUG|NOTE|K?[A-Z]SAN|CPU|LOG|DETAIL|"
        r"HINT|CONTEXT|STATEMENT|INFO|CRITICAL|EXCEPTION): )[A-Z]{3,20}: ",
    ),
    ("concurrently", r"\[\d{1,3}\] (?!= )|\[\d{1,3}\]$"),
    ("turbo, nx: package:task:", r"[\w@/.-]{1,60}:[a-z][\w-]{1,40}: "),
)
# Marks that stand before three of four lines of a file, or more.
MARKS: tuple[tuple[str, str], ...] = (
    ("a mail's quotation", r"> ?"),
    ("a table's or a box's border", r"[|\u2502\u2503] ?"),
    ("a comment", r"// ?"),
)
_NEAR = 3
_MOST = 6
_FEWEST = 4
_WIDEST = 16
_SAMPLE = 2000
_CODE = 4
_LONG = 6


def _one_of(rows: Iterable[tuple[str, str]]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for _, pattern in rows))


_FIRST = _one_of(FRONTS)
_NEXT = _one_of((*FRONTS, *BEHIND))
_STEADY = _one_of(STEADY)
_MARKS = tuple(re.compile(pattern) for _, pattern in MARKS)


class Lines(NamedTuple):
    """A log's lines, and of each the number of the file's line (from 1) that it stands in; None
    where it is the place in the list. ``fronts``: how many stood before each,
    inside of its record; a record counts for the first of its lines, and below zero are those that
    a logger gave as a trace."""

    text: list[str]
    numbers: list[int] | None = None
    fronts: Sequence[int] = ()

    def number(self, at: int) -> int:
        """The file's line of the one at a place (from 0)."""
        return at + 1 if self.numbers is None else self.numbers[at]


def own(line: str) -> str:
    """A line without what stands in front of it."""
    return _bared(line)[0]


def _bared(line: str) -> tuple[str, int]:
    """A line without what stands in front of it, and how many fronts these were; at most twelve
    are taken off."""
    pattern = _FIRST
    for taken in range(2 * _MOST):
        match = pattern.match(line)
        if match is None or not match[0]:
            return line, taken
        line, pattern = line[match.end() :], _NEXT
    return line, 2 * _MOST


def undress(lines: Sequence[str]) -> Lines:
    """A file's lines as the program wrote them. Never raises."""
    now = _flowed(lines)
    for _ in range(_MOST):
        opened = _messages(_opened(now._replace(text=_dedented(now.text))))
        bare = [_bared(line) for line in _plain(opened.text)]
        text = _dedented(_unmarked(_steadily(_under_heads([line for line, _ in bare]))))
        if text == now.text:
            break
        before = opened.fronts or [0] * len(bare)
        fronts = [taken + more for taken, (_, more) in zip(before, bare, strict=True)]
        now = opened._replace(text=text, fronts=fronts)
    if now.text and not now.text[0].startswith("{"):
        now = now._replace(text=[line[:LONGEST_LINE] for line in now.text])
    return now


# A line of the kernel's that another one begins in: a page made a paragraph of them.
_STAMP = r"\[ {0,8}\d{1,8}\.\d{6}\](?:\[ {0,8}[TC]\d{1,8}\])? "
_LINK = re.compile(r"\[([^\[\]\n]{1,64})\]\(x64dbg://[^()\s]{1,200}\)")
"""An address in x64dbg's log, as it is copied since 2025."""
_FENCE = re.compile(r"`{3}(?=\S+ +\S)")
"""Markdown's, on the line of its text."""
_SPAN = re.compile(r"`(?=[^`\s])[^`]*$")
"""Markdown's inline code that goes on in the next line; it may be cut before its end."""
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*\n]+)(?<=\S)\*\*$")
"""A line that somebody made bold."""
_CODE_LINE = re.compile(r"`([^`\s][^`]*)`$")
_FRAME = re.compile(r"(?:(?<=\s)|^)#(\d{1,5}) {1,3}(?=0x[0-9a-f]{4,16} in |<signal |[\w:~]+ \()")
"""One of gdb's, of which a mail program or a page made a paragraph."""
_FEW = 3
_BEGINS, _GOES_ON = re.compile(_STAMP), re.compile(f" (?={_STAMP})")


def _flowed(lines: Sequence[str]) -> Lines:
    """The lines, with those that were put into one taken apart."""
    bare = _unspanned(
        [_FENCE.sub("", line, count=1) if line.startswith("```") else line for line in lines]
    )
    bare = [_LINK.sub(r"\1", line) if "](x64dbg:" in line else line for line in bare]
    parts = [_GOES_ON.split(line) if _BEGINS.match(line) else _joined(line) for line in bare]
    if len(parts) == sum(map(len, parts)):
        return Lines(bare)
    numbers = [at for at, part in enumerate(parts, 1) for _ in part]
    return Lines([text for part in parts for text in part], numbers)


def _joined(line: str) -> list[str]:
    """A line, or the lines of which a collector or a page made it."""
    if "#1 " in line and len(found := list(_FRAME.finditer(line))) >= _FEW:
        numbers = [int(frame[1]) for frame in found]
        if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            starts = [frame.start() for frame in found]
            return [line[a:b].rstrip() for a, b in pairwise([0, *starts, len(line)]) if a < b]
    return [line]


def _unspanned(lines: list[str]) -> list[str]:
    """The lines without the two marks of inline code that somebody put around several of them."""
    opened = None
    for at, line in enumerate(lines):
        if line.startswith("**") and (bold := _BOLD.match(line)) is not None:
            lines[at] = bold[1]
        elif line.startswith("`") and (whole := _CODE_LINE.match(line)) is not None:
            lines[at] = whole[1]
        elif line.startswith("`") and _SPAN.match(line):
            lines[at], opened = line[1:], at
        elif opened is not None and line.endswith("`") and line.count("`") % 2:
            lines[at], opened = line[:-1], None
    return lines


def _opened(lines: Lines) -> Lines:
    """The lines with those of records in their place; the same object where there are none."""
    told = [told_by(line) for line in lines.text]
    if not any(told):
        return lines
    text: list[str] = []
    numbers: list[int] = []
    fronts: list[int] = []
    unfinished = False
    for at, record in enumerate(told):
        own_lines = record.lines if record is not None else [lines.text[at]]
        taken = record.fronts if record is not None else [*lines.fronts[at : at + 1]] or [0]
        if unfinished and record is not None and own_lines:
            text[-1] += own_lines[0]
            own_lines, taken = own_lines[1:], taken[1:]
        unfinished = bool(text or own_lines) and record is not None and record.open
        text += own_lines
        fronts += taken
        numbers += [lines.number(at)] * len(own_lines)
    return Lines(text, None if numbers == list(range(1, len(text) + 1)) else numbers, fronts)


_EXPORTED = re.compile(r"\s{0,4}(?:__CURSOR|__REALTIME_TIMESTAMP|_BOOT_ID)=")
_FIELD = re.compile(r"\s{0,4}(?:(MESSAGE)|[A-Z_][A-Z0-9_]{1,63})=")


def _messages(lines: Lines) -> Lines:
    """journald's export format and verbose output, of whose fields only the message is kept."""
    if not any(_EXPORTED.match(line) for line in lines.text[:_SAMPLE]):
        return lines
    found = []
    for at, line in enumerate(lines.text):
        field = _FIELD.match(line)
        if field is None:
            between = not line and (at + 1 == len(lines.text) or _FIELD.match(lines.text[at + 1]))
            found += [] if between else [(line, lines.number(at))]
        elif field[1]:
            found.append((line[field.end() :], lines.number(at)))
    return Lines([line for line, _ in found], [number for _, number in found])


_ENTITY = re.compile(r"&(?:[a-z]{2,6}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_PAGE = re.compile(r"\s{0,16}<(?:html|pre|body)\b")
_TAG = re.compile(
    r"</?(?:pre|p|span|div|code|tt|b|a|font|td|tr|table|html|body|li|ul|h\d|br)\b[^<>]{0,400}>"
)


def _plain(lines: list[str]) -> list[str]:
    """A page's text without its escapes and tags, where every angle and ampersand is escaped."""
    special = [line for line in lines if "&" in line or "<" in line]
    if not any(_ENTITY.search(line) or _PAGE.match(line) for line in special[:_SAMPLE]):
        return lines
    for line in special:
        rest = _TAG.sub("", _ENTITY.sub("", line[:LONGEST_LINE]))
        if "&" in rest or "<" in rest:
            return lines
    return [
        html.unescape(_TAG.sub("", line)) if "&" in line or "<" in line else line for line in lines
    ]


def _unmarked(lines: list[str]) -> list[str]:
    """A log that was quoted in a mail, or put into a box: most of its lines begin alike."""
    written = [line for line in lines if line and not line.isspace()]
    if len(written) < _FEWEST:
        return lines
    for mark in _MARKS:
        marked = sum(mark.match(line) is not None for line in written)
        if 4 * marked >= 3 * len(written):
            return [mark.sub("", line, count=1) if mark.match(line) else line for line in lines]
    return lines


def _dedented(lines: list[str]) -> list[str]:
    """A log that was pasted into a page as code: every line of it, or of a part that empty lines
    stand around, is indented alike."""
    if len(lines) == 1:
        only = lines[0].lstrip()
        return [only] if "<br" not in only and told_by(only) else lines
    margin = _WIDEST
    for line in lines:
        if line and not line.isspace():
            margin = min(margin, len(line) - len(line.lstrip(" \t")))
            if not margin:
                return _without_margins(lines)
    return [line[margin:] for line in lines]


def _without_margins(lines: list[str]) -> list[str]:
    """Text with parts that are indented as Markdown has code, each without its margin; a shorter
    part may as well be what a report itself indents."""
    found: list[str] = []
    at = 0
    indented = [line.startswith((" " * _CODE, "\t")) for line in lines]
    while at < len(lines):
        if not indented[at] or (at and lines[at - 1].strip()):
            found.append(lines[at])
            at += 1
            continue
        end = at
        while end < len(lines) and (indented[end] or not lines[end].strip()):
            end += 1
        part = lines[at:end]
        margins = [len(line) - len(line.lstrip()) for line in part if line.strip()]
        closed = end == len(lines) or not lines[end - 1].strip()
        margin = min(margins, default=0) if closed and len(margins) >= _LONG else 0
        found += [line[margin:] for line in part]
        at = end
    return found


# Microsoft.Extensions.Logging.Console: the level and the logger, its message indented below.
_HEAD = re.compile(r"(?:trce|dbug|info|warn|fail|crit): [\w.+`]{1,200}\[\d{1,9}\]$")
_BELOW = " " * 6


def _under_heads(lines: list[str]) -> list[str]:
    """The lines without the margin that .NET's console logger gives them below its heads."""
    found: list[str] = []
    inside = False
    for line in lines:
        inside = _HEAD.match(line) is not None or (inside and line.startswith(_BELOW))
        found.append(line.removeprefix(_BELOW) if inside else line)
    return found


def _steadily(lines: list[str]) -> list[str]:
    """The lines without a front that one of their neighbours has as well."""
    fronts = [match[0] if (match := _STEADY.match(line)) else "" for line in lines]
    if not any(fronts):
        return lines
    return [
        line[len(front) :]
        if front and front in fronts[max(0, at - _NEAR) : at] + fronts[at + 1 : at + 1 + _NEAR]
        else line
        for at, (line, front) in enumerate(zip(lines, fronts, strict=True))
    ]
