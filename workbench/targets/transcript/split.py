"""A log's lines as sections: what was typed with what it printed, and reports by themselves."""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from workbench.model.evidence import TOLD, Section
from workbench.model.target import DEBUGGERS
from workbench.model.text import IN_QUOTATION, LOGGED, OPENS, TRACEBACK, in_value, may_be_logged
from workbench.targets.transcript import prompts
from workbench.targets.transcript.dresses import Lines, undress
from workbench.targets.transcript.sign_table import INSIDE
from workbench.targets.transcript.signs import Sign, borne_out, chained, handled, sign_of

MOST_SECTIONS = 400
"""A log with more is kept to its first ones."""
_MOST_LINES = 1_000_000
OPENING = "(opening)"
QUOTED = "text"
"""Who printed a section that no tool printed."""
UNASKED = "(log)"
"""gdb's output without a command: unlike a live gdb's opening text it may hold anything."""

# Reports that come in many pieces, each with a line that would begin one.
_ONE_BLOCK = frozenset(
    {"valgrind", "ubsan", "python", "java", "apple", "android", "breakpad", "gdb", "lldb", "cdb",
     "coredumpctl", "apport", "dotnet-dump", "go", "kernel", "v8", "javascript", "dotnet", "lua",
     "signal", "stack", "swift", "rust", "glibc", *TOLD, "supervisor"}
)  # fmt: skip
# Signs that are part of the report that they stand in.
_PARTS: dict[str, frozenset[str]] = {
    "coredumpctl": frozenset({"gdb", "stack", "signal", "kernel"}),
    "apport": frozenset({"gdb", "stack", "signal", "glibc", "check", "python", "java", "lldb"}),
    "android": frozenset({"stack", "signal", "check", "glibc", "gwp-asan"}),
    "apple": frozenset({"stack", "signal", "breakpad", "lldb", "gdb", "glibc", "check", "swift"}),
    "breakpad": frozenset({"stack", "gdb", "signal", "java", "check", "lldb"}),
    "check": frozenset({"stack"}),
    "glibc": frozenset({"stack"}),
    "signal": frozenset({"stack"}),
    "v8": frozenset({"stack", "check"}),
    "java": frozenset({"gdb", "stack", "signal", "dotnet", "javascript", "lua", "check"}),
    "python": frozenset({"javascript", "java", "dotnet"}),
    "javascript": frozenset({"java", "dotnet", "v8"}),
    "dotnet": frozenset({"java", "javascript"}),
    "rust": frozenset({"stack", "check", "javascript"}),
    "go": frozenset({"stack", "signal", "check"}),
    "kernel": frozenset({"stack", "check", "glibc"}),
    "gdb": frozenset({"stack", "lldb"}),
    "lldb": frozenset({"stack"}),
    "cdb": frozenset({"gdb", "stack", "check", "dotnet-dump", "kernel", "glibc", "signal", "java",
                      "javascript", "dotnet"}),
    "dotnet-dump": frozenset({"gdb", "stack", "java", "javascript", "dotnet"}),
    "ubsan": frozenset({"stack"}),
}  # fmt: skip
for _tool in TOLD:
    _PARTS[_tool] = frozenset({"stack"})
_PARTS["php"] |= {"signal"}
_PARTS["wine"] |= {"signal"}
_PARTS["fortran"] |= {"gdb"}
_PARTS["mono"] |= {"gdb", "dotnet"}
_PARTS["unreal"] |= {"check"}
_PARTS["java"] |= {"anr"}  # what ended the program may stand behind it
SANITIZERS = ("asan", "hwasan", "lsan", "msan", "tsan", "ubsan", "libfuzzer", "gwp-asan")
for _tool in SANITIZERS:
    _PARTS[_tool] = frozenset({"stack", "gdb", "signal"})
for _tool in ("tsan", "ubsan"):  # the process went on to where a debugger stopped it
    _PARTS[_tool] -= {"gdb"}
_OF_ONE_HEAD = 2
"""Lines between two of a report's head that would each begin one."""
_LONGEST = 2048
_QUIET_END = 400
"""A report that prints nothing of its own for so many lines has ended."""


