"""The first lines of what tools and runtimes print when something went wrong."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.model.text import unquoted
from workbench.targets.transcript.sign_table import HANDLED, SIGNS


class Sign(NamedTuple):
    """A line that begins a report: whose it is, and what the report is called. ``summary`` marks
    one that also ends a report of the same tools, ``banner`` one that stands in no other's report:
    a process that died, whatever was printed before."""

    host: str
    title: str
    summary: bool = False
    banner: bool = False


_SANITIZERS = {
    "AddressSanitizer": "asan", "HWAddressSanitizer": "hwasan", "KernelAddressSanitizer": "kernel",
    "LeakSanitizer": "lsan", "MemorySanitizer": "msan", "ThreadSanitizer": "tsan",
    "UndefinedBehaviorSanitizer": "ubsan", "libFuzzer": "libfuzzer",
}  # fmt: skip
_SANITIZER = re.compile(
    r"(?:==\d{1,9}==\s{0,2})?\b(?:ERROR|WARNING|FATAL|SUMMARY|HINT)?: ?"
    r"(?P<tool>\w{3,30}Sanitizer|libFuzzer)[: ](?!failed to (?:al|deal)locate)"
)


def _compiled(*, anchored: bool) -> re.Pattern[str]:
    """One pattern of all that begin a line, or of all that may stand anywhere in it."""
    found = []
    for number, (_, _, patterns) in enumerate(SIGNS):
        kept = [p.removeprefix("^") for p in patterns if p.startswith("^") is anchored]
        if kept:
            found.append(f"(?P<s{number}>{'|'.join(kept)})")
    return re.compile("|".join(found))


_AT_THE_START = _compiled(anchored=True)
_ANYWHERE = _compiled(anchored=False)
# One of these words stands in every line that the second pattern knows.
WORDS = (
    "BUG", "UBSAN", "kernel", "Kernel", "INFO: ", "WARNING: ", "general protection", "rcu: ",
    "oom-k", "ut of memory", "segfault at", "trap", "FATAL", "fatal", "CHECK", "Check failed",
    "MOZ_CRASH",
    "ssertion", "ASSERT", "UNREACHABLE", "Sanitizer", "GWP-ASan", "V8", "Last few GCs",
    "shared lib", "systemd-coredump", "Analysis", "- code ",
    " got ", "crashed by", "faulting", "Unhandled Exception: ", "=== Critical", "internal compiler",
    ".pl line ", ".pm line ", "process exited", "OOM killer", "oom-kill", "by signal", "on signal",
    "exit signal", "terminated by", "<Signals.", "was sent SIG", "ANR in ",
    "assert failure: ", "] panic: ", "-CRITICAL",
)  # fmt: skip
_LONGEST = 2048

_BANNER = re.compile(
    r"\*{3} (?:SIG[A-Z]+ \(@|Aborted at \d|glibc detected|Error in |(?:Segmentation fault|Aborted|"
    r"Bus error|Illegal instruction|Floating point exception)$)|"
    r"# An? (?:fatal|unexpected) error has been "
)
# A frame that others called begins nothing, whatever its arguments say.
_CALLER = re.compile(r"\s{0,8}#[1-9]\d{0,6} ")

# A weak sign begins a report only where the lines behind it bear it out.
_BEARS_OUT = {
    "bsd": re.compile(
        r"^cpuid = \d|^KDB: |^fault (?:virtual address|code)\s|^Stopped at\s|^kernel: |"
        r"^cpu\d{1,4}: Begin traceback|^\w+\([^\n]{0,200}\) at (?:netbsd:)?\w+\+0x[0-9a-f]|"
        r"^fatal .{1,60} in supervisor mode|^panic: trap$"
    ),
    "go": re.compile(
        r"^goroutine \d|^\[signal |^\t\S+\.(?:go|s):\d|^\s+\S+\.go:\d|^exit status \d|==ERROR: "
    ),
    "javascript": re.compile(r"^\s{1,12}at \S|==ERROR|<--- |heap out of memory"),
    "java": re.compile(
        r"^\s{1,12}at [\w$.<>/@-]+\(|^#|^ {0,3}(?:SIG|EXCEPTION_)[A-Z_]+ \(0x[0-9a-f]+\) at pc=|"
        r"^(?:Terminat|Abort)ing due to |^\"|DEDUP_TOKEN|^\t- |E AndroidRuntime|^at [\w$.]+\("
    ),
    "dotnet": re.compile(
        r"^\s{1,12}at \S|^\s{2,12}---> |^Unhandled|was unhandled|^Process terminated|"
        r"^Stack overflow|Fatal"
    ),
    "lua": re.compile(r"^stack traceback:|^\t\[C\]:|^\t\S+:\d+: in"),
    "swift": re.compile(r"^Fatal error: |^\d+ {1,4}\S|0x[0-9a-f]{6}|: Fatal error"),
    "valgrind": re.compile(
        r"^[=*-]{2}\d+\S* .*(?:Memcheck|[Vv]algrind|Helgrind|Invalid |Conditional jump|"
        r"Use of uninit|Process terminating|[Oo]verlap|blocks? (?:is|are)|(?:LEAK|HEAP) SUMMARY|"
        r"Mismatched|Syscall param|[Dd]ata race|Thread #|DRD|Source and dest|Jump to the|"
        r"Argument .* fishy|   (?:at|by) 0x)"
    ),
    "tests": re.compile(r"^due to a fatal error condition|CRASHED: |SEH exception"),
    "ruby": re.compile(r"\[BUG\] | \([A-Z][\w:]{1,200}\)$|^\s+from \S{1,300}:\d"),
    "perl": re.compile(
        r"^(?!Use of |Argument |Subroutine |Name \"|Deep rec|\"my\" |Odd number|Useless )"
    ),
    "julia": re.compile(r"^Stacktrace:|signal|^in expression starting"),
    "stack": re.compile(r"^\s{0,8}#[1-9]\d? {1,3}0x[0-9a-fA-F]{4,16} "),
}
# Titles of reports whose words begin another's too: whose, where the lines behind bear none out.
_ELSE = {
    "Go panic": ("bsd", "a BSD kernel's panic"),
    "Go panic that was recovered": ("check", "failed check"),
}
_LOOK_AHEAD = {
    "valgrind": 60, "go": 60, "dotnet": 6, "java": 12, "javascript": 12, "stack": 8, "perl": 1,
    "ruby": 8,
}  # fmt: skip


_HANDLED = re.compile("|".join(pattern for _, pattern in HANDLED))
_CHAINED = re.compile(r"Caused by: |During handling of the above |The above exception was the dir")


def handled(above: Sequence[str]) -> bool:
    """True where a framework says in the line above that it caught what comes."""
    last = next((line for line in reversed(above) if line.strip()), "")
    return _HANDLED.search(last[:_LONGEST]) is not None


def chained(lines: Sequence[str]) -> bool:
    """True for an exception that is the cause, or comes of, the one in front of it: ``lines`` end
    with its first line."""
    return any(_CHAINED.match(line) for line in lines)


def sign_of(line: str) -> Sign | None:
    """The report that a line begins, or None. The line has lost its collectors' prefixes."""
    return None if _CALLER.match(line) else _sign_of(line[:_LONGEST])


