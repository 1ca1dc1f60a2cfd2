"""Exceptions that ended a Java, .NET, JavaScript or Lua program, as their runtimes print them."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Analysis, Document
from analyzers.blocks import first_of
from analyzers.log.dotnet_console import exceptions_of
from analyzers.log.frames import frame_by
from analyzers.log.monitors import monitor_findings
from analyzers.log.stacks import trace
from analyzers.log.text import MAX_FINDINGS, analysis_of, lines_of, sentence
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame, Note
from workbench.model.text import may_be_logged

TOOLS = {"java": "Java", "dotnet": ".NET", "javascript": "JavaScript", "lua": "Lua"}
_JAVA_FRAME = re.compile(
    r"^\s{0,12}(?:\S{1,40}: )?at "
    r"(?:[\w.@-]{1,80}/+)?(?P<function>[\w$.<>]{1,400})\((?:(?P<file>[\w$-]{0,200}\.[\w$.-]{1,40}|"
    r"[\w$-]{1,200}(?=:\d))(?::(?P<line>\d{1,9}))?|[^)]{0,80})\)"
)
_DOTNET_FRAME = re.compile(
    r"^\s{1,12}at (?P<function>[^\s(][^()]{0,600}?\(.{0,600}\))(?: in (?P<file>.{1,400}?):line "
    r"(?P<line>\d{1,9}))?\s*$"
)
# Mono's (mono/mini/mini-exceptions.c), and as Unity shows it in its console.
_MONO_FRAME = re.compile(
    r"^\s{0,12}(?:at )?(?P<function>[\w.+<>`:]{3,400}) ?\([^()]{0,400}\) "
    r"(?:\[0x[0-9a-f]{1,8}\] in (?:<[^>]{0,200}>:\d{1,9}|(?P<file_>.{1,400}?):(?P<line_>\d{1,9}))|"
    r"\(at (?P<file>[^()]{1,400}?):(?P<line>\d{1,9})\))\s*$"
)
_SCRIPT_FRAME = re.compile(
    r"^\s{1,12}at (?:async )?(?:(?P<function>[^()]{1,300}) "
    r"\()?(?P<file>[^()\s]{1,400}?):(?P<line>\d{1,9})(?::\d{1,9})?\)?$"
)
_LUA_FRAME = re.compile(
    r"^\s(?P<file>\S.{0,300}?):(?P<line>\d{1,9}): in (?:(?:function|method|local|upvalue|global|"
    r"field|metamethod)? ?(?P<function>.{1,200}))$"
)
_FRAMES = {"java": (_JAVA_FRAME,), "dotnet": (_MONO_FRAME, _DOTNET_FRAME, _JAVA_FRAME),
           "javascript": (_SCRIPT_FRAME, _JAVA_FRAME), "lua": (_LUA_FRAME,)}  # fmt: skip
# Android names the process in front of the exception.
_TYPE = r"(?!Process: )(?P<type>(?:[A-Za-z_][\w$]{0,80}[./]){0,14}[A-Z][\w$]{0,120})"
_HEADS = {
    "java": (
        re.compile(rf"^Exception in thread \"(?P<thread>[^\"]{{0,120}})\" {_TYPE}(?:: "
                   rf"(?P<message>.*))?$"),
        # -XX:+ExitOnOutOfMemoryError, +CrashOnOutOfMemoryError (utilities/debug.cpp)
        re.compile(rf"^(?:Terminating|Aborting) due to {_TYPE}(?:: (?P<message>.*))?$"),
        re.compile(rf"^== Java Exception: {_TYPE}(?:: (?P<message>.*))?$"),
        re.compile(r"^(?:E AndroidRuntime: )?(?:\*\*\* )?FATAL EXCEPTION(?: IN SYSTEM PROCESS)?: "
                   r"(?P<thread>.{1,120})$"),
        re.compile(r"^---- Minecraft Crash Report ----$"),
        # in a package, or called as exceptions are: a bare word is a heading
        re.compile(rf"^(?:Uncaught exception in thread \S+: )?(?:java\.lang\.\S+: )?"
                   rf"(?=[\w$]+[./]\w|[\w$]*(?:Exception|Error|Throwable)\b){_TYPE}(?:: "
                   rf"(?P<message>.*))?$"),
    ),
    "dotnet": (
        re.compile(rf"^(?:Unhandled [Ee]xception[.:] {{1,2}}|Exception Info: |"
                   rf"Fatal error\. ){_TYPE}(?: \((?P<code>0x[0-9A-Fa-f]+)\))?(?:: "
                   rf"(?P<message>.*))?$"),
        re.compile(rf"^{_TYPE} was unhandled(?P<message>)$"),  # Visual Studio's debugger
        re.compile(r"^(?P<type>Process terminated)\. (?P<message>.*)$"),
        re.compile(r"^Description: The application requested (?P<type>process termination) through "
                   r"(?P<message>System\.Environment\.FailFast.*)$"),
        re.compile(r"^(?P<type>Stack overflow|Out of memory)\.(?P<message>)$"),
        re.compile(r"^Process is terminat(?:ing|ed) due to (?P<type>StackOverflowException)\."
                   r"(?P<message>)"),
        re.compile(rf"^(?!Message: ){_TYPE}(?: \((?P<code>0x[0-9A-Fa-f]+)\))?: (?P<message>.*)$"),
    ),
    "javascript": (
        re.compile(r"^(?:==\d+== Uncaught Exception: )?(?:Uncaught )?(?:(?:Jazzer\.js: "
                   r")?)(?P<type>\w{0,60}(?:Error|"
                   r"Exception)\b(?: \[\w{1,60}\])?): ?(?P<message>.*)$"),
        re.compile(r"^(?:FATAL ERROR: )(?P<message>.*JavaScript (?P<type>heap out of memory).*)$"),
    ),
    "lua": (re.compile(r"^(?:lua[\d.]*|"
                       r"luajit): (?P<file>.{1,300}?):(?P<line>\d{1,7}): (?P<message>.*)$"),),
}  # fmt: skip
_PROCESS = re.compile(r"^(?:E AndroidRuntime: )?Process: \S{1,200}, PID: (\d{1,10})$")
_ALWAYS_SAID = frozenset({"java", "dotnet"})
"""Runtimes that put words of their own in front of an exception that nobody caught."""
_TYPED = re.compile(rf"^(?=[\w$]+[./]\w){_TYPE}(?::|$)")
_CAUSE = re.compile(rf"^\s{{0,8}}(?:Caused by: |---> |\[cause\]: ){_TYPE}(?:: (?P<message>.*))?$")
_LEFT_OUT = re.compile(r"^\s{1,12}\.\.\. (\d{1,4}) (?:more|common frames omitted)\b")
# The packages and namespaces of runtimes and of what checks beside them; a program's own type of
# such a name is its own matter.
_PLATFORM = re.compile(
    r"[^./]*$|(?:java|javax|jdk|kotlin|scala|groovy|org[./](?:codehaus|apache)[./]groovy|junit|"
    r"org[./](?:junit|opentest4j)|android|dalvik|System|Microsoft|Mono|NUnit|Xunit|UnityEngine)[./]"
)
_TYPES: tuple[tuple[str, C], ...] = tuple(
    (rf"(?:^|[./+])(?:{names})$|^(?:{words})", category)
    for names, words, category in (
        ("StackOverflow(?:Error|Exception)", "Stack overflow$", C.STACK_OVERFLOW),
        ("OutOfMemory(?:Error|Exception)|InsufficientMemoryException",
         "Out of memory$|heap out of memory$", C.OUT_OF_MEMORY),
        (r"(?:Power)?Assertion(?:Failed)?Error|(?:Debug)?Assert(?:ion)?Exception",
         r"AssertionError \[", C.ASSERTION_FAILURE),
        ("DivideByZeroException", "$^", C.DIVIDE_BY_ZERO),
        ("AccessViolationException", "$^", C.WILD_POINTER),
        ("(?:MissingMethod|MissingField|EntryPointNotFound|NoSuchMethod|NoSuchField)Exception|"
         "(?:NoSuchMethod|AbstractMethod|NoSuchField)Error", "$^", C.MISSING_METHOD),
        ("(?:UnsupportedClassVersion|IncompatibleClassChange)Error|"
         "(?:BadImageFormat|FileLoad|TypeLoad)Exception", "$^", C.VERSION_MISMATCH),
        ("(?:ClassNotFound|DllNotFound|ReflectionTypeLoad)Exception", r"\w+ \[ERR_DLOPEN",
         C.LIBRARY_LOAD_FAILURE),
    )
)  # fmt: skip
# What a runtime says with a type that it uses for more; else a message is the program's own.
_SAID: tuple[tuple[str, C], ...] = (
    (r"^RangeError: Maximum call stack", C.STACK_OVERFLOW),
    (
        r"^(?:RuntimeError|Error): Aborted\(Assertion failed|^Process terminated: Assertion failed",
        C.ASSERTION_FAILURE,
    ),
    (
        r"^[\w.]*(?:Arithmetic|Runtime|Range)E\w+: (?:\w+ )?(?:/|[dD]ivi\w+) by zero$",
        C.DIVIDE_BY_ZERO,
    ),
    # HotSpot, nativeLookup.cpp and instanceKlass.cpp: a method that no library has, a class whose
    # initialiser has thrown.
    (r"UnsatisfiedLinkError: (?:'.+'|[\w$./]+\(\S*)$", C.MISSING_METHOD),
    (r"NoClassDefFoundError: Could not initialize class ", C.UNCAUGHT_EXCEPTION),
    (
        r"^[\w.]*(?:FileNotFoundException: Could not load|UnsatisfiedLink|NoClassDefFound)",
        C.LIBRARY_LOAD_FAILURE,
    ),
    (r"^(?:Process terminated|process termination): ", C.EXPLICIT_ABORT),
)


def read(document: Document) -> Analysis:
    """The exceptions with their stacks; hs_err files and deadlocks of Java are read first."""
    lines = list(lines_of(document))
    if document.host == "java":
        from analyzers.log.hotspot import hotspot_findings

        special = hotspot_findings(document, lines)
        if special:
            return analysis_of(document, special)
    found = _exceptions(document, lines)
    if not found and document.host == "java":
        found = monitor_findings(document, lines)
    analysis = analysis_of(document, found)
    if document.host == "dotnet":
        facts = (*analysis.facts, *exceptions_of(document))
        return Analysis(analysis.summary, facts, analysis.findings)
    return analysis


def _exceptions(document: Document, lines: list[tuple[int, str]]) -> list[Finding]:
    found: list[Finding] = []
    ended: list[Finding] = []
    at = 0
    while at < len(lines) and len(found) < MAX_FINDINGS:
        line = lines[at][1]
        head = next((m for p in _HEADS[document.host] if (m := p.match(line.rstrip()))), None)
        if head is None:
            at += 1
            continue
        end = at + 1
        if "type" not in head.groupdict() and document.host == "java":
            end += next((n for n, (_, t) in enumerate(lines[end : end + 9]) if _TYPED.match(t)), 0)
            end += 1
        while end < len(lines) and end - at < 20_000:
            text = lines[end][1]
            begins = any(p.match(text) for p in _HEADS[document.host])
            if begins and not text[:1].isspace() and not _CAUSE.match(text):
                break
            end += 1
        finding = _finding(document, lines[at:end], head)
        if finding is not None:
            if document.host != "lua" and not may_be_logged(document.host, line):
                ended.append(finding)
            elif document.host in _ALWAYS_SAID and finding.category == C.UNCAUGHT_EXCEPTION:
                finding = replace(finding, sure=False, ends=None)  # its stack may be a logger's
            found.append(finding)
        at = end
    # Beside one that ended the program the others were caught, whoever logged them.
    return [f for f in ended if f.stacks] or ended or [f for f in found if f.stacks] or found


def _finding(
    document: Document, block: list[tuple[int, str]], head: re.Match[str]
) -> Finding | None:
    number, line = block[0]
    groups = head.groupdict()
    kind, message = groups.get("type"), groups.get("message") or ""
    said, said_line = line, number
    if kind is None and document.host != "lua":  # Android names the thread first
        below = re.compile(rf"^(?=[\w$]+[./]\w){_TYPE}(?:: (?P<message>.*))?$")
        named = next(((n, m) for n, t in block[1:10] if (m := below.match(t.strip()))), None)
        if named is None:
            return None
        said_line, match = named
        kind, message, said = match["type"], match["message"] or "", match[0]
    causes = [(n, m) for n, t in block if (m := _CAUSE.match(t))]
    frames, after_cause = _stack(document.host, block, causes[-1][0] if causes else 0)
    if not frames and document.host == "javascript" and "heap out of memory" not in line:
        return None
    category = category_of(kind or "", message)
    outer = (said_line, said)
    if category is C.UNCAUGHT_EXCEPTION and causes:  # what is wrapped explains, where it was thrown
        said_line, inner = causes[-1]
        kind, message, said = inner["type"], inner["message"] or "", inner[0].strip()
        category = category_of(kind, message)
        frames = after_cause or frames
    roles = (trace("access", said, said_line, frames),) if frames else ()
    place = f"{groups['file']}:{groups['line']}" if groups.get("file") else None
    return Finding(
        cite=document.cite(number, block[-1][0]),
        tool=TOOLS[document.host],
        process=next((int(m[1]) for _, t in block[1:4] if (m := _PROCESS.match(t))), None),
        kind=kind or "error",
        message=sentence(said),
        line=said_line,
        category=category,
        place=place,
        stacks=roles,
        notes=tuple(
            Note(text=sentence(text), line=n)
            for n, text in [outer, *((n, m[0].strip()) for n, m in causes[:6])]
            if n != said_line
        ),
    )


def category_of(kind: str, message: str) -> C:
    """What an exception's type stands for, or what its runtime says with it."""
    named = first_of(_TYPES, kind) if _PLATFORM.match(kind) else None
    said = named or first_of(_SAID, f"{kind}: {message}")
    return said or C.UNCAUGHT_EXCEPTION