def dialect(sections: Sequence[Section]) -> str:
    """Whose commands were recorded: the debugger with most sections, else ``log``."""
    hosts = Counter(one.host for one in sections if one.host in DEBUGGERS)
    return hosts.most_common(1)[0][0] if hosts else "log"


def split(lines: Sequence[str]) -> list[Section]:
    """The sections of a log, in its order; empty when it holds nothing that a debugger, a
    sanitizer or a runtime printed. Line numbers are the file's, from 1."""
    worn = undress(lines)
    text = [prompts.without_silent_prompt(line) for line in worn.text]
    return [_placed(section, worn) for section in _sections(text, worn.fronts)[:MOST_SECTIONS]]


def beside(lines: Sequence[str], sections: Sequence[Section], name: str) -> list[Section]:
    """The text of a file of that name between its sections, which nothing reads into facts."""
    found: list[Section] = []
    at = 0
    ends = Section(command="", host="", text="", first_line=len(lines) + 1)
    for section in (*sorted(sections, key=lambda one: one.first_line), ends):
        first, last = at, section.first_line - 1
        at = max(at, section.line_at(max(0, section.text.count("\n") - 1)))
        where = name if (first, last) == (0, len(lines)) else f"{name}, from line {{}}"
        text = _section(where, QUOTED, lines[first:last], first)
        if text.text:
            found.append(replace(text, command=where.format(text.first_line)))
    return found


def _placed(section: Section, worn: Lines) -> Section:
    """A section by the lines of the file, where these are others than those of the text."""
    if worn.numbers is None:
        return section
    first = section.first_line - 1
    own = tuple(worn.numbers[first : first + section.text.count("\n")])
    counted = own == tuple(range(own[0], own[0] + len(own))) if own else True
    return replace(section, first_line=worn.number(first), numbers=() if counted else own)


_LOOKS_BACK = frozenset(
    {"gdb", "lldb", "cdb", "dotnet-dump", "coredumpctl", "apport", "apple", "android", "breakpad",
     "kernel", "stack"}
)  # fmt: skip
"""Who tells of a failure that may be long ago, as a file does."""


def _printed(text: list[str]) -> list[str]:
    """The lines without those of a file that was shown at a shell's prompt before a program failed
    there: no file holds what is yet to come."""
    shown = prompts.shown_files(text)
    if not shown:
        return text
    inside = {at for each in shown for at in each}
    later = (at for at in range(len(text) - 1, shown[0].stop - 1, -1) if at not in inside)
    last = next((at for at in later if _is_report(text, at)), 0)
    return ["" if at < last and at in inside else line for at, line in enumerate(text)]


def _is_report(lines: Sequence[str], at: int) -> bool:
    sign = sign_of(lines[at])
    if sign is None or sign.host in _LOOKS_BACK:
        return False
    return borne_out(sign, list(lines[at : at + 64])) is not None


def _sections(text: list[str], fronts: Sequence[int]) -> list[Section]:
    text = _printed(text)
    typed = prompts.typed_commands(text)
    if not typed:
        return _reports(text, 0, fronts)
    found: list[Section] = []
    first = typed[0]
    quoted = in_value(text, first.at, typed[-1].at)  # all that was typed is another message's text
    found += _before_prompt(text[: first.at], first.host)
    for place, command in enumerate(typed):
        end = typed[place + 1].at if place + 1 < len(typed) else len(text)
        found += _answered(text[command.at : end], command)
        if len(found) >= MOST_SECTIONS:
            break
    return [_in_quotation(one) for one in found] if quoted else found


def _in_quotation(section: Section, ending: str = IN_QUOTATION) -> Section:
    """A section by a name that says so."""
    name = section.command.removesuffix(ending).removeprefix("(").removesuffix(")")
    return replace(section, command=f"({name}{ending}")


