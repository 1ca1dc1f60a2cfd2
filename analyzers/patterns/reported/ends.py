"""Whose end a report tells: that of another process, or one that who waited for it passes on."""

import re
from collections.abc import Sequence

from analyzers.patterns.reported.frames import is_kernel
from workbench.model.category import Category
from workbench.model.facts import Finding, Frame, Role

FOLLOWS = frozenset({Category.UNCAUGHT_EXCEPTION, Category.PANIC, Category.EXTERNAL_SIGNAL})
"""How whoever waits for a process ends, too, when that one was killed or failed."""
ENDS_ONCE = frozenset({"Python", ".NET", "JavaScript"})
# What a process says that waited for another one: Python's subprocess and concurrent.futures,
# joblib, PyTorch, Maven's surefire, billiard, and who tells a shell's status of it, as Gradle does.
WAITED = re.compile(
    r"(?:Command (?P<command>.{1,2000}) )?died with <Signals\.SIG[A-Z]+|"
    r"\bterminated with signal SIG[A-Z]+|\{SIG[A-Z]+\(-\d+\)|"
    r"exited prematurely: signal \d{1,2} \(SIG[A-Z]+|process pool was terminated abruptly|"
    r"\(pid (?P<pid>\d{1,10})\) is killed by signal: |[Ff]orked VM terminated without|"
    r"\bexit(?:ed)?(?: with)?(?: non-zero)? (?:exit )?(?:code|status|value):? 13\d\b"
)
_SIGNAL = re.compile(r"\bSIG[A-Z]+")
# The kernel's name of a program, a command's words, what runs the workers of a runtime.
_PROGRAM = re.compile(r"(?:.{0,200}\s)?([^\s\[\]:]{1,64})\[\d{1,10}\]")
_WORD = re.compile(r"[^\s'\",\[\]();&|]+")
_RUNS = {"Python": "python", "Java": "java"}
# android.os: the process that was called has died.
_HOST_DIED = re.compile(r"(?:.{1,120}: )?android\.os\.Dead(?:Object|System)(?:Runtime)?Exception\b")
# An exception that nobody catches ends its thread (JLS 11.3), and main's most programs.
_OF_A_THREAD = re.compile(r'Exception in thread "(?!main")')
_OF_MAIN = re.compile(r'Exception in thread "main"')


def role(finding: Finding, *names: str) -> Role | None:
    """The first stack of one of the roles."""
    return next((r for r in finding.stacks if r.role in names and r.frames), None)


def is_apart(finding: Finding, end: Finding) -> bool:
    """True for the end of another process that has a cause of its own: one that the kernel killed
    prints nothing, a runtime tells of an exception that nobody caught once, or once a thread; of
    two that name their processes the later one, but one that the first one's end threw."""
    if end.category in FOLLOWS:
        apart = end.process is not None and finding.process not in (None, end.process)
        uncaught = end.category == Category.UNCAUGHT_EXCEPTION and finding.tool == end.tool
        return apart and uncaught and not _says(end, _HOST_DIED)
    if is_kernel(finding.tool) and finding.signal is None:
        return finding.kind == "oom-killer" and not is_kernel(end.tool)
    kernels = is_kernel(finding.tool) or is_kernel(end.tool)
    if not access_of(end) or (finding.tool != end.tool and (kernels or finding.process is None)):
        return False
    if _says(finding, _OF_A_THREAD) and _says(end, _OF_MAIN):
        return True
    if None not in (finding.process, end.process) or finding.tool != end.tool:
        return end.process not in (None, finding.process)
    return finding.tool in ENDS_ONCE and finding.signal is end.signal is None


def told_again(end: Finding, ends: Sequence[Finding]) -> bool:
    """True for what a shell says of the end that the process's own tool told, with its place."""
    before = ends[: ends.index(end)]
    return not access_of(end) and any(access_of(one) and one.signal == end.signal for one in before)


def _says(finding: Finding, words: re.Pattern[str]) -> bool:
    return any(words.match(text) for text in (finding.message, *(n.text for n in finding.notes)))


def waited(finding: Finding, before: Sequence[Finding], later: Sequence[Finding]) -> bool:
    """True for what a process ended with because another one, whose end stands before, or anywhere
    by its number, had."""
    told = WAITED.search(finding.message)
    if told is None:
        return False
    if told["pid"]:
        return any(f.process == int(told["pid"]) for f in (*before, *later))
    return any(may_be_awaited(finding, told, f) is not False for f in before if f.ends)


def may_be_awaited(finding: Finding, told: re.Match[str], end: Finding) -> bool | None:
    """Whether an end is that of the process that was waited for; None where nobody names it. The
    kernel tells of every program: by its command's name, of 15 characters, and where its code is
    from (a thread may have a name of its own); a shell passes on how its last command ended."""
    signal = _SIGNAL.search(told[0])
    if end.signal is None or (signal is not None and signal[0] != end.signal):
        return False
    program = _PROGRAM.match(end.message)
    if program is None or not is_kernel(end.tool):
        return True
    names = {program[1], *((frame.module or "")[:15] for frame in access_of(end)[:1])}
    words = _WORD.findall(told["command"] or finding.message)
    if told["command"] or any(word in names for word in words):
        return any(word.rpartition("/")[2][:15] in names for word in words)
    runs = _RUNS.get(finding.tool)
    return True if runs and any(name.startswith(runs) for name in names) else None


def access_of(finding: Finding) -> tuple[Frame, ...]:
    """The frames of a report's access; none where it shows no stack of that."""
    stack = role(finding, "access")
    return stack.frames if stack is not None else ()