def of_a_runtime(line: str, number: int) -> Frame | None:
    """A frame of a stack whose runtime nothing tells: what stands above it was cut away."""
    patterns = (_JAVA_FRAME, _MONO_FRAME, _DOTNET_FRAME)
    found = next((m for p in patterns if (m := p.match(line))), None)
    return frame_by(found, 0, number) if found is not None else None


def _stack(
    host: str, block: Iterable[tuple[int, str]], cause_line: int
) -> tuple[list[Frame], list[Frame]]:
    """The frames of an exception, and those behind the cause that it wraps innermost, with the
    callers that Java leaves out because the trace around it ends in them as well."""
    frames: list[Frame] = []
    inner: list[Frame] = []
    around: list[Frame] = []
    own: list[Frame] = []
    for number, line in block:
        if _CAUSE.match(line):
            around, own = own, []
        elif (left := _LEFT_OUT.match(line)) is not None and int(left[1]) <= len(around):
            shared = around[len(around) - int(left[1]) :]
            own += shared
            if cause_line and number > cause_line:
                first = len(inner)
                inner += [replace(frame, index=at) for at, frame in enumerate(shared, first)]
        match = next((m for p in _FRAMES[host] if (m := p.match(line))), None)
        if match is None or len(frames) >= MAX_ITEMS:
            continue
        into = inner if cause_line and number > cause_line else frames
        into.append(frame_by(match, len(into), number))
        own.append(into[-1])
    return frames, inner