def _before_prompt(lines: Sequence[str], host: str) -> list[Section]:
    """What stands before the first prompt: reports of other tools, else what the debugger said."""
    name = UNASKED if host == "gdb" else OPENING
    reports = [report for report in _reports(lines, 0) if not _debuggers_own(report)]
    others = [report for report in reports if report.host != host]
    if host in ("cdb", "dotnet-dump") or not others:
        return [_section(name, host, lines, 0)] if any(map(str.strip, lines)) else []
    first = others[0].first_line - 1
    reports = [report for report in reports if report.first_line > first]
    before = lines[:first]
    opening = [_section(name, host, before, 0)] if any(map(str.strip, before)) else []
    return opening + reports


def _answered(lines: Sequence[str], command: prompts.Typed) -> list[Section]:
    """A command with its output; a report that the debugged program printed meanwhile is one of
    its own."""
    if not command.command:
        if not any(map(str.strip, lines[1:])):
            return []
        return [_section("(no command)", command.host, lines, command.at)]
    runs = command.host in ("gdb", "lldb") and command.command.split()[0] in _RUNNING
    reports = _reports(lines[1:], command.at + 1) if runs else []
    reports = [
        report
        for report in reports
        if report.host not in (command.host, "stack", "signal") and not _debuggers_own(report)
    ]
    whole = _section(command.command, command.host, lines, command.at)
    return [whole, *reports]


_PYTHON_FILE = re.compile(r'^\s{0,8}File "([^"\n]{1,400})", line \d', re.MULTILINE)
_INSIDE = re.compile(r"^<string>$|/(?:lldb|gdb)(?:/|\.py$)|/\.?(?:gdbinit|lldbinit|pwndbg|gef)\b")
_LACKS = re.compile(r"^(?:ModuleNotFound|Import)Error: .{0,80}'(?:lldb|gdb)\b", re.MULTILINE)


def _debuggers_own(report: Section) -> bool:
    """True for a traceback of the debugger's own Python code: no module of the program's failed.

    Debian's lldb cannot import its ``lldb.embedded_interpreter``, and says so at its start."""
    if report.host != "python":
        return False
    files: list[str] = _PYTHON_FILE.findall(report.text)
    inside = bool(files) and all(_INSIDE.search(file) for file in files)
    return inside and (
        _LACKS.search(report.text) is not None or any(file != "<string>" for file in files)
    )


_RUNNING = frozenset(
    {"r", "run", "c", "continue", "start", "process", "next", "n", "step", "s", "finish", "fg"}
)


def _section(command: str, host: str, lines: Sequence[str], at: int) -> Section:
    """A section of lines whose first is at ``at`` (from 0), without empty lines around them."""
    first, last = 0, min(len(lines), _MOST_LINES)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    text = "\n".join(lines[first:last])
    return Section(
        command=command, host=host, text=text + "\n" if text else "", first_line=at + first + 1
    )


_CHECKERS = frozenset({"tsan", "ubsan", "lsan", "valgrind"})
"""Whose reports let a process go on: of a test that passes they are what it was run for."""
# GoogleTest, PrettyUnitTestResultPrinter.
_RAN = re.compile(r"\[ RUN {6}\] (\S{1,400})")
_PASSED = re.compile(r"\[ {7}OK \] (\S{1,400})")


def _goes_on(
    now: Sign,
    lines: Sequence[str],
    fronts: Sequence[int],
    begin: int,
    number: int,
    *,
    loggable: bool,
) -> bool:
    """True where a record of the program's own log stands right above an exception, or holds it as
    its trace, and another one here: it belongs to the first, and the program went on. So did one
    whose test passed: what crashed was a child that should."""
    passed = _PASSED.match(lines[number])
    if passed is not None and now.host not in _CHECKERS:
        ran = (r for at in range(begin, -1, -1) if (r := _RAN.match(lines[at])) is not None)
        return next((test[1] for test in ran), None) == passed[1]
    if not fronts or not loggable:
        return False
    above = begin - 1
    while above > 0 and not lines[above].strip() and not fronts[above]:
        above -= 1
    return (fronts[above] if begin else 0) > fronts[begin] < fronts[number]