@lru_cache(maxsize=2048)  # what fills a log says the same over and over
def _sign_of(text: str) -> Sign | None:
    found = unquoted(_SANITIZER, text) if "Sanitizer" in text or "libFuzzer" in text else None
    if found is not None:
        tool = found["tool"]
        summary = "SUMMARY: " in text[: found.end()]
        return Sign(_SANITIZERS.get(tool, "asan"), f"{tool} report", summary)
    match = _AT_THE_START.match(text)
    if match is None and any(word in text for word in WORDS):
        match = unquoted(_ANYWHERE, text)
    if match is None or match.lastgroup is None:
        return None
    host, title, _ = SIGNS[int(match.lastgroup[1:])]
    return Sign(host, title, banner=_BANNER.match(text) is not None)


def borne_out(sign: Sign, following: list[str]) -> Sign | None:
    """The sign; where it is one that other texts hold too, and nothing behind it looks like the
    report that it would begin, the one that the same words are elsewhere, else None. ``following``
    begins with the line of the sign."""
    proof = _BEARS_OUT.get(sign.host)
    ahead = _LOOK_AHEAD.get(sign.host, 30)
    if proof is None or any(proof.search(line[:_LONGEST]) for line in following[:ahead]):
        return sign
    other = _ELSE.get(sign.title)
    return borne_out(Sign(*other), following) if other is not None else None