def _reports(lines: Sequence[str], at: int, fronts: Sequence[int] = ()) -> list[Section]:
    """Every report among the lines, the first of which is at ``at`` of the file. ``fronts``: how
    many were taken from before each line."""
    found: list[Section] = []
    now: Sign | None = None
    begin = last_sign = 0
    loggable = caught = False

    def close(end: int) -> None:
        report = _report(now, lines[begin:end], begin + at) if now is not None else None
        if report is not None:
            found.append(_in_quotation(report, LOGGED) if caught else report)

    for number, line in enumerate(lines):
        if not line or line.isspace():
            continue
        # In the first line of a record: a logger wrote it, or a collector what the runtime printed.
        held = bool(fronts) and loggable and fronts[number] >= fronts[begin] > fronts[begin + 1]
        if now is not None and (
            held or _goes_on(now, lines, fronts, begin, number, loggable=loggable)
        ):
            behind = (may_be_logged(now.host, later) for later in lines[number:])
            caught = caught or not held or any(behind)
            close(number)
            now = None
        sign = sign_of(line)
        if sign is None:
            continue
        apart = caught and may_be_logged(sign.host, line)
        apart = apart and not chained(lines[max(begin, number - 2) : number + 1])
        if now is not None and not (apart or _begins_another(now, sign, number - last_sign)):
            if sign.host == now.host:
                last_sign = number
                loggable = loggable and may_be_logged(sign.host, line)
            continue
        sign = borne_out(sign, list(lines[number : number + 64]))
        if sign is None:
            continue
        close(number)
        if len(found) >= MOST_SECTIONS:
            return found
        now, begin, last_sign = sign, number, number
        loggable = may_be_logged(sign.host, line)
        first = TRACEBACK.match(line)
        caught = loggable and (
            handled(lines[max(0, number - 3) : number])
            or (first is not None and first["words"] is not None)
        )
    close(len(lines))
    return _own_first(found, lines, at)


def _own_first(found: list[Section], lines: Sequence[str], at: int) -> list[Section]:
    """A report that a message quotes is called one; it is text where the log has a report besides:
    the process printed that itself."""
    places = [report.first_line - 1 - at for report in found]
    quoted = [
        (report.host in SANITIZERS and _in_quotes(lines, place))
        or in_value(lines, place)
        or _opens_in(lines, place)
        for report, place in zip(found, places, strict=True)
    ]
    if all(quoted):
        return [_in_quotation(report) for report in found]
    return [
        replace(report, host=QUOTED) if is_quoted else report
        for report, is_quoted in zip(found, quoted, strict=True)
    ]


def _opens_in(lines: Sequence[str], number: int) -> bool:
    """True for a report whose first line begins the value that it stands in."""
    found = OPENS.search(lines[number][:_LONGEST])
    inside = lines[number][found.end() : _LONGEST] if found is not None else ""
    return bool(inside and sign_of(inside)) and in_value(lines, number + 1)


_BANNER = re.compile(r"(?:==\d{1,9}==|={10,}$|\*\*\* GWP|(?:ERROR|WARNING): )")


def _in_quotes(lines: Sequence[str], number: int) -> bool:
    """True when a quotation that is open begins in front of a report's banner or first line."""
    for line in lines[max(0, number - 1) : number + 1]:
        banner = _BANNER.search(line[:_LONGEST])
        before = line[: banner.start()] if banner is not None else ""
        marked = before.strip() == "`" and line.count("`") == 1  # a page's mark for code
        ends = before.rstrip().endswith(("'", "`", "\u201c", "\u00ab")) and not marked
        if ends or (before.count('"') % 2 and line.count('"') % 2):
            return True
    return False


def _begins_another(now: Sign, sign: Sign, distance: int) -> bool:
    if sign.title in INSIDE:
        return False
    if sign.summary and now.host in SANITIZERS:
        return False
    if sign.banner and (sign.host != now.host or distance > _OF_ONE_HEAD):
        return True
    if sign.host == now.host:
        return sign.host not in _ONE_BLOCK
    if sign.host in _PARTS.get(now.host, ()):
        return distance > _QUIET_END
    return True


def _report(sign: Sign, lines: Sequence[str], at: int) -> Section:
    command = f"({sign.title})"
    if sign.host in ("lldb", "cdb", "dotnet-dump"):
        command = OPENING
    if sign.host == "gdb":
        command = UNASKED
    return _section(command, sign.host, lines, at)
